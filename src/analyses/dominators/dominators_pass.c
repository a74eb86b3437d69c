/* SPDX-License-Identifier: MIT
 *
 * dominators_pass.c: a dominator tree to an index and back (dom_work.h). Its sets are columns of their own, for not everything that
 * asks about dominators needs them.
 */
#include "analyses/dominators/dom_work.h"
#include "base/column_file.h"
#include "base/status.h"

static ubi_status tree_pass(ubi__columns *c, ubi_dominators *d) {
    const ubi__column_rule nodes = ubi__column_below_or_none(d->n_nodes);
    uint32_t n_in_tree = d->n_in_tree;
    size_t n = d->n_nodes, n_retained = d->n_nodes;
    UBI_TRY(ubi__columns_value(c, "nodes in the tree", &n_in_tree, sizeof n_in_tree));
    UBI_TRY(ubi__columns_expect(c, n_in_tree > 0 && n_in_tree <= d->n_nodes, "nodes in the tree"));
    UBI_TRY(ubi__columns_array(c, "dominators", (void **)&d->immediate, &n, sizeof *d->immediate, &nodes));
    UBI_TRY(ubi__columns_expect(c, n == d->n_nodes, "dominators"));
    UBI_TRY(ubi__columns_array(c, "retained sizes", (void **)&d->retained_bytes, &n_retained, sizeof *d->retained_bytes,
                               NULL));
    UBI_TRY(ubi__columns_expect(c, n_retained == d->n_nodes, "retained sizes"));
    if (c->writer) /* what is written may be in use */
        return UBI_OK;
    d->n_in_tree = n_in_tree;
    d->columns_bytes = n_retained * sizeof *d->retained_bytes;
    return ubi__columns_expect(c, d->immediate[d->root] == UBI_NONE, "dominators");
}

static bool places_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    uint32_t before = first ? at[-1] : 0;
    bool are_right = true;
    for (size_t i = 0; i < n; i++) {
        are_right &= (at[i] <= rule->limit) & (before <= at[i]);
        before = at[i];
    }
    return are_right;
}

ubi_status ubi__dominated_sets_pass(ubi__columns *c, ubi_dominators *d) {
    const ubi__column_rule places = { places_hold, d->n_in_tree, NULL }, nodes = ubi__column_below(d->n_nodes);
    size_t n = (size_t)d->n_nodes + 1, n_dominated = d->n_in_tree - 1;
    uint32_t *first = d->first;
    ubi_node_ix *dominated = d->dominated;
    UBI_TRY(ubi__columns_array(c, "places of sets", (void **)&first, &n, sizeof *first, &places));
    UBI_TRY(ubi__columns_expect(c, n == (size_t)d->n_nodes + 1, "places of sets"));
    UBI_TRY(ubi__columns_array(c, "sets", (void **)&dominated, &n_dominated, sizeof *dominated, &nodes));
    UBI_TRY(ubi__columns_expect(c, n_dominated == d->n_in_tree - 1 && first[0] == 0 && first[n - 1] == n_dominated,
                                "sets"));
    if (c->writer)
        return UBI_OK;
    d->first = first;
    d->dominated = dominated ? dominated : first; /* of a root alone there is nothing to point to */
    return UBI_OK;
}

ubi_status ubi__dominators_pass(ubi__columns *c, ubi_dominators **d, const ubi_view *view) {
    if (c->writer)
        return tree_pass(c, *d);
    ubi_dominators *made = UBI_NEW(c->allocator, ubi_dominators);
    if (!made)
        return ubi__fail_nomem();
    made->allocator = c->allocator;
    made->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)view->graph);
    made->root = view->root;
    made->n_nodes = view->graph->n_nodes;
    ubi_status status = tree_pass(c, made);
    if (status == UBI_OK)
        *d = made;
    else
        ubi_dominators_free(made);
    return status;
}
