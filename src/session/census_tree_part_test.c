/* SPDX-License-Identifier: MIT
 *
 * census_tree_part_test.c: census trees of sessions: what a filter leaves is what a tree of its own has, in each order, and the tree is made
 * once for all filters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/session.h>

#include "base/text.h"
#include "census_text.h"
#include "session/session_inside.h"

#define V8_FILE "tests/data/v8/node20-after.heapsnapshot.gz"
#define FX_FILE "tests/data/fx/tiny-before.fxsnapshot"

static const char *const breakdowns[] = {
    NULL,
    "{\"by\":\"objectClass\"}",
    "{\"by\":\"allocationStack\",\"then\":{\"by\":\"coarseType\",\"objects\":{\"by\":\"objectClass\"}}}",
    "[{\"by\":\"filename\"},{\"by\":\"internalType\"}]",
};
static const char *const filters[] = { "", "a", "Ar", "js", "no", "Not there" };

#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef struct place {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
} place;

static place place_of(const char *path) {
    place p;
    assert_int_equal(ubi_session_pool_new(&p.pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_path(&p.session, p.pool, path, NULL), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&p.use, p.session, NULL), UBI_OK);
    return p;
}

/* What was asked for is no longer in use. */
static void place_rest(place *p) {
    ubi_session_use_end(p->use);
    assert_int_equal(ubi_session_use_begin(&p->use, p->session, NULL), UBI_OK);
}

static void place_leave(place *p) {
    ubi_session_use_end(p->use);
    ubi_session_unref(p->session);
    ubi_session_pool_unref(p->pool);
}

static ubi_census_tree_options options_of(bool is_inverted, const char *filter) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    options.is_inverted = is_inverted;
    options.has_filter = filter != NULL;
    options.filter = ubi__text(filter);
    return options;
}

static const ubi_census_tree *tree_of(place *p, ubi_text json, ubi_compat compat,
                                      const ubi_census_tree_options *options) {
    const ubi_census_tree *tree;
    assert_int_equal(ubi__session_census_tree(&tree, p->use, json, compat, options), UBI_OK);
    return tree;
}

/* Parts of this name: how many there are, and how often one was made. */
static size_t parts_count(ubi_session *session, const char *name, uint32_t *n_builds) {
    ubi_session_part_row row;
    size_t n = 0;
    *n_builds = 0;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, name) == 0 && row.is_present) {
            n++;
            *n_builds += row.n_builds;
        }
    return n;
}

/* ---- the same rows ----------------------------------------------------------------------------------------------- */

static void assert_tree(place *p, ubi_text json, ubi_compat compat, const ubi_census_tree_options *options) {
    const ubi_census *census;
    ubi_census_tree *alone;
    assert_int_equal(ubi_session_census(&census, p->use, json, compat), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&alone, census, options), UBI_OK);
    char *expected = census_tree_text(alone), *text = census_tree_text(tree_of(p, json, compat, options));
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    ubi_census_tree_free(alone);
}

static void trees_with_a_filter_are_those_that_are_made_alone(void **state) {
    static const char *const files[] = { FX_FILE, V8_FILE };
    (void)state;
    for (size_t f = 0; f < LENGTH(files); f++) {
        place p = place_of(files[f]);
        for (size_t i = 0; i < LENGTH(breakdowns) * LENGTH(filters) * 2; i++) {
            ubi_census_tree_options options = options_of(i % 2, filters[i / 2 % LENGTH(filters)]);
            assert_tree(&p, ubi__text(breakdowns[i / 2 / LENGTH(filters)]), UBI_COMPAT_NONE, &options);
        }
        place_leave(&p);
    }
}

static void firefoxs_filter_is_part_of_making_the_tree(void **state) {
    static const char json[] = "{\"by\":\"allocationStack\",\"then\":{\"by\":\"count\",\"count\":true,\"bytes\":true},"
                               "\"noStack\":{\"by\":\"count\",\"count\":true,\"bytes\":true}}";
    ubi_census_tree_options options = options_of(false, "js");
    place p = place_of(FX_FILE);
    uint32_t n_builds;
    (void)state;
    assert_tree(&p, ubi__text(json), UBI_COMPAT_FIREFOX, &options);
    assert_int_equal(parts_count(p.session, "filtered census tree", &n_builds), 0);
    assert_int_equal(parts_count(p.session, "census tree", &n_builds), 1);
    place_leave(&p);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

static void order_ask(const ubi_census_node_ix **out, place *p, ubi_text json, const char *filter,
                      ubi__census_order order) {
    ubi_census_tree_options options = options_of(false, filter);
    assert_int_equal(ubi__session_census_order(out, p->use, json, UBI_COMPAT_NONE, &options, 0, order), UBI_OK);
}

/* In the order that `n` rows have when they are sorted alone. */
static void assert_sorted(const ubi_census_node_ix *rows, const ubi_census_tree *tree, ubi__census_order order) {
    ubi_census_node root;
    ubi_census_tree_node(tree, 0, &root);
    ubi_census_node_ix *expected = calloc(root.n_children + 1, sizeof *expected);
    assert_int_equal(ubi__census_rows_sort(expected, tree, 0, order, ubi_allocator_default()), UBI_OK);
    assert_memory_equal(rows, expected, root.n_children * sizeof *rows);
    free(expected);
}

static void orders_are_the_same_whether_that_of_the_tree_is_known_or_not(void **state) {
    ubi_text json = ubi__text(breakdowns[1]);
    place p = place_of(V8_FILE);
    (void)state;
    for (int key = UBI__CENSUS_ORDER_BYTES; key <= UBI__CENSUS_ORDER_NAME; key++)
        for (size_t i = 0; i < LENGTH(filters) * 4; i++) {
            const char *filter = filters[i / 4];
            ubi__census_order order = { (ubi__census_order_key)key, i % 2 };
            ubi_census_tree_options options = options_of(false, filter);
            const ubi_census_node_ix *whole, *rows;
            ubi_session_use_end(p.use);
            ubi_session_pool_drop_unused(p.pool);
            assert_int_equal(ubi_session_use_begin(&p.use, p.session, NULL), UBI_OK);
            if (i / 2 % 2)
                order_ask(&whole, &p, json, NULL, order);
            order_ask(&rows, &p, json, filter, order);
            assert_sorted(rows, tree_of(&p, json, UBI_COMPAT_NONE, &options), order);
        }
    place_leave(&p);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void the_tree_is_made_once_and_the_last_filters_stay(void **state) {
    place p = place_of(FX_FILE);
    uint32_t n_builds;
    (void)state;
    for (int i = 0; i < 40; i++) {
        char word[8];
        snprintf(word, sizeof word, "%d", i);
        ubi_census_tree_options options = options_of(false, word);
        tree_of(&p, ubi__text(breakdowns[1]), UBI_COMPAT_NONE, &options);
        place_rest(&p);
    }
    ubi_census_tree_options last = options_of(false, "39");
    tree_of(&p, ubi__text(breakdowns[1]), UBI_COMPAT_NONE, &last);
    assert_int_equal(parts_count(p.session, "census tree", &n_builds), 1);
    assert_int_equal(n_builds, 1);
    size_t n_filtered = parts_count(p.session, "filtered census tree", &n_builds);
    assert_true(1 < n_filtered && n_filtered <= 17);
    assert_int_equal(n_builds, n_filtered); /* the last one was still there */
    place_leave(&p);
}

static void what_a_filter_left_goes_before_what_takes_longer(void **state) {
    ubi_census_tree_options options = options_of(false, "a");
    ubi_session_part_row row;
    place p = place_of(V8_FILE);
    uint32_t n_builds;
    const ubi_summary *summary;
    (void)state;
    assert_int_equal(ubi_session_summary(&summary, p.use), UBI_OK);
    place_rest(&p);
    tree_of(&p, ubi__text(breakdowns[1]), UBI_COMPAT_NONE, &options); /* used last */
    place_rest(&p);
    assert_true(ubi__session_pool_drop_one(p.pool, 0));
    assert_int_equal(parts_count(p.session, "filtered census tree", &n_builds), 0);
    assert_int_equal(parts_count(p.session, "summary", &n_builds), 1);
    for (size_t i = 0; ubi_session_part_at(&row, p.session, i); i++)
        assert_true(row.is_present || strcmp(row.name, "filtered census tree") == 0);
    place_leave(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_with_a_filter_are_those_that_are_made_alone),
        cmocka_unit_test(firefoxs_filter_is_part_of_making_the_tree),
        cmocka_unit_test(orders_are_the_same_whether_that_of_the_tree_is_known_or_not),
        cmocka_unit_test(the_tree_is_made_once_and_the_last_filters_stay),
        cmocka_unit_test(what_a_filter_left_goes_before_what_takes_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
