/* SPDX-License-Identifier: MIT
 *
 * timeline_copy_test.c: a copy of a timeline has its lines, with other texts and without unknown members.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "formats/timeline/timeline_copy.h"
#include "packing.h"

#define HEADER "{\"schema\":\"ubiheap.timeline-log/1\",\"record\":\"header\""

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

/* "4:abc" is a text of three characters in role 4; public keys stay. */
static ubi_status show_role(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    static char made[64];
    (void)payload;
    *out = text;
    if (role != UBI_TEXT_DETAIL_KEY || !ubi__text_is(text, "causeName"))
        *out = (ubi_text){ made, (size_t)snprintf(made, sizeof made, "%d:%zu", (int)role, text.len) };
    return UBI_OK;
}

static ubi_status copy_text(bytes *out, ubi__timeline_copy *copy, const void *text, size_t n, const ubi_allocator *a) {
    ubi__source source;
    *copy = (ubi__timeline_copy){ .map_text = show_role };
    ubi__source_open_memory(&source, text, n, ubi_allocator_default());
    ubi_status status = ubi__timeline_copy_write(copy, &source, keep, out, a);
    ubi__source_close(&source);
    return status;
}

static void expect(const char *text, const char *expected, const char *fault) {
    bytes made = { 0 };
    ubi__timeline_copy copy;
    assert_int_equal(copy_text(&made, &copy, text, strlen(text), NULL), UBI_OK);
    bytes_add(&made, "", 1);
    assert_string_equal((const char *)made.at, expected);
    assert_string_equal(copy.fault, fault);
    assert_int_equal(copy.output_bytes, strlen(expected));
    bytes_free(&made);
}

static void texts_are_replaced_by_their_role_and_numbers_stay(void **state) {
    (void)state;
    expect(HEADER ",\"generator\":\"abc\",\"program\":\"/a/b\",\"pid\":7,\"startTimeUs\":1700000000123456}\n"
                  "{\"record\":\"thread\",\"thread\":7,\"name\":\"me\"}\n"
                  "{\"record\":\"marker\",\"name\":\"x\",\"start\":1.5,\"end\":2,\"thread\":7,\"stack\":1,"
                  "\"isOffMainThread\":false,\"details\":{\"causeName\":\"abcd\",\"own\":12345,\"small\":999,"
                  "\"yes\":true,\"o\":{\"a\":1},\"r\":[{\"x\":1,\"q\":2}]}}\n"
                  "{\"record\":\"frame\",\"frame\":1,\"functionDisplayName\":\"f\",\"source\":\"s.js\",\"line\":3,"
                  "\"asyncCause\":\"c\"}\n"
                  "{\"record\":\"memory\",\"time\":3,\"mine\":4096,\"text\":\"no\"}\n"
                  "{\"record\":\"lost\",\"count\":2}\n{\"record\":\"end\",\"time\":9}\n",
           HEADER ",\"generator\":\"16:3\",\"program\":\"5:4\",\"pid\":7,\"startTimeUs\":1699920000000000}\n"
                  "{\"record\":\"thread\",\"thread\":7,\"name\":\"16:2\"}\n"
                  "{\"record\":\"marker\",\"name\":\"13:1\",\"start\":1.5,\"end\":2,\"thread\":7,\"stack\":1,"
                  "\"isOffMainThread\":false,\"details\":{\"causeName\":\"15:4\",\"14:3\":\"15:5\",\"14:5\":999,"
                  "\"14:3\":true,\"14:1\":null,\"14:1\":[{\"x\":1}]}}\n"
                  "{\"record\":\"frame\",\"frame\":1,\"functionDisplayName\":\"6:1\",\"source\":\"5:4\",\"line\":3,"
                  "\"asyncCause\":\"15:1\"}\n"
                  "{\"record\":\"memory\",\"time\":3,\"14:4\":4096}\n"
                  "{\"record\":\"lost\",\"count\":2}\n{\"record\":\"end\",\"time\":9}\n",
           "");
}

static void what_is_unknown_is_left_out_and_lines_keep_their_numbers(void **state) {
    (void)state;
    expect(HEADER ",\"secret\":1}\n\n{\"record\":\"secret\",\"a\":1}\n{\"record\":\"end\",\"time\":9,\"secret\":2}\n",
           HEADER "}\n\n\n{\"record\":\"end\",\"time\":9}\n", "");
}

static void values_of_a_wrong_type_say_nothing(void **state) {
    (void)state;
    expect(HEADER ",\"program\":17,\"pid\":\"secret\"}\n{\"record\":\"end\",\"time\":[\"secret\"]}\n",
           HEADER ",\"program\":null,\"pid\":\"\"}\n{\"record\":\"end\",\"time\":[]}\n", "");
}

static void what_precedes_a_fault_is_copied(void **state) {
    (void)state;
    expect(HEADER "}\n{\"record\":\"end\",\"time\":9}\n{\"record\":\"end\",\"ti",
           HEADER "}\n{\"record\":\"end\",\"time\":9}\n",
           "line 3: the file ends in the middle of it: the program was killed, or the file is not complete");
    expect(HEADER "}\n{\"time\":9}\n", HEADER "}\n", "line 2: expected \"record\" and what it is");
}

static void what_is_no_timeline_is_refused(void **state) {
    static const char *const texts[] = { "", "{}", "[]", "{\"schema\":\"other\"}", "{\"schema\":", "\x1f\x8b" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bytes made = { 0 };
        ubi__timeline_copy copy;
        assert_int_equal(copy_text(&made, &copy, texts[i], strlen(texts[i]), NULL), UBI_EFORMAT);
        bytes_free(&made);
    }
}

static const char all[] =
    HEADER ",\"program\":\"\\u0041\"}\n{\"record\":\"marker\",\"name\":\"a\\nb\",\"start\":1,\"details\":"
           "{\"k\\u0041\":\"v\\u0042\"}}\n{\"record\":\"memory\",\"time\":1,\"a\\u0042\":2}\n";

static ubi_status copy_all(void *payload, const ubi_allocator *allocator) {
    bytes made = { 0 };
    ubi__timeline_copy copy;
    (void)payload;
    ubi_status status = copy_text(&made, &copy, all, sizeof all - 1, allocator);
    bytes_free(&made);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    fail_each_allocation(copy_all, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_replaced_by_their_role_and_numbers_stay),
        cmocka_unit_test(what_is_unknown_is_left_out_and_lines_keep_their_numbers),
        cmocka_unit_test(values_of_a_wrong_type_say_nothing),
        cmocka_unit_test(what_precedes_a_fault_is_copied),
        cmocka_unit_test(what_is_no_timeline_is_refused),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
