/* SPDX-License-Identifier: MIT
 *
 * controlled.c: does what standard input says, a word and a number or path on each line, and answers each line; it allocates nothing else.
 *
 *     alloc N      allocates N blocks of 1,000 bytes        free N      frees the N youngest
 *     start, stop, reset, state, results PATH               as ubiheap/core/recorder.h has them
 *     threads N    N threads allocate and free until "join"
 *     fork         a child that does what FIFO says from then on: fork IN OUT
 *     grow N       reallocs the youngest block to N bytes
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ubiheap/core/recorder.h>

static void *kept[100000];
static int n_kept;
static atomic_int must_end;
static pthread_t threads[16];
static int n_threads;
static FILE *in, *out;

__attribute__((noinline)) void *allocate_one(void) {
    return malloc(1000);
}

static void *churn(void *unused) {
    while (!atomic_load(&must_end)) {
        free(malloc(2000));
        usleep(100);
    }
    return unused;
}

static int change_threads(int n) {
    if (n) {
        atomic_store(&must_end, 0);
        while (n_threads < n)
            pthread_create(&threads[n_threads++], NULL, churn, NULL);
        return n;
    }
    atomic_store(&must_end, 1);
    while (n_threads)
        pthread_join(threads[--n_threads], NULL);
    return 0;
}

static int split(const char *from, const char *to) {
    pid_t pid = fork();
    if (pid)
        return (int)pid;
    in = fopen(from, "r");
    out = fopen(to, "w");
    setvbuf(out, NULL, _IOLBF, 4096);
    return 0;
}

static int obey(const char *word, const char *first, const char *second) {
    int n = atoi(first);
    if (!strcmp(word, "alloc"))
        for (int i = 0; i < n; i++)
            kept[n_kept++] = allocate_one();
    else if (!strcmp(word, "free"))
        for (int i = 0; i < n; i++)
            free(kept[--n_kept]);
    else if (!strcmp(word, "grow"))
        kept[n_kept - 1] = realloc(kept[n_kept - 1], (size_t)n);
    else if (!strcmp(word, "threads"))
        return change_threads(n);
    else if (!strcmp(word, "fork"))
        return split(first, second);
    else if (!strcmp(word, "start"))
        return ubi_recorder_start();
    else if (!strcmp(word, "stop"))
        return ubi_recorder_stop();
    else if (!strcmp(word, "reset"))
        return ubi_recorder_reset();
    else if (!strcmp(word, "results"))
        return ubi_recorder_results(first);
    else
        return ubi_recorder_state();
    return 0;
}

int main(void) {
    static char input[4096], output[4096], line[3000], word[64], first[1400], second[1400];
    in = stdin;
    out = stdout;
    setvbuf(stdin, input, _IOFBF, sizeof input);
    setvbuf(stdout, output, _IOLBF, sizeof output);
    fprintf(out, "%d\n", (int)getpid());
    while (fgets(line, sizeof line, in)) {
        first[0] = second[0] = '\0';
        if (sscanf(line, "%63s %1399s %1399s", word, first, second) > 0)
            fprintf(out, "%d\n", obey(word, first, second));
    }
    return 0;
}
