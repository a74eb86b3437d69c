/* SPDX-License-Identifier: MIT
 *
 * dominators_largest.c: the first few of a dominated set, greatest retained size first.
 *
 * Candidates collect in a buffer of twice as many as are wanted. When it is full it is sorted and its lower half is
 * dropped; what is not greater than the last one left need not be looked at again. The sort is stable and sets are read in
 * their order, so that nodes of equal size keep it.
 */
#include "base/merge_sort.h"

#include "analyses/dominators/dom_work.h"

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

ubi_status ubi_dominators_largest(ubi_node_ix *out, uint32_t *n, const ubi_dominators *d, ubi_node_ix node,
                                  uint32_t max) {
    uint32_t count;
    const ubi_node_ix *set = ubi_dominators_dominated(d, node, &count);
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
    choose_largest(&b, d, set, count, max);
    UBI_ASSERT(b.n == (max < count ? max : count));
    for (size_t i = 0; i < b.n; i++)
        out[i] = b.at[i].node;
    *n = (uint32_t)b.n;
    ubi__free_array(d->allocator, b.at, b.cap * 2, sizeof *b.at);
    return UBI_OK;
}
