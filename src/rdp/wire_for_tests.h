/* SPDX-License-Identifier: MIT
 *
 * wire_for_tests.h: a client of the remote protocol without a socket: the test lets time pass and delivers mail. Who includes it has cmocka.
 */
#ifndef UBI_RDP_WIRE_FOR_TESTS_H
#define UBI_RDP_WIRE_FOR_TESTS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

typedef struct wire_client {
    ubi__rdp_offer *offer;
    ubi__rdp_connection *connection;
    const ubi_allocator *allocator;
    uint64_t now_ms;
    char text[65536]; /* that came, since it was looked at */
    size_t n;
} wire_client;

static inline void wire_write(void *payload, ubi__vec_u8 *bytes, size_t at) {
    wire_client *c = payload;
    assert_true(c->n + (bytes->n - at) < sizeof c->text);
    memcpy(c->text + c->n, bytes->at + at, bytes->n - at);
    c->n += bytes->n - at;
    c->text[c->n] = '\0';
    ubi__vec_u8_fini(bytes, c->allocator);
}

static inline void wire_write_file(void *payload, int fd, uint64_t n_bytes) {
    (void)payload, (void)n_bytes;
    close(fd);
}

static inline void wire_close(void *payload, const char *why) {
    (void)payload, (void)why;
}

/* Of the server. */
static inline void wire_on_navigated(void *payload, ubi__rdp_tab *tab) {
    wire_client *c = payload;
    if (c->connection)
        ubi__rdp_root_tab_navigated(ubi__rdp_root(c->connection), tab);
}

/* What a target was asked to run at its next safe point, to which the test lets it come. The first member of the target's payload. */
typedef struct wire_safe_point {
    ubi_safe_point_fn fn; /* NULL: nothing */
    void *payload;
} wire_safe_point;

static inline ubi_status wire_safe_point_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    wire_safe_point *point = payload;
    assert_null(point->fn);
    *point = (wire_safe_point){ fn, fn_payload };
    return UBI_OK;
}

static inline void wire_safe_point_come(void *payload) {
    wire_safe_point *point = payload;
    ubi_safe_point_fn fn = point->fn;
    point->fn = NULL;
    if (fn)
        fn(point->payload);
}

/* Tabs can be offered from now on. */
static inline void wire_open(wire_client *c) {
    memset(c, 0, sizeof *c);
    assert_int_equal(ubi__rdp_offer_new(&c->offer, NULL), UBI_OK);
    c->offer->on_navigated = wire_on_navigated;
    c->offer->payload = c;
}

static inline void wire_connect(wire_client *c, const ubi_allocator *allocator) {
    const ubi__rdp_output output = { c, wire_write, wire_write_file, wire_close };
    ubi__rdp_connection_options options = {
        .root = &ubi__rdp_root_type, .greet = ubi__rdp_root_greet, .prefix = "p.", .allocator = allocator
    };
    ubi__rdp_session *session = NULL;
    c->allocator = allocator ? allocator : ubi_allocator_default();
    assert_int_equal(ubi__rdp_session_new(&session, c->offer), UBI_OK);
    options.root_payload = session;
    assert_int_equal(ubi__rdp_connection_new(&c->connection, &options, &output, 0), UBI_OK);
}

static inline void wire_leave(wire_client *c) {
    ubi__rdp_connection_free(c->connection);
    c->connection = NULL;
}

/* After targets were removed. */
static inline void wire_end(wire_client *c) {
    if (c->connection)
        wire_leave(c);
    c->offer->on_navigated = NULL;
    ubi__rdp_offer_end(c->offer);
    ubi__rdp_offer_unref(c->offer);
}

/* Members begin with a comma. */
static inline void wire_send(wire_client *c, const char *to, const char *type, const char *members) {
    char json[1024], header[24];
    int n = snprintf(json, sizeof json, "{\"to\":\"%s\",\"type\":\"%s\"%s}", to, type, members);
    ubi__rdp_connection_take(c->connection, (ubi_text){ header, ubi__rdp_json_header(header, (size_t)n) }, c->now_ms);
    ubi__rdp_connection_take(c->connection, (ubi_text){ json, (size_t)n }, c->now_ms);
}

static inline void wire_hear(wire_client *c) {
    ubi__rdp_mailbox_deliver(&c->offer->mailbox);
}

static inline void wire_wait(wire_client *c, uint64_t ms) {
    c->now_ms += ms;
    ubi__rdp_connection_tick(c->connection, c->now_ms);
}

static inline void wire_forget(wire_client *c) {
    c->n = 0;
    c->text[0] = '\0';
}

/* What came since the last look has it; NULL: nothing came. */
static inline void wire_assert_came(wire_client *c, const char *part) {
    if (part && !strstr(c->text, part))
        fail_msg("expected %s in: %s", part, c->text);
    if (!part)
        assert_string_equal(c->text, "");
    wire_forget(c);
}

/* It has them in this order. NULL after the last. */
static inline void wire_assert_came_in_order(wire_client *c, const char *const *parts) {
    const char *at = c->text;
    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);
        if (!found)
            fail_msg("expected %s in: %s", *parts, at);
        at = found + strlen(*parts);
    }
    wire_forget(c);
}

/* The text of a member of what came. */
static inline void wire_take_member(wire_client *c, char out[UBI__RDP_ID_BYTES], const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
    const char *at = strstr(c->text, quoted);
    if (!at)
        fail_msg("expected %s in: %s", name, c->text);
    at += strlen(quoted);
    snprintf(out, UBI__RDP_ID_BYTES, "%.*s", (int)strcspn(at, "\""), at);
}

/* The first tab's descriptor, or the process's. */
static inline void wire_find_descriptor(wire_client *c, char out[UBI__RDP_ID_BYTES], bool is_of_process) {
    wire_forget(c);
    wire_send(c, "root", is_of_process ? "getProcess" : "getTab", is_of_process ? ",\"id\":0" : "");
    wire_take_member(c, out, "actor");
}

/* An actor of its target, by its name in the form. */
static inline void wire_find(wire_client *c, char out[UBI__RDP_ID_BYTES], const char *name, bool is_of_process) {
    char descriptor[UBI__RDP_ID_BYTES];
    wire_find_descriptor(c, descriptor, is_of_process);
    wire_forget(c);
    wire_send(c, descriptor, "getTarget", "");
    wire_take_member(c, out, name);
    wire_forget(c);
}

#endif
