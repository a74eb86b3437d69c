/* SPDX-License-Identifier: MIT
 *
 * diff_checks_test.c: the invariants of what compares heaps are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/class_rows.h"
#include "analyses/same_process.h"
#include "damage.h"

static void check_rows(void *rows) {
    ubi__class_rows_check(rows);
}

static void damaged_class_rows_are_seen(void **state) {
    (void)state;
    ubi__class_rows rows;
    uint32_t unused;
    ubi__class_rows_init(&rows, ubi_allocator_default());
    ubi__class_rows_check(&rows);
    assert_int_equal(ubi__strtab_intern(&rows.keys, &unused, (ubi_text){ "key", 3 }), UBI_OK);
    assert_damage_seen(check_rows, &rows, "ubi__strtab_count(&t->keys) == t->rows.n");
    ubi__class_rows_fini(&rows);
}

static void check_match(void *match) {
    ubi__id_match_check(match);
}

static void damaged_matches_are_seen(void **state) {
    (void)state;
    ubi__id_match match = { 10, 8, 9, 5, 4, 2, 1 };
    ubi__id_match_check(&match);
    match.n_common = 7;
    assert_damage_seen(check_match, &match, "match->n_common_same <= match->n_common");
    match.n_common = 10;
    match.n_texts = 3;
    assert_damage_seen(check_match, &match, "match->n_texts_same <= match->n_texts");
    match.n_texts = 9;
    assert_damage_seen(check_match, &match, "match->n_texts + match->n_words <= match->n_common");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_class_rows_are_seen),
        cmocka_unit_test(damaged_matches_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
