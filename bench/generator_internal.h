/* SPDX-License-Identifier: MIT
 *
 * generator_internal.h: what the shapes share: the encoder, random numbers, ids.
 */
#ifndef UBI_BENCH_GENERATOR_INTERNAL_H
#define UBI_BENCH_GENERATOR_INTERNAL_H

#include "formats/fxsnapshot/fxs_encode.h"
#include "generator.h"

/** Deterministic numbers: splitmix64. */
typedef struct ubi__random {
    uint64_t state;
} ubi__random;

static inline uint64_t ubi__random_next(ubi__random *r) {
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
/** 0 ... n-1, n > 0. */
static inline uint64_t ubi__random_below(ubi__random *r, uint64_t n) {
    return (uint64_t)((unsigned __int128)ubi__random_next(r) * n >> 64);
}
static inline bool ubi__random_chance(ubi__random *r, unsigned parts, unsigned of) {
    return ubi__random_below(r, of) < parts;
}

typedef struct ubi__generator {
    const ubi__generator_options *options;
    const ubi_allocator *allocator;
    ubi__fxs_encoder *encoder;
    ubi__random random;
    ubi__generator_result result;
} ubi__generator;

/** A different id of 48 bits for every `n` below 2^48. */
uint64_t ubi__scattered_id(uint64_t seed, uint64_t n);
/** Encodes a node and counts it. */
ubi_status ubi__generator_node(ubi__generator *g, const ubi__fxs_node *node, uint64_t n_edges);

/** browser_heap.c: the browser shapes. */
ubi_status ubi__generate_browser(ubi__generator *g);

#endif
