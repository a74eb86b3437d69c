/* SPDX-License-Identifier: MIT
 *
 * function_sums.h: what each function of a recorded program asked for, itself and with all that it called.
 *
 * A function is known by its name, source file and module; a frame without a name is one for itself. What allocators and
 * wrappers ask for is their caller's, as for sites (recording_sites.h). Functions that were inlined are functions as others.
 *
 * Memory: 400 bytes per function, 12 per frame; 104 per trace for the time being.
 */
#ifndef UBI_RECORDING_FUNCTION_SUMS_H
#define UBI_RECORDING_FUNCTION_SUMS_H

#include "recording/recording_sites.h"
#include "recording/trace_sums.h"

typedef struct ubi__function_sum {
    uint32_t frame, symbol; /**< one of its frames, and which of that frame's symbols it is */
    ubi__estimate own[UBI__MEASURE_COUNT], all[UBI__MEASURE_COUNT];
} ubi__function_sum;

UBI_VEC_DECLARE(ubi__vec_function_sum, ubi__function_sum);

typedef struct ubi__function_sums {
    const ubi__sites *sites; /**< borrowed */
    ubi__ubirec_class of_class;
    ubi__vec_function_sum rows;
    uint32_t *first_group; /**< first_group[frame], see ubi__frame_groups; numbers of groups are those of rows */
    ubi__vec_u32 group_of;
} ubi__function_sums;

/** Errors: UBI_ENOMEM, UBI_ELIMIT. Cost: O(infos + traces + frames). */
ubi_status ubi__function_sums_init(ubi__function_sums *sums, const ubi__sites *sites, ubi__ubirec_class of_class);
void ubi__function_sums_fini(ubi__function_sums *sums);

/** Who called a function when it asked for memory itself. Rows stand behind what they called. */
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
