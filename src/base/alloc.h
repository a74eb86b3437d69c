/* SPDX-License-Identifier: MIT
 *
 * alloc.h: the allocator interface for our own use, and growable columns.
 *
 * A column is a flat array that grows by doubling. With the default allocator a large one grows by moving page tables
 * (mremap), never by copying, and untouched capacity costs no memory.
 */
#ifndef UBI_BASE_ALLOC_H
#define UBI_BASE_ALLOC_H

#include <string.h>

#include <ubiheap/core/base.h>

#include "base/assert.h"
#include "base/server_api.h"
#include "base/status.h"

static inline const ubi_allocator *ubi__allocator_or_default(const ubi_allocator *allocator) {
    return allocator ? allocator : ubi_allocator_default();
}

/**
 * For tests of what has no allocator of its own: the default one is another from now on. Only while nothing of it is in use, and no other
 * thread runs. NULL: the usual one again.
 */
void ubi__allocator_default_replace(const ubi_allocator *allocator);

/**
 * Each block has pages of its own, so using it changes nothing about what malloc does: for what looks at a program from inside.
 * For few, growing blocks. New memory is zero. Static; safe from any thread.
 */
const ubi_allocator *ubi__allocator_of_pages(void);

/** n * size bytes, or NULL (also on overflow and for 0 bytes). Message set on failure only by the callers. */
void *ubi__alloc_array(const ubi_allocator *a, size_t n, size_t size);
UBI__SERVER_API void *ubi__calloc_array(const ubi_allocator *a, size_t n, size_t size);
static inline void ubi__free_array(const ubi_allocator *a, void *p, size_t n, size_t size) {
    if (p)
        a->free(a->ctx, p, n * size);
}
/**
 * Makes the system supply the whole pages in [p, p + size) now. Their bytes stay as they are, so another thread may use them
 * meanwhile: it finds the memory ready. Best effort. Cost: as much as touching them.
 */
void ubi__touch_pages(void *p, size_t size);

#define UBI_NEW(a, type) ((type *)ubi__calloc_array((a), 1, sizeof(type)))
#define UBI_DELETE(a, p) ubi__free_array((a), (p), 1, sizeof *(p))

/**
 * Declares `name`: a growable array of `type`.
 * name_reserve(v, a, extra): room for `extra` more, doubling. UBI_OK or UBI_ENOMEM (v unchanged).
 * name_push(v, a, value). name_fini(v, a). name_trim(v, a): give unused capacity back (best effort).
 */
#define UBI_VEC_DECLARE(name, type)                                                                                    \
    typedef struct name {                                                                                              \
        type *at;                                                                                                      \
        size_t n;                                                                                                      \
        size_t cap;                                                                                                    \
    } name;                                                                                                            \
    __attribute__((unused)) static inline ubi_status name##_reserve(name *v, const ubi_allocator *a, size_t extra) {   \
        UBI_ASSERT(v->n <= v->cap && (v->at || v->cap == 0));                                                          \
        if (ubi__likely(v->cap - v->n >= extra))                                                                       \
            return UBI_OK;                                                                                             \
        return ubi__vec_grow((void **)&v->at, &v->cap, v->n, extra, sizeof(type), a);                                  \
    }                                                                                                                  \
    __attribute__((unused)) static inline ubi_status name##_push(name *v, const ubi_allocator *a, type value) {        \
        UBI_TRY(name##_reserve(v, a, 1));                                                                              \
        v->at[v->n++] = value;                                                                                         \
        return UBI_OK;                                                                                                 \
    }                                                                                                                  \
    __attribute__((unused)) static inline void name##_trim(name *v, const ubi_allocator *a) {                          \
        UBI_ASSERT(v->n <= v->cap);                                                                                    \
        ubi__vec_trim((void **)&v->at, &v->cap, v->n, sizeof(type), a);                                                \
    }                                                                                                                  \
    __attribute__((unused)) static inline void name##_fini(name *v, const ubi_allocator *a) {                          \
        UBI_ASSERT(v->n <= v->cap);                                                                                    \
        ubi__free_array(a, v->at, v->cap, sizeof(type));                                                               \
        v->at = NULL;                                                                                                  \
        v->n = v->cap = 0;                                                                                             \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

UBI__SERVER_API ubi_status ubi__vec_grow(void **at, size_t *cap, size_t n, size_t extra, size_t size,
                                         const ubi_allocator *a);
void ubi__vec_trim(void **at, size_t *cap, size_t n, size_t size, const ubi_allocator *a);

UBI_VEC_DECLARE(ubi__vec_u8, uint8_t);
UBI_VEC_DECLARE(ubi__vec_u32, uint32_t);
UBI_VEC_DECLARE(ubi__vec_u64, uint64_t);

/** Appends n bytes; of none, `data` may be anything. Errors: UBI_ENOMEM (v unchanged). */
static inline ubi_status ubi__bytes_append(ubi__vec_u8 *v, const void *data, size_t n, const ubi_allocator *a) {
    if (n == 0) /* there may be no memory yet to point to */
        return UBI_OK;
    UBI_TRY(ubi__vec_u8_reserve(v, a, n));
    memcpy(v->at + v->n, data, n);
    v->n += n;
    return UBI_OK;
}

/** Growing bytes as the payload of ubi__bytes_sink_write, a ubi_write_fn. */
typedef struct ubi__bytes_sink {
    ubi__vec_u8 *to;
    const ubi_allocator *allocator;
} ubi__bytes_sink;

static inline bool ubi__bytes_sink_write(void *payload, const void *data, size_t n) {
    const ubi__bytes_sink *sink = payload;
    return ubi__bytes_append(sink->to, data, n, sink->allocator) == UBI_OK;
}

#endif
