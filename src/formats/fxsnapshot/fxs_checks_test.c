/* SPDX-License-Identifier: MIT
 *
 * fxs_checks_test.c: the invariants of the fxsnapshot reader are seen when they break, and what one of them found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "formats/fxsnapshot/fxs_reader.h"

static void check_window(void *payload) {
    ubi__fxs_window_check(payload);
}
static void check_node(void *payload) {
    ubi__fxs_node_check(payload);
}

static void a_damaged_window_is_seen(void **state) {
    (void)state;
    uint8_t bytes[64 + UBI__STREAM_PADDING] = { 0 };
    ubi__fxs_window w = { .at = bytes + 4, .end = bytes + 8, .end_offset = 100 };
    ubi__fxs_window_check(&w);
    w.at = bytes + 9;
    assert_damage_seen(check_window, &w, "w->at <= w->end");
    w.at = bytes + 4;
    w.end_offset = 3;
    assert_damage_seen(check_window, &w, "<= w->end_offset");
    w.end_offset = 100;
    w.joined = (ubi__vec_u8){ bytes, 64, 64 };
    assert_damage_seen(check_window, &w, "w->joined.n + UBI__STREAM_PADDING <= w->joined.cap");
    w.joined.cap = sizeof bytes;
    bytes[64] = 1;
    assert_damage_seen(check_window, &w, "w->joined.at[w->joined.n + i] == 0");
}

static void a_damaged_node_is_seen(void **state) {
    (void)state;
    ubi__fxs_reader *r = calloc(1, sizeof *r);
    ubi__fxs_side_name sides[] = { { 0, 0 }, { 0, 0 } };
    assert_non_null(r);
    assert_int_equal(ubi_graph_builder_new(&r->builder, NULL), UBI_OK);
    ubi__fxs_node_begin(r);
    ubi__fxs_node_check(r);
    r->node.is_deferred = true;
    assert_damage_seen(check_node, r, "!node->is_deferred || (node->has_begun_edges");
    r->node.has_begun_edges = true;
    r->side_names = (ubi__vec_side_name){ sides, 2, 2 };
    assert_damage_seen(check_node, r, "side->edge < r->builder->graph->name.n");
    ubi__fxs_node_begin(r);
    r->node.first_edge = 1;
    assert_damage_seen(check_node, r, "node->first_edge <= r->builder->graph->name.n");
    ubi__fxs_node_begin(r);
    r->node.strings_before = 1;
    assert_damage_seen(check_node, r, "n_strings >= node->strings_before");
    ubi__fxs_node_begin(r);
    r->node.stack = (ubi__fxs_string){ .form = UBI__FXS_INLINE, .is_pinned = true, .n_bytes = 1 };
    assert_damage_seen(check_node, r, "s->n_bytes <= r->scratch.n - s->at");
    ubi_graph_builder_free(r->builder);
    free(r);
}

/* The tag of field 5 in two bytes. The type name still comes first in the table, and the second node refers to it. */
static void an_edge_whose_tag_is_longer_than_needed_comes_after_the_type_name(void **state) {
    static const uint8_t file[] = { 2,    0x08, 1,                             /* metadata */
                                    17,   0x08, 1,                             /* root: id */
                                    0x12, 2,    'T', 0,                        /* type name */
                                    0x20, 1,                                   /* size */
                                    0xaa, 0x00, 6,   0x08, 2, 0x12, 2, 'x', 0, /* edge to 2 named x */
                                    6,    0x08, 2,   0x18, 0, 0x20, 1 };       /* node 2, of type 0 */
    ubi_graph *g;
    (void)state;
    assert_int_equal(ubi_graph_read_memory(&g, file, sizeof file, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_node_count(g), 2);
    for (ubi_node_ix n = 0; n < 2; n++)
        assert_true(ubi__text_is(ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, n))->type_name), "T"));
    assert_true(ubi__text_is(ubi_graph_string(g, g->name.at[0]), "x"));
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_window_is_seen),
        cmocka_unit_test(a_damaged_node_is_seen),
        cmocka_unit_test(an_edge_whose_tag_is_longer_than_needed_comes_after_the_type_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
