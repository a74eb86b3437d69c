/* SPDX-License-Identifier: MIT
 *
 * state.h: the tools of one runtime.
 *
 * Parts that keep state of their own embed a structure: the walk (walk_state.h) and tracking (tracking_state.h). What the
 * tracking part owes to the hooks, in adapter/births.h and adapter/collections.h:
 *
 *     void ubi__on_birth(JSRuntime *rt, JSGCObjectHeader *header);     any type; only while the runtime is watched
 *     void ubi__on_death(JSRuntime *rt, JSGCObjectHeader *header);     objects and bytecode, still whole; what is left of realms
 *     void ubi__constructed(JSRuntime *rt, JSValueConst object, JSValueConst constructor);   by `new`, after its birth
 *     void ubi__on_collection_begin(JSRuntime *rt, const char *caller);  name of the function that asked; "API" from outside
 *     void ubi__on_collection_end(JSRuntime *rt, const char *caller);
 *     void ubi__tracking_init(ubi_quickjs *tools);                     cannot fail; at attach
 *     void ubi__tracking_fini(ubi_quickjs *tools);                     at detach; ends watching
 *
 * all static. They run inside the engine: they may record, and nothing else.
 */
#ifndef UBI_QUICKJS_STATE_H
#define UBI_QUICKJS_STATE_H

#include <pthread.h>

#include <ubiheap/quickjs.h>

#include "engines/quickjs/adapter/tracking_state.h"
#include "engines/quickjs/adapter/walk_state.h"
#include "engines/quickjs/hook_counts.h"

/** The runtime's part in the memory profiler: adapter/profiling.h. */
typedef struct ubi__profiling {
    ubi_profiler *own;           /* made because none was given; or NULL */
    ubi_profiler_member *member; /* NULL: it joined none */
    ubi_profiler_tap *memory_tap;
    JSMallocFunctions before; /* the runtime's, while it records */
} ubi__profiling;

struct ubi_quickjs {
    JSRuntime *runtime;
    const ubi_allocator *allocator;
    ubi_quickjs_options options; /**< as given, or the defaults */
    ubi_quickjs *next;           /**< in the registry */
    uint64_t serial;             /**< another for each attaching of this process, also at the same address */
    ubi_quickjs *next_frozen;    /**< in the thread's list of frozen heaps (guard.h) */

    uint32_t watchers;         /**< ubi__watch calls without ubi__unwatch; changed under the registry's lock */
    uint32_t collection_depth; /**< inside a collection of cycles */
    uint64_t hook_counts[UBI__HOOK_COUNT];

    ubi_quickjs_oom_fn oom_fn;
    void *oom_payload;
    bool oom_reported;     /**< this streak of failures was reported */
    size_t oom_heap_bytes; /**< what the heap held then */

    ubi__walk_state walk;
    ubi__tracking tracking;
    ubi__profiling profiling;
};

/** Memory of the tools' own tables; NULL when there is none (no message is set). */
static inline void *ubi__tools_alloc(ubi_quickjs *tools, size_t size_bytes) {
    return tools->allocator->alloc(tools->allocator->ctx, size_bytes);
}
static inline void *ubi__tools_resize(ubi_quickjs *tools, void *p, size_t old_bytes, size_t new_bytes) {
    return tools->allocator->resize(tools->allocator->ctx, p, old_bytes, new_bytes);
}
static inline void ubi__tools_free(ubi_quickjs *tools, void *p, size_t size_bytes) {
    if (p)
        tools->allocator->free(tools->allocator->ctx, p, size_bytes);
}

#endif
