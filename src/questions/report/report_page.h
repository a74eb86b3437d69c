/* SPDX-License-Identifier: MIT
 *
 * report_page.h: the report as one screen of text, and as JSON.
 */
#ifndef UBI_QUESTIONS_REPORT_PAGE_H
#define UBI_QUESTIONS_REPORT_PAGE_H

#include "base/json_writer.h"
#include "questions/report/report_facts.h"
#include "render/page.h"

void ubi__report_page(const ubi__page *page, const ubi__report_facts *facts);

/**
 * Members of a document of UBI__REPORT_DOCUMENT_BYTES at most, schema and newline included; with facts->with_detail it may be longer.
 */
void ubi__report_document(ubi__json *json, const ubi__report_facts *facts);

#define UBI__REPORT_DOCUMENT_BYTES 8192

#endif
