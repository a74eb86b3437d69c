/* SPDX-License-Identifier: MIT
 *
 * atomic_file.h: an output file that is either complete or not there.
 *
 *     open(path) write... commit()        the file has the new content, safely on disk
 *     open(path) write... discard()       as if nothing had happened
 *     open(path) write... appear()        as commit, but not synced; other descriptors of it may keep writing
 *
 * What is written goes into a file without a name in the directory of `path` (O_TMPFILE), or, where a file system has no
 * such files, into one named ".ubiheap-" and 16 random digits. Commit syncs it to disk, gives it the name, replacing an old
 * file in one step, and syncs the directory. Whenever the process ends, there is the old file or the new one; a killed
 * process may leave a file with a random name (with O_TMPFILE only when killed between two system calls of the commit),
 * which no later save minds.
 *
 * A symbolic link is followed: what it leads to is replaced, or made. A file that is replaced must be writable and gives its
 * mode to the new one, and, as far as the process may give files away, its owner and group; a new file gets 0666 less the umask.
 * Devices, fifos and "-" (standard output) cannot be replaced and
 * are written directly; then commit and discard only close.
 */
#ifndef UBI_BASE_ATOMIC_FILE_H
#define UBI_BASE_ATOMIC_FILE_H

#include <ubiheap/core/base.h>

#include "base/server_api.h"

typedef struct ubi__atomic_file {
    const ubi_allocator *allocator;
    int fd;           /* what is written; -1 none */
    int directory_fd; /* where the name goes; -1: written directly */
    bool owns_fd;
    bool is_replacing;       /* there was a file */
    bool is_new;             /* there must be none */
    char *path;              /* path[path_bytes], owned: the target, links resolved */
    size_t path_bytes;       /* with the final NUL */
    const char *name;        /* last component of `path` */
    char temporary_name[32]; /* "": the file has no name */
} ubi__atomic_file;

#define UBI__ATOMIC_FILE_NAMED 1 /**< a named temporary file even where O_TMPFILE works; for tests */
/** There must be no such file, neither now nor at the end (UBI_EBUSY), and only its owner may read it. */
#define UBI__ATOMIC_FILE_NEW 2
#define UBI__ATOMIC_FILE_NO_WAIT 4 /**< a FIFO without a reader is an error, and is not waited for */

/** @param path  borrowed during the call. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__atomic_file_open(ubi__atomic_file *f, const char *path, unsigned flags, const ubi_allocator *allocator);
/** A ubi__write_fn (deflate.h) whose payload is the file. */
ubi_status ubi__atomic_file_write(void *file, const void *data, size_t n_bytes);
/** Syncs all of it to disk; a commit may follow, and has less to do. Errors: UBI_EIO; then discard the file. */
ubi_status ubi__atomic_file_sync(ubi__atomic_file *f);
/** Makes the file appear. Always closes it; on failure it is discarded. */
ubi_status ubi__atomic_file_commit(ubi__atomic_file *f);
void ubi__atomic_file_discard(ubi__atomic_file *f);
/**
 * For output that is useful from its start: makes the file appear as it is now, without waiting for the disk. As a commit, it
 * closes our descriptor whatever it returns; a duplicate of it stays open.
 */
ubi_status ubi__atomic_file_appear(ubi__atomic_file *f);

/** Writes all of it, whatever signals and short writes come between; waits where a descriptor does not block. */
UBI__SERVER_API ubi_status ubi__write_fully(int fd, const void *data, size_t n_bytes);

#endif
