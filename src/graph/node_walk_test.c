/* SPDX-License-Identifier: MIT
 *
 * node_walk_test.c: breadth-first and post-order walks: the rules of the specification, case by case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "drawing.h"
#include "fail_allocator.h"
#include <ubiheap/core/graph.h>

/* ---- breadth-first: what is reported --------------------------------------------------------------------------------- */

/* Writes each report as "a>c " or, when the referent is new, "a>c! ", and does what the test wants. */
typedef struct report {
    char text[1000];
    const char *abandon, *do_not_mark, *stop, *fail; /* at the first report of this referent */
    bool with_names;
} report;

static bool is(const char *wanted, ubi_node node) {
    return wanted && strcmp(wanted, drawing_name(node)) == 0;
}

static ubi_status note_edge(void *payload, ubi_bfs *walk, ubi_node origin, ubi_node referent, ubi_text name, bool first,
                            uint64_t *data) {
    report *r = payload;
    size_t n = strlen(r->text);
    if (r->with_names && name.ptr)
        snprintf(r->text + n, sizeof r->text - n, "%s-%.*s>%s%s ", drawing_name(origin), (int)name.len, name.ptr,
                 drawing_name(referent), first ? "!" : "");
    else
        snprintf(r->text + n, sizeof r->text - n, "%s>%s%s ", drawing_name(origin), drawing_name(referent),
                 first ? "!" : "");
    if (first)
        assert_int_equal(*data, 0);
    ++*data;
    if (first && is(r->abandon, referent))
        ubi_bfs_abandon_referent(walk);
    if (first && is(r->do_not_mark, referent))
        ubi_bfs_do_not_mark_visited(walk);
    if (is(r->stop, referent))
        ubi_bfs_stop(walk);
    return is(r->fail, referent) ? ubi__fail(UBI_ECANCELLED, "enough") : UBI_OK;
}

typedef enum start { START, START_VISITED } start;

static void assert_reports(const char *drawn, start how, report r, ubi_status status, const char *expected) {
    drawing *d = drawing_new(drawn);
    ubi_bfs *walk;
    assert_int_equal(ubi_bfs_new(&walk, NULL), UBI_OK);
    assert_int_equal((how == START ? ubi_bfs_add_start : ubi_bfs_add_start_visited)(walk, drawing_node(d, "a")),
                     UBI_OK);
    assert_int_equal(ubi_bfs_run(walk, r.with_names, note_edge, &r), status);
    assert_string_equal(r.text, expected);
    ubi_bfs_free(walk);
    drawing_free(d);
}

static void a_start_is_not_visited_so_that_an_edge_back_reports_it_and_walks_it_again(void **state) {
    (void)state;
    assert_reports("a -> c; c -> a, b", START, (report){ .stop = NULL }, UBI_OK,
                   "a>c! c>a! c>b! a>c "); /* conformance case 5 */
    assert_reports("a -> a", START, (report){ .stop = NULL }, UBI_OK, "a>a! a>a ");
}

static void a_start_that_is_visited_is_walked_once(void **state) {
    (void)state;
    assert_reports("a -> c; c -> a, b", START_VISITED, (report){ .stop = NULL }, UBI_OK, "a>c! c>a c>b! ");
    assert_reports("a -> a, a", START_VISITED, (report){ .stop = NULL }, UBI_OK, "a>a a>a ");
}

static void edges_are_reported_level_by_level_in_the_order_of_the_heap(void **state) {
    (void)state;
    assert_reports("a -> c, b; b -> d; c -> e, d; e -> b", START, (report){ .stop = NULL }, UBI_OK,
                   "a>c! a>b! c>e! c>d! b>d e>b ");
    assert_reports("a -> b, b, b; b -> b", START, (report){ .stop = NULL }, UBI_OK, "a>b! a>b a>b b>b ");
}

static void an_abandoned_referent_is_still_reported_but_not_walked(void **state) {
    (void)state;
    assert_reports("a -> b, c; b -> d; c -> b", START, (report){ .abandon = "b" }, UBI_OK, "a>b! a>c! c>b ");
}

static void a_referent_left_unmarked_is_reported_as_new_again_and_walked_again(void **state) {
    (void)state;
    assert_reports("a -> b, c; b -> d; c -> b", START, (report){ .do_not_mark = "b" }, UBI_OK,
                   "a>b! a>c! b>d! c>b! b>d ");
    assert_reports("a -> b, b; b -> c", START, (report){ .abandon = "b", .do_not_mark = "b" }, UBI_OK, "a>b! a>b! ");
}

static void stopping_ends_the_walk_at_once_and_well(void **state) {
    (void)state;
    assert_reports("a -> b, c, d; b -> e", START, (report){ .stop = "c" }, UBI_OK, "a>b! a>c! ");
    assert_reports("a -> b, c; b -> a, d", START_VISITED, (report){ .stop = "a" }, UBI_OK, "a>b! a>c! b>a ");
}

static void a_failing_callback_ends_the_walk_with_its_status(void **state) {
    (void)state;
    assert_reports("a -> b, c, d; b -> e", START, (report){ .fail = "c" }, UBI_ECANCELLED, "a>b! a>c! ");
    assert_string_equal(ubi_error_message(), "enough");
}

static void names_are_given_when_they_are_asked_for(void **state) {
    (void)state;
    assert_reports("a -> b \"x\", c", START, (report){ .with_names = true }, UBI_OK, "a-x>b! a>c! ");
}

static void several_starts_share_one_walk(void **state) {
    (void)state;
    drawing *d = drawing_new("a -> c; b -> c, d; c; d -> b");
    report r = { .stop = NULL };
    ubi_bfs *walk;
    assert_int_equal(ubi_bfs_new(&walk, NULL), UBI_OK);
    assert_int_equal(ubi_bfs_add_start(walk, drawing_node(d, "a")), UBI_OK);
    assert_int_equal(ubi_bfs_add_start_visited(walk, drawing_node(d, "b")), UBI_OK);
    assert_int_equal(ubi_bfs_run(walk, false, note_edge, &r), UBI_OK);
    assert_string_equal(r.text, "a>c! b>c b>d! d>b ");
    ubi_bfs_free(walk);
    drawing_free(d);
}

static void the_word_of_a_visited_node_is_kept(void **state) {
    (void)state;
    drawing *d = drawing_new("a -> b, c, b; c -> b; e");
    report r = { .do_not_mark = "c" };
    ubi_bfs *walk;
    assert_int_equal(ubi_bfs_new(&walk, NULL), UBI_OK);
    assert_int_equal(ubi_bfs_add_start(walk, drawing_node(d, "a")), UBI_OK);
    assert_int_equal(ubi_bfs_run(walk, false, note_edge, &r), UBI_OK);
    assert_int_equal(*ubi_bfs_visited(walk, drawing_node(d, "b")), 3); /* reports of b */
    assert_null(ubi_bfs_visited(walk, drawing_node(d, "c")));
    assert_null(ubi_bfs_visited(walk, drawing_node(d, "a")));
    assert_null(ubi_bfs_visited(walk, drawing_node(d, "e")));
    ubi_bfs_free(walk);
    ubi_bfs_free(NULL);
    drawing_free(d);
}

/* ---- post-order -------------------------------------------------------------------------------------------------------- */

typedef struct post_report {
    char nodes[200], edges[500];
    unsigned n_edges;
    const char *fail_node, *fail_edge;
} post_report;

static ubi_status note_node(void *payload, ubi_node node) {
    post_report *r = payload;
    strcat(strcat(r->nodes, drawing_name(node)), " ");
    return is(r->fail_node, node) ? ubi__fail(UBI_ELIMIT, "no more") : UBI_OK;
}

static ubi_status note_post_edge(void *payload, ubi_node origin, ubi_node referent) {
    post_report *r = payload;
    strcat(strcat(strcat(strcat(r->edges, drawing_name(origin)), ">"), drawing_name(referent)), " ");
    r->n_edges++;
    return is(r->fail_edge, referent) ? ubi__fail(UBI_ELIMIT, "no more") : UBI_OK;
}

static void assert_post_order(const char *drawn, const char *from, const char *nodes, const char *edges) {
    drawing *d = drawing_new(drawn);
    post_report r = { "", "", 0, NULL, NULL }, nodes_only = r;
    assert_int_equal(ubi_post_order(drawing_node(d, from), note_node, note_post_edge, &r, NULL), UBI_OK);
    assert_string_equal(r.nodes, nodes);
    assert_string_equal(r.edges, edges);
    assert_int_equal(ubi_post_order(drawing_node(d, from), note_node, NULL, &nodes_only, NULL), UBI_OK);
    assert_string_equal(nodes_only.nodes, nodes);
    drawing_free(d);
}

static void post_order_takes_the_last_edge_first_and_reports_the_start_last(void **state) {
    (void)state;
    assert_post_order("r -> a, e; a -> b, c; b -> d; c -> a, d, f; e -> f, g; f -> g", "r", /* conformance case 1 */
                      "g f e d c b a r ", "r>e e>g e>f f>g r>a a>c c>f c>d c>a a>b b>d ");
    assert_post_order("r", "r", "r ", "");
    assert_post_order("r -> r, r", "r", "r ", "r>r r>r ");
    assert_post_order("r -> a, a; a -> r", "r", "a r ", "r>a a>r r>a ");
    assert_post_order("u -> r; r -> a", "r", "a r ", "r>a ");
}

static void a_failing_callback_ends_post_order_with_its_status(void **state) {
    (void)state;
    drawing *d = drawing_new("r -> a, b");
    post_report r = { .fail_node = "b" };
    assert_int_equal(ubi_post_order(drawing_node(d, "r"), note_node, note_post_edge, &r, NULL), UBI_ELIMIT);
    assert_string_equal(r.nodes, "b ");
    assert_string_equal(ubi_error_message(), "no more");
    post_report e = { .fail_edge = "b" };
    assert_int_equal(ubi_post_order(drawing_node(d, "r"), note_node, note_post_edge, &e, NULL), UBI_ELIMIT);
    assert_string_equal(e.nodes, "");
    drawing_free(d);
}

/* ---- deep heaps ---------------------------------------------------------------------------------------------------------- */

#define LIST_LENGTH 1000000

static uint64_t list_id(ubi_node node) {
    return node.ref + 1;
}
static ubi_text list_type(ubi_node node) {
    (void)node;
    return (ubi_text){ "L", 1 };
}
/* A doubly linked list: node i leads to i - 1 and i + 1. */
static bool list_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    (void)want_names;
    ubi_node next = node, previous = node;
    next.ref++;
    previous.ref--;
    if (node.ref > 0 && !fn(payload, previous, (ubi_text){ NULL, 0 }))
        return false;
    return node.ref + 1 == LIST_LENGTH || fn(payload, next, (ubi_text){ NULL, 0 });
}
static const ubi_node_ops list_ops = {
    .version = UBI_NODE_OPS_VERSION, .id = list_id, .type_name = list_type, .edges = list_edges
};

static ubi_status count_new(void *payload, ubi_bfs *walk, ubi_node origin, ubi_node referent, ubi_text name, bool first,
                            uint64_t *data) {
    (void)walk;
    (void)name;
    (void)data;
    uint64_t *n = payload;
    if (first && referent.ref > 0)
        assert_int_equal(referent.ref, origin.ref + 1);
    *n += first;
    return UBI_OK;
}

static ubi_status expect_from_the_end(void *payload, ubi_node node) {
    uint64_t *n = payload;
    assert_int_equal(node.ref, LIST_LENGTH - 1 - *n);
    ++*n;
    return UBI_OK;
}

static ubi_status count_edge(void *payload, ubi_node origin, ubi_node referent) {
    (void)payload;
    assert_true(origin.ref + 1 == referent.ref || origin.ref == referent.ref + 1);
    return UBI_OK;
}

static void a_list_of_a_million_nodes_needs_no_stack(void **state) {
    (void)state;
    ubi_node head = { &list_ops, NULL, 0 };
    uint64_t n = 0;
    fail_allocator f;
    ubi_bfs *walk;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    assert_int_equal(ubi_bfs_new(&walk, &f.allocator), UBI_OK);
    assert_int_equal(ubi_bfs_add_start(walk, head), UBI_OK);
    assert_int_equal(ubi_bfs_run(walk, true, count_new, &n), UBI_OK);
    assert_int_equal(n, LIST_LENGTH); /* the head too: its neighbour leads back */
    /* slots of visited nodes, and a queue that does not keep what was worked off */
    assert_true(f.live_bytes < 48 * LIST_LENGTH + 1000000);
    ubi_bfs_free(walk);
    fail_allocator_fini(&f);
    n = 0;
    assert_int_equal(ubi_post_order(head, expect_from_the_end, count_edge, &n, NULL), UBI_OK);
    assert_int_equal(n, LIST_LENGTH);
}

/* ---- out of memory --------------------------------------------------------------------------------------------------------- */

static ubi_status ignore_edge(void *payload, ubi_bfs *walk, ubi_node origin, ubi_node referent, ubi_text name,
                              bool first, uint64_t *data) {
    (void)payload;
    (void)walk;
    (void)origin;
    (void)referent;
    (void)name;
    (void)first;
    (void)data;
    return UBI_OK;
}

static ubi_status ignore_node(void *payload, ubi_node node) {
    (void)payload;
    (void)node;
    return UBI_OK;
}

static ubi_status walk_both_ways(void *drawn, const ubi_allocator *a) {
    ubi_node start_node = drawing_node(drawn, "r");
    ubi_bfs *walk;
    UBI_TRY(ubi_bfs_new(&walk, a));
    ubi_status status = ubi_bfs_add_start_visited(walk, start_node);
    if (status == UBI_OK)
        status = ubi_bfs_run(walk, true, ignore_edge, NULL);
    ubi_bfs_free(walk);
    if (status == UBI_OK)
        status = ubi_post_order(start_node, ignore_node, NULL, NULL, a);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    drawing *d = drawing_new("r -> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, s; s -> t, u; u -> r");
    fail_each_allocation(walk_both_ways, d);
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_not_visited_so_that_an_edge_back_reports_it_and_walks_it_again),
        cmocka_unit_test(a_start_that_is_visited_is_walked_once),
        cmocka_unit_test(edges_are_reported_level_by_level_in_the_order_of_the_heap),
        cmocka_unit_test(an_abandoned_referent_is_still_reported_but_not_walked),
        cmocka_unit_test(a_referent_left_unmarked_is_reported_as_new_again_and_walked_again),
        cmocka_unit_test(stopping_ends_the_walk_at_once_and_well),
        cmocka_unit_test(a_failing_callback_ends_the_walk_with_its_status),
        cmocka_unit_test(names_are_given_when_they_are_asked_for),
        cmocka_unit_test(several_starts_share_one_walk),
        cmocka_unit_test(the_word_of_a_visited_node_is_kept),
        cmocka_unit_test(post_order_takes_the_last_edge_first_and_reports_the_start_last),
        cmocka_unit_test(a_failing_callback_ends_post_order_with_its_status),
        cmocka_unit_test(a_list_of_a_million_nodes_needs_no_stack),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
