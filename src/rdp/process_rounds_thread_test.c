/* SPDX-License-Identifier: MIT
 *
 * process_rounds_thread_test.c: counts and snapshots of all runtimes of a process: each runtime is a drawing, and comes to its safe point when the
 * test lets it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"
#include "drawing.h"
#include "rdp/memory_rounds.h"
#include "rdp/wire_for_tests.h"

enum { PROGRAMS = 3 };

/* Two have things at one address. */
static const char *const drawn[PROGRAMS] = {
    "root(id=16 type=Root) -> a \"a\", s \"s\"; a(id=32 class=Map coarse=object size=100); s(id=48 coarse=string "
    "size=10)",
    "root(id=64 type=Root) -> a \"a\", b \"b\"; a(id=32 class=Array coarse=object size=7); b(id=80 class=Map "
    "coarse=object size=20)",
    "root(id=96 type=Root) -> t \"t\"; t(id=112 type=Shape size=5)",
};
static const char *const titles[PROGRAMS] = { "main", "worker 1", "worker 2" };

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

typedef struct program {
    wire_safe_point point;
    drawing *heap;
    bool is_offered;
    unsigned n_observers;
} program;

static ubi_status program_freeze(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out) {
    assert_null(scope);
    out->root = drawing_node(((program *)payload)->heap, "root");
    return UBI_OK;
}

static ubi_status program_thaw(void *payload) {
    (void)payload;
    return UBI_OK;
}

static void observer_free(void *payload) {
    ((program *)payload)->n_observers--;
}

static void observer_on_collection(void *payload, ubi_collection_fn fn, void *fn_payload) {
    (void)payload, (void)fn, (void)fn_payload;
}

static ubi_status program_observe(void *payload, const ubi_target_scope *scope, ubi_target_observer *out) {
    static const ubi_target_observer_ops observer_ops = { .version = UBI_TARGET_OBSERVER_OPS_VERSION,
                                                          .free = observer_free,
                                                          .on_collection = observer_on_collection };
    (void)scope;
    ((program *)payload)->n_observers++;
    *out = (ubi_target_observer){ &observer_ops, payload };
    return UBI_OK;
}

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities = UBI_TARGET_WALK | UBI_TARGET_SAFE_POINT | UBI_TARGET_OBSERVE,
                                    .freeze = program_freeze,
                                    .thaw = program_thaw,
                                    .run_at_safe_point = wire_safe_point_ask,
                                    .observe = program_observe };

/* ---- a client ----------------------------------------------------------------------------------------------------------- */

typedef struct client {
    wire_client wire;
    char memory[UBI__RDP_ID_BYTES]; /* of the process */
    program programs[PROGRAMS];
} client;

static void program_go(client *c, unsigned i) {
    program *p = &c->programs[i];
    if (p->is_offered)
        assert_int_equal(ubi__rdp_offer_remove(c->wire.offer, (ubi_target){ &ops, p }), UBI_OK);
    p->is_offered = false;
    wire_safe_point_come(p); /* an engine may perform late what it was asked for */
}

static void program_come_and_say(client *c, unsigned i) {
    wire_safe_point_come(&c->programs[i]);
    wire_hear(&c->wire);
}

/* It may be written on another thread. */
static void reply_await(client *c) {
    ubi__rdp_offer_await_work(c->wire.offer);
    wire_hear(&c->wire);
}

/* With `n` programs. */
static void client_open(client *c, unsigned n) {
    memset(c, 0, sizeof *c);
    wire_open(&c->wire);
    for (unsigned i = 0; i < n; i++) {
        const ubi__rdp_tab_options tab = { .title = titles[i] };
        c->programs[i].heap = drawing_new(drawn[i]);
        assert_int_equal(ubi__rdp_offer_add(c->wire.offer, (ubi_target){ &ops, &c->programs[i] }, &tab), UBI_OK);
        c->programs[i].is_offered = true;
    }
    wire_connect(&c->wire, NULL);
    wire_find(&c->wire, c->memory, "memoryActor", true);
}

static void client_attach(client *c) {
    wire_send(&c->wire, c->memory, "attach", "");
    program_come_and_say(c, 0);
    wire_assert_came(&c->wire, "\"attached\"");
}

static void client_end(client *c) {
    if (c->wire.connection)
        wire_leave(&c->wire);
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_go(c, i);
    wire_end(&c->wire);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        assert_int_equal(c->programs[i].n_observers, 0);
        if (c->programs[i].heap)
            drawing_free(c->programs[i].heap);
    }
}

/* ---- counts ------------------------------------------------------------------------------------------------------------- */

static void counts_are_the_sum_of_all_runtimes(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "takeCensus", "");
    for (unsigned i = PROGRAMS; i-- > 0;)
        program_come_and_say(&c, i);
    reply_await(&c);
    assert_null(strstr(c.wire.text, "missing"));
    wire_assert_came(&c.wire, "\"objects\":{\"Array\":{\"count\":1,\"bytes\":7},\"Map\":{\"count\":2,\"bytes\":120},"
                              "\"other\":{\"count\":0,\"bytes\":0}},\"scripts\":{\"count\":0,\"bytes\":0},"
                              "\"strings\":{\"count\":1,\"bytes\":10},\"other\":{\"Shape\":{\"count\":1,\"bytes\":5}},"
                              "\"domNode\":{}}");
    client_end(&c);
}

static void counts_say_who_is_missing(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "takeCensus", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 2);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    reply_await(&c);
    assert_non_null(strstr(c.wire.text, "\"objects\":{\"Map\":{\"count\":1,\"bytes\":100},"));
    wire_assert_came(&c.wire, "\"missing\":1,\"missingRuntimes\":[\"worker 1\"]");
    program_come_and_say(&c, 1); /* what it counts now is no one's */
    wire_assert_came(&c.wire, NULL);
    client_end(&c);
}

static void who_is_not_attached_is_refused(void **state) {
    client c;
    (void)state;
    client_open(&c, 2);
    for (int i = 0; i < 2; i++) {
        wire_send(&c.wire, c.memory, i ? "saveHeapSnapshot" : "takeCensus", "");
        program_come_and_say(&c, 0);
        program_come_and_say(&c, 1);
        reply_await(&c);
        wire_assert_came(&c.wire, "Expected 'attached', but current state is 'detached'.");
    }
    client_end(&c);
}

static void when_no_runtime_comes_that_is_said(void **state) {
    client c;
    (void)state;
    client_open(&c, 2);
    client_attach(&c);
    for (int i = 0; i < 2; i++) {
        wire_send(&c.wire, c.memory, i ? "saveHeapSnapshot" : "takeCensus", "");
        wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
        reply_await(&c);
        wire_assert_came(&c.wire, "no runtime of the process came to a safe point");
    }
    client_end(&c);
}

static void one_runtime_alone_is_counted_as_ever(void **state) {
    client c;
    (void)state;
    client_open(&c, 1);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "takeCensus", "");
    program_come_and_say(&c, 0);
    wire_assert_came(&c.wire, "\"objects\":{\"Map\":{\"count\":1,\"bytes\":100}");
    client_end(&c);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

static ubi_graph *snapshot_read(const client *c, uint64_t number) {
    char path[UBI__PRIVATE_PATH_BYTES];
    ubi_graph *graph = NULL;
    ubi__rdp_snapshot_path(path, c->wire.offer, number);
    assert_int_equal(ubi_graph_read_path(&graph, path, NULL, NULL), UBI_OK);
    return graph;
}

static void assert_edges_of_root(const ubi_graph *g, const char *const *names, uint64_t n) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi_node_ix root = ubi_graph_root(g);
    assert_int_equal(ubi_graph_first_edge(g, root + 1) - ubi_graph_first_edge(g, root), n);
    for (uint64_t i = 0; i < n; i++) {
        ubi_text name = ubi_graph_edge_label(g, ubi_graph_first_edge(g, root) + i, digits);
        assert_int_equal(name.len, strlen(names[i]));
        assert_memory_equal(name.ptr, names[i], name.len);
    }
}

static void a_snapshot_has_a_root_for_each_runtime(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "saveHeapSnapshot", ",\"boundaries\":{\"runtime\":true}");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program_come_and_say(&c, i);
    reply_await(&c);
    assert_null(strstr(c.wire.text, "missing"));
    assert_non_null(strstr(c.wire.text, "\"snapshotId\":\"ubi-1\",\"pauseMilliseconds\":"));
    wire_assert_came(&c.wire, "\"runtimes\":3}");
    ubi_graph *g = snapshot_read(&c, 1);
    assert_int_equal(ubi_graph_node_count(g), 1 + 3 + 3 + 2);
    assert_edges_of_root(g, titles, 3);
    ubi_graph_unref(g);
    client_end(&c);
}

static void a_snapshot_says_who_is_missing(void **state) {
    client c;
    (void)state;
    client_open(&c, 3);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "saveHeapSnapshot", "");
    program_come_and_say(&c, 2);
    program_come_and_say(&c, 0);
    wire_wait(&c.wire, UBI__RDP_PATIENCE_MS);
    reply_await(&c);
    wire_assert_came(&c.wire, "\"runtimes\":2,\"missing\":1,\"missingRuntimes\":[\"worker 1\"]}");
    ubi_graph *g = snapshot_read(&c, 1);
    assert_edges_of_root(g, (const char *[]){ "main", "worker 2" }, 2);
    ubi_graph_unref(g);
    client_end(&c);
}

static void what_is_saved_for_one_who_left_is_deleted(void **state) {
    char path[UBI__PRIVATE_PATH_BYTES];
    client c;
    (void)state;
    client_open(&c, 2);
    client_attach(&c);
    wire_send(&c.wire, c.memory, "saveHeapSnapshot", "");
    program_come_and_say(&c, 0);
    program_come_and_say(&c, 1);
    wire_leave(&c.wire);
    ubi__rdp_snapshot_path(path, c.wire.offer, 1);
    ubi__rdp_offer_await_work(c.wire.offer);
    wire_hear(&c.wire);
    assert_int_equal(access(path, F_OK), -1);
    client_end(&c);
}

static void servers_end_while_it_is_on_its_way(void **state) {
    (void)state;
    for (unsigned n_come = 0; n_come <= 2; n_come++) {
        client c;
        client_open(&c, 2);
        client_attach(&c);
        wire_send(&c.wire, c.memory, "saveHeapSnapshot", "");
        for (unsigned i = 0; i < n_come; i++)
            program_come_and_say(&c, i);
        wire_leave(&c.wire);
        ubi__rdp_mailbox_close(&c.wire.offer->mailbox);
        client_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_the_sum_of_all_runtimes),
        cmocka_unit_test(counts_say_who_is_missing),
        cmocka_unit_test(who_is_not_attached_is_refused),
        cmocka_unit_test(when_no_runtime_comes_that_is_said),
        cmocka_unit_test(one_runtime_alone_is_counted_as_ever),
        cmocka_unit_test(a_snapshot_has_a_root_for_each_runtime),
        cmocka_unit_test(a_snapshot_says_who_is_missing),
        cmocka_unit_test(what_is_saved_for_one_who_left_is_deleted),
        cmocka_unit_test(servers_end_while_it_is_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
