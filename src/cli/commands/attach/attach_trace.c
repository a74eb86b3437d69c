/* SPDX-License-Identifier: MIT
 *
 * attach_trace.c: `ubiheap attach TARGET profile` and `track`: the engine of the program writes down what is allocated, and gives us a file of
 * its own format in the end. Ctrl-C ends the time, and the file comes as it would later.
 */
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/status.h"
#include "cli/commands/attach/attach.h"
#include "session/remote_file.h"

typedef struct tracing {
    const ubi__attach *attach;
    ubi__remote_trace trace;
    const ubi__question *question; /* that is asked about what is not kept */
} tracing;

/* The connection has all that there is, so what breaks before the end leaves nothing. */
static ubi_status trace_take(const tracing *t, ubi_write_fn write, void *payload) {
    const ubi__attach *a = t->attach;
    uint64_t duration_us;
    bool is_over = false;
    UBI_TRY(ubi__attach_duration(&duration_us, a));
    bool was_deferred = ubi__interrupt_defer(true); /* it ends what began, also when the answer is still on its way */
    ubi_status status = a->ops->trace_start(a->remote, t->trace);
    ubi__interrupt_defer(was_deferred);
    UBI_TRY(status);
    UBI_TRY(ubi__attach_wait(a, &is_over, duration_us ? duration_us : UINT64_MAX));
    return a->ops->trace_stop(a->remote, t->trace, write, payload);
}

static ubi_status trace_keep(const tracing *t) {
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

static ubi_status trace_show(const tracing *t, int *exit_code) {
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

static ubi_status trace_perform(const tracing *t, int *exit_code) {
    const ubi__attach *a = t->attach;
    if (!a->ops->trace_start)
        return ubi__fail(UBI_ESTATE, "has no such files; 'allocations' records what it allocates");
    return a->arguments->output ? trace_keep(t) : trace_show(t, exit_code);
}

ubi_status ubi__attach_profile(const ubi__attach *a, int *exit_code) {
    extern const ubi__question ubi__question_report;
    const tracing t = { a, UBI__REMOTE_PROFILE, &ubi__question_report };
    return trace_perform(&t, exit_code);
}

ubi_status ubi__attach_track(const ubi__attach *a, int *exit_code) {
    extern const ubi__question ubi__question_allocations;
    const tracing t = { a, UBI__REMOTE_TRACK, &ubi__question_allocations };
    return trace_perform(&t, exit_code);
}
