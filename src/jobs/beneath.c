/* SPDX-License-Identifier: MIT
 *
 * beneath.c: see beneath.h.
 */
#include "jobs/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"

#define SHOWN_PATH 200
#define DESCRIPTOR_PATH 40

/* Where a descriptor leads; false: the system does not say, or it is longer than a path may be. */
static bool descriptor_path(char out[PATH_MAX], int fd) {
    char link[DESCRIPTOR_PATH];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, PATH_MAX);
    if (n <= 0 || n == PATH_MAX || out[0] != '/')
        return false;
    out[n] = '\0';
    return true;
}

static int open_below(int fd, const char *path, uint64_t flags) {
    struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    return (int)syscall(SYS_openat2, fd, path, &how, sizeof how);
}

ubi_status ubi__beneath_open(ubi__beneath *out, const char *folder) {
    ubi__beneath b = { .fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) };
    if (b.fd < 0)
        return ubi__fail_errno(errno, "the folder %.*s cannot be opened", SHOWN_PATH, folder);
    if (!descriptor_path(b.path, b.fd)) {
        close(b.fd);
        return ubi__fail(UBI_EIO, "the folder %.*s has no path", SHOWN_PATH, folder);
    }
    int self = open_below(b.fd, ".", O_PATH | O_DIRECTORY);
    b.knows_openat2 = self >= 0;
    if (self >= 0)
        close(self);
    *out = b;
    ubi__beneath_check(out);
    return UBI_OK;
}

void ubi__beneath_close(ubi__beneath *folder) {
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = -1;
}

void ubi__beneath_check(const ubi__beneath *folder) {
    UBI_ASSERT(folder->fd >= 0);
    UBI_ASSERT(folder->path[0] == '/');
    UBI_ASSERT(strlen(folder->path) == 1 || folder->path[strlen(folder->path) - 1] != '/');
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__beneath_refuse(const char *path) {
    return ubi__fail(UBI_ENOTFOUND, "no file '%.*s' below the allowed folders", SHOWN_PATH, path);
}

/* What follows the folder in a path that is below it; NULL: it is not. */
static const char *path_rest(const ubi__beneath *folder, const char *path) {
    size_t n = strcmp(folder->path, "/") == 0 ? 0 : strlen(folder->path);
    if (strncmp(path, folder->path, n) != 0 || path[n] != '/')
        return NULL;
    path += n;
    while (*path == '/')
        path++;
    return path;
}

/* Where the kernel has no openat2. What is opened is compared with what was looked at. */
static int open_resolved(const ubi__beneath *folder, const char *path) {
    char whole[2 * PATH_MAX], resolved[PATH_MAX], opened[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", folder->path, path);
    if (!realpath(whole, resolved) || !path_rest(folder, resolved))
        return -1;
    int fd = open(resolved, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (!descriptor_path(opened, fd) || strcmp(opened, resolved) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

ubi_status ubi__beneath_find(ubi__beneath_file *out, const ubi__beneath *folder, const char *path) {
    const char *rest = path[0] == '/' ? path_rest(folder, path) : path;
    ubi__beneath_file found;
    ubi__beneath_check(folder);
    if (!rest || strlen(rest) >= PATH_MAX)
        return ubi__beneath_refuse(path);
    int fd = folder->knows_openat2 ? open_below(folder->fd, rest, O_PATH) : open_resolved(folder, rest);
    if (fd < 0)
        return ubi__beneath_refuse(path);
    bool is_file = fstat(fd, &found.about) == 0 && S_ISREG(found.about.st_mode) && descriptor_path(found.path, fd);
    close(fd);
    if (!is_file || !path_rest(folder, found.path))
        return ubi__beneath_refuse(path);
    *out = found;
    return UBI_OK;
}
