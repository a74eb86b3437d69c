/* SPDX-License-Identifier: MIT
 *
 * v8_timeline.h: what is left of each span of time in which V8 recorded allocations.
 */
#ifndef UBI_LENSES_V8_TIMELINE_H
#define UBI_LENSES_V8_TIMELINE_H

#include <ubiheap/allocations.h>

#include "formats/v8/v8_facts.h"

/**
 * @param out  out[facts->samples.n]
 * Cost: O(nodes * log samples). Errors: UBI_ECANCELLED.
 * Source: HeapSnapshot.ts, buildSamples.
 */
ubi_status ubi__v8_timeline(ubi_allocation_sample *out, const ubi__v8_facts *facts, const ubi_lens_view *look,
                            const ubi_progress *progress);

#endif
