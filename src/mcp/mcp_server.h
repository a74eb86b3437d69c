/* SPDX-License-Identifier: MIT
 *
 * mcp_server.h: the insides of a server: lines come in, messages go out. What takes time is an errand of the desk (jobs/desk.h), so that
 * reading never waits for it.
 *
 *     reader's thread:   line ── message ──┬── answered at once: initialize, ping, lists, errors
 *                                          └── tools/call, resources/read ── errand ──> a thread of the desk ── reply
 */
#ifndef UBI_MCP_MCP_SERVER_H
#define UBI_MCP_MCP_SERVER_H

#include <ubiheap/server/mcp.h>

#include "base/alloc.h"

/** The longest message. */
#define UBI__MCP_LINE_BYTES ((size_t)4 << 20)
/** Messages in a batch. */
#define UBI__MCP_BATCH 100

/** Where messages go, each whole and with its end of line; called by one thread at a time. False: it is closed. */
typedef struct ubi__mcp_output {
    bool (*write)(void *payload, const void *data, size_t n);
    void *payload;
} ubi__mcp_output;

typedef struct ubi__mcp_server ubi__mcp_server;

/** @param allocator  of all that is not a session's; NULL: the default. Errors: those of ubi_mcp_serve. */
ubi_status ubi__mcp_server_new(ubi__mcp_server **out, const ubi_mcp_options *options, const ubi__mcp_output *output,
                               const ubi_allocator *allocator);
/** Takes a message, or a batch, without its end of line. One thread. */
void ubi__mcp_server_line(ubi__mcp_server *server, ubi_text line);
/** Refuses a line that is too long. */
void ubi__mcp_server_refuse_line(ubi__mcp_server *server);
/** Waits until all requests are answered. `is_open`, asked ten times a second: false gives them up; NULL: never. */
void ubi__mcp_server_settle(ubi__mcp_server *server, bool (*is_open)(void *payload), void *payload);
/** Gives up what is on its way. NULL is fine. */
void ubi__mcp_server_free(ubi__mcp_server *server);

#endif
