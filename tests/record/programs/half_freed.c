/* SPDX-License-Identifier: MIT
 *
 * half_freed.c: allocates 40,000 blocks of 16 to 1,015 bytes and touches them, frees every other one, says so, and then allocates now
 * and then until its standard input ends. With an argument, there is a second thread.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 40000

static void *blocks[BLOCKS];
static void *volatile last; /* compilers leave out a block that nothing can see */

static void *thread_waits(void *payload) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    (void)payload;
    (void)poll(&input, 1, -1);
    return NULL;
}

int main(int argc, char **argv) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    pthread_t thread;
    (void)argv;
    if (argc > 1)
        pthread_create(&thread, NULL, thread_waits, NULL);
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size_bytes = 16 + i % 1000;
        blocks[i] = memset(malloc(size_bytes), 1, size_bytes);
    }
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
