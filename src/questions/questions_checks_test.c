/* SPDX-License-Identifier: MIT
 *
 * questions_checks_test.c: the invariants of tables and answers are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "damage.h"
#include "drawing.h"
#include "questions/diff/diff_answer.h"
#include "questions/show/node_facts.h"

/* A copy of its own: the library has one, too. */
#define ubi__usage_containment ubi__usage_containment_copy
#define ubi__question_containment ubi__question_containment_copy
#include "questions/containment/containment_question.c"

static void check_node_facts(void *facts) {
    ubi__node_facts_check(facts);
}

static void check_plan(void *plan) {
    containment_plan_check(plan);
}

static void check_condition_value(void *value) {
    ubi__condition_value_check(value);
}

static void check_diff(void *a_diff) {
    ubi__diff_answer_check(a_diff);
}

static void check_question(void *question) {
    ubi__question_check(question);
}

#define HEAP                                                                                                           \
    "root(size=10) -> a, b; a(size=100 coarse=object class=Map) -> c; b(size=40 coarse=object class=Set) -> c;"        \
    "c(size=60 coarse=string);"

static void damaged_facts_of_a_node_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(HEAP);
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
    ubi__node_facts f;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&session, pool, g, "heap", NULL), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&use, session, NULL), UBI_OK);
    assert_int_equal(ubi__node_facts_init(&f, use, 3), UBI_OK);
    ubi__node_facts_check(&f);
    assert_int_equal(f.retainers.n, 2);
    f.retainers.at[0].rank = 99;
    assert_damage_seen(check_node_facts, &f, "edges_are_sorted(&f->retainers)");
    f.retainers.at[0].rank = f.retainers.at[1].rank;
    f.retainers.at[0].edge = 0;
    assert_damage_seen(check_node_facts, &f, "g->target.at[f->retainers.at[i].edge] == f->node");
    f.retainers.at[0].edge = f.retainers.at[1].edge;
    f.path.at[0].predecessor = 1;
    assert_damage_seen(check_node_facts, &f, "step->predecessor");
    f.path.at[0].predecessor = 0;
    f.n_dominated = 1;
    assert_damage_seen(check_node_facts, &f, "f->n_dominated <= f->n_retained");
    f.n_dominated = 0;
    f.node = 1;
    assert_damage_seen(check_node_facts, &f, "f->edges.n == g->first_edge.at[f->node + 1]");
    f.node = 3;
    ubi__node_facts_fini(&f);
    ubi_session_use_end(use);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
    ubi_graph_unref(g);
}

static void a_damaged_plan_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(HEAP);
    containment_plan plan = { .memory = ubi_allocator_default(), .graph = g, .start = g->root };
    ubi_view view = ubi_view_of(g);
    ubi_dominators *dominators;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    plan.dominators = dominators;
    assert_int_equal(containment_plan_make(&plan), UBI_OK);
    containment_plan_check(&plan);
    ubi_edge_ix opened_by = plan.opened_by[3];
    plan.opened_by[3] = 0;
    assert_damage_seen(check_plan, &plan, "e < g->n_edges && g->target.at[e] == node");
    plan.opened_by[3] = opened_by;
    plan.opened_by[ubi_graph_edge_source(g, opened_by)] = CONTAINMENT_CLOSED;
    assert_damage_seen(check_plan, &plan, "plan->opened_by[ubi_graph_edge_source(g, e)] != CONTAINMENT_CLOSED");
    plan.opened_by[0] = 0;
    assert_damage_seen(check_plan, &plan, "plan->opened_by[plan->start] == CONTAINMENT_FIRST");
    containment_plan_free(&plan);
    ubi_dominators_free(dominators);
    ubi_graph_unref(g);
}

static void a_damaged_difference_is_seen(void **state) {
    ubi_graph *old = graph_from_drawing("root -> a; a(size=10 coarse=object class=Map)"),
              *new = graph_from_drawing(HEAP);
    ubi_look *looks[2];
    uint32_t changed[] = { 0 };
    (void)state;
    assert_int_equal(ubi_look_open(&looks[0], NULL, old, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&looks[1], NULL, new, NULL), UBI_OK);
    ubi_class_scheme start = ubi_look_class_scheme(looks[0]), end = ubi_look_class_scheme(looks[1]);
    ubi__diff_answer a = { .old_side = { .graph = old, .look = looks[0] },
                           .new_side = { .graph = new, .look = looks[1] } };
    assert_int_equal(ubi_class_diff_new(&a.classes, &start, &end, NULL), UBI_OK);
    a.changed = changed;
    a.n_rows = ubi_class_diff_count(a.classes);
    check_diff(&a);
    a.n_changed = a.n_rows + 1;
    assert_damage_seen(check_diff, &a, "a->n_changed <= a->n_rows");
    a.n_changed = 0;
    a.n_rows--;
    assert_damage_seen(check_diff, &a, "a->n_rows == ubi_class_diff_count(a->classes)");
    a.n_rows++;
    a.sites.diff = (void *)changed;
    assert_damage_seen(check_diff, &a, "(a->sites.tree != NULL) == (a->sites.diff != NULL)");
    a.sites.diff = NULL;
    a.diff = (void *)changed;
    assert_damage_seen(check_diff, &a, "(a->classes == NULL) == (a->diff != NULL)");
    a.diff = NULL;
    a.new_side.graph = old;
    assert_damage_seen(check_diff, &a, "ubi_look_view(a->new_side.look)->graph == a->new_side.graph");
    ubi_class_diff_free(a.classes);
    ubi_look_close(looks[0]);
    ubi_look_close(looks[1]);
    ubi_graph_unref(old);
    ubi_graph_unref(new);
}

static void a_damaged_usage_is_seen(void **state) {
    static const ubi__parameter rows[] = {
        UBI__LIMIT(0, "rows at most", "10"),
        UBI__PARAMETERS_END,
    };
    ubi__parameter damaged[] = { rows[0], rows[1], rows[2] };
    ubi__question question = *ubi__question_find("statistics");
    (void)state;
    ubi__usage usage = *question.usage;
    usage.parameters = damaged;
    usage.arguments_bytes = sizeof(uint64_t);
    question.usage = &usage;
    ubi__question_check(&question);
    damaged[0].offset = 1;
    assert_damage_seen(check_question, &question, "<= values_bytes");
    damaged[0].offset = 0;
    damaged[0].is_required = true;
    assert_damage_seen(check_question, &question, "p->is_operand || !p->is_required");
    damaged[0].is_operand = true;
    assert_damage_seen(check_question, &question, "min_operands ==");
    damaged[0].is_operand = damaged[0].is_required = false;
    damaged[0].kind = UBI__PARAMETER_CHOICE;
    assert_damage_seen(check_question, &question, "(p->choices != NULL)");
    damaged[0].kind = UBI__PARAMETER_TEXT;
    damaged[0].least = 1;
    assert_damage_seen(check_question, &question, "p->least == 0 ||");
    damaged[0] = rows[0];
    damaged[0].is_path = true;
    assert_damage_seen(check_question, &question, "!p->is_path");
    damaged[0] = rows[0];
    damaged[1].name = "limit";
    assert_damage_seen(check_question, &question, "is_only");
    damaged[1] = rows[1];
    question.least_heaps = 2;
    assert_damage_seen(check_question, &question, "q->least_heaps <= q->most_heaps");
}

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
        cmocka_unit_test(a_damaged_value_is_seen), cmocka_unit_test(damaged_facts_of_a_node_are_seen),
        cmocka_unit_test(a_damaged_plan_is_seen),  cmocka_unit_test(a_damaged_difference_is_seen),
        cmocka_unit_test(a_damaged_usage_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
