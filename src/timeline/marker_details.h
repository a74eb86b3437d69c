/* SPDX-License-Identifier: MIT
 *
 * marker_details.h: what a kind says goes to the end of the details of a pairing, where those of one row are together.
 */
#ifndef UBI_TIMELINE_MARKER_DETAILS_H
#define UBI_TIMELINE_MARKER_DETAILS_H

#include "timeline/marker_pairing.h"

struct ubi_marker_details {
    ubi_marker_pairing *pairing;
    ubi__marker_row *row;
    uint32_t stack;    /* of the marker that speaks */
    ubi_status status; /* of the first fault; nothing is added after it */
};

/** What was given as details; rectangles too. */
void ubi__marker_details_copy(ubi_marker_details *out, const ubi_timeline_detail *detail);
void ubi__marker_details_rectangles(ubi_marker_details *out, uint32_t first, uint32_t count);
/** The stack of the marker that speaks is the row's second one. */
void ubi__marker_details_own_end_stack(ubi_marker_details *out);

#endif
