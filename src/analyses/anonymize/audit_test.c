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

#include "analyses/anonymize/audit.c"
#include "base/status.h"
#include "base/text.h"
#include "damage.h"
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

static void words_are_counted_by_the_texts_contain_them(void **state) {
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    feed(a, UBI_TEXT_EDGE_NAME, "cart");
    feed(a, UBI_TEXT_EDGE_NAME, "cart");
    feed(a, UBI_TEXT_FRAME_FUNCTION, "cart/cart<");
    feed(a, UBI_TEXT_FRAME_SOURCE, "https://shop.example/cart.js");
    assert_non_null(audit_word_find(&w, a, "cart"));
    assert_int_equal(w.n_texts, 3);
    assert_int_equal(w.group, UBI__AUDIT_PLACES); /* before functions and properties */
    assert_int_equal(w.role, UBI_TEXT_FRAME_SOURCE);
    assert_true(ubi__text_is(w.example, "https://shop.example/cart.js"));
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

static void a_word_belongs_to_the_first_group_that_contains_it(void **state) {
    static const struct {
        ubi_text_role role;
        const char *text, *word;
        ubi__audit_group group;
    } examples[] = {
        { UBI_TEXT_SECRET, "--key=4711", "--key=4711", UBI__AUDIT_PROGRAM },
        { UBI_TEXT_NODE_NAME, "Window / https://shop.example", "shop.example", UBI__AUDIT_PLACES },
        { UBI_TEXT_NODE_NAME, "/srv/customer.js", "customer", UBI__AUDIT_PLACES },
        { UBI_TEXT_NODE_NAME, "Detached <li id=\"u7\">", "u7", UBI__AUDIT_CLASSES },
        { UBI_TEXT_NODE_NAME, "loadCart", "loadCart", UBI__AUDIT_FUNCTIONS },
        { UBI_TEXT_CLASS_NAME, "Cart", "Cart", UBI__AUDIT_CLASSES },
        { UBI_TEXT_EDGE_NAME, "price", "price", UBI__AUDIT_PROPERTIES },
        { UBI_TEXT_STRING, "Hello Eve", "Hello Eve", UBI__AUDIT_STRINGS },
        { UBI_TEXT_STRING, "line\nline", "line\nline", UBI__AUDIT_SOURCES },
    };
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        feed(a, UBI_TEXT_STRING, examples[i].word);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        feed(a, examples[i].role, examples[i].text);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        assert_non_null(audit_word_find(&w, a, examples[i].word));
        assert_int_equal(w.group, examples[i].group);
        assert_int_equal(w.role, examples[i].role);
        assert_true(ubi__text_is(w.example, examples[i].text));
        assert_false(w.is_public);
    }
    ubi__audit_free(a);
}

static void a_string_of_one_character_is_nobodys(void **state) {
    ubi__audit *a = new_audit();
    ubi__audit_word w;
    (void)state;
    feed(a, UBI_TEXT_STRING, "q");
    feed(a, UBI_TEXT_STRING, "\303\251"); /* U+00E9 */
    assert_true(audit_word_find(&w, a, "q") && w.is_public);
    assert_true(audit_word_find(&w, a, "\303\251") && w.is_public);
    feed(a, UBI_TEXT_STRING, "qz");
    feed(a, UBI_TEXT_STRING, "417");
    feed(a, UBI_TEXT_STRING, "\304\200");     /* U+0100 */
    feed(a, UBI_TEXT_STRING, "\346\204\233"); /* a whole word in one character */
    feed(a, UBI_TEXT_CLASS_NAME, "Q");
    assert_true(audit_word_find(&w, a, "qz") && !w.is_public);
    assert_true(audit_word_find(&w, a, "417") && !w.is_public);
    assert_true(audit_word_find(&w, a, "\304\200") && !w.is_public);
    assert_true(audit_word_find(&w, a, "\346\204\233") && !w.is_public);
    assert_true(audit_word_find(&w, a, "Q") && !w.is_public);
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

static void check_first_row(void *audit) {
    row_check(audit, 0);
}

static void damaged_rows_are_seen(void **state) {
    ubi__audit *a = new_audit();
    (void)state;
    feed(a, UBI_TEXT_EDGE_NAME, "basket");
    feed(a, UBI_TEXT_EDGE_NAME, "voucher");
    row_check(a, 0);
    row *r = &a->rows.at[0];
    assert_false(r->is_public);
    a->word_of.at[0] = 1;
    assert_damage_seen(check_first_row, a, "a->row_of[r->is_public].at[a->word_of.at[i]] == i");
    a->word_of.at[0] = 0;
    a->row_of[1].n++;
    assert_damage_seen(check_first_row, a, "a->rows.n == a->row_of[0].n + a->row_of[1].n");
    a->row_of[1].n--;
    r->n_texts = r->last_text + 1;
    assert_damage_seen(check_first_row, a, "r->n_texts <= r->last_text");
    r->n_texts = 1;
    r->role = UBI_TEXT_ROLE_COUNT;
    assert_damage_seen(check_first_row, a, "r->role < UBI_TEXT_ROLE_COUNT");
    r->role = UBI_TEXT_EDGE_NAME;
    r->example = ubi__strtab_count(&a->examples);
    assert_damage_seen(check_first_row, a, "r->example < ubi__strtab_count(&a->examples)");
    r->example = 0;
    row_check(a, 0);
    ubi__audit_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_counted_by_the_texts_contain_them),
        cmocka_unit_test(words_of_engines_are_public),
        cmocka_unit_test(a_word_belongs_to_the_first_group_that_contains_it),
        cmocka_unit_test(a_string_of_one_character_is_nobodys),
        cmocka_unit_test(replacements_are_no_words),
        cmocka_unit_test(numbers_of_elements_and_bytes),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
        cmocka_unit_test(damaged_rows_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
