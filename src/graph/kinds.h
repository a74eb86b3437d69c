/* SPDX-License-Identifier: MIT
 *
 * kinds.h: interning of node attributes that repeat together.
 *
 * A heap of millions of nodes has a few hundred combinations of coarse type, type, class, file and descriptive name. One
 * index per node stands for all five, and an analysis that groups by any of them works on the combinations.
 */
#ifndef UBI_GRAPH_KINDS_H
#define UBI_GRAPH_KINDS_H

#include <ubiheap/core/graph.h>

#include "base/alloc.h"
#include "base/table.h"

UBI_VEC_DECLARE(ubi__vec_kind, ubi_kind);

typedef struct ubi__kinds {
    const ubi_allocator *allocator;
    ubi__vec_kind rows;
    ubi__row_table table;
    uint64_t factor[2]; /* of the hash; secret, see base/hash.h */
} ubi__kinds;

/** Whether two kinds are the same combination of indices. */
static inline bool ubi__kind_equal(const ubi_kind *a, const ubi_kind *b) {
    return a->type_name == b->type_name && a->class_name == b->class_name && a->script_filename == b->script_filename &&
           a->descriptive_name == b->descriptive_name && a->coarse_type == b->coarse_type &&
           a->raw_type == b->raw_type && a->detachedness == b->detachedness;
}

/** While kinds are interned: each row is found by what it is, and so is there once. O(kinds). */
void ubi__kinds_check(const ubi__kinds *k);
void ubi__kinds_init(ubi__kinds *k, const ubi_allocator *a);
void ubi__kinds_fini(ubi__kinds *k);
/** Index of this combination of indices, made if new. Compares indices, not texts. */
ubi_status ubi__kinds_intern(ubi__kinds *k, ubi_kind_ix *out, const ubi_kind *kind);
/** Give the lookup table and spare capacity back; no interning afterwards. */
void ubi__kinds_trim(ubi__kinds *k);

#endif
