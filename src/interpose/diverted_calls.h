/* SPDX-License-Identifier: MIT
 *
 * diverted_calls.h: calls of modules that were loaded before us (ubiheap attach) are led to our hooks.
 *
 * A library that is loaded late comes last in the loader's order, so no module calls its malloc. Modules call other modules through
 * slots that the loader fills: each slot that leads to a function which we have a hook for is made to lead to the hook, and back.
 * Slots are found in the relocations of loaded modules each time, so none of a module that is gone is ever touched.
 *
 * Locks: the loader's (dl_iterate_phdr), then our own; never the other way around. No memory is allocated.
 */
#ifndef UBI_INTERPOSE_DIVERTED_CALLS_H
#define UBI_INTERPOSE_DIVERTED_CALLS_H

#include "interpose/preload.h"

typedef struct ubi__diverted {
    uint64_t n_slots;   /* that were changed */
    uint64_t n_refused; /* that could not be */
} ubi__diverted;

/** Whether calls are diverted: modules that are loaded from now on are to be looked at, too. */
extern UBI__OURS _Atomic bool ubi__calls_are_diverted;

/** All modules. Cost: a look-up of a name for each relocation. Again is fine. */
void ubi__calls_divert(ubi__diverted *out);
/** All modules, back: a slot leads to the function that the loader finds by its name. */
void ubi__calls_restore(ubi__diverted *out);

/** The thread is about to load a module: it looks for new ones at its next allocations. */
void ubi__calls_expect_module(ubi__thread *thread);
/** That look. */
void ubi__calls_divert_new(ubi__thread *thread);

#endif
