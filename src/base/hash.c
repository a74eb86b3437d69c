/* SPDX-License-Identifier: MIT
 *
 * hash.c: the process seed and hashing of byte strings.
 */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

uint64_t ubi__hash_seed;

__attribute__((constructor)) static void choose_seed(void) {
    if (getrandom(&ubi__hash_seed, sizeof ubi__hash_seed, GRND_NONBLOCK) != (ssize_t)sizeof ubi__hash_seed) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        ubi__hash_seed = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)&now;
    }
}

uint64_t ubi__hash_bytes(const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t h = ubi__hash_u64(n), word;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = ubi__hash_combine(h, word);
    }
    if (n) {
        word = 0;
        memcpy(&word, p, n);
        h = ubi__hash_combine(h, word);
    }
    return h;
}
