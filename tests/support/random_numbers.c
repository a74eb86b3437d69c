/* SPDX-License-Identifier: MIT
 *
 * random_numbers.c: see random_numbers.h. The upper bits of Knuth's 64-bit linear congruential generator.
 */
#include "random_numbers.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local uint64_t random_state;
static _Thread_local const uint8_t *given; /* given[n_given]: what comes first */
static _Thread_local size_t n_given;

void random_start(uint64_t seed) {
    random_state = seed;
    n_given = 0;
}

void random_start_from(const uint8_t *data, size_t size) {
    random_start(size);
    given = data;
    n_given = size;
}

static uint32_t next_given(uint32_t n) {
    uint64_t value = 0, most = 1;
    do {
        value = value << 8 | *given++;
        most <<= 8;
    } while (--n_given && most < n);
    return (uint32_t)(value % n);
}

uint32_t random_below(uint32_t n) {
    if (n_given)
        return next_given(n);
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

bool every_case_is_tried(void) {
    const char *kind = getenv("UBI_PRESET_KIND");
    return !kind || strcmp(kind, "plain") == 0 || getenv("UBI_DEEP");
}

uint32_t random_cases(uint32_t n) {
    return every_case_is_tried() ? n : n / 10 + 1;
}

uint32_t random_bit_step(void) {
    return every_case_is_tried() ? 1 : 9;
}
