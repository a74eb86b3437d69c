/* SPDX-License-Identifier: MIT
 *
 * scribbles.c BYTE [AGAIN]: fills all shared mappings that it may write to with a byte, and goes on allocating, in four threads,
 * more than a recorder's buffers hold. With AGAIN, one thread fills them all the time. Says how many mappings that were, and whether
 * the program is recorded in the end: markers are observed as long as it is.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/marker.h>

#define MAPPINGS 64
#define EVENTS 2000000

static struct {
    char *at;
    size_t n;
} shared[MAPPINGS];
static int n_shared;
static atomic_bool is_over;

/* What was never touched is left alone: all of it would take more memory than there may be. */
#define MOST ((size_t)24 << 20)

static void find(void) {
    char line[4096], rights[8];
    unsigned long low, high;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) && n_shared < MAPPINGS)
        if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) == 3 && !strcmp(rights, "rw-s")) {
            shared[n_shared].at = (char *)low;
            shared[n_shared++].n = high - low < MOST ? high - low : MOST;
        }
    fclose(maps);
}

static void fill(int byte) {
    for (int i = 0; i < n_shared; i++)
        memset(shared[i].at, byte, shared[i].n);
}

static void *work(void *out) {
    for (size_t i = 0; i < EVENTS; i++)
        free(malloc(i % 200 + 1));
    return out;
}

static void *scribble(void *byte) {
    while (!is_over)
        fill((int)(long)byte);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[4], scribbler;
    long byte = atol(argv[1]);
    for (int i = 0; i < 1000; i++)
        free(malloc(77));
    find();
    fill((int)byte);
    if (argc > 2)
        pthread_create(&scribbler, NULL, scribble, (void *)byte);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    is_over = 1;
    if (argc > 2)
        pthread_join(scribbler, NULL);
    printf("%d %d\n", n_shared, ubi_marker_is_observed());
    return 6;
}
