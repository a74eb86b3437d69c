/* SPDX-License-Identifier: MIT
 *
 * native_target_test.c: processes as live heaps: what is asked of them is done on a thread of theirs, before they go.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "targets/native/native_target.h"
#include <ubiheap/extension/target_profiler.h>

static pid_t child_start(void) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void child_end(pid_t pid) {
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* What a visit finds. */
typedef struct visit {
    ubi_target target;
    pthread_t test;
    bool is_elsewhere; /* on another thread than the test's */
    uint64_t unattributed, resident, unique;
    ubi_status status;
    unsigned n_visits, n_visits_at_leave;
    bool has_left;
} visit;

static void row_take(void *payload, const ubi_measure_row *row) {
    visit *v = payload;
    const char *const names[] = { "unattributedSize", "residentSize", "residentUniqueSize" };
    uint64_t *const values[] = { &v->unattributed, &v->resident, &v->unique };
    assert_true(row->is_bytes);
    for (int i = 0; i < 3; i++)
        if (row->name.len == strlen(names[i]) && memcmp(row->name.ptr, names[i], row->name.len) == 0)
            *values[i] = row->value;
}

static void visit_perform(void *payload) {
    visit *v = payload;
    v->n_visits++;
    v->is_elsewhere = !pthread_equal(v->test, pthread_self());
    v->status = ubi_target_measure(v->target, row_take, v);
}

static void visit_leave(void *payload, ubi_target target) {
    visit *v = payload;
    assert_ptr_equal(target.payload, v->target.payload);
    v->n_visits_at_leave = v->n_visits;
    v->has_left = true;
}

static void a_process_is_measured_from_outside(void **state) {
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL;
    visit v = { .test = pthread_self() };
    pid_t pid = child_start();
    (void)state;
    assert_int_equal(ubi__native_targets_start(&targets, NULL), UBI_OK);
    assert_int_equal(ubi__native_target_new(&process, targets, pid), UBI_OK);
    v.target = ubi__native_target_of(process);
    assert_string_equal(v.target.ops->kind, "native");
    for (int i = 0; i < 3; i++)
        assert_int_equal(ubi_target_run_at_safe_point(v.target, visit_perform, &v), UBI_OK);
    ubi__native_target_end(process, visit_leave, &v);
    ubi__native_targets_stop(targets);
    assert_true(v.has_left && v.is_elsewhere);
    assert_int_equal(v.n_visits_at_leave, 3); /* before it goes */
    assert_int_equal(v.status, UBI_OK);
    assert_true(v.unattributed > 0 && v.unique > 0);
    assert_true(v.resident >= v.unique && v.resident >= v.unattributed);
    child_end(pid);
}

static void a_process_that_has_ended_has_no_sizes(void **state) {
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL, *none = NULL;
    visit v = { .test = pthread_self() };
    pid_t pid = child_start();
    (void)state;
    assert_int_equal(ubi__native_targets_start(&targets, NULL), UBI_OK);
    assert_int_equal(ubi__native_target_new(&process, targets, pid), UBI_OK);
    child_end(pid);
    v.target = ubi__native_target_of(process);
    assert_int_equal(ubi_target_run_at_safe_point(v.target, visit_perform, &v), UBI_OK);
    ubi__native_target_end(process, NULL, NULL);
    assert_int_equal(ubi__native_target_new(&none, targets, pid), UBI_EIO);
    ubi__native_targets_stop(targets);
    assert_int_equal(v.status, UBI_EIO);
}

static void what_cannot_be_done_from_outside_is_refused(void **state) {
    static const int part;
    const ubi_target_scope scope = { .part = &part };
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL;
    ubi_target_observer observer;
    ubi_census *census = NULL;
    (void)state;
    assert_int_equal(ubi__native_targets_start(&targets, NULL), UBI_OK);
    assert_int_equal(ubi__native_target_new(&process, targets, getpid()), UBI_OK);
    ubi_target target = ubi__native_target_of(process);
    assert_int_equal(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_ESTATE);
    assert_int_equal(ubi_target_observe(&observer, target, &scope), UBI_EMISMATCH);
    assert_int_equal(ubi_target_collect_garbage(target), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), "a target of kind native cannot collect garbage: it can only be measured, "
                                             "observed and profiled; what a native program "
                                             "allocates, 'ubiheap record' shows");
    ubi__native_target_end(process, NULL, NULL);
    ubi__native_targets_stop(targets);
    ubi__native_targets_stop(NULL);
}

static void a_process_that_is_not_recorded_has_no_profiler(void **state) {
    static const int part;
    const ubi_target_scope scope = { .part = &part };
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL;
    ubi_target_profiler profiler;
    ubi_recording *recording = NULL;
    (void)state;
    assert_int_equal(ubi__native_targets_start(&targets, NULL), UBI_OK);
    assert_int_equal(ubi__native_target_new(&process, targets, getpid()), UBI_OK);
    ubi_target target = ubi__native_target_of(process);
    assert_int_equal(ubi_target_open_profiler(&profiler, target, &scope), UBI_EMISMATCH);
    assert_int_equal(ubi_target_open_profiler(&profiler, target, NULL), UBI_OK);
    assert_int_equal(ubi_target_profiler_start(profiler), UBI_ENOTFOUND);
    assert_false(ubi_target_profiler_is_running(profiler));
    assert_int_equal(ubi_target_profiler_results(&recording, profiler), UBI_ENOTFOUND);
    assert_null(recording);
    ubi_target_profiler_reset(profiler);
    ubi_target_profiler_stop(profiler);
    ubi_target_profiler_close(profiler);
    ubi__native_target_end(process, NULL, NULL);
    ubi__native_targets_stop(targets);
}

static bool allocation_take(void *payload, const ubi_logged_allocation *allocation) {
    (void)payload, (void)allocation;
    return true;
}

static void a_process_that_is_not_recorded_has_no_allocations(void **state) {
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL;
    ubi_target_observer observer;
    ubi_target_observer_state now;
    (void)state;
    assert_int_equal(ubi__native_targets_start(&targets, NULL), UBI_OK);
    assert_int_equal(ubi__native_target_new(&process, targets, getpid()), UBI_OK);
    assert_int_equal(ubi_target_observe(&observer, ubi__native_target_of(process), NULL), UBI_OK);
    assert_int_equal(ubi_target_observer_set_tracking(observer, true), UBI_ENOTFOUND);
    assert_int_equal(ubi_target_observer_set_tracking(observer, false), UBI_OK);
    assert_int_equal(ubi_target_observer_drain(observer, allocation_take, NULL), UBI_ESTATE);
    assert_int_equal(ubi_target_observer_set_probability(observer, 1.5), UBI_EINVAL);
    assert_int_equal(ubi_target_observer_set_probability(observer, .5), UBI_OK);
    assert_int_equal(ubi_target_observer_set_log_limit(observer, 0), UBI_EINVAL);
    assert_int_equal(ubi_target_observer_set_log_limit(observer, 7), UBI_OK);
    ubi_target_observer_get_state(observer, &now);
    assert_false(now.is_tracking || now.has_overflowed || now.log_length || now.logged_count);
    assert_int_equal(now.log_limit, 7);
    assert_true(now.probability > .4 && now.probability < .6);
    ubi_target_observer_free(observer);
    ubi__native_target_end(process, NULL, NULL);
    ubi__native_targets_stop(targets);
}

static ubi_status work(void *payload, const ubi_allocator *allocator) {
    ubi__native_targets *targets = NULL;
    ubi__native_target *process = NULL;
    visit v = { .test = pthread_self() };
    (void)payload;
    ubi_status status = ubi__native_targets_start(&targets, allocator);
    if (status != UBI_OK)
        return status;
    status = ubi__native_target_new(&process, targets, getpid());
    if (status == UBI_OK) {
        v.target = ubi__native_target_of(process);
        status = ubi_target_run_at_safe_point(v.target, visit_perform, &v);
        ubi__native_target_end(process, visit_leave, &v);
    }
    ubi__native_targets_stop(targets);
    assert_int_equal(v.has_left, process != NULL);
    return status;
}

static void without_memory_nothing_is_lost(void **state) {
    (void)state;
    assert_int_equal(fail_each_allocation(work, NULL), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_measured_from_outside),
        cmocka_unit_test(a_process_that_has_ended_has_no_sizes),
        cmocka_unit_test(what_cannot_be_done_from_outside_is_refused),
        cmocka_unit_test(a_process_that_is_not_recorded_has_no_allocations),
        cmocka_unit_test(a_process_that_is_not_recorded_has_no_profiler),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
