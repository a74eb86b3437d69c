/* SPDX-License-Identifier: MIT
 *
 * console_actor.c: the console, which evaluates nothing yet: what is typed comes back as an error in words.
 */
#include <stdio.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

/* ---- listening ---------------------------------------------------------------------------------------------------------- */

/* Repeats the names that came. */
static ubi_status names_reply(ubi__rdp_call *call, const char *member) {
    const ubi__json_value *names = ubi__rdp_argument(call, 0);
    ubi__json *json = ubi__rdp_reply_begin(call);
    if (names->type == UBI__JSON_ARRAY) {
        ubi__json_member_raw(json, member, names->raw);
    } else {
        ubi__json_member_array(json, member);
        ubi__json_array_end(json);
    }
    return ubi__rdp_reply_end(call);
}

static ubi_status listeners_start(ubi__rdp_call *call) {
    return names_reply(call, "startedListeners");
}

static ubi_status listeners_stop(ubi__rdp_call *call) {
    return names_reply(call, "stoppedListeners");
}

static ubi_status messages_get(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "messages");
}

static ubi_status autocomplete(ubi__rdp_call *call) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_array(json, "matches");
    ubi__json_array_end(json);
    ubi__json_member_string(json, "matchProp", "");
    ubi__json_member_bool(json, "isElementAccess", false);
    return ubi__rdp_reply_end(call);
}

/* ---- evaluating --------------------------------------------------------------------------------------------------------- */

static void undefined_write(ubi__json *json, const char *name) {
    ubi__json_member_object(json, name);
    ubi__json_member_string(json, "type", "undefined");
    ubi__json_object_end(json);
}

static void result_write(ubi__json *json, const char *id, ubi_text input, bool is_eager) {
    uint64_t now_ms = ubi_process_clock_ns() / 1000000;
    ubi__json_member_string(json, "resultID", id);
    ubi__json_member_text(json, "input", input);
    ubi__json_member_bool(json, "hasException", !is_eager);
    if (!is_eager) {
        undefined_write(json, "exception");
        ubi__json_member_string(json, "exceptionMessage", "Error: this console cannot evaluate yet");
    }
    undefined_write(json, "result");
    ubi__json_member_u64(json, "startTime", now_ms);
    ubi__json_member_u64(json, "timestamp", now_ms);
}

/* The event follows the reply: a client knows its id only then. */
static ubi_status evaluate(ubi__rdp_call *call) {
    ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    const ubi_allocator *a = actor->connection->allocator;
    bool is_eager = ubi__rdp_argument_bool(call, 1, false);
    ubi__rdp_packet *event = UBI_NEW(a, ubi__rdp_packet);
    ubi__vec_u8 scratch = { 0 };
    ubi_text input = { "", 0 };
    char id[48];
    if (!event)
        return ubi__fail_nomem();
    snprintf(id, sizeof id, "%llu-0", (unsigned long long)++ubi__rdp_session_of(actor)->last_result);
    ubi__json *json = ubi__rdp_packet_open(event, actor->id, a);
    ubi__json_member_string(json, "type", "evaluationResult");
    ubi_status status = ubi__json_value_text(&input, ubi__rdp_argument(call, 0), &scratch, a);
    result_write(json, id, input, is_eager);
    if (ubi__rdp_packet_close(event) == UBI_OK && status == UBI_OK) {
        ubi__json_member_string(ubi__rdp_reply_begin(call), "resultID", id);
        status = ubi__rdp_reply_end(call);
        ubi__rdp_event_packet(actor, event);
    } else {
        status = ubi__fail_nomem();
    }
    ubi__rdp_packet_fini(event);
    ubi__vec_u8_fini(&scratch, a);
    UBI_DELETE(a, event);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field listeners_arguments[] = {
    { "listeners", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names" },
    UBI__RDP_END,
};
static const ubi__rdp_field started_replies[] = {
    { "startedListeners", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "the names that were given" },
    UBI__RDP_END,
};
static const ubi__rdp_field stopped_replies[] = {
    { "stoppedListeners", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "the names that were given" },
    UBI__RDP_END,
};
static const ubi__rdp_field messages_arguments[] = {
    { "messageTypes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names" },
    UBI__RDP_END,
};
static const ubi__rdp_field messages_replies[] = {
    { "messages", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field autocomplete_arguments[] = {
    { "text", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "what was typed" },
    { "cursor", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "where" },
    UBI__RDP_END,
};
static const ubi__rdp_field autocomplete_replies[] = {
    { "matches", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    { "matchProp", UBI__RDP_STRING, UBI__RDP_REQUIRED, "empty" },
    { "isElementAccess", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "false" },
    UBI__RDP_END,
};
static const ubi__rdp_field evaluate_arguments[] = {
    { "text", UBI__RDP_STRING, UBI__RDP_REQUIRED, "code" },
    { "eager", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "while it is typed: the result is undefined" },
    UBI__RDP_END,
};
static const ubi__rdp_field evaluate_replies[] = {
    { "resultID", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of the event `evaluationResult`" },
    UBI__RDP_END,
};
static const ubi__rdp_field result_fields[] = {
    { "resultID", UBI__RDP_STRING, UBI__RDP_REQUIRED, "as in the reply" },
    { "input", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the code" },
    { "hasException", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "true, unless it was eager" },
    { "exceptionMessage", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "that nothing is evaluated" },
    { "result", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "undefined" },
    { "startTime", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "milliseconds since the process started" },
    { "timestamp", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "the same" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "startListeners", listeners_start, listeners_arguments, started_replies, false, "is accepted", "" },
    { "stopListeners", listeners_stop, listeners_arguments, stopped_replies, false, "is accepted", "" },
    { "getCachedMessages", messages_get, messages_arguments, messages_replies, false, "there are none", "" },
    { "clearMessagesCacheAsync", ubi__rdp_reply_empty, NULL, NULL, false, "there is nothing to clear", "" },
    { "autocomplete", autocomplete, autocomplete_arguments, autocomplete_replies, false, "there are no proposals", "" },
    { "evaluateJSAsync", evaluate, evaluate_arguments, evaluate_replies, false,
      "does not evaluate yet: the result is an error that says so", "Firefox" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "evaluationResult", result_fields, "follows the reply of `evaluateJSAsync`" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_console_type = {
    .name = "console", .help = "the console", .methods = methods, .events = events
};
