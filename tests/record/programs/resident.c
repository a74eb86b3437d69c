/* SPDX-License-Identifier: MIT
 *
 * resident.c: memory of every use, of known sizes, for tests of what resident memory is used for. Says "ready", and lasts until its
 * standard input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1 << 20)
#define BLOCKS 4000
#define BLOCK_BYTES 5000
#define THREAD_BLOCKS 48
#define THREAD_BLOCK_BYTES (64 << 10)

static char variables[7 * MIB];
static char *blocks[BLOCKS], *thread_blocks[THREAD_BLOCKS];
static pthread_barrier_t is_made;

static void *thread_work(void *nothing) {
    volatile char on_the_stack[2 * MIB];
    for (size_t i = 0; i < sizeof on_the_stack; i++)
        on_the_stack[i] = 1;
    for (int i = 0; i < THREAD_BLOCKS; i++)
        memset(thread_blocks[i] = malloc(THREAD_BLOCK_BYTES), 1, THREAD_BLOCK_BYTES);
    pthread_barrier_wait(&is_made);
    pause();
    return on_the_stack[7] ? nothing : NULL;
}

static void *pages_of(int flags, int fd, size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (pages == MAP_FAILED)
        exit(1);
    memset(pages, 1, bytes);
    return pages;
}

int main(void) {
    pthread_t thread;
    char c;
    int file = memfd_create("of a test", 0);
    memset(variables, 1, sizeof variables);
    for (int i = 0; i < BLOCKS; i++)
        memset(blocks[i] = malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
    char *large = malloc(6 * MIB), *untouched = malloc(32 * MIB);
    memset(large, 1, 6 * MIB);
    for (int i = 0; i < BLOCKS; i += 2)
        free(blocks[i]);
    if (ftruncate(file, 5 * MIB) != 0)
        return 1;
    pages_of(MAP_SHARED, file, 5 * MIB);
    pages_of(MAP_PRIVATE | MAP_ANONYMOUS, -1, 9 * MIB);
    pthread_barrier_init(&is_made, NULL, 2);
    pthread_create(&thread, NULL, thread_work, NULL);
    pthread_barrier_wait(&is_made);
    puts("ready");
    fflush(stdout);
    while (read(0, &c, 1) > 0)
        continue;
    _exit(untouched && large[7] ? 0 : 1);
}
