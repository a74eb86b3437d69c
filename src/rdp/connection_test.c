/* SPDX-License-Identifier: MIT
 *
 * connection_test.c: requests, replies, events and their order, without a socket and without waiting. Names of tests begin with the
 * protocol's conformance cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "rdp/connection.h"

/* ---- a client ----------------------------------------------------------------------------------------------------------- */

/* What came since the last look. */
typedef struct client {
    ubi__rdp_connection *connection;
    char text[8192];
    size_t n;
    char closed[256];
    uint64_t now_ms;
} client;

static void client_write(void *payload, ubi__vec_u8 *bytes, size_t at) {
    client *c = payload;
    assert_true(c->n + bytes->n - at < sizeof c->text);
    memcpy(c->text + c->n, bytes->at + at, bytes->n - at);
    c->n += bytes->n - at;
    c->text[c->n] = '\0';
    ubi__vec_u8_fini(bytes, ubi_allocator_default());
}

static void client_write_file(void *payload, int fd, uint64_t n_bytes) {
    client *c = payload;
    c->n +=
        (size_t)snprintf(c->text + c->n, sizeof c->text - c->n, "(%llu bytes of a file)", (unsigned long long)n_bytes);
    close(fd);
}

static void client_close(void *payload, const char *why) {
    client *c = payload;
    snprintf(c->closed, sizeof c->closed, "%s", why);
}

static void client_send(client *c, const char *json) {
    char header[24];
    size_t n = ubi__rdp_json_header(header, strlen(json));
    ubi__rdp_connection_take(c->connection, (ubi_text){ header, n }, c->now_ms);
    ubi__rdp_connection_take(c->connection, ubi__text(json), c->now_ms);
}

/* What came is these packets, each with its length before it. */
static void assert_came(client *c, const char *expected) {
    char plain[sizeof c->text];
    size_t n = 0;
    ubi__rdp_packets reader;
    ubi__rdp_piece piece;
    ubi_text input = { c->text, c->n };
    ubi__rdp_packets_init(&reader, 0, NULL);
    for (ubi__rdp_packets_next(&reader, &input, &piece); piece.kind == UBI__RDP_JSON;
         ubi__rdp_packets_next(&reader, &input, &piece))
        n += (size_t)snprintf(plain + n, sizeof plain - n, "%s%.*s", n ? " " : "", (int)piece.bytes.len,
                              piece.bytes.ptr);
    assert_int_equal(piece.kind, UBI__RDP_NO_PIECE);
    plain[n] = '\0';
    assert_string_equal(plain, expected);
    ubi__rdp_packets_fini(&reader);
    c->n = 0;
    c->text[0] = '\0';
}

/* ---- actors to speak to ------------------------------------------------------------------------------------------------- */

static ubi__rdp_call *deferred[4];
static unsigned n_deferred;
static unsigned n_destroyed;

static ubi_status echo(ubi__rdp_call *call) {
    char text[32];
    ubi_status status = ubi__rdp_argument_text(text, sizeof text, call, 0);
    if (status != UBI_OK)
        return status;
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_string(json, "text", text);
    ubi__json_key(json, "count");
    ubi__json_double(json, ubi__rdp_argument_number(call, 1, -1));
    ubi__json_member_bool(json, "loud", ubi__rdp_argument_bool(call, 2, false));
    return ubi__rdp_reply_end(call);
}

static ubi_status slow(ubi__rdp_call *call) {
    deferred[n_deferred++] = call;
    return ubi__rdp_defer(call);
}

static ubi_status silent(ubi__rdp_call *call) {
    return ubi__rdp_reply_empty(call);
}

static ubi_status late_failure(ubi__rdp_call *call) {
    ubi__json_member_u64(ubi__rdp_reply_begin(call), "begun", 1);
    return ubi__fail(UBI_ESTATE, "it broke");
}

static ubi_status modern(ubi__rdp_call *call) {
    ubi__rdp_call_actor(call)->connection->is_modern = true;
    return ubi__rdp_reply_empty(call);
}

static void news_send(ubi__rdp_actor *actor, unsigned number) {
    ubi__json_member_u64(ubi__rdp_event_begin(actor, "news"), "number", number);
    ubi__rdp_event_end(actor);
}

static ubi_status collect(ubi__rdp_call *call) {
    ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    ubi_status status = ubi__rdp_reply_empty(call);
    news_send(actor, 1);
    return status;
}

static ubi_status file_send(ubi__rdp_call *call) {
    return ubi__rdp_reply_file(call, "heap-snapshot", dup(0), 7);
}

static ubi_status release(ubi__rdp_call *call) {
    ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    ubi_status status = ubi__rdp_reply_empty(call);
    ubi__rdp_actor_free(actor);
    return status;
}

static ubi_status child_make(ubi__rdp_call *call);

static const ubi__rdp_field echo_arguments[] = { { "text", UBI__RDP_STRING, UBI__RDP_REQUIRED, "a text" },
                                                 { "count", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "a number" },
                                                 { "loud", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "a truth" },
                                                 { NULL, UBI__RDP_ANY, UBI__RDP_OPTIONAL, NULL } };
static const ubi__rdp_method methods[] = {
    { .type = "echo", .perform = echo, .arguments = echo_arguments },
    { .type = "slow", .perform = slow },
    { .type = "silent", .perform = silent, .is_one_way = true },
    { .type = "lateFailure", .perform = late_failure },
    { .type = "connect", .perform = modern },
    { .type = "collect", .perform = collect },
    { .type = "file", .perform = file_send },
    { .type = "make", .perform = child_make },
    { .type = "release", .perform = release },
    { .type = NULL },
};

static void on_destroy(ubi__rdp_actor *actor) {
    (void)actor;
    n_destroyed++;
}

static unsigned n_alarms;

/* Each rings again after 10 ms, three times. */
static void on_alarm(ubi__rdp_actor *actor) {
    if (++n_alarms % 3)
        ubi__rdp_actor_set_alarm(actor, 10);
    else
        ubi__rdp_actor_free(actor);
}

static const ubi__rdp_actor_type test_type = {
    .name = "thing", .methods = methods, .destroy = on_destroy, .alarm = on_alarm
};

static ubi_status child_make(ubi__rdp_call *call) {
    ubi__rdp_actor *child = NULL;
    ubi_status status = ubi__rdp_actor_new(&child, ubi__rdp_call_actor(call), &test_type, NULL);
    if (status != UBI_OK)
        return status;
    ubi__json_member_string(ubi__rdp_reply_begin(call), "actor", child->id);
    return ubi__rdp_reply_end(call);
}

static int client_begin(void **state) {
    static client c;
    const ubi__rdp_output output = { &c, client_write, client_write_file, client_close };
    const ubi__rdp_connection_options options = { .root = &test_type, .prefix = "server1.conn0." };
    c = (client){ .now_ms = 1000 };
    n_deferred = n_destroyed = 0;
    assert_int_equal(ubi__rdp_connection_new(&c.connection, &options, &output, c.now_ms), UBI_OK);
    assert_came(&c, "{\"from\":\"root\"}");
    *state = &c;
    return 0;
}

static int client_end(void **state) {
    client *c = *state;
    ubi__rdp_connection_free(c->connection);
    return 0;
}

/* ---- requests ----------------------------------------------------------------------------------------------------------- */

static void rdp_4_what_is_not_json_is_dropped(void **state) {
    client *c = *state;
    client_send(c, "{bad}");
    client_send(c, "[1]");
    client_send(c, "{\"to\":\"\xff\"}");
    client_send(c, "");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"a\"}");
    assert_came(c, "{\"from\":\"root\",\"text\":\"a\",\"count\":-1,\"loud\":false}");
}

static void rdp_5_a_wrong_header_closes(void **state) {
    client *c = *state;
    ubi__rdp_connection_take(c->connection, ubi__text("hello:40:{\"to\":\"root\",\"type\":\"requestTypes\"}"), 0);
    assert_came(c, "");
    assert_string_equal(c->closed, "this is not the header of a packet");
}

static void rdp_6_unknown_actors_are_named(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"nope\",\"type\":\"x\"}");
    assert_came(c, "{\"from\":\"nope\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: nope\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing99999999999999999999\",\"type\":\"x\"}");
    assert_came(c,
                "{\"from\":\"server1.conn0.thing99999999999999999999\",\"error\":\"noSuchActor\",\"message\":\"No such "
                "actor for ID: server1.conn0.thing99999999999999999999\"}");
    client_send(c, "{\"to\":\"\\u00e9\\\"\",\"type\":\"x\"}");
    assert_came(
        c, "{\"from\":\"\xc3\xa9\\\"\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: \xc3\xa9\\\"\"}");
}

static void rdp_7_requests_to_no_actor_are_roots(void **state) {
    client *c = *state;
    client_send(c, "{\"type\":\"x\"}");
    assert_came(c, "{\"from\":\"root\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: undefined\"}");
    client_send(c, "{\"to\":null}");
    assert_came(c, "{\"from\":\"root\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: null\"}");
}

static void rdp_8_unknown_types_are_named(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"frobnicate\"}");
    assert_came(
        c, "{\"from\":\"root\",\"error\":\"unrecognizedPacketType\",\"message\":\"Actor root does not recognize the "
           "packet type 'frobnicate'\"}");
    client_send(c, "{\"to\":\"root\"}");
    assert_came(
        c, "{\"from\":\"root\",\"error\":\"unrecognizedPacketType\",\"message\":\"Actor root does not recognize the "
           "packet type 'undefined'\"}");
}

static void rdp_9_every_actor_lists_its_types(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"requestTypes\"}");
    assert_came(
        c, "{\"from\":\"root\",\"requestTypes\":[\"echo\",\"slow\",\"silent\",\"lateFailure\",\"connect\",\"collect\","
           "\"file\",\"make\",\"release\",\"requestTypes\"]}");
}

static void arguments_are_checked_by_the_table(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":null}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":5}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"a\",\"count\":\"5\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"a\\u0000b\"}");
    assert_came(c, "{\"from\":\"root\",\"error\":\"Error\",\"message\":\"undefined passed where a value is required\"} "
                   "{\"from\":\"root\",\"error\":\"Error\",\"message\":\"null passed where a value is required\"} "
                   "{\"from\":\"root\",\"error\":\"badParameterType\",\"message\":\"'text' is not a string\"} "
                   "{\"from\":\"root\",\"error\":\"badParameterType\",\"message\":\"'count' is not a number\"} "
                   "{\"from\":\"root\",\"error\":\"TypeError\",\"message\":\"'text' is too long, or has a NUL\"}");
    client_send(
        c,
        "{\"more\":[{}],\"count\":2.5,\"loud\":true,\"text\":\"x\",\"to\":\"root\",\"type\":\"echo\",\"text\":\"y\"}");
    assert_came(c, "{\"from\":\"root\",\"text\":\"y\",\"count\":2.5,\"loud\":true}");
}

static void a_reply_that_was_begun_gives_way_to_an_error(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"lateFailure\"}");
    assert_came(c, "{\"from\":\"root\",\"error\":\"Error\",\"message\":\"it broke\"}");
}

static void one_way_requests_get_no_reply(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"silent\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"file\"}");
    assert_string_equal(c->text, "bulk root heap-snapshot 7:(7 bytes of a file)");
}

static void bulk_packets_are_refused(void **state) {
    client *c = *state;
    ubi__rdp_connection_take(c->connection, ubi__text("bulk root put 3:abcbulk x put 0:"), 0);
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"\"}");
    assert_came(
        c, "{\"from\":\"root\",\"error\":\"unrecognizedPacketType\",\"message\":\"Actor root does not recognize the "
           "packet type 'put'\"} "
           "{\"from\":\"x\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: x\"} "
           "{\"from\":\"root\",\"text\":\"\",\"count\":-1,\"loud\":false}");
}

/* ---- order -------------------------------------------------------------------------------------------------------------- */

static void rdp_10_replies_come_in_the_order_of_requests(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"make\"}");
    assert_came(c, "{\"from\":\"root\",\"actor\":\"server1.conn0.thing1\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"nope\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"b\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing1\",\"type\":\"echo\",\"text\":\"another actor\"}");
    assert_came(c, "{\"from\":\"server1.conn0.thing1\",\"text\":\"another actor\",\"count\":-1,\"loud\":false}");
    assert_int_equal(n_deferred, 1);
    assert_int_equal(ubi__rdp_reply_empty(deferred[0]), UBI_OK);
    assert_int_equal(n_deferred, 2);
    assert_came(
        c, "{\"from\":\"root\"} {\"from\":\"root\",\"error\":\"unrecognizedPacketType\",\"message\":\"Actor root does "
           "not recognize the packet type 'nope'\"}");
    assert_int_equal(ubi__rdp_reply_failure(deferred[1], "noTab", "no %s", "tab"), UBI_OK);
    assert_came(c, "{\"from\":\"root\",\"error\":\"noTab\",\"message\":\"no tab\"} "
                   "{\"from\":\"root\",\"text\":\"b\",\"count\":-1,\"loud\":false}");
}

static void replies_may_be_written_elsewhere(void **state) {
    client *c = *state;
    ubi__rdp_packet packet;
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    ubi__json_member_u64(ubi__rdp_packet_open(&packet, "root", ubi_allocator_default()), "n", 3);
    assert_int_equal(ubi__rdp_packet_close(&packet), UBI_OK);
    assert_int_equal(ubi__rdp_reply_packet(deferred[0], &packet), UBI_OK);
    assert_came(c, "{\"from\":\"root\",\"n\":3}");
}

static void a_deferred_reply_may_come_after_its_connection(void **state) {
    client *c = *state;
    ubi__rdp_packet packet;
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    ubi__rdp_connection_free(c->connection);
    c->connection = NULL;
    assert_int_equal(n_deferred, 1);
    assert_null(ubi__rdp_call_actor(deferred[0]));
    (void)ubi__rdp_packet_open(&packet, "root", ubi_allocator_default());
    assert_int_equal(ubi__rdp_packet_close(&packet), UBI_OK);
    assert_int_equal(ubi__rdp_reply_packet(deferred[0], &packet), UBI_OK);
    assert_came(c, "");
}

static void what_a_released_actor_owes_is_answered(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"make\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing1\",\"type\":\"make\"}");
    c->n = 0;
    client_send(c, "{\"to\":\"server1.conn0.thing2\",\"type\":\"slow\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing2\",\"type\":\"echo\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing1\",\"type\":\"release\"}");
    assert_int_equal(n_destroyed, 2);
    assert_came(c, "{\"from\":\"server1.conn0.thing1\"} "
                   "{\"from\":\"server1.conn0.thing2\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: "
                   "server1.conn0.thing2\"} "
                   "{\"from\":\"server1.conn0.thing2\",\"error\":\"noSuchActor\",\"message\":\"No such actor for ID: "
                   "server1.conn0.thing2\"}");
    assert_int_equal(ubi__rdp_reply_error(deferred[0], NULL, UBI_ESTATE), UBI_OK);
    assert_came(c, "");
}

static void actors_are_limited(void **state) {
    client *c = *state;
    ubi__rdp_actor *actor = NULL, *first = NULL;
    assert_int_equal(ubi__rdp_actor_new(&first, ubi__rdp_root(c->connection), &test_type, NULL), UBI_OK);
    for (unsigned i = 1; i < UBI__RDP_MOST_ACTORS; i++)
        assert_int_equal(ubi__rdp_actor_new(&actor, first, &test_type, NULL), UBI_OK);
    assert_int_equal(ubi__rdp_actor_new(&actor, first, &test_type, NULL), UBI_ELIMIT);
    assert_ptr_equal(ubi__rdp_actor_find(c->connection, ubi__text(actor->id)), actor);
    ubi__rdp_actor_free(actor);
    assert_int_equal(ubi__rdp_actor_new(&actor, first, &test_type, NULL), UBI_OK);
    ubi__rdp_actor_free(first);
    assert_int_equal(n_destroyed, UBI__RDP_MOST_ACTORS + 1);
    assert_int_equal(c->connection->actors.n, 0);
}

static void no_more_is_read_while_many_requests_wait(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    for (unsigned i = 1; i < UBI__RDP_MOST_WAITING; i++) {
        assert_true(ubi__rdp_connection_wants_bytes(c->connection));
        client_send(c, "{\"to\":\"root\",\"type\":\"silent\"}");
    }
    assert_false(ubi__rdp_connection_wants_bytes(c->connection));
    ubi__rdp_reply_empty(deferred[0]);
    assert_true(ubi__rdp_connection_wants_bytes(c->connection));
    assert_int_equal(c->connection->n_waiting_bytes, 0);
    assert_came(c, "{\"from\":\"root\"}");
}

/* ---- events ------------------------------------------------------------------------------------------------------------- */

static void fox_2_events_wait_until_an_old_client_is_quiet(void **state) {
    client *c = *state;
    ubi__rdp_connection *connection = c->connection;
    client_send(c, "{\"to\":\"root\",\"type\":\"collect\"}");
    assert_came(c, "{\"from\":\"root\"}");
    assert_int_equal(ubi__rdp_connection_due_ms(connection), 1100);
    c->now_ms = 1090;
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"a\"}");
    assert_came(c, "{\"from\":\"root\",\"text\":\"a\",\"count\":-1,\"loud\":false}");
    assert_int_equal(ubi__rdp_connection_due_ms(connection), 1190);
    ubi__rdp_connection_tick(connection, 1189);
    assert_came(c, "");
    ubi__rdp_connection_tick(connection, 1190);
    assert_came(c, "{\"from\":\"root\",\"type\":\"news\",\"number\":1}");
    assert_int_equal(ubi__rdp_connection_due_ms(connection), UINT64_MAX);
    news_send(ubi__rdp_root(connection), 2);
    assert_came(c, "{\"from\":\"root\",\"type\":\"news\",\"number\":2}");
}

static void events_follow_the_reply_at_once_for_a_modern_client(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"connect\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"collect\"}");
    assert_came(c, "{\"from\":\"root\"} {\"from\":\"root\"} {\"from\":\"root\",\"type\":\"news\",\"number\":1}");
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    news_send(ubi__rdp_root(c->connection), 2);
    ubi__rdp_connection_tick(c->connection, 5000);
    assert_came(c, "");
    assert_int_equal(ubi__rdp_connection_due_ms(c->connection), UINT64_MAX);
    ubi__rdp_reply_empty(deferred[0]);
    assert_came(c, "{\"from\":\"root\"} {\"from\":\"root\",\"type\":\"news\",\"number\":2}");
}

static void of_events_that_wait_the_newest_are_kept(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"slow\"}");
    for (unsigned i = 1; i <= UBI__RDP_MOST_HELD + 5; i++)
        news_send(ubi__rdp_root(c->connection), i);
    assert_int_equal(ubi__rdp_root(c->connection)->n_events, UBI__RDP_MOST_HELD);
    ubi__rdp_reply_empty(deferred[0]);
    ubi__rdp_connection_tick(c->connection, 2000);
    assert_non_null(strstr(c->text, "\"number\":37}"));
    assert_non_null(strstr(c->text, "\"number\":6}"));
    assert_null(strstr(c->text, "\"number\":5}"));
}

static void a_client_that_does_not_read_loses_events(void **state) {
    client *c = *state;
    c->connection->is_congested = true;
    news_send(ubi__rdp_root(c->connection), 1);
    assert_came(c, "");
    assert_false(ubi__rdp_connection_wants_bytes(c->connection));
    c->connection->is_congested = false;
    news_send(ubi__rdp_root(c->connection), 2);
    assert_came(c, "{\"from\":\"root\",\"type\":\"news\",\"number\":2}");
}

static void requests_wait_for_a_client_that_does_not_read(void **state) {
    client *c = *state;
    client_send(c, "{\"to\":\"root\",\"type\":\"make\"}");
    c->n = 0;
    c->connection->is_busy = true;
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"a\"}");
    client_send(c, "{\"to\":\"server1.conn0.thing1\",\"type\":\"release\"}");
    client_send(c, "{\"to\":\"root\",\"type\":\"echo\",\"text\":\"b\"}");
    assert_came(c, "");
    ubi__rdp_connection_resume(c->connection);
    assert_came(c, "");
    c->connection->is_busy = false;
    ubi__rdp_connection_resume(c->connection);
    assert_came(c, "{\"from\":\"server1.conn0.thing1\"} {\"from\":\"root\",\"text\":\"a\",\"count\":-1,\"loud\":false} "
                   "{\"from\":\"root\",\"text\":\"b\",\"count\":-1,\"loud\":false}");
}

static void alarms_ring_once_when_they_are_due(void **state) {
    client *c = *state;
    ubi__rdp_actor *a = NULL, *b = NULL;
    n_alarms = 0;
    assert_int_equal(ubi__rdp_actor_new(&a, ubi__rdp_root(c->connection), &test_type, NULL), UBI_OK);
    assert_int_equal(ubi__rdp_actor_new(&b, ubi__rdp_root(c->connection), &test_type, NULL), UBI_OK);
    ubi__rdp_actor_set_alarm(a, 50);
    ubi__rdp_actor_set_alarm(b, 30);
    ubi__rdp_actor_set_alarm(a, 20);
    assert_int_equal(ubi__rdp_connection_due_ms(c->connection), 1020);
    ubi__rdp_connection_tick(c->connection, 1019);
    assert_int_equal(n_alarms, 0);
    ubi__rdp_connection_tick(c->connection, 1020);
    assert_int_equal(n_alarms, 1);
    assert_int_equal(ubi__rdp_connection_due_ms(c->connection), 1030);
    ubi__rdp_actor_set_alarm(b, UINT64_MAX);
    ubi__rdp_connection_tick(c->connection, 1040);
    ubi__rdp_connection_tick(c->connection, 1050);
    assert_int_equal(n_alarms, 3);
    assert_int_equal(n_destroyed, 1);
    assert_int_equal(ubi__rdp_connection_due_ms(c->connection), UINT64_MAX);
    ubi__rdp_actor_set_alarm(b, UINT64_MAX - 1);
    assert_int_equal(ubi__rdp_connection_due_ms(c->connection), UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, client_begin, client_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(rdp_4_what_is_not_json_is_dropped),
        TEST(rdp_5_a_wrong_header_closes),
        TEST(rdp_6_unknown_actors_are_named),
        TEST(rdp_7_requests_to_no_actor_are_roots),
        TEST(rdp_8_unknown_types_are_named),
        TEST(rdp_9_every_actor_lists_its_types),
        TEST(arguments_are_checked_by_the_table),
        TEST(a_reply_that_was_begun_gives_way_to_an_error),
        TEST(one_way_requests_get_no_reply),
        TEST(bulk_packets_are_refused),
        TEST(rdp_10_replies_come_in_the_order_of_requests),
        TEST(replies_may_be_written_elsewhere),
        TEST(a_deferred_reply_may_come_after_its_connection),
        TEST(what_a_released_actor_owes_is_answered),
        TEST(actors_are_limited),
        TEST(no_more_is_read_while_many_requests_wait),
        TEST(fox_2_events_wait_until_an_old_client_is_quiet),
        TEST(events_follow_the_reply_at_once_for_a_modern_client),
        TEST(of_events_that_wait_the_newest_are_kept),
        TEST(a_client_that_does_not_read_loses_events),
        TEST(requests_wait_for_a_client_that_does_not_read),
        TEST(alarms_ring_once_when_they_are_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
