/* SPDX-License-Identifier: MIT
 *
 * memory_rounds_test.c: collections and sizes of several runtimes: each comes to its safe point when the test lets it, and time is the
 * test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "fail_allocator.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"
#include "rdp/memory_rounds.h"

enum { PROGRAMS = 3 };

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

typedef struct program {
    ubi_safe_point_fn fn; /* for its next safe point; NULL: none */
    void *payload;
    unsigned n_collections, n_cycles;
    uint64_t n_bytes;
} program;

static ubi_status program_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    program *p = payload;
    assert_null(p->fn);
    p->fn = fn;
    p->payload = fn_payload;
    return UBI_OK;
}

static ubi_status program_collect(void *payload) {
    ((program *)payload)->n_collections++;
    return UBI_OK;
}

static ubi_status program_collect_cycles(void *payload) {
    ((program *)payload)->n_cycles++;
    return UBI_OK;
}

static ubi_status program_measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi_measure_row row = { { "unattributedSize", 16 }, ((program *)payload)->n_bytes, true };
    fn(fn_payload, &row);
    return UBI_OK;
}

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities = UBI_TARGET_SAFE_POINT | UBI_TARGET_COLLECT_GARBAGE |
                                                    UBI_TARGET_COLLECT_CYCLES | UBI_TARGET_MEASURE,
                                    .collect_garbage = program_collect,
                                    .collect_cycles = program_collect_cycles,
                                    .measure = program_measure,
                                    .run_at_safe_point = program_ask };

/* One that can do nothing. */
static const ubi_target_ops poor_ops = { .version = UBI_TARGET_OPS_VERSION,
                                         .kind = "poor",
                                         .capabilities = UBI_TARGET_SAFE_POINT,
                                         .run_at_safe_point = program_ask };

static ubi_target target_of(const ubi_target_ops *target_ops, program *p) {
    return (ubi_target){ target_ops, p };
}

static void program_come(program *p) {
    ubi_safe_point_fn fn = p->fn;
    p->fn = NULL;
    if (fn)
        fn(p->payload);
}

/* ---- a client ----------------------------------------------------------------------------------------------------------- */

typedef struct client {
    program programs[PROGRAMS];
    const ubi_target_ops *ops[PROGRAMS]; /* NULL: it has gone */
    ubi__rdp_offer *offer;
    ubi__rdp_connection *connection;
    const ubi_allocator *allocator;
    uint64_t now_ms;
    char text[8192]; /* that came, since it was looked at */
    size_t n;
} client;

static void client_write(void *payload, ubi__vec_u8 *bytes, size_t at) {
    client *c = payload;
    assert_true(c->n + (bytes->n - at) < sizeof c->text);
    memcpy(c->text + c->n, bytes->at + at, bytes->n - at);
    c->n += bytes->n - at;
    c->text[c->n] = '\0';
    ubi__vec_u8_fini(bytes, c->allocator);
}

static void client_write_file(void *payload, int fd, uint64_t n_bytes) {
    (void)payload, (void)n_bytes;
    close(fd);
}

static void client_close(void *payload, const char *why) {
    (void)payload, (void)why;
}

static void client_offer(client *c, unsigned i, const ubi_target_ops *target_ops) {
    const ubi__rdp_tab_options tab = { .title = "drawn" };
    c->ops[i] = target_ops;
    c->programs[i].n_bytes = 1000u << (4 * i);
    assert_int_equal(ubi__rdp_offer_add(c->offer, target_of(target_ops, &c->programs[i]), &tab), UBI_OK);
}

static ubi_status client_connect(client *c, const ubi_allocator *allocator) {
    const ubi__rdp_output output = { c, client_write, client_write_file, client_close };
    ubi__rdp_connection_options options = {
        .root = &ubi__rdp_root_type, .greet = ubi__rdp_root_greet, .prefix = "p.", .allocator = allocator
    };
    ubi__rdp_session *session = NULL;
    c->allocator = allocator ? allocator : ubi_allocator_default();
    assert_int_equal(ubi__rdp_session_new(&session, c->offer), UBI_OK);
    options.root_payload = session;
    ubi_status status = ubi__rdp_connection_new(&c->connection, &options, &output, 0);
    if (status != UBI_OK)
        ubi__rdp_session_free(session);
    return status;
}

/* With `n` programs. */
static void client_open(client *c, unsigned n) {
    memset(c, 0, sizeof *c);
    assert_int_equal(ubi__rdp_offer_new(&c->offer, NULL), UBI_OK);
    for (unsigned i = 0; i < n; i++)
        client_offer(c, i, &ops);
    assert_int_equal(client_connect(c, NULL), UBI_OK);
}

static void client_leave(client *c) {
    ubi__rdp_connection_free(c->connection);
    c->connection = NULL;
}

static void program_go(client *c, unsigned i) {
    if (c->ops[i])
        assert_int_equal(ubi__rdp_offer_remove(c->offer, target_of(c->ops[i], &c->programs[i])), UBI_OK);
    c->ops[i] = NULL;
    program_come(&c->programs[i]); /* an engine may perform late what it was asked for */
}

static void client_end(client *c) {
    if (c->connection)
        client_leave(c);
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_go(c, i);
    ubi__rdp_offer_end(c->offer);
    ubi__rdp_offer_unref(c->offer);
}

static void client_send(client *c, const char *to, const char *type, const char *members) {
    char json[256], header[24];
    int n = snprintf(json, sizeof json, "{\"to\":\"%s\",\"type\":\"%s\"%s}", to, type, members);
    ubi__rdp_connection_take(c->connection, (ubi_text){ header, ubi__rdp_json_header(header, (size_t)n) }, c->now_ms);
    ubi__rdp_connection_take(c->connection, (ubi_text){ json, (size_t)n }, c->now_ms);
}

static void client_hear(client *c) {
    ubi__rdp_mailbox_deliver(&c->offer->mailbox);
}

static void program_come_and_say(client *c, unsigned i) {
    program_come(&c->programs[i]);
    client_hear(c);
}

static void time_pass(client *c, uint64_t ms) {
    c->now_ms += ms;
    ubi__rdp_connection_tick(c->connection, c->now_ms);
}

/* What came since the last look has it, or nothing came with NULL. */
static void assert_came(client *c, const char *part) {
    if (part && !strstr(c->text, part))
        fail_msg("expected %s in: %s", part, c->text);
    if (!part)
        assert_string_equal(c->text, "");
    c->n = 0;
    c->text[0] = '\0';
}

/* The text of a member of what came, which is looked at. */
static void member_take(client *c, char out[UBI__RDP_ID_BYTES], const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
    const char *at = strstr(c->text, quoted);
    if (!at)
        fail_msg("expected %s in: %s", name, c->text);
    at += strlen(quoted);
    snprintf(out, UBI__RDP_ID_BYTES, "%.*s", (int)strcspn(at, "\""), at);
    assert_came(c, name);
}

/* The memory actor of the first tab, or of the process. */
static void memory_find(client *c, char memory[UBI__RDP_ID_BYTES], bool is_of_process) {
    char descriptor[UBI__RDP_ID_BYTES];
    assert_came(c, "");
    client_send(c, "root", is_of_process ? "getProcess" : "getTab", is_of_process ? ",\"id\":0" : "");
    member_take(c, descriptor, "actor");
    client_send(c, descriptor, "getTarget", "");
    member_take(c, memory, "memoryActor");
}

/* ---- collections -------------------------------------------------------------------------------------------------------- */

static void a_collection_is_answered_when_all_have_done_it(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    client_send(&c, memory, "getState", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 2);
    assert_came(&c, NULL);
    program_come_and_say(&c, 1);
    assert_came(&c, "\"state\":\"detached\""); /* the second reply, after the first */
    for (unsigned i = 0; i < PROGRAMS; i++)
        assert_int_equal(c.programs[i].n_collections, 1);
    client_send(&c, memory, "forceCycleCollection", "");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    assert_came(&c, memory);
    for (unsigned i = 0; i < PROGRAMS; i++)
        assert_int_equal(c.programs[i].n_cycles, 1);
    client_end(&c);
}

static void a_runtime_that_does_not_come_is_not_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    time_pass(&c, UBI__RDP_PATIENCE_MS - 1);
    assert_came(&c, NULL);
    time_pass(&c, 1);
    assert_came(&c, memory);
    program_come_and_say(&c, 2); /* late, and without a reply */
    assert_int_equal(c.programs[2].n_collections, 1);
    assert_came(&c, NULL);
    client_end(&c);
}

static void the_actors_own_runtime_is_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 2);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    time_pass(&c, 10 * UBI__RDP_PATIENCE_MS);
    assert_came(&c, NULL);
    program_come_and_say(&c, 0); /* patience is over already */
    assert_came(&c, memory);
    assert_int_equal(c.programs[1].n_collections, 0);
    client_end(&c);
}

static void runtimes_that_go_are_not_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    program_go(&c, 2);
    client_hear(&c);
    assert_came(&c, memory);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    program_go(&c, 0);
    client_hear(&c);
    assert_came(&c, "the program drawn has ended");
    client_end(&c);
}

static void what_only_others_cannot_do_is_no_error(void **state) {
    client c;
    (void)state;
    client_open(&c, 1);
    client_offer(&c, 1, &poor_ops);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    program_come_and_say(&c, 0);
    assert_null(strstr(c.text, "error"));
    assert_came(&c, memory);
    program_go(&c, 0);
    ubi__rdp_root_tabs_changed(ubi__rdp_root(c.connection));
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    assert_came(&c, "cannot collect garbage");
    client_end(&c);
}

static void one_runtime_with_two_tabs_collects_once(void **state) {
    const ubi__rdp_tab_options again = { .title = "a part of it" };
    client c;
    (void)state;
    client_open(&c, 2);
    assert_int_equal(ubi__rdp_offer_add(c.offer, target_of(&ops, &c.programs[1]), &again), UBI_OK);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    assert_came(&c, memory);
    assert_int_equal(c.programs[1].n_collections, 1);
    assert_int_equal(ubi__rdp_offer_remove(c.offer, target_of(&ops, &c.programs[1])), UBI_OK);
    client_end(&c);
}

/* ---- ends --------------------------------------------------------------------------------------------------------------- */

static void clients_leave_without_the_reply(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 3);
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    client_leave(&c);
    program_come_and_say(&c, 1); /* the third comes as it goes */
    client_end(&c);
    assert_int_equal(c.programs[1].n_collections, 1);
    assert_int_equal(c.programs[2].n_collections, 0);
}

static void servers_end_while_runtimes_are_on_their_way(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 3);
    memory_find(&c, memory, false);
    client_send(&c, memory, "forceGarbageCollection", "");
    memory_find(&c, memory, true);
    client_send(&c, memory, "measure", "");
    client_leave(&c);
    ubi__rdp_mailbox_close(&c.offer->mailbox);
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come(&c.programs[i]);
    client_end(&c);
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

static void the_process_is_the_sum_of_its_runtimes(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, true);
    client_send(&c, memory, "measure", "");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    assert_non_null(strstr(c.text, "\"total\":273000,"));
    assert_non_null(strstr(c.text, "\"resident\":"));
    assert_non_null(strstr(c.text, "\"residentUnique\":"));
    assert_came(&c, "\"runtimes\":3,\"missing\":0");
    memory_find(&c, memory, false);
    client_send(&c, memory, "measure", "");
    program_come_and_say(&c, 0);
    assert_null(strstr(c.text, "runtimes"));
    assert_null(strstr(c.text, "resident"));
    assert_came(&c, "\"total\":1000,");
    client_end(&c);
}

static void sizes_of_runtimes_that_do_not_come_are_missing(void **state) {
    client c;
    (void)state;
    client_open(&c, 2);
    client_offer(&c, 2, &poor_ops);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, true);
    client_send(&c, memory, "measure", "");
    program_come_and_say(&c, 1);
    program_come_and_say(&c, 2);
    time_pass(&c, UBI__RDP_PATIENCE_MS);
    assert_non_null(strstr(c.text, "\"total\":16000,"));
    assert_came(&c, "\"runtimes\":1,\"missing\":2");
    client_end(&c);
}

/* ---- no memory ---------------------------------------------------------------------------------------------------------- */

/* Returns whether no memory was missing. */
static bool round_with_memory_for(uint64_t n_requests) {
    client c;
    fail_allocator f;
    memset(&c, 0, sizeof c);
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    assert_int_equal(ubi__rdp_offer_new(&c.offer, NULL), UBI_OK);
    for (unsigned i = 0; i < PROGRAMS; i++)
        client_offer(&c, i, &ops);
    assert_int_equal(client_connect(&c, &f.allocator), UBI_OK);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    f.n_allowed = f.n_requests + n_requests;
    client_send(&c, memory, "forceGarbageCollection", "");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    bool was_enough = f.n_refused == 0;
    bool was_done = c.programs[0].n_collections == 1;
    assert_true(was_done || !was_enough);
    for (unsigned i = 1; i < PROGRAMS; i++)
        assert_int_equal(c.programs[i].n_collections, was_done); /* all or none */
    client_end(&c);
    fail_allocator_fini(&f);
    return was_enough;
}

static void without_memory_nothing_is_lost(void **state) {
    uint64_t n = 0;
    (void)state;
    while (!round_with_memory_for(n))
        n++;
    assert_true(n > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collection_is_answered_when_all_have_done_it),
        cmocka_unit_test(a_runtime_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(the_actors_own_runtime_is_waited_for),
        cmocka_unit_test(runtimes_that_go_are_not_waited_for),
        cmocka_unit_test(what_only_others_cannot_do_is_no_error),
        cmocka_unit_test(one_runtime_with_two_tabs_collects_once),
        cmocka_unit_test(clients_leave_without_the_reply),
        cmocka_unit_test(servers_end_while_runtimes_are_on_their_way),
        cmocka_unit_test(the_process_is_the_sum_of_its_runtimes),
        cmocka_unit_test(sizes_of_runtimes_that_do_not_come_are_missing),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
