/* SPDX-License-Identifier: MIT
 *
 * half_freed.c: allocates 40,000 blocks of 16 to 1,015 bytes and touches them, frees every other one, says so, and then allocates now
 * and then until its standard input ends. With an argument, a second thread allocates every third of them, and waits.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 40000

static void *blocks[BLOCKS];
static void *volatile last; /* compilers leave out a block that nothing can see */

static void block_make(size_t i) {
    size_t size_bytes = 16 + i % 1000;
    blocks[i] = memset(malloc(size_bytes), 1, size_bytes);
}

static void *thread_waits(void *payload) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    for (size_t i = 0; i < BLOCKS; i += 3)
        block_make(i);
    sem_post(payload);
    (void)poll(&input, 1, -1);
    return NULL;
}

int main(int argc, char **argv) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    pthread_t thread;
    sem_t is_done;
    (void)argv;
    sem_init(&is_done, 0, 0);
    if (argc > 1 && pthread_create(&thread, NULL, thread_waits, &is_done) == 0)
        sem_wait(&is_done);
    for (size_t i = 0; i < BLOCKS; i++)
        if (!blocks[i])
            block_make(i);
    for (size_t i = 0; i < BLOCKS; i += 2)
        free(blocks[i]);
    puts("ready");
    fflush(stdout);
    while (poll(&input, 1, 10) == 0) {
        last = malloc(5000);
        free(last);
    }
    return 0;
}
