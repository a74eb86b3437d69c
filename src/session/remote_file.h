/* SPDX-License-Identifier: MIT
 *
 * remote_file.h: the snapshot of a heap in another process, as a file that has no name: it is gone with its descriptor, however the process
 * ends.
 */
#ifndef UBI_SESSION_REMOTE_FILE_H
#define UBI_SESSION_REMOTE_FILE_H

#include "targets/remote.h"

/** Bytes of a path to it. */
#define UBI__REMOTE_FILE_PATH 40

/**
 * A file without a name in the folder for temporary files, which only this process can read.
 * @param fd  out: owned. Errors: UBI_EIO.
 */
ubi_status ubi__remote_file_open(int *fd);
/** A path that leads to it in this process. */
void ubi__remote_file_path(char out[UBI__REMOTE_FILE_PATH], int fd);
/**
 * Takes a snapshot of a heap that is attached to, and waits for all of it.
 * @param fd  out: the file, owned. @param pause_us  out, or NULL: as of ubi__remote_ops.
 * Errors: those of ubi__remote_ops; UBI_EIO (no room for the file).
 */
ubi_status ubi__remote_file_take(int *fd, ubi__remote *remote, const ubi__remote_ops *ops, uint64_t *pause_us);
/**
 * Asks the other side for a snapshot of the heap that `address` chooses, and waits for all of it.
 * @param fd  out: the file, owned. @param path  the address as it was given. Errors: those of ubi__remote_ops; UBI_EIO (no room for the
 * file).
 */
ubi_status ubi__remote_file_fetch(int *fd, const ubi__remote_address *address, const char *path,
                                  const ubi__remote_witness *witness, const ubi_progress *progress);

#endif
