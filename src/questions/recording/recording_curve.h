/* SPDX-License-Identifier: MIT
 *
 * recording_curve.h: what of a recording was alive by time, and the places that had most of it.
 */
#ifndef UBI_QUESTIONS_RECORDING_RECORDING_CURVE_H
#define UBI_QUESTIONS_RECORDING_RECORDING_CURVE_H

#include "questions/recording/recording_page.h"
#include "recording/site_curves.h"

/** Places at most. */
#define UBI__CURVE_SITES 64

typedef struct ubi__recording_curve {
    ubi__recording_wishes of_report;
    ubi__recording_report *report; /**< owned */
    ubi__recording_view view;
    ubi__site_curves curves;
    uint32_t sites[UBI__CURVE_SITES]; /**< sites[n_sites]: rows of the report's sites */
    size_t n_sites;
} ubi__recording_curve;

/**
 * Reads the events of the recording twice. @param out  zeroed; to be released in any case, and not moved. @param wishes  borrowed texts.
 * @param limit  places; 0: UBI__CURVE_SITES.
 * Errors: those of the session's recording and its events; UBI_EINVAL: frees were not recorded.
 */
ubi_status ubi__recording_curve_compute(ubi__recording_curve *out, const ubi__asked *asked,
                                        const ubi__recording_wishes *wishes, uint64_t limit);
/** Members of an object. */
ubi_status ubi__recording_curve_document(ubi__json *json, const ubi__recording_curve *curve);
ubi_status ubi__recording_curve_page(const ubi__page *page, const ubi__recording_curve *curve);
/** All zeroes is fine. */
void ubi__recording_curve_release(ubi__recording_curve *curve);

#endif
