/* SPDX-License-Identifier: MIT
 *
 * run.h: one `ubiheap run`: what was asked for, and its results so far.
 *
 * The main program and each worker have a session, on their own threads. What they share is here: snapshots are written
 * one at a time, while the log continues.
 */
#ifndef UBI_CLI_RUN_H
#define UBI_CLI_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/core/profiler.h>

#include "cli/commands/run/run_listen.h"
#include "cli/commands/run/run_log.h"
#include "cli/commands/run/run_room.h"
#include "cli/commands/run/run_settings.h"
#include "cli/commands/run/run_shell.h"
#include "cli/commands/run/run_tally.h"
#include "cli/commands/run/run_timeline.h"
#include "cli/script_runners.h"

/** A snapshot that was written. */
typedef struct ubi__run_snapshot {
    char *file; /**< owned */
    ubi__run_trigger trigger;
    unsigned worker;
    uint64_t taken_us; /**< how long it took */
    ubi_save_info info;
} ubi__run_snapshot;

UBI_VEC_DECLARE(ubi__run_snapshots, ubi__run_snapshot);

struct ubi__run {
    ubi__cli *cli;
    const ubi__script_runner *runner;
    const ubi__run_arguments *arguments;
    const ubi__breakdown_choice *breakdown;
    const char *script; /**< path, as given */
    ubi__run_settings settings;
    ubi_profiler *profiler; /**< NULL: scripts have none */
    pthread_mutex_t lock;   /**< guards what follows except the log */
    ubi__run_snapshots snapshots;
    bool has_saved_on_oom;    /**< a snapshot */
    atomic_bool has_run_out;  /**< of memory, the program or a worker, whether it could continue or not */
    bool is_near_limit;       /**< the process is near the limit of the system */
    ubi__run_room room;       /**< for a snapshot when memory runs out; the lock is for its reserve */
    bool has_failed;          /**< something of ours failed, and was reported */
    pthread_mutex_t log_lock; /**< of what follows */
    ubi__run_log log;
    atomic_bool has_log_ended; /**< workers are to hand over what they logged */
    unsigned workers_to_log;   /**< that have not yet done so for the last time */
    pthread_cond_t worker_logged;
    ubi__run_timeline timeline; /**< the main thread's, except where it says otherwise */
    ubi__run_listen listen;
    ubi__run_tally *tally;         /**< the main thread's, of an interactive run; or NULL */
    ubi__observer *tally_observer; /**< of the tally */
};

/* ---- run_session.c ---- */
/** Hooks of the runner for a run. */
ubi__script_hooks ubi__run_hooks(ubi__run *run);
/** Takes over SIGUSR2 for a run, and leaves SIGPIPE to the script as it would be without us. */
void ubi__run_install_signals(const ubi__run *run);
/** SIGTERM ends the script as Ctrl-C does, and then has its own effect. */
void ubi__run_end_well_when_terminated(void);

/* ---- run_snapshot.c ---- */
/** Writes a snapshot of a runtime's heap and says so; a failure is reported, and the run continues. */
void ubi__run_take_snapshot(ubi__run *run, const ubi__script_runtime *runtime, ubi__run_trigger trigger);
/** The same into a file that the user names, or as the pattern does with NULL. */
void ubi__run_save_snapshot(ubi__run *run, const ubi__script_runtime *runtime, const char *file);
/** Reports a failure of ours. With the lock. */
void ubi__run_complain(ubi__run *run, const char *subject);

/* ---- run_report.c ---- */
/** Prints a census of a runtime's heap by a breakdown; NULL: that of the options. */
ubi_status ubi__run_census(ubi__run *run, const ubi__script_runtime *runtime, const char *breakdown);
/** What is to be printed when the script has ended: the census, the document. */
ubi_status ubi__run_report(ubi__run *run, const ubi__script_runtime *runtime, int exit_code);

#endif
