/* SPDX-License-Identifier: MIT
 *
 * Runtimes on several threads report to one timeline, and each to its own, while observation begins and ends.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "engines/quickjs/runtime_for_tests.h"

#define THREADS 4
#define TURNS 60

static const char work[] =
    "function f(n) { return n ? f(n - 1) : new Promise(r => r(1)).then(function g() { return {} }) }"
    "f(10);";

static atomic_uint at_work;

static void turn(test_runtime *t) {
    test_run(t->ctx, work);
    test_run_jobs(t->rt, 10);
    JS_RunGC(t->rt);
    ubi_quickjs_timeline_timestamp(t->tools, "turn");
    ubi_quickjs_safe_point(t->tools);
}

/* Its own target is observed in every second stretch of ten turns; then everything of this thread is in it, in order. */
static size_t look_at_own(test_runtime *t, ubi_timeline_target *own, int i) {
    ubi_timeline_markers *markers;
    bool on = i / 10 % 2;
    if (i % 10)
        return 0;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(own, &markers), UBI_OK);
    size_t n = ubi_timeline_markers_count(markers);
    ubi_timeline_markers_free(markers);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(own, on), UBI_OK);
    if (on)
        assert_int_equal(ubi_quickjs_join_timeline(t->tools, own), UBI_OK);
    else
        ubi_quickjs_leave_timeline(t->tools, own);
    return n;
}

static void *run(void *payload) {
    ubi_timeline_target *own;
    test_runtime t = test_runtime_new();
    size_t seen = 0;
    (void)payload;
    assert_int_equal(ubi_quickjs_join_timeline(t.tools, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_target_new(&own, NULL), UBI_OK);
    for (int i = 0; i < TURNS; i++) {
        seen += look_at_own(&t, own, i);
        turn(&t);
    }
    assert_true(seen >= 20 * 5);
    ubi_quickjs_leave_timeline(t.tools, own);
    test_runtime_free(&t);
    ubi_timeline_target_free(own);
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

static bool row_is(const ubi_timeline_markers *markers, size_t i, const char *name) {
    ubi_text text = ubi_timeline_markers_row(markers, i).name;
    return text.len == strlen(name) && memcmp(text.ptr, name, text.len) == 0;
}

static size_t count_turns(ubi_timeline_target *target) {
    ubi_timeline_markers *markers;
    size_t n = 0;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(target, &markers), UBI_OK);
    for (size_t i = 0; i < ubi_timeline_markers_count(markers); i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(markers, i);
        assert_true(row.start_ns <= row.end_ns);
        n += row_is(markers, i, "TimeStamp");
    }
    ubi_timeline_markers_free(markers);
    return n;
}

static void all_threads_are_on_one_timeline(void **state) {
    pthread_t threads[THREADS];
    ubi_timeline_target_options options = UBI_TIMELINE_TARGET_OPTIONS_INIT;
    ubi_timeline_target *target;
    size_t turns = 0;
    (void)state;
    options.is_per_thread = true;
    assert_int_equal(ubi_timeline_target_new(&target, &options), UBI_OK);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(target, true), UBI_OK);
    atomic_store(&at_work, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, NULL), 0);
    while (atomic_load(&at_work)) {
        turns += count_turns(target);
        usleep(1000);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    turns += count_turns(target);
    assert_int_equal(turns, THREADS * TURNS);
    ubi_timeline_target_free(target);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_threads_are_on_one_timeline) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
