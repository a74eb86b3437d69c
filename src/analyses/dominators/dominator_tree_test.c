/* SPDX-License-Identifier: MIT
 *
 * Tests of rows of dominator trees: partial trees, pages, insertion, search. D2, I1 and G1 are the specification's cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/dominator_tree.h>

#include "base/alloc.h"
#include "drawing.h"
#include "fail_allocator.h"

typedef struct fixture {
    ubi_graph *graph;
    ubi_dominators *dominators;
    ubi_labels *labels;
} fixture;

static void fixture_init(fixture *f, ubi_graph *graph) {
    ubi_view view = ubi_view_of(graph);
    f->graph = graph;
    assert_int_equal(ubi_dominators_new(&f->dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_labels_new(&f->labels, graph, NULL, NULL), UBI_OK);
}

static void fixture_fini(fixture *f) {
    ubi_labels_unref(f->labels);
    ubi_dominators_free(f->dominators);
    ubi_graph_unref(f->graph);
}

static ubi_node_ix node_with_id(const fixture *f, uint64_t id) {
    ubi_node_ix node;
    assert_int_equal(ubi_graph_find(&node, f->graph, id), UBI_OK);
    return node;
}

static ubi_dominator_node *partial(const fixture *f, ubi_node_ix start, uint32_t depth, uint32_t siblings) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *tree;
    options.start = start;
    options.max_depth = depth;
    options.max_siblings = siblings;
    assert_int_equal(ubi_dominator_tree_partial(&tree, f->dominators, f->labels, &options), UBI_OK);
    return tree;
}

/* "1:43^0+ [3:20^1, 4:12^1+]": id:retained^parent, + for more children, lists of children in brackets. Trees are small. */
static char *write_tree(char *out, const ubi_dominator_node *node) {
    ubi_dominator_row row;
    ubi_dominator_node_get(node, &row);
    out += sprintf(out, "%llu:%llu", (unsigned long long)row.node_id, (unsigned long long)row.retained_bytes);
    if (row.has_parent)
        out += sprintf(out, "^%llu", (unsigned long long)row.parent_id);
    out += sprintf(out, "%s", row.has_more_children ? "+" : "");
    if (!row.has_children)
        return out;
    out += sprintf(out, " [");
    for (uint32_t i = 0; i < row.n_children; i++) {
        out += sprintf(out, "%s", i ? ", " : "");
        out = write_tree(out, row.children[i]);
    }
    return out + sprintf(out, "]");
}

static void assert_tree(const ubi_dominator_node *tree, const char *expected) {
    char text[2048];
    write_tree(text, tree);
    assert_string_equal(text, expected);
}

static void assert_partial(const fixture *f, ubi_node_ix start, uint32_t depth, uint32_t siblings,
                           const char *expected) {
    ubi_dominator_node *tree = partial(f, start, depth, siblings);
    assert_tree(tree, expected);
    ubi_dominator_node_unref(tree);
}

/* D2 of the specification. */
#define D2                                                                                                             \
    "1(size=1) -> 2 \"l\", 3 \"r\"; 2(size=10) -> 4 \"p\"; 3(size=20) -> 4 \"q\"; 4(size=5) -> 5 \"only\"; 5(size=7)"

/* ---- partial trees ----------------------------------------------------------------------------------------------- */

static void levels_and_siblings_are_limited(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(D2));
    assert_partial(&f, UBI_NONE, 3, 1, "1:43+ [3:20^1]");
    assert_partial(&f, UBI_NONE, 4, 15, "1:43 [3:20^1, 4:12^1 [5:7^4], 2:10^1]");
    assert_partial(&f, UBI_NONE, 2, 2, "1:43+ [3:20^1, 4:12^1+]");
    assert_partial(&f, UBI_NONE, UINT32_MAX, UINT32_MAX, "1:43 [3:20^1, 4:12^1 [5:7^4], 2:10^1]");
    fixture_fini(&f);
}

static void one_level_or_none_is_the_first_row_alone(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(D2));
    assert_partial(&f, UBI_NONE, 0, 15, "1:43+");
    assert_partial(&f, UBI_NONE, 1, 15, "1:43+");
    assert_partial(&f, UBI_NONE, 4, 0, "1:43+");
    fixture_fini(&f);
}

static void the_defaults_are_four_levels_of_fifteen(void **state) {
    (void)state;
    char expected[1024], *out = expected;
    fixture f;
    fixture_init(&f, graph_from_drawing("1 -> 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24;"
                                        "2 -> 3; 3 -> 4; 4 -> 5"));
    out += sprintf(out, "1:20+ [2:4^1 [3:3^2 [4:2^3+]]");
    for (int id = 10; id < 24; id++)
        out += sprintf(out, ", %d:1^1", id);
    sprintf(out, "]");
    ubi_dominator_node *tree;
    assert_int_equal(ubi_dominator_tree_partial(&tree, f.dominators, f.labels, NULL), UBI_OK);
    assert_tree(tree, expected);
    ubi_dominator_node_unref(tree);
    fixture_fini(&f);
}

static void a_tree_may_start_anywhere(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(D2 "; 9(size=3) -> 5"));
    assert_partial(&f, node_with_id(&f, 4), 4, 15, "4:12^1 [5:7^4]");
    assert_partial(&f, node_with_id(&f, 9), 4, 15, "9:0"); /* unreachable */
    fixture_fini(&f);
}

static void rows_say_what_a_node_is(void **state) {
    (void)state;
    fixture f;
    ubi_dominator_row row;
    fixture_init(&f, graph_from_drawing("1 -> 2, 3; 2(coarse=object class=Array size=512) -> 4; 3(size=100); 4"));
    ubi_dominator_node *tree = partial(&f, UBI_NONE, 2, 1), *single;
    ubi_dominator_node_get(tree, &row);
    assert_int_equal(row.n_dominated, 2);
    assert_int_equal(row.n_children, 1);
    ubi_dominator_node_get(row.children[0], &row);
    assert_int_equal(row.shallow_bytes, 512);
    assert_int_equal(row.node, node_with_id(&f, 2));
    assert_int_equal(row.label->n_parts, 2);
    assert_memory_equal(row.label->parts[1].text.ptr, "Array", 5);
    ubi_dominator_node_unref(tree);
    assert_int_equal(ubi_dominator_node_new(&single, f.dominators, f.labels, node_with_id(&f, 2), NULL), UBI_OK);
    assert_tree(single, "2:513+");
    ubi_dominator_node_unref(single);
    fixture_fini(&f);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    fixture f;
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *node = NULL;
    ubi_dominator_page *page = NULL;
    fixture_init(&f, graph_from_drawing(D2));
    options.start = 5;
    assert_int_equal(ubi_dominator_tree_partial(&node, f.dominators, f.labels, &options), UBI_EINVAL);
    options = (ubi_dominator_tree_options){ .version = 9 };
    assert_int_equal(ubi_dominator_tree_partial(&node, f.dominators, f.labels, &options), UBI_EINVAL);
    assert_int_equal(ubi_dominator_node_new(&node, f.dominators, f.labels, 5, NULL), UBI_EINVAL);
    assert_int_equal(ubi_dominator_page_new(&page, f.dominators, f.labels, 5, 0, 1, NULL), UBI_EINVAL);
    assert_null(node);
    assert_null(page);
    fixture_fini(&f);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    return false;
}

static void a_cancelled_tree_leaves_nothing_behind(void **state) {
    (void)state;
    fixture f;
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *tree = NULL;
    fixture_init(&f, graph_from_drawing(D2));
    options.progress.fn = refuse;
    assert_int_equal(ubi_dominator_tree_partial(&tree, f.dominators, f.labels, &options), UBI_ECANCELLED);
    assert_null(tree);
    fixture_fini(&f);
}

/* A list of n nodes, 1 -> 2 -> ... */
static ubi_graph *make_list(uint32_t n) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    ubi_str_ix type;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &type, (ubi_text){ "T", 1 }), UBI_OK);
    for (uint64_t id = 1; id <= n; id++) {
        ubi_kind kind = { .type_name = type,
                          .class_name = UBI_NONE,
                          .script_filename = UBI_NONE,
                          .descriptive_name = UBI_NONE,
                          .coarse_type = UBI_COARSE_OTHER };
        ubi_node_desc node = { id, 1, kind, UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
        if (id < n)
            assert_int_equal(ubi_graph_builder_edge(builder, id + 1, UBI_NONE), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    return graph;
}

static void a_list_of_200000_takes_no_stack(void **state) {
    (void)state;
    enum { N = 200000 };
    fixture f;
    fixture_init(&f, make_list(N));
    ubi_dominator_node *tree = partial(&f, UBI_NONE, UINT32_MAX, UINT32_MAX), *changed;
    uint64_t *path = calloc(N, sizeof *path);
    for (uint32_t i = 0; i < N; i++)
        path[i] = i + 1;
    const ubi_dominator_node *last = ubi_dominator_tree_find(tree, N, path, N);
    assert_non_null(last);
    assert_tree(last, "200000:1^199999");
    assert_int_equal(ubi_dominator_tree_insert(&changed, tree, path, N, &tree, 1, false, NULL), UBI_OK);
    ubi_dominator_node_unref(tree);
    ubi_dominator_node_unref(changed);
    free(path);
    fixture_fini(&f);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* "3:20^1 4:12^1+ | more | 1 2": rows, more children or not, path. */
static void assert_page(const fixture *f, uint64_t id, uint32_t start, uint32_t count, const char *expected) {
    char text[512], *out = text;
    ubi_dominator_page *page;
    assert_int_equal(ubi_dominator_page_new(&page, f->dominators, f->labels, node_with_id(f, id), start, count, NULL),
                     UBI_OK);
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        out = write_tree(out, page->nodes[i]);
        *out++ = ' ';
    }
    out += sprintf(out, "| %s|", page->has_more_children ? "more " : "");
    for (uint32_t i = 0; i < page->n_path; i++)
        out += sprintf(out, " %llu", (unsigned long long)page->path[i]);
    assert_string_equal(text, expected);
    ubi_dominator_page_free(page);
}

/* Graph C of census.md, whose pages the specification of the worker gives. */
#define GRAPH_C                                                                                                        \
    "1(size=10) -> 20, 30, 10, 10, 50, 60, 1; 20(size=100) -> 40; 30(size=200); 10(size=50); 40(size=7); 50(size=9);"  \
    "60(size=11); 70(size=1000)"

static void pages_are_slices_in_order_of_retained_size(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(GRAPH_C));
    assert_page(&f, 1, 1, 2, "20:107^1+ 10:50^1 | more | 1");
    assert_page(&f, 1, 0, 50, "30:200^1 20:107^1+ 10:50^1 60:11^1 50:9^1 | | 1");
    assert_page(&f, 1, 3, UINT32_MAX, "60:11^1 50:9^1 | | 1");
    assert_page(&f, 20, 0, 50, "40:7^20 | | 1 20");
    fixture_fini(&f);
}

static void a_page_may_be_empty(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(GRAPH_C));
    assert_page(&f, 40, 0, 50, "| | 1 20 40");
    assert_page(&f, 1, 5, 2, "| | 1");
    assert_page(&f, 1, UINT32_MAX, UINT32_MAX, "| | 1");
    assert_page(&f, 1, 0, 0, "| more | 1");
    assert_page(&f, 70, 0, 50, "| | 70"); /* unreachable */
    fixture_fini(&f);
}

/* ---- insertion and search ---------------------------------------------------------------------------------------- */

/* I1's tree 100{200{300,301},201}, and the rows 900 and 901. */
typedef struct inserting {
    fixture f, spare;
    ubi_dominator_node *tree;
    ubi_dominator_node *new_rows[2];
} inserting;

static void inserting_init(inserting *t) {
    fixture_init(&t->f, graph_from_drawing("100 -> 200, 201; 200 -> 300, 301; 300(size=5); 301; 201"));
    fixture_init(&t->spare, graph_from_drawing("900 -> 901"));
    t->tree = partial(&t->f, UBI_NONE, 3, 15);
    for (ubi_node_ix node = 0; node < 2; node++)
        assert_int_equal(ubi_dominator_node_new(&t->new_rows[node], t->spare.dominators, t->spare.labels, node, NULL),
                         UBI_OK);
}

static void inserting_fini(inserting *t) {
    ubi_dominator_node_unref(t->new_rows[0]);
    ubi_dominator_node_unref(t->new_rows[1]);
    ubi_dominator_node_unref(t->tree);
    fixture_fini(&t->spare);
    fixture_fini(&t->f);
}

static ubi_dominator_node *insert(inserting *t, const uint64_t *path, uint32_t n_path, uint32_t n_rows, bool more) {
    ubi_dominator_node *changed;
    assert_int_equal(ubi_dominator_tree_insert(&changed, t->tree, path, n_path, t->new_rows, n_rows, more, NULL),
                     UBI_OK);
    assert_tree(t->tree, "100:9 [200:7^100 [300:5^200, 301:1^200], 201:1^100]"); /* always as it was */
    return changed;
}

static const ubi_dominator_node *child(const ubi_dominator_node *node, uint32_t i) {
    ubi_dominator_row row;
    ubi_dominator_node_get(node, &row);
    assert_in_range(i, 0, row.n_children - 1);
    return row.children[i];
}

static void children_are_added_at_the_end_of_a_path(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    ubi_dominator_node *leaf = insert(&t, (uint64_t[]){ 100, 200, 300 }, 3, 2, false);
    assert_tree(leaf, "100:9 [200:7^100 [300:5^200 [900:2+, 901:1], 301:1^200], 201:1^100]");
    assert_ptr_equal(child(leaf, 1), child(t.tree, 1));
    assert_ptr_equal(child(child(leaf, 0), 1), child(child(t.tree, 0), 1));
    assert_ptr_not_equal(child(leaf, 0), child(t.tree, 0));
    ubi_dominator_node_unref(leaf);

    ubi_dominator_node *inner = insert(&t, (uint64_t[]){ 100, 200 }, 2, 1, true);
    assert_tree(inner, "100:9 [200:7^100+ [300:5^200, 301:1^200, 900:2+], 201:1^100]");
    assert_ptr_equal(child(child(inner, 0), 0), child(child(t.tree, 0), 0));
    ubi_dominator_node_unref(inner);

    ubi_dominator_node *top = insert(&t, (uint64_t[]){ 100 }, 1, 1, false);
    assert_tree(top, "100:9 [200:7^100 [300:5^200, 301:1^200], 201:1^100, 900:2+]");
    ubi_dominator_node_unref(top);
    inserting_fini(&t);
}

static void another_first_id_gives_the_tree_itself(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    ubi_dominator_node *same = insert(&t, (uint64_t[]){ 999, 200 }, 2, 1, false);
    assert_ptr_equal(same, t.tree);
    ubi_dominator_node_unref(same);
    same = insert(&t, NULL, 0, 1, false);
    assert_ptr_equal(same, t.tree);
    ubi_dominator_node_unref(same);
    inserting_fini(&t);
}

static void a_path_past_a_leaf_copies_what_is_above_it(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    ubi_dominator_node *copy = insert(&t, (uint64_t[]){ 100, 201, 5, 6 }, 4, 1, true);
    assert_tree(copy, "100:9 [200:7^100 [300:5^200, 301:1^200], 201:1^100]");
    assert_ptr_not_equal(copy, t.tree);
    assert_ptr_equal(child(copy, 0), child(t.tree, 0));
    assert_ptr_equal(child(copy, 1), child(t.tree, 1));
    ubi_dominator_node_unref(copy);
    inserting_fini(&t);
}

static void an_empty_insertion_only_says_whether_there_is_more(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    ubi_dominator_node *changed = insert(&t, (uint64_t[]){ 100, 201 }, 2, 0, true);
    assert_tree(changed, "100:9 [200:7^100 [300:5^200, 301:1^200], 201:1^100+ []]");
    ubi_dominator_node_unref(changed);
    inserting_fini(&t);
}

static void inserted_rows_outlive_the_tree_they_came_from(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    ubi_dominator_node *changed = insert(&t, (uint64_t[]){ 100, 201 }, 2, 2, false);
    inserting_fini(&t);
    assert_tree(changed, "100:9 [200:7^100 [300:5^200, 301:1^200], 201:1^100 [900:2+, 901:1]]");
    ubi_dominator_node_unref(changed);
}

static void rows_are_found_along_a_path(void **state) {
    (void)state;
    inserting t;
    inserting_init(&t);
    const uint64_t path[] = { 100, 200, 300 }, unknown[] = { 100, 200, 999 }, wrong[] = { 200, 100 };
    assert_ptr_equal(ubi_dominator_tree_find(t.tree, 300, path, 3), child(child(t.tree, 0), 0));
    assert_ptr_equal(ubi_dominator_tree_find(t.tree, 100, path, 3), t.tree);
    assert_null(ubi_dominator_tree_find(t.tree, 301, path, 3));
    assert_null(ubi_dominator_tree_find(t.tree, 300, path, 2));
    assert_null(ubi_dominator_tree_find(t.tree, 999, unknown, 3));
    assert_null(ubi_dominator_tree_find(t.tree, 100, wrong, 2));
    assert_null(ubi_dominator_tree_find(t.tree, 100, NULL, 0));
    inserting_fini(&t);
}

/* ---- the largest ------------------------------------------------------------------------------------------------- */

static void assert_top(const fixture *f, uint64_t id, uint32_t max, const char *expected) {
    char text[256], *out = text;
    ubi_node_ix nodes[16];
    uint32_t n;
    *out = 0;
    assert_int_equal(ubi_dominator_tree_top(nodes, &n, f->dominators, f->graph, node_with_id(f, id), max, NULL, NULL),
                     UBI_OK);
    for (uint32_t i = 0; i < n; i++)
        out += sprintf(out, "%s%llu", i ? " " : "", (unsigned long long)ubi_graph_node_id(f->graph, nodes[i]));
    assert_string_equal(text, expected);
}

static void the_largest_are_sorted_by_retained_size_then_id(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing("1 -> 9, 7, 2, 8; 9 -> 5; 7 -> 6; 2(size=4); 8; 5; 6; 99(size=1000)"));
    assert_top(&f, 1, 16, "1 2 7 9 5 6 8");
    assert_top(&f, 1, 3, "1 2 7");
    assert_top(&f, 1, 1, "1");
    assert_top(&f, 1, 0, "");
    assert_top(&f, 9, 16, "9 5");
    fixture_fini(&f);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static ubi_status use_everything(const fixture *f, const ubi_allocator *a) {
    ubi_labels_options label_options = { UBI_LABELS_OPTIONS_VERSION, a, UBI_COMPAT_NONE, NULL };
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_labels *labels = NULL;
    ubi_dominator_node *tree = NULL, *changed = NULL;
    ubi_dominator_page *page = NULL;
    ubi_node_ix top[4];
    uint32_t n_top;
    options.allocator = a;
    options.max_siblings = 1;
    ubi_status status = ubi_labels_new(&labels, f->graph, NULL, &label_options);
    if (status == UBI_OK)
        status = ubi_dominator_tree_partial(&tree, f->dominators, labels, &options);
    if (status == UBI_OK)
        status = ubi_dominator_page_new(&page, f->dominators, labels, 0, 1, 5, a);
    if (status == UBI_OK)
        status = ubi_dominator_tree_insert(&changed, tree, page->path, page->n_path, page->nodes, page->n_nodes,
                                           page->has_more_children, a);
    if (status == UBI_OK)
        status = ubi_dominator_tree_top(top, &n_top, f->dominators, f->graph, 0, 4, NULL, a);
    ubi_dominator_node_unref(changed);
    ubi_dominator_node_unref(tree);
    ubi_dominator_page_free(page);
    ubi_labels_unref(labels);
    return status;
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    fixture f;
    fixture_init(&f, graph_from_drawing(D2));
    for (int once = 0; once < 2; once++) {
        for (uint64_t n = 0;; n++) {
            fail_allocator failing;
            fail_allocator_init(&failing, n);
            failing.once = once;
            ubi_status status = use_everything(&f, &failing.allocator);
            bool refused = failing.n_refused > 0; /* giving memory back may be refused, and does no harm */
            assert_true(status == UBI_OK || (status == UBI_ENOMEM && refused));
            fail_allocator_fini(&failing);
            if (!refused)
                break;
        }
    }
    fixture_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_siblings_are_limited),
        cmocka_unit_test(one_level_or_none_is_the_first_row_alone),
        cmocka_unit_test(the_defaults_are_four_levels_of_fifteen),
        cmocka_unit_test(a_tree_may_start_anywhere),
        cmocka_unit_test(rows_say_what_a_node_is),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_cancelled_tree_leaves_nothing_behind),
        cmocka_unit_test(a_list_of_200000_takes_no_stack),
        cmocka_unit_test(pages_are_slices_in_order_of_retained_size),
        cmocka_unit_test(a_page_may_be_empty),
        cmocka_unit_test(children_are_added_at_the_end_of_a_path),
        cmocka_unit_test(another_first_id_gives_the_tree_itself),
        cmocka_unit_test(a_path_past_a_leaf_copies_what_is_above_it),
        cmocka_unit_test(an_empty_insertion_only_says_whether_there_is_more),
        cmocka_unit_test(inserted_rows_outlive_the_tree_they_came_from),
        cmocka_unit_test(rows_are_found_along_a_path),
        cmocka_unit_test(the_largest_are_sorted_by_retained_size_then_id),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
