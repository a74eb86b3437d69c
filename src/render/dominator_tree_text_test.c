/* SPDX-License-Identifier: MIT
 *
 * Tests of dominator trees as text and JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <ubiheap/views/render.h>

#include "drawing.h"
#include "render/capture_test.h"
#include "render/dominator_tree_text.h"

#define HEAP                                                                                                           \
    "1(size=100 type=Root) -> 2 \"window global\", 3 \"x\";"                                                           \
    "2(coarse=object class=Window size=100) -> 4 \"store\", 5 \"**UNKNOWN SLOT 1**\", 6 \"shape\";"                    \
    "3(coarse=object class=Date size=10 stack=make@a.js:5:2);"                                                         \
    "4(coarse=object class=Object size=600); 5(coarse=object class=Array size=80); 6(type=js::Shape size=110)"

typedef struct shown {
    capture capture;
    ubi_graph *graph;
    ubi_dominators *dominators;
    ubi_labels *labels;
} shown;

static shown s; /* large */

static void show_start(const char *heap, const char *preset) {
    ubi_breakdown *breakdown;
    s.graph = graph_from_drawing(heap);
    ubi_view view = ubi_view_of(s.graph);
    const char *json = ubi_breakdown_preset_find(preset)->json;
    assert_int_equal(ubi_breakdown_parse(&breakdown, (ubi_text){ json, strlen(json) }, UBI_COMPAT_NONE, NULL), UBI_OK);
    assert_int_equal(ubi_dominators_new(&s.dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_labels_new(&s.labels, s.graph, breakdown, NULL), UBI_OK);
    ubi_breakdown_unref(breakdown);
}

static void show_end(void) {
    ubi_labels_unref(s.labels);
    ubi_dominators_free(s.dominators);
    ubi_graph_unref(s.graph);
}

static ubi_dominator_node *make_tree(uint32_t depth) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *tree;
    options.max_depth = depth;
    assert_int_equal(ubi_dominator_tree_partial(&tree, s.dominators, s.labels, &options), UBI_OK);
    return tree;
}

static const char *text_of(uint32_t depth, uint64_t least_bytes, ubi__style style) {
    ubi__dominator_text_options options = { .graph = s.graph, .total_bytes = 1000, .least_bytes = least_bytes };
    ubi_dominator_node *tree = make_tree(depth);
    assert_int_equal(ubi__render_dominator_text(capture_start(&s.capture), &style, tree, &options), UBI_OK);
    ubi_dominator_node_unref(tree);
    return capture_text(&s.capture);
}

static void a_tree_has_aligned_columns_and_property_names(void **state) {
    (void)state;
    show_start(HEAP, "label");
    assert_string_equal(text_of(4, 0, (ubi__style){ false, true, 100 }),
                        " Retained       %               Own size  Name\n"
                        "   1000 B  100.0%  ██████████      100 B  Root  1\n"
                        "    890 B   89.0%  ████████▉       100 B  ├─ Window  2\n"
                        "    600 B   60.0%  ██████          600 B  │  ├─ store: Object  4\n"
                        "    110 B   11.0%  █▏              110 B  │  ├─ js::Shape  6\n"
                        "     80 B    8.0%  ▊                80 B  │  └─ Array  5\n"
                        "     10 B    1.0%  ▏                10 B  └─ Date  3\n");
    show_end();
}

static void hidden_rows_are_summed_up(void **state) {
    (void)state;
    show_start(HEAP, "label");
    assert_string_equal(text_of(4, 150, (ubi__style){ false, true, 60 }),
                        " Retained       %   Own size  Name\n"
                        "   1000 B  100.0%      100 B  Root  1\n"
                        "    890 B   89.0%      100 B  ├─ Window  2\n"
                        "    600 B   60.0%      600 B  │  ├─ store: Object  4\n"
                        "    190 B   19.0%             │  └─ … 2 more\n"
                        "     10 B    1.0%       10 B  └─ Date  3\n");
    assert_string_equal(text_of(2, 0, (ubi__style){ false, false, 60 }),
                        " Retained       %   Own size  Name\n"
                        "   1000 B  100.0%      100 B  Root  1\n"
                        "    890 B   89.0%      100 B  |- Window  2  [3 below]\n"
                        "     10 B    1.0%       10 B  `- Date  3\n");
    show_end();
}

static void a_row_whose_children_are_all_hidden_says_how_many(void **state) {
    (void)state;
    show_start(HEAP, "label");
    assert_string_equal(text_of(4, 800, (ubi__style){ false, true, 60 }),
                        " Retained       %   Own size  Name\n"
                        "   1000 B  100.0%      100 B  Root  1\n"
                        "    890 B   89.0%      100 B  ├─ Window  2  [3 below]\n"
                        "     10 B    1.0%       10 B  └─ Date  3\n");
    show_end();
}

static void narrow_terminals_lose_columns_not_names(void **state) {
    (void)state;
    show_start(HEAP, "label");
    assert_string_equal(text_of(4, 150, (ubi__style){ false, true, 40 }), " Retained       %  Name\n"
                                                                          "   1000 B  100.0%  Root  1\n"
                                                                          "    890 B   89.0%  ├─ Window  2\n"
                                                                          "    600 B   60.0%  │  ├─ Object  4\n"
                                                                          "    190 B   19.0%  │  └─ … 2 more\n"
                                                                          "     10 B    1.0%  └─ Date  3\n");
    show_end();
}

static void stacks_follow_names(void **state) {
    (void)state;
    show_start(HEAP, "labelAllocationStack");
    assert_non_null(strstr(text_of(4, 0, (ubi__style){ false, true, 100 }), "└─ Date  make  a.js:5:2  3\n"));
    assert_non_null(strstr(text_of(4, 0, (ubi__style){ false, true, 100 }), "├─ store: Object  4\n"));
    show_end();
}

static void labels_without_words_give_way_to_what_is_known(void **state) {
    (void)state;
    show_start(HEAP, "count");
    assert_non_null(strstr(text_of(4, 0, (ubi__style){ false, true, 100 }), "├─ store: Object  4\n"));
    show_end();
}

static void hostile_names_are_made_safe(void **state) {
    (void)state;
    show_start("1 -> 2; 2(coarse=object class=a\x1b[31mb)", "label");
    assert_non_null(strstr(text_of(4, 0, (ubi__style){ false, true, 100 }), "└─ a\\x1b[31mb  2\n"));
    show_end();
}

static void a_list_names_what_the_dominators_call_its_rows(void **state) {
    (void)state;
    show_start(HEAP, "label");
    ubi_dominator_node *rows[2];
    ubi_dominator_tree_options tree_options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi__dominator_text_options options = { .graph = s.graph, .total_bytes = 1000 };
    ubi__style style = { false, true, 60 };
    tree_options.max_depth = 1;
    for (ubi_node_ix node = 0; node < 2; node++) {
        tree_options.start = node == 0 ? 1 : 3; /* Window, store */
        assert_int_equal(ubi_dominator_tree_partial(&rows[node], s.dominators, s.labels, &tree_options), UBI_OK);
    }
    assert_int_equal(ubi__render_dominator_list(capture_start(&s.capture), &style, rows, 2, &options), UBI_OK);
    assert_string_equal(capture_text(&s.capture), " Retained       %   Own size  Name\n"
                                                  "    890 B   89.0%      100 B  Window  2  [3 below]\n"
                                                  "    600 B   60.0%      600 B  store: Object  4\n");
    ubi_dominator_node_unref(rows[0]);
    ubi_dominator_node_unref(rows[1]);
    show_end();
}

static void json_has_firefoxs_names(void **state) {
    (void)state;
    show_start("1 -> 2; 2(coarse=object class=A stack=f@a.js:5:2) -> 3; 3", "labelAllocationStack");
    ubi_dominator_node *tree = make_tree(2);
    capture_start(&s.capture);
    assert_int_equal(ubi_render_dominator_tree_json(capture_take, &s.capture, tree), UBI_OK);
    assert_string_equal(capture_text(&s.capture),
                        "{\"nodeId\":1,\"label\":[\"noStack\",\"other\",\"T\"],\"shallowSize\":1,\"retainedSize\":3,"
                        "\"moreChildrenAvailable\":false,\"children\":[{\"nodeId\":2,\"label\":[[{\"source\":\"a.js\","
                        "\"line\":5,\"column\":2,\"functionDisplayName\":\"f\"}],\"objects\",\"A\"],\"shallowSize\":1,"
                        "\"retainedSize\":2,\"moreChildrenAvailable\":true,\"parentId\":1}]}");
    ubi_dominator_node_unref(tree);
    show_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_has_aligned_columns_and_property_names),
        cmocka_unit_test(hidden_rows_are_summed_up),
        cmocka_unit_test(a_row_whose_children_are_all_hidden_says_how_many),
        cmocka_unit_test(narrow_terminals_lose_columns_not_names),
        cmocka_unit_test(stacks_follow_names),
        cmocka_unit_test(labels_without_words_give_way_to_what_is_known),
        cmocka_unit_test(hostile_names_are_made_safe),
        cmocka_unit_test(a_list_names_what_the_dominators_call_its_rows),
        cmocka_unit_test(json_has_firefoxs_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
