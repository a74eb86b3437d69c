/* SPDX-License-Identifier: MIT
 *
 * interpose_checks_test.c: what the library in recorded programs keeps in tables, checked here: there, checks are compiled out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interpose/preload.h"

uint8_t ubi__filter[65536];
size_t ubi__filter_mask = UBI__FILTER_MASK;

#include "interpose/pages.c"
#include "interpose/sealing.c"
#include "interpose/trace_tree.c"

#include "interpose/sampling.c"

#include "damage.h"

static void check_tree(void *tree) {
    ubi__trace_tree_check(tree);
}

static void check_sampling(void *unused) {
    (void)unused;
    sampling_check();
}

static void forbid_an_invalid_call(void *seal) {
    forbid_call(seal, UBI__SEALABLE);
}

static void damaged_trees_are_seen(void **state) {
    ubi__trace_tree t;
    (void)state;
    assert_true(ubi__trace_tree_init(&t));
    uint64_t print = UBI__TRACE_ROOT_OUTERMOST;
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(ubi__trace_tree_add(&t, print = ubi__trace_print(print, 16 * i)), i);
    ubi__trace_tree_check(&t);
    ubi__trace_slot *slot = ubi__trace_tree_slot(&t, print);
    slot->number = 1001;
    assert_damage_seen(check_tree, &t, "slot->number <= t->n");
    slot->number = 1000;
    t.n++;
    assert_damage_seen(check_tree, &t, "n == t->n");
    t.n--;
    t.shift--;
    assert_damage_seen(check_tree, &t, "t->n_slots ==");
    t.shift++;
    ubi__trace_tree_check(&t);
    ubi__trace_tree_fini(&t);
}

static void damaged_tables_of_samples_are_seen(void **state) {
    static char blocks[100][64];
    (void)state;
    for (size_t i = 0; i < 100; i++)
        assert_true(ubi__sampling_remember(blocks[i]));
    for (size_t i = 0; i < 100; i += 2)
        assert_true(ubi__sampling_recall(blocks[i]));
    assert_false(ubi__sampling_recall(blocks[0]));
    sampling_check();
    uint8_t *count = &ubi__filter[ubi__filter_place(blocks[1])], before = *count;
    *count = 0;
    assert_damage_seen(check_sampling, NULL, "ubi__filter_passes");
    *count = before;
    n_live--;
    assert_damage_seen(check_sampling, NULL, "n == n_live");
    n_live++;
    sampling_check();
}

static void only_calls_that_there_are_can_be_forbidden(void **state) {
    ubi__seal seal = { 0 };
    (void)state;
    ubi__seal_strictly(&seal);
    assert_true(seal.is_sealed && seal.is_timeless);
    assert_damage_seen(forbid_an_invalid_call, &seal, "number < UBI__SEALABLE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_trees_are_seen),
        cmocka_unit_test(damaged_tables_of_samples_are_seen),
        cmocka_unit_test(only_calls_that_there_are_can_be_forbidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
