/* SPDX-License-Identifier: MIT
 *
 * context.h: what it takes to record: a walker, a tree of stacks, a chunk to write into.
 *
 * A context belongs to one thread at a time. A thread takes one at its first event and gives it back when it exits,
 * so a hundred thousand threads in turn share one, which stays warm. Taking and giving back take no lock.
 */
#ifndef UBI_INTERPOSE_CONTEXT_H
#define UBI_INTERPOSE_CONTEXT_H

#include "interpose/preload.h"
#include "interpose/trace_tree.h"
#include "recording/preload_wire.h"
#include "unwind/unwind.h"

#define UBI__WALKED_LATELY 1024u

/** Where a module is; it has been announced to the reader. */
typedef struct ubi__known_range {
    uintptr_t low, high;
} ubi__known_range;

typedef struct ubi__context {
    /* The chunk, and what its records are differences from; see chunk_writer.h. */
    uint8_t *at, *end; /* where the next record goes; NULL: no chunk */
    uint8_t *start;
    ubi__wire_chunk *chunk;
    uint64_t last_stamp, last_address, last_pc, clock_us;
    uint64_t last_marker_ns;
    uint64_t looked_at_ticks,
        look_ticks; /* the counter when it looked at the clock, and how far until it looks again */
    uint32_t last_trace;
    uint32_t tid;                                /* of the thread that was announced last */
    uint32_t script_class;                       /* of the blocks of scripts that follow, as the chunk says; 1: none */
    uint8_t classes_said[UBI__WIRE_CLASSES / 8]; /* a bit for each whose name is in the chunk */

    ubi__wire_header *area; /* after fork, in the child, private memory that is never read */
    uint32_t number;
    uint32_t recording; /* ubi__recording_number when it was taken first */
    uint32_t epoch;
    uint32_t module_generation; /* ubi__module_generation when the stacks below were begun */
    uint64_t sequence;          /* of the last chunk */

    ubi__unwinder unwinder;
    ubi__trace_tree tree;
    uint16_t walked[UBI__WALKED_LATELY]; /* a part of the prints of stacks that were walked lately, by another part */

    ubi__known_range *ranges; /* ranges[n_ranges] */
    size_t n_ranges, range_capacity;
    size_t last_range; /* where a pc was found last */

    struct ubi__scripts *scripts; /* scripts.c; NULL: no script was met */

    _Atomic uint32_t next_free; /* in the pool: number + 1; 0: none */
} ubi__context;

/** For a thread that has none of this recording. @return NULL: no memory, or too many threads at once. */
ubi__context *ubi__context_take(ubi__thread *thread);
static inline ubi__context *ubi__context_of_thread(ubi__thread *thread) {
    ubi__context *c = thread->context;
    return ubi__likely(c != NULL && c->recording == ubi__recording_number) ? c : ubi__context_take(thread);
}
/** Announces whose events follow. */
void ubi__context_say_thread(ubi__context *c, uint32_t tid);
/** Back to the pool. */
void ubi__context_give_back(ubi__thread *thread);
/** After fork: there are none. */
void ubi__contexts_after_fork(void);

/** Modules went away: stacks, rules and known modules are void. */
void ubi__context_renew(ubi__context *c);
/** Whether the reader knows the module that is at this address, or that there is none. */
bool ubi__context_knows(ubi__context *c, uintptr_t pc);
/** Now it knows. Without memory, it will be announced again. */
void ubi__context_learn(ubi__context *c, uintptr_t low, uintptr_t high);

#endif
