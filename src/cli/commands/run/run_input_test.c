/* SPDX-License-Identifier: MIT
 *
 * run_input_test.c: which texts of JavaScript are whole, and which want more lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/commands/run/run_input.h"

static void assert_open(const char *text, bool open) {
    if (ubi__run_input_is_open(text, strlen(text)) != open)
        fail_msg("%s is %s", text, open ? "open" : "whole");
}

static void open_brackets_want_more(void **state) {
    static const char *const open[] = { "function f() {",
                                        "f(1,",
                                        "[1, [2]",
                                        "x = {",
                                        "`text",
                                        "`a ${b",
                                        "`a ${ { c: 1 }",
                                        "/* more",
                                        "f(`${[1]}`, {",
                                        "if (/[(]/.test(x)) {",
                                        "a = b / c; (d / 2",
                                        "'a\\\n(' + (",
                                        "return /x/ + (",
                                        "`\\`",
                                        "x\n/(/.y" };
    (void)state;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_open(open[i], true);
}

static void all_else_is_whole(void **state) {
    static const char *const whole[] = { "",
                                         "1 + 1",
                                         "function f() {\n}",
                                         "f(1, [2])",
                                         "`a ${`b ${c}`}`",
                                         "/* ( */ 1",
                                         "// (",
                                         "'(' + \"[\"",
                                         "/[(]/",
                                         "x = /(/; y",
                                         "a / b / c",
                                         "(a) / 2 // (",
                                         "'it is",
                                         "`${{}}`",
                                         "typeof /[/]{/",
                                         ")",
                                         "(]",
                                         "1 } {",
                                         "\"\\\"(\"" };
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        assert_open(whole[i], false);
}

static void what_is_too_deep_is_left_to_the_engine(void **state) {
    char text[2 * UBI__RUN_INPUT_DEPTH];
    (void)state;
    memset(text, '(', sizeof text);
    assert_true(ubi__run_input_is_open(text, UBI__RUN_INPUT_DEPTH));
    assert_false(ubi__run_input_is_open(text, UBI__RUN_INPUT_DEPTH + 1));
    assert_false(ubi__run_input_is_open(text, sizeof text));
}

/* No text is read beyond its end. */
static void every_beginning_of_a_text_can_be_asked_for(void **state) {
    static const char text[] = "f(`a ${'b\\'' + /[/]\\//g} \\` c`, { /* d */ e: [1] }) // x\n\\";
    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        (void)ubi__run_input_is_open(copy, n);
        free(copy);
    }
    assert_open(text, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_brackets_want_more),
        cmocka_unit_test(all_else_is_whole),
        cmocka_unit_test(what_is_too_deep_is_left_to_the_engine),
        cmocka_unit_test(every_beginning_of_a_text_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
