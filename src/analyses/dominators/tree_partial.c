/* SPDX-License-Identifier: MIT
 *
 * tree_partial.c: the top levels of a dominator tree, and pages of children.
 *
 * A row is made with room for the children that it will get, and waits in a list until they are made: trees may be as deep
 * as the heap's longest list, so nothing recurses.
 */
#include "analyses/dominators/tree_node.h"
#include "base/bits.h"
#include "graph/graph_columns.h"

/* A row whose children are to be made. */
typedef struct parent {
    ubi_dominator_node *row; /* borrowed: its own parent, or the caller, holds it */
    uint32_t depth;          /* the top row's is 0 */
} parent;

UBI_VEC_DECLARE(parent_list, parent);

typedef struct traversal {
    const ubi_dominators *dominators;
    ubi_labels *labels;
    ubi_dominator_tree_options options;
    const ubi_allocator *allocator;
    parent_list waiting;
    ubi__vec_u32 largest; /* children of the row at hand */
    uint64_t n_rows;
} traversal;

/* ---- rows of children -------------------------------------------------------------------------------------------- */

/* The first `n` dominated nodes of a row's node, into `largest`. */
static ubi_status find_largest(ubi__vec_u32 *largest, const ubi_dominators *dominators, ubi_node_ix node, uint32_t n,
                               const ubi_allocator *a) {
    uint32_t stored;
    largest->n = 0;
    UBI_TRY(ubi__vec_u32_reserve(largest, a, n ? n : 1));
    UBI_TRY(ubi_dominators_largest(largest->at, &stored, dominators, node, n));
    largest->n = stored;
    return UBI_OK;
}

static void set_parent(ubi_dominator_node *row, uint64_t parent_id) {
    row->has_parent = true;
    row->parent_id = parent_id;
}

/* How many children a row at `depth` gets. */
static uint32_t children_wanted(const traversal *t, ubi_node_ix node, uint32_t depth) {
    uint32_t n;
    if (depth + UINT64_C(1) >= t->options.max_depth)
        return 0;
    ubi_dominators_dominated(t->dominators, node, &n);
    return ubi__smaller(n, t->options.max_siblings);
}

/* A row that waits for its children, if it is to have any. */
static ubi_status make_row(ubi_dominator_node **out, traversal *t, ubi_node_ix node, uint32_t depth) {
    uint32_t n = children_wanted(t, node, depth);
    if (t->n_rows == UBI_DOMINATOR_TREE_MAX_ROWS)
        return ubi__fail(UBI_ELIMIT, "the tree has more than 2^24 rows: ask for fewer levels or siblings");
    UBI_TRY(parent_list_reserve(&t->waiting, t->allocator, 1));
    UBI_TRY(ubi__dominator_row_new(out, t->dominators, t->labels, node, n, t->allocator));
    t->n_rows++;
    if (n > 0)
        t->waiting.at[t->waiting.n++] = (parent){ *out, depth };
    return UBI_OK;
}

static ubi_status make_children(traversal *t, parent p) {
    UBI_TRY(find_largest(&t->largest, t->dominators, p.row->node, p.row->capacity, t->allocator));
    p.row->has_children = true;
    for (size_t i = 0; i < t->largest.n; i++) {
        ubi_dominator_node *child;
        UBI_TRY(make_row(&child, t, t->largest.at[i], p.depth + 1));
        set_parent(child, p.row->node_id);
        p.row->children[p.row->n_children++] = child;
    }
    p.row->more_children_available = p.row->n_children < p.row->n_dominated;
    UBI_ASSERT(p.row->n_children <= p.row->n_dominated && p.depth + 1 < t->options.max_depth);
    ubi__dominator_node_check(p.row);
    return UBI_OK;
}

/* ---- partial trees ----------------------------------------------------------------------------------------------- */

static ubi_status traverse_tree(ubi_dominator_node **top, traversal *t) {
    const ubi_graph *g = ubi_labels_graph(t->labels);
    ubi_node_ix start = t->options.start;
    UBI_TRY(make_row(top, t, start, 0));
    ubi_node_ix dominator = ubi_dominators_immediate(t->dominators, start);
    if (dominator != UBI_NONE)
        set_parent(*top, g->id.at[dominator]);
    while (t->waiting.n) {
        if (!ubi__progress(&t->options.progress, "listing", t->n_rows, 0))
            return ubi__fail_cancelled();
        UBI_TRY(make_children(t, t->waiting.at[--t->waiting.n]));
    }
    return UBI_OK;
}

static ubi_status check_options(ubi_dominator_tree_options *out, const ubi_dominator_tree_options *options) {
    static const ubi_dominator_tree_options defaults = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_DOMINATOR_TREE_OPTIONS_VERSION, "ubi_dominator_tree_options"));
    *out = options ? *options : defaults;
    return UBI_OK;
}

ubi_status ubi_dominator_tree_partial(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                      const ubi_dominator_tree_options *options) {
    traversal t = { .dominators = dominators, .labels = labels };
    ubi_dominator_node *top = NULL;
    UBI_TRY(check_options(&t.options, options));
    if (t.options.start == UBI_NONE)
        t.options.start = ubi_dominators_root(dominators);
    UBI_TRY(ubi__dominator_row_check(labels, t.options.start));
    t.allocator = ubi__allocator_or_default(t.options.allocator);
    ubi_status status = traverse_tree(&top, &t);
    parent_list_fini(&t.waiting, t.allocator);
    ubi__vec_u32_fini(&t.largest, t.allocator);
    if (status != UBI_OK) {
        ubi_dominator_node_unref(top);
        return status;
    }
    *out = top;
    return UBI_OK;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static ubi_status fill_path(ubi_dominator_page *page, const ubi_dominators *dominators, const ubi_graph *g,
                            ubi_node_ix node) {
    uint32_t n = 0;
    for (ubi_node_ix at = node; at != UBI_NONE; at = ubi_dominators_immediate(dominators, at))
        n++;
    UBI_ASSERT(n <= ubi_dominators_node_count(dominators) || n == 1); /* no way up meets a node twice */
    page->path = ubi__alloc_array(page->allocator, n, sizeof *page->path);
    if (!page->path)
        return ubi__fail_nomem();
    page->n_path = n;
    for (ubi_node_ix at = node; at != UBI_NONE; at = ubi_dominators_immediate(dominators, at))
        page->path[--n] = g->id.at[at];
    return UBI_OK;
}

static ubi_status fill_nodes(ubi_dominator_page *page, const ubi_dominators *dominators, ubi_labels *labels,
                             const ubi_node_ix *nodes, uint32_t n, uint64_t parent_id) {
    page->nodes = ubi__calloc_array(page->allocator, n ? n : 1, sizeof *page->nodes);
    if (!page->nodes)
        return ubi__fail_nomem();
    page->n_nodes = n;
    for (uint32_t i = 0; i < n; i++) {
        UBI_TRY(ubi__dominator_row_new(&page->nodes[i], dominators, labels, nodes[i], 0, page->allocator));
        set_parent(page->nodes[i], parent_id);
    }
    return UBI_OK;
}

static ubi_status fill_page(ubi_dominator_page *page, const ubi_dominators *dominators, ubi_labels *labels,
                            ubi_node_ix node, uint32_t start, uint32_t count) {
    const ubi_graph *g = ubi_labels_graph(labels);
    ubi__vec_u32 largest = { 0 };
    uint32_t n_dominated;
    ubi_dominators_dominated(dominators, node, &n_dominated);
    start = ubi__smaller(start, n_dominated);
    count = ubi__smaller(count, n_dominated - start);
    page->more_children_available = n_dominated > start + count;
    ubi_status status = fill_path(page, dominators, g, node);
    if (status == UBI_OK)
        status = find_largest(&largest, dominators, node, start + count, page->allocator);
    if (status == UBI_OK)
        status = fill_nodes(page, dominators, labels, largest.at + start, count, g->id.at[node]);
    ubi__vec_u32_fini(&largest, page->allocator);
    return status;
}

ubi_status ubi_dominator_page_new(ubi_dominator_page **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, uint32_t start, uint32_t count, const ubi_allocator *allocator) {
    UBI_TRY(ubi__dominator_row_check(labels, node));
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi_dominator_page *page = UBI_NEW(a, ubi_dominator_page);
    if (!page)
        return ubi__fail_nomem();
    page->allocator = a;
    ubi_status status = fill_page(page, dominators, labels, node, start, count);
    if (status != UBI_OK) {
        ubi_dominator_page_free(page);
        return status;
    }
    *out = page;
    return UBI_OK;
}

void ubi_dominator_page_free(ubi_dominator_page *page) {
    if (!page)
        return;
    for (uint32_t i = 0; i < page->n_nodes; i++)
        ubi_dominator_node_unref(page->nodes[i]);
    ubi__free_array(page->allocator, page->nodes, page->n_nodes ? page->n_nodes : 1, sizeof *page->nodes);
    ubi__free_array(page->allocator, page->path, page->n_path, sizeof *page->path);
    UBI_DELETE(page->allocator, page);
}
