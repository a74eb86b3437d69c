/* SPDX-License-Identifier: MIT
 *
 * graph_check_test.c: a sound graph passes the check, and each kind of damage done to it by hand is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawing.h"
#include "fail_allocator.h"
#include "graph/graph_columns.h"

/* Has everything: names, frames of equal content, an unreachable node, an order that is not breadth-first. */
static const char *const rich = "r(stack=f@a.js:1:2<m@a.js:3:4) -> b \"x\", c \"x\";"
                                "u(stack=f@b.js:1:2) -> r;"
                                "c(class=C coarse=object) -> b, r \"y\";"
                                "b(coarse=dom desc=div) -> b";
/* In breadth-first order, with an edge to the root. */
static const char *const ordered = "r -> a, b; a -> r, c; b -> c; c -> d";

typedef void (*damage_fn)(ubi_graph *g);

static void assert_found(const char *drawn, damage_fn damage, const char *invariant) {
    ubi_graph *g = graph_from_drawing(drawn);
    ubi_graph kept = *g;
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    damage(g);
    ubi_status status = ubi_graph_check(g);
    if (status != UBI_EFORMAT)
        fail_msg("not found: %s", invariant);
    if (!strstr(ubi_error_message(), invariant))
        fail_msg("found \"%s\" instead of \"%s\"", ubi_error_message(), invariant);
    *g = kept; /* lengths, so that everything is freed with its own size */
    ubi_graph_unref(g);
}

#define DEFINE_DAMAGE(name, statement)                                                                                 \
    static void name(ubi_graph *g) {                                                                                   \
        statement;                                                                                                     \
    }

DEFINE_DAMAGE(no_nodes, g->n_nodes = 0)
DEFINE_DAMAGE(root_outside, g->root = g->n_nodes)
DEFINE_DAMAGE(short_ids, g->id.n--)
DEFINE_DAMAGE(short_sizes, g->size_bytes.n--)
DEFINE_DAMAGE(short_kinds, g->kind.n--)
DEFINE_DAMAGE(short_first_edges, g->first_edge.n--)
DEFINE_DAMAGE(short_stacks, g->stack.n--)
DEFINE_DAMAGE(short_targets, g->target.n--)
DEFINE_DAMAGE(short_names, g->name.n--)
DEFINE_DAMAGE(first_edge_not_0, g->first_edge.at[0] = 1)
DEFINE_DAMAGE(last_edge_missing, g->first_edge.at[g->n_nodes]--)
DEFINE_DAMAGE(short_reachability, g->reachable.n++)

static void columns_of_wrong_length_are_found(void **state) {
    (void)state;
    assert_found(rich, no_nodes, "there is a root");
    assert_found(rich, root_outside, "there is a root");
    assert_found(rich, short_ids, "one entry per node");
    assert_found(rich, short_sizes, "one entry per node");
    assert_found(rich, short_kinds, "one entry per node");
    assert_found(rich, short_first_edges, "one entry per node");
    assert_found(rich, short_stacks, "the stack column is empty or");
    assert_found(rich, short_targets, "one entry per edge");
    assert_found(rich, short_names, "one entry per edge");
    assert_found(rich, first_edge_not_0, "cover all edges");
    assert_found(rich, last_edge_missing, "cover all edges");
    assert_found(rich, short_reachability, "one bit per node");
}

/* The last occurrence of "x", which is not its canonical entry. */
static uint32_t second_x(const ubi_graph *g) {
    return g->name.at[1];
}

DEFINE_DAMAGE(short_canonical, g->strings.canonical.n--)
DEFINE_DAMAGE(offset_outside, g->strings.end.at[g->strings.end.n - 1] = g->strings.bytes.n + 1)
DEFINE_DAMAGE(offset_descends, g->strings.end.at[1] = g->strings.end.at[0] - 1)
DEFINE_DAMAGE(own_canonical, g->strings.canonical.at[second_x(g)] = second_x(g))
DEFINE_DAMAGE(canonical_of_other_text, g->strings.canonical.at[second_x(g)] = 0)
DEFINE_DAMAGE(canonical_outside, g->strings.canonical.at[0] = 1000)
DEFINE_DAMAGE(other_text, g->strings.bytes.at[g->strings.end.at[second_x(g)] - 1] = 'z')

static void damage_of_the_string_table_is_found(void **state) {
    (void)state;
    assert_found(rich, short_canonical, "each string has a canonical entry");
    assert_found(rich, offset_outside, "string offsets ascend");
    assert_found(rich, offset_descends, "string offsets ascend");
    assert_found(rich, own_canonical, "the first of equal text");
    assert_found(rich, canonical_of_other_text, "the first of equal text");
    assert_found(rich, canonical_outside, "the first of equal text");
    assert_found(rich, other_text, "the first of equal text");
}

DEFINE_DAMAGE(kind_without_type, g->kinds.rows.at[1].type_name = UBI_NONE)
DEFINE_DAMAGE(kind_type_outside, g->kinds.rows.at[1].type_name = ubi_graph_string_count(g))
DEFINE_DAMAGE(kind_class_outside, g->kinds.rows.at[1].class_name = ubi_graph_string_count(g))
DEFINE_DAMAGE(kind_file_outside, g->kinds.rows.at[1].script_filename = ubi_graph_string_count(g))
DEFINE_DAMAGE(kind_name_outside, g->kinds.rows.at[1].descriptive_name = ubi_graph_string_count(g))
DEFINE_DAMAGE(kind_coarse_type, g->kinds.rows.at[1].coarse_type = (ubi_coarse_type)5)

static void damage_of_the_kinds_is_found(void **state) {
    (void)state;
    assert_found(rich, kind_without_type, "a kind's strings exist");
    assert_found(rich, kind_type_outside, "a kind's strings exist");
    assert_found(rich, kind_class_outside, "a kind's strings exist");
    assert_found(rich, kind_file_outside, "a kind's strings exist");
    assert_found(rich, kind_name_outside, "a kind's strings exist");
    assert_found(rich, kind_coarse_type, "a kind's coarse type is in 0..4");
}

DEFINE_DAMAGE(short_frames, g->frames.canonical.n--)
DEFINE_DAMAGE(own_parent, g->frames.rows.at[1].parent = 1)
DEFINE_DAMAGE(frame_without_source, g->frames.rows.at[1].source = UBI_NONE)
DEFINE_DAMAGE(frame_source_outside, g->frames.rows.at[1].source = ubi_graph_string_count(g))
DEFINE_DAMAGE(frame_name_outside, g->frames.rows.at[1].function_name = ubi_graph_string_count(g))
DEFINE_DAMAGE(frame_canonical_wrong, g->frames.canonical.at[2] = 1)
DEFINE_DAMAGE(frame_content_equal, g->frames.rows.at[2] = g->frames.rows.at[1])

static void damage_of_the_frames_is_found(void **state) {
    (void)state;
    assert_found(rich, short_frames, "each frame has a canonical entry");
    assert_found(rich, own_parent, "a frame's parent comes before it");
    assert_found(rich, frame_without_source, "a frame's strings exist");
    assert_found(rich, frame_source_outside, "a frame's strings exist");
    assert_found(rich, frame_name_outside, "a frame's strings exist");
    assert_found(rich, frame_canonical_wrong, "the first of equal content");
    assert_found(rich, frame_content_equal, "the first of equal content");
}

DEFINE_DAMAGE(node_kind_outside, g->kind.at[2] = (ubi_kind_ix)g->kinds.rows.n)
DEFINE_DAMAGE(node_stack_outside, g->stack.at[2] = (ubi_frame_ix)g->frames.rows.n)
DEFINE_DAMAGE(ranges_descend, g->first_edge.at[1] = g->first_edge.at[2] + 1)
DEFINE_DAMAGE(id_changed, g->id.at[2] = 77777)
DEFINE_DAMAGE(ids_swapped, g->id.at[2] = g->id.at[1])
DEFINE_DAMAGE(target_outside, g->target.at[1] = g->n_nodes)
DEFINE_DAMAGE(name_outside, g->name.at[1] = ubi_graph_string_count(g))

static void damage_of_nodes_and_edges_is_found(void **state) {
    (void)state;
    assert_found(rich, node_kind_outside, "a node's kind exists");
    assert_found(rich, node_stack_outside, "a node's stack exists");
    assert_found(rich, ranges_descend, "edge ranges ascend");
    assert_found(rich, id_changed, "the id index finds each node");
    assert_found(rich, ids_swapped, "the id index finds each node");
    assert_found(rich, target_outside, "an edge leads to a node");
    assert_found(rich, name_outside, "an edge's name exists");
}

DEFINE_DAMAGE(bit_set, g->reachable.at[0] |= 15)
DEFINE_DAMAGE(bit_cleared, g->reachable.at[0] &= ~UINT64_C(1))
DEFINE_DAMAGE(bits_forgotten, g->reachable.n = 0)
DEFINE_DAMAGE(count_wrong, g->n_reachable++)
DEFINE_DAMAGE(rank_wrong, g->root_visit_rank++)
DEFINE_DAMAGE(rank_none, g->root_visit_rank = UBI_NONE)
DEFINE_DAMAGE(rank_far, g->root_visit_rank = 1000)
DEFINE_DAMAGE(order_claimed, g->is_breadth_first = true)
DEFINE_DAMAGE(order_denied, g->is_breadth_first = false)

static void damage_of_reachability_is_found(void **state) {
    (void)state;
    assert_found(rich, bit_set, "reachability bits");
    assert_found(rich, bit_cleared, "reachability bits");
    assert_found(rich, bits_forgotten, "reachability bits");
    assert_found(rich, count_wrong, "the count of reachable nodes");
    assert_found(rich, rank_wrong, "the root's place");
    assert_found(rich, rank_none, "the root's place");
    assert_found(rich, order_claimed, "breadth-first order");
    assert_found(ordered, rank_wrong, "the root's place");
    assert_found(ordered, rank_far, "the root's place");
    assert_found(ordered, order_denied, "breadth-first order");
    assert_found("r -> b, a; b; a", rank_far, "the root's place");
}

static void an_order_that_breaks_only_among_equals_is_found(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("r -> a, b");
    g->target.at[0] = 2; /* both still at distance 1 */
    g->target.at[1] = 1;
    assert_int_equal(ubi_graph_check(g), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "breadth-first order"));
    ubi_graph_unref(g);
}

static void sound_graphs_of_all_shapes_pass(void **state) {
    (void)state;
    static const char *const drawn[] = { "r", "r -> r", "r; a -> r", "r -> a; a -> r, r; b -> b",
                                         "r -> c; a; b; c -> a, b" };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        ubi_graph *g = graph_from_drawing(drawn[i]); /* this checks */
        assert_int_equal(ubi_graph_check(g), UBI_OK);
        ubi_graph_unref(g);
    }
}

static void checking_without_memory_is_out_of_memory_and_leaks_nothing(void **state) {
    (void)state;
    drawing *d = drawing_new(rich);
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n_more = 0; status != UBI_OK; n_more++) {
        f.n_allowed = f.n_requests + n_more;
        status = ubi_graph_check(g);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        assert_in_range(n_more, 0, 20);
    }
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_wrong_length_are_found),
        cmocka_unit_test(damage_of_the_string_table_is_found),
        cmocka_unit_test(damage_of_the_kinds_is_found),
        cmocka_unit_test(damage_of_the_frames_is_found),
        cmocka_unit_test(damage_of_nodes_and_edges_is_found),
        cmocka_unit_test(damage_of_reachability_is_found),
        cmocka_unit_test(an_order_that_breaks_only_among_equals_is_found),
        cmocka_unit_test(sound_graphs_of_all_shapes_pass),
        cmocka_unit_test(checking_without_memory_is_out_of_memory_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
