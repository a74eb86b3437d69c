/* SPDX-License-Identifier: MIT
 *
 * live_sums.c: see live_sums.h.
 */
#include "recording/live_sums.h"

#include "base/status.h"
#include "recording/estimate.h"

#define FIRST_STEP_US 5000

static bool is_weight_of(const void *unused, const ubi__live_weight *slot, uint64_t number) {
    (void)unused;
    return slot->number == number;
}
UBI_TABLE_LOOKUP(weight, ubi__live_weights, ubi__live_weight, ubi__live_weight_is_used, const void *, uint64_t,
                 is_weight_of);

void ubi__live_sums_init(ubi__live_sums *sums, const ubi_allocator *allocator) {
    *sums = (ubi__live_sums){ .allocator = allocator, .curve = { .step_us = FIRST_STEP_US } };
}

void ubi__live_sums_fini(ubi__live_sums *sums) {
    ubi__vec_live_trace_fini(&sums->traces, sums->allocator);
    ubi__vec_live_frame_fini(&sums->frames, sums->allocator);
    ubi__live_weights_fini(&sums->blocks, sums->allocator);
}

void ubi__live_sums_check(const ubi__live_sums *sums) {
    uint64_t live_bytes = 0, total_bytes = 0;
    for (size_t i = 0; UBI_CHECKS && i < sums->traces.n; i++) {
        const ubi__live_trace *t = &sums->traces.at[i];
        UBI_ASSERT(i == 0 || t->caller < i);
        live_bytes += t->live_bytes;
        total_bytes += t->total_bytes;
    }
    UBI_ASSERT(!UBI_CHECKS || live_bytes == sums->totals.live_bytes);
    UBI_ASSERT(!UBI_CHECKS || total_bytes == sums->totals.total_bytes);
    UBI_ASSERT(sums->totals.live_bytes <= sums->totals.peak_bytes);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__live_sums_frame(ubi__live_sums *sums, uint32_t frame, uint32_t module, uint64_t offset) {
    const ubi__live_frame none = { .module = UBI_NONE };
    while (sums->frames.n <= frame)
        UBI_TRY(ubi__vec_live_frame_push(&sums->frames, sums->allocator, none));
    sums->frames.at[frame] = (ubi__live_frame){ module, offset };
    return UBI_OK;
}

ubi_status ubi__live_sums_trace(ubi__live_sums *sums, uint32_t trace, uint32_t caller, uint32_t frame) {
    const ubi__live_trace none = { .frame = UBI_NONE };
    while (sums->traces.n <= trace)
        UBI_TRY(ubi__vec_live_trace_push(&sums->traces, sums->allocator, none));
    sums->traces.at[trace].caller = caller < trace ? caller : 0;
    sums->traces.at[trace].frame = frame;
    return UBI_OK;
}

/* ---- time --------------------------------------------------------------------------------------------------------- */

static void curve_halve(ubi__live_curve *curve) {
    size_t n = (curve->n + 1) / 2;
    for (size_t i = 0; i < n; i++) {
        uint64_t a = curve->at[2 * i], b = 2 * i + 1 < curve->n ? curve->at[2 * i + 1] : 0;
        curve->at[i] = a > b ? a : b;
    }
    curve->n = n;
    curve->step_us *= 2;
}

void ubi__live_curve_note(ubi__live_curve *curve, uint64_t time_us, uint64_t bytes) {
    while (time_us / curve->step_us >= UBI__LIVE_STEPS)
        curve_halve(curve);
    size_t step = (size_t)(time_us / curve->step_us);
    while (curve->n <= step)
        curve->at[curve->n++] = bytes;
    if (curve->at[curve->n - 1] < bytes)
        curve->at[curve->n - 1] = bytes;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* What lived until now is what the steps before have; what lives from now on is the new step's. Most events are in the last one. */
static void time_note(ubi__live_sums *sums, uint64_t before_bytes, uint64_t time_us) {
    ubi__live_curve *curve = &sums->curve;
    uint64_t bytes = sums->totals.live_bytes;
    if (ubi__likely(time_us < curve->n * curve->step_us)) {
        if (curve->at[curve->n - 1] < bytes)
            curve->at[curve->n - 1] = bytes;
        return;
    }
    if (time_us >= curve->step_us)
        ubi__live_curve_note(curve, time_us - curve->step_us, before_bytes);
    ubi__live_curve_note(curve, time_us, bytes);
}

ubi_status ubi__live_sums_alloc(ubi__live_sums *sums, uint64_t number, uint32_t trace, uint64_t size_bytes,
                                uint64_t weight_bytes, uint64_t time_us) {
    double count = weight_bytes == size_bytes ? 1 : ubi__weight_count(size_bytes, weight_bytes);
    ubi__live_totals *t = &sums->totals;
    uint64_t before_bytes = t->live_bytes, key = number + 1;
    UBI_TRY(ubi__live_weights_reserve(&sums->blocks, sums->allocator, 1));
    if (trace >= sums->traces.n)
        UBI_TRY(ubi__live_sums_trace(sums, trace, 0, UBI_NONE));
    ubi__live_weight *slot = weight_place(&sums->blocks, NULL, key, ubi__hash_u64(key));
    if (ubi__live_weight_is_used(slot))
        return UBI_OK;
    *slot = (ubi__live_weight){ key, weight_bytes, count, trace };
    ubi__live_weights_added(&sums->blocks);
    ubi__live_trace *of = &sums->traces.at[trace];
    of->live_bytes += weight_bytes;
    of->total_bytes += weight_bytes;
    of->live_count += count;
    t->live_bytes += weight_bytes;
    t->total_bytes += weight_bytes;
    t->live_count += count;
    t->total_count += count;
    if (t->live_bytes > t->peak_bytes) {
        t->peak_bytes = t->live_bytes;
        t->peak_us = time_us;
    }
    time_note(sums, before_bytes, time_us);
    return UBI_OK;
}

void ubi__live_sums_free(ubi__live_sums *sums, uint64_t number, uint64_t time_us) {
    uint64_t key = number + 1, before_bytes = sums->totals.live_bytes;
    if (sums->blocks.n == 0)
        return;
    ubi__live_weight *slot = weight_find(&sums->blocks, NULL, key, ubi__hash_u64(key));
    if (!slot)
        return;
    ubi__live_trace *of = &sums->traces.at[UBI_INDEX(slot->trace, sums->traces.n)];
    of->live_bytes -= slot->weight_bytes;
    of->live_count -= slot->count;
    sums->totals.live_bytes -= slot->weight_bytes;
    sums->totals.live_count -= slot->count;
    ubi__live_weights_remove(&sums->blocks, slot);
    time_note(sums, before_bytes, time_us);
}
