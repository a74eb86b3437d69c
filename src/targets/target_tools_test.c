/* SPDX-License-Identifier: MIT
 *
 * Timelines and profilers of a target follow from its operations: on one that counts what is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/extension/console.h>
#include <ubiheap/extension/target_profiler.h>
#include <ubiheap/extension/target_timeline.h>

typedef struct fake {
    const ubi_target_scope *scope; /* that was given last */
    bool is_per_thread;
    bool has_later_tools;
    ubi_status opening; /* what opening says */
    unsigned n_open, n_starts, n_stops, n_resets;
    ubi_timeline_target *observed;
} fake;

static ubi_status fake_open(fake *f, const ubi_target_scope *scope) {
    f->scope = scope;
    if (f->opening != UBI_OK)
        return ubi_error(f->opening, "not now");
    f->n_open++;
    return UBI_OK;
}
static void tool_close(void *payload) {
    ((fake *)payload)->n_open--;
}

/* ---- its timeline ----------------------------------------------------------------------------------------------------- */

static ubi_timeline_target *timeline_observed(void *payload) {
    return ((fake *)payload)->observed;
}
static const ubi_target_timeline_ops timeline_ops = { .version = UBI_TARGET_TIMELINE_OPS_VERSION,
                                                      .close = tool_close,
                                                      .observed = timeline_observed };
static const ubi_target_timeline_ops later_timeline_ops = { .version = UBI_TARGET_TIMELINE_OPS_VERSION + 1,
                                                            .close = tool_close };

static ubi_status open_timeline(void *payload, const ubi_target_scope *scope,
                                const ubi_target_timeline_options *options, ubi_target_timeline *out) {
    fake *f = payload;
    f->is_per_thread = options->is_per_thread;
    *out = (ubi_target_timeline){ f->has_later_tools ? &later_timeline_ops : &timeline_ops, f };
    return fake_open(f, scope);
}

/* ---- its profiler ----------------------------------------------------------------------------------------------------- */

static ubi_status profiler_start(void *payload) {
    ((fake *)payload)->n_starts++;
    return UBI_OK;
}
static void profiler_stop(void *payload) {
    ((fake *)payload)->n_stops++;
}
static void profiler_reset(void *payload) {
    ((fake *)payload)->n_resets++;
}
static bool profiler_is_running(void *payload) {
    return ((fake *)payload)->n_starts > ((fake *)payload)->n_stops;
}
static ubi_status profiler_results(void *payload, ubi_recording **out) {
    if (profiler_is_running(payload))
        return ubi_error(UBI_ENOMEM, "no memory for results");
    *out = NULL;
    return UBI_OK;
}

#define PROFILER_OPS(number)                                                                                           \
    {                                                                                                                  \
        .version = (number), .close = tool_close, .start = profiler_start, .stop = profiler_stop,                      \
        .reset = profiler_reset, .is_running = profiler_is_running, .results = profiler_results                        \
    }
static const ubi_target_profiler_ops profiler_ops = PROFILER_OPS(UBI_TARGET_PROFILER_OPS_VERSION);
static const ubi_target_profiler_ops later_profiler_ops = PROFILER_OPS(UBI_TARGET_PROFILER_OPS_VERSION + 1);

static ubi_status open_profiler(void *payload, const ubi_target_scope *scope, ubi_target_profiler *out) {
    fake *f = payload;
    *out = (ubi_target_profiler){ f->has_later_tools ? &later_profiler_ops : &profiler_ops, f };
    return fake_open(f, scope);
}

/* ---- targets ---------------------------------------------------------------------------------------------------------- */

static const ubi_target_ops all_ops = {
    .version = UBI_TARGET_OPS_VERSION,
    .kind = "fake",
    .capabilities = UBI_TARGET_TIMELINE | UBI_TARGET_PROFILE,
    .open_timeline = open_timeline,
    .open_profiler = open_profiler,
};
/* As programs were compiled when there were no such tools: what comes after the console is not theirs. */
static const ubi_target_ops second_ops = {
    .version = 2,
    .kind = "second",
    .capabilities = UBI_TARGET_OBSERVE | UBI_TARGET_CONSOLE | UBI_TARGET_TIMELINE | UBI_TARGET_PROFILE,
};

static void assert_refused(ubi_status got, ubi_status expected, const char *message) {
    assert_int_equal(got, expected);
    assert_string_equal(ubi_error_message(), message);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------ */

static void a_timeline_leads_to_what_is_observed(void **state) {
    (void)state;
    fake f = { 0 };
    const ubi_target_scope part = { &f };
    ubi_target_timeline_options options = UBI_TARGET_TIMELINE_OPTIONS_INIT;
    ubi_target_timeline timeline;
    assert_int_equal(ubi_timeline_target_new(&f.observed, NULL), UBI_OK);
    assert_int_equal(ubi_target_open_timeline(&timeline, (ubi_target){ &all_ops, &f }, &part, NULL), UBI_OK);
    assert_true(f.scope == &part && !f.is_per_thread && f.n_open == 1);
    assert_ptr_equal(ubi_target_timeline_observed(timeline), f.observed);
    ubi_target_timeline_close(timeline);
    options.is_per_thread = true;
    assert_int_equal(ubi_target_open_timeline(&timeline, (ubi_target){ &all_ops, &f }, NULL, &options), UBI_OK);
    assert_true(!f.scope && f.is_per_thread);
    ubi_target_timeline_close(timeline);
    assert_int_equal(f.n_open, 0);
    ubi_timeline_target_free(f.observed);
}

static void a_profiler_is_asked_what_its_functions_say(void **state) {
    (void)state;
    fake f = { 0 };
    const ubi_target_scope part = { &f };
    ubi_target_profiler profiler;
    ubi_recording *recording = (ubi_recording *)&f;
    assert_int_equal(ubi_target_open_profiler(&profiler, (ubi_target){ &all_ops, &f }, &part), UBI_OK);
    assert_ptr_equal(f.scope, &part);
    assert_false(ubi_target_profiler_is_running(profiler));
    assert_int_equal(ubi_target_profiler_start(profiler), UBI_OK);
    assert_true(ubi_target_profiler_is_running(profiler));
    assert_int_equal(ubi_target_profiler_results(&recording, profiler), UBI_ENOMEM);
    ubi_target_profiler_stop(profiler);
    ubi_target_profiler_reset(profiler);
    assert_int_equal(ubi_target_profiler_results(&recording, profiler), UBI_OK);
    assert_null(recording);
    ubi_target_profiler_close(profiler);
    assert_true(f.n_starts == 1 && f.n_stops == 1 && f.n_resets == 1 && f.n_open == 0);
}

static void targets_without_them_are_not_asked(void **state) {
    (void)state;
    ubi_target target = { &second_ops, NULL };
    ubi_target_timeline timeline = { 0 };
    ubi_target_profiler profiler = { 0 };
    assert_true(ubi_target_can(target, UBI_TARGET_OBSERVE | UBI_TARGET_CONSOLE));
    assert_false(ubi_target_can(target, UBI_TARGET_TIMELINE) || ubi_target_can(target, UBI_TARGET_PROFILE));
    assert_refused(ubi_target_open_timeline(&timeline, target, NULL, NULL), UBI_ESTATE,
                   "a target of kind second cannot show what it does on a timeline");
    assert_refused(ubi_target_open_profiler(&profiler, target, NULL), UBI_ESTATE,
                   "a target of kind second cannot profile its memory");
    assert_true(!timeline.ops && !profiler.ops);
}

static void tools_of_another_version_are_closed_again(void **state) {
    (void)state;
    fake f = { .has_later_tools = true };
    ubi_target target = { &all_ops, &f };
    ubi_target_timeline timeline = { 0 };
    ubi_target_profiler profiler = { 0 };
    assert_refused(ubi_target_open_timeline(&timeline, target, NULL, NULL), UBI_EINVAL,
                   "timeline operations of version 2, expected 1");
    assert_refused(ubi_target_open_profiler(&profiler, target, NULL), UBI_EINVAL,
                   "profiler operations of version 2, expected 1");
    assert_true(!timeline.ops && !profiler.ops && f.n_open == 0);
}

static void what_is_refused_is_not_there(void **state) {
    (void)state;
    fake f = { .opening = UBI_EMISMATCH };
    ubi_target target = { &all_ops, &f };
    ubi_target_timeline_options options = UBI_TARGET_TIMELINE_OPTIONS_INIT;
    ubi_target_timeline timeline = { 0 };
    ubi_target_profiler profiler = { 0 };
    assert_refused(ubi_target_open_timeline(&timeline, target, NULL, NULL), UBI_EMISMATCH, "not now");
    assert_refused(ubi_target_open_profiler(&profiler, target, NULL), UBI_EMISMATCH, "not now");
    options.version = UBI_TARGET_TIMELINE_OPTIONS_VERSION + 1;
    f.opening = UBI_OK;
    assert_int_equal(ubi_target_open_timeline(&timeline, target, NULL, &options), UBI_EINVAL);
    assert_true(!timeline.ops && !profiler.ops && f.n_open == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_leads_to_what_is_observed),
        cmocka_unit_test(a_profiler_is_asked_what_its_functions_say),
        cmocka_unit_test(targets_without_them_are_not_asked),
        cmocka_unit_test(tools_of_another_version_are_closed_again),
        cmocka_unit_test(what_is_refused_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
