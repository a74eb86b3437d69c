/* SPDX-License-Identifier: MIT
 *
 * Tests of comparing heaps node by node. A row is written "coarse name old->new +created -deleted", each number as
 * count,bytes; rows are joined by "; ".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/diff.h>

#include "analyses/diff/class_members.h"
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "name_scheme.h"
#include "random_numbers.h"

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void put_tally(FILE *out, const char *before, ubi_tally t) {
    fprintf(out, "%s%llu,%llu", before, (unsigned long long)t.count, (unsigned long long)t.bytes);
}

static void put_row(FILE *out, const ubi_class_change *row) {
    static const char *const coarse[] = { "other", "object", "script", "string", "dom" };
    fprintf(out, "%s %.*s", coarse[row->name.coarse_type], (int)row->name.name.len, row->name.name.ptr);
    put_tally(out, " ", row->start);
    put_tally(out, "->", row->end);
    put_tally(out, " +", row->created);
    put_tally(out, " -", row->deleted);
}

static char *rows_text(const ubi_class_diff *diff) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < ubi_class_diff_count(diff); i++) {
        fputs(i ? "; " : "", out);
        put_row(out, ubi_class_diff_row(diff, i));
    }
    fclose(out);
    return text;
}

static ubi_class_diff *compare(ubi_graph *start, ubi_graph *end) {
    ubi_class_diff *diff;
    ubi_class_scheme a = name_scheme(start), b = name_scheme(end);
    assert_int_equal(ubi_class_diff_new(&diff, &a, &b, NULL), UBI_OK);
    ubi_graph_unref(start); /* the diff has its own references */
    ubi_graph_unref(end);
    return diff;
}

static void assert_rows(const char *start, const char *end, const char *expected, uint64_t n_common) {
    ubi_class_diff *diff = compare(graph_from_drawing(start), graph_from_drawing(end));
    char *text = rows_text(diff);
    assert_string_equal(text, expected);
    assert_int_equal(ubi_class_diff_common_count(diff), n_common);
    free(text);
    ubi_class_diff_free(diff);
}

/* ---- what counts ------------------------------------------------------------------------------------------------- */

static void nodes_come_and_go_by_id(void **state) {
    (void)state;
    assert_rows("1 -> 2, 3, 4; 2(class=A size=10); 3(class=A size=20); 4(class=A size=40)",
                "1 -> 4, 3, 5, 6; 4(class=A size=40); 3(class=A size=20); 5(class=A size=1); 6(class=A size=2)",
                "other A 3,70->4,63 +2,3 -1,10", 2);
}

static void a_node_that_changed_its_class_was_deleted_and_created(void **state) {
    (void)state;
    assert_rows("1 -> 2; 2(class=A size=10)", "1 -> 2; 2(class=B size=10)",
                "other A 1,10->0,0 +0,0 -1,10; other B 0,0->1,10 +1,10 -0,0", 1);
    assert_rows("1 -> 2; 2(class=A coarse=object)", "1 -> 2; 2(class=A coarse=dom)",
                "object A 1,1->0,0 +0,0 -1,1; dom A 0,0->1,1 +1,1 -0,0", 1);
}

static void two_processes_have_other_things_under_equal_ids(void **state) {
    (void)state;
    static const char *const ends[] = { "1 -> 2, 3; 2(class=A); 3(class=A)", "1 -> 2, 3; 2(class=A); 3(class=B)",
                                        "1 -> 8, 9; 8(class=A); 9(class=A)" };
    static const bool is_same[] = { true, false, false }, is_same_of_addresses[] = { true, true, false };
    for (int i = 0; i < 3; i++) {
        ubi_class_diff *diff = compare(graph_from_drawing(ends[0]), graph_from_drawing(ends[i]));
        assert_int_equal(ubi_class_diff_is_same_process(diff, false), is_same[i]);
        assert_int_equal(ubi_class_diff_is_same_process(diff, true), is_same_of_addresses[i]);
        ubi_class_diff_free(diff);
    }
}

static void a_node_that_changed_its_size_is_still_there(void **state) {
    (void)state;
    assert_rows("1 -> 2; 2(class=A size=10)", "1 -> 2; 2(class=A size=25)", "other A 1,10->1,25 +0,0 -0,0", 1);
}

static void what_is_out_of_reach_is_not_there(void **state) {
    (void)state;
    assert_rows("1 -> 2, 3; 2(class=A); 3(class=A); 4(class=Z)", "1 -> 3; 2(class=A); 3(class=A); 4(class=Z)",
                "other A 2,2->1,1 +0,0 -1,1", 1);
}

static void the_root_counts_when_an_edge_leads_to_it(void **state) {
    (void)state;
    assert_rows("1(type=R) -> 2; 2(class=A)", "1(type=R) -> 2; 2(class=A) -> 1",
                "other R 0,0->1,1 +1,1 -0,0; other A 1,1->1,1 +0,0 -0,0", 1);
}

static void a_class_is_the_best_name_and_the_coarse_type(void **state) {
    (void)state;
    assert_rows("1 -> 2, 3, 4, 5; 2(type=t class=c file=f desc=d size=8); 3(type=t class=c file=f size=4); "
                "4(type=t file=f size=2); 5(type=t size=1)",
                "1",
                "other d 1,8->0,0 +0,0 -1,8; other c 1,4->0,0 +0,0 -1,4; other f 1,2->0,0 +0,0 -1,2; "
                "other t 1,1->0,0 +0,0 -1,1",
                0);
    assert_rows("1 -> 2, 3, 4; 2(type=x class=N); 3(type=y file=N); 4(class=N coarse=dom)", "1",
                "other N 2,2->0,0 +0,0 -2,2; dom N 1,1->0,0 +0,0 -1,1", 0);
}

static void rows_stand_by_change_in_bytes_then_count_then_churn_then_name(void **state) {
    (void)state;
    assert_rows("1 -> 2, 3, 4, 5, 6, 7; 2(class=gone size=9); 3(class=few size=0); 4(class=churn size=5); "
                "5(class=b); 6(class=a); 7(class=still size=99)",
                "1 -> 12, 13, 14, 15, 5, 6, 7; 12(class=more size=4); 13(class=few size=0); 14(class=churn size=5); "
                "15(class=few size=0); 5(class=b); 6(class=a); 7(class=still size=99)",
                "other gone 1,9->0,0 +0,0 -1,9; other more 0,0->1,4 +1,4 -0,0; other few 1,0->2,0 +2,0 -1,0; "
                "other churn 1,5->1,5 +1,5 -1,5; other a 1,1->1,1 +0,0 -0,0; other b 1,1->1,1 +0,0 -0,0; "
                "other still 1,99->1,99 +0,0 -0,0",
                3);
}

static void totals_are_the_sums_of_the_rows(void **state) {
    (void)state;
    ubi_class_diff *diff = compare(graph_from_drawing("1 -> 2, 3; 2(class=A size=10); 3(class=B size=20)"),
                                   graph_from_drawing("1 -> 3, 4; 3(class=B size=30); 4(class=C size=7)"));
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_row(out, ubi_class_diff_total(diff));
    fclose(out);
    assert_string_equal(text, "other  2,30->2,37 +1,7 -1,10");
    free(text);
    ubi_class_diff_free(diff);
}

static void heaps_of_a_root_alone_have_no_rows(void **state) {
    (void)state;
    assert_rows("1", "1", "", 0);
}

/* ---- schemes of others ------------------------------------------------------------------------------------------- */

static void describe_parity(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    (void)scheme;
    *out = (ubi_class){ UBI_COARSE_OBJECT, ubi__text(class_ix ? "odd" : "even"), { NULL, 0 } };
}

/** By the id, leaving 6 out. */
static uint32_t parity_of(const ubi_class_scheme *scheme, ubi_node_ix node) {
    uint64_t id = ubi_graph_node_id(scheme->graph, node);
    return id == 6 ? UBI_NONE : id % 2;
}

static void a_scheme_decides_about_classes_sizes_and_what_is_left_out(void **state) {
    (void)state;
    static const uint64_t sizes[] = { 100, 10, 1, 5 };
    ubi_graph *start = graph_from_drawing("1 -> 2, 4, 6"), *end = graph_from_drawing("1 -> 2, 3, 6");
    ubi_class_scheme a = { .graph = start, .n_classes = 2, .describe = describe_parity, .class_of = parity_of };
    ubi_class_scheme b = a;
    ubi_class_diff *diff;
    b.graph = end;
    b.size_bytes = sizes;
    assert_int_equal(ubi_class_diff_new(&diff, &a, &b, NULL), UBI_OK);
    char *text = rows_text(diff);
    assert_string_equal(text, "object odd 1,1->2,101 +1,1 -0,0; object even 2,2->1,10 +0,0 -1,1");
    free(text);
    ubi_class_diff_free(diff);
    ubi_graph_unref(start);
    ubi_graph_unref(end);
}

static void describe_nothing(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    (void)scheme, (void)class_ix;
    *out = (ubi_class){ UBI_COARSE_OTHER, { NULL, 0 }, { NULL, 0 } };
}

static void classes_of_equal_names_are_one_row_and_no_name_is_an_empty_one(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2, 3");
    ubi_class_scheme scheme = { .graph = graph, .n_classes = 2, .describe = describe_nothing, .class_of = parity_of };
    ubi_class_diff *diff;
    assert_int_equal(ubi_class_diff_new(&diff, &scheme, &scheme, NULL), UBI_OK);
    char *text = rows_text(diff);
    assert_string_equal(text, "other  3,3->3,3 +0,0 -0,0");
    free(text);
    ubi_class_diff_free(diff);
    ubi_graph_unref(graph);
}

/* ---- against a slow one ------------------------------------------------------------------------------------------ */

typedef struct class_name {
    ubi_coarse_type coarse_type;
    ubi_text name;
} class_name;

static class_name name_of(const ubi_graph *g, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, node));
    const ubi_str_ix names[] = { kind->descriptive_name, kind->class_name, kind->script_filename, kind->type_name };
    size_t i = 0;
    while (names[i] == UBI_NONE)
        i++;
    return (class_name){ kind->coarse_type, ubi_graph_string(g, names[i]) };
}

static bool counts(const ubi_graph *g, ubi_node_ix node) {
    return ubi_graph_is_reachable(g, node) && (node != ubi_graph_root(g) || ubi_graph_root_has_retainer(g));
}

static bool same_class(class_name a, class_name b) {
    return a.coarse_type == b.coarse_type && ubi__text_equal(a.name, b.name);
}

enum { N_IDS = 30, N_NAMES = 3 };

/** Nodes of a few ids and classes, most of them in reach. */
static ubi_graph *heap_of_few_ids(void) {
    static const char *const names[N_NAMES] = { "A", "B", "C" };
    ubi_graph_builder *b;
    ubi_graph *graph;
    ubi_node_desc root = { .id = N_IDS, .stack = UBI_NONE };
    root.kind = (ubi_kind){ .type_name = 0,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OTHER };
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    for (ubi_str_ix i = 0; i < N_NAMES; i++)
        assert_int_equal(ubi_graph_builder_string(b, &i, ubi__text(names[i])), UBI_OK);
    uint32_t present = random_below(UINT32_C(1) << N_IDS);
    assert_int_equal(ubi_graph_builder_node(b, &root), UBI_OK);
    for (uint32_t id = 0; id < N_IDS; id++)
        if (present >> id & 1 && random_below(8))
            assert_int_equal(ubi_graph_builder_edge(b, id, UBI_NONE), UBI_OK);
    for (uint32_t id = 0; id < N_IDS; id++) {
        ubi_node_desc node = { .id = id, .size_bytes = random_below(5), .kind = root.kind, .stack = UBI_NONE };
        node.kind.type_name = random_below(N_NAMES);
        node.kind.coarse_type = (ubi_coarse_type)random_below(2);
        if (present >> id & 1)
            assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, b), UBI_OK);
    ubi_graph_builder_free(b);
    return graph;
}

/** Nodes of `graph` in a class, and those of them that `other` does not have in it. */
static void tally(ubi_tally *all, ubi_tally *alone, const ubi_graph *graph, const ubi_graph *other, class_name class) {
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(graph); n++) {
        ubi_node_ix there;
        if (!counts(graph, n) || !same_class(name_of(graph, n), class))
            continue;
        bool both = ubi_graph_find(&there, other, ubi_graph_node_id(graph, n)) == UBI_OK && counts(other, there) &&
                    same_class(name_of(other, there), class);
        all->count++;
        all->bytes += ubi_graph_node_size_bytes(graph, n);
        alone->count += !both;
        alone->bytes += both ? 0 : ubi_graph_node_size_bytes(graph, n);
    }
}

static void assert_row(const ubi_class_change *row, const ubi_graph *start, const ubi_graph *end) {
    class_name class = { row->name.coarse_type, row->name.name };
    ubi_class_change slow = { .name = row->name };
    tally(&slow.start, &slow.deleted, start, end, class);
    tally(&slow.end, &slow.created, end, start, class);
    assert_memory_equal(row, &slow, sizeof slow);
}

static uint64_t count_all(const ubi_graph *g) {
    uint64_t n = 0;
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++)
        n += counts(g, node);
    return n;
}

static void rows_equal_those_of_a_slow_comparison(void **state) {
    (void)state;
    uint64_t n_common = 0, n_kept = 0;
    for (unsigned round = 0; round < 2000; round++) {
        random_start(round);
        ubi_graph *start = ubi_graph_ref(heap_of_few_ids()), *end = ubi_graph_ref(heap_of_few_ids());
        ubi_class_diff *diff = compare(start, end);
        for (uint32_t i = 0; i < ubi_class_diff_count(diff); i++)
            assert_row(ubi_class_diff_row(diff, i), start, end);
        assert_int_equal(ubi_class_diff_total(diff)->start.count, count_all(start));
        assert_int_equal(ubi_class_diff_total(diff)->end.count, count_all(end));
        n_common += ubi_class_diff_common_count(diff);
        n_kept += ubi_class_diff_total(diff)->end.count - ubi_class_diff_total(diff)->created.count;
        ubi_class_diff_free(diff);
        ubi_graph_unref(start);
        ubi_graph_unref(end);
    }
    assert_true(n_kept > 1000 && n_common > 2 * n_kept); /* the test would not say much otherwise */
}

/* ---- members of a class ------------------------------------------------------------------------------------------ */

static char *ids_text(const ubi__vec_u64 *created, const ubi__vec_u64 *deleted) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < created->n; i++)
        fprintf(out, "+%llu ", (unsigned long long)created->at[i]);
    for (size_t i = 0; i < deleted->n; i++)
        fprintf(out, "-%llu ", (unsigned long long)deleted->at[i]);
    fclose(out);
    return text;
}

static void assert_members(const char *start, const char *end, const char *name, const char *expected) {
    ubi_graph *old = graph_from_drawing(start), *new = graph_from_drawing(end);
    ubi_class_scheme a = name_scheme(old), b = name_scheme(new);
    ubi_class wanted = { .coarse_type = UBI_COARSE_OTHER, .name = ubi__text(name) };
    ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
    ubi__class_members members = { { 0 }, { 0 } };
    assert_int_equal(ubi__class_members_find(&members, &wanted, &a, &b, &options), UBI_OK);
    char *text = ids_text(&members.created, &members.deleted);
    assert_string_equal(text, expected);
    free(text);
    ubi__class_members_fini(&members, ubi_allocator_default());
    ubi_graph_unref(old);
    ubi_graph_unref(new);
}

static void members_of_a_class_are_those_that_its_row_counts(void **state) {
    (void)state;
    const char *before = "1 -> 2, 3, 7; 2(class=A); 3(class=A); 7(class=B)",
               *after = "1 -> 3, 4, 5, 7; 3(class=A); 4(class=A); 5(class=A); 7(class=A)";
    assert_members(before, after, "A", "+4 +5 +7 -2 ");
    assert_members(before, after, "B", "-7 ");
    assert_members(before, before, "A", "");
    assert_members(before, after, "none of this name", "");
}

static void looking_for_members_can_fail(void **state) {
    (void)state;
    ubi_graph *start = graph_from_drawing("1 -> 2; 2(class=A)"), *end = graph_from_drawing("1 -> 3; 3(class=A)");
    ubi_class_scheme a = name_scheme(start), b = name_scheme(end);
    ubi_class wanted = { .coarse_type = UBI_COARSE_OTHER, .name = ubi__text("A") };
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
        options.allocator = &f.allocator;
        ubi__class_members members = { { 0 }, { 0 } };
        status = ubi__class_members_find(&members, &wanted, &a, &b, &options);
        assert_true(status == (f.n_refused ? UBI_ENOMEM : UBI_OK));
        ubi__class_members_fini(&members, &f.allocator);
        fail_allocator_fini(&f);
    }
    ubi_graph_unref(start);
    ubi_graph_unref(end);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    ubi_graph *start = graph_from_drawing("1 -> 2, 3; 2(class=A); 3(desc=B)"),
              *end = graph_from_drawing("1 -> 2, 4; 4(class=C)");
    ubi_class_scheme a = name_scheme(start), b = name_scheme(end);
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
        options.allocator = &f.allocator;
        ubi_class_diff *diff = NULL;
        status = ubi_class_diff_new(&diff, &a, &b, &options);
        assert_true(status == (f.n_refused ? UBI_ENOMEM : UBI_OK));
        ubi_class_diff_free(diff);
        fail_allocator_fini(&f);
    }
    ubi_graph_unref(start);
    ubi_graph_unref(end);
}

static bool stop(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    assert_string_equal(stage, "comparing");
    return --*(int *)payload >= 0;
}

static void a_comparison_can_be_cancelled(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2");
    ubi_class_scheme scheme = name_scheme(graph);
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        ubi_class_diff *diff = NULL;
        ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
        options.progress = (ubi_progress){ stop, &left };
        assert_int_equal(ubi_class_diff_new(&diff, &scheme, &scheme, &options), calls < 2 ? UBI_ECANCELLED : UBI_OK);
        ubi_class_diff_free(diff);
    }
    ubi_graph_unref(graph);
}

static void options_of_another_version_are_refused(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1");
    ubi_class_scheme scheme = name_scheme(graph);
    ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
    ubi_class_diff *diff;
    options.version = 7;
    assert_int_equal(ubi_class_diff_new(&diff, &scheme, &scheme, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_class_diff_options has version 7, expected 1");
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_and_go_by_id),
        cmocka_unit_test(a_node_that_changed_its_class_was_deleted_and_created),
        cmocka_unit_test(two_processes_have_other_things_under_equal_ids),
        cmocka_unit_test(a_node_that_changed_its_size_is_still_there),
        cmocka_unit_test(what_is_out_of_reach_is_not_there),
        cmocka_unit_test(the_root_counts_when_an_edge_leads_to_it),
        cmocka_unit_test(a_class_is_the_best_name_and_the_coarse_type),
        cmocka_unit_test(rows_stand_by_change_in_bytes_then_count_then_churn_then_name),
        cmocka_unit_test(totals_are_the_sums_of_the_rows),
        cmocka_unit_test(heaps_of_a_root_alone_have_no_rows),
        cmocka_unit_test(a_scheme_decides_about_classes_sizes_and_what_is_left_out),
        cmocka_unit_test(classes_of_equal_names_are_one_row_and_no_name_is_an_empty_one),
        cmocka_unit_test(rows_equal_those_of_a_slow_comparison),
        cmocka_unit_test(members_of_a_class_are_those_that_its_row_counts),
        cmocka_unit_test(looking_for_members_can_fail),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
        cmocka_unit_test(a_comparison_can_be_cancelled),
        cmocka_unit_test(options_of_another_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
