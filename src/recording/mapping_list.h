/* SPDX-License-Identifier: MIT
 *
 * mapping_list.h: ranges of addresses that a recorded program has mapped.
 *
 * Sorted by address; no two overlap. There are at most some 65,000, for so many a process may have, so adding and
 * cutting move what is behind: O(n).
 */
#ifndef UBI_RECORDING_MAPPING_LIST_H
#define UBI_RECORDING_MAPPING_LIST_H

#include "base/alloc.h"

typedef struct ubi__mapping {
    uint64_t low, high;
    uint64_t number; /* of its allocation */
    uint32_t trace;
    uint32_t kind : 31;
    uint32_t has_pieces : 1; /* others may be of the same allocation */
} ubi__mapping;

UBI_VEC_DECLARE(ubi__mapping_list, ubi__mapping);

/** The first that ends behind this address; list->n: none. */
size_t ubi__mapping_at(const ubi__mapping_list *list, uint64_t address);
/** It overlaps none. Errors: UBI_ENOMEM. */
ubi_status ubi__mapping_add(ubi__mapping_list *list, const ubi_allocator *allocator, ubi__mapping mapping);
void ubi__mapping_remove(ubi__mapping_list *list, size_t i);

#endif
