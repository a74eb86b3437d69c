/* SPDX-License-Identifier: MIT
 *
 * Tests of series: when what leaked came, what that means, and whether heaps are of one process and in order.
 *
 * Heaps are written as the number of things in an array at each snapshot, and how many of the oldest went.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/leaks.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "leak_heaps.h"

enum { MOST = 16, FIRST_THING = 101 };

/* Heap i has things numbered gone[i] to came[i]; their class. */
typedef struct story {
    uint32_t n;
    int came[MOST], gone[MOST];
    const char *class;
} story;

static char *draw(const story *s, uint32_t heap) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("1 -> 2 \"app\"; 2(coarse=object class=Array size=1)", out);
    for (int i = s->gone[heap]; i < s->came[heap]; i++)
        fprintf(out, "%s %d \"[%d]\"", i > s->gone[heap] ? "," : " ->", FIRST_THING + 2 * i, i);
    for (int i = s->gone[heap]; i < s->came[heap]; i++)
        fprintf(out, "; %d(coarse=object %s size=10)", FIRST_THING + 2 * i, s->class);
    /* As a snapshot of V8 ends with what it made itself. */
    fprintf(out, "; %d(type=last size=1)", FIRST_THING + 2 * (s->came[heap] + (int)heap) + 1000);
    fclose(out);
    return text;
}

static ubi_leaks *series_find_leaks(ubi_graph **newest, const story *s, const ubi_leak_options *options) {
    char *drawings[MOST];
    for (uint32_t i = 0; i < s->n; i++)
        drawings[i] = draw(s, i);
    ubi_leaks *leaks = leak_series_find(newest, (const char *const *)drawings, s->n, options);
    for (uint32_t i = 0; i < s->n; i++)
        free(drawings[i]);
    return leaks;
}

/* "verdict: came ... (grew with ...)". */
static void assert_story_with(const story *s, const ubi_leak_options *options, const char *expected) {
    char text[256] = "";
    ubi_graph *newest;
    ubi_leaks *leaks = series_find_leaks(&newest, s, options);
    if (ubi_leaks_count(leaks)) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, 0);
        int n = sprintf(text, "%s:", ubi_leak_verdict_name(c->verdict));
        for (uint32_t i = 0; i + 1 < s->n; i++)
            n += sprintf(text + n, c->grew[i] ? " %d" : " (%d)", (int)c->came[i]);
        assert_int_equal(c->class_counts[0], s->came[0] - s->gone[0]);
        assert_int_equal(c->class_counts[s->n - 1], s->came[s->n - 1] - s->gone[s->n - 1]);
    }
    assert_string_equal(text, expected);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

static void assert_story(const story *s, const char *expected) {
    assert_story_with(s, NULL, expected);
}

#define THING "class=Object desc=Thing"

static void what_grows_with_each_step_is_steady(void **state) {
    (void)state;
    assert_story(&(story){ 6, { 0, 10, 20, 30, 40, 50 }, { 0 }, THING }, "steady: 10 10 10 10 10");
    assert_story(&(story){ 6, { 5, 15, 25, 25, 35, 45 }, { 0 }, THING }, "steady: 10 10 (0) 10 10");
    assert_story(&(story){ 5, { 5, 15, 25, 35, 35 }, { 0 }, THING }, "steady: 10 10 10 (0)");
    assert_story(&(story){ 5, { 5, 105, 115, 215, 223 }, { 0 }, THING }, "steady: 100 10 100 (8)");
}

static void what_came_to_an_end_grew_once(void **state) {
    (void)state;
    assert_story(&(story){ 6, { 0, 10, 10, 10, 10, 10 }, { 0 }, THING }, "once: 10 (0) (0) (0) (0)");
    assert_story(&(story){ 7, { 0, 10, 20, 30, 40, 40, 40 }, { 0 }, THING }, "once: 10 10 10 10 (0) (0)");
    assert_story(&(story){ 4, { 0, 10, 20, 20 }, { 0 }, THING }, "once: 10 10 (0)");
}

static void what_grows_with_some_steps_is_stepwise(void **state) {
    (void)state;
    assert_story(&(story){ 7, { 0, 10, 10, 20, 20, 20, 30 }, { 0 }, THING }, "stepwise: 10 (0) 10 (0) (0) 10");
    assert_story(&(story){ 6, { 5, 5, 5, 5, 15, 25 }, { 0 }, THING }, "stepwise: (0) (0) (0) 10 10");
    /* Neither of OLD nor of the last step is anything in the same place. */
    assert_story(&(story){ 5, { 5, 15, 25, 35, 35 }, { 5, 5, 5, 5, 5 }, THING }, "stepwise: 10 10 10 (0)");
}

static void a_cache_that_is_full_or_emptied_is_bounded(void **state) {
    (void)state;
    assert_story(&(story){ 6, { 0, 10, 20, 30, 40, 50 }, { 0, 0, 0, 10, 20, 30 }, THING },
                 "bounded: (0) (0) (0) 10 10");
    assert_story(&(story){ 7, { 0, 50, 90, 100, 140, 150, 170 }, { 0, 0, 0, 90, 90, 140, 140 }, THING },
                 "bounded: (0) (0) (0) (0) 10 20");
    /* Of a class that is nearly all in one place, sums say as much as of one that the program defines. */
    assert_story(&(story){ 7, { 0, 50, 90, 100, 140, 150, 170 }, { 0, 0, 0, 90, 90, 140, 140 }, "class=Object" },
                 "bounded: (0) (0) (0) (0) 10 20");
}

/* Compares the steps in this order, and runs. */
static ubi_status run_steps(ubi_leaks **out, const story *s, const uint32_t *steps, unsigned n) {
    char *newest = draw(s, s->n - 1);
    leak_heaps h = leak_heaps_draw(newest, newest, NULL);
    ubi_leak_finder *finder = leak_finder_of(&h);
    for (unsigned i = 0; i < n; i++) {
        char *text = draw(s, steps[i]);
        leak_finder_compare_drawing(finder, steps[i], text);
        free(text);
    }
    ubi_status status = ubi_leak_finder_run(out, finder);
    ubi_leak_finder_free(finder);
    leak_heaps_free(&h);
    free(newest);
    return status;
}

static void steps_may_come_in_any_order_but_must_all_come(void **state) {
    (void)state;
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 }, { 2, 0, 1 } };
    story s = { 4, { 0, 10, 25, 30 }, { 0 }, THING };
    ubi_leaks *leaks = NULL;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(run_steps(&leaks, &s, orders[i], 3), UBI_OK);
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, 0);
        assert_int_equal(c->leaked.count, 25);
        assert_int_equal(c->came[0], 10);
        assert_int_equal(c->came[1], 15);
        assert_int_equal(c->came[2], 5);
        ubi_leaks_free(leaks);
    }
    leaks = NULL;
    assert_int_equal(run_steps(&leaks, &s, orders[3], 2), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "heap 2 of 3 was not compared");
    assert_null(leaks);
}

static void classes_have_their_numbers_at_each_heap(void **state) {
    (void)state;
    story s = { 5, { 1, 11, 11, 31, 41 }, { 0 }, THING };
    ubi_graph *newest;
    ubi_leaks *leaks = series_find_leaks(&newest, &s, NULL);
    ubi_leak_trend trend;
    assert_int_equal(ubi_leaks_trend_count(leaks), 1);
    ubi_leaks_trend(&trend, leaks, 0);
    assert_true(ubi__text_is(trend.class_name.name, "Thing"));
    for (uint32_t i = 0; i < s.n; i++) {
        assert_int_equal(trend.at_heap[i].count, s.came[i]);
        assert_int_equal(trend.at_heap[i].bytes, 10 * s.came[i]);
    }
    assert_int_equal(trend.n_rises, 3);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

/* ---- order and processes ------------------------------------------------------------------------------------------ */

static uint64_t largest_id(const ubi_graph *g) {
    uint64_t largest = 0;
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(g); i++)
        largest = ubi_graph_node_id(g, i) > largest ? ubi_graph_node_id(g, i) : largest;
    return largest;
}

static void assert_fits(const story *s, const char *expected) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    char text[128];
    ubi_graph *newest;
    options.id_mark_of = largest_id;
    ubi_leaks *leaks = series_find_leaks(&newest, s, &options);
    int n = sprintf(text, "%d:", (int)ubi_leaks_fit(leaks));
    assert_true(ubi_leaks_order_is_known(leaks));
    for (uint32_t i = 0; i < ubi_leaks_heap_count(leaks); i++) {
        const ubi_leak_heap *heap = ubi_leaks_heap(leaks, i);
        n += sprintf(text + n, " %u/%d", heap->rank, (int)heap->fit);
    }
    assert_string_equal(text, expected);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

static void ids_report_the_order(void **state) {
    (void)state;
    assert_fits(&(story){ 3, { 40, 50, 60 }, { 0 }, THING }, "0: 0/0 1/0 2/0");
    assert_fits(&(story){ 3, { 60, 50, 40 }, { 0 }, THING }, "1: 2/1 1/0 0/1");
    assert_fits(&(story){ 4, { 40, 70, 50, 60 }, { 0 }, THING }, "1: 0/0 3/1 1/1 2/1");
}

static void the_same_heap_twice_is_reported(void **state) {
    (void)state;
    const char *one = "1 -> 2 \"app\"; 2(coarse=object class=App size=1)";
    const char *two = "1 -> 2 \"app\"; 2(coarse=object class=App size=2)";
    const char *heaps[] = { one, two, one, two };
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_graph *newest;
    options.id_mark_of = largest_id;
    ubi_leaks *leaks = leak_series_find(&newest, heaps, 2, NULL);
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_FITS); /* sizes differ */
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
    leaks = leak_series_find(&newest, heaps, 3, NULL);
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_SAME_HEAP);
    assert_int_equal(ubi_leaks_heap(leaks, 0)->fit, UBI_LEAK_SAME_HEAP);
    assert_int_equal(ubi_leaks_heap(leaks, 1)->fit, UBI_LEAK_FITS);
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
    leaks = leak_series_find(&newest, heaps, 2, &options); /* ids went no further */
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_SAME_HEAP);
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
}

static void another_process_has_other_things_under_the_same_ids(void **state) {
    (void)state;
    const char *a = "1 -> 2 \"app\", 3 \"x\"; 2(coarse=object class=App); 3(coarse=object class=A)";
    const char *b = "1 -> 2 \"app\", 3 \"x\"; 2(coarse=object class=App); 3(coarse=object class=B size=2)";
    const char *far = "900 -> 901 \"app\"; 901(coarse=object class=App)";
    ubi_leak_options addresses = UBI_LEAK_OPTIONS_INIT, marked = UBI_LEAK_OPTIONS_INIT;
    ubi_graph *newest;
    marked.id_mark_of = largest_id;
    addresses.may_reuse_ids = true;
    const char *heaps[] = { a, b, a };
    ubi_leaks *leaks = leak_series_find(&newest, heaps, 3, NULL);
    assert_int_equal(ubi_leaks_heap(leaks, 1)->fit, UBI_LEAK_OTHER_PROCESS);
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_OTHER_PROCESS);
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
    leaks = leak_series_find(&newest, heaps, 2, &marked); /* marks of several processes give no order */
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_OTHER_PROCESS);
    assert_false(ubi_leaks_order_is_known(leaks));
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
    leaks = leak_series_find(&newest, heaps, 2, &addresses); /* addresses are used again */
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_FITS);
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
    heaps[0] = far;
    leaks = leak_series_find(&newest, heaps, 2, &addresses);
    assert_int_equal(ubi_leaks_fit(leaks), UBI_LEAK_OTHER_PROCESS);
    ubi_leaks_free(leaks), ubi_graph_unref(newest);
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

static ubi_status find_with(void *payload, const ubi_allocator *allocator) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_finder *finder = NULL;
    ubi_leaks *leaks = NULL;
    options.allocator = allocator;
    options.id_mark_of = largest_id;
    ubi_status status = leak_finder_try(&finder, payload, &options);
    for (uint32_t step = 0; status == UBI_OK && step < 4; step++)
        status = leak_finder_compare_old(finder, step, payload);
    if (status == UBI_OK)
        status = ubi_leak_finder_run(&leaks, finder);
    ubi_leaks_free(leaks);
    ubi_leak_finder_free(finder);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    story s = { 2, { 3, 20 }, { 0 }, THING };
    char *old = draw(&s, 0), *new = draw(&s, 1);
    leak_heaps h = leak_heaps_draw(old, new, NULL);
    assert_true(fail_each_allocation(find_with, &h) > 20);
    leak_heaps_free(&h);
    free(old), free(new);
}

static void of_a_round_trip_all_that_the_action_left_is_leaked(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    const story replacing = { 3, { 10, 40, 50 }, { 0, 0, 30 }, THING }, quiet = { 3, { 10, 40, 40 }, { 0 }, THING };
    assert_story_with(&replacing, &options, "bounded: 10 10");
    assert_story_with(&quiet, &options, "once: 30 (0)");
    options.is_round_trip = true;
    assert_story_with(&replacing, &options, "grew: 10 10");
    assert_story_with(&quiet, &options, "grew: 30 (0)");
    assert_story_with(&(story){ 3, { 10, 40, 40 }, { 0, 0, 40 }, THING }, &options, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_with_each_step_is_steady),
        cmocka_unit_test(what_came_to_an_end_grew_once),
        cmocka_unit_test(what_grows_with_some_steps_is_stepwise),
        cmocka_unit_test(a_cache_that_is_full_or_emptied_is_bounded),
        cmocka_unit_test(steps_may_come_in_any_order_but_must_all_come),
        cmocka_unit_test(classes_have_their_numbers_at_each_heap),
        cmocka_unit_test(ids_report_the_order),
        cmocka_unit_test(the_same_heap_twice_is_reported),
        cmocka_unit_test(another_process_has_other_things_under_the_same_ids),
        cmocka_unit_test(of_a_round_trip_all_that_the_action_left_is_leaked),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
