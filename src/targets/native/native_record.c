/* SPDX-License-Identifier: MIT
 *
 * native_record.c: see native_record.h.
 *
 * Sessions are in a list, from the connection of their process until their file is finished. Those that have ended belong to
 * the thread that looks symbols up (native_symbols.h) until they are done: of them, only what never changes is read here.
 */
#include "targets/native/native_record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "targets/native/native_attach.h"
#include "targets/native/native_control.h"
#include "targets/native/native_launch.h"
#include "targets/native/native_symbols.h"

#define MS UINT64_C(1000000) /* in ns */
/* What is written waits so long to be read, when the last look found nothing. */
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

typedef struct recorder {
    const ubi_allocator *allocator;
    const ubi__native_settings *settings;
    ubi__native_result *result;
    ubi__native_program program;
    ubi__native_door door;
    ubi__native_control control;
    ubi__native_launch launch;
    ubi__native_attach attach; /* when the settings want it */
    pid_t main_pid;            /* of the program */
    ubi__native_clock clock;
    ubi__native_symbols symbols; /* if the settings want them */
    ubi__native_looks looks;
    ubi__native_session *sessions;
    int events; /* an epoll: signals, the door, finished files, and the ends of processes, with their session */
    char path[PATH_MAX];   /* of the program's file */
    ubi__atomic_file file; /* it, until the program has connected */
    bool has_main;         /* it has */
    uint64_t number;       /* of this recording, in the files of all processes; 0: there is one process */
    uint64_t began_ns, stock_ns;
    uint64_t unix_less_monotonic_ns; /* looked at once, so that times of all files are on one scale */
    uint64_t stop_ns;                /* when recording ends for all; UINT64_MAX: not before they do */
    bool is_stopped;
    uint64_t waiting_ns; /* when it is time for words on who is waited for; 0: the program has not ended yet */
    uint64_t waiting_step_ns, waiting_mark; /* until the next words; and of which processes the last ones were */
    uint64_t alone_ns;                      /* since when no process is recorded any more; 0: one is */
} recorder;

/* ---- files -------------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ubi__atomic_file no_file(const recorder *r) {
    return (ubi__atomic_file){ .allocator = r->allocator, .fd = -1, .directory_fd = -1 };
}

static ubi_status name_output(recorder *r, const char *word) {
    int n = r->settings->output
                ? snprintf(r->path, sizeof r->path, "%s", r->settings->output)
                : snprintf(r->path, sizeof r->path, "%s.%ld.ubirec", base_name(word), (long)r->main_pid);
    if (n < 0 || (size_t)n >= sizeof r->path)
        return ubi__fail(UBI_EINVAL, "the name of the recording is too long");
    return UBI_OK;
}

/*
 * A recorder has a lock on its file, which ends with the recorder, however that ends. Where a file system has no such
 * locks, another recorder goes unnoticed.
 */
static ubi_status check_alone(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return UBI_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_taken ? ubi__fail(UBI_EBUSY, "another 'ubiheap record' writes %s just now: give another --output", path)
                    : UBI_OK;
}

/* An old recording stays until the new one has its first block: from then on that is worth more, however it ends. */
static ubi_status open_output(ubi__atomic_file *out, const char *path, const ubi_allocator *allocator) {
    char why[256];
    UBI_TRY(check_alone(path));
    ubi_status status = ubi__atomic_file_open(out, path, UBI__ATOMIC_FILE_NO_WAIT, allocator);
    if (status == UBI_OK && out->directory_fd >= 0)
        (void)flock(out->fd, LOCK_EX | LOCK_NB);
    if (status == UBI_OK)
        return UBI_OK;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "cannot write '%s': %s", path, why);
}

#define TURN_TRIES 1000
#define TURN_WAIT_NS 1000000

/* Two that began at a time take turns, so that the later one sees the file of the other. Closing the folder ends the turn. */
static ubi_status put_in_place(ubi__atomic_file *file, const char *path) {
    const struct timespec pause = { .tv_nsec = TURN_WAIT_NS };
    for (int i = 0; file->directory_fd >= 0 && i < TURN_TRIES; i++) {
        if (flock(file->directory_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
    }
    ubi_status status = file->directory_fd >= 0 ? check_alone(path) : UBI_OK;
    if (status == UBI_OK)
        return ubi__atomic_file_appear(file);
    ubi__atomic_file_discard(file);
    return status;
}

/* A process may become another program, so its number may come again. */
static ubi_status open_output_of(ubi__atomic_file *out, char path[PATH_MAX], const recorder *r, pid_t pid) {
    for (unsigned again = 1; again < 10000; again++) {
        int n = again == 1 ? snprintf(path, PATH_MAX, "%s.%ld", r->path, (long)pid)
                           : snprintf(path, PATH_MAX, "%s.%ld.%u", r->path, (long)pid, again);
        if (n < 0 || n >= PATH_MAX)
            return ubi__fail(UBI_EINVAL, "the name of the recording is too long");
        bool is_taken = false;
        for (size_t i = 0; i < r->result->files.n; i++)
            is_taken |= strcmp(r->result->files.at[i].path, path) == 0;
        for (const ubi__native_session *s = r->sessions; s; s = s->next)
            is_taken |= strcmp(s->path, path) == 0;
        if (!is_taken)
            return open_output(out, path, r->allocator);
    }
    return ubi__fail(UBI_ELIMIT, "process %ld starts too many programs", (long)pid);
}

static void note_refusal(recorder *r, uint64_t n, const char *why) {
    if (n > 0 && r->result->n_refused == 0)
        snprintf(r->result->refusal, sizeof r->result->refusal, "%s", why);
    r->result->n_refused += n;
}

/* ---- whom it concerns ---------------------------------------------------------------------------------------------- */

static void report_process(const recorder *r, pid_t pid) {
    char name[NAME_MAX + 1];
    if (!r->settings->on_process)
        return;
    ubi__proc_name(name, sizeof name, pid);
    r->settings->on_process(r->settings->process_payload, pid, *name ? name : "?");
}

static void report_process_end(const recorder *r, pid_t pid) {
    if (r->settings->on_process_end)
        r->settings->on_process_end(r->settings->process_payload, pid);
}

/* ---- the end of a process ------------------------------------------------------------------------------------------ */

/* The rest is work for the file alone. */
static void end_session(recorder *r, ubi__native_session *s, const ubi__ubirec_end *end) {
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

/* What the process was before it became another program is over; and that one is recorded. */
static void end_replaced(recorder *r, pid_t pid) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_REPLACED };
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (s->pid == pid) {
            end_session(r, s, &end);
            s->replaced_by[0] = '\0';
        }
    for (size_t i = 0; i < r->result->files.n; i++)
        if (r->result->files.at[i].pid == pid)
            r->result->files.at[i].replaced_by[0] = '\0';
}

/* ---- processes that connect --------------------------------------------------------------------------------------- */

static ubi_status share_descriptor(int *out, const ubi__atomic_file *file) {
    *out = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    return *out < 0 ? ubi__fail_errno(errno, "cannot write the recording") : UBI_OK;
}

/* A process continues as the one that made it, or that it was, is recorded. */
static bool begins_paused(const recorder *r, pid_t pid) {
    pid_t parent = ubi__proc_parent(pid);
    const ubi__native_session *before = NULL;
    for (const ubi__native_session *s = r->sessions; s; s = s->next)
        if (s->pid == pid || (s->pid == parent && (!before || before->pid != pid)))
            before = !before || before->pid != s->pid ? s : before;
    return before ? !before->window.is_open : r->settings->is_paused;
}

/* @param file  out: the caller's. @param path  room for its name. */
static ubi_status prepare_arrival(recorder *r, ubi__native_arrival *a, ubi__atomic_file *file, char path[PATH_MAX]) {
    uint64_t now = ubi__native_now_ns(), age = ubi__proc_age_ns(a->pid);
    bool is_main = !r->has_main && a->pid == r->main_pid;
    a->began_ns = is_main && !r->settings->attach_to ? r->began_ns : now > age ? now - age : 0;
    a->is_child = a->pid != r->main_pid;
    a->is_attached = r->settings->attach_to != 0;
    a->began_unix_ns = a->began_ns + r->unix_less_monotonic_ns;
    a->recording = r->number;
    a->live = r->settings->live;
    a->looks = &r->looks;
    a->settings =
        (ubi__preload_settings){ .period_bytes = r->settings->period_bytes, .is_paused = begins_paused(r, a->pid) };
    a->settings.flags = (r->settings->with_children ? UBI__WIRE_FOLLOW_CHILDREN : 0) |
                        (r->settings->with_mappings ? UBI__WIRE_MAPPINGS : 0) |
                        (r->settings->with_markers ? UBI__WIRE_MARKERS : 0);
    if (getrandom(&a->settings.seed, sizeof a->settings.seed, 0) != sizeof a->settings.seed)
        a->settings.seed = now;
    if (is_main) {
        a->on_bytes = r->settings->on_bytes;
        a->bytes_payload = r->settings->bytes_payload;
        a->path = r->path;
        *file = r->file;
        r->file = no_file(r);
        r->has_main = true;
    } else {
        UBI_TRY(open_output_of(file, path, r, a->pid));
        a->path = path;
    }
    return share_descriptor(&a->fd, file);
}

/* @param session  whose process's end it reports; NULL: it has another meaning. */
static ubi_status watch_descriptor(const recorder *r, int fd, ubi__native_session *session) {
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = session };
    return epoll_ctl(r->events, EPOLL_CTL_ADD, fd, &event) < 0 ? ubi__fail_errno(errno, "cannot wait for events")
                                                               : UBI_OK;
}

/* What pidfd_open of glibc 2.36 does; programs that use that start with no older one. */
static int process_descriptor(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A session whose file has begun and is in its place. */
static ubi_status begin_session(ubi__native_session **out, recorder *r, pid_t pid, int socket, bool is_forked) {
    char path[PATH_MAX];
    ubi__atomic_file file = no_file(r);
    ubi__native_arrival arrival = { .pid = pid, .pidfd = process_descriptor(pid), .fd = -1, .is_forked = is_forked };
    if (arrival.pidfd < 0)
        return ubi__fail_errno(errno, "cannot watch process %ld", (long)pid);
    ubi_status status = prepare_arrival(r, &arrival, &file, path);
    arrival.socket = status == UBI_OK ? fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1; /* without it, it cannot say why not */
    if (status == UBI_OK)
        status = ubi__native_session_new(out, &arrival, &r->clock, r->allocator);
    else
        close(arrival.pidfd);
    if (status != UBI_OK) {
        ubi__atomic_file_discard(&file);
        return status;
    }
    status = put_in_place(&file, arrival.path);
    if (status != UBI_OK)
        ubi__native_session_free(*out);
    return status;
}

static void name_of_program(char *out, size_t size, const ubi__native_session *s) {
    const char *slash = memrchr(s->program, '/', s->program_bytes), *name = slash ? slash + 1 : s->program;
    snprintf(out, size, "%.*s", (int)(s->program_bytes - (size_t)(name - s->program)), name);
}

/* The session that reports another process: its parent's, else the program's, else any. NULL: there is none. */
static ubi__native_session *session_for(const recorder *r, pid_t pid) {
    ubi__native_session *found = NULL;
    pid_t parent = ubi__proc_parent(pid);
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended && (s->pid == parent || !found || (s->pid == r->main_pid && found->pid != parent)))
            found = s;
    return found;
}

/* A child of fork notifies its parent itself. */
static ubi_status note_refused(const recorder *r, pid_t pid) {
    char path[PATH_MAX];
    ubi__native_session *s = session_for(r, pid);
    if (!s)
        return UBI_OK;
    path[ubi__proc_executable(path, sizeof path - 1, pid)] = '\0';
    return ubi__native_session_note_unrecorded(s, base_name(path), UBI__UNRECORDED_REFUSED);
}

/* One of the others names its file, so that readers notice when it is missing. */
static void report_of_file(const recorder *r, const ubi__native_session *s) {
    char name[64];
    ubi__native_session *teller = session_for(r, s->pid);
    if (!teller || strcmp(s->path, r->path) == 0)
        return;
    name_of_program(name, sizeof name, s);
    ubi__native_session_note_companion(teller, s->path + strlen(r->path), name);
}

/* A process that waited for another before it started this one has seen the other's end: so do we. */
static void note_deaths(recorder *r) {
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            ubi__native_session_look_for_death(s);
}

static ubi_status admit_process(recorder *r, int socket, pid_t pid) {
    const ubi__ubirec_end stopped = { .reason = UBI__UBIREC_STOPPED };
    ubi__wire_hello hello;
    ubi__native_session *s;
    UBI_TRY(ubi__preload_receive_hello(socket, &hello));
    end_replaced(r, pid);
    note_deaths(r);
    ubi_status begun = begin_session(&s, r, pid, socket, hello.is_forked);
    if (begun != UBI_OK) {
        note_refusal(r, 1, ubi_error_message());
        return hello.is_forked ? UBI_OK : note_refused(r, pid);
    }
    report_of_file(r, s);
    s->next = r->sessions;
    r->sessions = s;
    /* Before the program continues: no other process is expected. */
    if (!r->settings->with_children)
        ubi__native_door_shut(&r->door);
    report_process(r, pid);
    ubi_status status = watch_descriptor(r, s->pidfd, s);
    if (status == UBI_OK)
        status = ubi__preload_send_welcome(socket, &s->area);
    if (status != UBI_OK)
        end_session(r, s, &stopped);
    return status;
}

/* Only the program itself, unless its children are to be followed. */
static bool is_expected(const recorder *r, pid_t pid) {
    return !r->is_stopped && (r->settings->with_children || (!r->has_main && pid == r->main_pid));
}

static void turn_away(recorder *r) {
    note_refusal(r, 1, ubi_error_message());
}

static void answer_door(recorder *r) {
    pid_t pid;
    for (int socket; (socket = ubi__native_door_answer(&r->door, &pid)) >= 0; close(socket))
        if (is_expected(r, pid) && admit_process(r, socket, pid) != UBI_OK)
            turn_away(r);
}

/* ---- sessions ----------------------------------------------------------------------------------------------------- */

static ubi__ubirec_end how_it_ended(int wait_status) {
    if (WIFSIGNALED(wait_status))
        return (ubi__ubirec_end){ UBI__UBIREC_KILLED, (uint32_t)WTERMSIG(wait_status) };
    return (ubi__ubirec_end){ UBI__UBIREC_EXITED, (uint32_t)WEXITSTATUS(wait_status) };
}

/* False: unknown so far. We wait only for our own child. */
static bool has_ended(const recorder *r, const ubi__native_session *s, ubi__ubirec_end *end) {
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
static ubi_status note_unrecorded(recorder *r, const ubi__native_unrecorded *row) {
    ubi__vec_native_unrecorded *all = &r->result->unrecorded;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].why == row->why && strcmp(all->at[i].name, row->name) == 0) {
            all->at[i].count += row->count;
            return UBI_OK;
        }
    return all->n < UNRECORDED_KEPT ? ubi__vec_native_unrecorded_push(all, r->allocator, *row) : UBI_OK;
}

static ubi_status keep_result(recorder *r, ubi__native_session *s) {
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
    name_of_program(file.name, sizeof file.name, s);
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
static bool work_on(recorder *r, ubi__native_session *s) {
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
        end_session(r, s, &end);
    return busy;
}

static void put_away_done(recorder *r) {
    for (ubi__native_session **at = &r->sessions; *at;) {
        ubi__native_session *s = *at;
        if (!atomic_load_explicit(&s->is_done, memory_order_acquire)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        if (keep_result(r, s) != UBI_OK)
            note_refusal(r, 1, ubi_error_message());
        ubi__native_session_free(s);
    }
}

/* New processes wait at the door for their memory, and their parents for fork: they come first, whatever there is to do. */
static bool work_on_all(recorder *r) {
    bool busy = false;
    for (ubi__native_session *s = r->sessions; s; s = s->next) {
        answer_door(r);
        busy |= work_on(r, s);
    }
    put_away_done(r);
    return busy;
}

static bool some_record(const recorder *r) {
    for (const ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            return true;
    return false;
}

static void take_stock(recorder *r, uint64_t now) {
    const ubi__ubirec_end replaced = { .reason = UBI__UBIREC_REPLACED };
    if (now < r->stock_ns)
        return;
    uint64_t step = (now - r->began_ns) / 4;
    r->stock_ns = now + (step < FIRST_STOCK_NS ? FIRST_STOCK_NS : step > STOCK_NS ? STOCK_NS : step);
    for (ubi__native_session *s = r->sessions; s; s = s->next) {
        if (ubi__native_session_is_replaced(s))
            end_session(r, s, &replaced);
        else
            ubi__native_session_take_stock(s);
    }
    if (r->settings->on_time)
        r->settings->on_time(r->settings->bytes_payload, now);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

/* Which processes are still recorded. @return a number that differs when they do. */
static uint64_t find_waiting(const recorder *r, ubi__native_waiting *out) {
    uint64_t mark = 0;
    out->n = 0;
    for (const ubi__native_session *s = r->sessions; s; s = s->next) {
        if (s->has_ended || s->is_dead)
            continue;
        if (out->n < UBI__WAITING_NAMED) {
            out->pids[out->n] = s->pid;
            if (!ubi__proc_thread_name(out->names[out->n], s->pid, s->pid) || !out->names[out->n][0])
                name_of_program(out->names[out->n], sizeof out->names[out->n], s);
        }
        out->n++;
        mark += (uint64_t)s->pid * UINT64_C(0x9e3779b97f4a7c15); /* sums of these are as different as their terms */
    }
    return mark;
}

static void report_waiting(recorder *r, uint64_t now) {
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
static void recorder_check(const recorder *r) {
    for (const ubi__native_session *s = r->sessions; UBI_CHECKS && s; s = s->next) {
        UBI_ASSERT(s->pid > 0 && s->pidfd != 0);
        UBI_ASSERT(!s->is_done || s->has_ended);
    }
}

/* Programs are asked to stop; a moment later their sessions end. */
static void stop_recording(recorder *r, uint64_t now) {
    if (r->is_stopped)
        return;
    r->is_stopped = true;
    r->stop_ns = now + STOPPING_NS;
    r->result->was_stopped = some_record(r);
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            ubi__native_session_stop(s);
}

static void stop_in_time(recorder *r, uint64_t now) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_STOPPED };
    if (now < r->stop_ns)
        return;
    if (!r->is_stopped) {
        stop_recording(r, now);
        return;
    }
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        end_session(r, s, &end);
    r->stop_ns = UINT64_MAX;
}

/* The user does not want to wait: not for processes that outlive the program, and then not for symbols. */
static void hurry_up(recorder *r) {
    if (some_record(r))
        stop_recording(r, ubi__native_now_ns());
    else if (r->settings->with_symbols)
        ubi__native_symbols_hurry(&r->symbols);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static bool was_recorded(void *payload, pid_t pid) {
    const recorder *r = payload;
    for (size_t i = 0; i < r->result->files.n; i++)
        if (r->result->files.at[i].pid == pid)
            return true;
    return pid == getpid();
}

/* Whether no process is recorded or will be: one made just before its parent died may not have had the time to
   connect. Its environment shows that. We do not wait long for one that never does. */
static bool is_over(recorder *r, uint64_t now) {
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
static void pause_for(recorder *r, bool busy) {
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

static void attend_to_all(recorder *r) {
    for (;;) {
        bool had_ended = r->launch.has_ended;
        if (ubi__native_launch_attend(&r->launch) && had_ended)
            hurry_up(r);
        answer_door(r);
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
static ubi_status watch_arrivals(const recorder *r, int fd) {
    struct epoll_event event = { .events = EPOLLIN | EPOLLET };
    return epoll_ctl(r->events, EPOLL_CTL_ADD, fd, &event) < 0 ? ubi__fail_errno(errno, "cannot wait for events")
                                                               : UBI_OK;
}

static ubi_status watch_all(recorder *r) {
    r->events = epoll_create1(EPOLL_CLOEXEC);
    if (r->events < 0)
        return ubi__fail_errno(errno, "cannot wait for events");
    UBI_TRY(watch_descriptor(r, r->launch.signals, NULL));
    if (r->door.fd >= 0)
        UBI_TRY(watch_descriptor(r, r->door.fd, NULL));
    UBI_TRY(watch_arrivals(r, r->control.fd));
    return r->settings->with_symbols ? watch_descriptor(r, r->symbols.done, NULL) : UBI_OK;
}

static ubi_status start_threads(recorder *r) {
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

static void stop_threads(recorder *r) {
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

/* What is to be there before the program records. */
static ubi_status prepare_recording(recorder *r, const char *word) {
    UBI_TRY(name_output(r, word));
    UBI_TRY(open_output(&r->file, r->path, r->allocator));
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

static ubi_status start_recording(recorder *r, const char *word, int *exit_code) {
    UBI_TRY(ubi__native_launch_open(&r->launch, &r->program, &r->door));
    r->main_pid = r->launch.pid;
    UBI_TRY(prepare_recording(r, word));
    ubi_status status = ubi__native_launch_go(&r->launch, &r->program, exit_code);
    if (status != UBI_OK)
        stop_threads(r);
    return status;
}

/* Until all processes have ended, or it is asked to stop. */
static void attend_until_end(recorder *r) {
    if (r->settings->duration_us && r->settings->duration_us < (UINT64_MAX - r->began_ns) / 1000)
        r->stop_ns = r->began_ns + r->settings->duration_us * 1000;
    attend_to_all(r);
    UBI_ASSERT(!r->sessions && r->launch.has_ended);
    stop_threads(r);
}

static ubi_status run_recording(recorder *r, const char *word, int *exit_code) {
    UBI_TRY(start_recording(r, word, exit_code));
    attend_until_end(r);
    r->result->wait_status = r->launch.wait_status;
    return UBI_OK;
}

static void recorder_close(recorder *r) {
    ubi__atomic_file_discard(&r->file); /* no process has connected */
    if (r->events >= 0)
        close(r->events);
    ubi__native_launch_close(&r->launch);
}

static ubi_status run_with_door(recorder *r, const char *word, int *exit_code) {
    UBI_TRY(ubi__native_door_open(&r->door, r->settings->library));
    ubi_status status = ubi__native_control_open(&r->control, &r->door);
    if (status == UBI_OK)
        status = run_recording(r, word, exit_code);
    ubi__native_control_close(&r->control);
    recorder_close(r);
    ubi__native_door_close(&r->door);
    return status;
}

static ubi_status run_program(recorder *r, char **words, size_t n_words, int *exit_code) {
    UBI_TRY(ubi__native_program_find(&r->program, words, n_words, exit_code, r->allocator));
    ubi_status status = run_with_door(r, words[0], exit_code);
    ubi__native_program_fini(&r->program);
    return status;
}

/* ---- a program that runs already ---------------------------------------------------------------------------------- */

/* It has knocked: it gets its memory as one that connects does. */
static ubi_status enter_program(recorder *r) {
    UBI_TRY(admit_process(r, r->attach.socket, r->main_pid));
    if (!r->sessions)
        return ubi__fail(UBI_EIO, "%s", r->result->refusal);
    UBI_TRY(ubi__native_attach_enter(&r->attach));
    if (r->settings->report_attached)
        r->settings->report_attached(r->main_pid, r->attach.n_refused);
    return UBI_OK;
}

static void discard_sessions(recorder *r) {
    const ubi__ubirec_end stopped = { .reason = UBI__UBIREC_STOPPED };
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        end_session(r, s, &stopped);
    stop_threads(r);
    put_away_done(r);
}

/* One that has ended has nothing to leave. */
static void leave_program(recorder *r) {
    if (kill(r->main_pid, 0) == 0 && ubi__native_attach_leave(&r->attach) != UBI_OK && kill(r->main_pid, 0) == 0)
        snprintf(r->result->left_behind, sizeof r->result->left_behind, "%s", ubi_error_message());
}

static ubi_status attach_and_record(recorder *r) {
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

static ubi_status attach_with_control(recorder *r) {
    const ubi__native_settings *settings = r->settings;
    UBI_TRY(ubi__native_control_open(&r->control, &r->door));
    UBI_TRY(
        ubi__native_attach_open(&r->attach, r->main_pid, settings->library, settings->period_bytes == 1, r->allocator));
    ubi_status status = attach_and_record(r);
    ubi__native_attach_close(&r->attach);
    return status;
}

/* The door's folder is for requests alone: no process comes by itself. */
static ubi_status run_attached(recorder *r) {
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
    recorder *r = UBI_NEW(a, recorder);
    if (!r)
        return ubi__fail_nomem();
    *out = (ubi__native_result){ .allocator = a };
    r->allocator = a;
    r->settings = settings;
    r->result = out;
    r->file = no_file(r);
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
