/* SPDX-License-Identifier: MIT
 *
 * tool_memory.h: arrays of the tools' own tables.
 *
 * They come from the tools' allocator, never from the engine's heap: what is measured must not change by being measured.
 */
#ifndef UBI_TRACKING_TOOL_MEMORY_H
#define UBI_TRACKING_TOOL_MEMORY_H

#include <string.h>

#include <ubiheap/core/base.h>

/** n * size zeroed bytes, or NULL. */
static inline void *ubi__tool_calloc(const ubi_allocator *a, size_t n, size_t size) {
    if (n == 0 || size == 0 || n > SIZE_MAX / size)
        return NULL;
    void *p = a->alloc(a->ctx, n * size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

static inline void ubi__tool_free(const ubi_allocator *a, void *p, size_t n, size_t size) {
    if (p)
        a->free(a->ctx, p, n * size);
}

/**
 * Makes room for `wanted` elements in an array of *capacity, by doubling. False, with the array as it was, when there is no
 * memory. New elements are not set.
 */
static inline bool ubi__tool_reserve(const ubi_allocator *a, void **at, uint32_t *capacity, uint32_t wanted,
                                     size_t size) {
    if (wanted <= *capacity)
        return true;
    uint64_t larger = *capacity ? *capacity : 8;
    while (larger < wanted)
        larger *= 2;
    if (larger > UINT32_MAX / 2 || larger > SIZE_MAX / size)
        return false;
    void *p = a->resize(a->ctx, *at, *capacity * size, (size_t)larger * size);
    if (!p)
        return false;
    *at = p;
    *capacity = (uint32_t)larger;
    return true;
}

#endif
