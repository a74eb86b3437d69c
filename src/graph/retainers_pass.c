/* SPDX-License-Identifier: MIT
 *
 * retainers_pass.c: edges by target, to an index and back (retainers.h).
 */
#include "base/alloc.h"
#include "base/column_file.h"
#include "base/status.h"
#include "graph/graph_columns.h"
#include "graph/retainers.h"

/* Edges of 8 bytes. */
static bool wide_edges_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint64_t *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= at[i] < rule->limit;
    return are_right;
}

static ubi_status retainers_pass(ubi__columns *c, ubi_retainers *r) {
    const ubi_graph *g = r->graph;
    const ubi__column_rule places = ubi__column_ascending(g->n_edges);
    const ubi__column_rule wide = { wide_edges_hold, g->n_edges, NULL }, narrow = ubi__column_below(g->n_edges);
    uint32_t is_wide = r->is_wide;
    uint64_t *first = r->first;
    size_t n_first = (size_t)g->n_nodes + 1, n = c->writer ? (size_t)first[g->n_nodes] : 0;
    UBI_TRY(ubi__columns_value(c, "width", &is_wide, sizeof is_wide));
    UBI_TRY(ubi__columns_expect(c, is_wide <= 1, "width"));
    UBI_TRY(ubi__columns_array(c, "places", (void **)&first, &n_first, sizeof *first, &places));
    bool are_right = n_first == (size_t)g->n_nodes + 1 && first[0] == 0;
    UBI_TRY(ubi__columns_expect(c, are_right, "places"));
    void *edges = r->edges;
    size_t item_bytes = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    UBI_TRY(ubi__columns_array(c, "edges", &edges, &n, item_bytes, is_wide ? &wide : &narrow));
    UBI_TRY(ubi__columns_expect(c, n == first[g->n_nodes], "edges"));
    if (c->writer) /* what is written may be in use */
        return UBI_OK;
    r->is_wide = is_wide != 0;
    r->first = first;
    r->edges = edges;
    return UBI_OK;
}

ubi_status ubi__retainers_pass(ubi__columns *c, ubi_retainers **r, ubi_graph *graph) {
    if (c->writer)
        return retainers_pass(c, *r);
    ubi_retainers *made = UBI_NEW(c->allocator, ubi_retainers);
    if (!made)
        return ubi__fail_nomem();
    made->allocator = c->allocator;
    made->graph = graph;
    ubi_status status = retainers_pass(c, made);
    if (status != UBI_OK) {
        UBI_DELETE(c->allocator, made);
        return status;
    }
    ubi_graph_ref(graph);
    *r = made;
    return UBI_OK;
}
