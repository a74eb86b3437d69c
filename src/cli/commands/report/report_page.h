/* SPDX-License-Identifier: MIT
 *
 * report_page.h: the report as one screen of text, and as JSON.
 */
#ifndef UBI_CLI_REPORT_PAGE_H
#define UBI_CLI_REPORT_PAGE_H

#include "cli/commands/report/report_findings.h"
#include "cli/snapshot.h"

void ubi__report_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts);
void ubi__report_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts);

#endif
