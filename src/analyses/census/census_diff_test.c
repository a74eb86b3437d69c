/* SPDX-License-Identifier: MIT
 *
 * Tests of census diffs and their trees. Reports are drawn (tests/support/report_drawing.h), and what is expected is
 * Firefox's unless a test says otherwise. How deltas and trees are written: tests/support/census_text.h.
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
#include "census_text.h"
#include "fail_allocator.h"
#include "report_drawing.h"

#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define BYTES "{\"by\":\"count\",\"count\":false,\"bytes\":true}"
#define BY_TYPE "{\"by\":\"internalType\",\"then\":" COUNT "}"
#define BY_CLASS "{\"by\":\"objectClass\",\"then\":" COUNT ",\"other\":" COUNT "}"
#define BY_STACK "{\"by\":\"allocationStack\",\"then\":" COUNT ",\"noStack\":" COUNT "}"

/* ---- help -------------------------------------------------------------------------------------------------------- */

typedef struct pair {
    report_drawing *start, *end;
    ubi_census_diff *diff;
} pair;

static pair subtract(const char *breakdown, ubi_compat compat, const char *start, const char *end) {
    pair p = { report_drawing_new(breakdown, compat, start), report_drawing_new(breakdown, compat, end), NULL };
    if (ubi_census_diff_new(&p.diff, report_drawing_census(p.start), report_drawing_census(p.end)) != UBI_OK)
        p.diff = NULL;
    return p;
}

static void drop(pair *p) {
    ubi_census_diff_free(p->diff);
    report_drawing_free(p->start);
    report_drawing_free(p->end);
}

static void assert_text(char *text, const char *expected) {
    assert_string_equal(text, expected);
    free(text);
}

/** The delta under one compatibility, and its basis in the same notation: count,bytes. */
static void assert_delta_of(ubi_compat compat, const char *breakdown, const char *start, const char *end,
                            const char *delta, const char *basis) {
    char totals[64];
    pair p = subtract(breakdown, compat, start, end);
    assert_non_null(p.diff);
    assert_text(delta_text(ubi_census_diff_delta(p.diff)), delta);
    snprintf(totals, sizeof totals, "%lld,%lld", (long long)ubi_census_diff_basis_count(p.diff),
             (long long)ubi_census_diff_basis_bytes(p.diff));
    assert_string_equal(totals, basis);
    drop(&p);
}

/** The same in both. */
static void assert_delta(const char *breakdown, const char *start, const char *end, const char *delta,
                         const char *basis) {
    assert_delta_of(UBI_COMPAT_NONE, breakdown, start, end, delta, basis);
    assert_delta_of(UBI_COMPAT_FIREFOX, breakdown, start, end, delta, basis);
}

static char *tree_text(const pair *p, bool invert, const char *filter) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.is_inverted = invert;
    options.has_filter = filter != NULL;
    options.filter = ubi__text(filter);
    assert_int_equal(ubi_census_diff_tree_new(&tree, p->diff, &options), UBI_OK);
    char *text = census_tree_text(tree);
    ubi_census_tree_free(tree);
    return text;
}

/* ---- deltas ------------------------------------------------------------------------------------------------------ */

static void numbers_are_subtracted(void **state) {
    (void)state;
    assert_delta(COUNT, "10,100", "11,110", "1,10", "10,100");
    assert_delta(COUNT, "11,110", "10,100", "-1,-10", "11,110");
}

static void what_only_one_side_has_is_negative_or_positive(void **state) {
    (void)state;
    assert_delta(BY_CLASS, "{Array: 1,100; Function: 10,10; other: 10,100}",
                 "{Object: 1,100; Function: 20,20; other: 10,100}",
                 "{Array: -1,-100; Function: 10,10; other: 0,0; Object: 1,100}", "21,210");
}

static void coarse_types_correspond_by_name(void **state) {
    (void)state;
    static const char breakdown[] = "{\"by\":\"coarseType\",\"objects\":" COUNT ",\"scripts\":" COUNT
                                    ",\"strings\":" COUNT ",\"other\":" COUNT ",\"domNode\":" COUNT "}";
    assert_delta(breakdown, "{objects: 1,10; scripts: 1,10; strings: 1,10; other: 3,30; domNode: 0,0}",
                 "{objects: 1,10; scripts: 0,0; strings: 2,20; other: 4,40; domNode: 0,0}",
                 "{objects: 0,0; scripts: -1,-10; strings: 1,10; other: 1,10; domNode: 0,0}", "6,60");
}

static void the_start_has_its_order_and_what_is_new_follows(void **state) {
    (void)state;
    assert_delta(BY_TYPE, "{JSObject: 10,100; js::Shape: 50,500; JSString: 0,0; js::LazyScript: 1,10}",
                 "{JSObject: 11,110; js::Shape: 51,510; JSString: 1,1; js::BaseShape: 1,42}",
                 "{JSObject: 1,10; js::Shape: 1,10; JSString: 1,1; js::LazyScript: -1,-10; js::BaseShape: 1,42}",
                 "61,610");
}

static void array_indices_go_first_as_in_every_object(void **state) {
    (void)state;
    assert_delta(BY_TYPE, "{3: 1,1; 12: 1,1; b: 1,1}", "{7: 2,2; 100: 1,1; a: 1,1; 07: 1,1}",
                 "{3: -1,-1; 7: 2,2; 12: -1,-1; 100: 1,1; b: -1,-1; a: 1,1; 07: 1,1}", "3,3");
    assert_delta(BY_TYPE, "{b: 1,1}", "{0: 2,2; b: 1,1}", "{0: 2,2; b: 0,0}", "1,1");
}

static void stacks_of_two_files_correspond_by_content(void **state) {
    (void)state;
    assert_delta(BY_STACK, "<f@s:1:1: 10,100; g@s:2:1: 1,10>", "<g@s:2:1: 10,100; h@s:3:1: 1,10>",
                 "<f@s:1:1: -10,-100; g@s:2:1: 9,90; h@s:3:1: 1,10>", "11,110");
}

static void stacks_differ_in_any_of_their_content(void **state) {
    (void)state;
    static const char *const others[] = { "F@s:1:1<m@s:9:1", "f@S:1:1<m@s:9:1", "f@s:2:1<m@s:9:1", "f@s:1:2<m@s:9:1",
                                          "f@s:1:1<M@s:9:1", "f@s:1:1",         "-@s:1:1<m@s:9:1", "f@s:1:1<f@s:1:1" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char end[64], delta[128];
        snprintf(end, sizeof end, "<%s: 1,1>", others[i]);
        snprintf(delta, sizeof delta, "<f@s:1:1<m@s:9:1: -1,-1; %s: 1,1>", others[i]);
        assert_delta(BY_STACK, "<f@s:1:1<m@s:9:1: 1,1>", end, delta, "1,1");
    }
    assert_delta(BY_STACK, "<f@s:1:1: 1,1>", "<f!@s:1:1: 1,1>", "<f@s:1:1: -1,-1; f@s:1:1: 1,1>", "1,1");
    assert_delta(BY_STACK, "<f@s:1:1<m@s:9:1: 1,1>", "<f@s:1:1<m@s:9:1: 3,4>", "<f@s:1:1<m@s:9:1: 2,3>", "1,1");
}

static void a_null_stack_corresponds_to_a_null_stack(void **state) {
    (void)state;
    assert_delta(BY_STACK, "<null: 1,1>", "<noStack: 2,2>", "<null: -1,-1; noStack: 2,2>", "1,1");
    assert_delta(BY_STACK, "<null: 1,1; noStack: 1,1>", "<null: 4,4; noStack: 2,2>", "<null: 3,3; noStack: 1,1>",
                 "2,2");
}

static void nested_groups_are_subtracted_too(void **state) {
    (void)state;
    assert_delta("{\"by\":\"objectClass\",\"then\":" BY_TYPE ",\"other\":" COUNT "}", "{A: {x: 1,1}; other: 0,0}",
                 "{B: {y: 2,4}; A: {z: 5,6}; other: 0,0}", "{A: {x: -1,-1; z: 5,6}; other: 0,0; B: {y: 2,4}}", "1,1");
}

static void what_is_gone_is_negative_at_every_level(void **state) {
    (void)state;
    assert_delta("{\"by\":\"objectClass\",\"then\":" BY_TYPE ",\"other\":" COUNT "}",
                 "{A: {x: 3,5; 7: 1,1}; other: 0,0}", "{other: 0,0}", "{A: {x: -3,-5; 7: -1,-1}; other: 0,0}", "4,6");
}

static void numbers_that_are_not_shown_are_absent(void **state) {
    (void)state;
    assert_delta("{\"by\":\"internalType\",\"then\":" BYTES "}", "{A: b3}", "{A: b5; B: b2}", "{A: b2; B: b2}", "0,3");
}

static void a_report_that_is_empty_leaves_the_other(void **state) {
    (void)state;
    assert_delta(BY_TYPE, "{}", "{A: 1,2}", "{A: 1,2}", "0,0");
    assert_delta(BY_TYPE, "{A: 1,2}", "{}", "{A: -1,-2}", "1,2");
    assert_delta(BY_STACK, "<>", "<>", "<>", "0,0");
}

static void lists_of_ids_are_not_compared_and_new_ones_copied(void **state) {
    (void)state;
    assert_delta("{\"by\":\"internalType\",\"then\":{\"by\":\"bucket\"}}", "{A: [1 2]; B: [3]}", "{A: [4]; C: [5 6]}",
                 "{A: {}; B: {}; C: [5 6]}", "0,0");
}

static void members_of_an_array_correspond_and_the_first_is_the_basis(void **state) {
    (void)state;
    assert_delta_of(UBI_COMPAT_NONE, "[" COUNT "," BY_TYPE ",[]," COUNT "]", "(3,30 | {A: 1,10; B: 2,20} | () | 3,30)",
                    "(4,50 | {B: 4,50} | () | 4,50)", "(1,20 | {A: -1,-10; B: 2,30} | () | 1,20)", "3,30");
    assert_delta_of(UBI_COMPAT_NONE, "{\"by\":\"internalType\",\"then\":[[" COUNT "," COUNT "]," COUNT "]}",
                    "{A: ((1,2 | 1,2) | 1,2)}", "{A: ((1,2 | 1,2) | 1,2)}", "{A: ((0,0 | 0,0) | 0,0)}", "1,2");
}

static void labels_stay_except_where_firefox_drops_them(void **state) {
    (void)state;
    static const char breakdown[] =
        "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"count\":true,\"bytes\":true,\"label\":\"x\"}}";
    assert_delta_of(UBI_COMPAT_NONE, breakdown, "{A: 1,1}", "{A: 2,2; B: 1,1}", "{A: 1,1\"x\"; B: 1,1\"x\"}", "1,1");
    assert_delta_of(UBI_COMPAT_FIREFOX, breakdown, "{A: 1,1}", "{A: 2,2; B: 1,1}", "{A: 1,1; B: 1,1\"x\"}", "1,1");
}

static void firefox_subtracts_only_numbers_whose_option_was_written(void **state) {
    (void)state;
    static const char breakdown[] = "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"bytes\":true}}";
    assert_delta_of(UBI_COMPAT_FIREFOX, breakdown, "{A: 1,10}", "{A: 2,15; B: 1,1}", "{A: b5; B: 1,1}", "0,10");
    assert_delta_of(UBI_COMPAT_NONE, breakdown, "{A: 1,10}", "{A: 2,15; B: 1,1}", "{A: 1,5; B: 1,1}", "1,10");
}

static void firefox_loses_a_key_called_proto(void **state) {
    (void)state;
    assert_delta_of(UBI_COMPAT_FIREFOX, BY_TYPE, "{__proto__: 1,2; a: 1,1}", "{a: 2,2; __proto__: 5,5}", "{a: 1,1}",
                    "2,3");
    assert_delta_of(UBI_COMPAT_NONE, BY_TYPE, "{__proto__: 1,2; a: 1,1}", "{a: 2,2; __proto__: 5,5}",
                    "{__proto__: 4,3; a: 1,1}", "2,3");
}

static void sums_beyond_an_int64_saturate(void **state) {
    (void)state;
    assert_delta(COUNT, "0,18446744073709551615", "0,0", "0,-9223372036854775807", "0,9223372036854775807");
    assert_delta(COUNT, "0,0", "0,18446744073709551615", "0,9223372036854775807", "0,0");
    assert_delta(COUNT, "0,9223372036854775808", "0,18446744073709551615", "0,9223372036854775807",
                 "0,9223372036854775807");
}

static void large_numbers_are_exact_except_as_doubles(void **state) {
    (void)state;
    assert_delta_of(UBI_COMPAT_NONE, COUNT, "0,9007199254740992", "0,9007199254740993", "0,1", "0,9007199254740992");
    assert_delta_of(UBI_COMPAT_FIREFOX, COUNT, "0,9007199254740992", "0,9007199254740993", "0,0", "0,9007199254740992");
}

static void a_delta_knows_both_its_reports(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, UBI_COMPAT_NONE, "{A: 1,1; B: 2,2}", "{B: 3,3; C: 4,4}");
    const ubi_delta *root = ubi_census_diff_delta(p.diff), *part[3];
    ubi_report_key key;
    for (uint32_t i = 0; i < 3; i++)
        part[i] = ubi_delta_entry(root, i, &key);
    assert_ptr_equal(ubi_delta_start(root), ubi_census_report(report_drawing_census(p.start)));
    assert_ptr_equal(ubi_delta_end(root), ubi_census_report(report_drawing_census(p.end)));
    assert_non_null(ubi_delta_start(part[0]));
    assert_null(ubi_delta_end(part[0]));
    assert_non_null(ubi_delta_start(part[1]));
    assert_non_null(ubi_delta_end(part[1]));
    assert_null(ubi_delta_start(part[2]));
    assert_int_equal(ubi_breakdown_kind(ubi_delta_breakdown(part[2])), UBI_BY_COUNT);
    drop(&p);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void assert_mismatch(const char *breakdown_start, ubi_compat compat_start, const char *breakdown_end,
                            ubi_compat compat_end, ubi_status expected) {
    report_drawing *start = report_drawing_new(breakdown_start, compat_start, "{}");
    report_drawing *end = report_drawing_new(breakdown_end, compat_end, "{}");
    ubi_census_diff *diff = NULL;
    assert_int_equal(ubi_census_diff_new(&diff, report_drawing_census(start), report_drawing_census(end)), expected);
    ubi_census_diff_free(diff);
    report_drawing_free(start);
    report_drawing_free(end);
}

static void censuses_of_different_breakdowns_do_not_go_together(void **state) {
    (void)state;
    static const char *const other[] = {
        "{\"by\":\"objectClass\"}",
        "{\"by\":\"internalType\",\"then\":{\"by\":\"bucket\"}}",
        "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"count\":false}}",
        "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"bytes\":false}}",
        "{\"by\":\"internalType\",\"then\":{\"by\":\"count\",\"label\":\"\"}}",
        "{\"by\":\"internalType\",\"then\":[]}",
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_mismatch("{\"by\":\"internalType\"}", UBI_COMPAT_NONE, other[i], UBI_COMPAT_NONE, UBI_EMISMATCH);
    assert_mismatch("{\"by\":\"internalType\"}", UBI_COMPAT_NONE, "{\"then\":" COUNT ",\"by\":\"internalType\"}",
                    UBI_COMPAT_NONE, UBI_OK);
    assert_mismatch(BY_TYPE, UBI_COMPAT_NONE, BY_TYPE, UBI_COMPAT_FIREFOX, UBI_EMISMATCH);
}

static void firefox_needs_every_part_written_out_that_the_start_has(void **state) {
    (void)state;
    pair p = subtract("{\"by\":\"internalType\"}", UBI_COMPAT_FIREFOX, "{A: 1,1}", "{}");
    assert_null(p.diff);
    assert_string_equal(ubi_error_message(), "can't access property \"by\", breakdown is undefined");
    drop(&p);
    assert_delta_of(UBI_COMPAT_FIREFOX, "{\"by\":\"internalType\"}", "{}", "{A: 1,1}", "{A: 1,1}", "0,0");
    assert_delta_of(UBI_COMPAT_NONE, "{\"by\":\"internalType\"}", "{A: 1,1}", "{}", "{A: -1,-1}", "1,1");
}

static void firefoxs_tree_needs_the_other_parts_written_out_too(void **state) {
    (void)state;
    pair p = subtract("{\"by\":\"internalType\"}", UBI_COMPAT_FIREFOX, "{}", "{A: 1,1}");
    ubi_census_tree *tree;
    assert_non_null(p.diff);
    assert_int_equal(ubi_census_diff_tree_new(&tree, p.diff, NULL), UBI_EINVAL);
    drop(&p);
}

static void tree_options_of_another_version_are_refused(void **state) {
    (void)state;
    pair p = subtract(COUNT, UBI_COMPAT_NONE, "1,1", "1,1");
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.version++;
    assert_int_equal(ubi_census_diff_tree_new(&tree, p.diff, &options), UBI_EINVAL);
    drop(&p);
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

#define START "{A: 10,100; B: 5,50}"
#define END "{A: 1,10; C: 2,500}"

static void the_root_of_a_tree_has_the_totals_of_the_start(void **state) {
    (void)state;
    for (ubi_compat compat = UBI_COMPAT_NONE; compat <= UBI_COMPAT_FIREFOX; compat++) {
        pair p = subtract(BY_TYPE, compat, START, END);
        assert_text(tree_text(&p, false, NULL), "null#1 0/150 0/15 [C#4^1 500/500 2/2 L3, A#2^1 -90/-90 -9/-9 L1, "
                                                "B#3^1 -50/-50 -5/-5 L2]");
        drop(&p);
    }
}

static void a_filter_keeps_the_totals(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, UBI_COMPAT_FIREFOX, START, END);
    assert_text(tree_text(&p, false, "A"), "null#5 0/150 0/15 [A#6^5 -90/-90 -9/-9 L1]");
    drop(&p);
}

static void what_did_not_change_is_pruned_and_what_changed_in_count_alone_is_not(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, UBI_COMPAT_FIREFOX, "{A: 1,10; B: 1,10; C: 2,20}", "{A: 1,10; B: 2,10; C: 2,20}");
    assert_text(tree_text(&p, false, NULL), "null#1 0/40 0/4 [B#3^1 0/0 1/1 L2]");
    drop(&p);
}

static void a_change_of_nothing_leaves_the_root(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, UBI_COMPAT_FIREFOX, START, START);
    assert_text(delta_text(ubi_census_diff_delta(p.diff)), "{A: 0,0; B: 0,0}");
    assert_text(tree_text(&p, false, NULL), "null#1 0/150 0/15 []");
    drop(&p);
}

static void inverted_trees_of_stacks_add_up_by_default(void **state) {
    (void)state;
    pair p = subtract(BY_STACK, UBI_COMPAT_NONE, "<f@s:1:1<m@s:9:1: 1,10; m@s:9:1: 1,5>",
                      "<f@s:1:1<m@s:9:1: 4,40; f@s:1:1<n@s:8:1: 1,7; m@s:9:1: 1,4>");
    assert_text(tree_text(&p, true, NULL),
                "null#6 0/15 0/2 [f@s:1:1#9^6 37/37 4/4 L1,3 [m@s:9:1#10^9 0/30 0/3 [null#11^10 0/30 0/3], "
                "n@s:8:1#12^9 0/7 0/1 [null#13^12 0/7 0/1]], m@s:9:1#7^6 -1/-1 0/0 L2 [null#8^7 0/-1 0/0]]");
    drop(&p);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

#define NESTED "{\"by\":\"internalType\",\"then\":" BY_STACK "}"
#define NESTED_START "{x: <f@s:1:1<m@s:9:1: 1,10; noStack: 1,1>; b: <>; 3: <g@s:1:1: 1,1>}"
#define NESTED_END "{0: <h@s:2:2: 1,1>; b: <noStack: 4,4>; x: <f@s:1:1<m@s:9:1: 2,20; -@t:1:1<m@s:9:1: 1,1>}"

static ubi_status diff_with(const ubi_allocator *allocator, bool *done) {
    report_drawing *start = report_drawing_new(NESTED, UBI_COMPAT_NONE, NESTED_START);
    report_drawing *end = report_drawing_new(NESTED, UBI_COMPAT_NONE, NESTED_END);
    ubi_census_diff *diff = NULL;
    ubi_census_tree *tree = NULL;
    report_drawing_use_allocator(start, allocator);
    ubi_status status = ubi_census_diff_new(&diff, report_drawing_census(start), report_drawing_census(end));
    if (status == UBI_OK)
        status = ubi_census_diff_tree_new(&tree, diff, NULL);
    *done = status == UBI_OK;
    ubi_census_tree_free(tree);
    ubi_census_diff_free(diff);
    report_drawing_free(start);
    report_drawing_free(end);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    bool done = false;
    for (uint64_t n = 0; !done; n++)
        for (int once = 0; once < 2; once++) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            f.once = once;
            ubi_status status = diff_with(&f.allocator, &done);
            assert_true(status == (f.n_refused ? UBI_ENOMEM : UBI_OK) || (once && status == UBI_OK));
            fail_allocator_fini(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_subtracted),
        cmocka_unit_test(what_only_one_side_has_is_negative_or_positive),
        cmocka_unit_test(coarse_types_correspond_by_name),
        cmocka_unit_test(the_start_has_its_order_and_what_is_new_follows),
        cmocka_unit_test(array_indices_go_first_as_in_every_object),
        cmocka_unit_test(stacks_of_two_files_correspond_by_content),
        cmocka_unit_test(stacks_differ_in_any_of_their_content),
        cmocka_unit_test(a_null_stack_corresponds_to_a_null_stack),
        cmocka_unit_test(nested_groups_are_subtracted_too),
        cmocka_unit_test(what_is_gone_is_negative_at_every_level),
        cmocka_unit_test(numbers_that_are_not_shown_are_absent),
        cmocka_unit_test(a_report_that_is_empty_leaves_the_other),
        cmocka_unit_test(lists_of_ids_are_not_compared_and_new_ones_copied),
        cmocka_unit_test(members_of_an_array_correspond_and_the_first_is_the_basis),
        cmocka_unit_test(labels_stay_except_where_firefox_drops_them),
        cmocka_unit_test(firefox_subtracts_only_numbers_whose_option_was_written),
        cmocka_unit_test(firefox_loses_a_key_called_proto),
        cmocka_unit_test(sums_beyond_an_int64_saturate),
        cmocka_unit_test(large_numbers_are_exact_except_as_doubles),
        cmocka_unit_test(a_delta_knows_both_its_reports),
        cmocka_unit_test(censuses_of_different_breakdowns_do_not_go_together),
        cmocka_unit_test(firefox_needs_every_part_written_out_that_the_start_has),
        cmocka_unit_test(firefoxs_tree_needs_the_other_parts_written_out_too),
        cmocka_unit_test(tree_options_of_another_version_are_refused),
        cmocka_unit_test(the_root_of_a_tree_has_the_totals_of_the_start),
        cmocka_unit_test(a_filter_keeps_the_totals),
        cmocka_unit_test(what_did_not_change_is_pruned_and_what_changed_in_count_alone_is_not),
        cmocka_unit_test(a_change_of_nothing_leaves_the_root),
        cmocka_unit_test(inverted_trees_of_stacks_add_up_by_default),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
