/* SPDX-License-Identifier: MIT
 *
 * recording_functions.h: functions of a recording (.ubirec) by what they asked for.
 */
#ifndef UBI_QUESTIONS_RECORDING_FUNCTIONS_H
#define UBI_QUESTIONS_RECORDING_FUNCTIONS_H

#include "questions/recording/recording_page.h"
#include "recording/function_sums.h"

/** What is asked for; borrowed. */
typedef struct ubi__functions_wishes {
    const char *by; /**< "leaked", ...; NULL: what matters most */
    ubi__asked_window window;
    uint64_t limit;         /**< functions at most; 0: all */
    uint32_t caller_levels; /**< levels of callers below each function */
    bool with_callees;      /**< sums are with what was called */
} ubi__functions_wishes;

/** What a function's sites have that are known pools. */
typedef struct ubi__pool_mark {
    const char *words; /* NULL: there are none */
    double count;      /* of allocations */
} ubi__pool_mark;

typedef struct ubi__recording_functions {
    ubi__functions_wishes wishes;
    ubi__recording_wishes of_report;
    ubi__recording_report *report; /* owned */
    ubi__recording_view view;
    ubi__function_sums sums;
    uint32_t *rows; /* rows[n_rows]: functions that have anything, most first */
    size_t n_rows;
    ubi__pool_mark *pools; /* pools[function] */
} ubi__recording_functions;

/** @param out  zeroed; to be released in any case, and not moved. Errors: those of the session's recording. */
ubi_status ubi__recording_functions_compute(ubi__recording_functions *out, const ubi__asked *asked,
                                            const ubi__functions_wishes *wishes);
/** Members of an object. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_functions_document(ubi__json *json, const ubi__recording_functions *functions);
ubi_status ubi__recording_functions_page(const ubi__page *page, const ubi__recording_functions *functions);
/** All zeroes is fine. */
void ubi__recording_functions_release(ubi__recording_functions *functions);

#endif
