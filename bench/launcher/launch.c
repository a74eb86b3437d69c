/* SPDX-License-Identifier: MIT
 *
 * launch.c: launch FD PROGRAM [ARGUMENT...]: runs the program and writes what it needed to the descriptor FD, as one line of
 *
 *     status, user and system microseconds, peak KiB, user ticks of the process itself, user ticks of its children
 *
 * The kernel counts what a process was before it became the program into its peak: started from Python, every program needs
 * 14 MiB and more. This one is small (bench/processes.py).
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Fields 14 and 16 of what the kernel says of a process that has ended and was not waited for. */
static void read_ticks(pid_t pid, long *own, long *children) {
    char path[32], line[1024] = "", *at;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    at = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL; /* behind the name, which may have spaces */
    if (at)
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %*d %ld", own, children);
    fclose(file);
}

int main(int argc, char **argv) {
    pid_t pid;
    siginfo_t ended;
    struct rusage usage;
    int status;
    long own = 0, children = 0;
    if (argc < 3 || posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ) != 0)
        return 127;
    waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT);
    read_ticks(pid, &own, &children);
    if (wait4(pid, &status, 0, &usage) != pid)
        return 127;
    dprintf(atoi(argv[1]), "%d %lld %lld %ld %ld %ld\n", status,
            usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec,
            usage.ru_stime.tv_sec * 1000000LL + usage.ru_stime.tv_usec, usage.ru_maxrss, own, children);
    return 0;
}
