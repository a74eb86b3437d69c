/* SPDX-License-Identifier: MIT
 *
 * text_table_test.c: columns show where there is room for them, cells are written as what they are, trees have guides; and
 * the checks of both see damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "damage.h"
#include "render/capture_test.h"
#include "render/text_tree.h"

enum { SIZE, BAR, KIND, COUNT, COLUMNS };

static const ubi__text_column test_columns[COLUMNS] = {
    [SIZE] = { "Size", .width = 9 },
    [BAR] = { NULL, .width = 4, .gap = 2, .least_name_columns = 40 },
    [KIND] = { "Kind", .width = 6, .gap = 2, .is_left = true, .least_name_columns = 30 },
    [COUNT] = { "Count", .width = 7 },
};

static const ubi__style style = { .columns = 80 };

static ubi__text_table table_at(ubi__out *out, const ubi__style *at) {
    ubi__text_table table;
    ubi__text_table_init(&table, out, at, "Name", test_columns, COLUMNS);
    return table;
}

static void columns_show_where_names_have_room(void **state) {
    (void)state;
    ubi__style at = style;
    at.columns = 18 + 8 + 6 + 40;
    ubi__text_table table = table_at(NULL, &at);
    assert_true(table.at[BAR].is_shown && table.at[KIND].is_shown);
    assert_int_equal(table.used, 18 + 8 + 6);
    at.columns--;
    table = table_at(NULL, &at);
    assert_true(!table.at[BAR].is_shown && table.at[KIND].is_shown);
    at.columns = 18 + 8 + 30 - 1;
    table = table_at(NULL, &at);
    assert_true(!table.at[BAR].is_shown && !table.at[KIND].is_shown);
    assert_int_equal(table.used, 18);
}

static void hidden_columns_do_not_show(void **state) {
    (void)state;
    ubi__text_table table = table_at(NULL, &style);
    table.at[COUNT].is_hidden = true;
    table.at[SIZE].from_columns = 81;
    ubi__text_table_lay_out(&table);
    assert_true(!table.at[COUNT].is_shown && !table.at[SIZE].is_shown);
    assert_int_equal(table.used, 2 + 6 + 8);
}

static void cells_are_written_as_what_they_are(void **state) {
    (void)state;
    static capture c;
    ubi__out *out = capture_start(&c);
    ubi__text_table table = table_at(out, &style);
    const ubi__cell cells[COLUMNS] = {
        [SIZE] = ubi__cell_change(ubi__cell_size(1536), true),
        [BAR] = ubi__cell_bar(UBI__INK_CYAN, 1, 2),
        [KIND] = ubi__cell_words("a longer text"),
        [COUNT] = ubi__cell_count(123456789),
    };
    ubi__text_table_head(&table);
    ubi__text_table_line(&table, cells, (ubi_text){ "Object", 6 });
    ubi__text_table_line(&table, NULL, (ubi_text){ "only a name", 11 });
    assert_string_equal(capture_text(&c), "     Size        Kind    Count  Name\n"
                                          "-1.50 KiB  ##    a ...t 123,456,789  Object\n"
                                          "                                only a name\n");
}

static void tables_without_names_end_with_their_last_cell(void **state) {
    (void)state;
    static capture c;
    ubi__text_table table;
    ubi__text_table_init(&table, capture_start(&c), &style, NULL, &test_columns[BAR], 2);
    const ubi__cell cells[] = { ubi__cell_none(), ubi__cell_words("text") };
    table.at[0].least_name_columns = table.at[1].least_name_columns = 0;
    ubi__text_table_lay_out(&table);
    ubi__text_table_line(&table, cells, (ubi_text){ NULL, 0 });
    assert_string_equal(capture_text(&c), "        text\n");
}

static ubi_status number_write(void *payload, ubi__text_tree *tree, const ubi__text_tree_level *level, size_t i) {
    ubi__text_table_row(tree->table, NULL);
    ubi__text_tree_prefix(tree);
    ubi__out_printf(tree->table->out, "%u\n", (unsigned)i);
    if (i || tree->levels.n > *(const size_t *)payload)
        return UBI_OK;
    return ubi__text_tree_open(tree,
                               (ubi__text_tree_level){ .n_shown = level->n_shown, .n_hidden = 5, .is_indented = true });
}

static void tree_write(bool has_guides, const char *expected) {
    static const ubi__text_tree_ops ops = { .row = number_write };
    static const ubi__text_column none[1] = { { NULL, .width = 1 } };
    static capture c;
    ubi__text_table table;
    size_t levels = 1;
    ubi__text_table_init(&table, capture_start(&c), &style, "", none, 1);
    ubi__text_tree tree = { .table = &table, .ops = &ops, .payload = &levels, .has_guides = has_guides };
    assert_int_equal(ubi__text_tree_open(&tree, (ubi__text_tree_level){ .n_shown = 2, .is_indented = true }), UBI_OK);
    assert_int_equal(ubi__text_tree_walk(&tree, &table.out->has_failed), UBI_OK);
    assert_int_equal(tree.levels.n + tree.indented.n, 0);
    ubi__text_tree_fini(&tree);
    assert_string_equal(capture_text(&c), expected);
}

static void trees_have_guides_or_are_indented(void **state) {
    (void)state;
    tree_write(true, "   |- 0\n   |  |- 0\n   |  |- 1\n   |  `- ... 5 more\n   `- 1\n");
    tree_write(false, "     0\n       0\n       1\n       ... 5 more\n     1\n");
}

static void table_check(void *table) {
    ubi__text_table_check(table);
}

static void tree_check(void *tree) {
    ubi__text_tree_check(tree);
}

static void damage_of_a_table_is_seen(void **state) {
    (void)state;
    ubi__text_table table = table_at(NULL, &style);
    table.used++;
    assert_damage_seen(table_check, &table, "t->used == used");
    table = table_at(NULL, &style);
    table.at[COUNT].is_hidden = true;
    assert_damage_seen(table_check, &table, "!c->is_hidden");
    table = table_at(NULL, &style);
    table.at[COUNT].is_shown = false;
    assert_damage_seen(table_check, &table, "c->is_hidden || c->from_columns");
    table = table_at(NULL, &style);
    table.first++;
    assert_damage_seen(table_check, &table, "t->first <= i && i <= t->last");
    table = table_at(NULL, &style);
    table.n = UBI__TEXT_COLUMNS + 1;
    assert_damage_seen(table_check, &table, "t->n <= UBI__TEXT_COLUMNS");
}

static void damage_of_a_tree_is_seen(void **state) {
    (void)state;
    static const ubi__text_tree_ops ops = { .row = number_write };
    ubi__text_tree tree = { .ops = &ops };
    for (int i = 0; i < 2; i++)
        assert_int_equal(ubi__text_tree_open(&tree, (ubi__text_tree_level){ .n_shown = 2, .is_indented = true }),
                         UBI_OK);
    ubi__text_tree_check(&tree);
    tree.levels.at[1].next = 3;
    assert_damage_seen(tree_check, &tree, "top->next <= top->n_shown");
    tree.levels.at[1].next = 0;
    tree.levels.at[1].is_indented = false;
    assert_damage_seen(tree_check, &tree, "top->is_indented ==");
    tree.levels.at[1].is_indented = true;
    tree.indented.at[0] = 1;
    assert_damage_seen(tree_check, &tree, "t->indented.at[t->indented.n - 2]");
    tree.indented.at[0] = 0;
    tree.indented.at[1] = 2;
    assert_damage_seen(tree_check, &tree, "< t->levels.n");
    ubi__text_tree_fini(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_show_where_names_have_room),
        cmocka_unit_test(hidden_columns_do_not_show),
        cmocka_unit_test(cells_are_written_as_what_they_are),
        cmocka_unit_test(tables_without_names_end_with_their_last_cell),
        cmocka_unit_test(trees_have_guides_or_are_indented),
        cmocka_unit_test(damage_of_a_table_is_seen),
        cmocka_unit_test(damage_of_a_tree_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
