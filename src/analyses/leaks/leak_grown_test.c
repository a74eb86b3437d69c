/* SPDX-License-Identifier: MIT
 *
 * Tests of what was there in OLD and became larger, on drawn heaps (leak_heaps.h).
 *
 * What grew is written as one line, joined by "; ": verdict class[*objects] [> class of the content] bytes in each heap.
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
#include "name_scheme.h"

enum { MOST = 8 };

static void put_class(FILE *out, const ubi_graph *g, ubi_node_ix node) {
    ubi_class_scheme scheme = name_scheme(g);
    ubi_class class;
    scheme.describe(&scheme, ubi_graph_node_kind(g, node), &class);
    fprintf(out, "%.*s", (int)class.name.len, class.name.ptr);
}

static char *text_of(const ubi_leaks *leaks, const ubi_graph *g) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(leaks, i);
        fprintf(out, "%s%s ", i ? "; " : "", ubi_leak_verdict_name(grown->verdict));
        put_class(out, g, grown->node);
        if (grown->n_objects > 1)
            fprintf(out, "*%u", grown->n_objects);
        if (grown->content != UBI_NONE) {
            assert_true(grown->is_by_contents);
            fputs(" > ", out);
            put_class(out, g, grown->content);
        }
        for (uint32_t heap = 0; heap < ubi_leaks_heap_count(leaks); heap++)
            fprintf(out, " %u", (unsigned)grown->bytes[heap]);
        assert_int_equal(grown->grown_bytes, grown->bytes[ubi_leaks_heap_count(leaks) - 1] - grown->bytes[0]);
        assert_int_equal(grown->is_counted, ubi_leak_verdict_is_leak(grown->verdict));
    }
    fclose(out);
    return text;
}

static void assert_grown_with(const char *const *drawings, uint32_t n, const ubi_leak_options *options,
                              const char *expected) {
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, drawings, n, options);
    char *text = text_of(leaks, newest);
    assert_string_equal(text, expected);
    free(text);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

/* A Set of these sizes; `%d` of `format` is the size, and `%d` the number of the heap if it has a second. */
static void assert_sizes(const char *format, const int *sizes, uint32_t n, const char *expected) {
    char texts[MOST][1024];
    const char *drawings[MOST];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], format, sizes[i], (int)i);
        drawings[i] = texts[i];
    }
    assert_grown_with(drawings, n, NULL, expected);
}

static const char set[] = "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"seen\"; "
                          "3(coarse=object class=Set size=%d)";

static void a_set_of_numbers_grows_in_place(void **state) {
    (void)state;
    assert_sizes(set, (int[]){ 5000, 9000, 13000 }, 3, "steady Set 5000 9000 13000");
    assert_sizes(set, (int[]){ 5000, 13000 }, 2, "grew Set 5000 13000");
    /* A table doubles. */
    assert_sizes(set, (int[]){ 5000, 10000, 20000 }, 3, "steady Set 5000 10000 20000");
}

static void a_cache_that_is_full_grew_once(void **state) {
    (void)state;
    assert_sizes(set, (int[]){ 5000, 13000, 13000 }, 3, "once Set 5000 13000 13000");
    assert_sizes(set, (int[]){ 5000, 13000, 14000 }, 3, "once Set 5000 13000 14000");
    assert_sizes(set, (int[]){ 5000, 5000, 14000 }, 3, "once Set 5000 5000 14000");
    assert_sizes(set, (int[]){ 5000, 13000, 13000, 13000, 13000, 13000 }, 6,
                 "once Set 5000 13000 13000 13000 13000 13000");
}

static void what_is_emptied_now_and_then_is_bounded(void **state) {
    (void)state;
    assert_sizes(set, (int[]){ 5000, 20000, 8000 }, 3, "bounded Set 5000 20000 8000");
    assert_sizes(set, (int[]){ 5000, 9000, 2000, 6000, 9000 }, 5, "bounded Set 5000 9000 2000 6000 9000");
}

static void small_things_and_small_growth_are_not_listed(void **state) {
    (void)state;
    assert_sizes(set, (int[]){ 100, 1500, 3000 }, 3, "");
    assert_sizes(set, (int[]){ 50000, 50400, 50800 }, 3, "");
    assert_sizes(set, (int[]){ 9000, 7000, 6000 }, 3, "");
}

static void tables_of_a_series_double_with_some_steps(void **state) {
    (void)state;
    assert_sizes(set, (int[]){ 5000, 10000, 10000, 20000, 20000 }, 5, "steady Set 5000 10000 10000 20000 20000");
    assert_sizes(set, (int[]){ 5000, 6000, 6000, 7000, 7000, 7000, 8000 }, 7,
                 "stepwise Set 5000 6000 6000 7000 7000 7000 8000");
    assert_sizes(set, (int[]){ 5000, 9000, 9000, 13000, 17000 }, 5, "steady Set 5000 9000 9000 13000 17000");
}

static void parts_of_the_engine_belong_to_the_object_that_alone_has_them(void **state) {
    (void)state;
    assert_sizes("1 -> 2 \"buffer\"; 2(coarse=object class=ArrayBuffer size=100) -> 3 \"store\"; 3(type=data size=%d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "steady ArrayBuffer 5100 9100 13100");
    /* Two have it: it belongs to neither. */
    assert_sizes("1 -> 2 \"a\", 4 \"b\"; 2(coarse=object class=A size=100) -> 3 \"store\"; "
                 "4(coarse=object class=A size=100) -> 3 \"store\"; 3(type=data size=%d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "");
}

static void what_is_replaced_by_larger_ones_counts_to_its_holder(void **state) {
    (void)state;
    assert_sizes("1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> 5%2$d \"text\"; "
                 "5%2$d(coarse=string class=text size=%1$d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "steady Log > text 5100 9100 13100");
    /* A buffer, its array buffer and its memory. */
    assert_sizes("1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> 5%2$d \"bytes\"; "
                 "5%2$d(coarse=object class=Buffer size=50) -> 6%2$d \"buffer\"; "
                 "6%2$d(coarse=object class=ArrayBuffer size=50) -> 7%2$d \"store\"; 7%2$d(type=data size=%1$d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "steady Log > Buffer 5200 9200 13200");
}

static void members_of_lists_does_not_count_to_them(void **state) {
    (void)state;
    assert_sizes("1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> 5%2$d \"[0]\"; "
                 "5%2$d(coarse=string class=text size=%1$d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "");
}

/* V8 names the keys and values of a Map by their place in its table. */
static void what_tables_hold_does_not_count_to_them(void **state) {
    (void)state;
    assert_sizes("1 -> 2 \"seen\"; 2(coarse=object class=Map size=100) -> 6%2$d \"table\"; "
                 "6%2$d(type=data size=5000) -> 5%2$d \"4099\"; 5%2$d(coarse=object class=Key size=%1$d)",
                 (int[]){ 5000, 9000, 13000 }, 3, "");
}

/* Heap i of a dictionary of many texts, all of them new. From malloc. */
static char *dictionary(int heap, int n) {
    char *edges = repeat_drawing("1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> 9 \"n\"", ", % \"key%\"",
                                 1000 + 100 * heap, 1000 + 100 * heap + n, "; 9(coarse=object class=N size=1)");
    char *all =
        repeat_drawing(edges, "; %(coarse=string class=text size=2000)", 1000 + 100 * heap, 1000 + 100 * heap + n, "");
    free(edges);
    return all;
}

static void many_names_are_keys(void **state) {
    (void)state;
    char *few[] = { dictionary(0, 4), dictionary(1, 8), dictionary(2, 12) };
    char *many[] = { dictionary(0, 18), dictionary(1, 30), dictionary(2, 60) };
    assert_grown_with((const char *const *)few, 3, NULL, "steady Log 8100 16100 24100");
    assert_grown_with((const char *const *)many, 3, NULL, "");
    for (int i = 0; i < 3; i++)
        free(few[i]), free(many[i]);
}

/* ---- many --------------------------------------------------------------------------------------------------------- */

/* An object with `n` arrays of one size, numbered or under keys. Numbers in names do not count, so keys have letters. From malloc. */
static char *arrays(bool by_keys, int n, int size) {
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs("1 -> 2 \"app\"; 2(coarse=object class=Map size=100) -> 9 \"n\"", out);
    for (int i = 0; i < n; i++)
        if (by_keys)
            fprintf(out, ", %d \"k%c\"", 10 + i, 'a' + i);
        else
            fprintf(out, ", %d \"[%d]\"", 10 + i, i);
    fputs("; 9(coarse=object class=N size=1)", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "; %d(coarse=object class=Array size=%d)", 10 + i, size);
    fclose(out);
    return text;
}

static void assert_arrays(bool by_keys, int n, const int sizes[3], const char *expected) {
    char *drawings[] = { arrays(by_keys, n, sizes[0]), arrays(by_keys, n, sizes[1]), arrays(by_keys, n, sizes[2]) };
    assert_grown_with((const char *const *)drawings, 3, NULL, expected);
    for (int i = 0; i < 3; i++)
        free(drawings[i]);
}

static void many_that_grow_a_little_each_are_reported_as_one(void **state) {
    (void)state;
    const int small[] = { 300, 600, 900 }, large[] = { 5000, 9000, 13000 };
    assert_arrays(false, 200, small, "steady Array*200 60000 120000 180000");
    assert_arrays(false, 4, small, "steady Array*4 1200 2400 3600");
    assert_arrays(false, 3, small, "");
    assert_arrays(false, 4, (const int[]){ 300, 900, 900 }, "once Array*4 1200 3600 3600");
    assert_arrays(false, 2, large, "steady Array 5000 9000 13000; steady Array 5000 9000 13000");
    /* By names it takes more: each may be a variable of its own. */
    assert_arrays(true, 17, small, "steady Array*17 5100 10200 15300");
    assert_arrays(true, 16, small, "");
}

static void that_which_grew_most_is_the_example(void **state) {
    (void)state;
    const char *format = "1 -> 2 \"app\"; 2(coarse=object class=Map) -> 3 \"[0]\", 4 \"[1]\", 5 \"[2]\", 6 \"[3]\"; "
                         "3(coarse=object class=A size=%d); 4(coarse=object class=A size=%d); "
                         "5(coarse=object class=A size=%d); 6(coarse=object class=A size=%d)";
    char old[400], new[400];
    ubi_graph *newest;
    snprintf(old, sizeof old, format, 300, 300, 300, 300);
    snprintf(new, sizeof new, format, 600, 600, 5000, 600);
    ubi_leaks *leaks = leak_series_find(&newest, (const char *const[]){ old, new }, 2, NULL);
    assert_int_equal(ubi_leaks_grown_count(leaks), 1);
    assert_int_equal(ubi_leaks_grown(leaks, 0)->n_objects, 4);
    assert_int_equal(ubi_graph_node_id(newest, ubi_leaks_grown(leaks, 0)->node), 5);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

static void many_that_grow_in_the_control_are_none(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_control *control;
    ubi_graph *newest;
    char *drawings[] = { arrays(true, 20, 300), arrays(true, 20, 600) };
    ubi_leaks *leaks = leak_series_find(&newest, (const char *const *)drawings, 2, NULL);
    assert_int_equal(ubi_leak_control_new(&control, leaks), UBI_OK);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
    options.control = control;
    assert_grown_with((const char *const *)drawings, 2, &options, "controlled Array*20 6000 12000");
    ubi_leak_control_free(control);
    free(drawings[0]), free(drawings[1]);
}

/* A leaked object that is large is reported as leaked. */
static void leaked_objects_do_not_count_twice(void **state) {
    (void)state;
    const char *old = "1 -> 2 \"app\"; 2(coarse=object class=App size=1)";
    const char *new = "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"big\"; "
                      "3(coarse=object class=Big size=90000)";
    assert_grown_with((const char *const[]){ old, new, new }, 3, NULL, "");
}

static void a_holder_of_leaked_objects_is_marked(void **state) {
    (void)state;
    const char *drawings[] = { "1 -> 2 \"list\"; 2(coarse=object class=List size=5000)",
                               "1 -> 2 \"list\"; 2(coarse=object class=List size=8000) -> 3 \"[0]\"; "
                               "3(coarse=object class=T size=10)",
                               "1 -> 2 \"list\"; 2(coarse=object class=List size=11000) -> 3 \"[0]\", 4 \"[1]\"; "
                               "3(coarse=object class=T size=10); 4(coarse=object class=T size=10)" };
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, drawings, 3, NULL);
    assert_int_equal(ubi_leaks_grown_count(leaks), 1);
    assert_true(ubi_leaks_grown(leaks, 0)->is_cluster_holder);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

/* V8 has properties in an array beside the object, too. */
static void a_property_that_the_engine_has_twice_is_the_object_s(void **state) {
    (void)state;
    const char *format =
        "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"table\", %d \"log\"; 3(type=T size=10) -> %d; "
        "%d(type=Text coarse=string size=%d)";
    char drawings[3][200];
    const char *series[] = { drawings[0], drawings[1], drawings[2] };
    for (int i = 0; i < 3; i++)
        snprintf(drawings[i], sizeof drawings[i], format, 4 + i, 4 + i, 4 + i, 5000 * (i + 1));
    assert_grown_with(series, 3, NULL, "steady App > Text 5011 10011 15011");
}

static const char *const grows[] = { "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"seen\"; "
                                     "3(coarse=object class=Set size=5000)",
                                     "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"seen\"; "
                                     "3(coarse=object class=Set size=9000)",
                                     "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"seen\"; "
                                     "3(coarse=object class=Set size=13000)" };

static void only_what_was_chosen_is_reported(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    uint64_t chosen = 1 << 1;
    options.chosen = &chosen;
    assert_grown_with(grows, 3, &options, "");
    chosen = 1 << 2;
    assert_grown_with(grows, 3, &options, "steady Set 5000 9000 13000");
}

static void what_grows_in_the_control_is_none(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_control *control;
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, grows, 3, NULL);
    assert_int_equal(ubi_leak_control_new(&control, leaks), UBI_OK);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
    options.control = control;
    assert_grown_with(grows, 3, &options, "controlled Set 5000 9000 13000");
    const char *elsewhere[] = { "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"other\"; "
                                "3(coarse=object class=Set size=5000)",
                                "1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"other\"; "
                                "3(coarse=object class=Set size=9000)" };
    assert_grown_with(elsewhere, 2, &options, "grew Set 5000 9000");
    ubi_leak_control_free(control);
}

static void steps_may_come_in_any_order(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(grows[0], grows[1], grows[2]);
    ubi_leak_finder *finder = leak_finder_of(&h);
    ubi_leaks *leaks;
    leak_finder_compare_drawing(finder, 1, grows[1]);
    leak_finder_compare_drawing(finder, 0, grows[0]);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leak_finder_free(finder);
    char *text = text_of(leaks, h.newest);
    assert_string_equal(text, "steady Set 5000 9000 13000");
    free(text);
    ubi_leaks_free(leaks);
    leak_heaps_free(&h);
}

/* ---- ropes -------------------------------------------------------------------------------------------------------- */

static bool is_cons(const ubi_graph *g, ubi_node_ix node) {
    return ubi__text_is(ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node))->class_name), "Cons");
}

static void put_rope(FILE *out, int id, int from, int to) {
    for (int i = from; i < to; i++)
        fprintf(out,
                "; %d(coarse=string class=Cons size=30) -> %d \"first\", %d \"second\"; %d(coarse=string class=text "
                "size=500)",
                id + i + 1, id + i, id + 100 + i, id + 100 + i);
}

/* A log with a text that others were added to `to` times. Before the first `from` it was flattened, if that is not 0. From malloc. */
static char *log_of(const char *label, int from, int to) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> %d \"%s\"", 200 + to, label);
    put_rope(out, 200, from, to);
    fprintf(out, "; %d(coarse=string class=text size=%d)", 200 + from, 500 + 530 * from);
    fclose(out);
    return text;
}

static void assert_rope(char *drawings[3], const char *expected) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_graph *newest;
    options.is_rope = is_cons;
    assert_grown_with((const char *const *)drawings, 3, &options, expected);
    ubi_leaks *leaks = leak_series_find(&newest, (const char *const *)drawings, 3, &options);
    assert_int_equal(ubi_leaks_count(leaks), 0); /* nothing new leaked */
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++)
        assert_true(ubi_leaks_grown(leaks, i)->is_rope);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
    for (int i = 0; i < 3; i++)
        free(drawings[i]);
}

static void a_text_that_is_added_to_is_one_text_that_grows(void **state) {
    (void)state;
    assert_rope((char *[]){ log_of("text", 0, 20), log_of("text", 0, 40), log_of("text", 0, 60) },
                "steady Cons 11100 21700 32300");
    /* In a list or map, too, where no name says that it took the place of another. */
    assert_rope((char *[]){ log_of("[3]", 0, 20), log_of("[3]", 0, 40), log_of("[3]", 0, 60) },
                "steady Cons 11100 21700 32300");
    assert_rope((char *[]){ log_of("text", 0, 20), log_of("text", 0, 40), log_of("text", 0, 40) },
                "once Cons 11100 21700 21700");
    assert_rope((char *[]){ log_of("text", 0, 20), log_of("text", 0, 20), log_of("text", 0, 20) }, "");
}

/* Reading a rope makes one text of it, and what is added then is added to that. */
static void a_rope_that_was_flattened_meanwhile_is_replaced_by_a_larger_text(void **state) {
    (void)state;
    assert_rope((char *[]){ log_of("text", 0, 20), log_of("text", 39, 40), log_of("text", 59, 60) },
                "steady Log > Cons 11200 21800 32400");
}

/* Each two lines share their text, as the time within a millisecond. */
static char *log_with_repeats(int to) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> %d \"text\"", 200 + to);
    for (int i = 0; i < to; i++)
        fprintf(out, "; %d(coarse=string class=Cons size=30) -> %d \"first\", %d \"second\"", 201 + i, 200 + i,
                300 + i / 2);
    for (int i = 0; i < to; i += 2)
        fprintf(out, "; %d(coarse=string class=text size=500)", 300 + i / 2);
    fputs("; 200(coarse=string class=text size=500)", out);
    fclose(out);
    return text;
}

static void a_text_may_have_the_same_part_twice(void **state) {
    (void)state;
    assert_rope((char *[]){ log_with_repeats(20), log_with_repeats(40), log_with_repeats(60) },
                "steady Cons 6100 11700 17300");
}

static void of_new_ropes_only_the_outermost_are_objects(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("1 -> 2 \"log\"; 2(coarse=object class=Log size=100) -> 310 \"[0]\", 610 \"[1]\", 910 \"[2]\"", out);
    for (int id = 300; id < 1000; id += 300) {
        put_rope(out, id, 0, 10);
        fprintf(out, "; %d(coarse=string class=text size=500)", id);
    }
    fclose(out);
    leak_heaps h = leak_heaps_draw("1 -> 2 \"log\"; 2(coarse=object class=Log size=100)", text, NULL);
    options.is_rope = is_cons;
    leak_heaps_assert(&h, &options, "grew Cons 3 17400 in Log");
    leak_heaps_free(&h);
    free(text);
}

/* As only broken files have them; and one that is in itself. */
static void texts_that_are_parts_of_each_other_come_to_an_end(void **state) {
    (void)state;
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    const char *ring =
        "1 -> 2 \"log\"; 2(coarse=object class=Log size=5000); "
        "3(coarse=string class=Cons size=30) -> 4 \"first\", 7 \"second\"; "
        "4(coarse=string class=Cons size=30) -> 5 \"first\"; 5(coarse=string class=Cons size=30) -> 3 \"first\"; "
        "6(coarse=string class=Cons size=30) -> 6 \"first\"; 7(coarse=string class=Cons size=9) -> 8 \"first\"; "
        "8(coarse=string class=text size=7000)";
    options.is_rope = is_cons;
    assert_grown_with((const char *const[]){ ring, ring, ring }, 3, &options, "");
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

static ubi_status find_rope_with(void *payload, const ubi_allocator *allocator) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leaks *leaks = NULL;
    options.allocator = allocator;
    options.is_rope = is_cons;
    ubi_status status = leak_heaps_try(&leaks, payload, &options);
    ubi_leaks_free(leaks);
    return status;
}

static void every_failed_allocation_for_a_rope_is_reported(void **state) {
    (void)state;
    char *old = log_of("text", 0, 20), *new = log_of("text", 0, 40);
    leak_heaps h = leak_heaps_draw(old, new, NULL);
    assert_true(fail_each_allocation(find_rope_with, &h) > 20);
    leak_heaps_free(&h);
    free(old), free(new);
}

static ubi_status find_with(void *payload, const ubi_allocator *allocator) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leaks *leaks = NULL;
    ubi_leak_control *control = NULL;
    options.allocator = allocator;
    ubi_status status = leak_heaps_try(&leaks, payload, &options);
    if (status == UBI_OK) {
        assert_int_equal(ubi_leaks_grown_count(leaks), 1);
        status = ubi_leak_control_new(&control, leaks);
    }
    ubi_leak_control_free(control);
    ubi_leaks_free(leaks);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    leak_heaps h = leak_heaps_draw(grows[0], grows[1], grows[2]);
    assert_true(fail_each_allocation(find_with, &h) > 30);
    leak_heaps_free(&h);
}

static void every_failed_allocation_for_many_is_reported(void **state) {
    (void)state;
    char *old = arrays(false, 6, 300), *new = arrays(false, 6, 2000);
    leak_heaps h = leak_heaps_draw(old, new, NULL);
    assert_true(fail_each_allocation(find_with, &h) > 30);
    leak_heaps_free(&h);
    free(old), free(new);
}

/* Sizes as a hostile file may have them, and nodes that hold each other alone. */
static void sizes_beyond_all_bounds_are_as_large_as_can_be(void **state) {
    (void)state;
    const char *old = "1 -> 2 \"a\"; 2(coarse=object class=A size=5000)";
    const char *huge = "1 -> 2 \"a\"; 2(coarse=object class=A size=18446744073709551615) -> 3 \"s\"; "
                       "3(type=data size=18446744073709551615); 4(coarse=object class=B size=9000) -> 5 \"x\"; "
                       "5(coarse=object class=B size=9000) -> 4 \"x\"";
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, (const char *const[]){ old, huge }, 2, NULL);
    assert_int_equal(ubi_leaks_grown_count(leaks), 1);
    assert_true(ubi_leaks_grown(leaks, 0)->bytes[1] == UINT64_MAX);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_numbers_grows_in_place),
        cmocka_unit_test(a_cache_that_is_full_grew_once),
        cmocka_unit_test(what_is_emptied_now_and_then_is_bounded),
        cmocka_unit_test(small_things_and_small_growth_are_not_listed),
        cmocka_unit_test(tables_of_a_series_double_with_some_steps),
        cmocka_unit_test(parts_of_the_engine_belong_to_the_object_that_alone_has_them),
        cmocka_unit_test(what_is_replaced_by_larger_ones_counts_to_its_holder),
        cmocka_unit_test(members_of_lists_does_not_count_to_them),
        cmocka_unit_test(what_tables_hold_does_not_count_to_them),
        cmocka_unit_test(many_names_are_keys),
        cmocka_unit_test(many_that_grow_a_little_each_are_reported_as_one),
        cmocka_unit_test(that_which_grew_most_is_the_example),
        cmocka_unit_test(many_that_grow_in_the_control_are_none),
        cmocka_unit_test(every_failed_allocation_for_many_is_reported),
        cmocka_unit_test(leaked_objects_do_not_count_twice),
        cmocka_unit_test(a_holder_of_leaked_objects_is_marked),
        cmocka_unit_test(a_property_that_the_engine_has_twice_is_the_object_s),
        cmocka_unit_test(only_what_was_chosen_is_reported),
        cmocka_unit_test(what_grows_in_the_control_is_none),
        cmocka_unit_test(steps_may_come_in_any_order),
        cmocka_unit_test(a_text_that_is_added_to_is_one_text_that_grows),
        cmocka_unit_test(a_rope_that_was_flattened_meanwhile_is_replaced_by_a_larger_text),
        cmocka_unit_test(a_text_may_have_the_same_part_twice),
        cmocka_unit_test(of_new_ropes_only_the_outermost_are_objects),
        cmocka_unit_test(texts_that_are_parts_of_each_other_come_to_an_end),
        cmocka_unit_test(every_failed_allocation_for_a_rope_is_reported),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(sizes_beyond_all_bounds_are_as_large_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
