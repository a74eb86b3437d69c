/* SPDX-License-Identifier: MIT
 *
 * atomic_file.c: a file that appears when it is complete (atomic_file.h).
 *
 * linkat gives a nameless file its name but replaces nothing; rename replaces but needs a name. So a nameless file is
 * linked straight to its place when nothing is there, and otherwise to the random name and renamed from there.
 */
#define _GNU_SOURCE
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define LINKS_MAX 40 /* as in Linux */
#define NAMES_TRIED_MAX 100
#define OWN_PATH_BYTES 40 /* /proc/self/fd/N */

/* ---- writing ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__write_fully(int fd, const void *data, size_t n) {
    const char *from = data;
    while (n > 0) {
        ssize_t written = write(fd, from, n < SSIZE_MAX ? n : SSIZE_MAX);
        if (written >= 0) {
            from += written;
            n -= (size_t)written;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd ready = { .fd = fd, .events = POLLOUT };
            if (poll(&ready, 1, -1) < 0 && errno != EINTR)
                return ubi__fail_errno(errno, "cannot write");
        } else if (errno != EINTR) {
            return ubi__fail_errno(errno, "cannot write");
        }
    }
    return UBI_OK;
}

ubi_status ubi__atomic_file_write(void *file, const void *data, size_t n_bytes) {
    const ubi__atomic_file *f = file;
    return ubi__write_fully(f->fd, data, n_bytes);
}

/* ---- where -------------------------------------------------------------------------------------------------------- */

static void set_path(ubi__atomic_file *f, char *path, size_t n_bytes) {
    ubi__free_array(f->allocator, f->path, f->path_bytes, 1);
    f->path = path;
    f->path_bytes = n_bytes;
    char *slash = strrchr(path, '/');
    f->name = slash ? slash + 1 : path;
}

/* `link`, read from the symbolic link at f->path, in place of the last component. */
static ubi_status follow_link(ubi__atomic_file *f, const char *link) {
    size_t kept = link[0] == '/' ? 0 : (size_t)(f->name - f->path), n = kept + strlen(link) + 1;
    char *path = ubi__alloc_array(f->allocator, n, 1);
    if (!path)
        return ubi__fail_nomem();
    if (kept)
        memcpy(path, f->path, kept);
    memcpy(path + kept, link, n - kept);
    set_path(f, path, n);
    return UBI_OK;
}

/* A link of /proc leads to the open file, whatever its text says. */
static bool is_open_file(const char *path) {
    struct stat link, proc;
    return lstat(path, &link) == 0 && stat("/proc/self", &proc) == 0 && link.st_dev == proc.st_dev;
}

/* Follows symbolic links at the end of the path, also those that lead nowhere yet. */
static ubi_status resolve_link(ubi__atomic_file *f, const char *path, bool *open_file) {
    char link[PATH_MAX];
    UBI_TRY(follow_link(f, path));
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t n = readlink(f->path, link, sizeof link - 1);
        *open_file = n >= 0 && is_open_file(f->path);
        if (n < 0 || *open_file)
            return UBI_OK;
        link[n] = '\0';
        UBI_TRY(follow_link(f, link));
    }
    return ubi__fail_errno(ELOOP, "cannot create");
}

static int open_directory_at(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 && errno == EACCES ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

static ubi_status open_directory(ubi__atomic_file *f) {
    if (f->name == f->path) {
        f->directory_fd = open_directory_at(".");
    } else {
        char *end = f->path + (f->name - f->path) - 1; /* the slash */
        end += end == f->path;                         /* that of the root directory stays */
        char kept = *end;
        *end = '\0';
        f->directory_fd = open_directory_at(f->path);
        *end = kept;
    }
    return f->directory_fd < 0 ? ubi__fail_errno(errno, "cannot create: the directory cannot be opened") : UBI_OK;
}

/* ---- the file without its name ------------------------------------------------------------------------------------ */

static void own_path(char out[OWN_PATH_BYTES], int fd) {
    snprintf(out, OWN_PATH_BYTES, "/proc/self/fd/%d", fd);
}

/* False: the file system or the kernel has no such files, or there is no way to name one later. */
static bool open_nameless(ubi__atomic_file *f) {
    char own[OWN_PATH_BYTES];
    f->fd = openat(f->directory_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (f->fd < 0)
        return false;
    own_path(own, f->fd);
    if (access(own, F_OK) == 0)
        return true;
    close(f->fd);
    f->fd = -1;
    return false;
}

/* Need only be unlikely to exist: a name that is taken is not used. */
static void choose_temporary_name(ubi__atomic_file *f) {
    uint64_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        number = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)getpid();
    }
    snprintf(f->temporary_name, sizeof f->temporary_name, ".ubiheap-%016llx", (unsigned long long)number);
}

static ubi_status open_named(ubi__atomic_file *f) {
    for (int i = 0; i < NAMES_TRIED_MAX && f->fd < 0; i++) {
        choose_temporary_name(f);
        f->fd = openat(f->directory_fd, f->temporary_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (f->fd < 0 && errno != EEXIST)
            break;
    }
    if (f->fd < 0) {
        f->temporary_name[0] = '\0';
        return ubi__fail_errno(errno, "cannot create");
    }
    return UBI_OK;
}

/* A file that root replaces keeps its owner; without the right to give it away, it becomes ours. The mode comes after this. */
static void keep_owner(const ubi__atomic_file *f, const struct stat *old) {
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) && fchown(f->fd, old->st_uid, old->st_gid) != 0)
        (void)!fchown(f->fd, (uid_t)-1, old->st_gid);
}

static ubi_status open_temporary(ubi__atomic_file *f, unsigned flags, const struct stat *old) {
    if (old && faccessat(f->directory_fd, f->name, W_OK, AT_EACCESS) != 0)
        return ubi__fail_errno(errno, "cannot replace");
    if ((flags & UBI__ATOMIC_FILE_NAMED) || !open_nameless(f))
        UBI_TRY(open_named(f));
    if (f->is_new && fchmod(f->fd, 0600) != 0)
        return ubi__fail_errno(errno, "cannot create");
    if (old)
        keep_owner(f, old);
    if (old && fchmod(f->fd, old->st_mode & 0777) != 0)
        return ubi__fail_errno(errno, "cannot replace");
    f->is_replacing = old != NULL;
    return UBI_OK;
}

static ubi_status open_directly(ubi__atomic_file *f, const char *path, unsigned flags) {
    int no_wait = flags & UBI__ATOMIC_FILE_NO_WAIT ? O_NONBLOCK : 0;
    f->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | no_wait);
    if (f->fd < 0 && errno == ENXIO && no_wait)
        return ubi__fail(UBI_EIO, "not a regular file, and no process reads it");
    if (f->fd < 0 || (no_wait && fcntl(f->fd, F_SETFL, 0) < 0)) /* only opening does not wait */
        return ubi__fail_errno(errno, "cannot open");
    return UBI_OK;
}

static ubi_status open_target(ubi__atomic_file *f, const char *path, unsigned flags) {
    struct stat st;
    bool open_file, exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT)
        return ubi__fail_errno(errno, "cannot create");
    if (exists && f->is_new)
        return ubi__fail(UBI_EBUSY, "cannot create: there is such a file");
    if (exists && S_ISDIR(st.st_mode))
        return ubi__fail_errno(EISDIR, "cannot create");
    if (exists && !S_ISREG(st.st_mode))
        return open_directly(f, path, flags);
    UBI_TRY(resolve_link(f, path, &open_file));
    if (open_file)
        return open_directly(f, path, flags);
    if (f->name[0] == '\0')
        return ubi__fail_errno(ENOENT, "cannot create");
    UBI_TRY(open_directory(f));
    return open_temporary(f, flags, exists ? &st : NULL);
}

ubi_status ubi__atomic_file_open(ubi__atomic_file *f, const char *path, unsigned flags,
                                 const ubi_allocator *allocator) {
    *f = (ubi__atomic_file){ .allocator = allocator, .fd = -1, .directory_fd = -1, .owns_fd = true };
    f->is_new = flags & UBI__ATOMIC_FILE_NEW;
    if (strcmp(path, "-") == 0) {
        f->fd = STDOUT_FILENO;
        f->owns_fd = false;
        return UBI_OK;
    }
    ubi_status status = open_target(f, path, flags);
    if (status != UBI_OK)
        ubi__atomic_file_discard(f);
    return status;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

void ubi__atomic_file_discard(ubi__atomic_file *f) {
    if (f->temporary_name[0])
        unlinkat(f->directory_fd, f->temporary_name, 0);
    if (f->fd >= 0 && f->owns_fd)
        close(f->fd);
    if (f->directory_fd >= 0)
        close(f->directory_fd);
    ubi__free_array(f->allocator, f->path, f->path_bytes, 1);
    *f = (ubi__atomic_file){ .allocator = f->allocator, .fd = -1, .directory_fd = -1 };
}

static int link_nameless(ubi__atomic_file *f, const char *name) {
    char own[OWN_PATH_BYTES];
    own_path(own, f->fd);
    return linkat(AT_FDCWD, own, f->directory_fd, name, AT_SYMLINK_FOLLOW);
}

/* Gives a nameless file the target's name, if that is free, or a random one. */
static ubi_status give_name(ubi__atomic_file *f, bool *in_place) {
    *in_place = !f->is_replacing && link_nameless(f, f->name) == 0;
    if (*in_place)
        return UBI_OK;
    if (f->is_new && errno == EEXIST)
        return ubi__fail(UBI_EBUSY, "cannot create: there is such a file");
    for (int i = 0; i < NAMES_TRIED_MAX; i++) {
        choose_temporary_name(f);
        if (link_nameless(f, f->temporary_name) == 0)
            return UBI_OK;
        if (errno != EEXIST)
            break;
    }
    f->temporary_name[0] = '\0';
    return ubi__fail_errno(errno, "cannot create");
}

/* From the random name. A link, unlike a rename, replaces nothing. */
static ubi_status rename_in_place(ubi__atomic_file *f) {
    if (f->is_new && linkat(f->directory_fd, f->temporary_name, f->directory_fd, f->name, 0) != 0)
        return errno == EEXIST ? ubi__fail(UBI_EBUSY, "cannot create: there is such a file")
                               : ubi__fail_errno(errno, "cannot create");
    if (f->is_new)
        return UBI_OK; /* discarding removes the random name */
    if (renameat(f->directory_fd, f->temporary_name, f->directory_fd, f->name) != 0)
        return ubi__fail_errno(errno, "cannot rename");
    f->temporary_name[0] = '\0';
    return UBI_OK;
}

ubi_status ubi__atomic_file_sync(ubi__atomic_file *f) {
    return f->directory_fd >= 0 && fsync(f->fd) != 0 ? ubi__fail_errno(errno, "cannot write to disk") : UBI_OK;
}

static ubi_status move_in_place(ubi__atomic_file *f) {
    bool in_place = false;
    if (f->temporary_name[0] == '\0')
        UBI_TRY(give_name(f, &in_place));
    return in_place ? UBI_OK : rename_in_place(f);
}

static ubi_status move_in_place_safely(ubi__atomic_file *f) {
    UBI_TRY(ubi__atomic_file_sync(f));
    UBI_TRY(move_in_place(f));
    /* The file is there. Some file systems cannot sync a directory; that is no reason to report failure. */
    (void)fsync(f->directory_fd);
    return UBI_OK;
}

ubi_status ubi__atomic_file_commit(ubi__atomic_file *f) {
    ubi_status status = f->directory_fd >= 0 ? move_in_place_safely(f) : UBI_OK;
    if (f->directory_fd < 0 && f->owns_fd) {
        int fd = f->fd;
        f->fd = -1;
        if (close(fd) != 0 && errno != EINTR) /* a full network file may say so only now */
            status = ubi__fail_errno(errno, "cannot write");
    }
    ubi__atomic_file_discard(f);
    return status;
}

ubi_status ubi__atomic_file_appear(ubi__atomic_file *f) {
    ubi_status status = f->directory_fd >= 0 ? move_in_place(f) : UBI_OK;
    ubi__atomic_file_discard(f);
    return status;
}
