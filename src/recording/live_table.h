/* SPDX-License-Identifier: MIT
 *
 * live_table.h: what of a program's memory lives, by address: events of what is allocated, mappings. Blocks of the heap are in
 * block_table.h.
 *
 * The first is a table of entries (base/table.h): 36 to 48 bytes per event's address. Mappings are a sorted list.
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
