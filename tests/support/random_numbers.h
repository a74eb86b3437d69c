/* SPDX-License-Identifier: MIT
 *
 * random_numbers.h: random numbers for tests, the same for a seed on every machine. Each thread has its own.
 */
#ifndef UBI_TESTS_RANDOM_NUMBERS_H
#define UBI_TESTS_RANDOM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Starts a series of random numbers. */
void random_start(uint64_t seed);
/**
 * Starts a series that is made of `data`, a byte or more for each number, and of random ones when all is used: so what makes
 * things at random makes what a fuzzer wants.
 * @param data  data[size], borrowed until the next start.
 */
void random_start_from(const uint8_t *data, size_t size);
/** The next one, below `n`, which is not 0 and at most 2^31. */
uint32_t random_below(uint32_t n);
/** Whether tests try all that they can: not under a sanitizer, where each case takes several times as long, except with UBI_DEEP. */
bool every_case_is_tried(void);
/**
 * How many of `n` random cases a test tries: all. Under a sanitizer, where each takes several times as long, a tenth, and no case that
 * the other builds do not try as well; with UBI_DEEP (make check-deep) all there, too.
 */
uint32_t random_cases(uint32_t n);
/** From one bit to the next that a test flips where a checksum sees it: 1, and where random_cases() are fewer 9, so of each byte another. */
uint32_t random_bit_step(void);

#endif
