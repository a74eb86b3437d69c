/* SPDX-License-Identifier: MIT
 *
 * host_libc.h: the engine's own quickjs-libc.c, which gives scripts `std`, `os` and workers, and where it calls us.
 *
 * host_libc.c compiles that file unchanged. Macros divert a few of its calls: it has an event loop of its own, ends the
 * process, waits, sleeps, prints errors and starts runtimes, all of which the tools must know of.
 */
#ifndef UBI_QUICKJS_HOST_LIBC_H
#define UBI_QUICKJS_HOST_LIBC_H

#include <poll.h>
#include <stdbool.h>
#include <sys/select.h>
#include <time.h>

#include <quickjs-libc.h>

/* ---- what it offers ----------------------------------------------------------------------------------------------- */

/** Handles at most one event of `os`: a timer, a signal, a descriptor, a message. Waits for one. Not 0: nothing to wait for. */
int ubi__libc_poll(JSContext *realm);
/** `print`, `scriptArgs` (unless n is negative) and `__loadScript`, as the engine's own program has them. */
void ubi__libc_add_helpers(JSContext *realm, int n, char **arguments);

/* ---- what it calls instead of the named functions ------------------------------------------------------------------ */

void ubi__libc_exit(int status) __attribute__((noreturn)); /**< exit, by std.exit */
int ubi__libc_select(int n, fd_set *readable, fd_set *writable, fd_set *failed, struct timeval *timeout);
/** poll, in engines that wait with it. What is ready comes first in `files` then. */
int ubi__libc_poll_files(struct pollfd *files, nfds_t n, int timeout_ms);
int ubi__libc_sleep(const struct timespec *duration, struct timespec *rest); /**< nanosleep, by os.sleep */
/** nanosleep, where nothing but a timer of `os` is waited for. */
int ubi__libc_wait(const struct timespec *duration);
/** JS_SetInterruptHandler, by std.evalScript. */
void ubi__libc_set_interrupt_handler(JSRuntime *runtime, JSInterruptHandler *fn, void *opaque);
JSRuntime *ubi__libc_new_runtime(void);                     /**< JS_NewRuntime, of a worker */
void ubi__libc_free_runtime(JSRuntime *runtime);            /**< JS_FreeRuntime, of a worker */
int ubi__libc_loop(JSContext *realm);                       /**< js_std_loop, of a worker */
JSValue ubi__libc_await(JSContext *realm, JSValue program); /**< js_std_await, of a worker: its loop runs the jobs */
void ubi__libc_report(JSContext *realm);             /**< js_std_dump_error: the pending exception was not caught */
void ubi__libc_add_worker_helpers(JSContext *realm); /**< js_std_add_helpers, of a worker */

/* ---- what it reports ----------------------------------------------------------------------------------------------- */

void ubi__libc_cause(const char *cause);        /**< why a function is called next; NULL: it was called */
void ubi__libc_registers(JSValueConst handler); /**< it will be called later */
/** A message is made from a value, or (not `serializes`) a value from it; unless `is_message`: nothing. */
void ubi__libc_begin_message(bool is_message, bool serializes);
void ubi__libc_end_message(bool is_message, bool serializes);

#endif
