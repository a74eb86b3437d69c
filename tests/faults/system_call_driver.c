/* SPDX-License-Identifier: MIT
 *
 * system_call_driver.c: runs a program in which one system call fails.
 *
 *     system_call_driver NOTES FOLDER N FAULT PROGRAM [ARGUMENT...]
 *
 * Of the calls that change files or make names, those count that are about something in FOLDER: by a descriptor or by a path. The
 * N-th of them (from 1; 0: none) fails with FAULT, the number of an error, and does nothing else; or, if it writes and FAULT is
 * "short", writes half. The file NOTES gets a line "CALLS NAME": how many there were, and the name of the one that failed ("-":
 * none). The exit status is that of the program, 128 and more for a signal, 125 when this cannot be done here.
 *
 * FAULT "hold" makes a slow disk: of the calls that write to a file in FOLDER, the N-th waits. NOTES appears when it does, and the call
 * continues when NOTES is deleted.
 *
 * The kernel asks us about each call (seccomp, user notification), so it does not matter where in the program the call is made, and
 * no tracer stands in the way of sanitizers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT 125
#define WRITE_MOST (1 << 20)

/* Bits: which of its arguments are descriptors, and which are paths. */
typedef struct call {
    int number;
    const char *name;
    unsigned descriptors, paths;
} call;

static const call calls[] = {
    { SYS_openat, "openat", 1, 2 },
    { SYS_write, "write", 1, 0 },
    { SYS_pwrite64, "pwrite64", 1, 0 },
    { SYS_writev, "writev", 1, 0 },
    { SYS_fsync, "fsync", 1, 0 },
    { SYS_fdatasync, "fdatasync", 1, 0 },
    { SYS_linkat, "linkat", 4, 8 },
    { SYS_renameat2, "renameat2", 1, 2 },
    { SYS_unlinkat, "unlinkat", 1, 2 },
    { SYS_fchmod, "fchmod", 1, 0 },
    { SYS_fchown, "fchown", 1, 0 },
    { SYS_ftruncate, "ftruncate", 1, 0 },
    { SYS_fallocate, "fallocate", 1, 0 },
    { SYS_close, "close", 1, 0 },
    { SYS_faccessat, "faccessat", 1, 2 },
    { SYS_faccessat2, "faccessat2", 1, 2 },
    { SYS_newfstatat, "newfstatat", 1, 2 },
    { SYS_readlinkat, "readlinkat", 1, 2 },
#ifdef SYS_renameat
    { SYS_renameat, "renameat", 1, 2 },
#endif
#ifdef SYS_open /* not on all machines */
    { SYS_open, "open", 0, 1 },
    { SYS_rename, "rename", 0, 1 },
    { SYS_link, "link", 0, 2 },
    { SYS_unlink, "unlink", 0, 1 },
    { SYS_readlink, "readlink", 0, 1 },
#endif
};
#define N_CALLS (sizeof calls / sizeof *calls)

static void stop(const char *what) {
    fprintf(stderr, "system_call_driver: %s: %s\n", what, strerror(errno));
    exit(CANNOT);
}

/* ---- in the child ------------------------------------------------------------------------------------------------- */

/* Asks for the calls above and lets all others pass. @return the descriptor on which the kernel asks. */
static int install_filter(void) {
    struct sock_filter code[2 * N_CALLS + 2];
    size_t n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < N_CALLS; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { (unsigned short)n, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void run_program(int socket, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* without us its calls would fail */
    int listener = install_filter();
    char taken; /* it is closed by exec */
    if (send(socket, &listener, sizeof listener, 0) != sizeof listener || listener < 0 ||
        recv(socket, &taken, 1, 0) != 1)
        _exit(CANNOT);
    execv(argv[0], argv);
    _exit(CANNOT);
}

/* ---- in the parent ------------------------------------------------------------------------------------------------ */

typedef struct supervisor {
    const char *notes, *folder;
    unsigned long wanted, seen;
    int error; /* 0: a short write */
    int pidfd, listener;
    const char *failed; /* name of the call that did */
    bool holds, is_held;
    uint64_t held_id;
} supervisor;

static void notes_write(const supervisor *s) {
    FILE *notes = fopen(s->notes, "w");
    if (!notes || fprintf(notes, "%lu %s\n", s->seen, s->failed) < 0 || fclose(notes) != 0)
        stop(s->notes);
}

static bool is_in_folder(const supervisor *s, const char *path) {
    size_t n = strlen(s->folder);
    return strncmp(path, s->folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static bool descriptor_is_in_folder(const supervisor *s, pid_t thread, int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)thread, fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return n > 0 && is_in_folder(s, path);
}

static ssize_t read_memory(pid_t thread, uint64_t at, void *out, size_t size) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/mem", (int)thread);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = pread(fd, out, size, (off_t)at);
    close(fd);
    return n;
}

static bool path_is_in_folder(const supervisor *s, pid_t thread, uint64_t at) {
    char path[256] = "";
    return read_memory(thread, at, path, sizeof path - 1) > 0 && is_in_folder(s, path);
}

static bool counts(const supervisor *s, const call *c, const struct seccomp_notif *asked) {
    for (unsigned i = 0; i < 6; i++) {
        if ((c->descriptors >> i & 1) && descriptor_is_in_folder(s, (pid_t)asked->pid, (int)asked->data.args[i]))
            return true;
        if ((c->paths >> i & 1) && path_is_in_folder(s, (pid_t)asked->pid, asked->data.args[i]))
            return true;
    }
    return false;
}

/* Half of what was to be written, by us, where the program would have. */
static void write_half(const supervisor *s, const struct seccomp_notif *asked, struct seccomp_notif_resp *answer) {
    static char data[WRITE_MOST];
    size_t n = (asked->data.args[2] + 1) / 2;
    int fd = (int)syscall(SYS_pidfd_getfd, s->pidfd, (int)asked->data.args[0], 0);
    n = n < sizeof data ? n : sizeof data;
    ssize_t got = fd < 0 ? -1 : read_memory((pid_t)asked->pid, asked->data.args[1], data, n);
    ssize_t written = got < 0 ? -1 : write(fd, data, (size_t)got);
    if (written < 0)
        answer->error = -EFAULT;
    answer->val = written;
    if (fd >= 0)
        close(fd);
}

static void decide(supervisor *s, const struct seccomp_notif *asked, struct seccomp_notif_resp *answer) {
    const call *c = calls;
    while (c->number != asked->data.nr)
        c++;
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (!counts(s, c, asked) || ++s->seen != s->wanted)
        return;
    if (s->error == 0 && c->number != SYS_write)
        return;
    answer->flags = 0;
    s->failed = c->name;
    if (s->error)
        answer->error = -s->error;
    else
        write_half(s, asked, answer);
}

static void answer_send(const supervisor *s, const struct seccomp_notif_resp *answer) {
    struct seccomp_notif_resp sent = *answer;
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &sent);
}

/* Whether the call is the one that waits. */
static bool hold(supervisor *s, const struct seccomp_notif *asked) {
    const call write_call = { SYS_write, "write", 1, 0 };
    if (!s->holds || asked->data.nr != SYS_write || !counts(s, &write_call, asked) || ++s->seen != s->wanted)
        return false;
    s->failed = write_call.name;
    s->is_held = true;
    s->held_id = asked->id;
    notes_write(s);
    return true;
}

static void held_look(supervisor *s) {
    if (!s->is_held || access(s->notes, F_OK) == 0)
        return;
    s->is_held = false;
    answer_send(s, &(struct seccomp_notif_resp){ .id = s->held_id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE });
}

/* Until no one is left who could ask. */
static void answer_all(supervisor *s) {
    for (;;) {
        struct pollfd ready = { .fd = s->listener, .events = POLLIN };
        if (poll(&ready, 1, s->is_held ? 10 : -1) < 0 && errno != EINTR)
            stop("poll");
        held_look(s);
        if (ready.revents & POLLIN) {
            struct seccomp_notif asked = { 0 };
            if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
                continue; /* who asked is gone */
            if (hold(s, &asked))
                continue;
            struct seccomp_notif_resp answer = { .id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
            if (!s->holds)
                decide(s, &asked, &answer);
            answer_send(s, &answer);
        } else if (ready.revents & (POLLHUP | POLLERR)) {
            return;
        }
    }
}

int main(int argc, char **argv) {
    int pair[2], number = -1, status;
    if (argc < 6) {
        fputs("usage: system_call_driver NOTES FOLDER N FAULT PROGRAM [ARGUMENT...]\n", stderr);
        return CANNOT;
    }
    supervisor s = { .notes = argv[1],
                     .folder = argv[2],
                     .wanted = strtoul(argv[3], NULL, 10),
                     .error = atoi(argv[4]),
                     .failed = "-",
                     .holds = strcmp(argv[4], "hold") == 0 };
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        stop("socketpair");
    pid_t child = fork();
    if (child == 0)
        run_program(pair[1], argv + 5);
    if (child < 0 || recv(pair[0], &number, sizeof number, 0) != sizeof number || number < 0)
        stop("no filter of system calls");
    s.pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    s.listener = s.pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, s.pidfd, number, 0);
    if (s.listener < 0) {
        kill(child, SIGKILL);
        stop("pidfd_getfd");
    }
    if (send(pair[0], "", 1, 0) != 1)
        stop("send");
    answer_all(&s);
    if (waitpid(child, &status, 0) != child)
        stop("waitpid");
    notes_write(&s);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
