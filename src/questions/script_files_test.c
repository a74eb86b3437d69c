/* SPDX-License-Identifier: MIT
 *
 * script_files_test.c: scripts that places name, and what is said of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "questions/script_files.h"
#include "written_text.h"

static void scripts_are_noted_once_and_by_number(void **state) {
    static const char *const places[] = { "82,3,29",         "7,1,1", "82,4,26",       "", "x", "9",
                                          "99999999999,1,1", ",1",    "4294967295,0,0" };
    ubi__vec_script_file files = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_int_equal(ubi__script_files_note(&files, ubi__text(places[i]), ubi_allocator_default()), UBI_OK);
    assert_int_equal(files.n, 3);
    assert_int_equal(files.at[0].script, 7);
    assert_int_equal(files.at[1].script, 82);
    assert_int_equal(files.at[2].script, UINT32_MAX);
    ubi__vec_script_file_fini(&files, ubi_allocator_default());
}

static ubi_status places_note(void *payload, const ubi_allocator *allocator) {
    ubi__vec_script_file files = { 0 };
    (void)payload;
    ubi_status status = ubi__script_files_note(&files, ubi__text("82,3,29"), allocator);
    for (uint32_t i = 0; i < 100 && status == UBI_OK; i++) {
        char place[32];
        snprintf(place, sizeof place, "%u,1,1", 1000 - i);
        status = ubi__script_files_note(&files, ubi__text(place), allocator);
    }
    assert_true(status != UBI_OK || files.n == 101);
    for (size_t i = 1; i < files.n; i++)
        assert_true(files.at[i - 1].script < files.at[i].script);
    ubi__vec_script_file_fini(&files, allocator);
    return status;
}

static void any_allocation_may_be_refused(void **state) {
    (void)state;
    fail_each_allocation(places_note, NULL);
}

static void nothing_is_said_of_scripts_that_are_not_found(void **state) {
    text written = { .room = 1000 };
    ubi__vec_script_file files = { 0 };
    ubi__json json;
    (void)state;
    assert_int_equal(ubi__script_files_note(&files, ubi__text("82,3,29"), ubi_allocator_default()), UBI_OK);
    ubi__json_init(&json, text_write, &written, false);
    ubi__json_object_begin(&json);
    ubi__script_files_put(&json, &files);
    files.at[0].file = ubi__text("app.js");
    ubi__script_files_put(&json, &files);
    ubi__json_object_end(&json);
    assert_int_equal(ubi__json_flush(&json), UBI_OK);
    assert_memory_equal(written.bytes.at, "{\"scripts\":{\"82\":\"app.js\"}}", written.bytes.n);
    ubi__vec_u8_fini(&written.bytes, ubi_allocator_default());
    ubi__vec_script_file_fini(&files, ubi_allocator_default());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_are_noted_once_and_by_number),
        cmocka_unit_test(any_allocation_may_be_refused),
        cmocka_unit_test(nothing_is_said_of_scripts_that_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
