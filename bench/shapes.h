/* SPDX-License-Identifier: MIT
 *
 * shapes.h: graphs that are hard on some algorithm, made in memory.
 *
 * A graph is a pure function of its shape and size. Every node has 1 byte, the root 0; node and file order agree with the
 * order in which a shape is described, root first.
 */
#ifndef UBI_BENCH_SHAPES_H
#define UBI_BENCH_SHAPES_H

#include <ubiheap/core/graph.h>

typedef enum ubi__hard_shape {
    UBI__HARD_LIST,          /* every node leads to the next */
    UBI__HARD_LIST_BACK,     /* and to the one half as far from the root */
    UBI__HARD_STAR,          /* the root leads to every other node */
    UBI__HARD_STAR_BACK,     /* and back */
    UBI__HARD_GRID,          /* row by row, every node leads right and down */
    UBI__HARD_WIDE,          /* one node leads to all others, and each of these to the same last one */
    UBI__HARD_SHUFFLED_LIST, /* a list that stands in the file in random order */
    UBI__HARD_RANDOM,        /* three edges per node to random nodes */
    UBI__HARD_SHARED_TAIL,   /* a chain from the root, whose end and the root lead to all of as many nodes again */
    UBI__HARD_DENSE,         /* sixteen edges per node to random nodes */
    UBI__HARD_SHAPE_COUNT
} ubi__hard_shape;

const char *ubi__hard_shape_name(ubi__hard_shape shape);

/**
 * A graph of about `n_nodes`, at least 4: grids are square, shared tails have an odd number.
 *
 * Errors: UBI_EINVAL (too few nodes), UBI_ENOMEM. Cost: 20 to 60 ns per edge.
 */
ubi_status ubi__hard_graph(ubi_graph **out, ubi__hard_shape shape, uint32_t n_nodes, const ubi_allocator *allocator);

#endif
