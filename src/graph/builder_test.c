/* SPDX-License-Identifier: MIT
 *
 * builder_test.c: building graphs through the public interface: what is refused, what comes out, what it costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitizers.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "graph/builder.h"

static ubi_graph_builder *new_builder(void) {
    ubi_graph_builder *b;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    return b;
}

static ubi_str_ix string(ubi_graph_builder *b, const char *s) {
    ubi_str_ix ix;
    assert_int_equal(ubi_graph_builder_string(b, &ix, ubi__text(s)), UBI_OK);
    return ix;
}

static ubi_node_desc plain_node(uint64_t id, ubi_str_ix type) {
    return (ubi_node_desc){
        .id = id,
        .size_bytes = 1,
        .kind = { type, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 0, 0 },
        .stack = UBI_NONE,
    };
}

static void add_node(ubi_graph_builder *b, uint64_t id, ubi_str_ix type) {
    ubi_node_desc node = plain_node(id, type);
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
}

static void add_edge(ubi_graph_builder *b, uint64_t target) {
    assert_int_equal(ubi_graph_builder_edge(b, target, UBI_NONE), UBI_OK);
}

static ubi_graph *finish(ubi_graph_builder *b) {
    ubi_graph *g = NULL;
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    return g;
}

/* ---- what comes out -------------------------------------------------------------------------------------------------- */

static void a_graph_has_what_was_added_in_this_order(void **state) {
    (void)state;
    ubi_graph_builder *b = new_builder();
    ubi_str_ix t = string(b, "T"), name = string(b, "edge name"), empty = string(b, "");
    ubi_node_desc desc = plain_node(7, t);
    desc.size_bytes = UINT64_MAX;
    desc.kind.class_name = name;
    assert_int_equal(ubi_graph_builder_node(b, &desc), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(b, 42, name), UBI_OK); /* conformance case 2 */
    assert_int_equal(ubi_graph_builder_edge(b, 7, UBI_NONE), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(b, 42, empty), UBI_OK);
    add_node(b, 42, t);
    add_node(b, UINT64_MAX, t);
    assert_int_equal(ubi_graph_builder_edge(b, 7, UBI_NONE), UBI_OK);
    ubi_graph_builder_set_creation_time_us(b, 1700000000123456);
    ubi_graph *g = finish(b);

    uint64_t time_us = 0;
    assert_true(ubi_graph_creation_time_us(g, &time_us));
    assert_int_equal(time_us, 1700000000123456);
    assert_string_equal(ubi_graph_format_name(g), "memory");
    assert_int_equal(ubi_graph_node_count(g), 3);
    assert_int_equal(ubi_graph_edge_count(g), 4);
    assert_int_equal(ubi_graph_kind_count(g), 2);
    assert_int_equal(ubi_graph_string_count(g), 3);
    assert_int_equal(ubi_graph_root(g), 0);
    assert_true(ubi_graph_node_size_bytes(g, 0) == UINT64_MAX);
    assert_int_equal(ubi_graph_kind(g, ubi_graph_node_kind(g, 0))->class_name, name);
    assert_int_equal(ubi_graph_first_edge(g, 1), 3);
    assert_int_equal(ubi_graph_first_edge(g, 2), 3);
    assert_int_equal(ubi_graph_first_edge(g, 3), 4);
    static const ubi_node_ix targets[] = { 1, 0, 1, 0 };
    for (ubi_edge_ix e = 0; e < 4; e++)
        assert_int_equal(ubi_graph_edge_target(g, e), targets[e]);
    assert_true(ubi__text_is(ubi_graph_string(g, ubi_graph_edge_name(g, 0)), "edge name"));
    assert_int_equal(ubi_graph_edge_name(g, 1), UBI_NONE);
    assert_int_equal(ubi_graph_edge_name(g, 2), empty); /* no name and an empty name are two things */
    ubi_graph_unref(g);
}

static void stacks_may_appear_late_and_nodes_before_them_have_none(void **state) {
    (void)state;
    for (uint64_t first = 0; first < 3000; first += 999) {
        ubi_graph_builder *b = new_builder();
        ubi_str_ix t = string(b, "T");
        ubi_frame_desc frame = { .id = 5, .parent = UBI_NONE, .source = t, .function_name = UBI_NONE, .line = 3 };
        ubi_frame_ix ix;
        assert_int_equal(ubi_graph_builder_frame(b, &ix, &frame), UBI_OK);
        for (uint64_t i = 0; i < 3000; i++) {
            ubi_node_desc node = plain_node(i, t);
            node.stack = i >= first && (i - first) % 2 == 0 ? ix : UBI_NONE;
            assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        }
        ubi_graph *g = finish(b);
        for (ubi_node_ix i = 0; i < 3000; i++)
            assert_int_equal(ubi_graph_node_stack(g, i), i >= first && (i - first) % 2 == 0 ? ix : UBI_NONE);
        ubi_graph_unref(g);
    }
}

static void without_stacks_there_is_no_column_for_them(void **state) {
    (void)state;
    ubi_graph_builder *b = new_builder();
    add_node(b, 1, string(b, "T"));
    ubi_graph *g = finish(b);
    assert_int_equal(g->stack.cap, 0);
    assert_int_equal(ubi_graph_node_stack(g, 0), UBI_NONE);
    ubi_graph_unref(g);
}

/* The way of readers: the edges of a node come before it. */
static void edges_pushed_before_their_node_belong_to_it(void **state) {
    (void)state;
    ubi_graph_builder *b = new_builder();
    ubi_str_ix t = string(b, "T");
    ubi_kind kind = plain_node(0, t).kind;
    ubi_kind_ix kind_ix;
    ubi__id_fault fault;
    ubi_graph *g;
    enum { N = 3000 }; /* more edges than wait at once */
    assert_int_equal(ubi__kinds_intern(&b->graph->kinds, &kind_ix, &kind), UBI_OK);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(ubi__builder_reserve_edges(b, i % 3), UBI_OK);
        for (uint64_t k = 0; k < i % 3; k++)
            assert_int_equal(ubi__builder_push_edge(b, (i + k) % N, (ubi_str_ix)0), UBI_OK);
        assert_int_equal(ubi__builder_push_node(b, i, i * 2, kind_ix, UBI_NONE), UBI_OK);
    }
    assert_int_equal(ubi__builder_finish(&g, b, (ubi__crew){ 2, NULL }, &fault), UBI_OK);
    ubi_graph_builder_free(b);
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    for (ubi_node_ix i = 0; i < N; i++) {
        assert_int_equal(ubi_graph_first_edge(g, i + 1) - ubi_graph_first_edge(g, i), i % 3);
        for (uint32_t k = 0; k < i % 3; k++)
            assert_int_equal(ubi_graph_edge_target(g, ubi_graph_first_edge(g, i) + k), (i + k) % N);
    }
    ubi_graph_unref(g);
}

/* ---- what is refused --------------------------------------------------------------------------------------------------- */

static void assert_node_refused(ubi_node_desc node, const char *reason) {
    ubi_graph_builder *b = new_builder();
    string(b, "T");
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), reason));
    ubi_graph_builder_free(b);
}

static void nodes_with_indices_of_nothing_are_refused(void **state) {
    (void)state;
    ubi_node_desc variants[6];
    for (size_t i = 0; i < 6; i++)
        variants[i] = plain_node(1, 0);
    variants[0].kind.type_name = UBI_NONE;
    variants[1].kind.type_name = 1;
    variants[2].kind.class_name = 1;
    variants[3].kind.script_filename = 1;
    variants[4].kind.descriptive_name = UBI_NONE - 1;
    for (size_t i = 0; i < 5; i++)
        assert_node_refused(variants[i], "a string that was not added");
    variants[5].stack = 0;
    assert_node_refused(variants[5], "a frame that was not added");
    variants[5] = plain_node(1, 0);
    variants[5].kind.coarse_type = (ubi_coarse_type)5;
    assert_node_refused(variants[5], "coarse type 5");
}

static void frames_with_indices_of_nothing_are_refused(void **state) {
    (void)state;
    ubi_graph_builder *b = new_builder();
    ubi_str_ix s = string(b, "a.js");
    ubi_frame_ix ix;
    const ubi_frame_desc wrong[] = {
        { .parent = 0, .source = s, .function_name = UBI_NONE }, /* no frame yet, so not even itself */
        { .parent = UBI_NONE, .source = UBI_NONE, .function_name = s },
        { .parent = UBI_NONE, .source = s + 1, .function_name = s },
        { .parent = UBI_NONE, .source = s, .function_name = s + 1 },
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ubi_graph_builder_frame(b, &ix, &wrong[i]), UBI_EINVAL);
        assert_non_null(
            strstr(ubi_error_message(), i == 0 ? "parent must be added before" : "string that was not added"));
    }
    ubi_graph_builder_free(b);
}

static void edges_of_nothing_and_with_names_of_nothing_are_refused(void **state) {
    (void)state;
    ubi_graph_builder *b = new_builder();
    ubi_str_ix t = string(b, "T");
    assert_int_equal(ubi_graph_builder_edge(b, 1, UBI_NONE), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "before any node"));
    add_node(b, 1, t);
    assert_int_equal(ubi_graph_builder_edge(b, 1, t + 1), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "string that was not added"));
    ubi_graph_builder_free(b);
}

static void a_graph_that_does_not_hold_together_is_not_finished(void **state) {
    (void)state;
    static const char *const reasons[] = { "at least one node", "id 9 is used twice",
                                           "leads to id 77, which is no node" };
    for (int i = 0; i < 3; i++) {
        ubi_graph_builder *b = new_builder();
        ubi_graph *g = NULL;
        ubi_str_ix t = string(b, "T");
        if (i > 0)
            add_node(b, 9, t);
        if (i == 1)
            add_node(b, 9, t);
        if (i == 2)
            add_edge(b, 77);
        assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_EFORMAT);
        assert_non_null(strstr(ubi_error_message(), reasons[i]));
        assert_null(g);
        ubi_graph_builder_free(b);
    }
    ubi_graph_builder_free(NULL);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

/* As many nodes as a column that doubles has room for, so that the last offset is one too many. */
static ubi_status build_all(ubi_graph **out, unsigned threads, const ubi_allocator *a) {
    ubi_graph_builder *b;
    ubi_str_ix t;
    ubi_frame_ix frame = UBI_NONE;
    ubi__id_fault fault;
    UBI_TRY(ubi_graph_builder_new(&b, a));
    ubi_status status = ubi_graph_builder_string(b, &t, ubi__text("T"));
    for (uint64_t i = 0; i < 2048 && status == UBI_OK; i++) {
        ubi_node_desc node = plain_node(i * 8, 0);
        node.kind.class_name = i % 300 == 0 ? 0 : UBI_NONE;
        if (i % 100 == 50) {
            ubi_frame_desc desc = { .id = i, .parent = frame, .source = 0, .function_name = UBI_NONE };
            status = ubi_graph_builder_frame(b, &frame, &desc);
        }
        node.stack = frame;
        if (status == UBI_OK)
            status = ubi_graph_builder_node(b, &node);
        for (uint64_t k = 0; k < 3 && status == UBI_OK; k++)
            status = ubi_graph_builder_edge(b, (i * 7 + k * 600) % 2048 * 8, UBI_NONE);
    }
    if (status == UBI_OK)
        status = ubi__builder_finish(out, b, (ubi__crew){ threads, NULL }, &fault);
    ubi_graph_builder_free(b);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    for (unsigned variant = 0; variant < 4; variant++)
        for (uint64_t n_allowed = 0;; n_allowed++) {
            fail_allocator f;
            ubi_graph *g = NULL;
            unsigned threads = 1 + variant / 2;
            fail_allocator_init(&f, n_allowed);
            f.once = variant % 2; /* then only giving spare memory back may fail unnoticed */
            ubi_status status = build_all(&g, threads, &f.allocator);
            bool refused = f.n_refused > 0;
            if (status == UBI_OK) {
                f.n_allowed = FAIL_ALLOCATOR_NEVER;
                assert_int_equal(ubi_graph_check(g), UBI_OK);
            } else {
                assert_null(g);
                assert_int_equal(status, UBI_ENOMEM);
                assert_string_equal(ubi_error_message(), "out of memory");
            }
            ubi_graph_unref(g);
            fail_allocator_fini(&f);
            if (!refused)
                break;
            assert_in_range(n_allowed, 0, 300);
        }
}

/* The most memory this process has ever had, in bytes. */
static uint64_t peak_bytes(void) {
    char line[200];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}

/* Builds a graph of a million nodes and 2.5 million edges; exits with peak / size in percent. */
static void build_a_million_and_exit(uint64_t stride) {
    enum { N = 1000000 };
    uint64_t before = peak_bytes();
    ubi_graph_builder *b = new_builder();
    ubi_str_ix t = string(b, "T");
    for (uint64_t i = 0; i < N; i++) {
        add_node(b, 0x10000 + i * stride, t);
        for (uint64_t k = 0; k < 2 + i % 2; k++)
            add_edge(b, 0x10000 + (i * 3 + k) % N * stride);
    }
    ubi_graph *g;
    ubi_graph_memory m = UBI_GRAPH_MEMORY_INIT;
    if (ubi_graph_builder_finish(&g, b) != UBI_OK)
        _exit(255);
    ubi_graph_builder_free(b);
    ubi_graph_memory_use(g, &m);
    uint64_t size = m.nodes_bytes + m.edges_bytes + m.index_bytes + m.strings_bytes + m.stacks_bytes;
    _exit((int)((peak_bytes() - before) * 100 / size));
}

static unsigned peak_percent(uint64_t stride) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        build_a_million_and_exit(stride);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return (unsigned)WEXITSTATUS(status);
}

static void building_takes_at_most_1_3_times_the_finished_graph(void **state) {
    (void)state;
#if UBI_IS_SANITIZED
    skip(); /* sanitizers have memory of their own */
#endif
    assert_in_range(peak_percent(32), 80, 130);                /* addresses as in a real heap */
    assert_in_range(peak_percent(UINT64_C(1) << 30), 80, 130); /* ids that do not cluster */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_what_was_added_in_this_order),
        cmocka_unit_test(stacks_may_appear_late_and_nodes_before_them_have_none),
        cmocka_unit_test(without_stacks_there_is_no_column_for_them),
        cmocka_unit_test(edges_pushed_before_their_node_belong_to_it),
        cmocka_unit_test(nodes_with_indices_of_nothing_are_refused),
        cmocka_unit_test(frames_with_indices_of_nothing_are_refused),
        cmocka_unit_test(edges_of_nothing_and_with_names_of_nothing_are_refused),
        cmocka_unit_test(a_graph_that_does_not_hold_together_is_not_finished),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
        cmocka_unit_test(building_takes_at_most_1_3_times_the_finished_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
