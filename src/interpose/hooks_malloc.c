/* SPDX-License-Identifier: MIT
 *
 * hooks_malloc.c: malloc and related functions, as programs call them.
 *
 * Each function has a fast way, which is nothing but a comparison and a jump to the real function, and a slow way. A
 * request below the thread's remaining bytes is not sampled; a free whose filter byte is 0 is of a block that was not
 * recorded. When everything is recorded, and before anything is known, all calls take the slow way.
 *
 * An allocation is recorded when the block is there, a free before it is gone, so no other thread can have the
 * address in between.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/loaded_symbols.h"
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

/* Recorded when there is a block. Without one, an operator new asks its handler and may call us again. */
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

static inline void report_free(void *p, ubi__free_kind kind, size_t size) {
    if (ubi__unlikely(!p))
        return;
    if (ubi__unlikely(ubi__this_thread.deleting == p))
        ubi__this_thread.deleting = NULL;
    else
        (void)ubi__freeing(p, kind, size);
}

SLOW void slow_free(void *p) {
    report_free(p, UBI__FREE_FREE, 0);
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
        report_free(p, UBI__FREE_SIZED, size);
    if (ubi__real.free_sized)
        ubi__real.free_sized(p, size);
    else
        ubi__real.free(p);
}

UBI__HOOK void free_aligned_sized(void *p, size_t alignment, size_t size);
UBI__HOOK void free_aligned_sized(void *p, size_t alignment, size_t size) {
    if (!ubi__filter_passes(p))
        report_free(p, UBI__FREE_SIZED, size);
    if (ubi__real.free_aligned_sized)
        ubi__real.free_aligned_sized(p, alignment, size);
    else
        ubi__real.free(p);
}

/* ---- realloc ----------------------------------------------------------------------------------------------------- */

static inline void *report_realloc(void *p, size_t size, ubi__alloc_kind kind, const ubi__unwind_registers *caller) {
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
    return report_realloc(p, size, UBI__ALLOC_REALLOC, &caller);
}

UBI__HOOK void *realloc(void *p, size_t size) {
    if ((!p || ubi__filter_passes(p)) && steps_over(size))
        return ubi__real.realloc(p, size);
    return slow_realloc(p, size);
}

SLOW void *slow_reallocarray(void *p, size_t size) {
    ubi__unwind_registers caller = ubi__caller();
    return report_realloc(p, size, UBI__ALLOC_REALLOCARRAY, &caller);
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

/* ---- operators of C++ --------------------------------------------------------------------------------------------- */

/*
 * libstdc++'s and libc++'s call malloc and free, which record the event. So here it is only said, for the slow way,
 * as what and for whom (pending_new, deleting). Allocators with operators of their own (jemalloc, tcmalloc, mimalloc)
 * may call nothing of ours: then the event is recorded here. An operator new may throw through these functions:
 * nothing has to be undone, for what was said is taken only by a call of malloc out of the operator's own library,
 * and replaced by the next operator.
 */

/* std::nothrow_t and std::align_val_t are passed as a reference and as a number. */
typedef void *new_function(size_t);
typedef void *new_nothrow_function(size_t, const void *);
typedef void *new_aligned_function(size_t, size_t);
typedef void *new_aligned_nothrow_function(size_t, size_t, const void *);
typedef void delete_function(void *);
typedef void delete_sized_function(void *, size_t);
typedef void delete_nothrow_function(void *, const void *);
typedef void delete_aligned_function(void *, size_t);
typedef void delete_sized_aligned_function(void *, size_t, size_t);
typedef void delete_aligned_nothrow_function(void *, size_t, const void *);

/* ---- the real functions ------------------------------------------------------------------------------------------ */

typedef struct real_operator {
    const char *name;
    void *_Atomic function;         /* NULL: unknown */
    uintptr_t low, high;            /* its library */
    _Atomic bool is_late;           /* it came with a library that may go away again */
    _Atomic bool has_called_malloc; /* that is, ours; learned from every call that is looked at */
} real_operator;

static void *function_of(const real_operator *r) {
    return atomic_load_explicit(&r->function, memory_order_acquire);
}

/* No C++ run-time library, yet a call: a block is a block. The callers of these record the event. */
static void *new_without_library(size_t size) {
    void *p = ubi__real.malloc(size ? size : 1);
    if (!p)
        abort(); /* there is no library to throw */
    return p;
}

static void *new_aligned_without_library(size_t size, size_t alignment) {
    void *p = ubi__real.memalign(alignment, size ? size : 1);
    if (!p)
        abort();
    return p;
}

static void know_operator(real_operator *r, void *found) {
    ubi__unwind_module module;
    if (!ubi__unwind_module_of((uintptr_t)found + 1, &module))
        return;
    r->low = module.low;
    r->high = module.high;
    atomic_store_explicit(&r->function, found, memory_order_release);
}

/*
 * When the program itself has no such library, but something that was loaded later has, it may be private to that
 * (RTLD_LOCAL): our caller has it among what it needs, and keeps it loaded.
 */
static __attribute__((noinline)) void *find_operator(real_operator *r, const void *caller, void *otherwise) {
    ubi__resolve();
    void *found = function_of(r);
    if (found)
        return found;
    found = ubi__loaded_needed_by(caller, r->name);
    if (!found)
        return otherwise;
    atomic_store_explicit(&r->is_late, true, memory_order_relaxed);
    know_operator(r, found);
    return found;
}

static inline void *real_of(real_operator *r, const void *caller, void *otherwise) {
    void *function = function_of(r);
    return ubi__likely(function != NULL) ? function : find_operator(r, caller, otherwise);
}

/* ---- new --------------------------------------------------------------------------------------------------------- */

/* Whether a request can be left to the real function. It asks for a byte when none is wanted. */
static inline bool may_pass(const real_operator *r, const void *function, size_t size) {
    uint64_t remaining = ubi__this_thread.remaining_bytes;
    if (size + 1 >= remaining || !function)
        return false;
    if (!r->has_called_malloc)
        ubi__this_thread.remaining_bytes = remaining - size;
    return true;
}

/* Says what is about to be allocated. False: the operator that called this one has said it. */
static inline bool say_new(const real_operator *r, size_t size, ubi__alloc_kind kind,
                           const ubi__unwind_registers *caller) {
    ubi__pending_new *pending = &ubi__this_thread.pending_new;
    if (pending->kind && !pending->from && pending->size_bytes == size && pending->caller.sp > caller->sp)
        return false; /* operator new[] calls operator new, which is ours again */
    *pending =
        (ubi__pending_new){ .kind = kind, .size_bytes = size, .low = r->low, .high = r->high, .caller = *caller };
    return true;
}

/* @param remaining_bytes  the thread's before the call: our malloc changes them, or takes what was said. */
static inline void finish_new(real_operator *r, void *p, uint64_t remaining_bytes) {
    ubi__pending_new said = ubi__this_thread.pending_new;
    bool called_malloc = !said.kind || said.from || ubi__this_thread.remaining_bytes != remaining_bytes;
    ubi__this_thread.pending_new.kind = 0;
    atomic_store_explicit(&r->has_called_malloc, called_malloc, memory_order_relaxed);
    if (p && !called_malloc)
        (void)ubi__allocated(p, said.size_bytes, (ubi__alloc_kind)said.kind, &said.caller);
}

static inline bool is_alignment(size_t alignment) {
    return alignment && !(alignment & (alignment - 1));
}

/* @param is_sound  the operator will call for memory, and not throw before */
#define DEFINE_NEW(symbol, kind, type, parameters, arguments, is_sound, otherwise)                                     \
    UBI__HOOK void *symbol parameters;                                                                                 \
    static real_operator real_##symbol = { .name = #symbol };                                                          \
    static __attribute__((noinline)) void *slow_##symbol parameters {                                                  \
        ubi__unwind_registers caller = ubi__caller();                                                                  \
        type *real = (type *)real_of(&real_##symbol, (const void *)caller.pc, (void *)otherwise);                      \
        if (!(is_sound))                                                                                               \
            return real arguments;                                                                                     \
        uint64_t remaining_bytes = ubi__this_thread.remaining_bytes;                                                   \
        bool is_outermost = say_new(&real_##symbol, size, kind, &caller);                                              \
        void *p = real arguments;                                                                                      \
        if (is_outermost)                                                                                              \
            finish_new(&real_##symbol, p, remaining_bytes);                                                            \
        return p;                                                                                                      \
    }                                                                                                                  \
    void *symbol parameters {                                                                                          \
        void *function = function_of(&real_##symbol);                                                                  \
        if (may_pass(&real_##symbol, function, size))                                                                  \
            return ((type *)function)arguments;                                                                        \
        return slow_##symbol arguments;                                                                                \
    }                                                                                                                  \
    typedef int swallow_semicolon_##symbol

DEFINE_NEW(_Znwm, UBI__ALLOC_NEW, new_function, (size_t size), (size), true, new_without_library);
DEFINE_NEW(_Znam, UBI__ALLOC_NEW_ARRAY, new_function, (size_t size), (size), true, new_without_library);
DEFINE_NEW(_ZnwmRKSt9nothrow_t, UBI__ALLOC_NEW, new_nothrow_function, (size_t size, const void *nothrow),
           (size, nothrow), true, malloc);
DEFINE_NEW(_ZnamRKSt9nothrow_t, UBI__ALLOC_NEW_ARRAY, new_nothrow_function, (size_t size, const void *nothrow),
           (size, nothrow), true, malloc);
DEFINE_NEW(_ZnwmSt11align_val_t, UBI__ALLOC_NEW, new_aligned_function, (size_t size, size_t alignment),
           (size, alignment), is_alignment(alignment), new_aligned_without_library);
DEFINE_NEW(_ZnamSt11align_val_t, UBI__ALLOC_NEW_ARRAY, new_aligned_function, (size_t size, size_t alignment),
           (size, alignment), is_alignment(alignment), new_aligned_without_library);
DEFINE_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, UBI__ALLOC_NEW, new_aligned_nothrow_function,
           (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow), is_alignment(alignment),
           new_aligned_without_library);
DEFINE_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, UBI__ALLOC_NEW_ARRAY, new_aligned_nothrow_function,
           (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow), is_alignment(alignment),
           new_aligned_without_library);

/* ---- delete ------------------------------------------------------------------------------------------------------ */

/*
 * Records the free, unless the operator that called this one has. @return whether the mark is to be removed
 * afterwards.
 */
static inline bool say_delete(void *p, ubi__free_kind kind, size_t size) {
    if (!p || ubi__this_thread.deleting == p)
        return false;
    (void)ubi__freeing(p, kind, size);
    ubi__this_thread.deleting = p;
    return true;
}

#define DEFINE_DELETE(symbol, kind, said_size, type, parameters, arguments)                                            \
    UBI__HOOK void symbol parameters;                                                                                  \
    static real_operator real_##symbol = { .name = #symbol };                                                          \
    static __attribute__((noinline)) void slow_##symbol parameters {                                                   \
        type *real = (type *)real_of(&real_##symbol, __builtin_return_address(0), (void *)free);                       \
        bool is_ours = !ubi__filter_passes(p) && say_delete(p, kind, said_size);                                       \
        real arguments;                                                                                                \
        if (is_ours)                                                                                                   \
            ubi__this_thread.deleting = NULL;                                                                          \
    }                                                                                                                  \
    void symbol parameters {                                                                                           \
        void *function = function_of(&real_##symbol);                                                                  \
        if (ubi__filter_passes(p) && function)                                                                         \
            ((type *)function) arguments;                                                                              \
        else                                                                                                           \
            slow_##symbol arguments;                                                                                   \
    }                                                                                                                  \
    typedef int swallow_semicolon_##symbol

DEFINE_DELETE(_ZdlPv, UBI__FREE_DELETE, 0, delete_function, (void *p), (p));
DEFINE_DELETE(_ZdaPv, UBI__FREE_DELETE_ARRAY, 0, delete_function, (void *p), (p));
DEFINE_DELETE(_ZdlPvm, UBI__FREE_DELETE_SIZED, size, delete_sized_function, (void *p, size_t size), (p, size));
DEFINE_DELETE(_ZdaPvm, UBI__FREE_DELETE_ARRAY_SIZED, size, delete_sized_function, (void *p, size_t size), (p, size));
DEFINE_DELETE(_ZdlPvRKSt9nothrow_t, UBI__FREE_DELETE, 0, delete_nothrow_function, (void *p, const void *nothrow),
              (p, nothrow));
DEFINE_DELETE(_ZdaPvRKSt9nothrow_t, UBI__FREE_DELETE_ARRAY, 0, delete_nothrow_function, (void *p, const void *nothrow),
              (p, nothrow));
DEFINE_DELETE(_ZdlPvSt11align_val_t, UBI__FREE_DELETE, 0, delete_aligned_function, (void *p, size_t alignment),
              (p, alignment));
DEFINE_DELETE(_ZdaPvSt11align_val_t, UBI__FREE_DELETE_ARRAY, 0, delete_aligned_function, (void *p, size_t alignment),
              (p, alignment));
DEFINE_DELETE(_ZdlPvmSt11align_val_t, UBI__FREE_DELETE_SIZED, size, delete_sized_aligned_function,
              (void *p, size_t size, size_t alignment), (p, size, alignment));
DEFINE_DELETE(_ZdaPvmSt11align_val_t, UBI__FREE_DELETE_ARRAY_SIZED, size, delete_sized_aligned_function,
              (void *p, size_t size, size_t alignment), (p, size, alignment));
DEFINE_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, UBI__FREE_DELETE, 0, delete_aligned_nothrow_function,
              (void *p, size_t alignment, const void *nothrow), (p, alignment, nothrow));
DEFINE_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, UBI__FREE_DELETE_ARRAY, 0, delete_aligned_nothrow_function,
              (void *p, size_t alignment, const void *nothrow), (p, alignment, nothrow));

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static real_operator *const operators[] = {
    &real__Znwm,
    &real__Znam,
    &real__ZnwmRKSt9nothrow_t,
    &real__ZnamRKSt9nothrow_t,
    &real__ZnwmSt11align_val_t,
    &real__ZnamSt11align_val_t,
    &real__ZnwmSt11align_val_tRKSt9nothrow_t,
    &real__ZnamSt11align_val_tRKSt9nothrow_t,
    &real__ZdlPv,
    &real__ZdaPv,
    &real__ZdlPvm,
    &real__ZdaPvm,
    &real__ZdlPvRKSt9nothrow_t,
    &real__ZdaPvRKSt9nothrow_t,
    &real__ZdlPvSt11align_val_t,
    &real__ZdaPvSt11align_val_t,
    &real__ZdlPvmSt11align_val_t,
    &real__ZdaPvmSt11align_val_t,
    &real__ZdlPvSt11align_val_tRKSt9nothrow_t,
    &real__ZdaPvSt11align_val_tRKSt9nothrow_t,
};
#define OPERATORS (sizeof operators / sizeof *operators)

void ubi__operators_resolve(void) {
    for (size_t i = 0; i < OPERATORS; i++) {
        void *found = ubi__loaded_next(operators[i]->name);
        if (found)
            know_operator(operators[i], found);
    }
}

void ubi__operators_forget(void) {
    for (size_t i = 0; i < OPERATORS; i++)
        if (atomic_load_explicit(&operators[i]->is_late, memory_order_relaxed))
            atomic_store_explicit(&operators[i]->function, NULL, memory_order_release);
}
