/* SPDX-License-Identifier: MIT
 *
 * preload_collector_inside.h: a collector (preload_collector.h), for its parts:
 *
 *     preload_chunks.c      from the chunks of the area to the streams of contexts
 *     preload_collector.c   from streams to events in their order; the heap
 *     preload_mappings.c    mappings, of which any part may go
 */
#ifndef UBI_RECORDING_PRELOAD_COLLECTOR_INSIDE_H
#define UBI_RECORDING_PRELOAD_COLLECTOR_INSIDE_H

#include "recording/block_table.h"
#include "recording/live_table.h"
#include "recording/preload_collector.h"
#include "recording/preload_stream.h"

/** What one poll copies at most, for there may be others to attend to: some milliseconds of work. */
#define UBI__COLLECTOR_POLL_BYTES (256u * 1024)

/** What is known about a chunk of the area. */
typedef struct ubi__chunk_progress {
    uint64_t sequence; /* 0: not seen since it was freed */
    uint32_t context;
    uint32_t copied; /* bytes */
} ubi__chunk_progress;

/** A context, and what it began but did not end. */
typedef struct ubi__collector_context {
    ubi__stream stream;
    ubi__block resized; /* a block that is given to realloc; address 0: none */
    uint32_t resize_thread;
    uint64_t resize_clock_us;
    bool has_moved_mapping; /* the last mremap was of what we know */
} ubi__collector_context;

struct ubi__preload_collector {
    const ubi_allocator *allocator;
    ubi__preload_area *area;
    ubi__preload_sink sink;
    ubi__stream_common common;
    ubi_status failed; /* UBI_OK: none yet */

    ubi__chunk_progress chunks[UBI__WIRE_CHUNKS];
    ubi__collector_context *contexts[UBI__WIRE_CONTEXTS]; /* NULL: not seen */
    size_t n_contexts;                                    /* from this number on, none was seen */
    ubi__collector_context *heap[UBI__WIRE_CONTEXTS];     /* those with an event, the least stamp first */
    size_t n_heap;
    uint64_t stamp;        /* the last that was reported, or given up */
    uint64_t end_stamp;    /* what is later is not part of the recording */
    uint64_t gap_since_us; /* our clock when the missing one was missed; 0: none is */
    uint64_t gap_round;    /* and the round of that time */

    uint32_t next_chunk;           /* is looked at first by the next poll */
    uint32_t n_looked;             /* in this round */
    uint64_t n_rounds, poll_bytes; /* times that all chunks were looked at; what this poll has copied */

    ubi__block_table blocks;
    ubi__mapping_list mappings; /* pieces of them, where they were cut in two */
    uint64_t n_mappings;
    uint64_t next_number;
    ubi__preload_counters counters; /* the program's: as they were when its memory was sound */
    bool is_trampled;
};

/* ---- reporting --------------------------------------------------------------------------------------------------- */

static inline ubi_status ubi__collector_report_free(ubi__preload_collector *c, const ubi__preload_free *event) {
    c->counters.frees++;
    c->counters.mismatched_frees += event->is_mismatched;
    c->counters.wrong_sizes += event->is_size_wrong;
    return c->sink.free(c->sink.payload, event);
}

static inline ubi_status ubi__collector_report_alloc(ubi__preload_collector *c, const ubi__preload_alloc *event) {
    c->counters.allocations++;
    return c->sink.alloc(c->sink.payload, event);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/** The program's counters, as long as it has not written over them. */
void ubi__collector_see_counters(ubi__preload_collector *c);
/** Copies what is new in chunks, up to what one poll does. @param any  out: set when there was something. Errors: UBI_ENOMEM. */
ubi_status ubi__collector_read_chunks(ubi__preload_collector *c, bool *any);
/** A mapping, and the end of a range of them. Errors: UBI_ENOMEM, the sink's. */
ubi_status ubi__collector_take_map(ubi__preload_collector *c, ubi__collector_context *x, const ubi__wire_event *e);
ubi_status ubi__collector_take_unmap(ubi__preload_collector *c, ubi__collector_context *x, const ubi__wire_event *e);

#endif
