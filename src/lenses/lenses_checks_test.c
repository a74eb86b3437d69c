/* SPDX-License-Identifier: MIT
 *
 * lenses_checks_test.c: the invariants of looks, summaries, producers, joined texts and keys of strings are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/anonymize/grammar.h"
#include "base/text.h"
#include "damage.h"
#include "drawing.h"
#include "graph/graph_columns.h"
#include "lenses/allocations_table.h"
#include "lenses/finding_facts.h"
#include "lenses/finding_packages.c"
#include "lenses/heap_summary.h"
#include "lenses/joined.h"
#include "lenses/producer.h"

#define CHECK_OF(name)                                                                                                 \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(allocations);
CHECK_OF(finding_facts);
CHECK_OF(groups);
CHECK_OF(heap_summary);
CHECK_OF(joined);
CHECK_OF(lens_view);
CHECK_OF(producer);
CHECK_OF(string_keys);

static void a_damaged_look_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a, b; a -> b;");
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("plain"), g, NULL), UBI_OK);
    ubi__lens_view_check(look);
    size_t n = look->classes.n;
    look->classes.n = 0;
    assert_damage_seen(check_lens_view, look, "ubi_look_class_of(look, node) < look->classes.n");
    look->classes.n = n;
    uint64_t bits = 0;
    look->shown = &bits;
    assert_damage_seen(check_lens_view, look, "!look->shown || look->lens->filters");
    look->shown = NULL;
    ubi_edge_ix edges[] = { 1, 0 };
    look->view.first_edges = edges;
    look->view.n_first_edges = 2;
    assert_damage_seen(check_lens_view, look, "view->first_edges[i - 1] < view->first_edges[i]");
    edges[0] = 2; /* of a */
    look->view.n_first_edges = 1;
    assert_damage_seen(check_lens_view, look, "== ubi_graph_root(look->graph)");
    look->view.n_first_edges = 0;
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void a_damaged_producer_is_seen(void **state) {
    (void)state;
    const ubi__producer *known;
    for (size_t i = 0; (known = ubi__producer_at(i)); i++)
        ubi__producer_check(known);
    ubi__producer p = *ubi__producer_at(0);
    assert_non_null(p.findings);
    p.code.file_of = NULL;
    assert_damage_seen(check_producer, &p, "!code->files_init == !code->file_of");
    p = *ubi__producer_at(0);
    p.code.function_type = 0;
    assert_damage_seen(check_producer, &p, "code->function_type || !code->function_is_of_runtime");
    p = *ubi__producer_at(0);
    ubi__finding_entry twice[] = { p.findings->rules[0], p.findings->rules[0], { NULL, NULL } };
    ubi__producer_findings findings = *p.findings;
    findings.rules = twice;
    p.findings = &findings;
    assert_damage_seen(check_producer, &p, "strcmp(other->name, rule->name) != 0");
    findings = *ubi__producer_at(0)->findings;
    findings.edge_is_entry = NULL;
    assert_damage_seen(check_producer, &p, "!findings->entries == !findings->edge_is_entry");
    findings = *ubi__producer_at(0)->findings;
    findings.function_words = NULL;
    assert_damage_seen(check_producer, &p, "== !findings->function_words");
    findings = *ubi__producer_at(0)->findings;
    findings.file_is_of_runtime = NULL;
    assert_damage_seen(check_producer, &p, "!findings->file_of_code == !findings->file_is_of_runtime");
    p = *ubi__producer_at(0);
    ubi__grammar grammar = *p.grammar;
    grammar.field = NULL;
    p.grammar = &grammar;
    assert_damage_seen(check_producer, &p, "!grammar->is_field == !grammar->field");
}

static void a_damaged_history_is_seen(void **state) {
    (void)state;
    size_t i = 0;
    while (!ubi__producer_at(i)->history)
        i++;
    ubi__producer p = *ubi__producer_at(i);
    ubi__producer_history history = *p.history;
    p.history = &history;
    history.samples = NULL;
    assert_damage_seen(check_producer, &p, "!history->sample_count == !history->samples");
    history = *ubi__producer_at(i)->history;
    history.frame = NULL;
    assert_damage_seen(check_producer, &p, "history->function && history->frame");
}

static void damaged_chains_of_frames_are_seen(void **state) {
    (void)state;
    ubi__allocation_frame frames[] = { { .function = 0, .next = 2 },
                                       { .function = 1, .next = UBI_NONE },
                                       { .function = 0, .next = UBI_NONE } };
    uint32_t first[] = { 0, 1 };
    ubi_allocations a = { .frames = frames, .n_frames = 3, .first_frames = { .at = first, .n = 2 } };
    ubi__allocations_check(&a);
    frames[2].function = 1;
    assert_damage_seen(check_allocations, &a, "a->frames[frame].function == f");
    frames[2].function = 0;
    first[0] = 2;
    frames[2].next = 0;
    frames[0].next = UBI_NONE;
    assert_damage_seen(check_allocations, &a, "a->frames[frame].next > frame");
    frames[2].next = UBI_NONE;
    assert_damage_seen(check_allocations, &a, "n_chained == a->n_frames");
    a.n_tops = 1;
    assert_damage_seen(check_allocations, &a, "a->n_tops <= a->n_tops_room");
}

static void damaged_facts_of_rules_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a, b; a; b;");
    ubi__finding_tally classes[] = { { 2, 20 }, { 1, 5 } };
    uint8_t roles[] = { UBI__ROLE_NONE };
    ubi__producer_findings producer = { 0 };
    ubi__finding_facts f = { .graph = g, .all = { 3, 25 }, .classes = classes, .n_classes = 2, .widest = UBI_NONE };
    f.producer = &producer;
    f.role_of_kind = roles;
    f.n_kinds = 1;
    ubi__finding_facts_check(&f);
    roles[0] = UBI__ROLE_COUNT;
    assert_damage_seen(check_finding_facts, &f, "f->role_of_kind[k] < UBI__ROLE_COUNT");
    f.producer = NULL;
    assert_damage_seen(check_finding_facts, &f, "!f->producer == !f->role_of_kind");
    classes[1].bytes = 6;
    assert_damage_seen(check_finding_facts, &f, "sum.bytes == f->all.bytes");
    classes[1].count = 0;
    assert_damage_seen(check_finding_facts, &f, "f->classes[c].count > 0 || f->classes[c].bytes == 0");
    f.widest = ubi_graph_root(g);
    assert_damage_seen(check_finding_facts, &f, "f->widest != f->graph->root");
    f.lost.count = 1;
    assert_damage_seen(check_finding_facts, &f, "f->all.count + f->lost.count == f->graph->n_nodes");
    ubi_graph_unref(g);
}

typedef struct outermost_of {
    ubi__outermost top;
    ubi__finding_facts facts;
} outermost_of;

static void check_outermost(void *payload) {
    const outermost_of *o = payload;
    ubi__outermost_check(&o->top, &o->facts);
}

static void damaged_outermost_nodes_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a, b; a(size=30); b(size=20);");
    ubi_view view = ubi_view_of(g);
    ubi_dominators *dominators;
    uint64_t members = 6;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    outermost_of o = { .top = { .bits = { &members, 1 }, .count = 2, .largest = { 1, 2 }, .n_largest = 2 },
                       .facts = { .graph = g, .dominators = dominators } };
    check_outermost(&o);
    o.top.largest[0] = 2;
    o.top.largest[1] = 1;
    assert_damage_seen(check_outermost, &o, "ubi__finding_retained(f, o->largest[i - 1])");
    members = 2;
    assert_damage_seen(check_outermost, &o, "ubi__node_bits_has(&o->bits, o->largest[i])");
    o.top.count = 3;
    assert_damage_seen(check_outermost, &o, "o->n_largest ==");
    ubi_dominators_free(dominators);
    ubi_graph_unref(g);
}

#define ROPE_TYPE 9

/* Two strings and a concatenation of both: nodes 1, 2, and 3. */
static ubi_graph *graph_of_a_rope(ubi_str_ix names[2]) {
    static const char *const texts[] = { "", "abc", "def", "" };
    static const char *const fields[] = { "first", "second" };
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_str_ix type, text;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &type, ubi__text("string")), UBI_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ubi_graph_builder_string(b, &names[i], ubi__text(fields[i])), UBI_OK);
    for (uint32_t i = 0; i < 4; i++) {
        ubi_kind kind = { type, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_STRING, (uint8_t)(i == 3 ? ROPE_TYPE : 1), 0 };
        ubi_node_desc node = { .id = i, .size_bytes = 8, .kind = kind, .stack = UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        assert_int_equal(ubi_graph_builder_string(b, &text, ubi__text(texts[i])), UBI_OK);
        assert_int_equal(ubi_graph_builder_node_name(b, text), UBI_OK);
        for (uint64_t target = 1; i == 3 && target < 3; target++)
            assert_int_equal(ubi_graph_builder_edge_of(b, target, UBI_EDGE_INTERNAL, names[target - 1]), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    return g;
}

static void damaged_joined_texts_are_seen(void **state) {
    (void)state;
    ubi__rope_names names = { .rope_type = ROPE_TYPE };
    ubi_str_ix fields[2];
    ubi_graph *g = graph_of_a_rope(fields);
    ubi__joined joined;
    names.first = ubi_graph_canonical_string(g, fields[0]);
    names.second = ubi_graph_canonical_string(g, fields[1]);
    assert_int_equal(ubi__joined_init(&joined, g, names, NULL, ubi_allocator_default()), UBI_OK);
    assert_int_equal(joined.cons.n, 1);
    joined.cons.at[0].node = 2;
    assert_damage_seen(check_joined, &joined, "is_rope(joined, rope->node)");
    joined.cons.at[0].node = 3;
    joined.cons.at[0].first.row = 0;
    assert_damage_seen(check_joined, &joined, "joined->cons.at[part.row].node == part.node");
    joined.cons.at[0].first.row = UBI_NONE;
    joined.cons.at[0].units = UBI_STRINGS_JOINED_UNITS + 1;
    assert_damage_seen(check_joined, &joined, "rope->units <= UBI_STRINGS_JOINED_UNITS");
    ubi__joined_fini(&joined, ubi_allocator_default());
    ubi_graph_unref(g);
}

static void damaged_keys_of_strings_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a; a(coarse=string);");
    ubi_look *look;
    ubi__string_keys keys;
    ubi_progress progress = { 0 };
    assert_int_equal(ubi_look_open(&look, NULL, g, NULL), UBI_OK);
    ubi__string_choice choice = { look, NULL, ubi_allocator_default(), &progress, 1 };
    assert_int_equal(ubi__string_keys_init(&keys, &choice), UBI_OK);
    ubi__late_string late = { .node = 1, .row = UBI_NONE, .cut = UBI_NONE, .entry = UBI_NONE, .key = 0 };
    assert_int_equal(ubi__vec_late_string_push(&keys.late, ubi_allocator_default(), late), UBI_OK);
    assert_damage_seen(check_string_keys, &keys, "joined || k->late.n == 0");
    ubi__joined none = { .graph = g };
    look->joined = &none;
    ubi__string_keys_check(&keys);
    keys.late.at[0].key = keys.n_keys;
    assert_damage_seen(check_string_keys, &keys, "late->key < k->n_keys");
    keys.late.at[0].key = 0;
    keys.late.at[0].cut = 0;
    assert_damage_seen(check_string_keys, &keys, "late->cut < k->cuts.n");
    look->joined = NULL;
    ubi__string_keys_fini(&keys);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void check_finding(void *payload) {
    ubi__finding_check(payload);
}

static void a_damaged_finding_is_seen(void **state) {
    ubi_finding finding = { .rule = "package", .text = "Package x keeps much.", .nodes = { 3, 4 }, .n_nodes = 2 };
    (void)state;
    ubi__finding_check(&finding);
    finding.nodes[1] = 3;
    assert_damage_seen(check_finding, &finding, "finding->nodes[k] != finding->nodes[i]");
    finding.nodes[1] = 4;
    finding.n_nodes = UBI_FINDING_NODES + 1;
    assert_damage_seen(check_finding, &finding, "finding->n_nodes <= UBI_FINDING_NODES");
    finding.n_nodes = 2;
    finding.text[0] = '\0';
    assert_damage_seen(check_finding, &finding, "finding->rule && *finding->text");
}

static void check_census(void *payload) {
    census_check(payload);
}

static void a_damaged_census_of_packages_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a, b; a(size=10); b(size=20);");
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, NULL, g, NULL), UBI_OK);
    ubi__finding_facts facts = { .look = look, .graph = g, .allocator = ubi_allocator_default() };
    uint32_t owner[3];
    census c = { .f = &facts, .owner = owner };
    ubi__u64_map_init(&c.row_of_package, facts.allocator);
    for (ubi_node_ix node = 0; node < 3; node++) {
        assert_int_equal(row_of_name(&owner[node], &c, ubi__text(node < 2 ? "x" : "@a/y")), UBI_OK);
        c.rows.at[owner[node]].bytes += ubi_look_size_bytes(look, node);
    }
    assert_int_equal(c.rows.n, 2);
    census_check(&c);
    owner[1] = 2;
    assert_damage_seen(check_census, &c, "c->owner[node] < c->rows.n");
    owner[1] = 0;
    c.rows.at[1].bytes--;
    assert_damage_seen(check_census, &c, "counted == bytes");
    c.rows.at[1].bytes++;
    c.rows.at[0].n_functions = 1;
    assert_damage_seen(check_census, &c, "p->n_functions == 0 || p->first != UBI_NONE");
    vec_package_fini(&c.rows, facts.allocator);
    ubi__u64_map_fini(&c.row_of_package);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

/* ---- summaries ------------------------------------------------------------------------------------------------------- */

#define SUMMARIZED                                                                                                     \
    "root(size=10) -> a, b; a(size=100 coarse=object class=Map) -> c; b(size=40 coarse=object class=Set) -> c;"        \
    "c(size=60 coarse=string);"

static void a_damaged_summary_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(SUMMARIZED);
    ubi__heap_summary s;
    assert_int_equal(ubi__heap_summary_init(&s, g, ubi_allocator_default()), UBI_OK);
    ubi__heap_summary_check(&s);
    s.unreachable.count++;
    assert_damage_seen(check_heap_summary, &s, "s->reachable.count + s->unreachable.count == s->graph->n_nodes");
    s.unreachable.count--;
    s.n_largest--;
    assert_damage_seen(check_heap_summary, &s, "s->n_largest ==");
    s.n_largest++;
    s.largest[0] = 2;
    assert_damage_seen(check_heap_summary, &s, "largest_are_sorted(s)");
    s.largest[0] = 1;
    s.widest = g->root;
    assert_damage_seen(check_heap_summary, &s, "s->widest != s->graph->root");
    s.widest = UBI_NONE;
    s.coarse[0].bytes++;
    assert_damage_seen(check_heap_summary, &s, "coarse.bytes == s->reachable.bytes");
    s.coarse[0].bytes--;
    s.kinds[0].count++;
    assert_damage_seen(check_heap_summary, &s, "kinds.count == s->reachable.count");
    s.kinds[0].count--;
    ubi__heap_summary_fini(&s);
    ubi_graph_unref(g);
}

static void damaged_groups_are_seen(void **state) {
    (void)state;
    ubi__group rows[] = { { .label = ubi__text("a"), .tally = { 2, 20 } },
                          { .label = ubi__text("b"), .tally = { 2, 20 } } };
    ubi__groups groups = { .at = rows, .n = 2, .capacity = 2 };
    ubi__groups_check(&groups);
    rows[1].tally.bytes = 21;
    assert_damage_seen(check_groups, &groups, "compare_by_size(&groups->at[i - 1], &groups->at[i]) <= 0");
    rows[1].tally.count = 0;
    rows[1].tally.bytes = 20;
    assert_damage_seen(check_groups, &groups, "groups->at[i].tally.count > 0");
    groups.capacity = 1;
    assert_damage_seen(check_groups, &groups, "groups->n <= groups->capacity");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_look_is_seen),           cmocka_unit_test(a_damaged_producer_is_seen),
        cmocka_unit_test(a_damaged_summary_is_seen),        cmocka_unit_test(damaged_groups_are_seen),
        cmocka_unit_test(damaged_joined_texts_are_seen),    cmocka_unit_test(a_damaged_finding_is_seen),
        cmocka_unit_test(damaged_keys_of_strings_are_seen), cmocka_unit_test(a_damaged_census_of_packages_is_seen),
        cmocka_unit_test(a_damaged_history_is_seen),        cmocka_unit_test(damaged_chains_of_frames_are_seen),
        cmocka_unit_test(damaged_facts_of_rules_are_seen),  cmocka_unit_test(damaged_outermost_nodes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
