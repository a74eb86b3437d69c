/* SPDX-License-Identifier: MIT
 *
 * memory_link.h: what a memory actor and its bridge on the target's thread know each other by.
 *
 * A request is an *errand*: it waits for a visit to the target, is performed there with the bridge in hand, which writes the reply, and
 * comes back as a mail. The bridge is made by the first errand, and freed on the target's thread: when the actor goes, or the target.
 */
#ifndef UBI_RDP_MEMORY_LINK_H
#define UBI_RDP_MEMORY_LINK_H

#include <ubiheap/server/memory_bridge.h>

#include "rdp/offer.h"

/** Counted references: the actor's, the bridge's, and those of errands. */
typedef struct ubi__rdp_link {
    _Atomic uint32_t n_refs;
    ubi__rdp_tab *tab; /* a reference */
    bool is_of_process;
    char id[UBI__RDP_ID_BYTES]; /* of the actor */
    /* The network's thread: */
    ubi__rdp_actor *actor; /* NULL: gone */
    bool is_attached;
    uint64_t drain_ms; /* between `allocations` events; UINT64_MAX: there are none */
    bool is_draining;  /* an errand for the next one is on its way */
    /* The target's thread: */
    struct ubi__rdp_link *next, **place; /* of the tab's, with a bridge */
    ubi_memory_bridge *bridge;           /* or NULL */
    bool has_drain;                      /* collections send `allocations`, too */
} ubi__rdp_link;

typedef struct ubi__rdp_errand ubi__rdp_errand;

/** On the target's thread: writes the members of the reply. */
typedef ubi_status (*ubi__rdp_errand_fn)(ubi__rdp_errand *errand, ubi__json *json);

struct ubi__rdp_errand {
    ubi__rdp_mail mail; /* the first: one is the other */
    ubi__rdp_link *link;
    ubi__rdp_call *call; /* NULL: it makes an event */
    ubi__rdp_errand_fn perform;
    void (*arrive)(
        ubi__rdp_errand *errand); /* on the network's thread, before the reply is sent; NULL: nothing to do */
    /* Parameters: */
    ubi_memory_recording_options recording;
    uint64_t drain_ms;
    ubi_memory_boundaries boundaries;
    uint64_t snapshot; /* its number */
    /* Results: */
    bool has_begun; /* a recording */
    ubi_status status;
    char message[256];
    ubi__rdp_packet packet;
};

/** Errors: UBI_ENOMEM. */
ubi_status ubi__rdp_link_new(ubi__rdp_link **out, ubi__rdp_tab *tab, bool is_of_process);
ubi__rdp_link *ubi__rdp_link_ref(ubi__rdp_link *link);
void ubi__rdp_link_unref(ubi__rdp_link *link);
/** The actor goes: its bridge ends when the target's thread comes to it. Takes the actor's reference. */
void ubi__rdp_link_leave(ubi__rdp_link *link);
/** On the target's thread, which goes: bridges end. */
void ubi__rdp_links_end(ubi__rdp_tab *tab);

/** An errand that is to be filled in. NULL: no memory. @param call  NULL: it makes an event. */
ubi__rdp_errand *ubi__rdp_errand_new(ubi__rdp_link *link, ubi__rdp_call *call, ubi__rdp_errand_fn perform);
/** Sends it, and defers the call, if it has one. Takes the errand: what fails comes back as the reply. Returns UBI_OK. */
ubi_status ubi__rdp_errand_send(ubi__rdp_errand *errand);

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
ubi_status ubi__rdp_memory_collect_garbage(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_collect_cycles(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_measure(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_resident(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memory_save(ubi__rdp_errand *errand, ubi__json *json);
/** The bridge's: sends events. Payload: a link. */
void ubi__rdp_memory_collected(void *link, const ubi_collection *collection);
/** The type of the event that drains. */
#define UBI__RDP_ALLOCATIONS_EVENT "allocations"

#endif
