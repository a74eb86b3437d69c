/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints_curve.c: what places of the heap had by time, from what stacks had (recording_checkpoints.h).
 */
#include "base/assert.h"
#include "base/status.h"
#include "recording/recording_checkpoints.h"
#include "recording/recording_window_inside.h"
#include "recording/site_curves.h"

/* Places are those of stacks: all infos of one have the same. */
static void slots_of_traces(uint32_t *slot_of, const ubi__site_curves *curves) {
    const ubi__ubirec_tables *t = &curves->sites->summary->tables;
    for (size_t i = 0; i < t->traces.n; i++)
        slot_of[i] = UBI_NONE;
    for (uint32_t i = 0; i < t->infos.n; i++)
        if (curves->slot_of[i] != UBI_NONE)
            slot_of[t->infos.at[i].trace] = curves->slot_of[i];
}

static void point_read(ubi__site_curves *curves, ubi__cursor *c, const uint32_t *slot_of, size_t n_traces) {
    uint64_t *at = &curves->at[curves->n_points++ * (curves->n_sites + 1)];
    at[0] = ubi__cursor_get(c);
    uint64_t n = ubi__cursor_get(c), trace = 0;
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        uint64_t step = ubi__cursor_get(c), bytes = ubi__cursor_get(c);
        if (step >= n_traces - trace || slot_of[trace + step] == UBI_NONE)
            ubi__cursor_fail(c, "");
        trace += c->fault ? 0 : step;
        if (!c->fault && slot_of[trace])
            at[slot_of[trace]] += bytes;
    }
}

static ubi_status points_read(ubi__site_curves *curves, bool *found, ubi__cursor c, const uint32_t *slot_of) {
    uint64_t step_ns = ubi__cursor_get(&c), n = ubi__cursor_get(&c);
    if (step_ns != curves->step_ns || curves->from_ns != 0)
        return UBI_OK;
    if (n != (curves->end_ns - 1) / step_ns + 1)
        return ubi__checkpoints_fail();
    while (curves->n_points < n && !c.fault)
        point_read(curves, &c, slot_of, curves->sites->summary->tables.traces.n);
    *found = !c.fault;
    return c.fault ? ubi__checkpoints_fail() : UBI_OK;
}

ubi_status ubi__recording_checkpoints_curves(ubi__site_curves *curves, bool *found,
                                             const ubi__recording_checkpoints *c) {
    size_t n_traces = curves->sites->summary->tables.traces.n;
    UBI_ASSERT(curves->n_points == 0);
    *found = false;
    if (c->curve.n == 0)
        return UBI_OK;
    uint32_t *slot_of = ubi__alloc_array(curves->allocator, n_traces + 1, sizeof *slot_of);
    if (!slot_of)
        return ubi__fail_nomem();
    slots_of_traces(slot_of, curves);
    ubi_status status =
        points_read(curves, found, (ubi__cursor){ c->curve.at, c->curve.at + c->curve.n, UBI__NO_FAULT }, slot_of);
    ubi__free_array(curves->allocator, slot_of, n_traces + 1, sizeof *slot_of);
    if (!*found)
        curves->n_points = 0;
    return status;
}
