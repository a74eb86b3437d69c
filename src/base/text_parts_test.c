/* SPDX-License-Identifier: MIT
 *
 * text_parts_test.c: how texts begin and end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

static void digits_are_the_ten_of_ascii(void **state) {
    (void)state;
    unsigned n = 0;
    for (int c = -128; c < 128; c++)
        n += ubi__is_digit((char)c);
    assert_int_equal(n, 10);
    assert_true(ubi__is_digit('0') && ubi__is_digit('9'));
}

static void beginnings_and_ends_are_compared_by_bytes(void **state) {
    (void)state;
    ubi_text text = ubi__text("node:fs");
    assert_true(ubi__text_begins(text, "node:") && ubi__text_begins(text, "") && ubi__text_begins(text, "node:fs"));
    assert_false(ubi__text_begins(text, "fs") || ubi__text_begins(text, "node:fs/promises"));
    assert_true(ubi__text_ends(text, ":fs") && ubi__text_ends(text, "") && ubi__text_ends(text, "node:fs"));
    assert_false(ubi__text_ends(text, "node") || ubi__text_ends(text, "my-node:fs"));
    assert_false(ubi__text_begins(ubi__text(""), "a") || ubi__text_ends(ubi__text(""), "a"));
    assert_true(ubi__text_begins((ubi_text){ "a\0b", 3 }, "a"));
}

static void assert_base_name(const char *path, const char *name) {
    assert_true(ubi__text_is(ubi__text_base_name(ubi__text(path)), name));
}

static void a_base_name_comes_after_the_last_slash(void **state) {
    (void)state;
    assert_base_name("/usr/lib/libc.so.6", "libc.so.6");
    assert_base_name("libc.so.6", "libc.so.6");
    assert_base_name("/usr/lib/", "");
    assert_base_name("/", "");
    assert_base_name("", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_the_ten_of_ascii),
        cmocka_unit_test(beginnings_and_ends_are_compared_by_bytes),
        cmocka_unit_test(a_base_name_comes_after_the_last_slash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
