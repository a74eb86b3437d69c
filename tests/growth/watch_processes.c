/* SPDX-License-Identifier: MIT
 *
 * watch_processes.c: pidfd_open for a recorder that runs in valgrind 3.19, which does not know it. A library to preload.
 *
 * Only children are watched: a thread waits until one has ended, without taking its status, and closes a pipe.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct watch {
    pid_t pid;
    int end;
} watch;

static void *wait_for(void *argument) {
    watch *w = argument;
    siginfo_t unused;
    waitid(P_PID, (id_t)w->pid, &unused, WEXITED | WNOWAIT);
    close(w->end);
    free(w);
    return NULL;
}

static int watch_child(pid_t pid) {
    pthread_t thread;
    int ends[2];
    watch *w = malloc(sizeof *w);
    if (!w || pipe(ends) != 0)
        return -1;
    *w = (watch){ pid, ends[1] };
    if (pthread_create(&thread, NULL, wait_for, w) != 0)
        return -1;
    pthread_detach(thread);
    return ends[0];
}

/* The recorder asks the kernel and not glibc, which has the function since 2.36 alone. */
long syscall(long number, ...) {
    va_list rest;
    long argument[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_pidfd_open)
        return watch_child((pid_t)argument[0]);
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
