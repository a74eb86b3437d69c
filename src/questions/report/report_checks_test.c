/* SPDX-License-Identifier: MIT
 *
 * report_checks_test.c: the invariants of what a report is made from are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "damage.h"
#include "questions/report/report_layout.h"

static void check_report_keepers(void *keepers) {
    ubi__report_keepers_check(keepers);
}

static void check_report_layout(void *layout) {
    ubi__report_layout_check(layout);
}

static void damaged_keepers_are_seen(void **state) {
    (void)state;
    ubi__report_keepers keepers = { .n = 4, .n_of_program = 2, .n_of_engine = 1 };
    const uint64_t bytes[] = { 30, 20, 90, 80 };
    for (uint32_t i = 0; i < 4; i++)
        keepers.at[i].exclusive_bytes = bytes[i];
    ubi__report_keepers_check(&keepers);
    keepers.at[1].exclusive_bytes = 31;
    assert_damage_seen(check_report_keepers, &keepers, "at[i - 1].exclusive_bytes >= keepers->at[i].exclusive_bytes");
    keepers.n_of_engine = 3;
    assert_damage_seen(check_report_keepers, &keepers, "n_of_program + keepers->n_of_engine <= keepers->n");
    keepers.n = UBI__REPORT_KEEPERS + 1;
    assert_damage_seen(check_report_keepers, &keepers, "keepers->n <= UBI__REPORT_KEEPERS");
}

/* What counts first is whose they are, then what they retain; which are shown depends on what they explain alone. */
static void keepers_are_shown_in_one_order(void **state) {
    ubi__report_keepers keepers = { .n = 5, .n_of_program = 2, .n_of_engine = 1 };
    const uint64_t exclusive[] = { 30, 20, 90, 80, 70 }, retained[] = { 40, 50, 90, 95, 99 };
    const ubi_keeper *shown[5];
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        keepers.at[i] = (ubi_keeper){ .node = i, .exclusive_bytes = exclusive[i], .retained_bytes = retained[i] };
    ubi__report_keepers_check(&keepers);
    ubi__report_keepers_shown(shown, &keepers, 5);
    const uint32_t all[] = { 1, 0, 3, 2, 4 }; /* the last one is in long lists only */
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(shown[i]->node, all[i]);
    ubi__report_keepers_shown(shown, &keepers, 3);
    const uint32_t first[] = { 1, 0, 2 };
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(shown[i]->node, first[i]);
}

static void a_damaged_layout_is_seen(void **state) {
    (void)state;
    ubi_finding saving = { .bytes = 100 }, oddity = { .bytes = 0 };
    ubi__report_sums sums = { .summary = { .reachable = { 5, 1000 } } };
    ubi__report_holders holders = { .keepers = { .n = 0 } };
    ubi__report_facts facts = { .sums = &sums, .holders = &holders, .outside_bytes = 24 };
    ubi__report_layout layout = { .facts = &facts, .total_bytes = 1024, .n_savings = 1, .n_oddities = 1 };
    layout.savings[0] = &saving;
    layout.oddities[0] = &oddity;
    ubi__report_layout_check(&layout);
    layout.savings[0] = &oddity;
    assert_damage_seen(check_report_layout, &layout, "p->savings[i]->bytes > 0");
    layout.savings[0] = layout.oddities[0] = &saving;
    assert_damage_seen(check_report_layout, &layout, "p->oddities[i]->bytes == 0");
    layout.total_bytes--;
    assert_damage_seen(check_report_layout, &layout, "p->total_bytes ==");
    layout.n_functions = 1;
    assert_damage_seen(check_report_layout, &layout, "p->n_functions <= p->facts->sums->functions.n");
    layout.n_kinds = 1;
    assert_damage_seen(check_report_layout, &layout, "p->n_kinds <= p->facts->sums->labels.n");
    layout.n_oddities_shown = 2;
    assert_damage_seen(check_report_layout, &layout, "p->n_oddities_shown <= p->n_oddities");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_keepers_are_seen),
        cmocka_unit_test(keepers_are_shown_in_one_order),
        cmocka_unit_test(a_damaged_layout_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
