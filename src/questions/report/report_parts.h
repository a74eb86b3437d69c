/* SPDX-License-Identifier: MIT
 *
 * report_parts.h: what of a report is expensive, as parts of the session: the sums by kind, class and function, the findings, and
 * the keepers with the ways to them.
 */
#ifndef UBI_QUESTIONS_REPORT_PARTS_H
#define UBI_QUESTIONS_REPORT_PARTS_H

#include <ubiheap/views/findings.h>

#include "lenses/heap_summary.h"
#include "questions/report/report_keepers.h"
#include "questions/report/report_paths.h"
#include "session/part.h"

/** Numbers are those of the lens. */
typedef struct ubi__report_sums {
    ubi__heap_summary summary;
    ubi__groups labels;
    ubi__groups functions;
} ubi__report_sums;

/** Who holds the heap, and the paths to them and to the first examples of findings, found in one walk. */
typedef struct ubi__report_holders {
    ubi__report_keepers keepers;
    ubi__report_paths paths;
} ubi__report_holders;

/* Errors of all: those of the parts in session.h. */
ubi_status ubi__report_sums_get(const ubi__report_sums **out, ubi_session_use *heap);
ubi_status ubi__report_findings_get(const ubi_findings **out, ubi_session_use *heap);
ubi_status ubi__report_holders_get(const ubi__report_holders **out, ubi_session_use *heap);

#endif
