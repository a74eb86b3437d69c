/* SPDX-License-Identifier: MIT
 *
 * random_heap.h: small random heaps and breakdowns, the same for a seed.
 *
 * Names come from a small pool, so that everything collides: one text under several entries, classes called "other", "3" and
 * "__proto__", frames of equal content, cycles, parallel edges, nodes out of reach.
 */
#ifndef UBI_TESTS_RANDOM_HEAP_H
#define UBI_TESTS_RANDOM_HEAP_H

#include <ubiheap/core/census.h>

#include "random_numbers.h"

enum { RANDOM_HEAP_NODES = 40 };

/** A heap of at most RANDOM_HEAP_NODES nodes. The caller's. */
ubi_graph *random_heap(void);
/** The pool's texts that JavaScript takes for array indices are these. */
bool random_heap_is_array_index(const char *text);

/** A breakdown as a tree of plain data. */
typedef struct random_breakdown {
    ubi_breakdown_by by;
    bool written; /* of a count: its options are */
    struct random_breakdown *parts[5];
    size_t n_parts;
} random_breakdown;

/** At most `depth` levels; valid until the next call. */
random_breakdown *random_breakdown_new(unsigned depth, bool arrays);
/** Its JSON, from malloc. */
char *random_breakdown_json(const random_breakdown *b);
/** Name of the i-th part of what groups `by`, such as "then"; NULL: there is none. */
const char *random_breakdown_part(ubi_breakdown_by by, size_t i);

#endif
