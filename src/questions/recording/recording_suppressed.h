/* SPDX-License-Identifier: MIT
 *
 * recording_suppressed.h: answers about a recording in which what was not freed is listed without what suppressions hide.
 */
#ifndef UBI_QUESTIONS_RECORDING_SUPPRESSED_H
#define UBI_QUESTIONS_RECORDING_SUPPRESSED_H

#include "questions/recording/recording_report.h"
#include "recording/suppressions.h"

/** The option, whose value is a ubi__texts. */
#define UBI__SUPPRESS(offset, ...)                                                                                     \
    UBI__VALUE(UBI__PARAMETER_TEXTS, "suppress", 0, offset, "FILE",                                                    \
               "of a recording: do not list as not freed what FILE suppresses, in the form of LeakSanitizer: a line "  \
               "leak:PATTERN for functions, files and modules; may be given again, and programs give such a text",     \
               NULL, .has_files = true, __VA_ARGS__)

/** Of a report that has suppressions. */
struct ubi__recording_suppressed {
    ubi__suppressions rules;
    ubi__suppressed what;
    bool is_found;             /**< `what` is */
    ubi__sites leaked, sorted; /**< places, without what is hidden; `sorted` in another order than by what leaked */
    bool has_leaked, has_sorted;
};

/**
 * The suppressions of the wishes, if there are any: the report's places are without what they hide from here on.
 * Errors: UBI_EINVAL: a line is no suppression, or frees were not recorded; UBI_ELIMIT, UBI_ENOMEM. The report owns what there is.
 */
ubi_status ubi__recording_suppress(ubi__recording_report *report);
/** Its places in another order. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_suppressed_sort(ubi__recording_report *report, ubi__site_order order);
void ubi__recording_suppressed_free(ubi__recording_suppressed *suppressed, const ubi_allocator *allocator);

/** "12.0 KiB in 3 allocations, by 2 of 5 suppressions", of a class. */
#define UBI__SUPPRESSED_WORDS 256
char *ubi__recording_suppressed_words(char out[UBI__SUPPRESSED_WORDS], const ubi__style *style,
                                      const ubi__recording_report *report, ubi__ubirec_class of_class);
/** Those on a page: a label and words, wrapped; with detail also rules that hide nothing. @return lines; 0: there are none. */
size_t ubi__recording_suppressed_write(const ubi__page *page, const ubi__recording_report *report,
                                       ubi__ubirec_class of_class, size_t label_columns);
/** The member `suppressed`, null without suppressions. */
void ubi__recording_suppressed_document(ubi__json *json, const ubi__recording_report *report);
/** Adds them to a remark. @param order  what the answer shows. */
void ubi__recording_suppressed_remark(ubi__remarks *remarks, const ubi__recording_report *report,
                                      ubi__ubirec_class of_class, ubi__site_order order);

#endif
