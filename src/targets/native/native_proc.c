/* SPDX-License-Identifier: MIT
 *
 * native_proc.c: see native_proc.h.
 */
#include "targets/native/native_proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)

static size_t read_file(char *out, size_t size, const char *path) {
    size_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (n < size) {
        ssize_t got = read(fd, out + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    return n;
}

/* A small one, as text. */
static size_t read_text(char *out, size_t size, pid_t pid, const char *name) {
    char path[96];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    size_t n = read_file(out, size - 1, path);
    out[n] = '\0';
    return n;
}

size_t ubi__proc_executable(char *out, size_t size, pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    ssize_t n = readlink(path, out, size);
    return n > 0 ? (size_t)n : 0;
}

bool ubi__proc_executable_file(ubi__proc_file *out, pid_t pid) {
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    if (stat(path, &about) < 0)
        return false;
    *out = (ubi__proc_file){ about.st_dev, about.st_ino };
    return true;
}

size_t ubi__proc_arguments(char *out, size_t size, pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
    return read_file(out, size, path);
}

/* Login shells have a sign before their name. */
void ubi__proc_name(char *out, size_t size, pid_t pid) {
    char path[4096];
    size_t n = ubi__proc_arguments(path, sizeof path, pid);
    n = strnlen(path, n);
    if (n == 0)
        n = ubi__proc_executable(path, sizeof path, pid);
    ubi_text name = ubi__text_base_name((ubi_text){ path, n });
    if (name.len && *name.ptr == '-')
        name = (ubi_text){ name.ptr + 1, name.len - 1 };
    snprintf(out, size, "%.*s", (int)name.len, name.ptr);
}

bool ubi__proc_thread_name(char out[UBI__THREAD_NAME_BYTES], pid_t pid, pid_t tid) {
    char name[40];
    snprintf(name, sizeof name, "task/%ld/comm", (long)tid);
    size_t n = read_text(out, UBI__THREAD_NAME_BYTES, pid, name);
    if (n > 0 && out[n - 1] == '\n')
        out[n - 1] = '\0';
    return n > 0;
}

uint64_t ubi__proc_resident(pid_t pid) {
    char text[128];
    unsigned long long pages = 0;
    if (read_text(text, sizeof text, pid, "statm") == 0 || sscanf(text, "%*u %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t ubi__proc_peak_resident(pid_t pid) {
    char text[4096];
    unsigned long long kib = 0;
    const char *line = read_text(text, sizeof text, pid, "status") ? strstr(text, "\nVmHWM:") : NULL;
    return line && sscanf(line, "\nVmHWM: %llu kB", &kib) == 1 ? kib << 10 : 0;
}

/* A field of /proc/PID/stat; after the name, which is in parentheses and may hold anything, comes number 3. */
static bool stat_field(unsigned long long *out, pid_t pid, int number) {
    char text[1024];
    if (read_text(text, sizeof text, pid, "stat") == 0)
        return false;
    char *at = strrchr(text, ')');
    for (int i = 2; at && i < number; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    *out = strtoull(at, NULL, 10);
    return true;
}

uint64_t ubi__proc_age_ns(pid_t pid) {
    unsigned long long ticks;
    struct timespec now;
    if (!stat_field(&ticks, pid, 22) || clock_gettime(CLOCK_BOOTTIME, &now) < 0)
        return 0;
    uint64_t began = ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    uint64_t now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    return now_ns > began ? now_ns - began : 0;
}

/* struct pidfd_info and its request (linux/pidfd.h), which headers older than Linux 6.15 do not have. */
struct exit_info {
    uint64_t mask; /* what is asked for; what is there */
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
_Static_assert(sizeof(struct exit_info) == 64, "as the kernel has it");
#define EXIT_INFO (UINT64_C(1) << 3)
#define GET_EXIT_INFO _IOWR(0xFF, 11, struct exit_info)

static bool exit_of_reaped(int *out, int pidfd) {
    struct exit_info info = { .mask = EXIT_INFO };
    if (ioctl(pidfd, GET_EXIT_INFO, &info) < 0 || !(info.mask & EXIT_INFO))
        return false;
    *out = info.exit_code;
    return true;
}

/* Its parent may ask for it between our questions, so the first comes again. */
bool ubi__proc_exit_status(int *out, pid_t pid, int pidfd) {
    unsigned long long status;
    if (exit_of_reaped(out, pidfd))
        return true;
    if (!stat_field(&status, pid, 52))
        return exit_of_reaped(out, pidfd);
    *out = (int)status;
    return true;
}

pid_t ubi__proc_parent(pid_t pid) {
    unsigned long long parent;
    return stat_field(&parent, pid, 4) ? (pid_t)parent : 0;
}

/* No process lives without a page fault, and those of a child are added to its parent's when that waits for it. */
bool ubi__proc_has_reaped(pid_t pid) {
    unsigned long long faults;
    return !stat_field(&faults, pid, 11) || faults > 0;
}

/* ---- all processes ------------------------------------------------------------------------------------------------ */

/* Environments are short; what is searched for may lie across two pieces. */
static bool has_entry(pid_t pid, const char *entry) {
    char path[64], piece[8192];
    size_t n = strlen(entry) + 1, kept = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || n > sizeof piece / 2) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (ssize_t got; !found && (got = read(fd, piece + kept, sizeof piece - kept)) > 0;) {
        size_t there = kept + (size_t)got;
        found = memmem(piece, there, entry, n) != NULL;
        kept = there < n ? there : n;
        memmove(piece, piece + there - kept, kept);
    }
    close(fd);
    return found;
}

bool ubi__proc_some_have(const char *entry, bool (*is_known)(void *payload, pid_t pid), void *payload) {
    DIR *all = opendir("/proc");
    bool found = false;
    if (!all)
        return false;
    for (struct dirent *e; !found && (e = readdir(all));) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        found = pid > 0 && !is_known(payload, pid) && has_entry(pid, entry);
    }
    closedir(all);
    return found;
}
