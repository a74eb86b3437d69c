/* SPDX-License-Identifier: MIT
 *
 * Tests of recorder.c: cases MP-6 to MP-14 and MP-19. The source of numbers, times and stacks is the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/recorder.h"

enum { A = 0x1000, B = 0x2000, N1 = 0x8000, N2 = 0x9000, T1 = 0xa000, T2 = 0xb000, SAMPLED = 1 << 20 };

/* Each U is 0.5, so an allocation of SAMPLED bytes is met 23 times; each look at the clock is a millisecond later. */
typedef struct world {
    ubi__recorder recorder;
    uint64_t time_ns;
    bool must_call_back; /* the source of stacks allocates */
} world;

static uint64_t next_ms(void *payload) {
    return ((world *)payload)->time_ns += 1000000;
}
static double half(void *payload) {
    (void)payload;
    return 0.5;
}
static ubi_status main_and_f(void *payload, ubi__trace_table *traces, ubi__trace_ix *out) {
    world *w = payload;
    ubi_text names[] = { ubi__text("main"), ubi__text("f") };
    if (w->must_call_back) {
        ubi__allocation inner = { .address = B, .size_bytes = SAMPLED, .kind = ubi__text("malloc") };
        UBI_TRY(ubi__recorder_allocated(&w->recorder, &inner));
        UBI_TRY(ubi__recorder_freed(&w->recorder, B, 0));
    }
    return ubi__trace_table_stack(traces, out, names, 2);
}

static ubi_status begin(world *w, uint64_t period_bytes, const ubi_allocator *allocator) {
    ubi__recorder_source source = { .now_ns = next_ms, .random = half, .stack = main_and_f, .payload = w };
    *w = (world){ .time_ns = 0 };
    return ubi__recorder_init(&w->recorder, period_bytes, &source, allocator);
}

static world *new_world(void) {
    static world w;
    assert_int_equal(begin(&w, 65536, NULL), UBI_OK);
    return &w;
}

static ubi_status allocate(world *w, uint64_t address, uint64_t size_bytes) {
    ubi__allocation a = { address, size_bytes, ubi__text("malloc"), 7 };
    return ubi__recorder_allocated(&w->recorder, &a);
}
static ubi_status allocate_young(world *w, uint64_t address) {
    ubi__allocation a = { address, SAMPLED, ubi__text("Object"), 7 };
    return ubi__recorder_allocated_young(&w->recorder, &a);
}

/* The events so far, as "+1 +2 -1": which allocation, and "0" after those that were withdrawn. */
static void assert_events(const world *w, const char *expected) {
    char text[256] = "";
    size_t n = 0;
    const ubi__vec_event *events = &w->recorder.recording.events;
    for (size_t i = 0; i < events->n; i++) {
        const ubi__event *e = &events->at[i];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%c%d%s", i ? " " : "", e->is_free ? '-' : '+',
                              (int)e->allocation, e->weight_bytes ? "" : "x");
        assert_int_equal(e->trace, 2);
        assert_int_equal(e->thread, 7);
        assert_true(i == 0 || e->time_ns >= events->at[i - 1].time_ns);
    }
    assert_string_equal(text, expected);
}

static void a_free_repeats_what_it_ends(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, A, SAMPLED), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, A, 7), UBI_OK);
    assert_events(w, "+1 -1");
    const ubi__event *events = w->recorder.recording.events.at;
    assert_int_equal(events[0].weight_bytes, 23 * 65536);
    assert_int_equal(events[0].size_bytes, SAMPLED);
    assert_int_equal(events[1].weight_bytes, events[0].weight_bytes);
    assert_int_equal(events[1].size_bytes, SAMPLED);
    assert_int_equal(events[1].kind, events[0].kind);
    assert_true(events[1].time_ns > events[0].time_ns);
    ubi__recorder_fini(&w->recorder);
}

static void what_was_not_sampled_is_nothing(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, A, 16), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, A, 7), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, B, 7), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, 0, 7), UBI_OK);
    assert_events(w, "");
    ubi__recorder_fini(&w->recorder);
}

static void a_free_that_was_missed_ends_nothing_else(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, A, SAMPLED), UBI_OK);
    assert_int_equal(allocate(w, A, SAMPLED), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, A, 7), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, A, 7), UBI_OK);
    assert_events(w, "+1 +2 -2");
    ubi__recorder_fini(&w->recorder);
}

static void exactly_everything_is_recorded_with_its_own_size(void **state) {
    static world w;
    (void)state;
    assert_int_equal(begin(&w, 1, NULL), UBI_OK);
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal(allocate(&w, 16 * i, i - 1), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w.recorder, 32, 7), UBI_OK);
    const ubi__vec_event *events = &w.recorder.recording.events;
    assert_int_equal(events->n, 4);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(events->at[i].weight_bytes, i);
    assert_int_equal(events->at[3].allocation, 2);
    ubi__recorder_fini(&w.recorder);
}

/* ---- collectors --------------------------------------------------------------------------------------------------- */

static void young_objects_move_or_die(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate_young(w, N1), UBI_OK);
    assert_int_equal(allocate_young(w, N2), UBI_OK);
    assert_int_equal(ubi__recorder_promoted(&w->recorder, N1, T1), UBI_OK);
    assert_int_equal(ubi__recorder_promoted(&w->recorder, 0x7000, T2), UBI_OK); /* was not sampled */
    assert_events(w, "+1 +2");
    assert_int_equal(ubi__recorder_young_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1 +2 -2");
    assert_int_equal(ubi__recorder_young_swept(&w->recorder, 7), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, T1, 7), UBI_OK);
    assert_events(w, "+1 +2 -2 -1");
    ubi__recorder_fini(&w->recorder);
}

static void what_is_not_marked_dies(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, T1, SAMPLED), UBI_OK);
    ubi__recorder_marking_begins(&w->recorder);
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1 -1");
    ubi__recorder_fini(&w->recorder);
}

static void what_is_marked_lives_until_it_is_not(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, T1, SAMPLED), UBI_OK);
    ubi__recorder_marking_begins(&w->recorder);
    ubi__recorder_marking_begins(&w->recorder);
    ubi__recorder_marked(&w->recorder, T1);
    ubi__recorder_marked(&w->recorder, T2); /* unknown */
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1");
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK); /* without marking */
    assert_events(w, "+1");
    ubi__recorder_marking_begins(&w->recorder);
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1 -1");
    ubi__recorder_fini(&w->recorder);
}

static void what_comes_while_marking_survives(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, T1, SAMPLED), UBI_OK);
    ubi__recorder_marking_begins(&w->recorder);
    assert_int_equal(allocate(w, T2, SAMPLED), UBI_OK);
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1 +2 -1");
    assert_int_equal(ubi__recorder_freed(&w->recorder, T2, 7), UBI_OK);
    assert_events(w, "+1 +2 -1 -2");
    ubi__recorder_fini(&w->recorder);
}

static void bytes_are_not_counted_twice_when_a_young_object_moves(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate_young(w, N1), UBI_OK);
    assert_int_equal(allocate(w, T1, SAMPLED), UBI_OK);
    assert_int_equal(ubi__recorder_promoted(&w->recorder, N1, T1), UBI_OK);
    assert_int_equal(ubi__recorder_freed(&w->recorder, T1, 7), UBI_OK);
    assert_events(w, "+1 +2x -1");
    ubi__recorder_fini(&w->recorder);
}

static void objects_that_move_stay_what_they_are(void **state) {
    world *w = new_world();
    (void)state;
    assert_int_equal(allocate(w, T1, SAMPLED), UBI_OK);
    ubi__recorder_marking_begins(&w->recorder);
    ubi__recorder_marked(&w->recorder, T1);
    assert_int_equal(ubi__recorder_moved(&w->recorder, T1, T2), UBI_OK);
    assert_int_equal(ubi__recorder_moved(&w->recorder, A, B), UBI_OK);
    assert_int_equal(ubi__recorder_swept(&w->recorder, 7), UBI_OK);
    assert_events(w, "+1");
    assert_int_equal(ubi__recorder_freed(&w->recorder, T1, 7), UBI_OK);
    assert_events(w, "+1");
    assert_int_equal(ubi__recorder_freed(&w->recorder, T2, 7), UBI_OK);
    assert_events(w, "+1 -1");
    ubi__recorder_fini(&w->recorder);
}

/* ---- robustness --------------------------------------------------------------------------------------------------- */

static void what_the_recorder_does_itself_is_no_event(void **state) {
    world *w = new_world();
    (void)state;
    w->must_call_back = true;
    assert_int_equal(allocate(w, A, SAMPLED), UBI_OK);
    assert_events(w, "+1");
    assert_int_equal(w->recorder.inner_count, 2);
    w->must_call_back = false;
    assert_int_equal(allocate(w, B, SAMPLED), UBI_OK); /* it is outside again */
    assert_events(w, "+1 +2");
    ubi__recorder_fini(&w->recorder);
}

/* Everything that can be reported to a recorder; each status is kept, and the recorder must continue. */
static ubi_status get_everything(void *payload, const ubi_allocator *allocator) {
    static world w;
    ubi_status first = begin(&w, 65536, allocator);
    (void)payload;
    if (first != UBI_OK)
        return first;
    for (uint64_t i = 0; i < 200; i++) {
        ubi_status statuses[] = { allocate(&w, A + 16 * i, SAMPLED), allocate_young(&w, N1 + 0x10000 + 16 * i) };
        for (size_t j = 0; j < 2; j++)
            first = first == UBI_OK ? statuses[j] : first;
        if (i % 50 == 49) {
            ubi_status more[] = { ubi__recorder_promoted(&w.recorder, N1 + 0x10000 + 16 * i, 0x100000 + 16 * i),
                                  ubi__recorder_young_swept(&w.recorder, 7) };
            ubi__recorder_marking_begins(&w.recorder);
            ubi__recorder_marked(&w.recorder, A + 16 * i);
            ubi_status last = ubi__recorder_swept(&w.recorder, 7);
            for (size_t j = 0; j < 2; j++)
                first = first == UBI_OK ? more[j] : first;
            first = first == UBI_OK ? last : first;
        }
    }
    assert_int_equal(w.recorder.depth, 0);
    assert_int_equal(w.recorder.lost_count > 0, first != UBI_OK);
    ubi__recorder_fini(&w.recorder);
    return first;
}

static void refused_memory_loses_events_and_says_so(void **state) {
    (void)state;
    assert_true(fail_each_allocation(get_everything, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_repeats_what_it_ends),
        cmocka_unit_test(what_was_not_sampled_is_nothing),
        cmocka_unit_test(a_free_that_was_missed_ends_nothing_else),
        cmocka_unit_test(exactly_everything_is_recorded_with_its_own_size),
        cmocka_unit_test(young_objects_move_or_die),
        cmocka_unit_test(what_is_not_marked_dies),
        cmocka_unit_test(what_is_marked_lives_until_it_is_not),
        cmocka_unit_test(what_comes_while_marking_survives),
        cmocka_unit_test(bytes_are_not_counted_twice_when_a_young_object_moves),
        cmocka_unit_test(objects_that_move_stay_what_they_are),
        cmocka_unit_test(what_the_recorder_does_itself_is_no_event),
        cmocka_unit_test(refused_memory_loses_events_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
