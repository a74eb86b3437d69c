/* SPDX-License-Identifier: MIT
 *
 * thread_churn.c N: N threads, a few at a time. Each allocates a block of its own size, which its successor frees,
 * and keeps one in its own memory until its destructors run.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define AT_A_TIME 8

static void *_Atomic left;
static pthread_key_t key;

static void *work(void *number) {
    pthread_setspecific(key, malloc(48));
    free(atomic_exchange(&left, malloc(20000 + (size_t)number)));
    return NULL;
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? (size_t)atol(argv[1]) : 100;
    pthread_key_create(&key, free);
    for (size_t i = 0; i < n; i += AT_A_TIME) {
        pthread_t threads[AT_A_TIME];
        for (size_t k = 0; k < AT_A_TIME; k++)
            if (pthread_create(&threads[k], NULL, work, (void *)(i + k)))
                abort();
        for (size_t k = 0; k < AT_A_TIME; k++)
            pthread_join(threads[k], NULL);
    }
    free(left);
    return 0;
}
