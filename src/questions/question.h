/* SPDX-License-Identifier: MIT
 *
 * question.h: one thing that one can ask about heaps, recordings and timelines.
 *
 * A question is a folder with one `const ubi__question` and a line in list.h. It computes a typed answer through sessions and
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
#include "questions/facts.h"
#include "questions/usage.h"
#include "render/page.h"
#include "session/part.h"

/** With what a question is asked; all borrowed as long as the answer. */
typedef struct ubi__asked {
    /** heaps[n_heaps], of whatever kind, of sessions of one pool; progress and threads are those of the first. */
    ubi_session_use *const *heaps;
    uint32_t n_heaps;
    uint32_t *fault; /**< the door's: gets the index of the heap that an error is about, so that the door can name it */
    const void *values; /**< of its parameters */
    ubi_compat compat;
    ubi_progress writing; /**< of long writes; fn NULL: none */
    bool is_kept;         /**< the answer is given to others, later: times that asking took are left out */
    bool is_asked_once;   /**< what only a further question would use is left out */
    bool counts_matches;  /**< all that matches is counted, also what is not shown */
    /** The door's: gets the classes of all heaps, so that it can name those that its user has misspelt. NULL: it need not know. */
    void (*class_met)(void *payload, ubi_text name);
    void *class_payload;
    bool
        has_options; /**< parameters came as options of a command line, and messages call them so; else by their JSON names */
    bool is_for_page; /**< the answer becomes a page, else a document: what only the other needs is left out */
} ubi__asked;

/** What a document begins with, where it depends on more than the kind of session. */
typedef struct ubi__document_head {
    const char *schema;
    const char *file; /**< what it is about; NULL: the document does not say, or does it itself */
} ubi__document_head;

#define UBI__ANY_NUMBER UINT32_MAX

typedef struct ubi__question {
    const ubi__usage *usage;
    /* Which kinds of sessions it takes: those for which its document has a schema. */
    const char *schema;               /**< of a heap, such as "ubiheap.statistics/1"; NULL: it takes none */
    const char *recording_schema;     /**< of a recording */
    const char *timeline_schema;      /**< of a timeline */
    uint32_t least_heaps, most_heaps; /**< UBI__ANY_NUMBER: there is no most */
    bool counts_time; /**< its answer has times that asking took: it is computed again, never given as it was before */
    ubi__condition_scope condition;   /**< where there are `facts`, which are those of heaps */
    const ubi_query_name *heap_facts; /**< `facts` of its own about heaps, instead of those; or NULL */
    const ubi_query_name
        *recording_facts; /**< `facts` of its own about recordings, ended by one without a name; or NULL */
    const ubi_query_name *timeline_facts;   /**< of its own about timelines; or NULL */
    const ubi__condition_words *fact_words; /**< arguments of facts of its own that are no classes; or NULL */
    size_t answer_bytes;                    /**< size of the answer, which starts zeroed */
    /** Checks parameters, and reads what is in their texts. No heap is read. NULL: there is nothing to check. */
    ubi_status (*prepare)(void *answer, const ubi__asked *asked);
    ubi_status (*compute)(void *answer, const ubi__asked *asked);
    /** Writes members of an open object. Errors: UBI_ENOMEM, UBI_ECANCELLED; refused writes stick in `json`. */
    ubi_status (*document)(ubi__json *json, const void *answer, const ubi__asked *asked);
    ubi_status (*page)(const ubi__page *page, const void *answer, const ubi__asked *asked);
    /** Of a computed answer: changes what its document begins with; `file` NULL: the question says it itself. NULL: nothing changes. */
    void (*head)(ubi__document_head *head, const void *answer, const ubi__asked *asked);
    /** Of a prepared answer: what a file with it is called (ubi__file_type.output). NULL, or returning NULL: no file is written. */
    const char *(*output_kind)(const void *answer, const ubi__asked *asked);
    /** Of a computed answer, when it was judged, too. NULL: there are none. @param remarks  zeroed. */
    void (*remark)(ubi__remarks *remarks, const void *answer);
    /** Of a computed answer. NULL: there are no conditions on it. @param out  zeroed. */
    void (*facts)(ubi__question_facts *out, const void *answer);
    /** Of a prepared answer: UBI_EINVAL if a condition asks for what a fact of its own can never be. NULL: any can be. */
    ubi_status (*fact_check)(const void *answer, const ubi_query_value *value);
    /** Frees what the answer owns, however far it came. NULL: nothing. */
    void (*release)(void *answer, const ubi__asked *asked);
} ubi__question;

/** All questions, ended by NULL. */
UBI__SERVER_API extern const ubi__question *const ubi__questions[];
/** By name or alias; or NULL. */
const ubi__question *ubi__question_find(const char *name);
/** UBI_ENOTFOUND with a suggestion. */
UBI__SERVER_API ubi_status ubi__question_get(const ubi__question **out, const char *name);
/** Of its document about a session of this kind; NULL: it does not take that. */
UBI__SERVER_API const char *ubi__question_schema(const ubi__question *question, ubi_session_kind kind);
/** Names of facts of its own about such a session; NULL: they are those of heaps, or there are none. */
const ubi_query_name *ubi__question_own_facts(const ubi__question *question, ubi_session_kind kind);
/** "heap", "recording", "timeline". */
UBI__SERVER_API const char *ubi__session_kind_name(ubi_session_kind kind);
/** The tables are complete and fit each other. */
void ubi__question_check(const ubi__question *question);

/** An answer that is being made. One thread at a time. */
typedef struct ubi__inquiry ubi__inquiry;

/**
 * Errors: UBI_EINVAL (a parameter, or the number of heaps), UBI_ENOMEM; UBI_EFORMAT, about a file: it is of a kind that the question does
 * not take. Nothing is left to free then.
 */
ubi_status ubi__inquiry_begin(ubi__inquiry **out, const ubi__question *question, const ubi__asked *asked);
/** Errors: those of the parts that it needs. */
ubi_status ubi__inquiry_compute(ubi__inquiry *inquiry);
/**
 * The whole document: schema, the name of the heap as `file` if there is one alone, and what the question writes. Ends with a newline.
 * Errors: UBI_EIO when a write was refused, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__inquiry_write_document(const ubi__inquiry *inquiry, ubi__json *json);
/** Errors: UBI_ENOMEM; refused writes stick in the page's output. */
ubi_status ubi__inquiry_write_page(const ubi__inquiry *inquiry, const ubi__page *page);
/**
 * Writes the form that was asked for, as ubi_ask gives it: a document, or a page for no terminal.
 * @param columns  of a page; 0: 100. Errors: UBI_EIO when a write was refused, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__inquiry_write(const ubi__inquiry *inquiry, ubi_write_fn write, void *payload, unsigned columns);
/** What a file with the answer is called; NULL: there is no such file. */
const char *ubi__inquiry_output_kind(const ubi__inquiry *inquiry);
/** Of a prepared answer: UBI_EINVAL if a condition must not ask for that. */
ubi_status ubi__inquiry_fact_check(const ubi__inquiry *inquiry, const ubi_query_value *value);
/** Of a computed answer, of a question that has them. */
void ubi__inquiry_facts(ubi__question_facts *out, const ubi__inquiry *inquiry);
/** Of a computed answer, when it was judged. */
void ubi__inquiry_remarks(ubi__remarks *out, const ubi__inquiry *inquiry);
/** NULL is fine. */
void ubi__inquiry_end(ubi__inquiry *inquiry);

/* ---- what answers are made with ----------------------------------------------------------------------------------- */

/** The first heap. */
static inline ubi_session_use *ubi__asked_heap(const ubi__asked *asked) {
    return asked->heaps[0];
}
/** What it is. */
static inline ubi_session_kind ubi__asked_kind(const ubi__asked *asked) {
    return ubi_session_kind_of(ubi_session_use_session(asked->heaps[0]));
}
/** What it is called. */
static inline const char *ubi__asked_name(const ubi__asked *asked) {
    return ubi_session_name(ubi_session_use_session(asked->heaps[0]));
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

/** Notes that an error is about the i-th heap, and returns the status: UBI_TRY(ubi__asked_about(asked, i, ...)). */
static inline ubi_status ubi__asked_about(const ubi__asked *asked, uint32_t i, ubi_status status) {
    if (status != UBI_OK)
        *asked->fault = i;
    return status;
}
/** A message about one of several heaps gets its name in front. Returns the status. */
ubi_status ubi__asked_blame(const ubi__asked *asked, ubi_status status);
/** What the i-th heap is called. */
static inline const char *ubi__asked_name_at(const ubi__asked *asked, uint32_t i) {
    return ubi_session_name(ubi_session_use_session(asked->heaps[i]));
}
/**
 * Another use of the i-th heap, which looks at it like the one of index `like`; UBI_NONE: by itself. Errors: UBI_ENOMEM, about no
 * heap; UBI_EINVAL (sessions of different pools).
 */
ubi_status ubi__asked_use_begin(ubi_session_use **out, const ubi__asked *asked, uint32_t i, uint32_t like);
/** Ends it. Where only one thing is asked, what it held is dropped, unless something else holds it. NULL is fine. */
void ubi__asked_use_end(ubi_session_use *use, const ubi__asked *asked);

/** UBI_ENOTFOUND with a message that says where to find ids. */
ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id);
/** Look, dominators without sets, and distances. Errors: those of the parts. */
ubi_status ubi__object_facts_get(ubi__object_facts *out, ubi_session_use *heap);

#endif
