/* SPDX-License-Identifier: MIT
 *
 * trace_sums.h: what each node of the tree of stacks accounts for, by itself and with all that it called; and the same of
 * functions, wherever they stand. What trees, flame graphs and lists of functions are made from.
 *
 * The caller of a trace has a smaller number, so one pass from the last to the first makes sums inclusive.
 * Memory: 40 bytes per trace.
 */
#ifndef UBI_RECORDING_TRACE_SUMS_H
#define UBI_RECORDING_TRACE_SUMS_H

#include "recording/recording_summary.h"

/** Estimates, in sampled recordings. `self` is what was asked for there, the others are with what it called. */
typedef struct ubi__trace_sum {
    double self_bytes, self_count;
    double bytes, count;
} ubi__trace_sum;

typedef struct ubi__trace_sums {
    const ubi__recording_summary *summary; /* borrowed */
    ubi__trace_sum *at;                    /* at[trace]; at[0] is the whole, and its self what has no stack */
    uint32_t *first_callee, *next_callee;  /* of a trace: UBI__UBIREC_NO_TRACE behind the last */
} ubi__trace_sums;

/** One measure of one class. The summary is finished. Errors: UBI_ENOMEM. Cost: O(infos + traces). */
ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure);
void ubi__trace_sums_fini(ubi__trace_sums *sums);

/**
 * Sums by group of frames, such as functions. A stack counts once for each group on it, however often it is there, so recursion
 * counts no bytes twice.
 *
 * @param out       out[n_groups], overwritten.
 * @param group_of  group_of[frame], below n_groups; NULL: each frame is a group.
 * Errors: UBI_ENOMEM. Cost: O(traces + groups).
 */
ubi_status ubi__group_sums(ubi__trace_sum *out, uint32_t n_groups, const ubi__trace_sums *sums,
                           const uint32_t *group_of);

#endif
