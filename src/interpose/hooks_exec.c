/* SPDX-License-Identifier: MIT
 *
 * hooks_exec.c: programs that the program starts and that are not recorded: their names, and why, for the user to know. These are
 * all of them where children are not followed, and where they are, those that cannot be recorded.
 *
 * A child of fork has left the memory that is shared, and one of vfork is in that of its parent; both note what they are about
 * to become in the header, which every child keeps. A note is taken back when the call returns, for then it has failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/loaded_symbols.h"
#include "interpose/mapped_area.h"
#include "interpose/preload.h"
#include "interpose/started.h"
#include "interpose/system_calls.h"
#include "recording/unrecorded.h"

/*
 * Whether a program that is about to be started can be recorded: by its file, as execvp finds it, and by the environment that it is to
 * have, or NULL, so whether it will find us. What cannot be looked at keeps no program out. Cost: some system calls, a
 * descriptor for the moment.
 */
static ubi__unrecorded startable_path(const char *path);
static ubi__unrecorded startable_name(const char *name);
static ubi__unrecorded startable_file(int fd);
static ubi__unrecorded startable_with(char *const environment[], const char *socket_path);

static ubi__wire_header *notes; /* NULL: not wanted */
static const char *followed_to; /* the socket that children connect to; NULL: they are not followed */
/* Where this process, made by fork, is noted as one more of its program until it becomes another; NULL: it is not. */
static ubi__wire_started *own_note;
static pid_t own_pid;      /* a child of vfork is in our memory, and another process */
static pid_t recorded_pid; /* which is recorded itself; 0: a child, which is not */

/* ---- notes -------------------------------------------------------------------------------------------------------- */

void ubi__started_note_in(ubi__wire_header *area, const char *socket_path) {
    notes = area;
    followed_to = socket_path;
    recorded_pid = getpid();
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_of(const ubi__wire_started *row, const char *name, ubi__unrecorded why) {
    return row->why == why && strncmp(row->name, name, sizeof row->name - 1) == 0;
}

/* The row of a name, a new one if need be. NULL: not wanted, or there are too many names. */
static ubi__wire_started *row_of(const char *name, ubi__unrecorded why) {
    ubi__wire_header *area = notes;
    for (size_t i = 0; area && *name && i < UBI__WIRE_STARTED; i++) {
        ubi__wire_started *row = &area->started[i];
        uint32_t state = atomic_load_explicit(&row->state, memory_order_acquire);
        if (state == UBI__STARTED_FREE && atomic_compare_exchange_strong(&row->state, &state, UBI__STARTED_TAKEN)) {
            memcpy(row->name, name, strnlen(name, sizeof row->name - 1));
            row->why = why;
            atomic_store_explicit(&row->state, UBI__STARTED_NAMED, memory_order_release);
            return row;
        }
        if (state == UBI__STARTED_NAMED && is_of(row, name, why))
            return row;
    }
    return NULL;
}

static ubi__wire_started *note_program(const char *path, ubi__unrecorded why) {
    bool is_recorded = followed_to && why == UBI__UNRECORDED_CHOICE;
    ubi__wire_started *row = path && !is_recorded ? row_of(base_name(path), why) : NULL;
    if (row)
        atomic_fetch_add_explicit(&row->count, 1, memory_order_relaxed);
    return row;
}

void ubi__started_keep_in_child(ubi__wire_header *area_of_parent) {
    if (notes && area_of_parent)
        notes = ubi__area_map_header_again(area_of_parent);
    own_note = note_program(program_invocation_short_name, UBI__UNRECORDED_CHOICE);
    own_pid = getpid();
    recorded_pid = 0;
}

/* What its file says counts first: that is so with any environment. */
static ubi__wire_started *note_file(const char *path, ubi__unrecorded by_file, char *const environment[]) {
    bool is_open = followed_to && by_file == UBI__UNRECORDED_CHOICE;
    return note_program(path, is_open ? startable_with(environment, followed_to) : by_file);
}

static ubi__wire_started *note_path(const char *path, char *const environment[]) {
    return notes ? note_file(path, startable_path(path), environment) : NULL;
}

/* As it is searched for. */
static ubi__wire_started *note_name(const char *name, char *const environment[]) {
    return notes ? note_file(name, startable_name(name), environment) : NULL;
}

/* This process is about to become it: where children are not followed, that is all there is to say. */
static ubi__wire_started *note_becoming(const char *name) {
    return note_program(name, UBI__UNRECORDED_REPLACED);
}

static bool becomes_unrecorded(void) {
    return notes && !followed_to && recorded_pid == getpid();
}

/* This process is about to become another program, or not, after all. */
static void count_own(uint32_t by) {
    if (own_note && own_pid == getpid())
        atomic_fetch_add_explicit(&own_note->count, by, memory_order_relaxed);
}

/* The call has failed. */
static int take_back(ubi__wire_started *row, int result) {
    if (row)
        atomic_fetch_sub_explicit(&row->count, 1, memory_order_relaxed);
    return result;
}

/* ---- hooks -------------------------------------------------------------------------------------------------------- */

/* What comes after us, looked up by any thread that wants it. */
#define REAL(name) ((__typeof__(&name))real_function(&reals[REAL_##name], #name))

enum { REAL_execve, REAL_execvpe, REAL_fexecve, REAL_posix_spawn, REAL_posix_spawnp, REAL_system, REAL_popen, REALS };
static void *_Atomic reals[REALS];

static void *real_function(void *_Atomic *place, const char *name) {
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found)
        atomic_store_explicit(place, found = ubi__loaded_next(name), memory_order_relaxed);
    return found;
}

UBI__HOOK int execve(const char *path, char *const arguments[], char *const environment[]) {
    ubi__wire_started *row = becomes_unrecorded() ? note_becoming(path) : note_path(path, environment);
    count_own(UINT32_MAX);
    int result = REAL(execve)(path, arguments, environment);
    count_own(1);
    return take_back(row, result);
}

UBI__HOOK int execv(const char *path, char *const arguments[]) {
    return execve(path, arguments, environ);
}

UBI__HOOK int execvpe(const char *file, char *const arguments[], char *const environment[]) {
    ubi__wire_started *row = becomes_unrecorded() ? note_becoming(file) : note_name(file, environment);
    count_own(UINT32_MAX);
    int result = REAL(execvpe)(file, arguments, environment);
    count_own(1);
    return take_back(row, result);
}

UBI__HOOK int execvp(const char *file, char *const arguments[]) {
    return execvpe(file, arguments, environ);
}

UBI__HOOK int fexecve(int fd, char *const arguments[], char *const environment[]) {
    ubi__wire_started *row = becomes_unrecorded() ? note_becoming(arguments[0])
                             : notes              ? note_file(arguments[0], startable_file(fd), environment)
                                                  : NULL;
    count_own(UINT32_MAX);
    int result = REAL(fexecve)(fd, arguments, environment);
    count_own(1);
    return take_back(row, result);
}

static size_t count_arguments(va_list more) {
    size_t n = 1;
    while (va_arg(more, char *))
        n++;
    return n;
}

/* What a program passes, whatever the declaration says. */
static const char *as_passed(const char *argument) {
    __asm__("" : "+r"(argument));
    return argument;
}

/* The arguments from `first` on, in an array of the caller's; `more` is after them and the NULL, then. */
#define GATHER(array, first, more)                                                                                     \
    va_list counted;                                                                                                   \
    va_copy(counted, more);                                                                                            \
    size_t n_arguments = as_passed(first) ? count_arguments(counted) : 0;                                              \
    va_end(counted);                                                                                                   \
    char **array = __builtin_alloca((n_arguments + 1) * sizeof *array);                                                \
    array[0] = (char *)(uintptr_t)(first);                                                                             \
    for (size_t i_argument = 1; i_argument <= n_arguments; i_argument++)                                               \
    array[i_argument] = va_arg(more, char *)

UBI__HOOK int execl(const char *path, const char *first, ...) {
    va_list more;
    va_start(more, first);
    GATHER(arguments, first, more);
    va_end(more);
    return execve(path, arguments, environ);
}

UBI__HOOK int execlp(const char *file, const char *first, ...) {
    va_list more;
    va_start(more, first);
    GATHER(arguments, first, more);
    va_end(more);
    return execvpe(file, arguments, environ);
}

UBI__HOOK int execle(const char *path, const char *first, ...) {
    va_list more;
    va_start(more, first);
    GATHER(arguments, first, more);
    char *const *environment = va_arg(more, char *const *);
    va_end(more);
    return execve(path, arguments, environment);
}

UBI__HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    int error = REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
    if (!error)
        (void)note_path(path, environment);
    return error;
}

UBI__HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    int error = REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
    if (!error)
        (void)note_name(file, environment);
    return error;
}

UBI__HOOK int system(const char *command) {
    int status = REAL(system)(command);
    if (command && status != -1)
        (void)note_path("/bin/sh", environ);
    return status;
}

UBI__HOOK FILE *popen(const char *command, const char *mode) {
    FILE *file = REAL(popen)(command, mode);
    if (file)
        (void)note_path("/bin/sh", environ);
    return file;
}

/* ---- can it be recorded? ------------------------------------------------------------------------------------------ */

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

static ubi__unrecorded startable_path(const char *path) {
    return path ? follow_interpreters(path, 0) : UBI__UNRECORDED_CHOICE;
}

static ubi__unrecorded startable_file(int fd) {
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

static ubi__unrecorded startable_name(const char *name) {
    char path[PATH_BYTES];
    if (!name || strchr(name, '/'))
        return startable_path(name);
    const char *folder = ubi__environment_value("PATH");
    for (folder = folder ? folder : USUAL_FOLDERS;; folder++) {
        size_t n = strcspn(folder, ":");
        if (join_path(path, folder, n, name) && ubi__system(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0, 0) == 0)
            return startable_path(path);
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

static ubi__unrecorded startable_with(char *const environment[], const char *socket_path) {
    const char *preload = value_in(environment, "LD_PRELOAD"),
               *socket = value_in(environment, UBI__WIRE_SOCKET_VARIABLE);
    if (!preload || !socket || !has_part(preload, UBI__WIRE_LIBRARY))
        return UBI__UNRECORDED_ENVIRONMENT;
    long answer = ubi__system(SYS_faccessat, AT_FDCWD, (long)socket_path, F_OK, 0, 0, 0);
    return answer == -ENOENT || answer == -EACCES || answer == -ENOTDIR ? UBI__UNRECORDED_UNREACHED
                                                                        : UBI__UNRECORDED_CHOICE;
}
