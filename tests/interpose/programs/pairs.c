/* SPDX-License-Identifier: MIT
 *
 * pairs.c N: N times malloc and free, with nothing in between that costs anything.
 */
#include <stdlib.h>

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 0;
    for (long i = 0; i < n; i++) {
        void *volatile p = malloc(24 + (size_t)(i & 63));
        free(p);
    }
    return 0;
}
