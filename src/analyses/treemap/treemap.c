/* SPDX-License-Identifier: MIT
 *
 * treemap.c: tree maps of census trees and of dominator trees.
 *
 * Source: mozilla-central devtools/client/memory/components/tree-map/{draw.js,color-coarse-type.js}.
 */
#include <ubiheap/core/treemap.h>

#include <math.h>

#include "analyses/treemap/treemap_build.h"
#include "base/bits.h"
#include "base/text.h"

/* ==== MAPS, AND THE ONE OF A CENSUS ============================================================================= */

/* ---- any map ----------------------------------------------------------------------------------------------------- */

ubi_status ubi__treemap_new(ubi_treemap **out, const ubi_treemap_options *options) {
    static const ubi_treemap_options defaults = UBI_TREEMAP_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__treemap_check_options(options));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_treemap *map = UBI_NEW(a, ubi_treemap);
    if (!map)
        return ubi__fail_nomem();
    map->options = *options;
    map->options.allocator = a;
    *out = map;
    return UBI_OK;
}

void ubi_treemap_free(ubi_treemap *map) {
    if (!map)
        return;
    const ubi_allocator *a = map->options.allocator;
    ubi__vec_treemap_entry_fini(&map->rows, a);
    ubi__free_array(a, map->boxes, map->n_boxes, sizeof *map->boxes);
    ubi_graph_unref(map->graph);
    UBI_DELETE(a, map);
}

void ubi__treemap_check(const ubi_treemap *map) {
    UBI_ASSERT(!map->boxes || map->rows.n <= map->n_boxes);
    for (size_t i = 0; UBI_CHECKS && i < map->rows.n; i++) {
        const ubi__treemap_entry *row = &map->rows.at[i];
        UBI_ASSERT(row->color < UBI_TREEMAP_N_COLORS);
        UBI_ASSERT(i == 0 ? row->parent == UBI_NONE : row->parent < i);
        UBI_ASSERT(i < 2 || map->rows.at[i - 1].parent <= row->parent);
        UBI_ASSERT(!map->boxes || i == 0 || map->rows.at[row->parent].has_children);
        UBI_ASSERT(!map->boxes || i == 0 || map->boxes[i].depth == map->boxes[row->parent].depth + 1);
        UBI_ASSERT(!map->boxes || i == 0 || map->boxes[i].weight <= map->boxes[row->parent].weight);
    }
}

ubi_status ubi__treemap_add(ubi_treemap *map, const ubi__treemap_entry *entry) {
    return ubi__vec_treemap_entry_push(&map->rows, map->options.allocator, *entry);
}

static void split_columns(const ubi_treemap *map, uint32_t *parent, uint64_t *weight) {
    for (size_t i = 0; i < map->rows.n; i++) {
        parent[i] = map->rows.at[i].parent;
        weight[i] = map->rows.at[i].weight;
    }
}

/* Rows are in breadth-first order, so those that are too deep are the last. */
static void drop_deep_rows(ubi_treemap *map) {
    size_t n = map->rows.n;
    while (n > 0 && map->boxes[n - 1].depth > map->options.max_depth)
        n--;
    map->rows.n = n;
    for (size_t i = 1; i < n; i++)
        map->rows.at[map->rows.at[i].parent].has_children = true;
}

ubi_status ubi__treemap_finish(ubi_treemap *map) {
    const ubi_allocator *a = map->options.allocator;
    size_t n = map->rows.n;
    uint32_t *parent = ubi__alloc_array(a, n, sizeof *parent);
    uint64_t *weight = ubi__alloc_array(a, n, sizeof *weight);
    map->boxes = ubi__alloc_array(a, n, sizeof *map->boxes);
    map->n_boxes = n;
    ubi_status status = parent && weight && map->boxes ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        split_columns(map, parent, weight);
        status = ubi_treemap_layout(map->boxes, parent, weight, (uint32_t)n, &map->options);
    }
    if (status == UBI_OK) {
        drop_deep_rows(map);
        ubi__treemap_check(map);
    }
    ubi__free_array(a, parent, n, sizeof *parent);
    ubi__free_array(a, weight, n, sizeof *weight);
    return status;
}

uint32_t ubi_treemap_row_count(const ubi_treemap *map) {
    return (uint32_t)map->rows.n;
}

const ubi_treemap_options *ubi_treemap_options_of(const ubi_treemap *map) {
    return &map->options;
}

static void name_census_row(ubi_treemap_row *out, const ubi_census_tree *tree, ubi_census_node_ix source) {
    ubi_census_node node;
    ubi_census_tree_node(tree, source, &node);
    out->name_type = node.name_type;
    out->name = node.name;
    out->frame = node.frame;
}

void ubi_treemap_get(const ubi_treemap *map, uint32_t row, ubi_treemap_row *out) {
    const ubi__treemap_entry *entry = &map->rows.at[UBI_INDEX(row, map->rows.n)];
    *out = (ubi_treemap_row){
        .box = map->boxes[row],
        .parent = entry->parent,
        .type = (ubi_treemap_row_type)entry->type,
        .color = (ubi_treemap_color)entry->color,
        .name_type = entry->name.ptr ? UBI_CENSUS_NAME_TEXT : UBI_CENSUS_NAME_NULL,
        .name = entry->name,
        .node = entry->type == UBI_TREEMAP_NODE ? entry->source : UBI_NONE,
        .has_children = entry->has_children,
        .bytes = entry->bytes,
        .count = entry->count,
    };
    if (entry->type == UBI_TREEMAP_ROW)
        name_census_row(out, map->tree, entry->source);
    if (entry->type == UBI_TREEMAP_NODE)
        out->node_id = ubi_graph_node_id(map->graph, entry->source);
}

uint32_t ubi_treemap_census_row_id(const ubi_treemap *map, uint32_t row) {
    const ubi__treemap_entry *entry = &map->rows.at[UBI_INDEX(row, map->rows.n)];
    ubi_census_node node;
    if (entry->type != UBI_TREEMAP_ROW)
        return 0;
    ubi_census_tree_node(map->tree, entry->source, &node);
    return node.id;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static const char *const color_names[UBI_TREEMAP_N_COLORS] = { "objects", "other", "strings", "scripts", "domNode" };

const char *ubi_treemap_color_name(ubi_treemap_color color) {
    return color_names[color];
}

void ubi_treemap_firefox_color(double hsl[3], ubi_treemap_color color, uint32_t depth) {
    double lightness = 0.9 - (double)depth / 10;
    hsl[0] = 0.5 + (double)color / (3 * UBI_TREEMAP_N_COLORS);
    hsl[1] = 0.6;
    hsl[2] = lightness > 0 ? lightness : 0;
}

/* That of the nearest row at or above this one with the name of a coarse type. */
static ubi_treemap_color color_of(const ubi_census_node *node, ubi_treemap_color inherited) {
    for (int i = 0; i < UBI_TREEMAP_N_COLORS; i++)
        if (node->name_type == UBI_CENSUS_NAME_TEXT && ubi__text_is(node->name, color_names[i]))
            return (ubi_treemap_color)i;
    return inherited;
}

/* ---- from a census ----------------------------------------------------------------------------------------------- */

static uint64_t not_negative(int64_t value) {
    return value > 0 ? (uint64_t)value : 0;
}

static uint64_t measure_of(const ubi_treemap *map, const ubi__treemap_entry *entry) {
    return map->options.measure == UBI_TREEMAP_COUNT ? entry->count : entry->bytes;
}

/* Rows that are too small for boxes of their own, by colour. */
typedef struct rests {
    uint64_t bytes[UBI_TREEMAP_N_COLORS], count[UBI_TREEMAP_N_COLORS];
} rests;

static ubi_status rests_add(ubi_treemap *map, uint32_t parent, const rests *r) {
    for (uint8_t color = 0; color < UBI_TREEMAP_N_COLORS; color++) {
        ubi__treemap_entry rest = { .parent = parent, .source = UBI_NONE, .type = UBI_TREEMAP_REST, .color = color };
        rest.bytes = r->bytes[color];
        rest.count = r->count[color];
        rest.weight = measure_of(map, &rest);
        if (rest.weight)
            UBI_TRY(ubi__treemap_add(map, &rest));
    }
    return UBI_OK;
}

static ubi_status add_census_row(ubi_treemap *map, const ubi_census_node *node, ubi_census_node_ix source,
                                 uint32_t parent) {
    ubi__treemap_entry entry = {
        .parent = parent,
        .source = source,
        .type = UBI_TREEMAP_ROW,
        .color = UBI_TREEMAP_COLOR_OTHER,
        .bytes = not_negative(node->total_bytes),
        .count = not_negative(node->total_count),
    };
    if (parent != UBI_NONE)
        entry.color = (uint8_t)color_of(node, (ubi_treemap_color)map->rows.at[parent].color);
    entry.weight = measure_of(map, &entry);
    return ubi__treemap_add(map, &entry);
}

/* What of a row is in none of its children; in an inverted tree, its own numbers are in them. */
static ubi_status add_own_row(ubi_treemap *map, const ubi_census_node *node, uint32_t parent, uint64_t bytes_below,
                              uint64_t count_below) {
    const ubi__treemap_entry *row = &map->rows.at[parent];
    ubi__treemap_entry entry = {
        .parent = parent,
        .source = UBI_NONE,
        .type = UBI_TREEMAP_OWN,
        .color = row->color,
        .bytes = ubi__smaller(not_negative(node->bytes), row->bytes - ubi__smaller(bytes_below, row->bytes)),
        .count = ubi__smaller(not_negative(node->count), row->count - ubi__smaller(count_below, row->count)),
    };
    entry.weight = measure_of(map, &entry);
    return entry.weight ? ubi__treemap_add(map, &entry) : UBI_OK;
}

/* In an inverted tree, every path ends in the old root. A box for that in a box of the same size would say nothing. */
static bool ends_a_path(const ubi_census_tree *tree, const ubi_census_node *node) {
    ubi_census_node child;
    if (node->n_children != 1)
        return false;
    ubi_census_tree_node(tree, node->children[0], &child);
    return child.name_type == UBI_CENSUS_NAME_NULL && child.n_children == 0 && child.bytes == 0 && child.count == 0;
}

static uint64_t census_weight(const ubi_treemap *map, const ubi_census_node *node) {
    return not_negative(map->options.measure == UBI_TREEMAP_COUNT ? node->total_count : node->total_bytes);
}

static void census_rest_gather(rests *r, const ubi_treemap *map, const ubi_census_node *child, uint32_t parent) {
    ubi_treemap_color color = color_of(child, (ubi_treemap_color)map->rows.at[parent].color);
    r->bytes[color] += not_negative(child->total_bytes);
    r->count[color] += not_negative(child->total_count);
}

/* `first`: of the children that are added; the own size is left out with those before. */
static ubi_status add_children(ubi_treemap *map, const ubi_census_tree *tree, uint64_t least_weight, uint32_t row,
                               uint32_t first) {
    ubi_census_node node, child;
    uint64_t bytes = 0, count = 0;
    rests r = { { 0 }, { 0 } };
    ubi_census_tree_node(tree, map->rows.at[row].source, &node);
    if (map->options.with_own_boxes && ends_a_path(tree, &node))
        return UBI_OK;
    for (uint32_t i = first; i < node.n_children; i++) {
        ubi_census_tree_node(tree, node.children[i], &child);
        if (census_weight(map, &child) >= least_weight)
            UBI_TRY(add_census_row(map, &child, node.children[i], row));
        else
            census_rest_gather(&r, map, &child, row);
        bytes += not_negative(child.total_bytes);
        count += not_negative(child.total_count);
    }
    UBI_TRY(rests_add(map, row, &r));
    if (node.n_children && map->options.with_own_boxes && first == 0)
        UBI_TRY(add_own_row(map, &node, row, bytes, count));
    return UBI_OK;
}

/* That of the nearest row at or above the top one with the name of a coarse type. O(depth). */
static ubi_treemap_color color_of_top(const ubi_census_tree *tree, ubi_census_node_ix top) {
    ubi_census_node node;
    for (;;) {
        ubi_census_tree_node(tree, top, &node);
        ubi_treemap_color color = color_of(&node, UBI_TREEMAP_N_COLORS);
        if (color != UBI_TREEMAP_N_COLORS)
            return color;
        if (!ubi_census_tree_find(&top, tree, node.parent))
            return UBI_TREEMAP_COLOR_OTHER;
    }
}

static uint64_t least_weight_of(const ubi_treemap *map, double least_area) {
    double area = map->options.width * map->options.height;
    return (uint64_t)ceil((double)map->rows.at[0].weight / area * least_area);
}

/* The top row without what its first children hold, and without its own. */
static void top_reduce(ubi_treemap *map, const ubi_census_tree *tree, const ubi_census_node *top, uint32_t n_left_out) {
    ubi__treemap_entry *entry = &map->rows.at[0];
    ubi_census_node child;
    entry->bytes = entry->count = 0;
    for (uint32_t i = n_left_out; i < top->n_children; i++) {
        ubi_census_tree_node(tree, top->children[i], &child);
        entry->bytes += not_negative(child.total_bytes);
        entry->count += not_negative(child.total_count);
    }
    entry->weight = measure_of(map, entry);
}

static ubi_status build_census_map(ubi_treemap *map, const ubi_census_tree *tree, ubi_census_node_ix top,
                                   uint32_t n_left_out, double least_area) {
    ubi_census_node node;
    map->tree = tree;
    ubi_census_tree_node(tree, top, &node);
    UBI_TRY(add_census_row(map, &node, top, UBI_NONE));
    if (top != ubi_census_tree_root(tree))
        map->rows.at[0].color = (uint8_t)color_of_top(tree, top);
    if (n_left_out)
        top_reduce(map, tree, &node, n_left_out);
    uint64_t least_weight = least_weight_of(map, least_area);
    for (uint32_t row = 0; row < map->rows.n; row++)
        if (map->rows.at[row].type == UBI_TREEMAP_ROW)
            UBI_TRY(add_children(map, tree, least_weight, row, row == 0 ? n_left_out : 0));
    return ubi__treemap_finish(map);
}

ubi_status ubi_treemap_of_census(ubi_treemap **out, const ubi_census_tree *tree, const ubi_treemap_options *options) {
    return ubi_treemap_of_census_row(out, tree, ubi_census_tree_root(tree), 0, 0, options);
}

ubi_status ubi_treemap_of_census_row(ubi_treemap **out, const ubi_census_tree *tree, ubi_census_node_ix top,
                                     uint32_t n_left_out, double least_area, const ubi_treemap_options *options) {
    ubi_treemap *map = NULL;
    UBI_TRY(ubi__treemap_new(&map, options));
    ubi_status status = build_census_map(map, tree, top, n_left_out, least_area);
    if (status == UBI_OK)
        *out = map;
    else
        ubi_treemap_free(map);
    return status;
}

/* ==== THE MAP OF DOMINATORS ===================================================================================== */

/*
 * The tree map of a dominator tree, who keeps how much.
 *
 * Only what can be seen is made: of the nodes that a box dominates, those that retain too little for an area of their own
 * share a box with others of their colour. On each level what the boxes retain is no more than everything, so there are
 * few of them however large the heap is.
 */

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

static ubi_treemap_color color_of_node(const ubi_graph *graph, ubi_node_ix node) {
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
                          .color = (uint8_t)color_of_node(e->map->graph, node),
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

static ubi_status add_rests(const expansion *e, uint32_t row, const rests *r) {
    if (e->map->rows.n + UBI_TREEMAP_N_COLORS > MAX_ROWS)
        return ubi__fail(UBI_ELIMIT, "a tree map of more than 2^24 boxes");
    return rests_add(e->map, row, r);
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
            ubi_treemap_color color = color_of_node(e->map->graph, dominated[i]);
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
