/* SPDX-License-Identifier: MIT
 *
 * host_state.h: one runtime and what belongs to it, for the files of this folder.
 */
#ifndef UBI_QUICKJS_HOST_STATE_H
#define UBI_QUICKJS_HOST_STATE_H

#include <stdatomic.h>

#include "engines/quickjs/host/host.h"
#include "engines/quickjs/host/host_blocks.h"
#include "engines/quickjs/host/host_console.h"
#include "engines/quickjs/host/host_rejections.h"
#include "engines/quickjs/host/host_timers.h"
#include "engines/quickjs/host/host_wake.h"

struct ubi__host {
    unsigned number; /* 0: the main program */
    const ubi__script_options *options;
    JSRuntime *runtime;
    ubi__host_blocks blocks; /* of its heap */
    ubi_quickjs *tools;
    ubi_quickjs_observer *observer; /* or NULL */
    ubi__script_runtime for_hooks;  /* this one, as hooks know it */
    void *hook_state;
    ubi__wake wake;
    ubi__host_timers timers;
    ubi__host_rejections rejections;
    ubi__console console;
    JSValue program;   /* the promise of a module that has not ended well so far, or undefined */
    unsigned realms;   /* made so far */
    bool has_failed;   /* something was not caught: no more scripts */
    bool has_reported; /* listeners were called at the last safe point */
    bool has_run_out;  /* of memory, at some time */
    bool is_leaving;   /* the process is about to end */
    bool is_shell;     /* the program is typed: errors end nothing */
    int input_fd;      /* what is waited for, beside events; -1: nothing */
    bool is_input_ready;
    JSInterruptHandler *libc_interrupt; /* what std.evalScript asked for, or NULL */
    void *libc_interrupt_opaque;
    ubi__host *next; /* of all hosts that ended without freeing their runtime */
};

/** The host of this thread. */
extern _Thread_local ubi__host *ubi__host_here;

/* ---- a runtime's life: host.c ---- */
ubi_status ubi__host_open(ubi__host **out, const ubi__script_options *options, unsigned number);
/** `whole`: frees the runtime, in which nothing may be alive but garbage. Else what it has stays until the process ends. */
void ubi__host_close(ubi__host *host, bool whole);
/** A realm with all that scripts expect. NULL: out of memory. */
JSContext *ubi__host_new_realm(JSRuntime *runtime);
/** Calls `finish` and ends the process. */
void ubi__host_leave(ubi__host *host, int exit_code) __attribute__((noreturn));

/* ---- events: host_loop.c ---- */
/** Runs jobs, timers and events until nothing is left to wait for, or the host failed. */
void ubi__host_loop(ubi__host *host, JSContext *realm);
/**
 * The same until the descriptor can be read, or, if it is negative, until `*done`. False: the user wants to stop that, or
 * nothing is left that could set `*done`.
 */
bool ubi__host_wait(ubi__host *host, JSContext *realm, int fd, const bool *done);
/** As `rest` of ubi__script_runtime_ops. */
void ubi__host_rest(void *host, uint64_t until_us);
/** Runs all jobs, and reports the rejection that nothing handled. */
void ubi__host_run_jobs(ubi__host *host);
/** Whether the user wants what runs now to stop, where errors end nothing. */
bool ubi__host_is_stopped(const ubi__host *host, bool forget);
/** What is due between jobs. */
void ubi__host_safe_point(ubi__host *host);
/** The engine asks whether to continue. */
int ubi__host_on_interrupt(JSRuntime *runtime, void *host);
/** Asks the main host to end the program. Any thread. */
void ubi__host_ask_to_leave(int exit_code);
/** A worker failed: the main program ends at its loop's next turn, and its exit code says so. Any thread. */
void ubi__host_note_failure(void);
bool ubi__host_noted_failure(void);

/* ---- what scripts find: host_script.c, host_errors.c ---- */
/** Defines the globals of a realm; `arguments` NULL: a worker's, without scriptArgs. 0, or -1 with a pending exception. */
int ubi__host_add_globals(ubi__host *host, JSContext *realm);
/** Prints the realm's pending exception, which was not caught; the host fails. */
void ubi__host_report(ubi__host *host, JSContext *realm);
/** The same for the reason of a promise's rejection. */
void ubi__host_report_rejection(ubi__host *host, const ubi__host_rejection *rejection);
/** What running the program gave, maybe a promise: its rejection is an exception of the program. Takes the reference. */
void ubi__host_expect(ubi__host *host, JSContext *realm, JSValue program);
/** Reads the script, as a text that ends in a zero byte; free() it. */
ubi_status ubi__host_read_script(char **text, size_t *n, const char *path);
/** Runs a script or module, or the code of the command line; false: it threw, which is reported. */
bool ubi__host_evaluate(ubi__host *host, JSContext *realm, const char *text, size_t n, const char *path);

/* ---- code without a file: host_code.c ---- */
/**
 * Runs a script that may have `await` at its top level, where the engine has that. *is_async: the result is a promise, which is
 * fulfilled with the script's value in an object, or without one (ubi__host_awaited_value).
 */
JSValue ubi__host_run_code(JSContext *realm, bool *is_async, const char *text, size_t n, const char *name);
/** The value of such a script, from what its promise was fulfilled with. Owned, or an exception. */
JSValue ubi__host_awaited_value(JSContext *realm, JSValueConst fulfilled);
/** Prints a value as `console.log` does. */
void ubi__host_print(JSContext *realm, JSValueConst value);
/** Calls one of two functions with what a promise becomes. @return the promise that comes of it. */
JSValue ubi__host_then(JSContext *realm, JSValueConst promise, JSValueConst fulfilled, JSValueConst rejected);
/** Prints what the code gives, now or later. @return the promise that the program waits for, or undefined. Takes the reference. */
JSValue ubi__host_print_result(JSContext *realm, JSValue result, bool is_async);

/* ---- programs that are typed: host_shell.c ---- */
/** Holds the conversation that the hooks want. */
ubi__script_farewell ubi__host_converse(ubi__host *host, JSContext *realm);

#endif
