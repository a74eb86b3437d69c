/* SPDX-License-Identifier: MIT
 *
 * live_heap.h: a heap of a program that runs, as servers offer it: saved, measured, collected, recorded.
 *
 * It is of a target in this process, whose thread does what is asked at a safe point; or behind an address, where a protocol's client does
 * it. Who serves heaps sees no difference.
 *
 *     ubi__live_heap_of_target(&heap, target, &offer);              or
 *     ubi__live_heap_of_address(&heap, "firefox://127.0.0.1:6000", schemes);
 *     ubi__live_heap_save(heap, path, &progress);                   any thread; waits
 *     ubi__live_heap_end(heap);                                     before the target goes
 *     ubi__live_heap_unref(heap);
 *
 * What waits reports its progress ten times a second or more, and can be cancelled by it.
 */
#ifndef UBI_JOBS_LIVE_HEAP_H
#define UBI_JOBS_LIVE_HEAP_H

#include <ubiheap/extension/target.h>

#include "targets/remote.h"

#define UBI__LIVE_HEAP_NAME_BYTES 321
#define UBI__LIVE_HEAP_FAULT_BYTES 300

/** Where it is. */
typedef enum ubi__live_link {
    UBI__LIVE_HERE,      /**< in this process */
    UBI__LIVE_ENDED,     /**< in this process, whose program has ended: it only rests */
    UBI__LIVE_IDLE,      /**< behind an address, with no connection: the next request makes one */
    UBI__LIVE_CONNECTED, /**< behind an address */
    UBI__LIVE_LOST       /**< none could be made, or it broke: the next request tries again */
} ubi__live_link;

/** "here", "idle", "connected", "lost". */
const char *ubi__live_link_name(ubi__live_link link);

/** Whether new objects get the stacks that they were allocated with, which snapshots then have. */
typedef struct ubi__live_recording {
    bool is_on;
    double probability; /**< 0 to 1, of a new object; 1 at first */
    uint32_t log_limit; /**< allocations that the log keeps, 1 to INT32_MAX; 5000 at first */
} ubi__live_recording;

/** What can be said without asking it. */
typedef struct ubi__live_state {
    ubi__live_link link;
    ubi__live_recording recording; /**< that of a connection ends with it */
    bool can_collect, can_measure, can_record;
    char fault[UBI__LIVE_HEAP_FAULT_BYTES]; /**< why the last request failed; "": it did not */
} ubi__live_state;

typedef struct ubi__live_heap ubi__live_heap;

/** A target as it is offered. */
typedef struct ubi__live_offer {
    const ubi_target_scope *scope; /**< NULL: everything; borrowed, as the target, until the end */
    const char *name;              /**< copied; NULL or "": the kind of the target */
    void (*wake)(
        void *
            payload); /**< called after each request: makes a thread that waits come to a safe point. NULL: it comes by itself */
    void *payload; /**< of wake */
} ubi__live_offer;

/** Errors: UBI_EINVAL (it has no safe points), UBI_ENOMEM. */
ubi_status ubi__live_heap_of_target(ubi__live_heap **out, ubi_target target, const ubi__live_offer *offer);
/** Nothing is connected before something is asked. Errors: UBI_EINVAL (the address), UBI_ENOMEM. */
ubi_status ubi__live_heap_of_address(ubi__live_heap **out, const char *address,
                                     const ubi__remote_scheme *const *schemes);
ubi__live_heap *ubi__live_heap_ref(ubi__live_heap *heap);
void ubi__live_heap_unref(ubi__live_heap *heap); /**< NULL is fine */
/** Requests that wait fail, and so do all later ones. Of a target: on its thread, before it goes; from another thread it waits for what runs. */
void ubi__live_heap_end(ubi__live_heap *heap);

/** Its program has ended by itself. Any thread. */
void ubi__live_heap_note_end(ubi__live_heap *heap);

/** As it was called, or its address. */
const char *ubi__live_heap_name(const ubi__live_heap *heap);
/** Such as "quickjs" or "firefox". Static. */
const char *ubi__live_heap_kind(const ubi__live_heap *heap);
/** Whether it is of this target. */
bool ubi__live_heap_is(const ubi__live_heap *heap, ubi_target target);
/** Waits for nothing. */
void ubi__live_heap_state(ubi__live_state *out, ubi__live_heap *heap);

/**
 * Errors of all: UBI_ESTATE (it is gone, or refuses, in its words), UBI_EIO (the connection, or a file), UBI_ENOTFOUND (no such tab),
 * UBI_EFORMAT, UBI_ELIMIT (the other side breaks the rules), UBI_ENOMEM, UBI_ECANCELLED.
 */
/** @param path  of a file that is not there; none is left after a failure. */
ubi_status ubi__live_heap_save(ubi__live_heap *heap, const char *path, const ubi_progress *progress);
ubi_status ubi__live_heap_collect(ubi__live_heap *heap, const ubi_progress *progress);
/** `fn` is called while this waits, perhaps by another thread. */
ubi_status ubi__live_heap_measure(ubi__live_heap *heap, ubi_measure_fn fn, void *payload, const ubi_progress *progress);
/** A recording that is on begins again, if it is to be on. */
ubi_status ubi__live_heap_record(ubi__live_heap *heap, const ubi__live_recording *wanted, const ubi_progress *progress);

#endif
