/* SPDX-License-Identifier: MIT
 *
 * native_output.h: the file of a recording while it is written: one recorder each, and none is overwritten before the new one has
 * something in it.
 */
#ifndef UBI_TARGETS_NATIVE_NATIVE_OUTPUT_H
#define UBI_TARGETS_NATIVE_NATIVE_OUTPUT_H

#include "base/atomic_file.h"

/**
 * Opens the file that is to become `path`. An old recording stays until the new one has its first block: from then on that is worth more,
 * however it ends. A recorder has a lock on its file, which ends with the recorder, however that ends. Where a file system has no such
 * locks, another recorder goes unnoticed.
 * Errors: UBI_EBUSY (another recorder writes it), those of ubi__atomic_file_open(); the message names the path.
 */
ubi_status ubi__native_output_open(ubi__atomic_file *out, const char *path, const ubi_allocator *allocator);
/**
 * Puts the file at its path. Two recorders that began at a time take turns, so that the later one sees the file of the other.
 * Errors: UBI_EBUSY, UBI_EIO; then the file is discarded.
 */
ubi_status ubi__native_output_appear(ubi__atomic_file *file, const char *path);
/** Before it is opened. */
ubi__atomic_file ubi__native_output_none(const ubi_allocator *allocator);

#endif
