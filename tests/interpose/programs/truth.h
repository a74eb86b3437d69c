/* SPDX-License-Identifier: MIT
 *
 * truth.h: what a test program did, in its own words, so that it can be compared with what was recorded.
 *
 * Lines go to the file TRUTH names: `A word size address thread` and `F word address thread`. Nothing here allocates.
 * What happens between truth_begin and truth_end, in this thread or any, is written; the rest, such as what the C
 * library does at start, is not.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sizes that nobody else asks for: where writing begins and ends. */
#define TRUTH_BEGIN 1234577
#define TRUTH_END 1234583

static int truth_fd = -1;

static void truth_write(const char *line, int n) {
    if (truth_fd < 0)
        truth_fd = open(getenv("TRUTH"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (n <= 0 || write(truth_fd, line, (size_t)n) != n)
        abort();
}

static inline void *truth_alloc(const char *word, void *p, size_t size) {
    char line[128];
    truth_write(line, snprintf(line, sizeof line, "A %s %zu %lx %ld\n", word, size, (unsigned long)(uintptr_t)p,
                               (long)syscall(SYS_gettid)));
    return p;
}

/* To be written before the block is freed. */
static inline void *truth_free(const char *word, void *p) {
    char line[128];
    truth_write(line, snprintf(line, sizeof line, "F %s %lx %ld\n", word, (unsigned long)(uintptr_t)p,
                               (long)syscall(SYS_gettid)));
    return p;
}

static inline void truth_mark(size_t size) {
    void *volatile p = malloc(size);
    free(p);
}

static inline void truth_begin(void) {
    char line[1] = { '\n' };
    truth_write(line, 1); /* opens the file before */
    truth_mark(TRUTH_BEGIN);
}

static inline void truth_end(void) {
    truth_mark(TRUTH_END);
}

#endif
