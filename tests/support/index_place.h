/* SPDX-License-Identifier: MIT
 *
 * index_place.h: a folder with a heap or a recording, its indexes, and sessions that use them. For cmocka tests, which failures end.
 */
#ifndef UBI_TESTS_INDEX_PLACE_H
#define UBI_TESTS_INDEX_PLACE_H

#include <ubiheap/extension/session.h>

#include "packed_heap.h"

/* ---- places ---------------------------------------------------------------------------------------------------------- */

typedef struct index_place {
    char *folder; /* temporary; for heaps */
    char cache[400], heap[400];
} index_place;

/** A copy of a file, alone in a new folder. */
index_place place_of(const char *file);
void place_remove(index_place *p);

packed_bytes file_read(const char *path);
void file_write(const char *path, packed_bytes content);
void file_copy(const char *to, const char *from);
/** Files in a folder; 0: it is not there. */
size_t files_in(const char *folder);

/* ---- sessions -------------------------------------------------------------------------------------------------------- */

typedef struct opened_heap {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
} opened_heap;

/** A session of a pool of its own, by one thread. End it, whatever comes of it. */
ubi_status opened_begin(opened_heap *o, const index_place *p, ubi_session_index index, const ubi_allocator *allocator,
                        ubi_progress progress);
opened_heap open_with(const index_place *p, ubi_session_index index);
void opened_end(opened_heap *o);

/* ---- indexes --------------------------------------------------------------------------------------------------------- */

ubi_session_index_info index_about(ubi_session_use *use);
void index_write(const index_place *p, ubi_session_index index);
/** The path of the one index in the cache folder; static. */
const char *cached_path(const index_place *p);
/** Changes a byte of its note, and makes its checksums right. */
void note_change(const char *path, size_t offset, uint8_t byte);

/* ---- answers --------------------------------------------------------------------------------------------------------- */

/** Whether this answer was kept in the cache folder; "": none. */
bool answer_is(const index_place *p, const char *key, const char *expected);
ubi_status answer_keep(const index_place *p, const char *key, ubi_text answer);

/* ---- interruptions --------------------------------------------------------------------------------------------------- */

/** Ends, in one way or another, at the n-th report of writing. */
typedef struct ending {
    uint32_t n_reports, at;
    bool must_kill;
} ending;

/** The payload is an ending. */
bool report_end(void *payload, const char *stage, uint64_t done, uint64_t total);
/** A process writes the index in the cache folder, and is killed at the n-th report of that. */
void index_write_killed(const index_place *p, uint32_t n);

#endif
