/* SPDX-License-Identifier: MIT
 *
 * index_note.h: which heap or recording an index is of: the note in its header.
 *
 * In the cache folder an index is of the file that it was made of, as long as that has the same inode, size and time of change, and
 * equal first and last blocks. Beside the heap it is of every file with the same content. It is of one version of the library, for what
 * is computed may change from version to version.
 */
#ifndef UBI_SESSION_INDEX_NOTE_H
#define UBI_SESSION_INDEX_NOTE_H

#include <ubiheap/extension/session.h>

#include "base/column_file.h"

#define UBI__INDEX_HASH_BYTES 32
#define UBI__INDEX_PATH_BYTES 1024

/** As in the file. */
typedef struct ubi__index_note {
    char library[32]; /* its version */
    uint64_t parts_version;
    uint32_t compat; /* ubi_compat of reading */
    uint32_t is_beside;
    uint64_t inode, size_bytes;
    int64_t changed_s, changed_ns;
    uint8_t ends[UBI__INDEX_HASH_BYTES];    /* hash of the first and the last block */
    uint8_t content[UBI__INDEX_HASH_BYTES]; /* of everything; only where the index is beside the heap, else 0 */
    uint8_t others[UBI__INDEX_HASH_BYTES];  /* of the files that belong to it (ubi__index_note_add); 0: none do */
    char path[UBI__INDEX_PATH_BYTES];       /* where the heap was, for people; "" if it is longer */
} ubi__index_note;
_Static_assert(sizeof(ubi__index_note) <= UBI__COLUMN_NOTE_BYTES, "it fits a header");

/**
 * Fills the note of a file.
 * @param with_content  hash all of it: O(bytes), by as many threads; stage "hashing".
 * Errors: UBI_EIO, UBI_EMISMATCH (it changed meanwhile), UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__index_note_make(ubi__index_note *out, const char *path, ubi_compat compat, bool with_content,
                                unsigned threads, const ubi_progress *progress, const ubi_allocator *allocator);
/**
 * Adds a file that belongs to it: of a process that was recorded with the first one. Always in the same order. Cost and errors: as above.
 */
ubi_status ubi__index_note_add(ubi__index_note *note, const char *path, unsigned threads, const ubi_progress *progress,
                               const ubi_allocator *allocator);
/** Whether an index with this note is of the file whose note is `now`, made with content where `known` has it. */
bool ubi__index_note_fits(const ubi__index_note *known, const ubi__index_note *now);
/** The note of a file, or NULL: not one of these. */
const ubi__index_note *ubi__index_note_of(const ubi__column_file *file);
/** 32 hexadecimal digits and a NUL: what the index of a heap at this path is called in the cache folder. */
#define UBI__INDEX_NAME_BYTES 33
/** The path and how it is read, alone: enough for the name. Nothing is read. */
void ubi__index_note_begin(ubi__index_note *out, const char *path, ubi_compat compat);
void ubi__index_note_name(char out[UBI__INDEX_NAME_BYTES], const ubi__index_note *note);

#endif
