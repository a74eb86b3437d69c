/* SPDX-License-Identifier: MIT
 *
 * timeline_import.h: popped markers into a timeline as a whole.
 */
#ifndef UBI_TIMELINE_TIMELINE_IMPORT_H
#define UBI_TIMELINE_TIMELINE_IMPORT_H

#include <ubiheap/core/timeline.h>

#include "timeline/timeline_data.h"

/**
 * Frames of one result as frames of `data`. A frame is added when a stack needs it, after its callers and then its asynchronous
 * ones, so that numbers are those of Mozilla's StackFrameCache.
 */
typedef struct ubi__frame_import {
    ubi__timeline_data *data;
    const ubi_timeline_markers *markers;
    uint32_t *known; /* known[frame count of `markers`]: its frame of `data`, or UBI_NONE */
    size_t n;
    ubi__vec_u32 waiting;
} ubi__frame_import;

ubi_status ubi__frame_import_init(ubi__frame_import *import, ubi__timeline_data *data,
                                  const ubi_timeline_markers *markers);
void ubi__frame_import_fini(ubi__frame_import *import);
/** The frame of `data` for a stack of the result; UBI_NONE for UBI_NONE. Errors: UBI_ENOMEM. */
ubi_status ubi__frame_import_stack(uint32_t *out, ubi__frame_import *import, uint32_t stack);

/** Adds all rows with what they refer to, and what was lost. Errors: UBI_ENOMEM: some may have been added. */
ubi_status ubi__timeline_import_markers(ubi__timeline_data *data, const ubi_timeline_markers *markers);

#endif
