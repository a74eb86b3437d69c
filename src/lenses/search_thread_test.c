/* SPDX-License-Identifier: MIT
 *
 * search_thread_test.c: nodes by name, by hand and against a slow and obvious version.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/views/search.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"
#include "lenses/name_match.h"
#include "random_heap.h"
#include "random_v8_heap.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool matches(ubi_search_how how, const char *query, const char *text) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__wanted_name wanted;
    ubi__matcher matcher;
    assert_int_equal(ubi__wanted_name_init(&wanted, ubi__text(query), how, a), UBI_OK);
    assert_int_equal(ubi__matcher_init(&matcher, ubi__wanted_name_states(&wanted), a), UBI_OK);
    bool found = ubi__name_matches(&wanted, &matcher, ubi__text(text));
    ubi__matcher_fini(&matcher, a);
    ubi__wanted_name_fini(&wanted, a);
    return found;
}

static void upper_and_lower_case_are_the_same_as_in_javascript(void **state) {
    (void)state;
    static const struct {
        const char *query, *text;
        bool was_found;
    } cases[] = {
        { "map", "WeakMap", true },
        { "MAP", "WeakMap", true },
        { "map", "ma", false },
        { "", "", true },
        { "", "x", true },
        { "x", "", false },
        { "[@`{", "[@`{", true },
        { "[", "{", false }, /* not 32 apart like letters */
        { "\xc3\xa4rger", "\xc3\x84RGER", true },
        { "\xc3\x84", "\xc3\xa4", true },
        { "stra\xc3\x9f\x65", "STRASSE", false }, /* a capital of two characters is none */
        { "\xc3\xbf", "\xc5\xb8", true },         /* y with diaeresis */
        { "\xce\xbc", "\xc2\xb5", true },         /* mu and micro */
        { "\xcf\x82", "\xcf\x83", true },         /* both sigmas */
        { "k", "\xe2\x84\xaa", false },           /* Kelvin's sign is its own capital */
        { "s", "\xc5\xbf", false },               /* long s would be an ASCII letter */
        { "\xd0\xb6", "\xd0\x96", true },         /* Cyrillic */
        { "\xea\x9e\x90", "\xea\x9e\x91", true },
        { "\xf0\x90\x90\xa8", "\xf0\x90\x90\x80", false }, /* beyond 16 bits, as without the flag u */
        { "\xf0\x9f\x98\x80", "x\xf0\x9f\x98\x80", true },
        { "\xed\xa0\x80", "\xed\xa0\x80", true }, /* a lone surrogate */
        { "a\xff", "A\xff", true },               /* not UTF-8 */
        { "aab", "aaab", true },
        { "abcabd", "xABCABCABDx", true },
        { "\xc3\xa4\x62\xc3\xa4\x63", "\xc3\x84\x62\xc3\xa4\x62\xc3\x84\x63", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (matches(UBI_SEARCH_ANY_CASE, cases[i].query, cases[i].text) != cases[i].was_found)
            fail_msg("case %zu: %s in %s", i, cases[i].query, cases[i].text);
    assert_true(matches(UBI_SEARCH_EXACT, "Map", "WeakMap"));
    assert_false(matches(UBI_SEARCH_EXACT, "map", "WeakMap"));
    assert_true(matches(UBI_SEARCH_PATTERN, "^W.*p$", "WeakMap"));
    assert_false(matches(UBI_SEARCH_PATTERN, "^w", "WeakMap"));
}

static void mistakes_in_patterns_have_a_place(void **state) {
    (void)state;
    assert_int_equal(ubi_search_check(ubi__text("a(b"), UBI_SEARCH_PATTERN), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "at character 2 of the pattern"));
    assert_int_equal(ubi_search_check(ubi__text("a(b"), UBI_SEARCH_ANY_CASE), UBI_OK);
    assert_int_equal(ubi_search_check(ubi__text("a"), (ubi_search_how)7), UBI_EINVAL);
}

/* A search that restarts at each place would take 10^10 steps. */
static void texts_that_nearly_match_everywhere_take_linear_time(void **state) {
    (void)state;
    enum { N = 200000 };
    char *text = malloc(N + 1), *query = malloc(N / 2 + 1);
    memset(text, 'a', N);
    memset(query, 'A', N / 2);
    text[N] = query[N / 2] = 0;
    query[N / 2 - 1] = 'b';
    assert_false(matches(UBI_SEARCH_ANY_CASE, query, text));
    query[0] = '\xc3';
    query[1] = '\xa4';
    assert_false(matches(UBI_SEARCH_ANY_CASE, query, text));
    free(text);
    free(query);
}

/* ---- heaps ------------------------------------------------------------------------------------------------------- */

static ubi_look *look_through(const char *lens, ubi_graph *g) {
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find(lens), g, NULL), UBI_OK);
    return look;
}

/* Looks for the query at every place of the text, character by character. */
static bool contains_slowly(const char *query, ubi_text text) {
    size_t n = strlen(query);
    for (size_t at = 0; at + n <= text.len; at++) {
        size_t i = 0;
        while (i < n && (query[i] | 32) == (text.ptr[at + i] | 32))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static void compare(const char *lens, ubi_graph *g, const char *query, unsigned threads) {
    ubi_look *look = look_through(lens, g);
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi_search *search;
    ubi_look_name_buffer buffer;
    ubi_node_ix among[64];
    uint32_t n, n_expected = 0;
    bool chosen = random_below(2);
    for (ubi_node_ix node = 0; chosen && node < ubi_graph_node_count(g); node++)
        if (random_below(2))
            among[options.n_among++] = node;
    options.among = chosen ? among : NULL;
    options.threads = threads;
    assert_int_equal(ubi_search_new(&search, look, ubi__text(query), &options), UBI_OK);
    const ubi_node_ix *nodes = ubi_search_nodes(search, &n);
    uint32_t n_places = chosen ? options.n_among : ubi_graph_node_count(g);
    for (uint32_t i = 0; i < n_places; i++) {
        ubi_node_ix node = chosen ? among[i] : i;
        if (ubi_look_size_bytes(look, node) == 0 || !contains_slowly(query, ubi_look_display_name(look, node, &buffer)))
            continue;
        assert_true(n_expected < n);
        assert_int_equal(nodes[n_expected++], node);
    }
    assert_int_equal(n, n_expected);
    ubi_search_free(search);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void random_heaps_are_searched_like_one_name_after_another(void **state) {
    (void)state;
    static const char *const queries[] = { "a", "OBJ", "detached", "div", "", "system / c", "ab", "first" };
    random_start(5);
    for (int i = 0; i < 2000; i++) {
        const char *query = queries[random_below(sizeof queries / sizeof *queries)];
        if (random_below(4))
            compare("v8", random_v8_heap(40), query, 1 + random_below(3));
        else
            compare("plain", random_heap(), query, 1);
    }
}

static void many_nodes_are_shared_between_threads(void **state) {
    (void)state;
    enum { N = 1200000 };
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < N; i++)
        graph_maker_node(&m, i, i % 3);
    ubi_graph *g = graph_maker_finish(&m);
    ubi_look *look = look_through("plain", g);
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi_search *search;
    uint32_t n;
    options.threads = 3;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("t"), &options), UBI_OK);
    const ubi_node_ix *nodes = ubi_search_nodes(search, &n);
    assert_int_equal(n, N / 3 * 2);
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i] != i / 2 * 3 + 1 + i % 2)
            fail_msg("node %u at place %u", nodes[i], i);
    ubi_search_free(search);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

#define DRAWN "1(size=5) -> 2, 3, 4; 2(class=Map size=8); 3(class=WeakMap size=0); 4(class=HashMap size=3)"

static void nodes_without_a_size_are_not_looked_at(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(DRAWN);
    ubi_look *look = look_through("plain", g);
    ubi_search *search;
    uint32_t n;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("map"), NULL), UBI_OK);
    const ubi_node_ix *nodes = ubi_search_nodes(search, &n);
    assert_int_equal(n, 2);
    assert_int_equal(ubi_graph_node_id(g, nodes[0]), 2);
    assert_int_equal(ubi_graph_node_id(g, nodes[1]), 4);
    ubi_search_free(search);
    ubi_search_free(NULL);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)done, (void)total;
    assert_string_equal(stage, "searching");
    return false;
}

static void bad_options_are_refused_and_work_can_be_cancelled(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(DRAWN);
    ubi_look *look = look_through("plain", g);
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    const ubi_node_ix twice[] = { 1, 1 }, beyond[] = { 4 };
    ubi_search *search = NULL;
    options.progress.fn = refuse;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("a"), &options), UBI_ECANCELLED);
    options.progress.fn = NULL;
    options.among = twice;
    options.n_among = 2;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("a"), &options), UBI_EINVAL);
    options.among = beyond;
    options.n_among = 1;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("a"), &options), UBI_EINVAL);
    options.version = 3;
    assert_int_equal(ubi_search_new(&search, look, ubi__text("a"), &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_search_options has version 3, expected 1");
    assert_null(search);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static ubi_status search_with(void *look, const ubi_allocator *a) {
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi_search *search = NULL;
    options.allocator = a;
    options.threads = 1;
    options.how = UBI_SEARCH_PATTERN;
    ubi_status status = ubi_search_new(&search, look, ubi__text("[a-z]+p$"), &options);
    if (status == UBI_OK) {
        ubi_search_free(search);
        search = NULL;
        options.how = UBI_SEARCH_ANY_CASE;
        status = ubi_search_new(&search, look, ubi__text("map"), &options);
    }
    ubi_search_free(search);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(DRAWN);
    ubi_look *look = look_through("plain", g);
    fail_each_allocation(search_with, look);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upper_and_lower_case_are_the_same_as_in_javascript),
        cmocka_unit_test(mistakes_in_patterns_have_a_place),
        cmocka_unit_test(texts_that_nearly_match_everywhere_take_linear_time),
        cmocka_unit_test(random_heaps_are_searched_like_one_name_after_another),
        cmocka_unit_test(many_nodes_are_shared_between_threads),
        cmocka_unit_test(nodes_without_a_size_are_not_looked_at),
        cmocka_unit_test(bad_options_are_refused_and_work_can_be_cancelled),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
