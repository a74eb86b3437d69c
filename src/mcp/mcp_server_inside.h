/* SPDX-License-Identifier: MIT
 *
 * mcp_server_inside.h: requests and replies of a server; see mcp_server.h.
 */
#ifndef UBI_MCP_MCP_SERVER_INSIDE_H
#define UBI_MCP_MCP_SERVER_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "jobs/desk.h"
#include "jobs/shelf.h"
#include "mcp/mcp_message.h"
#include "mcp/mcp_server.h"
#include "mcp/mcp_tools.h"

/** Replies that are sent together. With the lock. */
typedef struct ubi__mcp_batch {
    uint32_t n_open; /**< messages without a reply yet, and one while it is read */
    ubi__vec_u8 text;
    bool has_failed; /**< memory was refused */
} ubi__mcp_batch;

typedef struct ubi__mcp_request ubi__mcp_request;

struct ubi__mcp_server {
    const ubi_allocator *allocator;
    ubi__mcp_output output;
    ubi__shelf *shelf;
    ubi__desk *desk;
    bool has_batches;           /**< of the version that was agreed on. The reader's, as are: */
    ubi__mcp_request *requests; /**< on their way, and those that finished since the last line */
    pthread_mutex_t lock;       /**< guards output, batches, and: */
    pthread_cond_t settled;     /**< a request is */
    bool is_closed;             /**< the output */
};

/** A request on its way. Two have it: the reader's list, and the job. */
struct ubi__mcp_request {
    ubi__mcp_server *server;
    ubi__mcp_request *next;
    ubi__mcp_batch *batch; /**< or NULL */
    ubi__desk_job *job;
    ubi__desk_watcher watcher;
    _Atomic uint32_t n_refs;
    _Atomic bool is_cancelled;
    bool has_left;   /**< its batch; of the threads that perform and release it, one after the other */
    bool is_settled; /**< with the server's lock: answered, or it never will be */
    bool is_resource;
    ubi__mcp_tool tool;
    ubi__mcp_given given;
    ubi_text id, token, arguments;  /**< in `texts`; token NULL: no progress is wanted */
    const char *address;            /**< of a resource; the same */
    const ubi_progress *desk;       /**< while it runs */
    uint64_t reported_ns, n_listed; /**< of progress */
    size_t n_bytes;                 /**< of this block */
    char texts[];
};

/** Sends a reply, or adds it to its batch. Without the lock. */
void ubi__mcp_send(ubi__mcp_server *server, ubi__mcp_batch *batch, ubi_text message);
/** An error, without memory. */
void ubi__mcp_send_error(ubi__mcp_server *server, ubi__mcp_batch *batch, ubi_text id, int code, const char *message);
/** One message less to wait for; the last sends the batch and frees it. NULL is fine. */
void ubi__mcp_batch_leave(ubi__mcp_server *server, ubi__mcp_batch *batch);

/** Hands in a request of `tools/call` or `resources/read`, or says why not. */
void ubi__mcp_request_begin(ubi__mcp_server *server, ubi__mcp_batch *batch, const ubi__rpc_message *message);
/** The client does not want it any more. */
void ubi__mcp_request_cancel(ubi__mcp_server *server, const ubi__json_value *params);
/** Forgets those that are settled. */
void ubi__mcp_requests_reap(ubi__mcp_server *server);
/** Gives up all. */
void ubi__mcp_requests_drop(ubi__mcp_server *server);

#endif
