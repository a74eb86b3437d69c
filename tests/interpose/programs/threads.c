/* SPDX-License-Identifier: MIT
 *
 * threads.c: several threads allocate in every form at once, and free what others allocated.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "truth.h"

#define THREADS 6
#define STEPS 3000
#define SLOTS 64

static void *_Atomic slots[SLOTS];
static pthread_barrier_t barrier;

static unsigned next(unsigned *state) {
    return *state = *state * 1664525 + 1013904223;
}

static void *allocate(unsigned form, size_t size) {
    void *p = NULL;
    switch (form % 8) {
    case 0:
        return truth_alloc("calloc", calloc(size, 3), size * 3);
    case 1:
        return truth_alloc("memalign", memalign(64, size), size);
    case 2:
        if (posix_memalign(&p, 32, size))
            abort();
        return truth_alloc("posix_memalign", p, size);
    case 3:
        return truth_alloc("realloc", realloc(NULL, size), size);
    case 4:
        return truth_alloc("reallocarray", reallocarray(NULL, 2, size), 2 * size);
    default:
        return truth_alloc("malloc", malloc(size), size);
    }
}

static void *work(void *number) {
    unsigned state = (unsigned)(uintptr_t)number + 1;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < STEPS; i++) {
        void *p = allocate(next(&state) >> 16, (next(&state) >> 16) % 2000 + 1);
        if ((next(&state) >> 16) % 4 == 0) {
            size_t size = (next(&state) >> 16) % 5000 + 1;
            truth_free("realloc", p);
            p = truth_alloc("realloc", realloc(p, size), size);
        }
        void *old = atomic_exchange(&slots[(next(&state) >> 16) % SLOTS], p);
        if (old)
            free(truth_free("free", old));
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); /* until the end is marked */
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    truth_begin();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    truth_end();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
