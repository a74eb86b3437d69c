/* SPDX-License-Identifier: MIT
 *
 * hooks_malloc.c: malloc and related functions, as programs call them.
 *
 * Each function has a fast way, which is nothing but a comparison and a jump to the real function, and a slow way. A
 * request below the thread's remaining bytes is not sampled; a free whose filter byte is 0 is of a block that was not
 * recorded. When everything is recorded, and before anything is known, all calls take the slow way.
 *
 * An allocation is told when the block is there, a free before it is gone, so no other thread can have the
 * address in between.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/preload.h"
#include "interpose/real_functions.h"

#define SLOW static __attribute__((noinline))

/* Steps over a request that is not sampled. False: it may be. */
static inline __attribute__((always_inline)) bool steps_over(size_t size) {
#if defined(__x86_64__)
    /* Compare and subtract in memory: compilers load and store, which is two instructions more. */
    __asm__ goto("cmpq %[remaining], %[size]\n\tjae %l[no]\n\tsubq %[size], %[remaining]"
                 :
                 : [remaining] "m"(ubi__this_thread.remaining_bytes), [size] "r"(size)
                 : "cc", "memory"
                 : no);
    return true;
no:
    return false;
#else
    uint64_t remaining = ubi__this_thread.remaining_bytes;
    if (ubi__unlikely(size >= remaining))
        return false;
    ubi__this_thread.remaining_bytes = remaining - size;
    return true;
#endif
}

/* What an allocation is recorded as: that of an operator new which called us, if one did. */
typedef struct request {
    ubi__alloc_kind kind;
    size_t size_bytes;
    ubi__unwind_registers caller;
} request;

/* Takes the operator new that waits for its memory. False: none does, or something else was called meanwhile. */
static inline bool take_pending_new(request *r, ubi__pending_new *kept) {
    ubi__pending_new *pending = &ubi__this_thread.pending_new;
    if (ubi__likely(!pending->kind))
        return false;
    if (pending->from ? pending->from != r->caller.pc : r->caller.pc - pending->low >= pending->high - pending->low)
        return false;
    *kept = *pending;
    kept->from = r->caller.pc;
    pending->kind = 0;
    *r = (request){ .kind = (ubi__alloc_kind)kept->kind, .size_bytes = kept->size_bytes, .caller = kept->caller };
    return true;
}

/* Told, when there is a block. Without one, an operator new asks its handler and may call us again. */
static inline void *finish_request(void *p, request *r) {
    ubi__pending_new kept;
    bool is_new = take_pending_new(r, &kept);
    if (ubi__likely(p != NULL))
        (void)ubi__allocated(p, r->size_bytes, r->kind, &r->caller);
    else if (is_new)
        ubi__this_thread.pending_new = kept;
    return p;
}

/* ---- malloc, calloc, free ---------------------------------------------------------------------------------------- */

SLOW void *slow_malloc(size_t size) {
    request r = { UBI__ALLOC_MALLOC, size, ubi__caller() };
    return finish_request(ubi__real.malloc(size), &r);
}

UBI__HOOK void *malloc(size_t size) {
    if (steps_over(size))
        return ubi__real.malloc(size);
    return slow_malloc(size);
}

SLOW void *slow_calloc(size_t n, size_t size) {
    request r = { UBI__ALLOC_CALLOC, n * size, ubi__caller() };
    return finish_request(ubi__real.calloc(n, size), &r);
}

UBI__HOOK void *calloc(size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || steps_over(bytes))
        return ubi__real.calloc(n, size);
    return slow_calloc(n, size);
}

static inline void tell_free(void *p, ubi__free_kind kind, size_t size) {
    if (ubi__unlikely(!p))
        return;
    if (ubi__unlikely(ubi__this_thread.deleting == p))
        ubi__this_thread.deleting = NULL;
    else
        (void)ubi__freeing(p, kind, size);
}

SLOW void slow_free(void *p) {
    tell_free(p, UBI__FREE_FREE, 0);
    ubi__real.free(p);
}

UBI__HOOK void free(void *p) {
    if (ubi__filter_passes(p))
        ubi__real.free(p);
    else
        slow_free(p);
}

UBI__HOOK void free_sized(void *p, size_t size);
UBI__HOOK void free_sized(void *p, size_t size) {
    if (!ubi__filter_passes(p))
        tell_free(p, UBI__FREE_SIZED, size);
    if (ubi__real.free_sized)
        ubi__real.free_sized(p, size);
    else
        ubi__real.free(p);
}

UBI__HOOK void free_aligned_sized(void *p, size_t alignment, size_t size);
UBI__HOOK void free_aligned_sized(void *p, size_t alignment, size_t size) {
    if (!ubi__filter_passes(p))
        tell_free(p, UBI__FREE_SIZED, size);
    if (ubi__real.free_aligned_sized)
        ubi__real.free_aligned_sized(p, alignment, size);
    else
        ubi__real.free(p);
}

/* ---- realloc ----------------------------------------------------------------------------------------------------- */

static inline void *tell_realloc(void *p, size_t size, ubi__alloc_kind kind, const ubi__unwind_registers *caller) {
    bool was_recorded = p && !ubi__filter_passes(p) && ubi__freeing(p, UBI__FREE_REALLOC, 0);
    void *moved = ubi__real.realloc(p, size);
    if (moved) {
        bool is_recorded = ubi__allocated(moved, size, kind, caller);
        if (was_recorded && !is_recorded)
            ubi__realloc_freed();
    } else if (was_recorded && size) {
        ubi__realloc_failed(p);
    } else if (was_recorded) {
        ubi__realloc_freed();
    }
    ubi__realloc_done();
    return moved;
}

SLOW void *slow_realloc(void *p, size_t size) {
    ubi__unwind_registers caller = ubi__caller();
    return tell_realloc(p, size, UBI__ALLOC_REALLOC, &caller);
}

UBI__HOOK void *realloc(void *p, size_t size) {
    if ((!p || ubi__filter_passes(p)) && steps_over(size))
        return ubi__real.realloc(p, size);
    return slow_realloc(p, size);
}

SLOW void *slow_reallocarray(void *p, size_t size) {
    ubi__unwind_registers caller = ubi__caller();
    return tell_realloc(p, size, UBI__ALLOC_REALLOCARRAY, &caller);
}

/* The C library's checks, then calls realloc; so does ours, and it counts once, whichever realloc that is. */
UBI__HOOK void *reallocarray(void *p, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if ((!p || ubi__filter_passes(p)) && steps_over(bytes))
        return ubi__real.realloc(p, bytes);
    return slow_reallocarray(p, bytes);
}

/* ---- aligned blocks ---------------------------------------------------------------------------------------------- */

UBI__HOOK int posix_memalign(void **out, size_t alignment, size_t size) {
    if (steps_over(size))
        return ubi__real.posix_memalign(out, alignment, size);
    request r = { UBI__ALLOC_POSIX_MEMALIGN, size, ubi__caller() };
    void *p = NULL;
    int error = ubi__real.posix_memalign(&p, alignment, size);
    if (error)
        return error;
    *out = p;
    (void)finish_request(p, &r);
    return 0;
}

UBI__HOOK void *aligned_alloc(size_t alignment, size_t size) {
    if (steps_over(size))
        return ubi__real.aligned_alloc(alignment, size);
    request r = { UBI__ALLOC_ALIGNED_ALLOC, size, ubi__caller() };
    return finish_request(ubi__real.aligned_alloc(alignment, size), &r);
}

UBI__HOOK void *memalign(size_t alignment, size_t size) {
    if (steps_over(size))
        return ubi__real.memalign(alignment, size);
    request r = { UBI__ALLOC_MEMALIGN, size, ubi__caller() };
    return finish_request(ubi__real.memalign(alignment, size), &r);
}

UBI__HOOK void *valloc(size_t size) {
    if (steps_over(size))
        return ubi__real.valloc(size);
    request r = { UBI__ALLOC_VALLOC, size, ubi__caller() };
    return finish_request(ubi__real.valloc(size), &r);
}

UBI__HOOK void *pvalloc(size_t size) {
    if (steps_over(size))
        return ubi__real.pvalloc(size);
    request r = { UBI__ALLOC_PVALLOC, size, ubi__caller() };
    return finish_request(ubi__real.pvalloc(size), &r);
}
