/* SPDX-License-Identifier: MIT
 *
 * treemap_dominators.c: the tree map of a dominator tree, who keeps how much.
 *
 * Only what can be seen is made: of the nodes that a box dominates, those that retain too little for an area of their own
 * share a box with others of their colour. On each level what the boxes retain is no more than everything, so there are
 * few of them however large the heap is.
 */
#include <ubiheap/treemap.h>

#include "analyses/treemap/treemap_build.h"

#define MAX_DEPTH 64
#define MAX_ROWS (UINT32_C(1) << 24)

typedef struct expansion {
    ubi_treemap *map;
    const ubi_dominators *dominators;
    const uint64_t *size_bytes; /* or NULL */
    ubi_treemap_name_fn name;
    const void *payload;
    double least_bytes; /* to have a box */
} expansion;

static ubi_treemap_color color_of(const ubi_graph *graph, ubi_node_ix node) {
    static const ubi_treemap_color colors[] = {
        [UBI_COARSE_OTHER] = UBI_TREEMAP_COLOR_OTHER,       [UBI_COARSE_OBJECT] = UBI_TREEMAP_COLOR_OBJECTS,
        [UBI_COARSE_SCRIPT] = UBI_TREEMAP_COLOR_SCRIPTS,    [UBI_COARSE_STRING] = UBI_TREEMAP_COLOR_STRINGS,
        [UBI_COARSE_DOM_NODE] = UBI_TREEMAP_COLOR_DOM_NODE,
    };
    return colors[ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->coarse_type];
}

static ubi_status add_box(const expansion *e, ubi__treemap_entry entry) {
    if (e->map->rows.n >= MAX_ROWS)
        return ubi__fail(UBI_ELIMIT, "a tree map of more than 2^24 boxes");
    entry.weight = entry.bytes;
    return ubi__treemap_add(e->map, &entry);
}

static ubi_status add_node(const expansion *e, ubi_node_ix node, uint32_t parent) {
    uint32_t n_dominated;
    ubi_dominators_dominated(e->dominators, node, &n_dominated);
    return add_box(e, (ubi__treemap_entry){
                          .parent = parent,
                          .source = node,
                          .type = UBI_TREEMAP_NODE,
                          .color = (uint8_t)color_of(e->map->graph, node),
                          .name = e->name(e->payload, node),
                          .bytes = ubi_dominators_retained_bytes(e->dominators, node),
                          .count = n_dominated,
                      });
}

static uint64_t own_size(const expansion *e, ubi_node_ix node) {
    return e->size_bytes ? e->size_bytes[node] : ubi_graph_node_size_bytes(e->map->graph, node);
}

static ubi_status add_own(const expansion *e, uint32_t row) {
    const ubi__treemap_entry *of = &e->map->rows.at[row];
    ubi__treemap_entry own = { .parent = row, .source = UBI_NONE, .type = UBI_TREEMAP_OWN, .color = of->color };
    own.bytes = own_size(e, of->source);
    own.count = 1;
    return own.bytes ? add_box(e, own) : UBI_OK;
}

/* Those that are too small, by colour. */
typedef struct rests {
    uint64_t bytes[UBI_TREEMAP_N_COLORS], count[UBI_TREEMAP_N_COLORS];
} rests;

static ubi_status add_rests(const expansion *e, uint32_t row, const rests *r) {
    for (uint8_t color = 0; color < UBI_TREEMAP_N_COLORS; color++) {
        ubi__treemap_entry rest = { .parent = row, .source = UBI_NONE, .type = UBI_TREEMAP_REST, .color = color };
        rest.bytes = r->bytes[color];
        rest.count = r->count[color];
        if (rest.bytes)
            UBI_TRY(add_box(e, rest));
    }
    return UBI_OK;
}

static ubi_status expand_row(const expansion *e, uint32_t row) {
    uint32_t n;
    const ubi_node_ix *dominated = ubi_dominators_dominated(e->dominators, e->map->rows.at[row].source, &n);
    rests r = { { 0 }, { 0 } };
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = ubi_dominators_retained_bytes(e->dominators, dominated[i]);
        if ((double)bytes >= e->least_bytes) {
            UBI_TRY(add_node(e, dominated[i], row));
        } else {
            ubi_treemap_color color = color_of(e->map->graph, dominated[i]);
            r.bytes[color] += bytes;
            r.count[color]++;
        }
    }
    if (n)
        UBI_TRY(add_own(e, row));
    return add_rests(e, row, &r);
}

/* The first row below depth `depth`, the rows up to there being expanded. */
static ubi_status expand_level(const expansion *e, uint32_t *from) {
    uint32_t until = (uint32_t)e->map->rows.n;
    for (; *from < until; ++*from)
        if (e->map->rows.at[*from].type == UBI_TREEMAP_NODE)
            UBI_TRY(expand_row(e, *from));
    return UBI_OK;
}

static ubi_status build_dominator_map(const expansion *e) {
    uint32_t row = 0;
    UBI_TRY(add_node(e, ubi_dominators_root(e->dominators), UBI_NONE));
    if (e->map->rows.at[0].count == 0 && ubi_dominators_node_count(e->dominators) > 1)
        return ubi__fail(UBI_EINVAL, "a tree map needs dominators with dominated sets");
    for (uint32_t depth = 0; depth < MAX_DEPTH && depth < e->map->options.max_depth; depth++)
        UBI_TRY(expand_level(e, &row));
    return ubi__treemap_finish(e->map);
}

ubi_status ubi_treemap_of_dominators(ubi_treemap **out, const ubi_dominators *dominators, ubi_graph *graph,
                                     const uint64_t *size_bytes, double least_area, ubi_treemap_name_fn name,
                                     const void *payload, const ubi_treemap_options *options) {
    if (options && options->measure != UBI_TREEMAP_BYTES)
        return ubi__fail(UBI_EINVAL, "a tree map of dominators weighs bytes only");
    if (!(least_area >= 0))
        return ubi__fail(UBI_EINVAL, "boxes of at least %g square pixels, expected 0 or more", least_area);
    ubi_treemap *map = NULL;
    UBI_TRY(ubi__treemap_new(&map, options));
    map->graph = ubi_graph_ref(graph);
    double total = (double)ubi_dominators_retained_bytes(dominators, ubi_dominators_root(dominators));
    expansion e = { map, dominators, size_bytes, name, payload, 0 };
    e.least_bytes = total * least_area / (map->options.width * map->options.height);
    ubi_status status = build_dominator_map(&e);
    if (status == UBI_OK)
        *out = map;
    else
        ubi_treemap_free(map);
    return status;
}
