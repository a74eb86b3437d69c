/* SPDX-License-Identifier: MIT
 *
 * timeline_link.h: a timeline actor's link to the target's thread: its end there is a timeline front, which is the actor without the wire.
 */
#ifndef UBI_RDP_TIMELINE_LINK_H
#define UBI_RDP_TIMELINE_LINK_H

#include <ubiheap/extension/target_timeline.h>
#include <ubiheap/server/memory_bridge.h>
#include <ubiheap/views/timeline_front.h>

#include "rdp/target_link.h"

typedef struct ubi__rdp_timeline_link {
    ubi__rdp_link link; /* the first: one is the other */
    /* The network's thread: */
    bool is_recording;
    bool is_pulling;    /* an errand that pulls is on its way */
    uint32_t n_skipped; /* pulls in a row that were not made, for the client did not read */
    /* The target's thread: */
    ubi_target target;
    ubi_target_timeline timeline;
    ubi_timeline_front *front;
    ubi_memory_bridge *bridge;   /* for sizes and collections */
    ubi_memory_measure measured; /* in the pull at hand */
    ubi__vec_u64 ticks;          /* since the last pull */
    bool with_markers;           /* they are sent; else they are looked at for ticks alone */
    bool with_frames;            /* stacks are numbers of frames */
    bool has_attached;           /* the bridge, for collections */
} ubi__rdp_timeline_link;

typedef struct ubi__rdp_timeline_errand {
    ubi__rdp_errand errand; /* the first: one is the other */
    /* Parameters: */
    ubi_timeline_front_options options;
    /* Results: */
    bool is_recording;
    uint64_t next_pull_ms; /* in how many */
} ubi__rdp_timeline_errand;

extern const ubi__rdp_link_type ubi__rdp_timeline_link_type;

static inline ubi__rdp_timeline_link *ubi__rdp_timeline_link_of(const ubi__rdp_errand *errand) {
    return (ubi__rdp_timeline_link *)errand->link;
}
static inline ubi__rdp_timeline_errand *ubi__rdp_timeline_errand_of(ubi__rdp_errand *errand) {
    return (ubi__rdp_timeline_errand *)errand;
}

/* What errands do at the target; see timeline_errands.c. */
ubi_status ubi__rdp_timeline_start(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_timeline_stop(ubi__rdp_errand *errand, ubi__json *json);
/** Sends what there is as events of their own; so it always ends with UBI_ECANCELLED. */
ubi_status ubi__rdp_timeline_pull(ubi__rdp_errand *errand, ubi__json *json);
/** The reply of start and stop. */
void ubi__rdp_timeline_value_put(ubi__json *json, int64_t ns);

/* ---- events of a front as packets; see timeline_packets.c --------------------------------------------------------------- */

/** Sends an event of the link's front. Payload: the link. */
void ubi__rdp_timeline_hear(void *link, const ubi_timeline_event *event);

#endif
