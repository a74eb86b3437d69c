/* SPDX-License-Identifier: MIT
 *
 * live_places.h: where a program that is recorded asks for memory, by function: names for the stacks of a copy
 * (targets/native/native_live.h), and sums.
 *
 * A place is the innermost function of a stack that passes no requests for memory on, by its name, and is no part of the C or
 * C++ library. Symbols are looked up for a number of frames at a time, so that no screen waits for all of them. For one thread.
 */
#ifndef UBI_CLI_LIVE_PLACES_H
#define UBI_CLI_LIVE_PLACES_H

#include "base/strtab.h"
#include "symbolize/symbolize.h"
#include "targets/native/native_live.h"

typedef struct ubi__live_place {
    ubi_str_ix name; /* in `names` of the places */
    uint64_t live_bytes, total_bytes;
} ubi__live_place;

/* What a frame turned out to be. */
typedef struct ubi__live_fact {
    uint8_t role;    /* 0: not looked at yet */
    ubi_str_ix name; /* of the place that it is, if it is one */
} ubi__live_fact;

UBI_VEC_DECLARE(ubi__vec_live_place, ubi__live_place);
UBI_VEC_DECLARE(ubi__vec_live_fact, ubi__live_fact);

typedef struct ubi__live_places {
    const ubi_allocator *allocator;
    ubi__symbolizer *symbolizer;
    uint32_t process;          /* that this is about */
    ubi__vec_u32 modules;      /* numbers in the symbolizer, of modules of the copy */
    ubi__vec_live_fact frames; /* by their number */
    ubi__vec_u32 of_traces;    /* their places: names */
    ubi__strtab names;         /* function, NUL, position */
    ubi__vec_live_place rows;  /* the largest first */
    uint64_t unnamed_bytes;    /* that live, of stacks whose names are not looked up yet */
} ubi__live_places;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__live_places_init(ubi__live_places *places, const ubi_allocator *allocator);
void ubi__live_places_fini(ubi__live_places *places);
/**
 * Looks up names for at most `n_frames` frames, and sums up. @return through `is_whole`: all have names.
 * Errors: UBI_ENOMEM. Cost: O(stacks), and the symbols.
 */
ubi_status ubi__live_places_update(ubi__live_places *places, const ubi__live_copy *copy, size_t n_frames,
                                   bool *is_whole);
/** A row's function, and its position such as "main.c:12" or "". Borrowed until the next update. */
ubi_text ubi__live_place_function(const ubi__live_places *places, const ubi__live_place *row);
ubi_text ubi__live_place_position(const ubi__live_places *places, const ubi__live_place *row);

#endif
