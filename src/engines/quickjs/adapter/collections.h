/* SPDX-License-Identifier: MIT
 *
 * collections.h: the engine's collections of cycles, noted down until a safe point.
 */
#ifndef UBI_QUICKJS_COLLECTIONS_H
#define UBI_QUICKJS_COLLECTIONS_H

#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/timeline.h"

/* The documented word for who asked; `caller` is the engine's function, or "API". */
static const char *ubi__collection_reason(const char *caller) {
    if (__builtin_strcmp(caller, "JS_FreeRuntime") == 0)
        return "DESTROY_RUNTIME";
    if (__builtin_strcmp(caller, "js_trigger_gc") != 0)
        return "API";
#ifdef FORCE_GC_AT_MALLOC
    return "DEBUG_GC";
#else
    return "ALLOC_TRIGGER";
#endif
}

static void ubi__on_collection_begin(JSRuntime *rt, const char *caller) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    ubi__tracking_collection_begins(&tools->tracking);
    if (ubi__timeline_looked_at())
        ubi__timeline_begin_collection(&tools->timeline, ubi__collection_reason(caller));
}

/* This collector never pauses in between. */
static void ubi__on_collection_end(JSRuntime *rt, const char *caller) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (tools->timeline.is_collecting)
        ubi__timeline_end_collection(&tools->timeline);
    UBI_ASSERT(!tools->timeline.is_collecting && tools->collection_depth > 0);
    ubi__tracking_collection_ends(&tools->tracking, ubi__collection_reason(caller), "GC mode");
}

#endif
