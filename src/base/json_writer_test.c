/* SPDX-License-Identifier: MIT
 *
 * json_writer_test.c: the writer's text, compared with what JavaScript prints for the same values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "damage.h"

typedef struct sink {
    char data[1 << 16];
    size_t n;
    size_t calls;
    size_t refuse_from; /* calls that are still taken */
} sink;

static bool take(void *payload, const void *data, size_t n) {
    sink *s = payload;
    if (s->calls++ >= s->refuse_from || n > sizeof s->data - 1 - s->n)
        return false;
    memcpy(s->data + s->n, data, n);
    s->n += n;
    s->data[s->n] = 0;
    return true;
}

static sink out;
static ubi__json json;

static ubi__json *start(bool pretty) {
    memset(&out, 0, sizeof out);
    out.refuse_from = SIZE_MAX;
    ubi__json_init(&json, take, &out, pretty);
    return &json;
}

static const char *finish(void) {
    assert_int_equal(ubi__json_flush(&json), UBI_OK);
    return out.data;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void doubles_print_as_javascript_prints_them(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { -0.0, "0" },
        { 1, "1" },
        { -17, "-17" },
        { 0.1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 100, "100" },
        { 123456.789, "123456.789" },
        { 1e20, "100000000000000000000" },
        { 1e21, "1e+21" },
        { 1.5e21, "1.5e+21" },
        { 123456789012345680000.0, "123456789012345680000" },
        { 1e-6, "0.000001" },
        { 1.5e-6, "0.0000015" },
        { 1e-7, "1e-7" },
        { -1.25e-9, "-1.25e-9" },
        { 9007199254740991.0, "9007199254740991" },
        { 9007199254740992.0, "9007199254740992" },
        { 9007199254740994.0, "9007199254740994" },
        { 9223372036854775808.0, "9223372036854776000" },
        { 18446744073709551616.0, "18446744073709552000" },
        { 0x1p-44, "5.684341886080802e-14" }, /* the closest 16 digits do not read back */
        { 0x1p-1022, "2.2250738585072014e-308" },
        { 5e-324, "5e-324" },
        { DBL_MAX, "1.7976931348623157e+308" },
        { 4.35, "4.35" },
        { 1700000000123456.0, "1700000000123456" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        assert_int_equal(ubi__number_text(text, cases[i].value), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void numbers_that_are_no_numbers_have_names_but_are_null_in_json(void **state) {
    (void)state;
    char text[32];
    ubi__number_text(text, NAN);
    assert_string_equal(text, "NaN");
    ubi__number_text(text, -INFINITY);
    assert_string_equal(text, "-Infinity");
    ubi__json *j = start(false);
    ubi__json_array_begin(j);
    ubi__json_double(j, NAN);
    ubi__json_double(j, INFINITY);
    ubi__json_array_end(j);
    assert_string_equal(finish(), "[null,null]");
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void every_double_reads_back_from_its_text(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[32];
        size_t n = ubi__number_text(text, value);
        assert_true(n < sizeof text && text[n] == 0);
        assert_true(strtod(text, NULL) == value);
    }
}

static void integers_beyond_a_double_print_as_the_nearest_one(void **state) {
    (void)state;
    ubi__json *j = start(false);
    ubi__json_array_begin(j);
    ubi__json_u64(j, 0);
    ubi__json_u64(j, UINT64_C(1) << 53);
    ubi__json_u64(j, (UINT64_C(1) << 53) + 1);
    ubi__json_u64(j, UINT64_MAX);
    ubi__json_i64(j, -42);
    ubi__json_i64(j, INT64_MIN);
    ubi__json_array_end(j);
    assert_string_equal(finish(),
                        "[0,9007199254740992,9007199254740992,18446744073709552000,-42,-9223372036854776000]");
}

static void node_ids_are_numbers_only_where_a_double_is_exact(void **state) {
    (void)state;
    ubi__json *j = start(false);
    ubi__json_array_begin(j);
    ubi__json_node_id(j, 140720891387000u);
    ubi__json_node_id(j, (UINT64_C(1) << 53) + 1);
    ubi__json_node_id(j, (UINT64_C(1) << 53) + 2);
    ubi__json_node_id(j, UINT64_MAX);
    ubi__json_array_end(j);
    assert_string_equal(finish(), "[140720891387000,\"9007199254740993\",9007199254740994,\"18446744073709551615\"]");
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void assert_text(const char *bytes, size_t n, const char *expected) {
    ubi__json *j = start(false);
    ubi__json_text(j, (ubi_text){ bytes, n });
    assert_string_equal(finish(), expected);
}
#define ASSERT_TEXT(literal, expected) assert_text(literal, sizeof(literal) - 1, expected)

static void strings_are_escaped_as_json_stringify_escapes_them(void **state) {
    (void)state;
    ASSERT_TEXT("", "\"\"");
    ASSERT_TEXT("plain", "\"plain\"");
    ASSERT_TEXT("\b\f\n\r\t\"\\/", "\"\\b\\f\\n\\r\\t\\\"\\\\/\"");
    ASSERT_TEXT("\0\x01\x0b\x1b\x1f\x7f", "\"\\u0000\\u0001\\u000b\\u001b\\u001f\x7f\"");
    ASSERT_TEXT("\xe2\x80\xa8\xf0\x9f\x98\x80", "\"\xe2\x80\xa8\xf0\x9f\x98\x80\"");
}

static void lone_surrogates_and_bad_bytes_stay_visible(void **state) {
    (void)state;
    ASSERT_TEXT("a\xed\xa0\xbd"
                "b",
                "\"a\\ud83db\"");
    ASSERT_TEXT("\xed\xbf\xbf", "\"\\udfff\"");
    ASSERT_TEXT("caf\xe9!", "\"caf\\\\xe9!\"");
    ASSERT_TEXT("\xe2\x82", "\"\\\\xe2\\\\x82\"");
}

static void no_text_is_null(void **state) {
    (void)state;
    assert_text(NULL, 0, "null");
}

static void texts_longer_than_the_buffer_arrive_whole(void **state) {
    (void)state;
    static char big[3 * UBI__JSON_BUFFER + 7];
    memset(big, 'x', sizeof big);
    ubi__json *j = start(false);
    ubi__json_text(j, (ubi_text){ big, sizeof big });
    finish();
    assert_int_equal(out.n, sizeof big + 2);
    assert_memory_equal(out.data + 1, big, sizeof big);
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

static void write_sample(ubi__json *j) {
    ubi__json_object_begin(j);
    ubi__json_key(j, "none");
    ubi__json_object_begin(j);
    ubi__json_object_end(j);
    ubi__json_key(j, "list");
    ubi__json_array_begin(j);
    ubi__json_u64(j, 1);
    ubi__json_array_begin(j);
    ubi__json_array_end(j);
    ubi__json_bool(j, true);
    ubi__json_array_end(j);
    ubi__json_key_text(j, ubi__text("a\"b"));
    ubi__json_null(j);
    ubi__json_object_end(j);
}

static void members_are_keys_and_values(void **state) {
    (void)state;
    ubi__json *j = start(false);
    ubi__json_object_begin(j);
    ubi__json_member_object(j, "o");
    ubi__json_member_null(j, "n");
    ubi__json_object_end(j);
    ubi__json_member_array(j, "a");
    ubi__json_array_end(j);
    ubi__json_member_bool(j, "b", true);
    ubi__json_member_string(j, "s", NULL);
    ubi__json_member_text(j, "t", ubi__text("x"));
    ubi__json_member_raw(j, "r", ubi__text("[1, 2]"));
    ubi__json_member_u64(j, "u", 7);
    ubi__json_member_i64(j, "i", -7);
    ubi__json_member_double(j, "d", 0.5);
    ubi__json_member_node_id(j, "id", UINT64_MAX);
    ubi__json_member_u64_or_null(j, "u1", true, 1);
    ubi__json_member_u64_or_null(j, "u0", false, 1);
    ubi__json_member_node_id_or_null(j, "id1", true, 1);
    ubi__json_member_node_id_or_null(j, "id0", false, 1);
    ubi__json_object_end(j);
    assert_string_equal(finish(), "{\"o\":{\"n\":null},\"a\":[],\"b\":true,\"s\":null,\"t\":\"x\",\"r\":[1,2],\"u\":7,"
                                  "\"i\":-7,\"d\":0.5,\"id\":\"18446744073709551615\",\"u1\":1,\"u0\":null,"
                                  "\"id1\":1,\"id0\":null}");
}

static void write_value_without_key(void *j) {
    ubi__json_object_begin(j);
    ubi__json_u64(j, 1);
}

static void write_member_in_array(void *j) {
    ubi__json_array_begin(j);
    ubi__json_member_u64(j, "key", 1);
}

static void end_array_as_object(void *j) {
    ubi__json_array_begin(j);
    ubi__json_object_end(j);
}

static void end_object_after_key(void *j) {
    ubi__json_object_begin(j);
    ubi__json_key(j, "key");
    ubi__json_object_end(j);
}

static void check_writer(void *j) {
    ubi__json_check(j);
}

static void calls_out_of_order_are_seen(void **state) {
    (void)state;
    assert_damage_seen(write_value_without_key, start(false), "after_key");
    assert_damage_seen(write_member_in_array, start(false), "level_is");
    assert_damage_seen(end_array_as_object, start(false), "level_is");
    assert_damage_seen(end_object_after_key, start(false), "after_key");
    ubi__json *j = start(false);
    j->n = sizeof j->buffer + 1;
    assert_damage_seen(check_writer, j, "sizeof j->buffer");
    j = start(false);
    j->is_after_key = true;
    assert_damage_seen(check_writer, j, "after_key");
}

static void raw_json_is_a_value_like_any_other(void **state) {
    (void)state;
    ubi__json *j = start(false);
    ubi__json_array_begin(j);
    ubi__json_raw(j, ubi__text("{\"by\":\"count\"}"));
    ubi__json_raw(j, ubi__text("[1]"));
    ubi__json_array_end(j);
    assert_string_equal(finish(), "[{\"by\":\"count\"},[1]]");
}

static void white_space_of_raw_json_stays_in_strings_only(void **state) {
    (void)state;
    ubi__json *j = start(false);
    ubi__json_raw(j, ubi__text("{ \"a \\\" b\" :\n [ 1,\t2 ] }\r\n"));
    assert_string_equal(finish(), "{\"a \\\" b\":[1,2]}");
}

static void terminals_get_no_control_characters(void **state) {
    (void)state;
    ubi__json *j = start(false);
    j->is_for_terminal = true;
    ubi__json_string(j, "\x7f\xc2\x9b"
                        "31m\xc2\xa0");
    assert_string_equal(finish(), "\"\\u007f\\u009b31m\xc2\xa0\"");
}

static void commas_stand_between_entries_only(void **state) {
    (void)state;
    write_sample(start(false));
    assert_string_equal(finish(), "{\"none\":{},\"list\":[1,[],true],\"a\\\"b\":null}");
}

static void pretty_output_is_that_of_json_stringify_with_two_spaces(void **state) {
    (void)state;
    write_sample(start(true));
    assert_string_equal(finish(),
                        "{\n  \"none\": {},\n  \"list\": [\n    1,\n    [],\n    true\n  ],\n  \"a\\\"b\": null\n}");
}

static void depth_has_no_limit(void **state) {
    (void)state;
    ubi__json *j = start(false);
    for (int i = 0; i < 20000; i++)
        ubi__json_array_begin(j);
    for (int i = 0; i < 20000; i++)
        ubi__json_array_end(j);
    finish();
    assert_int_equal(out.n, 40000);
}

static void the_first_refused_write_ends_all_output(void **state) {
    (void)state;
    ubi__json *j = start(false);
    out.refuse_from = 1;
    ubi__json_array_begin(j);
    for (int i = 0; i < 30000; i++)
        ubi__json_u64(j, 7);
    ubi__json_array_end(j);
    assert_int_equal(ubi__json_flush(j), UBI_EIO);
    assert_int_equal(out.n, UBI__JSON_BUFFER);
    assert_int_equal(out.calls, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_javascript_prints_them),
        cmocka_unit_test(numbers_that_are_no_numbers_have_names_but_are_null_in_json),
        cmocka_unit_test(every_double_reads_back_from_its_text),
        cmocka_unit_test(integers_beyond_a_double_print_as_the_nearest_one),
        cmocka_unit_test(node_ids_are_numbers_only_where_a_double_is_exact),
        cmocka_unit_test(strings_are_escaped_as_json_stringify_escapes_them),
        cmocka_unit_test(lone_surrogates_and_bad_bytes_stay_visible),
        cmocka_unit_test(no_text_is_null),
        cmocka_unit_test(texts_longer_than_the_buffer_arrive_whole),
        cmocka_unit_test(raw_json_is_a_value_like_any_other),
        cmocka_unit_test(white_space_of_raw_json_stays_in_strings_only),
        cmocka_unit_test(terminals_get_no_control_characters),
        cmocka_unit_test(members_are_keys_and_values),
        cmocka_unit_test(calls_out_of_order_are_seen),
        cmocka_unit_test(commas_stand_between_entries_only),
        cmocka_unit_test(pretty_output_is_that_of_json_stringify_with_two_spaces),
        cmocka_unit_test(depth_has_no_limit),
        cmocka_unit_test(the_first_refused_write_ends_all_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
