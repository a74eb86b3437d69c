/* SPDX-License-Identifier: MIT
 *
 * anonymize_checks_test.c: the invariants of words, their replacements and public names are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyses/anonymize/anonymizer.h"
#include "base/text.h"
#include "damage.h"

static void check_word_map(void *payload) {
    ubi__word_map_check(payload);
}
static void check_public_names(void *payload) {
    ubi__public_names_check(payload);
}

static void damaged_words_are_seen(void **state) {
    (void)state;
    ubi_anonymizer *a;
    ubi_text out;
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    options.key = "a key of some length";
    options.key_bytes = 20;
    assert_int_equal(ubi_anonymizer_new(&a, &options), UBI_OK);
    assert_int_equal(ubi__word_map_get(&out, &a->words, ubi__text("secret")), UBI_OK);
    assert_int_equal(ubi__word_map_get(&out, &a->words, ubi__text("other")), UBI_OK);
    ubi__word_map_check(&a->words);
    char *first = (char *)a->words.replacements.bytes.at, kept = *first;
    *first = 'y';
    assert_damage_seen(check_word_map, &a->words, "ubi__word_is_replacement(text)");
    *first = kept;
    a->words.words.end.n--;
    assert_damage_seen(check_word_map, &a->words, "== ubi__strtab_count(&m->replacements)");
    a->words.words.end.n++;
    ubi__word_map_check(&a->words);
    uint32_t lists = a->names.lists.at[0];
    a->names.lists.at[0] = UBI__NAMES_WHOLE;
    assert_damage_seen(check_public_names, &a->names, "n->lists.at[i] & (UBI__NAMES_WHOLE - 1)");
    a->names.lists.at[0] = lists;
    a->names.lists.n--;
    assert_damage_seen(check_public_names, &a->names, "n->lists.n == ubi__strtab_count(&n->names)");
    a->names.lists.n++;
    ubi_anonymizer_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_words_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
