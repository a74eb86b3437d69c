/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/tracking.h: what a live engine reports about its allocations and collections.
 *
 * Plain values, the same for every engine; what hands them out is a target (ubi_target_observe in ubiheap/extension/target.h) or the
 * engine's own header, such as ubiheap/extension/quickjs.h.
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

/** How an observer of a target is set, and what its log has. */
typedef struct ubi_target_observer_state {
    bool is_tracking;
    double probability;    /**< that an allocation is logged, unless another observer of the realm wants more */
    uint32_t log_limit;    /**< entries that the log keeps, the newest */
    uint32_t log_length;   /**< entries that it has */
    bool has_overflowed;   /**< an entry was lost since the log was drained to its end */
    uint64_t logged_count; /**< entries since the observer was made, lost ones included */
    double now_ms;         /**< on the log's clock */
} ubi_target_observer_state;

/**
 * What an engine implements for observers of its target: the rules are those of docs/reference/debugger-memory.md, the calls those of
 * ubi_target_observer_* in ubiheap/extension/target.h.
 */
typedef struct ubi_target_observer_ops {
    uint32_t version; /**< UBI_TARGET_OBSERVER_OPS_VERSION */
    void (*free)(void *payload);
    ubi_status (*set_tracking)(void *payload, bool on);
    ubi_status (*set_probability)(void *payload, double probability);
    ubi_status (*set_log_limit)(void *payload, uint32_t entries);
    void (*state)(void *payload, ubi_target_observer_state *out);
    ubi_status (*drain)(void *payload, ubi_logged_allocation_fn fn, void *fn_payload);
    void (*on_collection)(void *payload, ubi_collection_fn fn, void *fn_payload);
} ubi_target_observer_ops;

#define UBI_TARGET_OBSERVER_OPS_VERSION 1

/** Who watches allocations and collections in some realms of a target. A value; valid until ubi_target_observer_free. */
typedef struct ubi_target_observer {
    const ubi_target_observer_ops *ops;
    void *payload;
} ubi_target_observer;

#ifdef __cplusplus
}
#endif
#endif
