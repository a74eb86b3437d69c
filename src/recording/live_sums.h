/* SPDX-License-Identifier: MIT
 *
 * live_sums.h: what of a program's heap lives now, by stack, while events come in: for those that look while it runs.
 *
 * Stacks and frames have the numbers that they have in the recording. Sums are weighted: of a sampled recording they are
 * estimates. One thread at a time.
 *
 * Memory: 48 to 64 bytes per block that lives, 40 per stack, 16 per frame.
 */
#ifndef UBI_RECORDING_LIVE_SUMS_H
#define UBI_RECORDING_LIVE_SUMS_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

/** A stack, as it grows from its caller. */
typedef struct ubi__live_trace {
    uint32_t caller; /* another stack; 0: none */
    uint32_t frame;  /* UBI_NONE: unknown */
    uint64_t live_bytes, total_bytes;
    double live_count;
} ubi__live_trace;

typedef struct ubi__live_frame {
    uint32_t module; /* UBI_NONE: it is in no file */
    uint64_t offset; /* in the module, of a return address */
} ubi__live_frame;

UBI_VEC_DECLARE(ubi__vec_live_trace, ubi__live_trace);
UBI_VEC_DECLARE(ubi__vec_live_frame, ubi__live_frame);

/** The largest value in each of these steps of time, at most, which get longer. */
#define UBI__LIVE_STEPS 240
typedef struct ubi__live_curve {
    uint64_t step_us;
    size_t n;
    uint64_t at[UBI__LIVE_STEPS];
} ubi__live_curve;

typedef struct ubi__live_totals {
    uint64_t live_bytes, peak_bytes, peak_us, total_bytes;
    double live_count, total_count;
} ubi__live_totals;

/** A block that lives. */
typedef struct ubi__live_weight {
    uint64_t number; /* of its allocation, + 1; 0: empty slot */
    uint64_t weight_bytes;
    double count; /* how many it stands for */
    uint32_t trace;
} ubi__live_weight;

static inline bool ubi__live_weight_is_used(const ubi__live_weight *slot) {
    return slot->number != 0;
}
static inline uint64_t ubi__live_weight_hash(const ubi__live_weight *slot) {
    return ubi__hash_u64(slot->number);
}
UBI_TABLE_DECLARE(ubi__live_weights, ubi__live_weight, ubi__live_weight_is_used, ubi__live_weight_hash);

typedef struct ubi__live_sums {
    const ubi_allocator *allocator;
    ubi__vec_live_trace traces; /* by their number; 0 stands for what has no stack */
    ubi__vec_live_frame frames; /* by their number */
    ubi__live_weights blocks;
    ubi__live_totals totals;
    ubi__live_curve curve;
} ubi__live_sums;

void ubi__live_sums_init(ubi__live_sums *sums, const ubi_allocator *allocator);
void ubi__live_sums_fini(ubi__live_sums *sums);
/** What lives is what stacks have together; no more than the peak. O(stacks). */
void ubi__live_sums_check(const ubi__live_sums *sums);
/** A frame in a file; others need not be made known. The same may come again. Errors: UBI_ENOMEM. */
ubi_status ubi__live_sums_frame(ubi__live_sums *sums, uint32_t frame, uint32_t module, uint64_t offset);
/** A stack, after its caller. The same may come again. Errors: UBI_ENOMEM. */
ubi_status ubi__live_sums_trace(ubi__live_sums *sums, uint32_t trace, uint32_t caller, uint32_t frame);
/** @param number  of the allocation, of which none lives. Errors: UBI_ENOMEM, and nothing is counted. */
ubi_status ubi__live_sums_alloc(ubi__live_sums *sums, uint64_t number, uint32_t trace, uint64_t size_bytes,
                                uint64_t weight_bytes, uint64_t time_us);
/** Of one that was not counted: does nothing. */
void ubi__live_sums_free(ubi__live_sums *sums, uint64_t number, uint64_t time_us);

/** Time has passed: what lives now has lived until then. Times before are taken for the last one. */
void ubi__live_curve_note(ubi__live_curve *curve, uint64_t time_us, uint64_t bytes);

#endif
