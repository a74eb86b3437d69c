/* SPDX-License-Identifier: MIT
 *
 * The timeline and the profiler of a QuickJS target: what is opened costs nothing until it is used, and nothing when it is closed.
 */
#include "engines/quickjs/tracking_testing.h"

#include <ubiheap/extension/target_profiler.h>
#include <ubiheap/extension/target_timeline.h>

#include "engines/quickjs/timeline.h"
#include "fail_allocator.h"

/* ---- timelines -------------------------------------------------------------------------------------------------------- */

static ubi_target_timeline timeline_open(const world *w) {
    ubi_target_timeline timeline;
    assert_int_equal(ubi_target_open_timeline(&timeline, ubi_quickjs_target(w->tools), NULL, NULL), UBI_OK);
    return timeline;
}

static void timeline_observe(ubi_target_timeline timeline, bool on) {
    ubi_timeline_target *observed = ubi_target_timeline_observed(timeline);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(observed, on), UBI_OK);
}

/* Rows of a name since the last time. */
static size_t timeline_count(ubi_target_timeline timeline, const char *name) {
    ubi_timeline_markers *markers;
    size_t n = 0;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(ubi_target_timeline_observed(timeline), &markers),
                     UBI_OK);
    for (size_t i = 0; i < ubi_timeline_markers_count(markers); i++) {
        ubi_text got = ubi_timeline_markers_row(markers, i).name;
        n += got.len == strlen(name) && memcmp(got.ptr, name, got.len) == 0;
    }
    ubi_timeline_markers_free(markers);
    return n;
}

static void a_timeline_has_what_runs_while_it_is_observed(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_target_timeline timeline = timeline_open(&w), other = timeline_open(&w);
    eval(w.ctx, "a.js", "1");
    timeline_observe(timeline, true);
    assert_int_equal(timeline_count(timeline, "Javascript"), 0);
    eval(w.ctx, "b.js", "2");
    timeline_observe(other, true);
    eval(w.ctx, "c.js", "3");
    assert_int_equal(timeline_count(timeline, "Javascript"), 2);
    assert_int_equal(timeline_count(other, "Javascript"), 1);
    ubi_target_timeline_close(timeline);
    eval(w.ctx, "d.js", "4");
    assert_int_equal(timeline_count(other, "Javascript"), 1);
    ubi_target_timeline_close(other);
    world_close(&w);
}

static void a_runtime_that_is_not_observed_any_more_is_as_before(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    const ubi__timeline *of_runtime = ubi__timeline_of_tools(w.tools);
    ubi_target_timeline timeline = timeline_open(&w);
    assert_false(of_runtime->is_observed);
    timeline_observe(timeline, true);
    eval(w.ctx, "a.js", "1");
    assert_true(of_runtime->is_observed);
    timeline_observe(timeline, false);
    assert_false(of_runtime->is_observed); /* at once, without another marker */
    timeline_observe(timeline, true);
    eval(w.ctx, "a.js", "1");
    ubi_target_timeline_close(timeline);
    assert_false(of_runtime->is_observed);
    assert_int_equal(of_runtime->joined_count, 0);
    world_close(&w);
}

/* ---- profilers -------------------------------------------------------------------------------------------------------- */

static ubi_target_profiler profiler_open(const world *w) {
    ubi_target_profiler profiler;
    assert_int_equal(ubi_target_open_profiler(&profiler, ubi_quickjs_target(w->tools), NULL), UBI_OK);
    return profiler;
}

/* Objects of a kind that were recorded; UINT64_MAX: there are no results. */
static uint64_t profiler_count(ubi_target_profiler profiler, const char *kind) {
    ubi_recording *recording;
    uint64_t n = 0;
    assert_int_equal(ubi_target_profiler_results(&recording, profiler), UBI_OK);
    if (!recording)
        return UINT64_MAX;
    for (uint64_t i = 0; i < ubi_recording_event_count(recording); i++) {
        ubi_recorded_event event = ubi_recording_event(recording, i);
        n += !event.is_free && event.kind.len == strlen(kind) && memcmp(event.kind.ptr, kind, event.kind.len) == 0;
    }
    ubi_recording_free(recording);
    return n;
}

/* A world whose profiler records everything. */
static world exact_world_open(ubi_profiler **profiler) {
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    world w = world_open(NULL);
    options.period_bytes = 1;
    assert_int_equal(ubi_profiler_new(profiler, &options), UBI_OK);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, *profiler), UBI_OK);
    return w;
}

static const char ten_dates[] = "var kept = []; for (let i = 0; i < 10; i++) kept.push(new Date(0));";

static void a_profiler_has_the_life_cycle_of_the_original(void **state) {
    UNUSED_STATE(state);
    ubi_profiler *joined;
    world w = exact_world_open(&joined);
    ubi_target_profiler p = profiler_open(&w);
    ubi_target_profiler_stop(p);
    assert_int_equal(profiler_count(p, "Date"), UINT64_MAX); /* it never started */
    assert_int_equal(ubi_target_profiler_start(p), UBI_OK);
    assert_int_equal(ubi_target_profiler_start(p), UBI_OK);
    eval(w.ctx, "a.js", ten_dates);
    assert_true(ubi_target_profiler_is_running(p));
    assert_int_equal(profiler_count(p, "Date"), UINT64_MAX); /* it records */
    ubi_target_profiler_reset(p);                            /* so this does nothing */
    ubi_target_profiler_stop(p);
    assert_false(ubi_target_profiler_is_running(p));
    assert_int_equal(profiler_count(p, "Date"), 10);
    assert_int_equal(profiler_count(p, "Date"), 10);
    ubi_target_profiler_reset(p);
    assert_int_equal(profiler_count(p, "Date"), UINT64_MAX);
    ubi_target_profiler_close(p);
    world_close(&w);
    ubi_profiler_free(joined);
}

static void a_profiler_stops_with_the_last_that_started_it(void **state) {
    UNUSED_STATE(state);
    ubi_profiler *joined;
    world w = exact_world_open(&joined);
    ubi_target_profiler first = profiler_open(&w), second = profiler_open(&w), third = profiler_open(&w);
    assert_int_equal(ubi_target_profiler_start(first), UBI_OK);
    assert_int_equal(ubi_target_profiler_start(second), UBI_OK);
    ubi_target_profiler_close(third);
    ubi_target_profiler_close(first);
    assert_true(ubi_quickjs_profiler_is_running(w.tools));
    ubi_target_profiler_close(second);
    assert_false(ubi_quickjs_profiler_is_running(w.tools));
    first = profiler_open(&w);
    second = profiler_open(&w);
    assert_int_equal(ubi_target_profiler_start(first), UBI_OK);
    ubi_target_profiler_stop(second); /* any may */
    assert_false(ubi_quickjs_profiler_is_running(w.tools));
    assert_int_equal(ubi_target_profiler_start(second), UBI_OK);
    ubi_target_profiler_close(first); /* it wanted the one before */
    assert_true(ubi_quickjs_profiler_is_running(w.tools));
    ubi_target_profiler_close(second);
    assert_false(ubi_quickjs_profiler_is_running(w.tools));
    world_close(&w);
    ubi_profiler_free(joined);
}

static void a_profiler_of_the_program_is_the_programs_to_stop(void **state) {
    UNUSED_STATE(state);
    ubi_profiler *joined;
    world w = exact_world_open(&joined);
    ubi_target_profiler p = profiler_open(&w);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    assert_int_equal(ubi_target_profiler_start(p), UBI_OK);
    ubi_target_profiler_stop(p);
    assert_true(ubi_target_profiler_is_running(p));
    ubi_target_profiler_close(p);
    assert_true(ubi_quickjs_profiler_is_running(w.tools));
    ubi_quickjs_stop_profiler(w.tools);
    p = profiler_open(&w);
    assert_int_equal(ubi_target_profiler_start(p), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK); /* the program wants it, too */
    ubi_target_profiler_close(p);
    assert_true(ubi_quickjs_profiler_is_running(w.tools));
    world_close(&w);
    ubi_profiler_free(joined);
}

/* ---- both ------------------------------------------------------------------------------------------------------------- */

static void scopes_of_another_runtime_are_refused(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL), other = world_open(NULL);
    ubi_quickjs_scope *scope;
    ubi_target_timeline timeline;
    ubi_target_profiler profiler;
    assert_int_equal(ubi_quickjs_scope_new(&scope, other.tools), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    assert_int_equal(ubi_target_open_timeline(&timeline, ubi_quickjs_target(w.tools), &part, NULL), UBI_EMISMATCH);
    assert_int_equal(ubi_target_open_profiler(&profiler, ubi_quickjs_target(w.tools), &part), UBI_EMISMATCH);
    assert_int_equal(ubi_target_open_timeline(&timeline, ubi_quickjs_target(other.tools), &part, NULL), UBI_OK);
    assert_int_equal(ubi_target_open_profiler(&profiler, ubi_quickjs_target(other.tools), &part), UBI_OK);
    ubi_target_timeline_close(timeline);
    ubi_target_profiler_close(profiler);
    ubi_quickjs_scope_free(scope);
    world_close(&other);
    world_close(&w);
}

/* Opens both, and profiles; nothing of it stays. */
static ubi_status tools_try(const world *w) {
    ubi_target target = ubi_quickjs_target(w->tools);
    ubi_target_timeline timeline;
    ubi_target_profiler profiler;
    ubi_status status = ubi_target_open_timeline(&timeline, target, NULL, NULL);
    if (status != UBI_OK)
        return status;
    ubi_target_timeline_close(timeline);
    status = ubi_target_open_profiler(&profiler, target, NULL);
    if (status != UBI_OK)
        return status;
    status = ubi_target_profiler_start(profiler);
    assert_true((status == UBI_OK) == ubi_target_profiler_is_running(profiler));
    ubi_target_profiler_close(profiler);
    return status;
}

static void without_memory_nothing_is_opened_or_started(void **state) {
    UNUSED_STATE(state);
    uint64_t n_failed = 0;
    for (uint64_t n = 0;; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
        options.allocator = &memory.allocator;
        world w = world_open(&options);
        memory.n_allowed = memory.n_requests + n;
        ubi_status status = tools_try(&w);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        n_failed += status == UBI_ENOMEM;
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        assert_false(ubi_quickjs_profiler_is_running(w.tools));
        world_close(&w);
        fail_allocator_fini(&memory);
        if (status == UBI_OK)
            break;
    }
    assert_true(n_failed > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_has_what_runs_while_it_is_observed),
        cmocka_unit_test(a_runtime_that_is_not_observed_any_more_is_as_before),
        cmocka_unit_test(a_profiler_has_the_life_cycle_of_the_original),
        cmocka_unit_test(a_profiler_stops_with_the_last_that_started_it),
        cmocka_unit_test(a_profiler_of_the_program_is_the_programs_to_stop),
        cmocka_unit_test(scopes_of_another_runtime_are_refused),
        cmocka_unit_test(without_memory_nothing_is_opened_or_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
