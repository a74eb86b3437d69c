/* SPDX-License-Identifier: MIT
 *
 * function_sums.h: what each node of the tree of stacks accounts for, by itself and with all that it called; and the same of
 * groups of frames, such as functions, wherever they are. Trees, flame graphs and lists of functions are made from these.
 *
 * The caller of a trace has a smaller number, so one pass from the last to the first makes sums inclusive.
 *
 * A function is known by its name, source file and module; a frame without a name is one for itself. What allocators and
 * wrappers ask for is their caller's, as for sites (recording_sites.h). Functions that were inlined are functions as others.
 *
 * Memory: 104 bytes per trace; 488 per function, 12 per frame.
 */
#ifndef UBI_RECORDING_FUNCTION_SUMS_H
#define UBI_RECORDING_FUNCTION_SUMS_H

#include <assert.h>

#include "recording/recording_sites.h"
#include "recording/recording_summary.h"

/* ---- traces and groups ------------------------------------------------------------------------------------------- */

/** `self` is what was asked for there, `all` is with what it called. */
typedef struct ubi__trace_sum {
    ubi__estimate self, all;
} ubi__trace_sum;

typedef struct ubi__trace_sums {
    const ubi__recording_summary *summary; /* borrowed */
    const ubi_allocator *allocator;
    ubi__trace_sum *at;                   /* at[trace]; at[0] is the whole, and its self what has no stack */
    uint32_t *first_callee, *next_callee; /* of a trace: UBI__UBIREC_NO_TRACE after the last */
} ubi__trace_sums;
static_assert(sizeof(ubi__trace_sum) + 2 * sizeof(uint32_t) == 104, "104 bytes per trace");

/** What a trace has by itself is in all that it has, and that in what its caller has; the whole is at trace 0. */
void ubi__trace_sums_check(const ubi__trace_sums *sums);
/**
 * One measure of one class. The summary is finished. Errors: UBI_ENOMEM. Cost: O(infos + traces).
 * @param top  top[trace]: the trace that what was asked for there counts for, such as that without wrappers; NULL: itself.
 * @param allocator  NULL: that of the summary.
 */
ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure, const uint32_t *top,
                                const ubi_allocator *allocator);
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

/* ---- functions --------------------------------------------------------------------------------------------------- */

typedef struct ubi__function_sum {
    uint32_t frame, symbol; /**< one of its frames, and which of that frame's symbols it is */
    ubi__estimate own[UBI__MEASURE_COUNT], all[UBI__MEASURE_COUNT];
} ubi__function_sum;

UBI_VEC_DECLARE(ubi__vec_function_sum, ubi__function_sum);

/** What frames are put together by. */
typedef enum ubi__frame_grouping {
    UBI__FRAMES_BY_FUNCTION,
    UBI__FRAMES_BY_FILE,  /**< of one without a known file: by its module */
    UBI__FRAMES_BY_MODULE /**< of a frame of a script: by its file */
} ubi__frame_grouping;

typedef struct ubi__function_sums {
    const ubi__sites *sites; /**< borrowed */
    const ubi_allocator *allocator;
    ubi__ubirec_class of_class;
    ubi__frame_grouping grouping;
    ubi__vec_function_sum rows;
    uint32_t *first_group; /**< first_group[frame], see ubi__frame_groups; numbers of groups are those of rows */
    ubi__vec_u32 group_of;
} ubi__function_sums;

/** Groups of frames ascend and are rows; what a function asked for itself is in all of its own. */
void ubi__function_sums_check(const ubi__function_sums *sums);
/** @param allocator  NULL: that of the sites. Errors: UBI_ENOMEM, UBI_ELIMIT. Cost: O(infos + traces + frames). */
ubi_status ubi__function_sums_init(ubi__function_sums *sums, const ubi__sites *sites, ubi__ubirec_class of_class,
                                   const ubi_allocator *allocator);
/** The same of files or modules, each of which is a row as a function is. */
ubi_status ubi__function_sums_init_by(ubi__function_sums *sums, const ubi__sites *sites, ubi__ubirec_class of_class,
                                      ubi__frame_grouping by, const ubi_allocator *allocator);
void ubi__function_sums_fini(ubi__function_sums *sums);

/** Who called a function when it asked for memory itself. Rows come after what they called. */
typedef struct ubi__function_caller {
    uint32_t function; /**< its row */
    uint32_t parent;   /**< the row that it called; UBI_NONE: it is the function itself, the first row */
    uint32_t depth;
    ubi__estimate by[UBI__MEASURE_COUNT];
} ubi__function_caller;

UBI_VEC_DECLARE(ubi__vec_function_caller, ubi__function_caller);

/**
 * Depth first, of one caller those with most of `measure` first.
 * @param out  empty; to be freed by the caller, also on failure. Errors: UBI_ENOMEM, UBI_ELIMIT.
 * Cost: O(infos * levels), levels at most as many as stacks are deep.
 */
ubi_status ubi__function_callers(ubi__vec_function_caller *out, const ubi__function_sums *sums, uint32_t function,
                                 uint32_t levels, ubi__measure measure);

#endif
