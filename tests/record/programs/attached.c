/* SPDX-License-Identifier: MIT
 *
 * attached.c: a program that is attached to again and again, and notices when it is harmed: by a system call that ends early, errno,
 * registers or blocks that change, or children that fail. Ends with status 3 and a word then, else when standard input ends.
 *
 *     attached KIND...    busy, sleeps, counts, forks, loads PATH, storm: a thread of each kind
 *
 * Main reads letters, and answers each with a line: k: keeps 100 blocks of 1000 bytes; f: frees the oldest 100; a: where malloc is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCKS 500

static const char *library;

static void harm(const char *what) {
    printf("harm: %s (%s)\n", what, strerror(errno));
    fflush(stdout);
    _exit(3);
}

static void *block_make(size_t size, unsigned char with) {
    unsigned char *p = malloc(size);
    if (!p)
        harm("no memory");
    memset(p, with, size);
    return p;
}

/* Blocks keep what is in them. */
static void *busy(void *unused) {
    unsigned char *blocks[BLOCKS] = { NULL };
    size_t sizes[BLOCKS] = { 0 };
    for (unsigned i = 0;; i++) {
        unsigned at = i * 2654435761u % BLOCKS;
        for (size_t k = 0; k < sizes[at]; k += 97)
            if (blocks[at][k] != (unsigned char)at)
                harm("a block changed");
        free(blocks[at]);
        sizes[at] = 1000 + i % 9000;
        blocks[at] = block_make(sizes[at], (unsigned char)at);
    }
    return unused;
}

/* No signal of ours has a handler, so nothing may end early. */
static void *sleeps(void *unused) {
    for (;;) {
        struct timespec time = { .tv_nsec = 50000000 }, begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        if (nanosleep(&time, NULL) != 0)
            harm("a sleep ended early");
        clock_gettime(CLOCK_MONOTONIC, &end);
        if ((end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec < time.tv_nsec)
            harm("a sleep was short");
    }
    return unused;
}

/* Sums in registers of all kinds, and errno, which nothing here changes. */
static void *counts(void *unused) {
    errno = 4711;
    for (unsigned round = 1;; round++) {
        double a = 0, b = 0, c = 0, d = 0;
        long double e = 0;
        unsigned long long x = 0, y = 0, z = 0;
        for (unsigned i = 0; i < 100000; i++) {
            a += 1, b += 2, c += 3, d += 4, e += 5;
            x += i, y ^= i, z += x & 1;
        }
        if (a != 100000 || b != 200000 || c != 300000 || d != 400000 || e != 500000 || x != 4999950000ULL)
            harm("a register changed");
        if (errno != 4711)
            harm("errno changed");
    }
    return unused;
}

static void *forks(void *unused) {
    for (int status;;) {
        pid_t pid = fork();
        if (pid == 0) {
            void *p = block_make(100000, 1);
            free(p);
            _exit(7);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
            harm("a child failed");
        usleep(2000);
    }
    return unused;
}

/* A library that comes and goes. */
static void *loads(void *unused) {
    for (;;) {
        void *handle = dlopen(library, RTLD_NOW);
        void *(*make)(size_t) = handle ? (void *(*)(size_t))dlsym(handle, "plugin_make") : NULL;
        if (!make)
            harm(dlerror());
        for (int i = 0; i < 200; i++)
            free(make(5000));
        if (dlclose(handle) != 0)
            harm("dlclose failed");
        usleep(1000);
    }
    return unused;
}

static void *storm(void *unused) {
    for (void *volatile p;; free(p))
        p = malloc(64);
    return unused;
}

#define KEPT 100
static void *kept[16][KEPT];
static unsigned n_kept, n_freed;

__attribute__((noinline)) static void keep_some(void) {
    for (int i = 0; i < KEPT; i++)
        kept[n_kept % 16][i] = block_make(1000, 1);
    n_kept++;
}

static void free_some(void) {
    for (int i = 0; i < KEPT; i++)
        free(kept[n_freed % 16][i]);
    n_freed++;
}

static void answer(char letter) {
    void *(*volatile function)(size_t) = malloc;
    if (letter == 'k')
        keep_some();
    else if (letter == 'f')
        free_some();
    printf("%c %p\n", letter, (void *)function);
    fflush(stdout);
}

int main(int n, char **words) {
    static const struct {
        const char *name;
        void *(*begin)(void *);
    } kinds[] = { { "busy", busy },   { "sleeps", sleeps }, { "counts", counts },
                  { "forks", forks }, { "loads", loads },   { "storm", storm } };
    pthread_t thread;
    char letter;
    for (int i = 1; i < n; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strcmp(words[i], kinds[k].name) != 0)
                continue;
            if (kinds[k].begin == loads)
                library = words[i + 1];
            if (pthread_create(&thread, NULL, kinds[k].begin, NULL) != 0)
                harm("no thread");
        }
    puts("ready");
    fflush(stdout);
    for (ssize_t got; (got = read(STDIN_FILENO, &letter, 1)) != 0;) {
        if (got < 0)
            harm("a read ended early");
        answer(letter);
    }
    return 0;
}
