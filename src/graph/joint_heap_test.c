/* SPDX-License-Identifier: MIT
 *
 * joint_heap_test.c: several graphs as one heap, captured as one graph again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph/joint_heap.h"

/* Addresses that both have are of different things; 24 and 25 are none's at first. */
static const char *const drawn[] = {
    "10(type=Root) -> 16 \"a\", 24 \"b\"; 16(class=Array coarse=object size=100 stack=f@a.js:1:1) -> 24; 24(type=S "
    "size=7)",
    "32(type=Root) -> 24 \"c\"; 24(class=Map coarse=object size=50 stack=g@b.js:2:2) -> 25 \"d\", 16, 24 \"self\";"
    "25(type=S size=3); 16(coarse=script file=x.js)",
    "40(type=Root)",
};

enum { PARTS = 3 };

static void parts_draw(ubi__joint_part parts[PARTS]) {
    static const char *const names[PARTS] = { "main", "worker", "empty" };
    for (int i = 0; i < PARTS; i++)
        parts[i] = (ubi__joint_part){ graph_from_drawing(drawn[i]), ubi__text(names[i]) };
}

static void parts_drop(const ubi__joint_part parts[PARTS]) {
    for (int i = 0; i < PARTS; i++)
        ubi_graph_unref((ubi_graph *)(uintptr_t)parts[i].graph);
}

/* The referent of the edge of this name. */
static ubi_node_ix follow(const ubi_graph *g, ubi_node_ix node, const char *name) {
    char digits[UBI_EDGE_LABEL_BYTES];
    for (ubi_edge_ix e = ubi_graph_first_edge(g, node); e < ubi_graph_first_edge(g, node + 1); e++)
        if (ubi__text_is(ubi_graph_edge_label(g, e, digits), name))
            return ubi_graph_edge_target(g, e);
    fail_msg("no edge %s", name);
    return UBI_NONE;
}

static void assert_is(const ubi_graph *g, ubi_node_ix node, uint64_t id, uint64_t size_bytes, const char *type) {
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, node));
    assert_int_equal(ubi_graph_node_id(g, node), id);
    assert_int_equal(ubi_graph_node_size_bytes(g, node), size_bytes);
    assert_true(ubi__text_is(ubi_graph_string(g, kind->type_name), type));
}

static void assert_allocated_by(const ubi_graph *g, ubi_node_ix node, const char *function) {
    ubi_stack stack;
    ubi_frame frame;
    assert_true(ubi_node_allocation_stack(ubi_graph_as_node(g, node), &stack));
    ubi_stack_frame(stack, &frame);
    assert_true(ubi__text_is(frame.function_name, function));
}

static void graphs_are_below_one_root(void **state) {
    ubi__joint_part parts[PARTS];
    ubi__joint_heap *heap;
    ubi_graph *g;
    (void)state;
    parts_draw(parts);
    assert_int_equal(ubi__joint_heap_new(&heap, parts, PARTS, NULL), UBI_OK);
    assert_int_equal(ubi_graph_capture(&g, ubi__joint_heap_root(heap), NULL), UBI_OK);
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    assert_int_equal(ubi_graph_node_count(g), 1 + 3 + 4 + 1);
    ubi_node_ix root = ubi_graph_root(g);
    ubi_node_ix first = follow(g, root, "main"), second = follow(g, root, "worker");
    assert_is(g, root, 1, 1, "JS::ubi::RootList");
    assert_is(g, first, 10, 1, "Root");
    assert_is(g, second, 32, 1, "Root");
    assert_is(g, follow(g, root, "empty"), 40, 1, "Root");
    assert_is(g, follow(g, first, "a"), 16, 100, "T");
    assert_is(g, follow(g, first, "b"), 24, 7, "S");
    ubi_node_ix map = follow(g, second, "c");
    assert_is(g, map, 26, 50, "T"); /* 24 is another's, and 25 is taken as well */
    assert_is(g, follow(g, map, "d"), 25, 3, "S");
    assert_int_equal(follow(g, map, "self"), map);
    assert_int_equal(ubi_graph_node_id(g, ubi_graph_edge_target(g, ubi_graph_first_edge(g, map) + 1)), 17);
    assert_allocated_by(g, follow(g, first, "a"), "f");
    assert_allocated_by(g, map, "g");
    ubi_graph_unref(g);
    ubi__joint_heap_free(heap);
    parts_drop(parts);
}

static void kinds_of_graphs_are_not_mixed_up(void **state) {
    ubi__joint_part parts[PARTS];
    ubi__joint_heap *heap;
    ubi_graph *g;
    (void)state;
    parts_draw(parts);
    assert_int_equal(ubi__joint_heap_new(&heap, parts, PARTS, NULL), UBI_OK);
    assert_int_equal(ubi_graph_capture(&g, ubi__joint_heap_root(heap), NULL), UBI_OK);
    ubi_node_ix root = ubi_graph_root(g), empty = follow(g, root, "empty"),
                map = follow(g, follow(g, root, "worker"), "c");
    const ubi_kind *array = ubi_graph_kind(g, ubi_graph_node_kind(g, follow(g, follow(g, root, "main"), "a")));
    const ubi_kind *other = ubi_graph_kind(g, ubi_graph_node_kind(g, map));
    assert_true(ubi__text_is(ubi_graph_string(g, array->class_name), "Array"));
    assert_true(ubi__text_is(ubi_graph_string(g, other->class_name), "Map"));
    const ubi_kind *script =
        ubi_graph_kind(g, ubi_graph_node_kind(g, ubi_graph_edge_target(g, ubi_graph_first_edge(g, map) + 1)));
    assert_int_equal(script->coarse_type, UBI_COARSE_SCRIPT);
    assert_true(ubi__text_is(ubi_graph_string(g, script->script_filename), "x.js"));
    const ubi_kind *below = ubi_graph_kind(g, ubi_graph_node_kind(g, empty));
    assert_true(ubi__text_is(ubi_graph_string(g, below->descriptive_name), "empty"));
    assert_int_equal(array->descriptive_name, UBI_NONE);
    ubi_graph_unref(g);
    ubi__joint_heap_free(heap);
    parts_drop(parts);
}

static ubi_status join(void *payload, const ubi_allocator *allocator) {
    ubi__joint_heap *heap = NULL;
    UBI_TRY(ubi__joint_heap_new(&heap, payload, PARTS, allocator));
    ubi__joint_heap_free(heap);
    return UBI_OK;
}

static void each_allocation_is_refused(void **state) {
    ubi__joint_part parts[PARTS];
    (void)state;
    parts_draw(parts);
    assert_true(fail_each_allocation(join, parts) >= 4);
    parts_drop(parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_below_one_root),
        cmocka_unit_test(kinds_of_graphs_are_not_mixed_up),
        cmocka_unit_test(each_allocation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
