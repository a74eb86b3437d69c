/* SPDX-License-Identifier: MIT
 *
 * memory_link.h: a memory actor's link to the target's thread: its end there is a memory bridge.
 */
#ifndef UBI_RDP_MEMORY_LINK_H
#define UBI_RDP_MEMORY_LINK_H

#include <ubiheap/server/memory_bridge.h>

#include "rdp/target_link.h"

typedef struct ubi__rdp_memory_link {
    ubi__rdp_link link; /* the first: one is the other */
    /* The network's thread: */
    bool is_attached;
    bool is_draining;             /* an errand for the next `allocations` event is on its way */
    uint64_t drain_ms;            /* between such events; UINT64_MAX: there are none */
    uint64_t drain_at_ms;         /* the next one; UINT64_MAX: none */
    struct ubi__rdp_round *round; /* that was not answered yet; or NULL */
    uint64_t patience_at_ms;      /* until then it waits; UINT64_MAX: it has no end */
    /* The target's thread: */
    ubi_memory_bridge *bridge;
    bool has_drain; /* collections send `allocations`, too */
} ubi__rdp_memory_link;

typedef struct ubi__rdp_memory_errand {
    ubi__rdp_errand errand; /* the first: one is the other */
    /* Parameters: */
    ubi_memory_recording_options recording;
    uint64_t drain_ms;
    ubi_memory_boundaries boundaries;
    uint64_t snapshot; /* its number */
    /* Results: */
    bool has_begun; /* a recording */
} ubi__rdp_memory_errand;

extern const ubi__rdp_link_type ubi__rdp_memory_link_type;

static inline ubi__rdp_memory_link *ubi__rdp_memory_link_of(const ubi__rdp_errand *errand) {
    return (ubi__rdp_memory_link *)errand->link;
}
static inline ubi__rdp_memory_errand *ubi__rdp_memory_errand_of(ubi__rdp_errand *errand) {
    return (ubi__rdp_memory_errand *)errand;
}
/** An errand that is to be filled in. NULL: no memory. @param call  NULL: it makes an event. */
ubi__rdp_memory_errand *ubi__rdp_memory_errand_new(ubi__rdp_memory_link *link, ubi__rdp_call *call,
                                                   ubi__rdp_errand_fn perform);

/* What errands do at the target; see memory_errands.c. */
ubi_status ubi__rdp_memory_attach(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_detach(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_census(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_start(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_stop(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_settings(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_allocations(ubi__rdp_errand *errand, ubi__json *json);
/** As the data of an event; nothing is recorded any more: an error. */
ubi_status ubi__rdp_memory_drain(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_measure(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_resident(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_save(ubi__rdp_errand *errand, ubi__json *json);
/** The type of the event that drains. */
#define UBI__RDP_ALLOCATIONS_EVENT "allocations"

#endif
