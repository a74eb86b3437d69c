/* SPDX-License-Identifier: MIT
 *
 * Tests of the layout of tree maps: d3's own numbers (tests/data/treemap), the rules that any layout keeps, bad arguments.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/treemap.h>

#include "fail_allocator.h"

/* ---- d3's layouts ------------------------------------------------------------------------------------------------ */

typedef struct expected_box {
    double value, x, y, width, height;
} expected_box;

typedef struct example {
    char name[32];
    ubi_treemap_options options;
    uint32_t n;
    uint32_t *parent;
    uint64_t *weight;
    expected_box *expected;
} example;

static void *array(uint32_t n, size_t size) {
    void *p = calloc(n, size);
    assert_non_null(p);
    return p;
}

static void read_node(FILE *file, example *e, uint32_t i) {
    char parent[16];
    expected_box *box = &e->expected[i];
    assert_int_equal(fscanf(file, "%15s %" SCNu64 " %lf %lf %lf %lf %lf", parent, &e->weight[i], &box->value, &box->x,
                            &box->y, &box->width, &box->height),
                     7);
    e->parent[i] = parent[0] == '-' ? UBI_NONE : (uint32_t)strtoul(parent, NULL, 10);
}

static bool read_example(FILE *file, example *e) {
    e->options = (ubi_treemap_options)UBI_TREEMAP_OPTIONS_INIT;
    int n = fscanf(file, " layout %31s %lf %lf %lf %" SCNu32, e->name, &e->options.width, &e->options.height,
                   &e->options.pixel_ratio, &e->n);
    if (n == EOF)
        return false;
    assert_int_equal(n, 5);
    e->parent = array(e->n, sizeof *e->parent);
    e->weight = array(e->n, sizeof *e->weight);
    e->expected = array(e->n, sizeof *e->expected);
    for (uint32_t i = 0; i < e->n; i++)
        read_node(file, e, i);
    return true;
}

static void check_example(const example *e) {
    ubi_treemap_box *boxes = array(e->n, sizeof *boxes);
    double left = 5 * e->options.pixel_ratio, top = 15 * e->options.pixel_ratio;
    assert_int_equal(ubi_treemap_layout(boxes, e->parent, e->weight, e->n, &e->options), UBI_OK);
    for (uint32_t i = 0; i < e->n; i++) {
        const expected_box *want = &e->expected[i];
        if (boxes[i].x + left != want->x || boxes[i].y + top != want->y || boxes[i].width != want->width ||
            boxes[i].height != want->height || (double)boxes[i].weight != want->value)
            fail_msg("%s, node %u: %g,%g %gx%g of %" PRIu64 ", expected %g,%g %gx%g of %g", e->name, i,
                     boxes[i].x + left, boxes[i].y + top, boxes[i].width, boxes[i].height, boxes[i].weight, want->x,
                     want->y, want->width, want->height, want->value);
    }
    free(boxes);
}

static void boxes_are_where_d3_has_them(void **state) {
    (void)state;
    FILE *file = fopen("tests/data/treemap/d3-layouts.txt", "r");
    example e;
    int n = 0;
    assert_non_null(file);
    for (; read_example(file, &e); n++) {
        check_example(&e);
        free(e.parent);
        free(e.weight);
        free(e.expected);
    }
    assert_int_equal(n, 16);
    fclose(file);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t roll(uint32_t n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* A random tree in breadth-first order: the parents of nodes ascend. */
static void random_tree(uint32_t *parent, uint64_t *weight, uint32_t n) {
    parent[0] = UBI_NONE;
    weight[0] = roll(100);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t from = i > 1 ? parent[i - 1] : 0;
        uint32_t step = roll(3) ? 0 : roll(4);
        parent[i] = from + step < i ? from + step : i - 1;
        weight[i] = roll(4) ? roll(1u << roll(24)) : 0;
    }
}

static void assert_inside(const ubi_treemap_box *outer, const ubi_treemap_box *box) {
    const double slack = 1e-6;
    assert_true(box->width >= 0 && box->height >= 0);
    if (box->width == 0 || box->height == 0)
        return; /* d3 puts those of a box that is lower than its padding below its middle, perhaps outside */
    assert_true(box->x >= outer->x - slack && box->x + box->width <= outer->x + outer->width + slack);
    assert_true(box->y >= outer->y - slack && box->y + box->height <= outer->y + outer->height + slack);
}

static void assert_apart(const ubi_treemap_box *a, const ubi_treemap_box *b) {
    const double slack = 1e-6;
    double width = fmin(a->x + a->width, b->x + b->width) - fmax(a->x, b->x);
    double height = fmin(a->y + a->height, b->y + b->height) - fmax(a->y, b->y);
    assert_true(width <= slack || height <= slack);
}

static void check_rules(const ubi_treemap_box *boxes, const uint32_t *parent, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        assert_inside(&boxes[parent[i]], &boxes[i]);
        for (uint32_t j = i + 1; j < n && parent[j] == parent[i]; j++)
            assert_apart(&boxes[i], &boxes[j]);
    }
}

static void boxes_lie_inside_their_parents_and_apart_whatever_the_canvas(void **state) {
    (void)state;
    enum { N = 150 };
    uint32_t parent[N];
    uint64_t weight[N];
    ubi_treemap_box boxes[N];
    for (seed = 1; seed < 400;) {
        uint32_t next_seed = seed + 1, n = 1 + roll(N);
        ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
        random_tree(parent, weight, n);
        o.width = 1 + roll(roll(2) ? 40 : 2000);
        o.height = 1 + roll(roll(2) ? 40 : 2000);
        o.pixel_ratio = roll(2) ? 1 : 1.25;
        o.is_exact = roll(2);
        o.order = roll(2) ? UBI_TREEMAP_LARGEST_FIRST : UBI_TREEMAP_SMALLEST_FIRST;
        assert_int_equal(ubi_treemap_layout(boxes, parent, weight, n, &o), UBI_OK);
        check_rules(boxes, parent, n);
        seed = next_seed;
    }
}

static void areas_are_as_the_weights_when_nothing_is_rounded(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE, 0, 0, 0, 1, 1, 1 };
    static const uint64_t weight[] = { 0, 0, 20, 30, 10, 15, 25 };
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_treemap_box boxes[7];
    o.is_exact = true;
    o.pad_top = o.pad_right = o.pad_bottom = o.pad_left = 0;
    for (int order = 0; order < 2; order++) {
        o.order = (ubi_treemap_order)order;
        assert_int_equal(ubi_treemap_layout(boxes, parent, weight, 7, &o), UBI_OK);
        assert_int_equal(boxes[0].weight, 100);
        assert_int_equal(boxes[1].weight, 50);
        for (int i = 0; i < 7; i++)
            assert_true(fabs(boxes[i].width * boxes[i].height - (double)boxes[i].weight * 6000) < 1e-3);
    }
}

static void the_largest_box_comes_first_when_asked_for(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE, 0, 0, 0 };
    static const uint64_t weight[] = { 0, 1, 5, 2 };
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_treemap_box boxes[4];
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, 4, &o), UBI_OK);
    assert_true(boxes[2].x + boxes[2].width == 1000 && boxes[2].y + boxes[2].height == 600);
    o.order = UBI_TREEMAP_LARGEST_FIRST;
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, 4, &o), UBI_OK);
    assert_true(boxes[2].x == 0 && boxes[2].y == 0);
}

static void below_the_depth_limit_nodes_count_but_have_no_place(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE, 0, 1, 2 };
    static const uint64_t weight[] = { 0, 0, 0, 7 };
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_treemap_box boxes[4];
    o.max_depth = 1;
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, 4, &o), UBI_OK);
    assert_true(boxes[1].width == 1000 && boxes[1].weight == 7);
    assert_true(boxes[2].width == 0 && boxes[2].weight == 7 && boxes[3].depth == 3);
}

static void weights_that_do_not_fit_saturate(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE, 0, 0 };
    static const uint64_t weight[] = { 0, UINT64_MAX, UINT64_MAX };
    ubi_treemap_box boxes[3];
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, 3, NULL), UBI_OK);
    assert_int_equal(boxes[0].weight, UINT64_MAX);
    check_rules(boxes, parent, 3);
}

/* d3 would look at the whole row for each of these: 10^12 steps. */
static void a_million_children_that_weigh_nothing_take_no_time(void **state) {
    (void)state;
    enum { N = 1000000 };
    uint32_t *parent = array(N, sizeof *parent);
    uint64_t *weight = array(N, sizeof *weight);
    ubi_treemap_box *boxes = array(N, sizeof *boxes);
    parent[0] = UBI_NONE;
    weight[N - 1] = 1;
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, N, NULL), UBI_OK);
    assert_true(boxes[N - 1].width == 1000 && boxes[N - 1].height == 600);
    for (uint32_t i = 1; i < N; i++) /* a chain, which must not recurse */
        parent[i] = i - 1;
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, N, NULL), UBI_OK);
    assert_true(boxes[1].width == 1000 && boxes[N - 1].width == 0 && boxes[N - 1].depth == N - 1);
    free(parent);
    free(weight);
    free(boxes);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void assert_refused(const uint32_t *parent, uint32_t n, const ubi_treemap_options *o, const char *why) {
    static const uint64_t weight[4];
    ubi_treemap_box boxes[4];
    memset(boxes, 0x5a, sizeof boxes);
    assert_int_equal(ubi_treemap_layout(boxes, parent, weight, n, o), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), why);
    for (size_t i = 0; i < sizeof boxes; i++)
        assert_int_equal(((unsigned char *)boxes)[i], 0x5a);
}

static void trees_that_do_not_stand_breadth_first_are_refused(void **state) {
    (void)state;
    static const char *const no_root = "the first node of a tree map must be its root";
    assert_refused((uint32_t[]){ UBI_NONE }, 0, NULL, no_root);
    assert_refused((uint32_t[]){ 0, 0 }, 2, NULL, no_root);
    assert_refused((uint32_t[]){ UBI_NONE, UBI_NONE }, 2, NULL, "node 1 of a tree map does not stand breadth-first");
    assert_refused((uint32_t[]){ UBI_NONE, 0, 2 }, 3, NULL, "node 2 of a tree map does not stand breadth-first");
    assert_refused((uint32_t[]){ UBI_NONE, 0, 1, 0 }, 4, NULL, "node 3 of a tree map does not stand breadth-first");
}

static void options_out_of_range_are_refused(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE };
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    o.version = 9;
    assert_refused(parent, 1, &o, "ubi_treemap_options has version 9, expected 1");
    o = (ubi_treemap_options)UBI_TREEMAP_OPTIONS_INIT;
    o.width = NAN;
    assert_refused(parent, 1, &o, "a tree map of nan by 600 pixels, expected 1 to 65536");
    o.width = 65537;
    assert_refused(parent, 1, &o, "a tree map of 65537 by 600 pixels, expected 1 to 65536");
    o = (ubi_treemap_options)UBI_TREEMAP_OPTIONS_INIT;
    o.pad_left = -1;
    assert_refused(parent, 1, &o, "tree map padding of 15 5 5 -1 pixels, expected 0 to 1000");
    o = (ubi_treemap_options)UBI_TREEMAP_OPTIONS_INIT;
    o.pixel_ratio = 0;
    assert_refused(parent, 1, &o, "tree map with pixel ratio 0 (expected 0.001 to 64), ratio 1.61803 (0.001 to 1000)");
}

static void every_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    static const uint32_t parent[] = { UBI_NONE, 0, 0, 1 };
    static const uint64_t weight[] = { 0, 1, 2, 3 };
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_treemap_box boxes[4];
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        o.allocator = &f.allocator;
        ubi_status status = ubi_treemap_layout(boxes, parent, weight, 4, &o);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        assert_true(status == UBI_OK || n < 3);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_where_d3_has_them),
        cmocka_unit_test(boxes_lie_inside_their_parents_and_apart_whatever_the_canvas),
        cmocka_unit_test(areas_are_as_the_weights_when_nothing_is_rounded),
        cmocka_unit_test(the_largest_box_comes_first_when_asked_for),
        cmocka_unit_test(below_the_depth_limit_nodes_count_but_have_no_place),
        cmocka_unit_test(weights_that_do_not_fit_saturate),
        cmocka_unit_test(a_million_children_that_weigh_nothing_take_no_time),
        cmocka_unit_test(trees_that_do_not_stand_breadth_first_are_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
