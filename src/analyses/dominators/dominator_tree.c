/* SPDX-License-Identifier: MIT
 *
 * dominator_tree.c: dominator trees as rows to show (ubiheap/core/dominator_tree.h), and the largest nodes of sets and subtrees.
 */
#include "analyses/dominators/tree_node.h"

#include "analyses/dominators/dom_work.h"
#include "base/bits.h"
#include "base/merge_sort.h"
#include "graph/graph_columns.h"

/* ==== ROWS ====================================================================================================== */

/* Rows of a dominator tree: making, sharing and freeing them. */

void ubi__dominator_node_check(const ubi_dominator_node *row) {
    UBI_ASSERT(atomic_load_explicit(&row->references, memory_order_relaxed) > 0);
    UBI_ASSERT(row->n_children <= row->capacity);
    UBI_ASSERT(row->has_children || row->n_children == 0);
    UBI_ASSERT(row->label && row->labels);
}

ubi_status ubi__dominator_row_check(const ubi_labels *labels, ubi_node_ix node) {
    const ubi_graph *g = ubi_labels_graph(labels);
    if (node >= g->n_nodes)
        return ubi__fail(UBI_EINVAL, "node %u: the graph has %u nodes", node, g->n_nodes);
    return UBI_OK;
}

static size_t row_bytes(uint32_t capacity) {
    return sizeof(ubi_dominator_node) + (size_t)capacity * sizeof(ubi_dominator_node *);
}

ubi_status ubi__dominator_row_new(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, uint32_t capacity, const ubi_allocator *allocator) {
    const ubi_graph *g = ubi_labels_graph(labels);
    const ubi_label *label;
    UBI_TRY(ubi_labels_get(&label, labels, node));
    ubi_dominator_node *row = ubi__calloc_array(allocator, 1, row_bytes(capacity));
    if (!row)
        return ubi__fail_nomem();
    atomic_init(&row->references, 1);
    row->node = node;
    row->allocator = allocator;
    row->labels = ubi_labels_ref(labels);
    row->label = label;
    row->node_id = g->id.at[node];
    row->shallow_bytes = label->is_sized ? ubi_labels_size_bytes(labels, node) : 0;
    row->retained_bytes = ubi_dominators_retained_bytes(dominators, node);
    ubi_dominators_dominated(dominators, node, &row->n_dominated);
    row->has_more_children = row->n_dominated > 0;
    row->capacity = capacity;
    *out = row;
    return UBI_OK;
}

ubi_status ubi__dominator_row_copy(ubi_dominator_node **out, ubi_dominator_node *row, uint32_t extra,
                                   const ubi_allocator *allocator) {
    ubi__dominator_node_check(row);
    if (extra > UINT32_MAX - row->n_children)
        return ubi__fail(UBI_ELIMIT, "a row of a dominator tree has more than 2^32-1 children");
    uint32_t capacity = row->n_children + extra;
    ubi_dominator_node *copy = ubi__alloc_array(allocator, 1, row_bytes(capacity));
    if (!copy)
        return ubi__fail_nomem();
    *copy = *row;
    atomic_init(&copy->references, 1);
    copy->allocator = allocator;
    copy->capacity = capacity;
    copy->has_children = true;
    ubi_labels_ref(copy->labels);
    for (uint32_t i = 0; i < row->n_children; i++)
        copy->children[i] = ubi_dominator_node_ref(row->children[i]);
    *out = copy;
    return UBI_OK;
}

ubi_status ubi_dominator_node_new(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, const ubi_allocator *allocator) {
    UBI_TRY(ubi__dominator_row_check(labels, node));
    return ubi__dominator_row_new(out, dominators, labels, node, 0, ubi__allocator_or_default(allocator));
}

void ubi_dominator_node_get(const ubi_dominator_node *row, ubi_dominator_row *out) {
    *out = (ubi_dominator_row){
        .node = row->node,
        .node_id = row->node_id,
        .label = row->label,
        .shallow_bytes = row->shallow_bytes,
        .retained_bytes = row->retained_bytes,
        .has_parent = row->has_parent,
        .parent_id = row->parent_id,
        .has_children = row->has_children,
        .n_children = row->n_children,
        .children = row->children,
        .has_more_children = row->has_more_children,
        .n_dominated = row->n_dominated,
    };
}

ubi_dominator_node *ubi_dominator_node_ref(ubi_dominator_node *row) {
    ubi__dominator_node_check(row);
    atomic_fetch_add_explicit(&row->references, 1, memory_order_relaxed);
    return row;
}

/* Gives up a reference; with the last, the row joins the list of those to free. */
static void drop_row(ubi_dominator_node **dead, ubi_dominator_node *row) {
    if (atomic_fetch_sub_explicit(&row->references, 1, memory_order_acq_rel) != 1)
        return;
    ubi_labels_unref(row->labels);
    row->next_dead = *dead;
    *dead = row;
}

void ubi_dominator_node_unref(ubi_dominator_node *row) {
    ubi_dominator_node *dead = NULL;
    if (row)
        drop_row(&dead, row);
    while (dead) {
        ubi_dominator_node *next = dead;
        dead = next->next_dead;
        for (uint32_t i = 0; i < next->n_children; i++)
            drop_row(&dead, next->children[i]);
        ubi__free_array(next->allocator, next, 1, row_bytes(next->capacity));
    }
}

/* ==== PARTIAL TREES AND PAGES =================================================================================== */

/*
 * The top levels of a dominator tree, and pages of children.
 *
 * A row is made with room for the children that it will get, and waits in a list until they are made: trees may be as deep
 * as the heap's longest list, so nothing recurses.
 */

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
        ubi_dominator_node *child = NULL;
        UBI_TRY(make_row(&child, t, t->largest.at[i], p.depth + 1));
        set_parent(child, p.row->node_id);
        p.row->children[p.row->n_children++] = child;
    }
    p.row->has_more_children = p.row->n_children < p.row->n_dominated;
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
    page->has_more_children = n_dominated > start + count;
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

/* ==== INSERTING ================================================================================================= */

/*
 * Finding rows along a path, and adding children at its end.
 *
 * An insertion copies from the top down. A copy first shares all children of the original; those that lie on the path are
 * then replaced by copies of their own. (A node id that occurs twice among children, which no dominator tree has but an
 * insertion may make, is followed both times.)
 */

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static const ubi_dominator_node *child_with_id(const ubi_dominator_node *row, uint64_t id) {
    for (uint32_t i = 0; i < row->n_children; i++)
        if (row->children[i]->node_id == id)
            return row->children[i];
    return NULL;
}

const ubi_dominator_node *ubi_dominator_tree_find(const ubi_dominator_node *tree, uint64_t node_id,
                                                  const uint64_t *path, uint32_t n_path) {
    const ubi_dominator_node *row = n_path && tree->node_id == path[0] ? tree : NULL;
    for (uint32_t i = 1; row && row->node_id != node_id; i++)
        row = i < n_path ? child_with_id(row, path[i]) : NULL;
    return row;
}

/* ---- inserting --------------------------------------------------------------------------------------------------- */

/* A copy on the path, whose children may have to be replaced. */
typedef struct step {
    ubi_dominator_node *row; /* borrowed from its parent, or from the caller */
    uint32_t depth;
} step;

UBI_VEC_DECLARE(step_list, step);

typedef struct insertion {
    const uint64_t *path;
    uint32_t n_path;
    ubi_dominator_node *const *children;
    uint32_t n_children;
    bool has_more_children;
    const ubi_allocator *allocator;
    step_list open;
} insertion;

static ubi_status copy_with_children(ubi_dominator_node **out, const insertion *in, ubi_dominator_node *row) {
    UBI_TRY(ubi__dominator_row_copy(out, row, in->n_children, in->allocator));
    ubi_dominator_node *copy = *out;
    for (uint32_t i = 0; i < in->n_children; i++)
        copy->children[copy->n_children++] = ubi_dominator_node_ref(in->children[i]);
    copy->has_more_children = in->has_more_children;
    return UBI_OK;
}

/* What takes the place of `row`, at `depth` of the tree: a new reference, perhaps to `row` itself. */
static ubi_status replace_row(ubi_dominator_node **out, insertion *in, ubi_dominator_node *row, uint32_t depth) {
    bool on_path = depth < in->n_path && row->node_id == in->path[depth];
    if (on_path && depth + 1 == in->n_path)
        return copy_with_children(out, in, row);
    if (!on_path || !row->has_children) {
        *out = ubi_dominator_node_ref(row);
        return UBI_OK;
    }
    UBI_TRY(step_list_reserve(&in->open, in->allocator, 1));
    UBI_TRY(ubi__dominator_row_copy(out, row, 0, in->allocator));
    in->open.at[in->open.n++] = (step){ *out, depth };
    return UBI_OK;
}

static ubi_status replace_children(insertion *in, step s) {
    for (uint32_t i = 0; i < s.row->n_children; i++) {
        ubi_dominator_node *replacement;
        UBI_TRY(replace_row(&replacement, in, s.row->children[i], s.depth + 1));
        ubi_dominator_node_unref(s.row->children[i]);
        s.row->children[i] = replacement;
    }
    return UBI_OK;
}

ubi_status ubi_dominator_tree_insert(ubi_dominator_node **out, ubi_dominator_node *tree, const uint64_t *path,
                                     uint32_t n_path, ubi_dominator_node *const *children, uint32_t n_children,
                                     bool more_children_available, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    insertion in = { path, n_path, children, n_children, more_children_available, a, { 0 } };
    ubi_dominator_node *top = NULL;
    ubi_status status = replace_row(&top, &in, tree, 0);
    while (status == UBI_OK && in.open.n)
        status = replace_children(&in, in.open.at[--in.open.n]);
    step_list_fini(&in.open, a);
    if (status != UBI_OK) {
        ubi_dominator_node_unref(top);
        return status;
    }
    *out = top;
    return UBI_OK;
}

/* ==== THE LARGEST OF A SUBTREE ================================================================================== */

/*
 * The nodes with the largest retained sizes, wherever they are in the tree.
 *
 * The best so far are a heap with the least of them on top: most nodes are compared with that one and gone.
 */

typedef struct ranking {
    const ubi_dominators *dominators;
    const ubi_graph *graph;
    ubi_node_ix *heap; /* the caller's array */
    uint32_t n, max;
} ranking;

/* Whether `a` comes before `b` in the result. */
static bool comes_before(const ranking *r, ubi_node_ix a, ubi_node_ix b) {
    uint64_t x = ubi_dominators_retained_bytes(r->dominators, a), y = ubi_dominators_retained_bytes(r->dominators, b);
    return x != y ? x > y : r->graph->id.at[a] < r->graph->id.at[b];
}

static void swap_nodes(ubi_node_ix *a, ubi_node_ix *b) {
    ubi_node_ix kept = *a;
    *a = *b;
    *b = kept;
}

/* Restores the order of heap[0..n) from `at` upwards, or downwards: a parent comes after its children. */
static void sift_up(ranking *r, uint32_t at) {
    for (; at > 0 && comes_before(r, r->heap[(at - 1) / 2], r->heap[at]); at = (at - 1) / 2)
        swap_nodes(&r->heap[(at - 1) / 2], &r->heap[at]);
}

static void sift_down(ranking *r, uint32_t n) {
    for (uint64_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(r, r->heap[child], r->heap[child + 1]))
            child++;
        if (!comes_before(r, r->heap[at], r->heap[child]))
            return;
        swap_nodes(&r->heap[at], &r->heap[child]);
    }
}

static void offer_node(ranking *r, ubi_node_ix node) {
    if (r->n < r->max) {
        r->heap[r->n] = node;
        sift_up(r, r->n++);
    } else if (r->max && comes_before(r, node, r->heap[0])) {
        r->heap[0] = node;
        sift_down(r, r->n);
    }
}

static void sort_ranking(ranking *r) {
    for (uint32_t n = r->n; n > 1;) {
        swap_nodes(&r->heap[0], &r->heap[--n]);
        sift_down(r, n);
    }
}

#define NODES_PER_STEP (1u << 16)

/* Nothing below a node is greater than it, so below one that is smaller than all that are kept nothing is looked at. */
static bool may_have_greater(const ranking *r, ubi_node_ix node) {
    return r->n < r->max || (r->max && ubi_dominators_retained_bytes(r->dominators, node) >=
                                           ubi_dominators_retained_bytes(r->dominators, r->heap[0]));
}

/* Each node is offered when it is met, so that most are never among those that wait. */
static ubi_status offer_subtree(ranking *r, ubi__vec_u32 *waiting, ubi_node_ix top, const ubi_allocator *a,
                                const ubi_progress *progress) {
    uint64_t n_offered = 1;
    offer_node(r, top);
    UBI_TRY(ubi__vec_u32_push(waiting, a, top));
    while (waiting->n) {
        uint32_t n;
        const ubi_node_ix *children = ubi_dominators_dominated(r->dominators, waiting->at[--waiting->n], &n);
        UBI_TRY(ubi__vec_u32_reserve(waiting, a, n));
        for (uint32_t i = 0; i < n; i++) {
            if (n_offered++ % NODES_PER_STEP == 0 &&
                !ubi__progress(progress, "ranking", n_offered, ubi_dominators_node_count(r->dominators)))
                return ubi__fail_cancelled();
            offer_node(r, children[i]);
            if (may_have_greater(r, children[i]))
                waiting->at[waiting->n++] = children[i];
        }
    }
    return UBI_OK;
}

ubi_status ubi_dominator_tree_top(ubi_node_ix *out, uint32_t *n, const ubi_dominators *dominators,
                                  const ubi_graph *graph, ubi_node_ix node, uint32_t max, const ubi_progress *progress,
                                  const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ranking r = { dominators, graph, out, 0, max };
    ubi__vec_u32 waiting = { 0 };
    if (node >= graph->n_nodes)
        return ubi__fail(UBI_EINVAL, "node %u: the graph has %u nodes", node, graph->n_nodes);
    ubi_status status = offer_subtree(&r, &waiting, node, a, progress);
    ubi__vec_u32_fini(&waiting, a);
    UBI_TRY(status);
    UBI_ASSERT(r.n <= max);
    sort_ranking(&r);
    for (uint32_t i = 1; UBI_CHECKS && i < r.n; i++)
        UBI_ASSERT(comes_before(&r, out[i - 1], out[i]) || !comes_before(&r, out[i], out[i - 1]));
    *n = r.n;
    return UBI_OK;
}

/* ==== THE LARGEST OF A SET ====================================================================================== */

/*
 * The first few of a set of nodes, greatest retained size first.
 *
 * Candidates collect in a buffer of twice as many as are wanted. When it is full it is sorted and its lower half is
 * dropped; what is not greater than the last one left need not be looked at again. The sort is stable and sets are read in
 * their order, so that nodes of equal size keep it.
 */

#define BUFFER_LEAST 64

typedef struct candidate {
    uint64_t retained_bytes;
    ubi_node_ix node;
} candidate;

static inline bool is_greater(void *unused, candidate a, candidate b) {
    (void)unused;
    return a.retained_bytes > b.retained_bytes;
}
UBI_SORT_DEFINE(sort_candidates, candidate, void *, is_greater);

typedef struct buffer {
    candidate *at, *spare; /* [cap] each */
    size_t n, cap;
} buffer;

/* Leaves the best `max`, in order. */
static void keep_best(buffer *b, uint32_t max) {
    sort_candidates(b->at, b->spare, b->n, NULL);
    if (b->n > max)
        b->n = max;
}

static void choose_largest(buffer *b, const ubi_dominators *d, const ubi_node_ix *set, uint32_t count, uint32_t max) {
    uint64_t floor_bytes = 0; /* once known: what is not above it comes too late */
    bool floor_known = false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bytes = d->retained_bytes[set[i]];
        if (floor_known && bytes <= floor_bytes)
            continue;
        if (b->n == b->cap) {
            keep_best(b, max);
            floor_bytes = b->at[max - 1].retained_bytes;
            floor_known = true;
            if (bytes <= floor_bytes)
                continue;
        }
        b->at[b->n++] = (candidate){ bytes, set[i] };
    }
    keep_best(b, max);
}

ubi_status ubi_dominators_largest_of(ubi_node_ix *out, uint32_t *n, const ubi_dominators *d, const ubi_node_ix *nodes,
                                     uint32_t count, uint32_t max) {
    if (count == 0 || max == 0) {
        *n = 0;
        return UBI_OK;
    }
    size_t cap = max < BUFFER_LEAST / 2 ? BUFFER_LEAST : (size_t)max * 2;
    buffer b = { .cap = cap < count ? cap : count };
    b.at = ubi__alloc_array(d->allocator, b.cap * 2, sizeof *b.at);
    if (!b.at)
        return ubi__fail_nomem();
    b.spare = b.at + b.cap;
    choose_largest(&b, d, nodes, count, max);
    UBI_ASSERT(b.n == (max < count ? max : count));
    for (size_t i = 0; i < b.n; i++)
        out[i] = b.at[i].node;
    *n = (uint32_t)b.n;
    ubi__free_array(d->allocator, b.at, b.cap * 2, sizeof *b.at);
    return UBI_OK;
}

ubi_status ubi_dominators_largest(ubi_node_ix *out, uint32_t *n, const ubi_dominators *d, ubi_node_ix node,
                                  uint32_t max) {
    uint32_t count;
    const ubi_node_ix *set = ubi_dominators_dominated(d, node, &count);
    return ubi_dominators_largest_of(out, n, d, set, count, max);
}
