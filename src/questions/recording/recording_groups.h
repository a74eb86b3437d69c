/* SPDX-License-Identifier: MIT
 *
 * recording_groups.h: what a recording has by file, module, thread, kind, size or lifetime: rows with all measures side by side.
 */
#ifndef UBI_QUESTIONS_RECORDING_RECORDING_GROUPS_H
#define UBI_QUESTIONS_RECORDING_RECORDING_GROUPS_H

#include "questions/recording/recording_page.h"
#include "recording/function_sums.h"

typedef enum ubi__recording_grouping {
    UBI__GROUP_FUNCTION, /**< recording_functions.h */
    UBI__GROUP_FILE,
    UBI__GROUP_MODULE,
    UBI__GROUP_THREAD,
    UBI__GROUP_KIND,
    UBI__GROUP_SIZE,
    UBI__GROUP_LIFETIME
} ubi__recording_grouping;

/** Their words, ended by NULL. */
extern const char *const ubi__recording_groupings[];
/** NULL: functions. */
ubi__recording_grouping ubi__recording_grouping_of(const char *word);

typedef struct ubi__group_row {
    uint32_t number;   /**< of what it is of: a row of `sums`, a thread, a kind, a bucket */
    bool is_not_freed; /**< of lifetimes: what has none yet */
    ubi__estimate by[UBI__MEASURE_COUNT];
    ubi__estimate all[UBI__MEASURE_COUNT]; /**< of files and modules: with what was called from there */
} ubi__group_row;
UBI_VEC_DECLARE(ubi__vec_group_row, ubi__group_row);

typedef struct ubi__recording_groups {
    ubi__recording_grouping grouping;
    uint64_t limit; /**< rows of lists at most; 0: all */
    ubi__recording_wishes of_report;
    ubi__recording_report *report; /**< owned */
    ubi__recording_view view;
    ubi__function_sums sums; /**< of files and modules */
    ubi__vec_group_row rows; /**< that have anything; in the order that is shown */
} ubi__recording_groups;

/**
 * @param out  zeroed; to be released in any case, and not moved. @param wishes  borrowed texts.
 * Errors: those of the session's recording; UBI_EINVAL: --by is not for this grouping, or is unknown.
 */
ubi_status ubi__recording_groups_compute(ubi__recording_groups *out, const ubi__asked *asked,
                                         ubi__recording_grouping grouping, const ubi__recording_wishes *wishes,
                                         uint64_t limit);
/** Members of an object. */
ubi_status ubi__recording_groups_document(ubi__json *json, const ubi__recording_groups *groups);
ubi_status ubi__recording_groups_page(const ubi__page *page, const ubi__recording_groups *groups);
/** All zeroes is fine. */
void ubi__recording_groups_release(ubi__recording_groups *groups);

#endif
