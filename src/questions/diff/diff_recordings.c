/* SPDX-License-Identifier: MIT
 *
 * diff_recordings.c: comparing two recordings (diff_recordings.h), and what conditions know of both.
 */
#include "questions/diff/diff_recordings.h"

#include <string.h>

#include "base/status.h"

/* ---- parameters --------------------------------------------------------------------------------------------------------- */

static bool is_order(const char *view) {
    for (size_t i = 0; view && ubi__recording_orders[i]; i++)
        if (strcmp(view, ubi__recording_orders[i]) == 0)
            return true;
    return false;
}

typedef struct given {
    bool is_given;
    const char *name;
} given;

static ubi_status given_refuse(const given *options, size_t n, const char *of) {
    for (size_t i = 0; i < n; i++)
        if (options[i].is_given)
            return ubi__fail(UBI_EINVAL, "--%s is for %s", options[i].name, of);
    return UBI_OK;
}

ubi_status ubi__diff_recordings_check(const ubi__diff_values *v) {
    const given options[] = {
        { v->by.breakdown.text, "breakdown" },
        { v->by.wants_tree, "tree" },
        { v->by.inverted, "inverted" },
        { v->by.filter, "filter" },
        { v->by.rows, "rows" },
        { v->individuals, "individuals" },
        { v->side, "side" },
        { v->view && !is_order(v->view), v->view }, /* a breakdown or classes */
    };
    if (v->view && !is_order(v->view))
        return ubi__fail(UBI_EINVAL,
                         "--by %s is for heaps; recordings are compared by leaked, peak, total, count or temporary",
                         v->view);
    return given_refuse(options, sizeof options / sizeof *options, "heaps");
}

ubi_status ubi__diff_heaps_check(const ubi__diff_values *v) {
    const given options[] = {
        { v->per, "per" },           { v->process, "process" },     { v->symbols, "symbols" },
        { v->wrappers, "wrappers" }, { v->suppress.n, "suppress" },
    };
    if (is_order(v->view))
        return ubi__fail(UBI_EINVAL, "--by %s is for recordings of allocations", v->view);
    return given_refuse(options, sizeof options / sizeof *options, "recordings of allocations");
}

/* ---- comparing ---------------------------------------------------------------------------------------------------------- */

/* Of what numbers are: the whole, a second, or an allocation. */
static ubi_status scale_find(double *out, const ubi__diff_recordings *r, const ubi__asked *asked, uint32_t i) {
    const ubi__recording_summary *s = r->pair.sides[i].report->summary;
    const char *per = r->values->per;
    double whole = 1;
    if (per && strcmp(per, "second") == 0)
        whole = (double)s->time_ns / 1e9;
    else if (per)
        whole = ubi__class_estimate(s, r->pair.of_class, UBI__MEASURE_TOTAL).count;
    if (!(whole > 0))
        return ubi__asked_about(asked, i,
                                ubi__fail(UBI_EINVAL, "--per %s: the recording has %s", per,
                                          strcmp(per, "second") == 0 ? "no duration" : "no allocations"));
    *out = 1 / whole;
    return UBI_OK;
}

static ubi_status sides_compare(ubi__diff_recordings *r, const ubi__asked *asked) {
    ubi__stack_choice choices[UBI__DIFF_SIDES];
    double scale[UBI__DIFF_SIDES];
    for (uint32_t i = 0; i < UBI__DIFF_SIDES; i++) {
        UBI_TRY(scale_find(&scale[i], r, asked, i));
        choices[i] = (ubi__stack_choice){ .sites = r->pair.sides[i].report->sites, .of_class = r->pair.of_class };
    }
    UBI_TRY(ubi__recording_diff_init(&r->diff, choices, scale, r->pair.measure, ubi__asked_allocator(asked)));
    r->has_diff = true;
    ubi__recording_diff_sort(&r->diff, !r->values->sort || strcmp(r->values->sort, "growth") == 0);
    return UBI_OK;
}

ubi_status ubi__diff_recordings_compute(ubi__diff_recordings *r, const ubi__asked *asked) {
    const ubi__diff_values *v = r->values = asked->values;
    r->pair.wishes = (ubi__recording_wishes){
        .by = v->view, .process = v->process, .symbols = v->symbols, .wrappers = v->wrappers, .suppress = v->suppress
    };
    UBI_TRY(ubi__recording_pair_read(&r->pair, asked));
    return sides_compare(r, asked);
}

void ubi__diff_recordings_free(ubi__diff_recordings *r, const ubi_allocator *allocator) {
    if (!r)
        return;
    if (r->has_diff)
        ubi__recording_diff_fini(&r->diff);
    ubi__recording_pair_fini(&r->pair);
    UBI_DELETE(allocator, r);
}

/* ---- limits ------------------------------------------------------------------------------------------------------------- */

ubi__range ubi__diff_place_range(const ubi__diff_recordings *r, const ubi__diff_place *place, int side) {
    const ubi__recording_summary *s = r->pair.sides[side].report->summary;
    const ubi__estimate *e = &place->by[side][r->diff.measure.measure];
    return r->diff.measure.is_count ? ubi__recording_count_range(s, r->pair.of_class, e)
                                    : ubi__recording_bytes_range(s, r->pair.of_class, e);
}

bool ubi__diff_place_is_certain(const ubi__diff_recordings *r, const ubi__diff_place *place) {
    ubi__range old = ubi__diff_place_range(r, place, UBI__DIFF_OLD),
               new = ubi__diff_place_range(r, place, UBI__DIFF_NEW);
    double of_old = r->diff.scale[UBI__DIFF_OLD], of_new = r->diff.scale[UBI__DIFF_NEW];
    bool is_exact = old.low == old.high && new.low == new.high;
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        if (ubi__recording_is_profile(r->pair.sides[i].report->summary)) /* without limits */
            return false;
    return is_exact || old.high * of_old < new.low *of_new || new.high *of_new < old.low *of_old;
}

/* ---- facts -------------------------------------------------------------------------------------------------------------- */

static const char by_chance[] = "the recordings are samples";
static const char missed[] = "sampling may have missed what there was";

/* Differences of limits: a lower one, or an upper one. */
static void limit_set(uint64_t *limit, uint64_t *below, double value) {
    *limit = value > 0 ? ubi__whole(value) : 0;
    *below = value < 0 ? ubi__whole(-value) : 0;
}

static double low_of(const ubi__condition_value *v) {
    return (double)(v->is_estimate ? v->low : v->magnitude);
}

static double high_of(const ubi__condition_value *v) {
    return (double)(v->is_estimate ? v->high : v->magnitude);
}

/* More of it may be missing from the recording. */
static bool is_open_above(const ubi__condition_value *v) {
    return v->is_estimate && v->high == UINT64_MAX;
}

/* Both sides, and what of them leaves the comparison unknown. @return whether it is */
static bool sides_measure(ubi__condition_value of[UBI__DIFF_SIDES], ubi__condition_value *out,
                          const ubi__diff_recordings *r, ubi__recording_fact what) {
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        ubi__recording_fact_measure(&of[i], r->pair.sides[i].report, what);
    const ubi__condition_value *old = &of[UBI__DIFF_OLD], *new = &of[UBI__DIFF_NEW];
    const ubi__condition_value *lacking = new->unknown ? new : old;
    *out = (ubi__condition_value){ .unknown = lacking->unknown, .because = lacking->unknown ? lacking->because : NULL };
    if (!out->unknown && is_open_above(old) && is_open_above(new))
        *out = (ubi__condition_value){ .unknown = "is unknown", .because = new->because };
    return out->unknown != NULL;
}

/* NEW's as if it had been as long as OLD, or had as many allocations. */
static void growth_measure(ubi__condition_value *out, const ubi__diff_recordings *r, ubi__recording_fact what) {
    ubi__condition_value of[UBI__DIFF_SIDES];
    double scale = r->diff.scale[UBI__DIFF_NEW] / r->diff.scale[UBI__DIFF_OLD];
    if (sides_measure(of, out, r, what))
        return;
    const ubi__condition_value *old = &of[UBI__DIFF_OLD], *new = &of[UBI__DIFF_NEW];
    double growth = (double)new->magnitude *scale - (double)old->magnitude;
    out->basis = old->magnitude;
    out->magnitude = ubi__whole(growth < 0 ? -growth : growth);
    out->is_negative = growth < 0 && out->magnitude;
    if (!old->is_estimate && !new->is_estimate)
        return;
    out->is_estimate = true;
    out->is_negative = false;
    out->because = is_open_above(new) ? new->because : is_open_above(old) ? old->because : by_chance;
    limit_set(&out->low, &out->low_below, low_of(new) * scale - high_of(old));
    limit_set(&out->high, &out->high_below, high_of(new) * scale - low_of(old));
    if (is_open_above(old))
        out->low_below = UINT64_MAX;
    if (is_open_above(new)) {
        out->high = UINT64_MAX;
        out->high_below = 0;
    }
    out->basis_low = ubi__whole(low_of(old));
    out->basis_high = is_open_above(old) ? UINT64_MAX : ubi__whole(high_of(old));
}

/* Samples show what is there, and never what is not. What a recording lacks may be new, or have been there already. */
static void new_places_count(ubi__condition_value *out, const ubi__diff_recordings *r) {
    ubi__condition_value of[UBI__DIFF_SIDES];
    bool is_of_leaks = ubi__order_measure(r->pair.order) == UBI__MEASURE_LEAKED;
    if (sides_measure(of, out, r, is_of_leaks ? UBI__FACT_LEAKED : UBI__FACT_TOTAL))
        return;
    const ubi__condition_value *old = &of[UBI__DIFF_OLD], *new = &of[UBI__DIFF_NEW];
    for (size_t i = 0; i < r->diff.places.n; i++) {
        const ubi__diff_place *place = &r->diff.places.at[i];
        out->magnitude +=
            ubi__diff_place_has(&r->diff, place, UBI__DIFF_NEW) && !ubi__diff_place_has(&r->diff, place, UBI__DIFF_OLD);
    }
    bool are_exact = r->pair.sides[UBI__DIFF_OLD].report->is_exact && r->pair.sides[UBI__DIFF_NEW].report->is_exact;
    if (are_exact && !is_open_above(old) && !is_open_above(new))
        return;
    out->is_estimate = true;
    out->low = are_exact && !is_open_above(old) ? out->magnitude : 0;
    out->high = are_exact && !is_open_above(new) ? out->magnitude : UINT64_MAX;
    out->because = is_open_above(new) ? new->because : is_open_above(old) ? old->because : missed;
}

static ubi_status recordings_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const ubi__diff_recordings *r = payload;
    size_t number = (size_t)(value.name - ubi__recording_diff_facts);
    if (number < UBI__RECORDING_FACTS)
        ubi__recording_fact_measure(out, r->pair.sides[UBI__DIFF_NEW].report, (ubi__recording_fact)number);
    else if (number < UBI__RECORDING_NEW_PLACES)
        growth_measure(out, r, (ubi__recording_fact)(number - UBI__RECORDING_FACTS));
    else
        new_places_count(out, r);
    return UBI_OK;
}

ubi__condition_estimates ubi__diff_recordings_estimates(ubi__diff_recordings *r) {
    return (ubi__condition_estimates){ .measure = recordings_measure, .payload = r };
}
