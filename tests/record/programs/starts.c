/* SPDX-License-Identifier: MIT
 *
 * starts.c PATH: starts a program once in every way that there is.
 */
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(int way, char *path, char *name) {
    char *arguments[] = { name, NULL };
    switch (way) {
    case 0:
        execv(path, arguments);
        break;
    case 1:
        execve(path, arguments, environ);
        break;
    case 2:
        execvp(name, arguments);
        break;
    case 3:
        execvpe(name, arguments, environ);
        break;
    case 4:
        execl(path, name, "a", "b", NULL);
        break;
    case 5:
        execlp(name, name, NULL);
        break;
    case 6:
        execle(path, name, NULL, environ);
        break;
    case 7:
        fexecve(open(path, O_RDONLY), arguments, environ);
        break;
    default:
        execv(path, arguments);
    }
    _exit(99);
}

int main(int argc, char **argv) {
    char *path = argv[argc - 1], *name = basename(strdup(path)), *arguments[] = { name, NULL };
    pid_t pid;
    int n = 0;
    setenv("PATH", dirname(strdup(path)), 1);
    for (int way = 0; way < 9; way++)
        if ((way == 8 ? vfork() : fork()) == 0)
            become(way, path, name);
    posix_spawn(&pid, path, NULL, NULL, arguments, environ);
    posix_spawnp(&pid, name, NULL, NULL, arguments, environ);
    for (int status; wait(&status) > 0; n++)
        if (status)
            return 1;
    return n != 11;
}
