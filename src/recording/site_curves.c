/* SPDX-License-Identifier: MIT
 *
 * site_curves.c: see site_curves.h.
 */
#include "recording/site_curves.h"

#include <string.h>

#include "base/assert.h"
#include "base/status.h"

static size_t slot_count(const ubi__site_curves *c) {
    return c->n_sites + 1;
}

/* Sites by their numbers, then infos by their sites. */
static void slots_find(ubi__site_curves *c, ubi__ubirec_class of_class, const uint32_t *rows, uint32_t *slot_of_site) {
    const ubi__ubirec_tables *t = &c->sites->summary->tables;
    for (size_t i = 0; i < c->n_sites; i++)
        slot_of_site[c->sites->rows.at[rows[i]].number] = (uint32_t)i + 1;
    for (uint32_t i = 0; i < t->infos.n; i++) {
        bool is_of_class = t->kinds.at[t->infos.at[i].kind].class_of_kind == of_class;
        uint32_t site = ubi__site_of_info(c->sites, i);
        c->slot_of[i] = !is_of_class ? UBI_NONE : site < c->sites->rows.n ? slot_of_site[site] : 0;
    }
}

static ubi_status room_get(ubi__site_curves *c, uint32_t **slot_of_site) {
    const ubi_allocator *a = c->allocator;
    c->at = ubi__calloc_array(a, UBI__SITE_CURVE_POINTS * slot_count(c), sizeof *c->at);
    c->now = ubi__calloc_array(a, slot_count(c), sizeof *c->now);
    c->slot_of = ubi__calloc_array(a, c->sites->summary->tables.infos.n + 1, sizeof *c->slot_of);
    *slot_of_site = ubi__calloc_array(a, c->sites->rows.n + 1, sizeof **slot_of_site);
    return c->at && c->now && c->slot_of && *slot_of_site ? UBI_OK : ubi__fail_nomem();
}

ubi_status ubi__site_curves_init(ubi__site_curves *c, const ubi__sites *sites, ubi__ubirec_class of_class,
                                 const uint32_t *rows, size_t n_sites, uint64_t from_ns, uint64_t end_ns,
                                 const ubi_allocator *allocator) {
    uint64_t ns = end_ns > from_ns ? end_ns - from_ns : 1;
    uint32_t *slot_of_site = NULL;
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    *c = (ubi__site_curves){ .sites = sites,
                             .allocator = a,
                             .from_ns = from_ns,
                             .end_ns = from_ns + ns,
                             .step_ns = (ns - 1) / UBI__SITE_CURVE_POINTS + 1,
                             .n_sites = n_sites };
    ubi_status status = room_get(c, &slot_of_site);
    if (status == UBI_OK)
        slots_find(c, of_class, rows, slot_of_site);
    ubi__free_array(a, slot_of_site, sites->rows.n + 1, sizeof *slot_of_site);
    if (status != UBI_OK)
        ubi__site_curves_fini(c);
    return status;
}

void ubi__site_curves_fini(ubi__site_curves *c) {
    const ubi_allocator *a = c->allocator;
    ubi__free_array(a, c->at, UBI__SITE_CURVE_POINTS * slot_count(c), sizeof *c->at);
    ubi__free_array(a, c->now, slot_count(c), sizeof *c->now);
    ubi__free_array(a, c->slot_of, c->sites->summary->tables.infos.n + 1, sizeof *c->slot_of);
    c->at = c->now = NULL;
    c->slot_of = NULL;
}

static void point_take(ubi__site_curves *c, size_t point) {
    memcpy(&c->at[point * slot_count(c)], c->now, slot_count(c) * sizeof *c->now);
}

/* Points up to that of a time begin with what lives now. */
static void points_reach(ubi__site_curves *c, uint64_t time_ns) {
    size_t at = (size_t)((time_ns - c->from_ns) / c->step_ns);
    UBI_ASSERT(at < UBI__SITE_CURVE_POINTS);
    while (c->n_points <= at)
        point_take(c, c->n_points++);
}

/* More than 2^64 - 1 bytes are that; no real recording has them. */
static void bytes_change(uint64_t *sum, uint64_t bytes, bool is_free) {
    if (is_free)
        *sum -= bytes < *sum ? bytes : *sum;
    else if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

ubi_status ubi__site_curves_event(void *curves, const ubi__stream_event *event) {
    ubi__site_curves *c = curves;
    uint32_t slot = c->slot_of[event->info];
    uint64_t bytes = c->sites->summary->tables.infos.at[event->info].weight_bytes;
    bool is_shown = event->time_ns >= c->from_ns;
    if (slot == UBI_NONE || event->time_ns >= c->end_ns)
        return UBI_OK;
    if (is_shown)
        points_reach(c, event->time_ns);
    bytes_change(&c->now[0], bytes, event->is_free);
    if (slot)
        bytes_change(&c->now[slot], bytes, event->is_free);
    if (is_shown && c->now[0] > ubi__site_curves_at(c, c->n_points - 1, 0))
        point_take(c, c->n_points - 1);
    return UBI_OK;
}

void ubi__site_curves_finish(ubi__site_curves *c) {
    points_reach(c, c->end_ns - 1);
}
