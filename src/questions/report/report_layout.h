/* SPDX-License-Identifier: MIT
 *
 * report_layout.h: what the parts of the report's page share.
 */
#ifndef UBI_QUESTIONS_REPORT_LAYOUT_H
#define UBI_QUESTIONS_REPORT_LAYOUT_H

#include "questions/report/report_facts.h"
#include "render/page.h"

#define UBI__REPORT_DETAIL_SHOWN 50
#define UBI__REPORT_SIZE_COLUMNS 10

typedef struct ubi__report_layout {
    const ubi__page *page;
    ubi__out *out;
    const ubi__style *style;
    const ubi__report_facts *facts;
    size_t columns;
    ubi__text_table table;
    uint64_t total_bytes;
    /* Findings with bytes to save, and the others: all that there are, and how many of each are shown. */
    const ubi_finding *savings[UBI__REPORT_DETAIL_SHOWN], *oddities[UBI__REPORT_DETAIL_SHOWN];
    size_t n_savings, n_oddities, n_savings_shown, n_oddities_shown;
    size_t n_kinds, n_keepers, n_functions, n_next; /* shown */
} ubi__report_layout;

/** What is shown is there, and savings have bytes to save. O(findings). */
void ubi__report_layout_check(const ubi__report_layout *layout);

/** Fills the lists of findings; shows at most these numbers of each. */
void ubi__report_sort_findings(ubi__report_layout *p, size_t most_savings, size_t most_oddities);
/** The heap in one sentence, and what matters most about it in another. */
void ubi__report_write_headline(const ubi__report_layout *p);
/** Each with its evidence and the command that shows more of it. */
void ubi__report_write_findings(const ubi__report_layout *p);
/** Lines of both. */
size_t ubi__report_finding_lines(const ubi__report_layout *p);

#endif
