/* SPDX-License-Identifier: MIT
 *
 * v8_retaining.c: edges to values of WeakMaps that keep nothing because their partner is out of reach (retaining.h).
 *
 * A value lives as long as both its key and the map do, and an edge leads to it from either. Where one of them is out of
 * reach, both edges of the pair are useless. Edges that leave nodes out of reach give pairs of value and name; then the
 * edges to each such value are read once.
 */
#include "base/assert.h"
#include "base/merge_sort.h"
#include "lenses/retaining.h"
#include "lenses/v8/v8_look.h"

typedef struct broken {
    ubi_node_ix value;
    uint32_t pair;
} broken;

UBI_VEC_DECLARE(broken_list, broken);

#define BROKEN_BEFORE(ctx, a, b) ((a).value != (b).value ? (a).value < (b).value : (a).pair < (b).pair)
UBI_SORT_DEFINE(sort_broken, broken, void *, BROKEN_BEFORE);

static const ubi__v8_ephemeron *ephemeron_of(const ubi_retaining *r, ubi_edge_ix edge) {
    const ubi_graph *g = r->look->graph;
    if (ubi__graph_edge_kind(g, edge) != UBI_EDGE_INTERNAL)
        return NULL;
    return ubi__v8_ephemeron_named(ubi__v8_look_of(r->look), g->name.at[edge]);
}

static ubi_status find_broken(broken_list *out, const ubi_retaining *r, const uint32_t *without) {
    const ubi_graph *g = r->look->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (without[node] != UBI_NONE)
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            const ubi__v8_ephemeron *ephemeron = ephemeron_of(r, e);
            if (ephemeron)
                UBI_TRY(broken_list_push(out, r->allocator, (broken){ g->target.at[e], ephemeron->pair }));
        }
    }
    return UBI_OK;
}

static ubi_status broken_sort(broken_list *list, const ubi_allocator *a) {
    if (list->n < 2)
        return UBI_OK;
    broken *spare = ubi__alloc_array(a, list->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_broken(list->at, spare, list->n, NULL);
    ubi__free_array(a, spare, list->n, sizeof *spare);
    return UBI_OK;
}

/* Whether list[0..n), ascending, has the pair. */
static bool has_pair(const broken *list, size_t n, uint32_t pair) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].pair < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && list[low].pair == pair;
}

/* list[0..n) is of one value. */
static ubi_status add_useless(ubi__vec_u64 *out, const ubi_retaining *r, const broken *list, size_t n) {
    uint64_t i = 0;
    ubi_edge_ix edge;
    while (ubi__retaining_next(&edge, r, list->value, &i)) {
        const ubi__v8_ephemeron *ephemeron = ephemeron_of(r, edge);
        if (ephemeron && has_pair(list, n, ephemeron->pair))
            UBI_TRY(ubi__vec_u64_push(out, r->allocator, edge));
    }
    return UBI_OK;
}

#define U64_BEFORE(ctx, a, b) ((a) < (b))
UBI_SORT_DEFINE(sort_edges, uint64_t, void *, U64_BEFORE);

static ubi_status sort_useless(ubi__vec_u64 *edges, const ubi_allocator *a) {
    if (edges->n < 2)
        return UBI_OK;
    uint64_t *spare = ubi__alloc_array(a, edges->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_edges(edges->at, spare, edges->n, NULL);
    ubi__free_array(a, spare, edges->n, sizeof *spare);
    return UBI_OK;
}

static ubi_status find_useless(ubi__vec_u64 *out, const ubi_retaining *r, broken_list *list, const uint32_t *without) {
    UBI_TRY(find_broken(list, r, without));
    UBI_TRY(broken_sort(list, r->allocator));
    for (size_t i = 1; UBI_CHECKS && i < list->n; i++)
        UBI_ASSERT(!BROKEN_BEFORE(NULL, list->at[i], list->at[i - 1]));
    for (size_t first = 0, i = 1; i <= list->n; i++)
        if (i == list->n || list->at[i].value != list->at[first].value) {
            UBI_TRY(add_useless(out, r, list->at + first, i - first));
            first = i;
        }
    return sort_useless(out, r->allocator);
}

static ubi_status find_useless_edges(ubi__vec_u64 *out, const ubi_retaining *retaining, const uint32_t *without) {
    broken_list list = { 0 };
    if (ubi__v8_look_of(retaining->look)->n_pairs == 0)
        return UBI_OK;
    ubi_status status = find_useless(out, retaining, &list, without);
    for (size_t i = 1; UBI_CHECKS && status == UBI_OK && i < out->n; i++)
        UBI_ASSERT(out->at[i - 1] < out->at[i]); /* each edge leads to one value */
    broken_list_fini(&list, retaining->allocator);
    return status;
}

const ubi__retaining_rules ubi__v8_retaining = { ubi__v8_distances_without, find_useless_edges };
