/* SPDX-License-Identifier: MIT
 *
 * heap_profile_test.c: sampling profiles of V8 as recordings: functions, lines, sums; keys in any order; samples that are missing or others;
 * deep trees; files that are cut or damaged; refused memory. What Node.js writes: tests/v8/heap_profile_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "recording/flame_tree.h"
#include "recording/heap_profile.h"
#include "recording/recording_place.h"
#include "small_recording.h"

#define FRAME(name, url, line)                                                                                         \
    "\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"5\",\"url\":\"" url "\",\"lineNumber\":" line         \
    ",\"columnNumber\":3}"
#define ROOT FRAME("(root)", "", "-1")

/* main has 10 itself, parse 100 in two samples and 7 below, print 30. */
static const char usual[] = "{\"head\":{" ROOT ",\"selfSize\":0,\"id\":1,\"children\":[{" FRAME(
    "main", "file:///a.js",
    "8") ",\"selfSize\":10,\"id\":2,\"children\":[{" FRAME("parse", "file:///a.js",
                                                           "20") ",\"selfSize\":100,\"id\":4,\"children\":["
                                                                 "{" FRAME("", "file:///b.js",
                                                                           "0") ",\"selfSize\":7,\"id\":5,"
                                                                                "\"children\":[]}]},"
                                                                                "{" FRAME("pr\\u00efnt", "file:///a.js",
                                                                                          "30") ",\"selfSiz"
                                                                                                "e\":30,"
                                                                                                "\"id\":3,"
                                                                                                "\"children"
                                                                                                "\":[]}]}]}"
                                                                                                ",\"samples"
                                                                                                "\":[{"
                                                                                                "\"size\":"
                                                                                                "60,"
                                                                                                "\"nodeId\""
                                                                                                ":4,"
                                                                                                "\"ordinal"
                                                                                                "\":9},"
                                                                                                "{\"size\":"
                                                                                                "10,"
                                                                                                "\"nodeId\""
                                                                                                ":2,"
                                                                                                "\"ordinal"
                                                                                                "\":1},{"
                                                                                                "\"size\":"
                                                                                                "40,"
                                                                                                "\"nodeId\""
                                                                                                ":4,"
                                                                                                "\"ordinal"
                                                                                                "\":2},"
                                                                                                "{\"size\":"
                                                                                                "30,"
                                                                                                "\"nodeId\""
                                                                                                ":3,"
                                                                                                "\"ordinal"
                                                                                                "\":4},{"
                                                                                                "\"size\":"
                                                                                                "99,"
                                                                                                "\"nodeId\""
                                                                                                ":77,"
                                                                                                "\"ordinal"
                                                                                                "\":5},{"
                                                                                                "\"size\":"
                                                                                                "7,"
                                                                                                "\"nodeId\""
                                                                                                ":5,"
                                                                                                "\"ordinal"
                                                                                                "\":3}]}";

/* The same with keys in other orders, unknown ones, spaces, and samples that do not add up. */
static const char unusual[] =
    " { \"samples\" : [ {\"size\":60,\"nodeId\":4} ] , \"more\": [{\"x\":[[]]}], \"head\" : { \"id\" : 1 , "
    "\"children\" : "
    "[ { \"children\":[ {\"children\":[{\"id\":5,\"selfSize\":7," FRAME(
        "", "file:///b.js",
        "0") "}],"
             "\"selfSize\":100,\"id\":4,\"hits\":{\"a\":1}," FRAME(
                 "parse", "file:///a.js",
                 "20") "}, {\"selfSize\":3.0e1," FRAME("prïnt", "file:///a.js",
                                                       "30") "} ] , " FRAME("main", "file:///a.js",
                                                                            "8") ",\"selfSize\":10 } ], " ROOT
                                                                                 " , \"selfSize\":0 } } \n";

typedef struct looked_at {
    ubi__vec_u8 file;
    ubi__recording_summary summary;
    ubi__sites sites;
} looked_at;

static void look(looked_at *l, const char *text) {
    ubi__source source;
    *l = (looked_at){ .file = { 0 } };
    must(ubi__heap_profile_convert(&l->file, ubi__text(text), ubi_allocator_default()));
    ubi__source_open_memory(&source, l->file.at, l->file.n, ubi_allocator_default());
    must(ubi__recording_summary_read(&l->summary, &source, NULL, ubi_allocator_default()));
    ubi__source_close(&source);
    must(ubi__sites_init(&l->sites, &l->summary, true, NULL));
}

static void look_end(looked_at *l) {
    ubi__sites_fini(&l->sites);
    ubi__recording_summary_fini(&l->summary);
    ubi__vec_u8_fini(&l->file, ubi_allocator_default());
}

static void node_spell(char *out, size_t size, const ubi__flame_tree *tree, ubi__flame_ix ix) {
    const ubi__flame_node *node = &tree->nodes.at[ix];
    ubi_text name = ubi__flame_name(tree, ix);
    snprintf(out + strlen(out), size - strlen(out), "%.*s %llu/%llu", (int)name.len, name.ptr,
             (unsigned long long)node->all, (unsigned long long)node->self);
    for (ubi__flame_ix child = node->first_child; child; child = tree->nodes.at[child].next_sibling) {
        strncat(out, child == node->first_child ? " (" : ", ", size - strlen(out) - 1);
        node_spell(out, size, tree, child);
    }
    if (node->first_child)
        strncat(out, ")", size - strlen(out) - 1);
}

static void assert_tree(const looked_at *l, const char *expected) {
    const ubi__stack_choice choice = { .sites = &l->sites, .of_class = UBI__UBIREC_HEAP };
    const ubi__stack_measure total = { UBI__MEASURE_TOTAL, false };
    ubi__flame_tree tree;
    char text[1024] = "";
    must(ubi__flame_tree_init(&tree, &choice, total, false, ubi_allocator_default()));
    node_spell(text, sizeof text, &tree, 0);
    assert_string_equal(text, expected);
    ubi__flame_tree_fini(&tree);
}

static const char tree_of_both[] = "all 147/0 (main 147/10 (parse 107/100 ((anonymous b.js:1) 7/7), prïnt 30/30))";

static void functions_have_what_the_profile_says(void **state) {
    looked_at l;
    (void)state;
    look(&l, usual);
    assert_tree(&l, tree_of_both);
    assert_int_equal(l.summary.classes[UBI__UBIREC_HEAP].count,
                     5); /* a sample of a function that is not there is none */
    assert_int_equal(l.summary.tables.counters[UBI__UBIREC_WITHOUT_FREES], UBI__UBIREC_ALIVE_ALONE);
    assert_false(ubi__ubirec_is_exact(&l.summary.tables));
    look_end(&l);
}

static void keys_may_come_in_any_order_and_samples_be_others(void **state) {
    looked_at l;
    (void)state;
    look(&l, unusual);
    assert_tree(&l, tree_of_both);
    assert_int_equal(l.summary.classes[UBI__UBIREC_HEAP].count, 4);
    look_end(&l);
}

/* 3 and 5 of 8 are 37 and 63 of 100. */
static void samples_make_up_what_a_function_has(void **state) {
    looked_at l;
    (void)state;
    look(&l, "{\"head\":{\"id\":1,\"children\":[{\"id\":2,\"selfSize\":100},{\"id\":3,\"selfSize\":0}]},\"samples\":[{"
             "\"size\":3,"
             "\"nodeId\":2},{\"size\":5,\"nodeId\":2},{\"size\":0,\"nodeId\":2},{\"size\":9,\"nodeId\":3}]}");
    assert_tree(&l, "all 100/0 ((anonymous) 100/100)");
    assert_int_equal(l.summary.infos.n, 2);
    assert_int_equal(l.summary.tables.infos.at[0].size_bytes + l.summary.tables.infos.at[1].size_bytes, 100);
    look_end(&l);
}

static void lines_begin_with_1(void **state) {
    looked_at l;
    ubi__recording_place place;
    (void)state;
    look(&l, usual);
    ubi__recording_frame_place(&place, &l.summary.tables, 0, 0);
    assert_true(ubi__text_is(place.function, "main") && ubi__text_is(place.file, "file:///a.js"));
    assert_int_equal(place.line, 9);
    assert_int_equal(place.column, 4);
    look_end(&l);
}

static void what_is_allocated_by_no_function_has_no_stack(void **state) {
    looked_at l;
    (void)state;
    look(&l, "{\"head\":{" ROOT ",\"selfSize\":5,\"id\":1,\"children\":[]}}");
    assert_tree(&l, "all 5/5");
    look_end(&l);
    look(&l, "{\"head\":{\"callFrame\":{}}}");
    assert_tree(&l, "all 0/0");
    look_end(&l);
}

static void first_bytes_are_recognized(void **state) {
    static const char *const ones[] = { "{\"head\":{\"callFrame\":{\"functionName\":",
                                        " {\n \"head\" : {\n \"callFrame\" : {", "{\"head\":{\"selfSize\":0",
                                        "{\"samples\":[{\"size\":12", "{\"samples\":[{\"nodeId\":12" };
    static const char *const others[] = { "{\"head\":{}}",
                                          "{\"nodes\":[{\"callFrame\"",
                                          "{\"head\":\"callFrame\"",
                                          "[",
                                          "",
                                          "{\"snapshot\":{\"meta\":",
                                          "{\"samples\":[1,2",
                                          "{\"head\":{\"callFrame\":1",
                                          "{\"head\":{\"callFrame\"" };
    (void)state;
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        assert_true(ubi__heap_profile_guess((const uint8_t *)ones[i], strlen(ones[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(ubi__heap_profile_guess((const uint8_t *)others[i], strlen(others[i])));
}

/* Frames of a million levels of calls. */
static void deep_trees_are_read(void **state) {
    static const char open[] = "{\"selfSize\":1,\"callFrame\":{\"functionName\":\"f\"},\"children\":[";
    enum { DEPTH = 1000000 };
    ubi__vec_u8 text = { 0 };
    looked_at l;
    (void)state;
    must(ubi__bytes_append(&text, "{\"head\":", 8, ubi_allocator_default()));
    for (size_t i = 0; i < DEPTH; i++)
        must(ubi__bytes_append(&text, open, sizeof open - 1, ubi_allocator_default()));
    for (size_t i = 0; i < DEPTH; i++)
        must(ubi__bytes_append(&text, "]}", 2, ubi_allocator_default()));
    must(ubi__bytes_append(&text, "}", 2, ubi_allocator_default()));
    look(&l, (const char *)text.at);
    assert_true(ubi__class_estimate(&l.summary, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL).bytes == DEPTH);
    assert_int_equal(l.summary.tables.traces.n, DEPTH);
    look_end(&l);
    ubi__vec_u8_fini(&text, ubi_allocator_default());
}

static ubi_status convert(const char *text, size_t n) {
    ubi__vec_u8 file = { 0 };
    ubi_status status = ubi__heap_profile_convert(&file, (ubi_text){ text, n }, ubi_allocator_default());
    ubi__vec_u8_fini(&file, ubi_allocator_default());
    return status;
}

static void cut_files_are_refused(void **state) {
    (void)state;
    for (size_t n = 0; n + 1 < sizeof usual - 1; n++) {
        assert_int_equal(convert(usual, n), UBI_EFORMAT);
        if (!strstr(ubi_error_message(), "the profile ends too early, at byte") &&
            !strstr(ubi_error_message(), "damaged"))
            fail_msg("%zu: %s", n, ubi_error_message());
    }
    assert_int_equal(convert(usual, 300), UBI_EFORMAT);
    assert_string_equal(ubi_error_message(),
                        "the profile ends too early, at byte 300: was it written, and downloaded, to its end?");
}

static void damaged_files_are_read_or_refused_in_a_line(void **state) {
    char damaged[sizeof usual];
    (void)state;
    for (size_t bit = 0; bit < (sizeof usual - 1) * 8; bit++) {
        memcpy(damaged, usual, sizeof usual);
        damaged[bit / 8] ^= (char)(1 << bit % 8);
        ubi_status status = convert(damaged, sizeof usual - 1);
        assert_true(status == UBI_OK || (status == UBI_EFORMAT && !strchr(ubi_error_message(), '\n')));
    }
}

static void what_is_wrong_is_named(void **state) {
    static const char *const rows[][2] = {
        { "{\"head\":{\"selfSize\":-1}}", "byte 20: expected a size in bytes" },
        { "{\"head\":{\"selfSize\":1e30}}", "byte 20: expected a size in bytes" },
        { "{\"head\":{\"selfSize\":\"5\"}}", "expected a size in bytes" },
        { "{\"head\":{\"id\":1,\"children\":[{\"id\":1}]}}", "expected an id that no other function has" },
        { "{\"head\":{\"callFrame\":[]}}", "byte 21: expected an object" },
        { "{\"head\":{\"callFrame\":{\"url\":5}}}", "expected a string" },
        { "{\"head\":{\"children\":{}}}", "byte 20: expected an array" },
        { "{\"head\":{\"children\":[5]}}", "byte 21: expected an object" },
        { "{\"head\":{\"children\":[{},]}}", "byte 24: expected an object" },
        { "{\"head\":{},\"head\":{}}", "expected one head" },
        { "{\"samples\":[]}", "expected a head" },
        { "{\"samples\":[1],\"head\":{}}", "byte 12: expected an object" },
        { "{\"head\":[]}", "byte 8: expected an object" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(convert(rows[i][0], strlen(rows[i][0])), UBI_EFORMAT);
        if (!strstr(ubi_error_message(), rows[i][1]))
            fail_msg("%s: %s", rows[i][0], ubi_error_message());
    }
}

static ubi_status usual_convert(void *payload, const ubi_allocator *allocator) {
    ubi__vec_u8 file = { 0 };
    (void)payload;
    ubi_status status = ubi__heap_profile_convert(&file, ubi__text(usual), allocator);
    ubi__vec_u8_fini(&file, allocator);
    return status;
}

static void without_memory_nothing_is_left(void **state) {
    (void)state;
    assert_true(fail_each_allocation(usual_convert, NULL) > 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_what_the_profile_says),
        cmocka_unit_test(keys_may_come_in_any_order_and_samples_be_others),
        cmocka_unit_test(samples_make_up_what_a_function_has),
        cmocka_unit_test(lines_begin_with_1),
        cmocka_unit_test(what_is_allocated_by_no_function_has_no_stack),
        cmocka_unit_test(first_bytes_are_recognized),
        cmocka_unit_test(deep_trees_are_read),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused_in_a_line),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
