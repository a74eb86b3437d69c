/* SPDX-License-Identifier: MIT
 *
 * cache_folder.h: the folder where indexes of heaps are kept for later.
 *
 * It belongs to the user, and no one else may write in it; otherwise it is not used. Each file in it is complete: it gets its name when
 * it is written to the end. The time of its last change says when it was used last. Any number of processes may share the folder: a
 * file that one removes stays with those that have it mapped.
 */
#ifndef UBI_SESSION_CACHE_FOLDER_H
#define UBI_SESSION_CACHE_FOLDER_H

#include "session/index_note.h"

#define UBI__CACHE_PATH_BYTES 4096
/** What files in it are called, after the name of their heap. */
#define UBI__INDEX_SUFFIX ".ubindex"
#define UBI__ANSWERS_SUFFIX ".ubanswers" /* small; it goes with its index */
/** What all indexes in the folder may take; those that were not used for the longest time go first. */
#define UBI__CACHE_LIMIT_BYTES (UINT64_C(32) << 30)

/**
 * Where the folder is: `given`, or XDG_CACHE_HOME or ~/.cache, and "ubiheap" in it.
 * Errors: UBI_EINVAL (there is no home, or the path is too long).
 */
ubi_status ubi__cache_folder_path(char out[UBI__CACHE_PATH_BYTES], const char *given);
/**
 * Whether the folder may be used.
 * @param make  make it, and those above, if it is not there.
 * Errors: UBI_ENOTFOUND (it is not there), UBI_EINVAL (it is another user's, or others may write in it), UBI_EIO.
 */
ubi_status ubi__cache_folder_check(const char *folder, bool make);

/** An index in the folder, with the answers that were kept. */
typedef struct ubi__cache_row {
    char name[UBI__INDEX_NAME_BYTES + 8]; /* of the file */
    char heap[UBI__INDEX_PATH_BYTES];     /* where the heap was; "": unknown */
    uint64_t size_bytes, heap_bytes;
    int64_t used_s;  /* since the Unix epoch */
    bool is_current; /* this version of the library can use it, and the heap is as it was, as far as that can be seen */
} ubi__cache_row;

UBI_VEC_DECLARE(ubi__cache_rows, ubi__cache_row);

/** All indexes, the one used last first. A folder that is not there is empty. Errors: UBI_ENOMEM, UBI_EINVAL, UBI_EIO. */
ubi_status ubi__cache_folder_list(ubi__cache_rows *out, const char *folder, const ubi_allocator *allocator);
/** Removes one, which may be gone. Errors: UBI_EIO. */
ubi_status ubi__cache_folder_remove(const char *folder, const char *name);
/** Removes indexes until all take at most `limit_bytes`, except the one called `kept` (NULL: none). What fails is let be. */
void ubi__cache_folder_trim(const char *folder, uint64_t limit_bytes, const char *kept);

#endif
