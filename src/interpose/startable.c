/* SPDX-License-Identifier: MIT
 *
 * startable.c: see startable.h.
 *
 * Called before exec and posix_spawn, also in a child of vfork: system calls alone, nothing is allocated.
 */
#include "interpose/startable.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/preload.h"
#include "interpose/system_calls.h"

/* Scripts whose interpreters are scripts; the kernel's own limit. */
#define MAX_INTERPRETERS 4
/* The kernel reads this many bytes of a script's first line. */
#define FIRST_LINE 256
#define PATH_BYTES 4096
#define USUAL_FOLDERS "/bin:/usr/bin"
_Static_assert(FIRST_LINE >= SELFMAG, "the magic number is in what is read");

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static ssize_t read_at(void *fd, void *out, size_t n, uint64_t at) {
    return ubi__system(SYS_pread64, *(const int *)fd, (long)out, (long)n, (long)at, 0, 0);
}

static bool has_other_rights(int fd) {
    struct stat about;
    if (ubi__system(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) != 0)
        return false;
    long user = ubi__system(SYS_geteuid, 0, 0, 0, 0, 0, 0), group = ubi__system(SYS_getegid, 0, 0, 0, 0, 0, 0);
    bool other_user = (about.st_mode & S_ISUID) && about.st_uid != user;
    bool other_group = (about.st_mode & S_ISGID) && (about.st_mode & S_IXGRP) && about.st_gid != group;
    return other_user || other_group ||
           (user != 0 && ubi__system(SYS_fgetxattr, fd, (long)"security.capability", 0, 0, 0, 0) > 0);
}

/* @param line  line[FIRST_LINE + 1]. @return the interpreter in it; NULL: it names none. */
static char *interpreter_in(char *line) {
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = '\0';
    return *start ? start : NULL;
}

/* @param line  out: line[FIRST_LINE + 1]. @param next  out: a script's interpreter, in `line`; NULL: not a script. */
static ubi__unrecorded look_at_file(int fd, char *line, char **next) {
    char loader[UBI__LOADER_BYTES];
    ssize_t n = read_at(&fd, line, FIRST_LINE, 0);
    *next = NULL;
    if (n < 4)
        return UBI__UNRECORDED_CHOICE;
    line[n] = '\0';
    if (line[0] == '#' && line[1] == '!') {
        *next = interpreter_in(line);
        return UBI__UNRECORDED_CHOICE;
    }
    if (memcmp(line, ELFMAG, SELFMAG) != 0)
        return UBI__UNRECORDED_CHOICE;
    return has_other_rights(fd) ? UBI__UNRECORDED_RIGHTS : ubi__program_keeps_out(loader, read_at, &fd);
}

static ubi__unrecorded follow_interpreters(const char *path, int interpreters) {
    char line[FIRST_LINE + 1], *next = NULL;
    for (; path && interpreters <= MAX_INTERPRETERS; interpreters++) {
        long fd = ubi__system(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);
        if (fd < 0)
            break;
        ubi__unrecorded why = look_at_file((int)fd, line, &next);
        (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
        if (why != UBI__UNRECORDED_CHOICE)
            return why;
        path = next; /* in `line`, which is read before it is written again */
    }
    return UBI__UNRECORDED_CHOICE;
}

ubi__unrecorded ubi__startable_path(const char *path) {
    return path ? follow_interpreters(path, 0) : UBI__UNRECORDED_CHOICE;
}

ubi__unrecorded ubi__startable_file(int fd) {
    char line[FIRST_LINE + 1], *next;
    ubi__unrecorded why = look_at_file(fd, line, &next);
    return next ? follow_interpreters(next, 1) : why;
}

/* ---- its name ----------------------------------------------------------------------------------------------------- */

/* "FOLDER/NAME"; false: it does not fit. An empty folder is the working one. */
static bool join_path(char out[PATH_BYTES], const char *folder, size_t n_folder, const char *name) {
    size_t n = strlen(name);
    if (n_folder + n + 2 > PATH_BYTES)
        return false;
    memcpy(out, folder, n_folder);
    if (n_folder)
        out[n_folder++] = '/';
    memcpy(out + n_folder, name, n + 1);
    return true;
}

ubi__unrecorded ubi__startable_name(const char *name) {
    char path[PATH_BYTES];
    if (!name || strchr(name, '/'))
        return ubi__startable_path(name);
    const char *folder = ubi__environment_value("PATH");
    for (folder = folder ? folder : USUAL_FOLDERS;; folder++) {
        size_t n = strcspn(folder, ":");
        if (join_path(path, folder, n, name) && ubi__system(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0, 0) == 0)
            return ubi__startable_path(path);
        folder += n;
        if (!*folder)
            return UBI__UNRECORDED_CHOICE;
    }
}

/* ---- its surroundings --------------------------------------------------------------------------------------------- */

static const char *value_in(char *const environment[], const char *name) {
    size_t n = strlen(name);
    for (char *const *at = environment; at && *at; at++)
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
            return *at + n + 1;
    return NULL;
}

/* Whether a text holds another; strstr would do, but is not among what may be called anywhere. */
static bool has_part(const char *text, const char *part) {
    size_t n = strlen(part);
    for (; (text = strchr(text, part[0])) != NULL; text++)
        if (strncmp(text, part, n) == 0)
            return true;
    return false;
}

ubi__unrecorded ubi__startable_with(char *const environment[], const char *socket_path) {
    const char *preload = value_in(environment, "LD_PRELOAD"),
               *socket = value_in(environment, UBI__WIRE_SOCKET_VARIABLE);
    if (!preload || !socket || !has_part(preload, UBI__WIRE_LIBRARY))
        return UBI__UNRECORDED_ENVIRONMENT;
    long answer = ubi__system(SYS_faccessat, AT_FDCWD, (long)socket_path, F_OK, 0, 0, 0);
    return answer == -ENOENT || answer == -EACCES || answer == -ENOTDIR ? UBI__UNRECORDED_UNREACHED
                                                                        : UBI__UNRECORDED_CHOICE;
}
