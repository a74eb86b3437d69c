/* SPDX-License-Identifier: MIT
 *
 * retaining.c: who refers to a node (ubiheap/views/retaining.h).
 *
 * All edges are reversed once. Which of them are retainers is decided when they are read: for some lenses weak
 * ones and those of the root are not.
 */
#include "lenses/retaining.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/column_file.h"
#include "base/hash.h"
#include "base/merge_sort.h"
#include "base/table.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "graph/retainers.h"

/* ---- making ------------------------------------------------------------------------------------------------------ */

static ubi_status distances_compute(ubi_retaining *r, const ubi_retaining_options *o) {
    r->computed_distances = ubi__alloc_array(r->allocator, r->look->graph->n_nodes, sizeof *r->computed_distances);
    if (!r->computed_distances)
        return ubi__fail_nomem();
    r->distances = r->computed_distances;
    return ubi__look_distances(r->computed_distances, r->look, &o->progress);
}

static ubi_status retainers_fill(ubi_retaining *r, const ubi_retaining_options *o) {
    const ubi_view *view = ubi_look_view(r->look);
    const ubi_edge_set *set = r->rules ? NULL : view->edges;
    ubi__retainers_how how = ubi__retainers_how_of(view->graph, o->threads, &o->progress);
    UBI_TRY(ubi__retainers_new(&r->retainers, view->graph, set, how, r->allocator));
    return r->distances ? UBI_OK : distances_compute(r, o);
}

static ubi_retaining *retaining_begin(const ubi_look *look, const uint32_t *distances, const ubi_allocator *a) {
    ubi_retaining *r = UBI_NEW(a, ubi_retaining);
    if (!r)
        return NULL;
    r->allocator = a;
    r->look = look;
    r->rules = ubi_look_lens(look)->retaining;
    r->distances = distances;
    return r;
}

ubi_status ubi__retaining_new(ubi_retaining **out, const ubi_look *look, const uint32_t *distances,
                              const ubi_retaining_options *options) {
    static const ubi_retaining_options defaults = UBI_RETAINING_OPTIONS_INIT;
    const ubi_retaining_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_RETAINING_OPTIONS_VERSION, "ubi_retaining_options"));
    ubi_retaining *r = retaining_begin(look, distances, ubi__allocator_or_default(o->allocator));
    if (!r)
        return ubi__fail_nomem();
    ubi_status status = retainers_fill(r, o);
    if (status == UBI_OK)
        *out = r;
    else
        ubi_retaining_free(r);
    return status;
}

ubi_status ubi_retaining_new(ubi_retaining **out, const ubi_look *look, const ubi_retaining_options *options) {
    return ubi__retaining_new(out, look, NULL, options);
}

ubi_status ubi__retaining_pass(ubi__columns *c, ubi_retaining **retaining, const ubi_look *look,
                               const uint32_t *distances) {
    if (c->writer)
        return ubi__retainers_pass(c, &(*retaining)->retainers, look->graph);
    ubi_retaining *r = retaining_begin(look, distances, c->allocator);
    if (!r)
        return ubi__fail_nomem();
    ubi_status status = ubi__retainers_pass(c, &r->retainers, look->graph);
    if (status == UBI_OK)
        *retaining = r;
    else
        ubi_retaining_free(r);
    return status;
}

static void forget_ignored(ubi_retaining *r) {
    ubi__free_array(r->allocator, r->ignored, ubi__retaining_words(r), sizeof *r->ignored);
    ubi__free_array(r->allocator, r->without, r->look->graph->n_nodes, sizeof *r->without);
    ubi__vec_u64_fini(&r->useless_edges, r->allocator);
    r->ignored = NULL;
    r->without = NULL;
}

void ubi_retaining_free(ubi_retaining *r) {
    if (!r)
        return;
    forget_ignored(r);
    ubi_retainers_free(r->retainers);
    ubi__free_array(r->allocator, r->computed_distances, r->look->graph->n_nodes, sizeof *r->computed_distances);
    UBI_DELETE(r->allocator, r);
}

/* ---- ignoring ---------------------------------------------------------------------------------------------------- */

/* Breadth-first over the view's edges, without entering what is ignored. */
static ubi_status count_without(uint32_t *distance, const ubi_retaining *r, const uint64_t *ignored) {
    const ubi_view *view = ubi_look_view(r->look);
    const ubi_graph *g = view->graph;
    size_t n_queued = 1;
    ubi_node_ix *queue = ubi__alloc_array(r->allocator, g->n_nodes, sizeof *queue);
    if (!queue)
        return ubi__fail_nomem();
    memset(distance, 0xff, (size_t)g->n_nodes * sizeof *distance);
    queue[0] = view->root;
    distance[view->root] = 0;
    for (size_t i = 0; i < n_queued; i++)
        for (ubi_edge_ix e = g->first_edge.at[queue[i]]; e < g->first_edge.at[queue[i] + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (distance[target] != UBI_NONE || ubi__has_bit(ignored, target) || !ubi__edge_set_has(view->edges, e))
                continue;
            distance[target] = distance[queue[i]] + 1;
            queue[n_queued++] = target;
        }
    ubi__free_array(r->allocator, queue, g->n_nodes, sizeof *queue);
    return UBI_OK;
}

static ubi_status count_again(ubi_retaining *fresh) {
    if (!fresh->rules)
        return count_without(fresh->without, fresh, fresh->ignored);
    UBI_TRY(fresh->rules->distances_without(fresh->without, fresh->look, fresh->ignored));
    return fresh->rules->find_useless_edges(&fresh->useless_edges, fresh, fresh->without);
}

static ubi_status mark_ignored(ubi_retaining *fresh, const ubi_node_ix *nodes, uint32_t n) {
    uint32_t n_nodes = fresh->look->graph->n_nodes;
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i] >= n_nodes)
            return ubi__fail(UBI_EINVAL, "node %u to ignore is not in the graph of %u nodes", nodes[i], n_nodes);
    fresh->ignored = ubi__calloc_array(fresh->allocator, ubi__retaining_words(fresh), sizeof *fresh->ignored);
    fresh->without = ubi__alloc_array(fresh->allocator, n_nodes, sizeof *fresh->without);
    if (!fresh->ignored || !fresh->without)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        fresh->ignored[nodes[i] / 64] |= UINT64_C(1) << (nodes[i] % 64);
    return UBI_OK;
}

ubi_status ubi_retaining_ignore(ubi_retaining *r, const ubi_node_ix *nodes, uint32_t n) {
    ubi_retaining fresh = *r;
    fresh.ignored = NULL;
    fresh.without = NULL;
    fresh.useless_edges = (ubi__vec_u64){ 0 };
    ubi_status status = n ? mark_ignored(&fresh, nodes, n) : UBI_OK;
    if (status == UBI_OK && n)
        status = count_again(&fresh);
    if (status != UBI_OK) {
        forget_ignored(&fresh);
        return status;
    }
    forget_ignored(r);
    *r = fresh;
    return UBI_OK;
}

bool ubi_retaining_is_ignored(const ubi_retaining *r, ubi_node_ix node) {
    return r->ignored && ubi__has_bit(r->ignored, node);
}

uint64_t ubi_retaining_distance(const ubi_retaining *r, ubi_node_ix node) {
    if (r->without && r->without[node] != UBI_NONE)
        return r->without[node];
    uint64_t before = r->distances[node] == UBI_NONE ? 0 : r->distances[node];
    return r->without || r->distances[node] == UBI_NONE ? before + UBI_RETAINING_UNREACHABLE : before;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

bool ubi__retaining_next(ubi_edge_ix *edge, const ubi_retaining *r, ubi_node_ix node, uint64_t *i) {
    const ubi_graph *g = r->look->graph;
    ubi_node_ix root = ubi_look_view(r->look)->root;
    ubi_edge_ix begin = g->first_edge.at[root], end = g->first_edge.at[root + 1];
    for (uint64_t n = ubi_retainers_count(r->retainers, node); *i < n;) {
        ubi_edge_ix e = ubi_retainers_edge(r->retainers, node, (*i)++);
        if (r->rules && ((e >= begin && e < end) || ubi__graph_edge_kind(g, e) == UBI_EDGE_WEAK))
            continue;
        *edge = e;
        return true;
    }
    return false;
}

uint64_t ubi_retaining_count(const ubi_retaining *r, ubi_node_ix node) {
    uint64_t n = 0, i = 0;
    ubi_edge_ix edge;
    while (ubi__retaining_next(&edge, r, node, &i))
        n++;
    return n;
}

static bool is_useless(const ubi_retaining *r, ubi_edge_ix edge) {
    size_t low = 0, high = r->useless_edges.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->useless_edges.at[middle] < edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->useless_edges.n && r->useless_edges.at[low] == edge;
}

static ubi_retainer retainer_of(const ubi_retaining *r, ubi_edge_ix edge) {
    ubi_node_ix node = ubi_graph_edge_source(r->look->graph, edge);
    uint64_t distance = is_useless(r, edge) ? UBI_RETAINING_UNREACHABLE : ubi_retaining_distance(r, node);
    return (ubi_retainer){ edge, node, distance, ubi_retaining_is_ignored(r, node) };
}

/* Names by their text, then numbers by their value. Below, equal to or above 0. */
static int compare_labels(const ubi_graph *g, ubi_edge_ix a, ubi_edge_ix b) {
    uint32_t x = 0, y = 0;
    bool a_has_number = ubi_graph_edge_number(&x, g, a), b_has_number = ubi_graph_edge_number(&y, g, b);
    if (a_has_number != b_has_number)
        return a_has_number ? 1 : -1;
    if (a_has_number)
        return (x > y) - (x < y);
    return ubi__text_compare(ubi_graph_string(g, ubi__graph_edge_name(g, a)),
                             ubi_graph_string(g, ubi__graph_edge_name(g, b)));
}

static bool retainer_before(const ubi_graph *g, ubi_retainer a, ubi_retainer b) {
    if (a.distance != b.distance)
        return a.distance < b.distance;
    if (g->id.at[a.node] != g->id.at[b.node])
        return g->id.at[a.node] < g->id.at[b.node];
    return compare_labels(g, a.edge, b.edge) < 0;
}
UBI_SORT_DEFINE(sort_retainers, ubi_retainer, const ubi_graph *, retainer_before);

ubi_status ubi_retaining_first(ubi_retainer *out, uint32_t *n, const ubi_retaining *r, ubi_node_ix node, uint32_t max) {
    uint64_t count = ubi_retaining_count(r, node), i = 0, n_listed = 0;
    ubi_edge_ix edge;
    if (count == 0) {
        *n = 0;
        return UBI_OK;
    }
    ubi_retainer *list = ubi__alloc_array(r->allocator, count, sizeof *list);
    ubi_retainer *spare = ubi__alloc_array(r->allocator, count, sizeof *spare);
    if (list && spare) {
        while (ubi__retaining_next(&edge, r, node, &i))
            list[n_listed++] = retainer_of(r, edge);
        sort_retainers(list, spare, count, r->look->graph);
        *n = count < max ? (uint32_t)count : max;
        if (*n)
            memcpy(out, list, *n * sizeof *out);
    }
    bool complete = list && spare;
    ubi__free_array(r->allocator, list, count, sizeof *list);
    ubi__free_array(r->allocator, spare, count, sizeof *spare);
    return complete ? UBI_OK : ubi__fail_nomem();
}

/* ---- the shortest way -------------------------------------------------------------------------------------------- */

/* Edges come in the order of their nodes, so the first of equal ones is the one that is wanted. */
static bool retainers_nearest(ubi_retainer *out, const ubi_retaining *r, ubi_node_ix node) {
    uint64_t i = 0;
    ubi_edge_ix edge;
    bool found = false;
    while (ubi__retaining_next(&edge, r, node, &i)) {
        ubi_retainer retainer = retainer_of(r, edge);
        if (retainer.distance >= UBI_RETAINING_UNREACHABLE || (found && retainer.distance >= out->distance))
            continue;
        *out = retainer;
        found = true;
    }
    return found;
}

uint32_t ubi_retaining_shortest(ubi_retainer *out, const ubi_retaining *r, ubi_node_ix node, uint32_t max) {
    uint64_t distance = ubi_retaining_distance(r, node);
    uint32_t n = 0;
    while (n < max && distance > 1 && retainers_nearest(&out[n], r, node)) {
        node = out[n].node;
        distance = out[n++].distance;
    }
    return n;
}

uint32_t ubi_retaining_dominators(ubi_node_ix *out, uint32_t max, const ubi_dominators *dominators, ubi_node_ix node) {
    uint32_t n = 0;
    for (; node != UBI_NONE; node = ubi_dominators_immediate(dominators, node), n++)
        if (n < max)
            out[n] = node;
    return n;
}

/* ---- trees of retainers ------------------------------------------------------------------------------------------ */

/*
 * Retainers of retainers (ubiheap/views/retaining.h).
 *
 * Rows are level by level in one array, so the rows that wait for theirs are simply those after the current one.
 */

UBI_VEC_DECLARE(vec_row, ubi_retaining_row);

struct ubi_retaining_tree {
    const ubi_allocator *allocator;
    vec_row rows;
    uint32_t n_first_level;
    ubi_retaining_limits limits;
};

/* The nearest retainers of one node. */
typedef struct list {
    ubi_node_ix node;
    uint32_t n;
    size_t first;   /* of `retainers` */
    uint64_t n_all; /* retainers that the node has */
} list;

UBI_VEC_DECLARE(vec_list, list);
UBI_VEC_DECLARE(vec_retainer, ubi_retainer);

/* Many rows may be of one node: what retains it is looked up once. */
typedef struct list_cache {
    vec_list lists;
    vec_retainer retainers;
    ubi__row_table table; /* node -> place in `lists` */
} list_cache;

typedef struct grower {
    ubi_retaining_tree *tree;
    const ubi_retaining *retaining;
    const ubi_retaining_tree_options *options;
    ubi_node_ix node; /* what the tree is about */
    list_cache cache;
} grower;

/* Whether a node is on the way from a row down to the node of the tree. */
static bool is_on_the_way(const grower *t, uint32_t row, ubi_node_ix node) {
    for (; row != UBI_NONE; row = t->tree->rows.at[row].parent)
        if (t->tree->rows.at[row].retainer.node == node)
            return true;
    return node == t->node;
}

/* ---- lists of retainers, each made once -------------------------------------------------------------------------- */

static bool is_list_of(const list_cache *c, uint32_t row, ubi_node_ix node) {
    return c->lists.at[row].node == node;
}
UBI_ROW_LOOKUP(list, const list_cache *, ubi_node_ix, is_list_of);

static void cache_fini(list_cache *c, const ubi_allocator *a) {
    vec_list_fini(&c->lists, a);
    vec_retainer_fini(&c->retainers, a);
    ubi__row_table_fini(&c->table, a);
}

/* The nearest retainers of a node: as many as may be siblings. */
static ubi_status list_retainers(list *out, grower *t, ubi_node_ix node) {
    const ubi_allocator *a = t->tree->allocator;
    list_cache *c = &t->cache;
    uint64_t hash = ubi__hash_u64(node);
    UBI_TRY(ubi__row_table_reserve(&c->table, a, 1));
    ubi__row_slot *slot = list_place(&c->table, c, node, hash);
    if (!ubi__row_is_used(slot)) {
        list l = { .node = node, .first = c->retainers.n, .n_all = ubi_retaining_count(t->retaining, node) };
        uint32_t room = (uint32_t)(t->options->max_siblings < l.n_all ? t->options->max_siblings : l.n_all);
        UBI_TRY(vec_retainer_reserve(&c->retainers, a, room + (size_t)1)); /* an array, even if it stays empty */
        UBI_TRY(ubi_retaining_first(c->retainers.at + l.first, &l.n, t->retaining, node, room));
        UBI_TRY(vec_list_push(&c->lists, a, l));
        c->retainers.n += l.n;
        ubi__row_table_fill(&c->table, slot, hash, (uint32_t)(c->lists.n - 1));
    }
    *out = c->lists.at[slot->row];
    return UBI_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Adds a row below `parent`; false: there is no room. */
static ubi_status add_row(bool *added, grower *t, uint32_t parent, ubi_retainer retainer) {
    ubi_retaining_tree *tree = t->tree;
    *added = tree->rows.n < t->options->max_nodes;
    tree->limits.has_more_nodes |= !*added;
    if (!*added)
        return UBI_OK;
    return vec_row_push(&tree->rows, tree->allocator,
                        (ubi_retaining_row){ .retainer = retainer,
                                             .depth = parent == UBI_NONE ? 1 : tree->rows.at[parent].depth + 1,
                                             .parent = parent,
                                             .is_circular = is_on_the_way(t, parent, retainer.node) });
}

/* Rows for the retainers of `node`, up to the limits. */
static ubi_status add_retainers(uint32_t *n_added, grower *t, uint32_t parent, ubi_node_ix node) {
    list l;
    *n_added = 0;
    UBI_TRY(list_retainers(&l, t, node));
    t->tree->limits.has_more_siblings |= l.n < l.n_all;
    for (uint32_t i = 0; i < l.n; i++) {
        bool added;
        UBI_TRY(add_row(&added, t, parent, t->cache.retainers.at[l.first + i]));
        if (!added)
            return UBI_OK;
        ++*n_added;
    }
    return UBI_OK;
}

/* Whether nothing in its level can be opened before the row. */
static bool is_first(const grower *t, uint32_t at) {
    const ubi_retaining_row *rows = t->tree->rows.at;
    uint32_t first = rows[at].parent == UBI_NONE ? 0 : rows[rows[at].parent].first_child;
    while (rows[first].is_circular)
        first++; /* ends at the row itself at the latest */
    return at == first;
}

static bool is_to_be_opened(const grower *t, uint32_t at) {
    const ubi_retaining_row *row = &t->tree->rows.at[at];
    if (row->is_circular || row->retainer.distance <= t->options->end_distance)
        return false;
    return !t->options->with_first_only || is_first(t, at);
}

static ubi_status note_depth(grower *t, ubi_node_ix node) {
    list l;
    UBI_TRY(list_retainers(&l, t, node));
    t->tree->limits.has_more_levels |= l.n_all > 0;
    return UBI_OK;
}

static ubi_status open_row(grower *t, uint32_t at) {
    ubi_retaining_row *row = &t->tree->rows.at[at];
    if (!is_to_be_opened(t, at))
        return UBI_OK;
    if (row->depth == t->options->max_depth)
        return t->tree->limits.has_more_levels ? UBI_OK : note_depth(t, row->retainer.node);
    uint32_t first = (uint32_t)t->tree->rows.n, n;
    row->is_open = true;
    row->first_child = first;
    UBI_TRY(add_retainers(&n, t, at, row->retainer.node));
    t->tree->rows.at[at].n_children = n;
    return UBI_OK;
}

static ubi_status tree_grow(grower *t) {
    UBI_TRY(add_retainers(&t->tree->n_first_level, t, UBI_NONE, t->node));
    for (uint32_t i = 0; i < t->tree->rows.n && !t->tree->limits.has_more_nodes; i++)
        UBI_TRY(open_row(t, i));
    return UBI_OK;
}

ubi_status ubi_retaining_tree_new(ubi_retaining_tree **out, const ubi_retaining *retaining, ubi_node_ix node,
                                  const ubi_retaining_tree_options *options) {
    static const ubi_retaining_tree_options defaults = UBI_RETAINING_TREE_OPTIONS_INIT;
    const ubi_retaining_tree_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_RETAINING_TREE_OPTIONS_VERSION, "ubi_retaining_tree_options"));
    if (o->max_depth == 0 || o->max_nodes == 0 || o->max_nodes == UBI_NONE || o->max_siblings == 0)
        return ubi__fail(UBI_EINVAL, "a tree of retainers without room for one");
    const ubi_allocator *a = ubi__allocator_or_default(o->allocator);
    ubi_retaining_tree *tree = UBI_NEW(a, ubi_retaining_tree);
    if (!tree)
        return ubi__fail_nomem();
    tree->allocator = a;
    grower t = { .tree = tree, .retaining = retaining, .options = o, .node = node };
    ubi_status status = tree_grow(&t);
    cache_fini(&t.cache, a);
    if (status == UBI_OK)
        *out = tree;
    else
        ubi_retaining_tree_free(tree);
    return status;
}

void ubi_retaining_tree_free(ubi_retaining_tree *tree) {
    if (!tree)
        return;
    vec_row_fini(&tree->rows, tree->allocator);
    UBI_DELETE(tree->allocator, tree);
}

const ubi_retaining_row *ubi_retaining_tree_rows(const ubi_retaining_tree *tree, uint32_t *n) {
    *n = (uint32_t)tree->rows.n;
    return tree->rows.at;
}

uint32_t ubi_retaining_tree_first_level(const ubi_retaining_tree *tree) {
    return tree->n_first_level;
}

ubi_retaining_limits ubi_retaining_tree_limits(const ubi_retaining_tree *tree) {
    return tree->limits;
}
