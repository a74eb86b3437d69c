/* SPDX-License-Identifier: MIT
 *
 * events.c: what is recorded: allocations with their stacks, frees, mappings.
 *
 * This is where the time of a recorded program goes; everything up to "slow" is what an event costs.
 */
#include "base/assert.h"
#include "interpose/allocator_answer.h"
#include "interpose/chunk_writer.h"
#include "interpose/context.h"
#include "interpose/diverted_calls.h"
#include "interpose/event.h"
#include "interpose/preload.h"
#include "interpose/program_clock.h"
#include "interpose/sampling.h"
#include "interpose/script_classes.h"
#include "interpose/scripts.h"

extern char __libc_single_threaded __attribute__((weak)); /* there is no other thread; glibc has it since 2.32 */

UBI__THREAD_LOCAL ubi__thread ubi__this_thread;
uint8_t ubi__filter[65536] __attribute__((aligned(4096)));
size_t ubi__filter_mask = UBI__FILTER_MASK;
_Atomic uint32_t ubi__module_generation;

/* ---- slow: threads ----------------------------------------------------------------------------------------------- */

/* A thread of a process that is not recorded looks again after so much: recording may begin (attachment.c). */
#define IDLE_BYTES (UINT64_C(1) << 20)

/*
 * Starts, if that was not done yet, and not in the middle of calls of our own.
 */
static __attribute__((noinline)) bool is_on_now(ubi__thread *thread) {
    if (thread->business == UBI__OWN_CALLS)
        return false;
    if (ubi__start() && !ubi__process_state.is_on)
        thread->remaining_bytes = IDLE_BYTES;
    return ubi__process_state.is_on;
}

/* UBI__RECORDING_..., which either side of the area may change at any time. */
static inline uint32_t recording_now(void) {
    return atomic_load_explicit(&ubi__process_state.area->recording, memory_order_relaxed);
}

/* Where no event is written, none shows that the reader wants no more, or that the program has written over the area. */
static __attribute__((noinline)) bool recording_is_paused(void) {
    const ubi__wire_header *area = ubi__process_state.area;
    if (area->magic != UBI__WIRE_MAGIC ||
        atomic_load_explicit(&area->clock_us, memory_order_relaxed) == UBI__WIRE_CLOCK_STOP)
        ubi__stop();
    return true;
}

static void count_one(_Atomic uint64_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* A signal frame is larger, so a handler is deeper than this below what it interrupted. */
#define LESS_THAN_A_SIGNAL_FRAME 512

/*
 * The recorder is busy in this thread: this is an event of a signal handler that interrupted it. Or the handler has
 * jumped out (siglongjmp), which is when the stack is no deeper than where the recorder was: then it is not busy
 * any more.
 */
static __attribute__((noinline)) bool is_really_busy(ubi__thread *thread) {
    if (thread->business == UBI__OWN_CALLS)
        return true;
    const ubi__context *c = thread->context;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bool is_no_deeper = here > thread->busy_at - LESS_THAN_A_SIGNAL_FRAME;
    if (c) /* handlers may have stacks of their own, which lie anywhere */
        is_no_deeper &= here < c->unwinder.stack_high && thread->busy_at >= c->unwinder.stack_low;
    if (is_no_deeper) {
        thread->context = NULL; /* whatever is half done in there stays so: another one takes its place */
        return false;
    }
    ubi__wire_header *area = ubi__process_state.area;
    if (area) /* not so in a child after fork, which has wiped the state */
        count_one(&area->dropped_reentrant);
    return true;
}

/* From here to event_end() the thread's context is ours. False: it is not. */
static inline bool event_begin(ubi__thread *thread) {
    if (ubi__unlikely(thread->business != UBI__IDLE) && is_really_busy(thread))
        return false;
    thread->busy_at = (uintptr_t)__builtin_frame_address(0);
    thread->business = UBI__RECORDING;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static inline void event_end(ubi__thread *thread) {
    atomic_signal_fence(memory_order_seq_cst);
    UBI_ASSERT(thread->business == UBI__RECORDING);
    thread->business = UBI__IDLE;
}

/* A thread that exits gives its context back at once, unless the event has a second half. */
static void end_maybe_exiting(ubi__thread *thread, bool has_second_half) {
    if (ubi__unlikely(thread->is_exiting) && !has_second_half)
        ubi__context_give_back(thread);
    event_end(thread);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/* The number of the current stack. 0: there is none. */
static inline uint32_t stack_of(ubi__context *c, const ubi__unwind_registers *caller) {
    uint32_t generation = atomic_load_explicit(&ubi__module_generation, memory_order_relaxed), number;
    if (ubi__unlikely(generation != c->module_generation) && ubi__event_is_mixed(c, generation, caller, &number))
        return number;
    number = ubi__unwind_recall(&c->unwinder, caller);
    return ubi__likely(number - 1 < UBI__SCRIPTS_NUMBER - 1) ? number : ubi__event_walked_stack(c, caller);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static inline uint64_t next_stamp(ubi__wire_header *area) {
    if (&__libc_single_threaded && __libc_single_threaded) {
        uint64_t stamp = atomic_load_explicit(&area->stamp, memory_order_relaxed) + 1;
        atomic_store_explicit(&area->stamp, stamp, memory_order_relaxed);
        return stamp;
    }
    return atomic_fetch_add_explicit(&area->stamp, 1, memory_order_relaxed) + 1;
}

static uint8_t *put_control(uint8_t *at, ubi__wire_control control) {
    *at++ = (uint8_t)(UBI__OP_CONTROL | (unsigned)control << UBI__OP_KIND_SHIFT);
    return at;
}

/* The context looks at the clock, and says what it sees, unless recording is over after this event. There is room. */
static __attribute__((noinline)) uint8_t *put_new_time(ubi__context *c) {
    uint64_t now_ns = ubi__program_clock_ns(), zero_ns = ubi__process_state.zero_ns;
    uint64_t now_us = now_ns > zero_ns ? (now_ns - zero_ns) / 1000 : 0;
    uint8_t *at = c->at;
    if (atomic_load_explicit(&c->area->clock_us, memory_order_relaxed) == UBI__WIRE_CLOCK_STOP) {
        ubi__stop();
    } else if (now_us > c->clock_us) {
        at = ubi__wire_put(put_control(at, UBI__CONTROL_TIME), now_us - c->clock_us);
        c->clock_us = now_us;
    }
    ubi__allocator_expect(now_ns);
    return at;
}

/* The time, when it may have changed. There is room. */
static inline uint8_t *put_time(ubi__context *c) {
    return ubi__likely(!ubi__program_clock_moved(c)) ? c->at : put_new_time(c);
}

/* Gives the event that is written its place among all. @return how many others are between it and the context's last */
static inline uint64_t take_stamp(ubi__context *c) {
    uint64_t stamp = next_stamp(c->area), gap = stamp - c->last_stamp - 1;
    UBI_ASSERT(stamp > c->last_stamp);
    c->last_stamp = stamp;
    return gap;
}

/* What allocations and frees have in common, where they are not short. There is room. */
static uint8_t *put_long_event(ubi__context *c, uint8_t *at, unsigned operation, uint64_t gap, uintptr_t address) {
    uint64_t difference = address - c->last_address;
    if (difference % 16 == 0) {
        operation |= UBI__OP_BY_16;
        difference = (uint64_t)((int64_t)difference >> 4);
    }
    *at++ = (uint8_t)(operation | (gap ? UBI__OP_GAP : 0));
    if (gap)
        at = ubi__wire_put(at, gap);
    return ubi__wire_put(at, ubi__wire_zigzag(difference));
}

/* Room for an event, and the time before it. */
#define EVENT_BYTES (2 * UBI__WIRE_RECORD_BYTES)
_Static_assert(sizeof(ubi__wire_preface) + EVENT_BYTES + UBI__WIRE_MODULE_BYTES <= UBI__WIRE_CHUNK_BYTES,
               "an empty chunk has room for any event");

typedef struct alloc_event {
    uintptr_t address;
    size_t size_bytes;
    ubi__alloc_kind kind;
    uint32_t trace;
    uint64_t met; /* samples in it, when sampling */
} alloc_event;

static __attribute__((noinline)) uint8_t *put_long_alloc(ubi__context *c, uint8_t *at, uint64_t gap,
                                                         const alloc_event *e) {
    at = put_long_event(c, at, UBI__OP_ALLOC | (unsigned)e->kind << UBI__OP_KIND_SHIFT, gap, e->address);
    at = ubi__wire_put(at, e->size_bytes);
    at = ubi__wire_put(at, ubi__wire_zigzag((uint64_t)e->trace - c->last_trace));
    return ubi__process_state.is_exact ? at : ubi__wire_put(at, e->met);
}

static inline bool write_alloc(ubi__context *c, const alloc_event *e) {
    if (ubi__unlikely(!ubi__chunk_has_room(c, EVENT_BYTES)))
        return false;
    uint8_t *at = put_time(c);
    uint64_t gap = take_stamp(c);
    if (ubi__likely(ubi__process_state.is_exact && ubi__wire_is_short(e->address, gap, e->size_bytes))) {
        unsigned operation = UBI__OP_SHORT_ALLOC | (unsigned)e->kind << UBI__OP_KIND_SHIFT;
        at = ubi__wire_put_u64(at, ubi__wire_short(operation, e->address, gap));
        at = ubi__wire_put_u64(at, (uint64_t)e->trace << 32 | e->size_bytes);
    } else {
        at = put_long_alloc(c, at, gap, e);
    }
    c->last_address = e->address;
    c->last_trace = e->trace;
    ubi__chunk_commit(c, at);
    return true;
}

static __attribute__((noinline)) uint8_t *put_long_free(ubi__context *c, uint8_t *at, uint64_t gap, uintptr_t address,
                                                        ubi__free_kind kind, size_t size_bytes) {
    at = put_long_event(c, at, UBI__OP_FREE | (unsigned)kind << UBI__OP_KIND_SHIFT, gap, address);
    return kind >= UBI__FREE_SIZED ? ubi__wire_put(at, size_bytes) : at;
}

static inline bool write_free(ubi__context *c, uintptr_t address, ubi__free_kind kind, size_t size_bytes) {
    if (ubi__unlikely(!ubi__chunk_has_room(c, EVENT_BYTES)))
        return false;
    uint8_t *at = put_time(c);
    uint64_t gap = take_stamp(c);
    if (ubi__likely(kind < UBI__FREE_SIZED && ubi__wire_is_short(address, gap, 0)))
        at = ubi__wire_put_u64(
            at, ubi__wire_short(UBI__OP_SHORT_FREE | (unsigned)kind << UBI__OP_KIND_SHIFT, address, gap));
    else
        at = put_long_free(c, at, gap, address, kind, size_bytes);
    c->last_address = address;
    ubi__chunk_commit(c, at);
    return true;
}

static void drop_event(void) {
    ubi__wire_header *area = ubi__process_state.area;
    if (area)
        count_one(&area->dropped);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* Blocks of a script engine have kinds of their own, unless they come from functions whose frees are their own. */
static inline ubi__alloc_kind kind_now(const ubi__thread *thread, ubi__alloc_kind kind) {
    if (ubi__likely(!thread->is_for_scripts))
        return kind;
    if (kind == UBI__ALLOC_MALLOC || kind == UBI__ALLOC_CALLOC)
        return UBI__ALLOC_SCRIPT;
    return ubi__alloc_is_resized(kind) ? UBI__ALLOC_SCRIPT_REALLOC : kind;
}

/* Of a script engine, after what it is. */
static inline bool write_block(ubi__context *c, const ubi__thread *thread, const alloc_event *e) {
    bool is_said =
        ubi__likely(!thread->is_for_scripts) || ubi__script_class_say(c, thread->is_for_scripts, EVENT_BYTES);
    return is_said && write_alloc(c, e);
}

/* What a thread was asked to do before its next allocation is recorded. */
static __attribute__((noinline)) void do_chores(ubi__thread *thread, const ubi__unwind_registers *caller) {
    if (thread->module_looks)
        ubi__calls_divert_new(thread);
    if (thread->has_to_ask) {
        thread->has_to_ask = false;
        ubi__allocator_ask_between(caller);
    }
}

bool ubi__allocated(const void *p, size_t size_bytes, ubi__alloc_kind kind, const ubi__unwind_registers *caller) {
    ubi__thread *thread = &ubi__this_thread;
    if (ubi__unlikely(!ubi__process_state.is_on) && !is_on_now(thread))
        return false;
    if (ubi__unlikely(thread->chores))
        do_chores(thread, caller);
    uint64_t met = 1;
    if (!ubi__process_state.is_exact && (met = ubi__sampling_meet(&thread->remaining_bytes, size_bytes)) == 0)
        return false;
    if (ubi__unlikely(!(recording_now() & UBI__RECORDING_IS_ON)) && recording_is_paused())
        return false;
    if (!event_begin(thread))
        return false;
    ubi__context *c = ubi__context_of_thread(thread);
    bool is_recorded =
        c && (ubi__process_state.is_exact || ubi__sampling_remember(p)) &&
        write_block(c, thread,
                    &(alloc_event){ (uintptr_t)p, size_bytes, kind_now(thread, kind), stack_of(c, caller), met });
    if (ubi__unlikely(!is_recorded))
        drop_event();
    end_maybe_exiting(thread, ubi__alloc_is_resized(kind));
    return is_recorded;
}

bool ubi__freeing(const void *p, ubi__free_kind kind, size_t size_bytes) {
    ubi__thread *thread = &ubi__this_thread;
    if (ubi__unlikely(!ubi__process_state.is_on) || ubi__unlikely(!recording_now()))
        return false;
    if (!event_begin(thread))
        return false;
    if (!ubi__process_state.is_exact && !ubi__sampling_recall(p)) {
        event_end(thread);
        return false;
    }
    ubi__context *c = ubi__context_of_thread(thread);
    bool is_recorded = c && write_free(c, (uintptr_t)p, kind, size_bytes);
    if (ubi__unlikely(!is_recorded))
        drop_event();
    end_maybe_exiting(thread, kind == UBI__FREE_REALLOC);
    return is_recorded;
}

/* The second half of a realloc that got no new block. */
static void write_outcome(ubi__wire_control outcome, const void *lives_on) {
    ubi__thread *thread = &ubi__this_thread;
    if (!ubi__process_state.is_on || !event_begin(thread))
        return;
    ubi__context *c = thread->context;
    if (c && c->recording == ubi__recording_number && ubi__chunk_has_room(c, UBI__WIRE_RECORD_BYTES))
        ubi__chunk_commit(c, put_control(c->at, outcome));
    if (lives_on && !ubi__process_state.is_exact)
        (void)ubi__sampling_remember(lives_on); /* there is room: it was just taken out */
    event_end(thread);
}

void ubi__realloc_failed(const void *p) {
    write_outcome(UBI__CONTROL_REALLOC_UNDONE, p);
}

void ubi__realloc_freed(void) {
    write_outcome(UBI__CONTROL_REALLOC_FREED, NULL);
}

void ubi__realloc_done(void) {
    ubi__thread *thread = &ubi__this_thread;
    if (ubi__unlikely(thread->is_exiting) && event_begin(thread)) {
        ubi__context_give_back(thread);
        event_end(thread);
    }
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

static ubi__lock mapping_lock;

bool ubi__mapping_begin(ubi__signals *before) {
    if (!ubi__process_state.has_mappings || !event_begin(&ubi__this_thread))
        return false;
    if (ubi__lock_take(&mapping_lock, before))
        return true;
    drop_event();
    event_end(&ubi__this_thread);
    return false;
}

void ubi__mapping_end(ubi__signals before) {
    ubi__lock_give(&mapping_lock, before);
    end_maybe_exiting(&ubi__this_thread, false);
}

void ubi__mapped(const void *p, size_t size_bytes, ubi__alloc_kind kind, const ubi__unwind_registers *caller) {
    if (!(recording_now() & UBI__RECORDING_IS_ON))
        return;
    ubi__context *c = ubi__context_of_thread(&ubi__this_thread);
    if (!c || !write_alloc(c, &(alloc_event){ (uintptr_t)p, size_bytes, kind, stack_of(c, caller), 0 }))
        drop_event();
}

void ubi__unmapped(const void *p, size_t size_bytes, ubi__free_kind kind) {
    if (!recording_now())
        return;
    ubi__context *c = ubi__context_of_thread(&ubi__this_thread);
    if (!c || !write_free(c, (uintptr_t)p, kind, size_bytes))
        drop_event();
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* Which is counted as dropped or re-entrant, too. */
static void count_lost_marker(void) {
    ubi__wire_header *area = ubi__process_state.area;
    if (area)
        count_one(&area->dropped_markers);
}

ubi__context *ubi__event_begin(void) {
    ubi__thread *thread = &ubi__this_thread;
    if (!ubi__process_state.is_on && !is_on_now(thread))
        return NULL;
    if (!event_begin(thread)) {
        count_lost_marker();
        return NULL;
    }
    ubi__context *c = ubi__context_of_thread(thread);
    if (!c)
        ubi__event_end(false);
    return c;
}

void ubi__event_end(bool is_recorded) {
    if (!is_recorded) {
        drop_event();
        count_lost_marker();
    }
    end_maybe_exiting(&ubi__this_thread, false);
}

uint32_t ubi__event_stack(ubi__context *c, const ubi__unwind_registers *from, uintptr_t caller) {
    uint32_t generation = atomic_load_explicit(&ubi__module_generation, memory_order_relaxed) & ~UBI__SCRIPTS_THERE;
    ubi__unwind_registers states[2];
    ubi__unwind_end end;
    if (ubi__unlikely(generation != c->module_generation))
        ubi__event_renew_stacks(c, generation);
    bool is_between =
        from->pc != caller && ubi__unwind_states(&c->unwinder, from, states, 2, &end) == 2 && states[1].pc == caller;
    return stack_of(c, is_between ? &states[1] : from);
}

uint8_t *ubi__event_put(ubi__context *c, ubi__wire_control control) {
    uint8_t *at = put_time(c), *operation = at;
    uint64_t gap = take_stamp(c);
    at = put_control(at, control);
    if (!gap)
        return at;
    *operation |= UBI__OP_GAP;
    return ubi__wire_put(at, gap);
}

void ubi__events_after_fork(void) {
    mapping_lock = 0;
    ubi__contexts_after_fork();
    ubi__scripts_after_fork();
    ubi__script_classes_after_fork();
}
