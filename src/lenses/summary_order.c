/* SPDX-License-Identifier: MIT
 *
 * summary_order.c: the rows of a summary in some order, and the nodes of a class.
 */
#include "lenses/summary_work.h"

#include "base/merge_sort.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Byte i of place + "," + name, which is how DevTools name classes to themselves; -1 after the last. */
static int key_byte(const ubi_look_class *class, size_t i) {
    if (i < class->place.len)
        return (unsigned char)class->place.ptr[i];
    if (i == class->place.len)
        return ',';
    i -= class->place.len + 1;
    return i < class->name.len ? (unsigned char)class->name.ptr[i] : -1;
}

static int compare_keys(const ubi_look_class *a, const ubi_look_class *b) {
    if (ubi__text_equal(a->place, b->place))
        return ubi__text_compare(a->name, b->name);
    size_t i = 0;
    while (key_byte(a, i) == key_byte(b, i) && key_byte(a, i) >= 0)
        i++;
    return key_byte(a, i) - key_byte(b, i);
}

static bool row_before(const ubi_summary *s, const ubi_summary_row *a, const ubi_summary_row *b) {
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes;
    int order = compare_keys(&s->look->classes.at[a->class_ix], &s->look->classes.at[b->class_ix]);
    return order != 0 ? order < 0 : a->class_ix < b->class_ix;
}

#define ROW_BEFORE(s, a, b) row_before(s, &(a), &(b))
UBI_SORT_DEFINE(sort_rows, ubi_summary_row, const ubi_summary *, ROW_BEFORE);

ubi_status ubi__summary_sort_rows(ubi_summary *s) {
    if (s->rows.n < 2)
        return UBI_OK;
    ubi_summary_row *spare = ubi__alloc_array(s->allocator, s->rows.n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_rows(s->rows.at, spare, s->rows.n, s);
    ubi__free_array(s->allocator, spare, s->rows.n, sizeof *spare);
    return UBI_OK;
}

typedef struct order {
    const ubi_summary *s;
    ubi_summary_key key;
} order;

static bool order_before(const order *o, uint32_t a, uint32_t b) {
    const ubi_summary_row *x = &o->s->rows.at[a], *y = &o->s->rows.at[b];
    const ubi_look_class *classes = o->s->look->classes.at;
    switch (o->key) {
    case UBI_SUMMARY_BY_SIZE:
        return x->size_bytes > y->size_bytes;
    case UBI_SUMMARY_BY_COUNT:
        return x->count > y->count;
    case UBI_SUMMARY_BY_DISTANCE:
        return x->distance < y->distance;
    case UBI_SUMMARY_BY_NAME:
        return ubi__text_compare(classes[x->class_ix].name, classes[y->class_ix].name) < 0;
    default:
        return false; /* as they are */
    }
}

UBI_SORT_DEFINE(sort_order, uint32_t, const order *, order_before);

ubi_status ubi_summary_sorted(uint32_t *out, const ubi_summary *s, ubi_summary_key key) {
    order o = { s, key };
    size_t n = s->rows.n;
    uint32_t *spare = ubi__alloc_array(s->allocator, n + 1, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        out[i] = i;
    sort_order(out, spare, n, &o);
    ubi__free_array(s->allocator, spare, n + 1, sizeof *spare);
    return UBI_OK;
}

/* ---- nodes of a class -------------------------------------------------------------------------------------------- */

typedef struct member {
    uint64_t retained_bytes, id;
    ubi_node_ix node;
} member;

static bool member_before(const member *a, const member *b) {
    return a->retained_bytes != b->retained_bytes ? a->retained_bytes > b->retained_bytes : a->id < b->id;
}

#define MEMBER_BEFORE(none, a, b) member_before(&(a), &(b))
UBI_SORT_DEFINE(sort_members, member, const void *, MEMBER_BEFORE);

/* The best of those seen so far: at[0..n), of which the first `max` are kept whenever there is no more room. */
typedef struct selection {
    member *at, *spare; /* [capacity] */
    size_t n, max, capacity;
    bool is_full; /* `max` were found, so that `last` says what is still of interest */
    member last;
} selection;

static void keep_best(selection *best) {
    sort_members(best->at, best->spare, best->n, NULL);
    if (best->n < best->max)
        return;
    best->n = best->max;
    best->is_full = true;
    best->last = best->at[best->n - 1];
}

static void row_offer(selection *best, member m) {
    if (best->is_full && !member_before(&m, &best->last))
        return;
    if (best->n == best->capacity)
        keep_best(best);
    best->at[best->n++] = m;
}

static void select_members(selection *best, const ubi_summary *s, ubi_class_ix class_ix) {
    const ubi_graph *g = s->look->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (ubi__summary_counts(s, node) && ubi_look_class_of(s->look, node) == class_ix)
            row_offer(best, (member){ ubi_dominators_retained_bytes(s->dominators, node), g->id.at[node], node });
    keep_best(best);
}

ubi_status ubi_summary_members(ubi_node_ix *nodes, uint32_t *n, const ubi_summary *s, ubi_class_ix class_ix,
                               uint32_t max) {
    const ubi_summary_row *row = ubi_summary_find(s, class_ix);
    size_t count = row ? row->count : 0;
    selection best = { .max = max < count ? max : count };
    if (best.max == 0) {
        *n = 0;
        return UBI_OK;
    }
    best.capacity = best.max < count / 2 ? 2 * best.max : count;
    best.at = ubi__alloc_array(s->allocator, best.capacity, sizeof *best.at);
    best.spare = ubi__alloc_array(s->allocator, best.capacity, sizeof *best.spare);
    bool ok = best.at && best.spare;
    if (ok) {
        select_members(&best, s, class_ix);
        *n = (uint32_t)best.n;
        for (size_t i = 0; i < best.n; i++)
            nodes[i] = best.at[i].node;
    }
    ubi__free_array(s->allocator, best.at, best.capacity, sizeof *best.at);
    ubi__free_array(s->allocator, best.spare, best.capacity, sizeof *best.spare);
    return ok ? UBI_OK : ubi__fail_nomem();
}
