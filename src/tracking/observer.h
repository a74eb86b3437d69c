/* SPDX-License-Identifier: MIT
 *
 * observer.h: who watches the allocations and collections of some realms: Debugger.Memory, for any engine.
 *
 * The rules are those of docs/reference/debugger-memory.md. An object is marked with its site when a debuggee realm allocates
 * it, some observer of that realm tracks, and a trial succeeds with the greatest probability among all observers of the
 * realm; then every tracking observer of the realm also logs it.
 *
 * An observer is embedded in the engine's own, or is used alone. A realm is an address that the engine vouches for until it
 * reports its death (ubi__tracking_realm_dies). All belongs to the runtime's thread.
 */
#ifndef UBI_TRACKING_OBSERVER_H
#define UBI_TRACKING_OBSERVER_H

#include "tracking/tracking.h"

/** Settings are in range, debuggees are distinct and know it, and without tracking the log is empty. O(debuggees, entries). */
void ubi__observer_check(const ubi__observer *o);
/** Observes nothing yet, with probability 1. Cannot fail. */
void ubi__observer_init(ubi__observer *o, ubi__tracking *t);
/** Ends its tracking, also from within its own callback; sites already marked stay. */
void ubi__observer_fini(ubi__observer *o);

/**
 * Adding twice is fine. O(watched realms).
 * Errors: UBI_EBUSY (it tracks, and the realm has a hook of others), UBI_ENOMEM; not added then.
 */
ubi_status ubi__observer_add_realm(ubi__observer *o, const void *realm);
/** Entries already logged stay. A realm that it does not have is fine. */
void ubi__observer_remove_realm(ubi__observer *o, const void *realm);
bool ubi__observer_has_realm(const ubi__observer *o, const void *realm);
/**
 * From now on, a realm that it does not have becomes a debuggee at the first birth in it that is looked at, unless it cannot be tracked.
 * Realms that are there already are added by the caller, so that their collections are reported before that.
 */
void ubi__observer_want_all_realms(ubi__observer *o);

/** All or nothing. Errors: UBI_EBUSY (a debuggee has a hook of others). Off: empties the log. */
ubi_status ubi__observer_set_tracking(ubi__observer *o, bool on);
/** Errors: UBI_EINVAL (not within 0 to 1, or not a number). */
ubi_status ubi__observer_set_probability(ubi__observer *o, double probability);
/** Drops the oldest entries at once when it becomes shorter. Errors: UBI_EINVAL (0). */
ubi_status ubi__observer_set_log_limit(ubi__observer *o, uint32_t entries);
/**
 * Hands over and forgets the log, oldest first. When `fn` returns false, that entry and the later ones stay. Clears
 * log.has_overflowed when it came to the end. Errors: UBI_ESTATE (not tracking).
 */
ubi_status ubi__observer_drain(ubi__observer *o, ubi_logged_allocation_fn fn, void *payload);
/** Called at the safe point after each collection, in order, while there are debuggees. NULL: none. */
void ubi__observer_on_collection(ubi__observer *o, ubi_collection_fn fn, void *payload);

/**
 * A foreign hook on a realm, called at each birth: observers cannot track it meanwhile. NULL: remove.
 * Errors: UBI_EBUSY (an observer tracks it, or another hook is there), UBI_ENOMEM.
 */
ubi_status ubi__tracking_set_birth_hook(ubi__tracking *t, const void *realm, ubi__birth_hook_fn fn, void *payload);

#endif
