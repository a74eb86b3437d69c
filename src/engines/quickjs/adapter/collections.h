/* SPDX-License-Identifier: MIT
 *
 * collections.h: the engine's collections of cycles, noted down until a safe point.
 */
#ifndef UBI_QUICKJS_COLLECTIONS_H
#define UBI_QUICKJS_COLLECTIONS_H

#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/timeline.h"
#include "tracking/tool_memory.h"

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

/* Room for one event more: a larger ring, and when that is not to be had, the oldest is lost. */
static void ubi__make_room_for_event(ubi__tracking *t) {
    uint32_t capacity = t->event_capacity ? 2 * t->event_capacity : 16;
    ubi__collection_event *events =
        capacity <= UBI__COLLECTION_EVENTS_MAX
            ? (ubi__collection_event *)ubi__tool_calloc(t->allocator, capacity, sizeof *events)
            : NULL;
    if (events) {
        for (uint32_t i = 0; i < t->event_count; i++)
            events[i] = t->events[(t->event_first + i) & (t->event_capacity - 1)];
        ubi__tool_free(t->allocator, t->events, t->event_capacity, sizeof *events);
        t->events = events;
        t->event_capacity = capacity;
        t->event_first = 0;
        return;
    }
    t->lost_events++;
    if (t->event_count) {
        t->event_first = (t->event_first + 1) & (t->event_capacity - 1);
        t->event_count--;
    }
}

static void ubi__on_collection_begin(JSRuntime *rt, const char *caller) {
    ubi__tracking *t = &ubi__tools_of(rt)->tracking;
    t->cycle_number++;
    if (t->observing_count)
        t->cycle_start_us = ubi__tracking_now_us(t);
    if (ubi__timeline_looked_at())
        ubi__timeline_begin_collection(t, ubi__collection_reason(caller));
}

static void ubi__on_collection_end(JSRuntime *rt, const char *caller) {
    ubi__tracking *t = &ubi__tools_of(rt)->tracking;
    if (t->timeline.is_collecting)
        ubi__timeline_end_collection(t);
    if (t->observing_count == 0)
        return;
    if (t->event_count == t->event_capacity)
        ubi__make_room_for_event(t);
    if (t->event_count == t->event_capacity)
        return;
    t->events[(t->event_first + t->event_count++) & (t->event_capacity - 1)] =
        (ubi__collection_event){ .reason = ubi__collection_reason(caller),
                                 .cycle_number = t->cycle_number,
                                 .start_us = t->cycle_start_us,
                                 .end_us = ubi__tracking_now_us(t) };
}

#endif
