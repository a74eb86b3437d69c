/* SPDX-License-Identifier: MIT
 *
 * memory_packets.h: what a memory bridge finds out, as members of the packets that debuggers of Firefox expect.
 *
 * Each function writes members into an object that the caller has opened.
 * Source: docs/reference/remote-protocol.md; mozilla-central devtools/shared/specs/memory.js.
 */
#ifndef UBI_JOBS_MEMORY_PACKETS_H
#define UBI_JOBS_MEMORY_PACKETS_H

#include <ubiheap/server/memory_bridge.h>
#include <ubiheap/views/timeline_front.h>

#include "base/json_writer.h"

/**
 * `allocations`, `allocationsTimestamps`, `allocationSizes`, `frames` (the whole table, which begins with null), `summary`, and
 * `overflowed` when it is true. `allocations` must be what the bridge gave last.
 */
void ubi__memory_allocations_put(ubi__json *json, const ubi_memory_allocations *allocations,
                                 const ubi_memory_bridge *bridge);
/** An entry of a table of frames, as an object: `line`, `column`, `source`, `functionDisplayName`, `parent`, `asyncParent`, `asyncCause`. */
void ubi__memory_frame_put(ubi__json *json, const ubi_timeline_front_frame *frame);
/** `maxLogLength`, `probability`. */
void ubi__memory_settings_put(ubi__json *json, const ubi_memory_settings *settings);
/** `total` and what it is the sum of, in bytes; `jsMilliseconds` and `nonJSMilliseconds`, which are strings with one decimal. */
void ubi__memory_measure_put(ubi__json *json, const ubi_memory_measure *measure);
/** `resident`, `residentUnique`, in bytes. */
void ubi__process_memory_put(ubi__json *json, const ubi_process_memory *memory);
/** The data of a garbage-collection event: `nonincrementalReason`, `reason`, `gcCycleNumber`, `collections`. */
void ubi__memory_collection_put(ubi__json *json, const ubi_collection *collection);
/** The members of a census's report, whose breakdown is the default one. Errors: UBI_ENOMEM. */
ubi_status ubi__memory_census_put(ubi__json *json, const ubi_census *census);
/** The same of the sum of several, censuses[n], n > 0; classes and types by name. Errors: UBI_ENOMEM. */
ubi_status ubi__memory_census_sum_put(ubi__json *json, const ubi_census *const *censuses, uint32_t n);

#endif
