/* SPDX-License-Identifier: MIT
 *
 * memory_rounds_test.c: collections and sizes of several runtimes: each comes to its safe point when the test lets it, and time is the
 * test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "rdp/memory_rounds.h"
#include "rdp/wire_for_tests.h"

enum { PROGRAMS = 3 };

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

typedef struct program {
    wire_safe_point point;
    unsigned n_collections, n_cycles;
    uint64_t n_bytes;
} program;

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
                                    .run_at_safe_point = wire_safe_point_ask };

/* One that can do nothing. */
static const ubi_target_ops poor_ops = { .version = UBI_TARGET_OPS_VERSION,
                                         .kind = "poor",
                                         .capabilities = UBI_TARGET_SAFE_POINT,
                                         .run_at_safe_point = wire_safe_point_ask };

static ubi_target target_of(const ubi_target_ops *target_ops, program *p) {
    return (ubi_target){ target_ops, p };
}

/* ---- a client ----------------------------------------------------------------------------------------------------------- */

typedef struct client {
    wire_client wire;
    program programs[PROGRAMS];
    const ubi_target_ops *ops[PROGRAMS]; /* NULL: it has gone */
} client;

static void client_offer(client *c, unsigned i, const ubi_target_ops *target_ops) {
    static const char *const titles[PROGRAMS] = { "drawn", "second", "third" };
    const ubi__rdp_tab_options tab = { .title = titles[i] };
    c->ops[i] = target_ops;
    c->programs[i].n_bytes = 1000u << (4 * i);
    assert_int_equal(ubi__rdp_offer_add(c->wire.offer, target_of(target_ops, &c->programs[i]), &tab), UBI_OK);
}

/* With `n` programs. */
static void client_open(client *c, unsigned n, const ubi_allocator *allocator) {
    memset(c, 0, sizeof *c);
    wire_open(&c->wire);
    for (unsigned i = 0; i < n; i++)
        client_offer(c, i, &ops);
    wire_connect(&c->wire, allocator);
}

static void program_go(client *c, unsigned i) {
    if (c->ops[i])
        assert_int_equal(ubi__rdp_offer_remove(c->wire.offer, target_of(c->ops[i], &c->programs[i])), UBI_OK);
    c->ops[i] = NULL;
    wire_safe_point_come(&c->programs[i]); /* an engine may perform late what it was asked for */
}

static void client_end(client *c) {
    if (c->wire.connection)
        wire_leave(&c->wire);
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_go(c, i);
    wire_end(&c->wire);
}

static void program_come_and_say(client *c, unsigned i) {
    wire_safe_point_come(&c->programs[i]);
    wire_hear(&c->wire);
}

static void memory_find(client *c, char memory[UBI__RDP_ID_BYTES], bool is_of_process) {
    wire_find(&c->wire, memory, "memoryActor", is_of_process);
}

/* ---- collections -------------------------------------------------------------------------------------------------------- */

static void a_collection_is_answered_when_all_have_done_it(void **state) {
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    wire_send(&c.wire, memory, "getState", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 2);
    wire_assert_came(&c.wire, NULL);
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, "\"state\":\"detached\""); /* the second reply, after the first */
    for (unsigned i = 0; i < PROGRAMS; i++)
        assert_int_equal(c.programs[i].n_collections, 1);
    wire_send(&c.wire, memory, "forceCycleCollection", "");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    wire_assert_came(&c.wire, memory);
    for (unsigned i = 0; i < PROGRAMS; i++)
        assert_int_equal(c.programs[i].n_cycles, 1);
    client_end(&c);
}

static void a_runtime_that_does_not_come_is_not_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS - 1);
    wire_assert_came(&c.wire, NULL);
    wire_wait(&c.wire, 1);
    assert_non_null(strstr(c.wire.text, memory));
    wire_assert_came(&c.wire, "\"missing\":1,\"missingRuntimes\":[\"third\"]");
    program_come_and_say(&c, 2); /* late, and without a reply */
    assert_int_equal(c.programs[2].n_collections, 1);
    wire_assert_came(&c.wire, NULL);
    client_end(&c);
}

static void one_that_is_late_is_not_waited_for_again(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    wire_assert_came(&c.wire, "[\"third\"]");
    wire_send(&c.wire, memory, "forceCycleCollection", "");
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, NULL);
    program_come_and_say(&c, 0);
    wire_assert_came(&c.wire, "\"missingRuntimes\":[\"third\"]"); /* at once */
    program_come_and_say(&c, 2);
    assert_int_equal(c.programs[2].n_collections, 1);
    assert_int_equal(c.programs[2].n_cycles, 0); /* it was not asked */
    wire_send(&c.wire, memory, "forceCycleCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, NULL); /* it is not late any more */
    program_come_and_say(&c, 2);
    assert_null(strstr(c.wire.text, "missing"));
    wire_assert_came(&c.wire, memory);
    assert_int_equal(c.programs[2].n_cycles, 1);
    client_end(&c);
}

static void what_is_late_for_others_is_waited_for_by_its_own_actor(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 2, NULL);
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    program_come_and_say(&c, 1);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    wire_assert_came(&c.wire, "[\"drawn\"]");
    wire_send(&c.wire, memory, "measure", "");
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, "[\"drawn\"]");
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    wire_assert_came(&c.wire, NULL);
    program_come_and_say(&c, 0);
    assert_null(strstr(c.wire.text, "missing"));
    wire_assert_came(&c.wire, memory);
    assert_int_equal(c.programs[0].n_collections, 1);
    client_end(&c);
}

static void the_actors_own_runtime_is_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 2, NULL);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    wire_wait(&c.wire, 10 * UBI__RDP_PATIENCE_MS);
    wire_assert_came(&c.wire, NULL);
    program_come_and_say(&c, 0); /* patience is over already */
    wire_assert_came(&c.wire, memory);
    assert_int_equal(c.programs[1].n_collections, 0);
    client_end(&c);
}

static void runtimes_that_go_are_not_waited_for(void **state) {
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    program_go(&c, 2);
    wire_hear(&c.wire);
    wire_assert_came(&c.wire, memory);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    program_go(&c, 0);
    wire_hear(&c.wire);
    wire_assert_came(&c.wire, "\"error\":\"tabDestroyed\",\"message\":\"the program drawn has ended\"");
    client_end(&c);
}

static void what_only_others_cannot_do_is_not_an_error(void **state) {
    client c;
    (void)state;
    client_open(&c, 1, NULL);
    client_offer(&c, 1, &poor_ops);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    program_come_and_say(&c, 0);
    assert_null(strstr(c.wire.text, "error"));
    wire_assert_came(&c.wire, memory);
    program_go(&c, 0);
    ubi__rdp_root_tabs_changed(ubi__rdp_root(c.wire.connection));
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, "cannot collect garbage");
    client_end(&c);
}

static void one_runtime_with_two_tabs_collects_once(void **state) {
    const ubi__rdp_tab_options again = { .title = "a part of it" };
    client c;
    (void)state;
    client_open(&c, 2, NULL);
    assert_int_equal(ubi__rdp_offer_add(c.wire.offer, target_of(&ops, &c.programs[1]), &again), UBI_OK);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    wire_assert_came(&c.wire, memory);
    assert_int_equal(c.programs[1].n_collections, 1);
    assert_int_equal(ubi__rdp_offer_remove(c.wire.offer, target_of(&ops, &c.programs[1])), UBI_OK);
    client_end(&c);
}

/* ---- ends --------------------------------------------------------------------------------------------------------------- */

static void clients_leave_without_the_reply(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    program_come_and_say(&c, 0);
    wire_leave(&c.wire);
    program_come_and_say(&c, 1); /* the third comes as it goes */
    client_end(&c);
    assert_int_equal(c.programs[1].n_collections, 1);
    assert_int_equal(c.programs[2].n_collections, 0);
}

static void servers_end_while_runtimes_are_on_their_way(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    wire_leave(&c.wire);
    ubi__rdp_mailbox_close(&c.wire.offer->mailbox);
    for (unsigned i = 0; i < PROGRAMS; i++)
        wire_safe_point_come(&c.programs[i]);
    client_end(&c);
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

static void the_process_is_the_sum_of_its_runtimes(void **state) {
    client c;
    (void)state;
    client_open(&c, 3, NULL);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    assert_non_null(strstr(c.wire.text, "\"total\":273000,"));
    assert_non_null(strstr(c.wire.text, "\"resident\":"));
    assert_non_null(strstr(c.wire.text, "\"residentUnique\":"));
    wire_assert_came(&c.wire, "\"runtimes\":3,\"missing\":0,\"missingRuntimes\":[],\"runtimeSizes\":["
                              "{\"browserId\":1,\"title\":\"drawn\",\"jsSize\":0,\"total\":1000},"
                              "{\"browserId\":2,\"title\":\"second\",\"jsSize\":0,\"total\":16000},"
                              "{\"browserId\":3,\"title\":\"third\",\"jsSize\":0,\"total\":256000}]");
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "measure", "");
    program_come_and_say(&c, 0);
    assert_null(strstr(c.wire.text, "runtimes"));
    assert_null(strstr(c.wire.text, "resident"));
    wire_assert_came(&c.wire, "\"total\":1000,");
    client_end(&c);
}

static ubi_status measure_elsewhere(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi_measure_row rows[] = { { { "unattributedSize", 16 }, ((program *)payload)->n_bytes, true },
                                     { { "residentSize", 12 }, 7000, true },
                                     { { "residentUniqueSize", 18 }, 5000, true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fn(fn_payload, &rows[i]);
    return UBI_OK;
}

static void other_processes_have_memory_of_their_own(void **state) {
    const ubi_target_ops elsewhere = { .version = UBI_TARGET_OPS_VERSION,
                                       .kind = "elsewhere",
                                       .capabilities = UBI_TARGET_SAFE_POINT | UBI_TARGET_MEASURE,
                                       .measure = measure_elsewhere,
                                       .run_at_safe_point = wire_safe_point_ask };
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 0, NULL);
    client_offer(&c, 0, &elsewhere);
    client_offer(&c, 1, &elsewhere);
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    assert_non_null(strstr(c.wire.text, "\"missing\":0,"));
    wire_assert_came(&c.wire, "\"resident\":14000,\"residentUnique\":10000");
    memory_find(&c, memory, false);
    wire_send(&c.wire, memory, "residentUnique", "");
    program_come_and_say(&c, 0);
    wire_assert_came(&c.wire, "\"value\":5000");
    wire_send(&c.wire, memory, "takeCensus", "");
    program_come_and_say(&c, 0);
    wire_assert_came(&c.wire, "a target of kind elsewhere cannot be observed");
    client_end(&c);
}

static void sizes_of_runtimes_that_do_not_come_are_missing(void **state) {
    client c;
    (void)state;
    client_open(&c, 2, NULL);
    client_offer(&c, 2, &poor_ops);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    program_come_and_say(&c, 1);
    program_come_and_say(&c, 2);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    assert_non_null(strstr(c.wire.text, "\"total\":16000,"));
    wire_assert_came(&c.wire, "\"runtimes\":1,\"missing\":2,\"missingRuntimes\":[\"drawn\",\"third\"]");
    client_end(&c);
}

static void what_has_ended_is_not_missing(void **state) {
    char memory[UBI__RDP_ID_BYTES];
    client c;
    (void)state;
    client_open(&c, 2, NULL);
    memory_find(&c, memory, true);
    wire_send(&c.wire, memory, "measure", "");
    program_go(&c, 1);
    program_come_and_say(&c, 0);
    wire_assert_came(&c.wire, "\"runtimes\":1,\"missing\":0,\"missingRuntimes\":[]");
    client_end(&c);
}

/* ---- no memory ---------------------------------------------------------------------------------------------------------- */

/* Returns whether no memory was missing. */
static bool round_with_memory_for(uint64_t n_requests) {
    client c;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    client_open(&c, PROGRAMS, &f.allocator);
    char memory[UBI__RDP_ID_BYTES];
    memory_find(&c, memory, false);
    f.n_allowed = f.n_requests + n_requests;
    wire_send(&c.wire, memory, "forceGarbageCollection", "");
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
        cmocka_unit_test(one_that_is_late_is_not_waited_for_again),
        cmocka_unit_test(what_is_late_for_others_is_waited_for_by_its_own_actor),
        cmocka_unit_test(the_actors_own_runtime_is_waited_for),
        cmocka_unit_test(runtimes_that_go_are_not_waited_for),
        cmocka_unit_test(what_only_others_cannot_do_is_not_an_error),
        cmocka_unit_test(one_runtime_with_two_tabs_collects_once),
        cmocka_unit_test(clients_leave_without_the_reply),
        cmocka_unit_test(servers_end_while_runtimes_are_on_their_way),
        cmocka_unit_test(the_process_is_the_sum_of_its_runtimes),
        cmocka_unit_test(sizes_of_runtimes_that_do_not_come_are_missing),
        cmocka_unit_test(what_has_ended_is_not_missing),
        cmocka_unit_test(other_processes_have_memory_of_their_own),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
