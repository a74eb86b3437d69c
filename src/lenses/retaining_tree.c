/* SPDX-License-Identifier: MIT
 *
 * retaining_tree.c: retainers of retainers (ubiheap/views/retaining.h).
 *
 * Rows are level by level in one array, so the rows that wait for theirs are simply those after the current one.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"
#include "lenses/retaining.h"

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
    tree->limits.nodes |= !*added;
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
    t->tree->limits.siblings |= l.n < l.n_all;
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
    return !t->options->first_only || is_first(t, at);
}

static ubi_status note_depth(grower *t, ubi_node_ix node) {
    list l;
    UBI_TRY(list_retainers(&l, t, node));
    t->tree->limits.depth |= l.n_all > 0;
    return UBI_OK;
}

static ubi_status open_row(grower *t, uint32_t at) {
    ubi_retaining_row *row = &t->tree->rows.at[at];
    if (!is_to_be_opened(t, at))
        return UBI_OK;
    if (row->depth == t->options->max_depth)
        return t->tree->limits.depth ? UBI_OK : note_depth(t, row->retainer.node);
    uint32_t first = (uint32_t)t->tree->rows.n, n;
    row->is_open = true;
    row->first_child = first;
    UBI_TRY(add_retainers(&n, t, at, row->retainer.node));
    t->tree->rows.at[at].n_children = n;
    return UBI_OK;
}

static ubi_status tree_grow(grower *t) {
    UBI_TRY(add_retainers(&t->tree->n_first_level, t, UBI_NONE, t->node));
    for (uint32_t i = 0; i < t->tree->rows.n && !t->tree->limits.nodes; i++)
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
