/* SPDX-License-Identifier: MIT
 *
 * v8_text_pool.h: texts that stay where they are until all are freed.
 */
#ifndef UBI_LENSES_V8_TEXT_POOL_H
#define UBI_LENSES_V8_TEXT_POOL_H

#include "base/alloc.h"

typedef struct ubi__v8_text_block ubi__v8_text_block;

typedef struct ubi__v8_text_pool {
    ubi__v8_text_block *last; /* each knows the one before */
} ubi__v8_text_pool;

/** Room for `n` bytes, to be filled by the caller. NULL: out of memory. */
char *ubi__v8_text_pool_room(ubi__v8_text_pool *pool, const ubi_allocator *a, size_t n);
/** A copy of `first` followed by `second`. */
ubi_status ubi__v8_text_pool_join(ubi_text *out, ubi__v8_text_pool *pool, const ubi_allocator *a, ubi_text first,
                                  ubi_text second);
void ubi__v8_text_pool_fini(ubi__v8_text_pool *pool, const ubi_allocator *a);

#endif
