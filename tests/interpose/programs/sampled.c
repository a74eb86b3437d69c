/* SPDX-License-Identifier: MIT
 *
 * sampled.c: allocates blocks of sizes from bytes to megabytes, keeps some, resizes some, frees the others; says what
 * it kept: `K size address`.
 */
#include "truth.h"

#define N 60000

int main(void) {
    static const size_t sizes[] = { 1, 16, 100, 1000, 5000, 40000, 300000 };
    unsigned state = 1;
    char line[64];
    truth_begin();
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        unsigned kind = (state >> 16) % 64;
        size_t size = sizes[kind < 32 ? kind % 3 : kind < 60 ? kind % 5 : kind % 7];
        void *p = kind % 2 ? malloc(size) : calloc(1, size);
        if (kind % 8 == 0)
            p = realloc(p, size = size * 2);
        if (kind % 5)
            free(p);
        else
            truth_write(line, snprintf(line, sizeof line, "K %zu %lx\n", size, (unsigned long)(uintptr_t)p));
    }
    truth_end();
    return 0;
}
