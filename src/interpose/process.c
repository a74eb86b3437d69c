/* SPDX-License-Identifier: MIT
 *
 * process.c: the recorder's life in a process: start, threads that exit, fork, the end of recording.
 *
 * Whichever comes first, this library's constructor or a call of a hook, starts it: constructors of other libraries
 * may run before ours. A child after fork finds its state page wiped by the kernel, so it records nothing, unless
 * children are followed: then it connects anew. A child of vfork is the parent, as far as memory goes, until it
 * execs.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "interpose/context.h"
#include "interpose/mapped_area.h"
#include "interpose/markers.h"
#include "interpose/preload.h"
#include "interpose/real_functions.h"
#include "interpose/sampling.h"
#include "interpose/system_calls.h"

union ubi__process_page ubi__process_page __attribute__((aligned(4096)));

enum { NOT_STARTED, STARTING, STARTED };
static _Atomic uint32_t stage; /* not in the state page: a child must not start as a program does */

static char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* "": nobody to record for */
static bool follows_children;
static ubi__wire_header *area_of_parent; /* for a child, which finds its state wiped */
static pthread_key_t exit_key;

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
    uint32_t business = thread->business;
    if (thread->is_exiting)
        return;
    thread->business = UBI__OWN_CALLS; /* the C library may allocate the place for it */
    if (pthread_setspecific(exit_key, thread) != 0)
        thread->is_exiting = true; /* nobody will tell: borrow from now on */
    thread->business = business;
}

/* ---- on and off -------------------------------------------------------------------------------------------------- */

static void turn_on(ubi__wire_header *area) {
    ubi__process *state = &ubi__process_state;
    state->area = area_of_parent = area;
    state->is_exact = area->period_bytes <= 1;
    state->has_mappings = area->flags & UBI__WIRE_MAPPINGS;
    if (state->is_exact)
        memset(ubi__filter, 255, sizeof ubi__filter);
    else
        ubi__sampling_init(area->period_bytes, area->seed);
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

/* ---- fork -------------------------------------------------------------------------------------------------------- */

/*
 * Nothing must be written into the parent's chunks any more. When fork was called by a signal handler in the middle of an
 * event, that event goes on here: private memory takes the area's place, and nobody will read it.
 */
static void leave_parents_area(void) {
    if (area_of_parent)
        ubi__area_leave();
    area_of_parent = NULL;
}

/* Connects anew. If that is not possible, the parent's area says so. */
static bool follow(ubi__wire_header **area) {
    ubi__wire_header *header = area_of_parent ? ubi__area_map_header_again(area_of_parent) : NULL;
    leave_parents_area();
    bool is_connected = ubi__connect(socket_path, true, area);
    if (!header)
        return is_connected;
    if (!is_connected && atomic_load_explicit(&header->clock_us, memory_order_relaxed) != UBI__WIRE_CLOCK_STOP)
        atomic_fetch_add_explicit(&header->lost_children, 1, memory_order_relaxed);
    ubi__area_unmap_header(header);
    return is_connected;
}

static void after_fork_in_child(void) {
    ubi__thread *thread = &ubi__this_thread;
    ubi__wire_header *area;
    ubi__process_page = (union ubi__process_page){ 0 }; /* where the kernel does not know how to wipe */
    bool is_followed = follows_children && follow(&area);
    leave_parents_area();
    ubi__events_after_fork();
    ubi__markers_after_fork();
    thread->context = NULL;
    if (is_followed) {
        ubi__sampling_forget_all();
        thread->remaining_bytes = 0;
        turn_on(area);
    }
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* What the C library wants to know of us; it may allocate for that. */
static bool register_with_library(void) {
    return pthread_key_create(&exit_key, thread_exits) == 0 && pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
}

static void connect_by_environment(void) {
    const char *path = ubi__environment_value(UBI__WIRE_SOCKET_VARIABLE);
    ubi__wire_header *area = NULL;
    if (path && strlen(path) < sizeof socket_path) {
        strcpy(socket_path, path);
        if (register_with_library() && ubi__connect(socket_path, false, &area))
            follows_children = area->flags & UBI__WIRE_FOLLOW_CHILDREN;
    }
    if (!follows_children)
        ubi__environment_clean();
    if (area)
        turn_on(area);
}

bool ubi__start(void) {
    ubi__thread *thread = &ubi__this_thread;
    uint32_t seen = NOT_STARTED;
    /* So early that there is no environment yet: the next call will look again. */
    if (atomic_load_explicit(&stage, memory_order_acquire) == STARTED || !environ)
        return environ != NULL;
    if (!atomic_compare_exchange_strong(&stage, &seen, STARTING))
        return seen == STARTED;
    int kept = errno;
    uint32_t business = thread->business;
    thread->business = UBI__OWN_CALLS;
    ubi__resolve();
    connect_by_environment();
    thread->business = business;
    errno = kept;
    atomic_store_explicit(&stage, STARTED, memory_order_release);
    return true;
}

static __attribute__((constructor(101))) void begin(void) {
    (void)ubi__start();
}
