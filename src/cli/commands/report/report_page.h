/* SPDX-License-Identifier: MIT
 *
 * report_page.h: the report as one screen of text, and as JSON.
 */
#ifndef UBI_CLI_REPORT_PAGE_H
#define UBI_CLI_REPORT_PAGE_H

#include "cli/commands/report/report_facts.h"

void ubi__report_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts);

/** A document of UBI__REPORT_DOCUMENT_BYTES at most, newline included; with facts->with_detail it may be longer. */
void ubi__report_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts);

#define UBI__REPORT_DOCUMENT_BYTES 8192

#endif
