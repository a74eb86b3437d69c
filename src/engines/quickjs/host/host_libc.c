/* SPDX-License-Identifier: MIT
 *
 * host_libc.c: the engine's quickjs-libc.c as one unit with the macros that divert its calls (host_libc.h).
 *
 * Functions that it both defines and calls are distinguished by the first word between the parentheses: `JSContext` in a
 * definition, a variable in a call. Everything that its macros could spoil is included before.
 */
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cutils.h>
#include <list.h>

#include "engines/quickjs/host/host_libc.h"

#define exit(status) ubi__libc_exit(status)
#define select(n, readable, writable, failed, timeout) ubi__libc_select(n, readable, writable, failed, timeout)
#define poll(files, n, timeout_ms) ubi__libc_poll_files(files, n, timeout_ms)
#define nanosleep(duration, rest)                                                                                      \
    (strncmp(__func__, "js_os_poll", 10) == 0 ? ubi__libc_wait(duration) : ubi__libc_sleep(duration, rest))
#define JS_SetInterruptHandler(runtime, fn, opaque) ubi__libc_set_interrupt_handler(runtime, fn, opaque)
#define JS_NewRuntime ubi__libc_new_runtime /* called, or kept in a variable until a worker starts */
#define JS_FreeRuntime(runtime) ubi__libc_free_runtime(runtime)

#define js_std_loop(first) UBI_LOOP_##first)
#define UBI_LOOP_JSContext (js_std_loop)(JSContext
#define UBI_LOOP_ctx ubi__libc_loop(ctx

/* The engine's own waits for events even when jobs are due. */
#define js_std_await(first, ...) UBI_AWAIT_##first, __VA_ARGS__)
#define UBI_AWAIT_JSContext (js_std_await)(JSContext
#define UBI_AWAIT_ctx ubi__libc_await(ctx

#define js_std_dump_error(first) UBI_REPORT_##first)
#define UBI_REPORT_JSContext (js_std_dump_error)(JSContext
#define UBI_REPORT_ctx ubi__libc_report(ctx
#define UBI_REPORT_ctx1 ubi__libc_report(ctx1

#define js_std_add_helpers(first, ...) UBI_HELPERS_##first, __VA_ARGS__)
#define UBI_HELPERS_JSContext (js_std_add_helpers)(JSContext
#define UBI_HELPERS_ctx worker_helpers(ctx

/*
 * The timeline: what a handler is called for, by the name of the variable that holds it; and messages of workers, by the
 * function that writes or reads them.
 */
#define call_handler(first, second) UBI_HANDLER_##first, UBI_HANDLER_OF_##second)
#define UBI_HANDLER_JSContext (call_handler)(JSContext
#define UBI_HANDLER_ctx REPORTED_HANDLER(ctx
#define UBI_HANDLER_OF_JSValueConst JSValueConst
#define UBI_HANDLER_OF_JSValue JSValue
#define UBI_HANDLER_OF_func "setTimeout handler", func
#define UBI_HANDLER_OF_sh "signal handler", sh
#define UBI_HANDLER_OF_rh "descriptor handler", rh

/* With its result, if this engine's function has one. The second argument is two, once it is expanded. */
#define REPORTED_HANDLER(...) REPORTED_HANDLER_OF(__VA_ARGS__)
#define REPORTED_HANDLER_OF(ctx, cause, function)                                                                      \
    ({                                                                                                                 \
        ubi__libc_cause(cause);                                                                                        \
        (call_handler)(ctx, function);                                                                                 \
    })

#define IN(function) (strcmp(__func__, function) == 0)
#define JS_Call(...)                                                                                                   \
    ({                                                                                                                 \
        if (IN("handle_posted_message"))                                                                               \
            ubi__libc_cause("message handler");                                                                        \
        JSValue called = (JS_Call)(__VA_ARGS__);                                                                       \
        ubi__libc_cause(NULL);                                                                                         \
        called;                                                                                                        \
    })
/* Handlers are looked at when they are registered. */
#define REGISTERS                                                                                                      \
    (IN("js_os_setTimeout") || IN("js_os_setReadHandler") || IN("js_os_signal") || IN("js_worker_set_onmessage"))
#define JS_IsFunction(ctx, value)                                                                                      \
    (REGISTERS ? ubi__libc_registers(value), (JS_IsFunction)(ctx, value) : (JS_IsFunction)(ctx, value))
#define JS_WriteObject2(...)                                                                                           \
    ({                                                                                                                 \
        ubi__libc_begin_message(IN("js_worker_postMessage"), true);                                                    \
        uint8_t *written = (JS_WriteObject2)(__VA_ARGS__);                                                             \
        ubi__libc_end_message(IN("js_worker_postMessage"), true);                                                      \
        written;                                                                                                       \
    })
#define JS_ReadObject(...)                                                                                             \
    ({                                                                                                                 \
        ubi__libc_begin_message(IN("handle_posted_message"), false);                                                   \
        JSValue read_value = (JS_ReadObject)(__VA_ARGS__);                                                             \
        ubi__libc_end_message(IN("handle_posted_message"), false);                                                     \
        read_value;                                                                                                    \
    })

static void worker_helpers(JSContext *realm, int n, char **arguments) {
    (void)n;
    (void)arguments;
    ubi__libc_add_worker_helpers(realm);
}

#include <quickjs-libc.c>

int ubi__libc_poll(JSContext *realm) {
    return js_os_poll(realm);
}

void ubi__libc_add_helpers(JSContext *realm, int n, char **arguments) {
    (js_std_add_helpers)(realm, n, arguments);
}
