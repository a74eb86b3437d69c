/* SPDX-License-Identifier: MIT
 *
 * run_settings.h: what the options of `ubiheap run` ask for.
 */
#ifndef UBI_CLI_RUN_SETTINGS_H
#define UBI_CLI_RUN_SETTINGS_H

#include "cli/command.h"
#include "questions/breakdown_choice.h"

/** As given. */
typedef struct ubi__run_arguments {
    bool must_print, is_interactive, is_module, is_script, with_std, with_debugger, with_heap_module,
        wants_snapshot_on_oom, with_references, with_page;
    const char *eval;
    ubi__texts snapshot_at;
    const char *snapshot_output, *heap_limit, *stack_size, *census_at, *output, *allocation_log, *timeline,
        *probability, *listen, *token_file;
    uint64_t port;
    int sites;
    ubi__breakdown_arguments by;
} ubi__run_arguments;

/** What sets off a snapshot. */
typedef enum ubi__run_trigger {
    UBI__RUN_AT_EXIT,
    UBI__RUN_AT_SIGNAL,
    UBI__RUN_AT_GC,
    UBI__RUN_AT_INTERVAL,
    UBI__RUN_AT_OOM,
    UBI__RUN_AT_COMMAND, /**< of an interactive run */
    UBI__RUN_TRIGGERS
} ubi__run_trigger;

/** "exit", "signal", "gc", "interval", "oom", "command". */
extern const char *const ubi__run_trigger_names[UBI__RUN_TRIGGERS];

/** As meant. */
typedef struct ubi__run_settings {
    bool wants_snapshot[UBI__RUN_TRIGGERS];       /**< asked for; a signal takes one in any case */
    uint64_t interval_us;                         /**< UBI__RUN_AT_INTERVAL */
    bool wants_census;                            /**< at exit */
    bool with_sites;                              /**< remember where objects were allocated */
    double probability;                           /**< of each allocation */
    uint64_t heap_limit_bytes, stack_limit_bytes; /**< 0: not given */
} ubi__run_settings;

/** Errors: UBI_EINVAL. `breakdown`: what the census is to be by, from which the need for sites may come. */
ubi_status ubi__run_settings_read(ubi__run_settings *out, const ubi__run_arguments *arguments,
                                  const ubi__breakdown_choice *breakdown);

/**
 * Writes the name of a snapshot's file by a pattern: %s the script's name without folder and extension, %n the number of the
 * snapshot, %w of the worker (0: the main program), %t what set it off, %p the process, %% a percent sign.
 */
typedef struct ubi__run_name {
    const char *script; /**< path of the script, or UBI__RUN_CODE */
    unsigned number, worker;
    ubi__run_trigger trigger;
} ubi__run_name;
/** Errors: UBI_EINVAL (no such letter, or too long). */
ubi_status ubi__run_file_name(char *out, size_t size, const char *pattern, const ubi__run_name *name);

/** What code of the command line has for a name. */
#define UBI__RUN_CODE "-e"

/** The pattern when none is given; workers have another. */
#define UBI__RUN_PATTERN "%s-%n.fxsnapshot"
#define UBI__RUN_WORKER_PATTERN "%s-worker%w-%n.fxsnapshot"

#endif
