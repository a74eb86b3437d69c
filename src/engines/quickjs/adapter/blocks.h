/* SPDX-License-Identifier: MIT
 *
 * blocks.h: the functions through which the blocks of a runtime's heap go, and how to replace them for a while.
 *
 * An engine that passes every block to the program's JSMallocFunctions, and says whose it is, has them in the runtime: they
 * are replaced there, and a runtime that is left alone executes what it did before. Where the engine serves small blocks itself
 * (UBI_MALLOC_CTX, arenas) or its functions do not learn whose they are, hooks.h diverts js_malloc_rt and related functions, and
 * the table of functions is here: one for each runtime that is diverted.
 *
 * Who replaces them holds them meanwhile, and gives back what it found. Holds nest; the guard of a frozen heap, the memory
 * profiler and recorded references may all hold the same runtime.
 */
#ifndef UBI_QUICKJS_BLOCKS_H
#define UBI_QUICKJS_BLOCKS_H

#include <pthread.h>

#include <ubiheap/core/base.h>

#include "base/assert.h"
#include "engines/quickjs/adapter/block_functions.h"
#include "engines/quickjs/adapter/facts.h"

#if !UBI_BLOCK_HOOKS

static inline JSRuntime *ubi__runtime_of_owner(ubi__block_owner *owner) {
    return (JSRuntime *)((char *)owner - offsetof(JSRuntime, malloc_state));
}
/** False: no memory. */
static inline bool ubi__hold_block_functions(JSRuntime *rt, const ubi_allocator *allocator) {
    return true;
}
static inline void ubi__release_block_functions(JSRuntime *rt) {
}
/** Of a runtime that is held. */
static inline ubi__block_functions *ubi__block_functions_of(JSRuntime *rt) {
    return &rt->mf;
}

#else

/** A runtime whose blocks are diverted. */
typedef struct ubi__diversion {
    struct ubi__diversion *next;
    JSRuntime *runtime;
    const ubi_allocator *allocator;
    uint32_t holds;
    ubi__block_functions functions;
} ubi__diversion;

static pthread_mutex_t ubi__diversions_lock = PTHREAD_MUTEX_INITIALIZER;
static ubi__diversion *ubi__diversions; /* guarded by the lock; each belongs to the thread of its runtime */
static _Atomic(uint32_t) ubi__diversions_generation = 1; /* grows when one comes or goes */

static __thread struct {
    uint32_t generation; /* 0: nothing remembered */
    JSRuntime *runtime;
    ubi__diversion *diversion; /* NULL: it has none */
} ubi__last_diversion;

static inline JSRuntime *ubi__runtime_of_owner(ubi__block_owner *owner) {
    return owner;
}

/* The link that leads to it, under the lock. */
static ubi__diversion **ubi__diversion_link(const JSRuntime *rt) {
    ubi__diversion **at = &ubi__diversions;
    while (*at && (*at)->runtime != rt)
        at = &(*at)->next;
    return at;
}

static ubi__diversion *ubi__diversion_of(JSRuntime *rt) {
    uint32_t generation = atomic_load_explicit(&ubi__diversions_generation, memory_order_acquire);
    if (ubi__last_diversion.runtime == rt && ubi__last_diversion.generation == generation)
        return ubi__last_diversion.diversion;
    pthread_mutex_lock(&ubi__diversions_lock);
    ubi__last_diversion.diversion = *ubi__diversion_link(rt);
    ubi__last_diversion.runtime = rt;
    ubi__last_diversion.generation = atomic_load_explicit(&ubi__diversions_generation, memory_order_relaxed);
    pthread_mutex_unlock(&ubi__diversions_lock);
    return ubi__last_diversion.diversion;
}

/** False: no memory. */
static bool ubi__hold_block_functions(JSRuntime *rt, const ubi_allocator *allocator) {
    ubi__diversion *known = ubi__diversion_of(rt);
    if (known) {
        known->holds++;
        return true;
    }
    ubi__diversion *made = allocator->alloc(allocator->ctx, sizeof *made);
    if (!made)
        return false;
    *made = (ubi__diversion){ .runtime = rt,
                              .allocator = allocator,
                              .holds = 1,
                              .functions = { ubi__engine_malloc_rt, ubi__engine_realloc_rt, ubi__engine_free_rt } };
    pthread_mutex_lock(&ubi__diversions_lock);
    made->next = ubi__diversions;
    ubi__diversions = made;
    atomic_fetch_add_explicit(&ubi__diversions_generation, 1, memory_order_release);
    atomic_fetch_add_explicit(&ubi__diverted_runtimes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&ubi__diversions_lock);
    return true;
}

static void ubi__release_block_functions(JSRuntime *rt) {
    ubi__diversion *held = ubi__diversion_of(rt);
    UBI_ASSERT(held && held->holds > 0);
    if (--held->holds)
        return;
    UBI_ASSERT(held->functions.js_malloc == ubi__engine_malloc_rt && held->functions.js_free == ubi__engine_free_rt);
    pthread_mutex_lock(&ubi__diversions_lock);
    *ubi__diversion_link(rt) = held->next;
    atomic_fetch_add_explicit(&ubi__diversions_generation, 1, memory_order_release);
    atomic_fetch_sub_explicit(&ubi__diverted_runtimes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&ubi__diversions_lock);
    held->allocator->free(held->allocator->ctx, held, sizeof *held);
}

/** Of a runtime that is held. */
static inline ubi__block_functions *ubi__block_functions_of(JSRuntime *rt) {
    ubi__diversion *held = ubi__diversion_of(rt);
    UBI_ASSERT(held && held->runtime == rt);
    return &held->functions;
}

/* ---- the slow side of the hooks, and the exported functions that took the engine's place --------------------------------- */

static void *ubi__diverted_malloc(JSRuntime *rt, size_t size) {
    const ubi__diversion *d = ubi__diversion_of(rt);
    return d ? d->functions.js_malloc(rt, size) : ubi__engine_malloc_rt(rt, size);
}
static void *ubi__diverted_realloc(JSRuntime *rt, void *block, size_t size) {
    const ubi__diversion *d = ubi__diversion_of(rt);
    return d ? d->functions.js_realloc(rt, block, size) : ubi__engine_realloc_rt(rt, block, size);
}
static void ubi__diverted_free(JSRuntime *rt, void *block) {
    const ubi__diversion *d = ubi__diversion_of(rt);
    if (d)
        d->functions.js_free(rt, block);
    else
        ubi__engine_free_rt(rt, block);
}

void *js_malloc_rt(JSRuntime *rt, size_t size) {
    return ubi__malloc_rt(false, rt, size);
}
void *js_realloc_rt(JSRuntime *rt, void *block, size_t size) {
    return ubi__realloc_rt(rt, block, size);
}
void js_free_rt(JSRuntime *rt, void *block) {
    ubi__free_rt(false, rt, block);
}

#if UBI_CALLOC
static void *ubi__diverted_calloc(JSRuntime *rt, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = ubi__diverted_malloc(rt, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}
void *js_calloc_rt(JSRuntime *rt, size_t count, size_t size) {
    return ubi__calloc_rt(rt, count, size);
}
#endif

#endif
#endif
