/* SPDX-License-Identifier: MIT
 *
 * Observers of a QuickJS target: of a scope's realms, and of all, also those that come later.
 */
#include "engines/quickjs/tracking_testing.h"

#include "fail_allocator.h"

static ubi_target_observer target_track(world *w, const ubi_target_scope *scope) {
    ubi_target_observer o;
    assert_int_equal(ubi_target_observe(&o, ubi_quickjs_target(w->tools), scope), UBI_OK);
    assert_int_equal(ubi_target_observer_set_tracking(o, true), UBI_OK);
    return o;
}

static bool count_named(void *payload, const ubi_logged_allocation *a) {
    uint32_t *counts = payload; /* by the last digit of the file's name */
    ubi_frame frame;
    if (!a->has_frame)
        return true;
    ubi_stack_frame(a->frame, &frame);
    counts[frame.source.ptr[frame.source.len - 1] % 10]++;
    return true;
}

/* Entries from the files "f0" to "f9". */
static void count_files(ubi_target_observer o, uint32_t counts[10]) {
    memset(counts, 0, 10 * sizeof *counts);
    assert_int_equal(ubi_target_observer_drain(o, count_named, counts), UBI_OK);
}

static const char five_objects[] = "for (let i = 0; i < 5; i++) ({})";

static void a_scope_observes_its_realms_alone(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *other = JS_NewContext(w.rt), *later;
    ubi_quickjs_scope *scope;
    uint32_t counts[10];
    assert_int_equal(ubi_quickjs_scope_new(&scope, w.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, w.ctx), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    ubi_target_observer o = target_track(&w, &part);
    later = JS_NewContext(w.rt);
    eval(w.ctx, "f0", five_objects);
    eval(other, "f1", five_objects);
    eval(later, "f2", five_objects);
    count_files(o, counts);
    assert_true(counts['0' % 10] == 5 && counts['1' % 10] == 0 && counts['2' % 10] == 0);
    ubi_target_observer_free(o);
    ubi_quickjs_scope_free(scope);
    JS_FreeContext(later);
    JS_FreeContext(other);
    world_close(&w);
}

static void without_a_scope_realms_that_come_later_are_observed(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    uint32_t counts[10];
    ubi_target_observer o = target_track(&w, NULL);
    JSContext *later = JS_NewContext(w.rt);
    eval(w.ctx, "f0", five_objects);
    eval(later, "f1", five_objects);
    JS_FreeContext(later);
    later = JS_NewContext(w.rt);
    eval(later, "f2", five_objects);
    count_files(o, counts);
    assert_true(counts['0' % 10] == 5 && counts['1' % 10] == 5 && counts['2' % 10] == 5);
    ubi_target_observer_free(o);
    JS_FreeContext(later);
    world_close(&w);
}

static void a_runtime_without_realms_can_be_observed(void **state) {
    UNUSED_STATE(state);
    JSRuntime *rt = JS_NewRuntime();
    world w = { .rt = rt };
    uint32_t counts[10];
    assert_int_equal(ubi_quickjs_attach(&w.tools, rt, NULL), UBI_OK);
    ubi_target_observer o = target_track(&w, NULL);
    w.ctx = JS_NewContext(rt);
    eval(w.ctx, "f0", five_objects);
    count_files(o, counts);
    assert_int_equal(counts['0' % 10], 5);
    ubi_target_observer_free(o);
    world_close(&w);
}

static void note_cycle(void *payload, const ubi_collection *c) {
    *(uint64_t *)payload = c->cycle_number;
}

static void collections_are_reported_before_anything_is_allocated(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_target_observer o;
    uint64_t cycle = 0;
    assert_int_equal(ubi_target_observe(&o, ubi_quickjs_target(w.tools), NULL), UBI_OK);
    ubi_target_observer_on_collection(o, note_cycle, &cycle);
    JS_RunGC(w.rt);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(cycle, 1);
    ubi_target_observer_free(o);
    world_close(&w);
}

static void a_scope_of_another_runtime_is_refused(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL), other = world_open(NULL);
    ubi_quickjs_scope *scope;
    ubi_target_observer o;
    assert_int_equal(ubi_quickjs_scope_new(&scope, other.tools), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    assert_int_equal(ubi_target_observe(&o, ubi_quickjs_target(w.tools), &part), UBI_EMISMATCH);
    ubi_quickjs_scope_free(scope);
    world_close(&other);
    world_close(&w);
}

static void tools_that_end_take_their_observers_along(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    target_track(&w, NULL);
    eval(w.ctx, "f0", five_objects);
    world_close(&w); /* a leak checker watches */
}

static void without_memory_there_is_no_observer(void **state) {
    UNUSED_STATE(state);
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
        options.allocator = &memory.allocator;
        world w = world_open(&options);
        ubi_target_observer o = { NULL, NULL };
        memory.n_allowed = memory.n_requests + n;
        ubi_status status = ubi_target_observe(&o, ubi_quickjs_target(w.tools), NULL);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        refused = memory.n_refused;
        memory.n_allowed = FAIL_ALLOCATOR_NEVER;
        n_failed += status != UBI_OK;
        if (status == UBI_OK)
            ubi_target_observer_free(o);
        else
            assert_null(ubi__tracking_of(w.tools)->observers);
        world_close(&w);
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_observes_its_realms_alone),
        cmocka_unit_test(without_a_scope_realms_that_come_later_are_observed),
        cmocka_unit_test(a_runtime_without_realms_can_be_observed),
        cmocka_unit_test(collections_are_reported_before_anything_is_allocated),
        cmocka_unit_test(a_scope_of_another_runtime_is_refused),
        cmocka_unit_test(tools_that_end_take_their_observers_along),
        cmocka_unit_test(without_memory_there_is_no_observer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
