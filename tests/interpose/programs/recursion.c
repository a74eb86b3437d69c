/* SPDX-License-Identifier: MIT
 *
 * recursion.c DEPTH N: N times down to a depth, with a malloc and a free on each level.
 */
#include <stdlib.h>

static void *volatile block;

__attribute__((noinline)) static int go_down(int depth) {
    block = malloc(24);
    free(block);
    int below = depth > 0 ? go_down(depth - 1) + 1 : 0;
    __asm__ volatile("" : "+r"(below)); /* no tail call */
    return below;
}

int main(int argc, char **argv) {
    int depth = argc > 1 ? atoi(argv[1]) : 0, n = argc > 2 ? atoi(argv[2]) : 0, sum = 0;
    for (int i = 0; i < n; i++)
        sum += go_down(depth);
    return sum == depth * n ? 0 : 1;
}
