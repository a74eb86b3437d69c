/* SPDX-License-Identifier: MIT
 *
 * residence_page.h: what resident memory is used for (recording/residence.h), as text and as JSON.
 */
#ifndef UBI_RENDER_RESIDENCE_PAGE_H
#define UBI_RENDER_RESIDENCE_PAGE_H

#include "recording/residence.h"
#include "render/page.h"

/** What else there is to say of a row: bytes, of which some may not be resident, and words. */
typedef struct ubi__residence_note {
    uint64_t bytes;
    char words[256];
} ubi__residence_note;

/**
 * The table: groups, and below each its rows, the largest first, of which `limit` are shown (0: all); the rest are one line.
 * @param r      sorted. @param notes  notes[n_notes], below what the allocator has given out; n_notes 0: none.
 */
void ubi__residence_table(const ubi__page *page, const ubi__residence *r, uint64_t limit,
                          const ubi__residence_note *notes, size_t n_notes);
/** In an open object: residentSize, proportionalSize, swappedSize, unknownSize, mappings, isDivided, groups. */
void ubi__residence_json(ubi__json *json, const ubi__residence *r);

#endif
