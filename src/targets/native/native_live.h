/* SPDX-License-Identifier: MIT
 *
 * native_live.h: what the recorder knows of the processes that it records, for someone who looks while they run.
 *
 * The recorder's thread writes sums, another thread copies them. The lock is held for a batch of events, or for a copy: the
 * program itself waits for neither.
 *
 *     ubi__native_live_init(&live, allocator);       settings.live = &live
 *     ubi__native_live_copy(&live, &copy)            from any thread, as often as is wanted; ubi__native_live_copy_fini
 *     ubi__native_live_fini(&live);                  after the recording
 */
#ifndef UBI_TARGETS_NATIVE_NATIVE_LIVE_H
#define UBI_TARGETS_NATIVE_NATIVE_LIVE_H

#include <pthread.h>
#include <sys/types.h>

#include "recording/live_sums.h"

/** A file that code is in. */
typedef struct ubi__live_module {
    char *path; /* path[path_bytes], and NUL; owned */
    size_t path_bytes;
    uint32_t build_id_bytes;
    uint8_t build_id[64];
} ubi__live_module;

UBI_VEC_DECLARE(ubi__vec_live_module, ubi__live_module);

/** A process that is recorded, or was. */
typedef struct ubi__live_process {
    struct ubi__live_process *next;
    uint32_t number; /* from 1 on, by their beginnings: no two have the same */
    pid_t pid;
    char name[64];
    uint64_t period_bytes;   /* 1: exact */
    uint64_t resident_bytes; /* as it was seen last; 0: unknown */
    uint64_t began_ns;       /* of the recording, by the monotonic clock */
    uint64_t ended_ns;       /* 0: it is still recorded */
    ubi__live_sums sums;
    ubi__vec_live_module modules;
} ubi__live_process;

typedef struct ubi__native_live ubi__native_live;
struct ubi__native_live {
    const ubi_allocator *allocator;
    pthread_mutex_t lock;
    ubi__live_process *processes; /* the newest first */
    uint32_t n_processes;
    bool is_short_of_memory; /* sums are not complete any more */
};

/** What was copied: of the process that is wanted, or of the one that has most. */
typedef struct ubi__live_copy {
    const ubi_allocator *allocator;
    uint32_t wanted; /* the reader's: number of a process, while it is recorded; 0: none */
    uint32_t number; /* of the process; 0: none has connected yet */
    pid_t pid;
    char name[64];
    uint64_t period_bytes, resident_bytes, duration_us;
    uint32_t n_processes, n_recorded; /* all so far; those that are recorded now */
    bool has_ended, is_short_of_memory;
    ubi__live_totals totals;
    ubi__live_curve curve; /* up to now */
    ubi__vec_live_trace traces;
    ubi__vec_live_frame frames;
    ubi__vec_live_module modules;
} ubi__live_copy;

void ubi__native_live_init(ubi__native_live *live, const ubi_allocator *allocator);
void ubi__native_live_fini(ubi__native_live *live);

/* ---- the recorder's thread ------------------------------------------------------------------------------------------ */

/** NULL: no memory; then it is recorded and not seen. */
ubi__live_process *ubi__native_live_begin(ubi__native_live *live, pid_t pid, const char *name, uint64_t period_bytes,
                                          uint64_t began_ns);
/** How much of it is in RAM. NULLs: no one looks. Takes the lock. */
void ubi__native_live_resident(ubi__native_live *live, ubi__live_process *p, uint64_t bytes);
/** It is recorded no more. When others are, it is forgotten, and `p` with it. Takes the lock. */
void ubi__native_live_end(ubi__native_live *live, ubi__live_process *p);
/** A module of the next number. With the lock. */
void ubi__native_live_module(ubi__native_live *live, ubi__live_process *p, const ubi__live_module *module);
/** With the lock: what the sums answer. Memory is all that can be missing, and then sums are no longer complete. */
void ubi__native_live_note(ubi__native_live *live, ubi_status status);

/* ---- others --------------------------------------------------------------------------------------------------------- */

void ubi__live_copy_init(ubi__live_copy *copy, const ubi_allocator *allocator);
void ubi__live_copy_fini(ubi__live_copy *copy);
/** What is there now, in place of what was there; of the same process, memory is kept. Errors: UBI_ENOMEM. Cost: O(stacks). */
ubi_status ubi__native_live_copy(ubi__native_live *live, ubi__live_copy *copy);
/** Wants the first process, or the one after that which is wanted, by their beginnings; after the last, the one that has most. */
void ubi__native_live_want_next(ubi__native_live *live, ubi__live_copy *copy);

#endif
