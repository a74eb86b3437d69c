/* SPDX-License-Identifier: MIT
 *
 * timeline_export.h: a timeline in formats that other programs show.
 *
 * All of them write what the timeline has and hold nothing of the output in memory. Times are those of the timeline: since its
 * process began. Errors: UBI_EIO, UBI_ENOMEM. Cost: linear in the markers and in the frames of their stacks.
 */
#ifndef UBI_RENDER_TIMELINE_EXPORT_H
#define UBI_RENDER_TIMELINE_EXPORT_H

#include "base/json_writer.h"
#include "timeline/timeline_nest.h"

/**
 * Trace events as JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing.
 *
 * A marker is a complete event, a moment an instant, an unfinished one a begin event. What overlaps without nesting,
 * and the program's own timers, become asynchronous events. Stacks are in `stackFrames` and, up to 16 frames, in
 * `args`, which is where Perfetto shows them. Figures of memory are counters.
 */
ubi_status ubi__render_timeline_chrome(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest);

/**
 * A profile in the format of Gecko, which profiler.firefox.com opens: markers with stacks, and a track of memory.
 * Version 31, which later readers upgrade.
 */
ubi_status ubi__render_timeline_firefox(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest);

/**
 * Members of our own document: `threads`, `frames` as of the memory actor, `markers` as Mozilla's ProfileTimelineMarker with the
 * indices of frames, thread and enclosing marker, `memory`, `byMarker`. Writes into an open object.
 */
void ubi__render_timeline_members(ubi__json *json, const ubi__timeline_nest *nest);

/* ---- shared by the writers ------------------------------------------------------------------------------------------ */

/** Never 0, which viewers take for no process. */
static inline uint64_t ubi__timeline_process_id(const ubi__timeline_data *data) {
    return data->pid ? data->pid : 1;
}
static inline uint64_t ubi__timeline_thread_id(const ubi__timeline_data *data, uint32_t thread) {
    return thread < data->threads.n ? data->threads.at[thread].id : ubi__timeline_process_id(data);
}

static inline void ubi__timeline_put_ms(ubi__json *json, const char *key, uint64_t ns) {
    char digits[32];
    size_t n = ubi__timeline_ms(digits, ns);
    if (key)
        ubi__json_key(json, key);
    ubi__json_raw(json, (ubi_text){ digits, n });
}

/** A moment has no length. */
static inline bool ubi__timeline_is_moment(const ubi__timeline_row *row) {
    return (row->flags & UBI__TIMELINE_HAS_END) && row->start_ns == row->end_ns;
}
/** "load (app.js:3:7)", "load", "app.js:3:7", "(anonymous)"; cut. @return its bytes. */
size_t ubi__timeline_frame_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame);
/** "(async: setTimeout handler)": how the frame led to others; cut to fit. @return its bytes. */
size_t ubi__timeline_cause_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame);
/** Who called a frame, or else what led to it; UBI_NONE: none. */
static inline uint32_t ubi__timeline_caller(const ubi__timeline_data *data, uint32_t frame, bool *is_async) {
    const ubi__timeline_frame *f = &data->frames.at[frame];
    *is_async = f->parent == UBI_NONE && f->async_parent != UBI_NONE;
    return *is_async ? f->async_parent : f->parent;
}
/** Parts of a sum that has a name of its own, such as jsObjectsSize: they end in "Size". */
bool ubi__timeline_is_part(ubi_text figure);

#endif
