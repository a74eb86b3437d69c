/* SPDX-License-Identifier: MIT
 *
 * run_session.c: what a run does at the runner's hooks, for each runtime.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/status.h"
#include "cli/commands/run/run.h"
#include "cli/terminal.h"
#include "cli/tool.h"
#include "symbolize/process_symbols.h"

/* The log is written out when this many entries wait, or the oldest has waited this long. */
#define DRAIN_ENTRIES 1024
#define DRAIN_US 500000
/* How long the end of the program waits for workers' parts of the log. */
#define LAST_DRAIN_SECONDS 1
/* What one engine call may allocate before polling us: about 40 bytes each, only when it happens. */
#define LOG_ENTRIES (1u << 20)

/* Of one runtime, on its thread. */
typedef struct session {
    ubi__run *run;
    const ubi__script_runtime *runtime;
    ubi__observer *observer; /* NULL: nothing to observe */
    ubi__run_offered offered;
    bool is_logging;
    bool is_tallying;     /* the main program's */
    bool has_logged_last; /* a worker, whose part of the log is complete */
    unsigned signals_seen;
    bool has_collected;      /* a collection since the last look */
    uint64_t interval_at_us; /* UINT64_MAX: none */
    uint64_t drain_at_us;    /* UINT64_MAX: no log */
    bool has_saved_at_end;   /* near the system's limit */
    bool is_on_timeline;
    uint64_t pull_at_us; /* the main program's; UINT64_MAX: no timeline */
    uint64_t measured;   /* what was reported of the heap to the timeline */
} session;

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static atomic_uint signals;
/* Of the run whose signals these are: set before any is taken over. */
static void (*wake_all)(void);

static void on_signal(int number) {
    (void)number;
    atomic_fetch_add(&signals, 1);
    wake_all();
}

/* With a timeline, whose last part would be missing, or a server, whose snapshots would stay in their folder. A second SIGTERM, or a long
 * call, ends the process as usual. */
static volatile sig_atomic_t terminated;

static void on_terminate(int number) {
    (void)number;
    terminated = 1;
    alarm(1);
    wake_all();
}

void ubi__run_end_well_when_terminated(void) {
    struct sigaction action = { .sa_handler = on_terminate, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
}

/* Everything is written: now the signal has its effect. */
static void end_by_termination(ubi__run *run, int exit_code) {
    ubi__finish(run->cli, UBI_OK, exit_code);
    run->runner->flush_output();
    raise(SIGTERM);
}

void ubi__run_install_signals(const ubi__run *run) {
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    wake_all = run->runner->wake_all;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    signal(SIGPIPE, SIG_DFL);
}

/* ---- begin -------------------------------------------------------------------------------------------------------- */

static void on_collection(void *payload, const ubi_collection *collection) {
    (void)collection;
    ((session *)payload)->has_collected = true;
}

static void out_of_memory(void *state) {
    session *s = state;
    atomic_store(&s->run->has_run_out, true);
    if (s->run->settings.wants_snapshot[UBI__RUN_AT_OOM])
        ubi__run_take_snapshot(s->run, s->runtime, UBI__RUN_AT_OOM);
}

static ubi_status session_track(session *s) {
    UBI_TRY(ubi__observer_set_probability(s->observer, s->run->settings.probability));
    UBI_TRY(ubi__observer_set_log_limit(s->observer, s->is_logging || s->is_tallying ? LOG_ENTRIES : 1));
    return ubi__observer_set_tracking(s->observer, true);
}

static ubi_status session_tally(session *s) {
    s->run->tally = calloc(1, sizeof *s->run->tally);
    s->run->tally_observer = s->observer;
    return s->run->tally ? UBI_OK : ubi__fail_nomem();
}

static ubi_status session_observe(session *s) {
    const ubi__run_settings *settings = &s->run->settings;
    if (!settings->with_sites && !settings->wants_snapshot[UBI__RUN_AT_GC])
        return UBI_OK;
    UBI_TRY(s->runtime->ops->observer(s->runtime->payload, &s->observer));
    if (settings->wants_snapshot[UBI__RUN_AT_GC])
        ubi__observer_on_collection(s->observer, on_collection, s);
    if (settings->with_sites && s->is_tallying)
        UBI_TRY(session_tally(s));
    return settings->with_sites ? session_track(s) : UBI_OK;
}

static void plan_pull(session *s, uint64_t now_us) {
    s->pull_at_us = s->is_on_timeline && s->runtime->number == 0 ? now_us + ubi__run_timeline_due_us(&s->run->timeline)
                                                                 : UINT64_MAX;
}

static ubi_status join_timeline(session *s) {
    if (!s->is_on_timeline)
        return UBI_OK;
    return ubi__run_timeline_join(&s->run->timeline, s->runtime);
}

static ubi_status session_begin(void *payload, const ubi__script_runtime *runtime, void **state) {
    ubi__run *run = payload;
    session *s = calloc(1, sizeof *s);
    if (!s)
        return ubi_error(UBI_ENOMEM, "out of memory");
    uint64_t now_us = ubi__clock_us();
    *s = (session){ .run = run,
                    .runtime = runtime,
                    .is_logging = run->arguments->allocation_log != NULL,
                    .is_on_timeline = run->arguments->timeline != NULL };
    s->is_tallying = run->arguments->is_interactive && !s->is_logging && runtime->number == 0;
    s->signals_seen = atomic_load(&signals);
    s->interval_at_us = run->settings.interval_us ? now_us + run->settings.interval_us : UINT64_MAX;
    s->drain_at_us = s->is_logging ? now_us + DRAIN_US : UINT64_MAX;
    plan_pull(s, now_us);
    ubi_status status = session_observe(s);
    if (status == UBI_OK)
        status = join_timeline(s);
    if (status == UBI_OK && run->profiler)
        status = runtime->ops->join_profiler(runtime->payload, run->profiler);
    if (status != UBI_OK) {
        free(s);
        return status;
    }
    ubi__run_listen_join(&run->listen, &s->offered, runtime, run->script);
    if (s->is_logging && runtime->number > 0) {
        pthread_mutex_lock(&run->log_lock);
        run->workers_to_log++;
        pthread_mutex_unlock(&run->log_lock);
    }
    *state = s;
    return UBI_OK;
}

/* ---- in between --------------------------------------------------------------------------------------------------- */

static void session_drain(session *s) {
    if (!s->is_logging)
        return;
    pthread_mutex_lock(&s->run->log_lock);
    ubi__run_log_drain(&s->run->log, s->observer, s->runtime->number);
    pthread_mutex_unlock(&s->run->log_lock);
}

/* A worker, when it ends or the program does. */
static void drain_last(session *s) {
    if (!s->is_logging || s->has_logged_last || s->runtime->number == 0)
        return;
    s->has_logged_last = true;
    session_drain(s);
    pthread_mutex_lock(&s->run->log_lock);
    s->run->workers_to_log--;
    pthread_cond_signal(&s->run->worker_logged);
    pthread_mutex_unlock(&s->run->log_lock);
}

static void look_at_clock(session *s) {
    uint64_t now_us = ubi__clock_us();
    if (now_us >= s->interval_at_us) {
        ubi__run_take_snapshot(s->run, s->runtime, UBI__RUN_AT_INTERVAL);
        s->interval_at_us = ubi__clock_us() + s->run->settings.interval_us;
    }
    if (now_us >= s->drain_at_us) {
        session_drain(s);
        pthread_mutex_lock(&s->run->log_lock);
        ubi__run_log_flush(&s->run->log);
        pthread_mutex_unlock(&s->run->log_lock);
        s->drain_at_us = now_us + DRAIN_US;
    }
    if (now_us >= s->pull_at_us) {
        ubi__run_timeline_pull(&s->run->timeline);
        plan_pull(s, ubi__clock_us());
    }
}

static void session_measure(session *s, uint64_t heap_bytes) {
    if (s->is_on_timeline)
        ubi__run_timeline_measure(&s->run->timeline, heap_bytes, &s->measured);
}

/* Each runtime once: workers together may reach the system's limit with none of them at its own. */
static void look_at_room(session *s) {
    pthread_mutex_lock(&s->run->lock);
    bool ends = s->run->is_near_limit || ubi__run_room_ends(&s->run->room, ubi__clock_us());
    s->run->is_near_limit = ends;
    pthread_mutex_unlock(&s->run->lock);
    if (!ends || s->has_saved_at_end)
        return;
    s->has_saved_at_end = true;
    ubi__run_take_snapshot(s->run, s->runtime, UBI__RUN_AT_OOM);
}

static void session_tick(void *state) {
    session *s = state;
    if (s->run->room.limit.name)
        look_at_room(s);
    unsigned sent = atomic_load_explicit(&signals, memory_order_relaxed);
    if (sent != s->signals_seen) {
        s->signals_seen = sent;
        ubi__run_take_snapshot(s->run, s->runtime, UBI__RUN_AT_SIGNAL);
    }
    if (s->has_collected) {
        s->has_collected = false;
        ubi__run_take_snapshot(s->run, s->runtime, UBI__RUN_AT_GC);
    }
    if (s->is_logging && s->observer->log.count >= DRAIN_ENTRIES)
        session_drain(s);
    if (s->is_tallying && s->run->tally && s->observer->log.count >= DRAIN_ENTRIES)
        ubi__run_tally_drain(s->run->tally, s->observer);
    if (atomic_load_explicit(&s->run->has_log_ended, memory_order_relaxed))
        drain_last(s);
    ubi__run_listen_tick(&s->run->listen, &s->offered, s->runtime);
    session_measure(s, ubi__script_heap_bytes(s->runtime));
    if (s->interval_at_us != UINT64_MAX || s->drain_at_us != UINT64_MAX || s->pull_at_us != UINT64_MAX)
        look_at_clock(s);
}

/* A log without news need not be looked at. */
static uint64_t due_us(void *state) {
    const session *s = state;
    uint64_t due_us = s->is_logging && s->drain_at_us < s->interval_at_us ? s->drain_at_us : s->interval_at_us;
    return s->pull_at_us < due_us ? s->pull_at_us : due_us;
}

static bool session_interrupted(void *payload) {
    (void)payload;
    return terminated || ubi__interrupted();
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

/* Workers hand over their logs at their next poll, as for a signal. One that does not poll is not waited for. */
static void wait_for_workers(ubi__run *run) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_DRAIN_SECONDS;
    atomic_store(&run->has_log_ended, true);
    run->runner->wake_all();
    pthread_mutex_lock(&run->log_lock);
    while (run->workers_to_log && pthread_cond_timedwait(&run->worker_logged, &run->log_lock, &until) == 0)
        ;
    run->log.has_lost_some = run->log.has_lost_some || run->workers_to_log > 0;
    pthread_mutex_unlock(&run->log_lock);
}

static void close_log(ubi__run *run) {
    wait_for_workers(run);
    pthread_mutex_lock(&run->log_lock);
    ubi_status status = ubi__run_log_close(&run->log);
    pthread_mutex_unlock(&run->log_lock);
    if (status == UBI_OK)
        return;
    pthread_mutex_lock(&run->lock);
    ubi__run_complain(run, run->arguments->allocation_log);
    pthread_mutex_unlock(&run->lock);
}

static void report_timeline(const ubi__run *run) {
    char line[128], markers[UBI__HUMAN_TEXT], lost[UBI__HUMAN_TEXT];
    snprintf(line, sizeof line, "timeline: %s%s%s%s", ubi__human_things(markers, run->timeline.markers, "marker"),
             run->timeline.lost ? ", " : "", run->timeline.lost ? ubi__human_count(lost, run->timeline.lost) : "",
             run->timeline.lost ? " lost" : "");
    run->runner->flush_output();
    ubi__print_line(run->arguments->timeline, line);
}

/* Workers that still run have said what they did until now. */
static void close_timeline(session *s) {
    ubi__run *run = s->run;
    if (!s->is_on_timeline)
        return;
    session_measure(s, ubi__script_heap_bytes(s->runtime));
    s->pull_at_us = UINT64_MAX;
    ubi_status status = ubi__run_timeline_close(&run->timeline);
    pthread_mutex_lock(&run->lock);
    if (status == UBI_OK)
        report_timeline(run);
    else
        ubi__run_complain(run, run->arguments->timeline);
    pthread_mutex_unlock(&run->lock);
}

static void session_report(ubi__run *run, const ubi__script_runtime *runtime, int exit_code) {
    run->runner->flush_output();
    pthread_mutex_lock(&run->lock);
    ubi_status status = ubi__run_report(run, runtime, exit_code);
    if (status != UBI_OK && status != UBI_ECANCELLED)
        ubi__run_complain(run, run->script);
    pthread_mutex_unlock(&run->lock);
}

/* The engine throws null where it has no memory for a name of a property, and does not say why. */
static bool has_run_out_unsaid(const session *s, int exit_code) {
    const ubi__run *run = s->run;
    return run->settings.wants_snapshot[UBI__RUN_AT_OOM] && !run->has_saved_on_oom &&
           exit_code == UBI__SCRIPT_EXIT_UNCAUGHT && run->settings.heap_limit_bytes &&
           ubi__script_heap_bytes(s->runtime) >= run->settings.heap_limit_bytes / 2;
}

/* Which limit it was, and what to do. */
static void limit_report(const ubi__run *run, int exit_code) {
    const char *limit = run->arguments->heap_limit;
    char line[200];
    if (!limit || exit_code != UBI__SCRIPT_EXIT_UNCAUGHT || !atomic_load(&run->has_run_out))
        return;
    snprintf(line, sizeof line, "memory ran out: --heap-limit %.40s is all that the program may use%s", limit,
             run->settings.wants_snapshot[UBI__RUN_AT_OOM] ? "" : "; --snapshot-on-oom saves what fills it");
    run->runner->flush_output();
    ubi__print_line(run->script, line);
}

/* A signal that comes just before the wait is noticed then. */
#define REST_US UINT64_C(500000)

/* The script has ended by itself: who looks at its heap in the page has it until the user ends the program. */
static void session_rest(session *s) {
    ubi__run *run = s->run;
    if (!run->arguments->with_page || run->arguments->is_interactive || session_interrupted(run))
        return;
    run->runner->flush_output();
    ubi__listening_note_end(&run->listen.listening, s->runtime->target);
    ubi__print_line(run->cli->subject, "the script has ended, and its page still shows its heap; Ctrl-C ends both");
    while (!session_interrupted(run)) {
        uint64_t rest_us = ubi__clock_us() + REST_US, wanted_us = due_us(s);
        s->runtime->ops->rest(s->runtime->payload, wanted_us < rest_us ? wanted_us : rest_us);
        session_tick(s);
    }
}

/* What stopped the script does not stop the work requested for after it; the next Ctrl-C does. */
static int session_finish(void *state, int exit_code, bool leaves) {
    session *s = state;
    ubi__run *run = s->run;
    session_rest(s);
    ubi__interrupt_accept();
    signal(SIGPIPE, SIG_IGN);
    ubi__run_listen_leave(&run->listen, &s->offered, s->runtime);
    ubi__run_listen_stop(&run->listen);
    session_drain(s);
    close_log(run);
    limit_report(run, exit_code);
    if (has_run_out_unsaid(s, exit_code))
        ubi__run_take_snapshot(run, s->runtime, UBI__RUN_AT_OOM);
    if (run->settings.wants_snapshot[UBI__RUN_AT_EXIT])
        ubi__run_take_snapshot(run, s->runtime, UBI__RUN_AT_EXIT);
    close_timeline(s);
    session_report(run, s->runtime, exit_code);
    ubi_symbols_forget();
    if (run->has_failed && exit_code == UBI__SCRIPT_EXIT_OK)
        exit_code = UBI__EXIT_SYSTEM;
    if (terminated)
        end_by_termination(run, exit_code);
    return leaves ? ubi__finish(run->cli, UBI_OK, exit_code) : exit_code;
}

static void session_end(void *state) {
    session *s = state;
    ubi__run_listen_leave(&s->run->listen, &s->offered, s->runtime);
    drain_last(s);
    session_measure(s, 0);
    if (s->is_tallying) {
        free(s->run->tally);
        s->run->tally = NULL;
    }
    if (s->observer)
        ubi__observer_on_collection(s->observer, NULL, NULL);
    free(s);
}

ubi__script_hooks ubi__run_hooks(ubi__run *run) {
    return (ubi__script_hooks){
        .payload = run,
        .begin = session_begin,
        .tick = session_tick,
        .due_us = due_us,
        .finish = session_finish,
        .out_of_memory = out_of_memory,
        .end = session_end,
        .interrupted = session_interrupted,
        .converse = run->arguments->is_interactive ? ubi__run_converse : NULL,
        .stopped = run->arguments->is_interactive ? ubi__run_is_stopped : NULL,
    };
}
