/* SPDX-License-Identifier: MIT
 *
 * attach_trace.c: `ubiheap attach TARGET profile` and `track`: the engine of the program writes down what is allocated, and gives us a file of
 * its own format in the end. Ctrl-C ends the time, and the file comes as it would later. A profile is looked at meanwhile, so that one of a
 * program that ends before is not lost.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/human.h"
#include "base/status.h"
#include "cli/commands/attach/attach.h"
#include "session/remote_file.h"

#define SECOND_US ((uint64_t)1000000)
/* Between two looks at what there is, after some of them. */
#define MOST_LOOK_US (10 * SECOND_US)

typedef struct tracing {
    const ubi__attach *attach;
    ubi__remote_trace trace;
    const ubi__question *question; /* that is asked about what is not kept */
    ubi__vec_u8 last;              /* owned: what there was when it was looked at last */
    uint64_t last_us;              /* then, since the start */
    bool must_not_look;            /* nothing is there before the end */
    bool is_early;                 /* the program ended before its time */
} tracing;

static bool bytes_take(void *payload, const void *data, size_t n) {
    return ubi__bytes_append(payload, data, n, ubi_allocator_default()) == UBI_OK;
}

/* A program that ends gives nothing any more. */
static ubi_status trace_look(tracing *t, uint64_t past_us) {
    const ubi__attach *a = t->attach;
    ubi__vec_u8 now = { NULL, 0, 0 };
    if (t->must_not_look)
        return UBI_OK;
    bool was_deferred = ubi__interrupt_defer(true); /* it ends the waiting that follows */
    ubi_status status = a->ops->trace_look(a->remote, t->trace, bytes_take, &now);
    ubi__interrupt_defer(was_deferred);
    t->must_not_look = status == UBI_ESTATE;
    if (status == UBI_OK) {
        const ubi__vec_u8 before = t->last;
        t->last = now;
        t->last_us = past_us;
        now = before;
    }
    ubi__vec_u8_fini(&now, ubi_allocator_default());
    return status == UBI_ESTATE ? UBI_OK : status;
}

/* @param duration_us  0: until Ctrl-C. */
static ubi_status trace_await(tracing *t, uint64_t duration_us) {
    uint64_t past_us = 0;
    bool is_over = false;
    while (!is_over && (duration_us == 0 || past_us < duration_us)) {
        uint64_t turn_us = past_us < SECOND_US ? SECOND_US : past_us < MOST_LOOK_US ? past_us : MOST_LOOK_US;
        bool is_last = duration_us && duration_us - past_us <= turn_us;
        turn_us = is_last ? duration_us - past_us : turn_us;
        UBI_TRY(ubi__attach_wait(t->attach, &is_over, turn_us));
        past_us += turn_us;
        if (!is_over && !is_last)
            UBI_TRY(trace_look(t, past_us));
    }
    return UBI_OK;
}

/* The connection broke: what was seen last is there, or nothing is. */
static ubi_status trace_save(tracing *t, ubi_write_fn write, void *payload) {
    char line[500], past[UBI__HUMAN_TEXT], why[400];
    snprintf(why, sizeof why, "%s", ubi_error_message());
    if (t->last.n == 0)
        return ubi__fail(UBI_EIO, "%s; what was recorded comes at the end, and is lost", why);
    if (!write(payload, t->last.at, t->last.n))
        return ubi__fail(UBI_EIO, "cannot write what was recorded");
    snprintf(line, sizeof line, "the recording ends after %s: %s", ubi__human_duration(past, t->last_us), why);
    ubi__progress_line_clear(&t->attach->cli->progress);
    ubi__print_line(t->attach->target, line);
    t->is_early = true;
    return UBI_OK;
}

static ubi_status trace_take(tracing *t, ubi_write_fn write, void *payload) {
    const ubi__attach *a = t->attach;
    uint64_t duration_us;
    UBI_TRY(ubi__attach_duration(&duration_us, a));
    bool was_deferred = ubi__interrupt_defer(true); /* it ends what began, also when the answer is still on its way */
    ubi_status status = a->ops->trace_start(a->remote, t->trace);
    ubi__interrupt_defer(was_deferred);
    UBI_TRY(status);
    status = trace_await(t, duration_us);
    if (status == UBI_OK)
        status = a->ops->trace_stop(a->remote, t->trace, write, payload);
    return status == UBI_EIO ? trace_save(t, write, payload) : status;
}

static ubi_status trace_keep(tracing *t) {
    const ubi__attach *a = t->attach;
    ubi__output_file file;
    UBI_TRY(ubi__output_file_open(&file, a->cli, a->arguments->output));
    a->cli->subject = a->target;
    ubi_status status = trace_take(t, ubi__output_file_write, &file);
    ubi__progress_line_clear(&a->cli->progress);
    if (file.status != UBI_OK)
        a->cli->subject = file.path;
    UBI_TRY(ubi__output_file_close(&file, status));
    ubi__output_file_report(&file, "");
    return UBI_OK;
}

static bool descriptor_write(void *payload, const void *data, size_t n) {
    return ubi__write_fully(*(const int *)payload, data, n) == UBI_OK;
}

static ubi_status trace_show(tracing *t, int *exit_code) {
    char path[UBI__REMOTE_FILE_PATH];
    int fd;
    UBI_TRY(ubi__remote_file_open(&fd));
    ubi__remote_file_path(path, fd);
    ubi_status status = trace_take(t, descriptor_write, &fd);
    ubi__progress_line_clear(&t->attach->cli->progress);
    if (status == UBI_OK)
        status = ubi__attach_ask(t->attach, t->question, path, exit_code);
    close(fd);
    return status;
}

static ubi_status trace_perform(const ubi__attach *a, ubi__remote_trace trace, const ubi__question *question,
                                int *exit_code) {
    tracing t = { .attach = a, .trace = trace, .question = question };
    if (!a->ops->trace_start)
        return ubi__fail(UBI_ESTATE, "has no such files; 'allocations' records what it allocates");
    ubi_status status = a->arguments->output ? trace_keep(&t) : trace_show(&t, exit_code);
    ubi__vec_u8_fini(&t.last, ubi_allocator_default());
    if (status == UBI_OK && t.is_early && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_SYSTEM;
    return status;
}

ubi_status ubi__attach_profile(const ubi__attach *a, int *exit_code) {
    extern const ubi__question ubi__question_report;
    return trace_perform(a, UBI__REMOTE_PROFILE, &ubi__question_report, exit_code);
}

ubi_status ubi__attach_track(const ubi__attach *a, int *exit_code) {
    extern const ubi__question ubi__question_allocations;
    return trace_perform(a, UBI__REMOTE_TRACK, &ubi__question_allocations, exit_code);
}
