/* SPDX-License-Identifier: MIT
 *
 * allocator_answer.c: see allocator_answer.h.
 */
#include "interpose/allocator_answer.h"

#include <errno.h>

#include "interpose/event.h"
#include "interpose/loaded_symbols.h"
#include "interpose/program_clock.h"
#include "interpose/real_functions.h"
#include "interpose/sealing.h"
#include "interpose/system_calls.h"

/* Between two answers. */
#define LEAST_NS UINT64_C(4000000)
#define SHARE 100
/* Of the stack that are looked at. What an allocator calls that allocates again, the loader or pthread_create, is no deeper. */
#define FRAMES 24

extern char __libc_single_threaded __attribute__((weak)); /* there is no other thread; glibc has it since 2.32 */

typedef struct answer {
    uint64_t bytes[UBI__USES];
} answer;

/* ---- jemalloc ----------------------------------------------------------------------------------------------------- */

typedef int jemalloc_fn(const char *name, void *old, size_t *old_bytes, void *new_value, size_t new_bytes);
static jemalloc_fn *jemalloc_ctl;

static bool jemalloc_number(size_t *out, const char *name) {
    size_t n_bytes = sizeof *out;
    return jemalloc_ctl(name, out, &n_bytes, NULL, 0) == 0 && n_bytes == sizeof *out;
}

#define ALL_ARENAS "stats.arenas.4096." /* MALLCTL_ARENAS_ALL */

/* "allocated" has what threads keep, too; "active" are pages with blocks, of which the rest is free. */
static bool jemalloc_ask(answer *out) {
    uint64_t epoch = 1;
    size_t allocated, active, metadata, page, cached = 0, dirty = 0;
    if (jemalloc_ctl("epoch", NULL, NULL, &epoch, sizeof epoch) != 0 ||
        !jemalloc_number(&allocated, "stats.allocated") || !jemalloc_number(&active, "stats.active") ||
        !jemalloc_number(&metadata, "stats.metadata") || !jemalloc_number(&page, "arenas.page"))
        return false;
    (void)jemalloc_number(&cached, ALL_ARENAS "tcache_bytes"); /* since 5.0 */
    (void)jemalloc_number(&dirty, ALL_ARENAS "pdirty");
    cached = cached < allocated ? cached : allocated;
    *out = (answer){ { [UBI__USE_BLOCKS] = allocated - cached,
                       [UBI__USE_CACHED] = cached,
                       [UBI__USE_FREE] = active > allocated ? active - allocated : 0,
                       [UBI__USE_FREE_PAGES] = dirty * page,
                       [UBI__USE_OVERHEAD] = metadata } };
    return true;
}

/* ---- tcmalloc ----------------------------------------------------------------------------------------------------- */

typedef int tcmalloc_fn(const char *name, size_t *out); /* of gperftools; 0: it has none of this name */
static tcmalloc_fn *tcmalloc_property;

/* "physical" are the heap and its tables, without what was given back. */
static bool tcmalloc_ask(answer *out) {
    size_t allocated, heap, physical, free_pages, returned, thread, central, transfer;
    if (!tcmalloc_property("generic.current_allocated_bytes", &allocated) ||
        !tcmalloc_property("generic.heap_size", &heap) ||
        !tcmalloc_property("generic.total_physical_bytes", &physical) ||
        !tcmalloc_property("tcmalloc.pageheap_free_bytes", &free_pages) ||
        !tcmalloc_property("tcmalloc.pageheap_unmapped_bytes", &returned) ||
        !tcmalloc_property("tcmalloc.thread_cache_free_bytes", &thread) ||
        !tcmalloc_property("tcmalloc.central_cache_free_bytes", &central) ||
        !tcmalloc_property("tcmalloc.transfer_cache_free_bytes", &transfer))
        return false;
    uint64_t kept = heap > returned ? heap - returned : 0;
    *out = (answer){ { [UBI__USE_BLOCKS] = allocated,
                       [UBI__USE_CACHED] = thread + transfer,
                       [UBI__USE_FREE] = central,
                       [UBI__USE_FREE_PAGES] = free_pages,
                       [UBI__USE_OVERHEAD] = physical > kept ? physical - kept : 0 } };
    return true;
}

/* ---- mimalloc ----------------------------------------------------------------------------------------------------- */

typedef struct mimalloc_area { /* mi_heap_area_t of 1.x and 2.0, which begins like this in all later ones */
    void *blocks;
    size_t reserved, committed, used, block_size;
} mimalloc_area;
typedef bool mimalloc_visit_fn(const void *heap, const mimalloc_area *area, void *block, size_t block_size,
                               void *payload);

typedef void *mimalloc_heap_fn(void);
typedef bool mimalloc_heap_visit_fn(const void *heap, bool with_blocks, mimalloc_visit_fn *visit, void *payload);
static mimalloc_heap_fn *mimalloc_heap;
static mimalloc_heap_visit_fn *mimalloc_visit;

static bool mimalloc_area_add(const void *heap, const mimalloc_area *area, void *block, size_t block_size,
                              void *payload) {
    answer *out = payload;
    (void)heap, (void)block, (void)block_size;
    uint64_t used = (uint64_t)area->used * area->block_size;
    out->bytes[UBI__USE_BLOCKS] += used;
    out->bytes[UBI__USE_FREE] += area->committed > used ? area->committed - used : 0;
    return true;
}

/* Each thread has a heap, and can look into its own alone: of more than one, nothing is said. */
static bool mimalloc_ask(answer *out) {
    *out = (answer){ 0 };
    return &__libc_single_threaded && __libc_single_threaded &&
           mimalloc_visit(mimalloc_heap(), false, mimalloc_area_add, out);
}

/* ---- which one ------------------------------------------------------------------------------------------------------ */

enum { UNKNOWN, NONE, FOUND };

static _Atomic uint32_t stage;
static _Atomic uint64_t due_ns;
static ubi__wire_allocator allocator;
static uintptr_t code_low, code_high; /* of its library */

/* In the library that has the real malloc, or in the program. */
static void *find_function(const char *name) {
    return ubi__loaded_in((const void *)(uintptr_t)ubi__real.malloc, name);
}

static ubi__wire_allocator allocator_find(void) {
    jemalloc_ctl = (jemalloc_fn *)(uintptr_t)find_function("mallctl");
    tcmalloc_property = (tcmalloc_fn *)(uintptr_t)find_function("MallocExtension_GetNumericProperty");
    mimalloc_heap = (mimalloc_heap_fn *)(uintptr_t)find_function("mi_heap_get_default");
    mimalloc_visit = (mimalloc_heap_visit_fn *)(uintptr_t)find_function("mi_heap_visit_blocks");
    return jemalloc_ctl                      ? UBI__ALLOCATOR_JEMALLOC
           : tcmalloc_property               ? UBI__ALLOCATOR_TCMALLOC
           : mimalloc_heap && mimalloc_visit ? UBI__ALLOCATOR_MIMALLOC
                                             : UBI__ALLOCATOR_NONE;
}

static bool answer_ask(answer *out) {
    switch (allocator) {
    case UBI__ALLOCATOR_JEMALLOC:
        return jemalloc_ask(out);
    case UBI__ALLOCATOR_TCMALLOC:
        return tcmalloc_ask(out);
    case UBI__ALLOCATOR_MIMALLOC:
        return mimalloc_ask(out);
    default:
        return false;
    }
}

static bool allocator_is_found(void) {
    ubi__unwind_module module;
    allocator = allocator_find();
    if (allocator == UBI__ALLOCATOR_NONE || !ubi__unwind_module_of((uintptr_t)ubi__real.malloc + 1, &module))
        return false;
    code_low = module.low;
    code_high = module.high;
    return true;
}

/* Several threads may look at once: all find the same. */
static bool is_there(void) {
    uint32_t now = atomic_load_explicit(&stage, memory_order_acquire);
    if (now == UNKNOWN) {
        now = allocator_is_found() ? FOUND : NONE;
        atomic_store_explicit(&stage, now, memory_order_release);
    }
    return now == FOUND;
}

/* ---- when ----------------------------------------------------------------------------------------------------------- */

static bool is_due(uint64_t now_ns) {
    uint64_t due = atomic_load_explicit(&due_ns, memory_order_relaxed);
    return is_there() && now_ns >= due && !ubi__seal_now.is_sealed &&
           atomic_compare_exchange_strong_explicit(&due_ns, &due, now_ns + LEAST_NS, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* Whatever is sampled, the next allocation takes the slow way: a new step is drawn, which is as good as the old one. */
void ubi__allocator_expect(uint64_t now_ns) {
    if (!is_due(now_ns))
        return;
    ubi__this_thread.has_to_ask = true;
    if (!ubi__process_state.is_exact)
        ubi__this_thread.remaining_bytes = 0;
}

/* The next answer replaces it. */
static void answer_publish(ubi__wire_header *area, ubi__wire_allocator from, const answer *a) {
    ubi__wire_answer *to = &area->answer;
    uint32_t version = atomic_load_explicit(&to->version, memory_order_relaxed);
    if (version % 2 || !atomic_compare_exchange_strong_explicit(&to->version, &version, version + 1,
                                                                memory_order_acquire, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&to->allocator, from, memory_order_relaxed);
    for (int i = 0; i < UBI__USES; i++)
        atomic_store_explicit(&to->bytes[i], a->bytes[i], memory_order_relaxed);
    uint32_t next = version + 2;
    atomic_store_explicit(&to->version, next ? next : 2, memory_order_release);
}

/* Of this thread. */
static uint64_t processor_ns(void) {
    struct timespec now = { 0 };
    (void)ubi__system(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* What it allocates for the answer is not the program's. */
void ubi__allocator_ask(void) {
    ubi__thread *thread = &ubi__this_thread;
    uint32_t business = thread->business;
    ubi__wire_header *area = ubi__process_state.area;
    answer a = { 0 };
    int error = errno;
    if (!area || !is_there() || ubi__seal_now.is_sealed)
        return;
    ubi__signals before = ubi__signals_block();
    uint64_t began_ns = processor_ns();
    thread->business = UBI__OWN_CALLS;
    bool has_answer = answer_ask(&a);
    thread->business = business;
    uint64_t step_ns = SHARE * (processor_ns() - began_ns);
    atomic_store_explicit(&due_ns, ubi__program_clock_ns() + (step_ns > LEAST_NS ? step_ns : LEAST_NS),
                          memory_order_relaxed);
    answer_publish(area, has_answer ? allocator : UBI__ALLOCATOR_NONE, &a);
    ubi__signals_restore(before);
    errno = error;
}

/* A stack that cannot be walked so far may have any frame. */
static bool is_outside(ubi__context *c, const ubi__unwind_registers *caller) {
    ubi__unwind_registers states[FRAMES];
    ubi__unwind_end end;
    size_t n = ubi__unwind_states(&c->unwinder, caller, states, FRAMES, &end);
    for (size_t i = 0; i < n; i++)
        if (states[i].pc - code_low < code_high - code_low)
            return false;
    return n == FRAMES || end == UBI__UNWIND_COMPLETE;
}

void ubi__allocator_ask_between(const ubi__unwind_registers *caller) {
    if (ubi__this_thread.business != UBI__IDLE)
        return;
    ubi__context *c = ubi__event_begin();
    if (!c)
        return;
    if (is_outside(c, caller))
        ubi__allocator_ask();
    ubi__event_end(true);
}
