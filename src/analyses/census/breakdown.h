/* SPDX-License-Identifier: MIT
 *
 * breakdown.h: a parsed breakdown.
 *
 * All nodes of one breakdown lie in one array, the outermost at 0, the children of a node side by side. A node is what
 * the public API calls a breakdown: a reference to any node holds the whole tree.
 *
 *     {by: "objectClass", then: {by: "count"}}     nodes: [0] OBJECT_CLASS, children 1..2
 *                                                         [1] COUNT (then)   [2] COUNT (other, not written out)
 *
 * Parts that were left out are filled in with {by: "count"} and marked as not written, because Firefox's tree code
 * trips over them.
 */
#ifndef UBI_CENSUS_BREAKDOWN_H
#define UBI_CENSUS_BREAKDOWN_H

#include <stdatomic.h>

#include <ubiheap/core/census.h>

#include "base/alloc.h"

/* Places of the children, in the order in which Firefox reads them. */
enum {
    UBI__CHILD_THEN = 0,     /* of every kind with keys */
    UBI__CHILD_OTHERWISE = 1 /* other, noStack, noFilename */
};

typedef struct ubi__breakdown_tree ubi__breakdown_tree;

struct ubi_breakdown {
    ubi__breakdown_tree *tree;
    ubi_breakdown_by by;
    uint32_t first_child; /* place in tree->nodes */
    uint32_t n_children;
    bool was_written; /* false: left out, and {by: "count"} is used */
    bool has_count;   /* COUNT: report the number */
    bool has_bytes;
    bool was_count_written; /* the option itself was there: Firefox's trees take numbers only then */
    bool was_bytes_written;
    bool has_label;
    uint32_t label_len;
    uint64_t label_start; /* in tree->text */
    char member_name[16]; /* "[3]" in a member of an array, else "" */
};

UBI_VEC_DECLARE(ubi__vec_breakdown, ubi_breakdown);

struct ubi__breakdown_tree {
    _Atomic uint32_t references;
    const ubi_allocator *allocator;
    ubi__vec_breakdown nodes;
    ubi__vec_u8 text; /* labels, back to back */
};

/** Nodes come after their parents, each is the child of one, and labels lie within the text. O(nodes). */
void ubi__breakdown_tree_check(const ubi__breakdown_tree *tree);
/** An empty tree with one reference. */
ubi_status ubi__breakdown_tree_new(ubi__breakdown_tree **out, const ubi_allocator *allocator);
void ubi__breakdown_tree_unref(ubi__breakdown_tree *tree);
/** Appends `n` nodes that stand for left-out parts: {by: "count"}. */
ubi_status ubi__breakdown_tree_append(ubi__breakdown_tree *tree, uint32_t *first, uint32_t n);
/** The outermost breakdown, once no node will be added. */
ubi_breakdown *ubi__breakdown_tree_root(ubi__breakdown_tree *tree);

static inline const ubi_breakdown *ubi__breakdown_child(const ubi_breakdown *b, uint32_t place) {
    return &b->tree->nodes.at[b->first_child + UBI_INDEX(place, b->n_children)];
}
ubi_text ubi__breakdown_label(const ubi_breakdown *breakdown);
/** Whether both group and show the same, however they were written. */
bool ubi__breakdown_equal(const ubi_breakdown *a, const ubi_breakdown *b);
/** Whether `by` occurs anywhere in it. */
bool ubi__breakdown_mentions(const ubi_breakdown *breakdown, ubi_breakdown_by by);
/**
 * The breakdown that lists ids where `breakdown` counts.
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, countToBucketBreakdown.
 */
ubi_status ubi__breakdown_count_to_bucket(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                          const ubi_allocator *allocator);
/** `breakdown` with one more reference, or the default breakdown. */
ubi_status ubi__breakdown_or_default(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                     const ubi_allocator *allocator);

#endif
