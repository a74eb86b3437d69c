/* SPDX-License-Identifier: MIT
 *
 * preload_collector.h: reads what a recorded program writes into shared memory, puts it in order, and passes it on.
 *
 * A collector belongs to one process that is recorded and its area. It is driven from outside:
 *
 *     while the process lives, every few milliseconds:    ubi__preload_collector_poll(c, &busy);
 *     when it is dead (pidfd):                             ubi__preload_collector_finish(c);
 *
 * `poll` reads a part of what the program has committed and frees chunks, so that the program need not wait. Events
 * are reported in the order of their stamps, over all threads; an event whose predecessor is not there yet is kept until
 * the next poll. `finish` reports the rest, without what is missing, which is counted.
 *
 * Allocations and frees are given by the number of the allocation: 0, 1, 2, ... in the order they are reported. A free has
 * a number that lives; frees of blocks whose allocation was not seen are counted. A realloc is a free and an
 * allocation; a failed one is nothing. Any part of a mapping may be unmapped: it shrinks, and is freed with its last
 * page.
 *
 * The area is hostile: a broken chunk is given up and counted (`lost_bytes`), and the next one is read. Memory: what
 * the sink does not have, 4 bytes per trace and context, 24 to 32 bytes per live block, and events that wait.
 */
#ifndef UBI_RECORDING_PRELOAD_COLLECTOR_H
#define UBI_RECORDING_PRELOAD_COLLECTOR_H

#include "recording/preload_area.h"
#include "recording/preload_sink.h"

/** All since the start. */
typedef struct ubi__preload_counters {
    uint64_t allocations, frees, markers; /* reported */
    uint64_t live;                        /* blocks and mappings */
    uint64_t unknown_frees;    /* of blocks whose allocation was not seen; exact only, absent when sampling */
    uint64_t reused_addresses; /* an allocation where one still lived: its free was not seen, and is reported before */
    uint64_t mismatched_frees, wrong_sizes;
    uint64_t lost_events; /* stamps without an event: of broken chunks, or given up */
    uint64_t
        unfinished; /* stamps without an event, of calls that were under way at the end: they never came back to the program */
    uint64_t lost_bytes; /* of broken chunks */
    /* As the program says: */
    uint64_t dropped, dropped_reentrant, dropped_markers, failed_walks, deep_binds, namespaces, waits;
    uint32_t lost_children[UBI__UNRECORDED_COUNT];
    ubi__wire_scripts scripts;
    ubi__wire_program_state state;
    bool is_trampled; /* the program has written over the area: what was lost by that is not in these numbers */
} ubi__preload_counters;

typedef struct ubi__preload_collector ubi__preload_collector;

/** A program that was started and is not recorded, as the program says: at row `i` of UBI__WIRE_STARTED. */
typedef struct ubi__preload_started {
    char name[64]; /* of printable bytes alone, NUL-terminated; "": none */
    uint32_t count;
    ubi__unrecorded why;
} ubi__preload_started;

/** `area` must outlive it. @param allocator  or NULL. Errors: UBI_ENOMEM. */
ubi_status ubi__preload_collector_new(ubi__preload_collector **out, ubi__preload_area *area,
                                      const ubi__preload_sink *sink, const ubi_allocator *allocator);
/** NULL is fine. */
void ubi__preload_collector_free(ubi__preload_collector *c);
/**
 * Reports what is there and in order. @param busy  out, or NULL: it read as much as one poll does, and there is more. What the program
 * writes meanwhile is no reason to look at once: a look costs as much as many events, so they are left to gather. Errors: UBI_ENOMEM,
 * the sink's.
 */
ubi_status ubi__preload_collector_poll(ubi__preload_collector *c, bool *busy);
/** Whether something was read and not reported, because what comes before it is missing. */
bool ubi__preload_collector_is_waiting(const ubi__preload_collector *c);
/** Whether events up to this stamp were reported, or given up. */
bool ubi__preload_collector_has_reported(const ubi__preload_collector *c, uint64_t stamp);
/**
 * What happened later than this stamp is not reported: the recording ends there, though the program notices that only when it does something
 * more. Before `finish`, once.
 */
void ubi__preload_collector_end_after(ubi__preload_collector *c, uint64_t stamp);
/** The program writes no more: reports the rest. Errors: as poll. */
ubi_status ubi__preload_collector_finish(ubi__preload_collector *c);
/**
 * Whether the program has written over the area, which is not read from then on. How much was lost is unknown, so it
 * is not among the counters: they are as they were before.
 */
bool ubi__preload_collector_is_trampled(const ubi__preload_collector *c);
/** Whether the program says that it records no more: it was asked to, or took the reader for dead. As of the last poll. */
bool ubi__preload_collector_has_stopped(const ubi__preload_collector *c);
ubi__preload_started ubi__preload_collector_started(const ubi__preload_collector *c, size_t i);
void ubi__preload_collector_counters(const ubi__preload_collector *c, ubi__preload_counters *out);

#endif
