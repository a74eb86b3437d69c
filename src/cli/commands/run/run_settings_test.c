/* SPDX-License-Identifier: MIT
 *
 * run_settings_test.c: what the options of `ubiheap run` mean, and names of its files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/commands/run/run_settings.h"

static ubi__run_settings read_settings(const ubi__run_arguments *a, const char *breakdown) {
    ubi__run_settings s = { 0 };
    ubi__breakdown_choice choice = { .json = ubi__text(breakdown) };
    assert_int_equal(ubi__run_settings_read(&s, a, &choice), UBI_OK);
    return s;
}

static void assert_refused(const ubi__run_arguments *a, const char *message) {
    ubi__run_settings s = { .probability = 7 };
    ubi__breakdown_choice choice = { 0 };
    assert_int_equal(ubi__run_settings_read(&s, a, &choice), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), message);
    assert_true(s.probability == 7);
}

static void nothing_asked_for_is_nothing_done(void **state) {
    (void)state;
    ubi__run_settings s = read_settings(&(ubi__run_arguments){ 0 }, NULL);
    for (int i = 0; i < UBI__RUN_TRIGGERS; i++)
        assert_false(s.wants_snapshot[i]);
    assert_false(s.with_sites);
    assert_false(s.wants_census);
    assert_true(s.probability == 1);
    assert_int_equal(s.heap_limit_bytes, 0);
}

static void moments_are_words_or_a_time(void **state) {
    (void)state;
    ubi__run_settings s = read_settings(
        &(ubi__run_arguments){ .snapshot_at = { .at = { "gc", "exit", "250ms", "signal" }, .n = 4 } }, NULL);
    assert_true(s.wants_snapshot[UBI__RUN_AT_EXIT] && s.wants_snapshot[UBI__RUN_AT_GC] &&
                s.wants_snapshot[UBI__RUN_AT_SIGNAL]);
    assert_true(s.wants_snapshot[UBI__RUN_AT_INTERVAL]);
    assert_int_equal(s.interval_us, 250000);
    assert_false(s.wants_snapshot[UBI__RUN_AT_OOM]);
    assert_refused(&(ubi__run_arguments){ .snapshot_at = { .at = { "oom" }, .n = 1 } },
                   "--snapshot-at: expected exit, signal, gc or a time such as 10s, not 'oom'");
    assert_refused(&(ubi__run_arguments){ .snapshot_at = { .at = { "1s", "2s" }, .n = 2 } },
                   "--snapshot-at: two intervals are given, of which one is '2s'");
}

static void sites_are_remembered_for_those_who_show_them(void **state) {
    (void)state;
    static const char stacks[] = "{\"by\":\"allocationStack\"}", classes[] = "{\"by\":\"objectClass\"}";
    assert_true(read_settings(&(ubi__run_arguments){ .snapshot_at = { .at = { "exit" }, .n = 1 } }, NULL).with_sites);
    assert_true(read_settings(&(ubi__run_arguments){ .wants_snapshot_on_oom = true }, NULL).with_sites);
    assert_true(read_settings(&(ubi__run_arguments){ .allocation_log = "log" }, NULL).with_sites);
    assert_true(read_settings(&(ubi__run_arguments){ .probability = "0.5" }, NULL).with_sites);
    assert_true(read_settings(&(ubi__run_arguments){ .sites = 1 }, NULL).with_sites);
    assert_true(read_settings(&(ubi__run_arguments){ .census_at = "exit" }, stacks).with_sites);
    assert_false(read_settings(&(ubi__run_arguments){ .census_at = "exit" }, classes).with_sites);
    assert_false(read_settings(&(ubi__run_arguments){ .sites = -1, .wants_snapshot_on_oom = true }, NULL).with_sites);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    assert_refused(&(ubi__run_arguments){ .is_module = true, .is_script = true },
                   "--module and --script exclude each other");
    assert_refused(&(ubi__run_arguments){ .is_module = true, .must_print = true },
                   "--print does not go with --module: a module has no value");
    assert_refused(&(ubi__run_arguments){ .sites = -1, .allocation_log = "log" },
                   "--allocation-log does not go with --no-sites");
    assert_refused(&(ubi__run_arguments){ .by = { .wants_tree = true } },
                   "options of the census need --census-at exit");
    assert_refused(&(ubi__run_arguments){ .snapshot_output = "-" },
                   "--snapshot-output: standard output belongs to the script");
    assert_refused(&(ubi__run_arguments){ .timeline = "-" }, "--timeline: standard output belongs to the script");
    assert_refused(&(ubi__run_arguments){ .heap_limit = "0" }, "--heap-limit: 0 is too small");
    assert_refused(&(ubi__run_arguments){ .stack_size = "1000" }, "--stack-size: 1000 is too small");
}

static const char *name_by(const char *pattern, const char *script) {
    static char name[64];
    const ubi__run_name parts = { script, 12, 3, UBI__RUN_AT_OOM };
    return ubi__run_file_name(name, sizeof name, pattern, &parts) == UBI_OK ? name : NULL;
}

static void names_follow_the_pattern(void **state) {
    (void)state;
    assert_string_equal(name_by(UBI__RUN_PATTERN, "lib/my.app.js"), "my.app-12.fxsnapshot");
    assert_string_equal(name_by(UBI__RUN_WORKER_PATTERN, "app.mjs"), "app-worker3-12.fxsnapshot");
    assert_string_equal(name_by("%t/%s%%", "-"), "oom/stdin%");
    assert_string_equal(name_by("%s-%n", UBI__RUN_CODE), "cmdline-12");
    assert_string_equal(name_by("%s", "dir.d/noextension"), "noextension");
    assert_string_equal(name_by("%s", ".hidden"), ".hidden");
    assert_string_equal(name_by("plain", "x"), "plain");
}

static void wrong_patterns_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = { "%", "x%q", "", "%s" };
    for (size_t i = 0; i < 3; i++)
        assert_null(name_by(wrong[i], "x"));
    assert_null(name_by("%s", "a-name-that-is-longer-than-what-there-is-room-for-in-this-test-of-names.js"));
    assert_string_equal(ubi_error_message(), "--snapshot-output: the name is too long");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_asked_for_is_nothing_done),
        cmocka_unit_test(moments_are_words_or_a_time),
        cmocka_unit_test(sites_are_remembered_for_those_who_show_them),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(names_follow_the_pattern),
        cmocka_unit_test(wrong_patterns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
