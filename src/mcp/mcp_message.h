/* SPDX-License-Identifier: MIT
 *
 * mcp_message.h: messages of JSON-RPC 2.0, read and written. Nothing is allocated: what is read are slices of the text.
 */
#ifndef UBI_MCP_MCP_MESSAGE_H
#define UBI_MCP_MCP_MESSAGE_H

#include "base/json_reader.h"
#include "base/json_writer.h"

/** Codes of errors. */
enum {
    UBI__RPC_NO_ERROR = 0,
    UBI__RPC_PARSE = -32700,
    UBI__RPC_REQUEST = -32600,
    UBI__RPC_METHOD = -32601,
    UBI__RPC_PARAMS = -32602,
    UBI__RPC_INTERNAL = -32603,
    UBI__RPC_BUSY = -32000,
    UBI__RPC_RESOURCE = -32002 /**< of MCP: there is no such resource */
};

/** The longest id of a request, and token of progress: they are repeated in replies, whose size is promised. */
#define UBI__RPC_ID_BYTES 200

typedef struct ubi__rpc_message {
    ubi_text id;            /**< as it is in the message; NULL: a notification, or unknown */
    ubi__json_value method; /**< a string */
    ubi__json_value params; /**< an object; type NULL: there are none */
    bool is_response;       /**< to a request of ours: we make none, so it is ignored */
    const char *error;      /**< what is wrong with it; NULL: nothing */
} ubi__rpc_message;

/** A code of an error, with out->error; the id is set as far as it could be read. @param json  one value. */
int ubi__rpc_message_read(ubi__rpc_message *out, ubi_text json);

/** The member of an object; type NULL if there is none, or it is not an object. */
ubi__json_value ubi__rpc_member(const ubi__json_value *object, const char *name);
/** What may be an id or a token: a string or number that is short enough. */
bool ubi__rpc_is_id(const ubi__json_value *value);
/** The value as it is in the message, a string with its quotes. */
ubi_text ubi__rpc_raw(const ubi__json_value *value);

/** Opens a reply, up to and without the member `result` or `error`. @param id  NULL text: null. */
void ubi__rpc_reply_begin(ubi__json *json, ubi_text id);
/** A whole reply. */
void ubi__rpc_error_write(ubi__json *json, ubi_text id, int code, const char *message);

#endif
