/* SPDX-License-Identifier: MIT
 *
 * native_launch.c: see native_launch.h.
 */
#include "targets/native/native_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"
#include "recording/preload_wire.h"

extern char **environ;

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

static bool is_passed_on(uint32_t number) {
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        if (number == (uint32_t)passed_on[i])
            return true;
    return false;
}

/* Blocked signals stay pending for the descriptor even where they are ignored. But who ignores SIGCHLD is never told how a
   child ended. */
static ubi_status take_signals(ubi__native_launch *l) {
    struct sigaction before;
    sigset_t ours;
    l->ignores_children = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (l->ignores_children)
        signal(SIGCHLD, SIG_DFL);
    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ); /* a file that is too large is an error like a full disk */
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&ours, passed_on[i]);
    sigprocmask(SIG_BLOCK, &ours, &l->mask_before);
    sigdelset(&ours, SIGPIPE);
    sigdelset(&ours, SIGXFSZ);
    l->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return l->signals < 0 ? ubi__fail_errno(errno, "cannot wait for signals") : UBI_OK;
}

static void learn_of_end(ubi__native_launch *l) {
    int status;
    if (l->pid <= 0 || l->has_ended || waitpid(l->pid, &status, WNOHANG) != l->pid)
        return;
    l->has_ended = true;
    l->wait_status = status;
}

bool ubi__native_launch_attend(ubi__native_launch *l) {
    struct signalfd_siginfo signal;
    bool wants_end = false;
    while (read(l->signals, &signal, sizeof signal) == sizeof signal) {
        if (!is_passed_on(signal.ssi_signo))
            continue;
        wants_end |= signal.ssi_signo != SIGUSR1 && signal.ssi_signo != SIGUSR2;
        /* The terminal's come from the kernel, and the program has them already. */
        if (signal.ssi_code <= 0 && l->pid > 0 && !l->has_ended)
            kill(l->pid, (int)signal.ssi_signo);
    }
    learn_of_end(l);
    return wants_end;
}

/* ---- the new process ---------------------------------------------------------------------------------------------- */

/* environ with our two variables: environment[n], then NULL. The first two are owned. */
typedef struct environment {
    const ubi_allocator *allocator;
    char *preload, *socket;
    size_t preload_bytes, socket_bytes;
    char **at;
    size_t n;
} environment;

static bool is_variable(const char *entry, const char *name) {
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static ubi_status make_entry(char **out, size_t *bytes, const ubi_allocator *a, const char *name, const char *value,
                             const char *rest) {
    *bytes = strlen(name) + strlen(value) + strlen(rest) + 3;
    *out = ubi__alloc_array(a, *bytes, 1);
    if (!*out)
        return ubi__fail_nomem();
    snprintf(*out, *bytes, "%s=%s%s%s", name, value, *rest ? ":" : "", rest);
    return UBI_OK;
}

static ubi_status environment_make(environment *e, const ubi__native_door *door, const ubi_allocator *a) {
    const char *preloaded = getenv("LD_PRELOAD");
    size_t n = 0;
    *e = (environment){ .allocator = a };
    UBI_TRY(make_entry(&e->preload, &e->preload_bytes, a, "LD_PRELOAD", door->library, preloaded ? preloaded : ""));
    UBI_TRY(make_entry(&e->socket, &e->socket_bytes, a, UBI__WIRE_SOCKET_VARIABLE, door->socket_path, ""));
    while (environ[n])
        n++;
    e->at = ubi__calloc_array(a, n + 3, sizeof *e->at);
    if (!e->at)
        return ubi__fail_nomem();
    e->n = n + 2;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_variable(environ[i], "LD_PRELOAD") && !is_variable(environ[i], UBI__WIRE_SOCKET_VARIABLE))
            e->at[kept++] = environ[i];
    e->at[kept++] = e->preload;
    e->at[kept] = e->socket;
    return UBI_OK;
}

static void environment_fini(environment *e) {
    ubi__free_array(e->allocator, e->preload, e->preload_bytes, 1);
    ubi__free_array(e->allocator, e->socket, e->socket_bytes, 1);
    ubi__free_array(e->allocator, e->at, e->n + 1, sizeof *e->at);
}

/* In the new process: waits at the gate, then becomes the program. Without us, the gate opens to nothing, and it ends. */
static void become_program(const ubi__native_launch *l, const ubi__native_program *p, const environment *e, int gate,
                           int failure) {
    char go;
    if (read(gate, &go, 1) != 1)
        _exit(UBI__PROGRAM_CANNOT_RUN);
    if (l->ignores_children)
        signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
    execve(p->path, p->arguments, e->at);
    int error = errno;
    if (write(failure, &error, sizeof error) != sizeof error)
        _exit(UBI__PROGRAM_CANNOT_RUN);
    _exit(error == ENOENT ? UBI__PROGRAM_NOT_FOUND : UBI__PROGRAM_CANNOT_RUN);
}

static ubi_status make_process(ubi__native_launch *l, const ubi__native_program *p, const environment *e) {
    int gate[2], failure[2];
    if (pipe2(gate, O_CLOEXEC) < 0)
        return ubi__fail_errno(errno, "cannot make a pipe");
    if (pipe2(failure, O_CLOEXEC) < 0) {
        int error = errno;
        close(gate[0]);
        close(gate[1]);
        return ubi__fail_errno(error, "cannot make a pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[1]);
        become_program(l, p, e, gate[0], failure[1]);
    }
    int error = errno;
    close(gate[0]);
    close(failure[1]);
    l->gate = gate[1];
    l->failure = failure[0];
    if (pid < 0)
        return ubi__fail_errno(error, "cannot make a process");
    l->pid = pid;
    return UBI_OK;
}

static ubi_status open_launch(ubi__native_launch *l, const ubi__native_program *p, const ubi__native_door *door) {
    environment e;
    UBI_TRY(take_signals(l));
    ubi_status status = environment_make(&e, door, p->allocator);
    if (status == UBI_OK)
        status = make_process(l, p, &e);
    environment_fini(&e);
    return status;
}

ubi_status ubi__native_launch_open(ubi__native_launch *launch, const ubi__native_program *program,
                                   const ubi__native_door *door) {
    *launch = (ubi__native_launch){ .signals = -1, .gate = -1, .failure = -1 };
    ubi_status status = open_launch(launch, program, door);
    if (status != UBI_OK)
        ubi__native_launch_close(launch);
    return status;
}

static void shut_descriptor(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

ubi_status ubi__native_launch_go(ubi__native_launch *l, const ubi__native_program *program, int *exit_code) {
    int error = 0;
    ssize_t n;
    UBI_ASSERT(l->pid > 0 && l->gate >= 0 && l->failure >= 0); /* it waits */
    if (write(l->gate, "", 1) != 1)
        return ubi__fail_errno(errno, "cannot start '%s'", program->path);
    shut_descriptor(&l->gate);
    do
        n = read(l->failure, &error, sizeof error); /* ends when exec has closed it */
    while (n < 0 && errno == EINTR);
    shut_descriptor(&l->failure);
    if (n != sizeof error)
        return UBI_OK;
    *exit_code = error == ENOENT ? UBI__PROGRAM_NOT_FOUND : UBI__PROGRAM_CANNOT_RUN;
    return ubi__fail(UBI_EINVAL, "cannot run '%s': %s", program->path, strerror(error));
}

/* What has come meanwhile is ours, not for those who work after us. */
static void drop_signals(void) {
    const struct timespec at_once = { 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    while (sigtimedwait(&set, NULL, &at_once) > 0) {
    }
}

void ubi__native_launch_close(ubi__native_launch *l) {
    bool waits = l->gate >= 0 && l->pid > 0 && !l->has_ended;
    shut_descriptor(&l->gate);
    shut_descriptor(&l->failure);
    if (waits)
        waitpid(l->pid, &l->wait_status, 0);
    shut_descriptor(&l->signals);
    drop_signals();
    if (l->ignores_children)
        signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
}
