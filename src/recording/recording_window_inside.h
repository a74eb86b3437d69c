/* SPDX-License-Identifier: MIT
 *
 * recording_window_inside.h: what the files of windows that are put together from checkpoints share (recording_checkpoints_window.c).
 */
#ifndef UBI_RECORDING_RECORDING_WINDOW_INSIDE_H
#define UBI_RECORDING_RECORDING_WINDOW_INSIDE_H

#include "recording/recording_checkpoints.h"
#include "recording/recording_summary_inside.h"

/** What is asked. */
typedef struct ubi__window_inquiry {
    const ubi__recording_checkpoints *c;
    const ubi__recording_summary *whole;
    ubi__source *source;
    const ubi__summary_choice *choice;
    const ubi_progress *progress;
    const ubi_allocator *allocator;
} ubi__window_inquiry;

/** Sums of a window up to a checkpoint. */
typedef struct ubi__window_sums {
    ubi__info_sums *makers; /* makers[n_makers], as summaries of the inquiry number them */
    size_t n_makers;
    ubi__checkpoint_class classes[UBI__UBIREC_CLASS_COUNT];
    uint64_t n_older[UBI__UBIREC_CLASS_COUNT];
    ubi__vec_thread_sums threads;
    ubi__estimate lifetimes[UBI__LIFETIME_BUCKETS];
    uint64_t rss_peak_bytes, rss_peak_time_ns;
    uint64_t first_number; /* of the window */
    bool has_curve;
    ubi__curve_point curve[UBI__CURVE_POINTS]; /* of the whole window, with this step */
    uint64_t curve_step_ns;
} ubi__window_sums;

/** What is done with what lived at a checkpoint. */
typedef struct ubi__window_live {
    const ubi__window_inquiry *q;
    ubi__recording_summary *s;
    ubi__window_sums *sums;
} ubi__window_live;

/** UBI_EFORMAT. */
ubi_status ubi__checkpoints_fail(void);

/** Where a maker of the checkpoints is in summaries of the inquiry: the same by thread; else its info. */
static inline uint32_t ubi__window_maker(const ubi__window_inquiry *q, uint64_t maker) {
    return q->choice->is_by_thread ? (uint32_t)maker : q->c->makers.at[maker].info;
}

/** Bytes of the checkpoints from here on. */
ubi__cursor ubi__checkpoints_cursor(const ubi__window_inquiry *q, uint64_t at);

/* ---- states (recording_window_state.c) --------------------------------------------------------------------------------- */

/** Calls `fn` for what lived at a checkpoint, by number. Errors: UBI_EFORMAT, those of `fn`. */
ubi_status ubi__checkpoint_live_each(const ubi__window_inquiry *q, const ubi__checkpoint *row,
                                     ubi_status (*fn)(void *payload, const ubi__checkpoint_live *live), void *payload);
/** What threads did last. Errors: UBI_EFORMAT. */
ubi_status ubi__window_threads_restore(ubi__recording_summary *s, const ubi__window_inquiry *q,
                                       const ubi__checkpoint *row);
/** A summary as if the file had been read up to there. Errors: UBI_EFORMAT, UBI_ENOMEM, and nothing is left. */
ubi_status ubi__window_summary_restore(ubi__recording_summary *s, const ubi__window_inquiry *q,
                                       const ubi__checkpoint *row);

/* ---- sums (recording_window_sums.c) ------------------------------------------------------------------------------------ */

/** Free them, whatever comes of it. Errors: UBI_ENOMEM. */
ubi_status ubi__window_sums_init(ubi__window_sums *of, const ubi__window_inquiry *q);
void ubi__window_sums_free(ubi__window_sums *of, const ubi_allocator *a);
/** All makers have what they had at the last maximum of their class. */
void ubi__window_peaks_note(ubi__recording_summary *s);
/** Those of a summary that was read up to a checkpoint, but its curve. */
void ubi__window_sums_of(ubi__window_sums *to, ubi__recording_summary *s);
/** Adds those from this checkpoint to the next one. Errors: UBI_EFORMAT. */
ubi_status ubi__window_sums_add(ubi__window_sums *to, const ubi__window_inquiry *q, const ubi__checkpoint *row);
/** Adds the curve of a part. Errors: UBI_EFORMAT. */
ubi_status ubi__window_curve_of(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__recording_summary *s);
/** Gives the whole curve to a summary. */
void ubi__window_curve_join(ubi__recording_summary *s, const ubi__window_inquiry *q, const ubi__window_sums *before);

#endif
