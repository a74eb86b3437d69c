/* SPDX-License-Identifier: MIT
 *
 * clocked.c [crowd]: allocates, frees and marks, and says on standard output between which readings of the clock it did.
 *
 * First it says "ready" and waits for a line. Four threads, each with ROUNDS rounds: a block of a size that nobody else has, a
 * marker, and the end of the block. A line: size, then the clock in ns before and after the allocation, the marker, the free.
 * With "crowd", eight processes besides take every processor from whoever else wants it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/core/marker.h>

enum { THREADS = 4, ROUNDS = 100, FIRST_SIZE = 100000, CROWD = 8 };

typedef struct turn {
    unsigned long long alloc[2], mark[2], end[2];
} turn;

static turn turns[THREADS][ROUNDS];
static pid_t crowd[CROWD];

static unsigned long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

static void *work(void *payload) {
    turn *mine = payload;
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t size = FIRST_SIZE + (size_t)(mine - turns[0]) + i;
        mine[i].alloc[0] = now();
        char *volatile block = malloc(size);
        mine[i].alloc[1] = now();
        mine[i].mark[0] = now();
        UBI_TIMELINE_TIMESTAMP("turn", NULL);
        mine[i].mark[1] = now();
        mine[i].end[0] = now();
        free(block);
        mine[i].end[1] = now();
        usleep((useconds_t)(i * 37 % 11) * 1000);
    }
    return NULL;
}

static void gather_crowd(void) {
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = fork();
        if (crowd[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile unsigned n = 0;; n++)
                ;
        }
    }
}

static void disperse_crowd(void) {
    for (int i = 0; i < CROWD; i++) {
        kill(crowd[i], SIGKILL);
        waitpid(crowd[i], NULL, 0);
    }
}

int main(int argc, char **argv) {
    int is_crowded = argc > 1 && !strcmp(argv[1], "crowd");
    pthread_t threads[THREADS];
    char line[16];
    puts("ready");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (is_crowded)
        gather_crowd();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, turns[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (is_crowded)
        disperse_crowd();
    for (size_t i = 0; i < THREADS * ROUNDS; i++) {
        const turn *t = turns[0] + i;
        printf("%zu %llu %llu %llu %llu %llu %llu\n", FIRST_SIZE + i, t->alloc[0], t->alloc[1], t->mark[0], t->mark[1],
               t->end[0], t->end[1]);
    }
    return 0;
}
