/* SPDX-License-Identifier: MIT
 *
 * dominated_list_test.c: children of a node that dominates many, in order and in sum, and pages of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "base/text.h"
#include "graph_maker.h"
#include "questions/dominators/dominated_list.h"
#include "written_text.h"

enum { CHILDREN = 4 * UBI__DOMINATED_MANY + 7, FEW = 5 };

/* Sizes that repeat, in no order. */
static uint64_t size_of_child(uint32_t i) {
    return (i * UINT64_C(2654435761)) % 3001;
}

typedef struct heap {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
    const ubi_dominators *dominators;
    const ubi_look *look;
} heap;

/* The root 0 dominates CHILDREN nodes with ids from 1 on; the first of these dominates FEW. */
static ubi_graph *graph_make(void) {
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 0, 1);
    for (uint32_t i = 0; i < CHILDREN; i++)
        graph_maker_edge(&m, i + 1);
    for (uint32_t i = 0; i < CHILDREN; i++) {
        graph_maker_node(&m, i + 1, size_of_child(i));
        for (uint32_t k = 0; i == 0 && k < FEW; k++)
            graph_maker_edge(&m, CHILDREN + 1 + k);
    }
    for (uint32_t k = 0; k < FEW; k++)
        graph_maker_node(&m, CHILDREN + 1 + k, 10 + k);
    return graph_maker_finish(&m);
}

static heap heap_make(void) {
    heap h = { 0 };
    ubi_graph *graph = graph_make();
    assert_int_equal(ubi_session_pool_new(&h.pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&h.session, h.pool, graph, "heap", NULL), UBI_OK);
    ubi_graph_unref(graph);
    assert_int_equal(ubi_session_use_begin(&h.use, h.session, NULL), UBI_OK);
    assert_int_equal(ubi_session_dominators(&h.dominators, h.use, true), UBI_OK);
    assert_int_equal(ubi_session_look(&h.look, h.use), UBI_OK);
    return h;
}

static void heap_end(heap *h) {
    ubi_session_use_end(h->use);
    ubi_session_unref(h->session);
    ubi_session_pool_unref(h->pool);
}

/* How many parts of this name were built. */
static uint32_t builds_of(const heap *h, const char *name) {
    ubi_session_part_row row;
    uint32_t n = 0;
    for (size_t i = 0; ubi_session_part_at(&row, h->session, i); i++)
        n += strcmp(row.name, name) == 0 ? row.n_builds : 0;
    return n;
}

static void first_children_are_the_largest(void **state) {
    static const uint32_t wanted[] = { 0, 1, 50, UBI__DOMINATED_MANY, UBI__DOMINATED_MANY + 1, CHILDREN - 1, CHILDREN };
    static ubi_node_ix expected[CHILDREN];
    heap h = heap_make();
    (void)state;
    assert_true(ubi__dominates_many(h.dominators, 0));
    assert_false(ubi__dominates_many(h.dominators, 1));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const ubi_node_ix *first;
        uint32_t n;
        assert_int_equal(ubi_dominators_largest(expected, &n, h.dominators, 0, wanted[i]), UBI_OK);
        assert_int_equal(ubi__dominated_first(&first, h.use, 0, wanted[i]), UBI_OK);
        assert_memory_equal(first, expected, wanted[i] * sizeof *first);
    }
    heap_end(&h);
}

static void a_list_is_ordered_once_and_again_where_it_gets_long(void **state) {
    const ubi_node_ix *first;
    heap h = heap_make();
    (void)state;
    for (uint32_t n = 0; n <= UBI__DOMINATED_MANY; n += 64)
        assert_int_equal(ubi__dominated_first(&first, h.use, 0, n), UBI_OK);
    assert_int_equal(builds_of(&h, "dominated order"), 1);
    for (uint32_t n = 0; n <= CHILDREN; n += 64)
        assert_int_equal(ubi__dominated_first(&first, h.use, 0, n), UBI_OK);
    assert_int_equal(builds_of(&h, "dominated order"), 3); /* twice as long, and whole */
    heap_end(&h);
}

static void sums_are_those_of_all_children(void **state) {
    heap h = heap_make();
    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (ubi_node_ix node = 0; node < 3; node++) {
            ubi__dominated_sums sums, expected = ubi__dominated_sums_of(h.dominators, h.look, node);
            assert_int_equal(ubi__dominated_sums_get(&sums, h.use, node), UBI_OK);
            assert_int_equal(sums.count, expected.count);
            assert_int_equal(sums.shallow_bytes, expected.shallow_bytes);
            assert_int_equal(sums.retained_bytes, expected.retained_bytes);
            assert_int_equal(sums.count, node == 0 ? CHILDREN : node == 1 ? FEW : 0);
        }
    assert_int_equal(builds_of(&h, "dominated sums"), 1); /* of the root alone */
    heap_end(&h);
}

/* ---- pages ------------------------------------------------------------------------------------------------------------ */

/* The ids below the root that a question lists, in order. */
static uint32_t ids_asked(uint64_t out[CHILDREN], const heap *h, uint32_t offset, uint32_t siblings) {
    static const char key[] = "\"nodeId\":", children[] = "\"children\":[";
    char parameters[100];
    text t = { .room = SIZE_MAX };
    uint32_t n = 0;
    snprintf(parameters, sizeof parameters, "{\"depth\": 2, \"siblings\": %u, \"offset\": %u}", siblings, offset);
    assert_int_equal(ubi_ask(h->session, "dominators", parameters, text_write, &t, NULL), UBI_OK);
    assert_int_equal(ubi__vec_u8_push(&t.bytes, ubi_allocator_default(), 0), UBI_OK);
    const char *at = strstr((char *)t.bytes.at, children);
    while (at && (at = strstr(at, key)))
        out[n++] = strtoull(at += sizeof key - 1, NULL, 10);
    text_fini(&t);
    return n;
}

static void pages_follow_each_other_to_the_end(void **state) {
    static const uint32_t per_page = 1500;
    static ubi_node_ix expected[CHILDREN];
    static uint64_t page[CHILDREN];
    uint32_t n, at = 0;
    heap h = heap_make();
    (void)state;
    assert_int_equal(ubi_dominators_largest(expected, &n, h.dominators, 0, CHILDREN), UBI_OK);
    while (at < CHILDREN) {
        uint32_t n_page = ids_asked(page, &h, at, per_page);
        assert_int_equal(n_page, CHILDREN - at < per_page ? CHILDREN - at : per_page);
        for (uint32_t i = 0; i < n_page; i++)
            assert_int_equal(page[i], expected[at + i]); /* ids are indices */
        at += n_page;
    }
    assert_int_equal(ids_asked(page, &h, CHILDREN, per_page), 0);
    heap_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_children_are_the_largest),
        cmocka_unit_test(a_list_is_ordered_once_and_again_where_it_gets_long),
        cmocka_unit_test(sums_are_those_of_all_children),
        cmocka_unit_test(pages_follow_each_other_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
