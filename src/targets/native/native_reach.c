/* SPDX-License-Identifier: MIT
 *
 * native_reach.c: see native_reach.h.
 */
#include "targets/native/native_reach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "targets/native/native_proc.h"
#include "targets/native/native_program.h"

#define STATUS_BYTES 8192
#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* ---- what /proc/PID/status says ---------------------------------------------------------------------------------------- */

static bool status_read(char out[STATUS_BYTES], pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, STATUS_BYTES - 1);
    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* What follows a name at the beginning of a line; NULL: there is none. */
static const char *status_value(const char *status, const char *name) {
    size_t n = strlen(name);
    for (const char *line = status; line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (strncmp(line, name, n) == 0 && line[n] == ':')
            return line + n + 1 + strspn(line + n + 1, " \t");
    return NULL;
}

static long status_number(const char *status, const char *name) {
    const char *value = status_value(status, name);
    return value ? strtol(value, NULL, 10) : 0;
}

/* ---- whose it is --------------------------------------------------------------------------------------------------------- */

static long yama_scope(void) {
    char text[16] = "";
    int fd = open(YAMA, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        text[0] = '\0';
    if (fd >= 0)
        close(fd);
    return strtol(text, NULL, 10);
}

ubi_status ubi__native_reach_refused(pid_t pid) {
    char status[STATUS_BYTES];
    long scope = yama_scope();
    if (!status_read(status, pid))
        return ubi__fail(UBI_EINVAL, "there is no process %ld", (long)pid);
    long tracer = status_number(status, "TracerPid"), uid = status_number(status, "Uid");
    if (tracer)
        return ubi__fail(UBI_EINVAL, "process %ld is being debugged by process %ld, and one can do that at a time",
                         (long)pid, tracer);
    if (geteuid() != 0 && uid != (long)geteuid())
        return ubi__fail(UBI_EINVAL, "process %ld belongs to user %ld: attach as that user, or as root", (long)pid,
                         uid);
    if (scope == 3)
        return ubi__fail(UBI_EINVAL, "this system lets no process attach to another (" YAMA " is 3)");
    if (scope == 2 || (scope == 1 && geteuid() != 0))
        return ubi__fail(UBI_EINVAL,
                         "this system lets %s attach to process %ld (" YAMA " is %ld): run ubiheap as root, or let "
                         "root write 0 there",
                         scope == 2 ? "only administrators (CAP_SYS_PTRACE)" : "only its ancestors and root", (long)pid,
                         scope);
    return ubi__fail(UBI_EINVAL,
                     "the kernel does not let us attach to process %ld: it has more capabilities than we have, or has "
                     "made itself undumpable, or a container forbids ptrace (CAP_SYS_PTRACE)",
                     (long)pid);
}

bool ubi__native_reach_shares(pid_t pid, const char *kind) {
    char path[64], theirs[64], ours[64];
    snprintf(path, sizeof path, "/proc/%ld/ns/%s", (long)pid, kind);
    ssize_t n = readlink(path, theirs, sizeof theirs);
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return n > 0 && readlink(path, ours, sizeof ours) == n && memcmp(theirs, ours, (size_t)n) == 0;
}

/* ---- what it is ---------------------------------------------------------------------------------------------------------- */

static ubi_status check_state(const char *status, pid_t pid) {
    const char *state = status_value(status, "State"), *features = status_value(status, "x86_Thread_features");
    if (state && (*state == 'Z' || *state == 'X'))
        return ubi__fail(UBI_EINVAL, "process %ld has ended; its parent has not asked how", (long)pid);
    if (state && *state == 'T')
        return ubi__fail(UBI_EINVAL, "process %ld is stopped: let it continue first (kill -CONT %ld)", (long)pid,
                         (long)pid);
    if (features && strstr(features, "shstk") && strstr(features, "shstk") < features + strcspn(features, "\n"))
        return ubi__fail(UBI_EINVAL, "process %ld has a shadow stack, which lets no other call in", (long)pid);
    return UBI_OK;
}

/* A process that would be killed for a system call of ours is not to make any. */
static ubi_status check_filters(const char *status, pid_t pid) {
    long mode = status_number(status, "Seccomp");
    if (mode == 1)
        return ubi__fail(UBI_EINVAL, "process %ld may make no system calls but read and write (seccomp)", (long)pid);
    return UBI_OK;
}

bool ubi__native_reach_is_filtered(pid_t pid) {
    char status[STATUS_BYTES];
    return status_read(status, pid) && status_number(status, "Seccomp") == 2;
}

static ubi_status check_file(pid_t pid) {
    char path[64], name[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    size_t n = ubi__proc_executable(name, sizeof name - 1, pid);
    name[n] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return ubi__fail(UBI_EINVAL, "process %ld is a part of the kernel", (long)pid);
    if (fd < 0)
        return errno == EACCES || errno == EPERM
                   ? ubi__native_reach_refused(pid)
                   : ubi__fail_errno(errno, "cannot look at the program of process %ld", (long)pid);
    ubi_status result = ubi__native_program_check(n ? name : path, fd);
    close(fd);
    return result;
}

ubi_status ubi__native_reach_check(pid_t pid) {
    char status[STATUS_BYTES];
    if (!status_read(status, pid))
        return ubi__fail(UBI_EINVAL, "there is no process %ld", (long)pid);
    if (pid == getpid())
        return ubi__fail(UBI_EINVAL, "process %ld is this one", (long)pid);
    if (status_number(status, "Tgid") != (long)pid)
        return ubi__fail(UBI_EINVAL, "%ld is a thread of process %ld: give that number", (long)pid,
                         status_number(status, "Tgid"));
    UBI_TRY(check_state(status, pid));
    if (status_number(status, "TracerPid"))
        return ubi__native_reach_refused(pid);
    UBI_TRY(check_filters(status, pid));
    return check_file(pid);
}
