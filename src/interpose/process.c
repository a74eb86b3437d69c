/* SPDX-License-Identifier: MIT
 *
 * process.c: the recorder's life in a process: start, threads that exit, fork, the end of recording.
 *
 * Whichever comes first, this library's constructor or a call of a hook, starts it: constructors of other libraries
 * may run before ours. A child after fork finds its state page wiped by the kernel, so it records nothing, unless
 * children are followed: then it connects again. A child of vfork is the parent, as far as memory goes, until it
 * execs.
 */
#include <pthread.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "interpose/context.h"
#include "interpose/loaded_symbols.h"
#include "interpose/mapped_area.h"
#include "interpose/markers.h"
#include "interpose/preload.h"
#include "interpose/program_clock.h"
#include "interpose/real_functions.h"
#include "interpose/sampling.h"
#include "interpose/started.h"
#include "interpose/system_calls.h"

union ubi__process_page ubi__process_page __attribute__((aligned(4096)));

enum { NOT_STARTED, STARTING, STARTED };
static _Atomic uint32_t stage; /* not in the state page: a child must not start as a program does */

static char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "": no reader to record for */
static bool follows_children;
static ubi__wire_header *area_of_parent; /* for a child, which finds its state wiped */
static pthread_key_t exit_key;
static bool has_exit_key;

/* glibc only; other C libraries lack these, yet load this library in a child that has our LD_PRELOAD. */
extern void *__libc_stack_end __attribute__((weak));
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));
/* This many keys have their values in the thread itself: setting one neither allocates nor locks. */
#define KEYS_WITH_PLACE 32

/* ---- threads that exit ------------------------------------------------------------------------------------------- */

/*
 * Destructors of other keys may free what they hold, so ours asks to be called again as long as that is done. After
 * the last time the C library frees things of the thread: these events borrow a context each.
 */
static void thread_exits(void *thread_state) {
    ubi__thread *thread = thread_state;
    if (++thread->exit_rounds < 4 && pthread_setspecific(exit_key, thread) == 0) /* PTHREAD_DESTRUCTOR_ITERATIONS */
        return;
    thread->is_exiting = true;
    if (thread->business == UBI__IDLE)
        ubi__context_give_back(thread);
}

void ubi__watch_exit(ubi__thread *thread) {
    if (!thread->is_exiting && (!has_exit_key || pthread_setspecific(exit_key, thread) != 0))
        thread->is_exiting = true; /* its exit goes unnoticed: borrow from now on */
}

/* ---- on and off -------------------------------------------------------------------------------------------------- */

static void turn_on(ubi__wire_header *area, int32_t reader_pid) {
    ubi__process *state = &ubi__process_state;
    state->area = area_of_parent = area;
    state->reader_pid = reader_pid;
    state->n_chunks = area->n_chunks;
    state->chunk_quota = area->chunk_quota;
    state->max_depth = area->max_depth;
    state->zero_ns = area->zero_ns;
    state->look_ticks = area->look_ticks;
    state->is_exact = area->period_bytes <= 1;
    state->has_mappings = area->flags & UBI__WIRE_MAPPINGS;
    if (state->is_exact)
        memset(ubi__filter, 255, sizeof ubi__filter);
    else
        ubi__sampling_init(area->period_bytes, area->seed);
    ubi__filter_mask = state->is_exact ? 0 : UBI__FILTER_MASK;
    /* Before it is on: a child must never see it on. */
    (void)ubi__system(SYS_madvise, (long)&ubi__process_page, sizeof ubi__process_page, MADV_WIPEONFORK, 0, 0, 0);
    atomic_store_explicit(&area->state, UBI__PROGRAM_RECORDS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    state->is_on = true;
    ubi__markers_on(area);
}

void ubi__stop(void) {
    ubi__process *state = &ubi__process_state;
    atomic_store_explicit(&state->area->state, UBI__PROGRAM_STOPPED, memory_order_relaxed);
    state->is_on = false;
    ubi__markers_off();
}

/* ---- a program that runs already (attachment.c) -------------------------------------------------------------------- */

uint32_t ubi__recording_number;

void ubi__process_enter(const ubi__connection *c) {
    ubi__recording_number++;
    ubi__sampling_restart();
    ubi__started_note_in(c->area, NULL);
    turn_on(c->area, c->reader_pid);
}

void ubi__process_leave(void) {
    ubi__process *state = &ubi__process_state;
    if (!area_of_parent)
        return;
    state->has_mappings = false;
    if (state->is_on)
        ubi__stop();
    ubi__started_note_in(NULL, NULL);
    area_of_parent = NULL;
    ubi__area_leave_place();
    ubi__sampling_restart();
}

/* ---- fork -------------------------------------------------------------------------------------------------------- */

/*
 * Nothing must be written into the parent's chunks any more. When fork was called by a signal handler in the middle of an
 * event, that event continues here: private memory takes the area's place, and is never read.
 */
static void leave_parents_area(void) {
    if (area_of_parent)
        ubi__area_leave();
    area_of_parent = NULL;
}

/* Connects again. If that fails, ubiheap knows why, or the parent's area says so, where what it starts is noted too. */
static ubi__connection follow_fork(void) {
    ubi__wire_header *header = area_of_parent ? ubi__area_map_header_again(area_of_parent) : NULL;
    leave_parents_area();
    ubi__connection c = ubi__connect(socket_path, true);
    if (!c.area && header) {
        if (!c.is_listed && atomic_load_explicit(&header->clock_us, memory_order_relaxed) != UBI__WIRE_CLOCK_STOP)
            atomic_fetch_add_explicit(&header->lost_children[c.why], 1, memory_order_relaxed);
        ubi__started_note_in(header, socket_path);
    } else if (header) {
        ubi__area_unmap_header(header);
    }
    return c;
}

static void after_fork_in_child(void) {
    ubi__thread *thread = &ubi__this_thread;
    ubi__connection c = { 0 };
    ubi__process_page = (union ubi__process_page){ 0 }; /* where the kernel does not know how to wipe */
    if (!follows_children)
        ubi__started_keep_in_child(area_of_parent);
    else
        c = follow_fork();
    leave_parents_area();
    ubi__events_after_fork();
    ubi__markers_after_fork();
    thread->context = NULL;
    if (c.area) {
        ubi__sampling_forget_all();
        thread->remaining_bytes = 0;
        ubi__started_note_in(c.area, socket_path);
        turn_on(c.area, c.reader_pid);
    }
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void connect_by_environment(void) {
    const char *path = ubi__environment_value(UBI__WIRE_SOCKET_VARIABLE);
    ubi__connection c = { 0 };
    if (path && strlen(path) < sizeof socket_path) {
        strcpy(socket_path, path);
        c = ubi__connect(socket_path, false);
        follows_children = c.area && (c.area->flags & UBI__WIRE_FOLLOW_CHILDREN);
    }
    if (!follows_children)
        ubi__environment_clean();
    if (!c.area)
        return;
    ubi__started_note_in(c.area, follows_children ? socket_path : NULL);
    turn_on(c.area, c.reader_pid);
}

/*
 * May be in the middle of anything, as the first call of a hook starts it: nothing here allocates, or waits for
 * anything except the recorder. A program of another C library is let alone, and its environment too: it may start
 * programs of ours.
 */
bool ubi__start(void) {
    uint32_t seen = NOT_STARTED;
    /* So early that there is no environment yet: the next call will look again. */
    if (atomic_load_explicit(&stage, memory_order_acquire) == STARTED || !environ)
        return environ != NULL;
    if (!atomic_compare_exchange_strong(&stage, &seen, STARTING))
        return seen == STARTED;
    ubi__resolve();
    if (&__libc_stack_end) {
        has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0 && exit_key < KEYS_WITH_PLACE;
        ubi__program_clock_find();
        if (!ubi__loaded_is_late()) /* else it is not for us */
            connect_by_environment();
    }
    atomic_store_explicit(&stage, STARTED, memory_order_release);
    return true;
}

/*
 * The C library takes a lock, and may allocate, to register what to do after fork, so that is not done before. A child that is
 * made earlier than that finds its state wiped, and is not recorded.
 */
static __attribute__((constructor(101))) void begin_recording(void) {
    ubi__thread *thread = &ubi__this_thread;
    uint32_t business = thread->business;
    (void)ubi__start();
    thread->business = UBI__OWN_CALLS;
    if (__register_atfork)
        (void)__register_atfork(NULL, NULL, after_fork_in_child, &__dso_handle);
    thread->business = business;
}

/* ---- the program's environment ------------------------------------------------------------------------------------ */

/*
 * Everything happens in place, in the strings that the kernel gave the process, for nothing may be allocated yet.
 */

#define PRELOAD_VARIABLE "LD_PRELOAD"

/* The place of a variable in environ; NULL: it is not there. */
static char **find_variable(const char *name) {
    size_t n = strlen(name);
    for (char **at = environ; at && *at; at++)
        if (!strncmp(*at, name, n) && (*at)[n] == '=')
            return at;
    return NULL;
}

const char *ubi__environment_value(const char *name) {
    char **at = find_variable(name);
    return at ? *at + strlen(name) + 1 : NULL;
}

static void remove_variable(const char *name) {
    for (char **at; (at = find_variable(name)) != NULL;)
        do
            at[0] = at[1];
        while (*at++);
}

/* Whether an entry of LD_PRELOAD is this library, wherever it is. */
static bool is_ours(const char *entry, size_t n) {
    const size_t n_name = sizeof UBI__WIRE_LIBRARY - 1;
    return n >= n_name && !memcmp(entry + n - n_name, UBI__WIRE_LIBRARY, n_name) &&
           (n == n_name || entry[n - n_name - 1] == '/');
}

/* Takes our entries, and the separator after or before each, out of the list. */
static void clean_list(char *list) {
    char *out = list;
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ": ");
        const char *next = at + n + strspn(at + n, ": ");
        if (!is_ours(at, n)) {
            memmove(out, at, (size_t)(next - at));
            out += next - at;
        } else if (!*next && out > list) {
            out--;
        }
        at = next;
    }
    *out = 0;
}

void ubi__environment_clean(void) {
    remove_variable(UBI__WIRE_SOCKET_VARIABLE);
    char **preload = find_variable(PRELOAD_VARIABLE);
    if (!preload)
        return;
    char *list = *preload + sizeof PRELOAD_VARIABLE; /* with the sign after the name */
    clean_list(list);
    if (!*list)
        remove_variable(PRELOAD_VARIABLE);
}
