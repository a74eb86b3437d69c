/* SPDX-License-Identifier: MIT
 *
 * visits.h: a live heap that may go away, and what servers run at its safe points.
 *
 * A live heap belongs to its thread. Other threads ask for a *visit*: a function that runs once on that thread, at a safe point, with the
 * target in hand; or without it, when the target has gone. So who asks always gets an answer, and never holds a target that is gone.
 *
 *     ubi__live_visit(live, save_perform, request);      any thread
 *     ubi__live_end(live);                               before the target goes
 *
 * The engine may perform a request late or, when it ends, never. What it was given has memory of its own, that outlives server and target.
 */
#ifndef UBI_JOBS_VISITS_H
#define UBI_JOBS_VISITS_H

#include <ubiheap/extension/target.h>

/** A target, for all threads. Counted references. */
typedef struct ubi__live_target ubi__live_target;

/** On the target's thread, at a safe point. @param target  NULL: it is gone; then on any thread. */
typedef void (*ubi__visit_fn)(void *payload, const ubi_target *target);

/**
 * @param wake  called after each request, on the thread that asks: makes a target's thread that waits for something come to a safe point;
 *              NULL: it comes by itself. Errors: UBI_EINVAL (it has no safe points), UBI_ENOMEM.
 */
ubi_status ubi__live_target_new(ubi__live_target **out, ubi_target target, void (*wake)(void *payload), void *payload);
ubi__live_target *ubi__live_target_ref(ubi__live_target *live);
void ubi__live_target_unref(ubi__live_target *live); /**< NULL is fine */
/** The same target. Any thread. */
bool ubi__live_target_is(const ubi__live_target *live, ubi_target target);
bool ubi__live_target_same(const ubi__live_target *a, const ubi__live_target *b);
/** Such as "quickjs". Static. */
const char *ubi__live_target_kind(const ubi__live_target *live);
/** What it can do: of ubi_target_capability. */
uint32_t ubi__live_target_capabilities(const ubi__live_target *live);

/** Of a visit's name, with its end. */
#define UBI__VISIT_NAME_BYTES 80

/** Asks for a visit: it runs exactly once, perhaps before this returns; after an error never. Errors: UBI_ENOMEM, or the engine's. */
ubi_status ubi__live_visit(ubi__live_target *live, ubi__visit_fn fn, void *payload);
/**
 * The same, with a name for what someone has asked for, such as "memory.takeCensus": copied, cut; "": none. The program waits for it, so it
 * is on the program's timeline: a marker `ubiheap::Pause`, whose label is the name. Unobserved that costs a load.
 */
ubi_status ubi__live_visit_named(ubi__live_target *live, const char *name, ubi__visit_fn fn, void *payload);
/** Takes back one that waits; false: it runs, or has run. */
bool ubi__live_visit_withdraw(ubi__live_target *live, ubi__visit_fn fn, void *payload);

/**
 * The target goes: visits that wait run without it, now. On the target's thread, also within a visit; from another thread it waits for
 * the visit at hand. Twice is fine.
 */
void ubi__live_end(ubi__live_target *live);

#endif
