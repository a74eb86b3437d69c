/* SPDX-License-Identifier: MIT
 *
 * brief.h: an answer for a reader that pays for each byte: the document of any question as lines of text within a budget.
 *
 *     report of h1 "app.heapsnapshot"                                    the headline
 *     producer="Node.js (V8)" nodeCount=40886 totalSize=3023054          rows, in the order of the document
 *     kinds:
 *     - coarseType="Script" displayName="(compiled code)" count=11425
 *     left out: 31 of 55 rows, 2710 bytes; more with "cursor":24         what is not here, of the whole list
 *     next: explain {"heap":"h1","node":50603}                           a call that is ready
 *
 * It knows JSON, and no question: a new one needs nothing here. An object or array is a row with the plain values in it, followed by the
 * rows of the objects and arrays in it, one blank further in. Short ones without objects in them are on the row of their owner. `null` is
 * left out. Rows of a table, which are arrays beside an array `columns` of their names, can be read on every page: one that begins among
 * them begins with the names, which is a line and not a row.
 *
 * Texts of heaps are untrusted: they are quoted as in JSON, without characters that a reader does not see, and cut where they are long.
 *
 * The budget counts bytes as they are within a JSON string, because that is where the text goes.
 */
#ifndef UBI_MCP_BRIEF_H
#define UBI_MCP_BRIEF_H

#include "base/alloc.h"

/** Bytes of a quoted text that are shown, of a key, and after which a row is continued on the next. */
#define UBI__BRIEF_TEXT_BYTES ((size_t)240)
#define UBI__BRIEF_KEY_BYTES ((size_t)100)
#define UBI__BRIEF_ROW_BYTES ((size_t)500)

/** A text that is shown as another one, such as the path of a heap as its id. */
typedef struct ubi__brief_name {
    ubi_text text, instead;
} ubi__brief_name;

typedef struct ubi__brief_terms {
    const ubi_text *documents; /**< documents[n_documents]: JSON objects; rows are numbered through all of them */
    const char *const *titles; /**< titles[n_documents]: a row of their own before a document; or NULL */
    uint32_t n_documents;
    const ubi__brief_name *names; /**< names[n_names] */
    uint32_t n_names;
    const char *headline; /**< one line, safe already */
    uint64_t cursor;      /**< the first row that is shown */
    size_t budget_bytes;  /**< of the text, within a JSON string */
    uint64_t limit;       /**< the question's own, 0: none: said when a list is that long */
    bool knows_beyond;    /**< how many rows the limit has left out of the documents: */
    uint64_t n_beyond;    /**< they are counted as left out */
    /* Calls that may come next, without their ends: what is missing is a cursor or an id, and a brace. NULL: there is none. */
    const char *more_call;    /**< such as: ask {"question":"summary" */
    const char *explain_call; /**< such as: explain {"heap":"h1","node": */
    const char *beyond_call;  /**< for rows behind the limit, complete; or NULL */
    const char *last_call;    /**< when there is nothing else, complete; or NULL */
} ubi__brief_terms;

/** What was shown. */
typedef struct ubi__brief_count {
    uint64_t n_rows;         /**< of all documents */
    bool has_columns;        /**< a line with the names of columns comes before the rows */
    uint64_t n_shown;        /**< from the cursor on */
    uint64_t left_out_bytes; /**< of the rows after those */
    bool was_cut;            /**< a row alone was longer than the budget */
} ubi__brief_count;

/**
 * Appends the text. The same terms give the same bytes.
 * @param count  NULL: not wanted.
 * Errors: UBI_EFORMAT (a document is not a JSON object), UBI_EINVAL (the budget is less than headline and calls need), UBI_ENOMEM;
 * `out` may hold a part then. Cost: O(bytes * depth).
 */
ubi_status ubi__brief_write(ubi__vec_u8 *out, ubi__brief_count *count, const ubi__brief_terms *terms,
                            const ubi_allocator *allocator);

/** Bytes that a text takes within a JSON string. */
size_t ubi__brief_escaped_bytes(ubi_text text);
/** Appends a text in quotes, cut after `most_bytes` with a note of what is missing. Errors: UBI_ENOMEM. */
ubi_status ubi__brief_quote(ubi__vec_u8 *out, ubi_text text, size_t most_bytes, const ubi_allocator *allocator);

#endif
