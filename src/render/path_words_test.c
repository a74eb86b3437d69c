/* SPDX-License-Identifier: MIT
 *
 * path_words_test.c: paths as people read them, in one line and step by step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "render/capture_test.h"
#include "render/heap_labels.h"
#include "render/path_words.h"

static const ubi__style wide = { false, true, 100 }, ascii = { false, false, 100 }, colored = { true, true, 100 };
static capture output;

/* The shortest path from the root to the node of the largest id. */
typedef struct found {
    ubi_graph *graph;
    ubi_path_step *steps;
    ubi__path_view view;
} found;

static found find(ubi_graph *graph) {
    ubi_view view = ubi_view_of(graph);
    ubi_node_ix target = 0;
    ubi_paths *paths;
    for (ubi_node_ix i = 1; i < ubi_graph_node_count(graph); i++)
        if (ubi_graph_node_id(graph, i) > ubi_graph_node_id(graph, target))
            target = i;
    assert_int_equal(ubi_paths_find(&paths, &view, &target, 1, NULL), UBI_OK);
    assert_true(ubi_paths_count(paths, 0) > 0);
    found f = { .graph = graph };
    uint32_t n = ubi_paths_length(paths, 0, 0);
    f.steps = malloc(n * sizeof *f.steps);
    ubi_paths_steps(f.steps, paths, 0, 0);
    ubi_paths_free(paths);
    f.view = (ubi__path_view){ graph, f.steps, n, target, NULL };
    return f;
}

static void free_found(found *f) {
    free(f->steps);
    ubi_graph_unref(f->graph);
}

/* `told`: the columns that the function reports. */
static const char *line_of(const found *f, const ubi__style *style, size_t columns, size_t *told) {
    capture_start(&output);
    *told = ubi__display_path(&output.out, style, &f->view, columns);
    return capture_text(&output);
}

static void assert_line(const char *drawn, const ubi__style *style, size_t columns, const char *expected) {
    found f = find(graph_from_drawing(drawn));
    size_t told;
    const char *line = line_of(&f, style, columns, &told);
    assert_string_equal(line, expected);
    assert_int_equal(told, ubi__display_columns(ubi__text(line), style, SIZE_MAX));
    free_found(&f);
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

/* A root, a Window, and after it what the test draws; the target is 99. */
#define WINDOW "1 -> 2 \"vector element\"; 2(class=Window coarse=object) -> "
#define OBJECT "(class=Object coarse=object) -> "
#define ARRAY "(class=Array coarse=object) -> "
#define TARGET "; 99(class=Point coarse=object)"

static void properties_and_elements_follow_each_other_as_in_a_script(void **state) {
    (void)state;
    assert_line(WINDOW "3 \"store\"; 3" OBJECT "4 \"points\"; 4" ARRAY "99 \"objectElements[17]\"" TARGET, &wide, 100,
                "root → Window.store.points[17] → Point");
    assert_line(WINDOW "3 \"$a_1\"; 3" OBJECT "4 \"#secret\"; 4" OBJECT "99 \"**SYMBOL KEY**\"" TARGET, &wide, 100,
                "root → Window.$a_1.#secret[symbol] → Point");
    assert_line(WINDOW "3 \"a\"; 3" OBJECT "4 \"two words\"; 4" OBJECT "99 \"7up\"" TARGET, &wide, 100,
                "root → Window.a[\"two words\"][\"7up\"] → Point");
    assert_line(WINDOW "3 \"a\"; 3(class=LexicalEnvironment coarse=object) -> 99 \".this\"" TARGET, &wide, 100,
                "root → Window.a → LexicalEnvironment.this → Point");
    assert_line(WINDOW "3 \"f\"; 3(class=Function coarse=object) -> 99 \"$&\"" TARGET, &wide, 100,
                "root → Window.f → Function[\"$&\"] → Point");
}

static void objects_of_a_class_are_named_and_plain_ones_where_the_chain_breaks(void **state) {
    (void)state;
    assert_line(WINDOW "3 \"cache\"; 3(class=Map coarse=object) -> 4 \"OrderedHashMapObject value\"; "
                       "4" OBJECT "99 \"x\"" TARGET,
                &wide, 100, "root → Window.cache → Map (value) → Object.x → Point");
    assert_line(WINDOW "3 \"a\"; 3" OBJECT "99" TARGET, &wide, 100, "root → Window.a → Object → Point");
    assert_line(WINDOW "3 \"f\"; 3(class=Function coarse=object) -> 4 \"**UNKNOWN SLOT 1**\"; "
                       "4(class=LexicalEnvironment coarse=object) -> 99 \"captured\"" TARGET,
                &wide, 100, "root → Window.f → Function → LexicalEnvironment.captured → Point");
}

static void names_of_the_engine_are_reported_in_parentheses_or_not_at_all(void **state) {
    (void)state;
    static const struct {
        const char *name, *line;
    } cases[] = {
        { "mCallback, holder 0x7f2fccd00", "root (mCallback) → Point" },
        { "CyclicModuleFields::cycleRoot", "root (cycleRoot) → Point" },
        { "exact-Object", "root (C++ stack) → Point" },
        { "vm_stack[3]", "root (JavaScript stack) → Point" },
        { "vector element", "root → Point" },
        { "anything else", "root (anything else) → Point" },
        { "", "root → Point" },
        { "::", "root (::) → Point" },
        { ", holder ", "root → Point" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char drawn[128];
        snprintf(drawn, sizeof drawn, "1 -> 99 \"%s\"" TARGET, cases[i].name);
        assert_line(drawn, &wide, 100, cases[i].line);
    }
    assert_line(WINDOW "99 \"global-builtin-ctor\"" TARGET, &wide, 100, "root → Window (global-builtin-ctor) → Point");
    assert_line(WINDOW "3 \"p\"; 3(desc=P coarse=dom) -> 99 \"Parent Node\"; 99(desc=DIV coarse=dom)", &wide, 100,
                "root → Window.p → P (parent) → DIV");
}

static void a_run_of_engine_nodes_is_one_word(void **state) {
    (void)state;
    assert_line(WINDOW "3 \"shape\"; 3(type=js::Shape) -> 4 \"base\"; 4(type=js::BaseShape) -> 99 \"global\"" TARGET,
                &wide, 100, "root → Window (shape) → Point");
    assert_line(WINDOW "3 \"title\"; 3(type=js::GetterSetter) -> 99 \"gettersetter_getter\"" TARGET, &wide, 100,
                "root → Window.title (getter) → Point");
    assert_line(WINDOW "3 \"title\"; 3(type=js::GetterSetter) -> 99 \"gettersetter_setter\"" TARGET, &wide, 100,
                "root → Window.title (setter) → Point");
    assert_line(WINDOW "3 \"f\"; 3(type=js::Unheard) -> 99" TARGET, &wide, 100, "root → Window (js::Unheard) → Point");
    assert_line(WINDOW "99 \"shape\"; 99(type=js::Shape)", &wide, 100, "root → Window → js::Shape");
}

static void scripts_are_named_by_the_last_part_of_their_file(void **state) {
    (void)state;
    assert_line("1 -> 2; 2(type=js::BaseScript coarse=script file=http://a/b/app.js) -> 99 \"function\"" TARGET, &wide,
                100, "root → script app.js → Point");
    assert_line("1 -> 2; 2(type=js::BaseScript coarse=script file=http://a/) -> 99 \"function\"" TARGET, &wide, 100,
                "root → script http://a/ → Point");
    assert_line("1 -> 2; 2(type=js::BaseScript coarse=script) -> 99" TARGET, &wide, 100, "root (script) → Point");
}

static void file_names_are_what_follows_the_last_slash(void **state) {
    (void)state;
    static const char *const cases[][2] = { { "a/b", "b" }, { "b", "b" }, { "/", "/" }, { "", "" }, { "a/", "a/" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(ubi__text_is(ubi__file_name(ubi__text(cases[i][0])), cases[i][1]));
}

static void a_path_without_steps_is_its_target(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2; 2(class=Point coarse=object)");
    ubi__path_view view = { g, NULL, 0, 1, NULL };
    assert_int_equal(ubi__display_path(capture_start(&output), &wide, &view, 80), 5);
    assert_string_equal(capture_text(&output), "Point");
    ubi_graph_unref(g);
}

/* ---- fitting ------------------------------------------------------------------------------------------------------ */

#define LONG                                                                                                           \
    WINDOW "3 \"store\"; 3" OBJECT "4 \"maps\"; 4(class=Map coarse=object) -> 5 \"OrderedHashMapObject value\"; "      \
           "5(class=Set coarse=object) -> 6 \"HashableValue\"; 6" OBJECT "7 \"list\"; 7" ARRAY                         \
           "99 \"objectElements[3]\"" TARGET

#define SETTER                                                                                                         \
    WINDOW "3 \"global-builtin-constructor\"; 3(class=P coarse=object) -> 4 \"title\"; "                               \
           "4(type=js::GetterSetter) -> "                                                                              \
           "99 \"gettersetter_setter\"" TARGET

static void a_root_and_parentheses_go_before_the_middle_does(void **state) {
    (void)state;
    assert_line(LONG, &wide, 100, "root → Window.store.maps → Map (value) → Set (key) → Object.list[3] → Point");
    assert_line(SETTER, &wide, 60, "Window → P.title (setter) → Point");
    assert_line(LONG, &wide, 70, "Window.store.maps → Map (value) → Set (key) → Object.list[3] → Point");
    assert_line(LONG, &wide, 60, "Window.store.maps → Map → Set → Object.list[3] → Point");
    assert_line(LONG, &wide, 41, "Window.store → … → Object.list[3] → Point");
    assert_line(LONG, &wide, 40, "… → Map → Set → Object.list[3] → Point");
    assert_line(LONG, &wide, 30, "… → Object.list[3] → Point");
    assert_line(LONG, &wide, 20, "… 6 more … → Point");
    assert_line(LONG, &wide, 10, "… → Point");
    assert_line(LONG, &wide, 9, "Point");
    assert_line(LONG, &wide, 3, "P…t");
    assert_line(LONG, &ascii, 60, "Window.store.maps -> Map -> Set -> Object.list[3] -> Point");
}

/* A root, a realm and its global object, as QuickJS has them; after it what the test draws. */
#define REALM                                                                                                          \
    "1 -> 2 \"native handle\"; 2(type=JSContext) -> 3 \"global_obj\"; 3(type=JSObject class=Object coarse=object) -> "
#define PLAIN "(type=JSObject class=Object coarse=object) -> "

static void of_quickjs_no_name_of_the_program_is_hidden_by_steps_of_the_engine(void **state) {
    (void)state;
    static const char deep[] = REALM "4 \"server\"; 4" PLAIN "5 \"filter\"; 5" PLAIN
                                     "6 \"listeners\"; 6(type=JSObject class=Array coarse=object) -> 99 \"17\"" TARGET;
    assert_line(deep, &wide, 100, "global.server.filter.listeners[17] → Point");
    assert_line(deep, &wide, 42, "global.server.filter.listeners[17] → Point");
    assert_line(REALM "4 \"f\"; 4(type=JSObject class=Function coarse=object) -> 5 \"cache\"; 5(type=JSVarRef) -> "
                      "99 \"value\"" TARGET,
                &wide, 44, "global.f → Function (variable cache) → Point");
    assert_line(REALM "4 \"app\"; 4(type=JSVarRef) -> 5 \"value\"; 5" PLAIN "99 \"last\"" TARGET, &wide, 100,
                "global.app.last → Point");
    assert_line(REALM "4 \"shop\"; 4(type=JSObject class=Object desc=Shop coarse=object) -> 5 \"orders\"; "
                      "5(type=JSObject class=Map coarse=object) -> 99 \"value\"" TARGET,
                &wide, 100, "global.shop → Shop.orders → Map (value) → Point");
    assert_line("1 -> 2 \"native handle\"; 2(type=JSContext) -> 3 \"module\"; 3(type=JSModuleDef) -> 4 \"registry\"; "
                "4(type=JSVarRef) -> 99 \"value\"" TARGET,
                &wide, 100, "module (variable registry) → Point");
    assert_line("1 -> 2 \"native handle\"; 2(type=JSContext) -> 99 \"prototype of Map\"" TARGET, &wide, 100,
                "root (prototype of Map) → Point");
    assert_line("1 -> 99 \"native handle\"; 99(type=JSContext)", &wide, 100, "root (native handle) → JSContext");
    assert_line("1 -> 2 \"native handle\"; 2(type=JSObject class=Promise coarse=object) -> 3 \"handler\"; "
                "3(type=JSAsyncFunctionState) -> 99 \"pending\"" TARGET,
                &wide, 100, "root (native handle) → Promise (variable pending) → Point");
}

static void long_names_are_cut_before_others_are_left_out(void **state) {
    (void)state;
    static const char drawn[] = WINDOW "3 \"aCacheWithARatherLongNameThatFewWouldRead\"; 3(class=Map coarse=object) -> "
                                       "4 \"OrderedHashMapObject value\"; "
                                       "4(class=SessionOfSomebodyWhoLeftLongAgo coarse=object) -> 99 \"user\"" TARGET;
    assert_line(drawn, &wide, 100,
                "Window.aCacheWithARatherLon…ameThatFewWouldRead → Map → SessionOfSomebodyWhoLeftLongAgo.user → Point");
    assert_line(drawn, &wide, 90,
                "Window.aCacheWithARathe…hatFewWouldRead → … → SessionOfSomebodyWhoLeftLongAgo.user → Point");
    assert_line(drawn, &wide, 80, "Window.aCacheWithAR…ewWouldRead → Map → SessionOfSom…LeftLongAgo.user → Point");
}

static void check_every_width(const char *drawn) {
    found f = find(graph_from_drawing(drawn));
    for (size_t columns = 1; columns < 130; columns++)
        for (int unicode = 0; unicode < 2; unicode++) {
            size_t told;
            const ubi__style *style = unicode ? &wide : &ascii;
            const char *line = line_of(&f, style, columns, &told);
            size_t actual = ubi__display_columns(ubi__text(line), style, SIZE_MAX);
            if (told != actual || told > columns)
                fail_msg("%zu columns, says %zu, has %zu: %s", columns, told, actual, line);
        }
    free_found(&f);
}

static void whatever_the_width_it_is_kept_and_reported(void **state) {
    (void)state;
    check_every_width(LONG);
    check_every_width(SETTER);
    check_every_width(WINDOW
                      "3 \"a name that is much longer than any terminal would like to see it, and no identifier\"; "
                      "3" OBJECT "99 \"\xe6\x97\xa5\xe6\x9c\xac\"" TARGET);
    check_every_width("1 -> 2 \"exact-Object\"; 2(type=js::Shape) -> 3; 3(type=js::Scope) -> 4; "
                      "4(type=js::PropMap) -> 99" TARGET);
}

/* Nodes 0 to n - 1 in a list, all plain objects; every `k`-th edge is "left", the others "next". */
static ubi_graph *linked_list(uint32_t n, uint32_t k) {
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_str_ix object, next, left;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &object, ubi__text("Object")), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &next, ubi__text("next")), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &left, ubi__text("left")), UBI_OK);
    for (uint32_t i = 0; i < n; i++) {
        ubi_node_desc node = { .id = i,
                               .kind = { object, object, UBI_NONE, UBI_NONE, UBI_COARSE_OBJECT, 0, 0 },
                               .stack = UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        if (i + 1 < n)
            assert_int_equal(ubi_graph_builder_edge(b, i + 1, (i + 1) % k ? next : left), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    return g;
}

static void assert_list_line(uint32_t n_steps, uint32_t k, const ubi__style *style, size_t columns,
                             const char *expected) {
    found f = find(linked_list(n_steps + 1, k));
    size_t told;
    assert_string_equal(line_of(&f, style, columns, &told), expected);
    assert_int_equal(told, ubi__display_columns(ubi__text(expected), style, SIZE_MAX));
    free_found(&f);
}

static void three_equal_accesses_and_more_are_counted(void **state) {
    (void)state;
    assert_list_line(2, 100, &wide, 80, "root.next.next → Object");
    assert_list_line(3, 100, &wide, 80, "root.next ×3 → Object");
    assert_list_line(3, 100, &ascii, 80, "root.next x3 -> Object");
    assert_list_line(9, 4, &wide, 80, "root.next ×3.left.next ×3.left.next → Object");
}

#define CHILD "(class=TreeNode coarse=object) -> "

static void equal_steps_are_counted_with_all_that_belongs_to_them(void **state) {
    (void)state;
    assert_line(WINDOW "3 \"tree\"; 3" CHILD "4 \"parent\"; 4" CHILD "5 \"parent\"; 5" CHILD "6 \"parent\"; 6" CHILD
                       "99 \"text\"" TARGET,
                &wide, 100, "root → Window.tree → TreeNode.parent ×3 → TreeNode.text → Point");
    assert_line(WINDOW "3 \"tree\"; 3" CHILD "4 \"parent\"; 4" CHILD "5 \"parent\"; 5" CHILD "99 \"text\"" TARGET,
                &wide, 100, "root → Window.tree → TreeNode.parent → TreeNode.parent → TreeNode.text → Point");
    assert_line(WINDOW "3 \"tree\"; 3" CHILD "4 \"kids\"; 4" ARRAY "5 \"objectElements[0]\"; 5" CHILD
                       "6 \"kids\"; 6" ARRAY "7 \"objectElements[0]\"; 7" CHILD "8 \"kids\"; 8" ARRAY
                       "9 \"objectElements[0]\"; 9" CHILD "99 \"text\"" TARGET,
                &wide, 100, "root → Window.tree → TreeNode.kids[0] ×3 → TreeNode.text → Point");
    assert_line(WINDOW "3 \"a\"; 3(class=Promise coarse=object) -> 4 \"b\"; 4(type=js::Scope) -> 5; "
                       "5(class=Promise coarse=object) -> 6 \"b\"; 6(type=js::Scope) -> 7; "
                       "7(class=Promise coarse=object) -> 8 \"b\"; 8(type=js::Scope) -> 99" TARGET,
                &wide, 100, "root → Window.a → Promise (scope) ×3 → Point");
}

static void a_million_steps_are_shown_by_their_ends(void **state) {
    (void)state;
    assert_list_line(1000000, 1000001, &wide, 72, "root.next ×1,000,000 → Object");
    assert_list_line(1000000, 2, &wide, 72, "root.next → … 999,994 more … → Object.left.next.left.next.left → Object");
    found f = find(linked_list(1000001, 1000001));
    ubi__path_list_options options = { 0, 4 };
    ubi__display_path_list(capture_start(&output), &wide, &f.view, &options);
    assert_string_equal(capture_text(&output), "            0        root            0\n"
                                               "            1  next  → Object        1\n"
                                               "               … 999,997 more …\n"
                                               "      999,999  next  → Object   999999\n"
                                               "    1,000,000  next  → Object  1000000\n");
    free_found(&f);
}

static void hostile_names_never_reach_the_terminal(void **state) {
    (void)state;
    assert_line("1 -> 2 \"\x1b]0;x\x07\"; 2(class=\x1b[31mX coarse=object) -> 99 \"\xe2\x80\xae\"" TARGET, &wide, 100,
                "root (\\x1b]0;x\\x07) → \\x1b[31mX.\\u202e → Point");
}

static void colours_come_only_where_they_are_wanted(void **state) {
    (void)state;
    size_t told;
    found f = find(graph_from_drawing(WINDOW "3 \"a\"; 3(class=Map coarse=object) -> 99 \"hashmap key\"" TARGET));
    assert_string_equal(line_of(&f, &colored, 100, &told),
                        "root\x1b[2m → \x1b[0mWindow\x1b[36m.a\x1b[0m\x1b[2m → \x1b[0mMap\x1b[2m (key)\x1b[0m\x1b[2m → "
                        "\x1b[0m\x1b[1mPoint\x1b[0m");
    assert_int_equal(told, strlen("root > Window.a > Map (key) > Point"));
    free_found(&f);
}

static void assert_wrapped(const char *drawn, size_t columns, unsigned lines, const char *expected) {
    found f = find(graph_from_drawing(drawn));
    ubi__display_path_wrapped(capture_start(&output), &wide, &f.view, columns, lines, 4);
    assert_string_equal(capture_text(&output), expected);
    free_found(&f);
}

static void what_fits_on_some_lines_is_not_cut(void **state) {
    (void)state;
    assert_wrapped(LONG, 80, 3, "root → Window.store.maps → Map (value) → Set (key) → Object.list[3] → Point\n");
    assert_wrapped(LONG, 50, 3,
                   "root → Window.store.maps → Map (value) → Set (key)\n"
                   "    → Object.list[3] → Point\n");
    assert_wrapped(LONG, 30, 3,
                   "root → Window.store.maps\n"
                   "    → Map (value) → Set (key)\n"
                   "    → Object.list[3] → Point\n");
    assert_wrapped(LONG, 30, 2,
                   "Window.store.maps → Map → Set\n"
                   "    → Object.list[3] → Point\n");
    assert_wrapped(LONG, 30, 1, "… → Object.list[3] → Point\n");
    assert_wrapped(LONG, 17, 9,
                   "root\n    → Window.store\n    .maps\n    → Map (value)\n    → Set (key)\n    → Object.list[3]\n"
                   "    → Point\n");
    assert_wrapped(LONG, 10, 9, "… 6 more …\n    → Point\n");
    assert_wrapped(SETTER, 55, 2,
                   "root → Window (global-builtin-constructor)\n"
                   "    → P.title (setter) → Point\n");
}

/* ---- step by step ------------------------------------------------------------------------------------------------- */

static void assert_list(const char *drawn, ubi__style style, ubi__path_list_options options, const char *expected) {
    found f = find(graph_from_drawing(drawn));
    ubi__display_path_list(capture_start(&output), &style, &f.view, &options);
    assert_string_equal(capture_text(&output), expected);
    free_found(&f);
}

#define CHAIN                                                                                                          \
    "1 -> 20 \"a\"; 20(class=Map coarse=object) -> 300; 300" OBJECT "4000 \"long name\"; 4000(desc=DIV coarse=dom)"

static void a_list_has_a_line_per_step_in_columns(void **state) {
    (void)state;
    assert_list(CHAIN, wide, (ubi__path_list_options){ 0, 0 },
                "     0             root         1\n"
                "     1  a          → Map       20\n"
                "     2  (unnamed)  → Object   300\n"
                "     3  long name  → DIV     4000\n");
    assert_list(CHAIN, ascii, (ubi__path_list_options){ 0, 0 },
                "     0             root          1\n"
                "     1  a          -> Map       20\n"
                "     2  (unnamed)  -> Object   300\n"
                "     3  long name  -> DIV     4000\n");
}

static void steps_that_the_reader_knows_are_left_out(void **state) {
    (void)state;
    assert_list(CHAIN, wide, (ubi__path_list_options){ 2, 0 }, "     3  long name  → DIV  4000\n");
    assert_list(CHAIN, wide, (ubi__path_list_options){ 3, 0 }, "");
}

static void the_middle_of_a_list_is_cut_but_never_for_a_single_line(void **state) {
    (void)state;
    assert_list(CHAIN, wide, (ubi__path_list_options){ 0, 1 },
                "        … 3 more …\n"
                "     3  long name  → DIV  4000\n");
    assert_list(CHAIN, wide, (ubi__path_list_options){ 0, 2 },
                "     0             root      1\n"
                "        … 2 more …\n"
                "     3  long name  → DIV  4000\n");
    assert_list(CHAIN, wide, (ubi__path_list_options){ 0, 3 },
                "     0             root         1\n"
                "     1  a          → Map       20\n"
                "     2  (unnamed)  → Object   300\n"
                "     3  long name  → DIV     4000\n");
    assert_list(CHAIN, wide, (ubi__path_list_options){ 1, 1 },
                "     2  (unnamed)  → Object   300\n"
                "     3  long name  → DIV     4000\n");
}

static void a_narrow_list_keeps_ids_and_cuts_names(void **state) {
    (void)state;
    static const char drawn[] = "1 -> 140733032943400 \"a rather long name of an edge\"; "
                                "140733032943400(class=SomethingQuiteLong coarse=object)";
    ubi__style narrow = { false, true, 50 };
    assert_list(drawn, narrow, (ubi__path_list_options){ 0, 0 },
                "     0               root                        1\n"
                "     1  a rat… edge  → Somet…Long  140733032943400\n");
    narrow.columns = 10;
    assert_list(drawn, narrow, (ubi__path_list_options){ 0, 0 },
                "     0          root                  1\n"
                "     1  a r…ge  → So…g  140733032943400\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_and_elements_follow_each_other_as_in_a_script),
        cmocka_unit_test(objects_of_a_class_are_named_and_plain_ones_where_the_chain_breaks),
        cmocka_unit_test(names_of_the_engine_are_reported_in_parentheses_or_not_at_all),
        cmocka_unit_test(a_run_of_engine_nodes_is_one_word),
        cmocka_unit_test(scripts_are_named_by_the_last_part_of_their_file),
        cmocka_unit_test(file_names_are_what_follows_the_last_slash),
        cmocka_unit_test(a_path_without_steps_is_its_target),
        cmocka_unit_test(a_root_and_parentheses_go_before_the_middle_does),
        cmocka_unit_test(of_quickjs_no_name_of_the_program_is_hidden_by_steps_of_the_engine),
        cmocka_unit_test(long_names_are_cut_before_others_are_left_out),
        cmocka_unit_test(what_fits_on_some_lines_is_not_cut),
        cmocka_unit_test(whatever_the_width_it_is_kept_and_reported),
        cmocka_unit_test(three_equal_accesses_and_more_are_counted),
        cmocka_unit_test(equal_steps_are_counted_with_all_that_belongs_to_them),
        cmocka_unit_test(a_million_steps_are_shown_by_their_ends),
        cmocka_unit_test(hostile_names_never_reach_the_terminal),
        cmocka_unit_test(colours_come_only_where_they_are_wanted),
        cmocka_unit_test(a_list_has_a_line_per_step_in_columns),
        cmocka_unit_test(steps_that_the_reader_knows_are_left_out),
        cmocka_unit_test(the_middle_of_a_list_is_cut_but_never_for_a_single_line),
        cmocka_unit_test(a_narrow_list_keeps_ids_and_cuts_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
