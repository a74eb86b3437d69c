/* SPDX-License-Identifier: MIT
 *
 * node_run.c: see node_run.h.
 */
#include "targets/node/node_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "targets/native/native_launch.h"
#include "targets/native/native_program.h"

ubi_status ubi__node_library_find(char *out, size_t size) {
    return ubi__native_part_find(out, size, UBI__NODE_WATCH_LIBRARY, "UBIHEAP_WATCH");
}

/* ---- environment -------------------------------------------------------------------------------------------------- */

/* Words of NODE_OPTIONS are separated by spaces, and one in quotes has backslashes before quotes and backslashes. */
static bool option_write(char *out, size_t size, const char *library) {
    const char *before = getenv("NODE_OPTIONS");
    int written = snprintf(out, size, "%s%s--require=\"", before ? before : "", before && *before ? " " : "");
    size_t n = written < 0 ? size : (size_t)written;
    for (const char *c = library; *c && n + 4 < size; c++) {
        if (*c == '"' || *c == '\\')
            out[n++] = '\\';
        out[n++] = *c;
    }
    if (n + 4 >= size)
        return false;
    memcpy(out + n, "\"", 2);
    return true;
}

static ubi_status environment_set(const ubi__node_settings *settings) {
    char options[16384];
    if (!option_write(options, sizeof options, settings->library))
        return ubi__fail(UBI_EINVAL, "NODE_OPTIONS is too long");
    if (setenv("NODE_OPTIONS", options, 1) != 0 ||
        (settings->directory && setenv("UBIHEAP_WATCH_DIRECTORY", settings->directory, 1) != 0) ||
        (settings->reserve && setenv("UBIHEAP_WATCH_RESERVE", settings->reserve, 1) != 0))
        return ubi__fail_nomem();
    return UBI_OK;
}

/* ---- the process -------------------------------------------------------------------------------------------------- */

/* Those that are passed on, and the one that says that the program has ended. */
static void signals_fill(sigset_t *set) {
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD };
    sigemptyset(set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(set, numbers[i]);
}

/* In the new process. @return what exec said. */
static int program_become(char **words, const sigset_t *mask) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(words[0], words);
    return errno;
}

/* A pipe that exec closes says whether there was one. @return errno of exec, 0: the program runs. */
static int program_start(pid_t *pid, char **words, const sigset_t *mask) {
    int ends[2], error = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0) {
        error = program_become(words, mask);
        ssize_t written = write(ends[1], &error, sizeof error);
        _exit(written == (ssize_t)sizeof error ? UBI__PROGRAM_CANNOT_RUN : UBI__PROGRAM_NOT_FOUND);
    }
    int fork_error = errno;
    close(ends[1]);
    if (*pid > 0)
        while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR)
            continue;
    close(ends[0]);
    return *pid < 0 ? fork_error : error;
}

/* A signal of the terminal (SI_KERNEL) reaches the program without us: it is in our process group. */
static int program_attend(pid_t pid, const sigset_t *set) {
    for (;;) {
        siginfo_t about;
        int number = sigwaitinfo(set, &about), wait_status;
        if (number == SIGCHLD) {
            if (waitpid(pid, &wait_status, WNOHANG) == pid)
                return wait_status;
        } else if (number > 0 && about.si_code <= 0) {
            kill(pid, number);
        }
    }
}

ubi_status ubi__node_run(int *wait_status, int *exit_code, const ubi__node_settings *settings, char **words) {
    sigset_t set, mask;
    pid_t pid = -1;
    struct sigaction children = { .sa_handler = SIG_DFL }, children_before;
    UBI_TRY(environment_set(settings));
    signals_fill(&set);
    sigaction(SIGCHLD, &children, &children_before); /* ignored, the program's end would be lost */
    sigprocmask(SIG_BLOCK, &set, &mask);
    int error = program_start(&pid, words, &mask);
    if (!error)
        *wait_status = program_attend(pid, &set);
    else if (pid > 0)
        waitpid(pid, wait_status, 0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGCHLD, &children_before, NULL);
    if (!error)
        return UBI_OK;
    if (pid <= 0)
        return ubi__fail_errno(error, "cannot start a process");
    *exit_code = error == ENOENT ? UBI__PROGRAM_NOT_FOUND : UBI__PROGRAM_CANNOT_RUN;
    return ubi__fail(UBI_EINVAL, "cannot run '%s': %s", words[0], strerror(error));
}

/* ---- what it left ------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), n_end = strlen(end);
    return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

/* As src/nodewatch/watch_file.c names them; both are in one test. */
#define NAME_START "oom-"
#define COMPLETE_END ".heapsnapshot"
#define PART_END COMPLETE_END ".part"

static bool is_ours(const char *name) {
    return memcmp(name, NAME_START, strnlen(name, sizeof NAME_START - 1)) == 0 &&
           (ends_with(name, COMPLETE_END) || ends_with(name, PART_END));
}

static ubi_status file_note(ubi__vec_node_file *out, const char *directory, const char *name, int64_t since_s,
                            const ubi_allocator *allocator) {
    char path[4096];
    struct stat about;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path || lstat(path, &about) != 0 ||
        !S_ISREG(about.st_mode) || about.st_mtime < since_s)
        return UBI_OK;
    ubi__node_file file = { strdup(strncmp(path, "./", 2) == 0 ? path + 2 : path), ends_with(name, COMPLETE_END) };
    ubi_status status = file.path ? ubi__vec_node_file_push(out, allocator, file) : ubi__fail_nomem();
    if (status != UBI_OK)
        free(file.path);
    return status;
}

static int files_compare(const void *a, const void *b) {
    const ubi__node_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

ubi_status ubi__node_files_find(ubi__vec_node_file *out, const char *directory, int64_t since_s,
                                const ubi_allocator *allocator) {
    DIR *folder = opendir(directory);
    ubi_status status = UBI_OK;
    if (!folder)
        return ubi__fail_errno(errno, "cannot read the folder");
    for (struct dirent *entry; status == UBI_OK && (entry = readdir(folder));)
        if (is_ours(entry->d_name))
            status = file_note(out, directory, entry->d_name, since_s, allocator);
    closedir(folder);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, files_compare);
    return status;
}

void ubi__node_files_fini(ubi__vec_node_file *files, const ubi_allocator *allocator) {
    for (size_t i = 0; i < files->n; i++)
        free(files->at[i].path);
    ubi__vec_node_file_fini(files, allocator);
}
