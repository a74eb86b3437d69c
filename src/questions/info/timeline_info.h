/* SPDX-License-Identifier: MIT
 *
 * timeline_info.h: what is in the file of a timeline.
 */
#ifndef UBI_QUESTIONS_INFO_TIMELINE_INFO_H
#define UBI_QUESTIONS_INFO_TIMELINE_INFO_H

#include "base/json_writer.h"
#include "render/page.h"
#include "session/recording_parts.h"

void ubi__timeline_info_document(ubi__json *json, const ubi__session_timeline *timeline);
void ubi__timeline_info_page(const ubi__page *page, const ubi__session_timeline *timeline, const char *name);

#endif
