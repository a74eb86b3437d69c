/* SPDX-License-Identifier: MIT
 *
 * Tests of census trees. Most reports are given to the builder by hand, as a diff would, and all expected trees are
 * Firefox's unless a test says otherwise. How trees are written: tests/support/census_text.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_tree.h"
#include "analyses/census/report_walk.h"
#include "base/text.h"
#include "census_text.h"
#include "drawing.h"

#define BY(kind) "{\"by\":\"" kind "\"}"
#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"

/* ---- reports by hand --------------------------------------------------------------------------------------------- */

/** Frames of a test; place 0 is not a frame. */
typedef struct test_frame {
    size_t parent;
    const char *function;
    uint32_t line;
    bool is_system;
} test_frame;

static const test_frame frames[] = {
    { 0 },
    { 0, "a", 28, false }, /* 1 */
    { 1, "b", 26, false }, /* 2 */
    { 2, "c", 5, false },  /* 3: c<b26<a28 */
    { 1, "b", 27, false }, /* 4 */
    { 4, "d", 6, false },  /* 5: d<b27<a28 */
    { 1, "b", 28, false }, /* 6: b28<a28 */
    { 0, "a", 29, false }, /* 7 */
    { 7, "e", 7, false },  /* 8 */
    { 8, "c", 8, false },  /* 9: c2<e<a29 */
    { 0, "a", 28, true },  /* 10: a tree cannot distinguish it from 1 */
    { 10, "b", 26, true }, /* 11: nor this from 2 */
};

static void describe_frame(ubi_stack stack, ubi_frame *out) {
    const test_frame *f = &frames[stack.ref];
    *out = (ubi_frame){ .source = ubi__text("s.js"), .function_name = ubi__text(f->function), .line = f->line };
    out->is_system = f->is_system;
}
static bool step_to_parent(ubi_stack stack, ubi_stack *out) {
    *out = (ubi_stack){ stack.ops, NULL, frames[stack.ref].parent };
    return out->ref != 0;
}

static ubi__tree_builder tree;

static void begin(ubi_compat compat) {
    ubi__tree_builder_init(&tree, ubi_allocator_default(), compat);
}
static void enter(const ubi_report_key *edge) {
    assert_int_equal(ubi__tree_enter(&tree, edge, NULL), UBI_OK);
}
static void leave(void) {
    assert_int_equal(ubi__tree_leave(&tree), UBI_OK);
}
static void root(void) {
    enter(NULL);
}
static void open(const char *key) {
    enter(&(ubi_report_key){ .type = UBI_KEY_TEXT, .text = ubi__text(key) });
}
static void open_stack(size_t frame) {
    static const ubi_stack_ops ops = { describe_frame, step_to_parent };
    enter(&(ubi_report_key){ .type = UBI_KEY_STACK, .stack = { &ops, NULL, frame } });
}
static void count(int64_t bytes, int64_t n) {
    assert_int_equal(ubi__tree_count(&tree, n, bytes), UBI_OK);
}
static void leaf(const char *key, int64_t bytes, int64_t n) {
    open(key);
    count(bytes, n);
    leave();
}
static void stack_leaf(size_t frame, int64_t bytes, int64_t n) {
    open_stack(frame);
    count(bytes, n);
    leave();
}

typedef struct finish_options {
    bool is_inverted;
    const char *filter;
    const ubi__tree_basis *basis;
} finish_options;

/** Finishes the tree that was begun and compares it. */
static void assert_tree(finish_options how, const char *expected) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *finished;
    options.is_inverted = how.is_inverted;
    options.has_filter = how.filter != NULL;
    options.filter = ubi__text(how.filter);
    assert_int_equal(ubi__tree_finish(&finished, &tree, &options, how.basis), UBI_OK);
    char *text = census_tree_text(finished);
    assert_string_equal(text, expected);
    free(text);
    ubi_census_tree_free(finished);
    ubi__tree_builder_fini(&tree);
}

#define PLAIN ((finish_options){ 0 })
#define INVERTED ((finish_options){ .is_inverted = true })
#define FILTERED(text) ((finish_options){ .filter = (text) })

/* ---- plain trees ------------------------------------------------------------------------------------------------- */

static void a_count_is_a_single_row(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    count(500, 10);
    leave();
    assert_tree(PLAIN, "null#1 500/500 10/10 L0");
}

static void empty_rows_are_pruned(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    leaf("JSObject", 100, 10);
    leaf("js::Shape", 500, 50);
    leaf("JSString", 0, 0);
    leave();
    assert_tree(PLAIN, "null#1 0/600 0/60 [js::Shape#3^1 500/500 50/50 L2, JSObject#2^1 100/100 10/10 L1]");
}

static void rows_of_equal_bytes_are_sorted_by_count(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    leaf("Function", 10, 10);
    leaf("Array", 100, 1);
    leaf("other", 10, 1);
    leave();
    assert_tree(PLAIN,
                "null#1 0/120 0/12 [Array#3^1 100/100 1/1 L2, Function#2^1 10/10 10/10 L1, other#4^1 10/10 1/1 L3]");
}

static void ties_keep_the_order_of_the_report(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    leaf("A", 1, 1);
    leaf("B", 1, 1);
    leaf("Cc", 1, 2);
    leaf("D", -4, -3);
    leave();
    assert_tree(PLAIN, "null#1 0/-1 0/1 [D#5^1 -4/-4 -3/-3 L4, Cc#4^1 1/1 2/2 L3, A#2^1 1/1 1/1 L1, B#3^1 1/1 1/1 L2]");
}

static void a_row_of_0_bytes_and_1_node_stays(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    leaf("A", 0, 1);
    leave();
    assert_tree(PLAIN, "null#1 0/0 0/1 [A#2^1 0/0 1/1 L1]");
}

/** objects {Function, Array, other 0}, scripts, strings, other {js::Shape, js::Shape2}, domNode {div} */
static void coarse_report_for(ubi_compat compat) {
    begin(compat);
    root();
    open("objects");
    leaf("Function", 10, 1);
    leaf("Array", 20, 2);
    leaf("other", 0, 0);
    leave();
    leaf("scripts", 1, 1);
    leaf("strings", 10, 1);
    open("other");
    leaf("js::Shape", 30, 3);
    leaf("js::Shape2", 40, 4);
    leave();
    open("domNode");
    leaf("div", 5, 1);
    leave();
    leave();
}

static void coarse_report(void) {
    coarse_report_for(UBI_COMPAT_NONE);
}

static void totals_are_added_up_and_sorted_by(void **state) {
    (void)state;
    coarse_report();
    assert_tree(PLAIN, "null#1 0/116 0/13 ["
                       "other#8^1 0/70 0/7 [js::Shape2#10^8 40/40 4/4 L9, js::Shape#9^8 30/30 3/3 L8], "
                       "objects#2^1 0/30 0/3 [Array#4^2 20/20 2/2 L3, Function#3^2 10/10 1/1 L2], "
                       "strings#7^1 10/10 1/1 L6, "
                       "domNode#11^1 0/5 0/1 [div#12^11 5/5 1/1 L11], "
                       "scripts#6^1 1/1 1/1 L5]");
}

static void inversion_puts_leaves_first_and_lets_their_numbers_pass(void **state) {
    (void)state;
    coarse_report();
    assert_tree(INVERTED, "null#13 0/116 0/13 ["
                          "js::Shape2#14^13 40/40 4/4 L9 [other#15^14 0/40 0/4 [null#16^15 0/40 0/4]], "
                          "js::Shape#17^13 30/30 3/3 L8 [other#18^17 0/30 0/3 [null#19^18 0/30 0/3]], "
                          "Array#20^13 20/20 2/2 L3 [objects#21^20 0/20 0/2 [null#22^21 0/20 0/2]], "
                          "Function#23^13 10/10 1/1 L2 [objects#24^23 0/10 0/1 [null#25^24 0/10 0/1]], "
                          "strings#26^13 10/10 1/1 L6 [null#27^26 0/10 0/1], "
                          "div#28^13 5/5 1/1 L11 [domNode#29^28 0/5 0/1 [null#30^29 0/5 0/1]], "
                          "scripts#31^13 1/1 1/1 L5 [null#32^31 0/1 0/1]]");
}

static void firefoxs_inversion_repeats_the_totals_of_groups(void **state) {
    (void)state;
    coarse_report_for(UBI_COMPAT_FIREFOX);
    assert_tree(INVERTED, "null#13 0/116 0/13 ["
                          "js::Shape2#14^13 40/40 4/4 L9 [other#15^14 0/70 0/7 [null#16^15 0/116 0/13]], "
                          "js::Shape#17^13 30/30 3/3 L8 [other#18^17 0/70 0/7 [null#19^18 0/116 0/13]], "
                          "Array#20^13 20/20 2/2 L3 [objects#21^20 0/30 0/3 [null#22^21 0/116 0/13]], "
                          "Function#23^13 10/10 1/1 L2 [objects#24^23 0/30 0/3 [null#25^24 0/116 0/13]], "
                          "strings#26^13 10/10 1/1 L6 [null#27^26 0/116 0/13], "
                          "div#28^13 5/5 1/1 L11 [domNode#29^28 0/5 0/1 [null#30^29 0/116 0/13]], "
                          "scripts#31^13 1/1 1/1 L5 [null#32^31 0/116 0/13]]");
}

static void a_filter_keeps_paths_with_a_match(void **state) {
    (void)state;
    coarse_report();
    assert_tree(FILTERED("Shape"), "null#13 0/116 0/13 [other#14^13 0/70 0/7 "
                                   "[js::Shape2#15^14 40/40 4/4 L9, js::Shape#16^14 30/30 3/3 L8]]");
    coarse_report();
    assert_tree(FILTERED("objects"), "null#13 0/116 0/13 [objects#14^13 0/30 0/3 "
                                     "[Array#15^14 20/20 2/2 L3, Function#16^14 10/10 1/1 L2]]");
    coarse_report();
    assert_tree(FILTERED("zzz"), "null#13 0/116 0/13");
    coarse_report();
    assert_tree(FILTERED("array"), "null#13 0/116 0/13"); /* case matters */
}

static void the_empty_filter_keeps_everything_under_new_ids(void **state) {
    (void)state;
    coarse_report();
    assert_tree(FILTERED(""), "null#13 0/116 0/13 ["
                              "other#14^13 0/70 0/7 [js::Shape2#15^14 40/40 4/4 L9, js::Shape#16^14 30/30 3/3 L8], "
                              "objects#17^13 0/30 0/3 [Array#18^17 20/20 2/2 L3, Function#19^17 10/10 1/1 L2], "
                              "strings#20^13 10/10 1/1 L6, "
                              "domNode#21^13 0/5 0/1 [div#22^21 5/5 1/1 L11], "
                              "scripts#23^13 1/1 1/1 L5]");
}

static void the_filter_looks_at_the_inverted_tree(void **state) {
    (void)state;
    coarse_report();
    assert_tree((finish_options){ .is_inverted = true, .filter = "Array" },
                "null#33 0/116 0/13 [Array#34^33 20/20 2/2 L3 [objects#35^34 0/20 0/2 [null#36^35 0/20 0/2]]]");
    coarse_report_for(UBI_COMPAT_FIREFOX);
    assert_tree((finish_options){ .is_inverted = true, .filter = "Array" },
                "null#33 0/116 0/13 [Array#34^33 20/20 2/2 L3 [objects#35^34 0/30 0/3 [null#36^35 0/116 0/13]]]");
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static void stack_report_for(ubi_compat compat) {
    begin(compat);
    root();
    stack_leaf(3, 10, 1);
    stack_leaf(5, 20, 2);
    stack_leaf(6, 30, 3);
    stack_leaf(9, 40, 4);
    enter(&(ubi_report_key){ .type = UBI_KEY_NO_STACK, .text = ubi__text("noStack") });
    count(60, 6);
    leave();
    leave();
}

static void stack_report(void) {
    stack_report_for(UBI_COMPAT_NONE);
}

static void stacks_share_their_callers(void **state) {
    (void)state;
    stack_report();
    assert_tree(PLAIN, "null#1 0/160 0/16 ["
                       "noStack#11^1 60/60 6/6 L5, "
                       "a@s.js:28:0#2^1 0/60 0/6 ["
                       "b@s.js:28:0#7^2 30/30 3/3 L3, "
                       "b@s.js:27:0#5^2 0/20 0/2 [d@s.js:6:0#6^5 20/20 2/2 L2], "
                       "b@s.js:26:0#3^2 0/10 0/1 [c@s.js:5:0#4^3 10/10 1/1 L1]], "
                       "a@s.js:29:0#8^1 0/40 0/4 [e@s.js:7:0#9^8 0/40 0/4 [c@s.js:8:0#10^9 40/40 4/4 L4]]]");
}

static void inverted_stacks_start_at_the_youngest_frame(void **state) {
    (void)state;
    stack_report();
    assert_tree(INVERTED, "null#12 0/160 0/16 ["
                          "noStack#13^12 60/60 6/6 L5 [null#14^13 0/60 0/6], "
                          "c@s.js:8:0#26^12 40/40 4/4 L4 [e@s.js:7:0#27^26 0/40 0/4 [a@s.js:29:0#28^27 0/40 0/4 "
                          "[null#29^28 0/40 0/4]]], "
                          "b@s.js:28:0#15^12 30/30 3/3 L3 [a@s.js:28:0#16^15 0/30 0/3 [null#17^16 0/30 0/3]], "
                          "d@s.js:6:0#18^12 20/20 2/2 L2 [b@s.js:27:0#19^18 0/20 0/2 [a@s.js:28:0#20^19 0/20 0/2 "
                          "[null#21^20 0/20 0/2]]], "
                          "c@s.js:5:0#22^12 10/10 1/1 L1 [b@s.js:26:0#23^22 0/10 0/1 [a@s.js:28:0#24^23 0/10 0/1 "
                          "[null#25^24 0/10 0/1]]]]");
}

static void firefoxs_inverted_stacks_repeat_the_totals_of_callers(void **state) {
    (void)state;
    stack_report_for(UBI_COMPAT_FIREFOX);
    assert_tree(INVERTED, "null#12 0/160 0/16 ["
                          "noStack#13^12 60/60 6/6 L5 [null#14^13 0/160 0/16], "
                          "c@s.js:8:0#26^12 40/40 4/4 L4 [e@s.js:7:0#27^26 0/40 0/4 [a@s.js:29:0#28^27 0/40 0/4 "
                          "[null#29^28 0/160 0/16]]], "
                          "b@s.js:28:0#15^12 30/30 3/3 L3 [a@s.js:28:0#16^15 0/60 0/6 [null#17^16 0/160 0/16]], "
                          "d@s.js:6:0#18^12 20/20 2/2 L2 [b@s.js:27:0#19^18 0/20 0/2 [a@s.js:28:0#20^19 0/60 0/6 "
                          "[null#21^20 0/160 0/16]]], "
                          "c@s.js:5:0#22^12 10/10 1/1 L1 [b@s.js:26:0#23^22 0/10 0/1 [a@s.js:28:0#24^23 0/60 0/6 "
                          "[null#25^24 0/160 0/16]]]]");
}

static void a_filter_finds_functions_and_sources(void **state) {
    (void)state;
    stack_report();
    assert_tree(FILTERED("e"), "null#12 0/160 0/16 [a@s.js:29:0#13^12 0/40 0/4 [e@s.js:7:0#14^13 0/40 0/4 "
                               "[c@s.js:8:0#15^14 40/40 4/4 L4]]]");
    stack_report();
    assert_tree(FILTERED("noStack"), "null#12 0/160 0/16 [noStack#13^12 60/60 6/6 L5]");
}

static void a_stack_that_ends_inside_another_has_numbers_of_its_own(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    stack_leaf(2, 1, 1);
    stack_leaf(3, 10, 1);
    stack_leaf(1, 100, 1);
    leave();
    assert_tree(PLAIN, "null#1 0/111 0/3 [a@s.js:28:0#2^1 100/111 1/3 L3 [b@s.js:26:0#3^2 1/11 1/2 L1 "
                       "[c@s.js:5:0#4^3 10/10 1/1 L2]]]");
}

static void two_classes(ubi_compat compat) {
    begin(compat);
    root();
    open("Foo");
    stack_leaf(1, 1, 1);
    leaf("noStack", 2, 1);
    leave();
    open("Bar");
    leaf("noStack", 3, 1);
    leave();
    leave();
}

static void merged_rows_add_their_numbers_and_in_firefox_not_their_totals(void **state) {
    (void)state;
    /* Ids: the path of Foo's first child comes first, as Foo (3 bytes, 2 nodes) is before Bar (3 bytes, 1 node). */
    two_classes(UBI_COMPAT_NONE);
    assert_tree(
        INVERTED,
        "null#7 0/6 0/3 ["
        "noStack#8^7 5/5 2/2 L3,5 [Bar#14^8 0/3 0/1 [null#15^14 0/3 0/1], Foo#9^8 0/2 0/1 [null#10^9 0/2 0/1]], "
        "a@s.js:28:0#11^7 1/1 1/1 L2 [Foo#12^11 0/1 0/1 [null#13^12 0/1 0/1]]]");
    two_classes(UBI_COMPAT_FIREFOX);
    assert_tree(
        INVERTED,
        "null#7 0/6 0/3 ["
        "noStack#8^7 5/2 2/1 L3,5 [Foo#9^8 0/3 0/2 [null#10^9 0/6 0/3], Bar#14^8 0/3 0/1 [null#15^14 0/6 0/3]], "
        "a@s.js:28:0#11^7 1/1 1/1 L2 [Foo#12^11 0/3 0/2 [null#13^12 0/6 0/3]]]");
}

/* ---- deltas ------------------------------------------------------------------------------------------------------ */

static void delta_report(void) {
    begin(UBI_COMPAT_NONE);
    root();
    leaf("A", -90, -9);
    leaf("B", -50, -5);
    leaf("C", 500, 2);
    leaf("same", 0, 0);
    leave();
}

static void a_delta_shows_the_totals_of_its_basis(void **state) {
    (void)state;
    ubi__tree_basis basis = { 150, 15 };
    delta_report();
    assert_tree((finish_options){ .basis = &basis },
                "null#1 0/150 0/15 [C#4^1 500/500 2/2 L3, A#2^1 -90/-90 -9/-9 L1, B#3^1 -50/-50 -5/-5 L2]");
    delta_report();
    assert_tree((finish_options){ .filter = "A", .basis = &basis }, "null#6 0/150 0/15 [A#7^6 -90/-90 -9/-9 L1]");
}

/* ---- where Firefox loses numbers --------------------------------------------------------------------------------- */

static void indistinguishable_stacks(ubi_compat compat) {
    begin(compat);
    root();
    stack_leaf(2, 10, 1);
    stack_leaf(11, 5, 2);
    leave();
}

static void stacks_that_look_equal_are_added(void **state) {
    (void)state;
    indistinguishable_stacks(UBI_COMPAT_NONE);
    assert_tree(PLAIN, "null#1 0/15 0/3 [a@s.js:28:0#2^1 0/15 0/3 [b@s.js:26:0#3^2 15/15 3/3 L1,2]]");
    indistinguishable_stacks(UBI_COMPAT_FIREFOX);
    assert_tree(PLAIN, "null#1 0/5 0/2 [a@s.js:28:0#2^1 0/5 0/2 [b@s.js:26:0#3^2 5/5 2/2 L2]]");
}

static void stacks_below_an_empty_one(ubi_compat compat) {
    begin(compat);
    root();
    stack_leaf(2, 0, 0); /* b<a: nothing, a child of a */
    stack_leaf(1, 7, 1); /* a is left and pruned while b is empty */
    stack_leaf(3, 5, 1); /* c<b<a */
    leave();
}

static void what_is_below_an_empty_row_stays(void **state) {
    (void)state;
    stacks_below_an_empty_one(UBI_COMPAT_NONE);
    assert_tree(PLAIN, "null#1 0/12 0/2 [a@s.js:28:0#2^1 7/12 1/2 L2 [b@s.js:26:0#3^2 0/5 0/1 L1 "
                       "[c@s.js:5:0#4^3 5/5 1/1 L3]]]");
    stacks_below_an_empty_one(UBI_COMPAT_FIREFOX);
    assert_tree(PLAIN, "null#1 0/7 0/1 [a@s.js:28:0#2^1 7/7 1/1 L2 []]");
}

static void a_row_that_leads_to_two_leaves(ubi_compat compat) {
    begin(compat);
    root();
    stack_leaf(1, 100, 1);
    stack_leaf(2, 10, 1);
    stack_leaf(6, 1, 1);
    leave();
}

static void a_filter_adds_numbers_once(void **state) {
    (void)state;
    a_row_that_leads_to_two_leaves(UBI_COMPAT_NONE);
    assert_tree(FILTERED("a"), "null#5 0/111 0/3 [a@s.js:28:0#6^5 100/111 1/3 L1 [b@s.js:26:0#7^6 10/10 1/1 L2, "
                               "b@s.js:28:0#8^6 1/1 1/1 L3]]");
    a_row_that_leads_to_two_leaves(UBI_COMPAT_FIREFOX);
    assert_tree(FILTERED("a"), "null#5 0/111 0/3 [a@s.js:28:0#6^5 200/111 2/3 L1 [b@s.js:26:0#7^6 10/10 1/1 L2, "
                               "b@s.js:28:0#8^6 1/1 1/1 L3]]");
}

/** a, b<a and c<b<a each hold something themselves. */
static void frames_that_allocate_and_call(ubi_compat compat) {
    begin(compat);
    root();
    stack_leaf(1, 100, 1);
    stack_leaf(2, 10, 1);
    stack_leaf(3, 1, 1);
    leave();
}

static void inverted_rows_that_have_children_are_on_the_first_level_too(void **state) {
    (void)state;
    frames_that_allocate_and_call(UBI_COMPAT_NONE);
    assert_tree(INVERTED, "null#5 0/111 0/3 ["
                          "a@s.js:28:0#6^5 100/100 1/1 L1 [null#7^6 0/100 0/1], "
                          "b@s.js:26:0#8^5 10/10 1/1 L2 [a@s.js:28:0#9^8 0/10 0/1 [null#10^9 0/10 0/1]], "
                          "c@s.js:5:0#11^5 1/1 1/1 L3 [b@s.js:26:0#12^11 0/1 0/1 [a@s.js:28:0#13^12 0/1 0/1 "
                          "[null#14^13 0/1 0/1]]]]");
    frames_that_allocate_and_call(UBI_COMPAT_FIREFOX);
    assert_tree(INVERTED, "null#5 0/111 0/3 ["
                          "c@s.js:5:0#6^5 1/1 1/1 L3 [b@s.js:26:0#7^6 10/11 1/2 L2 [a@s.js:28:0#8^7 100/111 1/3 L1 "
                          "[null#9^8 0/111 0/3]]]]");
}

static void a_row_that_has_lost_its_children_still_ends_paths(void **state) {
    (void)state;
    begin(UBI_COMPAT_NONE);
    root();
    stack_leaf(2, 0, 0); /* pruned, so a has an empty list of children */
    stack_leaf(1, 7, 1);
    leave();
    assert_tree(FILTERED("a"), "null#4 0/7 0/1 [a@s.js:28:0#5^4 7/7 1/1 L2]");
    begin(UBI_COMPAT_FIREFOX);
    root();
    stack_leaf(2, 0, 0);
    stack_leaf(1, 7, 1);
    leave();
    assert_tree(FILTERED("a"), "null#4 0/7 0/1");
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/** What the rows below `node` hold, including its own numbers if `with_own`. */
static void assert_row_adds_up(const ubi_census_tree *finished, const ubi_census_node *node, bool with_own) {
    int64_t bytes = with_own ? node->bytes : 0, n = with_own ? node->count : 0;
    for (uint32_t i = 0; i < node->n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(finished, node->children[i], &child);
        bytes += child.total_bytes;
        n += child.total_count;
    }
    assert_int_equal(bytes, node->total_bytes);
    assert_int_equal(n, node->total_count);
}

/** Of every row of the tree that was begun. Inverted, only the old root's rows, at the ends of paths, have no children. */
static void assert_adds_up(bool invert, const char *filter) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *finished;
    options.is_inverted = invert;
    options.has_filter = filter != NULL;
    options.filter = ubi__text(filter);
    assert_int_equal(ubi__tree_finish(&finished, &tree, &options, NULL), UBI_OK);
    uint32_t n_rows = 1; /* breadth-first: the last child of the last row with children is the last row */
    for (ubi_census_node_ix row = 0; row < n_rows; row++) {
        ubi_census_node node;
        ubi_census_tree_node(finished, row, &node);
        if (node.n_children)
            n_rows = node.children[node.n_children - 1] + 1;
        if (!invert || node.n_children)
            assert_row_adds_up(finished, &node, !invert);
    }
    ubi_census_tree_free(finished);
    ubi__tree_builder_fini(&tree);
}

static void every_row_adds_up_to_what_is_below_it(void **state) {
    (void)state;
    static void (*const reports[])(ubi_compat) = { coarse_report_for,
                                                   stack_report_for,
                                                   two_classes,
                                                   indistinguishable_stacks,
                                                   stacks_below_an_empty_one,
                                                   a_row_that_leads_to_two_leaves,
                                                   frames_that_allocate_and_call };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        reports[i](UBI_COMPAT_NONE);
        assert_adds_up(false, NULL);
        reports[i](UBI_COMPAT_NONE);
        assert_adds_up(false, "");
        reports[i](UBI_COMPAT_NONE);
        assert_adds_up(true, NULL);
        reports[i](UBI_COMPAT_NONE);
        assert_adds_up(true, "");
    }
}

/* ---- from a census ----------------------------------------------------------------------------------------------- */

#define HEAP                                                                                                           \
    "r -> a, b, c, d; a(coarse=object class=A size=10); b(coarse=object class=B size=20); c(coarse=string size=5);"    \
    "d(file=x.js type=S size=9)"

static void assert_census_tree(const char *json, ubi_compat compat, const char *expected) {
    ubi_graph *graph = graph_from_drawing(HEAP);
    char *text = census_tree_text_of(graph, json, compat, false, NULL);
    assert_string_equal(text, expected);
    free(text);
    ubi_graph_unref(graph);
}

static void a_census_becomes_a_tree(void **state) {
    (void)state;
    assert_census_tree(BY("objectClass"), UBI_COMPAT_NONE,
                       "null#1 0/44 0/4 [B#2^1 20/20 1/1 L1, other#4^1 14/14 2/2 L3, A#3^1 10/10 1/1 L2]");
    assert_census_tree("{\"by\":\"filename\",\"then\":" BY("internalType") "}", UBI_COMPAT_NONE,
                       "null#1 0/44 0/4 [noFilename#4^1 35/35 3/3 L3, x.js#2^1 0/9 0/1 [S#3^2 9/9 1/1 L2]]");
    assert_census_tree("{\"by\":\"objectClass\",\"then\":{\"by\":\"count\",\"count\":false}}", UBI_COMPAT_NONE,
                       "null#1 0/44 0/2 [B#2^1 20/20 0/0 L1, other#4^1 14/14 2/2 L3, A#3^1 10/10 0/0 L2]");
}

static void buckets_have_no_numbers(void **state) {
    (void)state;
    assert_census_tree("{\"by\":\"internalType\",\"then\":" BY("bucket") "}", UBI_COMPAT_NONE, "null#1 0/0 0/0 []");
}

static void members_of_an_array_are_rows_and_only_the_first_adds_up(void **state) {
    (void)state;
    assert_census_tree("[" BY("count") "," BY("objectClass") "]", UBI_COMPAT_NONE,
                       "null#1 0/44 0/4 [[0]#2^1 44/44 4/4 L1, [1]#3^1 0/44 0/4 "
                       "[B#4^3 20/20 1/1 L3, other#6^3 14/14 2/2 L5, A#5^3 10/10 1/1 L4]]");
    assert_census_tree("[" BY("bucket") "," BY("count") "]", UBI_COMPAT_NONE, "null#1 0/0 0/0 [[1]#3^1 44/44 4/4 L2]");
    assert_census_tree("[]", UBI_COMPAT_NONE, "null#1 0/0 0/0");
}

static void inverted_members_of_an_array_are_not_mixed(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing(HEAP);
    const char *json = "[" BY("objectClass") ",{\"by\":\"coarseType\",\"objects\":" BY("objectClass") "}]";
    char *text = census_tree_text_of(graph, json, UBI_COMPAT_NONE, true, "B");
    assert_string_equal(text,
                        "null#39 0/44 0/4 [B#40^39 20/20 1/1 L2 [[0]#41^40 0/20 0/1 [null#42^41 0/20 0/1]], "
                        "B#43^39 20/20 1/1 L7 [objects#44^43 0/20 0/1 [[1]#45^44 0/20 0/1 [null#46^45 0/20 0/1]]]]");
    free(text);
    ubi_graph_unref(graph);
}

static void firefox_needs_every_part_written_out(void **state) {
    (void)state;
    assert_census_tree(BY("objectClass"), UBI_COMPAT_FIREFOX, "! can't access property \"by\", breakdown is undefined");
    assert_census_tree("{\"by\":\"coarseType\",\"objects\":" COUNT "}", UBI_COMPAT_FIREFOX,
                       "! can't access property \"by\", breakdown is undefined");
    assert_census_tree("{\"by\":\"filename\",\"then\":" COUNT ",\"noFilename\":" COUNT "}", UBI_COMPAT_FIREFOX,
                       "null#1 0/44 0/4 [noFilename#3^1 35/35 3/3 L2, x.js#2^1 9/9 1/1 L1]");
    /* Numbers that are on by default are not taken. */
    assert_census_tree("{\"by\":\"count\",\"bytes\":true}", UBI_COMPAT_FIREFOX, "null#1 44/44 0/0 L0");
    assert_census_tree(BY("count"), UBI_COMPAT_FIREFOX, "null#1 0/0 0/0 L0");
}

static void huge_sizes_saturate(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("r -> a, b; a(class=A size=18446744073709551615); b(class=B size=9)");
    char *text = census_tree_text_of(graph, BY("objectClass"), UBI_COMPAT_NONE, false, NULL);
    assert_string_equal(text, "null#1 0/9223372036854775807 0/2 [A#3^1 9223372036854775807/9223372036854775807 1/1 L2, "
                              "B#2^1 9/9 1/1 L1]");
    free(text);
    ubi_graph_unref(graph);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

enum { N_WIDE = 200000 };

static void wide_reports_do_not_take_quadratic_time(void **state) {
    (void)state;
    static char names[N_WIDE][8];
    begin(UBI_COMPAT_NONE);
    root();
    for (int i = 0; i < N_WIDE; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        open(names[i]);
        leaf("same", 1, 1);
        leave();
    }
    leave();
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    options.is_inverted = options.has_filter = true;
    ubi_census_tree *finished;
    ubi_census_node node;
    assert_int_equal(ubi__tree_finish(&finished, &tree, &options, NULL), UBI_OK);
    ubi_census_tree_node(finished, ubi_census_tree_root(finished), &node);
    assert_int_equal(node.n_children, 1); /* "same", from which every path leads to another name */
    ubi_census_tree_node(finished, node.children[0], &node);
    assert_int_equal(node.n_children, N_WIDE);
    assert_int_equal(node.bytes, N_WIDE);
    assert_int_equal(node.n_leaf_indices, N_WIDE);
    ubi_census_tree_free(finished);
    ubi__tree_builder_fini(&tree);
}

static void describe_level(ubi_stack stack, ubi_frame *out) {
    *out = (ubi_frame){ .source = ubi__text("deep.js"), .line = (uint32_t)stack.ref };
}
static bool step_up(ubi_stack stack, ubi_stack *out) {
    *out = (ubi_stack){ stack.ops, NULL, stack.ref - 1 };
    return out->ref != 0;
}

static void deep_stacks_need_no_deep_recursion(void **state) {
    (void)state;
    static const ubi_stack_ops ops = { describe_level, step_up };
    begin(UBI_COMPAT_NONE);
    root();
    enter(&(ubi_report_key){ .type = UBI_KEY_STACK, .stack = { &ops, NULL, N_WIDE } });
    count(1, 1);
    leave();
    leave();
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    options.is_inverted = options.has_filter = true;
    ubi_census_tree *finished;
    ubi_census_node node;
    assert_int_equal(ubi__tree_finish(&finished, &tree, &options, NULL), UBI_OK);
    uint32_t depth = 0;
    ubi_census_tree_node(finished, ubi_census_tree_root(finished), &node);
    for (; node.n_children; depth++) {
        assert_int_equal(node.n_children, 1);
        ubi_census_tree_node(finished, node.children[0], &node);
    }
    assert_int_equal(depth, N_WIDE + 1); /* all frames and, last, the old root */
    ubi_census_tree_free(finished);
    ubi__tree_builder_fini(&tree);
}

static ubi_status invert(void) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *finished = NULL;
    options.is_inverted = true;
    ubi_status status = ubi__tree_finish(&finished, &tree, &options, NULL);
    ubi_census_tree_free(finished);
    ubi__tree_builder_fini(&tree);
    return status;
}

/** Every frame of a long stack holds something: inverted, 2000 * 2001 / 2 rows. */
static void few_frames_cannot_make_very_many_rows(void **state) {
    (void)state;
    static const ubi_stack_ops ops = { describe_level, step_up };
    begin(UBI_COMPAT_NONE);
    root();
    for (uint32_t depth = 1; depth <= 2000; depth++) {
        enter(&(ubi_report_key){ .type = UBI_KEY_STACK, .stack = { &ops, NULL, depth } });
        count(1, 1);
        leave();
    }
    leave();
    assert_int_equal(invert(), UBI_ELIMIT);
    assert_string_equal(ubi_error_message(),
                        "the census tree has more than 1176640 rows, too many for the 2001 names in it");
}

static void paths_that_share_their_rows_are_counted_too(void **state) {
    (void)state;
    coarse_report();
    tree.n_steps = UBI__CENSUS_TREE_MAX_STEPS - 18; /* one less than the paths of this tree have rows */
    assert_int_equal(invert(), UBI_ELIMIT);
    coarse_report();
    tree.n_steps = UBI__CENSUS_TREE_MAX_STEPS - 19;
    assert_int_equal(invert(), UBI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_a_single_row),
        cmocka_unit_test(empty_rows_are_pruned),
        cmocka_unit_test(rows_of_equal_bytes_are_sorted_by_count),
        cmocka_unit_test(ties_keep_the_order_of_the_report),
        cmocka_unit_test(a_row_of_0_bytes_and_1_node_stays),
        cmocka_unit_test(totals_are_added_up_and_sorted_by),
        cmocka_unit_test(inversion_puts_leaves_first_and_lets_their_numbers_pass),
        cmocka_unit_test(firefoxs_inversion_repeats_the_totals_of_groups),
        cmocka_unit_test(a_filter_keeps_paths_with_a_match),
        cmocka_unit_test(the_empty_filter_keeps_everything_under_new_ids),
        cmocka_unit_test(the_filter_looks_at_the_inverted_tree),
        cmocka_unit_test(stacks_share_their_callers),
        cmocka_unit_test(inverted_stacks_start_at_the_youngest_frame),
        cmocka_unit_test(firefoxs_inverted_stacks_repeat_the_totals_of_callers),
        cmocka_unit_test(a_filter_finds_functions_and_sources),
        cmocka_unit_test(a_stack_that_ends_inside_another_has_numbers_of_its_own),
        cmocka_unit_test(merged_rows_add_their_numbers_and_in_firefox_not_their_totals),
        cmocka_unit_test(a_delta_shows_the_totals_of_its_basis),
        cmocka_unit_test(stacks_that_look_equal_are_added),
        cmocka_unit_test(what_is_below_an_empty_row_stays),
        cmocka_unit_test(a_filter_adds_numbers_once),
        cmocka_unit_test(inverted_rows_that_have_children_are_on_the_first_level_too),
        cmocka_unit_test(a_row_that_has_lost_its_children_still_ends_paths),
        cmocka_unit_test(every_row_adds_up_to_what_is_below_it),
        cmocka_unit_test(a_census_becomes_a_tree),
        cmocka_unit_test(buckets_have_no_numbers),
        cmocka_unit_test(members_of_an_array_are_rows_and_only_the_first_adds_up),
        cmocka_unit_test(inverted_members_of_an_array_are_not_mixed),
        cmocka_unit_test(firefox_needs_every_part_written_out),
        cmocka_unit_test(huge_sizes_saturate),
        cmocka_unit_test(wide_reports_do_not_take_quadratic_time),
        cmocka_unit_test(deep_stacks_need_no_deep_recursion),
        cmocka_unit_test(few_frames_cannot_make_very_many_rows),
        cmocka_unit_test(paths_that_share_their_rows_are_counted_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
