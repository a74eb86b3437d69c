/* SPDX-License-Identifier: MIT
 *
 * timeline.h: what a runtime tells the timeline, without the engine's structures.
 *
 * A runtime tells nobody until it joins: some targets, or all that are observed. What it remembers for others' sake (where
 * callbacks were registered, numbers of frames) it remembers while somebody observes, and forgets when nobody does.
 *
 * A stack, as timelines know it by number, is a stack of frames in the low half, and the link that its outermost frame hangs
 * on in the high half. Numbers are good until frames are freed: then the generation changes.
 */
#ifndef UBI_QUICKJS_TIMELINE_H
#define UBI_QUICKJS_TIMELINE_H

#include "engines/quickjs/adapter/tracking_state.h"

/* ---- in the unit of the engine (adapter/timeline.h) ----------------------------------------------------------------- */

/** The stack at hand. UBI_NONE: no memory. */
ubi__stack_ix ubi__tracking_capture(ubi__tracking *t);
/** What tells an object from others while it lives; NULL: the value is none. */
const void *ubi__object_address(JSValueConst value);

/* ---- timeline.c ----------------------------------------------------------------------------------------------------- */

void ubi__timeline_init(ubi__tracking *t);
void ubi__timeline_fini(ubi__tracking *t);
/** Whether somebody observes who is to be told; takes notice of a change. */
bool ubi__timeline_wants(ubi__tracking *t);
/** A run was told, and is not over: all calls are part of it. */
static inline bool ubi__timeline_runs(const ubi__tracking *t) {
    return t->timeline.is_running;
}

/** Whether the target of scripts' `timeline` is observed, and the switch for it. Errors: UBI_ENOMEM, UBI_ESTATE. */
bool ubi__timeline_own_is_observed(const ubi__tracking *t);
ubi_status ubi__timeline_observe_own(ubi__tracking *t, bool on);

/**
 * A run of scripts begins. `facts`: function, file and line of what is called, as far as known. `usual_cause` and `link`
 * unless the program gave its own (ubi_quickjs_timeline_cause).
 */
void ubi__timeline_begin_run(ubi__tracking *t, const ubi__trie_frame *facts, const char *usual_cause,
                             ubi__async_ix link);
/** Ends the run at hand, if there is one. */
void ubi__timeline_end_run(ubi__tracking *t);

/** The link for what is registered now; 0: nothing is known. */
ubi__async_ix ubi__timeline_register(ubi__tracking *t);
/** Remembers the link for what is known by this object, as long as it lives. */
void ubi__timeline_waits(ubi__tracking *t, const void *object, ubi__async_ix link);
/** The link that was remembered for it; 0: none. */
ubi__async_ix ubi__timeline_waiting_for(const ubi__tracking *t, const void *object);
/** The object dies. */
void ubi__timeline_object_dies(ubi__tracking *t, const void *object);

void ubi__timeline_begin_parse(ubi__tracking *t, const char *file);
void ubi__timeline_end_parse(ubi__tracking *t);
void ubi__timeline_begin_collection(ubi__tracking *t, const char *reason);
void ubi__timeline_end_collection(ubi__tracking *t);
/** Frames are about to be freed: those that links lead to are not. */
void ubi__timeline_before_sweep(ubi__tracking *t);

#endif
