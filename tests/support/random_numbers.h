/* SPDX-License-Identifier: MIT
 *
 * random_numbers.h: random numbers for tests, the same for a seed on every machine. Each thread has its own.
 */
#ifndef UBI_TESTS_RANDOM_NUMBERS_H
#define UBI_TESTS_RANDOM_NUMBERS_H

#include <stdint.h>

/** Starts a series of random numbers. */
void random_start(uint64_t seed);
/** The next one, below `n`, which is not 0 and at most 2^31. */
uint32_t random_below(uint32_t n);

#endif
