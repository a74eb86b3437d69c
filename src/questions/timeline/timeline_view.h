/* SPDX-License-Identifier: MIT
 *
 * timeline_view.h: the markers of a timeline that were asked for, and the views of them.
 *
 * The session's timeline is shared and stays as it is; the view has rows of its own, of which it drops and cuts those that do not fit.
 */
#ifndef UBI_QUESTIONS_TIMELINE_VIEW_H
#define UBI_QUESTIONS_TIMELINE_VIEW_H

#include <ubiheap/core/query.h>

#include "questions/question.h"
#include "session/recording_parts.h"
#include "timeline/timeline_nest.h"

typedef struct ubi__timeline_values {
    const char *format, *output;
    ubi__texts markers;
    const char *from, *to, *where, *fail_on;
    uint64_t rows, top, stack_depth;
    bool with_each;
} ubi__timeline_values;

/** A timeline, narrowed down. */
typedef struct ubi__timeline_view {
    const char *name;
    const ubi__timeline_values *values;
    const ubi__timeline_file *file; /* of the session, as are: */
    const ubi__recording_processes *processes;
    ubi__timeline_data data;   /* rows and samples of its own; all else is that of the file */
    bool is_recording;         /* of allocations, with markers in it */
    uint64_t begin_ns, end_ns; /* what is shown of the time */
    char note[192];            /* a name that no marker has; "": none */
    ubi__timeline_nest nest;   /* of the markers that are shown */
    bool has_label_groups;     /* labels that differ in numbers are one in `nest` */
    /* Of all in that time, when --marker or --where leave fewer: its sums alone are of use, for its rows are gone. */
    ubi__timeline_nest whole;
} ubi__timeline_view;

/** The whole of what is asked about; not nested yet. Errors: those of the session's timeline. */
ubi_status ubi__timeline_view_new(ubi__timeline_view **out, const ubi__asked *asked);
/** NULL is fine. */
void ubi__timeline_view_free(ubi__timeline_view *view);
/** In the file. */
static inline uint64_t ubi__timeline_marker_count(const ubi__timeline_view *view) {
    return view->file->data.rows.n;
}

/* ---- which markers (timeline_select.c) --------------------------------------------------------------------------------- */

/** Checks what was asked for, before any reading. Errors: UBI_EINVAL, UBI_ENOMEM. */
ubi_status ubi__timeline_check_selection(const ubi__timeline_values *values, const ubi_allocator *allocator);
/** Drops markers and figures of other times, and finds begin and end. With `clips`, those that stick out are cut. */
ubi_status ubi__timeline_select_time(ubi__timeline_view *view, bool clips);
/** Whether markers were asked for by name or condition. */
bool ubi__timeline_is_filtered(const ubi__timeline_view *view);
/** Drops the other markers, which were in order. */
ubi_status ubi__timeline_select_markers(ubi__timeline_view *view);
/** What threads did with their time, whatever markers are shown. */
static inline const ubi__timeline_nest *ubi__timeline_whole(const ubi__timeline_view *view) {
    return view->whole.data ? &view->whole : &view->nest;
}
/** For the manual. */
bool ubi__timeline_column_entry(size_t i, const char **word, const char **help);

/* ---- facts of --fail-on (timeline_facts.c) -------------------------------------------------------------------------------- */

extern const ubi_query_name ubi__timeline_facts[];
ubi_status ubi__timeline_measure(ubi__condition_value *out, void *view, ubi_query_value value);
/** Notes that no marker of `nest` has this name or label, if it is the first one: it may be misspelt. */
void ubi__timeline_note_missing(ubi__timeline_view *view, const ubi__timeline_nest *nest, ubi_text name);

/* ---- words (timeline_looks.c) ------------------------------------------------------------------------------------------ */

/** Three digits and a unit: "850 ns", "12.3 us", "1.50 ms", "12.4 s". */
char *ubi__timeline_time_text(char out[24], uint64_t ns);
/** A time of a range of `span_ns`: as many digits as distinguish its ends, and three at least. */
char *ubi__timeline_moment_text(char out[32], uint64_t ns, uint64_t span_ns);
/** Bytes for a thread's name, cut. */
#define UBI__THREAD_NAME 96
/** "main", "thread 1234", "worker 1234" where there are several of that name. Borrowed from the view or in `buffer`. */
ubi_text ubi__timeline_thread_name(const ubi__timeline_view *view, uint32_t thread, char buffer[UBI__THREAD_NAME]);
/** What a marker is about, besides its label: a function, a cause, a file. NULL text: nothing. Borrowed. */
ubi_text ubi__timeline_subject(const ubi__timeline_data *data, const ubi__timeline_row *row);
ubi__ink ubi__timeline_ink(const ubi__marker_blueprint *blueprint);

/* ---- views ------------------------------------------------------------------------------------------------------------------ */

/** The page: what ran, the waterfall, sums, the longest. */
ubi_status ubi__timeline_page(const ubi__page *page, const ubi__timeline_view *view);
/** The waterfall alone (timeline_tree.c). */
ubi_status ubi__timeline_write_tree(const ubi__page *page, const ubi__timeline_view *view);

#endif
