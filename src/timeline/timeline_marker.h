/* SPDX-License-Identifier: MIT
 *
 * timeline_marker.h: what a marker is when it is more than a record of a log.
 *
 * It does not change. Logs, and rows that wait for their END, share it: counted. Kinds are also shown *views*: copies on the
 * stack, borrowed for the call, of plain records too.
 */
#ifndef UBI_TIMELINE_TIMELINE_MARKER_H
#define UBI_TIMELINE_TIMELINE_MARKER_H

#include <stdatomic.h>

#include <ubiheap/core/timeline.h>

#include "timeline/marker_tables.h"

struct ubi_timeline_marker {
    const ubi_marker_kind *kind; /* NULL: a plain one */
    void *payload;
    _Atomic uint32_t refs; /* of a view: not used */
    uint8_t tracing;
    bool has_time; /* `time_ns` counts; else `ticks` */
    bool is_off_main;
    uint16_t process_type;
    uint64_t ticks, time_ns;
    ubi__marker_tables *tables; /* where name and frame are; of a view: NULL */
    struct ubi_timeline_marker *next_garbage;
    uint32_t name, frame; /* UBI_NONE: no stack */
    ubi_text name_text;   /* borrowed from the tables */
};

static inline ubi_timeline_marker *ubi__timeline_marker_ref(ubi_timeline_marker *m) {
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}
/** Ends the payload with the last. NULL is fine. */
void ubi__timeline_marker_unref(ubi_timeline_marker *m);
/** A copy with a payload of its own. NULL when the copy fails, or the kind cannot clone. */
ubi_timeline_marker *ubi__timeline_marker_clone(const ubi_timeline_marker *m);
/** How much memory it takes, about. */
size_t ubi__timeline_marker_bytes(const ubi_timeline_marker *m);

/** "Layer" markers: their rectangles become those of a Paint. */
extern const ubi_marker_kind ubi__layer_kind;
typedef struct ubi__layer {
    size_t bytes; /* of this block */
    size_t n;
    ubi_timeline_rectangle at[];
} ubi__layer;

/** Markers with values of marker.h: borrowed values, copied; NULL when out of memory. */
extern const ubi_marker_kind ubi__valued_kind;
void *ubi__valued_payload(const ubi_marker_value *values, size_t n);

#endif
