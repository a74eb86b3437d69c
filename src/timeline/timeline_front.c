/* SPDX-License-Identifier: MIT
 *
 * timeline_front.c: see ubiheap/views/timeline_front.h.
 *
 * Frames are kept in a timeline used for nothing else: entry i of the table is its frame i - 1. Every start
 * makes a fresh one. While the host is called, `is_busy` refuses whatever would change what is being looked at.
 */
#include <ubiheap/views/timeline_front.h>

#include "base/text.h"
#include "timeline/timeline_data.h"

typedef struct observed {
    ubi_timeline_target *target;
    bool is_ours; /* the front began to observe it, and ends that */
} observed;

UBI_VEC_DECLARE(vec_observed, observed);
UBI_VEC_DECLARE(vec_marker, ubi_timeline_front_marker);
UBI_VEC_DECLARE(vec_popped, ubi_timeline_markers *);

struct ubi_timeline_front {
    const ubi_allocator *allocator;
    ubi_timeline_front_host host;
    ubi_timeline_front_options options;
    bool is_recording;
    bool is_busy;
    vec_observed targets;
    ubi__timeline_data frames;
    uint32_t n_frames_reported; /* entries of the table, the one for no frame included */
    uint64_t next_pull_ns, n_lost;
    vec_popped popped; /* of the pull in progress */
    vec_marker markers;
};

/* ---- targets ---------------------------------------------------------------------------------------------------------- */

static ubi_status refuse_from_event(const ubi_timeline_front *front) {
    return front->is_busy ? ubi__fail(UBI_ESTATE, "not from within an event of the front") : UBI_OK;
}

static bool front_observes(const ubi_timeline_front *front) {
    return front->options.with_markers || front->options.with_doc_loading_events;
}

static ubi_status observe_target(observed *o) {
    if (ubi_timeline_target_record_profile_timeline_markers(o->target))
        return UBI_OK;
    UBI_TRY(ubi_timeline_target_set_record_profile_timeline_markers(o->target, true));
    o->is_ours = true;
    return UBI_OK;
}

/* That a target ceases to be observed cannot fail. */
static void unobserve_target(observed *o) {
    if (o->is_ours)
        ubi_timeline_target_set_record_profile_timeline_markers(o->target, false);
    o->is_ours = false;
}

static size_t find_target(const ubi_timeline_front *front, const ubi_timeline_target *target) {
    size_t i = 0;
    while (i < front->targets.n && front->targets.at[i].target != target)
        i++;
    return i;
}

ubi_status ubi_timeline_front_add_target(ubi_timeline_front *front, ubi_timeline_target *target) {
    observed added = { .target = target };
    UBI_TRY(refuse_from_event(front));
    if (find_target(front, target) < front->targets.n)
        return ubi__fail(UBI_EINVAL, "the front has this target already");
    UBI_TRY(vec_observed_reserve(&front->targets, front->allocator, 1));
    if (front->is_recording && front_observes(front))
        UBI_TRY(observe_target(&added));
    return vec_observed_push(&front->targets, front->allocator, added);
}

void ubi_timeline_front_remove_target(ubi_timeline_front *front, ubi_timeline_target *target) {
    size_t i = find_target(front, target);
    if (i == front->targets.n)
        return;
    unobserve_target(&front->targets.at[i]);
    front->targets.n--;
    memmove(&front->targets.at[i], &front->targets.at[i + 1], (front->targets.n - i) * sizeof *front->targets.at);
}

/* The last pull takes what has not ended too. */
typedef struct pull_kind {
    uint64_t time_ns;
    ubi_status (*pop)(ubi_timeline_target *target, ubi_timeline_markers **out);
} pull_kind;

/* ---- events ----------------------------------------------------------------------------------------------------------- */

static void report_event(ubi_timeline_front *front, ubi_timeline_event *event) {
    bool was_busy = front->is_busy;
    event->front = front;
    front->is_busy = true;
    front->host.event(front->host.payload, event);
    front->is_busy = was_busy;
}

static bool is_doc_loading(ubi_text name) {
    return ubi__text_is(name, "document::DOMContentLoaded") || ubi__text_is(name, "document::Load");
}

/* What the host reports itself. */
static bool is_left_out(const ubi_timeline_front *front, ubi_text name) {
    return front->options.with_gc_events && ubi__text_is(name, "GarbageCollection");
}

/* Entry of the table for a frame of `frames`, where UBI_NONE is one less than 0. */
static uint32_t entry_of(uint32_t frame) {
    return frame + 1;
}

static ubi_status take_row(ubi_timeline_front *front, ubi__frame_import *frames, size_t i, uint64_t time_ns) {
    ubi_timeline_row row = ubi_timeline_markers_row(frames->markers, i);
    ubi_timeline_front_marker marker = { .markers = frames->markers, .row = i };
    if (front->options.with_frames && front->options.with_markers) {
        uint32_t stack, end_stack;
        UBI_TRY(ubi__frame_import_stack(&stack, frames, row.stack));
        UBI_TRY(ubi__frame_import_stack(&end_stack, frames, row.end_stack));
        marker.stack = entry_of(stack);
        marker.end_stack = entry_of(end_stack);
    }
    if (front->options.with_doc_loading_events && is_doc_loading(row.name))
        report_event(front, &(ubi_timeline_event){ .type = UBI_TIMELINE_EVENT_DOC_LOADING,
                                                   .time_ns = time_ns,
                                                   .markers = &marker,
                                                   .n_markers = 1 });
    if (!front->options.with_markers || is_left_out(front, row.name))
        return UBI_OK;
    return vec_marker_push(&front->markers, front->allocator, marker);
}

static ubi_status take_rows(ubi_timeline_front *front, const ubi_timeline_markers *popped, uint64_t time_ns) {
    ubi__frame_import frames;
    ubi_status status = UBI_OK;
    size_t n = ubi_timeline_markers_count(popped);
    UBI_TRY(ubi__frame_import_init(&frames, &front->frames, popped));
    for (size_t i = 0; status == UBI_OK && i < n; i++)
        status = take_row(front, &frames, i, time_ns);
    ubi__frame_import_fini(&frames);
    return status;
}

static ubi_status pop_target(ubi_timeline_front *front, ubi_timeline_target *target, const pull_kind *kind) {
    ubi_timeline_markers *popped;
    UBI_TRY(vec_popped_reserve(&front->popped, front->allocator, 1));
    UBI_TRY(kind->pop(target, &popped));
    front->popped.at[front->popped.n++] = popped;
    front->n_lost += ubi_timeline_markers_lost_count(popped);
    return take_rows(front, popped, kind->time_ns);
}

/* All targets, whatever becomes of one; the first failure is the result. */
static ubi_status pop_targets(ubi_timeline_front *front, const pull_kind *kind) {
    ubi_status first = UBI_OK;
    for (size_t i = 0; i < front->targets.n; i++) {
        ubi_status status = pop_target(front, front->targets.at[i].target, kind);
        first = first == UBI_OK ? status : first;
    }
    return first;
}

static void report_markers(ubi_timeline_front *front, uint64_t time_ns) {
    if (front->markers.n)
        report_event(front, &(ubi_timeline_event){ .type = UBI_TIMELINE_EVENT_MARKERS,
                                                   .time_ns = time_ns,
                                                   .markers = front->markers.at,
                                                   .n_markers = front->markers.n });
}

static void report_ticks(ubi_timeline_front *front, uint64_t time_ns) {
    ubi_timeline_event event = { .type = UBI_TIMELINE_EVENT_TICKS, .time_ns = time_ns };
    if (!front->options.with_ticks)
        return;
    if (front->host.ticks)
        event.ticks = front->host.ticks(front->host.payload, &event.n_ticks);
    report_event(front, &event);
}

static void report_memory(ubi_timeline_front *front, uint64_t time_ns) {
    ubi_timeline_measurement measured = { 0 };
    ubi_timeline_event event = { .type = UBI_TIMELINE_EVENT_MEMORY, .time_ns = time_ns };
    if (!front->options.with_memory)
        return;
    if (front->host.measure && front->host.measure(front->host.payload, &measured))
        event.measurement = &measured;
    report_event(front, &event);
}

static void report_frames(ubi_timeline_front *front, uint64_t time_ns) {
    uint32_t n = (uint32_t)front->frames.frames.n ? (uint32_t)front->frames.frames.n + 1 : 0;
    uint32_t told = front->n_frames_reported;
    UBI_ASSERT(told <= n); /* frames only come */
    if (n == told)
        return;
    front->n_frames_reported = n;
    report_event(
        front, &(ubi_timeline_event){
                   .type = UBI_TIMELINE_EVENT_FRAMES, .time_ns = time_ns, .first_frame = told, .n_frames = n - told });
}

static void drop_popped(ubi_timeline_front *front) {
    for (size_t i = 0; i < front->popped.n; i++)
        ubi_timeline_markers_free(front->popped.at[i]);
    front->popped.n = 0;
    front->markers.n = 0;
}

static ubi_status pull_targets(ubi_timeline_front *front, bool is_last) {
    uint64_t now = ubi_process_clock_ns();
    pull_kind kind = { now, is_last ? ubi_timeline_target_pop_last_timeline_markers
                                    : ubi_timeline_target_pop_profile_timeline_markers };
    UBI_ASSERT(!front->is_busy && front->popped.n == 0 && front->markers.n == 0);
    front->is_busy = true;
    ubi_status status = front_observes(front) ? pop_targets(front, &kind) : UBI_OK;
    report_markers(front, now);
    report_ticks(front, now);
    report_memory(front, now);
    report_frames(front, now);
    report_event(front, &(ubi_timeline_event){ .type = UBI_TIMELINE_EVENT_PULLED, .time_ns = now });
    drop_popped(front);
    front->is_busy = false;
    front->next_pull_ns = ubi_process_clock_ns() + UBI_TIMELINE_PULL_NS;
    return status;
}

/* ---- start and stop ------------------------------------------------------------------------------------------------------ */

static void call_switch(const ubi_timeline_front *front, void (*fn)(void *payload, bool on), bool wanted, bool on) {
    if (wanted && fn)
        fn(front->host.payload, on);
}

static void switch_host(ubi_timeline_front *front, bool on) {
    front->is_busy = true;
    call_switch(front, front->host.sample_ticks, front->options.with_ticks, on);
    call_switch(front, front->host.watch_collections, front->options.with_gc_events, on);
    front->is_busy = false;
}

static void unobserve_all(ubi_timeline_front *front) {
    for (size_t i = 0; i < front->targets.n; i++)
        unobserve_target(&front->targets.at[i]);
}

static ubi_status observe_all(ubi_timeline_front *front) {
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < front->targets.n; i++)
        status = observe_target(&front->targets.at[i]);
    if (status != UBI_OK)
        unobserve_all(front);
    return status;
}

static void end_recording(ubi_timeline_front *front) {
    front->is_recording = false;
    front->next_pull_ns = UINT64_MAX;
    unobserve_all(front);
    switch_host(front, false);
    front->options = (ubi_timeline_front_options){ .version = UBI_TIMELINE_FRONT_OPTIONS_VERSION };
}

static void renew_frames(ubi_timeline_front *front) {
    ubi__timeline_data_fini(&front->frames);
    ubi__timeline_data_init(&front->frames, front->allocator);
    front->n_frames_reported = 0;
}

static ubi_status begin_recording(ubi_timeline_front *front, const ubi_timeline_front_options *options) {
    front->options = *options;
    if (front_observes(front))
        UBI_TRY(observe_all(front));
    renew_frames(front);
    front->n_lost = 0;
    front->is_recording = true;
    switch_host(front, true);
    ubi_status status = pull_targets(front, false);
    if (status != UBI_OK)
        end_recording(front);
    return status;
}

ubi_status ubi_timeline_front_start(int64_t *out_ns, ubi_timeline_front *front,
                                    const ubi_timeline_front_options *options) {
    int64_t now = (int64_t)ubi_process_clock_ns();
    UBI_TRY(refuse_from_event(front));
    UBI_TRY(ubi__version_check(options->version, UBI_TIMELINE_FRONT_OPTIONS_VERSION, "ubi_timeline_front_options"));
    if (front->targets.n == 0)
        now = -1;
    else if (!front->is_recording)
        UBI_TRY(begin_recording(front, options));
    *out_ns = now;
    return UBI_OK;
}

ubi_status ubi_timeline_front_stop(int64_t *out_ns, ubi_timeline_front *front) {
    UBI_TRY(refuse_from_event(front));
    int64_t now = front->targets.n ? (int64_t)ubi_process_clock_ns() : -1;
    ubi_status status = UBI_OK;
    if (front->is_recording) {
        status = pull_targets(front, true);
        end_recording(front);
    }
    *out_ns = now;
    return status;
}

bool ubi_timeline_front_is_recording(const ubi_timeline_front *front) {
    return front->is_recording;
}

uint64_t ubi_timeline_front_next_pull_ns(const ubi_timeline_front *front) {
    return front->next_pull_ns;
}

ubi_status ubi_timeline_front_pull(ubi_timeline_front *front) {
    UBI_TRY(refuse_from_event(front));
    return front->is_recording ? pull_targets(front, false) : UBI_OK;
}

ubi_status ubi_timeline_front_collection(ubi_timeline_front *front, const ubi_timeline_collection *collection) {
    UBI_TRY(refuse_from_event(front));
    if (front->is_recording && front->options.with_gc_events)
        report_event(front, &(ubi_timeline_event){ .type = UBI_TIMELINE_EVENT_COLLECTION,
                                                   .time_ns = ubi_process_clock_ns(),
                                                   .collection = collection });
    return UBI_OK;
}

/* ---- the rest --------------------------------------------------------------------------------------------------------------- */

ubi_timeline_front_frame ubi_timeline_front_frame_at(const ubi_timeline_front *front, uint32_t index) {
    const ubi__timeline_frame *frame = &front->frames.frames.at[UBI_INDEX(index - 1, front->frames.frames.n)];
    return (ubi_timeline_front_frame){
        .source = ubi__timeline_text(&front->frames, frame->source),
        .function_name = ubi__timeline_text(&front->frames, frame->function),
        .async_cause = ubi__timeline_text(&front->frames, frame->async_cause),
        .line = frame->line,
        .column = frame->column,
        .parent = entry_of(frame->parent),
        .async_parent = entry_of(frame->async_parent),
    };
}

uint64_t ubi_timeline_front_lost_count(const ubi_timeline_front *front) {
    return front->n_lost;
}

ubi_status ubi_timeline_front_new(ubi_timeline_front **out, const ubi_timeline_front_host *host,
                                  const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    UBI_TRY(ubi__version_check(host->version, UBI_TIMELINE_FRONT_HOST_VERSION, "ubi_timeline_front_host"));
    if (!host->event)
        return ubi__fail(UBI_EINVAL, "the host of a timeline front takes no events");
    ubi_timeline_front *front = UBI_NEW(a, ubi_timeline_front);
    if (!front)
        return ubi__fail_nomem();
    front->allocator = a;
    front->host = *host;
    front->next_pull_ns = UINT64_MAX;
    ubi__timeline_data_init(&front->frames, a);
    *out = front;
    return UBI_OK;
}

void ubi_timeline_front_free(ubi_timeline_front *front) {
    if (!front)
        return;
    if (front->is_recording)
        end_recording(front);
    vec_observed_fini(&front->targets, front->allocator);
    vec_popped_fini(&front->popped, front->allocator);
    vec_marker_fini(&front->markers, front->allocator);
    ubi__timeline_data_fini(&front->frames);
    UBI_DELETE(front->allocator, front);
}
