/* SPDX-License-Identifier: MIT
 *
 * attach_allocations.c: `ubiheap attach TARGET allocations`: what the other side says about allocations becomes a recording, and the
 * question of that name is asked about it.
 *
 * The other side keeps a log of limited length: it is emptied every second.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli_ask.h"
#include "cli/commands/attach/attach.h"
#include "recording/ubirec_writer.h"
#include "session/remote_file.h"

#define SECOND_US ((uint64_t)1000000)
#define STANDARD_US (10 * SECOND_US)
/* Times above this are microseconds since 1970, as our servers send them; others milliseconds since the start of the process. */
#define EPOCH_TIMES 1e14

typedef struct recorder {
    const ubi__attach *attach;
    ubi__ubirec_writer *writer;
    ubi__vec_u32 traces; /* of the frames of one answer */
    uint32_t kind;
    double start; /* by the clock of the times */
    bool has_start, has_lost_some;
    uint32_t n_answers; /* that were taken whole */
    bool is_ours;       /* what failed, on this side */
    char fault[300];    /* why it ended before its time; "" */
} recorder;

/* ---- frames --------------------------------------------------------------------------------------------------------- */

static uint32_t small_number(ubi_text object, const char *name) {
    ubi__json_value value;
    uint64_t number;
    return ubi__json_object_find(&value, object, name) && ubi__json_value_u64(&number, &value) && number < UINT32_MAX
               ? (uint32_t)number
               : 0;
}

static ubi_status text_get(ubi_text *out, ubi_text object, const char *name, ubi__vec_u8 *scratch) {
    ubi__json_value value;
    *out = (ubi_text){ "", 0 };
    if (!ubi__json_object_find(&value, object, name) || value.type != UBI__JSON_STRING)
        return UBI_OK;
    return ubi__json_value_text(out, &value, scratch, ubi_allocator_default());
}

static ubi_status frame_write(const recorder *r, uint32_t *trace, ubi_text object) {
    ubi__vec_u8 scratch[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
    ubi_text function, source;
    uint32_t parent = small_number(object, "parent"), frame;
    if (parent >= r->traces.n)
        return ubi__fail(UBI_EFORMAT, "sent a frame whose caller comes after it");
    ubi_status status = text_get(&function, object, "functionDisplayName", &scratch[0]);
    if (status == UBI_OK)
        status = text_get(&source, object, "source", &scratch[1]);
    if (status == UBI_OK)
        status = ubi__ubirec_script_frame(r->writer, &frame, function, source, small_number(object, "line"),
                                          small_number(object, "column"));
    if (status == UBI_OK)
        status = ubi__ubirec_trace(r->writer, trace, r->traces.at[parent], frame);
    for (size_t i = 0; i < 2; i++)
        ubi__vec_u8_fini(&scratch[i], ubi_allocator_default());
    return status;
}

/* The whole table comes each time. */
static ubi_status frames_write(recorder *r, ubi_text frames) {
    ubi__json_cursor c;
    ubi__json_value value;
    r->traces.n = 0;
    ubi__json_cursor_open(&c, frames, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value)) {
        uint32_t trace = UBI__UBIREC_NO_TRACE;
        if (value.type == UBI__JSON_OBJECT && r->traces.n > 0)
            UBI_TRY(frame_write(r, &trace, value.raw));
        UBI_TRY(ubi__vec_u32_push(&r->traces, ubi_allocator_default(), trace));
    }
    return UBI_OK;
}

/* ---- allocations ---------------------------------------------------------------------------------------------------- */

static ubi_status time_write(recorder *r, double time) {
    double unit_ns = time > EPOCH_TIMES ? 1e3 : 1e6;
    if (!r->has_start || (time > EPOCH_TIMES) != (r->start > EPOCH_TIMES)) {
        r->start = time;
        r->has_start = true;
    }
    double since_ns = (time - r->start) * unit_ns;
    return since_ns > 0 && since_ns < 1e18 ? ubi__ubirec_write_time(r->writer, (uint64_t)since_ns) : UBI_OK;
}

static ubi_status allocation_write(recorder *r, const ubi__json_value *frame, const ubi__json_value *time,
                                   const ubi__json_value *size) {
    uint64_t frame_number, size_bytes, number;
    double at;
    uint32_t info;
    if (!ubi__json_value_u64(&frame_number, frame) || !ubi__json_value_u64(&size_bytes, size) ||
        !ubi__json_value_number(&at, time) || size_bytes > UBI__UBIREC_SIZE_MAX ||
        (frame_number >= r->traces.n && frame_number > 0))
        return ubi__fail(UBI_EFORMAT, "sent an allocation that makes no sense");
    uint32_t trace = frame_number ? r->traces.at[frame_number] : UBI__UBIREC_NO_TRACE;
    UBI_TRY(time_write(r, at));
    UBI_TRY(ubi__ubirec_info(r->writer, &info, r->kind, size_bytes, trace, size_bytes));
    return ubi__ubirec_write_alloc(r->writer, &number, info);
}

static ubi_status answer_read(recorder *r, ubi_text json) {
    static const char *const names[] = { "allocations", "allocationsTimestamps", "allocationSizes", "frames" };
    ubi__json_value values[4], parts[3], overflowed;
    ubi__json_cursor cursors[3];
    for (size_t i = 0; i < 4; i++)
        if (!ubi__json_object_find(&values[i], json, names[i]) || values[i].type != UBI__JSON_ARRAY)
            return ubi__fail(UBI_EFORMAT, "answered getAllocations without %s", names[i]);
    if (ubi__json_object_find(&overflowed, json, "overflowed"))
        r->has_lost_some = r->has_lost_some || overflowed.type == UBI__JSON_TRUE;
    UBI_TRY(frames_write(r, values[3].raw));
    for (size_t i = 0; i < 3; i++)
        ubi__json_cursor_open(&cursors[i], values[i].raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&cursors[0], &parts[0])) {
        if (!ubi__json_cursor_next_element(&cursors[1], &parts[1]) ||
            !ubi__json_cursor_next_element(&cursors[2], &parts[2]))
            return ubi__fail(UBI_EFORMAT, "sent fewer times or sizes than allocations");
        UBI_TRY(allocation_write(r, &parts[0], &parts[1], &parts[2]));
    }
    return UBI_OK;
}

static ubi_status answer_take(void *payload, ubi_text json) {
    recorder *r = payload;
    ubi_status status = answer_read(r, json);
    r->is_ours = status != UBI_OK;
    r->n_answers += status == UBI_OK;
    return status;
}

/* ---- recording ------------------------------------------------------------------------------------------------------ */

static ubi_status head_write(recorder *r) {
    const ubi__ubirec_about about = { .program = ubi__text(r->attach->target),
                                      .arguments = { "", 0 },
                                      .period_bytes = 1,
                                      .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
                                      .writer = ubi__text("ubiheap attach"),
                                      .system = ubi__text("unknown") };
    uint32_t thread;
    UBI_TRY(ubi__ubirec_write_about(r->writer, &about));
    UBI_TRY(ubi__ubirec_write_counter(r->writer, UBI__UBIREC_WITHOUT_FREES, 1));
    UBI_TRY(ubi__ubirec_thread(r->writer, &thread, 0, ubi__text("scripts")));
    UBI_TRY(ubi__ubirec_write_thread(r->writer, thread));
    return ubi__ubirec_kind(r->writer, &r->kind, ubi__text("object"), UBI__UBIREC_HEAP);
}

ubi_status ubi__attach_wait(const ubi__attach *a, bool *is_over, uint64_t wait_us) {
    bool was_deferred = ubi__interrupt_defer(false);
    ubi_status status = a->ops->wait(a->remote, "recording", wait_us);
    if (status == UBI_ECANCELLED && ubi__interrupted()) {
        ubi__interrupt_accept();
        *is_over = true;
        status = UBI_OK;
    }
    ubi__interrupt_defer(was_deferred);
    return status;
}

/* Takes what is allocated, second by second. @param duration_us  0: until it is interrupted. */
static ubi_status answers_take(recorder *r, uint64_t duration_us) {
    const ubi__remote_ops *ops = r->attach->ops;
    bool is_over = false;
    for (uint64_t past_us = 0; !is_over && (duration_us == 0 || past_us < duration_us); past_us += SECOND_US) {
        bool is_last = duration_us && duration_us - past_us < SECOND_US;
        UBI_TRY(ubi__attach_wait(r->attach, &is_over, is_last ? duration_us - past_us : SECOND_US));
        UBI_TRY(ops->record_take(r->attach->remote, answer_take, r));
    }
    return ops->record_stop(r->attach->remote);
}

/* A program or worker that ended leaves what was taken before. */
static ubi_status recording_end(recorder *r, ubi_status status) {
    if (status == UBI_OK || r->is_ours || r->n_answers == 0 || (status != UBI_EIO && status != UBI_ESTATE))
        return status;
    snprintf(r->fault, sizeof r->fault, "the recording ends after %u second%s: %s", r->n_answers,
             r->n_answers == 1 ? "" : "s", ubi_error_message());
    return UBI_OK;
}

static ubi_status recording_make(recorder *r, uint64_t duration_us) {
    static const ubi__ubirec_end end = { UBI__UBIREC_STOPPED, 0 };
    static const ubi__remote_recording all = { .probability = 1, .log_limit = 1000000 };
    const ubi__remote_ops *ops = r->attach->ops;
    double start_ms;
    UBI_TRY(head_write(r));
    UBI_TRY(ops->record_start(r->attach->remote, &all, &start_ms));
    r->start = start_ms;
    r->has_start = true;
    UBI_TRY(recording_end(r, answers_take(r, duration_us)));
    UBI_TRY(ubi__ubirec_write_end(r->writer, &end));
    return ubi__ubirec_finish(r->writer);
}

static ubi_status recording_write(const ubi__attach *a, uint64_t duration_us, ubi__write_fn write, void *payload,
                                  bool *is_early) {
    recorder r = { .attach = a };
    UBI_TRY(ubi__ubirec_writer_new(&r.writer, write, payload, NULL));
    bool was_deferred = ubi__interrupt_defer(true); /* it ends the recording, also when an answer is still on its way */
    ubi_status status = recording_make(&r, duration_us);
    ubi__interrupt_defer(was_deferred);
    ubi__progress_line_clear(&a->cli->progress);
    ubi__ubirec_writer_free(r.writer);
    ubi__vec_u32_fini(&r.traces, ubi_allocator_default());
    if (status == UBI_OK && r.has_lost_some)
        ubi__print_line(a->target, "more was allocated than its log holds: some allocations are missing");
    if (status == UBI_OK && r.fault[0])
        ubi__print_line(a->target, r.fault);
    *is_early = r.fault[0] != '\0';
    return status;
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static ubi_status output_write(void *payload, const void *data, size_t n) {
    ubi__output_file *file = payload;
    return ubi__output_file_write(file, data, n) ? UBI_OK : file->status;
}

static ubi_status fd_write(void *payload, const void *data, size_t n) {
    return ubi__write_fully(*(const int *)payload, data, n);
}

ubi_status ubi__attach_ask(const ubi__attach *a, const ubi__question *question, char *path, int *exit_code) {
    const ubi__usage *usage = question->usage;
    const ubi_allocator *memory = ubi_allocator_default();
    void *values = ubi__calloc_array(memory, 1, usage->arguments_bytes);
    if (!values)
        return ubi__fail_nomem();
    ubi__usage_values_init(values, usage->parameters);
    a->cli->label = a->target;
    ubi_status status = ubi__cli_ask(a->cli, question, values, &path, 1, exit_code);
    ubi__usage_values_fini(values, usage->parameters);
    ubi__free_array(memory, values, 1, usage->arguments_bytes);
    return status;
}

static ubi_status recording_keep(const ubi__attach *a, uint64_t duration_us, bool *is_early) {
    ubi__output_file file;
    UBI_TRY(ubi__output_file_open(&file, a->cli, a->arguments->output));
    a->cli->subject = a->target;
    UBI_TRY(ubi__output_file_close(&file, recording_write(a, duration_us, output_write, &file, is_early)));
    ubi__output_file_report(&file, "");
    return UBI_OK;
}

ubi_status ubi__attach_duration(uint64_t *out_us, const ubi__attach *a) {
    const char *text = a->arguments->seconds;
    *out_us = text ? 0 : STANDARD_US;
    return text && strcmp(text, "0") != 0 ? ubi__parse_duration(out_us, text, "--seconds") : UBI_OK;
}

static ubi_status recording_show(const ubi__attach *a, uint64_t duration_us, bool *is_early, int *exit_code) {
    extern const ubi__question ubi__question_allocations;
    char path[UBI__REMOTE_FILE_PATH];
    int fd;
    UBI_TRY(ubi__remote_file_open(&fd));
    ubi__remote_file_path(path, fd);
    ubi_status status = recording_write(a, duration_us, fd_write, &fd, is_early);
    if (status == UBI_OK)
        status = ubi__attach_ask(a, &ubi__question_allocations, path, exit_code);
    close(fd);
    return status;
}

ubi_status ubi__attach_allocations(const ubi__attach *a, int *exit_code) {
    uint64_t duration_us;
    bool is_early = false;
    UBI_TRY(ubi__attach_duration(&duration_us, a));
    UBI_TRY(a->arguments->output ? recording_keep(a, duration_us, &is_early)
                                 : recording_show(a, duration_us, &is_early, exit_code));
    if (is_early && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_SYSTEM;
    return UBI_OK;
}
