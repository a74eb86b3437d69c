/* SPDX-License-Identifier: MIT
 *
 * endings.c HOW: allocates, and ends in the way that is asked for, from a second thread too.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "truth.h"

static void allocate(size_t from) {
    for (size_t i = from; i < from + 100; i++)
        truth_alloc("malloc", malloc(i), i);
}

static void *work(void *barrier) {
    allocate(1000);
    pthread_barrier_wait(barrier);
    pause();
    return NULL;
}

static void spawn(char **argv) {
    extern char **environ;
    char *child[] = { argv[0], "return", NULL };
    pid_t pid;
    int status;
    setenv("TRUTH", "/dev/null", 1);
    if (posix_spawn(&pid, argv[0], NULL, NULL, child, environ) || waitpid(pid, &status, 0) != pid || status)
        abort();
    pid = vfork();
    if (pid == 0) {
        execv(argv[0], child);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid || status)
        abort();
    allocate(5000);
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_barrier_t barrier;
    const char *how = argc > 1 ? argv[1] : "return";
    truth_begin();
    pthread_barrier_init(&barrier, NULL, 2);
    allocate(1);
    pthread_create(&thread, NULL, work, &barrier);
    pthread_barrier_wait(&barrier);
    allocate(2000);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "_exit"))
        _exit(3);
    else if (!strcmp(how, "quick_exit"))
        quick_exit(4);
    else if (!strcmp(how, "exec"))
        execl(argv[0], argv[0], "return", NULL);
    else if (!strcmp(how, "spawn"))
        spawn(argv);
    return 0;
}
