/* SPDX-License-Identifier: MIT
 *
 * census_tree_text_test.c: the table of a census, as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "render/capture_test.h"
#include "render/census_tree_text.h"

static capture got;

/* The table of a drawn heap; borrowed until the next call. */
static const char *table(const char *drawn, const char *breakdown, const ubi__census_text_options *options,
                         unsigned columns) {
    ubi__style style = { .has_unicode = true, .columns = columns };
    ubi_census_tree_options tree_options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_options census_options = UBI_CENSUS_OPTIONS_INIT;
    ubi_graph *graph = graph_from_drawing(drawn);
    ubi_breakdown *parsed;
    ubi_census *census;
    ubi_census_tree *tree;
    tree_options.is_inverted = options->is_inverted;
    census_options.compat = options->is_compat ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    assert_int_equal(ubi_breakdown_parse(&parsed, ubi__text(breakdown), UBI_COMPAT_NONE, NULL), UBI_OK);
    assert_int_equal(ubi_census_take(&census, graph, parsed, &census_options), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&tree, census, &tree_options), UBI_OK);
    ubi__out *out = capture_start(&got);
    assert_int_equal(ubi__render_census_text(out, &style, tree, options), UBI_OK);
    ubi_census_tree_free(tree);
    ubi_census_free(census);
    ubi_breakdown_unref(parsed);
    ubi_graph_unref(graph);
    return capture_text(&got);
}

#define CLASSES                                                                                                        \
    "root -> a, b, c, d, e, f;"                                                                                        \
    "a(size=4096 coarse=object class=Map); b(size=2048 coarse=object class=Array); c(size=1024 coarse=object "         \
    "class=Set);"                                                                                                      \
    "d(size=512 coarse=object class=Date); e(size=256 coarse=string); f(size=256 coarse=dom desc=div);"
#define BY_CLASS "{\"by\":\"coarseType\",\"objects\":{\"by\":\"objectClass\"},\"domNode\":{\"by\":\"descriptiveType\"}}"

static void groups_are_a_tree_with_sizes_shares_and_counts(void **state) {
    (void)state;
    ubi__census_text_options options = { .limit = 0, .depth = 0 };
    assert_string_equal(table(CLASSES, BY_CLASS, &options, 80), "     Size       %              Count  Name\n"
                                                                " 8.00 KiB  100.0%  ██████████      6  (everything)\n"
                                                                " 7.50 KiB   93.8%  █████████▍      4  ├─ objects\n"
                                                                " 4.00 KiB   50.0%  █████           1  │  ├─ Map\n"
                                                                " 2.00 KiB   25.0%  ██▌             1  │  ├─ Array\n"
                                                                " 1.00 KiB   12.5%  █▎              1  │  ├─ Set\n"
                                                                "    512 B    6.2%  ▋               1  │  └─ Date\n"
                                                                "    256 B    3.1%  ▍               1  ├─ strings\n"
                                                                "    256 B    3.1%  ▍               1  └─ domNode\n"
                                                                "    256 B    3.1%  ▍               1     └─ div\n");
}

static void rows_beyond_the_limit_become_one(void **state) {
    (void)state;
    ubi__census_text_options options = { .limit = 2 };
    assert_string_equal(
        table(CLASSES, BY_CLASS, &options, 60),
        "     Size       %  Count  Name\n"
        " 8.00 KiB  100.0%      6  (everything)\n"
        " 7.50 KiB   93.8%      4  ├─ objects\n"
        " 4.00 KiB   50.0%      1  │  ├─ Map\n"
        " 2.00 KiB   25.0%      1  │  ├─ Array\n"
        " 1.50 KiB   18.8%      2  │  └─ … 2 more\n"
        "    256 B    3.1%      1  ├─ strings\n" /* three children: one more than the limit is no gain */
        "    256 B    3.1%      1  └─ domNode\n"
        "    256 B    3.1%      1     └─ div\n");
}

static void levels_beyond_the_depth_are_counted(void **state) {
    (void)state;
    ubi__census_text_options options = { .depth = 1 };
    assert_string_equal(table(CLASSES, BY_CLASS, &options, 60), "     Size       %  Count  Name\n"
                                                                " 8.00 KiB  100.0%      6  (everything)\n"
                                                                " 7.50 KiB   93.8%      4  ├─ objects  [4 below]\n"
                                                                "    256 B    3.1%      1  ├─ strings\n"
                                                                "    256 B    3.1%      1  └─ domNode  [1 below]\n");
}

static void indices_can_be_shown(void **state) {
    (void)state;
    ubi__census_text_options options = { .with_indices = true };
    assert_non_null(strstr(table(CLASSES, BY_CLASS, &options, 60), "strings  #8\n"));
}

static void inverted_groups_say_behind_their_name_where_they_are(void **state) {
    (void)state;
    ubi__census_text_options options = { .is_inverted = true, .limit = 3 };
    assert_string_equal(table(CLASSES, BY_CLASS, &options, 60), "     Size       %  Count  Name\n"
                                                                " 8.00 KiB  100.0%      6  (everything)\n"
                                                                " 4.00 KiB   50.0%      1  ├─ Map  in objects\n"
                                                                " 2.00 KiB   25.0%      1  ├─ Array  in objects\n"
                                                                " 1.00 KiB   12.5%      1  ├─ Set  in objects\n"
                                                                " 1.00 KiB   12.5%      3  └─ … 3 more\n");
}

#define STACKS                                                                                                         \
    "root -> a, b, c, d;"                                                                                              \
    "a(size=600 stack=inner@app.js:3:1<middle@app.js:2:1<outer@app.js:1:1);"                                           \
    "b(size=300 stack=other@app.js:4:1<middle@app.js:2:1<outer@app.js:1:1);"                                           \
    "c(size=50 stack=middle@app.js:2:1<outer@app.js:1:1);"                                                             \
    "d(size=50);"
#define BY_STACK "{\"by\":\"allocationStack\"}"

static void frames_without_a_branch_stand_under_each_other(void **state) {
    (void)state;
    ubi__census_text_options options = { 0 };
    assert_string_equal(table(STACKS, BY_STACK, &options, 70),
                        "     Size       %  Count   Own size  Name\n"
                        "   1000 B  100.0%      4             (everything)\n"
                        "    950 B   95.0%      3             ├─ outer  app.js:1:1\n"
                        "    950 B   95.0%      3       50 B  │  middle  app.js:2:1\n"
                        "    600 B   60.0%      1             │  ├─ inner  app.js:3:1\n"
                        "    300 B   30.0%      1             │  └─ other  app.js:4:1\n"
                        "     50 B    5.0%      1             └─ (no stack recorded)\n");
}

#define CALLERS                                                                                                        \
    "root -> a, b, c, d;"                                                                                              \
    "a(size=600 stack=make@app.js:3:1<left@app.js:2:1<main@app.js:1:1);"                                               \
    "b(size=300 stack=make@app.js:3:1<right@app.js:4:1<main@app.js:1:1);"                                              \
    "c(size=60 stack=left@app.js:2:1<main@app.js:1:1);"                                                                \
    "d(size=40 stack=make@app.js:3:1);"

static void inverted_frames_show_what_came_from_each_caller(void **state) {
    (void)state;
    ubi__census_text_options options = { .is_inverted = true };
    assert_string_equal(table(CALLERS, BY_STACK, &options, 60), "     Size       %  Count  Name\n"
                                                                "   1000 B  100.0%      4  (everything)\n"
                                                                "    940 B   94.0%      3  ├─ make  app.js:3:1\n"
                                                                "    600 B   60.0%      1  │  ├─ left  app.js:2:1\n"
                                                                "                          │  │  main  app.js:1:1\n"
                                                                "    300 B   30.0%      1  │  ├─ right  app.js:4:1\n"
                                                                "                          │  │  main  app.js:1:1\n"
                                                                "     40 B    4.0%      1  │  └─ (no caller)\n"
                                                                "     60 B    6.0%      1  └─ left  app.js:2:1\n"
                                                                "                             main  app.js:1:1\n");
    options.limit = 1;
    assert_string_equal(table(CALLERS, BY_STACK, &options, 60), "     Size       %  Count  Name\n"
                                                                "   1000 B  100.0%      4  (everything)\n"
                                                                "    940 B   94.0%      3  ├─ make  app.js:3:1\n"
                                                                "    600 B   60.0%      1  │  ├─ left  app.js:2:1\n"
                                                                "                          │  │  main  app.js:1:1\n"
                                                                "    340 B   34.0%      2  │  └─ … 2 more\n"
                                                                "     60 B    6.0%      1  └─ left  app.js:2:1\n"
                                                                "                             main  app.js:1:1\n");
}

static void firefoxs_inverted_frames_have_numbers_on_the_first_level_only(void **state) {
    (void)state;
    ubi__census_text_options options = { .is_inverted = true, .is_compat = true, .limit = 1 };
    const char *by = "{\"by\":\"allocationStack\",\"then\":{\"by\":\"count\",\"count\":true,\"bytes\":true},"
                     "\"noStack\":{\"by\":\"count\",\"count\":true,\"bytes\":true}}";
    assert_string_equal(table(STACKS, by, &options, 60), "     Size       %  Count  Name\n"
                                                         "   1000 B  100.0%      4  (everything)\n"
                                                         "    600 B   60.0%      1  ├─ inner  app.js:3:1\n"
                                                         "                          │  middle  app.js:2:1\n"
                                                         "                          │  outer  app.js:1:1\n"
                                                         "    350 B   35.0%      2  └─ … 2 more\n");
}

static void recursion_is_one_row(void **state) {
    (void)state;
    ubi__census_text_options options = { 0 };
    const char *text = table("root -> a; a(size=8 stack=leaf@x.js:9:9<f@x.js:1:1<f@x.js:1:1<f@x.js:1:1<main@x.js:5:5);",
                             BY_STACK, &options, 70);
    assert_non_null(strstr(text, "f  x.js:1:1 (3 times)\n"));
    assert_non_null(strstr(text, "leaf  x.js:9:9\n"));
}

static void long_names_are_cut_so_that_no_line_is_too_long(void **state) {
    (void)state;
    ubi__census_text_options options = { 0 };
    const char *text =
        table("root -> a; a(coarse=object class=A_very_long_name_of_a_class_that_does_not_fit_the_line_at_all);",
              BY_CLASS, &options, 50);
    assert_non_null(strstr(text, "A_very_lo…e_at_all\n"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        ubi_text row = { line, strcspn(line, "\n") };
        ubi__style style = { .has_unicode = true };
        assert_true(ubi__display_columns(row, &style, SIZE_MAX) <= 50);
    }
}

static void an_empty_heap_is_one_row(void **state) {
    (void)state;
    ubi__census_text_options options = { 0 };
    assert_string_equal(table("root;", BY_CLASS, &options, 60), "     Size       %  Count  Name\n"
                                                                "      0 B       -      0  (everything)\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_a_tree_with_sizes_shares_and_counts),
        cmocka_unit_test(rows_beyond_the_limit_become_one),
        cmocka_unit_test(levels_beyond_the_depth_are_counted),
        cmocka_unit_test(indices_can_be_shown),
        cmocka_unit_test(inverted_groups_say_behind_their_name_where_they_are),
        cmocka_unit_test(frames_without_a_branch_stand_under_each_other),
        cmocka_unit_test(inverted_frames_show_what_came_from_each_caller),
        cmocka_unit_test(firefoxs_inverted_frames_have_numbers_on_the_first_level_only),
        cmocka_unit_test(recursion_is_one_row),
        cmocka_unit_test(long_names_are_cut_so_that_no_line_is_too_long),
        cmocka_unit_test(an_empty_heap_is_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
