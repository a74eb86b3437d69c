/* SPDX-License-Identifier: MIT
 *
 * call.c: arguments and replies of requests. See actor.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "rdp/connection.h"

/* ---- arguments -------------------------------------------------------------------------------------------------------- */

static bool value_is_of(const ubi__json_value *value, ubi__rdp_kind kind) {
    switch (kind) {
    case UBI__RDP_ANY:
        return true;
    case UBI__RDP_STRING:
        return value->type == UBI__JSON_STRING;
    case UBI__RDP_NUMBER:
        return value->type == UBI__JSON_NUMBER;
    case UBI__RDP_BOOLEAN:
        return value->type == UBI__JSON_TRUE || value->type == UBI__JSON_FALSE;
    case UBI__RDP_OBJECT:
        return value->type == UBI__JSON_OBJECT;
    case UBI__RDP_ARRAY:
        return value->type == UBI__JSON_ARRAY;
    }
    return false;
}

static const char *kind_words(ubi__rdp_kind kind) {
    static const char *const words[] = {
        "any value", "a string", "a number", "true or false", "an object", "an array"
    };
    return words[kind];
}

/* As today's Firefox says it; of what is of another kind it says nothing. */
static ubi_status field_check(const ubi__rdp_field *field, const ubi__json_value *value, const char **error_name) {
    bool is_missing = value->type == UBI__JSON_NULL;
    *error_name = is_missing ? "Error" : "badParameterType";
    if (is_missing && field->need == UBI__RDP_REQUIRED)
        return ubi__fail(UBI_EINVAL, "%s passed where a value is required", value->raw.ptr ? "null" : "undefined");
    if (!is_missing && !value_is_of(value, field->kind))
        return ubi__fail(UBI_EINVAL, "'%s' is not %s", field->name, kind_words(field->kind));
    return UBI_OK;
}

ubi_status ubi__rdp_fields_read(ubi__json_value *values, const ubi__rdp_field *fields, const ubi__json_value *object,
                                const char **error_name) {
    ubi__json_value key, value;
    ubi__json_cursor c;
    uint32_t n = 0;
    for (; fields[n].name; n++)
        values[n] = (ubi__json_value){ .type = UBI__JSON_NULL };
    if (object->type == UBI__JSON_OBJECT) {
        ubi__json_cursor_open(&c, object->raw, UBI__JSON_OBJECT);
        while (ubi__json_cursor_next_member(&c, &key, &value))
            for (uint32_t i = 0; i < n; i++)
                if (ubi__json_value_is(&key, fields[i].name))
                    values[i] = value;
    }
    for (uint32_t i = 0; i < n; i++)
        UBI_TRY(field_check(&fields[i], &values[i], error_name));
    return UBI_OK;
}

ubi__rdp_actor *ubi__rdp_call_actor(const ubi__rdp_call *call) {
    return call->actor;
}

void ubi__rdp_call_name(char out[UBI__VISIT_NAME_BYTES], const ubi__rdp_call *call) {
    snprintf(out, UBI__VISIT_NAME_BYTES, "%s.%s", call->actor->type->name, call->method->type);
}

const ubi__json_value *ubi__rdp_argument(const ubi__rdp_call *call, uint32_t i) {
    UBI_ASSERT(i < UBI__RDP_MOST_ARGUMENTS);
    return &call->values[i];
}

double ubi__rdp_argument_number(const ubi__rdp_call *call, uint32_t i, double otherwise) {
    double number = otherwise;
    return ubi__json_value_number(&number, ubi__rdp_argument(call, i)) ? number : otherwise;
}

bool ubi__rdp_argument_bool(const ubi__rdp_call *call, uint32_t i, bool otherwise) {
    ubi__json_type type = ubi__rdp_argument(call, i)->type;
    return type == UBI__JSON_NULL ? otherwise : type == UBI__JSON_TRUE;
}

bool ubi__rdp_argument_is(const ubi__rdp_call *call, uint32_t i, const char *text) {
    const ubi__json_value *value = ubi__rdp_argument(call, i);
    return value->type == UBI__JSON_STRING && ubi__json_value_is(value, text);
}

ubi_status ubi__rdp_argument_text(char *out, size_t n, const ubi__rdp_call *call, uint32_t i) {
    const ubi__json_value *value = ubi__rdp_argument(call, i);
    ubi__vec_u8 scratch = { 0 };
    ubi_text text;
    if (value->type != UBI__JSON_STRING)
        return ubi__fail(UBI_EINVAL, "'%s' is not a string", call->method->arguments[i].name);
    UBI_TRY(ubi__json_value_text(&text, value, &scratch, call->allocator));
    bool is_fit = text.len < n && (text.len == 0 || !memchr(text.ptr, 0, text.len));
    if (is_fit && text.len)
        memcpy(out, text.ptr, text.len);
    if (is_fit)
        out[text.len] = '\0';
    ubi__vec_u8_fini(&scratch, call->allocator);
    return is_fit ? UBI_OK : ubi__fail(UBI_EINVAL, "'%s' is too long, or has a NUL", call->method->arguments[i].name);
}

ubi_status ubi__rdp_argument_copy(ubi__vec_u8 *out, const ubi__rdp_call *call, uint32_t i) {
    ubi__vec_u8 scratch = { 0 };
    ubi_text text = { "", 0 };
    ubi_status status = ubi__json_value_text(&text, ubi__rdp_argument(call, i), &scratch, ubi_allocator_default());
    if (status == UBI_OK)
        status = ubi__bytes_append(out, text.ptr, text.len, ubi_allocator_default());
    ubi__vec_u8_fini(&scratch, ubi_allocator_default());
    return status;
}

/* ---- packets ---------------------------------------------------------------------------------------------------------- */

#define HEADER_ROOM 24

ubi__json *ubi__rdp_packet_open(ubi__rdp_packet *packet, const char *from, const ubi_allocator *allocator) {
    static const uint8_t room[HEADER_ROOM];
    packet->allocator = allocator;
    packet->bytes = (ubi__vec_u8){ 0 };
    packet->at = 0;
    packet->sink = (ubi__bytes_sink){ &packet->bytes, allocator };
    ubi__json_init(&packet->json, ubi__bytes_sink_write, &packet->sink, false);
    if (ubi__bytes_append(&packet->bytes, room, sizeof room, allocator) != UBI_OK)
        packet->json.has_failed = true;
    ubi__json_object_begin(&packet->json);
    if (from)
        ubi__json_member_string(&packet->json, "from", from);
    return &packet->json;
}

ubi_status ubi__rdp_packet_close(ubi__rdp_packet *packet) {
    char header[HEADER_ROOM];
    ubi__json_object_end(&packet->json);
    if (ubi__json_flush(&packet->json) != UBI_OK) {
        ubi__rdp_packet_fini(packet);
        return ubi__fail_nomem();
    }
    size_t n = ubi__rdp_json_header(header, packet->bytes.n - HEADER_ROOM);
    packet->at = HEADER_ROOM - n;
    memcpy(packet->bytes.at + packet->at, header, n);
    return UBI_OK;
}

void ubi__rdp_packet_fini(ubi__rdp_packet *packet) {
    ubi__vec_u8_fini(&packet->bytes, packet->allocator);
    packet->at = 0;
}

ubi_text ubi__rdp_packet_bytes(const ubi__rdp_packet *packet) {
    return (ubi_text){ (const char *)packet->bytes.at + packet->at, packet->bytes.n - packet->at };
}

/* ---- replies ---------------------------------------------------------------------------------------------------------- */

/* Whether what is replied is wanted. */
static bool call_is_awaited(const ubi__rdp_call *call) {
    return call->actor && !(call->method && call->method->is_one_way);
}

ubi__json *ubi__rdp_reply_begin(ubi__rdp_call *call) {
    UBI_ASSERT(call->connection && !call->is_answered);
    return ubi__rdp_packet_open(&call->connection->packet, call->actor ? call->actor->id : "", call->allocator);
}

/* Sends it, or says that there was no memory for it. */
static ubi_status packet_reply(ubi__rdp_call *call, ubi__rdp_packet *packet, ubi_status status) {
    if (status == UBI_OK && call_is_awaited(call))
        ubi__rdp_packet_send(call->connection, packet);
    else if (status == UBI_OK)
        ubi__rdp_packet_fini(packet);
    else if (call_is_awaited(call))
        ubi__rdp_error_write(call->connection, ubi__text(call->actor->id), "unknownError",
                             ubi__text("out of memory for the reply"));
    call->is_answered = true;
    ubi__rdp_call_settled(call);
    return UBI_OK;
}

ubi_status ubi__rdp_reply_end(ubi__rdp_call *call) {
    ubi__rdp_packet *packet = &call->connection->packet;
    return packet_reply(call, packet, ubi__rdp_packet_close(packet));
}

ubi_status ubi__rdp_reply_empty(ubi__rdp_call *call) {
    (void)ubi__rdp_reply_begin(call);
    return ubi__rdp_reply_end(call);
}

ubi_status ubi__rdp_reply_packet(ubi__rdp_call *call, ubi__rdp_packet *packet) {
    return packet_reply(call, packet, packet->bytes.n ? UBI_OK : UBI_ENOMEM);
}

ubi_status ubi__rdp_reply_file(ubi__rdp_call *call, const char *type, int fd, uint64_t n_bytes) {
    char header[UBI__RDP_HEADER_BYTES + 1];
    ubi__vec_u8 bytes = { 0 };
    size_t n = 0;
    ubi_status status = UBI_OK;
    if (call_is_awaited(call))
        status = ubi__rdp_bulk_header(header, &n, call->actor->id, type, n_bytes);
    if (status == UBI_OK && n)
        status = ubi__bytes_append(&bytes, header, n, call->allocator);
    if (status != UBI_OK || !n) {
        close(fd);
        return status == UBI_OK ? packet_reply(call, NULL, UBI_ENOMEM) : ubi__rdp_reply_error(call, NULL, status);
    }
    const ubi__rdp_output *output = &call->connection->output;
    output->write(output->payload, &bytes, 0);
    output->write_file(output->payload, fd, n_bytes);
    call->is_answered = true;
    ubi__rdp_call_settled(call);
    return UBI_OK;
}

ubi_status ubi__rdp_reply_error(ubi__rdp_call *call, const char *name, ubi_status status) {
    if (!name)
        name = status == UBI_EINVAL ? "TypeError" : "Error";
    if (call_is_awaited(call))
        ubi__rdp_error_write(call->connection, ubi__text(call->actor->id), name, ubi__text(ubi_error_message()));
    call->is_answered = true;
    ubi__rdp_call_settled(call);
    return UBI_OK;
}

ubi_status ubi__rdp_reply_failure(ubi__rdp_call *call, const char *name, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ubi__rdp_reply_error(call, name, ubi__fail(UBI_ESTATE, "%s", message));
}

ubi_status ubi__rdp_defer(ubi__rdp_call *call) {
    call->is_deferred = true;
    return UBI_OK;
}

/* ---- performing ------------------------------------------------------------------------------------------------------- */

static ubi_status request_types_reply(ubi__rdp_call *call) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_array(json, "requestTypes");
    for (const ubi__rdp_method *m = call->actor->type->methods; m && m->type; m++)
        ubi__json_string(json, m->type);
    ubi__json_string(json, "requestTypes");
    ubi__json_array_end(json);
    return ubi__rdp_reply_end(call);
}

/* The type, as JavaScript would put it into a text. */
static ubi_status type_unknown_reply(ubi__rdp_call *call) {
    const ubi_text type = call->type.raw.ptr ? call->type.raw : ubi__text("undefined");
    ubi_status status = ubi__fail(UBI_ENOTFOUND, "Actor %s does not recognize the packet type '%.*s'", call->actor->id,
                                  type.len > 200 ? 200 : (int)type.len, type.ptr);
    return ubi__rdp_reply_error(call, "unrecognizedPacketType", status);
}

void ubi__rdp_call_perform(ubi__rdp_call *call) {
    const char *error_name = NULL;
    ubi__json_cursor c;
    ubi__json_value whole = { .type = UBI__JSON_NULL };
    if (!call->method) {
        bool is_listing = call->type.type == UBI__JSON_STRING && ubi__json_value_is(&call->type, "requestTypes");
        (void)(is_listing ? request_types_reply(call) : type_unknown_reply(call));
        return;
    }
    (void)ubi__json_value_whole(&c, &whole, (ubi_text){ call->text, call->n_bytes });
    ubi_status status = call->method->arguments
                            ? ubi__rdp_fields_read(call->values, call->method->arguments, &whole, &error_name)
                            : UBI_OK;
    if (status == UBI_OK) {
        error_name = NULL;
        status = call->method->perform(call);
    }
    if (status != UBI_OK && !call->is_answered && !call->is_deferred)
        (void)ubi__rdp_reply_error(call, error_name, status);
    UBI_ASSERT(call->is_answered || call->is_deferred);
}
