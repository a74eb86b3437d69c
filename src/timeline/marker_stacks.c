/* SPDX-License-Identifier: MIT
 *
 * marker_stacks.c: names and stacks of a thread's markers, as numbers of its log's tables (marker_log.h).
 */
#include <string.h>

#include "timeline/marker_log.h"

void ubi__log_forget_stacks(ubi__log *log) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    ubi__u64_map_fini(&log->stacks.frame_of_ref);
    ubi__u64_map_init(&log->stacks.frame_of_ref, a);
    log->stacks.source = NULL;
}

void ubi__log_forget_names(ubi__log *log) {
    memset(log->names, 0, sizeof log->names);
    log->names_epoch = atomic_load_explicit(&ubi__the_timeline.names_epoch, memory_order_relaxed);
}

bool ubi__log_text_number(ubi__log *log, uint32_t *out, ubi_text text) {
    size_t before = log->tables->bytes;
    bool is_known = ubi__marker_tables_text(out, log->tables, text) == UBI_OK;
    ubi__log_count_said(log, log->tables->bytes - before);
    return is_known;
}

bool ubi__log_name_slowly(ubi__log *log, uint32_t *out, const char *name) {
    if (log->names_epoch != atomic_load_explicit(&ubi__the_timeline.names_epoch, memory_order_relaxed))
        ubi__log_forget_names(log);
    if (!ubi__log_text_number(log, out, (ubi_text){ name, strlen(name) }))
        return false;
    log->names[UBI__NAME_SLOT(name)] =
        (ubi__cached_name){ name, ubi__marker_tables_text_at(log->tables, *out)->ptr, *out };
    return true;
}

/* Frames of one stack; what is below is left out. */
#define DEPTH_LIMIT 4096
/* A source that never gives the same ref twice must not fill the memory. */
#define REFS_LIMIT (1u << 18)

static ubi_status report_frame(ubi__log *log, ubi_marker_stack_ref ref, ubi_marker_stack_ref *parent) {
    ubi_marker_frame told = { .parent = UBI_MARKER_NO_STACK_REF };
    ubi__waiting_frame w = { .ref = ref, .parent_cause = UBI_NONE };
    if (!log->source->frame(log->source->payload, ref, &told))
        return UBI_ENOTFOUND;
    w.frame = (ubi__marker_frame){
        .async_cause = UBI_NONE, .line = told.line, .column = told.column, .parent = UBI_NONE, .async_parent = UBI_NONE
    };
    UBI_TRY(ubi__marker_tables_text(&w.frame.function_name, log->tables, told.function_name));
    UBI_TRY(ubi__marker_tables_text(&w.frame.source, log->tables, told.source));
    w.is_parent_async = told.is_parent_async;
    if (told.is_parent_async)
        UBI_TRY(ubi__marker_tables_text(&w.parent_cause, log->tables, told.async_cause));
    *parent = told.parent;
    return ubi__waiting_frames_push(&log->stacks.path, ubi__the_timeline.allocator, w);
}

/* A frame as the async parent of another: the same, with how that came about. */
static ubi_status with_cause(ubi__log *log, uint32_t *frame, uint32_t cause) {
    if (*frame == UBI_NONE || cause == UBI_NONE)
        return UBI_OK;
    ubi__marker_frame copy = *ubi__marker_tables_frame_at(log->tables, *frame);
    copy.async_cause = cause;
    return ubi__marker_tables_frame(frame, log->tables, &copy);
}

static ubi_status learn_frame(ubi__log *log, ubi__waiting_frame *w, uint32_t parent, uint32_t *out) {
    if (w->is_parent_async) {
        UBI_TRY(with_cause(log, &parent, w->parent_cause));
        w->frame.async_parent = parent;
    } else {
        w->frame.parent = parent;
    }
    UBI_TRY(ubi__marker_tables_frame(out, log->tables, &w->frame));
    return ubi__u64_map_put(&log->stacks.frame_of_ref, w->ref, *out);
}

/* Asks for frames up to one that is known, then gives them numbers, oldest first. */
static ubi_status learn_stack(ubi__log *log, ubi_marker_stack_ref ref, uint32_t *out) {
    ubi__waiting_frames *path = &log->stacks.path;
    uint32_t frame = UBI_NONE;
    path->n = 0;
    while (ref != UBI_MARKER_NO_STACK_REF && path->n < DEPTH_LIMIT) {
        frame = ubi__u64_map_get(&log->stacks.frame_of_ref, ref);
        if (frame != UBI_NONE)
            break;
        UBI_TRY(report_frame(log, ref, &ref));
    }
    while (path->n > 0)
        UBI_TRY(learn_frame(log, &path->at[--path->n], frame, &frame));
    *out = frame;
    return UBI_OK;
}

uint32_t ubi__log_frame_of_ref(ubi__log *log, ubi_marker_stack_ref ref) {
    const ubi_timeline_stack_source *source = log->source;
    uint32_t frame = UBI_NONE;
    if (ref == UBI_MARKER_NO_STACK_REF || !source)
        return UBI_NONE;
    if (log->stacks.source != source || log->stacks.generation != source->generation ||
        log->stacks.frame_of_ref.table.n > REFS_LIMIT) {
        ubi__log_forget_stacks(log);
        log->stacks.source = source;
        log->stacks.generation = source->generation;
    }
    frame = ubi__u64_map_get(&log->stacks.frame_of_ref, ref);
    if (frame != UBI_NONE)
        return frame;
    size_t before = log->tables->bytes;
    if (learn_stack(log, ref, &frame) != UBI_OK)
        frame = UBI_NONE;
    ubi__log_count_said(log, log->tables->bytes - before);
    return frame;
}

uint32_t ubi__log_capture(ubi__log *log) {
    ubi_marker_stack_ref ref;
    return log->source->capture(log->source->payload, &ref) ? ubi__log_frame_of_ref(log, ref) : UBI_NONE;
}

uint32_t ubi__log_async_parent(ubi__log *log, ubi_marker_stack_ref ref, ubi_text cause) {
    uint32_t frame = ubi__log_frame_of_ref(log, ref), text;
    if (ubi__marker_tables_text(&text, log->tables, cause) != UBI_OK || with_cause(log, &frame, text) != UBI_OK)
        return UBI_NONE;
    return frame;
}
