/* SPDX-License-Identifier: MIT
 *
 * trace_sums.h: what each node of the tree of stacks accounts for, by itself and with all that it called; and the same of
 * functions, wherever they stand. What trees, flame graphs and lists of functions are made from.
 *
 * The caller of a trace has a smaller number, so one pass from the last to the first makes sums inclusive.
 * Memory: 104 bytes per trace.
 */
#ifndef UBI_RECORDING_TRACE_SUMS_H
#define UBI_RECORDING_TRACE_SUMS_H

#include "recording/recording_summary.h"

/** `self` is what was asked for there, `all` is with what it called. */
typedef struct ubi__trace_sum {
    ubi__estimate self, all;
} ubi__trace_sum;

typedef struct ubi__trace_sums {
    const ubi__recording_summary *summary; /* borrowed */
    ubi__trace_sum *at;                    /* at[trace]; at[0] is the whole, and its self what has no stack */
    uint32_t *first_callee, *next_callee;  /* of a trace: UBI__UBIREC_NO_TRACE behind the last */
} ubi__trace_sums;

/**
 * One measure of one class. The summary is finished. Errors: UBI_ENOMEM. Cost: O(infos + traces).
 * @param top  top[trace]: the trace that what was asked for there counts for, such as that without wrappers; NULL: itself.
 */
ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure, const uint32_t *top);
void ubi__trace_sums_fini(ubi__trace_sums *sums);

/** What frames belong to: of[first[frame]] up to of[first[frame + 1]], the innermost first; of inlined functions, there are several. */
typedef struct ubi__frame_groups {
    const uint32_t *first, *of;
    uint32_t n; /**< groups */
} ubi__frame_groups;

/**
 * Sums by group of frames, such as functions. A stack counts once for each group on it, however often it is there, so recursion
 * counts no bytes twice. What was asked for at a frame is the innermost group's own.
 *
 * @param out     out[groups->n], overwritten.
 * Errors: UBI_ENOMEM. Cost: O(traces + groups), times the groups of a frame.
 */
ubi_status ubi__group_sums(ubi__trace_sum *out, const ubi__trace_sums *sums, const ubi__frame_groups *groups);

#endif
