/* SPDX-License-Identifier: MIT
 *
 * diff_render_test.c: differences of censuses as JSON and as a table. Reports are drawn (tests/support/report_drawing.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/capture_test.h"
#include "render/census_tree_text.h"
#include "report_drawing.h"

#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define BY_TYPE "{\"by\":\"internalType\"}"
#define BY_STACK "{\"by\":\"allocationStack\"}"

static capture got;

typedef struct pair {
    report_drawing *start, *end;
    ubi_census_diff *diff;
} pair;

static pair subtract(const char *breakdown, const char *start, const char *end) {
    pair p = { report_drawing_new(breakdown, UBI_COMPAT_NONE, start),
               report_drawing_new(breakdown, UBI_COMPAT_NONE, end), NULL };
    assert_int_equal(ubi_census_diff_new(&p.diff, report_drawing_census(p.start), report_drawing_census(p.end)),
                     UBI_OK);
    return p;
}

static void drop(pair *p) {
    ubi_census_diff_free(p->diff);
    report_drawing_free(p->start);
    report_drawing_free(p->end);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void assert_json(const char *breakdown, const char *start, const char *end, const char *expected) {
    pair p = subtract(breakdown, start, end);
    capture_start(&got);
    assert_int_equal(ubi_render_delta_json(capture_take, &got, ubi_census_diff_delta(p.diff)), UBI_OK);
    assert_string_equal(got.data, expected);
    drop(&p);
}

static void numbers_have_signs(void **state) {
    (void)state;
    assert_json(BY_TYPE, "{A: 1,10; B: 1,1}", "{A: 3,5; C: 1,0; B: 1,1}",
                "{\"A\":{\"count\":2,\"bytes\":-5},\"B\":{\"count\":0,\"bytes\":0},\"C\":{\"count\":1,\"bytes\":0}}");
    assert_json("{\"by\":\"count\",\"bytes\":false,\"label\":\"x\"}", "c3", "c1", "{\"count\":-2,\"label\":\"x\"}");
}

static void maps_and_arrays_nest(void **state) {
    (void)state;
    assert_json("[" BY_STACK ",[]]", "(<f@s:1:2: 1,1; noStack: 1,1> | ())", "(<null: 2,2; noStack: 1,1> | ())",
                "[[{\"stack\":[{\"source\":\"s\",\"line\":1,\"column\":2,\"functionDisplayName\":\"f\"}],"
                "\"report\":{\"count\":-1,\"bytes\":-1}},{\"stack\":\"noStack\",\"report\":{\"count\":0,\"bytes\":0}},"
                "{\"stack\":null,\"report\":{\"count\":2,\"bytes\":2}}],[]]");
}

static void compared_lists_of_ids_are_empty_objects_and_new_ones_lists(void **state) {
    (void)state;
    assert_json("{\"by\":\"allocationStack\",\"then\":{\"by\":\"bucket\"},\"noStack\":{\"by\":\"bucket\"}}",
                "<f@s:1:2: [1 2]>", "<f@s:1:2: [3]; noStack: [4 5]>",
                "[{\"stack\":[{\"source\":\"s\",\"line\":1,\"column\":2,\"functionDisplayName\":\"f\"}],\"report\":{}},"
                "{\"stack\":\"noStack\",\"report\":[4,5]}]");
}

static bool refuse(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return false;
}

static void a_refused_write_is_an_error(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, "{}", "{A: 1,1}");
    assert_int_equal(ubi_render_delta_json(refuse, NULL, ubi_census_diff_delta(p.diff)), UBI_EIO);
    drop(&p);
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

static const char *table(const pair *p, const ubi__census_text_growth *growth, unsigned columns, bool color) {
    ubi__style style = { .has_unicode = true, .has_color = color, .columns = columns };
    ubi__census_text_options options = { .limit = 2, .growth = growth };
    ubi_census_tree *tree;
    assert_int_equal(ubi_census_diff_tree_new(&tree, p->diff, NULL), UBI_OK);
    ubi__out *out = capture_start(&got);
    assert_int_equal(ubi__render_census_text(out, &style, tree, &options), UBI_OK);
    ubi_census_tree_free(tree);
    return capture_text(&got);
}

static void changes_have_signs_and_bars_against_the_largest(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, "{A: 10,4096; B: 5,500; C: 1,10; D: 1,10; E: 7,7}",
                      "{A: 1,0; C: 2,20; D: 2,15; E: 7,7; F: 1000,1024}");
    ubi__census_text_growth growth = { .bytes = -3557, .count = 988 };
    assert_string_equal(table(&p, &growth, 80, false), "     Size               Count  Name\n"
                                                       "-3.47 KiB  ████████▋     +988  (everything)\n"
                                                       "-4.00 KiB  ██████████      -9  ├─ A\n"
                                                       "+1.00 KiB  ██▌         +1,000  ├─ F\n"
                                                       "   -485 B  █▏              -3  └─ … 3 more\n");
    drop(&p);
}

static void growth_is_red_and_the_rest_green(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, "{A: 1,1; B: 2,1}", "{A: 2,9; B: 1,1}");
    ubi__census_text_growth growth = { .bytes = 8, .count = 0 };
    assert_string_equal(table(&p, &growth, 40, true), "\x1b[1m     Size  Count  Name\x1b[0m\n"
                                                      "\x1b[31m     +8 B\x1b[0m      0  (everything)\n"
                                                      "\x1b[31m     +8 B\x1b[0m\x1b[31m     +1\x1b[0m  ├─ A\n"
                                                      "      0 B\x1b[32m     -1\x1b[0m  └─ B\n");
    drop(&p);
}

static void sums_of_saturated_rows_saturate(void **state) {
    (void)state;
    pair p = subtract(BY_TYPE, "{}",
                      "{A: 1,9223372036854775807; B: 1,9223372036854775807; C: 1,9223372036854775807; "
                      "D: 1,9223372036854775807}");
    ubi__census_text_growth growth = { .bytes = INT64_MAX, .count = 4 };
    assert_non_null(strstr(table(&p, &growth, 60, false), "+8.00 EiB     +2  └─ … 2 more\n"));
    drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_signs),
        cmocka_unit_test(maps_and_arrays_nest),
        cmocka_unit_test(compared_lists_of_ids_are_empty_objects_and_new_ones_lists),
        cmocka_unit_test(a_refused_write_is_an_error),
        cmocka_unit_test(changes_have_signs_and_bars_against_the_largest),
        cmocka_unit_test(growth_is_red_and_the_rest_green),
        cmocka_unit_test(sums_of_saturated_rows_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
