/* SPDX-License-Identifier: MIT
 *
 * native_results.c: see native_results.h.
 */
#include "targets/native/native_results.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"

extern char **environ;

#define LINE_BYTES 512

/* Where the program sees relative paths from, with its streams: nothing of ours. */
static int actions_fill(posix_spawn_file_actions_t *actions, pid_t pid, int log) {
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%ld/cwd", (long)pid);
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, log, STDERR_FILENO);
    return error ? error : posix_spawn_file_actions_addchdir_np(actions, folder);
}

/* Signals are as they are for any command. */
static void attributes_fill(posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &usual);
    (void)posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/* @return 0: there is none */
static pid_t maker_spawn(const char *tool, pid_t pid, const char *path, int log) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char number[24], name[] = "ubiheap", command[] = "control", verb[] = "results";
    char output[sizeof "--output=" + UBI__WIRE_RESULTS_PATH_BYTES], progress[] = "--no-progress";
    char *words[] = { name, command, number, verb, progress, output, NULL };
    pid_t made = 0;
    snprintf(number, sizeof number, "%ld", (long)pid);
    snprintf(output, sizeof output, "--output=%s", path);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        attributes_fill(&attributes);
        if (actions_fill(&actions, pid, log) != 0 ||
            posix_spawn(&made, tool, &actions, &attributes, words, environ) != 0)
            made = 0;
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return made;
}

static ubi__wire_results maker_begin(ubi__native_session *s, const ubi__native_results_maker *maker, const char *path) {
    if (!s->window.has_results)
        return UBI__RESULTS_NONE;
    if (!maker->tool || !path[0])
        return UBI__RESULTS_FAILED;
    s->window.maker_log = memfd_create("ubiheap results", MFD_CLOEXEC);
    if (s->window.maker_log < 0)
        return UBI__RESULTS_FAILED;
    s->window.maker = maker_spawn(maker->tool, s->pid, path, s->window.maker_log);
    if (s->window.maker > 0)
        return UBI__RESULTS_ASKED;
    close(s->window.maker_log);
    return UBI__RESULTS_FAILED;
}

static void failure_report(const ubi__native_session *s, const ubi__native_results_maker *maker) {
    char line[LINE_BYTES];
    ssize_t n = pread(s->window.maker_log, line, sizeof line - 1, 0);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (maker->tell && line[0])
        maker->tell(s->pid, line);
}

/* UBI__RESULTS_ASKED: it still works. */
static ubi__wire_results maker_look(ubi__native_session *s, const ubi__native_results_maker *maker) {
    int status = 0;
    pid_t ended = waitpid(s->window.maker, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return UBI__RESULTS_ASKED;
    bool is_good = ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!is_good)
        failure_report(s, maker);
    close(s->window.maker_log);
    s->window.maker = 0;
    return is_good ? UBI__RESULTS_DONE : UBI__RESULTS_FAILED;
}

void ubi__native_results_serve(ubi__native_session *s, const ubi__native_results_maker *maker) {
    char path[UBI__WIRE_RESULTS_PATH_BYTES];
    ubi__wire_results outcome = UBI__RESULTS_ASKED;
    if (s->has_ended)
        return;
    if (s->window.maker)
        outcome = maker_look(s, maker);
    else if (ubi__native_window_is_asked(s, path))
        outcome = maker_begin(s, maker, path);
    if (outcome != UBI__RESULTS_ASKED)
        ubi__native_window_answer(s, outcome);
}
