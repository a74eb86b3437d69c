/* SPDX-License-Identifier: MIT
 *
 * class_rows.h: classes of several heaps brought together: equal ones get one row.
 */
#ifndef UBI_ANALYSES_CLASS_ROWS_H
#define UBI_ANALYSES_CLASS_ROWS_H

#include <ubiheap/core/classes.h>

#include "base/strtab.h"

UBI_VEC_DECLARE(ubi__vec_class, ubi_class);

typedef struct ubi__class_rows {
    const ubi_allocator *allocator;
    ubi__vec_class rows; /* texts borrowed from the scheme that first had the class */
    ubi__strtab names;
    ubi__strtab keys; /* entry i is row i */
} ubi__class_rows;

/** Each row has a key of its own. O(1). */
void ubi__class_rows_check(const ubi__class_rows *t);
void ubi__class_rows_init(ubi__class_rows *t, const ubi_allocator *a);
void ubi__class_rows_fini(ubi__class_rows *t);

/**
 * Finds or adds the classes of a scheme.
 * @param out  out[n_classes], caller's: the row of each class.
 * Cost: that of the different names. Errors: UBI_ENOMEM.
 */
ubi_status ubi__class_rows_add(uint32_t *out, ubi__class_rows *t, const ubi_class_scheme *scheme);

#endif
