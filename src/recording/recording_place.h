/* SPDX-License-Identifier: MIT
 *
 * recording_place.h: the functions of a stack, one after the other, from the allocation outwards.
 *
 * A frame is one place, or several where functions were inlined. What only passes requests for memory on comes before the place that
 * asks (recording_sites.h); a walk begins in front of it or at it.
 */
#ifndef UBI_RECORDING_RECORDING_PLACE_H
#define UBI_RECORDING_RECORDING_PLACE_H

#include "recording/recording_sites.h"

/** One function of a stack. Texts are borrowed from the tables, empty when unknown. */
typedef struct ubi__recording_place {
    ubi_text function, file, module;
    uint32_t line, column;
    uint64_t address; /* of a native frame: in its module; of a raw one: in memory */
    bool has_address;
    bool is_inlined; /* its code is in the next function */
} ubi__recording_place;

/** A walk over a stack. What comes next is a symbol of a trace's frame. */
typedef struct ubi__recording_walk {
    const ubi__ubirec_tables *tables;
    uint32_t trace, symbol;
    uint32_t end_trace, end_symbol; /* exclusive; UBI__UBIREC_NO_TRACE: the stack's end */
} ubi__recording_walk;

/** The whole stack of a trace, or without the wrappers that are inlined in its frame. */
void ubi__recording_walk_whole(ubi__recording_walk *walk, const ubi__ubirec_tables *t, uint32_t trace);
void ubi__recording_walk_trace(ubi__recording_walk *walk, const ubi__ubirec_tables *t, uint32_t trace);
/** The heaviest stack of a site. Sites are sorted by now. */
void ubi__recording_walk_stack(ubi__recording_walk *walk, const ubi__ubirec_tables *t, const ubi__site *site);
/** What comes before that: wrappers. */
void ubi__recording_walk_wrappers(ubi__recording_walk *walk, const ubi__ubirec_tables *t, const ubi__site *site);
/** The next place; false after the last. */
bool ubi__recording_walk_next(ubi__recording_walk *walk, ubi__recording_place *out);

/** What a frame says of a place, or one of its symbols. */
void ubi__recording_frame_place(ubi__recording_place *out, const ubi__ubirec_tables *t, uint32_t frame,
                                uint32_t symbol);
/** The first symbol of a trace's frame that asks for memory; 0 where it has none. */
uint32_t ubi__recording_asking_symbol(const ubi__ubirec_tables *t, uint32_t trace);
/** Where a site is, without its callers. False: it has no stack. */
bool ubi__recording_site_place(ubi__recording_place *out, const ubi__ubirec_tables *t, const ubi__site *site);
/** The next call taken for a wrapper's, from *frame on; moves *frame past it. False: there is none. */
bool ubi__recording_wrapper(ubi__recording_place *out, const ubi__sites *sites, uint32_t *frame);

/** Name of a place: the function, or module and address, or what is known; NUL-terminated, cut to `n` bytes. */
void ubi__recording_place_name(char *out, size_t n, const ubi__recording_place *place);
/** "widget.c:31", "libfoo.so", or ""; NUL-terminated, cut to `n` bytes. */
void ubi__recording_place_position(char *out, size_t n, const ubi__recording_place *place);

#endif
