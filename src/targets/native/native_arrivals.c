/* SPDX-License-Identifier: MIT
 *
 * native_arrivals.c: processes that connect to the recorder (native_recorder.h): who is expected, what was before, and their files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "targets/native/native_output.h"
#include "targets/native/native_recorder.h"

/* ---- what was before ---------------------------------------------------------------------------------------------- */

/* What the process was before it became another program is over; and that one is recorded. */
static void end_replaced(ubi__native_recorder *r, pid_t pid) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_REPLACED };
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (s->pid == pid) {
            ubi__native_recorder_end_session(r, s, &end);
            s->replaced_by[0] = '\0';
        }
    for (size_t i = 0; i < r->result->files.n; i++)
        if (r->result->files.at[i].pid == pid)
            r->result->files.at[i].replaced_by[0] = '\0';
}

static void report_process(const ubi__native_recorder *r, pid_t pid) {
    char name[NAME_MAX + 1];
    if (!r->settings->on_process)
        return;
    ubi__proc_name(name, sizeof name, pid);
    r->settings->on_process(r->settings->process_payload, pid, *name ? name : "?");
}

/* ---- their files -------------------------------------------------------------------------------------------------- */

/* A process may become another program, so its number may come again. */
static ubi_status open_output_of(ubi__atomic_file *out, char path[PATH_MAX], const ubi__native_recorder *r, pid_t pid) {
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
            return ubi__native_output_open(out, path, r->allocator);
    }
    return ubi__fail(UBI_ELIMIT, "process %ld starts too many programs", (long)pid);
}

static ubi_status share_descriptor(int *out, const ubi__atomic_file *file) {
    *out = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    return *out < 0 ? ubi__fail_errno(errno, "cannot write the recording") : UBI_OK;
}

/* A process continues as the one that made it, or that it was, is recorded. */
static bool begins_paused(const ubi__native_recorder *r, pid_t pid) {
    pid_t parent = ubi__proc_parent(pid);
    const ubi__native_session *before = NULL;
    for (const ubi__native_session *s = r->sessions; s; s = s->next)
        if (s->pid == pid || (s->pid == parent && (!before || before->pid != pid)))
            before = !before || before->pid != s->pid ? s : before;
    return before ? !before->window.is_open : r->settings->is_paused;
}

/* @param file  out: the caller's. @param path  room for its name. */
static ubi_status prepare_arrival(ubi__native_recorder *r, ubi__native_arrival *a, ubi__atomic_file *file,
                                  char path[PATH_MAX]) {
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
        r->file = ubi__native_output_none(r->allocator);
        r->has_main = true;
    } else {
        UBI_TRY(open_output_of(file, path, r, a->pid));
        a->path = path;
    }
    return share_descriptor(&a->fd, file);
}

/* ---- sessions ----------------------------------------------------------------------------------------------------- */

/* What pidfd_open of glibc 2.36 does; programs that use that start with no older one. */
static int process_descriptor(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* A session whose file has begun and is in its place. */
static ubi_status begin_session(ubi__native_session **out, ubi__native_recorder *r, pid_t pid, int socket,
                                bool is_forked) {
    char path[PATH_MAX];
    ubi__atomic_file file = ubi__native_output_none(r->allocator);
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
    status = ubi__native_output_appear(&file, arrival.path);
    if (status != UBI_OK)
        ubi__native_session_free(*out);
    return status;
}

void ubi__native_session_program_name(char *out, size_t size, const ubi__native_session *s) {
    const char *slash = memrchr(s->program, '/', s->program_bytes), *name = slash ? slash + 1 : s->program;
    snprintf(out, size, "%.*s", (int)(s->program_bytes - (size_t)(name - s->program)), name);
}

/* The session that reports another process: its parent's, else the program's, else any. NULL: there is none. */
static ubi__native_session *session_for(const ubi__native_recorder *r, pid_t pid) {
    ubi__native_session *found = NULL;
    pid_t parent = ubi__proc_parent(pid);
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended && (s->pid == parent || !found || (s->pid == r->main_pid && found->pid != parent)))
            found = s;
    return found;
}

/* A child of fork notifies its parent itself. */
static ubi_status note_refused(const ubi__native_recorder *r, pid_t pid) {
    char path[PATH_MAX];
    ubi__native_session *s = session_for(r, pid);
    if (!s)
        return UBI_OK;
    path[ubi__proc_executable(path, sizeof path - 1, pid)] = '\0';
    return ubi__native_session_note_unrecorded(s, ubi__text_base_name(ubi__text(path)).ptr, UBI__UNRECORDED_REFUSED);
}

/* One of the others names its file, so that readers notice when it is missing. */
static void report_of_file(const ubi__native_recorder *r, const ubi__native_session *s) {
    char name[64];
    ubi__native_session *teller = session_for(r, s->pid);
    if (!teller || strcmp(s->path, r->path) == 0)
        return;
    ubi__native_session_program_name(name, sizeof name, s);
    ubi__native_session_note_companion(teller, s->path + strlen(r->path), name);
}

/* A process that waited for another before it started this one has seen the other's end: so do we. */
static void note_deaths(ubi__native_recorder *r) {
    for (ubi__native_session *s = r->sessions; s; s = s->next)
        if (!s->has_ended)
            ubi__native_session_look_for_death(s);
}

ubi_status ubi__native_recorder_admit(ubi__native_recorder *r, int socket, pid_t pid) {
    const ubi__ubirec_end stopped = { .reason = UBI__UBIREC_STOPPED };
    ubi__wire_hello hello;
    ubi__native_session *s;
    UBI_TRY(ubi__preload_receive_hello(socket, &hello));
    end_replaced(r, pid);
    note_deaths(r);
    ubi_status begun = begin_session(&s, r, pid, socket, hello.is_forked);
    if (begun != UBI_OK) {
        ubi__native_recorder_refuse(r, 1, ubi_error_message());
        return hello.is_forked ? UBI_OK : note_refused(r, pid);
    }
    report_of_file(r, s);
    s->next = r->sessions;
    r->sessions = s;
    /* Before the program continues: no other process is expected. */
    if (!r->settings->with_children)
        ubi__native_door_shut(&r->door);
    report_process(r, pid);
    ubi_status status = ubi__native_recorder_watch(r, s->pidfd, s);
    if (status == UBI_OK)
        status = ubi__preload_send_welcome(socket, &s->area);
    if (status != UBI_OK)
        ubi__native_recorder_end_session(r, s, &stopped);
    return status;
}

/* Only the program itself, unless its children are to be followed. */
static bool is_expected(const ubi__native_recorder *r, pid_t pid) {
    return !r->is_stopped && (r->settings->with_children || (!r->has_main && pid == r->main_pid));
}

static void turn_away(ubi__native_recorder *r) {
    ubi__native_recorder_refuse(r, 1, ubi_error_message());
}

void ubi__native_recorder_answer_door(ubi__native_recorder *r) {
    pid_t pid;
    for (int socket; (socket = ubi__native_door_answer(&r->door, &pid)) >= 0; close(socket))
        if (is_expected(r, pid) && ubi__native_recorder_admit(r, socket, pid) != UBI_OK)
            turn_away(r);
}
