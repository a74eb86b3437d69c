/* SPDX-License-Identifier: MIT
 *
 * block_table.h: which blocks of a recorded program's heap live, by address.
 *
 * A table of entries (base/table.h): 24 to 32 bytes per block.
 */
#ifndef UBI_RECORDING_BLOCK_TABLE_H
#define UBI_RECORDING_BLOCK_TABLE_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

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

static inline bool ubi__block_is_used(const ubi__block *slot) {
    return slot->address != 0;
}
static inline uint64_t ubi__block_hash(const ubi__block *slot) {
    return ubi__hash_u64(slot->address);
}
UBI_TABLE_DECLARE(ubi__block_slots, ubi__block, ubi__block_is_used, ubi__block_hash);

typedef struct ubi__block_table {
    const ubi_allocator *allocator;
    ubi__block_slots table;
} ubi__block_table;

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator);
void ubi__block_table_fini(ubi__block_table *t);
/** Room for one more. Errors: UBI_ENOMEM, and the table is as it was. */
ubi_status ubi__block_table_reserve(ubi__block_table *t);
/** What is asked about this address soon will not wait for memory. */
void ubi__block_table_prefetch(const ubi__block_table *t, uint64_t address);
/** There is room. @return what was at its address, which is not 0, before; address 0: nothing. Cost: O(1). */
ubi__block ubi__block_table_put(ubi__block_table *t, ubi__block block);
/** NULL: nothing lives there. Until the table changes. */
ubi__block *ubi__block_table_find(const ubi__block_table *t, uint64_t address);
/** Takes out what was found. */
void ubi__block_table_remove(ubi__block_table *t, ubi__block *block);

#endif
