/* SPDX-License-Identifier: MIT
 *
 * graph_pass.c: the columns of a graph to an index and back (graph_columns.h).
 *
 * Read, each index is below the length of the table that it leads into. That they are the right ones is for checksums.
 */
#include <string.h>

#include "base/column_file.h"
#include "base/status.h"
#include "graph/graph_columns.h"

/* ---- rules --------------------------------------------------------------------------------------------------------- */

static bool is_string(ubi_str_ix string, uint64_t n_strings) {
    return string < n_strings;
}

static bool is_string_or_none(ubi_str_ix string, uint64_t n_strings) {
    return string < n_strings || string == UBI_NONE;
}

static bool kinds_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    (void)first;
    for (size_t i = 0; i < n; i++) {
        const ubi_kind *k = (const ubi_kind *)items + i;
        uint32_t coarse_type;
        memcpy(&coarse_type, &k->coarse_type, sizeof coarse_type); /* it may be no member of the enumeration */
        if (!is_string(k->type_name, rule->limit) || !is_string_or_none(k->class_name, rule->limit) ||
            !is_string_or_none(k->script_filename, rule->limit) ||
            !is_string_or_none(k->descriptive_name, rule->limit) || coarse_type >= UBI_COARSE_TYPE_COUNT ||
            k->detachedness > UBI_DETACHED)
            return false;
    }
    return true;
}

static bool is_bool(const bool *flag) {
    uint8_t byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

static bool frames_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const ubi__frame_row *f = (const ubi__frame_row *)items + i;
        if ((f->parent != UBI_NONE && f->parent >= first + i) || !is_string(f->source, rule->limit) ||
            !is_string_or_none(f->function_name, rule->limit) || !is_bool(&f->is_system) ||
            !is_bool(&f->is_self_hosted))
            return false;
    }
    return true;
}

/* Each entry is equal to itself or to an earlier one. */
static bool canonical_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    bool are_right = true;
    (void)rule;
    for (size_t i = 0; i < n; i++)
        are_right &= at[i] <= first + i;
    return are_right;
}

static bool stacks_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= (at[i] < rule->limit) | (at[i] >= UBI__STACK_EMPTY);
    return are_right;
}

/* A name, or the number of an edge that has one. */
static bool edge_names_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi_graph *g = rule->payload;
    const uint32_t *at = items;
    const uint8_t *kind = g->edge_kind.at;
    const ubi__column_rule plain = ubi__column_below_or_none(rule->limit);
    if (plain.holds(&plain, items, first, n)) /* most blocks: their kinds need not be looked into */
        return true;
    if (first + n > g->edge_kind.n) /* more names than edges, which is refused later */
        return false;
    for (size_t i = 0; i < n; i++)
        if (at[i] >= rule->limit && at[i] != UBI_NONE && kind[first + i] != UBI_EDGE_ELEMENT &&
            kind[first + i] != UBI_EDGE_HIDDEN)
            return false;
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

static ubi_status canonical_pass(ubi__columns *c, const char *name, ubi__vec_u32 *canonical, size_t n) {
    static const ubi__column_rule rule = { canonical_hold, 0, NULL };
    UBI_TRY(UBI__COLUMN(c, name, canonical, &rule));
    return ubi__columns_expect(c, canonical->n == n, name);
}

static ubi_status tables_pass(ubi__columns *c, ubi_graph *g) {
    UBI_TRY(ubi__columns_strings(c, "strings", &g->strings));
    UBI_TRY(canonical_pass(c, "equal strings", &g->strings.canonical, g->strings.end.n));
    const ubi__column_rule kinds = { kinds_hold, g->strings.end.n, NULL };
    const ubi__column_rule frames = { frames_hold, g->strings.end.n, NULL };
    UBI_TRY(UBI__COLUMN(c, "kinds", &g->kinds.rows, &kinds));
    UBI_TRY(ubi__columns_expect(c, g->kinds.rows.n <= UINT32_MAX, "kinds"));
    UBI_TRY(UBI__COLUMN(c, "frames", &g->frames.rows, &frames));
    UBI_TRY(ubi__columns_expect(c, g->frames.rows.n < UBI__STACK_EMPTY, "frames"));
    return canonical_pass(c, "equal frames", &g->frames.canonical, g->frames.rows.n);
}

/* ---- nodes and edges --------------------------------------------------------------------------------------------------- */

/* A column that has an item for each of `n`, or, if it may be empty, none at all. */
#define EACH(c, name, vec, rule, n_items, may_be_empty)                                                                \
    do {                                                                                                               \
        UBI_TRY(UBI__COLUMN((c), (name), (vec), (rule)));                                                              \
        UBI_TRY(ubi__columns_expect((c), (vec)->n == (n_items) || ((may_be_empty) && (vec)->n == 0), (name)));         \
    } while (0)

static ubi_status nodes_pass(ubi__columns *c, ubi_graph *g) {
    const size_t n = g->n_nodes;
    const ubi__column_rule kinds = ubi__column_below(g->kinds.rows.n);
    const ubi__column_rule stacks = { stacks_hold, g->frames.rows.n, NULL };
    const ubi__column_rule names = ubi__column_below_or_none(g->strings.end.n);
    const ubi__column_rule edges = ubi__column_ascending(g->n_edges);
    EACH(c, "node ids", &g->id, NULL, n, false);
    EACH(c, "node sizes", &g->size_bytes, NULL, n, false);
    EACH(c, "node kinds", &g->kind, &kinds, n, false);
    EACH(c, "node stacks", &g->stack, &stacks, n, true);
    EACH(c, "node names", &g->node_name, &names, n, true);
    EACH(c, "first edges", &g->first_edge, &edges, n + 1, false);
    return ubi__columns_expect(c, g->first_edge.at[0] == 0 && g->first_edge.at[n] == g->n_edges, "first edges");
}

static ubi_status edges_pass(ubi__columns *c, ubi_graph *g) {
    const ubi__column_rule kinds = ubi__column_bytes_below(UBI_EDGE_KIND_COUNT);
    const ubi__column_rule nodes = ubi__column_below(g->n_nodes);
    const ubi__column_rule names = { edge_names_hold, g->strings.end.n, g };
    EACH(c, "edge kinds", &g->edge_kind, &kinds, g->n_edges, true);
    EACH(c, "edge targets", &g->target, &nodes, g->n_edges, false);
    EACH(c, "edge names", &g->name, &names, g->n_edges, false);
    return UBI_OK;
}

static uint64_t bits_count(const ubi__vec_u64 *words) {
    uint64_t n = 0;
    for (size_t i = 0; i < words->n; i++)
        n += (uint64_t)__builtin_popcountll(words->at[i]);
    return n;
}

static ubi_status reach_pass(ubi__columns *c, ubi_graph *g) {
    const size_t n = g->n_nodes;
    EACH(c, "reachable nodes", &g->reachable, NULL, (n + 63) / 64, true);
    uint64_t n_reachable = g->reachable.n ? bits_count(&g->reachable) : n;
    UBI_TRY(ubi__columns_expect(c, n_reachable == g->n_reachable, "reachable nodes"));
    return ubi__columns_expect(c, ubi__graph_reachable(g, g->root), "reachable nodes");
}

/* ---- the graph ----------------------------------------------------------------------------------------------------------- */

/** What is not a column. */
typedef struct graph_facts {
    uint64_t n_edges, creation_time_us;
    uint32_t n_nodes, root, n_reachable, root_visit_rank;
    uint32_t has_creation_time, has_repeated_ids, is_breadth_first, unused;
} graph_facts;

static ubi_status facts_pass(ubi__columns *c, ubi_graph *g) {
    graph_facts f = { .n_edges = g->n_edges,
                      .creation_time_us = g->creation_time_us,
                      .n_nodes = g->n_nodes,
                      .root = g->root,
                      .n_reachable = g->n_reachable,
                      .root_visit_rank = g->root_visit_rank,
                      .has_creation_time = g->has_creation_time,
                      .has_repeated_ids = g->has_repeated_ids,
                      .is_breadth_first = g->is_breadth_first };
    UBI_TRY(ubi__columns_value(c, "facts", &f, sizeof f));
    bool are_right = f.n_nodes > 0 && f.n_nodes <= UBI_GRAPH_MAX_NODES && f.n_edges <= UBI_GRAPH_MAX_EDGES &&
                     f.root < f.n_nodes && f.n_reachable <= f.n_nodes &&
                     (f.root_visit_rank == UBI_NONE || f.root_visit_rank < f.n_reachable) &&
                     (!f.is_breadth_first || (f.root == 0 && f.n_reachable == f.n_nodes));
    UBI_TRY(ubi__columns_expect(c, are_right, "facts"));
    if (c->writer) /* what is written may be in use */
        return UBI_OK;
    g->n_edges = f.n_edges;
    g->creation_time_us = f.creation_time_us;
    g->n_nodes = f.n_nodes;
    g->root = f.root;
    g->n_reachable = f.n_reachable;
    g->root_visit_rank = f.root_visit_rank;
    g->has_creation_time = f.has_creation_time != 0;
    g->has_repeated_ids = f.has_repeated_ids != 0;
    g->is_breadth_first = f.is_breadth_first != 0;
    return UBI_OK;
}

ubi_status ubi__graph_pass(ubi__columns *c, ubi_graph *g) {
    UBI_TRY(facts_pass(c, g));
    UBI_TRY(tables_pass(c, g));
    UBI_TRY(nodes_pass(c, g));
    UBI_TRY(edges_pass(c, g));
    UBI_TRY(reach_pass(c, g));
    return ubi__id_index_pass(c, &g->ids, g->id.at, g->n_nodes);
}
