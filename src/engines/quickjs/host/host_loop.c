/* SPDX-License-Identifier: MIT
 *
 * host_loop.c: the event loop, and what happens between and in the middle of its events.
 *
 * One turn: all jobs, with a safe point after each; the timers that are due, with their jobs; then one event of `os`, for
 * which it waits. A wait ends early when a timer, the hooks or a signal are due. A safe point that called listeners is
 * followed by another turn, without a wait: a listener that collects makes an event for the next safe point.
 */
#include "engines/quickjs/host/host_wake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assert.h"
#include "engines/quickjs/host/host.h"
#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"

/* ---- waiting that can be ended ----------------------------------------------------------------------------------- */

#define MAX_HOSTS 256

/*
 * A slot is a host's while it lives. Its pipe stays for the next one: closing it would let a signal handler that is just
 * about to write hit whatever file gets the number then.
 */
static struct slot {
    atomic_bool is_taken;
    atomic_int write_end; /* the descriptor plus 1; 0: no pipe yet */
    int read_end;
} slots[MAX_HOSTS];

static bool open_pipe(struct slot *slot) {
    int ends[2];
    if (atomic_load(&slot->write_end))
        return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    /* select() takes no larger ones. */
    if (ends[0] >= FD_SETSIZE) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    slot->read_end = ends[0];
    atomic_store(&slot->write_end, ends[1] + 1);
    return true;
}

static bool wake_take(ubi__wake *wake, int at) {
    bool free = false;
    if (!atomic_compare_exchange_strong(&slots[at].is_taken, &free, true))
        return false;
    *wake = (ubi__wake){ open_pipe(&slots[at]) ? slots[at].read_end : -1, at };
    return true;
}

void ubi__wake_init(ubi__wake *wake, bool main) {
    *wake = (ubi__wake){ -1, -1 };
    if (main)
        wake_take(wake, 0);
    for (int i = 1; !main && i < MAX_HOSTS && !wake_take(wake, i); i++)
        ;
}

static void wake_drain(int fd) {
    char bytes[64];
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
}

void ubi__wake_fini(ubi__wake *wake) {
    if (wake->read_fd >= 0)
        wake_drain(wake->read_fd);
    if (wake->slot >= 0)
        atomic_store(&slots[wake->slot].is_taken, false);
    *wake = (ubi__wake){ -1, -1 };
}

/* A full pipe is as good as a written one. */
static void wake_slot(int slot) {
    UBI_ASSERT(slot >= 0 && slot < MAX_HOSTS);
    int fd = atomic_load(&slots[slot].write_end) - 1;
    if (fd >= 0 && write(fd, "", 1) < 0)
        return;
}

void ubi__wake_main(void) {
    int error = errno;
    wake_slot(0);
    errno = error;
}

void ubi__host_wake_all(void) {
    int error = errno;
    for (int i = 0; i < MAX_HOSTS; i++)
        wake_slot(i);
    errno = error;
}

static uint64_t wake_microseconds(const struct timeval *t) {
    return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* select() with the pipe among what is read, and without it in what is found. */
static int select_with_pipe(int pipe_end, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                            struct timeval *until) {
    fd_set own;
    if (!readable) {
        FD_ZERO(&own);
        readable = &own;
    }
    FD_SET(pipe_end, readable);
    int found = select(pipe_end < n ? n : pipe_end + 1, readable, writable, failed, until);
    int error = errno;
    if (found > 0 && FD_ISSET(pipe_end, readable)) {
        wake_drain(pipe_end);
        found--;
    }
    FD_CLR(pipe_end, readable);
    errno = error;
    return found;
}

/* Who reads what is printed sees it while the program waits, and it is not lost if the program is killed then. */
static void output_flush_before_wait(bool will_wait) {
    if (will_wait)
        ubi__host_flush_output();
}

int ubi__wake_select(ubi__wake *wake, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                     struct timeval *timeout, uint64_t limit_us) {
    struct timeval limit, *until = timeout;
    if (limit_us != UINT64_MAX && (!timeout || limit_us < wake_microseconds(timeout))) {
        limit = (struct timeval){ (time_t)(limit_us / 1000000), (suseconds_t)(limit_us % 1000000) };
        until = &limit;
    }
    output_flush_before_wait(!until || wake_microseconds(until) > 0);
    if (wake->read_fd >= 0) {
        int found = select_with_pipe(wake->read_fd, n, readable, writable, failed, until);
        /* A script may close any descriptor, ours too. */
        if (found >= 0 || errno != EBADF || fcntl(wake->read_fd, F_GETFD) >= 0)
            return found;
        wake->read_fd = -1;
    }
    return select(n, readable, writable, failed, until);
}

static int poll_files(struct pollfd *files, nfds_t n, uint64_t timeout_us) {
    struct timespec until = { (time_t)(timeout_us / 1000000), (long)(timeout_us % 1000000) * 1000 };
    return ppoll(files, n, timeout_us == UINT64_MAX ? NULL : &until, NULL);
}

int ubi__wake_poll(ubi__wake *wake, struct pollfd *files, nfds_t n, uint64_t timeout_us) {
    output_flush_before_wait(timeout_us > 0);
    if (wake->read_fd < 0)
        return poll_files(files, n, timeout_us);
    files[n] = (struct pollfd){ .fd = wake->read_fd, .events = POLLIN };
    int found = poll_files(files, n + 1, timeout_us);
    if (found <= 0 || files[n].revents == 0)
        return found;
    /* A script may close any descriptor, ours too. */
    if (files[n].revents & POLLNVAL)
        wake->read_fd = -1;
    else
        wake_drain(wake->read_fd);
    return found - 1;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* The exit code that a worker asked for; -1: none did. */
static atomic_int asked_to_leave = -1;
static atomic_bool worker_failed;

void ubi__host_ask_to_leave(int exit_code) {
    atomic_store(&asked_to_leave, exit_code & 0xff);
    ubi__wake_main();
}

void ubi__host_note_failure(void) {
    atomic_store(&worker_failed, true);
    ubi__wake_main();
}

bool ubi__host_noted_failure(void) {
    return atomic_load(&worker_failed);
}

/* ---- what is due -------------------------------------------------------------------------------------------------- */

static bool is_interrupted(const ubi__host *host) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    return host->number == 0 && hooks->interrupted && hooks->interrupted(hooks->payload);
}

/* Ends the process when that is wanted. */
static void loop_tick(ubi__host *host) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    if (host->is_leaving)
        return;
    if (hooks->tick)
        hooks->tick(host->hook_state);
    int asked = host->number == 0 ? atomic_load(&asked_to_leave) : -1;
    if (asked >= 0)
        ubi__host_leave(host, asked);
    if (is_interrupted(host))
        ubi__host_leave(host, UBI__SCRIPT_EXIT_INTERRUPTED);
}

static uint64_t microseconds_until(uint64_t due_us) {
    uint64_t now_us = due_us == UINT64_MAX ? 0 : ubi__host_clock_us();
    return due_us == UINT64_MAX ? UINT64_MAX : due_us > now_us ? due_us - now_us : 0;
}

static uint64_t hooks_due_us(const ubi__host *host) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    return hooks->due_us ? hooks->due_us(host->hook_state) : UINT64_MAX;
}

void ubi__host_safe_point(ubi__host *host) {
    host->has_reported = ubi_quickjs_safe_point(host->tools);
    loop_tick(host);
}

bool ubi__host_is_stopped(const ubi__host *host, bool forget) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    return host->is_shell && hooks->stopped && hooks->stopped(hooks->payload, forget);
}

int ubi__host_on_interrupt(JSRuntime *runtime, void *payload) {
    ubi__host *host = payload;
    ubi_quickjs_interrupt(host->tools);
    loop_tick(host);
    if (ubi__host_is_stopped(host, true))
        return 1;
    return host->libc_interrupt ? host->libc_interrupt(runtime, host->libc_interrupt_opaque) : 0;
}

/* std.evalScript asks for a handler while it runs; ours stays in front of it. */
void ubi__libc_set_interrupt_handler(JSRuntime *runtime, JSInterruptHandler *fn, void *opaque) {
    (void)runtime;
    ubi__host_here->libc_interrupt = fn;
    ubi__host_here->libc_interrupt_opaque = opaque;
}

/* ---- the loop ----------------------------------------------------------------------------------------------------- */

void ubi__host_run_jobs(ubi__host *host) {
    JSContext *realm;
    ubi__host_rejection rejection;
    for (int ran = 1; ran && !host->has_failed;) {
        ran = JS_ExecutePendingJob(host->runtime, &realm);
        if (ran < 0)
            ubi__host_report(host, realm);
        ubi__host_safe_point(host);
    }
    if (host->has_failed || !ubi__rejections_settle(&host->rejections, &rejection))
        return;
    ubi__host_report_rejection(host, &rejection);
    ubi__rejection_free(&rejection);
}

static void run_timer(ubi__host *host, const ubi__timer_call *call) {
    JSContext *realm = JS_DupContext(call->realm);
    ubi_quickjs_timeline_cause(host->tools, call->cause, call->registered);
    JSValue result = JS_Call(realm, call->function, JS_UNDEFINED, call->n_arguments, call->arguments);
    ubi_quickjs_timeline_cause(host->tools, NULL, 0);
    if (JS_IsException(result))
        ubi__host_report(host, realm);
    JS_FreeValue(realm, result);
    JS_FreeValue(realm, call->object);
    JS_FreeContext(realm);
}

/* Timers that a timer starts wait for the next turn, however short their time is: descriptors have their turn before. */
static void run_timers(ubi__host *host) {
    uint64_t now_us = ubi__host_clock_us(), started = host->timers.started;
    ubi__timer_call call;
    while (!host->has_failed && ubi__timers_take(&host->timers, &call, now_us, started)) {
        run_timer(host, &call);
        ubi__host_run_jobs(host);
    }
}

/* How long a wait may last. */
static uint64_t patience_us(const ubi__host *host) {
    uint64_t timer_us = ubi__timers_due_us(&host->timers), hooks_us = hooks_due_us(host);
    if (host->has_reported)
        return 0;
    return microseconds_until(timer_us < hooks_us ? timer_us : hooks_us);
}

/* With what the host waits for itself. */
static int select_with_input(ubi__host *host, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                             struct timeval *timeout) {
    int fd = host->input_fd;
    FD_SET(fd, readable);
    int found =
        ubi__wake_select(&host->wake, fd < n ? n : fd + 1, readable, writable, failed, timeout, patience_us(host));
    host->is_input_ready = found > 0 && FD_ISSET(fd, readable);
    FD_CLR(fd, readable);
    return host->is_input_ready ? found - 1 : found;
}

int ubi__libc_select(int n, fd_set *readable, fd_set *writable, fd_set *failed, struct timeval *timeout) {
    ubi__host *host = ubi__host_here;
    if (host->input_fd >= 0 && readable)
        return select_with_input(host, n, readable, writable, failed, timeout);
    return ubi__wake_select(&host->wake, n, readable, writable, failed, timeout, patience_us(host));
}

/* The engine looks at as many files as are ready, from the first. */
static void put_ready_first(struct pollfd *files, nfds_t n) {
    nfds_t ready = 0;
    for (nfds_t i = 0; i < n; i++) {
        struct pollfd file = files[i];
        if (file.revents == 0)
            continue;
        files[i] = files[ready];
        files[ready++] = file;
    }
}

/* `files` has room for two more. */
static int poll_with_input(ubi__host *host, struct pollfd *files, nfds_t n, int timeout_ms) {
    uint64_t limit_us = patience_us(host), timeout_us = timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000;
    bool has_input = host->input_fd >= 0;
    if (has_input)
        files[n] = (struct pollfd){ .fd = host->input_fd, .events = POLLIN };
    int found = ubi__wake_poll(&host->wake, files, n + has_input, timeout_us < limit_us ? timeout_us : limit_us);
    if (found < 0)
        return errno == EINTR ? 0 : found; /* the engine looks for signals when it is called again */
    host->is_input_ready = has_input && found > 0 && files[n].revents != 0;
    return host->is_input_ready ? found - 1 : found;
}

int ubi__libc_poll_files(struct pollfd *files, nfds_t n, int timeout_ms) {
    struct pollfd few[66], *all = few;
    if (n + 2 > sizeof few / sizeof *few && !(all = malloc((n + 2) * sizeof *all)))
        return -1;
    for (nfds_t i = 0; i < n; i++)
        all[i] = files[i];
    int found = poll_with_input(ubi__host_here, all, n, timeout_ms);
    for (nfds_t i = 0; i < n; i++)
        files[i] = all[i];
    if (found > 0)
        put_ready_first(files, n);
    if (all != few)
        free(all);
    return found;
}

int ubi__libc_wait(const struct timespec *duration) {
    int64_t ms = (int64_t)duration->tv_sec * 1000 + (duration->tv_nsec + 999999) / 1000000;
    ubi__libc_poll_files(NULL, 0, ms > INT_MAX ? INT_MAX : (int)ms);
    return 0;
}

static bool wait_for_timer(ubi__host *host) {
    if (host->timers.n == 0)
        return false;
    ubi__wake_select(&host->wake, 0, NULL, NULL, NULL, NULL, patience_us(host));
    return true;
}

/* An engine whose handlers hand exceptions to the loop, instead of printing them, says so in this way. */
static void report_event_failure(ubi__host *host, JSContext *realm) {
    JSValue exception = JS_GetException(realm);
    if (JS_IsNull(exception) || JS_IsUninitialized(exception))
        return;
    JS_Throw(realm, exception);
    ubi__host_report(host, realm);
}

/* The main program would wait for messages of a worker that is gone. */
static void loop_look_at_workers(ubi__host *host) {
    if (host->number == 0 && ubi__host_noted_failure())
        host->has_failed = true;
}

void ubi__host_loop(ubi__host *host, JSContext *realm) {
    for (;;) {
        ubi__host_run_jobs(host);
        run_timers(host);
        loop_look_at_workers(host);
        if (host->has_failed)
            return;
        if (ubi__libc_poll(realm) == 0)
            continue;
        report_event_failure(host, realm);
        if (host->has_failed || (!host->has_reported && !JS_IsJobPending(host->runtime) && !wait_for_timer(host)))
            return;
    }
}

/* ---- waiting for something of our own ------------------------------------------------------------------------------- */

/* When the engine has nothing to wait for: timers, the input, the hooks. */
static void wait_without_events(ubi__host *host) {
    fd_set readable;
    FD_ZERO(&readable);
    if (host->input_fd >= 0)
        select_with_input(host, 0, &readable, NULL, NULL, NULL);
    else
        ubi__wake_select(&host->wake, 0, NULL, NULL, NULL, NULL, patience_us(host));
}

static bool has_more_to_do(const ubi__host *host) {
    return host->has_reported || JS_IsJobPending(host->runtime) || host->timers.n > 0 || host->input_fd >= 0;
}

/* One turn. False: nothing is left to wait for. */
static bool wait_turn(ubi__host *host, JSContext *realm) {
    host->is_input_ready = false;
    if (ubi__libc_poll(realm) == 0)
        return true;
    report_event_failure(host, realm);
    if (!has_more_to_do(host))
        return false;
    if (!JS_IsJobPending(host->runtime))
        wait_without_events(host);
    return true;
}

bool ubi__host_wait(ubi__host *host, JSContext *realm, int fd, const bool *done) {
    bool has_come = false, is_stopped = false, is_over = false;
    UBI_ASSERT(fd < FD_SETSIZE && (fd >= 0 || done));
    host->input_fd = fd;
    while (!has_come && !is_stopped && !is_over) {
        ubi__host_run_jobs(host);
        run_timers(host);
        has_come = done && *done;
        is_stopped = ubi__host_is_stopped(host, true);
        if (has_come || is_stopped)
            break;
        is_over = !wait_turn(host, realm);
        has_come = host->is_input_ready;
    }
    host->input_fd = -1;
    return has_come;
}

void ubi__host_rest(void *payload, uint64_t until_us) {
    ubi__host *host = payload;
    ubi_quickjs_interrupt(host->tools);
    ubi__wake_select(&host->wake, 0, NULL, NULL, NULL, NULL, microseconds_until(until_us));
}

/* ---- os.sleep and std.exit ---------------------------------------------------------------------------------------- */

/* Sleeps in pieces: what is due in between is done. */
int ubi__libc_sleep(const struct timespec *duration, struct timespec *rest) {
    ubi__host *host = ubi__host_here;
    uint64_t now_us = ubi__host_clock_us();
    uint64_t until_us = now_us + (uint64_t)duration->tv_sec * 1000000 + (uint64_t)duration->tv_nsec / 1000;
    for (; now_us < until_us && !ubi__host_is_stopped(host, false); now_us = ubi__host_clock_us()) {
        uint64_t due_us = hooks_due_us(host);
        ubi__wake_select(&host->wake, 0, NULL, NULL, NULL, NULL,
                         microseconds_until(due_us < until_us ? due_us : until_us));
        loop_tick(host);
    }
    if (rest)
        *rest = (struct timespec){ 0, 0 };
    return 0;
}

/* A worker cannot end the program by itself: the main heap belongs to another thread. It waits for its end. */
void ubi__libc_exit(int status) {
    if (ubi__host_here && ubi__host_here->number == 0)
        ubi__host_leave(ubi__host_here, status & 0xff);
    ubi__host_ask_to_leave(status);
    for (;;)
        pause();
}
