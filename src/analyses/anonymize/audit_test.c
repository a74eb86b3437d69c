/* SPDX-License-Identifier: MIT
 *
 * audit_test.c: which words an audit finds in texts, and which it takes for replacements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/anonymize/audit.h"
#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"

static ubi__audit *new_audit(void) {
    ubi__audit *a = NULL;
    assert_int_equal(ubi__audit_new(&a, NULL), UBI_OK);
    return a;
}

static void feed(ubi__audit *a, ubi_text_role role, const char *text) {
    ubi_text out;
    assert_int_equal(ubi__audit_text(a, role, ubi__text(text), &out), UBI_OK);
    assert_true(ubi__text_is(out, text)); /* no text is changed */
}

static const ubi__audit_word *audit_word_find(ubi__audit_word *out, const ubi__audit *a, const char *word) {
    for (uint32_t i = 0; i < ubi__audit_word_count(a); i++) {
        *out = ubi__audit_word_at(a, i);
        if (ubi__text_is(out->word, word))
            return out;
    }
    return NULL;
}

static void words_are_counted_by_the_texts_they_stand_in(void **state) {
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    feed(a, UBI_TEXT_EDGE_NAME, "cart");
    feed(a, UBI_TEXT_EDGE_NAME, "cart");
    feed(a, UBI_TEXT_FRAME_FUNCTION, "cart/cart<");
    feed(a, UBI_TEXT_FRAME_SOURCE, "https://shop.example/cart.js");
    assert_non_null(audit_word_find(&w, a, "cart"));
    assert_int_equal(w.n_texts, 3);
    assert_int_equal(w.role, UBI_TEXT_EDGE_NAME);
    assert_true(ubi__text_is(w.example, "cart"));
    assert_false(w.is_public);
    assert_int_equal(ubi__audit_text_count(a), 3);
    ubi__audit_free(a);
}

static void words_of_engines_are_public(void **state) {
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    feed(a, UBI_TEXT_EDGE_NAME, "length");
    feed(a, UBI_TEXT_NATIVE_FUNCTION, "std::vector<Cart>::reserve(unsigned long)");
    assert_true(audit_word_find(&w, a, "length") && w.is_public);
    assert_true(audit_word_find(&w, a, "reserve") && w.is_public);
    assert_true(audit_word_find(&w, a, "Cart") && !w.is_public);
    ubi__audit_free(a);
}

static void replacements_are_no_words(void **state) {
    static const char *const replaced[] = { "x_smdx4x7r24", "x_smdx4x7r24_2", "x_smdx4x7r24_malloc",
                                            "x_smdx4x7r24_2_strdup" };
    static const char *const others[] = { "x_smdx4x7r2",         "x_smdx4x7r2u",  "y_smdx4x7r24",   "x_smdx4x7r24x",
                                          "x_smdx4x7r24_secret", "x_smdx4x7r24_", "x_smdx4x7r24_2x" };
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        feed(a, UBI_TEXT_NATIVE_FUNCTION, replaced[i]);
    assert_int_equal(ubi__audit_word_count(a), 0);
    assert_int_equal(ubi__audit_replaced_count(a), 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        feed(a, UBI_TEXT_NATIVE_FUNCTION, others[i]);
        assert_non_null(audit_word_find(&w, a, others[i]));
    }
    ubi__audit_free(a);
}

static void numbers_of_elements_and_bytes(void **state) {
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    feed(a, UBI_TEXT_INDEX, "4711");
    feed(a, UBI_TEXT_INDEX, "4711");
    feed(a, UBI_TEXT_SECRET, "\xff\x01z");
    assert_int_equal(ubi__audit_large_index_count(a), 1);
    assert_non_null(audit_word_find(&w, a, "ff017a")); /* a build-id, as people write it */
    ubi__audit_free(a);
    ubi__audit_free(NULL);
}

static ubi_status audit_some(void *payload, const ubi_allocator *allocator) {
    ubi__audit *a = NULL;
    ubi_text out;
    (void)payload;
    UBI_TRY(ubi__audit_new(&a, allocator));
    ubi_status status = UBI_OK;
    for (int i = 0; status == UBI_OK && i < 60; i++) {
        char text[64];
        snprintf(text, sizeof text, "https://host%d.example/x_smdx4x7r%02d.js", i, i % 10 * 11 % 100);
        status = ubi__audit_text(a, UBI_TEXT_FRAME_SOURCE, ubi__text(text), &out);
    }
    ubi__audit_free(a);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    fail_each_allocation(audit_some, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_counted_by_the_texts_they_stand_in),
        cmocka_unit_test(words_of_engines_are_public),
        cmocka_unit_test(replacements_are_no_words),
        cmocka_unit_test(numbers_of_elements_and_bytes),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
