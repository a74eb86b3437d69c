/* SPDX-License-Identifier: MIT
 *
 * node_test.c: what a heap that leaves operations out answers, and the names of coarse types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include <ubiheap/core/node.h>

static uint64_t only_id(ubi_node node) {
    return node.ref * 10;
}
static ubi_text only_type_name(ubi_node node) {
    (void)node;
    return ubi__text("Thing");
}
static bool only_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    return fn(payload, node, ubi__text(want_names ? "self" : NULL));
}

static const ubi_node_ops bare_ops = {
    .version = UBI_NODE_OPS_VERSION, .id = only_id, .type_name = only_type_name, .edges = only_edges
};

static void operations_that_are_left_out_have_defaults(void **state) {
    (void)state;
    ubi_node node = { &bare_ops, NULL, 4 };
    ubi_stack stack = { NULL, NULL, 77 };
    assert_int_equal(ubi_node_id(node), 40);
    assert_true(ubi__text_is(ubi_node_type_name(node), "Thing"));
    assert_int_equal(ubi_node_coarse_type(node), UBI_COARSE_OTHER);
    assert_int_equal(ubi_node_size_bytes(node), 1);
    assert_null(ubi_node_class_name(node).ptr);
    assert_null(ubi_node_descriptive_name(node).ptr);
    assert_null(ubi_node_script_filename(node).ptr);
    assert_false(ubi_node_allocation_stack(node, &stack));
    assert_int_equal(stack.ref, 77);
    assert_true(ubi_node_is_live(node));
}

static bool expect_self(void *payload, ubi_node referent, ubi_text name) {
    assert_int_equal(referent.ref, 4);
    return ubi__text_is(name, payload ? payload : "self") == (payload == NULL);
}

static void edges_pass_the_wish_for_names_and_the_answer_on(void **state) {
    (void)state;
    ubi_node node = { &bare_ops, NULL, 4 };
    char other[] = "other";
    assert_true(ubi_node_edges(node, true, expect_self, NULL));
    assert_false(ubi_node_edges(node, false, expect_self, NULL));
    assert_true(ubi_node_edges(node, true, expect_self, other));
}

static void coarse_types_have_the_names_of_the_format(void **state) {
    (void)state;
    static const char *const names[] = { "Other", "Object", "Script", "String", "DOMNode" };
    for (int i = 0; i < UBI_COARSE_TYPE_COUNT; i++)
        assert_string_equal(ubi_coarse_type_name((ubi_coarse_type)i), names[i]);
    assert_string_equal(ubi_coarse_type_name((ubi_coarse_type)5), "Unknown");
    assert_string_equal(ubi_coarse_type_name((ubi_coarse_type)-1), "Unknown");
}

static void nodes_are_equal_by_heap_and_reference_alone(void **state) {
    (void)state;
    int a, b;
    ubi_node_ops other = bare_ops;
    assert_true(ubi_node_equal((ubi_node){ &bare_ops, &a, 1 }, (ubi_node){ &other, &a, 1 }));
    assert_false(ubi_node_equal((ubi_node){ &bare_ops, &a, 1 }, (ubi_node){ &bare_ops, &a, 2 }));
    assert_false(ubi_node_equal((ubi_node){ &bare_ops, &a, 1 }, (ubi_node){ &bare_ops, &b, 1 }));
    assert_true(ubi_node_is_null((ubi_node){ NULL, NULL, 0 }));
    assert_false(ubi_node_is_null((ubi_node){ &bare_ops, NULL, 0 }));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_that_are_left_out_have_defaults),
        cmocka_unit_test(edges_pass_the_wish_for_names_and_the_answer_on),
        cmocka_unit_test(coarse_types_have_the_names_of_the_format),
        cmocka_unit_test(nodes_are_equal_by_heap_and_reference_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
