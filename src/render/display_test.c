/* SPDX-License-Identifier: MIT
 *
 * display_test.c: hostile and wide text, cut and measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/text.h"
#include "render/capture_test.h"
#include "render/display.h"
#include "render/heap_labels.h"

static const ubi__style unicode = { .has_unicode = true, .columns = 80 };
static const ubi__style ascii = { .columns = 80 };
static const ubi__style colored = { .has_color = true, .has_unicode = true, .columns = 80 };
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

/* So long that reading it all for each cell is noticed; only the first and last page are readable. */
#define PAGE_BYTES ((size_t)1 << 16) /* of any machine, at most */
#define LONG_BYTES ((size_t)1 << 30)

/* A text that begins and ends with these; the memory between them must not be touched. */
static ubi_text text_that_ends_in_the_dark(const char *begin, const char *end) {
    char *at = mmap(NULL, LONG_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(at != MAP_FAILED);
    char *last = at + LONG_BYTES - PAGE_BYTES;
    assert_int_equal(mprotect(at, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(mprotect(last, PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < PAGE_BYTES; i++) {
        at[i] = begin[i % strlen(begin)];
        last[PAGE_BYTES - 1 - i] = end[strlen(end) - 1 - i % strlen(end)];
    }
    return (ubi_text){ at, LONG_BYTES };
}

static void only_what_is_shown_of_a_text_is_read(void **state) {
    (void)state;
    ubi_text text = text_that_ends_in_the_dark("abc", "xyz");
    assert_int_equal(ubi__display_columns(text, &unicode, 80), 80);
    assert_string_equal(shown_bytes(text.ptr, text.len, &unicode, 9), "abca…zxyz");
    ubi__out *out = capture_start(&got);
    assert_int_equal(ubi__display_text_end(out, &unicode, text, 6), 6);
    assert_string_equal(capture_text(&got), "…yzxyz");
    munmap((void *)text.ptr, text.len);
}

static void a_text_of_marks_is_read_no_further_either(void **state) {
    (void)state;
    ubi_text text = text_that_ends_in_the_dark("\xcc\x81", "\xcc\x81");
    assert_int_equal(ubi__display_columns(text, &unicode, 80), 80);
    assert_string_equal(shown_bytes(text.ptr, text.len, &unicode, 3), "\xcc\x81\xcc\x81\xcc\x81\xcc\x81…");
    munmap((void *)text.ptr, text.len);
}

static void marks_are_counted(void **state) {
    (void)state;
    char text[200] = "a";
    for (size_t n_marks = 1; n_marks <= 60; n_marks++) {
        memcpy(text + 2 * n_marks - 1, "\xcc\x81", 3);
        const char *line = shown(text, &unicode, 10);
        if (n_marks <= 40)
            assert_string_equal(line, text);
        else /* five columns from the start, four from the end, without marks that have no base */
            assert_int_equal(strlen(line), 1 + 2 * 20 + strlen("…"));
        assert_int_equal(ubi__display_columns(ubi__text(text), &unicode, 10), n_marks <= 40 ? 1 : 10);
    }
}

/* Reads all of the text from its start, as the cut once did. */
static size_t plain_tail(const char *text, size_t n, size_t columns) {
    size_t starts[64], n_starts = 0, at = 0;
    for (uint32_t c; at < n; n_starts++) {
        starts[n_starts] = at;
        size_t used = ubi__wtf8_decode((const uint8_t *)text + at, n - at, &c);
        at += used ? used : 1;
    }
    for (size_t i = n_starts; i > 0; i--)
        if (ubi__display_columns((ubi_text){ text + starts[i - 1], n - starts[i - 1] }, &unicode, SIZE_MAX) > columns)
            return i < n_starts ? starts[i] : n;
    return 0;
}

static void ends_are_cut_where_reading_from_the_start_would_cut(void **state) {
    (void)state;
    static const uint8_t bytes[] = {
        'a', 0xcc, 0x81, 0xe6, 0x97, 0xa5, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0x0a, 0xed, 0xa0
    };
    uint32_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char text[24];
        for (size_t i = 0; i < sizeof text; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (char)bytes[(seed >> 16) % sizeof bytes];
        }
        size_t max = 1 + round % 12, from = plain_tail(text, sizeof text, max - 1);
        const char *line;
        ubi__out *out = capture_start(&got);
        ubi__display_text_end(out, &unicode, (ubi_text){ text, sizeof text }, max);
        line = capture_text(&got);
        if (max == 1 || ubi__display_columns((ubi_text){ text, sizeof text }, &unicode, SIZE_MAX) <= max)
            continue;
        while (from + 1 < sizeof text && (uint8_t)text[from] == 0xcc && (text[from + 1] & 0xc0) == 0x80)
            from += 2; /* marks whose base was cut off */
        static capture wanted;
        ubi__display_text(capture_start(&wanted), &unicode, (ubi_text){ text + from, sizeof text - from }, SIZE_MAX);
        assert_memory_equal(line, "…", strlen("…"));
        assert_string_equal(line + strlen("…"), capture_text(&wanted));
    }
}

static void an_escape_is_never_cut_in_two(void **state) {
    (void)state;
    assert_string_equal(shown("\x01\x02\x03\x04", &unicode, 10), "\\x01…\\x04");
    assert_string_equal(shown("\x01\x02\x03\x04", &unicode, 7), "…"); /* no escape fits in a half */
}

static void wide_characters_take_two_columns(void **state) {
    (void)state;
    assert_int_equal(ubi__display_columns(ubi__text("日本"), &unicode, SIZE_MAX), 4);
    assert_int_equal(ubi__display_columns(ubi__text("e\xcc\x81"), &unicode, SIZE_MAX), 1);
    assert_int_equal(ubi__display_columns(ubi__text("😀"), &unicode, SIZE_MAX), 2);
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
    assert_string_equal(bar(&unicode, 1, 1000000), "▏   "); /* a small share still shows */
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

static void a_frame_without_file_is_its_name_alone(void **state) {
    (void)state;
    assert_string_equal(frame("from", "", 40), "from");
    assert_string_equal(frame(NULL, "", 40), "(anonymous)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_never_reach_the_terminal),
        cmocka_unit_test(characters_that_deceive_are_escaped),
        cmocka_unit_test(bytes_that_are_no_text_are_escaped),
        cmocka_unit_test(ascii_outputs_get_ascii_only),
        cmocka_unit_test(long_text_is_cut_in_the_middle),
        cmocka_unit_test(paths_may_be_cut_at_their_start),
        cmocka_unit_test(only_what_is_shown_of_a_text_is_read),
        cmocka_unit_test(a_text_of_marks_is_read_no_further_either),
        cmocka_unit_test(marks_are_counted),
        cmocka_unit_test(ends_are_cut_where_reading_from_the_start_would_cut),
        cmocka_unit_test(an_escape_is_never_cut_in_two),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(widths_agree_with_the_standard_at_the_borders_of_ranges),
        cmocka_unit_test(bars_fill_their_field_in_eighths),
        cmocka_unit_test(colour_is_written_only_when_wanted),
        cmocka_unit_test(frames_keep_function_file_name_and_line),
        cmocka_unit_test(a_frame_without_file_is_its_name_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
