/* SPDX-License-Identifier: MIT
 *
 * mcp_inside.h: a call of a tool while it is made; see mcp_call.h.
 */
#ifndef UBI_MCP_MCP_INSIDE_H
#define UBI_MCP_MCP_INSIDE_H

#include "mcp/brief.h"
#include "mcp/mcp_call.h"
#include "questions/answers.h"

#define UBI__MCP_MOST_DOCUMENTS 5
#define UBI__MCP_HEADLINE_BYTES 300
#define UBI__MCP_NODE_BYTES 32

/** Rows of a list that has no limit of its own, such as all nodes. */
#define UBI__MCP_LIST_LIMIT 1000

typedef struct ubi__mcp_call {
    const ubi__mcp_asked *asked;
    ubi__mcp_tool tool;
    const ubi__mcp_given *given;                         /**< all zeroes for a resource */
    const ubi__shelf_heap *heaps[UBI__SHELF_MOST_HEAPS]; /**< heaps[n_heaps], references */
    uint32_t n_heaps;
    ubi_session_use *use; /**< of the first heap: holds the answers; or NULL */
    ubi_text documents[UBI__MCP_MOST_DOCUMENTS];
    const char *titles[UBI__MCP_MOST_DOCUMENTS];
    uint32_t n_documents;
    uint64_t limit;    /**< of the question, 0: none */
    bool knows_beyond; /**< and how many rows come after it */
    uint64_t n_beyond;
    ubi__vec_u8 own; /**< a document that is not an answer */
    char headline[UBI__MCP_HEADLINE_BYTES];
    /* Calls that may come next, ended by a zero; empty: there is none. */
    ubi__vec_u8 more, explain, beyond, last;
} ubi__mcp_call;

ubi_status ubi__mcp_put(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *format, ...) UBI_PRINTF(3, 4);
/** A string of the arguments, ended by a zero in `out`. Errors: UBI_EINVAL (it has a zero, or is too long), UBI_ENOMEM. */
ubi_status ubi__mcp_text(ubi__vec_u8 *out, const ubi__mcp_call *call, ubi__mcp_argument argument);
/** A JSON string of an untrusted text, all of it. */
ubi_status ubi__mcp_quote(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *text);

/** The heap of the argument `heap`, else the last one. Errors: UBI_ENOTFOUND (none is open), those of opening it. */
ubi_status ubi__mcp_heap_choose(ubi__mcp_call *call);
/** Which of the heaps has this name, as documents have it; UBI_NONE: none, or several. */
uint32_t ubi__mcp_heap_named(const ubi__mcp_call *call, ubi_text name);
/** Those of `heaps`, else all that are open. */
ubi_status ubi__mcp_heaps_choose(ubi__mcp_call *call);

/**
 * Asks a question about the heaps, and adds its document.
 * @param parameters  JSON; NULL text: none. @param title  a row before it; static; or NULL.
 */
ubi_status ubi__mcp_question_add(ubi__mcp_call *call, const ubi__question *question, ubi_text parameters,
                                 const char *title);
/** The first value that has a find's rank in the documents so far; "" if there is none. */
ubi_status ubi__mcp_find_node(char out[UBI__MCP_NODE_BYTES], const ubi__mcp_call *call);

ubi_status ubi__mcp_heaps_call(ubi__mcp_call *call);
ubi_status ubi__mcp_report_call(ubi__mcp_call *call);
ubi_status ubi__mcp_leaks_call(ubi__mcp_call *call);
ubi_status ubi__mcp_find_call(ubi__mcp_call *call);
ubi_status ubi__mcp_explain_call(ubi__mcp_call *call);
ubi_status ubi__mcp_ask_call(ubi__mcp_call *call);
/** The list of questions as a document of its own. */
ubi_status ubi__mcp_questions_document(ubi__mcp_call *call);

#endif
