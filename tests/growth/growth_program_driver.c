/* SPDX-License-Identifier: MIT
 *
 * growth_program_driver.c: programs that are recorded by the tests of growth.
 *
 *     growth_program_driver SHAPE N
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

static void keep(size_t bytes) {
    kept = malloc(bytes);
}

/* Many allocations at a few places. */
static void allocate_many(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        keep(16 + i % 1000);
        if (i % 2)
            free(kept);
    }
}

/* One at each depth. Not a tail call: something is done afterwards. */
__attribute__((noinline)) static unsigned allocate_deep(unsigned n) {
    keep(16);
    return n % 100 ? allocate_deep(n - 1) + (kept != NULL) : 0;
}

static void *allocate_some(void *unused) {
    (void)unused;
    allocate_many(10);
    return NULL;
}

static void allocate_in_threads(unsigned n) {
    pthread_t thread;
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&thread, NULL, allocate_some, NULL) != 0 || pthread_join(thread, NULL) != 0)
            exit(1);
}

int main(int argc, char **argv) {
    unsigned n = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "deep") == 0)
        for (unsigned i = 99; i < n; i += 100)
            allocate_deep(i);
    else if (strcmp(argv[1], "threads") == 0)
        allocate_in_threads(n);
    else
        allocate_many(n);
    return 0;
}
