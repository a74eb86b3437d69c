/* SPDX-License-Identifier: MIT
 *
 * zlib_memory.h: zlib on a ubi_allocator.
 *
 * zlib's free gives no size, so the size goes in front of the block.
 */
#ifndef UBI_BASE_ZLIB_MEMORY_H
#define UBI_BASE_ZLIB_MEMORY_H

#include <string.h>
#include <zlib.h>

#include <ubiheap/core/base.h>

#define UBI__ZLIB_SIZE_BYTES 16 /* keeps the alignment */

static inline voidpf ubi__zlib_alloc(voidpf opaque, uInt items, uInt size) {
    const ubi_allocator *a = (const ubi_allocator *)opaque;
    size_t bytes = (size_t)items * size + UBI__ZLIB_SIZE_BYTES;
    char *p = (char *)a->alloc(a->ctx, bytes);
    if (!p)
        return NULL;
    memcpy(p, &bytes, sizeof bytes);
    return p + UBI__ZLIB_SIZE_BYTES;
}

static inline void ubi__zlib_free(voidpf opaque, voidpf block) {
    const ubi_allocator *a = (const ubi_allocator *)opaque;
    char *p = (char *)block - UBI__ZLIB_SIZE_BYTES;
    size_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    a->free(a->ctx, p, bytes);
}

/** Before inflateInit or deflateInit. */
static inline void ubi__zlib_use(z_stream *z, const ubi_allocator *a) {
    union {
        const ubi_allocator *in;
        voidpf out;
    } opaque = { .in = a };
    z->zalloc = ubi__zlib_alloc;
    z->zfree = ubi__zlib_free;
    z->opaque = opaque.out;
}

#endif
