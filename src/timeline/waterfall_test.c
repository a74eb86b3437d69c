/* SPDX-License-Identifier: MIT
 *
 * waterfall_test.c: TL-19, each oddity by name, and random markers against a plain transcription that keeps lists of children.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <ubiheap/views/timeline_waterfall.h>

#define MOST 400

static ubi_waterfall_marker span(uint64_t start, uint64_t end) {
    return (ubi_waterfall_marker){ .start_ns = start, .end_ns = end, .has_end = true };
}

static ubi_waterfall_marker not_nestable(ubi_waterfall_marker m) {
    m.is_not_nestable = m.is_not_collapsible = true;
    return m;
}

static ubi_waterfall_marker off_thread(ubi_waterfall_marker m) {
    m.is_off_thread = true;
    return m;
}

static void tl_19_nests_by_time_and_leaves_console_time_at_the_root(void **state) {
    enum { D1, CONSOLE_TIME, J1, G1, J2, D2, TIME_STAMP, J3, N };
    ubi_waterfall_marker m[N] = { span(1, 10), span(1, 19),  span(2, 5),   span(3, 4),
                                  span(6, 9),  span(12, 20), span(13, 13), span(14, 15) };
    ubi_waterfall_row rows[N];
    (void)state;
    m[CONSOLE_TIME] = not_nestable(m[CONSOLE_TIME]);
    m[TIME_STAMP].is_not_collapsible = true;
    ubi_timeline_waterfall(rows, m, N);
    const uint32_t parents[N] = { UBI_NONE, UBI_NONE, D1, J1, D1, UBI_NONE, D2, D2 };
    const uint32_t depths[N] = { 0, 0, 1, 2, 1, 0, 1, 1 };
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(rows[i].parent, parents[i]);
        assert_int_equal(rows[i].depth, depths[i]);
    }
    assert_int_equal(rows[D1].last_child, J2);
    assert_false(rows[TIME_STAMP].has_list);
    assert_false(rows[CONSOLE_TIME].has_list);
}

static void markers_off_the_main_thread_stay_at_the_root_and_adopt_what_follows(void **state) {
    ubi_waterfall_marker m[] = { span(0, 100), off_thread(span(10, 50)), span(20, 30), span(60, 70) };
    ubi_waterfall_row rows[4];
    (void)state;
    ubi_timeline_waterfall(rows, m, 4);
    assert_int_equal(rows[1].parent, UBI_NONE);
    assert_int_equal(rows[2].parent, 1);
    assert_int_equal(rows[3].parent, 0);
}

static void markers_of_another_process_do_not_nest(void **state) {
    ubi_waterfall_marker m[] = { span(0, 100), span(10, 20), span(30, 40) };
    ubi_waterfall_row rows[3];
    (void)state;
    m[1].process_type = 2;
    ubi_timeline_waterfall(rows, m, 3);
    assert_int_equal(rows[1].parent, UBI_NONE);
    /* and what was open is over */
    assert_int_equal(rows[2].parent, UBI_NONE);
}

static void an_empty_list_is_lost_only_by_those_that_are_over(void **state) {
    ubi_waterfall_marker m[] = { span(0, 1), span(2, 3) };
    ubi_waterfall_row rows[2];
    (void)state;
    ubi_timeline_waterfall(rows, m, 2);
    assert_false(rows[0].has_list);
    assert_true(rows[1].has_list);
}

static void a_parent_without_end_ends_with_its_last_child(void **state) {
    ubi_waterfall_marker m[] = { { .start_ns = 5 }, span(6, 9), span(10, 12), span(20, 30) };
    ubi_waterfall_row rows[4];
    (void)state;
    m[3].process_type = 1;
    ubi_timeline_waterfall(rows, m, 4);
    assert_int_equal(rows[1].parent, 0);
    assert_int_equal(rows[2].parent, 0);
    assert_true(rows[0].has_end);
    assert_int_equal(rows[0].end_ns, 12);
}

static void hidden_markers_are_passed_over(void **state) {
    ubi_waterfall_marker m[] = { span(0, 100), span(10, 90), span(20, 30) };
    ubi_waterfall_row rows[3];
    (void)state;
    m[1].is_hidden = true;
    ubi_timeline_waterfall(rows, m, 3);
    assert_int_equal(rows[1].parent, UBI_NONE);
    assert_false(rows[1].has_list);
    assert_int_equal(rows[2].parent, 0);
    assert_int_equal(rows[2].depth, 1);
}

static void no_markers_are_no_rows(void **state) {
    (void)state;
    ubi_timeline_waterfall(NULL, NULL, 0);
}

/* ---- the plain transcription --------------------------------------------------------------------------------------- */

typedef struct plain_node {
    uint32_t index;
    bool has_submarkers;
    struct plain_node *submarkers[MOST];
    uint32_t n;
    uint64_t end;
    bool has_end;
} plain_node;

typedef struct plain {
    const ubi_waterfall_marker *markers;
    plain_node *nodes;
    plain_node root;
    plain_node *parents[MOST];
    uint32_t n_parents;
} plain;

static void plain_push(plain *p, plain_node *parent, plain_node *node) {
    parent->submarkers[parent->n++] = node;
    if (node->has_submarkers)
        p->parents[p->n_parents++] = node;
}

static void plain_pop(plain *p) {
    plain_node *parent = p->parents[--p->n_parents];
    if (!parent->has_end && parent->n) {
        parent->end = parent->submarkers[parent->n - 1]->end;
        parent->has_end = parent->submarkers[parent->n - 1]->has_end;
    }
    if (parent->n == 0)
        parent->has_submarkers = false;
}

static bool plain_is_in(const plain *p, const plain_node *parent, const plain_node *node) {
    const ubi_waterfall_marker *a = &p->markers[parent->index], *b = &p->markers[node->index];
    bool end_fits = a->has_end ? b->has_end && b->end_ns <= a->end_ns : true;
    return b->start_ns >= a->start_ns && end_fits && a->process_type == b->process_type;
}

static void plain_run(plain *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const ubi_waterfall_marker *m = &p->markers[i];
        plain_node *node = &p->nodes[i];
        node->index = i;
        node->end = m->end_ns;
        node->has_end = m->has_end;
        if (m->is_hidden)
            continue;
        node->has_submarkers = !m->is_not_collapsible;
        if (m->is_not_nestable || m->is_off_thread) {
            plain_push(p, &p->root, node);
            continue;
        }
        bool done = false;
        while (!done && p->n_parents) {
            plain_node *parent = p->parents[p->n_parents - 1];
            if (plain_is_in(p, parent, node)) {
                plain_push(p, parent, node);
                done = true;
            } else {
                plain_pop(p);
            }
        }
        if (!done)
            plain_push(p, &p->root, node);
    }
}

static void check_children(const plain_node *parent, uint32_t parent_index, const ubi_waterfall_row *rows) {
    for (uint32_t k = 0; k < parent->n; k++)
        assert_int_equal(rows[parent->submarkers[k]->index].parent, parent_index);
    if (parent_index != UBI_NONE)
        assert_int_equal(rows[parent_index].last_child,
                         parent->n ? parent->submarkers[parent->n - 1]->index : UBI_NONE);
}

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static uint32_t make_markers(ubi_waterfall_marker *m, uint64_t *seed) {
    uint32_t n = next_random(seed) % MOST, range = 2 + next_random(seed) % 500;
    uint64_t start = 0;
    for (uint32_t i = 0; i < n; i++) {
        start += next_random(seed) % 4;
        m[i] = span(start, start + next_random(seed) % range);
        uint32_t kind = next_random(seed) % 64;
        m[i].is_hidden = kind == 0;
        m[i].is_off_thread = kind == 1 || kind == 2;
        m[i].is_not_nestable = kind == 3;
        m[i].is_not_collapsible = kind == 3 || kind == 4 || kind == 5;
        m[i].process_type = kind == 6 ? 2 : 0;
        m[i].has_end = kind != 7;
    }
    return n;
}

static void compare_once(uint64_t *seed) {
    static ubi_waterfall_marker m[MOST];
    static ubi_waterfall_row rows[MOST];
    uint32_t n = make_markers(m, seed);
    plain *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->markers = m;
    p->nodes = calloc(MOST, sizeof *p->nodes);
    assert_non_null(p->nodes);
    plain_run(p, n);
    memset(rows, 0x5a, sizeof rows);
    ubi_timeline_waterfall(rows, m, n);
    check_children(&p->root, UBI_NONE, rows);
    for (uint32_t i = 0; i < n; i++) {
        check_children(&p->nodes[i], i, rows);
        assert_int_equal(rows[i].has_list, p->nodes[i].has_submarkers);
        assert_int_equal(rows[i].has_end, p->nodes[i].has_end);
        if (rows[i].has_end)
            assert_int_equal(rows[i].end_ns, p->nodes[i].end);
        assert_int_equal(rows[i].depth, rows[i].parent == UBI_NONE ? 0 : rows[rows[i].parent].depth + 1);
    }
    free(p->nodes);
    free(p);
}

static void random_markers_nest_as_the_plain_transcription_has_them(void **state) {
    uint64_t seed = 20150917;
    (void)state;
    for (int i = 0; i < 300; i++)
        compare_once(&seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tl_19_nests_by_time_and_leaves_console_time_at_the_root),
        cmocka_unit_test(markers_off_the_main_thread_stay_at_the_root_and_adopt_what_follows),
        cmocka_unit_test(markers_of_another_process_do_not_nest),
        cmocka_unit_test(an_empty_list_is_lost_only_by_those_that_are_over),
        cmocka_unit_test(a_parent_without_end_ends_with_its_last_child),
        cmocka_unit_test(hidden_markers_are_passed_over),
        cmocka_unit_test(no_markers_are_no_rows),
        cmocka_unit_test(random_markers_nest_as_the_plain_transcription_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
