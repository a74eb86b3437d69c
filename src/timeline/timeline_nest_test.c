/* SPDX-License-Identifier: MIT
 *
 * timeline_nest_test.c: which marker lies in which on which thread, sums that count nothing twice, and the order of rows and texts
 * of times that all of it depends on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "timeline/timeline_nest.h"

static ubi__timeline_data data;
static ubi__timeline_nest nest;

static int set_up(void **state) {
    (void)state;
    ubi__timeline_data_init(&data, NULL);
    nest = (ubi__timeline_nest){ 0 };
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ubi__timeline_nest_fini(&nest);
    ubi__timeline_data_fini(&data);
    return 0;
}

static ubi_status add(ubi__timeline_data *to, const char *name, uint64_t start, uint64_t end, uint64_t thread) {
    ubi__timeline_row row = { .start_ns = start, .end_ns = end, .stack = UBI_NONE, .end_stack = UBI_NONE };
    row.flags = UBI__TIMELINE_HAS_END | UBI__TIMELINE_HAS_THREAD | (thread > 1 ? UBI__TIMELINE_OFF_THREAD : 0);
    UBI_TRY(ubi__timeline_add_text(to, &row.name, ubi__text(name)));
    UBI_TRY(ubi__timeline_add_thread(to, &row.thread, thread, (ubi_text){ NULL, 0 }));
    return ubi__timeline_add_row(to, &row);
}

static void marker(const char *name, uint64_t start, uint64_t end, uint64_t thread) {
    assert_int_equal(add(&data, name, start, end, thread), UBI_OK);
}

static void make(bool firefox) {
    assert_int_equal(ubi__timeline_data_sort(&data), UBI_OK);
    assert_int_equal(ubi__timeline_nest_init(&nest, &data, firefox), UBI_OK);
}

static const ubi__marker_sum *sum_of(const char *label) {
    for (size_t i = 0; i < nest.sums.n; i++)
        if (ubi__text_is(ubi__timeline_label(&nest, &nest.sums.at[i]), label))
            return &nest.sums.at[i];
    fail();
    return NULL;
}

static void each_thread_nests_for_itself(void **state) {
    (void)state;
    marker("a", 0, 100, 1);
    marker("b", 10, 90, 2);
    marker("c", 20, 80, 1);
    marker("d", 30, 70, 2);
    make(false);
    assert_int_equal(nest.n_threads, 2);
    assert_int_equal(nest.parent[0], UBI_NONE);
    assert_int_equal(nest.parent[1], UBI_NONE);
    assert_int_equal(nest.parent[2], 0);
    assert_int_equal(nest.parent[3], 1);
    assert_int_equal(nest.depth[3], 1);
    assert_int_equal(nest.by_thread[1], 2);
    assert_int_equal(nest.thread_end[0], 2);
}

static void firefox_has_one_waterfall_for_all(void **state) {
    (void)state;
    marker("a", 0, 100, 1);
    marker("b", 10, 90, 2);
    marker("c", 20, 80, 1);
    make(true);
    assert_int_equal(nest.n_threads, 1);
    assert_int_equal(nest.parent[1], UBI_NONE);
    assert_int_equal(nest.parent[2], 1); /* adopted */
}

static void time_is_counted_once_per_thread(void **state) {
    (void)state;
    marker("a", 0, 100, 1);
    marker("a", 10, 60, 1);
    marker("b", 20, 30, 1);
    marker("b", 25, 40, 1); /* sticks out of the first b */
    marker("a", 0, 50, 2);
    make(false);
    const ubi__marker_sum *a = sum_of("a"), *b = sum_of("b");
    assert_int_equal(a->count, 3);
    assert_int_equal(a->total_ns, 150);
    assert_int_equal(a->self_ns, 50 + 30 + 50);
    assert_int_equal(data.rows.at[a->longest].end_ns, 100);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->total_ns, 20);
    assert_int_equal(nest.busy_ns, 150);
    assert_int_equal(nest.threads[0].busy_ns, 100);
    assert_int_equal(nest.threads[1].busy_ns, 50);
    /* the largest first */
    assert_ptr_equal(a, &nest.sums.at[0]);
    assert_int_equal(nest.sum_of[0], 0);
}

static void timers_are_not_busy_and_collections_are_distinguished(void **state) {
    (void)state;
    marker("ConsoleTime", 0, 1000, 1);
    marker("GarbageCollection", 100, 200, 1);
    marker("MinorGC", 150, 250, 1);
    marker("x", 300, 350, 1);
    make(false);
    assert_int_equal(nest.parent[1], UBI_NONE);
    assert_int_equal(nest.busy_ns, 200);
    assert_int_equal(nest.collection_ns, 150);
}

static void the_longer_of_two_that_begin_together_comes_first(void **state) {
    (void)state;
    marker("short", 5, 10, 1);
    marker("long", 5, 20, 1);
    make(false);
    assert_int_equal(nest.parent[0], UBI_NONE);
    assert_int_equal(nest.parent[1], 0);
    assert_int_equal(data.begin_ns, 5);
    assert_int_equal(data.end_ns, 20);
}

static void no_markers_are_no_sums(void **state) {
    (void)state;
    make(false);
    assert_int_equal(nest.n, 0);
    assert_int_equal(nest.sums.n, 0);
    assert_int_equal(nest.n_threads, 1);
}

static ubi_status add_timer(ubi__timeline_data *to, const char *format, unsigned number, uint64_t start, uint64_t end) {
    char label[40];
    ubi__timeline_detail detail = { .type = UBI__TIMELINE_TEXT };
    snprintf(label, sizeof label, format, number);
    UBI_TRY(ubi__timeline_add_text(to, &detail.key, ubi__text("causeName")));
    UBI_TRY(ubi__timeline_add_text(to, &detail.as.text, ubi__text(label)));
    UBI_TRY(ubi__timeline_add_detail(to, &detail));
    return add(to, "ConsoleTime", start, end, 1);
}

static void timer(const char *format, unsigned number, uint64_t start, uint64_t end) {
    assert_int_equal(add_timer(&data, format, number, start, end), UBI_OK);
}

static void overlapping_timers_count_once_in_self_too(void **state) {
    (void)state;
    timer("load", 0, 0, 100);
    timer("load", 0, 50, 150);
    make(false);
    assert_int_equal(sum_of("Console (load)")->total_ns, 150);
    assert_int_equal(sum_of("Console (load)")->self_ns, 150);
}

static void labels_that_differ_in_numbers_are_put_together(void **state) {
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        timer("request %u of 6", i * 100, 10 * i, 10 * i + 15);
    timer("load", 0, 0, 10);
    marker("x", 0, 10, 1);
    make(false);
    assert_int_equal(nest.sums.n, 8);
    assert_int_equal(ubi__timeline_nest_group_labels(&nest, 7), UBI_OK);
    assert_int_equal(nest.sums.n, 8);
    assert_int_equal(ubi__timeline_nest_group_labels(&nest, 5), UBI_OK);
    assert_int_equal(nest.sums.n, 3);
    assert_int_equal(sum_of("Console (request # of #)")->count, 6);
    assert_int_equal(sum_of("Console (request # of #)")->total_ns, 65);
    assert_int_equal(sum_of("Console (load)")->count, 1);
    assert_int_equal(nest.busy_ns, 10);
    assert_int_equal(ubi__timeline_nest_group_labels(&nest, UINT32_MAX), UBI_OK);
    assert_int_equal(nest.sums.n, 8);
    assert_int_equal(nest.busy_ns, 10);
}

static void labels_that_differ_in_more_are_one(void **state) {
    (void)state;
    for (unsigned i = 0; i < 26; i++) {
        char format[] = "id x";
        format[3] = (char)('a' + i);
        timer(format, 0, i, i + 1);
    }
    make(false);
    assert_int_equal(ubi__timeline_nest_group_labels(&nest, 5), UBI_OK);
    assert_int_equal(nest.sums.n, 1);
    assert_int_equal(sum_of("Console (26 labels)")->count, 26);
}

static void threads_of_one_name_are_reported(void **state) {
    ubi_str_ix name;
    (void)state;
    for (uint64_t t = 1; t <= 4; t++)
        marker("x", t, t + 1, t);
    assert_int_equal(ubi__timeline_add_text(&data, &name, ubi__text("worker")), UBI_OK);
    data.threads.at[1].name = data.threads.at[3].name = name;
    assert_int_equal(ubi__timeline_add_text(&data, &data.threads.at[0].name, ubi__text("main")), UBI_OK);
    make(false);
    assert_false(nest.threads[0].has_namesake);
    assert_true(nest.threads[1].has_namesake);
    assert_false(nest.threads[2].has_namesake); /* without a name */
    assert_true(nest.threads[3].has_namesake);
}

static void milliseconds_are_written_exactly(void **state) {
    static const struct {
        uint64_t ns;
        const char *text;
    } times[] = { { 0, "0" },           { 1, "0.000001" },    { 1000000, "1" },
                  { 12500000, "12.5" }, { 100000000, "100" }, { UINT64_MAX, "18446744073709.551615" } };
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[32];
        assert_int_equal(ubi__timeline_ms(text, times[i].ns), strlen(times[i].text));
        assert_string_equal(text, times[i].text);
    }
}

static ubi_status add_and_nest(void *payload, const ubi_allocator *allocator) {
    ubi__timeline_data d;
    ubi__timeline_nest n = { 0 };
    ubi_status status = UBI_OK;
    (void)payload;
    ubi__timeline_data_init(&d, allocator);
    for (uint64_t i = 0; status == UBI_OK && i < 40; i++)
        status = i % 2 ? add_timer(&d, "timer %u", (unsigned)i, i, i + 3) : add(&d, i % 3 ? "a" : "b", i, i + 5, i % 4);
    if (status == UBI_OK)
        status = ubi__timeline_data_sort(&d);
    if (status == UBI_OK)
        status = ubi__timeline_nest_init(&n, &d, false);
    if (status == UBI_OK)
        status = ubi__timeline_nest_group_labels(&n, 3);
    ubi__timeline_nest_fini(&n);
    ubi__timeline_data_fini(&d);
    return status;
}

static void a_refused_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    assert_true(fail_each_allocation(add_and_nest, NULL) > 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_thread_nests_for_itself),
        TEST(firefox_has_one_waterfall_for_all),
        TEST(time_is_counted_once_per_thread),
        TEST(timers_are_not_busy_and_collections_are_distinguished),
        TEST(the_longer_of_two_that_begin_together_comes_first),
        TEST(no_markers_are_no_sums),
        TEST(overlapping_timers_count_once_in_self_too),
        TEST(labels_that_differ_in_numbers_are_put_together),
        TEST(labels_that_differ_in_more_are_one),
        TEST(threads_of_one_name_are_reported),
        TEST(milliseconds_are_written_exactly),
        TEST(a_refused_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
