/* SPDX-License-Identifier: MIT
 *
 * preload.h: what the parts of libubiheap-preload.so share: the state of the process and of each thread.
 *
 * This library runs inside of other people's programs, in front of their allocator. It calls no malloc, prints
 * nothing, has no thread, no signal handler and no descriptor of its own, and keeps errno as it is. Hooks run in the middle of
 * anything, so they call nothing of the C library that takes a lock: tests/interpose/preload_symbols_test.py lists what they
 * call, and why.
 *
 *     hooks_*.c           the functions that programs call in place of the C library's: decide in a few instructions
 *     events.c            what is recorded
 *     event_stacks.c      stacks that are walked, and get numbers
 *     context.c, trace_tree.c    where a thread keeps what it writes, and how
 *     scripts.c, script_sources.c    frames of scripts that an interpreter runs, in place of its own
 *     python.c, python_locations.c, python_places.c, readable.c    those of Python, and reading them with care
 *     markers.c           what the program says that it does (ubiheap/core/marker.h)
 *     recording_control.c which part of it the program wants recorded (ubiheap/core/recorder.h)
 *     allocator_answer.c  what the program's allocator says of its memory
 *     sampling.c          which allocations, and which of them live
 *     hooks_exec.c        programs that it starts, which are not recorded
 *     process.c           start, environment, fork
 *     mapped_area.c       the way to the ubiheap process, the memory shared with it, chunks
 *     program_clock.c     when
 *     sealing.c           what the program has forbidden itself, and so us
 *     real_functions.c    the functions that ours replace, and finding them
 *     process_maps.c      stacks of threads, absolute paths of libraries
 *     attachment.c, diverted_calls.c    into a program that runs already, and out of it
 */
#ifndef UBI_INTERPOSE_PRELOAD_H
#define UBI_INTERPOSE_PRELOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/lock.h"
#include "recording/preload_wire.h"
#include "unwind/unwind.h"

#define UBI__HOOK __attribute__((visibility("default")))
/** Of data: the compiler need not look up where it is. */
#define UBI__OURS __attribute__((visibility("hidden")))
#define UBI__THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#define ubi__likely(x) __builtin_expect(!!(x), 1)
#define ubi__unlikely(x) __builtin_expect(!!(x), 0)

struct ubi__thread;

/* ---- the process ------------------------------------------------------------------------------------------------- */

/**
 * Whether and what is recorded. All zero in a child after fork, however it was made: the kernel wipes it there.
 */
typedef struct ubi__process {
    bool is_on;
    bool is_exact;
    bool has_mappings;
    /* As the reader said them at the start: the program may write anything into the area since. */
    int32_t reader_pid; /* as the kernel knows it here; 0: not among the processes that we can see */
    uint32_t n_chunks, chunk_quota, max_depth;
    uint64_t zero_ns, look_ticks;
    ubi__wire_header *area;
} ubi__process;

union ubi__process_page {
    ubi__process it;
    char page[4096];
};
_Static_assert(sizeof(union ubi__process_page) == 4096, "a page, which the kernel wipes in children");
extern UBI__OURS union ubi__process_page ubi__process_page;
#define ubi__process_state (ubi__process_page.it)

/** Looks at the environment and connects, once. Cheap afterwards. @return false: still at it, ask again. */
bool ubi__start(void);
/** The thread gives its context back when it exits. */
void ubi__watch_exit(struct ubi__thread *thread);
/** Recording ends permanently; the program continues. */
void ubi__stop(void);
/** Connects and maps. @param path  of the socket. */
typedef struct ubi__connection {
    ubi__wire_header *area; /* NULL: none */
    int32_t reader_pid;
    ubi__unrecorded why; /* then */
    bool is_listed;      /* then: ubiheap knows why */
} ubi__connection;
ubi__connection ubi__connect(const char *path, bool is_forked);
/** The same in two steps, on a socket that leads to ubiheap; it stays the caller's. */
bool ubi__say_hello_on(int socket);
ubi__connection ubi__connect_on(int socket, int32_t reader_pid);
/** Whether the ubiheap process that recording is for lives. May take a moment where it cannot be seen. */
bool ubi__reader_lives(void);

/** Recording begins, in a program that runs: nothing of an earlier one counts. `c` has an area. */
void ubi__process_enter(const ubi__connection *c);
/** It ends, if there is any: the shared memory is given up, and threads that are just writing there may continue. */
void ubi__process_leave(void);
/** Of the recording; contexts of an earlier one begin again. Not wiped in children. */
extern UBI__OURS uint32_t ubi__recording_number;

/** The value of a variable of the environment; NULL: none. */
const char *ubi__environment_value(const char *name);
/** Takes what is ours out of the environment. */
void ubi__environment_clean(void);

/** How often modules went away. */
extern UBI__OURS _Atomic uint32_t ubi__module_generation;

/* ---- a thread ---------------------------------------------------------------------------------------------------- */

struct ubi__context;

typedef enum ubi__business {
    UBI__IDLE,
    UBI__RECORDING, /* events of signal handlers are dropped, and counted */
    UBI__OWN_CALLS, /* calls of the C library that allocate for us: not recorded, not counted */
} ubi__business;

/** An operator new that is at work, and may call malloc. */
typedef struct ubi__pending_new {
    uint32_t kind; /* of ubi__alloc_kind; 0: none, for malloc is never pending */
    size_t size_bytes;
    uintptr_t low, high; /* where its code is: calls of malloc from there are its own */
    uintptr_t from;      /* the call of malloc that failed, which it may repeat; 0: not called yet */
    ubi__unwind_registers caller;
} ubi__pending_new;

/** What a thread has of us. Small: libraries that are loaded early share some 1.6 KiB of such memory. */
typedef struct ubi__thread {
    uint64_t remaining_bytes; /* a request of this many or more takes the slow way; 0: all do */
    struct ubi__context *context;
    uint32_t business; /* ubi__business */
    bool is_exiting;   /* its destructors have run: whatever comes now borrows a context for the moment */
    uint8_t exit_rounds;
    uint8_t
        is_for_scripts; /* what it allocates now is a script engine's: its class, 1: unknown (base/script_source.h) */
    union {
        uint8_t chores; /* not 0: something is to be done before its next allocation is recorded: */
        struct {
            uint8_t
                module_looks : 7;   /* how many of its next ones look whether a module was loaded (diverted_calls.h) */
            uint8_t has_to_ask : 1; /* it asks the allocator (allocator_answer.h) */
        };
    };
    void *deleting;                  /* an operator delete has recorded this free */
    uintptr_t busy_at;               /* stack address of the recorder while it is busy */
    uintptr_t stack_low, stack_high; /* 0, 0: unknown, for now or permanently */
    ubi__pending_new pending_new;
} ubi__thread;
_Static_assert(sizeof(ubi__thread) <= 192, "small: see above");
_Static_assert(UBI__IDLE == 0, "a new thread is idle");
_Static_assert(UBI__ALLOC_MALLOC == 0, "0 is no pending kind");

extern UBI__OURS UBI__THREAD_LOCAL ubi__thread ubi__this_thread;

/* ---- which frees are looked at ----------------------------------------------------------------------------------- */

/** For each value of some bits of an address: how many blocks with these bits live that were recorded; 255: many. */
extern UBI__OURS uint8_t ubi__filter[65536];
/** Of the bits. 0 where everything is recorded: then all frees look at one byte, which stays in the cache, and at no other. */
extern UBI__OURS size_t ubi__filter_mask;
#define UBI__FILTER_MASK ((size_t)UINT16_MAX)

static inline size_t ubi__filter_place(const void *p) {
    return (uintptr_t)p >> 4 & ubi__filter_mask;
}
_Static_assert(sizeof ubi__filter == UBI__FILTER_MASK + 1, "a place for each value of the bits");

static inline bool ubi__filter_passes(const void *p) {
    return ubi__likely(ubi__filter[ubi__filter_place(p)] == 0);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/** The state of the function that called the one that this is in; only where that one has a frame pointer. */
static inline __attribute__((always_inline)) ubi__unwind_registers ubi__caller(void) {
    const uintptr_t *frame = __builtin_frame_address(0); /* makes the compiler set up a frame: bp, return address */
    return (ubi__unwind_registers){ .bp = frame[0], .pc = frame[1], .sp = (uintptr_t)(frame + 2) };
}

/** A block was allocated. @return it was recorded. */
bool ubi__allocated(const void *p, size_t size_bytes, ubi__alloc_kind kind, const ubi__unwind_registers *caller);
/**
 * A block is about to be freed. @param size_bytes  as the caller says, of kinds that say it. @return it was recorded.
 */
bool ubi__freeing(const void *p, ubi__free_kind kind, size_t size_bytes);
/** A free of kind realloc, which was recorded, did not happen, or happened without a new block. */
void ubi__realloc_failed(const void *p);
void ubi__realloc_freed(void);
/** A realloc is over. */
void ubi__realloc_done(void);

/**
 * Mappings: between these two no other thread's mapping is recorded. @return false: not recorded, and nothing to end.
 */
bool ubi__mapping_begin(ubi__signals *before);
void ubi__mapped(const void *p, size_t size_bytes, ubi__alloc_kind kind, const ubi__unwind_registers *caller);
void ubi__unmapped(const void *p, size_t size_bytes, ubi__free_kind kind);
void ubi__mapping_end(ubi__signals before);

/** In a child after fork. */
void ubi__events_after_fork(void);

#endif
