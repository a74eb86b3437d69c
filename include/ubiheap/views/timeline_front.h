/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/timeline_front.h: observes targets and hands over their markers, five times a second.
 *
 *     ubi_timeline_front_new(&front, &host);
 *     ubi_timeline_front_add_target(front, page);
 *     ubi_timeline_front_start(&started_ns, front, &(ubi_timeline_front_options){ ..., .with_markers = true });
 *     in the program's loop:  if (ubi_process_clock_ns() >= ubi_timeline_front_next_pull_ns(front)) ubi_timeline_front_pull(front);
 *     ubi_timeline_front_stop(&stopped_ns, front);
 *
 * It is what Mozilla's timeline actor is, without the wire: a remote actor, a file, a viewer are its hosts. The host brings what
 * the front cannot know (memory, frame rate, collections) and takes events. What differs from the original: the markers since the
 * last pull are not lost at stop, there is a final pull; targets that are added while it records are observed only if markers are
 * asked for; with_frames without with_markers does nothing.
 *
 * Threads: one at a time, the main thread of all its targets. Events are given from inside of start, pull, stop and
 * ubi_timeline_front_collection; the host may not call these from there (UBI_ESTATE), nor add or remove targets.
 * Times are nanoseconds of ubi_process_clock_ns.
 * Source: mozilla-central devtools/server/performance/timeline.js and devtools/shared/specs/timeline.js (Firefox 55 to 62).
 */
#ifndef UBIHEAP_TIMELINE_FRONT_H
#define UBIHEAP_TIMELINE_FRONT_H

#include <ubiheap/core/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Between the end of a pull and the next one. */
#define UBI_TIMELINE_PULL_NS UINT64_C(200000000)

/** What is recorded. All off but what is set. */
typedef struct ubi_timeline_front_options {
    uint32_t version;    /**< UBI_TIMELINE_FRONT_OPTIONS_VERSION */
    bool with_markers;   /**< rows of what the targets did */
    bool with_ticks;     /**< when frames were drawn */
    bool with_memory;    /**< how much memory there is, measured in each pull */
    bool with_frames;    /**< stacks as indices of one table; with markers only. Else stacks are those of each row */
    bool with_gc_events; /**< collections as the host reports them; rows named GarbageCollection are then left out */
    bool with_doc_loading_events; /**< documents that are loaded */
} ubi_timeline_front_options;

#define UBI_TIMELINE_FRONT_OPTIONS_VERSION 1
#define UBI_TIMELINE_FRONT_OPTIONS_INIT                                                                                \
    { UBI_TIMELINE_FRONT_OPTIONS_VERSION, false, false, false, false, false, false }

/** Bytes by what they are for, as the memory actor's `measure`; the total is the sum of the others. */
typedef struct ubi_timeline_measurement {
    uint64_t total, dom_size, style_size, js_objects_size, js_strings_size, js_other_size, other_size;
    double js_milliseconds, non_js_milliseconds; /**< that measuring took */
} ubi_timeline_measurement;

/** One collection, made of slices. */
typedef struct ubi_timeline_collection {
    const char *reason;
    const char *nonincremental_reason; /**< NULL: it was incremental */
    uint64_t cycle_number;
    const struct ubi_timeline_slice { uint64_t start_ns, end_ns; } * slices;
    size_t n_slices;
} ubi_timeline_collection;

/** A row of a target that was popped, borrowed; see ubi_timeline_markers_row and _detail. */
typedef struct ubi_timeline_front_marker {
    const ubi_timeline_markers *markers;
    size_t row;
    uint32_t stack, end_stack; /**< with_frames: indices of the front's table, 0 none. Else 0: use those of the row */
} ubi_timeline_front_marker;

/** A frame of the front's table. Borrowed until the next start. */
typedef struct ubi_timeline_front_frame {
    ubi_text source, function_name, async_cause; /**< NULL text: none */
    uint32_t line, column;                       /**< 0: unknown */
    uint32_t parent, async_parent;               /**< smaller indices of the table; 0: none */
} ubi_timeline_front_frame;

/** In the order in which the events of a pull come. */
typedef enum ubi_timeline_event_type {
    UBI_TIMELINE_EVENT_DOC_LOADING, /**< `markers`, one. Before the MARKERS that it is part of */
    UBI_TIMELINE_EVENT_MARKERS,     /**< `markers`; only if there are any */
    UBI_TIMELINE_EVENT_TICKS,       /**< `ticks`; always */
    UBI_TIMELINE_EVENT_MEMORY,      /**< `measurement`; always */
    UBI_TIMELINE_EVENT_FRAMES,      /**< `first_frame`, `n_frames`; only if there are new ones */
    UBI_TIMELINE_EVENT_PULLED,      /**< the pull is over; no packet of the actor */
    UBI_TIMELINE_EVENT_COLLECTION /**< `collection`, outside of pulls: a `markers` packet of the actor, a marker a slice */
} ubi_timeline_event_type;

/** Something to hand over; all of it borrowed for the call. Only what belongs to the type is set. */
typedef struct ubi_timeline_event {
    ubi_timeline_event_type type;
    uint64_t time_ns; /**< `endTime` or `delta` of a packet: when the pull began; of COLLECTION now */
    const ubi_timeline_front_marker *markers;
    size_t n_markers;
    const uint64_t *ticks; /**< as the host gave them */
    size_t n_ticks;
    const ubi_timeline_measurement *measurement; /**< NULL: the host could not measure */
    /** Those added since the last such event: the table's index of the first, and how many. Entry 0 is no frame, and comes first. */
    uint32_t first_frame, n_frames;
    const ubi_timeline_collection *collection;
    const struct ubi_timeline_front *front; /**< whose event it is */
} ubi_timeline_event;

/** Who takes events and brings what a front cannot know. Every function but `event` may be NULL. */
typedef struct ubi_timeline_front_host {
    uint32_t version; /**< UBI_TIMELINE_FRONT_HOST_VERSION */
    void *payload;
    void (*event)(void *payload, const ubi_timeline_event *event);
    /** with_ticks: begin or cease to note when frames are drawn. */
    void (*sample_ticks)(void *payload, bool on);
    /** What was noted, borrowed until the next call of a function of the host. */
    const uint64_t *(*ticks)(void *payload, size_t *n);
    /** with_memory: false when it failed. */
    bool (*measure)(void *payload, ubi_timeline_measurement *out);
    /** with_gc_events: begin or cease to report collections by ubi_timeline_front_collection. */
    void (*watch_collections)(void *payload, bool on);
} ubi_timeline_front_host;

#define UBI_TIMELINE_FRONT_HOST_VERSION 1

typedef struct ubi_timeline_front ubi_timeline_front;

/** @param host  copied. Errors: UBI_EINVAL (version, no `event`), UBI_ENOMEM. */
UBI_API ubi_status ubi_timeline_front_new(ubi_timeline_front **out, const ubi_timeline_front_host *host,
                                          const ubi_allocator *allocator);
/** Stops it without a final pull. NULL is fine. */
UBI_API void ubi_timeline_front_free(ubi_timeline_front *front);

/** One more target to observe, borrowed until it is removed. Errors: UBI_EINVAL (it is there), UBI_ENOMEM, UBI_ESTATE. */
UBI_API ubi_status ubi_timeline_front_add_target(ubi_timeline_front *front, ubi_timeline_target *target);
/** Before a target ends. What is pending of it is lost: pull first. One that is not there: nothing. */
UBI_API void ubi_timeline_front_remove_target(ubi_timeline_front *front, ubi_timeline_target *target);

/**
 * Begins to record, with a first pull.
 *
 * @param out_ns  when; -1: there is no target, nothing was done. Already recording: now, and the options do not matter.
 * Errors: UBI_EINVAL (version), UBI_ENOMEM, UBI_ESTATE (from an event; the registry was shut down). Then it does not record.
 */
UBI_API ubi_status ubi_timeline_front_start(int64_t *out_ns, ubi_timeline_front *front,
                                            const ubi_timeline_front_options *options);
/**
 * A final pull, with what has not ended (end_ns 0), and no more.
 * @param out_ns  now; -1: there is no target. Not recording: now, nothing was done.
 * Errors: as ubi_timeline_front_pull, but it has stopped anyway; UBI_ESTATE (from an event): it has not.
 */
UBI_API ubi_status ubi_timeline_front_stop(int64_t *out_ns, ubi_timeline_front *front);
UBI_API bool ubi_timeline_front_is_recording(const ubi_timeline_front *front);

/** When to pull; UINT64_MAX when it does not record. O(1). */
UBI_API uint64_t ubi_timeline_front_next_pull_ns(const ubi_timeline_front *front);
/**
 * Pops the markers of all targets and gives the events. Not recording: nothing.
 * Errors: UBI_ENOMEM: markers were lost, other events were given. UBI_ESTATE: from an event.
 */
UBI_API ubi_status ubi_timeline_front_pull(ubi_timeline_front *front);
/** A collection has come to its end. Nothing without with_gc_events. Errors: UBI_ESTATE (from an event). */
UBI_API ubi_status ubi_timeline_front_collection(ubi_timeline_front *front, const ubi_timeline_collection *collection);

/** An entry of the table, for events: index from 1 to its count. O(1). */
UBI_API ubi_timeline_front_frame ubi_timeline_front_frame_at(const ubi_timeline_front *front, uint32_t index);
/** Markers that were lost since the start, by all targets. */
UBI_API uint64_t ubi_timeline_front_lost_count(const ubi_timeline_front *front);

#ifdef __cplusplus
}
#endif
#endif
