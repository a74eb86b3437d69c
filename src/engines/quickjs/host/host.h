/* SPDX-License-Identifier: MIT
 *
 * host.h: a program that runs scripts under the tools: `std`, `os`, console, timers, modules, workers.
 *
 * This folder knows JavaScript values; whoever runs a script knows ubi__host_options and gets called back through hooks,
 * with a runtime's tools and target in hand. Each worker is a host of its own, on its own thread, with the same hooks.
 *
 * The host prints what the script prints, and exceptions that nobody caught; nothing else.
 */
#ifndef UBI_QUICKJS_HOST_H
#define UBI_QUICKJS_HOST_H

#include <ubiheap/quickjs.h>

/** A runtime with what runs in it. Belongs to its thread. */
typedef struct ubi__host ubi__host;

/** What a script's exit code is when it ends by itself, or else. */
enum {
    UBI__HOST_EXIT_OK = 0,
    UBI__HOST_EXIT_UNCAUGHT = 1, /**< an exception or rejection that nobody caught */
    UBI__HOST_EXIT_INTERRUPTED = 130
};

/** Calls back, on the thread of the host that they are about. Any may be NULL. */
typedef struct ubi__host_hooks {
    void *payload;
    /** A runtime has its tools; no script ran yet. *state is what the other hooks get. An error ends the host. */
    ubi_status (*begin)(void *payload, ubi__host *host, void **state);
    /**
     * Between jobs, and now and then while a script runs or waits. May freeze, count and save; runs no script.
     * To be quick when there is nothing to do.
     */
    void (*tick)(void *state);
    /** When tick is to be called though nothing happens, on the clock of ubi__host_clock_us; UINT64_MAX: never. */
    uint64_t (*due_us)(void *state);
    /**
     * The program is about to end with this code: its heap is as the script left it. Returns the code to end with. With
     * `leaves` the process ends at once, for the script called std.exit or was interrupted. The main host only.
     */
    int (*finish)(void *state, int exit_code, bool leaves);
    /** The heap could not give memory, in the middle of anything: may freeze, count and save, and touch nothing else. */
    void (*out_of_memory)(void *state);
    /** The host ends; its tools are still there. Not when the process `leaves`. */
    void (*end)(void *state);
    /** Whether the user wants the program to end. Called often, by the main host only. */
    bool (*interrupted)(void *payload);
} ubi__host_hooks;

typedef enum ubi__host_kind {
    UBI__HOST_DETECT, /**< a module when its name ends in .mjs or it begins with an import or export */
    UBI__HOST_MODULE,
    UBI__HOST_SCRIPT
} ubi__host_kind;

typedef struct ubi__host_options {
    ubi__host_kind kind;
    bool debugger;              /**< `Debugger`, `newGlobal` and the heap module */
    bool heap_module;           /**< the heap module, import "ubiheap" */
    bool std_globals;           /**< `std` and `os` without importing them */
    uint64_t heap_limit_bytes;  /**< of each runtime; 0: none */
    uint64_t stack_limit_bytes; /**< of each runtime; 0: the engine's own */
    char **arguments;           /**< arguments[n_arguments]: `scriptArgs` behind the script's name */
    int n_arguments;
    ubi__host_hooks hooks;
} ubi__host_options;

/**
 * Runs a script to its end: until nothing is left to wait for, an exception was not caught, or the user interrupts. Does not
 * return when the script calls std.exit or the user interrupts it while it runs: see `finish`.
 * @param exit_code  see above.
 * @param path  a file, or "-" for standard input.
 * Errors: UBI_EIO (cannot read the script), UBI_EINVAL (the heap limit is too small), UBI_ENOMEM, or what `begin` said.
 * Nothing ran then.
 */
ubi_status ubi__host_run(int *exit_code, const char *path, const ubi__host_options *options);

/** 0: the main program; 1, 2, ...: workers in the order of their start. */
unsigned ubi__host_number(const ubi__host *host);
/** The tools; never NULL. */
ubi_quickjs *ubi__host_tools(ubi__host *host);
/** An observer of all realms of the runtime. The host's own; made when first asked for, which has to be in `begin`. */
ubi_status ubi__host_observer(ubi__host *host, ubi_quickjs_observer **out);

/** Makes waiting hosts call their tick. May be called in a signal handler. */
void ubi__host_wake_all(void);
/** Microseconds of a clock that never goes back. */
uint64_t ubi__host_clock_us(void);
/** Parts of a script's text on their way to standard output: to be written out before anything else goes there. */
void ubi__host_flush_output(void);

#endif
