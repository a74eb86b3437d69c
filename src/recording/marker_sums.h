/* SPDX-License-Identifier: MIT
 *
 * marker_sums.h: what a recorded program allocated while its markers were open: allocations by the innermost open marker.
 *
 * Fed the records of a file in their order. A thread has a stack of open markers; an END closes the innermost of its name, which
 * need not be the innermost of all. An allocation belongs to the innermost one that is open on its thread, and stays there: what
 * of it is not freed at the end is "live".
 *
 * Memory: 40 bytes per thread, 200 per name, 24 to 48 per live allocation that belongs to one.
 */
#ifndef UBI_RECORDING_MARKER_SUMS_H
#define UBI_RECORDING_MARKER_SUMS_H

#include "base/u64_map.h"
#include "recording/estimate.h"
#include "recording/live_table.h"
#include "recording/ubirec_reader.h"

/** Markers of a name. */
typedef struct ubi__marker_group {
    ubi_str_ix name;   /* a string of the file */
    uint32_t unused;   /* 0 */
    uint64_t count;    /* STARTs and TIMESTAMPs */
    uint64_t n_ended;  /* STARTs with an END */
    uint64_t total_ns; /* from these STARTs to their ENDs; of what was open in itself, once */
    uint64_t longest_ns;
    ubi__estimate allocated; /* while it was the innermost one; heap only */
    ubi__estimate live;      /* of that, not freed at the end; once it is finished */
} ubi__marker_group;

/** A marker that is open on a thread. */
typedef struct ubi__open_marker {
    uint32_t group;
    uint64_t start_ns;
    uint64_t counted_ns; /* of its time, what those of its name within it have counted already */
} ubi__open_marker;

/** Of more than these, on one thread, the outermost are forgotten. */
#define UBI__OPEN_MARKERS 256

UBI_VEC_DECLARE(ubi__vec_marker_group, ubi__marker_group);
UBI_VEC_DECLARE(ubi__vec_open_marker, ubi__open_marker);

/** What is known about a thread. */
typedef struct ubi__marker_thread {
    ubi__vec_open_marker open; /* the innermost last */
    uint64_t freed_number;     /* number + 1 of the last allocation that it freed and that belonged to a marker */
    uint32_t freed_group;      /* to which */
} ubi__marker_thread;

UBI_VEC_DECLARE(ubi__vec_marker_thread, ubi__marker_thread);

typedef struct ubi__marker_sums {
    const ubi_allocator *allocator;
    ubi__vec_marker_group groups; /* in the order in which their names came */
    ubi__u64_map group_of_name;
    ubi__vec_marker_thread threads; /* by their number in the file */
    ubi__live_table owned;          /* number + 1 of a live allocation -> its group */
} ubi__marker_sums;

/** Each name has one group; what is open and what is owned is of a group; ENDs are of STARTs. */
void ubi__marker_sums_check(const ubi__marker_sums *m);
void ubi__marker_sums_init(ubi__marker_sums *m, const ubi_allocator *allocator);
void ubi__marker_sums_fini(ubi__marker_sums *m);

/** What came so far does not count; what is open begins now. */
void ubi__marker_sums_begin(ubi__marker_sums *m, uint64_t time_ns);
/** The next thread of the file; before what it does. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_sums_add_thread(ubi__marker_sums *m);
/** A marker of the file. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_sums_add(ubi__marker_sums *m, const ubi__ubirec_record *record);
/** What an allocation by this thread belongs to; UBI_NONE: no marker is open. */
uint32_t ubi__marker_sums_group(const ubi__marker_sums *m, uint32_t thread);
/** Allocation `number` belongs to a group. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_sums_own(ubi__marker_sums *m, uint64_t number, uint32_t group);
/** It was freed by a thread. */
void ubi__marker_sums_freed(ubi__marker_sums *m, uint64_t number, uint32_t thread);
/** It was not, after all. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_sums_undone(ubi__marker_sums *m, uint64_t number, uint32_t thread);
/** Its process ended without freeing it. @return its group; UBI_NONE: it belongs to none. */
uint32_t ubi__marker_sums_left(ubi__marker_sums *m, uint64_t number);
/** The group of a live allocation; UBI_NONE: it belongs to none. */
uint32_t ubi__marker_sums_owner(const ubi__marker_sums *m, uint64_t number);

#endif
