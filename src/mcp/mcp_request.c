/* SPDX-License-Identifier: MIT
 *
 * mcp_request.c: what takes time: calls of tools, and resources; see mcp_server_inside.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/text.h"
#include "mcp/brief.h"
#include "mcp/mcp_call.h"
#include "mcp/mcp_inside.h"
#include "mcp/mcp_server_inside.h"

#define PROGRESS_EVERY_NS UINT64_C(100000000)
#define MESSAGE_BYTES 512

/* ---- as long as it is needed ------------------------------------------------------------------------------------------- */

static void request_unref(ubi__mcp_request *request) {
    const ubi_allocator *a = request->server->allocator;
    if (atomic_fetch_sub(&request->n_refs, 1) == 1)
        a->free(a->ctx, request, request->n_bytes);
}

static void request_settle(ubi__mcp_request *request) {
    ubi__mcp_server *server = request->server;
    if (!request->has_left)
        ubi__mcp_batch_leave(server, request->batch);
    request->has_left = true;
    pthread_mutex_lock(&server->lock);
    request->is_settled = true;
    pthread_cond_broadcast(&server->settled);
    pthread_mutex_unlock(&server->lock);
}

/* ---- progress ---------------------------------------------------------------------------------------------------------- */

static void progress_write(ubi__json *json, const ubi__mcp_request *request, const char *stage, uint64_t done,
                           uint64_t total) {
    char words[160];
    snprintf(words, sizeof words, total ? "%.100s, %u%%" : "%.100s", stage ? stage : "",
             total ? (unsigned)(100 * ((double)(done < total ? done : total) / (double)total)) : 0);
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "jsonrpc", "2.0");
    ubi__json_member_string(json, "method", "notifications/progress");
    ubi__json_member_object(json, "params");
    ubi__json_member_raw(json, "progressToken", request->token);
    ubi__json_member_u64(json, "progress", request->n_listed); /* must rise: stages begin again at 0 */
    ubi__json_member_string(json, "message", words);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

/* A message that needs no memory. */
typedef struct short_message {
    size_t n;
    char at[2048];
} short_message;

static bool short_write(void *payload, const void *data, size_t n) {
    short_message *m = payload;
    if (n > sizeof m->at - m->n)
        return false;
    memcpy(m->at + m->n, data, n);
    m->n += n;
    return true;
}

static void progress_report(ubi__mcp_request *request, const char *stage, uint64_t done, uint64_t total) {
    short_message text = { .n = 0 };
    ubi__json json;
    request->n_listed++;
    ubi__json_init(&json, short_write, &text, false);
    progress_write(&json, request, stage, done, total);
    if (ubi__json_flush(&json) == UBI_OK)
        ubi__mcp_send(request->server, NULL, (ubi_text){ text.at, text.n });
}

static bool request_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ubi__mcp_request *request = payload;
    uint64_t now_ns = ubi_process_clock_ns();
    if (atomic_load_explicit(&request->is_cancelled, memory_order_relaxed))
        return false;
    bool is_due = !request->n_listed || now_ns - request->reported_ns >= PROGRESS_EVERY_NS;
    if (request->token.ptr && is_due) {
        request->reported_ns = now_ns;
        progress_report(request, stage, done, total);
    }
    return ubi__progress(request->desk, stage, done, total);
}

/* ---- replies ----------------------------------------------------------------------------------------------------------- */

/* All of a reply but its text; what comes before the text and after it. */
static void reply_write(ubi__json *json, const ubi__mcp_request *request, ubi_text text, bool is_error) {
    ubi__rpc_reply_begin(json, request->id);
    ubi__json_member_object(json, "result");
    ubi__json_member_array(json, request->is_resource ? "contents" : "content");
    ubi__json_object_begin(json);
    if (request->is_resource) {
        ubi__json_member_string(json, "uri", request->address);
        ubi__json_member_string(json, "mimeType", "text/plain");
    } else {
        ubi__json_member_string(json, "type", "text");
    }
    ubi__json_member_text(json, "text", text);
    ubi__json_object_end(json);
    ubi__json_array_end(json);
    if (is_error)
        ubi__json_member_bool(json, "isError", true);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

static bool bytes_count(void *payload, const void *data, size_t n) {
    (void)data;
    *(size_t *)payload += n;
    return true;
}

/* What a reply takes besides its text, with the end of line, or a comma in a batch. */
static size_t envelope_bytes(const ubi__mcp_request *request, bool is_error) {
    size_t n = 1;
    ubi__json json;
    ubi__json_init(&json, bytes_count, &n, false);
    reply_write(&json, request, (ubi_text){ "", 0 }, is_error);
    (void)ubi__json_flush(&json);
    return n;
}

static void reply_send(ubi__mcp_request *request, ubi_text text, bool is_error) {
    const ubi_allocator *a = request->server->allocator;
    ubi__vec_u8 message = { NULL, 0, 0 };
    ubi__bytes_sink writing = { &message, a };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    reply_write(&json, request, text, is_error);
    if (ubi__json_flush(&json) == UBI_OK)
        ubi__mcp_send(request->server, request->batch, (ubi_text){ (const char *)message.at, message.n });
    else
        ubi__mcp_send_error(request->server, request->batch, request->id, UBI__RPC_INTERNAL, "out of memory");
    ubi__vec_u8_fini(&message, a);
}

/* The message of the thread, as much of it as the budget has room for. */
static void failure_send(ubi__mcp_request *request, ubi_status status) {
    char message[MESSAGE_BYTES];
    ubi__vec_u8 text = { NULL, 0, 0 };
    const ubi_allocator *a = request->server->allocator;
    snprintf(message, sizeof message, "%s", ubi_error_message());
    if (request->is_resource) {
        ubi__mcp_send_error(request->server, request->batch, request->id,
                            status == UBI_ENOTFOUND ? UBI__RPC_RESOURCE : UBI__RPC_INTERNAL, message);
        return;
    }
    size_t room = request->given.budget_bytes - envelope_bytes(request, true);
    while (ubi__brief_escaped_bytes(ubi__text(message)) > room)
        message[ubi__utf8_valid_prefix((ubi_text){ message, strlen(message) - 1 })] = '\0';
    reply_send(request, ubi__text(message), true);
    ubi__vec_u8_fini(&text, a);
}

static ubi_status request_answer(ubi__vec_u8 *out, ubi__mcp_request *request) {
    const ubi__mcp_asked asked = { .shelf = request->server->shelf,
                                   .progress = { request_progress, request },
                                   .allocator = request->server->allocator,
                                   .text_bytes = request->given.budget_bytes - envelope_bytes(request, false) };
    if (atomic_load(&request->is_cancelled))
        return ubi__fail_cancelled();
    return request->is_resource ? ubi__mcp_resource_read(out, &asked, request->address)
                                : ubi__mcp_tool_call(out, &asked, request->tool, &request->given);
}

/* On a thread of the desk. The job has no answer of its own. */
static ubi_status request_perform(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    ubi__mcp_request *request = payload;
    ubi__vec_u8 text = { NULL, 0, 0 };
    (void)answer;
    request->desk = progress;
    ubi_status status = request_answer(&text, request);
    if (status == UBI_OK)
        reply_send(request, (ubi_text){ (const char *)text.at, text.n }, false);
    else if (status != UBI_ECANCELLED)
        failure_send(request, status);
    ubi__vec_u8_fini(&text, request->server->allocator);
    request_settle(request);
    return UBI_OK;
}

static void request_release(void *payload) {
    request_settle(payload); /* if it never ran */
    request_unref(payload);
}

/* ---- beginning --------------------------------------------------------------------------------------------------------- */

static ubi_text text_keep(char **at, ubi_text text) {
    char *begin = *at;
    if (text.len)
        memcpy(begin, text.ptr, text.len);
    begin[text.len] = '\0';
    *at += text.len + 1;
    return (ubi_text){ begin, text.len };
}

/* The line is gone when it runs, so it has a copy of all it needs. */
static ubi__mcp_request *request_new(ubi__mcp_server *server, const ubi__rpc_message *message, ubi_text token,
                                     ubi_text rest) {
    const ubi_allocator *a = server->allocator;
    size_t n_bytes = sizeof(ubi__mcp_request) + message->id.len + token.len + rest.len + 3;
    ubi__mcp_request *request = ubi__calloc_array(a, n_bytes, 1);
    if (!request)
        return NULL;
    char *at = request->texts;
    request->server = server;
    request->n_bytes = n_bytes;
    atomic_init(&request->n_refs, 2);
    request->id = text_keep(&at, message->id);
    request->token = token.ptr ? text_keep(&at, token) : token;
    request->arguments = text_keep(&at, rest);
    request->given.budget_bytes = UBI_MCP_USUAL_BUDGET;
    return request;
}

static void wake_nothing(void *payload) {
    (void)payload;
}

static void request_hand_in(ubi__mcp_request *request, ubi__mcp_batch *batch) {
    ubi__mcp_server *server = request->server;
    uint64_t id;
    const ubi__desk_errand errand = {
        .title = "a call of a tool", .perform = request_perform, .release = request_release, .payload = request
    };
    request->watcher = (ubi__desk_watcher){ .wake = wake_nothing };
    request->batch = batch;
    if (batch) {
        pthread_mutex_lock(&server->lock);
        batch->n_open++;
        pthread_mutex_unlock(&server->lock);
    }
    ubi_status status = ubi__desk_run(&request->job, &id, server->desk, &errand, false, &request->watcher);
    if (status == UBI_OK) {
        request->next = server->requests;
        server->requests = request;
        return;
    }
    ubi__mcp_send_error(server, batch, request->id, status == UBI_EBUSY ? UBI__RPC_BUSY : UBI__RPC_INTERNAL,
                        ubi_error_message());
    request_settle(request);
    request_unref(request);
    request_unref(request);
}

/* The arguments are checked at once, in the text that the request keeps. */
static bool tool_prepare(ubi__mcp_request *request) {
    ubi__json_cursor c;
    ubi__json_value arguments = { .type = UBI__JSON_NULL };
    if (request->arguments.len && !ubi__json_value_whole(&c, &arguments, request->arguments))
        arguments.type = UBI__JSON_NULL; /* it was read before */
    if (ubi__mcp_given_read(&request->given, &ubi__mcp_tools[request->tool], &arguments) == UBI_OK)
        return true;
    request->given.budget_bytes = UBI_MCP_USUAL_BUDGET;
    failure_send(request, UBI_EINVAL);
    return false;
}

static ubi_text token_of(const ubi__rpc_message *message) {
    ubi__json_value meta = ubi__rpc_member(&message->params, "_meta");
    ubi__json_value token = ubi__rpc_member(&meta, "progressToken");
    return ubi__rpc_is_id(&token) ? ubi__rpc_raw(&token) : (ubi_text){ NULL, 0 };
}

static void tool_begin(ubi__mcp_server *server, ubi__mcp_batch *batch, const ubi__rpc_message *message) {
    ubi__json_value name = ubi__rpc_member(&message->params, "name");
    ubi__json_value arguments = ubi__rpc_member(&message->params, "arguments");
    ubi__mcp_tool tool = ubi__mcp_tool_find(&name);
    if (tool == UBI__MCP_N_TOOLS) {
        ubi__mcp_send_error(server, batch, message->id, UBI__RPC_PARAMS, "there is no such tool");
        return;
    }
    ubi__mcp_request *request = request_new(server, message, token_of(message), ubi__rpc_raw(&arguments));
    if (!request) {
        ubi__mcp_send_error(server, batch, message->id, UBI__RPC_INTERNAL, "out of memory");
        return;
    }
    request->tool = tool;
    request->batch = batch; /* for what is refused */
    if (tool_prepare(request)) {
        request_hand_in(request, batch);
        return;
    }
    request_unref(request);
    request_unref(request);
}

static void resource_begin(ubi__mcp_server *server, ubi__mcp_batch *batch, const ubi__rpc_message *message) {
    ubi__json_value uri = ubi__rpc_member(&message->params, "uri");
    if (uri.type != UBI__JSON_STRING || uri.has_escapes || uri.raw.len > UBI__RPC_ID_BYTES) {
        ubi__mcp_send_error(server, batch, message->id, UBI__RPC_PARAMS,
                            "uri: expected an address such as " UBI__MCP_ADDRESS "h1");
        return;
    }
    ubi__mcp_request *request = request_new(server, message, token_of(message), uri.raw);
    if (!request) {
        ubi__mcp_send_error(server, batch, message->id, UBI__RPC_INTERNAL, "out of memory");
        return;
    }
    request->is_resource = true;
    request->address = request->arguments.ptr;
    request->given.budget_bytes = UBI_MCP_MOST_BUDGET;
    request_hand_in(request, batch);
}

static ubi__mcp_request *request_find(const ubi__mcp_server *server, ubi_text id) {
    ubi__mcp_request *request = server->requests;
    while (request && !ubi__text_equal(request->id, id))
        request = request->next;
    return request;
}

void ubi__mcp_request_begin(ubi__mcp_server *server, ubi__mcp_batch *batch, const ubi__rpc_message *message) {
    ubi__mcp_requests_reap(server);
    if (request_find(server, message->id))
        ubi__mcp_send_error(server, batch, message->id, UBI__RPC_REQUEST, "a request with this id is on its way");
    else if (ubi__json_value_is(&message->method, "tools/call"))
        tool_begin(server, batch, message);
    else
        resource_begin(server, batch, message);
}

/* ---- ending ------------------------------------------------------------------------------------------------------------ */

/* Off the list. What runs is cancelled. */
static void request_drop(ubi__mcp_server *server, ubi__mcp_request *request) {
    ubi__mcp_request **place = &server->requests;
    while (*place != request)
        place = &(*place)->next;
    *place = request->next;
    ubi__desk_leave(request->job, &request->watcher);
    request_unref(request);
}

void ubi__mcp_request_cancel(ubi__mcp_server *server, const ubi__json_value *params) {
    ubi__json_value id = ubi__rpc_member(params, "requestId");
    ubi__mcp_request *request = ubi__rpc_is_id(&id) ? request_find(server, ubi__rpc_raw(&id)) : NULL;
    if (!request)
        return;
    atomic_store(&request->is_cancelled, true);
    request_drop(server, request);
}

void ubi__mcp_requests_reap(ubi__mcp_server *server) {
    for (ubi__mcp_request *request = server->requests, *next; request; request = next) {
        next = request->next;
        pthread_mutex_lock(&server->lock);
        bool is_settled = request->is_settled;
        pthread_mutex_unlock(&server->lock);
        if (is_settled)
            request_drop(server, request);
    }
}

void ubi__mcp_requests_drop(ubi__mcp_server *server) {
    while (server->requests) {
        atomic_store(&server->requests->is_cancelled, true);
        request_drop(server, server->requests);
    }
}
