/* SPDX-License-Identifier: MIT
 *
 * storm.c EVENTS FILE: allocates much more than the memory that is shared with the recorder holds, then writes FILE.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 0;
    void *kept[64] = { 0 };
    for (long i = 0; i < n; i++) {
        free(kept[i % 64]);
        kept[i % 64] = malloc((size_t)(i * 31 % 1000) + 1);
    }
    FILE *f = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (f)
        fclose(f);
    return 0;
}
