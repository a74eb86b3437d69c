/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints.h: what lived at some moments of a recording, and what happened between them, so that a question about a part of
 * the time, or by thread, need not read the whole file: an index has them.
 *
 * A checkpoint is where a reader was between two blocks of the file, what lived there, and the sums of what came up to the next one, as
 * a window of time of its own has them. A window is then put together: events up to the first checkpoint in it are read, sums between
 * checkpoints are added, and events after the last one are read. What is of two parts, such as how long something lived that one
 * part allocated and another one freed, is kept with what lived at the checkpoint between them. The result is equal to the last bit.
 *
 * There are checkpoints of exact recordings of one process without markers, whose sums are whole numbers. Of others, and of small ones, there
 * are none, and questions read the file.
 *
 * Memory and size: of each checkpoint 6 bytes for what lives, and 2 to 3 for each info and thread that allocated it since the last one.
 */
#ifndef UBI_RECORDING_RECORDING_CHECKPOINTS_H
#define UBI_RECORDING_RECORDING_CHECKPOINTS_H

#include "recording/recording_summary.h"
#include "recording/ubirec_cursor.h"
#include "recording/ubirec_reader.h"

/** Of these there are at most. */
#define UBI__CHECKPOINTS 48
/** Fewer events than these lie between two only at the end. */
#define UBI__CHECKPOINT_EVENTS UINT64_C(500000)

/** Of a class, from one checkpoint to the next. */
typedef struct ubi__checkpoint_class {
    uint64_t count, n_frees, bytes, peak_bytes, peak_time_ns;
} ubi__checkpoint_class;

/** Where parts of `bytes` begin: threads' states and what lives; and, not of the last one, the sums up to the next one. */
typedef struct ubi__checkpoint {
    ubi__ubirec_place place;
    uint64_t rss_last_bytes, double_frees;
    uint64_t threads_at, live_at, sums_at;
    uint64_t rss_peak_bytes, rss_peak_time_ns; /* from here on up to the next one, as all that follows */
    uint64_t is_crossed; /* a free from before was taken back: sums cannot be added to those before */
    ubi__checkpoint_class classes[UBI__UBIREC_CLASS_COUNT];
    ubi__estimate lifetimes[UBI__LIFETIME_BUCKETS]; /* of what was allocated and freed between the two */
} ubi__checkpoint;

/** What allocated what: the makers of a summary by thread, in the order in which they came. */
typedef struct ubi__checkpoint_maker {
    uint32_t info, thread;
} ubi__checkpoint_maker;

/** A free that was taken back. */
typedef struct ubi__checkpoint_undone {
    uint64_t number, time_ns;
    uint32_t info, thread;
} ubi__checkpoint_undone;

UBI_VEC_DECLARE(ubi__vec_checkpoint, ubi__checkpoint);
UBI_VEC_DECLARE(ubi__vec_checkpoint_maker, ubi__checkpoint_maker);
UBI_VEC_DECLARE(ubi__vec_checkpoint_undone, ubi__checkpoint_undone);

typedef struct ubi__recording_checkpoints {
    const ubi_allocator *allocator;
    ubi__vec_checkpoint
        rows; /* the first is the beginning of the file, the last its end; none: questions read the file */
    ubi__vec_checkpoint_maker makers;
    ubi__vec_checkpoint_undone undone;
    ubi__vec_u8 bytes;
    ubi__vec_u8 curve; /* what each stack had by time; empty: unknown */
} ubi__recording_checkpoints;

/** Rows are in the order of the file, and begin where they may. O(rows). */
void ubi__recording_checkpoints_check(const ubi__recording_checkpoints *c);
void ubi__recording_checkpoints_init(ubi__recording_checkpoints *c, const ubi_allocator *allocator);
void ubi__recording_checkpoints_fini(ubi__recording_checkpoints *c);

/**
 * Reads a file once more, of which `whole` is the summary. Without rows, if it is not of the right sort.
 * @param out  to be freed, whatever comes of it. @param least_events  between two. @param threads  as in ubi__summary_choice.
 * @param progress  or NULL. Errors: those of the source, UBI_ENOMEM, UBI_ECANCELLED. Cost: twice that of a summary.
 */
ubi_status ubi__recording_checkpoints_take(ubi__recording_checkpoints *out, const ubi__recording_summary *whole,
                                           ubi__source *source, uint64_t least_events, unsigned threads,
                                           const ubi_progress *progress, const ubi_allocator *allocator);
struct ubi__columns;
/** Passes them, of a recording that is passed already. Read, `c` is overwritten; free it, whatever comes of it. Errors: those of passing. */
ubi_status ubi__recording_checkpoints_pass(struct ubi__columns *columns, ubi__recording_checkpoints *c,
                                           const ubi__recording_summary *whole);

/**
 * The summary of a window, or of all by thread, as ubi__recording_summary_read_choice makes it; its tables are those of `whole`, which must stay.
 * @param found   out: false: there is none, and the file must be read.
 * @param source  of the file that `whole` and `c` are of, at its beginning, which can be rewound.
 * Errors: UBI_EFORMAT: the checkpoints are damaged, or of another file; those of reading. Nothing is left then.
 */
ubi_status ubi__recording_checkpoints_window(ubi__recording_summary *out, bool *found,
                                             const ubi__recording_checkpoints *c, const ubi__recording_summary *whole,
                                             ubi__source *source, const ubi__summary_choice *choice,
                                             const ubi_progress *progress, const ubi_allocator *allocator);

struct ubi__site_curves;
/**
 * Curves of places of the heap, in the whole time, as all events make them (site_curves.h).
 * @param curves  without points. @param found  out: false: the events must be read. Errors: UBI_EFORMAT: damaged; UBI_ENOMEM.
 */
ubi_status ubi__recording_checkpoints_curves(struct ubi__site_curves *curves, bool *found,
                                             const ubi__recording_checkpoints *c);

/* ---- their bytes ------------------------------------------------------------------------------------------------------ */

/*
 * Numbers are as in recordings (ubirec_cursor.h). Lists begin with how many there are; numbers of makers and threads in them ascend, and are
 * less the one before.
 *
 * threads:  last_allocation, last_maker, 1 if the last thing was a free; of all threads so far
 * live:     number less the one before; maker * 8 + fate; milliseconds when it was made, less those of the one before, as ubi__zigzag has them
 * sums:     makers: number, count * 2 + has temporary ones, these
 *           makers that had something at the maximum: number, how many
 *           threads: number, count and bytes that it allocated, freed, and temporary ones
 *           temporary ones of two parts: number of the allocation, maker, thread that freed
 *           curve: how many points, milliseconds of each, number of the first; of each the most that lived, and was resident
 * curve:    nanoseconds of a span, how many spans; of each, when most of the heap lived: bytes, and of how many stacks; of each of these the
 *           number, which ascends as above, and bytes
 */

/** What became of what lived at a checkpoint, up to the next: bucket of its lifetime if it was of the heap and freed; or this. */
#define UBI__FATE_NONE UBI__LIFETIME_BUCKETS
#define UBI__FATE_BITS 3
static_assert(UBI__FATE_NONE < 1 << UBI__FATE_BITS, "a fate fits into its bits");

/** Something that lived. */
typedef struct ubi__checkpoint_live {
    uint64_t number;
    uint32_t ms, maker;
    uint8_t fate;
} ubi__checkpoint_live;

static inline uint64_t ubi__zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}
static inline int64_t ubi__unzigzag(uint64_t value) {
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif
