/* SPDX-License-Identifier: MIT
 *
 * cdp_messages.c: messages of the DevTools protocol, without a connection. See cdp_peer.h.
 */
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_peer.h"

void ubi__cdp_messages_fini(ubi__cdp_messages *m) {
    ubi__vec_u8_fini(&m->message, m->allocator);
    ubi__vec_u8_fini(&m->reply, m->allocator);
    ubi__vec_u8_fini(&m->inner, m->allocator);
}

/* What a message has that counts. */
typedef struct message_parts {
    ubi__json_value id, method, params, session;
    bool has_id, has_method, has_session;
} message_parts;

static const ubi_text no_params = { "{}", 2 };

static ubi_status parts_read(message_parts *out, ubi_text text) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    *out = (message_parts){ .params = { .type = UBI__JSON_OBJECT, .raw = no_params } };
    ubi__json_cursor_open(&c, text, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (ubi__json_value_is(&key, "id")) {
            out->id = value;
            out->has_id = true;
        } else if (ubi__json_value_is(&key, "method") && value.type == UBI__JSON_STRING && !value.has_escapes) {
            out->method = value;
            out->has_method = true;
        } else if (ubi__json_value_is(&key, "sessionId") && value.type == UBI__JSON_STRING) {
            out->session = value;
            out->has_session = true;
        } else if (ubi__json_value_is(&key, "params") && value.type == UBI__JSON_OBJECT) {
            out->params = value;
        }
    }
    return c.fault ? ubi__fail(UBI_EFORMAT, "sent a message that is no JSON object") : UBI_OK;
}

/* The bytes change places: none are copied. */
static void reply_keep(ubi__cdp_messages *m, ubi__vec_u8 *bytes) {
    ubi__vec_u8 reply = *bytes;
    *bytes = m->reply;
    m->reply = reply;
    m->has_reply = true;
    m->awaited = m->carrier = 0;
}

static bool parts_have_id(const message_parts *parts, uint64_t wanted) {
    uint64_t id;
    return parts->has_id && wanted && ubi__json_value_u64(&id, &parts->id) && id == wanted;
}

static ubi_status event_pass(const ubi__cdp_messages *m, const message_parts *parts) {
    return parts->has_method && m->event ? m->event(m->payload, parts->method.raw, parts->params.raw) : UBI_OK;
}

/* A message of the worker thread; one of another is dropped. */
static ubi_status inner_take(ubi__cdp_messages *m, ubi_text params) {
    message_parts parts;
    ubi__json_value session, message;
    ubi_text text;
    if (!ubi__json_object_find(&session, params, "sessionId") || session.type != UBI__JSON_STRING ||
        !ubi__json_value_is(&session, m->session))
        return UBI_OK;
    if (!ubi__json_object_find(&message, params, "message") || message.type != UBI__JSON_STRING)
        return ubi__fail(UBI_EFORMAT, "sent a message of a worker thread without its text");
    UBI_TRY(ubi__json_value_text(&text, &message, &m->inner, m->allocator));
    UBI_TRY(parts_read(&parts, text));
    m->n_answers += parts.has_id;
    if (parts_have_id(&parts, m->awaited)) { /* it has quotes, so that it had escapes */
        reply_keep(m, &m->inner);
        return UBI_OK;
    }
    return event_pass(m, &parts);
}

static ubi_status message_sort(ubi__cdp_messages *m) {
    message_parts parts;
    ubi__json_value error;
    const ubi_text text = m->message.n ? (ubi_text){ (const char *)m->message.at, m->message.n } : ubi__text("");
    UBI_TRY(parts_read(&parts, text));
    m->n_answers += parts.has_id;
    if (m->is_flat && parts.has_session && !ubi__json_value_is(&parts.session, m->session))
        return UBI_OK; /* of another worker */
    bool is_refused = parts_have_id(&parts, m->carrier) && ubi__json_object_find(&error, text, "error");
    if (parts_have_id(&parts, m->awaited) || is_refused) {
        reply_keep(m, &m->message);
        return UBI_OK;
    }
    if (m->session[0] && !m->is_flat && parts.has_method &&
        ubi__text_is(parts.method.raw, "NodeWorker.receivedMessageFromWorker"))
        return inner_take(m, parts.params.raw);
    return event_pass(m, &parts);
}

ubi_status ubi__cdp_messages_take(ubi__cdp_messages *m, const void *bytes, size_t n, bool is_last) {
    if (n > UBI__CDP_MESSAGE_BYTES - m->message.n)
        return ubi__fail(UBI_ELIMIT, "sent a message of more than %zu MiB", UBI__CDP_MESSAGE_BYTES >> 20);
    if (n)
        UBI_TRY(ubi__bytes_append(&m->message, bytes, n, m->allocator));
    if (!is_last)
        return UBI_OK;
    ubi_status status = message_sort(m);
    m->message.n = 0;
    return status;
}

/* The other side's words, as one line. */
static ubi_status refusal_fail(const ubi__cdp_messages *m, const char *method, ubi_text error) {
    char words[400];
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi__json_value value;
    ubi_text text = { "", 0 };
    if (ubi__json_object_find(&value, error, "message") && value.type == UBI__JSON_STRING) {
        ubi_status status = ubi__json_value_text(&text, &value, &scratch, m->allocator);
        if (status != UBI_OK) {
            ubi__vec_u8_fini(&scratch, m->allocator);
            return status;
        }
    }
    snprintf(words, sizeof words, "%.*s", (int)(text.len < sizeof words ? text.len : sizeof words - 1), text.ptr);
    ubi__json_words_line(words);
    ubi__vec_u8_fini(&scratch, m->allocator);
    return ubi__fail(UBI_ESTATE, "refuses %s%s%s", method, words[0] ? ": " : "", words);
}

ubi_status ubi__cdp_messages_result(const ubi__cdp_messages *m, const char *method, ubi_text *result) {
    const ubi_text reply = { (const char *)m->reply.at, m->reply.n };
    ubi__json_value value;
    UBI_ASSERT(m->has_reply);
    if (ubi__json_object_find(&value, reply, "error") && value.type == UBI__JSON_OBJECT)
        return refusal_fail(m, method, value.raw);
    if (!ubi__json_object_find(&value, reply, "result") || value.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EFORMAT, "answered %s without a result", method);
    *result = value.raw;
    return UBI_OK;
}
