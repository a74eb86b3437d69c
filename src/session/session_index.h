/* SPDX-License-Identifier: MIT
 *
 * session_index.h: a session's index: parts that were computed before, as columns of a file.
 *
 * The index is a part itself. Asked for the first time, it looks for the file, maps it, and compares it with the heap. Parts that can be
 * indexed ask it when they are built: what it has, and what is not damaged, is mapped; everything else is computed. A part that is
 * mapped holds the index, so that columns stay as long as they are in use.
 *
 * Neither an index that is missing, nor one that is foreign, old or damaged, is an error of what asks for a part.
 */
#ifndef UBI_SESSION_SESSION_INDEX_H
#define UBI_SESSION_SESSION_INDEX_H

#include "session/index_note.h"
#include "session/session_inside.h"

/** What an index holds, of a heap or of a recording. */
typedef enum ubi__indexed {
    UBI__INDEXED_GRAPH,
    UBI__INDEXED_LOOK,
    UBI__INDEXED_DOMINATORS,
    UBI__INDEXED_SETS, /* of dominators */
    UBI__INDEXED_DISTANCES,
    UBI__INDEXED_RETAINING,
    UBI__INDEXED_SUMMARY,
    UBI__INDEXED_RECORDING,   /* with all its processes */
    UBI__INDEXED_PLACES,      /* of it, as they are usually asked for */
    UBI__INDEXED_CHECKPOINTS, /* of it */
    UBI__INDEXED_COUNT
} ubi__indexed;

/** Before the names of its columns. */
extern const char *const ubi__indexed_scopes[UBI__INDEXED_COUNT];

typedef struct ubi__session_index {
    ubi__column_file *file;                          /* NULL: there is none that is of this heap */
    ubi__index_note heap;                            /* of the heap, as the index was found to be of it */
    ubi__file_identity identity;                     /* the same */
    uint64_t others_identity;                        /* of files that belong to it */
    _Atomic bool is_damaged;                         /* some column was: nothing more is read from it */
    char why[256];                                   /* it is not used; "" there is none */
    ubi__column_memory memories[UBI__INDEXED_COUNT]; /* of parts that are mapped */
} ubi__session_index;

/** Where the session's index is, or would be. Errors: UBI_EINVAL (no cache folder, or too long a path). */
ubi_status ubi__session_index_path(char *out, size_t size, const ubi_session *session, const ubi__index_note *heap);
/** Where answers about the heap are kept, next to an index in the cache folder (kept_answers.h). Errors: the same. */
ubi_status ubi__session_answers_path(char *out, size_t size, const ubi_session *session, const ubi__index_note *heap);
/** The note of the session's heap, which is as it was when it was opened. Errors: those of ubi__index_note_make. */
ubi_status ubi__session_heap_note(ubi__index_note *out, ubi_session_use *use);
/** Whether it looks for an index, and may have one: of files of heaps and recordings. */
bool ubi__session_is_indexed(const ubi_session *session);
/** Borrowed until the use ends. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__session_index_get(ubi__session_index **out, ubi_session_use *use);

/** Makes a part from columns that are read; c->allocator is for everything in it. */
typedef ubi_status (*ubi__indexed_load)(void **out, ubi__columns *c, ubi_session_use *use);
/**
 * For builders of parts: the part as the index has it. NULL: it does not, or it is damaged, or the session has none.
 * @param allocator  of the builder. Errors: UBI_ENOMEM, UBI_ECANCELLED, and those of other parts that `load` asks for.
 */
ubi_status ubi__session_indexed(void **out, ubi_session_use *use, ubi__indexed part, ubi__indexed_load load,
                                const ubi_allocator *allocator);

/** What the index says was read, instead of reading; `info` of a heap, or NULL. Errors: UBI_EMISMATCH, UBI_EIO: it is not what it was. */
ubi_status ubi__session_index_note(ubi_session_use *use, const ubi_read_info *info);
/** Passes what reading a file found. */
ubi_status ubi__read_info_pass(ubi__columns *c, ubi_read_info *info, const ubi_graph *graph);
/** Passes distances of n nodes. */
ubi_status ubi__distances_pass(ubi__columns *c, uint32_t **of_node, size_t n);

#endif
