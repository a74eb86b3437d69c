/* SPDX-License-Identifier: MIT
 *
 * keeper_families.h: kinds that people would call by one name.
 */
#ifndef UBI_DOMINATORS_KEEPER_FAMILIES_H
#define UBI_DOMINATORS_KEEPER_FAMILIES_H

#include <ubiheap/core/graph.h>

#include "base/alloc.h"

/** family[kind]: the first kind of equal coarse type and name (descriptive name, else class, else file, else type). */
typedef struct ubi__families {
    uint32_t *family; /* owned family[n_kinds] */
    uint32_t n_kinds;
} ubi__families;

/** The family of a kind is a kind of its own family, at or before it. O(kinds). */
void ubi__families_check(const ubi__families *families);
/** Cost: O(kinds log kinds). Errors: UBI_ENOMEM. */
ubi_status ubi__families_init(ubi__families *out, const ubi_graph *graph, const ubi_allocator *allocator);
void ubi__families_fini(ubi__families *families, const ubi_allocator *allocator);

#endif
