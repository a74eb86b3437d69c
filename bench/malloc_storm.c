/* SPDX-License-Identifier: MIT
 *
 * malloc_storm.c: nothing but malloc and free, below 25 calls whose path changes every 8 pairs: the worst a recorder can meet.
 *
 *     malloc_storm PAIRS [THREADS]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 25
#define PAIRS_PER_PATH 8
#define KEPT 64

typedef struct storm {
    uint64_t pairs, random;
    void *kept[KEPT];
} storm;

static uint64_t next_random(storm *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    return s->random ^= s->random << 17;
}

static void allocate(storm *s) {
    for (int i = 0; i < PAIRS_PER_PATH; i++) {
        void **place = &s->kept[next_random(s) % KEPT];
        free(*place);
        *place = malloc(16 + next_random(s) % 500);
    }
}

static void descend_left(storm *s, unsigned depth, uint64_t path);
static void descend_right(storm *s, unsigned depth, uint64_t path);

/* The barrier keeps calls from becoming jumps. */
static void descend(storm *s, unsigned depth, uint64_t path) {
    if (depth == 0)
        allocate(s);
    else if (path & 1)
        descend_right(s, depth - 1, path >> 1);
    else
        descend_left(s, depth - 1, path >> 1);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void descend_left(storm *s, unsigned depth, uint64_t path) {
    descend(s, depth, path);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void descend_right(storm *s, unsigned depth, uint64_t path) {
    descend(s, depth, path);
    __asm__ volatile("" ::: "memory");
}

/* The innermost calls change most often, as in real programs. */
static void *run(void *payload) {
    storm *s = payload;
    uint64_t turns = s->pairs / PAIRS_PER_PATH;
    for (uint64_t i = 0; i < turns; i++)
        descend(s, DEPTH, (i % 64) << (DEPTH - 6));
    for (int i = 0; i < KEPT; i++)
        free(s->kept[i]);
    return NULL;
}

int main(int argc, char **argv) {
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    pthread_t threads[16];
    storm storms[16];
    if (argc < 2 || n < 1 || n > 16) {
        fprintf(stderr, "usage: malloc_storm PAIRS [THREADS]\n");
        return 2;
    }
    for (unsigned i = 0; i < n; i++) {
        storms[i] = (storm){ .pairs = strtoull(argv[1], NULL, 10), .random = i + 1 };
        if (i && pthread_create(&threads[i], NULL, run, &storms[i]) != 0)
            return 4;
    }
    run(&storms[0]);
    for (unsigned i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
