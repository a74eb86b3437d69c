/* SPDX-License-Identifier: MIT
 *
 * damage.c: see damage.h.
 */
#include "damage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_RETURNED 90

/* An abort that is wanted leaves no core file, and no handler of a test runner or a sanitizer reports it. */
static _Noreturn void child_run(void (*check)(void *), void *payload, int errors_fd) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    signal(SIGABRT, SIG_DFL);
    dup2(errors_fd, STDERR_FILENO);
    check(payload);
    _exit(CHECK_RETURNED);
}

static size_t read_all(int fd, char *text, size_t size_bytes) {
    size_t n = 0;
    ssize_t got = 1;
    while (n < size_bytes - 1 && got > 0) {
        got = read(fd, text + n, size_bytes - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = '\0';
    return n;
}

bool damage_is_seen(void (*check)(void *payload), void *payload, const char *expected) {
    char text[4096];
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        child_run(check, payload, ends[1]);
    }
    close(ends[1]);
    read_all(ends[0], text, sizeof text);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    bool seen =
        WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, "does not hold: ") && strstr(text, expected);
    if (!seen)
        fprintf(stderr, "expected a check that fails with \"%s\", got status %#x and \"%s\"\n", expected,
                (unsigned)status, text);
    return seen;
}
