/* SPDX-License-Identifier: MIT
 *
 * script_runner.h: an engine that runs a script under the tools, for code that knows no engine.
 *
 * A runner runs a program to its end and calls back through hooks, with a runtime in hand: a target to look into, and what a
 * runtime has besides. Each worker is a runtime of its own, on its own thread, with the same hooks. The runner prints what the
 * script prints, and uncaught exceptions; nothing else.
 *
 * Extension point: an engine's host fills in a ubi__script_runner; src/cli/script_runners.c lists it.
 */
#ifndef UBI_TARGETS_SCRIPT_RUNNER_H
#define UBI_TARGETS_SCRIPT_RUNNER_H

#include <ubiheap/core/profiler.h>
#include <ubiheap/core/timeline.h>
#include <ubiheap/extension/native_stacks.h>
#include <ubiheap/extension/target.h>

#include "tracking/observer.h"

/* ---- a runtime ------------------------------------------------------------------------------------------------------ */

/** What a runtime has beside its target; called with its payload, on its thread. */
typedef struct ubi__script_runtime_ops {
    /** What its heap holds, in bytes. Cheap. */
    uint64_t (*heap_bytes)(void *payload);
    /** An observer of all its realms. The runtime's own; made when first asked for, which has to be in `begin`. Errors: UBI_ENOMEM. */
    ubi_status (*observer)(void *payload, ubi__observer **out);
    /** What it records is that profiler's, which outlives it. Errors: UBI_EBUSY (it has one already), UBI_ENOMEM. */
    ubi_status (*join_profiler)(void *payload, ubi_profiler *profiler);
    /** Reports to `timeline` what it does; NULL: all that are observed. Errors: UBI_ENOMEM. */
    ubi_status (*join_timeline)(void *payload, ubi_timeline_target *timeline);
    /**
     * The script has ended, and its heap stands still: performs what others have requested at safe points, and waits until it is woken, or
     * a signal comes, or `until_us`, as `due_us` of the hooks. Of the main runtime, within `finish`.
     */
    void (*rest)(void *payload, uint64_t until_us);
} ubi__script_runtime_ops;

/** A runtime with what runs in it. Belongs to its thread; valid from `begin` to `end`. */
typedef struct ubi__script_runtime {
    const ubi__script_runtime_ops *ops;
    void *payload;
    unsigned number;   /**< 0: the main program; 1, 2, ...: workers in the order of their start */
    ubi_target target; /**< census, save, capture, measure */
} ubi__script_runtime;

static inline uint64_t ubi__script_heap_bytes(const ubi__script_runtime *runtime) {
    return runtime->ops->heap_bytes(runtime->payload);
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

/** What a script's exit code is when it ends by itself, or else. */
enum {
    UBI__SCRIPT_EXIT_OK = 0,
    UBI__SCRIPT_EXIT_UNCAUGHT = 1, /**< an uncaught exception or rejection */
    UBI__SCRIPT_EXIT_INTERRUPTED = 130
};

/* ---- a program that is typed ------------------------------------------------------------------------------------------ */

typedef void (*ubi__script_name_fn)(void *payload, const char *name, size_t n);

/** What to do with texts that make up a program, one after the other; called with the payload, on the main runtime's thread. */
typedef struct ubi__script_shell_ops {
    /**
     * Runs a text to its end, including what an `await` at its top level waits for, and prints its value or its error. Ends
     * early when the user stops it.
     */
    void (*run)(void *payload, const char *text, size_t n);
    /** Runs jobs, timers and events until the descriptor can be read. False: the user wants to stop what is typed. */
    bool (*wait)(void *payload, int fd);
    /**
     * Finds the names that the name or path of properties at the end of a text may become; runs no script but traps of proxies.
     * @return how many bytes of the name are there already.
     */
    size_t (*complete)(void *payload, const char *text, size_t n, ubi__script_name_fn found, void *found_payload);
    void (*collect)(void *payload); /**< garbage, cycles included */
} ubi__script_shell_ops;

typedef struct ubi__script_shell {
    const ubi__script_shell_ops *ops;
    void *payload;
    const ubi__script_runtime *runtime;
} ubi__script_shell;

/* ---- hooks ------------------------------------------------------------------------------------------------------------ */

/** What comes after a conversation. */
typedef enum ubi__script_farewell {
    UBI__SCRIPT_LEAVE, /**< the program ends now */
    UBI__SCRIPT_REST   /**< it ends when nothing is left to wait for */
} ubi__script_farewell;

/** Calls back, on the thread of the runtime that they are about. Any may be NULL. */
typedef struct ubi__script_hooks {
    void *payload;
    /** A runtime has its tools; no script ran yet. *state is what the other hooks get. An error ends the runtime. */
    ubi_status (*begin)(void *payload, const ubi__script_runtime *runtime, void **state);
    /**
     * Between jobs, and now and then while a script runs or waits. May freeze, count and save; runs no script.
     * To be quick when there is nothing to do.
     */
    void (*tick)(void *state);
    /** When tick is to be called though nothing happens, in microseconds of CLOCK_MONOTONIC; UINT64_MAX: never. */
    uint64_t (*due_us)(void *state);
    /**
     * The program is about to end with this code: its heap is as the script left it. Returns the code to end with. With
     * `leaves` the process ends at once, for the script asked for that or was interrupted. The main runtime only.
     */
    int (*finish)(void *state, int exit_code, bool leaves);
    /** The heap could not give memory, in the middle of anything: may freeze, count and save, and touch nothing else. */
    void (*out_of_memory)(void *state);
    /** The runtime ends; its tools are still there. Not when the process `leaves`. */
    void (*end)(void *state);
    /** Whether the user wants the program to end. Called often, for the main runtime only. */
    bool (*interrupted)(void *payload);
    /**
     * Not NULL: the program is typed, after the code of the options, if any. Uncaught errors are printed then, and end nothing.
     * Gives texts to the shell, which is valid during the call.
     */
    ubi__script_farewell (*converse)(void *payload, const ubi__script_shell *shell);
    /** Whether the user wants what runs now to stop; with `forget`, no longer. For `converse`. */
    bool (*stopped)(void *payload, bool forget);
} ubi__script_hooks;

typedef enum ubi__script_kind {
    UBI__SCRIPT_DETECT, /**< a module when its name ends in .mjs or it begins with an import or export */
    UBI__SCRIPT_MODULE,
    UBI__SCRIPT_CLASSIC
} ubi__script_kind;

typedef struct ubi__script_options {
    ubi__script_kind kind;
    const char *code;           /**< to run instead of a file; or NULL */
    bool must_print;            /**< print the value of the script, which is not a module then */
    bool with_debugger;         /**< `Debugger`, `newGlobal` and the heap module */
    bool with_heap_module;      /**< the heap module, import "ubiheap" */
    bool with_std_globals;      /**< the engine's own modules without importing them */
    uint64_t heap_limit_bytes;  /**< of each runtime; 0: none */
    uint64_t stack_limit_bytes; /**< of each runtime; 0: most of what its thread has */
    bool with_references;       /**< a runtime that ends reports to stderr what was not released, with native stacks */
    const ubi_native_names *names; /**< of frames of these; NULL: the runner's default */
    char **arguments;              /**< arguments[n_arguments]: what the script finds after its name */
    int n_arguments;
    ubi__script_hooks hooks;
} ubi__script_options;

typedef struct ubi__script_runner {
    const char *engine; /**< such as "quickjs" */
    /** The engine's name and version for people, such as "QuickJS 2025-04-26": static. */
    const char *(*title)(void);
    /**
     * Runs a script to its end: until nothing is left to wait for, an exception was not caught, or the user interrupts. Does
     * not return when the script ends the process or the user interrupts it while it runs: see `finish`. Once per process;
     * `options` stay until the process ends, for workers may outlive the call.
     * @param exit_code  see above.
     * @param path  a file, or "-" for standard input; unused with `code`.
     * Errors: UBI_EIO (cannot read the script), UBI_EINVAL (the heap limit is too small), UBI_ENOMEM, or what `begin` said.
     * Nothing ran then.
     */
    ubi_status (*run)(int *exit_code, const char *path, const ubi__script_options *options);
    /** Makes waiting runtimes call their tick. May be called in a signal handler. */
    void (*wake_all)(void);
    /** Parts of a script's text on their way to standard output: to be written out before anything else goes there. */
    void (*flush_output)(void);
    /** Part of the path of sources whose functions, inlined into the engine's, are the tools' and not the program's. */
    const char *hooks_folder;
} ubi__script_runner;

#endif
