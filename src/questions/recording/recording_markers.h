/* SPDX-License-Identifier: MIT
 *
 * recording_markers.h: the part of a report on a recording that says what was allocated while which marker was open.
 */
#ifndef UBI_QUESTIONS_RECORDING_MARKERS_H
#define UBI_QUESTIONS_RECORDING_MARKERS_H

#include "base/json_writer.h"
#include "questions/recording/recording_report.h"

/** A list of the page, `top` rows at most; nothing when there was no marker. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_markers_page(const ubi__page *page, const ubi__recording_report *report, uint64_t top);
/** What to run next, when there are markers. */
void ubi__recording_markers_next(const ubi__page *page, const ubi__recording_report *report, const char *file);
/** The member "markers" of the document. Errors: UBI_ENOMEM. */
ubi_status ubi__recording_markers_document(ubi__json *j, const ubi__recording_report *report);

#endif
