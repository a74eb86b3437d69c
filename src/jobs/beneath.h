/* SPDX-License-Identifier: MIT
 *
 * beneath.h: files below a folder, whatever a path tries: `..`, absolute paths, links that lead out, names that are swapped meanwhile.
 *
 * The kernel resolves a path relative to the folder's descriptor, and refuses whatever leaves it (openat2). Where it cannot, the path is
 * resolved first, compared with the folder's, and what is opened must be where that led.
 */
#ifndef UBI_JOBS_BENEATH_H
#define UBI_JOBS_BENEATH_H

#include <limits.h>
#include <sys/stat.h>

#include "base/alloc.h"

/** A folder. Any thread may use it once it is open. */
typedef struct ubi__beneath {
    int fd;
    bool knows_openat2;  /**< of the kernel; a test sets it to false */
    char path[PATH_MAX]; /**< canonical, without a slash at the end unless it is one */
} ubi__beneath;

/** Errors: UBI_EIO: it cannot be opened, or is not a folder; the message names it. */
ubi_status ubi__beneath_open(ubi__beneath *out, const char *folder);
void ubi__beneath_close(ubi__beneath *folder);
void ubi__beneath_check(const ubi__beneath *folder);

/** A regular file. */
typedef struct ubi__beneath_file {
    struct stat about;
    char path[PATH_MAX]; /**< canonical */
} ubi__beneath_file;

/**
 * Finds a file without reading it.
 * @param path  relative to the folder; an absolute one must begin with the folder's path.
 * Errors: UBI_ENOTFOUND, with one message for all that is not a file below the folder, so that nothing is learned about the rest.
 */
ubi_status ubi__beneath_find(ubi__beneath_file *out, const ubi__beneath *folder, const char *path);
/** The same message. */
ubi_status ubi__beneath_refuse(const char *path);

/** A file that was listed. */
typedef struct ubi__beneath_row {
    char *path; /**< relative to the folder; owned by the list */
    uint64_t size_bytes;
    const char *what; /**< what such files are called; static */
} ubi__beneath_row;
UBI_VEC_DECLARE(ubi__beneath_rows, ubi__beneath_row);

/** How far a listing looks. */
typedef struct ubi__beneath_bounds {
    uint32_t most_levels;  /**< folders below each other */
    uint32_t most_entries; /**< that are looked at */
    uint32_t most_rows;
    uint32_t most_ms;
} ubi__beneath_bounds;

/**
 * Appends the files below the folder that ubiheap opens, by their first bytes, sorted by path. Links, and names that begin with a point,
 * are passed over; those nearer to the folder are found first.
 * @param was_cut  set to true when a bound was reached, else left as it is.
 * Errors: UBI_ENOMEM; what was appended stays. Folders and files that cannot be read are passed over.
 */
ubi_status ubi__beneath_list(ubi__beneath_rows *rows, bool *was_cut, const ubi__beneath *folder,
                             const ubi__beneath_bounds *bounds, const ubi_allocator *allocator);
void ubi__beneath_rows_free(ubi__beneath_rows *rows, const ubi_allocator *allocator);

#endif
