/* SPDX-License-Identifier: MIT
 *
 * question.h: one thing that one can ask about heaps.
 *
 * A question is a folder with one `const ubi__question` and a line in questions.c. It computes a typed answer through sessions and
 * writes it as a JSON document or as a page of text. It knows no terminal, no socket and no name of a file. What asks (the command line,
 * ubi_ask(), a server) is a *door*:
 *
 *     ubi__inquiry *inquiry;
 *     ubi__inquiry_begin(&inquiry, question, &asked);     checks the parameters; no heap is read
 *     ubi__inquiry_compute(inquiry);
 *     ubi__inquiry_write_document(inquiry, &json);        or ubi__inquiry_write_page(answer, &page)
 *     ubi__inquiry_end(inquiry);
 */
#ifndef UBI_QUESTIONS_QUESTION_H
#define UBI_QUESTIONS_QUESTION_H

#include "base/json_writer.h"
#include "questions/usage.h"
#include "render/page.h"
#include "session/part.h"

/** Which facts a condition on an answer may name. */
typedef enum ubi__condition_scope {
    UBI__CONDITION_SNAPSHOT,  /**< of one snapshot: bytes, count(LABEL), retained(LABEL), ... */
    UBI__CONDITION_SELECTION, /**< the same, and `matches`: how many nodes were selected */
    UBI__CONDITION_COMPARISON /**< of two: those of NEW, growth, growth(LABEL), ... */
} ubi__condition_scope;

/** What a condition on an answer is judged by. Borrowed from the answer; NULL: there is none. */
typedef struct ubi__question_facts {
    const ubi_graph *graph, *old; /**< the heap, or NEW and OLD */
    const ubi_look *look, *old_look;
    const ubi_dominators *dominators;
    uint64_t n_matches;
} ubi__question_facts;

/** With what a question is asked; all borrowed as long as the answer. */
typedef struct ubi__asked {
    ubi_session_use *const *heaps; /**< heaps[n_heaps]; progress and threads are those of the first */
    uint32_t n_heaps;
    const void *values; /**< of its parameters */
    ubi_compat compat;
    ubi_progress writing; /**< of long writes; fn NULL: none */
    bool is_asked_once;   /**< what only a further question would use is left out */
    bool counts_matches;  /**< all that matches is counted, also what is not shown */
    bool is_for_page;     /**< the answer becomes a page, else a document: what only the other needs is left out */
} ubi__asked;

typedef struct ubi__question {
    const ubi__usage *usage;
    const char *schema; /**< of its document, such as "ubiheap.statistics/1" */
    uint32_t least_heaps, most_heaps;
    ubi__condition_scope condition; /**< where there are `facts` */
    size_t answer_bytes;            /**< size of the answer, which starts zeroed */
    /** Checks parameters, and reads what is in their texts. No heap is read. NULL: there is nothing to check. */
    ubi_status (*prepare)(void *answer, const ubi__asked *asked);
    ubi_status (*compute)(void *answer, const ubi__asked *asked);
    /** Writes members of an open object. Errors: UBI_ENOMEM, UBI_ECANCELLED; refused writes stick in `json`. */
    ubi_status (*document)(ubi__json *json, const void *answer, const ubi__asked *asked);
    ubi_status (*page)(const ubi__page *page, const void *answer, const ubi__asked *asked);
    /** Of a computed answer. NULL: there are no conditions on it. */
    void (*facts)(ubi__question_facts *out, const void *answer);
    /** Frees what the answer owns, however far it came. NULL: nothing. */
    void (*release)(void *answer, const ubi__asked *asked);
} ubi__question;

/** All questions, ended by NULL. */
extern const ubi__question *const ubi__questions[];
/** By name or alias; or NULL. */
const ubi__question *ubi__question_find(const char *name);
/** UBI_ENOTFOUND with a suggestion. */
ubi_status ubi__question_get(const ubi__question **out, const char *name);
/** The tables are complete and fit each other. */
void ubi__question_check(const ubi__question *question);

/** An answer that is being made. One thread at a time. */
typedef struct ubi__inquiry ubi__inquiry;

/** Errors: UBI_EINVAL (a parameter, or the number of heaps), UBI_ENOMEM; nothing is left to free then. */
ubi_status ubi__inquiry_begin(ubi__inquiry **out, const ubi__question *question, const ubi__asked *asked);
/** Errors: those of the parts that it needs. */
ubi_status ubi__inquiry_compute(ubi__inquiry *inquiry);
/**
 * The whole document: schema, the name of the heap if there is one alone, and what the question writes. Ends with a newline.
 * Errors: UBI_EIO when a write was refused, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__inquiry_write_document(const ubi__inquiry *inquiry, ubi__json *json);
/** Errors: UBI_ENOMEM; refused writes stick in the page's output. */
ubi_status ubi__inquiry_write_page(const ubi__inquiry *inquiry, const ubi__page *page);
/** Of a computed answer, of a question that has them. */
void ubi__inquiry_facts(ubi__question_facts *out, const ubi__inquiry *inquiry);
/** NULL is fine. */
void ubi__inquiry_end(ubi__inquiry *inquiry);

/* ---- what answers are made with ----------------------------------------------------------------------------------- */

/** The first heap. */
static inline ubi_session_use *ubi__asked_heap(const ubi__asked *asked) {
    return asked->heaps[0];
}
static inline ubi_progress ubi__asked_progress(const ubi__asked *asked) {
    return *ubi_session_use_progress(asked->heaps[0]);
}
static inline unsigned ubi__asked_threads(const ubi__asked *asked) {
    return ubi_session_use_threads(asked->heaps[0]);
}
/** Its memory counts towards the sessions' limit. */
static inline const ubi_allocator *ubi__asked_allocator(const ubi__asked *asked) {
    return ubi_session_use_allocator(asked->heaps[0]);
}

/** UBI_ENOTFOUND with a message that says where to find ids. */
ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id);
/** Look, dominators without sets, and distances. Errors: those of the parts. */
ubi_status ubi__object_facts_get(ubi__object_facts *out, ubi_session_use *heap);

#endif
