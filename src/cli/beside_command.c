/* SPDX-License-Identifier: MIT
 *
 * beside_command.c: see beside_command.h.
 */
#include "cli/beside_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"

#define TICK_US 20000
#define PATIENT_TURNS 100

extern char **environ;

/* Signals that we block or ignore are as usual in it. */
static int attributes_fill(posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGPIPE);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &usual);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int files_fill(posix_spawn_file_actions_t *files, int channel) {
    int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
    if (!error && channel >= 0)
        error = posix_spawn_file_actions_adddup2(files, channel, UBI__BESIDE_CHANNEL);
    return error;
}

ubi_status ubi__beside_start_program(ubi__beside *out, char *const *words, int channel) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    *out = (ubi__beside){ .command = words[0] };
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int error = attributes_fill(&attributes);
    if (!error)
        error = files_fill(&files, channel);
    if (!error)
        error = posix_spawnp(&pid, words[0], &files, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error)
        return ubi__fail_errno(error, "cannot start '%s'", words[0]);
    out->group = pid;
    return UBI_OK;
}

ubi_status ubi__beside_start(ubi__beside *out, const char *command) {
    char *const words[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, (char *)(uintptr_t)command, NULL };
    *out = (ubi__beside){ .command = NULL };
    if (!command)
        return UBI_OK;
    UBI_TRY(ubi__beside_start_program(out, words, -1));
    out->command = command;
    return UBI_OK;
}

bool ubi__beside_has_ended(ubi__beside *b) {
    if (b->group && waitpid(b->group, &b->status, WNOHANG) == b->group)
        b->group = 0;
    return b->command && !b->group;
}

void ubi__beside_stop(ubi__beside *b) {
    if (!b->command || ubi__beside_has_ended(b))
        return;
    pid_t group = b->group;
    (void)kill(-group, SIGTERM);
    for (int i = 0; i < PATIENT_TURNS && !ubi__beside_has_ended(b); i++)
        usleep(TICK_US);
    if (b->group) {
        (void)kill(-group, SIGKILL);
        (void)waitpid(group, &b->status, 0);
        b->group = 0;
    }
}
