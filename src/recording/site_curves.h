/* SPDX-License-Identifier: MIT
 *
 * site_curves.h: how much of some places was alive by time, beside all that was: fed the events of a recording (event_stream.h).
 *
 * The time is divided into equal spans. Of each there is the moment at which most was alive, or when the span began, and what each place
 * had then; so places add up to the whole, with the rest of it.
 *
 * Memory: 8 bytes per span and place; 4 per info; and per live block what the stream takes.
 */
#ifndef UBI_RECORDING_SITE_CURVES_H
#define UBI_RECORDING_SITE_CURVES_H

#include "recording/event_stream.h"
#include "recording/recording_sites.h"

/** Spans, unless the time is shorter in nanoseconds. */
#define UBI__SITE_CURVE_POINTS 120

typedef struct ubi__site_curves {
    const ubi__sites *sites; /* borrowed */
    const ubi_allocator *allocator;
    uint64_t from_ns, end_ns, step_ns;
    size_t n_points, n_sites; /* points so far */
    uint64_t *at;             /* at[point * (n_sites + 1)]: all that lived; after it what of it each site had */
    uint64_t *now;            /* now[n_sites + 1]: the same of this moment */
    uint32_t *slot_of;        /* slot_of[info]: where in `now`; 0: of another site; UBI_NONE: of another class */
} ubi__site_curves;

/**
 * @param rows  rows[n_sites] of sites->rows, each once, all of one class. @param end_ns  behind the last moment.
 * @param allocator  NULL: the default.
 * Errors: UBI_ENOMEM, and nothing is left.
 */
ubi_status ubi__site_curves_init(ubi__site_curves *c, const ubi__sites *sites, ubi__ubirec_class of_class,
                                 const uint32_t *rows, size_t n_sites, uint64_t from_ns, uint64_t end_ns,
                                 const ubi_allocator *allocator);
void ubi__site_curves_fini(ubi__site_curves *c);
/** The `event` of a stream with is_of_all, with the curves as payload. */
ubi_status ubi__site_curves_event(void *curves, const ubi__stream_event *event);
/** After the last event: the rest of the time is as it was then. */
void ubi__site_curves_finish(ubi__site_curves *c);
/** What lived at a point: of a site by its index in `rows` + 1; 0: of all. */
static inline uint64_t ubi__site_curves_at(const ubi__site_curves *c, size_t point, size_t slot) {
    return c->at[point * (c->n_sites + 1) + slot];
}

#endif
