/* SPDX-License-Identifier: MIT
 *
 * node_page_test.c: the table of nodes, as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "drawing.h"
#include "questions/nodes/node_page.h"
#include "render/capture_test.h"

static capture got;

/* The table of a drawn heap, with up to three columns; borrowed until the next call. */
static const char *table(const char *drawn, unsigned columns, uint32_t n_sample, const char *first, const char *second,
                         const char *third) {
    const char *names[] = { first, second, third };
    const ubi__node_column *chosen[3];
    ubi__style style = { .has_unicode = true, .columns = columns };
    ubi__node_table nodes = { .graph = graph_from_drawing(drawn) };
    ubi__node_page page = { .out = capture_start(&got), .style = &style, .table = &nodes, .columns = chosen };
    for (; page.n_columns < 3 && names[page.n_columns]; page.n_columns++) {
        const char *name = names[page.n_columns];
        assert_int_equal(ubi__node_column_find(&chosen[page.n_columns], name, strlen(name)), UBI_OK);
    }
    uint32_t n = ubi_graph_node_count(nodes.graph);
    ubi__node_page_begin(&page, NULL, 0, n < n_sample ? n : n_sample);
    for (ubi_node_ix node = 0; node < n; node++)
        ubi__node_page_row(&page, node);
    ubi_graph_unref((ubi_graph *)(uintptr_t)nodes.graph);
    return capture_text(&got);
}

#define HEAP                                                                                                           \
    "a(size=1234567 class=Array) -> b, c; b(size=5); c(size=12 class=A_class_whose_name_is_longer_than_all_others);"

static void numbers_stand_right_and_texts_left(void **state) {
    (void)state;
    assert_string_equal(table(HEAP, 80, 9, "rawSize", "className", "edgeCount"),
                        "  rawSize  className                                     edgeCount\n"
                        "1,234,567  Array                                                 2\n"
                        "        5  -                                                     0\n"
                        "       12  A_class_whose_name_is_longer_than_all_others          0\n");
}

static void texts_give_way_until_a_row_fits(void **state) {
    (void)state;
    assert_string_equal(table(HEAP, 40, 9, "className", "rawSize", "edgeCount"),
                        "className             rawSize  edgeCount\n"
                        "Array               1,234,567          2\n"
                        "-                           5          0\n"
                        "A_class_w…l_others         12          0\n");
}

static void the_last_text_takes_what_is_left(void **state) {
    (void)state;
    assert_string_equal(table(HEAP, 40, 1, "rawSize", "className", NULL), "  rawSize  className\n"
                                                                          "1,234,567  Array\n"
                                                                          "        5  -\n"
                                                                          "       12  A_class_whose_…han_all_others\n");
}

static void numbers_are_never_cut(void **state) {
    (void)state;
    assert_string_equal(table("a(size=1 type=T) -> b; b(size=123456789 type=T);", 40, 1, "rawSize", "typeName", NULL),
                        "rawSize  typeName\n"
                        "      1  T\n"
                        "123,456,789  T\n");
}

static void names_of_files_are_made_safe(void **state) {
    (void)state;
    assert_non_null(strstr(table("a(class=x\x1b[31m);", 40, 9, "className", NULL, NULL), "x\\x1b[31m\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_right_and_texts_left), cmocka_unit_test(texts_give_way_until_a_row_fits),
        cmocka_unit_test(the_last_text_takes_what_is_left),   cmocka_unit_test(numbers_are_never_cut),
        cmocka_unit_test(names_of_files_are_made_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
