/* SPDX-License-Identifier: MIT
 *
 * recording_sites.h: where a program asked for memory, and how much of it at each place.
 *
 * A site is the innermost frame of a stack that is no allocator's (allocator_frames.h), and a class of allocations. Stacks
 * that go through it differ in their callers; the one with the most bytes is what a report shows.
 *
 * Memory: 180 bytes per site, 13 per trace, and 16 per trace while it sorts.
 */
#ifndef UBI_RECORDING_RECORDING_SITES_H
#define UBI_RECORDING_RECORDING_SITES_H

#include "recording/recording_summary.h"
#include "recording/tuple_table.h"

typedef struct ubi__site {
    uint32_t frame;    /* UBI_NONE: of what has no stack */
    uint32_t heavy;    /* the trace that begins with that frame and has most of what ubi__sites_sort sorted by */
    uint32_t n_stacks; /* that have any of it */
    ubi__ubirec_class of_class;
    ubi__estimate by[UBI__MEASURE_COUNT];
} ubi__site;

UBI_VEC_DECLARE(ubi__vec_site, ubi__site);

typedef struct ubi__sites {
    const ubi__recording_summary *summary; /* borrowed, finished */
    ubi__vec_site rows;
    ubi__tuple_table numbers; /* (frame, class) -> row, while they are found */
    uint32_t *top;            /* top[trace]: where it begins once allocators are left out */
    uint8_t *is_allocator;    /* is_allocator[frame] */
} ubi__sites;

/** What to sort by. */
typedef enum ubi__site_order {
    UBI__BY_LEAKED,
    UBI__BY_PEAK,
    UBI__BY_TOTAL,
    UBI__BY_COUNT,     /* of allocations */
    UBI__BY_TEMPORARY, /* their count */
    UBI__SITE_ORDER_COUNT
} ubi__site_order;

/** All of a recording. Symbols that are to count are in the tables by now. Errors: UBI_ENOMEM, UBI_ELIMIT. */
ubi_status ubi__sites_init(ubi__sites *sites, const ubi__recording_summary *summary);
void ubi__sites_fini(ubi__sites *sites);
/**
 * Sorts the rows, most first, equal ones by frame, finds their heavy traces and counts the stacks. Errors: UBI_ENOMEM.
 * Cost: O(infos + traces + sites * log sites).
 */
ubi_status ubi__sites_sort(ubi__sites *sites, ubi__site_order order);
/** What an order sorts by, and the measure that it belongs to. */
double ubi__site_value(const ubi__site *site, ubi__site_order order);
ubi__measure ubi__order_measure(ubi__site_order order);

#endif
