/* SPDX-License-Identifier: MIT
 *
 * estimate.h: a sum over allocations, or, in a sampled recording, the estimate of one; and between which limits the true value lies.
 *
 * Sampling meets an allocation of s bytes with probability p = 1 - (1 - 1/period)^s, and one that is met counts 1/p times
 * (Horvitz and Thompson). Large ones are met for certain and known exactly; of small ones the number that are met has a Poisson
 * distribution, and each stands for a period.
 *
 * Limits, for bytes; those of counts are the same with 1 in place of s:
 *
 * - What was met is there: no limit is below the sum of the sizes of the samples.
 * - The upper limit is that sum, and an upper limit for what was not met: the gamma limit of Fay and Feuer for weighted sums of
 *   Poisson variables, with mean sum(s/p - s) and variance sum(s*s*(1-p)/(p*p)), in which one more event with the weight of a
 *   whole period makes up for what has no sample at all. With equal weights it is Garwood's exact Poisson limit.
 * - The lower limit is their gamma limit of the whole sum.
 * - Without any sample the upper limit is 3.0 periods.
 *
 * The chance to lie above the upper limit is 2.5% (5% without samples), and 1% to lie below the lower one. They never add up to
 * more than 6%, since what is small enough to be missed altogether is too small for the lower limit.
 *
 * Sources: D. Horvitz and D. Thompson, A generalization of sampling without replacement from a finite universe, JASA 47 (1952);
 * F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936); M. Fay and E. Feuer, Confidence intervals for
 * directly standardized rates: a method based on the gamma distribution, Statistics in Medicine 16 (1997).
 * estimate_test.c simulates how often they hold and how wide they are.
 */
#ifndef UBI_RECORDING_ESTIMATE_H
#define UBI_RECORDING_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/** Sums over samples; 0 is that of none. */
typedef struct ubi__estimate {
    uint64_t samples; /* allocations recorded */
    double count, count_variance;
    double bytes, bytes_variance;
    double met_bytes; /* sizes of the samples */
} ubi__estimate;

/** What the true value lies between, with 94% at least; low <= high. */
typedef struct ubi__range {
    double low, high;
} ubi__range;

/**
 * Blocks smaller than this take as much memory, and are taken to be as large: how many allocations hide in a period depends on
 * how small they may be.
 */
#define UBI__LEAST_BLOCK_BYTES 16

/** Of no samples, everything is 0; variances are not negative, and neither is what was met. */
void ubi__estimate_check(const ubi__estimate *estimate);
/** Whether it is so; and nothing is infinite. */
bool ubi__estimate_is_sound(const ubi__estimate *estimate);
/** Adds `n` samples of one size, each of which stands for `weight_bytes`. Bytes of a period of 1 are exact. */
void ubi__estimate_add_samples(ubi__estimate *estimate, uint64_t n, uint64_t size_bytes, uint64_t weight_bytes,
                               uint64_t period_bytes);
/** Adds another sum. */
void ubi__estimate_join(ubi__estimate *to, const ubi__estimate *e);
/** How many allocations a sample of a size stands for. */
double ubi__weight_count(uint64_t size_bytes, uint64_t weight_bytes);
/** The square root of a variance. */
double ubi__standard_error(double variance);

/**
 * @param period_bytes  with which it was sampled, the largest of several; 1: all of it was recorded, and both limits are the sum.
 * Cost: some microseconds.
 */
ubi__range ubi__estimate_bytes_range(const ubi__estimate *estimate, uint64_t period_bytes);
/** Of the number of allocations, also as ubi__estimate_bytes_range. Allocations of no bytes are never met. */
ubi__range ubi__estimate_count_range(const ubi__estimate *estimate, uint64_t period_bytes);

/**
 * What is to be expected with another period: the same sums, of samples that stand for less each. For limits only.
 * @param period_bytes  of this one. @param other_bytes  of that one, not larger.
 */
ubi__estimate ubi__estimate_with_period(const ubi__estimate *estimate, uint64_t period_bytes, uint64_t other_bytes);

/** The lower limit of a sum with this variance, of which nothing is known to be there. */
double ubi__lower_limit(double sum, double variance);
/** x with P(X <= x) = probability, where X has a gamma distribution with this mean and variance. 0 for mean 0. */
double ubi__gamma_quantile(double probability, double mean, double variance);

#endif
