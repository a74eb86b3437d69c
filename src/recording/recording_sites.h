/* SPDX-License-Identifier: MIT
 *
 * recording_sites.h: where a program asked for memory, and how much of it at each place.
 *
 * A site is the innermost frame of a stack that is no wrapper's, and a class of allocations. Wrappers are calls in functions with
 * names of allocators and containers, all that allocators call (known_frames.h), calls that behave like those of an
 * allocator (wrapping_frames.h), all that an interpreter calls for a script, and those of the C library, unless it keeps what it asks
 * for (known_frames.h): then that is the site. Frames with the same function, file, line and module are one site. Stacks that go through it differ in their
 * callers; the one with the most bytes is what a report shows.
 *
 * Memory: 272 bytes per site, 6 per trace, 25 per frame, and 24 per trace while it sorts.
 */
#ifndef UBI_RECORDING_RECORDING_SITES_H
#define UBI_RECORDING_RECORDING_SITES_H

#include <assert.h>

#include "recording/known_frames.h"
#include "recording/recording_summary.h"
#include "recording/tuple_table.h"

typedef struct ubi__site {
    uint32_t number; /* by the order in which they are met */
    uint32_t frame;  /* the first one; UBI_NONE: of what has no stack */
    uint32_t heavy;  /* the trace that begins with that frame and has most of what ubi__sites_sort sorted by */
    uint32_t inner;  /* the trace from `heavy` through wrappers to the allocation that has most; `heavy`: without any */
    uint32_t n_stacks;     /* that have any of it */
    uint32_t n_all_stacks; /* that have anything */
    ubi__libc_pool pool;   /* of the C library, where that keeps all of it */
    ubi__ubirec_class of_class;
    ubi__estimate by[UBI__MEASURE_COUNT];
} ubi__site;
static_assert(sizeof(ubi__site) == 272, "272 bytes per site");

UBI_VEC_DECLARE(ubi__vec_site, ubi__site);

/** What a frame has to do with the site of its stacks. */
typedef enum ubi__frame_role {
    UBI__FRAME_ASKS,      /* it is the site, if it is the first such one */
    UBI__FRAME_CONTAINER, /* of a function that is known by its name to pass requests on, or of the recorder */
    UBI__FRAME_ALLOCATOR, /* known by its name, and all that it calls belongs to it */
    UBI__FRAME_LIBC,      /* of the C library, which passes requests of its callers on */
    UBI__FRAME_WRAPPER    /* known by what it does */
} ubi__frame_role;

typedef struct ubi__sites {
    const ubi__recording_summary *summary; /* borrowed, finished */
    const ubi_allocator *allocator;
    bool is_view; /* rows alone are its own, the rest is that of others */
    ubi__vec_site rows;
    ubi__tuple_table numbers; /* what a site is known by -> its number, while they are found */
    uint32_t *top;            /* top[trace]: where it begins once wrappers are left out */
    uint8_t *pools;           /* pools[trace]: a ubi__libc_pool, of what is asked for by its frame */
    uint8_t *roles;           /* roles[frame]: a ubi__frame_role */
    uint32_t *number_of;      /* number_of[(class * 2 + is pool) * (frames + 1) + frame]: of the site, + 1; 0: none */
} ubi__sites;

/** What to sort by. */
typedef enum ubi__site_order {
    UBI__BY_LEAKED,
    UBI__BY_PEAK,
    UBI__BY_TOTAL,
    UBI__BY_COUNT,     /* of allocations */
    UBI__BY_TEMPORARY, /* their count */
    UBI__BY_LIVE,      /* bytes; of a window */
    UBI__SITE_ORDER_COUNT
} ubi__site_order;

/**
 * A trace begins at itself or at a caller, which begins at itself. Rows have the numbers from 0 on, each once, and all allocations
 * are in them, once. A heavy trace begins with the frame of its site.
 */
void ubi__sites_check(const ubi__sites *sites);
/**
 * All of a recording. Symbols that are to count are in the tables by now.
 * @param see_wrappers  look for wrappers that are known by what they do, too. @param allocator  NULL: that of the summary.
 * Errors: UBI_ENOMEM, UBI_ELIMIT. Cost: O(infos + traces), times the wrappers that wrap each other.
 */
ubi_status ubi__sites_init(ubi__sites *sites, const ubi__recording_summary *summary, bool see_wrappers,
                           const ubi_allocator *allocator);
void ubi__sites_fini(ubi__sites *sites);
/**
 * Sorts the rows, most first, equal ones by the peak, the total and the frame, finds their heavy traces and counts the stacks. Errors: UBI_ENOMEM.
 * Cost: O(infos + traces + sites * log sites).
 */
ubi_status ubi__sites_sort(ubi__sites *sites, ubi__site_order order);
/**
 * The same rows in an order of their own; all else is borrowed from `sites`, whose rows may be in any order. To be freed before them.
 * Errors and cost: as for sorting. Memory: 272 bytes per site.
 */
ubi_status ubi__sites_view(ubi__sites *out, const ubi__sites *sites, ubi__site_order order,
                           const ubi_allocator *allocator);
/** The same for another summary of the same tables, whose infos have other sums: those of rows are made of it. */
ubi_status ubi__sites_view_of(ubi__sites *out, const ubi__sites *sites, const ubi__recording_summary *summary,
                              ubi__site_order order, const ubi_allocator *allocator);
/** Cells of `number_of` for this number of frames. */
static inline size_t ubi__sites_cell_count(size_t n_frames) {
    return (n_frames + 1) * UBI__UBIREC_CLASS_COUNT * 2;
}
/** Where the number of the site of a frame (UBI_NONE: of what has no stack) is, + 1. */
static inline uint32_t *ubi__site_number_at(const ubi__sites *sites, uint32_t frame, ubi__ubirec_class of_class,
                                            bool is_pool) {
    size_t n = sites->summary->tables.frames.n;
    return &sites->number_of[((size_t)of_class * 2 + is_pool) * (n + 1) + (frame == UBI_NONE ? n : frame)];
}
struct ubi__columns;
/**
 * Passes places in whatever order (base/column_file.h). Read, `sites` is overwritten, and of this summary; free it, whatever comes of it.
 * Errors: those of passing.
 */
ubi_status ubi__sites_pass(struct ubi__columns *c, ubi__sites *sites, const ubi__recording_summary *summary);
/** Of the symbols of a frame, n > 0, the innermost one that is no allocator's; the last one if all are. */
uint32_t ubi__asking_symbol(const ubi__ubirec_tables *t, const ubi__ubirec_symbol_row *symbols, uint32_t n);
/** The number of the site that has an info; UBI_NONE: none has. */
uint32_t ubi__site_of_info(const ubi__sites *sites, uint32_t info);
/** What an order sorts by, and the measure that it belongs to. */
double ubi__site_value(const ubi__site *site, ubi__site_order order);
ubi__measure ubi__order_measure(ubi__site_order order);

#endif
