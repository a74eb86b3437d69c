/* SPDX-License-Identifier: MIT
 *
 * exits_at_work.c FILE: six threads allocate and free until the first one calls exit. FILE has, of each of them, how many calls it has
 * begun and how many have come back: malloc, free.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 6
#define ENOUGH 20000

typedef struct calls {
    uint64_t malloc_begun, malloc_done, free_begun, free_done;
} calls;
static volatile calls *all;

static void *work(void *number) {
    volatile calls *mine = &all[(uintptr_t)number];
    for (;;) {
        mine->malloc_begun++;
        void *volatile p = malloc(7001);
        mine->malloc_done++;
        mine->free_begun++;
        free(p);
        mine->free_done++;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    pthread_t thread;
    if (ftruncate(fd, sizeof *all * THREADS) != 0)
        return 1;
    all = mmap(NULL, sizeof *all * THREADS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        while (all[i].free_done < ENOUGH)
            usleep(1000);
    exit(0);
}
