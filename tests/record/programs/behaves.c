/* SPDX-License-Identifier: MIT
 *
 * behaves.c: a program that allocates in known ways and then does what its first argument says. Built by record_test.py.
 *
 * Every mode but `none` begins by allocating 100 blocks of 1,000 bytes, of which it frees 90, in keep_some().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

static size_t *top, top_before;

static void on_abort(int number) {
    (void)number;
    *top = top_before;
    kept[0] = malloc(4444);
    _exit(3);
}

/* The C library gives up in the middle of malloc, for what it knows of its free memory is overwritten. */
static void abort_in_malloc(void) {
    char *p = malloc(100000);
    top = (size_t *)(p + malloc_usable_size(p));
    top_before = *top;
    signal(SIGABRT, on_abort);
    *top = SIZE_MAX;
    kept[1] = malloc(100001);
}

/* Allocates for so long. */
static void churn(long ms) {
    for (long i = 0; i < ms; i++) {
        for (int j = 0; j < 20; j++)
            free(malloc(512 + (size_t)j));
        nap(1);
    }
}

/* Allocates for as long as a file is there; without its folder it is not, so no test leaves a program behind. */
static void churn_while(const char *file) {
    while (access(file, F_OK) == 0)
        churn(1);
}

static void wait_while(const char *file) {
    while (access(file, F_OK) == 0)
        nap(1);
}

static void *in_thread(void *file) {
    pthread_setname_np(pthread_self(), "painter");
    kept[0] = malloc(4321);
    wait_while(file);
    return NULL;
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

static pthread_barrier_t all_there, all_done;

static void *one_of_many(void *payload) {
    void *volatile mine = malloc(777);
    pthread_barrier_wait(&all_there);
    pthread_barrier_wait(&all_done);
    free(mine);
    return payload;
}

/* So many threads at once, and then a child. */
static void be_a_crowd(unsigned n) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    pthread_barrier_init(&all_there, NULL, n + 1);
    pthread_barrier_init(&all_done, NULL, n + 1);
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&thread, &small, one_of_many, NULL) != 0)
            _exit(95);
    pthread_barrier_wait(&all_there);
    if (fork() == 0) {
        kept[50] = malloc(3333);
        _exit(7);
    }
    wait(NULL);
    pthread_barrier_wait(&all_done);
}

/* Sizes and lives without a pattern, so that there is little to compress. */
static void make_noise(long n) {
    static void *blocks[256];
    unsigned long x = 88172645463325252;
    for (; n > 0; n--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        free(blocks[x % 256]);
        blocks[x % 256] = malloc(x >> 8 & 0xffff);
    }
}

/* What it takes to find the way back to who records. */
static void give_up(const char *what, const char *folder) {
    const struct rlimit only_standard = { 3, 3 };
    if ((strcmp(what, "user") == 0 && setuid(65534) < 0) ||
        (strcmp(what, "root") == 0 && (chroot(folder) < 0 || chdir("/") < 0)) ||
        (strcmp(what, "descriptors") == 0 && setrlimit(RLIMIT_NOFILE, &only_standard) < 0))
        _exit(94);
}

/* @return how many of 1,000 blocks there were not, in so many bytes of address space. */
static int live_within(size_t bytes) {
    const struct rlimit limit = { bytes, RLIM_INFINITY };
    int missing = 0;
    setrlimit(RLIMIT_AS, &limit);
    for (int i = 0; i < 1000; i++)
        missing += malloc(4000) == NULL;
    return missing > 0;
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
    if (strcmp(mode, "abort-in-malloc") == 0)
        abort_in_malloc();
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
    if (strcmp(mode, "churn-while") == 0) {
        say("ready\n");
        churn_while(argv[2]);
        kept[50] = malloc(2222);
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
        say("ready\n");
        pthread_create(&thread, NULL, in_thread, argv[2]);
        pthread_join(thread, NULL);
    }
    if (strcmp(mode, "daemon") == 0) {
        become_daemon();
        kept[50] = malloc(3333);
        wait_while(argv[2]);
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
    if (strcmp(mode, "noise") == 0)
        make_noise(atol(argv[2]));
    if (strcmp(mode, "crowd") == 0)
        be_a_crowd((unsigned)atoi(argv[2]));
    if (strcmp(mode, "give-up") == 0) {
        give_up(argv[2], argv[3]);
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                kept[50] = malloc(3333);
                _exit(7);
            }
        while (wait(NULL) > 0) {
        }
    }
    if (strcmp(mode, "live-within") == 0)
        return live_within((size_t)atol(argv[2]));
    if (strcmp(mode, "closed") == 0)
        return fcntl(STDIN_FILENO, F_GETFD) < 0 ? 1 : 0;
    if (strcmp(mode, "exec") == 0) {
        execv(argv[2], argv + 2);
        return 96;
    }
    return 0;
}
