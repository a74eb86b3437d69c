/* SPDX-License-Identifier: MIT
 *
 * wrapping_frames.h: wrappers of allocators that are known by what they do and not by their names: those of a library's own allocator,
 * of which no name is known, or of a string that grows.
 *
 * A call is one of a wrapper when a tenth of the heap or more is asked for there (of the bytes allocated, at the peak or not freed, or of
 * the allocations), for at least 8 callers, and in at least 8 sizes, which says that these are not its own; of a function without a name,
 * sizes may be fewer. Where all stacks have the same callers for some frames (a wrapper of a wrapper), the callers that count are those
 * where they part, up to 8 frames out, and all frames before that are wrappers.
 */
#ifndef UBI_RECORDING_WRAPPING_FRAMES_H
#define UBI_RECORDING_WRAPPING_FRAMES_H

#include "recording/recording_summary.h"

/**
 * One step: frames found make way for their callers, some of which may be wrappers too.
 *
 * @param is_found  is_found[frame], set to whether it is one.
 * @param top       top[trace]: the trace where it begins without frames known to pass requests on.
 * @param pools     pools[trace]: not 0: the C library keeps it, unasked.
 * Errors: UBI_ENOMEM. Cost: O(infos + frames); 33 bytes per frame while it runs.
 */
ubi_status ubi__find_wrapping_frames(bool *is_found, const ubi__recording_summary *summary, const uint32_t *top,
                                     const uint8_t *pools, const ubi_allocator *a);

#endif
