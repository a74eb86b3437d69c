/* SPDX-License-Identifier: MIT
 *
 * memory_rounds.h: requests in which every runtime of the process has a part: collections, and sizes, counts and snapshots of the process.
 *
 * A *round* visits each target that is offered, on its own thread, at its own safe point. The reply is made of the parts when all have been
 * there or are gone. A runtime that comes to no safe point, for it waits in code that is not the engine's, holds the reply up for
 * UBI__RDP_PATIENCE_MS at most; its part is done when it comes, and no one hears of it. Until then it is *late*: other rounds do not ask
 * it, nor wait for it. Replies name those that are missing.
 *
 * What is made of the parts of a *long* round takes more time than the network's thread has: it is written on a thread for such work.
 */
#ifndef UBI_RDP_MEMORY_ROUNDS_H
#define UBI_RDP_MEMORY_ROUNDS_H

#include "rdp/memory_link.h"

/** How long a reply waits for runtimes that come to no safe point. */
#define UBI__RDP_PATIENCE_MS 2000

typedef struct ubi__rdp_round ubi__rdp_round;

typedef struct ubi__rdp_round_part {
    ubi__rdp_mail mail; /* the first: one is the other */
    ubi__rdp_round *round;
    ubi__rdp_tab *tab; /* a reference */
    bool is_hopeless;  /* its runtime still has to come for another round: it was not asked */
    bool is_late;      /* the reply went out without it */
    /* Results, once it is done: */
    bool is_done;
    bool is_gone; /* the target was: it is not missing */
    ubi_status status;
    char message[256];
    ubi_memory_measure measure;
    ubi_process_memory process; /* with is_elsewhere: of the process that it is in, which is not this one */
    bool is_elsewhere;
    ubi_census *census; /* owned */
    ubi_graph *graph;   /* owned */
    uint64_t pause_ns;  /* for which the program waited */
} ubi__rdp_round_part;

typedef struct ubi__rdp_round_type {
    /** On the target's thread. */
    ubi_status (*perform)(ubi__rdp_round_part *part, ubi_target target);
    /** On the network's thread, or of a long round on that for work: the members of the reply. */
    ubi_status (*reply)(const ubi__rdp_round *round, ubi__json *json);
    bool needs_own; /**< the actor's own target is waited for as long as it takes */
    bool is_long;
    /** On the network's thread, before the reply is sent; NULL: nothing to do. */
    void (*arrive)(const ubi__rdp_round *round, ubi__rdp_actor *actor);
} ubi__rdp_round_type;

struct ubi__rdp_round {
    ubi__rdp_mail mail; /* of a long round; the first: one is the other */
    ubi__rdp_work work;
    const ubi__rdp_round_type *type;
    const ubi_allocator *allocator;   /* the connection's, which its deferred calls have as well */
    ubi__rdp_memory_link *link;       /* a reference */
    ubi__rdp_call *call;              /* NULL: answered */
    char name[UBI__VISIT_NAME_BYTES]; /* of the call */
    uint64_t snapshot;                /* its number; 0: it makes none */
    bool is_impatient;
    bool is_concluded;          /* the reply is being made of the parts that are done */
    _Atomic uint32_t n_pending; /* parts that are not done, and the one who sends them; the last frees it */
    /* The reply, once it is written: */
    ubi_status status;
    char message[256];
    ubi__rdp_packet packet;
    uint32_t n_parts;
    ubi__rdp_round_part parts[]; /* the first is the actor's own target */
};

extern const ubi__rdp_round_type ubi__rdp_garbage_round;
extern const ubi__rdp_round_type ubi__rdp_cycles_round;
extern const ubi__rdp_round_type ubi__rdp_measure_round;
/* Of the process; see process_rounds.c. */
extern const ubi__rdp_round_type ubi__rdp_census_round;
extern const ubi__rdp_round_type ubi__rdp_snapshot_round;

/**
 * Defers the call. While runtimes are waited for the link has the round.
 * @param snapshot  the number of the one that it makes, or 0. Errors: UBI_ENOMEM; the call is as before then.
 */
ubi_status ubi__rdp_round_start(ubi__rdp_memory_link *link, ubi__rdp_call *call, const ubi__rdp_round_type *type,
                                uint64_t snapshot);
/** It has waited long enough. */
void ubi__rdp_round_lose_patience(ubi__rdp_round *round);

/* For types: */

/** Whether its results count. */
bool ubi__rdp_part_has_answered(const ubi__rdp_round_part *part);
/** `missing` and `missingRuntimes`, if there are any. */
void ubi__rdp_round_write_missing(const ubi__rdp_round *round, ubi__json *json);
/** Fails as the actor's own target did, if it did. */
ubi_status ubi__rdp_round_check_own(const ubi__rdp_round *round);

#endif
