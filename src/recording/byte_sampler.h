/* SPDX-License-Identifier: MIT
 *
 * byte_sampler.h: which allocations are recorded.
 *
 * Every byte that is allocated is a trial that succeeds once in `period` bytes on average. Instead of a random number per
 * byte, one says how many bytes pass until the next success, so an allocation that is not sampled costs a compare and a
 * subtraction. A large allocation may be met several times.
 *
 * There are three ways to step:
 *
 * - period 1: exact. Every allocation is recorded with its own size, and nothing is drawn.
 * - period 65,536: the step of Mozilla's memory profiler to the letter, floor(ln(1 - U) / ln(1 - p)), which is one byte short
 *   on average. Weights are whole periods, one per success.
 * - any other: a byte more, so the mean is the period, and an allocation counts size / P(size), where P is the probability
 *   that one of this size is met at all. Both are unbiased; the second varies less.
 *
 * A leaf: it includes nothing but the C library, so that code inside of other programs can have it. For one thread.
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/MemoryProfiler.cpp.
 */
#ifndef UBI_RECORDING_BYTE_SAMPLER_H
#define UBI_RECORDING_BYTE_SAMPLER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define UBI__ORIGINAL_PERIOD_BYTES 65536

/** Above this many periods in one allocation, whole ones are counted without drawing: unbiased, in bounded time. */
#define UBI__PERIODS_DRAWN 65536

typedef struct ubi__byte_sampler {
    uint64_t remaining_bytes; /* until the next success */
    uint64_t period_bytes;
    double per_log;                  /* 1 / ln(1 - p) */
    double (*random)(void *payload); /* in [0, 1) */
    void *payload;
} ubi__byte_sampler;

static inline uint64_t ubi__byte_sampler_step(ubi__byte_sampler *s) {
    double failures = log1p(-s->random(s->payload)) * s->per_log; /* at most 36.8 periods */
    return (uint64_t)failures + (s->period_bytes != UBI__ORIGINAL_PERIOD_BYTES);
}

/** period_bytes in [1, 2^48]. */
static inline void ubi__byte_sampler_init(ubi__byte_sampler *s, uint64_t period_bytes, double (*random)(void *payload),
                                          void *payload) {
    *s = (ubi__byte_sampler){ .period_bytes = period_bytes, .random = random, .payload = payload };
    if (period_bytes == 1)
        return;
    s->per_log = 1 / log1p(-1 / (double)period_bytes);
    s->remaining_bytes = ubi__byte_sampler_step(s);
}

static inline bool ubi__byte_sampler_is_exact(const ubi__byte_sampler *s) {
    return s->period_bytes == 1;
}

/** How often an allocation of this size is met, given that it is. Out of line: the rare case. */
static __attribute__((noinline, unused)) uint64_t ubi__byte_sampler_meet(ubi__byte_sampler *s, uint64_t size_bytes) {
    uint64_t n = 0;
    if (size_bytes == 0)
        return 0;
    if (size_bytes / s->period_bytes > UBI__PERIODS_DRAWN) {
        n = size_bytes / s->period_bytes - UBI__PERIODS_DRAWN;
        size_bytes -= n * s->period_bytes;
    }
    while (s->remaining_bytes <= size_bytes) {
        s->remaining_bytes += ubi__byte_sampler_step(s);
        n++;
    }
    s->remaining_bytes -= size_bytes;
    return n;
}

/** How many successes fall into an allocation; 0: it is not recorded. Not for exact samplers. */
static inline uint64_t ubi__byte_sampler_add(ubi__byte_sampler *s, uint64_t size_bytes) {
    if (__builtin_expect(size_bytes < s->remaining_bytes, 1)) {
        s->remaining_bytes -= size_bytes;
        return 0;
    }
    return ubi__byte_sampler_meet(s, size_bytes);
}

/* ---- what a sample stands for ------------------------------------------------------------------------------------- */

/** The probability that an allocation of this size is recorded. 0 for size 0, unless all are. */
static inline double ubi__sampled_probability(uint64_t size_bytes, uint64_t period_bytes) {
    return period_bytes == 1 ? 1 : -expm1((double)size_bytes * log1p(-1 / (double)period_bytes));
}

/** How many allocated bytes one stands for that was met `n` times. */
static inline uint64_t ubi__sample_weight_bytes(uint64_t size_bytes, uint64_t period_bytes, uint64_t n) {
    if (period_bytes == 1)
        return size_bytes;
    if (period_bytes == UBI__ORIGINAL_PERIOD_BYTES)
        return n > UINT64_MAX / period_bytes ? UINT64_MAX : n * period_bytes;
    return (uint64_t)((double)size_bytes / ubi__sampled_probability(size_bytes, period_bytes) + 0.5);
}

/** The part of the variance of a sum of weights that one sample brings, in bytes squared. */
static inline double ubi__sample_variance(uint64_t size_bytes, uint64_t period_bytes, uint64_t weight_bytes) {
    double weight = (double)weight_bytes;
    if (period_bytes == 1)
        return 0;
    if (period_bytes == UBI__ORIGINAL_PERIOD_BYTES)
        return weight * (double)period_bytes;
    return weight > (double)size_bytes ? weight * (weight - (double)size_bytes) : 0;
}

#endif
