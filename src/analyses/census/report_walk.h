/* SPDX-License-Identifier: MIT
 *
 * report_walk.h: visiting the sub-reports of a report in their order.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, walk and getReportEdges.
 */
#ifndef UBI_CENSUS_REPORT_WALK_H
#define UBI_CENSUS_REPORT_WALK_H

#include <ubiheap/core/census.h>

typedef struct ubi__report_visitor {
    /** Before the parts of `report`; `edge` leads to it and is NULL at the outermost. */
    ubi_status (*enter)(void *payload, const ubi_report *report, const ubi_report_key *edge);
    /** After its parts. */
    ubi_status (*leave)(void *payload, const ubi_report *report);
} ubi__report_visitor;

/**
 * Visits `report` and everything below, depth first. Any status but UBI_OK ends the walk.
 *
 * UBI_COMPAT_FIREFOX: entering a part that the breakdown left out is UBI_EINVAL, as Firefox's walk needs it written.
 * Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH.
 */
ubi_status ubi__report_walk(const ubi_report *report, ubi_compat compat, const ubi__report_visitor *visitor,
                            void *payload);

#endif
