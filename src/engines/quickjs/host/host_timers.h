/* SPDX-License-Identifier: MIT
 *
 * host_timers.h: setTimeout, setInterval and their clear functions.
 *
 * A timer is an object of class "Timer", which no script sees but heap walks do: it holds the function and its arguments. The
 * host holds the timers that run, ordered by time in a heap, and finds them by number.
 */
#ifndef UBI_QUICKJS_HOST_TIMERS_H
#define UBI_QUICKJS_HOST_TIMERS_H

#include <quickjs.h>
#include <stdbool.h>
#include <stdint.h>

#include <ubiheap/extension/quickjs.h>

typedef struct ubi__host_timer ubi__host_timer;

typedef struct ubi__host_timers {
    ubi__host_timer **heap; /* heap[n], the next to run first */
    uint32_t n, capacity;
    ubi__host_timer **slots; /* slots[capacity]: by number; NULL: free */
    uint32_t *uses;          /* uses[capacity]: how often a slot was used before */
    uint32_t *free_slots;    /* free_slots[n_free] */
    uint32_t n_slots, n_free;
    uint64_t started; /* timers so far: equal times run in the order of starting */
} ubi__host_timers;

/** Registers the class; false: out of memory. */
bool ubi__timers_init(ubi__host_timers *timers, JSRuntime *runtime);
void ubi__timers_fini(ubi__host_timers *timers, JSRuntime *runtime);
/** When the next one runs, on the host's clock; UINT64_MAX: never. */
uint64_t ubi__timers_due_us(const ubi__host_timers *timers);
/**
 * Takes the next timer that was to run until `now_us` and started before the `started`-th: its function and arguments
 * become the caller's, an interval's timer stays. False: there is none.
 */
typedef struct ubi__timer_call {
    JSContext *realm;
    JSValue object; /* what keeps function and arguments alive */
    JSValueConst function;
    JSValueConst *arguments;
    int n_arguments;
    const char *cause; /* for the timeline */
    ubi_quickjs_async registered;
} ubi__timer_call;
bool ubi__timers_take(ubi__host_timers *timers, ubi__timer_call *out, uint64_t now_us, uint64_t started);
/** Defines the global functions. 0, or -1 with a pending exception. */
int ubi__timers_add_globals(JSContext *realm, JSValueConst global);

#endif
