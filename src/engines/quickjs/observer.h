/* SPDX-License-Identifier: MIT
 *
 * observer.h: observers and the realms that they watch, between the files of tracking.
 */
#ifndef UBI_QUICKJS_OBSERVER_H
#define UBI_QUICKJS_OBSERVER_H

#include "engines/quickjs/adapter/tracking_state.h"

struct ubi_quickjs_observer {
    ubi__tracking *tracking;
    ubi_quickjs_observer *next, *previous;
    JSContext **realms; /* debuggees, in the order of adding */
    uint32_t realm_count, realm_capacity;
    bool tracks;
    double probability;
    ubi__allocation_log log;
    ubi_quickjs_collection_fn on_collection;
    void *collection_payload;
    uint64_t observes_since_cycle; /* the last collection before it had debuggees */
    ubi_quickjs_scope *scope;
};

/* ---- in the unit of the engine (adapter/scope.h) -------------------------------------------------------------------- */

/** Cannot fail; a realm that is not there is fine. */
void ubi__scope_remove(ubi_quickjs_scope *scope, JSContext *realm);

/* ---- watched_realms.c ----------------------------------------------------------------------------------------------- */

/** The record of a realm, or NULL. O(watched realms). */
ubi__watched_realm *ubi__watched_realm_find(const ubi__tracking *t, const JSContext *realm);
/** The record, made if need be; NULL: no memory. */
ubi__watched_realm *ubi__watched_realm_get(ubi__tracking *t, JSContext *realm);
/** False: no memory. */
bool ubi__watched_realm_add_observer(ubi__tracking *t, ubi__watched_realm *w, ubi_quickjs_observer *observer);
void ubi__watched_realm_remove_observer(ubi__watched_realm *w, const ubi_quickjs_observer *observer);
/** Frees the record when nobody is left in it. */
void ubi__watched_realm_free_if_unused(ubi__tracking *t, ubi__watched_realm *w);
void ubi__watched_realm_free(ubi__tracking *t, ubi__watched_realm *w);
/** Probabilities anew, and a new stream of trials. O(observers times their realms). */
void ubi__watched_realms_update(ubi__tracking *t);

/* ---- observer.c ----------------------------------------------------------------------------------------------------- */

/** A realm dies: it is nobody's debuggee any more. */
void ubi__observers_realm_dies(ubi__tracking *t, JSContext *realm);

#endif
