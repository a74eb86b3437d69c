/* SPDX-License-Identifier: MIT
 *
 * generator.h: made-up snapshots, for measuring and for hurting.
 *
 * A snapshot is a pure function of its options: the same shape, seed, size and stacks give the same stream, byte for
 * byte. Node and edge counts come out exactly as asked for. Nothing of the file is held in memory: the list, star,
 * grid, shuffled and v8 shapes compute every edge when it is written, the browser shapes keep 13 bytes per node.
 */
#ifndef UBI_BENCH_GENERATOR_H
#define UBI_BENCH_GENERATOR_H

#include <ubiheap/core/base.h>

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
    /* From here on V8's format. */
    UBI__SHAPE_V8,         /* modelled on a Node.js program that keeps syntax trees and records */
    UBI__SHAPE_V8_LIST,    /* every object leads to the next */
    UBI__SHAPE_V8_STAR,    /* one array leads to every other node */
    UBI__SHAPE_V8_SHAPES,  /* plain objects, no two of which have the same properties */
    UBI__SHAPE_V8_ESCAPED, /* strings of nothing but escapes */
    UBI__SHAPE_V8_HUGE,    /* strings of a mebibyte each */
    UBI__SHAPE_COUNT
} ubi__shape;

/** Who wrote the file: fields of nodes and locations, white space, roots. */
typedef enum ubi__v8_version {
    UBI__V8_NODE12,  /* nodes have trace_node_id; line breaks between records */
    UBI__V8_NODE20,  /* and detachedness */
    UBI__V8_NODE24,  /* no trace_node_id; no white space */
    UBI__V8_CHROMIUM /* no user roots, no hidden nodes; locations name scripts; scopes */
} ubi__v8_version;

#define UBI__V8_VERSION_COUNT 4

typedef struct ubi__generator_options {
    ubi__shape shape;
    uint64_t seed;
    uint64_t n_nodes;       /* 0: as many as fit n_edges; not for grids, whose sides come from n_edges */
    uint64_t n_edges;       /* 0: as many as fit n_nodes. Both 0 is an error */
    unsigned stack_percent; /* browser shapes, and v8 up to node20: objects that have an allocation stack */
    ubi__v8_version v8;     /* v8 shapes */
} ubi__generator_options;

typedef struct ubi__generator_result {
    uint64_t n_nodes, n_edges;
    uint64_t n_reachable;
    uint64_t stream_bytes; /* before compression */
} ubi__generator_result;

const char *ubi__shape_name(ubi__shape shape);
const char *ubi__shape_help(ubi__shape shape);
/** Whether the shape is one of V8's format. */
static inline bool ubi__shape_is_v8(ubi__shape shape) {
    return shape >= UBI__SHAPE_V8 && shape < UBI__SHAPE_COUNT;
}
/** UBI__V8_VERSION_COUNT when there is none of this name: node12, node20, node24, chromium. */
ubi__v8_version ubi__v8_version_find(const char *name);
/** UBI__SHAPE_COUNT when there is no such shape. */
ubi__shape ubi__shape_find(const char *name);

/**
 * Writes the uncompressed stream of a snapshot.
 *
 * @param result  may be NULL.
 * Errors: UBI_EINVAL (sizes that the shape cannot have), UBI_ELIMIT, UBI_ENOMEM, or what `write` says.
 * Cost: 30 to 60 ns per edge; v8 shapes: 20 to 40.
 */
ubi_status ubi__generate(const ubi__generator_options *options, ubi__write_fn write, void *payload,
                         ubi__generator_result *result);

#endif
