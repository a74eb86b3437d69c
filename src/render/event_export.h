/* SPDX-License-Identifier: MIT
 *
 * event_export.h: what was allocated and freed, one after the other, in formats that other tools read.
 *
 *     begin(state, &what);
 *     for each event, in order:  event(state, &event)       as of ubi__event_stream
 *     end(state);
 *     release(state);                                       also after errors
 *
 * Nothing is kept of events. Refused writes stick in the output. Errors: UBI_ENOMEM, UBI_ELIMIT.
 */
#ifndef UBI_RENDER_EVENT_EXPORT_H
#define UBI_RENDER_EVENT_EXPORT_H

#include "base/json_writer.h"
#include "recording/event_stream.h"
#include "recording/stack_values.h"
#include "render/display.h"

/** Borrowed, all of it. */
typedef struct ubi__event_export {
    ubi__out *out;   /**< of formats that are no JSON */
    ubi__json *json; /**< of those that are: an open object */
    const ubi__stack_choice
        *choice; /**< of the recording of these events, with names; formats say what they have of it */
    const ubi_allocator *allocator;
    bool is_extended; /**< of tables */
} ubi__event_export;

typedef struct ubi__event_format {
    size_t state_bytes; /**< a state starts zeroed */
    ubi_status (*begin)(void *state, const ubi__event_export *what);
    ubi_status (*event)(void *state, const ubi__stream_event *event);
    ubi_status (*resident)(void *state, uint64_t time_ns, uint64_t bytes); /**< or NULL */
    ubi_status (*end)(void *state);
    void (*release)(void *state);
} ubi__event_format;

/**
 * Members of an object in `json`: `names`, `traces` and `events` as nsIMemoryProfiler has them. `size` is what an event stands for, negative
 * for a free, `timestamp` in milliseconds since the process began. Extended, events also have `allocation`, `bytes`, `kind` and `thread`. Of the
 * heap and of objects of scripts; mappings are left out.
 */
extern const ubi__event_format ubi__event_format_tables;

/**
 * The text of heaptrack, interpreted, file format 3, for heaptrack_print and heaptrack_gui. Of a sampled recording, sizes are what samples
 * stand for.
 */
extern const ubi__event_format ubi__event_format_heaptrack;

/** More events than this are refused by the next one: the Firefox Profiler does not open them. */
#define UBI__PROFILE_EVENTS_MAX ((size_t)1 << 24)
/**
 * Members of an object in `json`: a processed profile for profiler.firefox.com, of which the heap's events are native allocations, objects of
 * scripts are JavaScript allocations, and the bytes that live, and that are resident, are tracks. One thread has all of them. Stacks begin as the choice says. A block's
 * number is its address. Version 48, which later readers upgrade. Memory: 24 bytes per event.
 * Errors: also UBI_ELIMIT. Source: firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md, src/types/profile.js.
 */
extern const ubi__event_format ubi__event_format_firefox;

#endif
