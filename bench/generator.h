/* SPDX-License-Identifier: MIT
 *
 * generator.h: made-up snapshots, for measuring and for hurting.
 *
 * A snapshot is a pure function of its options: the same shape, seed, size and stacks give the same stream, byte for
 * byte. Node and edge counts come out exactly as asked for. Nothing of the file is held in memory: the list, star,
 * grid and shuffled shapes compute every edge when it is written, the browser shapes keep 13 bytes per node.
 */
#ifndef UBI_BENCH_GENERATOR_H
#define UBI_BENCH_GENERATOR_H

#include <ubiheap/base.h>

#include "base/deflate.h"

typedef enum ubi__shape {
    UBI__SHAPE_BROWSER,      /* modelled on a whole idle browser */
    UBI__SHAPE_RANDOM_IDS,   /* the same, ids scattered over 48 bits and unaligned */
    UBI__SHAPE_INLINE_NAMES, /* the same, every edge spells its name out */
    UBI__SHAPE_UNREACHABLE,  /* the same, three of ten nodes cannot be reached */
    UBI__SHAPE_SHUFFLED,     /* a binary tree and random edges, nodes in random order */
    UBI__SHAPE_LIST,         /* every node leads to the next */
    UBI__SHAPE_STAR,         /* the root leads to every other node */
    UBI__SHAPE_GRID,         /* row by row, every node leads right and down */
    UBI__SHAPE_COUNT
} ubi__shape;

typedef struct ubi__generator_options {
    ubi__shape shape;
    uint64_t seed;
    uint64_t n_nodes;       /* 0: as many as fit n_edges; not for grids, whose sides come from n_edges */
    uint64_t n_edges;       /* 0: as many as fit n_nodes. Both 0 is an error */
    unsigned stack_percent; /* browser shapes: objects that have an allocation stack */
} ubi__generator_options;

typedef struct ubi__generator_result {
    uint64_t n_nodes, n_edges;
    uint64_t n_reachable;
    uint64_t stream_bytes; /* before compression */
} ubi__generator_result;

const char *ubi__shape_name(ubi__shape shape);
const char *ubi__shape_help(ubi__shape shape);
/** UBI__SHAPE_COUNT when there is no such shape. */
ubi__shape ubi__shape_find(const char *name);

/**
 * Writes the uncompressed stream of a snapshot.
 *
 * @param result  may be NULL.
 * Errors: UBI_EINVAL (sizes that the shape cannot have), UBI_ELIMIT, UBI_ENOMEM, or what `write` says.
 * Cost: 30 to 60 ns per edge.
 */
ubi_status ubi__generate(const ubi__generator_options *options, ubi__write_fn write, void *payload,
                         ubi__generator_result *result);

#endif
