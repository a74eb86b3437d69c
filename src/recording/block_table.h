/* SPDX-License-Identifier: MIT
 *
 * block_table.h: which blocks of a recorded program's heap live, by address.
 *
 * Each event of a recording that is read from a program passes here, and addresses follow no pattern. So blocks lie in groups of four, one
 * cache line: a look-up compares four addresses without a branch, and mostly that decides. One of base/table.h's tables ends at the first
 * slot that is empty, a branch that no processor predicts, and moves entries when one leaves.
 *
 * A block is in the group that its hash says, or, where that is full, in the next one with room. So a look-up ends at the first
 * group that is not full. Invariant: from a block's own group up to where it lies, all groups before that one are full.
 *
 * Memory: 24 to 32 bytes per block; up to 86 where that makes no more than 4 MiB. Cost of each: O(1).
 */
#ifndef UBI_RECORDING_BLOCK_TABLE_H
#define UBI_RECORDING_BLOCK_TABLE_H

#include <assert.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/alloc.h"
#include "base/hash.h"

#define UBI__BLOCK_ADDRESS_BITS 56
#define UBI__BLOCK_KIND_BITS 8
#define UBI__BLOCK_NUMBER_BITS 44
#define UBI__BLOCK_SIZE_BITS 20

typedef struct ubi__block {
    uint64_t address : UBI__BLOCK_ADDRESS_BITS; /* 0: empty slot */
    uint64_t kind : UBI__BLOCK_KIND_BITS;
    uint64_t number : UBI__BLOCK_NUMBER_BITS;
    uint64_t size : UBI__BLOCK_SIZE_BITS; /* the low bits of it */
} ubi__block;
static_assert(sizeof(ubi__block) == 16, "16 bytes, times 1.5 to 2");

#define UBI__BLOCK_GROUP 4
/* A table of no more groups (0.5 MiB) stays in the processor's cache. */
#define UBI__BLOCK_SMALL_GROUPS ((size_t)1 << 13)
/* One of no more (4 MiB) may waste room. */
#define UBI__BLOCK_ROOMY_GROUPS ((size_t)1 << 16)

typedef struct ubi__block_group {
    _Alignas(64) ubi__block slots[UBI__BLOCK_GROUP];
} ubi__block_group;
static_assert(sizeof(ubi__block_group) == 64, "a cache line");

typedef struct ubi__block_table {
    const ubi_allocator *allocator;
    ubi__block_group *groups; /* groups[n_groups] */
    size_t n_groups;
    size_t n;     /* blocks */
    size_t n_max; /* how many the groups may hold */
    void *memory; /* which the groups are in */
} ubi__block_table;

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator);
void ubi__block_table_fini(ubi__block_table *t);
/** The invariant, and that n blocks are there. Cost: O(groups). */
void ubi__block_table_check(const ubi__block_table *t);
/** More groups. Errors: UBI_ENOMEM, and the table is as it was. */
ubi_status ubi__block_table_grow(ubi__block_table *t);
/** The second half of taking a block out of a full group: those that were put elsewhere because of it come closer. */
void ubi__block_table_close_gap(ubi__block_table *t, size_t group, unsigned gap);

/** Room for one more. Errors: UBI_ENOMEM, and the table is as it was. */
static inline ubi_status ubi__block_table_reserve(ubi__block_table *t) {
    return ubi__likely(t->n < t->n_max) ? UBI_OK : ubi__block_table_grow(t);
}

/** The group that an address belongs to: one multiplication mixes all its bits, another scales them. The seed is secret. */
static inline size_t ubi__block_home(uint64_t address, size_t n_groups) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(address ^ ubi__hash_seed) * UINT64_C(0xd6e8feb86659fd93);
    uint64_t hash = (uint64_t)(product >> 64) ^ (uint64_t)product;
    return (size_t)((wide)hash * n_groups >> 64);
}

static inline size_t ubi__block_group_next(const ubi__block_table *t, size_t i) {
    return i + 1 < t->n_groups ? i + 1 : 0;
}

/** Which slots of a group have an address, two bits each; 0: which are empty. */
static inline unsigned ubi__block_group_find(const ubi__block_group *group, uint64_t address) {
#if defined(__SSE2__)
    const __m128i *slots = (const __m128i *)(const void *)group->slots;
    const int above = 64 - UBI__BLOCK_ADDRESS_BITS; /* the kind is shifted out */
    __m128i wanted = _mm_slli_epi64(_mm_set1_epi64x((int64_t)address), above);
    __m128i low = _mm_slli_epi64(_mm_unpacklo_epi64(slots[0], slots[1]), above);
    __m128i high = _mm_slli_epi64(_mm_unpacklo_epi64(slots[2], slots[3]), above);
    __m128i halves = _mm_packs_epi32(_mm_cmpeq_epi32(low, wanted), _mm_cmpeq_epi32(high, wanted));
    unsigned found = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(halves, _mm_setzero_si128())); /* two bits a slot */
    return found & found >> 1 & 0x55;
#else
    unsigned found = 0;
    for (unsigned i = 0; i < UBI__BLOCK_GROUP; i++)
        found |= (unsigned)(group->slots[i].address == address) << 2 * i;
    return found;
#endif
}

/** The first slot of those. */
static inline ubi__block *ubi__block_group_slot(ubi__block_group *group, unsigned found) {
    return &group->slots[__builtin_ctz(found) / 2];
}

/** What is asked about this address soon will not wait for memory. Always inline: gcc leaves out calls of what only prefetches. */
static inline __attribute__((always_inline)) void ubi__block_table_prefetch(const ubi__block_table *t,
                                                                            uint64_t address) {
    if (ubi__likely(t->n_groups <= UBI__BLOCK_SMALL_GROUPS))
        return;
    __builtin_prefetch(&t->groups[ubi__block_home(address, t->n_groups)], 1);
}

/** There is room. @return what was at its address, which is not 0, before; address 0: nothing. */
static inline ubi__block ubi__block_table_put(ubi__block_table *t, ubi__block block) {
    UBI_ASSERT(block.address != 0 && t->n <= t->n_max && t->n_max < t->n_groups * UBI__BLOCK_GROUP);
    for (size_t i = ubi__block_home(block.address, t->n_groups);; i = ubi__block_group_next(t, i)) {
        ubi__block_group *group = &t->groups[i];
        unsigned same = ubi__block_group_find(group, block.address), empty = ubi__block_group_find(group, 0);
        if (ubi__likely((same | empty) != 0)) {
            ubi__block *slot = ubi__block_group_slot(group, same ? same : empty), before = *slot;
            t->n += !same;
            *slot = block;
            return before;
        }
    }
}

/** NULL: nothing lives there. Until the table changes. */
static inline ubi__block *ubi__block_table_find(const ubi__block_table *t, uint64_t address) {
    if (address == 0 || t->n == 0)
        return NULL;
    for (size_t i = ubi__block_home(address, t->n_groups);; i = ubi__block_group_next(t, i)) {
        ubi__block_group *group = &t->groups[i];
        unsigned same = ubi__block_group_find(group, address);
        if (ubi__likely(same != 0))
            return ubi__block_group_slot(group, same);
        if (ubi__block_group_find(group, 0))
            return NULL;
    }
}

/** Takes out what was found. */
static inline void ubi__block_table_remove(ubi__block_table *t, ubi__block *block) {
    size_t at = (size_t)(block - t->groups->slots), i = at / UBI__BLOCK_GROUP;
    UBI_ASSERT(block == ubi__block_table_find(t, block->address));
    bool was_full = ubi__block_group_find(&t->groups[i], 0) == 0;
    *block = (ubi__block){ 0 };
    t->n--;
    if (was_full)
        ubi__block_table_close_gap(t, i, at % UBI__BLOCK_GROUP);
}

#endif
