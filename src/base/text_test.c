/* SPDX-License-Identifier: MIT
 *
 * text_test.c: WTF-8 decoding, encoding and checking, by hand-picked bytes and by all code points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_decodes(const char *bytes, size_t n, size_t used, uint32_t c) {
    uint32_t out = 0xffffffff;
    assert_int_equal(ubi__wtf8_decode((const uint8_t *)bytes, n, &out), used);
    assert_int_equal(out, c);
}

static void every_code_point_and_surrogate_survives_a_round_trip(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        uint8_t bytes[4];
        uint32_t back = 0;
        size_t n = ubi__wtf8_encode(bytes, c);
        assert_int_equal(ubi__wtf8_decode(bytes, n, &back), n);
        assert_int_equal(back, c);
    }
}

static void decoding_reads_one_character_and_leaves_the_rest(void **state) {
    (void)state;
    assert_decodes("aé", 3, 1, 'a');
    assert_decodes("\xc3\xa9z", 3, 2, 0xe9);
    assert_decodes("\xf0\x9f\x98\x80z", 5, 4, 0x1f600);
    assert_decodes("\xed\xa0\xbd", 3, 3, 0xd83d);
}

static void bytes_that_are_no_character_are_refused_with_the_first_byte(void **state) {
    (void)state;
    assert_decodes("\x80", 1, 0, 0x80);             /* continuation alone */
    assert_decodes("\xc0\x80", 2, 0, 0xc0);         /* overlong NUL */
    assert_decodes("\xc1\xbf", 2, 0, 0xc1);         /* overlong */
    assert_decodes("\xe0\x9f\xbf", 3, 0, 0xe0);     /* overlong */
    assert_decodes("\xf0\x8f\xbf\xbf", 4, 0, 0xf0); /* overlong */
    assert_decodes("\xf4\x90\x80\x80", 4, 0, 0xf4); /* above U+10FFFF */
    assert_decodes("\xf5\x80\x80\x80", 4, 0, 0xf5);
    assert_decodes("\xff", 1, 0, 0xff);
    assert_decodes("\xc3", 1, 0, 0xc3);          /* cut */
    assert_decodes("\xe2\x82", 2, 0, 0xe2);      /* cut */
    assert_decodes("\xe2(\xa1", 3, 0, 0xe2);     /* wrong second byte */
    assert_decodes("\xf0\x9f\x98(", 4, 0, 0xf0); /* wrong last byte */
}

static size_t valid_prefix(const char *s) {
    return ubi__utf8_valid_prefix(ubi__text(s));
}

static void the_valid_prefix_ends_at_the_first_byte_that_is_no_utf8(void **state) {
    (void)state;
    assert_int_equal(valid_prefix(""), 0);
    assert_int_equal(valid_prefix("plain \xe2\x82\xac"), 9);
    assert_int_equal(valid_prefix("ab\xff"
                                  "cd"),
                     2);
    assert_int_equal(valid_prefix("\xc3"), 0);
    assert_int_equal(valid_prefix("x\xed\xa0\x80"), 1); /* surrogates are not UTF-8 */
    assert_int_equal(ubi__utf8_valid_prefix((ubi_text){ NULL, 0 }), 0);
}

static bool contains(const char *haystack, const char *needle) {
    return ubi__text_contains(ubi__text(haystack), ubi__text(needle));
}

static void containing_is_about_bytes_and_respects_case(void **state) {
    (void)state;
    assert_true(contains("ArrayBuffer", "Array"));
    assert_true(contains("ArrayBuffer", "fer"));
    assert_true(contains("ArrayBuffer", ""));
    assert_true(contains("", ""));
    assert_true(ubi__text_contains((ubi_text){ NULL, 0 }, ubi__text("")));
    assert_false(contains("ArrayBuffer", "array"));
    assert_false(contains("Arr", "Array"));
    assert_false(ubi__text_contains((ubi_text){ NULL, 0 }, ubi__text("x")));
    assert_false(ubi__text_contains((ubi_text){ "Array", 3 }, ubi__text("Array")));
}

static void texts_are_ordered_by_bytes_and_a_prefix_comes_first(void **state) {
    (void)state;
    assert_true(ubi__text_compare(ubi__text("a"), ubi__text("b")) < 0);
    assert_true(ubi__text_compare(ubi__text("ab"), ubi__text("a")) > 0);
    assert_true(ubi__text_compare(ubi__text("z"), ubi__text("\xc3\xa9")) < 0);
    assert_int_equal(ubi__text_compare(ubi__text("ab"), (ubi_text){ "abc", 2 }), 0);
    assert_true(ubi__text_compare((ubi_text){ NULL, 0 }, ubi__text("a")) < 0);
}

static void no_text_is_not_empty_text(void **state) {
    (void)state;
    assert_false(ubi__text_is((ubi_text){ NULL, 0 }, ""));
    assert_true(ubi__text_is(ubi__text(""), ""));
    assert_true(ubi__text_equal(ubi__text("ab"), (ubi_text){ "abc", 2 }));
    assert_false(ubi__text_equal(ubi__text("ab"), ubi__text("abc")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_and_surrogate_survives_a_round_trip),
        cmocka_unit_test(decoding_reads_one_character_and_leaves_the_rest),
        cmocka_unit_test(bytes_that_are_no_character_are_refused_with_the_first_byte),
        cmocka_unit_test(the_valid_prefix_ends_at_the_first_byte_that_is_no_utf8),
        cmocka_unit_test(containing_is_about_bytes_and_respects_case),
        cmocka_unit_test(texts_are_ordered_by_bytes_and_a_prefix_comes_first),
        cmocka_unit_test(no_text_is_not_empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
