/* SPDX-License-Identifier: MIT
 *
 * residence_page.h: what resident memory is used for (recording/residence.h), as text and as JSON.
 */
#ifndef UBI_RENDER_RESIDENCE_PAGE_H
#define UBI_RENDER_RESIDENCE_PAGE_H

#include "recording/residence.h"
#include "render/page.h"

/**
 * The table: groups, and below each its rows, the largest first, of which `limit` are shown (0: all); the rest are one line.
 * @param r  sorted.
 */
void ubi__residence_table(const ubi__page *page, const ubi__residence *r, uint64_t limit);
/** In an open object: residentSize, proportionalSize, swappedSize, unknownSize, mappings, isDivided, groups. */
void ubi__residence_json(ubi__json *json, const ubi__residence *r);

#endif
