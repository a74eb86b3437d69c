/* SPDX-License-Identifier: MIT
 *
 * cli_checks_test.c: the invariants of what commands gather for their pages are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/commands/leaks/leaks_page.h"
#include "cli/commands/report/recording_processes.h"
#include "cli/commands/report/report_keepers.h"
#include "cli/commands/report/report_layout.h"
#include "cli/condition.h"
#include "damage.h"
#include "drawing.h"

#define CHECK_OF(name)                                                                                                 \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(report_keepers);
CHECK_OF(report_layout);
CHECK_OF(leak_path);
CHECK_OF(condition_value);
CHECK_OF(recording_processes);

#define HEAP                                                                                                           \
    "root(size=10) -> a, b; a(size=100 coarse=object class=Map) -> c; b(size=40 coarse=object class=Set) -> c;"        \
    "c(size=60 coarse=string);"

/* ---- the report ------------------------------------------------------------------------------------------------------ */

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

static void a_damaged_layout_is_seen(void **state) {
    (void)state;
    ubi_finding saving = { .bytes = 100 }, oddity = { .bytes = 0 };
    ubi__report_facts facts = { .summary = { .reachable = { 5, 1000 } }, .outside_bytes = 24 };
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
    assert_damage_seen(check_report_layout, &layout, "p->n_functions <= p->facts->functions.n");
    layout.n_kinds = 1;
    assert_damage_seen(check_report_layout, &layout, "p->n_kinds <= p->facts->labels.n");
    layout.n_oddities_shown = 2;
    assert_damage_seen(check_report_layout, &layout, "p->n_oddities_shown <= p->n_oddities");
}

static void damaged_processes_are_seen(void **state) {
    (void)state;
    ubi__recording_process rows[3] = { { .path = (char[]){ "a" }, .path_bytes = 2, .start_unix_ns = 50 },
                                       { .path = (char[]){ "b" }, .path_bytes = 2, .start_unix_ns = 60 },
                                       { .path = (char[]){ "c" }, .path_bytes = 2, .start_unix_ns = 70 } };
    ubi__recording_processes p = { .first = "a", .recording = 7 };
    p.rows.at = rows;
    p.rows.n = 3;
    ubi__recording_processes_check(&p);
    rows[1].start_unix_ns = 80;
    assert_damage_seen(check_recording_processes, &p, "compare_starts(&p->rows.at[i - 1], &p->rows.at[i]) <= 0");
    rows[1].start_unix_ns = 60;
    rows[2].path_bytes = 1;
    assert_damage_seen(check_recording_processes, &p, "strlen(p->rows.at[i].path) + 1 == p->rows.at[i].path_bytes");
    p.recording = 0;
    assert_damage_seen(check_recording_processes, &p, "p->rows.n > 0 && p->recording != 0");
    p.first = NULL;
    p.wanted = "7";
    assert_damage_seen(check_recording_processes, &p, "p->wanted == NULL || p->first != NULL");
}

/* ---- the path of a leak ----------------------------------------------------------------------------------------------- */

static void a_damaged_path_of_a_leak_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(HEAP);
    ubi_path_step steps[] = { { 0, 0 }, { 1, 2 } };
    ubi__leak_path path = { .view = { .graph = g, .steps = steps, .n_steps = 2, .target = 3 }, .steps = steps, .n = 2 };
    path.n_to_holder = path.n_to_new = 1;
    ubi__leak_path_check(&path);
    path.n_to_new = 0;
    assert_damage_seen(check_leak_path, &path, "!path->n_to_new == !path->n");
    path.n_to_holder = 3;
    assert_damage_seen(check_leak_path, &path, "path->n_to_holder <= path->n");
    path.view.n_steps = 1;
    assert_damage_seen(check_leak_path, &path, "path->view.n_steps == path->n");
    ubi_graph_unref(g);
}

/* ---- conditions ------------------------------------------------------------------------------------------------------ */

static void a_damaged_value_is_seen(void **state) {
    (void)state;
    ubi__condition_value value = { .magnitude = 5, .is_estimate = true, .low = 4, .high = 6 };
    ubi__condition_value_check(&value);
    value.high = 3;
    assert_damage_seen(check_condition_value, &value, "m->low <= m->high");
    value.high = 6;
    value.basis_low = 1;
    assert_damage_seen(check_condition_value, &value, "m->basis_low <= m->basis_high");
    value.is_negative = true;
    assert_damage_seen(check_condition_value, &value, "!m->is_estimate || !m->is_negative");
    value.unknown = "was not measured";
    assert_damage_seen(check_condition_value, &value, "m->unknown == NULL || !m->is_estimate");
    value = (ubi__condition_value){ .is_negative = true };
    assert_damage_seen(check_condition_value, &value, "!m->is_negative || m->magnitude > 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_keepers_are_seen),   cmocka_unit_test(a_damaged_layout_is_seen),
        cmocka_unit_test(damaged_processes_are_seen), cmocka_unit_test(a_damaged_path_of_a_leak_is_seen),
        cmocka_unit_test(a_damaged_value_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
