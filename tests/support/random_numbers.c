/* SPDX-License-Identifier: MIT
 *
 * random_numbers.c: see random_numbers.h. The upper bits of Knuth's 64-bit linear congruential generator.
 */
#include "random_numbers.h"

static _Thread_local uint64_t random_state;

void random_start(uint64_t seed) {
    random_state = seed;
}

uint32_t random_below(uint32_t n) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}
