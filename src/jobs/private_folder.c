/* SPDX-License-Identifier: MIT
 *
 * private_folder.c: see private_folder.h.
 */
#include "jobs/private_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

#define FOLDER_NAME "ubiheap-serve-"
/* A younger one may be about to be locked. */
#define LEAST_AGE_S 60

static void files_delete(int folder_fd) {
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closedir closes it */
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(folder_fd, entry->d_name, 0);
    closedir(folder);
}

/* Ours, of no one else's making, and of a process that is gone. */
static bool is_left_over(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & 0777) == 0700 && time(NULL) - about.st_mtime > LEAST_AGE_S &&
           flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void left_over_delete(int above_fd, const char *name) {
    int fd = openat(above_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_left_over(fd)) {
        files_delete(fd);
        (void)unlinkat(above_fd, name, AT_REMOVEDIR);
    }
    close(fd);
}

static void left_overs_delete(const char *above) {
    DIR *folder = opendir(above);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, FOLDER_NAME, sizeof FOLDER_NAME - 1) == 0)
            left_over_delete(dirfd(folder), entry->d_name);
    closedir(folder);
}

ubi_status ubi__private_folder_open(ubi__private_folder *folder, const char *above) {
    const char *chosen = above ? above : getenv("TMPDIR");
    const char *parent = chosen && *chosen ? chosen : "/tmp";
    left_overs_delete(parent);
    int n = snprintf(folder->path, sizeof folder->path, "%s/" FOLDER_NAME "XXXXXX", parent);
    if (n < 0 || (size_t)n >= sizeof folder->path || !mkdtemp(folder->path)) {
        folder->path[0] = '\0';
        return ubi__fail_errno(errno, "cannot make a private folder in %s", parent);
    }
    folder->lock_fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock_fd < 0 || flock(folder->lock_fd, LOCK_EX | LOCK_NB) != 0)
        return ubi__fail_errno(errno, "cannot lock %s", folder->path);
    return UBI_OK;
}

void ubi__private_folder_close(ubi__private_folder *folder) {
    if (folder->lock_fd >= 0) {
        files_delete(folder->lock_fd);
        close(folder->lock_fd);
    }
    if (folder->path[0])
        (void)rmdir(folder->path);
}

void ubi__private_folder_name(char out[UBI__PRIVATE_PATH_BYTES], ubi__private_folder *folder, const char *ending) {
    uint64_t number = atomic_fetch_add(&folder->last_number, 1) + 1;
    snprintf(out, UBI__PRIVATE_PATH_BYTES, "%s/%llu%s", folder->path, (unsigned long long)number, ending);
}
