/* SPDX-License-Identifier: MIT
 *
 * connection.c: see connection.h.
 */
#include "rdp/connection.h"

#include <stdio.h>

#include "base/text.h"

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

void ubi__rdp_connection_end(ubi__rdp_connection *connection, const char *why) {
    if (connection->is_ended)
        return;
    connection->is_ended = true;
    connection->output.close(connection->output.payload, why);
}

static void bytes_send(ubi__rdp_connection *c, ubi__vec_u8 *bytes, size_t at) {
    if (c->is_ended)
        ubi__vec_u8_fini(bytes, c->allocator);
    else
        c->output.write(c->output.payload, bytes, at);
    *bytes = (ubi__vec_u8){ 0 };
}

void ubi__rdp_packet_send(ubi__rdp_connection *connection, ubi__rdp_packet *packet) {
    bytes_send(connection, &packet->bytes, packet->at);
}

void ubi__rdp_error_write(ubi__rdp_connection *connection, ubi_text from, const char *name, ubi_text message) {
    ubi__rdp_packet *packet = &connection->packet;
    if (connection->is_ended)
        return;
    ubi__vec_u8_fini(&packet->bytes, connection->allocator); /* a reply that was begun */
    ubi__json *json = ubi__rdp_packet_open(packet, NULL, connection->allocator);
    ubi__json_member_text(json, "from", from);
    ubi__json_member_string(json, "error", name);
    ubi__json_member_text(json, "message", message);
    if (ubi__rdp_packet_close(packet) == UBI_OK)
        ubi__rdp_packet_send(connection, packet);
    else
        ubi__rdp_connection_end(connection, "out of memory");
}

void ubi__rdp_no_actor_write(ubi__rdp_connection *connection, ubi_text from, ubi_text id) {
    static const char words[] = "No such actor for ID: ";
    ubi__vec_u8 message = { 0 };
    const ubi_allocator *a = connection->allocator;
    if (ubi__bytes_append(&message, words, sizeof words - 1, a) == UBI_OK &&
        ubi__bytes_append(&message, id.ptr, id.len, a) == UBI_OK)
        ubi__rdp_error_write(connection, from, "noSuchActor", (ubi_text){ (const char *)message.at, message.n });
    else
        ubi__rdp_connection_end(connection, "out of memory");
    ubi__vec_u8_fini(&message, a);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

void ubi__rdp_call_free(ubi__rdp_call *call) {
    ubi__free_array(call->allocator, call, 1, sizeof *call + call->n_bytes);
}

/* Takes the first one out. */
static void actor_shift_call(ubi__rdp_actor *actor) {
    ubi__rdp_call *call = actor->calls;
    actor->connection->n_waiting--;
    actor->connection->n_waiting_bytes -= call->n_bytes;
    actor->calls = call->next;
    ubi__rdp_call_free(call);
}

static void actor_release_events(ubi__rdp_actor *actor);

static bool connection_is_held_up(const ubi__rdp_connection *c) {
    return c->is_congested || c->is_busy;
}

void ubi__rdp_actor_unstall(ubi__rdp_actor *actor) {
    if (!actor->stalled_place)
        return;
    *actor->stalled_place = actor->next_stalled;
    if (actor->next_stalled)
        actor->next_stalled->stalled_place = actor->stalled_place;
    actor->stalled_place = NULL;
}

static void actor_stall(ubi__rdp_actor *actor) {
    ubi__rdp_connection *c = actor->connection;
    if (actor->stalled_place)
        return;
    actor->next_stalled = c->stalled;
    actor->stalled_place = &c->stalled;
    if (c->stalled)
        c->stalled->stalled_place = &actor->next_stalled;
    c->stalled = actor;
}

void ubi__rdp_connection_resume(ubi__rdp_connection *connection) {
    while (connection->stalled && !connection_is_held_up(connection)) {
        ubi__rdp_actor *actor = connection->stalled;
        ubi__rdp_actor_unstall(actor);
        ubi__rdp_actor_serve(actor);
    }
}

void ubi__rdp_actor_serve(ubi__rdp_actor *actor) {
    while (actor->calls && !actor->calls->is_begun) {
        if (connection_is_held_up(actor->connection)) {
            actor_stall(actor);
            return;
        }
        ubi__rdp_call *call = actor->calls;
        call->is_begun = true;
        call->is_performing = true;
        ubi__rdp_call_perform(call);
        call->is_performing = false;
        if (!call->is_answered)
            return;
        if (!call->actor) { /* it freed itself */
            ubi__rdp_call_free(call);
            return;
        }
        actor_shift_call(actor);
    }
    if (!actor->calls && actor->connection->is_modern)
        actor_release_events(actor);
}

void ubi__rdp_call_settled(ubi__rdp_call *call) {
    ubi__rdp_actor *actor = call->actor;
    if (call->is_performing) /* who performs it frees it */
        return;
    if (!actor) {
        ubi__rdp_call_free(call);
        return;
    }
    actor_shift_call(actor);
    ubi__rdp_actor_serve(actor);
}

static const ubi__rdp_method *method_find(const ubi__rdp_actor_type *type, const ubi__json_value *name) {
    if (name->type != UBI__JSON_STRING)
        return NULL;
    for (const ubi__rdp_method *m = type->methods; m && m->type; m++)
        if (ubi__json_value_is(name, m->type))
            return m;
    return NULL;
}

/* The same value in a copy of its text. */
static ubi__json_value value_moved(ubi__json_value value, const char *from, const char *to) {
    if (value.raw.ptr)
        value.raw.ptr = to + (value.raw.ptr - from);
    return value;
}

static ubi_status call_append(ubi__rdp_actor *actor, ubi_text text, const ubi__json_value *type) {
    ubi__rdp_connection *c = actor->connection;
    ubi__rdp_call *call = ubi__calloc_array(c->allocator, 1, sizeof *call + text.len), **end = &actor->calls;
    if (!call)
        return ubi__fail_nomem();
    call->allocator = c->allocator;
    call->connection = c;
    call->actor = actor;
    call->method = method_find(actor->type, type);
    call->n_bytes = text.len;
    memcpy(call->text, text.ptr, text.len);
    call->type = value_moved(*type, text.ptr, call->text);
    while (*end)
        end = &(*end)->next;
    *end = call;
    c->n_waiting++;
    c->n_waiting_bytes += text.len;
    return UBI_OK;
}

/* ---- dispatch --------------------------------------------------------------------------------------------------------- */

enum { TO, TYPE };
static const ubi__rdp_field request_fields[] = { { "to", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "the actor" },
                                                 { "type", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "the method" },
                                                 { NULL, UBI__RDP_ANY, UBI__RDP_OPTIONAL, NULL } };

/* An id as it came: what is not a string, as JavaScript would put it into a text. */
static ubi_status id_read(ubi_text *out, ubi__rdp_connection *c, const ubi__json_value *to) {
    *out = to->raw.ptr ? to->raw : ubi__text("undefined");
    return to->type == UBI__JSON_STRING ? ubi__json_value_text(out, to, &c->scratch, c->allocator) : UBI_OK;
}

static ubi_status request_take(ubi__rdp_connection *c, ubi_text text, const ubi__json_value *request) {
    ubi__json_value values[2];
    const char *error_name = NULL;
    ubi_text id;
    UBI_TRY(ubi__rdp_fields_read(values, request_fields, request, &error_name));
    UBI_TRY(id_read(&id, c, &values[TO]));
    ubi__rdp_actor *actor = values[TO].type == UBI__JSON_STRING ? ubi__rdp_actor_find(c, id) : NULL;
    if (!actor) {
        ubi__rdp_no_actor_write(c, values[TO].type == UBI__JSON_NULL ? ubi__text("root") : id, id);
        return UBI_OK;
    }
    actor->asked_ms = c->now_ms;
    actor->was_asked = true;
    UBI_TRY(call_append(actor, text, &values[TYPE]));
    if (actor->type->hurry)
        actor->type->hurry(actor, method_find(actor->type, &values[TYPE]));
    ubi__rdp_actor_serve(actor);
    return UBI_OK;
}

/* What is not an object in JSON, and in UTF-8, is dropped, as Firefox does: parts of it may be repeated to the client. */
static ubi_status json_take(ubi__rdp_connection *c, ubi_text text) {
    ubi__json_cursor cursor;
    ubi__json_value whole;
    if (ubi__utf8_valid_prefix(text) != text.len || !ubi__json_value_whole(&cursor, &whole, text) ||
        whole.type != UBI__JSON_OBJECT)
        return UBI_OK;
    return request_take(c, text, &whole);
}

/* No actor of ours takes bulk packets; their bytes are dropped as they come. */
static void bulk_refuse(ubi__rdp_connection *c, const ubi__rdp_piece *piece) {
    char message[512];
    if (!ubi__rdp_actor_find(c, piece->actor)) {
        ubi__rdp_no_actor_write(c, piece->actor, piece->actor);
        return;
    }
    snprintf(message, sizeof message, "Actor %.*s does not recognize the packet type '%.*s'", (int)piece->actor.len,
             piece->actor.ptr, (int)piece->type.len, piece->type.ptr);
    ubi__rdp_error_write(c, piece->actor, "unrecognizedPacketType", ubi__text(message));
}

static void piece_take(ubi__rdp_connection *c, const ubi__rdp_piece *piece) {
    if (piece->kind == UBI__RDP_FATAL || (piece->kind == UBI__RDP_JSON && json_take(c, piece->bytes) != UBI_OK))
        ubi__rdp_connection_end(c, ubi_error_message());
    if (piece->kind == UBI__RDP_BULK_BEGIN)
        bulk_refuse(c, piece);
}

void ubi__rdp_connection_take(ubi__rdp_connection *connection, ubi_text bytes, uint64_t now_ms) {
    ubi__rdp_piece piece;
    connection->now_ms = now_ms;
    do {
        if (connection->is_ended)
            return;
        ubi__rdp_packets_next(&connection->packets, &bytes, &piece);
        piece_take(connection, &piece);
    } while (piece.kind != UBI__RDP_NO_PIECE);
}

bool ubi__rdp_connection_wants_bytes(const ubi__rdp_connection *connection) {
    return !connection_is_held_up(connection) && connection->n_waiting < UBI__RDP_MOST_WAITING &&
           connection->n_waiting_bytes < UBI__RDP_MOST_WAITING_BYTES;
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

static void actor_shift_event(ubi__rdp_actor *actor) {
    ubi__rdp_held_event *event = actor->events;
    actor->events = event->next;
    actor->n_events--;
    ubi__vec_u8_fini(&event->bytes, actor->connection->allocator);
    UBI_DELETE(actor->connection->allocator, event);
    if (actor->events)
        return;
    *actor->held_place = actor->next_held;
    if (actor->next_held)
        actor->next_held->held_place = actor->held_place;
}

void ubi__rdp_actor_drop_events(ubi__rdp_actor *actor) {
    while (actor->events)
        actor_shift_event(actor);
}

static void actor_release_events(ubi__rdp_actor *actor) {
    while (actor->events) {
        bytes_send(actor->connection, &actor->events->bytes, actor->events->at);
        actor_shift_event(actor);
    }
}

/* When its events may be sent; UINT64_MAX: after its reply. */
static uint64_t actor_quiet_ms(const ubi__rdp_actor *actor) {
    if (actor->calls)
        return UINT64_MAX;
    return actor->connection->is_modern || !actor->was_asked ? 0 : actor->asked_ms + UBI__RDP_QUIET_MS;
}

/* False: there is no memory for it. */
static bool event_hold(ubi__rdp_actor *actor, ubi__rdp_packet *packet) {
    ubi__rdp_connection *c = actor->connection;
    ubi__rdp_held_event *event = UBI_NEW(c->allocator, ubi__rdp_held_event), **end = &actor->events;
    if (!event)
        return false;
    event->bytes = packet->bytes;
    event->at = packet->at;
    packet->bytes = (ubi__vec_u8){ 0 };
    if (!actor->events) {
        actor->next_held = c->held;
        actor->held_place = &c->held;
        if (c->held)
            c->held->held_place = &actor->next_held;
        c->held = actor;
    }
    while (*end)
        end = &(*end)->next;
    *end = event;
    if (++actor->n_events > UBI__RDP_MOST_HELD)
        actor_shift_event(actor);
    return true;
}

void ubi__rdp_event_packet(ubi__rdp_actor *actor, ubi__rdp_packet *packet) {
    ubi__rdp_connection *c = actor->connection;
    if (packet->bytes.n && !c->is_congested && !c->is_ended) {
        if (!actor->events && actor_quiet_ms(actor) <= c->now_ms)
            ubi__rdp_packet_send(c, packet);
        else
            (void)event_hold(actor, packet);
    }
    ubi__rdp_packet_fini(packet);
}

ubi__json *ubi__rdp_event_begin(ubi__rdp_actor *actor, const char *type) {
    ubi__json *json = ubi__rdp_packet_open(&actor->connection->packet, actor->id, actor->connection->allocator);
    ubi__json_member_string(json, "type", type);
    return json;
}

/* An event for which there is no memory is lost. */
void ubi__rdp_event_end(ubi__rdp_actor *actor) {
    ubi__rdp_packet *packet = &actor->connection->packet;
    if (ubi__rdp_packet_close(packet) == UBI_OK)
        ubi__rdp_event_packet(actor, packet);
}

/* ---- time ------------------------------------------------------------------------------------------------------------- */

void ubi__rdp_actor_set_alarm(ubi__rdp_actor *actor, uint64_t after_ms) {
    ubi__rdp_connection *c = actor->connection;
    if (actor->alarm_place) {
        *actor->alarm_place = actor->next_alarm;
        if (actor->next_alarm)
            actor->next_alarm->alarm_place = actor->alarm_place;
        actor->alarm_place = NULL;
    }
    if (after_ms == UINT64_MAX)
        return;
    after_ms = after_ms ? after_ms : 1; /* later than now */
    actor->alarm_ms = after_ms > UINT64_MAX - c->now_ms ? UINT64_MAX : c->now_ms + after_ms;
    actor->next_alarm = c->alarms;
    actor->alarm_place = &c->alarms;
    if (c->alarms)
        c->alarms->alarm_place = &actor->next_alarm;
    c->alarms = actor;
}

/* An alarm may free actors: after each, the list is looked at from its beginning. Those that are set again are later than now. */
static void alarms_call(ubi__rdp_connection *c) {
    ubi__rdp_actor *actor = c->alarms;
    while (actor) {
        if (actor->alarm_ms > c->now_ms) {
            actor = actor->next_alarm;
            continue;
        }
        ubi__rdp_actor_set_alarm(actor, UINT64_MAX);
        actor->type->alarm(actor);
        actor = c->alarms;
    }
}

void ubi__rdp_connection_tick(ubi__rdp_connection *connection, uint64_t now_ms) {
    connection->now_ms = now_ms;
    for (ubi__rdp_actor *actor = connection->held, *next; actor; actor = next) {
        next = actor->next_held;
        if (actor_quiet_ms(actor) <= now_ms)
            actor_release_events(actor);
    }
    alarms_call(connection);
}

uint64_t ubi__rdp_connection_due_ms(const ubi__rdp_connection *connection) {
    uint64_t due_ms = UINT64_MAX;
    for (const ubi__rdp_actor *actor = connection->held; actor; actor = actor->next_held) {
        uint64_t quiet_ms = actor_quiet_ms(actor);
        due_ms = quiet_ms < due_ms ? quiet_ms : due_ms;
    }
    for (const ubi__rdp_actor *actor = connection->alarms; actor; actor = actor->next_alarm)
        due_ms = actor->alarm_ms < due_ms ? actor->alarm_ms : due_ms;
    return due_ms;
}

/* ---- a connection ----------------------------------------------------------------------------------------------------- */

static ubi_status greeting_write(ubi__rdp_connection *c, void (*greet)(ubi__json *json)) {
    ubi__json *json = ubi__rdp_packet_open(&c->packet, c->root->id, c->allocator);
    if (greet)
        greet(json);
    UBI_TRY(ubi__rdp_packet_close(&c->packet));
    ubi__rdp_packet_send(c, &c->packet);
    return UBI_OK;
}

ubi_status ubi__rdp_connection_new(ubi__rdp_connection **out, const ubi__rdp_connection_options *options,
                                   const ubi__rdp_output *output, uint64_t now_ms) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi__rdp_connection *c = UBI_NEW(a, ubi__rdp_connection);
    if (!c)
        return ubi__fail_nomem();
    c->allocator = a;
    c->output = *output;
    c->now_ms = now_ms;
    snprintf(c->prefix, sizeof c->prefix, "%s", options->prefix);
    ubi__rdp_packets_init(&c->packets, options->most_json_bytes, a);
    ubi_status status = ubi__rdp_root_new(c, options->root, options->root_payload);
    if (status == UBI_OK)
        status = greeting_write(c, options->greet);
    if (status == UBI_OK) {
        *out = c;
        return UBI_OK;
    }
    if (c->root)
        UBI_DELETE(a, c->root);
    UBI_DELETE(a, c);
    return status;
}

void ubi__rdp_connection_free(ubi__rdp_connection *connection) {
    if (!connection)
        return;
    connection->is_ended = true;
    ubi__rdp_actors_fini(connection);
    ubi__rdp_packets_fini(&connection->packets);
    ubi__vec_u8_fini(&connection->scratch, connection->allocator);
    UBI_DELETE(connection->allocator, connection);
}
