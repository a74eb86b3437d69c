/* SPDX-License-Identifier: MIT
 *
 * recording_page.h: the parts of the page about a recording, and what they all know.
 *
 * An overview fits on a screen: the parts before and after the table of places say how many lines they take, and the
 * table has the rest, but at least a few places, for which notes are left out. With --by, --detail or --stack-depth it is a list, as long as it gets.
 */
#ifndef UBI_QUESTIONS_RECORDING_PAGE_H
#define UBI_QUESTIONS_RECORDING_PAGE_H

#include "questions/recording/recording_report.h"
#include "recording/stack_values.h"
#include "render/page.h"

/** Lines of an overview where those of the screen are unknown. */
#define UBI__RECORDING_PAGE_LINES 40
/** Text is wrapped at this width; tables and names may use the whole terminal. */
#define UBI__RECORDING_WORDS_COLUMNS 100

typedef struct ubi__recording_view {
    const ubi__page *on; /**< with: */
    ubi__out *out;
    const ubi__style *style;
    size_t columns, words_columns;
    const ubi__recording_report *report;
    ubi__ubirec_class of_class; /**< of the places: the heap, or whatever there is if the heap is empty */
    ubi__site_order order;      /**< of the places, which are sorted by it */
    bool is_list;               /**< not an overview */
    size_t lines;               /**< of an overview */
    uint64_t n_sites, n_frames; /**< at most */
    ubi__recording_sum all[UBI__MEASURE_COUNT]; /**< of the class */
} ubi__recording_view;

/** Everything, sorted by what is asked for or else by what matters most; on no page yet. Errors: those of the session's places. */
ubi_status ubi__recording_view_init(ubi__recording_view *view, ubi__recording_report *report, const ubi__asked *asked);
/** The same on a page. */
ubi__recording_view ubi__recording_view_on(const ubi__recording_view *view, const ubi__page *page);
/** What its places are sorted by, in whole numbers. Errors: UBI_EINVAL: the recording does not say that. */
ubi_status ubi__recording_stack_measure(ubi__stack_measure *out, const ubi__recording_view *view);
/** The whole page. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_page(const ubi__recording_view *view, const ubi__page *page);
/** The document's members. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_document(ubi__json *json, const ubi__recording_view *view);

/* ---- words -------------------------------------------------------------------------------------------------------- */

/** "- " and words, wrapped. @return lines */
size_t ubi__recording_bullet(const ubi__recording_view *v, const char *text, bool is_counted_only);
/** "Session::Session(Request const&) (session.cc:17)", with a short name. */
#define UBI__PLACE_WORDS 256
char *ubi__recording_place_words(char out[UBI__PLACE_WORDS], const ubi__style *style,
                                 const ubi__recording_place *place);
/** Whether a function only starts programs and threads, as all stacks have it. */
bool ubi__recording_is_start_up(const ubi__recording_place *place);
/** The name with its brackets, shortened to at most `columns`. Not made safe. NUL-terminated. */
void ubi__recording_short_name(char *out, size_t n, const ubi__style *style, const ubi__recording_place *place,
                               size_t columns);

/* ---- findings ----------------------------------------------------------------------------------------------------- */

/** What to know at first sight. */
typedef struct ubi__recording_finding {
    const char *kind; /**< "leaked", "peak", "temporary", "growth" or "mappings" */
    char text[768];
} ubi__recording_finding;

#define UBI__RECORDING_FINDINGS 5

typedef struct ubi__recording_findings {
    ubi__recording_finding at[UBI__RECORDING_FINDINGS];
    size_t n;
} ubi__recording_findings;

/** Sites are sorted by now. */
void ubi__recording_find(ubi__recording_findings *out, const ubi__recording_view *v);

/* ---- the table of places ------------------------------------------------------------------------------------------ */

/** A table with the columns of numbers. `extra`: title of one more, the measure that rows are sorted by; NULL: there is none. */
void ubi__recording_columns(ubi__text_table *table, const ubi__recording_view *v, const char *name, const char *extra);
/** A row without its name, of whose site `by` and `of_class` are looked at. `extra` may be NULL. @return columns for the name */
size_t ubi__recording_row(const ubi__text_table *table, const ubi__recording_view *v, const ubi__site *row,
                          const ubi__estimate *extra);
/** @param lines  that it may have, in an overview. */
void ubi__recording_table(const ubi__recording_view *v, size_t lines);
/** Lines of a table without rows. */
size_t ubi__recording_table_head(void);
/** Lines that it cannot do without, if there is any place. */
size_t ubi__recording_table_least(const ubi__recording_view *v);

/** Who called a place, in a line or two; starts with the place itself if it is nowhere else. @return lines */
size_t ubi__recording_flow(const ubi__recording_view *v, const ubi__site *site, bool is_with_place,
                           bool is_counted_only);
/** A place and its callers, a line for each. @param used  columns already written before the place, or 0. */
void ubi__recording_stack(const ubi__recording_view *v, const ubi__site *site, size_t used);

/* ---- what to run next --------------------------------------------------------------------------------------------- */

/** Lines that a short one does without. */
#define UBI__RECORDING_NEXT_MORE_LINES 2
/** Lines of one that is not short. */
size_t ubi__recording_next_lines(const ubi__recording_view *v);
/** @param is_short  places need its lines. */
void ubi__recording_next(const ubi__recording_view *v, bool is_short);
/** Of a recording of markers alone; nothing if there are none. */
void ubi__recording_next_of_markers(const ubi__recording_view *v);

/* ---- notes -------------------------------------------------------------------------------------------------------- */

#define UBI__RECORDING_NOTES 32

typedef struct ubi__recording_notes {
    char at[UBI__RECORDING_NOTES][2048]; /**< the most important first */
    size_t n;
} ubi__recording_notes;

void ubi__recording_gather_notes(ubi__recording_notes *out, const ubi__recording_view *v);
/** Writes the first one, and as many more as fit `lines`, with their title. @return lines, 0 if there are no notes */
size_t ubi__recording_write_notes(const ubi__recording_view *v, const ubi__recording_notes *notes, size_t lines,
                                  bool is_counted_only);

#endif
