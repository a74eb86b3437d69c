/* SPDX-License-Identifier: MIT
 *
 * Tests of what came and stayed or became larger and is in no list, on drawn heaps (leak_heaps.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/leaks.h>

#include "leak_heaps.h"

/* "verdict stayed: bytes in each heap". */
static void assert_unlisted_with(const char *const *drawings, uint32_t n, const ubi_leak_options *options,
                                 const char *expected) {
    char text[200];
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, drawings, n, options);
    const ubi_leak_unlisted *unlisted = ubi_leaks_unlisted(leaks);
    int used = snprintf(text, sizeof text, "%s %u:", ubi_leak_verdict_name(unlisted->verdict),
                        (unsigned)unlisted->stayed_bytes);
    for (uint32_t i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %u", (unsigned)unlisted->bytes_at[i]);
    assert_string_equal(text, expected);
    assert_int_equal(unlisted->grown_bytes, unlisted->bytes_at[n - 1]);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
}

static void assert_unlisted(const char *old, const char *new, const char *newer, const char *expected) {
    assert_unlisted_with((const char *const[]){ old, new, newer }, newer ? 3 : 2, NULL, expected);
}

#define ROOT "1 -> 2 \"app\", "
#define APP "2(coarse=object class=App size=1)"

static void things_of_the_engine_count(void **state) {
    (void)state;
    const char *none = "1 -> 2 \"app\"; " APP, *one = ROOT "3; " APP "; 3(type=Code size=100)";
    const char *two = ROOT "3, 4; " APP "; 3(type=Code size=100); 4(type=Code size=90)";
    assert_unlisted(none, one, NULL, "grew 100: 0 100");
    assert_unlisted(none, one, two, "steady 100: 0 100 190");
    assert_unlisted(none, one, one, "once 100: 0 100 100");
    assert_unlisted(one, one, one, "once 0: 0 0 0");
}

static void what_went_again_does_not_and_hides_nothing(void **state) {
    (void)state;
    const char *old = ROOT "3; " APP "; 3(type=Code size=1000)";
    const char *new = ROOT "4, 5; " APP "; 4(type=Code size=100); 5(type=Code size=70)";
    const char *newer = ROOT "4, 6; " APP "; 4(type=Code size=100); 6(type=Code size=90)";
    assert_unlisted(old, new, newer, "steady 100: 0 100 190");
}

static void what_leaked_objects_keep_is_listed(void **state) {
    (void)state;
    const char *old = "1 -> 2 \"app\"; " APP;
    const char *new =
        "1 -> 2 \"app\"; " APP " -> 3 \"[0]\"; 3(coarse=object class=T size=10) -> 4; 4(type=Code size=100)";
    const char *newer = "1 -> 2 \"app\"; " APP " -> 3 \"[0]\", 5 \"[1]\"; 3(coarse=object class=T size=10) -> 4; "
                        "4(type=Code size=100); 5(coarse=object class=T size=10) -> 6; 6(type=Code size=100)";
    assert_unlisted(old, new, newer, "once 0: 0 0 0");
}

static void what_counts_to_an_object_that_grew_is_listed(void **state) {
    (void)state;
    const char *old = "1 -> 2 \"app\"; 2(coarse=object class=App size=5000)";
    const char *new = "1 -> 2 \"app\"; 2(coarse=object class=App size=5000) -> 3; 3(type=Table size=4000)";
    const char *newer = "1 -> 2 \"app\"; 2(coarse=object class=App size=5000) -> 3; 3(type=Table size=9000)";
    assert_unlisted(old, new, newer, "once 0: 0 0 0");
}

/* Too little to be listed: an object of fewer than 256 bytes, one that is larger but grew little, and one that the engine has. */
static void what_grew_a_little_counts(void **state) {
    (void)state;
    const char *format =
        ROOT "3, 4; 2(coarse=object class=App size=%d); 3(coarse=object class=List size=%d); 4(type=Code size=%d)";
    char drawings[3][160];
    for (int i = 0; i < 3; i++)
        snprintf(drawings[i], sizeof drawings[i], format, 10 + 20 * i, 1000 + 100 * i, 9000 + 3000 * i);
    assert_unlisted(drawings[0], drawings[1], drawings[2], "steady 3120: 0 3120 6240");
}

static void classes_with_new_ids_count_as_a_whole(void **state) {
    (void)state;
    const char *old = ROOT "3; " APP "; 3(type=Handle size=100)";
    const char *new = ROOT "4, 5; " APP "; 4(type=Handle size=100); 5(type=Handle size=100)";
    const char *newer =
        ROOT "6, 7, 8; " APP "; 6(type=Handle size=100); 7(type=Handle size=100); 8(type=Handle size=100)";
    assert_unlisted(old, new, newer, "steady 100: 0 100 200");
    assert_unlisted(old, new, ROOT "6; " APP "; 6(type=Handle size=100)", "bounded 100: 0 100 0");
}

/* A new id in each heap, as nodes of embedders have: it came with the object that it belongs to. */
static void what_leaked_objects_have_of_such_classes_is_listed(void **state) {
    (void)state;
    const char *old = ROOT "10; " APP "; 10(type=Handle size=100)";
    const char *new =
        ROOT "11; " APP " -> 3 \"[0]\"; 11(type=Handle size=100); 3(coarse=object class=T size=10) -> 12; "
             "12(type=Handle size=100)";
    const char *newer =
        ROOT "13; " APP " -> 3 \"[0]\", 4 \"[1]\"; 13(type=Handle size=100); 3(coarse=object class=T size=10) -> 14; "
             "14(type=Handle size=100); 4(coarse=object class=T size=10) -> 15; 15(type=Handle size=100)";
    assert_unlisted(old, new, newer, "once 0: 0 0 0");
}

static void only_what_was_chosen_counts(void **state) {
    (void)state;
    const char *drawings[] = { "1 -> 2 \"app\"; " APP,
                               ROOT "3, 4; " APP "; 3(type=Code size=100); 4(type=Code size=50)" };
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    uint64_t chosen = UINT64_C(1) << 2;
    options.chosen = &chosen;
    assert_unlisted_with(drawings, 2, &options, "grew 100: 0 100");
}

static void what_grows_in_the_control_is_none(void **state) {
    (void)state;
    const char *drawings[] = { "1 -> 2 \"app\"; " APP, ROOT "3; " APP "; 3(type=Code size=100)" };
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_control *control;
    ubi_graph *newest;
    ubi_leaks *leaks = leak_series_find(&newest, drawings, 2, NULL);
    assert_int_equal(ubi_leak_control_new(&control, leaks), UBI_OK);
    ubi_leaks_free(leaks);
    ubi_graph_unref(newest);
    options.control = control;
    assert_unlisted_with(drawings, 2, &options, "controlled 100: 0 100");
    ubi_leak_control_free(control);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_of_the_engine_count),
        cmocka_unit_test(what_went_again_does_not_and_hides_nothing),
        cmocka_unit_test(what_leaked_objects_keep_is_listed),
        cmocka_unit_test(what_counts_to_an_object_that_grew_is_listed),
        cmocka_unit_test(what_grew_a_little_counts),
        cmocka_unit_test(classes_with_new_ids_count_as_a_whole),
        cmocka_unit_test(what_leaked_objects_have_of_such_classes_is_listed),
        cmocka_unit_test(only_what_was_chosen_counts),
        cmocka_unit_test(what_grows_in_the_control_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
