/* SPDX-License-Identifier: MIT
 *
 * class_diff.c: two heaps compared node by node, summed up by class.
 *
 * Classes of either side are first brought together as rows, once per class; after that a node costs a lookup of its id in
 * the other graph and an addition. What is in both heaps is counted while going through the newer one; what is not follows
 * from the sums.
 */
#include <ubiheap/core/diff.h>

#include <ubiheap/core/marker.h>

#include <string.h>

#include "analyses/class_rows.h"
#include "analyses/same_process.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "graph/graph_columns.h"

/* Progress is reported, and cancelling possible, each time this many nodes are done. */
#define NODES_PER_STEP (UINT32_C(1) << 20)

typedef uint32_t row_ix;

UBI_VEC_DECLARE(vec_change, ubi_class_change);

struct ubi_class_diff {
    const ubi_allocator *allocator;
    ubi_graph *start, *end; /* references: rows borrow their names */
    vec_change rows;
    ubi_class_change total;
    ubi__id_match ids;
};

/** What survived of a row. */
typedef struct survivors {
    uint64_t count, start_bytes, end_bytes;
} survivors;

typedef struct comparison {
    ubi_class_diff *diff;
    const ubi_allocator *allocator;
    const ubi_class_scheme *start, *end;
    row_ix *start_rows, *end_rows; /* row of each class of that side */
    survivors *kept;               /* kept[rows.n] */
    ubi_progress progress;
    ubi_class_order order;
    ubi__class_rows rows; /* of the classes of both; the diff has a row for each */
} comparison;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static ubi_status make_rows(comparison *c, row_ix **out, const ubi_class_scheme *scheme) {
    vec_change *changes = &c->diff->rows;
    *out = ubi__alloc_array(c->allocator, scheme->n_classes, sizeof **out);
    if (scheme->n_classes && !*out)
        return ubi__fail_nomem();
    UBI_TRY(ubi__class_rows_add(*out, &c->rows, scheme));
    UBI_TRY(vec_change_reserve(changes, c->allocator, c->rows.rows.n - changes->n));
    while (changes->n < c->rows.rows.n) {
        changes->at[changes->n] = (ubi_class_change){ .name = c->rows.rows.at[changes->n] };
        changes->n++;
    }
    return UBI_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static uint64_t size_of(const ubi_class_scheme *scheme, ubi_node_ix node) {
    return scheme->size_bytes ? scheme->size_bytes[node] : scheme->graph->size_bytes.at[node];
}

static void tally_node(ubi_tally *tally, uint64_t bytes) {
    tally->count++;
    tally->bytes += bytes;
}

static void add_end(comparison *c, ubi_node_ix node) {
    uint32_t class_ix = c->end->class_of(c->end, node);
    if (class_ix == UBI_NONE)
        return;
    const ubi_graph *old = c->start->graph;
    row_ix row = c->end_rows[class_ix];
    tally_node(&c->diff->rows.at[row].end, size_of(c->end, node));
    ubi_node_ix before = ubi__id_index_find(&old->ids, old->id.at, c->end->graph->id.at[node]);
    class_ix = before == UBI_NONE ? UBI_NONE : c->start->class_of(c->start, before);
    if (class_ix == UBI_NONE)
        return;
    bool is_class_equal = c->start_rows[class_ix] == row;
    ubi__id_match_count(&c->diff->ids, old, before, c->end->graph, node, is_class_equal);
    if (!is_class_equal)
        return;
    c->kept[row].count++;
    c->kept[row].start_bytes += size_of(c->start, before);
    c->kept[row].end_bytes += size_of(c->end, node);
}

static void add_start(comparison *c, ubi_node_ix node) {
    uint32_t class_ix = c->start->class_of(c->start, node);
    if (class_ix != UBI_NONE)
        tally_node(&c->diff->rows.at[c->start_rows[class_ix]].start, size_of(c->start, node));
}

static ubi_status add_all(comparison *c, const ubi_graph *graph, uint64_t done,
                          void (*add_node)(comparison *, ubi_node_ix)) {
    uint64_t total = (uint64_t)c->start->graph->n_nodes + c->end->graph->n_nodes;
    for (ubi_node_ix node = 0; node < graph->n_nodes; node++) {
        if (node % NODES_PER_STEP == 0 && !ubi__progress(&c->progress, "comparing", done + node, total))
            return ubi__fail_cancelled();
        add_node(c, node);
    }
    return UBI_OK;
}

static void find_comings_and_goings(comparison *c) {
    for (size_t i = 0; i < c->diff->rows.n; i++) {
        ubi_class_change *row = &c->diff->rows.at[i];
        const survivors *kept = &c->kept[i];
        row->created = (ubi_tally){ row->end.count - kept->count, row->end.bytes - kept->end_bytes };
        row->deleted = (ubi_tally){ row->start.count - kept->count, row->start.bytes - kept->start_bytes };
    }
}

static ubi_status count_nodes(comparison *c) {
    size_t n = c->diff->rows.n;
    c->kept = ubi__calloc_array(c->allocator, n, sizeof *c->kept);
    if (n && !c->kept)
        return ubi__fail_nomem();
    ubi_status status = add_all(c, c->end->graph, 0, add_end);
    if (status == UBI_OK)
        status = add_all(c, c->start->graph, c->end->graph->n_nodes, add_start);
    if (status == UBI_OK)
        find_comings_and_goings(c);
    ubi__free_array(c->allocator, c->kept, n, sizeof *c->kept);
    return status;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int larger_first(uint64_t a, uint64_t b) {
    return a > b ? -1 : a < b;
}

static uint64_t distance_of(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* As DevTools' keys compare: place, comma, name. */
static int by_name(const ubi_class_change *a, const ubi_class_change *b) {
    int order = ubi__text_compare(a->name.place, b->name.place);
    if (!order)
        order = ubi__text_compare(a->name.name, b->name.name);
    return order ? order : (int)a->name.coarse_type - (int)b->name.coarse_type;
}

static int by_change(const ubi_class_change *a, const ubi_class_change *b) {
    int order = larger_first(distance_of(a->start.bytes, a->end.bytes), distance_of(b->start.bytes, b->end.bytes));
    if (!order)
        order = larger_first(distance_of(a->start.count, a->end.count), distance_of(b->start.count, b->end.count));
    if (!order)
        order = larger_first(a->created.bytes + a->deleted.bytes, b->created.bytes + b->deleted.bytes);
    if (!order)
        order = larger_first(a->created.count + a->deleted.count, b->created.count + b->deleted.count);
    return order ? order : by_name(a, b);
}

static int64_t net_bytes(const ubi_class_change *row) {
    return (int64_t)(row->created.bytes - row->deleted.bytes);
}

static int by_net(const ubi_class_change *a, const ubi_class_change *b) {
    int order =
        larger_first(distance_of(a->created.bytes, a->deleted.bytes), distance_of(b->created.bytes, b->deleted.bytes));
    if (!order)
        order = larger_first(distance_of(a->created.count, a->deleted.count),
                             distance_of(b->created.count, b->deleted.count));
    if (!order)
        order = larger_first(a->created.bytes + a->deleted.bytes, b->created.bytes + b->deleted.bytes);
    if (!order)
        order = larger_first(a->created.count + a->deleted.count, b->created.count + b->deleted.count);
    return order ? order : by_name(a, b);
}

static int by_growth(const ubi_class_change *a, const ubi_class_change *b) {
    if (net_bytes(a) != net_bytes(b))
        return net_bytes(a) > net_bytes(b) ? -1 : 1;
    return by_name(a, b);
}

static int compare_changes(ubi_class_order order, const ubi_class_change *a, const ubi_class_change *b) {
    switch (order) {
    case UBI_CLASS_ORDER_NET:
        return by_net(a, b);
    case UBI_CLASS_ORDER_GROWTH:
        return by_growth(a, b);
    default:
        return by_change(a, b);
    }
}

#define BEFORE(order, a, b) (compare_changes(order, &(a), &(b)) < 0)
UBI_SORT_DEFINE(sort_rows, ubi_class_change, ubi_class_order, BEFORE);

static void drop_empty_rows(vec_change *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->at[i].start.count || rows->at[i].end.count)
            rows->at[kept++] = rows->at[i];
    rows->n = kept;
}

static void add_tally(ubi_tally *to, const ubi_tally *tally) {
    to->count += tally->count;
    to->bytes += tally->bytes;
}

/* What came, less what went, is what there is more. O(rows). */
static void assert_sums(const ubi_class_diff *diff) {
    ubi_class_change sum = { .name = { .name = { NULL, 0 } } };
    for (size_t i = 0; i < diff->rows.n; i++) {
        const ubi_class_change *row = &diff->rows.at[i];
        UBI_ASSERT(row->end.count - row->created.count == row->start.count - row->deleted.count);
        UBI_ASSERT(row->start.count || row->end.count);
        sum.start.count += row->start.count;
        sum.end.count += row->end.count;
    }
    UBI_ASSERT(sum.start.count == diff->total.start.count && sum.end.count == diff->total.end.count);
    UBI_ASSERT(diff->ids.n_common <= diff->total.end.count);
}

static ubi_status finish_rows(ubi_class_diff *diff, ubi_class_order order) {
    vec_change spare = { 0 };
    drop_empty_rows(&diff->rows);
    UBI_TRY(vec_change_reserve(&spare, diff->allocator, diff->rows.n));
    if (diff->rows.n)
        sort_rows(diff->rows.at, spare.at, diff->rows.n, order);
    vec_change_fini(&spare, diff->allocator);
    for (size_t i = 0; i < diff->rows.n; i++) {
        add_tally(&diff->total.start, &diff->rows.at[i].start);
        add_tally(&diff->total.end, &diff->rows.at[i].end);
        add_tally(&diff->total.created, &diff->rows.at[i].created);
        add_tally(&diff->total.deleted, &diff->rows.at[i].deleted);
    }
    if (UBI_CHECKS)
        assert_sums(diff);
    return UBI_OK;
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

static ubi_status compare_heaps(comparison *c) {
    UBI_TRY(make_rows(c, &c->start_rows, c->start));
    UBI_TRY(make_rows(c, &c->end_rows, c->end));
    UBI_TRY(count_nodes(c));
    return finish_rows(c->diff, c->order);
}

static ubi_status class_diff_run(ubi_class_diff *diff, const ubi_class_scheme *start, const ubi_class_scheme *end,
                                 const ubi_class_diff_options *options) {
    const ubi_allocator *a = diff->allocator;
    comparison c = { .diff = diff, .allocator = a, .start = start, .end = end };
    c.progress = options->progress;
    c.order = options->order;
    ubi__class_rows_init(&c.rows, a);
    ubi_status status = compare_heaps(&c);
    ubi__class_rows_fini(&c.rows);
    ubi__free_array(a, c.start_rows, start->n_classes, sizeof *c.start_rows);
    ubi__free_array(a, c.end_rows, end->n_classes, sizeof *c.end_rows);
    return status;
}

ubi_status ubi_class_diff_new(ubi_class_diff **out, const ubi_class_scheme *start, const ubi_class_scheme *end,
                              const ubi_class_diff_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Diff");
    static const ubi_class_diff_options defaults = UBI_CLASS_DIFF_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_CLASS_DIFF_OPTIONS_VERSION, "ubi_class_diff_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_class_diff *diff = UBI_NEW(a, ubi_class_diff);
    if (!diff)
        return ubi__fail_nomem();
    diff->allocator = a;
    diff->start = ubi_graph_ref((ubi_graph *)start->graph); /* only the reference counts change */
    diff->end = ubi_graph_ref((ubi_graph *)end->graph);
    ubi_status status = class_diff_run(diff, start, end, options);
    if (status == UBI_OK)
        *out = diff;
    else
        ubi_class_diff_free(diff);
    return status;
}

void ubi_class_diff_free(ubi_class_diff *diff) {
    if (!diff)
        return;
    vec_change_fini(&diff->rows, diff->allocator);
    ubi_graph_unref(diff->start);
    ubi_graph_unref(diff->end);
    UBI_DELETE(diff->allocator, diff);
}

uint32_t ubi_class_diff_count(const ubi_class_diff *diff) {
    return (uint32_t)diff->rows.n;
}

const ubi_class_change *ubi_class_diff_row(const ubi_class_diff *diff, uint32_t index) {
    return &diff->rows.at[UBI_INDEX(index, diff->rows.n)];
}

const ubi_class_change *ubi_class_diff_total(const ubi_class_diff *diff) {
    return &diff->total;
}

uint64_t ubi_class_diff_common_count(const ubi_class_diff *diff) {
    return diff->ids.n_common;
}

uint64_t ubi_class_diff_text_count(uint64_t *n_equal, const ubi_class_diff *diff) {
    *n_equal = diff->ids.n_texts_same;
    return diff->ids.n_texts;
}

bool ubi_class_diff_is_same_process(const ubi_class_diff *diff, bool reuses_ids) {
    uint64_t n_start = diff->total.start.count, n_end = diff->total.end.count;
    return ubi__is_same_process(&diff->ids, n_start < n_end ? n_start : n_end, reuses_ids);
}
