/* SPDX-License-Identifier: MIT
 *
 * estimate.c: see estimate.h.
 */
#include "recording/estimate.h"

#include <math.h>

#include "base/assert.h"
#include "recording/byte_sampler.h"

/* How often the true value may lie beyond a limit. */
#define BELOW_LOW 0.01
#define ABOVE_HIGH 0.025
#define ABOVE_NOTHING 0.05
/* From this shape on the approximation by cubes has more digits than needed. */
#define CUBES_FROM_SHAPE 400
#define TERMS 2000
#define STEPS 200

/* ---- the gamma distribution --------------------------------------------------------------------------------------- */

/* P(X <= x) for a scale of 1, by the series of Abramowitz and Stegun 6.5.29. */
static double gamma_below(double shape, double x) {
    double term = 1 / shape, sum = term;
    if (x <= 0)
        return 0;
    for (int i = 1; i < TERMS && term > sum * 1e-14; i++) {
        term *= x / (shape + i);
        sum += term;
    }
    double below = sum * exp(shape * log(x) - x - lgamma(shape));
    return below < 1 ? below : 1;
}

/* z with P(Z <= z) = probability, Z normal. */
static double normal_quantile(double probability) {
    double low = -40, high = 40;
    for (int i = 0; i < STEPS && high - low > 1e-12; i++) {
        double z = (low + high) / 2;
        if (erfc(-z / sqrt(2)) / 2 < probability)
            low = z;
        else
            high = z;
    }
    return (low + high) / 2;
}

/* Wilson and Hilferty: the cube root is nearly normal. */
static double large_shape_quantile(double probability, double shape) {
    double ninth = 1 / (9 * shape), root = 1 - ninth + normal_quantile(probability) * sqrt(ninth);
    return root > 0 ? shape * root * root * root : 0;
}

static double small_shape_quantile(double probability, double shape) {
    double low = 0, high = shape + 1;
    while (gamma_below(shape, high) < probability)
        high *= 2;
    for (int i = 0; i < STEPS && high - low > 1e-9 * high; i++) {
        double x = (low + high) / 2;
        if (gamma_below(shape, x) < probability)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

double ubi__gamma_quantile(double probability, double mean, double variance) {
    if (!(mean > 0) || !(variance > 0))
        return mean > 0 ? mean : 0;
    UBI_ASSERT(probability > 0 && probability < 1);
    double shape = mean / variance * mean, scale = variance / mean;
    return scale * (shape < CUBES_FROM_SHAPE ? small_shape_quantile(probability, shape)
                                             : large_shape_quantile(probability, shape));
}

void ubi__estimate_check(const ubi__estimate *e) {
    UBI_ASSERT(e->samples != 0 || (e->count == 0 && e->bytes == 0 && e->met_bytes == 0));
    UBI_ASSERT(e->count_variance >= 0 && e->bytes_variance >= 0);
    UBI_ASSERT(e->count >= 0 && e->bytes >= 0 && e->met_bytes >= 0);
}

static bool is_sum(double value) {
    return isfinite(value) && value >= 0;
}

bool ubi__estimate_is_sound(const ubi__estimate *e) {
    return is_sum(e->count) && is_sum(e->count_variance) && is_sum(e->bytes) && is_sum(e->bytes_variance) &&
           is_sum(e->met_bytes) && (e->samples != 0 || (e->count == 0 && e->bytes == 0 && e->met_bytes == 0));
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

void ubi__estimate_join(ubi__estimate *to, const ubi__estimate *e) {
    to->samples += e->samples;
    to->count += e->count;
    to->count_variance += e->count_variance;
    to->bytes += e->bytes;
    to->bytes_variance += e->bytes_variance;
    to->met_bytes += e->met_bytes;
}

double ubi__weight_count(uint64_t size_bytes, uint64_t weight_bytes) {
    return size_bytes ? (double)weight_bytes / (double)size_bytes : 1;
}

void ubi__estimate_add_samples(ubi__estimate *estimate, uint64_t n, uint64_t size_bytes, uint64_t weight_bytes,
                               uint64_t period_bytes) {
    double times = (double)n, size = (double)size_bytes;
    if (period_bytes == 1 && weight_bytes == size_bytes) { /* most recordings are exact, and have many events */
        estimate->samples += n;
        estimate->count += times;
        estimate->bytes += times * size;
        estimate->met_bytes += times * size;
        return;
    }
    double variance = ubi__sample_variance(size_bytes, period_bytes, weight_bytes);
    estimate->samples += n;
    estimate->count += times * ubi__weight_count(size_bytes, weight_bytes);
    estimate->bytes += times * (double)weight_bytes;
    estimate->bytes_variance += times * variance;
    estimate->met_bytes += times * size;
    if (size > 0)
        estimate->count_variance += times * variance / (size * size);
}

double ubi__standard_error(double variance) {
    return sqrt(variance);
}

/* ---- limits ------------------------------------------------------------------------------------------------------- */

/* A sum and its variance, how much of it was met, and what the sample would stand for that is not there. */
typedef struct limited {
    double sum, variance, met, unseen;
    bool is_whole_periods;
} limited;

static double larger_of(double a, double b) {
    return a > b ? a : b;
}

/* Whole periods have a Poisson distribution, however large the allocations are that were met. */
static double upper_limit(const limited *l) {
    double known = l->is_whole_periods ? 0 : l->met;
    double mean = larger_of(l->sum - known, 0) + l->unseen, variance = l->variance + l->unseen * l->unseen;
    double chance = l->sum > 0 ? ABOVE_HIGH : ABOVE_NOTHING;
    return larger_of(l->met, known + ubi__gamma_quantile(1 - chance, mean, variance));
}

double ubi__lower_limit(double sum, double variance) {
    return ubi__gamma_quantile(BELOW_LOW, sum, variance);
}

static ubi__range range_of(const limited *l) {
    double high = upper_limit(l), low = larger_of(l->met, ubi__lower_limit(l->sum, l->variance));
    UBI_ASSERT(high >= l->met);
    return (ubi__range){ low < high ? low : high, high };
}

ubi__range ubi__estimate_bytes_range(const ubi__estimate *e, uint64_t period_bytes) {
    limited l = { e->bytes, e->bytes_variance, e->met_bytes, (double)period_bytes,
                  period_bytes == UBI__ORIGINAL_PERIOD_BYTES };
    return period_bytes <= 1 ? (ubi__range){ e->bytes, e->bytes } : range_of(&l);
}

ubi__range ubi__estimate_count_range(const ubi__estimate *e, uint64_t period_bytes) {
    limited l = { e->count, e->count_variance, (double)e->samples, (double)period_bytes / UBI__LEAST_BLOCK_BYTES,
                  false };
    return period_bytes <= 1 ? (ubi__range){ e->count, e->count } : range_of(&l);
}

/* Of what was not met, nothing is taken to be so large that it would be met for certain then. */
ubi__estimate ubi__estimate_with_period(const ubi__estimate *estimate, uint64_t period_bytes, uint64_t other_bytes) {
    ubi__estimate e = *estimate;
    UBI_ASSERT(other_bytes <= period_bytes);
    double part = (double)other_bytes / (double)period_bytes;
    e.bytes_variance *= part;
    e.count_variance *= part;
    return e;
}
