/* SPDX-License-Identifier: MIT
 *
 * live_table.h: what of a program's memory lives, by address: events of what is allocated, blocks of the heap, mappings.
 *
 * The first two are tables of entries (base/table.h): 36 to 48 bytes per event's address, 24 to 32 per block. Mappings are a
 * sorted list.
 */
#ifndef UBI_RECORDING_LIVE_TABLE_H
#define UBI_RECORDING_LIVE_TABLE_H

#include <assert.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

/* ---- events ------------------------------------------------------------------------------------------------------ */

/** An event, by its place in the stream. */
typedef uint64_t ubi__event_ix;

typedef struct ubi__live {
    uint64_t address; /* 0: empty slot; nothing lives at 0 */
    ubi__event_ix event;
    bool is_marked; /* by a collector */
} ubi__live;
static_assert(sizeof(ubi__live) == 24, "24 bytes, times 1.5 to 2");

static inline bool ubi__live_is_used(const ubi__live *slot) {
    return slot->address != 0;
}
static inline uint64_t ubi__live_hash(const ubi__live *slot) {
    return ubi__hash_u64(slot->address);
}
UBI_TABLE_DECLARE(ubi__live_slots, ubi__live, ubi__live_is_used, ubi__live_hash);

typedef struct ubi__live_table {
    const ubi_allocator *allocator;
    ubi__live_slots table;
} ubi__live_table;

void ubi__live_table_init(ubi__live_table *t, const ubi_allocator *allocator);
void ubi__live_table_fini(ubi__live_table *t);
/** Room for `n` more. Errors: UBI_ENOMEM, and the table is as it was. */
ubi_status ubi__live_table_reserve(ubi__live_table *t, size_t n);
/** Adds or replaces; there is room. `address` is not 0. Cost: O(1). */
void ubi__live_table_put(ubi__live_table *t, uint64_t address, ubi__event_ix event);
/** NULL: not there. Until the table changes. */
ubi__live *ubi__live_table_find(const ubi__live_table *t, uint64_t address);
/** Takes out what was found. */
void ubi__live_table_remove(ubi__live_table *t, ubi__live *live);
/** Takes out everything, and keeps the room. */
void ubi__live_table_clear(ubi__live_table *t);

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

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

static inline bool ubi__block_is_used(const ubi__block *slot) {
    return slot->address != 0;
}
static inline uint64_t ubi__block_hash(const ubi__block *slot) {
    return ubi__hash_u64(slot->address);
}
static inline bool ubi__block_is_at(const void *unused, const ubi__block *block, uint64_t address) {
    (void)unused;
    return block->address == address;
}
UBI_TABLE_DECLARE(ubi__block_slots, ubi__block, ubi__block_is_used, ubi__block_hash);
UBI_TABLE_LOOKUP(ubi__block, ubi__block_slots, ubi__block, ubi__block_is_used, const void *, uint64_t,
                 ubi__block_is_at);

typedef struct ubi__block_table {
    const ubi_allocator *allocator;
    ubi__block_slots table;
} ubi__block_table;

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator);
void ubi__block_table_fini(ubi__block_table *t);

/* The rest is inline: each event of a recording that is read from a program passes here. */

/** Room for one more. Errors: UBI_ENOMEM, and the table is as it was. */
static inline ubi_status ubi__block_table_reserve(ubi__block_table *t) {
    return ubi__block_slots_reserve(&t->table, t->allocator, 1);
}

/** What is asked about this address soon will not wait for memory. */
static inline void ubi__block_table_prefetch(const ubi__block_table *t, uint64_t address) {
    ubi__block_slots_prefetch(&t->table, ubi__hash_u64(address));
}

/** There is room. @return what was at its address, which is not 0, before; address 0: nothing. Cost: O(1). */
static inline ubi__block ubi__block_table_put(ubi__block_table *t, ubi__block block) {
    UBI_ASSERT(block.address != 0);
    ubi__block *slot = ubi__block_place(&t->table, NULL, block.address, ubi__hash_u64(block.address)), before = *slot;
    if (!ubi__block_is_used(slot))
        ubi__block_slots_added(&t->table);
    *slot = block;
    return before;
}

/** NULL: nothing lives there. Until the table changes. */
static inline ubi__block *ubi__block_table_find(const ubi__block_table *t, uint64_t address) {
    return address ? ubi__block_find(&t->table, NULL, address, ubi__hash_u64(address)) : NULL;
}

/** Takes out what was found. */
static inline void ubi__block_table_remove(ubi__block_table *t, ubi__block *block) {
    UBI_ASSERT(block == ubi__block_table_find(t, block->address));
    ubi__block_slots_remove(&t->table, block);
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

typedef struct ubi__mapping {
    uint64_t low, high;
    uint64_t number; /* of its allocation */
    uint32_t trace;
    uint32_t kind : 31;
    uint32_t has_pieces : 1; /* others may be of the same allocation */
} ubi__mapping;

UBI_VEC_DECLARE(ubi__mapping_list, ubi__mapping);

/** Ranges are not empty, they ascend, and none reaches into the next. */
void ubi__mapping_list_check(const ubi__mapping_list *list);
/** The first that ends after this address; list->n: none. */
size_t ubi__mapping_at(const ubi__mapping_list *list, uint64_t address);
/** It overlaps none. Errors: UBI_ENOMEM. */
ubi_status ubi__mapping_add(ubi__mapping_list *list, const ubi_allocator *allocator, ubi__mapping mapping);
void ubi__mapping_remove(ubi__mapping_list *list, size_t i);

#endif
