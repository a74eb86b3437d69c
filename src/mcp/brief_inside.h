/* SPDX-License-Identifier: MIT
 *
 * brief_inside.h: rows of documents; see brief.h.
 */
#ifndef UBI_MCP_BRIEF_INSIDE_H
#define UBI_MCP_BRIEF_INSIDE_H

#include "base/json_reader.h"
#include "mcp/brief.h"

ubi_status ubi__brief_append_text(ubi__vec_u8 *out, const char *text, const ubi_allocator *allocator);

#define UBI__BRIEF_ID_BYTES 24

/** A node that is worth a look. */
typedef struct ubi__brief_find {
    int rank;                     /**< the lower, the better; 0: none was found */
    char id[UBI__BRIEF_ID_BYTES]; /**< as it is in the document */
} ubi__brief_find;

/** Gets the rows, in their order. `columns`: the names of the cells, a JSON array of strings, if it is a row of a table, else NULL text. */
typedef struct ubi__brief_sink {
    ubi_status (*row)(void *payload, ubi_text row, ubi_text columns);
    void *payload;
} ubi__brief_sink;

/** What the rows are made of. */
typedef struct ubi__brief_walk {
    const ubi__brief_name *names; /**< names[n_names] */
    uint32_t n_names;
    const ubi_allocator *allocator;
    ubi__brief_sink sink;
    ubi__brief_find find;      /**< the best so far */
    uint64_t n_longest_list;   /**< elements of the longest array of objects */
    ubi__vec_u8 line, scratch; /**< of the walk */
    ubi_text columns;          /**< of the row that is made */
} ubi__brief_walk;

/** Gives the rows of a document to the sink. Errors: UBI_EFORMAT, UBI_ENOMEM, those of the sink. */
ubi_status ubi__brief_walk_document(ubi__brief_walk *walk, ubi_text document);
void ubi__brief_walk_fini(ubi__brief_walk *walk);
/** Appends a line "columns: id className". Errors: UBI_ENOMEM. */
ubi_status ubi__brief_columns_write(ubi__vec_u8 *out, ubi_text columns, const ubi_allocator *allocator);

#endif
