/* SPDX-License-Identifier: MIT
 *
 * timeline_view.h: what `ubiheap timeline` shows of a file: what it was asked for, the markers that fit, and the views of them.
 */
#ifndef UBI_CLI_TIMELINE_VIEW_H
#define UBI_CLI_TIMELINE_VIEW_H

#include <ubiheap/core/query.h>

#include "cli/commands/report/recording_processes.h"
#include "cli/condition.h"
#include "formats/timeline/timeline_read.h"
#include "timeline/timeline_nest.h"

/** The command's arguments. */
typedef struct ubi__timeline_wishes {
    const char *format, *output;
    ubi__texts markers;
    const char *from, *to, *where, *fail_on;
    uint64_t rows, top, stack_depth;
    bool with_each;
} ubi__timeline_wishes;

/** A file, read and narrowed down. */
typedef struct ubi__timeline_view {
    ubi__cli *cli;
    const char *path;
    const ubi__timeline_wishes *wishes;
    ubi__timeline_file file;
    bool is_recording;                  /* of allocations, with markers in it */
    ubi__recording_processes processes; /* that were recorded with it, of which this file has the first one; or none */
    uint64_t n_markers;                 /* in the file */
    uint64_t begin_ns, end_ns;          /* what is shown of the time */
    char note[192];                     /* a name that no marker has; "": none */
    ubi__timeline_nest nest;            /* of the markers that are shown */
    /* Of all in that time, when --marker or --where leave fewer: its sums alone are of use, for its rows are gone. */
    ubi__timeline_nest whole;
} ubi__timeline_view;

/** Whether the file starts like a timeline; false for what cannot be read from its start twice, such as a pipe. */
bool ubi__is_timeline(const char *path);
/** Reads a timeline, or the markers of a recording; not nested yet. */
ubi_status ubi__timeline_view_open(ubi__timeline_view *view, ubi__cli *cli, const char *path,
                                   const ubi__timeline_wishes *wishes);
void ubi__timeline_view_close(ubi__timeline_view *view);
/** For `ubiheap info`. */
ubi_status ubi__info_timeline(ubi__cli *cli, const char *path, int *exit_code);
/** Notes what is wrong with the file, or else with a requested name, after all output. */
void ubi__timeline_judge(const ubi__timeline_view *view, int *exit_code);

/* ---- which markers (timeline_select.c) --------------------------------------------------------------------------------- */

/** Checks what was asked for, before any reading. Errors: UBI_EINVAL. */
ubi_status ubi__timeline_check_selection(const ubi__timeline_wishes *wishes);
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
/** Notes for ubi__timeline_judge that no marker of `nest` has this name or label, if it is the first one: it may be misspelt. */
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
ubi_status ubi__timeline_page(const ubi__timeline_view *view);
/** The waterfall alone (timeline_tree.c). */
ubi_status ubi__timeline_write_tree(const ubi__timeline_view *view);

#endif
