/* SPDX-License-Identifier: MIT
 *
 * event_stream.h: what was allocated and freed, one after the other, in time, from the records of a recording file.
 *
 * The records are read twice: a free may be taken back later (a call of realloc that failed), and then it is no event. Nothing is kept but what
 * lives.
 * Memory: 8 to 32 bytes per live allocation, 8 per free that was taken back.
 */
#ifndef UBI_RECORDING_EVENT_STREAM_H
#define UBI_RECORDING_EVENT_STREAM_H

#include "base/source.h"
#include "recording/time_window.h"
#include "recording/ubirec_tables.h"

/** An allocation, or what ended it. Numbers are those of the recording's tables. */
typedef struct ubi__stream_event {
    uint64_t allocation; /* from 1, in the order of the stream; a free has that of what it ends */
    uint64_t time_ns;    /* since the process began; never decreases */
    uint32_t info;       /* of the allocation, also in a free */
    uint32_t thread;     /* that did it */
    bool is_free;
} ubi__stream_event;

typedef struct ubi__event_stream {
    /** Gives the next event, in order. Its errors end the reading and come out of it. */
    ubi_status (*event)(void *payload, const ubi__stream_event *event);
    /** What is resident changed. NULL: no one asks. */
    ubi_status (*resident)(void *payload, uint64_t time_ns, uint64_t bytes);
    void *payload;
    unsigned threads;        /* 2 or more: blocks are read by a second one */
    ubi__time_window window; /* allocations in it, and what of them was freed in it; all zeroes: all events */
    bool
        is_of_all; /* of a session: all events, whatever its window is; and what an ended process left ends like a free */
} ubi__event_stream;

/**
 * First: finds the frees that are taken back. @param out  empty; their numbers, from 1, in order; to be freed with this allocator.
 * @param threads  as in ubi__event_stream. @param progress  or NULL. Errors: those of the source, UBI_ENOMEM, UBI_ECANCELLED. Cost: O(records).
 */
ubi_status ubi__event_stream_look(ubi__vec_u64 *out, ubi__source *source, unsigned threads,
                                  const ubi_progress *progress, const ubi_allocator *allocator);
/**
 * Then: reads all events of the same records, or those in front of what is wrong in them. Errors: also those of `stream`. Cost: O(records).
 */
ubi_status ubi__event_stream_read(const ubi__event_stream *stream, const ubi__vec_u64 *taken_back, ubi__source *source,
                                  const ubi_progress *progress, const ubi_allocator *allocator);

#endif
