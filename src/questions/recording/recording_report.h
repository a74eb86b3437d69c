/* SPDX-License-Identifier: MIT
 *
 * recording_report.h: what answers about a recording (.ubirec) are made from and say; shared by the questions about recordings.
 */
#ifndef UBI_QUESTIONS_RECORDING_REPORT_H
#define UBI_QUESTIONS_RECORDING_REPORT_H

#include <ubiheap/core/query.h>

#include "questions/question.h"
#include "questions/recording/asked_window.h"
#include "questions/recording/recording_gaps.h"
#include "recording/recording_place.h"
#include "session/recording_parts.h"

/** What is asked of a recording. Texts are borrowed. */
typedef struct ubi__recording_wishes {
    const char *by;      /**< "leaked", ...; NULL: all of them */
    const char *columns; /**< names between commas; NULL: the usual ones */
    const char
        *format; /**< "tsv", "csv" or "json": a table of places; NULL: a page or document; with columns a table */
    const char *process;      /**< of several, only those with this pid or name; NULL: all */
    bool is_by_thread;        /**< of the session's recording, the one with sums by thread */
    ubi__asked_window window; /**< checked by ubi__asked_window_read; nothing given: the whole recording */
    const char *site;         /**< only sites whose function, file or module has this text; NULL: all */
    const char *fail_on;      /**< of the command line */
    uint64_t top;             /**< sites of each list; 0: as many as the form usually has */
    uint64_t stack_depth;     /**< frames of each stack; 0: as many as the form usually has */
    int symbols;              /**< -1: do not look for symbols that are not in the recording */
    int wrappers;             /**< -1: only those that are known by name are left out */
    bool with_detail;         /**< leave nothing out */
    ubi__texts suppress;      /**< texts of suppression files (recording/suppressions.h) */
} ubi__recording_wishes;

typedef struct ubi__recording_suppressed ubi__recording_suppressed;

/** A sum of the heap, and its limits. */
typedef struct ubi__recording_sum {
    ubi__estimate estimate;
    ubi__range bytes, count;
} ubi__recording_sum;

/** What all forms are made from. Parts of the session are borrowed as long as its use. */
typedef struct ubi__recording_report {
    const ubi_allocator *allocator; /**< of the answer */
    const char *path;               /**< of the file, or that of the first of several processes */
    const ubi__recording_wishes *wishes;
    const ubi__recording_processes *processes;
    const ubi__recording_summary *summary;
    const ubi__recording_hints *hints;
    const ubi__sites *sites;                                                   /**< in the order that is shown */
    const ubi__sites *leaked_sites;                                            /**< by what leaked */
    ubi__estimate heap[UBI__MEASURE_COUNT];                                    /**< totals of the heap class */
    ubi__range heap_bytes[UBI__MEASURE_COUNT], heap_count[UBI__MEASURE_COUNT]; /**< what they lie between */
    ubi__recording_sum pools, leaks;       /**< of what was not freed: what libraries keep on purpose, and the rest */
    ubi__recording_suppressed *suppressed; /**< owned; NULL: no suppressions were given */
    uint64_t
        script_bytes; /**< of script engines, when memory was seen last (recording_memory.h); 0: none, or unknown */
    bool is_exact;
    ubi__recording_gaps gaps; /**< what keeps conditions from being judged */
    uint64_t finer_period;    /**< assumed when judging a condition; 0: none */
} ubi__recording_report;

/**
 * Of the recording of the session. Owned.
 * @param wishes  borrowed as long as the report.
 * Errors: those of the session's recording and its places; UBI_EINVAL: there is no such process.
 */
ubi_status ubi__recording_report_new(ubi__recording_report **out, const ubi__asked *asked,
                                     const ubi__recording_wishes *wishes);
/** What is read for it. Errors: UBI_EINVAL: no window of time. */
ubi_status ubi__recording_wishes_choice(ubi__recording_choice *out, const ubi__recording_wishes *wishes);
/** The order of a list for programs: the one that is asked for, or by what leaked; without frees, by what was allocated. */
ubi__site_order ubi__recording_list_order(const ubi__recording_report *report);
/** Puts the sites into an order. Errors: those of the session's places; UBI_EINVAL: the order needs frees, which were not recorded. */
ubi_status ubi__recording_report_sort(ubi__recording_report *report, const ubi__asked *asked, ubi__site_order order);
/** NULL is fine. */
void ubi__recording_report_free(ubi__recording_report *report);

/* ---- what can be judged and must be said (recording_facts.c) ------------------------------------------------------ */

/** Facts of conditions, ended by one without a name. */
extern const ubi_query_name ubi__recording_facts[];
/** Those of two: first the same, of NEW; then the first UBI__RECORDING_GROWTHS of them as growths; then UBI__RECORDING_NEW_PLACES. */
extern const ubi_query_name ubi__recording_diff_facts[];
#define UBI__RECORDING_FACTS UBI__FACT_KINDS
#define UBI__RECORDING_GROWTHS 8
#define UBI__RECORDING_NEW_PLACES (UBI__RECORDING_FACTS + UBI__RECORDING_GROWTHS)
/** The value of a fact of one recording. Texts of the value are the report's. */
void ubi__recording_fact_measure(ubi__condition_value *out, const ubi__recording_report *report,
                                 ubi__recording_fact what);
ubi__condition_estimates ubi__recording_estimates(ubi__recording_report *report);
void ubi__recording_remark(ubi__remarks *remarks, const ubi__recording_report *report);
/** The same, where no page says what of the recording is missing. */
void ubi__recording_remark_parts(ubi__remarks *remarks, const ubi__recording_report *report);

/* ---- tables of places (recording_rows.c) -------------------------------------------------------------------------- */

/** Rejects unknown columns before anything is read. */
ubi_status ubi__recording_columns_check(const char *columns);
/** Entries of the manual; false after the last. */
bool ubi__recording_column_entry(size_t i, const char **word, const char **help);
/** Tab-separated, or with commas. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_rows_page(const ubi__page *page, const ubi__recording_report *report, bool is_csv);
/** The member `sites`. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_rows_document(ubi__json *json, const ubi__recording_report *report);

/* ---- parts of the forms ------------------------------------------------------------------------------------------- */

/** The list of processes, of at most `most`; nothing when there is one file. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_processes_page(const ubi__page *page, const ubi__recording_report *report, uint64_t most);
/** Members of an object that say which process it is. */
void ubi__recording_process_put(ubi__json *j, const ubi__recording_process *row);
/** Arrays `processes`, empty when there is one file, and `missingFiles`. */
void ubi__recording_processes_document(ubi__json *j, const ubi__recording_report *report);

/** The orders by their words, ended by NULL; numbers are those of ubi__site_order. */
extern const char *const ubi__recording_orders[];
ubi__site_order ubi__recording_order(const char *word);
/** Whether there is any of it: of a window, there may be nothing. @param by  by[UBI__MEASURE_COUNT] */
static inline bool ubi__recording_has_any(const ubi__estimate *by) {
    return by[UBI__MEASURE_TOTAL].samples || by[UBI__MEASURE_LIVE].samples || by[UBI__MEASURE_PEAK].samples;
}
/** Whether a site is among those that are asked for. */
bool ubi__recording_has_site(const ubi__recording_report *report, const ubi__site *site);

/** A class in documents: "heap", "mapping", "object". */
const char *ubi__recording_class_name(ubi__ubirec_class of_class);
/** What one of a class is called: "allocation", "mapping", "object". */
const char *ubi__recording_things(ubi__ubirec_class of_class);
/** Whether a class is sampled. Mappings are all recorded. */
bool ubi__recording_is_sampled(const ubi__recording_summary *s, ubi__ubirec_class of_class);
/** Whether frees were recorded. If not, what was alive at any time is unknown. */
bool ubi__recording_has_frees(const ubi__recording_summary *s);
/** Whether allocations are those alone that were alive at the end, in a sample of which limits are unknown. */
bool ubi__recording_is_profile(const ubi__recording_summary *s);
/** Whether it is of a part of the recorded time. */
static inline bool ubi__recording_is_part(const ubi__recording_summary *s) {
    return !ubi__window_is_whole(&s->window);
}
/** Whether it is of one moment, --at: up to then. */
static inline bool ubi__recording_is_moment(const ubi__recording_report *report) {
    return report->wishes->window.at != NULL;
}
/**
 * Whether a measure of a class is known: temporary ones are of exact recordings alone, and all but the total need frees. What is alive at the
 * end is a measure of windows; without one, it is what leaked.
 */
bool ubi__recording_has_measure(const ubi__recording_summary *s, ubi__ubirec_class of_class, ubi__measure measure);
/** "from 1.5 s to 2 s", "at 1.5 s". @return out */
#define UBI__WINDOW_WORDS 112
char *ubi__recording_window_words(char out[UBI__WINDOW_WORDS], const ubi__recording_report *report);
/** When what it is of ended. */
static inline uint64_t ubi__recording_end_ns(const ubi__recording_summary *s) {
    return s->is_over ? s->window.to_ns : s->time_ns;
}
/** When the most of a class was alive: of a window after the recording, at its end. */
static inline uint64_t ubi__recording_peak_ns(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    uint64_t peak_ns = s->classes[of_class].peak_time_ns;
    return peak_ns < s->time_ns ? peak_ns : s->time_ns;
}
/** The member `window` of a document; of the whole, none. */
void ubi__recording_put_window(ubi__json *j, const ubi__recording_report *report);
/** A place in the code, as an object. */
void ubi__recording_put_place(ubi__json *j, const ubi__recording_place *place);
/** A document's part about the whole recording. */
void ubi__recording_put_about(ubi__json *j, const ubi__recording_summary *summary, bool is_exact);
/** The members of an estimate in a document, and an object of them. */
void ubi__recording_put_fields(ubi__json *j, const ubi__estimate *e, const ubi__recording_summary *s,
                               ubi__ubirec_class of_class);
void ubi__recording_put_estimate(ubi__json *j, const char *key, const ubi__estimate *e, const ubi__recording_summary *s,
                                 ubi__ubirec_class of_class);
/** "leaked", "peak", ...: the same of a measure, or null where it is unknown. */
void ubi__recording_put_measure(ubi__json *j, ubi__measure measure, const ubi__estimate *e,
                                const ubi__recording_summary *s, ubi__ubirec_class of_class);
/** The limits of an estimate of bytes, or of a count. */
ubi__range ubi__recording_bytes_range(const ubi__recording_summary *s, ubi__ubirec_class of_class,
                                      const ubi__estimate *e);
ubi__range ubi__recording_count_range(const ubi__recording_summary *s, ubi__ubirec_class of_class,
                                      const ubi__estimate *e);
/** "92.1-109 MiB"; one number when both limits look alike, "< 1.50 MiB" when there may be nothing. */
#define UBI__ESTIMATE_TEXT 96
char *ubi__range_bytes(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, ubi__range range);
/** The same for a count; differing limits have three digits. */
char *ubi__range_count(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, ubi__range range);
/** In a list: the limits if they are informative; "~29" if many blocks may have been missed. */
char *ubi__count_guess(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, double count, ubi__range range);
/** Whether the program gave up the recorder, so that the loss is unknown. */
bool ubi__recording_was_given_up(const ubi__recording_summary *s);

/**
 * What to do when much more memory is resident than the heap ever had, and mappings were not recorded: one sentence, without final point.
 * @param out  out[n]; NULL: only whether. @return false: there is nothing to say.
 */
bool ubi__recording_mappings_hint(char *out, size_t n, const ubi__recording_report *report);
/** A sum as a whole number, rounded; never negative. */
uint64_t ubi__whole(double value);

#endif
