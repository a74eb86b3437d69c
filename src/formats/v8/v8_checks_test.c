/* SPDX-License-Identifier: MIT
 *
 * v8_checks_test.c: the invariants of .heapsnapshot readers and writers are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "damage.h"
#include "drawing.h"
#include "formats/v8/v8_reader.h"
#include "formats/v8/v8_rows.c"
#include "formats/v8/v8_saver.h"

typedef struct reported_graph {
    ubi_graph *graph;
    ubi__v8_facts facts;
} reported_graph;

static void check_divider_by_six(void *payload) {
    divider_check(payload, 6);
}
static void check_facts(void *payload) {
    reported_graph *told = payload;
    ubi__v8_facts_check(&told->facts, told->graph);
}
static void check_meta(void *payload) {
    ubi__v8_meta_check(payload);
}
static void check_reader(void *payload) {
    ubi__v8_reader_check(payload);
}
static void check_save(void *payload) {
    ubi__v8_save_check(payload);
}

static void damaged_facts_are_seen(void **state) {
    (void)state;
    reported_graph told = { .graph = graph_from_drawing("root -> a;"), .facts = { .stride = 6 } };
    ubi__v8_location locations[] = { { .node = 0, .script = UBI_NONE }, { .node = 1, .script = 0 } };
    ubi__v8_scope scopes[] = { { .n_variables = 2, .n_uses = 1 }, { .first_variable = 2, .first_use = 1 } };
    ubi__v8_trace trace = { 0 };
    told.facts.locations = (ubi__vec_v8_location){ locations, 2, 2 };
    told.facts.scopes = (ubi__vec_v8_scope){ scopes, 2, 2 };
    told.facts.scope_variables.n = 2;
    told.facts.scope_uses.n = 1;
    check_facts(&told);
    locations[1].node = 0;
    assert_damage_seen(check_facts, &told, "l[-1].node < l->node");
    locations[1].node = 2;
    assert_damage_seen(check_facts, &told, "l->node < g->n_nodes");
    locations[1].node = 1;
    scopes[1].first_variable = 1;
    assert_damage_seen(check_facts, &told, "s->first_variable == n_variables");
    scopes[1].first_variable = 2;
    told.facts.scope_uses.n = 2;
    assert_damage_seen(check_facts, &told, "n_uses == facts->scope_uses.n");
    told.facts.scope_uses.n = 1;
    told.facts.traces = (ubi__vec_v8_trace){ &trace, 1, 1 };
    assert_damage_seen(check_facts, &told, "facts->traces.n == g->frames.rows.n");
    told.facts.stride = 4;
    assert_damage_seen(check_facts, &told, "facts->stride >= 5");
    ubi_graph_unref(told.graph);
}

static void damaged_meta_is_seen(void **state) {
    (void)state;
    ubi__v8_meta m = { .is_known = true };
    ubi__v8_layout *edges = &m.layout[UBI__V8_EDGES];
    ubi__strtab_init(&m.type_names, ubi_allocator_default());
    ubi__v8_meta_init(&m);
    edges->stride = 3;
    for (uint32_t i = 0; i < 3; i++)
        edges->place[i] = i;
    ubi__v8_meta_check(&m);
    edges->place[2] = 1;
    assert_damage_seen(check_meta, &m, "!(taken >> place & 1)");
    edges->place[2] = 3;
    assert_damage_seen(check_meta, &m, "place < layout->stride");
    edges->place[2] = UBI__V8_NO_FIELD;
    assert_damage_seen(check_meta, &m, "i >= known->n_needed");
    edges->place[2] = 2;
    m.n_edge_types = 1;
    m.edge_kind[0] = UBI_EDGE_KIND_COUNT;
    assert_damage_seen(check_meta, &m, "m->edge_kind[i] < UBI_EDGE_KIND_COUNT");
    m.n_edge_types = 0;
    m.n_node_types = 1;
    assert_damage_seen(check_meta, &m, "ubi__strtab_count(&m->type_names)");
    ubi__strtab_fini(&m.type_names);
}

static void a_damaged_divider_is_seen(void **state) {
    (void)state;
    divider d = divider_for(6);
    divider_check(&d, 6);
    d.inverse += 2;
    assert_damage_seen(check_divider_by_six, &d, "* d->inverse) == 1");
    d = divider_for(6);
    d.rotation = 0;
    assert_damage_seen(check_divider_by_six, &d, "(stride >> d->rotation)");
    d = divider_for(6);
    d.limit++;
    assert_damage_seen(check_divider_by_six, &d, "divider_quotient(d, d->limit * stride) == d->limit");
}

static void a_damaged_reader_is_seen(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    ubi__v8_reader *r = calloc(1, sizeof *r);
    ubi__v8_mark marks[] = { { 0, 10 }, { 16384, 5000 } };
    assert_non_null(r);
    r->graph = ubi__graph_new(a);
    r->facts = ubi__v8_facts_new(a);
    r->marks[1] = (ubi__vec_v8_mark){ marks, 2, 2 };
    ubi__v8_reader_check(r);
    r->graph->kind.n = 1;
    assert_damage_seen(check_reader, r, "g->kind.n == g->id.n");
    r->graph->kind.n = 0;
    r->n_numbers[UBI__V8_EDGES] = 3;
    assert_damage_seen(check_reader, r, "r->n_numbers[UBI__V8_EDGES] ==");
    r->n_numbers[UBI__V8_EDGES] = 0;
    r->is_complete[UBI__V8_STRINGS] = true;
    assert_damage_seen(check_reader, r, "!r->is_complete[i] || r->was_seen[i]");
    r->is_complete[UBI__V8_STRINGS] = false;
    r->are_nodes_ready = true;
    assert_damage_seen(check_reader, r, "g->first_edge.n == g->id.n + r->are_nodes_ready");
    r->are_nodes_ready = false;
    marks[1].offset = 10;
    assert_damage_seen(check_reader, r, "marks->at[i - 1].offset < marks->at[i].offset");
    ubi__v8_facts_free(r->facts, a);
    ubi_graph_unref(r->graph);
    free(r);
}

static void a_damaged_save_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a;");
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    ubi__v8_save_kind kinds[8] = { { 0 } };
    ubi__v8_save s = { .graph = g, .options = &options, .stride = 6, .has_traces = true, .kinds = kinds };
    assert_in_range(g->kinds.rows.n, 1, 8);
    ubi__v8_save_check(&s);
    kinds[0].type = UBI__V8_OTHER;
    assert_damage_seen(check_save, &s, "s->kinds[i].type < type_count(s)");
    kinds[0].type = 0;
    s.has_script_nodes = true;
    assert_damage_seen(check_save, &s, "!s->has_script_nodes || s->facts");
    s.has_script_nodes = false;
    s.keeps_entries = true;
    assert_damage_seen(check_save, &s, "!s->keeps_entries ||");
    s.keeps_entries = false;
    s.stride = 5;
    assert_damage_seen(check_save, &s, "s->stride ==");
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_facts_are_seen),    cmocka_unit_test(damaged_meta_is_seen),
        cmocka_unit_test(a_damaged_divider_is_seen), cmocka_unit_test(a_damaged_reader_is_seen),
        cmocka_unit_test(a_damaged_save_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
