/* SPDX-License-Identifier: MIT
 *
 * kept_answers.h: answers that were given about a heap, kept in the cache folder next to its index: the same question about the same heap
 * then needs nothing else.
 *
 * An answer is found by a key, which has everything that it depends on besides the heap. Answers of a heap are one small file of
 * columns with the note of the index (index_note.h), replaced as a whole: the oldest make room for new ones. Like an index, it is
 * ignored when it is of another heap, of another version, or damaged.
 */
#ifndef UBI_SESSION_KEPT_ANSWERS_H
#define UBI_SESSION_KEPT_ANSWERS_H

#include "session/session_inside.h"

/** Answers of one heap take this at most; a longer one is not kept. */
#define UBI__KEPT_ANSWERS_BYTES ((size_t)1 << 20)

/**
 * The answer that was kept for this key, if the session has an index in the cache folder that is in use.
 * @param out  was empty; owned by the session's allocator (ubi_session_use_allocator). Stays empty if there is none.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__kept_answer_find(ubi__vec_u8 *out, ubi_session_use *use, ubi_text key);
/**
 * Appends to a key what a further heap is, for answers that are about several: its file, as it is now.
 * @param key  of the default allocator. @param is_known  out: false: that cannot be said, and no answer can be kept or found.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__kept_key_add_heap(ubi__vec_u8 *key, bool *is_known, ubi_session_use *further);
/**
 * Keeps an answer. Nothing for sessions whose index is not in the cache folder, where that cannot be used, and for answers that are too
 * long. Errors: UBI_EIO, UBI_EMISMATCH (the heap has changed), UBI_ENOMEM.
 */
ubi_status ubi__kept_answer_add(ubi_session_use *use, ubi_text key, ubi_text answer);

#endif
