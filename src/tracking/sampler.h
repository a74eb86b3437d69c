/* SPDX-License-Identifier: MIT
 *
 * sampler.h: which births are looked at.
 *
 * Each birth is a trial that succeeds with a probability. Instead of a random number per birth, one number says how many
 * births to let pass until the next success: floor(ln u / ln(1 - p)), which has the same distribution.
 */
#ifndef UBI_TRACKING_SAMPLER_H
#define UBI_TRACKING_SAMPLER_H

#include <ubiheap/core/base.h>

/** More births than any program has. */
#define UBI__SKIP_FOREVER INT64_MAX

typedef struct ubi__sampler {
    double (*random)(void *payload); /* in [0, 1); NULL: our own generator */
    void *payload;
    uint64_t state[4];  /* of xoshiro256**; all zero: not seeded yet */
    double probability; /* the last that skips were drawn for, and 1 / ln(1 - that) */
    double per_log;
} ubi__sampler;

void ubi__sampler_init(ubi__sampler *s, double (*random)(void *payload), void *payload);
/** A number in [0, 1). */
double ubi__sampler_draw(ubi__sampler *s);
/** Failures before the next success of trials with this probability. No draw for 0 and 1, else one. */
int64_t ubi__sampler_skip(ubi__sampler *s, double probability);

#endif
