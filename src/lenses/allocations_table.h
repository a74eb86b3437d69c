/* SPDX-License-Identifier: MIT
 *
 * allocations_table.h: what ubi_allocations consists of.
 */
#ifndef UBI_LENSES_ALLOCATIONS_TABLE_H
#define UBI_LENSES_ALLOCATIONS_TABLE_H

#include <ubiheap/views/allocations.h>

#include "base/alloc.h"
#include "lenses/producer.h"

/** What was allocated at one stack. 40 bytes. */
typedef struct ubi__allocation_frame {
    ubi_function_ix function;
    ubi_frame_ix next;          /**< of the same function, with a larger number; UBI_NONE: it is the last */
    ubi_allocation_tally tally; /**< of stacks whose youngest frame it is */
} ubi__allocation_frame;

struct ubi_allocations {
    const ubi_allocator *allocator;
    ubi_graph *graph;                     /* reference */
    const ubi__producer_history *history; /* what the file counts itself; NULL: nothing */
    ubi__allocation_frame *frames;        /* frames[n_frames], as the graph's */
    uint32_t n_frames;
    ubi__vec_u32 first_frames; /* the first frame of each function; UBI_NONE: it has none */
    ubi_allocation_top *tops;  /* tops[n_tops] */
    size_t n_tops, n_tops_room;
    ubi_allocation_sample *samples;
    size_t n_samples;
};

/** The chain of each function ascends and has all of its frames. O(frames). */
void ubi__allocations_check(const ubi_allocations *allocations);

void ubi__allocation_tally_add(ubi_allocation_tally *to, const ubi_allocation_tally *from);

#endif
