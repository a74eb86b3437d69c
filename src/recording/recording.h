/* SPDX-License-Identifier: MIT
 *
 * recording.h: what was allocated and freed, as tables of names, traces and events.
 *
 * The tables are those of Mozilla's memory profiler, wider: an event also says what kind of thing was allocated, how many
 * bytes were asked for, by which thread, and as which allocation of its stream, so that a free is known by the allocation
 * that it ends. An event of a sampled allocation stands for `weight_bytes`.
 *
 * Memory: 48 bytes per event.
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/MemoryProfiler.cpp.
 */
#ifndef UBI_RECORDING_RECORDING_H
#define UBI_RECORDING_RECORDING_H

#include "recording/trace_table.h"

typedef struct ubi__event {
    uint64_t allocation;   /* from 1, in the order of the stream; a free has that of what it ends */
    uint64_t size_bytes;   /* that were asked for */
    uint64_t weight_bytes; /* that it stands for; 0: it was withdrawn, and does not count */
    uint64_t time_ns;      /* since the process began; never decreases in a stream */
    ubi__trace_ix trace;   /* of the allocation, also in a free */
    uint32_t thread;       /* that did it */
    ubi_str_ix kind;       /* what was allocated, a word: "malloc", "Array" */
    bool is_free;
} ubi__event;

UBI_VEC_DECLARE(ubi__vec_event, ubi__event);

typedef struct ubi__recording {
    const ubi_allocator *allocator;
    ubi__trace_table traces;
    ubi__strtab kinds;
    ubi__vec_event events;
    uint64_t period_bytes; /* of its sampler */
} ubi__recording;

ubi_status ubi__recording_init(ubi__recording *r, uint64_t period_bytes, const ubi_allocator *allocator);
void ubi__recording_fini(ubi__recording *r);

/**
 * What two sources recorded at the same time, as one: the tables of `first` keep their numbers, what only `second` has comes
 * behind; events go by time, and of two at the same time that of `second` comes first. Withdrawn events are left out.
 * Allocations of `second` are numbered on behind those of `first`.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, UBI_EMISMATCH (other periods). Cost: O(names + traces + events).
 */
ubi_status ubi__recording_merge(ubi__recording *out, const ubi__recording *first, const ubi__recording *second);

#endif
