/* SPDX-License-Identifier: MIT
 *
 * mcp_call.h: what a tool does: heaps are found, questions asked, and their documents made into one brief text.
 */
#ifndef UBI_MCP_MCP_CALL_H
#define UBI_MCP_MCP_CALL_H

#include "jobs/shelf.h"
#include "mcp/mcp_tools.h"

typedef struct ubi__mcp_asked {
    ubi__shelf *shelf;
    ubi_progress progress;
    const ubi_allocator *allocator; /**< of the text, and all that is not a session's */
    size_t text_bytes;              /**< the budget of the text, within a JSON string */
} ubi__mcp_asked;

/**
 * Appends the text of a reply. What depends on heaps alone is the same in each run.
 * Errors: those of questions, files and arguments, with a message for the client: heaps are called by their names, not their paths.
 */
ubi_status ubi__mcp_tool_call(ubi__vec_u8 *out, const ubi__mcp_asked *asked, ubi__mcp_tool tool,
                              const ubi__mcp_given *given);
/** The text of a resource, "ubiheap://h1" or "ubiheap://questions". Errors: the same; UBI_ENOTFOUND: there is no such resource. */
ubi_status ubi__mcp_resource_read(ubi__vec_u8 *out, const ubi__mcp_asked *asked, const char *address);

#define UBI__MCP_ADDRESS "ubiheap://"
#define UBI__MCP_QUESTIONS_ADDRESS UBI__MCP_ADDRESS "questions"

#endif
