/* SPDX-License-Identifier: MIT
 *
 * recording_measures.c: what infos and classes of a summary have of each measure, and the limits of that (recording_summary.h).
 */
#include <math.h>

#include "base/bits.h"
#include "recording/recording_summary.h"

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

void ubi__estimate_add(ubi__estimate *estimate, const ubi__recording_summary *s, uint32_t info, uint64_t n) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    ubi__estimate_add_samples(estimate, n, row->size_bytes, row->weight_bytes, ubi__ubirec_period_of(&s->tables, info));
}

uint64_t ubi__info_measure(const ubi__info_sums *sums, ubi__measure measure) {
    switch (measure) {
    case UBI__MEASURE_LEAKED:
        return sums->live - sums->n_older + sums->n_left;
    case UBI__MEASURE_LIVE:
        return sums->live;
    case UBI__MEASURE_PEAK:
        return sums->peak_live;
    case UBI__MEASURE_TEMPORARY:
        return sums->temporary;
    default:
        return sums->count;
    }
}

/* ---- limits ------------------------------------------------------------------------------------------------------- */

uint64_t ubi__class_period(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    uint64_t period = 1;
    for (size_t i = 0; i < s->tables.periods.n && of_class != UBI__UBIREC_MAPPING; i++)
        period = ubi__larger(period, s->tables.periods.at[i].period_bytes);
    return period;
}

/* The upper limit may stay as it is, for it is one of a number that is too high. */
ubi__range ubi__measure_bytes_range(const ubi__recording_summary *s, ubi__ubirec_class of_class, ubi__measure measure,
                                    const ubi__estimate *estimate) {
    const ubi__class_sums *c = &s->classes[of_class];
    uint64_t period_bytes = ubi__class_period(s, of_class);
    ubi__range range = ubi__estimate_bytes_range(estimate, period_bytes);
    if (measure != UBI__MEASURE_PEAK || period_bytes == 1)
        return range;
    range.low = (double)c->peak_met_bytes;
    for (int i = 0; i < 2; i++)
        range.low = fmax(range.low, ubi__lower_limit(c->halves[i].other_bytes, c->halves[i].other_variance));
    range.low = fmin(range.low, range.high);
    return range;
}

ubi__range ubi__curve_range(const ubi__recording_summary *s, const ubi__curve_point *point) {
    ubi__estimate e = { .samples = point->live_bytes > 0,
                        .bytes = (double)point->live_bytes,
                        .bytes_variance = point->live_variance,
                        .met_bytes = (double)point->live_met_bytes };
    return ubi__estimate_bytes_range(&e, ubi__class_period(s, UBI__UBIREC_HEAP));
}
