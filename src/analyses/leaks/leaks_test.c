/* SPDX-License-Identifier: MIT
 *
 * Tests of finding leaks, on drawn heaps: what leaks, what it keeps, verdicts, choices, failures (leak_heaps.h).
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
#include "graph/graph_columns.h"
#include "leak_heaps.h"
#include "name_scheme.h"

#define ROOT "1 -> 2 \"app\"; "

/* ---- the three heaps ---------------------------------------------------------------------------------------------- */

static const char app[] = ROOT "2(coarse=object class=App size=1)";

static void nothing_new_is_no_leak(void **state) {
    (void)state;
    assert_leaks(app, app, NULL, "");
    assert_leaks(app, app, app, "");
}

static void what_is_new_is_held_by_what_was_there(void **state) {
    (void)state;
    assert_leaks(app, ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=Thing size=10)", NULL,
                 "grew Thing 1 10 in App");
}

static void what_is_gone_in_newer_is_no_leak(void **state) {
    (void)state;
    assert_leaks(app, ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=Thing size=10)", app,
                 "");
}

static void what_came_after_new_is_too_young_to_judge(void **state) {
    (void)state;
    assert_leaks(app, app, ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=Thing size=10)",
                 "");
}

static void three_heaps_separate_growth_from_setting_up(void **state) {
    (void)state;
    const char *old = ROOT "2(coarse=object class=Array size=1)";
    const char *new = ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\", 4 \"[1]\"; "
                           "3(coarse=object class=T size=10); 4(coarse=object class=T size=10)";
    const char *more = ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\"; "
                            "3(coarse=object class=T size=10); 4(coarse=object class=T size=10); "
                            "5(coarse=object class=T size=10)";
    assert_leaks(old, new, more, "steady T 2 20 in Array +0/1");
    assert_leaks(old, new, new, "once T 2 20 in Array");
}

/* Modules in a list, the first with 20 things of different classes. From malloc. */
static char *module_list(int n) {
    char *list = repeat_drawing(ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\"", ", % \"[%]\"", 4, 3 + n, "");
    char *module = repeat_drawing(list, "; %(coarse=object class=M size=90000)", 4, 3 + n,
                                  "; 3(coarse=object class=M size=90000) -> 20 \"f\"");
    char *edges = repeat_drawing(module, ", % \"f%\"", 21, 40, "");
    char *all = repeat_drawing(edges, "; %(coarse=object class=F% size=1)", 20, 40, "");
    free(list), free(module), free(edges);
    return all;
}

static void one_large_buffer_with_each_step_is_steady(void **state) {
    (void)state;
    const char *old = ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\"; 3(coarse=object class=Buffer size=90000)";
    const char *new = ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\", 4 \"[1]\"; "
                           "3(coarse=object class=Buffer size=90000); 4(coarse=object class=Buffer size=90000)";
    const char *newer = ROOT "2(coarse=object class=Array size=1) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\"; "
                             "3(coarse=object class=Buffer size=90000); 4(coarse=object class=Buffer size=90000); "
                             "5(coarse=object class=Buffer size=90000)";
    assert_leaks(old, new, newer, "steady Buffer 1 90000 in Array +1/1");
    assert_leaks(old, new, new, "large Buffer 1 90000 in Array +1/0");
    /* Whether a module with all that it holds is steady is unknown. */
    char *with_one = module_list(1), *with_two = module_list(2);
    assert_leaks(ROOT "2(coarse=object class=Array size=1)", with_one, with_two,
                 "large M 1 90020 in Array +0/1 with F20 1, F21 1, F22 1");
    free(with_one), free(with_two);
}

static void a_full_cache_is_bounded(void **state) {
    (void)state;
    char *old = repeat_drawing(ROOT "2(coarse=object class=Map size=1) -> 3 \"x\"; 3(coarse=object class=K size=1); ",
                               "", 0, 0, "");
    char *new = repeat_drawing(ROOT "2(coarse=object class=Map size=1) -> 3 \"x\"", ", % \"[%]\"", 10, 20,
                               "; 3(coarse=object class=K size=1)");
    char *new_nodes = repeat_drawing(new, "; %(coarse=object class=T size=10)", 10, 20, "");
    char *newer = repeat_drawing(ROOT "2(coarse=object class=Map size=1) -> 3 \"x\"", ", % \"[%]\"", 15, 25,
                                 "; 3(coarse=object class=K size=1)");
    char *newer_nodes = repeat_drawing(newer, "; %(coarse=object class=T size=10)", 15, 25, "");
    assert_leaks(old, new_nodes, newer_nodes, "bounded T 5 50 in Map +0/5");
    free(old), free(new), free(new_nodes), free(newer), free(newer_nodes);
}

/* A map of objects from one number up to another; the class is one that the program defines. From malloc. */
static char *map_of(int from, int to) {
    char *edges = repeat_drawing(ROOT "2(coarse=object class=Map size=1) -> 3 \"x\"", ", % \"[%]\"", from, to,
                                 "; 3(coarse=object class=K size=1)");
    char *all = repeat_drawing(edges, "; %(coarse=object class=Object desc=T size=10)", from, to, "");
    free(edges);
    return all;
}

static void assert_maps(int old_from, int old_to, int new_from, int new_to, int from, int to, const char *expected) {
    char *old = map_of(old_from, old_to), *new = map_of(new_from, new_to), *newer = map_of(from, to);
    assert_leaks(old, new, newer, expected);
    free(old), free(new), free(newer);
}

static void a_cache_that_fills_up_is_bounded(void **state) {
    (void)state;
    /* 6, 26 and 30 objects: of the 20 that came to NEWER, 16 pushed others out. */
    assert_maps(10, 16, 10, 36, 26, 56, "bounded T 10 100 in Map +0/20");
    /* Without a limit as many are added, and none goes. */
    assert_maps(10, 16, 10, 36, 10, 56, "steady T 20 200 in Map +6/20");
    /* In part a leak: the older ones go, but more come. */
    assert_maps(10, 16, 10, 36, 16, 56, "steady T 20 200 in Map +0/20");
}

static void a_list_that_stops_growing_was_set_up_once(void **state) {
    (void)state;
    assert_maps(10, 16, 10, 36, 10, 40, "once T 20 200 in Map +6/4");
    assert_maps(10, 16, 10, 36, 10, 42, "once T 20 200 in Map +6/6");
    assert_maps(10, 16, 10, 36, 10, 43, "steady T 20 200 in Map +6/7");
}

/* Objects of a class that the program does not define: in a list, and in another that is refilled. From malloc. */
static char *lists_of(int from, int to, int refilled_from, int refilled_to) {
    char *list = repeat_drawing(ROOT "2(coarse=object class=App size=1) -> 3 \"list\", 4 \"refilled\"; "
                                     "3(coarse=object class=List size=1) -> 5 \"x\"",
                                ", % \"[%]\"", from, to, "; 4(coarse=object class=Refilled size=1) -> 5 \"x\"");
    char *refilled =
        repeat_drawing(list, ", % \"[%]\"", refilled_from, refilled_to, "; 5(coarse=object class=K size=1)");
    char *one = repeat_drawing(refilled, "; %(coarse=object class=F size=10)", from, to, "");
    char *both = repeat_drawing(one, "; %(coarse=object class=F size=10)", refilled_from, refilled_to, "");
    free(list), free(refilled), free(one);
    return both;
}

static void assert_lists(int old_from, int new_from, int from, int to, int n_refilled, const char *expected) {
    int refilled = 200;
    char *old = lists_of(old_from, 20, refilled, refilled + n_refilled);
    char *new = lists_of(new_from, 50, refilled + n_refilled, refilled + 2 * n_refilled);
    char *newer = lists_of(from, to, refilled + 2 * n_refilled, refilled + 3 * n_refilled);
    assert_leaks(old, new, newer, expected);
    free(old), free(new), free(newer);
}

static void a_common_class_leaks_in_one_place_though_more_of_it_go_and_come_elsewhere(void **state) {
    (void)state;
    assert_lists(10, 10, 10, 80, 0, "steady F 30 300 in List +10/30");
    assert_lists(10, 10, 10, 80, 400, "steady F 30 300 in List +10/30");
    /* The list keeps the last 44: nothing is left of OLD, and little of what came to NEW. */
    assert_lists(10, 10, 36, 80, 0, "bounded F 14 140 in List +0/30");
    assert_lists(10, 10, 36, 80, 400, "bounded F 14 140 in List +0/30");
    /* So far it has lost what was there in OLD alone. */
    assert_lists(10, 10, 21, 80, 400, "steady F 29 290 in List +0/30");
}

static void objects_replaced_one_for_one_are_none(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=App size=1) -> 3 \"state\"; 3(coarse=object class=State size=10)",
                 ROOT "2(coarse=object class=App size=1) -> 4 \"state\"; 4(coarse=object class=State size=10)", NULL,
                 "replaced State 1 10 in App");
}

static void many_of_a_common_class_leak_though_others_went(void **state) {
    (void)state;
    assert_leaks(ROOT
                 "2(coarse=object class=App size=1) -> 3 \"a\", 4 \"b\", 5 \"c\"; 3(coarse=object class=O size=1); "
                 "4(coarse=object class=O size=1); 5(coarse=object class=O size=1)",
                 ROOT "2(coarse=object class=App size=1) -> 6 \"[0]\", 7 \"[1]\", 8 \"[2]\"; "
                      "6(coarse=object class=O size=10); 7(coarse=object class=O size=10); "
                      "8(coarse=object class=O size=10)",
                 NULL, "grew O 3 30 in App");
}

/* Where a producer gives the constructor of an object, its class is one that the program defines. */
static void objects_that_have_a_constructor_are_the_programs_own(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\"; "
                      "3(coarse=object class=Object desc=C size=10); 4(coarse=object class=Object desc=C size=10); "
                      "5(coarse=object class=Object desc=C size=10)",
                 ROOT "2(coarse=object class=App size=1) -> 6 \"[0]\", 7 \"[1]\", 8 \"[2]\"; "
                      "6(coarse=object class=Object desc=C size=10); 7(coarse=object class=Object desc=C size=10); "
                      "8(coarse=object class=Object desc=C size=10)",
                 NULL, "replaced C 3 30 in App");
    assert_leaks(app,
                 ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=T size=10) -> 4, 5, 6, 7; "
                      "4(coarse=object class=Array size=100); 5(coarse=object class=Array size=100); "
                      "6(coarse=object class=Object desc=Item size=1); 7(coarse=dom desc=DIV size=50)",
                 NULL, "grew T 1 261 in App with Item 1, Array 2, DIV 1");
}

static ubi_str_ix first_name(const void *payload, ubi_node_ix node) {
    const ubi_graph *g = payload;
    return ubi_graph_kind(g, ubi_graph_node_kind(g, node))->script_filename;
}

/* Functions are one class; what they are called comes from name_of. The chain is longer than the search looks back. */
static void a_function_holds_others_of_another_name(void **state) {
    (void)state;
    const char *before =
        ROOT "2(coarse=object class=App) -> 3 \"f\"; 3(coarse=object class=F file=install) -> 10 \"last\"";
    char *links = repeat_drawing(before,
                                 "; %(coarse=object class=F file=method size=10) -> %00 \"scope\"; "
                                 "%00(type=scope) -> %1 \"unused\"; %1(coarse=object class=F file=unused)",
                                 10, 11, "");
    leak_heaps h = leak_heaps_draw(ROOT "2(coarse=object class=App) -> 3 \"f\"; 3(coarse=object class=F file=install)",
                                   links, NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.name_of = first_name;
    options.name_payload = h.newest;
    ubi_leaks *leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->holder, 2); /* install */
    ubi_leaks_free(leaks);
    options.name_of = NULL; /* then all are alike */
    leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->holder, 1); /* App */
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
    free(links);
}

/* ---- what is kept ------------------------------------------------------------------------------------------------- */

static void what_leaked_objects_keep_is_theirs(void **state) {
    (void)state;
    assert_leaks(app,
                 ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\"; "
                      "3(coarse=object class=T size=10) -> 5 \"list\"; 4(coarse=object class=T size=10) -> 6 \"list\"; "
                      "5(coarse=object class=Array size=100) -> 7; 6(coarse=object class=Array size=100); "
                      "7(type=elements size=1000)",
                 NULL, "grew T 2 1220 in App with Array 2");
}

/* What the engine has for one of another class counts to the part, and to no part for what leaked itself. */
static void parts_have_what_the_engine_has_for_them(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        app,
        ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\"; "
             "3(coarse=object class=T size=10) -> 4 \"list\", 8 \"properties\"; 8(type=properties size=20); "
             "4(coarse=object class=Array size=16) -> 5 \"elements\"; 5(type=elements size=1000) -> 6 \"[0]\"; "
             "6(coarse=object class=Item size=5) -> 7 \"properties\"; 7(type=properties size=70)",
        NULL);
    ubi_leaks *leaks = leak_heaps_find(&h, NULL);
    const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, 0);
    assert_int_equal(c->n_parts, 2);
    assert_int_equal(c->parts[0].tally.bytes, 1016); /* Array */
    assert_int_equal(c->parts[0].tally.count, 1);
    assert_int_equal(c->parts[1].tally.bytes, 75); /* Item */
    assert_int_equal(c->retained_bytes, 10 + 20 + 1016 + 75);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

static void what_is_also_held_otherwise_is_not_kept(void **state) {
    (void)state;
    assert_leaks(app,
                 ROOT "2(coarse=object class=App size=1) -> 3 \"a\", 5 \"cell\"; "
                      "3(coarse=object class=T size=10) -> 5 \"b\"; 5(type=cell size=100)",
                 NULL, "grew T 1 10 in App");
}

static void old_things_that_move_below_a_new_one_are_not_leaked(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=App size=1) -> 3 \"state\"; 3(coarse=object class=Old size=1000)",
                 ROOT
                 "2(coarse=object class=App size=1) -> 4 \"state\"; 4(coarse=object class=State size=10) -> 3 \"was\"; "
                 "3(coarse=object class=Old size=1000)",
                 NULL, "grew State 1 10 in App");
}

static void what_two_leaked_objects_share_counts_once(void **state) {
    (void)state;
    assert_leaks(app,
                 ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\"; "
                      "3(coarse=object class=T size=10) -> 5 \"s\"; 4(coarse=object class=T size=10) -> 5 \"s\"; "
                      "5(coarse=string type=string size=100)",
                 NULL, "grew T 2 120 in App with string 1");
}

static void engine_internals_leak_only_when_asked_for(void **state) {
    (void)state;
    leak_heaps h =
        leak_heaps_draw(app, ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(type=shape size=10)", NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    leak_heaps_assert(&h, NULL, "");
    options.with_engine = true;
    leak_heaps_assert(&h, &options, "grew shape 1 10 in App");
    leak_heaps_free(&h);
}

static void what_cannot_be_reached_does_not_leak(void **state) {
    (void)state;
    assert_leaks(app, ROOT "2(coarse=object class=App size=1); 9(coarse=object class=T size=10)", NULL, "");
}

/* ---- ids ---------------------------------------------------------------------------------------------------------- */

static const char with_other_class[] = ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; "
                                            "3(coarse=object class=Other size=10)";
static const char with_class[] = ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=T size=10)";

/* What leaked from one heap to another, through a view of the other. The schemes outlive it. */
static ubi_leaks *leaks_of_two(const ubi_view *view, const ubi_class_scheme *past, const ubi_class_scheme *classes,
                               const ubi_leak_options *options) {
    ubi_leak_finder *finder;
    ubi_leaks *leaks;
    assert_int_equal(ubi_leak_finder_new(&finder, view, classes, options), UBI_OK);
    assert_int_equal(ubi_leak_finder_compare(finder, UBI_LEAK_OLD, past), UBI_OK);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leak_finder_free(finder);
    return leaks;
}

/* The engine's table of strings lists those that others hold, and those that nothing does. */
static void what_a_weak_table_lists_is_held_by_others_or_by_nothing(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw("1 -> 2 \"table\", 3 \"app\"; 2(type=table); 3(coarse=object class=App size=1)",
                                   "1 -> 2 \"table\", 3 \"app\"; 2(type=table) -> 4 \"[0]\", 5 \"[1]\"; "
                                   "3(coarse=object class=App size=1) -> 4 \"x\"; "
                                   "4(coarse=string class=S size=10); 5(coarse=string class=S size=20)",
                                   NULL);
    ubi_class_scheme old = name_scheme(h.old), classes = name_scheme(h.newest);
    ubi_node_ix table = 1;
    for (int weak = 0; weak < 2; weak++) {
        ubi_view view = ubi_view_of(h.newest);
        view.weak_tables = &table;
        view.n_weak_tables = (uint32_t)weak;
        ubi_leaks *leaks = leaks_of_two(&view, &old, &classes, NULL);
        const ubi_leak_cluster *first = ubi_leaks_cluster(leaks, 0);
        assert_int_equal(ubi_leaks_summary(leaks)->leaked.count, weak ? 1 : 2);
        assert_int_equal(first->holder, weak ? 2 : UBI_NONE);
        assert_int_equal(first->leaked.count, weak ? 1 : 2);
        ubi_leaks_free(leaks);
    }
    leak_heaps_free(&h);
}

/* An open connection: the engine has its parser, and a list of the program the connection itself. */
static void what_the_engine_holds_belongs_to_what_the_program_holds(void **state) {
    (void)state;
    const char *old = "1 -> 2 \"app\", 3 \"handles\"; 2(coarse=object class=App size=1); 3(type=Handles)";
    assert_leaks(old,
                 "1 -> 2 \"app\", 3 \"handles\"; 2(coarse=object class=App size=1) -> 5 \"x\"; 3(type=Handles) -> 4 "
                 "\"[0]\"; 4(coarse=object class=Parser size=100) -> 5 \"socket\"; "
                 "5(coarse=object class=Socket size=10) -> 4 \"parser\"",
                 NULL, "grew Socket 1 110 in App with Parser 1");
    assert_leaks(old,
                 "1 -> 2 \"app\", 3 \"handles\"; 2(coarse=object class=App size=1) -> 5 \"x\"; 3(type=Handles) -> 4 "
                 "\"[0]\"; 4(coarse=object class=Parser size=100) -> 5 \"socket\"; "
                 "5(coarse=object class=Socket size=10)",
                 NULL, "grew Parser 1 100; grew Socket 1 10 in App");
}

/* The view leaves out the edge to what holds them, as that of V8 may. */
static void what_only_left_out_edges_reach_can_leak(void **state) {
    (void)state;
    static const char old[] =
        ROOT "2(coarse=object class=App size=1) -> 3 \"sessions\"; 3(coarse=object class=Map size=10)";
    static const char newest[] =
        ROOT "2(coarse=object class=App size=1) -> 3 \"sessions\"; "
             "3(coarse=object class=Map size=10) -> 4 \"[0]\"; 4(coarse=object class=T size=10)";
    leak_heaps h = leak_heaps_draw(old, newest, NULL);
    ubi_class_scheme past = name_scheme(h.old), classes = name_scheme(h.newest);
    ubi_view view = ubi_view_of(h.newest);
    ubi_edge_set *edges;
    assert_int_equal(ubi_edge_set_new(&edges, h.newest, true), UBI_OK);
    ubi_edge_set_put(edges, h.newest->first_edge.at[1], false); /* of App */
    view.edges = edges;
    ubi_leaks *leaks = leaks_of_two(&view, &past, &classes, NULL);
    assert_int_equal(ubi_leaks_count(leaks), 1);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->holder, 2);
    assert_int_equal(ubi_leaks_summary(leaks)->leaked.count, 1);
    ubi_leaks_free(leaks);
    ubi_edge_set_free(edges);
    leak_heaps_free(&h);
}

static void a_root_for_the_moment_speaks_for_what_nothing_else_holds(void **state) {
    (void)state;
    /* The list is held by the stack (a short path) and by a module (a longer one), the other one by the stack only. */
    const char *old =
        "1 -> 2 \"stack\", 3 \"modules\"; 2(type=stack) -> 6 \"local\", 7 \"other\"; 3(type=modules) -> 4 \"m\"; "
        "4(coarse=object class=Module size=1) -> 5 \"exports\"; "
        "5(coarse=object class=Exports size=1) -> 6 \"list\"; 6(coarse=object class=Array size=1); "
        "7(coarse=object class=Set size=1)";
    char *new = repeat_drawing(
        "1 -> 2 \"stack\", 3 \"modules\"; 2(type=stack) -> 6 \"local\", 7 \"other\"; 3(type=modules) -> 4 \"m\"; "
        "4(coarse=object class=Module size=1) -> 5 \"exports\"; "
        "5(coarse=object class=Exports size=1) -> 6 \"list\"; 6(coarse=object class=Array size=1) -> 8 \"[0]\"; "
        "7(coarse=object class=Set size=1) -> 9 \"[0]\"",
        "; %(coarse=object class=T% size=10)", 8, 10, "");
    leak_heaps h = leak_heaps_draw(old, new, NULL);
    ubi_class_scheme past = name_scheme(h.old), classes = name_scheme(h.newest);
    ubi_node_ix stack = 1;
    for (uint32_t n_passing = 0; n_passing < 2; n_passing++) {
        ubi_view view = ubi_view_of(h.newest);
        view.passing_roots = &stack;
        view.n_passing_roots = n_passing;
        ubi_leaks *leaks = leaks_of_two(&view, &past, &classes, NULL);
        assert_int_equal(ubi_leaks_count(leaks), 2);
        for (uint32_t i = 0; i < 2; i++) {
            const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
            bool is_of_module = ubi__text_is(c->class_name.name, "T8");
            assert_int_equal(ubi_leaks_path_length(leaks, c->example), is_of_module && n_passing ? 5 : 3);
        }
        ubi_leaks_free(leaks);
    }
    leak_heaps_free(&h);
    free(new);
}

static void what_functions_have_in_their_hands_is_replaced(void **state) {
    (void)state;
    /* Three texts of a script that runs, as at each snapshot; and three that an object holds. */
    static const char old[] =
        "1 -> 2 \"stack\", 3 \"app\"; 2(type=stack) -> 10, 11, 12; 3(coarse=object class=App size=1); "
        "10(coarse=string size=9); 11(coarse=string size=9); 12(coarse=string size=9)";
    static const char newest[] =
        "1 -> 2 \"stack\", 3 \"app\"; 2(type=stack) -> 20, 21, 22; 3(coarse=object class=App size=1); "
        "20(coarse=string size=9); 21(coarse=string size=9); 22(coarse=string size=9)";
    leak_heaps h = leak_heaps_draw(old, newest, NULL);
    ubi_class_scheme past = name_scheme(h.old), classes = name_scheme(h.newest);
    ubi_node_ix stack = 1;
    for (uint32_t n_passing = 0; n_passing < 2; n_passing++) {
        ubi_view view = ubi_view_of(h.newest);
        view.passing_roots = &stack;
        view.n_passing_roots = n_passing;
        ubi_leaks *leaks = leaks_of_two(&view, &past, &classes, NULL);
        assert_int_equal(ubi_leaks_count(leaks), 1);
        assert_int_equal(ubi_leaks_cluster(leaks, 0)->verdict, n_passing ? UBI_LEAK_REPLACED : UBI_LEAK_GREW);
        ubi_leaks_free(leaks);
    }
    leak_heaps_free(&h);
}

static void an_id_is_permanent_unless_it_is_an_address(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(with_other_class, with_class, NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    leak_heaps_assert(&h, &options, "");
    options.may_reuse_ids = true;
    leak_heaps_assert(&h, &options, "grew T 1 10 in App");
    leak_heaps_free(&h);
}

static void heaps_of_two_runs_have_few_nodes_in_common(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(with_other_class, with_class, NULL);
    ubi_leaks *leaks = leak_heaps_find(&h, NULL);
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    assert_int_equal(s->n_common, 2);
    assert_int_equal(s->n_common_same, 1);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

/* ---- choices ------------------------------------------------------------------------------------------------------ */

static void only_chosen_nodes_leak(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        app,
        ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=T size=10) -> 4 \"y\"; "
             "4(coarse=object class=U size=5)",
        NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    uint64_t chosen = 1 << 3; /* the fourth node */
    options.chosen = &chosen;
    leak_heaps_assert(&h, &options, "grew U 1 5 in App");
    leak_heaps_free(&h);
}

/* Of scripts the engine's node that the first edge leads from. */
static ubi_node_ix first_of_script(const ubi_graph *graph, ubi_node_ix node) {
    bool is_site = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->coarse_type == UBI_COARSE_SCRIPT;
    return is_site ? graph->target.at[graph->first_edge.at[node]] : UBI_NONE;
}

static void templates_do_not_leak(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(app,
                                   ROOT "2(coarse=object class=App size=1) -> 9 \"code\", 4 \"y\"; "
                                        "9(coarse=script class=Site size=1) -> 5 \"template\"; "
                                        "5(coarse=object class=T size=10) -> 6 \"n\"; 6(coarse=string class=V size=2); "
                                        "4(coarse=object class=U size=5)",
                                   NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    leak_heaps_assert(&h, &options, "grew T 1 12 in App with V 1; grew U 1 5 in App");
    options.template_of = first_of_script;
    leak_heaps_assert(&h, &options, "grew U 1 5 in App");
    leak_heaps_free(&h);
}

static bool edge_is_of_tool(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    ubi_str_ix name = ubi__graph_edge_name(graph, edge);
    return source == ubi_graph_root(graph) && name != UBI_NONE && ubi__text_is(ubi_graph_string(graph, name), "tool");
}

/* A tool that looks at the program holds the document, and that the list: the page holds it, too, and longer. */
static void an_edge_for_the_moment_speaks_for_what_nothing_else_holds(void **state) {
    (void)state;
    static const char old[] =
        "1 -> 2 \"tool\", 3 \"page\"; 2(coarse=object class=Document size=1) -> 5 \"list\", 7 \"own\"; "
        "3(coarse=object class=Page size=1) -> 4 \"a\"; 4(coarse=object class=App size=1) -> 5 \"list\"; "
        "5(coarse=object class=List size=1); 7(coarse=object class=Set size=1)";
    static const char newest[] =
        "1 -> 2 \"tool\", 3 \"page\"; 2(coarse=object class=Document size=1) -> 5 \"list\", 7 \"own\"; "
        "3(coarse=object class=Page size=1) -> 4 \"a\"; 4(coarse=object class=App size=1) -> 5 \"list\"; "
        "5(coarse=object class=List size=1) -> 6 \"[0]\"; 6(coarse=object class=T size=10); "
        "7(coarse=object class=Set size=1) -> 8 \"[0]\"; 8(coarse=object class=U size=5)";
    leak_heaps h = leak_heaps_draw(old, newest, NULL);
    ubi_class_scheme past = name_scheme(h.old), classes = name_scheme(h.newest);
    for (int knows_tools = 0; knows_tools < 2; knows_tools++) {
        ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
        ubi_view view = ubi_view_of(h.newest);
        options.is_passing_edge = knows_tools ? edge_is_of_tool : NULL;
        ubi_leaks *leaks = leaks_of_two(&view, &past, &classes, &options);
        assert_int_equal(ubi_leaks_count(leaks), 2);
        for (uint32_t i = 0; i < 2; i++) {
            const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
            bool is_of_page = ubi__text_is(c->class_name.name, "T");
            assert_int_equal(ubi_leaks_path_length(leaks, c->example), is_of_page && knows_tools ? 4 : 3);
        }
        ubi_leaks_free(leaks);
    }
    leak_heaps_free(&h);
}

/* One object that an action left, and the many in it. */
static void of_a_round_trip_the_outermost_are_listed(void **state) {
    (void)state;
    const char *after = ROOT
        "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=Cart size=10) -> 4 \"[0]\", 5 \"[1]\", "
        "6 \"[2]\", 7 \"[3]\", 8 \"[4]\", 9 \"[5]\", 10 \"[6]\", 11 \"[7]\"; "
        "4(coarse=object class=U size=5); 5(coarse=object class=U size=5); 6(coarse=object class=U size=5); "
        "7(coarse=object class=U size=5); 8(coarse=object class=U size=5); 9(coarse=object class=U size=5); "
        "10(coarse=object class=U size=5); 11(coarse=object class=U size=5)";
    leak_heaps h = leak_heaps_draw(app, after, after);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    leak_heaps_assert(&h, &options, "once U 8 50 in Cart new with Cart 1");
    options.is_round_trip = true;
    leak_heaps_assert(&h, &options, "grew Cart 1 50 in App with U 8");
    leak_heaps_free(&h);
}

static void what_grows_in_the_control_is_no_leak(void **state) {
    (void)state;
    const char *two = ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"u\"; 3(coarse=object class=T size=10); "
                           "4(coarse=object class=U size=10)";
    const char *control = ROOT "2(coarse=object class=App size=1) -> 77 \"[5]\"; 77(coarse=object class=T size=10)";
    leak_heaps h = leak_heaps_draw(app, two, NULL), idle = leak_heaps_draw(app, control, NULL);
    ubi_leaks *leaks = leak_heaps_find(&idle, NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_control *known;
    assert_int_equal(ubi_leak_control_new(&known, leaks), UBI_OK);
    ubi_leaks_free(leaks);
    leak_heaps_free(&idle);
    options.control = known;
    leak_heaps_assert(&h, &options, "grew U 1 10 in App; controlled T 1 10 in App");
    ubi_leak_control_free(known);
    leak_heaps_free(&h);
}

static ubi_str_ix name_of_first_string(const void *payload, ubi_node_ix node) {
    return node == *(const ubi_node_ix *)payload ? 0 : UBI_NONE;
}

static void names_report_nodes_of_a_class_apart(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        app,
        ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\"; 3(coarse=object class=F size=10); "
             "4(coarse=object class=F size=11)",
        NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_node_ix named = 2;
    options.name_of = name_of_first_string;
    options.name_payload = &named;
    ubi_leaks *leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_count(leaks), 2);
    assert_null(ubi_leaks_cluster(leaks, 0)->name.ptr);
    assert_true(ubi__text_equal(ubi_leaks_cluster(leaks, 1)->name, ubi_graph_string(h.newest, 0)));
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

static bool is_big(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi__text_is(ubi_graph_string(graph, kind->type_name), "Big");
}

static void values_leak_as_objects_do(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        app,
        ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\"; 3(type=Big size=10); "
             "4(type=Big size=20); 5(type=Other size=30)",
        NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    leak_heaps_assert(&h, &options, "");
    options.is_value = is_big;
    leak_heaps_assert(&h, &options, "grew Big 2 30 in App");
    options.version = 4; /* it had none */
    leak_heaps_assert(&h, &options, "");
    leak_heaps_free(&h);
}

static ubi_str_ix name_of_type(const void *payload, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(payload, ubi_graph_node_kind(payload, node));
    return kind->class_name == UBI_NONE ? UBI_NONE : kind->type_name;
}

/* Nodes 3 to 3 + n of one class, with as many names as `n_names`. */
static uint32_t clusters_of_names(unsigned n, unsigned n_names) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, ROOT "2(coarse=object class=App size=1)");
    for (unsigned i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %u \"[%u]\"", i ? "," : " ->", 3 + i, i);
    for (unsigned i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "; %u(type=N%u coarse=object class=F size=1)", 3 + i,
                                 i % n_names);
    assert_true(used < sizeof text);
    leak_heaps h = leak_heaps_draw(app, text, NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.name_of = name_of_type;
    options.name_payload = h.newest;
    ubi_leaks *leaks = leak_heaps_find(&h, &options);
    uint32_t n_clusters = ubi_leaks_count(leaks);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
    return n_clusters;
}

static void names_that_are_all_different_report_nothing(void **state) {
    (void)state;
    assert_int_equal(clusters_of_names(16, 16), 16);
    assert_int_equal(clusters_of_names(17, 17), 1);
    assert_int_equal(clusters_of_names(33, 17), 1);
    assert_int_equal(clusters_of_names(34, 17), 17); /* each has another of its name */
}

static uint64_t site_by_size(const void *payload, ubi_node_ix node) {
    return ubi_graph_node_size_bytes(payload, node) / 10;
}

static void a_cluster_says_how_many_are_of_another_place_in_the_code(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        app,
        ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\"; 3(coarse=object class=F size=10); "
             "4(coarse=object class=F size=20); 5(coarse=object class=F size=11)",
        NULL);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.site_of = site_by_size;
    options.name_payload = h.newest;
    ubi_leaks *leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_count(leaks), 1);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->leaked.count, 3);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->n_elsewhere, 1);
    ubi_leaks_free(leaks);
    options.version = 2; /* it had none */
    leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->n_elsewhere, 0);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static void sums_are_of_clusters_that_are_leaks(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        ROOT "2(coarse=object class=App size=1) -> 3 \"state\"; 3(coarse=object class=State size=10)",
        ROOT "2(coarse=object class=App size=1) -> 4 \"state\", 5 \"t\"; 4(coarse=object class=State size=10); "
             "5(coarse=object class=T size=20) -> 6 \"u\"; 6(coarse=object class=U size=5)",
        NULL);
    ubi_leaks *leaks = leak_heaps_find(&h, NULL);
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    assert_int_equal(ubi_leaks_count(leaks), 2);
    assert_int_equal(s->n_clusters, 1);
    assert_int_equal(s->leaked.count, 2);
    assert_int_equal(s->leaked.bytes, 25);
    assert_int_equal(s->retained_bytes, 25);
    assert_int_equal(s->largest_bytes, 25);
    assert_int_equal(s->heap[0].bytes, 11);
    assert_int_equal(s->heap[2].bytes, 36);
    assert_int_equal(ubi_leaks_of_class(leaks, ubi__text("U")).count, 1);
    assert_int_equal(ubi_leaks_of_class(leaks, ubi__text("State")).count, 0);
    assert_int_equal(ubi_leaks_retained_by_class(leaks, ubi__text("T")), 25);
    assert_int_equal(ubi_leaks_retained_by_class(leaks, ubi__text("U")), 0);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

static void sums_of_a_verdict_are_of_its_clusters(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(
        ROOT "2(coarse=object class=App size=1) -> 3 \"state\"; 3(coarse=object class=State size=10)",
        ROOT "2(coarse=object class=App size=1) -> 4 \"state\", 5 \"t\"; 4(coarse=object class=State size=10); "
             "5(coarse=object class=T size=20) -> 6 \"u\"; 6(coarse=object class=U size=5)",
        NULL);
    ubi_leaks *leaks = leak_heaps_find(&h, NULL);
    ubi_leak_sums grew = *ubi_leaks_of_verdict(leaks, UBI_LEAK_GREW);
    ubi_leak_sums replaced = *ubi_leaks_of_verdict(leaks, UBI_LEAK_REPLACED);
    assert_int_equal(grew.leaked.count, 2);
    assert_int_equal(grew.leaked.bytes, 25);
    assert_int_equal(grew.retained_bytes, 25);
    assert_int_equal(grew.largest_bytes, 25);
    assert_int_equal(grew.n_clusters, 1);
    assert_int_equal(replaced.leaked.count, 1);
    assert_int_equal(replaced.n_clusters, 1);
    assert_int_equal(ubi_leaks_of_verdict(leaks, UBI_LEAK_STEADY)->n_clusters, 0);
    ubi_leaks_free(leaks);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.verdicts = UBI_LEAK_VERDICT_BIT(UBI_LEAK_REPLACED);
    leaks = leak_heaps_find(&h, &options);
    assert_int_equal(ubi_leaks_summary(leaks)->n_clusters, 1);
    assert_int_equal(ubi_leaks_summary(leaks)->leaked.count, 1);
    assert_int_equal(ubi_leaks_cluster(leaks, 0)->verdict, UBI_LEAK_REPLACED);
    assert_true(ubi_leaks_cluster(leaks, 0)->is_counted);
    assert_false(ubi_leaks_cluster(leaks, 1)->is_counted);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

static void verdicts_have_names_and_needs(void **state) {
    (void)state;
    ubi_leak_verdict verdict;
    for (int i = 0; i < UBI_LEAK_VERDICTS; i++) {
        assert_true(ubi_leak_verdict_named(&verdict, ubi__text(ubi_leak_verdict_name((ubi_leak_verdict)i))));
        assert_int_equal(verdict, i);
    }
    assert_false(ubi_leak_verdict_named(&verdict, ubi__text("stead")));
    assert_true(ubi_leak_verdict_is_possible(UBI_LEAK_GREW, 2, false));
    assert_false(ubi_leak_verdict_is_possible(UBI_LEAK_GREW, 3, false));
    assert_false(ubi_leak_verdict_is_possible(UBI_LEAK_STEADY, 2, true));
    assert_true(ubi_leak_verdict_is_possible(UBI_LEAK_STEADY, 3, false));
    assert_false(ubi_leak_verdict_is_possible(UBI_LEAK_CONTROLLED, 3, false));
    assert_true(ubi_leak_verdict_is_possible(UBI_LEAK_CONTROLLED, 2, true));
    assert_false(ubi_leak_verdict_is_possible(UBI_LEAK_STEPWISE, 3, false));
    assert_true(ubi_leak_verdict_is_possible(UBI_LEAK_STEPWISE, 4, false));
}

/* What comes after the fields of version 1 is not read. */
static void options_of_the_first_version_are_understood(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(with_other_class, with_class, NULL);
    ubi_leak_options options;
    memset(&options, 0xff, sizeof options);
    memset(&options, 0, offsetof(ubi_leak_options, verdicts));
    options.version = 1;
    options.may_reuse_ids = true;
    leak_heaps_assert(&h, &options, "grew T 1 10 in App");
    leak_heaps_free(&h);
}

static void paths_lead_from_the_root_to_the_example(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(app,
                                   ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(type=table) -> 4 \"y\"; "
                                        "4(coarse=object class=T size=10)",
                                   NULL);
    ubi_leaks *leaks = leak_heaps_find(&h, NULL);
    ubi_node_ix example = ubi_leaks_cluster(leaks, 0)->example;
    ubi_path_step steps[3];
    assert_int_equal(ubi_leaks_path_length(leaks, example), 3);
    ubi_leaks_path(steps, leaks, example);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(steps[i].predecessor, i);
        assert_int_equal(ubi_graph_edge_target(h.newest, steps[i].edge), i + 1);
    }
    assert_true(ubi_leaks_was_there(leaks, 1));
    assert_false(ubi_leaks_was_there(leaks, example));
    assert_int_equal(ubi_leaks_path_length(leaks, 0), 0);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

static const char three_newer[] =
    ROOT "2(coarse=object class=App size=1) -> 3 \"ann\", 4 \"bob\", 5 \"cid\", 6 \"dan\", 9 \"old\"; "
         "3(coarse=object class=T size=10) -> 7 \"u\"; 4(coarse=object class=T size=10) -> 8 \"u\"; "
         "5(coarse=object class=T size=10); 6(coarse=object class=T size=10); 7(coarse=object class=U size=1); "
         "8(coarse=object class=U size=1); 9(coarse=object class=T size=1)";

static ubi_status find_with(void *payload, const ubi_allocator *allocator) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leaks *leaks = NULL;
    ubi_leak_control *control = NULL;
    options.allocator = allocator;
    ubi_status status = leak_heaps_try(&leaks, payload, &options);
    if (status == UBI_OK)
        status = ubi_leak_control_new(&control, leaks);
    ubi_leak_control_free(control);
    ubi_leaks_free(leaks);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(app, three_newer, three_newer);
    assert_true(fail_each_allocation(find_with, &h) > 20);
    leak_heaps_free(&h);
}

static bool stop(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return --*(int *)payload >= 0;
}

static void a_search_can_be_cancelled(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(app, three_newer, three_newer);
    ubi_status status = UBI_ECANCELLED;
    int calls = 0;
    for (; status == UBI_ECANCELLED; calls++) {
        int left = calls;
        ubi_leaks *leaks = NULL;
        ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
        options.progress = (ubi_progress){ stop, &left };
        status = leak_heaps_try(&leaks, &h, &options);
        ubi_leaks_free(leaks);
    }
    assert_int_equal(status, UBI_OK);
    assert_true(calls > 4);
    leak_heaps_free(&h);
}

static void misuse_is_refused(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(app, app, NULL);
    ubi_view view = ubi_view_of(h.newest);
    ubi_class_scheme classes = name_scheme(h.newest), old = name_scheme(h.old);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_finder *finder;
    ubi_leaks *leaks;
    options.version = 7;
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_leak_options has version 7, expected 1 to 6");
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &old, NULL), UBI_EINVAL);
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, NULL), UBI_OK);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_EINVAL);
    assert_int_equal(ubi_leak_finder_compare(finder, UBI_LEAK_OLD, &old), UBI_OK);
    assert_int_equal(ubi_leak_finder_compare(finder, UBI_LEAK_OLD, &old), UBI_EINVAL);
    assert_int_equal(ubi_leak_finder_compare(finder, 65535, &old), UBI_ELIMIT);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leaks_free(leaks);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_EINVAL);
    ubi_leak_finder_free(finder);
    ubi_leak_finder_free(NULL);
    ubi_leaks_free(NULL);
    ubi_leak_control_free(NULL);
    leak_heaps_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_new_is_no_leak),
        cmocka_unit_test(what_is_new_is_held_by_what_was_there),
        cmocka_unit_test(what_is_gone_in_newer_is_no_leak),
        cmocka_unit_test(what_came_after_new_is_too_young_to_judge),
        cmocka_unit_test(three_heaps_separate_growth_from_setting_up),
        cmocka_unit_test(one_large_buffer_with_each_step_is_steady),
        cmocka_unit_test(a_full_cache_is_bounded),
        cmocka_unit_test(a_cache_that_fills_up_is_bounded),
        cmocka_unit_test(a_list_that_stops_growing_was_set_up_once),
        cmocka_unit_test(a_common_class_leaks_in_one_place_though_more_of_it_go_and_come_elsewhere),
        cmocka_unit_test(objects_replaced_one_for_one_are_none),
        cmocka_unit_test(many_of_a_common_class_leak_though_others_went),
        cmocka_unit_test(objects_that_have_a_constructor_are_the_programs_own),
        cmocka_unit_test(a_function_holds_others_of_another_name),
        cmocka_unit_test(what_leaked_objects_keep_is_theirs),
        cmocka_unit_test(parts_have_what_the_engine_has_for_them),
        cmocka_unit_test(what_is_also_held_otherwise_is_not_kept),
        cmocka_unit_test(old_things_that_move_below_a_new_one_are_not_leaked),
        cmocka_unit_test(what_two_leaked_objects_share_counts_once),
        cmocka_unit_test(engine_internals_leak_only_when_asked_for),
        cmocka_unit_test(what_cannot_be_reached_does_not_leak),
        cmocka_unit_test(what_a_weak_table_lists_is_held_by_others_or_by_nothing),
        cmocka_unit_test(what_the_engine_holds_belongs_to_what_the_program_holds),
        cmocka_unit_test(what_only_left_out_edges_reach_can_leak),
        cmocka_unit_test(a_root_for_the_moment_speaks_for_what_nothing_else_holds),
        cmocka_unit_test(what_functions_have_in_their_hands_is_replaced),
        cmocka_unit_test(an_id_is_permanent_unless_it_is_an_address),
        cmocka_unit_test(heaps_of_two_runs_have_few_nodes_in_common),
        cmocka_unit_test(only_chosen_nodes_leak),
        cmocka_unit_test(templates_do_not_leak),
        cmocka_unit_test(an_edge_for_the_moment_speaks_for_what_nothing_else_holds),
        cmocka_unit_test(of_a_round_trip_the_outermost_are_listed),
        cmocka_unit_test(what_grows_in_the_control_is_no_leak),
        cmocka_unit_test(names_report_nodes_of_a_class_apart),
        cmocka_unit_test(names_that_are_all_different_report_nothing),
        cmocka_unit_test(values_leak_as_objects_do),
        cmocka_unit_test(a_cluster_says_how_many_are_of_another_place_in_the_code),
        cmocka_unit_test(sums_are_of_clusters_that_are_leaks),
        cmocka_unit_test(sums_of_a_verdict_are_of_its_clusters),
        cmocka_unit_test(verdicts_have_names_and_needs),
        cmocka_unit_test(options_of_the_first_version_are_understood),
        cmocka_unit_test(paths_lead_from_the_root_to_the_example),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(a_search_can_be_cancelled),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
