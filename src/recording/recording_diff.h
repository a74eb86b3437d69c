/* SPDX-License-Identifier: MIT
 *
 * recording_diff.h: what changed between two recordings, by the names of functions.
 *
 * Addresses say nothing where a program was rebuilt or loaded elsewhere, and lines move: so places, and stacks, are the same when their
 * functions have the same names, inlined ones as well. Of a compiler's copies of a function, which have endings such as ".part.0", the
 * name of the function counts. Functions without names are known by their address where both recordings have the same build of the module,
 * else all of a module's are one.
 *
 * Memory: 400 bytes per place, 24 per function with callers and 16 for finding it, 12 per frame and 1 per string while it compares.
 */
#ifndef UBI_RECORDING_RECORDING_DIFF_H
#define UBI_RECORDING_RECORDING_DIFF_H

#include "recording/flame_tree.h"

enum { UBI__DIFF_OLD, UBI__DIFF_NEW, UBI__DIFF_SIDES };

/** What asks for memory, by its name. */
typedef struct ubi__diff_place {
    ubi_str_ix name;
    uint32_t frame[UBI__DIFF_SIDES]; /* one that is named so, of what has most; UBI_NONE: there is none on this side */
    uint32_t first_stack, n_stacks;  /* in `stacks`: those that have any, what changed most first */
    ubi__estimate by[UBI__DIFF_SIDES][UBI__MEASURE_COUNT];
} ubi__diff_place;

/** A function with all of its callers, in both. */
typedef struct ubi__diff_node {
    uint32_t parent; /* a smaller number; of the root itself */
    ubi_str_ix name;
    uint64_t self[UBI__DIFF_SIDES]; /* of the measure: what was asked for there */
} ubi__diff_node;

UBI_VEC_DECLARE(ubi__vec_diff_place, ubi__diff_place);
UBI_VEC_DECLARE(ubi__vec_diff_node, ubi__diff_node);

typedef struct ubi__recording_diff {
    const ubi_allocator *allocator;
    ubi__stack_choice sides[UBI__DIFF_SIDES];
    ubi__stack_measure measure;
    double scale[UBI__DIFF_SIDES]; /* what numbers are multiplied with before they are compared */
    ubi__strtab names;
    ubi__vec_diff_node nodes; /* node 0 is the whole; what has no stack is its own */
    ubi__vec_diff_place places;
    uint32_t *stacks; /* stacks[n_stacks]: nodes */
    size_t n_stacks;
} ubi__recording_diff;

/** Nodes have smaller parents, and each stack belongs to the place of its name, once. */
void ubi__recording_diff_check(const ubi__recording_diff *d);
/**
 * @param sides, scale  of OLD and NEW; borrowed, of one class. @param measure  what stacks are compared by.
 * Errors: UBI_ENOMEM, UBI_ELIMIT; nothing is left. Cost: O((infos + traces + frames) * log strings) and sorting.
 */
ubi_status ubi__recording_diff_init(ubi__recording_diff *d, const ubi__stack_choice sides[UBI__DIFF_SIDES],
                                    const double scale[UBI__DIFF_SIDES], ubi__stack_measure measure,
                                    const ubi_allocator *allocator);
void ubi__recording_diff_fini(ubi__recording_diff *d);
/** Sorts the places: what grew most first, or what changed most, up or down; equal ones by name. */
void ubi__recording_diff_sort(ubi__recording_diff *d, bool by_growth);

/** What a place has on a side of the measure, multiplied. */
double ubi__diff_place_value(const ubi__recording_diff *d, const ubi__diff_place *place, int side);
static inline double ubi__diff_place_growth(const ubi__recording_diff *d, const ubi__diff_place *place) {
    return ubi__diff_place_value(d, place, UBI__DIFF_NEW) - ubi__diff_place_value(d, place, UBI__DIFF_OLD);
}
/** Whether anything of the measure was recorded there. */
static inline bool ubi__diff_place_has(const ubi__recording_diff *d, const ubi__diff_place *place, int side) {
    return place->by[side][d->measure.measure].samples > 0;
}
static inline ubi_text ubi__diff_name(const ubi__recording_diff *d, ubi_str_ix name) {
    return ubi__strtab_get(&d->names, name);
}

/** The name without what a compiler adds to copies of a function. */
ubi_text ubi__function_plain_name(ubi_text name);

#endif
