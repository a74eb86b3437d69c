/* SPDX-License-Identifier: MIT
 *
 * native_record.c: see native_record.h.
 */
#include "targets/native/native_record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/text.h"
#include "targets/native/native_output.h"
#include "targets/native/native_recorder.h"

#define MS UINT64_C(1000000) /* in ns */
/* What is written waits so long to be read, when the last look has read all that was there. */
#define PAUSE_MS 5
/* Stock is taken every tenth of a second, and more often at the start, for short programs. */
#define FIRST_STOCK_NS (5 * MS)
#define STOCK_NS (100 * MS)
/* Programs that are asked to stop have so long to get what they are just writing done. */
#define STOPPING_NS (50 * MS)
/* So long a process may take from its making to its connection. */
#define LATECOMER_NS (1000 * MS)
/* The first words on whom is waited for come so late, the next ones ever later up to this. */
#define FIRST_WAITING_NS (1000 * MS)
#define WAITING_NS (60 * 1000 * MS)
/* Most programs that are listed as not recorded. */
#define UNRECORDED_KEPT 64
/* What is learned from one wait. */
#define EVENTS_AT_ONCE 64

void ubi__native_recorder_refuse(ubi__native_recorder *r, uint64_t n, const char *why) {
    if (n > 0 && r->result->n_refused == 0)
        snprintf(r->result->refusal, sizeof r->result->refusal, "%s", why);
    r->result->n_refused += n;
}

ubi_status ubi__native_recorder_watch(const ubi__native_recorder *r, int fd, ubi__native_session *session) {
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = session };
    return epoll_ctl(r->events, EPOLL_CTL_ADD, fd, &event) < 0 ? ubi__fail_errno(errno, "cannot wait for events")
                                                               : UBI_OK;
}

/* ---- the end of a process ------------------------------------------------------------------------------------------ */

static void report_process_end(const ubi__native_recorder *r, pid_t pid) {
    if (r->settings->on_process_end)
        r->settings->on_process_end(r->settings->process_payload, pid);
}

void ubi__native_recorder_end_session(ubi__native_recorder *r, ubi__native_session *s, const ubi__ubirec_end *end) {
    if (s->has_ended)
        return;
    report_process_end(r, s->pid);
    ubi__native_session_end(s, end);
    if (r->settings->with_symbols) {
        ubi__native_symbols_add(&r->symbols, s);
        return;
    }
    ubi__native_session_finish(s);
    s->is_done = true;
}

/* ---- sessions ----------------------------------------------------------------------------------------------------- */

static ubi__ubirec_end how_it_ended(int wait_status) {
    if (WIFSIGNALED(wait_status))
        return (ubi__ubirec_end){ UBI__UBIREC_KILLED, (uint32_t)WTERMSIG(wait_status) };
    return (ubi__ubirec_end){ UBI__UBIREC_EXITED, (uint32_t)WEXITSTATUS(wait_status) };
}

/* False: unknown so far. We wait only for our own child. */
static bool has_ended(const ubi__native_recorder *r, const ubi__native_session *s, ubi__ubirec_end *end) {
    *end = (ubi__ubirec_end){ .reason = UBI__UBIREC_ENDED };
    if (s->pid == r->launch.pid) {
        if (r->launch.has_ended)
            *end = how_it_ended(r->launch.wait_status);
        return r->launch.has_ended;
    }
    if (s->is_dead && s->knows_exit)
        *end = how_it_ended(s->wait_status);
    return s->is_dead;
}

/* Programs that many processes start are listed once. */
static ubi_status note_unrecorded(ubi__native_recorder *r, const ubi__native_unrecorded *row) {
    ubi__vec_native_unrecorded *all = &r->result->unrecorded;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].why == row->why && strcmp(all->at[i].name, row->name) == 0) {
            all->at[i].count += row->count;
            return UBI_OK;
        }
    return all->n < UNRECORDED_KEPT ? ubi__vec_native_unrecorded_push(all, r->allocator, *row) : UBI_OK;
}

static ubi_status keep_result(ubi__native_recorder *r, ubi__native_session *s) {
    ubi__native_file file = { .path = s->path,
                              .path_bytes = s->path_bytes,
                              .pid = s->pid,
                              .allocations = s->kept_allocations,
                              .allocated_bytes = s->allocated_bytes,
                              .markers = s->kept_markers,
                              .dropped = s->counters.dropped + s->counters.lost_events,
                              .deep_binds = s->counters.deep_binds,
                              .scripts = s->counters.scripts,
                              .namespaces = s->counters.namespaces,
                              .file_bytes = s->kept_bytes,
                              .end = s->end,
                              .is_program = s->pid == r->launch.pid,
                              .status = s->status };
    memcpy(file.message, s->message, sizeof file.message);
    memcpy(file.replaced_by, s->replaced_by, sizeof file.replaced_by);
    ubi__native_session_program_name(file.name, sizeof file.name, s);
    for (size_t i = 0; i < s->unrecorded.n; i++)
        UBI_TRY(note_unrecorded(r, &s->unrecorded.at[i]));
    UBI_TRY(ubi__vec_native_file_push(&r->result->files, r->allocator, file));
    s->path = NULL;
    if (s->pid == r->main_pid && r->result->files.n > 1 && strcmp(file.path, r->path) == 0) {
        r->result->files.at[r->result->files.n - 1] = r->result->files.at[0];
        r->result->files.at[0] = file;
    }
    return UBI_OK;
}

/* @return whether there is more to do at once. */
static bool work_on(ubi__native_recorder *r, ubi__native_session *s) {
    ubi__ubirec_end end;
    if (s->has_ended)
        return false;
    bool is_over = has_ended(r, s, &end); /* before the last look at what it wrote */
    bool busy = ubi__native_session_poll(s);
    ubi__native_results_serve(s, &r->settings->maker);
    if (s->is_trampled && !is_over)
        end = (ubi__ubirec_end){ .reason = UBI__UBIREC_STOPPED };
    if (s->has_given_up) /* however it ended since */
        end = (ubi__ubirec_end){ UBI__UBIREC_STOPPED, UBI__UBIREC_GAVE_UP };
    if (is_over && s->pid == r->launch.pid && !s->replaced_by[0] && r->launch.peak_bytes)
        s->peak_resident_bytes = r->launch.peak_bytes; /* up to its end */
    if (is_over || s->is_trampled || s->has_given_up)
        ubi__native_recorder_end_session(r, s, &end);
    return busy;
}

static void put_away_done(ubi__native_recorder *r) {
    for (ubi__native_session **at = &r->sessions; *at;) {
        ubi__native_session *s = *at;
        if (!atomic_load_explicit(&s->is_done, memory_order_acquire)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        if (keep_result(r, s) != UBI_OK)
            ubi__native_recorder_refuse(r, 1, ubi_error_message());
        ubi__native_session_free(s);
    }
}

/* New processes wait at the door for their memory, and their parents for fork: they come first, whatever there is to do. */
static bool work_on_all(ubi__native_recorder *r) {
    bool busy = false;
    for (ubi__native_session *s = r->sessions; s; s = s->next) {
        ubi__native_recorder_answer_door(r);
        busy |= work_on(r, s);
    }
    put_away_done(r);
    return busy;
}

static bool some_record(const ubi__native_recorder *r) {
    for (const ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            return true;
    return false;
}

static void take_stock(ubi__native_recorder *r, uint64_t now) {
    const ubi__ubirec_end replaced = { .reason = UBI__UBIREC_REPLACED };
    if (now < r->stock_ns)
        return;
    uint64_t step = (now - r->began_ns) / 4;
    r->stock_ns = now + (step < FIRST_STOCK_NS ? FIRST_STOCK_NS : step > STOCK_NS ? STOCK_NS : step);
    for (ubi__native_session *s = r->sessions; s; s = s->next) {
        if (ubi__native_session_is_replaced(s))
            ubi__native_recorder_end_session(r, s, &replaced);
        else
            ubi__native_session_take_stock(s);
    }
    if (r->settings->on_time)
        r->settings->on_time(r->settings->bytes_payload, now);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

/* Which processes are still recorded. @return a number that differs when they do. */
static uint64_t find_waiting(const ubi__native_recorder *r, ubi__native_waiting *out) {
    uint64_t mark = 0;
    out->n = 0;
    for (const ubi__native_session *s = r->sessions; s; s = s->next) {
        if (s->has_ended || s->is_dead)
            continue;
        if (out->n < UBI__WAITING_NAMED) {
            out->pids[out->n] = s->pid;
            if (!ubi__proc_thread_name(out->names[out->n], s->pid, s->pid) || !out->names[out->n][0])
                ubi__native_session_program_name(out->names[out->n], sizeof out->names[out->n], s);
        }
        out->n++;
        mark += (uint64_t)s->pid * UINT64_C(0x9e3779b97f4a7c15); /* sums of these are as different as their terms */
    }
    return mark;
}

static void report_waiting(ubi__native_recorder *r, uint64_t now) {
    ubi__native_waiting waiting;
    if (!r->launch.has_ended || r->is_stopped || !r->settings->report_waiting)
        return;
    if (!r->waiting_ns) {
        r->waiting_step_ns = FIRST_WAITING_NS;
        r->waiting_ns = now + FIRST_WAITING_NS;
    }
    if (now < r->waiting_ns)
        return;
    uint64_t mark = find_waiting(r, &waiting);
    if (waiting.n == 0 || mark == r->waiting_mark)
        return;
    r->settings->report_waiting(&waiting);
    r->waiting_mark = mark;
    r->waiting_step_ns = r->waiting_step_ns < WAITING_NS / 2 ? 2 * r->waiting_step_ns : WAITING_NS;
    r->waiting_ns = now + r->waiting_step_ns;
}

/* ---- stopping ----------------------------------------------------------------------------------------------------- */

/* A session that is done has ended before; a process that is recorded has a number of the system. */
static void recorder_check(const ubi__native_recorder *r) {
    for (const ubi__native_session *s = r->sessions; UBI_CHECKS && s; s = s->next) {
        UBI_ASSERT(s->pid > 0 && s->pidfd != 0);
        UBI_ASSERT(!s->is_done || s->has_ended);
    }
}

/* Programs are asked to stop; a moment later their sessions end. */
static void stop_recording(ubi__native_recorder *r, uint64_t now) {
    if (r->is_stopped)
        return;
    r->is_stopped = true;
    r->stop_ns = now + STOPPING_NS;
    r->result->was_stopped = some_record(r);
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            ubi__native_session_stop(s);
}

static void stop_in_time(ubi__native_recorder *r, uint64_t now) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_STOPPED };
    if (now < r->stop_ns)
        return;
    if (!r->is_stopped) {
        stop_recording(r, now);
        return;
    }
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        ubi__native_recorder_end_session(r, s, &end);
    r->stop_ns = UINT64_MAX;
}

/* The user does not want to wait: not for processes that outlive the program, and then not for symbols. */
static void hurry_up(ubi__native_recorder *r) {
    if (some_record(r))
        stop_recording(r, ubi__native_now_ns());
    else if (r->settings->with_symbols)
        ubi__native_symbols_hurry(&r->symbols);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static bool was_recorded(void *payload, pid_t pid) {
    const ubi__native_recorder *r = payload;
    for (size_t i = 0; i < r->result->files.n; i++)
        if (r->result->files.at[i].pid == pid)
            return true;
    return pid == getpid();
}

/* Whether no process is recorded or will be: one made just before its parent died may not have had the time to
   connect. Its environment shows that. We do not wait long for one that never does. */
static bool is_over(ubi__native_recorder *r, uint64_t now) {
    char entry[sizeof r->door.socket_path + 64];
    if (!r->launch.has_ended || r->sessions) {
        r->alone_ns = 0;
        return false;
    }
    if (!r->settings->with_children || r->is_stopped)
        return true;
    if (!r->alone_ns)
        r->alone_ns = now;
    snprintf(entry, sizeof entry, UBI__WIRE_SOCKET_VARIABLE "=%s", r->door.socket_path);
    return now - r->alone_ns > LATECOMER_NS || !ubi__proc_some_have(entry, was_recorded, r);
}

/* Until something happens, or there may be something to read. The ends of processes are noted at once, before their
   parents reap them. */
static void pause_for(ubi__native_recorder *r, bool busy) {
    struct epoll_event events[EVENTS_AT_ONCE];
    bool expects_more =
        r->sessions || ubi__native_control_is_busy(&r->control) || r->alone_ns || r->stop_ns != UINT64_MAX;
    int n = epoll_wait(r->events, events, EVENTS_AT_ONCE, busy ? 0 : expects_more ? PAUSE_MS : -1);
    for (int i = 0; i < n; i++)
        if (events[i].data.ptr)
            ubi__native_session_note_death(events[i].data.ptr);
    if (r->settings->with_symbols)
        ubi__native_symbols_note(&r->symbols);
}

static void attend_to_all(ubi__native_recorder *r) {
    for (;;) {
        bool had_ended = r->launch.has_ended;
        if (ubi__native_launch_attend(&r->launch) && had_ended)
            hurry_up(r);
        ubi__native_recorder_answer_door(r);
        bool busy = work_on_all(r);
        uint64_t now = ubi__native_now_ns();
        ubi__native_control_answer(&r->control, r->sessions, now);
        take_stock(r, now);
        stop_in_time(r, now);
        report_waiting(r, now);
        recorder_check(r);
        if (is_over(r, now))
            return;
        pause_for(r, busy);
    }
}

/* Each process that is followed takes three descriptors. The program has its limits from before. */
static void raise_limit_of_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Each once: while there is no room for another client, the loop is not to spin. */
static ubi_status watch_arrivals(const ubi__native_recorder *r, int fd) {
    struct epoll_event event = { .events = EPOLLIN | EPOLLET };
    return epoll_ctl(r->events, EPOLL_CTL_ADD, fd, &event) < 0 ? ubi__fail_errno(errno, "cannot wait for events")
                                                               : UBI_OK;
}

static ubi_status watch_all(ubi__native_recorder *r) {
    r->events = epoll_create1(EPOLL_CLOEXEC);
    if (r->events < 0)
        return ubi__fail_errno(errno, "cannot wait for events");
    UBI_TRY(ubi__native_recorder_watch(r, r->launch.signals, NULL));
    if (r->door.fd >= 0)
        UBI_TRY(ubi__native_recorder_watch(r, r->door.fd, NULL));
    UBI_TRY(watch_arrivals(r, r->control.fd));
    return r->settings->with_symbols ? ubi__native_recorder_watch(r, r->symbols.done, NULL) : UBI_OK;
}

static ubi_status start_threads(ubi__native_recorder *r) {
    const ubi__native_settings *settings = r->settings;
    if (settings->with_symbols)
        UBI_TRY(ubi__native_symbols_start(&r->symbols, settings->with_debuginfod, r->allocator));
    ubi_status status = ubi__native_clock_start(&r->clock);
    if (status == UBI_OK && (status = ubi__native_looks_start(&r->looks, r->allocator)) != UBI_OK)
        ubi__native_clock_stop(&r->clock);
    if (status != UBI_OK && settings->with_symbols)
        ubi__native_symbols_stop(&r->symbols);
    return status;
}

static void stop_threads(ubi__native_recorder *r) {
    ubi__native_clock_stop(&r->clock);
    ubi__native_looks_stop(&r->looks);
    if (r->settings->with_symbols)
        ubi__native_symbols_stop(&r->symbols);
}

static uint64_t unix_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

static ubi_status name_output(ubi__native_recorder *r, const char *word) {
    int n = r->settings->output ? snprintf(r->path, sizeof r->path, "%s", r->settings->output)
                                : snprintf(r->path, sizeof r->path, "%s.%ld.ubirec",
                                           ubi__text_base_name(ubi__text(word)).ptr, (long)r->main_pid);
    if (n < 0 || (size_t)n >= sizeof r->path)
        return ubi__fail(UBI_EINVAL, "the name of the recording is too long");
    return UBI_OK;
}

/* What is to be there before the program records. */
static ubi_status prepare_recording(ubi__native_recorder *r, const char *word) {
    UBI_TRY(name_output(r, word));
    UBI_TRY(ubi__native_output_open(&r->file, r->path, r->allocator));
    if (r->settings->with_children && getrandom(&r->number, sizeof r->number, 0) != sizeof r->number)
        r->number = ubi__native_now_ns();
    raise_limit_of_files();
    UBI_TRY(start_threads(r));
    ubi_status status = watch_all(r);
    r->began_ns = ubi__native_now_ns();
    r->unix_less_monotonic_ns = unix_ns() - r->began_ns;
    if (status != UBI_OK)
        stop_threads(r);
    return status;
}

static ubi_status start_recording(ubi__native_recorder *r, const char *word, int *exit_code) {
    UBI_TRY(ubi__native_launch_open(&r->launch, &r->program, &r->door));
    r->main_pid = r->launch.pid;
    UBI_TRY(prepare_recording(r, word));
    ubi_status status = ubi__native_launch_go(&r->launch, &r->program, exit_code);
    if (status != UBI_OK)
        stop_threads(r);
    return status;
}

/* Until all processes have ended, or it is asked to stop. */
static void attend_until_end(ubi__native_recorder *r) {
    if (r->settings->duration_us && r->settings->duration_us < (UINT64_MAX - r->began_ns) / 1000)
        r->stop_ns = r->began_ns + r->settings->duration_us * 1000;
    attend_to_all(r);
    UBI_ASSERT(!r->sessions && r->launch.has_ended);
    stop_threads(r);
}

static ubi_status run_recording(ubi__native_recorder *r, const char *word, int *exit_code) {
    UBI_TRY(start_recording(r, word, exit_code));
    attend_until_end(r);
    r->result->wait_status = r->launch.wait_status;
    return UBI_OK;
}

static void recorder_close(ubi__native_recorder *r) {
    ubi__atomic_file_discard(&r->file); /* no process has connected */
    if (r->events >= 0)
        close(r->events);
    ubi__native_launch_close(&r->launch);
}

static ubi_status run_with_door(ubi__native_recorder *r, const char *word, int *exit_code) {
    UBI_TRY(ubi__native_door_open(&r->door, r->settings->library));
    ubi_status status = ubi__native_control_open(&r->control, &r->door);
    if (status == UBI_OK)
        status = run_recording(r, word, exit_code);
    ubi__native_control_close(&r->control);
    recorder_close(r);
    ubi__native_door_close(&r->door);
    return status;
}

static ubi_status run_program(ubi__native_recorder *r, char **words, size_t n_words, int *exit_code) {
    UBI_TRY(ubi__native_program_find(&r->program, words, n_words, exit_code, r->allocator));
    ubi_status status = run_with_door(r, words[0], exit_code);
    ubi__native_program_fini(&r->program);
    return status;
}

/* ---- a program that runs already ---------------------------------------------------------------------------------- */

/* It has knocked: it gets its memory as one that connects does. */
static ubi_status enter_program(ubi__native_recorder *r) {
    UBI_TRY(ubi__native_recorder_admit(r, r->attach.socket, r->main_pid));
    if (!r->sessions)
        return ubi__fail(UBI_EIO, "%s", r->result->refusal);
    UBI_TRY(ubi__native_attach_enter(&r->attach));
    if (r->settings->report_attached)
        r->settings->report_attached(r->main_pid, r->attach.n_refused);
    return UBI_OK;
}

static void discard_sessions(ubi__native_recorder *r) {
    const ubi__ubirec_end stopped = { .reason = UBI__UBIREC_STOPPED };
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        ubi__native_recorder_end_session(r, s, &stopped);
    stop_threads(r);
    put_away_done(r);
}

/* One that has ended has nothing to leave. */
static void leave_program(ubi__native_recorder *r) {
    if (kill(r->main_pid, 0) == 0 && ubi__native_attach_leave(&r->attach) != UBI_OK && kill(r->main_pid, 0) == 0)
        snprintf(r->result->left_behind, sizeof r->result->left_behind, "%s", ubi_error_message());
}

static ubi_status attach_and_record(ubi__native_recorder *r) {
    char word[PATH_MAX];
    word[ubi__proc_executable(word, sizeof word - 1, r->main_pid)] = '\0';
    UBI_TRY(prepare_recording(r, word));
    ubi_status status = enter_program(r);
    if (status != UBI_OK) {
        discard_sessions(r);
        return status;
    }
    attend_until_end(r);
    leave_program(r);
    return UBI_OK;
}

static ubi_status attach_with_control(ubi__native_recorder *r) {
    const ubi__native_settings *settings = r->settings;
    UBI_TRY(ubi__native_control_open(&r->control, &r->door));
    UBI_TRY(
        ubi__native_attach_open(&r->attach, r->main_pid, settings->library, settings->period_bytes == 1, r->allocator));
    ubi_status status = attach_and_record(r);
    ubi__native_attach_close(&r->attach);
    return status;
}

/* The door's folder is for requests alone: no process comes by itself. */
static ubi_status run_attached(ubi__native_recorder *r) {
    r->main_pid = r->settings->attach_to;
    UBI_TRY(ubi__native_launch_none(&r->launch));
    ubi_status status = ubi__native_door_open(&r->door, r->settings->library);
    ubi__native_door_shut(&r->door);
    if (status == UBI_OK)
        status = attach_with_control(r);
    ubi__native_control_close(&r->control);
    recorder_close(r);
    ubi__native_door_close(&r->door);
    return status;
}

/* ---- either way --------------------------------------------------------------------------------------------------- */

ubi_status ubi__native_record(ubi__native_result *out, const ubi__native_settings *settings, char **words,
                              size_t n_words, int *exit_code, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__native_recorder *r = UBI_NEW(a, ubi__native_recorder);
    if (!r)
        return ubi__fail_nomem();
    *out = (ubi__native_result){ .allocator = a };
    r->allocator = a;
    r->settings = settings;
    r->result = out;
    r->file = ubi__native_output_none(r->allocator);
    r->events = -1;
    r->control.fd = -1;
    r->launch = (ubi__native_launch){ .signals = -1, .gate = -1, .failure = -1 };
    r->stop_ns = UINT64_MAX;
    ubi_status status = settings->attach_to ? run_attached(r) : run_program(r, words, n_words, exit_code);
    if (status != UBI_OK)
        ubi__native_result_fini(out);
    UBI_DELETE(a, r);
    return status;
}

void ubi__native_result_fini(ubi__native_result *result) {
    for (size_t i = 0; i < result->files.n; i++)
        ubi__free_array(result->allocator, result->files.at[i].path, result->files.at[i].path_bytes, 1);
    ubi__vec_native_file_fini(&result->files, result->allocator);
    ubi__vec_native_unrecorded_fini(&result->unrecorded, result->allocator);
}
