/* SPDX-License-Identifier: MIT
 *
 * answers.h: answers as parts of sessions.
 *
 * An *answer* is the bytes of one form (document or page) of a question with its parameters, about one heap or several. It is a part of
 * the first heap's session: computed once, shared by all that ask for it at the same time, counted, and dropped at the limit of
 * memory. What it was made of is given back as soon as it is made.
 *
 * Its *key* is a line of text that says all that it depends on besides the session: question, form, columns, compat, the numbers of the
 * further sessions, and the parameters as canonical JSON. So equal requests have equal keys, whatever words they came in, and a key
 * is enough to compute the answer:
 *
 *     nodes d 0 0 - {"sort":"-retainedSize","limit":200}
 *
 * Answers depend on heaps alone: parameters that name other files are for the command line.
 *
 * What the command line has kept of a heap, with its index, is an answer as well: it is found, and nothing is computed.
 */
#ifndef UBI_QUESTIONS_ANSWERS_H
#define UBI_QUESTIONS_ANSWERS_H

#include "questions/question.h"

/** Answers that a session keeps at most, the most recently used; those in use besides. */
#define UBI__ANSWERS_KEPT 256
/** The longest answer has a sixteenth of the pool's limit, and at most this. */
#define UBI__ANSWER_MOST_BYTES ((uint64_t)64 << 20)

/** What is asked. */
typedef struct ubi__answer_terms {
    const ubi__question *question;
    const void *values; /**< of its parameters, read from JSON */
    bool is_page;       /**< else a document */
    unsigned columns;   /**< of a page; 0: 100 */
    ubi_compat compat;
} ubi__answer_terms;

/**
 * Checks parameters, and number and kinds of the heaps; nothing is read.
 * Errors: as ubi__inquiry_begin, with the name of the heap that they are about, if there are several.
 */
UBI__SERVER_API ubi_status ubi__answer_check(const ubi__answer_terms *terms, ubi_session *const *sessions, uint32_t n);
/**
 * The key of an answer, with a NUL at its end.
 * @param out  was empty; of the default allocator. Errors: UBI_ENOMEM.
 */
UBI__SERVER_API ubi_status ubi__answer_key(ubi__vec_u8 *out, const ubi__answer_terms *terms,
                                           ubi_session *const *sessions, uint32_t n);
/**
 * The answer of this key, computed if it is not there. Borrowed until the use ends.
 * @param use  of the first session. The further ones must be open as long as this runs.
 * Errors: those of the question; UBI_ELIMIT (the answer is too long); those about one of several heaps name it. Who fails fails alone.
 */
UBI__SERVER_API ubi_status ubi__answer_get(ubi_text *out, ubi_session_use *use, const char *key);
/**
 * Keeps the answer of this key next to the heap's index in the cache folder (session/kept_answers.h): sessions that are opened with
 * the index find it there, instead of computing it. Nothing where the session has no index of that kind. An answer about several heaps is
 * found where they are called the same.
 * Errors: those of the answer, and of keeping it.
 */
ubi_status ubi__answer_keep(ubi_session_use *use, const char *key);
/** The same if it is there, else NULL text. O(parts of the session). Errors: UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__answer_if_present(ubi_text *out, ubi_session_use *use, const char *key);

#endif
