/* SPDX-License-Identifier: MIT
 *
 * runtime_profiler_test.c: what the memory profiler records of a runtime. The truth is what the engine counts itself.
 */
#include <stdint.h>

#include "engine_facts.h"
#include "engines/quickjs/engine.h"
#include "engines/quickjs/tracking_testing.h"

/* ---- helpers ------------------------------------------------------------------------------------------------------ */

typedef struct clock_and_dice {
    uint64_t time_ns, random;
} clock_and_dice;

static uint64_t tick(void *payload) {
    return ((clock_and_dice *)payload)->time_ns += 1000;
}

static double draw(void *payload) {
    uint64_t *random = &((clock_and_dice *)payload)->random;
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*random >> 11) * 0x1p-53;
}

static ubi_profiler *new_profiler(clock_and_dice *c, uint64_t period_bytes) {
    ubi_profiler *p;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.period_bytes = period_bytes;
    options.clock_ns = tick;
    options.random = draw;
    options.payload = c;
    assert_int_equal(ubi_profiler_new(&p, &options), UBI_OK);
    return p;
}

static ubi_recording *results(world *w) {
    ubi_recording *r;
    ubi_quickjs_stop_profiler(w->tools);
    assert_int_equal(ubi_quickjs_profiler_results(&r, w->tools), UBI_OK);
    assert_non_null(r);
    return r;
}

static bool is_text(ubi_text text, const char *expected) {
    return text.len == strlen(expected) && memcmp(text.ptr, expected, text.len) == 0;
}

static bool is_memory(const ubi_recorded_event *e) {
    return is_text(e->kind, "malloc") || is_text(e->kind, "realloc");
}

/* Innermost first, only frames of scripts: "leaf (a.js:2) < mid (a.js:5)". */
static const char *script_stack(const ubi_recording *r, uint32_t trace) {
    static char text[512];
    size_t used = 0;
    text[0] = 0;
    for (; trace; trace = ubi_recording_trace(r, trace).parent) {
        ubi_text name = ubi_recording_name(r, ubi_recording_trace(r, trace).name);
        if (memmem(name.ptr, name.len, ".js:", 4))
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used ? " < " : "", (int)name.len, name.ptr);
    }
    return text;
}

static uint64_t count_kind(const ubi_recording *r, const char *kind, bool frees) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        n += e.is_free == frees && is_text(e.kind, kind);
    }
    return n;
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

static void every_object_is_recorded_with_the_stack_of_its_script(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    eval(w.ctx, "a.js",
         "function leaf() {\n return new Date(0); }\nfunction mid() {\n return leaf(); }\nvar kept = [];");
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "b.js", "for (let i = 0; i < 100; i++) { const d = mid(); if (i % 4 == 0) kept.push(d); }");
    const char *stack = "leaf (a.js:2:17) < mid (a.js:4:13) < anonymous (b.js:1:46)";
    ubi_recording *r = results(&w);
    assert_int_equal(count_kind(r, "Date", false), 100);
    assert_int_equal(count_kind(r, "Date", true), 75);
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        assert_int_equal(e.weight_bytes, e.size_bytes);
        if (is_text(e.kind, "Date"))
            assert_string_equal(script_stack(r, e.trace), engine_places(stack));
    }
    ubi_recording_free(r);
    world_close(&w);
    ubi_profiler_free(p);
}

static void frames_of_coroutines_and_callbacks_stand_where_they_were_called(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "g.js",
         "function* gen() {\n yield new Date(0); }\nfunction each() {\n return [1].map(() => [...gen()]); }\neach();");
    ubi_recording *r = results(&w);
    uint32_t trace = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        if (is_text(e.kind, "Date") && !e.is_free)
            trace = e.trace;
    }
    const char *stack = "gen (g.js:2:16) < anonymous (g.js:4:24) < each (g.js:4:16) < anonymous (g.js:5:5)";
    assert_string_equal(script_stack(r, trace), engine_places(stack));
    /* Between them are the engine's own functions: what resumes a generator, and Array.prototype.map. */
    bool after_gen = false;
    uint32_t native_between = 0, native_before = 0;
    bool before = true;
    for (; trace; trace = ubi_recording_trace(r, trace).parent) {
        ubi_text name = ubi_recording_name(r, ubi_recording_trace(r, trace).name);
        bool is_script = memmem(name.ptr, name.len, "g.js:", 5) != NULL;
        before = before && !is_script;
        native_before += before;
        if (is_script)
            after_gen = memmem(name.ptr, name.len, "gen (g.js:2", 11) != NULL;
        else
            native_between += after_gen;
    }
    assert_true(native_before >= 1);
    assert_true(native_between >= 1);
    ubi_recording_free(r);
    world_close(&w);
    ubi_profiler_free(p);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

/* As many objects and blocks as the engine counts. */
static void the_memory_stream_is_what_was_allocated_and_no_object(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    eval(w.ctx, "m.js",
         "var kept = []; function work(n) { for (let i = 0; i < n; i++) kept[i % 50] = { i, s: 'x' + i, b: "
         "new ArrayBuffer(i) }; }\nwork(200);");
    JSMemoryUsage before, after;
    JS_RunGC(w.rt);
    JS_ComputeMemoryUsage(w.rt, &before);
    uint64_t blocks_before = ubi__block_count(w.rt);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "w.js", "kept.push({}, []); Array.from({ length: 300 }, (_, i) => kept.push({ a: i, t: 'y' + i }));");
    ubi_quickjs_stop_profiler(w.tools);
    JS_ComputeMemoryUsage(w.rt, &after);
    uint64_t blocks = ubi__block_count(w.rt) - blocks_before;
    ubi_recording *r = results(&w);
    int64_t live = 0, objects = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        *(is_memory(&e) ? &live : &objects) += e.is_free ? -1 : 1;
    }
    assert_int_equal(objects, after.obj_count - before.obj_count);
    /* Blocks that are older and were freed meanwhile are unknown: the array's old elements, and at most a few more. */
    assert_in_range(live + objects, blocks, blocks + 4);
    ubi_recording_free(r);
    world_close(&w);
    ubi_profiler_free(p);
}

static void sampling_estimates_what_was_allocated(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 42 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, UBI_PROFILER_PERIOD_BYTES);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "s.js", "for (let i = 0; i < 1000000; i++) ({});");
    ubi_recording *r = results(&w);
    double objects = 0, size_bytes = 0;
    uint64_t n = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++) {
        ubi_recorded_event e = ubi_recording_event(r, i);
        if (e.is_free || is_memory(&e))
            continue;
        assert_int_equal(e.weight_bytes % UBI_PROFILER_PERIOD_BYTES, 0);
        size_bytes = (double)e.size_bytes;
        objects += (double)e.weight_bytes;
        n++;
    }
    double truth = 1e6 * size_bytes, error = (double)UBI_PROFILER_PERIOD_BYTES * 37; /* of some 1,340 samples */
    assert_true(n > 1000);
    assert_true(objects > truth - 4 * error && objects < truth + 4 * error);
    ubi_recording_free(r);
    world_close(&w);
    ubi_profiler_free(p);
}

/* ---- beside other tools ------------------------------------------------------------------------------------------- */

static rows log_of_run(bool profiled, uint64_t period_bytes) {
    clock_and_dice c = { 0, 7 }, of_profiler = { 0, 8 };
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.random = draw;
    options.random_payload = &c;
    world w = world_open(&options);
    ubi_profiler *p = new_profiler(&of_profiler, period_bytes);
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    eval(w.ctx, "f.js", "function f(n) { for (let i = 0; i < n; i++)\n [i,\n { i },\n [i]]; }");
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_probability(o, 0.1), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    for (int part = 0; part < 4; part++) { /* starts and stops between births of a skip */
        if (profiled && part % 2 == 0)
            assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
        eval(w.ctx, "r.js", "f(301)");
        ubi_quickjs_stop_profiler(w.tools);
    }
    rows all = drain(o);
    world_close(&w);
    ubi_profiler_free(p);
    return all;
}

static void trackers_see_the_same_births_whether_it_records_or_not(void **state) {
    UNUSED_STATE(state);
    static const uint64_t periods[] = { 1, 700, UBI_PROFILER_PERIOD_BYTES };
    rows without = log_of_run(false, 1);
    assert_true(without.n > 200);
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        rows with = log_of_run(true, periods[i]);
        assert_int_equal(with.n, without.n);
        for (uint32_t k = 0; k < with.n; k++) {
            assert_int_equal(with.at[k].line, without.at[k].line);
            assert_string_equal(with.at[k].class_name, without.at[k].class_name);
        }
        free(with.at);
    }
    free(without.at);
}

static void nothing_saw(void *payload, uint64_t object_id) {
    (void)object_id;
    ++*(uint32_t *)payload;
}

static void foreign_hooks_see_every_birth_and_the_profiler_as_many_as_before(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1000);
    uint32_t seen = 0;
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    eval(w.ctx, "f.js", "function f(n) { for (let i = 0; i < n; i++) ({}); }");
    uint64_t counts[2];
    for (int hooked = 0; hooked < 2; hooked++) {
        c.random = 5;
        if (hooked)
            assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, w.ctx, nothing_saw, &seen), UBI_OK);
        assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
        eval(w.ctx, "r.js", "f(1000)");
        ubi_recording *r = results(&w);
        counts[hooked] = count_kind(r, "Object", false);
        ubi_recording_free(r);
        ubi_quickjs_reset_profiler(w.tools);
    }
    assert_true(seen >= 1000);
    assert_true(counts[0] > 20);
    assert_true(counts[1] > 20);
    world_close(&w);
    ubi_profiler_free(p);
}

static void a_heap_can_be_saved_while_it_is_profiled(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world w = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1);
    ubi_quickjs_coverage coverage;
    assert_int_equal(ubi_quickjs_join_profiler(w.tools, p), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "r.js", "var a = [1, {}, 'x'];");
    assert_int_equal(ubi_quickjs_measure_coverage(w.tools, &coverage), UBI_OK);
    eval(w.ctx, "r.js", "var b = new Date(0);");
    ubi_recording *r = results(&w);
    assert_int_equal(count_kind(r, "Date", false), 1);
    assert_int_equal(coverage.overcounts, 0);
    ubi_recording_free(r);
    world_close(&w);
    ubi_profiler_free(p);
}

/* ---- members ------------------------------------------------------------------------------------------------------ */

static void two_runtimes_share_the_memory_stream_but_not_objects(void **state) {
    UNUSED_STATE(state);
    clock_and_dice c = { 0, 1 };
    world a = world_open(NULL), b = world_open(NULL);
    ubi_profiler *p = new_profiler(&c, 1);
    assert_int_equal(ubi_quickjs_join_profiler(a.tools, p), UBI_OK);
    assert_int_equal(ubi_quickjs_join_profiler(a.tools, p), UBI_EBUSY);
    assert_int_equal(ubi_quickjs_join_profiler(b.tools, p), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(a.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_start_profiler(b.tools), UBI_OK);
    assert_true(ubi_quickjs_profiler_is_running(a.tools));
    eval(a.ctx, "a.js", "var d = new Date(0); var m = new Map();");
    eval(b.ctx, "b.js", "var d = new Date(0); var u = new ArrayBuffer(12345);");
    ubi_quickjs_stop_profiler(a.tools);
    ubi_recording *r;
    assert_int_equal(ubi_quickjs_profiler_results(&r, a.tools), UBI_OK);
    assert_null(r);
    ubi_quickjs_stop_profiler(b.tools);
    assert_int_equal(ubi_quickjs_profiler_results(&r, a.tools), UBI_OK);
    assert_int_equal(count_kind(r, "Date", false), 1);
    assert_int_equal(count_kind(r, "Map", false), 1);
    assert_int_equal(count_kind(r, "ArrayBuffer", false), 0);
    uint64_t of_b = 0;
    for (uint64_t i = 0; i < ubi_recording_event_count(r); i++)
        of_b += ubi_recording_event(r, i).size_bytes == 12345;
    assert_int_equal(of_b, 1);
    ubi_recording_free(r);
    world_close(&a);
    world_close(&b);
    ubi_profiler_free(p);
}

static void without_a_profiler_given_it_has_one_of_its_own(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_recording *r;
    assert_int_equal(ubi_quickjs_profiler_results(&r, w.tools), UBI_OK);
    assert_null(r);
    ubi_quickjs_stop_profiler(w.tools);
    ubi_quickjs_reset_profiler(w.tools);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK);
    eval(w.ctx, "r.js", "var b = new ArrayBuffer(3 << 20);");
    r = results(&w);
    assert_int_equal(ubi_recording_period_bytes(r), UBI_PROFILER_PERIOD_BYTES);
    assert_true(ubi_recording_event_count(r) >= 1); /* so large that it is sampled, nearly for certain */
    ubi_recording_free(r);
    assert_int_equal(ubi_quickjs_start_profiler(w.tools), UBI_OK); /* and is running when the tools go */
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_is_recorded_with_the_stack_of_its_script),
        cmocka_unit_test(frames_of_coroutines_and_callbacks_stand_where_they_were_called),
        cmocka_unit_test(the_memory_stream_is_what_was_allocated_and_no_object),
        cmocka_unit_test(sampling_estimates_what_was_allocated),
        cmocka_unit_test(trackers_see_the_same_births_whether_it_records_or_not),
        cmocka_unit_test(foreign_hooks_see_every_birth_and_the_profiler_as_many_as_before),
        cmocka_unit_test(a_heap_can_be_saved_while_it_is_profiled),
        cmocka_unit_test(two_runtimes_share_the_memory_stream_but_not_objects),
        cmocka_unit_test(without_a_profiler_given_it_has_one_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
