/* SPDX-License-Identifier: MIT
 *
 * mcp_message.c: see mcp_message.h.
 */
#include "mcp/mcp_message.h"

#include "base/text.h"

/* A string is a slice between its quotes. */
ubi_text ubi__rpc_raw(const ubi__json_value *value) {
    if (value->type == UBI__JSON_STRING)
        return (ubi_text){ value->raw.ptr - 1, value->raw.len + 2 };
    return value->raw;
}

bool ubi__rpc_is_id(const ubi__json_value *value) {
    return (value->type == UBI__JSON_STRING || value->type == UBI__JSON_NUMBER) && value->raw.len <= UBI__RPC_ID_BYTES;
}

ubi__json_value ubi__rpc_member(const ubi__json_value *object, const char *name) {
    static const ubi__json_value none = { .type = UBI__JSON_NULL };
    ubi__json_value found;
    return object->type == UBI__JSON_OBJECT && ubi__json_object_find(&found, object->raw, name) ? found : none;
}

static int message_fail(ubi__rpc_message *out, const char *error) {
    out->error = error;
    return UBI__RPC_REQUEST;
}

int ubi__rpc_message_read(ubi__rpc_message *out, ubi_text json) {
    ubi__json_cursor c;
    ubi__json_value whole;
    *out = (ubi__rpc_message){ .method = { .type = UBI__JSON_NULL }, .params = { .type = UBI__JSON_NULL } };
    if (!ubi__json_value_whole(&c, &whole, json)) {
        out->error = "the message is not JSON";
        return UBI__RPC_PARSE;
    }
    if (whole.type != UBI__JSON_OBJECT)
        return message_fail(out, "the message is not an object");
    ubi__json_value id = ubi__rpc_member(&whole, "id"), version = ubi__rpc_member(&whole, "jsonrpc");
    ubi__json_value result = ubi__rpc_member(&whole, "result"), error = ubi__rpc_member(&whole, "error");
    out->method = ubi__rpc_member(&whole, "method");
    out->params = ubi__rpc_member(&whole, "params");
    if (ubi__rpc_is_id(&id))
        out->id = ubi__rpc_raw(&id);
    else if (id.raw.ptr)
        return message_fail(out, "the id is not a string or number of at most 200 bytes");
    if (version.type != UBI__JSON_STRING || !ubi__json_value_is(&version, "2.0"))
        return message_fail(out, "\"jsonrpc\" is not \"2.0\"");
    out->is_response = out->method.type == UBI__JSON_NULL && (result.raw.ptr || error.raw.ptr);
    if (!out->is_response && out->method.type != UBI__JSON_STRING)
        return message_fail(out, "\"method\" is not a string");
    if (out->params.type != UBI__JSON_NULL && out->params.type != UBI__JSON_OBJECT)
        return message_fail(out, "\"params\" is not an object");
    return UBI__RPC_NO_ERROR;
}

void ubi__rpc_reply_begin(ubi__json *json, ubi_text id) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "jsonrpc", "2.0");
    ubi__json_key(json, "id");
    if (id.ptr)
        ubi__json_raw(json, id);
    else
        ubi__json_null(json);
}

void ubi__rpc_error_write(ubi__json *json, ubi_text id, int code, const char *message) {
    ubi__rpc_reply_begin(json, id);
    ubi__json_member_object(json, "error");
    ubi__json_member_i64(json, "code", code);
    ubi__json_member_string(json, "message", message);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}
