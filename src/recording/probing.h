/* SPDX-License-Identifier: MIT
 *
 * probing.h: what tables with open addressing and linear probing share here.
 *
 * A hash is scaled to the number of slots, which need not be a power of two. So a table grows by little, and entries keep
 * their order when it does: they are moved as one reads on, instead of each to another end of memory.
 *
 * Removing moves later entries up, so a table never fills with tombstones, however long a program runs.
 */
#ifndef UBI_RECORDING_PROBING_H
#define UBI_RECORDING_PROBING_H

#include "base/hash.h"

#define UBI__PROBING_FIRST_SLOTS 64

/** The slot where to begin to look. */
static inline size_t ubi__probing_home(uint64_t hash, size_t n_slots) {
    return (size_t)((unsigned __int128)hash * n_slots >> 64);
}

static inline size_t ubi__probing_next(size_t i, size_t n_slots) {
    return i + 1 < n_slots ? i + 1 : 0;
}

/** Whether an entry at slot `i` that belongs to slot `home` would still be found in the slot `gap`, which is on the way to i. */
static inline bool ubi__probing_may_move(size_t home, size_t gap, size_t i) {
    return gap <= i ? home <= gap || home > i : home <= gap && home > i;
}

/** Whether another entry would fill more than two thirds. */
static inline bool ubi__probing_is_full(size_t n, size_t n_slots) {
    return (n + 1) * 3 > n_slots * 2;
}

/** So many slots next. */
static inline size_t ubi__probing_grown(size_t n_slots) {
    return n_slots ? n_slots + n_slots / 16 * 5 : UBI__PROBING_FIRST_SLOTS;
}

#endif
