/* SPDX-License-Identifier: MIT
 *
 * hash.h: mixing for open-addressing tables. Keys may come from hostile files: tables must tolerate collisions on equal
 * hashes only by being seeded per process, which these functions are.
 */
#ifndef UBI_BASE_HASH_H
#define UBI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** Random once per process, so that no file can be prepared whose keys all collide. */
extern uint64_t ubi__hash_seed;

/** Full 64-to-64-bit mix (a bijection for a fixed seed). */
static inline uint64_t ubi__hash_u64(uint64_t x) {
    x ^= ubi__hash_seed;
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}
static inline uint64_t ubi__hash_combine(uint64_t h, uint64_t x) {
    return ubi__hash_u64(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}
uint64_t ubi__hash_bytes(const void *data, size_t n);

#endif
