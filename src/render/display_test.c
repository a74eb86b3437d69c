/* SPDX-License-Identifier: MIT
 *
 * display_test.c: hostile and wide text, cut and measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "render/capture_test.h"
#include "render/display.h"
#include "render/node_label.h"

static const ubi__style unicode = { .unicode = true, .columns = 80 };
static const ubi__style ascii = { .columns = 80 };
static const ubi__style colored = { .color = true, .unicode = true, .columns = 80 };
static capture got;

static const char *shown_bytes(const char *bytes, size_t n, const ubi__style *style, size_t max) {
    ubi__out *out = capture_start(&got);
    size_t columns = ubi__display_text(out, style, (ubi_text){ bytes, n }, max);
    assert_true(columns <= max);
    return capture_text(&got);
}

static const char *shown(const char *text, const ubi__style *style, size_t max) {
    return shown_bytes(text, strlen(text), style, max);
}

static void control_characters_never_reach_the_terminal(void **state) {
    (void)state;
    assert_string_equal(shown("\x1b[31mred\x07", &unicode, 80), "\\x1b[31mred\\x07");
    assert_string_equal(shown("a\nb\tc\rd\x7f", &unicode, 80), "a\\nb\\tc\\rd\\x7f");
    assert_string_equal(shown("\xc2\x9b"
                              "31m",
                              &unicode, 80),
                        "\\x9b31m"); /* CSI of eight-bit terminals */
    assert_string_equal(shown_bytes("a\0b", 3, &unicode, 80), "a\\x00b");
}

static void characters_that_deceive_are_escaped(void **state) {
    (void)state;
    assert_string_equal(shown("a\xe2\x80\xae"
                              "b",
                              &unicode, 80),
                        "a\\u202eb"); /* right-to-left override */
    assert_string_equal(shown("a\xe2\x80\x8b"
                              "b",
                              &unicode, 80),
                        "a\\u200bb");                                           /* zero-width space */
    assert_string_equal(shown("\xf3\xa0\x80\x81", &unicode, 80), "\\u{e0001}"); /* tag character */
    assert_string_equal(shown("\xed\xa0\xbd", &unicode, 80), "\\ud83d");
}

static void bytes_that_are_no_text_are_escaped(void **state) {
    (void)state;
    assert_string_equal(shown("caf\xe9", &unicode, 80), "caf\\xe9");
    assert_string_equal(shown("\xff\xfe", &unicode, 80), "\\xff\\xfe");
}

static void ascii_outputs_get_ascii_only(void **state) {
    (void)state;
    assert_string_equal(shown("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", &ascii, 80), "caf\\xe9 \\u20ac \\u{1f600}");
}

static void long_text_is_cut_in_the_middle(void **state) {
    (void)state;
    assert_string_equal(shown("http://example.org/app.js", &unicode, 25), "http://example.org/app.js");
    assert_string_equal(shown("http://example.org/app.js", &unicode, 13), "http:/…app.js");
    assert_string_equal(shown("http://example.org/app.js", &ascii, 13), "http:...pp.js");
    assert_string_equal(shown("abcdef", &unicode, 2), "a…");
    assert_string_equal(shown("abcdef", &unicode, 1), ".");
    assert_string_equal(shown("abcdef", &unicode, 0), "");
}

static void paths_may_be_cut_at_their_start(void **state) {
    (void)state;
    ubi__out *out = capture_start(&got);
    assert_int_equal(ubi__display_text_end(out, &unicode, ubi__text("http://example.org/app.js"), 8), 8);
    assert_string_equal(capture_text(&got), "…/app.js");
}

static void an_escape_is_never_cut_in_two(void **state) {
    (void)state;
    assert_string_equal(shown("\x01\x02\x03\x04", &unicode, 10), "\\x01…\\x04");
    assert_string_equal(shown("\x01\x02\x03\x04", &unicode, 7), "…"); /* no escape fits in a half */
}

static void wide_characters_take_two_columns(void **state) {
    (void)state;
    assert_int_equal(ubi__display_columns(ubi__text("日本"), &unicode), 4);
    assert_int_equal(ubi__display_columns(ubi__text("e\xcc\x81"), &unicode), 1);
    assert_int_equal(ubi__display_columns(ubi__text("😀"), &unicode), 2);
    assert_string_equal(shown("日本語日本語", &unicode, 7), "日…語");
}

static void widths_agree_with_the_standard_at_the_borders_of_ranges(void **state) {
    (void)state;
    assert_int_equal(ubi__display_char_columns('a'), 1);
    assert_int_equal(ubi__display_char_columns(0x2ff), 1);
    assert_int_equal(ubi__display_char_columns(0x300), 0);
    assert_int_equal(ubi__display_char_columns(0x36f), 0);
    assert_int_equal(ubi__display_char_columns(0x370), 1);
    assert_int_equal(ubi__display_char_columns(0x10ff), 1);
    assert_int_equal(ubi__display_char_columns(0x1100), 2);
    assert_int_equal(ubi__display_char_columns(0xff60), 2);
    assert_int_equal(ubi__display_char_columns(0xff61), 1);
    assert_int_equal(ubi__display_char_columns(0x3fffd), 2);
    assert_int_equal(ubi__display_char_columns(0x10fffd), 1);
    assert_int_equal(ubi__display_char_columns(0xe01ef), 0);
}

static const char *bar(const ubi__style *style, uint64_t part, uint64_t total) {
    ubi__display_bar(capture_start(&got), style, part, total, 4);
    return capture_text(&got);
}

static void bars_fill_their_field_in_eighths(void **state) {
    (void)state;
    assert_string_equal(bar(&unicode, 0, 10), "    ");
    assert_string_equal(bar(&unicode, 10, 10), "████");
    assert_string_equal(bar(&unicode, 5, 10), "██  ");
    assert_string_equal(bar(&unicode, 3, 32), "▍   ");
    assert_string_equal(bar(&unicode, 1, 1000000), "▏   "); /* a little is not nothing */
    assert_string_equal(bar(&unicode, 20, 10), "████");
    assert_string_equal(bar(&unicode, 1, 0), "▏   ");
    assert_string_equal(bar(&ascii, 3, 8), "##  ");
}

static void colour_is_written_only_when_wanted(void **state) {
    (void)state;
    ubi__display_ink(capture_start(&got), &unicode, UBI__INK_RED);
    assert_string_equal(capture_text(&got), "");
    ubi__out *out = capture_start(&got);
    ubi__display_ink(out, &colored, UBI__INK_RED);
    ubi__display_ink(out, &colored, UBI__INK_PLAIN);
    assert_string_equal(capture_text(&got), "\x1b[31m\x1b[0m");
}

static const char *frame(const char *function, const char *source, size_t columns) {
    ubi_frame f = { .source = ubi__text(source), .function_name = ubi__text(function), .line = 12, .column = 3 };
    ubi__out *out = capture_start(&got);
    assert_true(ubi__display_frame(out, &unicode, &f, columns) <= columns);
    return capture_text(&got);
}

static void frames_keep_function_file_name_and_line(void **state) {
    (void)state;
    assert_string_equal(frame("run", "app.js", 40), "run  app.js:12:3");
    assert_string_equal(frame("run", "https://example.org/static/app.js", 20), "run  …ic/app.js:12:3");
    assert_string_equal(frame(NULL, "app.js", 40), "(anonymous)  app.js:12:3");
    assert_string_equal(frame("aVeryLongFunctionName", "https://example.org/app.js", 30),
                        "aVeryLo…ionName  …/app.js:12:3");
    assert_string_equal(frame("aVeryLongFunctionName", "https://example.org/app.js", 12), "aVeryL…nName");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_never_reach_the_terminal),
        cmocka_unit_test(characters_that_deceive_are_escaped),
        cmocka_unit_test(bytes_that_are_no_text_are_escaped),
        cmocka_unit_test(ascii_outputs_get_ascii_only),
        cmocka_unit_test(long_text_is_cut_in_the_middle),
        cmocka_unit_test(paths_may_be_cut_at_their_start),
        cmocka_unit_test(an_escape_is_never_cut_in_two),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(widths_agree_with_the_standard_at_the_borders_of_ranges),
        cmocka_unit_test(bars_fill_their_field_in_eighths),
        cmocka_unit_test(colour_is_written_only_when_wanted),
        cmocka_unit_test(frames_keep_function_file_name_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
