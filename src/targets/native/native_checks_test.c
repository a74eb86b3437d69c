/* SPDX-License-Identifier: MIT
 *
 * native_checks_test.c: the invariants of sessions, their queue and their clocks are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "targets/native/native_record.c"

#include "damage.h"
#include "small_recording.h"

static void check_clock(void *clock) {
    ubi__native_clock_check(clock);
}

static void check_queue(void *symbols) {
    ubi__native_symbols_check(symbols);
}

static void check_session(void *session) {
    ubi__native_session_check(session);
}

static void damaged_clocks_are_seen(void **state) {
    ubi__preload_area area = { .fd = -1 };
    ubi__native_clock_face faces[2] = { { .area = &area }, { .area = &area } };
    ubi__native_clock clock = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    (void)state;
    ubi__native_clock_add(&clock, &faces[0]);
    ubi__native_clock_add(&clock, &faces[1]);
    faces[0].previous = NULL;
    assert_damage_seen(check_clock, &clock, "f->next->previous == f");
    faces[0].previous = &faces[1];
    faces[1].area = NULL;
    assert_damage_seen(check_clock, &clock, "f->area");
    faces[1].area = &area;
    ubi__native_clock_remove(&clock, &faces[0]);
    assert_ptr_equal(clock.first, &faces[1]);
}

static void damaged_queues_are_seen(void **state) {
    static ubi__native_session session = { .has_ended = true };
    ubi__native_symbols queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    (void)state;
    queue.last = &queue.first;
    ubi__native_symbols_add(&queue, &session);
    ubi__native_symbols_check(&queue);
    queue.n_waiting = 2;
    assert_damage_seen(check_queue, &queue, "n == symbols->n_waiting");
    queue.n_waiting = 1;
    queue.last = &queue.first;
    assert_damage_seen(check_queue, &queue, "end == symbols->last");
    queue.last = &session.next_in_queue;
    session.has_ended = false;
    assert_damage_seen(check_queue, &queue, "has_ended");
}

static void damaged_sessions_are_seen(void **state) {
    static ubi__native_session s;
    recording r;
    (void)state;
    open_recording(&r, 1, 1);
    s = (ubi__native_session){ .allocator = ubi_allocator_default(), .has_ended = true, .is_stopping = true };
    s.writer = r.w;
    assert_int_equal(ubi__vec_native_module_push(&s.modules, s.allocator, (ubi__native_module){ .first = 0 }), UBI_OK);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(ubi__vec_native_frame_push(&s.frames, s.allocator, (ubi__native_frame){ .frame = i }), UBI_OK);
    ubi__native_session_check(&s);
    s.kept_allocations = 1;
    assert_damage_seen(check_session, &s, "s->kept_allocations <=");
    s.kept_allocations = 0;
    s.n_symbolized = 3;
    assert_damage_seen(check_session, &s, "s->n_symbolized <= s->frames.n");
    s.n_symbolized = 0;
    s.has_ended = false;
    assert_damage_seen(check_session, &s, "s->collector");
    s.has_ended = true;
    s.modules.at[0].first = 1;
    assert_damage_seen(check_session, &s, "first <= i");
    s.modules.at[0].first = 0;
    s.frames.at[1].frame = 0;
    assert_damage_seen(check_session, &s, "s->frames.at[i - 1].frame < s->frames.at[i].frame");
    ubi__vec_native_module_fini(&s.modules, s.allocator);
    ubi__vec_native_frame_fini(&s.frames, s.allocator);
    finish_recording(&r);
    bytes_free(&r.file);
}

static void check_recorder(void *payload) {
    recorder_check(payload);
}

static void damaged_recorders_are_seen(void **state) {
    static ubi__native_session first = { .pid = 2, .pidfd = 7, .has_ended = true, .is_done = true }, second;
    static ubi__native_recorder r = { .sessions = &first };
    (void)state;
    second = (ubi__native_session){ .pid = 3, .pidfd = 8 };
    first.next = &second;
    recorder_check(&r);
    second.is_done = true;
    assert_damage_seen(check_recorder, &r, "!s->is_done || s->has_ended");
    second.is_done = false;
    second.pid = 0;
    assert_damage_seen(check_recorder, &r, "s->pid > 0");
    second.pid = 3;
    first.pidfd = 0;
    assert_damage_seen(check_recorder, &r, "s->pidfd != 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_clocks_are_seen),
        cmocka_unit_test(damaged_queues_are_seen),
        cmocka_unit_test(damaged_sessions_are_seen),
        cmocka_unit_test(damaged_recorders_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
