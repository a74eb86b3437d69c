/* SPDX-License-Identifier: MIT
 *
 * report_findings.h: what is odd about a heap, in plain words.
 *
 * A finding is a rule that holds: it has a fixed name for scripts, a sentence for people and, where one node is meant, its
 * id. Rules are a table; a new one is one function and one row.
 */
#ifndef UBI_CLI_REPORT_FINDINGS_H
#define UBI_CLI_REPORT_FINDINGS_H

#include <ubiheap/formats.h>

#include "cli/commands/report/report_keepers.h"
#include "cli/heap_summary.h"

/** All that a report is made from; borrowed. */
typedef struct ubi__report_facts {
    const ubi_graph *graph;
    const ubi_read_info *info;
    ubi__heap_summary summary;
    ubi__groups labels;
    ubi__groups functions;
    ubi__report_keepers keepers;
} ubi__report_facts;

#define UBI__FINDING_TEXT 320

typedef struct ubi__finding {
    const char *rule;             /**< such as "largeNode" */
    char text[UBI__FINDING_TEXT]; /**< one sentence; quotes strings of the snapshot raw: make it safe before showing */
    bool has_node;
    uint64_t node_id;
} ubi__finding;

#define UBI__FINDINGS_MAX 8

/** findings[n], most important first. */
typedef struct ubi__findings {
    ubi__finding at[UBI__FINDINGS_MAX];
    size_t n;
} ubi__findings;

void ubi__findings_collect(ubi__findings *out, const ubi__report_facts *facts);

#endif
