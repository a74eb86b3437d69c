/* SPDX-License-Identifier: MIT
 *
 * shelf.h: the heaps that doors have open, by their ids, and the folders in which their clients may open more.
 *
 *     ubi__shelf_new(&shelf, &options);                          with pool, folders, and how sessions are opened
 *     ubi__shelf_add(&heap, shelf, &(ubi__shelf_item){ .path = argv[1] });      the owner's: any path
 *     ubi__shelf_open(&heap, shelf, "logs/app.heapsnapshot");    a client's: below the folders only
 *     ubi__shelf_get(&heap, shelf, "h1");
 *     ubi__shelf_heap_unref(heap);                               each of these gives a reference
 *
 * An entry never changes. Removing it takes it off the shelf; who has a reference keeps its session. Everything here may be called from
 * any thread.
 */
#ifndef UBI_JOBS_SHELF_H
#define UBI_JOBS_SHELF_H

#include <ubiheap/extension/session.h>

#include "jobs/beneath.h"

/** Where a heap comes from. */
typedef enum ubi__shelf_origin {
    UBI__SHELF_GIVEN,    /**< by the owner, with the command line */
    UBI__SHELF_OPENED,   /**< by a client, below a folder */
    UBI__SHELF_UPLOADED, /**< its file is the shelf's: it is deleted when the heap is removed, and with the shelf */
    UBI__SHELF_SAVED     /**< the same, written from something alive */
} ubi__shelf_origin;

/** "given", "opened", "uploaded", "saved". */
const char *ubi__shelf_origin_name(ubi__shelf_origin origin);

#define UBI__SHELF_ID_BYTES 24

/** A heap that is open. */
typedef struct ubi__shelf_heap {
    char id[UBI__SHELF_ID_BYTES]; /**< "h1", "h2", ...: never given twice */
    uint64_t number;              /**< of the id */
    ubi__shelf_origin origin;
    const char *name; /**< the path relative to the folder, or what it was called; never absolute */
    const char *path; /**< canonical */
    const char *what; /**< what such files are called, such as "a V8 heap snapshot"; NULL: unknown until it is read */
    uint64_t size_bytes; /**< of the file */
    ubi_session *session;
} ubi__shelf_heap;

typedef struct ubi__shelf ubi__shelf;

typedef struct ubi__shelf_options {
    const ubi_allocator *allocator; /**< NULL: the default */
    ubi_session_pool *pool;         /**< of all sessions; gets a reference */
    const char *const *roots;       /**< roots[n_roots]: folders in which clients may open files */
    uint32_t n_roots;
    uint32_t most_heaps;                /**< that are open at a time; 0: UBI__SHELF_MOST_HEAPS */
    const ubi_session_options *session; /**< how each is opened; copied, as is its cache folder. NULL: the defaults */
    ubi__beneath_bounds listing;        /**< all zeroes: those of ubi__shelf_listing_bounds */
} ubi__shelf_options;

#define UBI__SHELF_MOST_HEAPS 64
extern const ubi__beneath_bounds ubi__shelf_listing_bounds;

/** @param options  borrowed during the call. Errors: UBI_EIO (a folder cannot be opened), UBI_ENOMEM. */
ubi_status ubi__shelf_new(ubi__shelf **out, const ubi__shelf_options *options);
/** References to its heaps stay good. NULL is fine. */
void ubi__shelf_free(ubi__shelf *shelf);
/** With the lock: numbers rise, and every entry is a heap once. */
void ubi__shelf_check(const ubi__shelf *shelf);

/** What the owner puts on it. */
typedef struct ubi__shelf_item {
    const char *path;
    const char *name; /**< NULL: the last word of the path */
    ubi__shelf_origin origin;
} ubi__shelf_item;

/**
 * Opens a file by any path; it is read when something is asked. The same file gives the same heap again, while it is unchanged; only one
 * that is the shelf's is not shared.
 * Errors, with messages that do not name it: UBI_EIO (no such file), UBI_EINVAL (no regular file), UBI_EFORMAT (known to be something else), UBI_ELIMIT (too many are
 * open), UBI_ENOMEM.
 */
ubi_status ubi__shelf_add(const ubi__shelf_heap **out, ubi__shelf *shelf, const ubi__shelf_item *item);
/**
 * The same by the path of a client: relative to a folder, the folders in their order, or an absolute one that begins with that of a folder.
 * Errors: UBI_ENOTFOUND for all that is not a file below the folders; UBI_EFORMAT, UBI_ELIMIT, UBI_ENOMEM.
 */
ubi_status ubi__shelf_open(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *path);
/**
 * Opens the file of an entry again, as it is now, and takes the entry off: for a file that has changed. It keeps its name, and gets another id.
 * Errors: UBI_EINVAL (the file is the shelf's, or has no name), those of ubi__shelf_add and ubi__shelf_open; then the entry stays.
 */
ubi_status ubi__shelf_open_again(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *id);
/** By id, or by the name that only one has. Errors: UBI_ENOTFOUND, with a message that names those that are open. */
ubi_status ubi__shelf_get(const ubi__shelf_heap **out, ubi__shelf *shelf, const char *id);
/** The heap of the next number after `number`; 0: the first. NULL: there is none. */
const ubi__shelf_heap *ubi__shelf_next(ubi__shelf *shelf, uint64_t number);
/** Takes it off. Errors: UBI_ENOTFOUND. */
ubi_status ubi__shelf_remove(ubi__shelf *shelf, const char *id);
uint32_t ubi__shelf_count(ubi__shelf *shelf);
uint32_t ubi__shelf_root_count(const ubi__shelf *shelf);
/** What sessions of it share. Borrowed. */
ubi_session_pool *ubi__shelf_pool(const ubi__shelf *shelf);

/** One reference more; returns its argument. */
const ubi__shelf_heap *ubi__shelf_heap_ref(const ubi__shelf_heap *heap);
/** NULL is fine. */
void ubi__shelf_heap_unref(const ubi__shelf_heap *heap);
/** True once, where the shelf's sessions look for indexes: the caller is the one who writes it. */
bool ubi__shelf_heap_claim_index(const ubi__shelf_heap *heap);

/**
 * Appends what clients could open, folder by folder. Where there are several folders, a path that an earlier one has as well is absolute.
 * Errors and `was_cut` as those of ubi__beneath_list, with the shelf's bounds for each folder.
 */
ubi_status ubi__shelf_list_files(ubi__beneath_rows *rows, bool *was_cut, const ubi__shelf *shelf,
                                 const ubi_allocator *allocator);

#endif
