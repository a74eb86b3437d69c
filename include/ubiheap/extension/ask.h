/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/ask.h: one call for every question, for programs in C and in other languages.
 *
 *     ubi_ask(session, "dominators", "{\"limit\": 20}", write, payload, NULL);
 *
 * answers as `ubiheap dominators --json --limit 20 FILE` does: the names of questions are those of commands, parameters are their
 * options in one JSON object ("max-paths" is maxPaths), and what is written is their document, whose schema it names.
 *
 * Extension: may change between minor versions.
 */
#ifndef UBIHEAP_ASK_H
#define UBIHEAP_ASK_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/extension/session.h>
#include <ubiheap/views/render.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ubi_ask_form {
    UBI_ASK_DOCUMENT, /**< JSON, in one line */
    UBI_ASK_PAGE      /**< text for people: UTF-8, without colours */
} ubi_ask_form;

typedef struct ubi_ask_options {
    uint32_t version;      /**< UBI_ASK_OPTIONS_VERSION */
    ubi_progress progress; /**< also cancels */
    unsigned threads;      /**< 0: those of the session */
    ubi_compat compat;
    ubi_ask_form form;
    unsigned columns; /**< of a page; 0: 100 */
} ubi_ask_options;

#define UBI_ASK_OPTIONS_VERSION 1
#define UBI_ASK_OPTIONS_INIT                                                                                           \
    { UBI_ASK_OPTIONS_VERSION, { NULL, NULL }, 0, UBI_COMPAT_NONE, UBI_ASK_DOCUMENT, 0 }

/**
 * Asks a question about the heap of a session, or about its recording or timeline.
 *
 * @param question    its name, such as "statistics"; see ubi_questions.
 * @param parameters  a JSON object; NULL: all defaults.
 * @param write       gets the answer in pieces, as it is made; false stops it. What was written before an error is no answer.
 * @param options     NULL: the defaults.
 * Any thread; several may ask one session at once. What it needs of the heap is computed once and stays in the session.
 * Errors: UBI_ENOTFOUND (question, or a node), UBI_EINVAL (parameters, options), UBI_EIO (`write` refused), UBI_ENOMEM,
 * UBI_ECANCELLED, UBI_EFORMAT (the question is not about sessions of this kind), and those of reading the heap.
 */
UBI_API ubi_status ubi_ask(ubi_session *session, const char *question, const char *parameters, ubi_write_fn write,
                           void *payload, const ubi_ask_options *options);

/**
 * The same of several heaps, for questions that compare: a "diff" takes the older heap and the newer one, "leaks" two or more.
 *
 *     ubi_session *sessions[] = { before, after };
 *     ubi_ask_several(sessions, 2, "diff", "{\"by\": \"class\"}", write, payload, NULL);
 *
 * @param sessions  sessions[n_sessions] of one pool, in the order of the command's files.
 * Errors: also UBI_EINVAL for another number of heaps than the question takes, or different pools. A message that is about one of
 * several heaps begins with its name.
 */
UBI_API ubi_status ubi_ask_several(ubi_session *const *sessions, uint32_t n_sessions, const char *question,
                                   const char *parameters, ubi_write_fn write, void *payload,
                                   const ubi_ask_options *options);

/**
 * Writes what can be asked as a JSON document, ubiheap.questions/1: each question with its sentence and its parameters, of which
 * each has name, kind, help, and default, choices and smallest value where it has them.
 * Errors: UBI_EIO (`write` refused).
 */
UBI_API ubi_status ubi_questions(ubi_write_fn write, void *payload);

#ifdef __cplusplus
}
#endif
#endif
