/* SPDX-License-Identifier: MIT
 *
 * profiler_test.c: the service's lifecycle (case MP-17), its taps, and what results look like.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/profiler.h>

#include "base/status.h"
#include "base/text.h"
#include "damage.h"
#include "fail_allocator.h"
#include "recording/profiler.c"

/* ---- a heap that is made up --------------------------------------------------------------------------------------- */

typedef struct heap {
    const char *function; /* what runs; NULL: nothing */
    uint64_t time_ns;
} heap;

static ubi_status frames(void *payload, ubi_profiler_frame_fn fn, void *fn_payload) {
    const heap *h = payload;
    ubi_profiler_frame frame = { .source = ubi__text("a.js"), .line = 7 };
    if (!h->function)
        return UBI_OK;
    frame.function_name = ubi__text(h->function);
    return fn(fn_payload, &frame);
}

static uint64_t tick(void *payload) {
    return ((heap *)payload)->time_ns += 1000;
}

static ubi_profiler *new_profiler(heap *h, uint64_t period_bytes) {
    ubi_profiler *p = NULL;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.period_bytes = period_bytes;
    options.clock_ns = tick;
    options.payload = h;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_OK);
    return p;
}

static ubi_profiler_member *join(ubi_profiler *p, heap *h, uint32_t thread) {
    ubi_profiler_member *m = NULL;
    ubi_profiler_source source = { .thread = thread, .frames = frames, .payload = h };
    assert_int_equal(ubi_profiler_join(&m, p, &source), UBI_OK);
    return m;
}

static void allocate(ubi_profiler_member *m, ubi_profiler_stream stream, uintptr_t address, uint64_t size_bytes) {
    ubi_profiler_allocation a = { address, size_bytes, ubi__text("block"), UINTPTR_MAX };
    if (!ubi_profiler_passes(ubi_profiler_tap_of(m, stream), size_bytes))
        ubi_profiler_allocated(m, stream, &a);
}

static void release(ubi_profiler_member *m, ubi_profiler_stream stream, uintptr_t address) {
    if (ubi_profiler_may_know(ubi_profiler_tap_of(m, stream), address))
        ubi_profiler_freed(m, stream, address);
}

/* "+10 -10 +3": sizes of the results' events; "none" without results. */
static const char *events_of(ubi_profiler_member *m) {
    static char text[256];
    size_t at = 0;
    ubi_recording *r = NULL;
    assert_int_equal(ubi_profiler_results(&r, m), UBI_OK);
    if (!r)
        return "none";
    text[0] = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%c%d", i ? " " : "", e.is_free ? '-' : '+',
                               (int)e.size_bytes);
    }
    ubi_recording_free(r);
    return text;
}

static void start(ubi_profiler_member *m) {
    assert_int_equal(ubi_profiler_start(m), UBI_OK);
}

/* A member and its profiler; objects are 1 byte, memory is 2 bytes each. */
typedef struct world {
    heap heap;
    ubi_profiler *profiler;
    ubi_profiler_member *a, *b;
} world;

static void begin(world *w) {
    *w = (world){ .heap = { "f", 0 } };
    w->profiler = new_profiler(&w->heap, 1);
    w->a = join(w->profiler, &w->heap, 1);
    w->b = join(w->profiler, &w->heap, 2);
}

static void end(world *w) {
    ubi_profiler_leave(w->a);
    ubi_profiler_leave(w->b);
    ubi_profiler_free(w->profiler);
}

static void work(ubi_profiler_member *m, uintptr_t address) {
    allocate(m, UBI_PROFILER_OBJECTS, address, 1);
    allocate(m, UBI_PROFILER_MEMORY, address + 16, 2);
}

/* ---- the lifecycle ------------------------------------------------------------------------------------------------ */

static void a_second_start_does_nothing_and_one_stop_suffices(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    start(w.a);
    ubi_profiler_stop(w.a);
    assert_false(ubi_profiler_is_running(w.a));
    work(w.a, 0x2000);
    assert_string_equal(events_of(w.a), "+1 +2");
    end(&w);
}

static void a_stop_without_start_does_nothing(void **state) {
    (void)state;
    world w;
    begin(&w);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "none");
    start(w.b);
    ubi_profiler_stop(w.a);
    assert_true(ubi_profiler_is_running(w.b));
    end(&w);
}

static void there_are_no_results_while_it_runs(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    assert_string_equal(events_of(w.a), "none");
    end(&w);
}

static void results_can_be_taken_twice(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "+1 +2");
    assert_string_equal(events_of(w.a), "+1 +2");
    end(&w);
}

static void reset_drops_the_results(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    ubi_profiler_stop(w.a);
    ubi_profiler_reset(w.a);
    assert_string_equal(events_of(w.a), "none");
    end(&w);
}

static void reset_is_ignored_while_it_runs(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    ubi_profiler_reset(w.a);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "+1 +2");
    end(&w);
}

static void a_second_session_has_its_objects_and_the_memory_of_both(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    ubi_profiler_stop(w.a);
    start(w.a);
    allocate(w.a, UBI_PROFILER_OBJECTS, 0x3000, 10);
    allocate(w.a, UBI_PROFILER_MEMORY, 0x4000, 20);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "+2 +10 +20");
    end(&w);
}

static void clear_on_start_empties_both(void **state) {
    (void)state;
    heap h = { "f", 0 };
    ubi_profiler *p = NULL;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.period_bytes = 1;
    options.is_cleared_on_start = true;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_OK);
    ubi_profiler_member *a = join(p, &h, 1), *b = join(p, &h, 2);
    start(a);
    work(a, 0x1000);
    start(b); /* not the first: nothing is emptied */
    ubi_profiler_stop(b);
    ubi_profiler_stop(a);
    assert_string_equal(events_of(a), "+1 +2");
    start(a);
    ubi_profiler_stop(a);
    assert_string_equal(events_of(a), "");
    ubi_profiler_leave(a);
    ubi_profiler_leave(b);
    ubi_profiler_free(p);
}

static void no_one_has_results_while_any_runs(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    start(w.b);
    work(w.a, 0x1000);
    work(w.b, 0x2000);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "none");
    ubi_profiler_reset(w.a); /* its objects, but not the memory of one that runs */
    ubi_profiler_stop(w.b);
    assert_string_equal(events_of(w.a), "none");
    assert_string_equal(events_of(w.b), "+2 +1 +2");
    end(&w);
}

static void who_never_started_has_no_results(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.b), "none");
    assert_string_equal(events_of(w.a), "");
    end(&w);
}

static void what_lives_at_the_stop_is_not_freed(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    work(w.a, 0x1000);
    release(w.a, UBI_PROFILER_OBJECTS, 0x1000);
    ubi_profiler_stop(w.a);
    release(w.a, UBI_PROFILER_MEMORY, 0x1010);
    assert_string_equal(events_of(w.a), "+1 +2 -1");
    end(&w);
}

/* ---- taps --------------------------------------------------------------------------------------------------------- */

static void what_was_not_sampled_is_neither_reported_nor_known(void **state) {
    (void)state;
    heap h = { "f", 0 };
    ubi_profiler *p = new_profiler(&h, 1 << 20);
    ubi_profiler_member *m = join(p, &h, 1);
    start(m);
    ubi_profiler_tap *tap = ubi_profiler_tap_of(m, UBI_PROFILER_OBJECTS);
    tap->remaining_bytes = 101;
    allocate(m, UBI_PROFILER_OBJECTS, 0x1000, 100);
    assert_int_equal(tap->remaining_bytes, 1);
    assert_false(ubi_profiler_may_know(tap, 0x1000));
    allocate(m, UBI_PROFILER_OBJECTS, 0x2000, 100);
    assert_true(ubi_profiler_may_know(tap, 0x2000));
    assert_true(tap->remaining_bytes > 0);
    release(m, UBI_PROFILER_OBJECTS, 0x2000);
    assert_false(ubi_profiler_may_know(tap, 0x2000));
    ubi_profiler_stop(m);
    assert_string_equal(events_of(m), "+100 -100");
    ubi_profiler_leave(m);
    ubi_profiler_free(p);
}

static void addresses_alike_in_their_bits_are_not_confused(void **state) {
    (void)state;
    world w;
    const uintptr_t apart = (uintptr_t)UBI_PROFILER_KNOWN_BYTES << 4;
    begin(&w);
    start(w.a);
    ubi_profiler_tap *tap = ubi_profiler_tap_of(w.a, UBI_PROFILER_MEMORY);
    for (uintptr_t i = 0; i < 300; i++) /* more than a byte can count */
        allocate(w.a, UBI_PROFILER_MEMORY, 0x1000 + i * apart, 5);
    release(w.a, UBI_PROFILER_MEMORY, 0x1000 + 300 * apart);
    for (uintptr_t i = 0; i < 299; i++)
        release(w.a, UBI_PROFILER_MEMORY, 0x1000 + i * apart);
    assert_true(ubi_profiler_may_know(tap, 0x1000 + 299 * apart));
    ubi_profiler_stop(w.a);
    ubi_recording *r = NULL;
    assert_int_equal(ubi_profiler_results(&r, w.a), UBI_OK);
    assert_int_equal(ubi_recording_event_count(r), 599);
    ubi_recording_free(r);
    end(&w);
}

static void a_block_that_is_an_object_is_withdrawn(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    allocate(w.a, UBI_PROFILER_MEMORY, 0x1000, 80);
    allocate(w.a, UBI_PROFILER_MEMORY, 0x2000, 8);
    ubi_profiler_withdraw(w.a, 0x1000);
    allocate(w.a, UBI_PROFILER_OBJECTS, 0x1000, 88);
    assert_false(ubi_profiler_may_know(ubi_profiler_tap_of(w.a, UBI_PROFILER_MEMORY), 0x1000));
    release(w.a, UBI_PROFILER_OBJECTS, 0x1000);
    release(w.a, UBI_PROFILER_MEMORY, 0x1000);
    ubi_profiler_stop(w.a);
    assert_string_equal(events_of(w.a), "+8 +88 -88");
    end(&w);
}

/* ---- stacks and names --------------------------------------------------------------------------------------------- */

/* Frames of scripts for the table below: where each keeps something on the stack; for coroutines what resumed it, or 0. */
#define RESUMED_BY(address) (RESUMED + (address))
#define RESUMED 0x1000
typedef struct script {
    const uintptr_t *at;
    size_t n;
} script;

static ubi_status script_frames(void *payload, ubi_profiler_frame_fn fn, void *fn_payload) {
    const script *s = payload;
    for (size_t i = 0; i < s->n; i++) {
        char name[24];
        snprintf(name, sizeof name, "s%zu", i);
        ubi_profiler_frame frame = { .function_name = ubi__text(name), .source = ubi__text("x"), .line = 1 };
        if (s->at[i] >= RESUMED)
            frame.resumer_address = s->at[i] - RESUMED;
        else
            frame.stack_address = s->at[i];
        UBI_TRY(fn(fn_payload, &frame));
    }
    return UBI_OK;
}

/* The stack innermost first: native frames as their pc, frames of scripts by name. */
static const char *merged(const char *native, const uintptr_t *at, size_t n_scripts) {
    static char text[256];
    script s = { at, n_scripts };
    ubi_profiler_source source = { .frames = script_frames, .payload = &s };
    ubi__native_frame rows[16];
    size_t n = strlen(native), used = 0;
    for (size_t i = 0; i < n; i++) /* 'i': the interpreter; else any function; 16 bytes of stack each */
        rows[i] = (ubi__native_frame){ 0xa0 + i, 16 * i, 16 * i + 16, native[i] == 'i' };
    ubi__mixed_stack m;
    ubi__trace_table traces;
    ubi__trace_ix trace;
    assert_int_equal(ubi__mixed_stack_init(&m, NULL), UBI_OK);
    assert_int_equal(ubi__trace_table_init(&traces, NULL), UBI_OK);
    assert_int_equal(ubi__mixed_stack_merge(&m, &source, rows, n, &traces, &trace), UBI_OK);
    text[0] = 0;
    for (; trace; trace = traces.rows.at[trace].parent) {
        ubi_text name = ubi__strtab_get(&traces.names, traces.rows.at[trace].name);
        uintptr_t address;
        if (ubi__address_of_name(&address, name))
            used += (size_t)snprintf(text + used, sizeof text - used, " %zx", (size_t)address);
        else
            used += (size_t)snprintf(text + used, sizeof text - used, " %.2s", name.ptr);
    }
    ubi__trace_table_fini(&traces);
    ubi__mixed_stack_fini(&m);
    return text;
}

static void frames_of_scripts_replace_their_interpreter(void **state) {
    (void)state;
    assert_string_equal(merged("nnn", NULL, 0), " a0 a1 a2");
    assert_string_equal(merged("nin", (uintptr_t[]){ 20 }, 1), " a0 s0 a2");
    assert_string_equal(merged("ninin", (uintptr_t[]){ 20, 52 }, 2), " a0 s0 a2 s1 a4");
    /* Known by its place, whatever the function is called: a part of it that the compiler put elsewhere. */
    assert_string_equal(merged("nnn", (uintptr_t[]){ 20 }, 1), " a0 s0 a2");
    /* A coroutine keeps nothing on the stack: its interpreter is the one inside what resumed it. */
    assert_string_equal(merged("ninin", (uintptr_t[]){ RESUMED_BY(36), 52 }, 2), " a0 s0 a2 s1 a4");
    /* Not the one before, which passed a call on from one native function to another. */
    assert_string_equal(merged("nininin", (uintptr_t[]){ 20, RESUMED_BY(100) }, 2), " a0 s0 a2 a4 s1 a6");
    assert_string_equal(merged("nininnn", (uintptr_t[]){ 20, RESUMED_BY(100) }, 2), " a0 s0 a2 a4 s1 a6");
    /* When nothing says so, the next interpreter. */
    assert_string_equal(merged("ninin", (uintptr_t[]){ 0, 52 }, 2), " a0 s0 a2 s1 a4");
    /* An interpreter without a script, such as one that is about to begin, is left out. */
    assert_string_equal(merged("inin", (uintptr_t[]){ 36 }, 1), " a1 s0 a3");
    assert_string_equal(merged("ninini", (uintptr_t[]){ 20 }, 1), " a0 s0 a2 a4");
    /* A script further out than the native frames that were read. */
    assert_string_equal(merged("ninn", (uintptr_t[]){ 20, 164, 180 }, 3), " a0 s0 a2 a3 s1 s2");
    /* No native stack at all. */
    assert_string_equal(merged("", (uintptr_t[]){ 20, 0 }, 2), " s0 s1");
}

static ubi_status two_names(void *payload, uintptr_t address, ubi_profiler_name_fn name, void *name_payload) {
    (void)payload;
    if (address != 0xa0)
        return UBI_OK;
    UBI_TRY(name(name_payload, ubi__text("outer (a.c:1)")));
    return name(name_payload, ubi__text("inlined (a.c:2)"));
}

static void addresses_get_names_once_and_inlined_ones_are_frames(void **state) {
    (void)state;
    ubi__recording r;
    ubi__trace_ix trace = 0;
    ubi_str_ix name;
    char text[UBI__ADDRESS_NAME_BYTES + 1];
    uintptr_t pcs[] = { 0xa0, 0xa1, 0xa0 };
    assert_int_equal(ubi__recording_init(&r, 1, NULL), UBI_OK);
    for (size_t i = 0; i < 3; i++) {
        ubi__address_name(text, pcs[i]);
        assert_int_equal(ubi__trace_table_name(&r.traces, &name, ubi__text(text)), UBI_OK);
        assert_int_equal(ubi__trace_table_child(&r.traces, &trace, trace, name), UBI_OK);
    }
    ubi__event event = { .allocation = 1, .size_bytes = 8, .weight_bytes = 8, .trace = trace };
    assert_int_equal(ubi__strtab_intern(&r.kinds, &event.kind, ubi__text("malloc")), UBI_OK);
    assert_int_equal(ubi__vec_event_push(&r.events, r.allocator, event), UBI_OK);
    ubi__address_names names = { two_names, NULL };
    ubi_recording *named;
    assert_int_equal(ubi__recorded_new(&named, &r, &names), UBI_OK);
    const char *expected[] = { "inlined (a.c:2)", "outer (a.c:1)", "0xa1", "inlined (a.c:2)", "outer (a.c:1)" };
    uint32_t at = ubi_recording_event(named, 0).trace;
    for (size_t i = 0; i < 5; i++) {
        ubi_recorded_trace row = ubi_recording_trace(named, at);
        ubi_text told = ubi_recording_name(named, row.name);
        assert_int_equal(told.len, strlen(expected[i]));
        assert_memory_equal(told.ptr, expected[i], told.len);
        at = row.parent;
    }
    assert_int_equal(at, 0);
    assert_int_equal(ubi_recording_name_count(named), 4);
    ubi_recording_free(named);
    ubi__recording_fini(&r);
}

/* Its name is in the module's symbols, so only its module and place are recorded. */
static __attribute__((noinline)) void allocate_here(ubi_profiler_member *m) {
    ubi_profiler_allocation a = { 0x1000, 1, ubi__text("block"), 0 };
    ubi_profiler_allocated(m, UBI_PROFILER_MEMORY, &a);
    __asm__ volatile("" ::: "memory");
}

static void native_frames_are_this_threads(void **state) {
    (void)state;
    heap h = { NULL, 0 };
    ubi_profiler *p = new_profiler(&h, 1);
    ubi_profiler_member *m = join(p, &h, 1);
    ubi_recording *r = NULL;
    start(m);
    allocate_here(m);
    ubi_profiler_stop(m);
    assert_int_equal(ubi_profiler_results(&r, m), UBI_OK);
    uint32_t depth = 0;
    for (uint32_t at = ubi_recording_event(r, 0).trace; at; at = ubi_recording_trace(r, at).parent) {
        ubi_text name = ubi_recording_name(r, ubi_recording_trace(r, at).name);
        assert_non_null(memmem(name.ptr, name.len, "+0x", 3));
        depth++;
    }
    assert_true(depth >= 4); /* this function, what runs tests, main, and what calls that */
    ubi_recording_free(r);
    ubi_profiler_leave(m);
    ubi_profiler_free(p);
}

/* ---- mistakes and want of memory ---------------------------------------------------------------------------------- */

static void impossible_options_are_refused(void **state) {
    (void)state;
    ubi_profiler *p = NULL;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.version = 9;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_EINVAL);
    options = (ubi_profiler_options)UBI_PROFILER_OPTIONS_INIT;
    options.period_bytes = 0;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_EINVAL);
    options.period_bytes = (UINT64_C(1) << 48) + 1;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_EINVAL);
    assert_null(p);
}

/* What could not be recorded is lost without a word, so it is missed here. */
static ubi_status whole_life(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    heap h = { "f", 0 };
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    ubi_profiler_source source = { .thread = 1, .frames = frames, .payload = &h };
    ubi_profiler *p = NULL;
    ubi_profiler_member *m = NULL;
    ubi_recording *r = NULL;
    options.allocator = allocator;
    options.period_bytes = 1;
    UBI_TRY(ubi_profiler_new(&p, &options));
    ubi_status status = ubi_profiler_join(&m, p, &source);
    if (status == UBI_OK)
        status = ubi_profiler_start(m);
    if (status == UBI_OK) {
        work(m, 0x1000);
        release(m, UBI_PROFILER_OBJECTS, 0x1000);
        ubi_profiler_stop(m);
        status = ubi_profiler_results(&r, m);
    }
    if (status == UBI_OK && ubi_recording_event_count(r) != 3)
        status = UBI_ENOMEM;
    ubi_recording_free(r);
    ubi_profiler_leave(m);
    ubi_profiler_free(p);
    return status;
}

static void every_refused_allocation_is_survived(void **state) {
    (void)state;
    assert_true(fail_each_allocation(whole_life, NULL) > 10);
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

static void check_member(void *member) {
    member_check(member);
}

static void damaged_members_are_seen(void **state) {
    (void)state;
    world w;
    begin(&w);
    start(w.a);
    ubi_profiler_tap *tap = &w.a->streams[UBI_PROFILER_OBJECTS].tap;
    member_check(w.a);
    w.profiler->running_count--;
    assert_damage_seen(check_member, w.a, "m->profiler->running_count > 0");
    w.profiler->running_count++;
    uintptr_t high = w.a->stack_high;
    w.a->stack_high = w.a->stack_low - 1;
    assert_damage_seen(check_member, w.a, "m->stack_low <= m->stack_high");
    w.a->stack_high = high;
    tap->known = w.a->streams[UBI_PROFILER_MEMORY].known;
    assert_damage_seen(check_member, w.a, "tap->known == m->streams[i].known");
    tap->known = w.a->streams[UBI_PROFILER_OBJECTS].known;
    ubi_profiler_stop(w.a);
    tap->remaining_bytes = 1;
    assert_damage_seen(check_member, w.a, "tap->remaining_bytes == UINT64_MAX");
    tap->remaining_bytes = UINT64_MAX;
    member_check(w.a);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_start_does_nothing_and_one_stop_suffices),
        cmocka_unit_test(a_stop_without_start_does_nothing),
        cmocka_unit_test(there_are_no_results_while_it_runs),
        cmocka_unit_test(results_can_be_taken_twice),
        cmocka_unit_test(reset_drops_the_results),
        cmocka_unit_test(reset_is_ignored_while_it_runs),
        cmocka_unit_test(a_second_session_has_its_objects_and_the_memory_of_both),
        cmocka_unit_test(clear_on_start_empties_both),
        cmocka_unit_test(no_one_has_results_while_any_runs),
        cmocka_unit_test(who_never_started_has_no_results),
        cmocka_unit_test(what_lives_at_the_stop_is_not_freed),
        cmocka_unit_test(what_was_not_sampled_is_neither_reported_nor_known),
        cmocka_unit_test(addresses_alike_in_their_bits_are_not_confused),
        cmocka_unit_test(a_block_that_is_an_object_is_withdrawn),
        cmocka_unit_test(frames_of_scripts_replace_their_interpreter),
        cmocka_unit_test(addresses_get_names_once_and_inlined_ones_are_frames),
        cmocka_unit_test(native_frames_are_this_threads),
        cmocka_unit_test(impossible_options_are_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(damaged_members_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
