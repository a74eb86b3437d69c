/* SPDX-License-Identifier: MIT
 *
 * context.c: see context.h.
 *
 * The pool is a stack of numbers whose head bears a count, so that a head that went away and came back is distinguished from one
 * that stayed.
 */
#include "interpose/context.h"

#include <pthread.h>
#include <sys/resource.h>

#include "base/assert.h"

#include "interpose/pages.h"
#include "interpose/process_maps.h"
#include "interpose/scripts.h"
#include "interpose/system_calls.h"

extern void *__libc_stack_end __attribute__((weak)); /* of glibc: where the main thread's stack began */

/* Far below the gap that the kernel keeps under a stack, so nothing but stack is in it. */
#define MAIN_STACK_MAX ((uintptr_t)64 << 20)

static ubi__context *_Atomic contexts[UBI__WIRE_CONTEXTS];
static _Atomic uint32_t n_contexts;
static _Atomic uint64_t pool; /* low half: number + 1 of the first, 0: none; high half: count of changes */

/* ---- memory of walkers ------------------------------------------------------------------------------------------- */

static void *map_pages(void *payload, size_t size_bytes) {
    (void)payload;
    return ubi__pages(size_bytes);
}

static void unmap_pages(void *payload, void *p, size_t size_bytes) {
    (void)payload;
    ubi__pages_free(p, size_bytes);
}

static const ubi__unwind_memory pages = { .map = map_pages, .unmap = unmap_pages };

/* ---- the pool ---------------------------------------------------------------------------------------------------- */

_Static_assert(UBI__WIRE_CONTEXTS < UINT32_MAX, "number + 1 fits into half of the head");

static ubi__context *pool_pop(void) {
    uint64_t head = atomic_load_explicit(&pool, memory_order_acquire);
    for (;;) {
        uint32_t first = (uint32_t)head;
        if (!first)
            return NULL;
        ubi__context *c = atomic_load_explicit(&contexts[first - 1], memory_order_relaxed);
        uint64_t next = atomic_load_explicit(&c->next_free, memory_order_relaxed) | ((head >> 32) + 1) << 32;
        if (atomic_compare_exchange_weak_explicit(&pool, &head, next, memory_order_acquire, memory_order_acquire))
            return c;
    }
}

static void pool_push(ubi__context *c) {
    uint64_t head = atomic_load_explicit(&pool, memory_order_relaxed), next;
    do {
        atomic_store_explicit(&c->next_free, (uint32_t)head, memory_order_relaxed);
        next = (c->number + 1) | ((head >> 32) + 1) << 32;
    } while (!atomic_compare_exchange_weak_explicit(&pool, &head, next, memory_order_release, memory_order_relaxed));
}

static ubi__context *make_context(void) {
    ubi__wire_header *area = ubi__process_state.area;
    ubi__context *c = ubi__pages(sizeof *c);
    if (!c)
        return NULL;
    if (!ubi__unwinder_init(&c->unwinder, &pages, ubi__process_state.max_depth))
        goto no_unwinder;
    if (!ubi__trace_tree_init(&c->tree))
        goto no_tree;
    uint32_t number = atomic_fetch_add_explicit(&n_contexts, 1, memory_order_relaxed);
    if (number >= UBI__WIRE_CONTEXTS) {
        atomic_fetch_sub_explicit(&n_contexts, 1, memory_order_relaxed);
        goto no_number;
    }
    c->area = area;
    c->look_ticks = ubi__process_state.look_ticks;
    c->number = number;
    c->recording = ubi__recording_number;
    c->module_generation = atomic_load(&ubi__module_generation) & ~UBI__SCRIPTS_THERE;
    atomic_store_explicit(&contexts[number], c, memory_order_release);
    atomic_fetch_add_explicit(&area->n_contexts, 1, memory_order_relaxed);
    return c;

no_number:
    ubi__trace_tree_fini(&c->tree);
no_tree:
    ubi__unwinder_fini(&c->unwinder);
no_unwinder:
    ubi__pages_free(c, sizeof *c);
    return NULL;
}

/* The one that it served is over: what it knows by number or address is void, and its room stays. */
static void context_begin_again(ubi__context *c) {
    ubi__wire_header *area = ubi__process_state.area;
    c->at = c->end = c->start = NULL;
    c->chunk = NULL;
    c->last_stamp = c->last_address = c->last_pc = c->clock_us = c->last_marker_ns = c->looked_at_ticks = 0;
    c->last_trace = 0;
    c->sequence = 0;
    c->area = area;
    c->look_ticks = ubi__process_state.look_ticks;
    c->recording = ubi__recording_number;
    c->module_generation = atomic_load(&ubi__module_generation);
    ubi__context_renew(c);
    atomic_fetch_add_explicit(&area->n_contexts, 1, memory_order_relaxed);
}

void ubi__contexts_after_fork(void) {
    /* The other threads' may be half written, so none is used again. */
    n_contexts = 0;
    pool = 0;
}

/* ---- a thread and its context ------------------------------------------------------------------------------------ */

static void main_stack(uintptr_t *low, uintptr_t *high) {
    struct rlimit limit = { 0 };
    uintptr_t size = MAIN_STACK_MAX;
    if (ubi__system(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0) == 0 && limit.rlim_cur < size)
        size = limit.rlim_cur;
    *high = ((uintptr_t)__libc_stack_end & ~(uintptr_t)15) + 16;
    *low = *high - size;
}

/*
 * Stacks are used again by the threads that come after: where they began is remembered, by the page of the thread pointer. Upper
 * half: number of that page, lower 28 bits: how many pages before it. 0: nothing.
 */
#define PAGES_BITS 28
_Static_assert(64 - PAGES_BITS >= 47 - 12, "a page number of user space fits above");
static _Atomic uint64_t known_stacks[256];

static bool is_readable(uintptr_t address) {
    static const long no_request = -1; /* the kernel reads the signal set before it sees that there is none */
    return ubi__system(SYS_rt_sigprocmask, no_request, (long)address, 0, 8, 0, 0) != -EFAULT;
}

/* Whether a mapping begins there, as it did: what is below cannot be read. */
static bool recall_stack(uint64_t known, uint64_t page, uintptr_t *low) {
    *low = (page - (known & ((UINT64_C(1) << PAGES_BITS) - 1))) << 12;
    return known >> PAGES_BITS == page && is_readable(*low) && !is_readable(*low - 4096);
}

/*
 * The C library keeps what it knows of a thread where the thread pointer leads: at the end of its stack, also of one
 * that the program supplied. Frames are below. pthread_getattr_np knows it, too, but takes a lock, which is held when
 * this is its own malloc.
 */
static void other_stack(uintptr_t *low, uintptr_t *high) {
    uintptr_t end = (uintptr_t)pthread_self(), mapping_high;
    uint64_t page = end >> 12;
    _Atomic uint64_t *place = &known_stacks[(page ^ page >> 8) % 256];
    *high = end;
    if (recall_stack(atomic_load_explicit(place, memory_order_relaxed), page, low))
        return;
    if (!ubi__mapped_range(end, low, &mapping_high)) {
        *low = *high = 0;
    } else if (page - (*low >> 12) < UINT64_C(1) << PAGES_BITS) {
        atomic_store_explicit(place, page << PAGES_BITS | (page - (*low >> 12)), memory_order_relaxed);
    }
}

static bool is_on_stack(uintptr_t low, uintptr_t high, uintptr_t address) {
    return address - low < high - low;
}

/* A child of a thread has the number of a main thread, and the thread's stack. Handlers may be on stacks of their own. */
static void find_stack(uintptr_t *low, uintptr_t *high, long tid) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), other_low, other_high;
    main_stack(low, high);
    if (is_on_stack(*low, *high, here))
        return;
    other_stack(&other_low, &other_high);
    if (tid == ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0) && !is_on_stack(other_low, other_high, here))
        return;
    *low = other_low;
    *high = other_high;
}

static void know_stack(ubi__thread *thread, ubi__context *c, long tid) {
    if (!thread->stack_high)
        find_stack(&thread->stack_low, &thread->stack_high, tid);
    ubi__unwinder_set_stack(&c->unwinder, thread->stack_low, thread->stack_high);
}

static ubi__context *take_context(ubi__thread *thread) {
    ubi__context *c = thread->context ? thread->context : pool_pop();
    if (!c && !(c = make_context()))
        return NULL;
    thread->context = NULL;
    if (c->recording != ubi__recording_number)
        context_begin_again(c);
    long tid = ubi__system(SYS_gettid, 0, 0, 0, 0, 0, 0);
    if (tid < 0) { /* whose events these are is unknown */
        pool_push(c);
        return NULL;
    }
    ubi__watch_exit(thread);
    know_stack(thread, c, tid);
    ubi__context_say_thread(c, (uint32_t)tid);
    thread->context = c;
    return c;
}

ubi__context *ubi__context_take(ubi__thread *thread) {
    /* A handler that jumped out would leave a context without an owner. */
    ubi__signals before = ubi__signals_block();
    ubi__context *c = take_context(thread);
    ubi__signals_restore(before);
    return c;
}

void ubi__context_give_back(ubi__thread *thread) {
    ubi__context *c = thread->context;
    if (!c)
        return;
    thread->context = NULL;
    pool_push(c);
}

/* ---- modules that the reader knows ------------------------------------------------------------------------------- */

void ubi__context_renew(ubi__context *c) {
    ubi__unwinder_forget_modules(&c->unwinder);
    ubi__trace_tree_clear(&c->tree);
    c->n_ranges = 0;
    c->epoch++;
}

bool ubi__context_knows(ubi__context *c, uintptr_t pc) {
    size_t i = c->last_range;
    if (i < c->n_ranges && pc - c->ranges[i].low < c->ranges[i].high - c->ranges[i].low)
        return true;
    for (i = 0; i < c->n_ranges; i++)
        if (pc - c->ranges[i].low < c->ranges[i].high - c->ranges[i].low) {
            c->last_range = i;
            return true;
        }
    return false;
}

static bool grow_ranges(ubi__context *c) {
    size_t capacity = c->range_capacity ? 2 * c->range_capacity : 4096 / sizeof *c->ranges;
    ubi__known_range *larger = ubi__pages(capacity * sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < c->n_ranges; i++)
        larger[i] = c->ranges[i];
    if (c->ranges)
        ubi__pages_free(c->ranges, c->range_capacity * sizeof *c->ranges);
    c->ranges = larger;
    c->range_capacity = capacity;
    return true;
}

void ubi__context_learn(ubi__context *c, uintptr_t low, uintptr_t high) {
    if (c->n_ranges == c->range_capacity && !grow_ranges(c))
        return;
    UBI_ASSERT(low < high && c->n_ranges < c->range_capacity);
    c->ranges[c->n_ranges] = (ubi__known_range){ .low = low, .high = high };
    c->last_range = c->n_ranges++;
}
