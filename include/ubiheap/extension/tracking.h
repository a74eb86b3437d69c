/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/tracking.h: what a live engine reports about its allocations and collections.
 *
 * Plain values, the same for every engine; who hands them out is the engine's own header, such as ubiheap/extension/quickjs.h.
 * Source: docs/reference/debugger-memory.md.
 */
#ifndef UBIHEAP_TRACKING_H
#define UBIHEAP_TRACKING_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UBI_ALLOCATION_LOG_LENGTH 5000 /**< entries that a log holds unless told otherwise */

/** One logged allocation. Texts are borrowed during the call. */
typedef struct ubi_logged_allocation {
    bool has_frame;
    ubi_stack frame; /**< has_frame: where; kept as long as the engine's tools live. Else no script was running */
    double
        timestamp_ms; /**< since the start of the process (or on the clock that the tools were given), never decreasing */
    ubi_text class_name;       /**< "Object", "Array", ... */
    ubi_text constructor_name; /**< what `new` was called on; NULL text: unknown, or no constructor */
    uint64_t size_bytes;       /**< shallow size now if it is alive, else when it was born */
} ubi_logged_allocation;
/** False: this entry and the later ones stay in the log. May run scripts. */
typedef bool (*ubi_logged_allocation_fn)(void *payload, const ubi_logged_allocation *allocation);

/** One collection of garbage. Texts are static. */
typedef struct ubi_collection {
    const char *reason;                /**< who asked for it, such as "ALLOC_TRIGGER", "API" */
    const char *nonincremental_reason; /**< why it did not pause in between; NULL: it did */
    uint64_t cycle_number;             /**< grows by one with every collection of the runtime */
    double start_ms, end_ms;           /**< on the log's clock */
} ubi_collection;
typedef void (*ubi_collection_fn)(void *payload, const ubi_collection *collection);

#ifdef __cplusplus
}
#endif
#endif
