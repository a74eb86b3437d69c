/* SPDX-License-Identifier: MIT
 *
 * Tests of how leaked objects are gathered into clusters, and who holds them, on drawn heaps (leak_heaps.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "leak_heaps.h"

#define ROOT "1 -> 2 \"app\"; "

static const char app[] = ROOT "2(coarse=object class=App size=1)";

/* ---- places ------------------------------------------------------------------------------------------------------- */

static void different_places_are_different_clusters(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=App size=1) -> 3 \"a\", 4 \"b\"; 3(coarse=object class=L size=1); "
                      "4(coarse=object class=M size=1)",
                 ROOT "2(coarse=object class=App size=1) -> 3 \"a\", 4 \"b\"; "
                      "3(coarse=object class=L size=1) -> 5 \"[7]\", 6 \"[19]\"; "
                      "4(coarse=object class=M size=1) -> 7 \"[0]\"; 5(coarse=object class=T size=10); "
                      "6(coarse=object class=T size=10); 7(coarse=object class=T size=15)",
                 NULL, "grew T 2 20 in L; grew T 1 15 in M");
}

static void keys_of_a_dictionary_do_not_count(void **state) {
    (void)state;
    assert_leaks(app,
                 ROOT "2(coarse=object class=App size=1) -> 3 \"ann\", 4 \"bob\", 5 \"cid\", 6 \"dan\"; "
                      "3(coarse=object class=T size=10); 4(coarse=object class=T size=10); "
                      "5(coarse=object class=T size=10); 6(coarse=object class=T size=10)",
                 NULL, "grew T 4 40 in App");
}

static void one_sort_of_place_under_many_holders_is_a_cluster(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\"; 3(coarse=object class=S size=1); "
                      "4(coarse=object class=S size=1)",
                 ROOT "2(coarse=object class=App size=1) -> 3 \"[0]\", 4 \"[1]\"; "
                      "3(coarse=object class=S size=1) -> 5 \"last\"; 4(coarse=object class=S size=1) -> 6 \"last\"; "
                      "5(coarse=object class=T size=10); 6(coarse=object class=T size=10)",
                 NULL, "grew T 2 20 in S*2");
}

enum { FIRST_USER = 10, USERS = 20 };

/* Users in a list, of which number i has the thing number last[i] by a name; 0: none. From malloc. */
static char *users_with(const int last[USERS]) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(ROOT "2(coarse=object class=List size=1)", out);
    for (int i = 0; i < USERS; i++)
        fprintf(out, "%s %d \"[%d]\"", i ? "," : " ->", FIRST_USER + i, i);
    for (int i = 0; i < USERS; i++) {
        fprintf(out, "; %d(coarse=object class=User size=5)", FIRST_USER + i);
        if (last[i])
            fprintf(out, " -> %d \"last\"; %d(coarse=object class=Date size=10)", last[i], last[i]);
    }
    fclose(out);
    return text;
}

/* In round i, users from[i] to to[i] get new things. */
typedef struct rounds {
    uint32_t n;
    int from[6], to[6];
} rounds;

static void assert_users(const rounds *r, const char *expected_verdict, unsigned older, unsigned younger) {
    int last[USERS] = { 0 }, next = 100;
    char *drawings[6];
    ubi_graph *newest;
    for (uint32_t heap = 0; heap < r->n; heap++) {
        for (int i = r->from[heap]; i < r->to[heap]; i++)
            last[i] = next++;
        drawings[heap] = users_with(last);
    }
    ubi_leaks *leaks = leak_series_find(&newest, (const char *const *)drawings, r->n, NULL);
    assert_int_equal(ubi_leaks_count(leaks), 1);
    const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, 0);
    assert_string_equal(ubi_leak_verdict_name(c->verdict), expected_verdict);
    assert_int_equal(c->n_older, older);
    assert_int_equal(c->n_younger, younger);
    assert_true(c->n_holders > 1);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
    for (uint32_t heap = 0; heap < r->n; heap++)
        free(drawings[heap]);
}

static void a_leak_in_one_sort_of_place_under_many_old_holders_is_steady(void **state) {
    (void)state;
    assert_users(&(rounds){ 3, { 0, 0, 5 }, { 0, 5, 10 } }, "steady", 0, 5);
    assert_users(&(rounds){ 3, { 0, 5, 10 }, { 5, 10, 15 } }, "steady", 5, 5);
    assert_users(&(rounds){ 5, { 0, 4, 8, 12, 16 }, { 4, 8, 12, 16, 20 } }, "steady", 4, 4);
}

static void a_cache_over_many_old_holders_that_is_nearly_full_grew_once(void **state) {
    (void)state;
    assert_users(&(rounds){ 3, { 0, 8, 18 }, { 8, 18, 20 } }, "once", 8, 2);
    assert_users(&(rounds){ 3, { 0, 8, 0 }, { 8, 20, 0 } }, "once", 8, 0);
}

static void the_latest_of_something_in_each_of_many_holders_does_not_leak_steadily(void **state) {
    (void)state;
    /* All have one from the start; others get another each time. */
    assert_users(&(rounds){ 3, { 0, 0, 5 }, { 20, 5, 10 } }, "once", 10, 0);
    assert_users(&(rounds){ 5, { 0, 0, 4, 8, 12 }, { 20, 4, 8, 12, 16 } }, "stepwise", 4, 0);
}

static void a_list_that_grows_at_its_head(void **state) {
    (void)state;
    const char *old = ROOT "2(coarse=object class=List size=1) -> 3 \"head\"; 3(coarse=object class=N size=10)";
    assert_leaks(old,
                 ROOT
                 "2(coarse=object class=List size=1) -> 6 \"head\"; 6(coarse=object class=N size=10) -> 5 \"next\"; "
                 "5(coarse=object class=N size=10) -> 4 \"next\"; 4(coarse=object class=N size=10) -> 3 \"next\"; "
                 "3(coarse=object class=N size=10)",
                 NULL, "grew N 3 30 in List");
}

static void a_list_that_grows_at_its_end(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=List size=1) -> 3 \"head\"; 3(coarse=object class=N size=10)",
                 ROOT
                 "2(coarse=object class=List size=1) -> 3 \"head\"; 3(coarse=object class=N size=10) -> 4 \"next\"; "
                 "4(coarse=object class=N size=10) -> 5 \"next\"; 5(coarse=object class=N size=10)",
                 NULL, "grew N 2 20 in List");
}

static void branches_of_a_tree_are_one_cluster(void **state) {
    (void)state;
    assert_leaks(
        ROOT "2(coarse=object class=Tree size=1) -> 3 \"top\"; 3(coarse=object class=N size=10) -> 4 \"l\", 5 \"r\"; "
             "4(coarse=object class=N size=10); 5(coarse=object class=N size=10)",
        ROOT "2(coarse=object class=Tree size=1) -> 3 \"top\"; 3(coarse=object class=N size=10) -> 4 \"l\", 5 \"r\"; "
             "4(coarse=object class=N size=10) -> 6 \"l\", 7 \"r\"; 5(coarse=object class=N size=10) -> 8 \"r\"; "
             "6(coarse=object class=N size=10); 7(coarse=object class=N size=10); "
             "8(coarse=object class=N size=10) -> 9 \"l\"; 9(coarse=object class=N size=10)",
        NULL, "grew N 4 40 in Tree");
}

static void a_new_cache_is_reported_by_what_it_holds(void **state) {
    (void)state;
    char *edges =
        repeat_drawing(ROOT "2(coarse=object class=App size=1) -> 3 \"cache\"; 3(coarse=object class=Map size=500) -> ",
                       "%\"[%]\", ", 10, 30, "40 \"max\"; 40(coarse=object class=Limit size=1)");
    char *new = repeat_drawing(edges, "; %(coarse=object class=T size=10)", 10, 30, "");
    assert_leaks(app, new, NULL, "grew T 20 701 in Map new with Map 1, Limit 1");
    free(edges), free(new);
}

static void a_large_object_is_one(void **state) {
    (void)state;
    assert_leaks(app, ROOT "2(coarse=object class=App size=1) -> 3 \"x\"; 3(coarse=object class=Blob size=100000)",
                 NULL, "large Blob 1 100000 in App");
}

static void a_detached_tree_is_found_by_who_holds_it(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=Window size=1) -> 3 \"cache\"; 3(coarse=object class=Array size=1)",
                 ROOT "2(coarse=object class=Window size=1) -> 3 \"cache\"; "
                      "3(coarse=object class=Array size=1) -> 4 \"[0]\"; 4(coarse=dom desc=DIV size=50) -> 5, 6; "
                      "5(coarse=dom desc=SPAN size=20) -> 4; 6(coarse=dom desc=SPAN size=20) -> 4",
                 NULL, "grew DIV 1 90 in Array with SPAN 2");
}

static void holders_skip_engine_internals(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=Function size=1) -> 3 \"scope\"; 3(type=scope size=1) -> 4 \"m\"; "
                      "4(coarse=object class=Map size=1)",
                 ROOT "2(coarse=object class=Function size=1) -> 3 \"scope\"; 3(type=scope size=1) -> 4 \"m\"; "
                      "4(coarse=object class=Map size=1) -> 9; 9(type=table size=64) -> 5, 6; "
                      "5(coarse=object class=T size=10); 6(coarse=object class=T size=10)",
                 NULL, "grew T 2 20 in Map");
}

static void young_objects_on_the_way_are_passed_over(void **state) {
    (void)state;
    assert_leaks(ROOT "2(coarse=object class=List size=1)",
                 ROOT "2(coarse=object class=List size=1) -> 3 \"head\"; 3(coarse=object class=N size=10)",
                 ROOT
                 "2(coarse=object class=List size=1) -> 4 \"head\"; 4(coarse=object class=N size=10) -> 3 \"next\"; "
                 "3(coarse=object class=N size=10)",
                 "once N 1 10 in List");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_places_are_different_clusters),
        cmocka_unit_test(keys_of_a_dictionary_do_not_count),
        cmocka_unit_test(one_sort_of_place_under_many_holders_is_a_cluster),
        cmocka_unit_test(a_leak_in_one_sort_of_place_under_many_old_holders_is_steady),
        cmocka_unit_test(a_cache_over_many_old_holders_that_is_nearly_full_grew_once),
        cmocka_unit_test(the_latest_of_something_in_each_of_many_holders_does_not_leak_steadily),
        cmocka_unit_test(a_list_that_grows_at_its_head),
        cmocka_unit_test(a_list_that_grows_at_its_end),
        cmocka_unit_test(branches_of_a_tree_are_one_cluster),
        cmocka_unit_test(a_new_cache_is_reported_by_what_it_holds),
        cmocka_unit_test(a_large_object_is_one),
        cmocka_unit_test(a_detached_tree_is_found_by_who_holds_it),
        cmocka_unit_test(holders_skip_engine_internals),
        cmocka_unit_test(young_objects_on_the_way_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
