/* SPDX-License-Identifier: MIT
 *
 * registry.h: the tools of a runtime, found from the runtime.
 *
 * The engine gives a hook its runtime and nothing of ours. A list of all tools of the process, behind a lock, answers; each
 * thread remembers its last answer, which is good until any tools come or go. So the usual cost is a load and two compares.
 */
#ifndef UBI_QUICKJS_REGISTRY_H
#define UBI_QUICKJS_REGISTRY_H

#include "engines/quickjs/adapter/state.h"

static pthread_mutex_t ubi__registry_lock = PTHREAD_MUTEX_INITIALIZER;
static ubi_quickjs *ubi__registry;                    /* guarded by the lock */
static _Atomic uint32_t ubi__registry_generation = 1; /* grows when tools come or go */
static uint64_t ubi__registry_serial;                 /* of the tools that came last; guarded by the lock */

/* Looked at in every hook, where the call that other kinds of thread-local data need would cost more than the rest. */
static __thread struct {
    uint32_t generation; /* 0: nothing remembered */
    JSRuntime *runtime;
    ubi_quickjs *tools;
} ubi__last_lookup __attribute__((tls_model("initial-exec")));

/* Under the lock. Serials descend, as tools are added at the front, and no runtime has two. O(tools squared). */
static void ubi__registry_check(void) {
    if (!UBI_CHECKS)
        return;
    for (const ubi_quickjs *t = ubi__registry; t; t = t->next) {
        UBI_ASSERT(t->serial <= ubi__registry_serial && t->serial > 0);
        UBI_ASSERT(!t->next || t->next->serial < t->serial);
        UBI_ASSERT(t->runtime && t->allocator);
        for (const ubi_quickjs *other = t->next; other; other = other->next)
            UBI_ASSERT(other->runtime != t->runtime);
    }
    UBI_ASSERT(atomic_load_explicit(&ubi__registry_generation, memory_order_relaxed) != 0);
}

static UBI_COLD ubi_quickjs *ubi__registry_lookup(JSRuntime *rt) {
    pthread_mutex_lock(&ubi__registry_lock);
    ubi_quickjs *tools = ubi__registry;
    while (tools && tools->runtime != rt)
        tools = tools->next;
    ubi__last_lookup.generation = atomic_load_explicit(&ubi__registry_generation, memory_order_relaxed);
    ubi__last_lookup.runtime = rt;
    ubi__last_lookup.tools = tools;
    pthread_mutex_unlock(&ubi__registry_lock);
    return tools;
}

/** Whether the last answer of this thread is that of the runtime. */
static inline __attribute__((always_inline)) bool ubi__tools_remembered(const JSRuntime *rt) {
    return __builtin_expect(ubi__last_lookup.runtime == rt, 1) &&
           __builtin_expect(
               ubi__last_lookup.generation == atomic_load_explicit(&ubi__registry_generation, memory_order_acquire), 1);
}

/** The tools of a runtime, or NULL. */
static inline ubi_quickjs *ubi__tools_of(JSRuntime *rt) {
    return ubi__tools_remembered(rt) ? ubi__last_lookup.tools : ubi__registry_lookup(rt);
}

/** False: the runtime has tools already. */
static bool ubi__registry_add(ubi_quickjs *tools) {
    pthread_mutex_lock(&ubi__registry_lock);
    bool is_new = true;
    for (ubi_quickjs *t = ubi__registry; t; t = t->next)
        is_new = is_new && t->runtime != tools->runtime;
    if (is_new) {
        tools->next = ubi__registry;
        tools->serial = ++ubi__registry_serial;
        ubi__registry = tools;
        atomic_fetch_add_explicit(&ubi__registry_generation, 1, memory_order_release);
        ubi__registry_check();
    }
    pthread_mutex_unlock(&ubi__registry_lock);
    return is_new;
}

static void ubi__registry_remove(ubi_quickjs *tools) {
    pthread_mutex_lock(&ubi__registry_lock);
    ubi_quickjs **at = &ubi__registry;
    while (*at != tools)
        at = &(*at)->next;
    UBI_ASSERT(tools->watchers == 0);
    *at = tools->next;
    ubi__registry_check();
    atomic_fetch_add_explicit(&ubi__registry_generation, 1, memory_order_release);
    pthread_mutex_unlock(&ubi__registry_lock);
}

/* ---- who is watched --------------------------------------------------------------------------------------------------- */

/**
 * Of the only watched runtime. Set before that is published, and left alone while there are several, so a thread that finds its own
 * runtime to be the one finds its tools here.
 */
static _Atomic(ubi_quickjs *) ubi__watched_tools;
static char ubi__several_runtimes;

/* Under the lock. */
static void ubi__report_watched(void) {
    ubi_quickjs *watched = NULL;
    uint32_t n = 0;
    for (ubi_quickjs *t = ubi__registry; t; t = t->next) {
        if (t->watchers == 0)
            continue;
        watched = t;
        n++;
    }
    JSRuntime *told = n > 1 ? (JSRuntime *)(void *)&ubi__several_runtimes : watched ? watched->runtime : NULL;
    UBI_ASSERT((n == 0) == (watched == NULL));
    if (n == 1)
        atomic_store_explicit(&ubi__watched_tools, watched, memory_order_relaxed);
    atomic_store_explicit(&ubi__watched_runtime, told, memory_order_release);
}

/** From now on, births and deaths of this runtime are reported (nests). */
static void ubi__watch(ubi_quickjs *tools) {
    pthread_mutex_lock(&ubi__registry_lock);
    UBI_ASSERT(tools->watchers < UINT32_MAX);
    tools->watchers++;
    ubi__report_watched();
    pthread_mutex_unlock(&ubi__registry_lock);
}
static void ubi__unwatch(ubi_quickjs *tools) {
    pthread_mutex_lock(&ubi__registry_lock);
    UBI_ASSERT(tools->watchers > 0);
    tools->watchers--;
    ubi__report_watched();
    pthread_mutex_unlock(&ubi__registry_lock);
}

/** Whether it is the only one; then its tools are ubi__watched_tools. */
static inline __attribute__((always_inline)) bool ubi__is_the_watched(const JSRuntime *rt) {
    return __builtin_expect(atomic_load_explicit(&ubi__watched_runtime, memory_order_acquire) == rt, 1);
}

#endif
