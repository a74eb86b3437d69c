/* SPDX-License-Identifier: MIT
 *
 * sampler.c: random numbers and the lengths of runs.
 */
#include "tracking/sampler.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/assert.h"

void ubi__sampler_init(ubi__sampler *s, double (*random)(void *payload), void *payload) {
    *s = (ubi__sampler){ .random = random, .payload = payload };
}

static uint64_t rotate_left(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

/* xoshiro256** of Blackman and Vigna, by its published definition. */
static uint64_t next_number(uint64_t s[4]) {
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* From the system; when that has none yet, from clock and address. */
static void sampler_seed(ubi__sampler *s) {
    if (getrandom(s->state, sizeof s->state, GRND_NONBLOCK) != (ssize_t)sizeof s->state) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        s->state[0] = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
        s->state[1] = (uint64_t)(uintptr_t)s;
    }
    s->state[3] |= 1; /* all zero would stay so */
}

double ubi__sampler_draw(ubi__sampler *s) {
    if (s->random)
        return s->random(s->payload);
    if ((s->state[0] | s->state[1] | s->state[2] | s->state[3]) == 0)
        sampler_seed(s);
    UBI_ASSERT((s->state[0] | s->state[1] | s->state[2] | s->state[3]) != 0);
    return (double)(next_number(s->state) >> 11) * 0x1p-53;
}

int64_t ubi__sampler_skip(ubi__sampler *s, double probability) {
    if (probability >= 1)
        return 0;
    if (!(probability > 0))
        return UBI__SKIP_FOREVER;
    if (s->probability != probability) {
        s->probability = probability;
        s->per_log = 1 / log1p(-probability);
    }
    UBI_ASSERT(s->per_log < 0);
    double skip = log(1 - ubi__sampler_draw(s)) * s->per_log; /* 1 - u is exact, and not 0 */
    return skip < 0x1p62 ? (int64_t)skip : UBI__SKIP_FOREVER;
}
