/* SPDX-License-Identifier: MIT
 *
 * recorder.h: makes a recording of one source of allocations.
 *
 * It gets addresses and sizes, and decides which of them become events. It asks for a stack only then.
 *
 * A heap that frees things as they die calls `allocated` and `freed`. A heap whose collector finds out later reports what its
 * collector does instead: young objects that move or die together, and marked ones that survive. The free of what died
 * then bears the time of the collection.
 *
 * Called from inside of itself, by its clock or its source of stacks, a recorder counts that and does nothing.
 * For one thread, or under the lock of its owner.
 *
 * Extension: what is about young objects and moves is for engines with generations or compaction. No program here
 * calls it yet; recorder_test.c covers it.
 */
#ifndef UBI_RECORDING_RECORDER_H
#define UBI_RECORDING_RECORDER_H

#include "recording/byte_sampler.h"
#include "recording/live_table.h"
#include "recording/recording.h"

typedef struct ubi__recorder_source {
    uint64_t (*now_ns)(void *payload); /* never decreases */
    double (*random)(void *payload);   /* in [0, 1) */
    /** The trace of what runs now, in `traces`. */
    ubi_status (*stack)(void *payload, ubi__trace_table *traces, ubi__trace_ix *out);
    void *payload;
} ubi__recorder_source;

typedef struct ubi__recorder {
    ubi__recording recording;
    ubi__byte_sampler sampler;
    ubi__recorder_source source;
    uint64_t allocation_count; /* that became events */
    ubi__live_table live;      /* what lives, or did when the collector began to mark */
    ubi__live_table young;     /* objects that the collector has not seen yet */
    ubi__live_table newer;     /* while marking: what came since, and is not judged */
    bool is_marking;
    unsigned depth;       /* of calls into it */
    uint64_t inner_count; /* calls from inside, which were passed over */
    uint64_t lost_count;  /* events for which there was no memory */
} ubi__recorder;

/** What is allocated, and by whom. */
typedef struct ubi__allocation {
    uint64_t address; /* not 0 */
    uint64_t size_bytes;
    ubi_text kind; /* a word, such as "malloc" */
    uint32_t thread;
} ubi__allocation;

/**
 * What is in the tables are events of allocations that were not freed; nothing is set apart while nothing is marked; numbers of
 * allocations ascend and are all below the count.
 */
void ubi__recorder_check(const ubi__recorder *r);
/** period_bytes in [1, 2^48]; see byte_sampler.h. */
ubi_status ubi__recorder_init(ubi__recorder *r, uint64_t period_bytes, const ubi__recorder_source *source,
                              const ubi_allocator *allocator);
void ubi__recorder_fini(ubi__recorder *r);

/**
 * Something was allocated. Cost: a compare and a subtraction unless it is sampled. Errors: UBI_ENOMEM or those of the
 * source's stack; it is counted as lost and the recorder continues.
 */
ubi_status ubi__recorder_allocated(ubi__recorder *r, const ubi__allocation *allocation);
/** The same when the caller has decided, with a sampler of this period that was met `n` times, 1 or more. */
ubi_status ubi__recorder_sampled(ubi__recorder *r, const ubi__allocation *allocation, uint64_t n);
/** What was recorded at this address counts no more: its event is withdrawn, and its free is nothing. */
void ubi__recorder_withdraw(ubi__recorder *r, uint64_t address);
/** Something will be freed. What was not sampled, or is NULL, is nothing. */
ubi_status ubi__recorder_freed(ubi__recorder *r, uint64_t address, uint32_t thread);

/* ---- collectors --------------------------------------------------------------------------------------------------- */

/** An object was allocated where young objects are. */
ubi_status ubi__recorder_allocated_young(ubi__recorder *r, const ubi__allocation *allocation);
/**
 * A young object moved to where objects stay. No event. If the allocation of its new place was sampled as well, that event is
 * withdrawn, for the bytes are the same.
 */
ubi_status ubi__recorder_promoted(ubi__recorder *r, uint64_t young_address, uint64_t address);
/** An object that stays moved elsewhere. No event. */
ubi_status ubi__recorder_moved(ubi__recorder *r, uint64_t old_address, uint64_t address);
/** The young ones that did not move are dead. */
ubi_status ubi__recorder_young_swept(ubi__recorder *r, uint32_t thread);
/** Marking begins: what lives by now must be marked, or is dead at the sweep. While marking: nothing. */
void ubi__recorder_marking_begins(ubi__recorder *r);
void ubi__recorder_marked(ubi__recorder *r, uint64_t address);
/** Marking is over. Without marking: nothing. */
ubi_status ubi__recorder_swept(ubi__recorder *r, uint32_t thread);

#endif
