/* SPDX-License-Identifier: MIT
 *
 * private_folder.h: a folder for files of a server: uploads, snapshots.
 *
 * It is locked as long as the process lives. One that is not locked any more was left by a server that was killed, and is deleted by the
 * next that starts.
 */
#ifndef UBI_JOBS_PRIVATE_FOLDER_H
#define UBI_JOBS_PRIVATE_FOLDER_H

#include <stdatomic.h>

#include <ubiheap/core/base.h>

#define UBI__PRIVATE_PATH_BYTES 4096

typedef struct ubi__private_folder {
    char path[UBI__PRIVATE_PATH_BYTES - 64]; /* "" if there is none */
    int lock_fd;                             /* -1: none */
    _Atomic uint64_t last_number;
} ubi__private_folder;

/**
 * Makes one, and begins by deleting those of servers that were killed. @param above  where; NULL: TMPDIR, or /tmp. Errors: UBI_EIO; close it
 * also then.
 */
ubi_status ubi__private_folder_open(ubi__private_folder *folder, const char *above);
/** Deletes it with what is in it. */
void ubi__private_folder_close(ubi__private_folder *folder);
/** A new name in it. Any thread. */
void ubi__private_folder_name(char out[UBI__PRIVATE_PATH_BYTES], ubi__private_folder *folder, const char *ending);

#endif
