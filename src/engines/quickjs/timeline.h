/* SPDX-License-Identifier: MIT
 *
 * timeline.h: what a runtime reports to the timeline, without the engine's structures.
 *
 * A runtime reports nothing until it joins: some targets, or all that are observed. What it remembers for others' sake (where
 * callbacks were registered, numbers of frames) it remembers while it is observed, and forgets afterwards.
 *
 * A stack, as timelines know it by number, is a stack of frames in the low half, and the link of its outermost frame in the
 * high half. Numbers are good until frames are freed: then the generation changes.
 *
 * A link says where a callback was registered, so that what runs later knows whom it runs for: the stack on which it was
 * registered (a promise's reaction, a timer), what that stack's own run had been registered by (its parent, another link),
 * and the word for it once it runs. Chains stay short: a callback that registers itself again and again, from the same stack,
 * has one link, for a stack occurs once in a chain. When there are too many links anyway, new registrations get none.
 *
 * Invariants of links, checked by async_links_check: no two are equal, a parent is older than its child, no stack is empty.
 */
#ifndef UBI_QUICKJS_TIMELINE_H
#define UBI_QUICKJS_TIMELINE_H

#include <ubiheap/extension/quickjs.h>

#include "tracking/tracking.h"
#include "tracking/tracking_tables.h"

/* ---- where callbacks were registered ---------------------------------------------------------------------------------- */

/** A link; 0: none. */
typedef uint32_t ubi__async_ix;

typedef struct ubi__async_link {
    ubi__stack_ix stack;  /* never the empty one */
    ubi__async_ix parent; /* of the stack's outermost frame */
    const char *cause;    /* static; NULL: it did not run yet */
} ubi__async_link;

typedef struct ubi__async_links {
    const ubi_allocator *allocator;
    ubi__async_link *at; /* in the order of their making; at[0] is unused */
    uint32_t n, capacity;
    ubi__row_table table;
    uint32_t epoch; /* grows when all are forgotten: earlier numbers mean nothing then */
} ubi__async_links;

/* ---- a runtime -------------------------------------------------------------------------------------------------------- */

/** What one runtime reports. */
typedef struct ubi__timeline {
    ubi_quickjs *tools;
    ubi__tracking *tracking;      /* of these tools */
    ubi_timeline_target **joined; /* who is notified */
    uint32_t joined_count, joined_capacity;
    bool has_joined_all; /* all that are observed are notified */
    bool is_observed;    /* links and frames are remembered */
    bool is_running;     /* the run at hand was reported */
    bool is_collecting;  /* the collection at hand was reported */
    bool wants_cycles;   /* the next collection was asked for as one of cycles */
    const char *cause;   /* of the next run, from the program; or NULL */
    ubi_quickjs_async registered;
    ubi__async_ix current; /* the link of the run at hand; 0: none */
    ubi__async_links links;
    ubi__site_table waiting; /* objects that registered callbacks are known by: their links */
    ubi_timeline_stack_source source;
    const ubi_timeline_stack_source *source_before; /* the thread's, before the run at hand */
    ubi_timeline_target *own;                       /* of scripts' `timeline`, once they use it */
    uint64_t own_lost;                              /* markers that it had no room for, since it is observed */
    const char *collection_name;                    /* of the collection at hand */
} ubi__timeline;

/* ---- in the unit of the engine (adapter/timeline.h) ----------------------------------------------------------------- */

/** The part of these tools. */
ubi__timeline *ubi__timeline_of_tools(ubi_quickjs *tools);
/** The stack at hand. UBI_NONE: no memory. */
ubi__stack_ix ubi__timeline_capture(ubi__timeline *l);
/** What distinguishes an object from others while it lives; NULL: the value is not one. */
const void *ubi__object_address(JSValueConst value);

/* ---- timeline.c ----------------------------------------------------------------------------------------------------- */

/** Cannot fail. `tracking` is that of the tools. */
void ubi__timeline_init(ubi__timeline *l, ubi_quickjs *tools, ubi__tracking *tracking);
void ubi__timeline_fini(ubi__timeline *l);
/** Whether any target that is to be notified is observed; notices changes. */
bool ubi__timeline_wants(ubi__timeline *l);
/** A run was reported, and is not over: all calls are part of it. */
static inline bool ubi__timeline_runs(const ubi__timeline *l) {
    return l->is_running;
}

/** Whether the target of scripts' `timeline` is observed, and the switch for it. Errors: UBI_ENOMEM, UBI_ESTATE. */
bool ubi__timeline_own_is_observed(const ubi__timeline *l);
ubi_status ubi__timeline_observe_own(ubi__timeline *l, bool on);

/**
 * A run of scripts begins. `facts`: function, file and line of what is called, as far as known. `usual_cause` and `link`
 * unless the program gave its own (ubi_quickjs_timeline_cause).
 */
void ubi__timeline_begin_run(ubi__timeline *l, const ubi__trie_frame *facts, const char *usual_cause,
                             ubi__async_ix link);
/** Ends the run at hand, if there is one. */
void ubi__timeline_end_run(ubi__timeline *l);

/** The link for what is registered now; 0: nothing is known. */
ubi__async_ix ubi__timeline_register(ubi__timeline *l);
/** Remembers the link for what is known by this object, as long as it lives. */
void ubi__timeline_waits(ubi__timeline *l, const void *object, ubi__async_ix link);
/** The link that was remembered for it; 0: none. */
ubi__async_ix ubi__timeline_waiting_for(const ubi__timeline *l, const void *object);
/** The object dies. */
void ubi__timeline_object_dies(ubi__timeline *l, const void *object);

void ubi__timeline_begin_parse(ubi__timeline *l, const char *file);
void ubi__timeline_end_parse(ubi__timeline *l);
void ubi__timeline_begin_collection(ubi__timeline *l, const char *reason);
void ubi__timeline_end_collection(ubi__timeline *l);
/** Frames are about to be freed: those that links lead to are not. */
void ubi__timeline_before_sweep(ubi__timeline *l);

#endif
