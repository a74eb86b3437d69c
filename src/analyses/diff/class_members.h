/* SPDX-License-Identifier: MIT
 *
 * class_members.h: which nodes of one class are in one of two heaps alone.
 */
#ifndef UBI_ANALYSES_CLASS_MEMBERS_H
#define UBI_ANALYSES_CLASS_MEMBERS_H

#include <ubiheap/core/classes.h>
#include <ubiheap/core/diff.h>

#include "base/alloc.h"

/** Ids, in the order of their files. All zero: none. */
typedef struct ubi__class_members {
    ubi__vec_u64 created; /**< in the newer heap alone */
    ubi__vec_u64 deleted; /**< in the older heap alone */
} ubi__class_members;

/**
 * The nodes that a row of a class diff counts as created and deleted.
 * @param out   all zero; owned by the caller, also after an error: ubi__class_members_fini.
 * @param wanted  the name of the row.
 * @param start, end  those of the diff.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(n) in the nodes of both heaps, a lookup of an id for each of the class.
 */
ubi_status ubi__class_members_find(ubi__class_members *out, const ubi_class *wanted, const ubi_class_scheme *start,
                                   const ubi_class_scheme *end, const ubi_class_diff_options *options);
void ubi__class_members_fini(ubi__class_members *members, const ubi_allocator *allocator);

#endif
