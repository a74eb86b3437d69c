/* SPDX-License-Identifier: MIT
 *
 * fork_threads.c: threads allocate while the main thread forks; the children allocate, too, and write their truth in
 * files of their own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "truth.h"

#define THREADS 3
#define CHILDREN 8

static atomic_bool is_over;
static pthread_barrier_t barrier;

static void *work(void *number) {
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < 300 || !is_over; i++) {
        size_t size = i % 100 + 1;
        free(truth_free("free", truth_alloc("malloc", malloc(size), size)));
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return number;
}

static void be_child(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", getenv("TRUTH"), (int)getpid());
    close(truth_fd);
    truth_fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (size_t i = 1; i <= 200; i++) {
        void *p = truth_alloc("malloc", malloc(i), i);
        if (i % 3)
            free(truth_free("free", p));
    }
    _exit(7);
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    truth_begin();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            be_child();
        free(truth_free("free", truth_alloc("malloc", malloc(5000), 5000)));
        if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
            abort();
    }
    is_over = 1;
    pthread_barrier_wait(&barrier);
    truth_end();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
