/* SPDX-License-Identifier: MIT
 *
 * behaves.c: a program that allocates in known ways and then does what its first argument says. Built by record_test.py.
 *
 * Every mode but `none` begins by allocating 100 blocks of 1,000 bytes, of which it frees 90, in keep_some().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *kept[100];

__attribute__((noinline)) static void keep_some(void) {
    for (int i = 0; i < 100; i++)
        kept[i] = malloc(1000);
    for (int i = 10; i < 100; i++)
        free(kept[i]);
}

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(99);
}

static void nap(long ms) {
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    while (nanosleep(&t, &t) < 0) {
    }
}

static void on_signal(int number) {
    (void)number;
    say("signal\n");
    _exit(3);
}

/* Allocates for so long. */
static void churn(long ms) {
    for (long i = 0; i < ms; i++) {
        for (int j = 0; j < 20; j++)
            free(malloc(512 + (size_t)j));
        nap(1);
    }
}

static void *in_thread(void *payload) {
    pthread_setname_np(pthread_self(), "painter");
    kept[0] = malloc(4321);
    nap(1500);
    return payload;
}

static void become_daemon(void) {
    if (fork() != 0)
        _exit(0);
    setsid();
    if (fork() != 0)
        _exit(0);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
}

/* A file says that this point was reached, whatever became of the descriptors. */
static void leave_mark(const char *name) {
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "none") == 0)
        _exit(0);
    keep_some();
    if (strcmp(mode, "exit") == 0)
        return atoi(argv[2]);
    if (strcmp(mode, "kill") == 0)
        kill(getpid(), atoi(argv[2]));
    if (strcmp(mode, "wait-for-signal") == 0) {
        signal(atoi(argv[2]), on_signal);
        say("ready\n");
        for (;;)
            pause();
    }
    if (strcmp(mode, "ignored") == 0) {
        struct sigaction action;
        sigaction(atoi(argv[2]), NULL, &action);
        say(action.sa_handler == SIG_IGN ? "ignored\n" : "default\n");
    }
    if (strcmp(mode, "churn") == 0) {
        say("ready\n");
        churn(atol(argv[2]));
        leave_mark(argv[3]);
        return 5;
    }
    if (strcmp(mode, "storm") == 0)
        for (long i = atol(argv[2]); i > 0; i--) {
            kept[i % 10] = malloc((size_t)(i % 1000));
            if (i % 100)
                free(kept[i % 10]);
        }
    if (strcmp(mode, "close-all") == 0) {
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
        kept[50] = malloc(2222);
        leave_mark(argv[2]);
    }
    if (strcmp(mode, "chroot") == 0) {
        if (chroot(argv[2]) < 0 || chdir("/") < 0)
            return 97;
        kept[50] = malloc(2222);
    }
    if (strcmp(mode, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(mode, "daemon") == 0) {
        become_daemon();
        kept[50] = malloc(3333);
        nap(atol(argv[2]));
        leave_mark(argv[3]);
    }
    if (strcmp(mode, "map") == 0)
        kept[50] = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(mode, "fork") == 0) {
        if (fork() == 0) {
            kept[50] = malloc(3333);
            _exit(7);
        }
        wait(NULL);
    }
    if (strcmp(mode, "exec") == 0) {
        execv(argv[2], argv + 2);
        return 96;
    }
    return 0;
}
