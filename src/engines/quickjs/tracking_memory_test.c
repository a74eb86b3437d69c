/* SPDX-License-Identifier: MIT
 *
 * The tools' own memory: it does not grow with time, and when there is none, entries are lost and nothing else.
 *
 * UBI_DEEP=1: 10^8 allocations instead of 10^6.
 */
#include "engines/quickjs/tracking_testing.h"

#include <ubiheap/extension/target.h>

#include "fail_allocator.h"
#include "random_numbers.h"

static world world_with(fail_allocator *memory) {
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.allocator = &memory->allocator;
    return world_open(&options);
}

static uint64_t allocations_wanted(void) {
    const char *deep = getenv("UBI_DEEP"), *kind = getenv("UBI_PRESET_KIND");
    uint64_t n = deep && strcmp(deep, "1") == 0 ? 100000000 : 1000000;
    return kind && strcmp(kind, "plain") != 0 ? n / 10 : n;
}

/* Into nothing, with the memory of the tools. Stacks of all that is tracked are in it. */
static void take_snapshot(world *w, fail_allocator *memory) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.allocator = &memory->allocator;
    options.threads = 1;
    assert_int_equal(ubi_target_save(ubi_quickjs_target(w->tools), NULL, "/dev/null", &options, NULL), UBI_OK);
}

static void tools_do_not_grow_with_waves_of_allocations_and_snapshots(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    world w = world_with(&memory);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    eval(w.ctx, "wave.js",
         "class Item { constructor(i) { this.i = i; this.list = [i]; } }\n"
         "function wave(n) {\n  let all = [];\n  for (let i = 0; i < n; i++) {\n    all.push(new Item(i));\n"
         "    if (all.length == 1700) all = [];\n  }\n  globalThis.last = all;\n}");
    uint64_t want = allocations_wanted(), waves = 50, after_first = 0;
    JSValue wave = global_value(w.ctx, "wave"), n = JS_NewInt64(w.ctx, (int64_t)(want / waves / 2));
    for (uint64_t i = 0; i < waves; i++) {
        JS_FreeValue(w.ctx, JS_Call(w.ctx, wave, JS_UNDEFINED, 1, &n));
        forget_log(o);
        if (i % 7 == 0)
            JS_RunGC(w.rt);
        take_snapshot(&w, &memory);
        if (i == 3)
            after_first = memory.live_bytes;
    }
    assert_true(ubi__tracking_of(w.tools)->last_serial >= want);
    assert_int_equal(memory.live_bytes, after_first);
    JS_FreeValue(w.ctx, wave);
    world_close(&w);
    fail_allocator_fini(&memory);
}

/* Every function is new, with a new name, in a new file: what is no longer reachable is forgotten. */
static void scripts_that_come_and_go_leave_nothing(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    world w = world_with(&memory);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 100), UBI_OK);
    const uint32_t n_scripts = every_case_is_tried() ? 60000 : 12000;
    for (uint32_t i = 0; i < n_scripts; i++) {
        char file[32], source[128];
        snprintf(file, sizeof file, "file%u.js", i);
        snprintf(source, sizeof source, "(function name%u() { return new (function Ctor%u() { this.o = {}; }); })()", i,
                 i);
        eval(w.ctx, file, source);
    }
    assert_true(memory.peak_bytes < 400 << 10); /* 12000 frames alone would be more than that */
    world_close(&w);
    fail_allocator_fini(&memory);
}

/* A snapshot has the stacks of what lives then; when that dies, they go as well. */
static void snapshots_of_scripts_that_come_and_go_leave_nothing(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    world w = world_with(&memory);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 1), UBI_OK);
    const uint32_t n_scripts = every_case_is_tried() ? 300 : 60;
    for (uint32_t i = 0; i < n_scripts; i++) {
        char file[32], source[160];
        snprintf(file, sizeof file, "file%u.js", i);
        snprintf(source, sizeof source, "globalThis.kept = (function name%u() { return [{}, []]; })()", i);
        eval(w.ctx, file, source);
        take_snapshot(&w, &memory);
    }
    ubi__tracking *t = ubi__tracking_of(w.tools);
    assert_true(t->frames.table.n >= 2 * n_scripts); /* the script and its function, each time */
    ubi__tracking_sweep(t);
    assert_true(t->frames.table.n < 10);
    world_close(&w);
    fail_allocator_fini(&memory);
}

/* What was handed out keeps its number and its names, whatever else is forgotten. */
static void stacks_that_were_handed_out_stay(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    eval(w.ctx, "kept.js", "(function keeper() {\n  return {};\n})()");
    rows all = drain(o);
    const row *r = need_row(&all, "Object", 2);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 100), UBI_OK);
    const uint32_t n_scripts = every_case_is_tried() ? 30000 : 6000;
    for (uint32_t i = 0; i < n_scripts; i++)
        eval(w.ctx, "gone.js", "(function () { return {}; })()");
    ubi_stack stack = { ubi_quickjs_stack_ops(), ubi__tracking_of(w.tools), r->stack };
    row again;
    describe_stack(&again, stack);
    assert_string_equal(again.function, "keeper");
    assert_string_equal(again.file, "kept.js");
    assert_int_equal(again.line, 2);
    assert_int_equal(again.depth, r->depth);
    free(all.at);
    world_close(&w);
}

/* New bytecode may lie where freed bytecode lay: the frames must not be taken for the old ones. */
static void reused_bytecode_is_another_script(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    for (uint32_t i = 0; i < 3000; i++) {
        char file[32], source[160];
        snprintf(file, sizeof file, "f%u.js", i);
        snprintf(source, sizeof source, "%.*sglobalThis.made = (function n%u() { return {}; })()", (int)(i % 5),
                 "\n\n\n\n\n", i);
        eval(w.ctx, file, source);
        row r;
        char name[32];
        assert_true(site_of(&w, w.ctx, "made", &r));
        snprintf(name, sizeof name, "n%u", i);
        assert_string_equal(r.function, name);
        assert_string_equal(r.file, file);
        assert_int_equal(r.line, 1 + i % 5);
    }
    forget_log(o);
    world_close(&w);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

static uint32_t foreign_births;
static void count_foreign(void *payload, uint64_t object_id) {
    (void)payload, (void)object_id;
    foreign_births++;
}

/* Uses everything once. Every refusal must be survived; what was refused is not there. */
static void use_everything(world *w) {
    JSContext *other = JS_NewContext(w->rt);
    ubi_quickjs_observer *a = NULL, *b = NULL;
    if (ubi_quickjs_observer_new(&a, w->tools) != UBI_OK)
        a = NULL;
    if (ubi_quickjs_observer_new(&b, w->tools) != UBI_OK)
        b = NULL;
    JS_RunGC(w->rt);
    for (int i = 0; i < 2; i++) {
        ubi_quickjs_observer *o = i ? b : a;
        if (!o)
            continue;
        ubi_status status = ubi_quickjs_observer_add_realm(o, w->ctx);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        assert_int_equal(ubi_quickjs_observer_has_realm(o, w->ctx), status == UBI_OK);
        assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    }
    if (ubi_quickjs_set_allocation_hook(w->tools, other, count_foreign, NULL) == UBI_OK)
        eval(other, "o.js", "({})");
    eval(w->ctx, "f\xc3\xbcr.js",
         "var keep = [];\nfunction f(n) { if (n) return f(n - 1); return new (class N\xc3\xb6 { x = {} }); }\n"
         "for (var i = 0; i < 600; i++) keep.push(f(i % 40));\n"
         "for (var i = 0; i < 100; i++) keep.push(new Function('return [' + i + ']')());\nkeep.length = 10;");
    JS_RunGC(w->rt);
    for (int i = 0; i < 2; i++) {
        ubi_quickjs_observer *o = i ? b : a;
        if (!o)
            continue;
        bool overflowed = ubi_quickjs_observer_log_overflowed(o);
        assert_int_equal(overflowed, ubi__tracking_of(w->tools)->lost_entries > 0 &&
                                         ubi_quickjs_observer_has_realm(o, w->ctx) && overflowed);
        forget_log(o);
        assert_false(ubi_quickjs_observer_log_overflowed(o));
    }
    ubi_status status = ubi_quickjs_request(w->tools, (ubi_safe_point_fn)free, NULL);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    ubi_quickjs_safe_point(w->tools);
    ubi_quickjs_observer_free(a);
    eval(w->ctx, "g.js", "keep = null;");
    JS_FreeContext(other);
}

/* Plenty of requests are made; each of the first is refused in turn, later ones in steps. */
static void refused_memory_loses_entries_and_nothing_else(void **state) {
    UNUSED_STATE(state);
    for (int once = 0; once < 2; once++) {
        for (uint64_t n = 1, refused = 1; refused; n += n < 60 ? 1 : n / 16) {
            fail_allocator memory;
            fail_allocator_init(&memory, n); /* the first is that of the tools */
            memory.once = once;
            world w = world_with(&memory);
            use_everything(&w);
            refused = memory.n_refused;
            if (!refused) {
                assert_int_equal(ubi__tracking_of(w.tools)->lost_entries, 0);
                assert_int_equal(ubi__tracking_of(w.tools)->lost_sites, 0);
            }
            world_close(&w);
            fail_allocator_fini(&memory);
        }
    }
}

static void attaching_without_memory_fails_cleanly(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, 0);
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.allocator = &memory.allocator;
    JSRuntime *rt = JS_NewRuntime();
    ubi_quickjs *tools;
    assert_int_equal(ubi_quickjs_attach(&tools, rt, &options), UBI_ENOMEM);
    JS_FreeRuntime(rt);
    fail_allocator_fini(&memory);
}

static void tools_can_leave_while_everything_is_tracked(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    world w = world_with(&memory);
    JSContext *other = JS_NewContext(w.rt);
    track(&w, w.ctx);
    track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, other, count_foreign, NULL), UBI_OK);
    eval(w.ctx, "a.js", "var a = [{}, {}, () => 1];");
    JS_RunGC(w.rt);
    ubi_quickjs_detach(w.tools);
    fail_allocator_fini(&memory);
    eval(w.ctx, "a.js", "a = [{}]; a.a = a; a = null;");
    JS_RunGC(w.rt);
    assert_int_equal(ubi_quickjs_attach(&w.tools, w.rt, NULL), UBI_OK);
    row r;
    eval(w.ctx, "a.js", "var b = {};");
    assert_false(site_of(&w, w.ctx, "b", &r));
    track(&w, w.ctx);
    eval(w.ctx, "a.js", "var b = {};");
    assert_true(site_of(&w, w.ctx, "b", &r));
    JS_FreeContext(other);
    world_close(&w);
}

/* Without a site no deaths are reported; with the next one they are again. */
static void watching_ends_with_the_last_site(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    ubi__tracking *t = ubi__tracking_of(w.tools);
    eval(w.ctx, "a.js", "var x = {};");
    ubi_quickjs_observer_free(o);
    JS_RunGC(w.rt);
    assert_true(t->is_watching);
    eval(w.ctx, "a.js", "delete globalThis.x; x = 1;");
    JS_RunGC(w.rt);
    assert_int_equal(t->sites.count, 0);
    assert_false(t->is_watching);
    for (int i = 0; i < 100; i++) {
        o = track(&w, w.ctx);
        eval(w.ctx, "b.js", "(function named() {\n return globalThis.y = {};\n })()");
        row r;
        assert_true(site_of(&w, w.ctx, "y", &r));
        assert_string_equal(r.function, "named");
        ubi_quickjs_observer_free(o);
        eval(w.ctx, "c.js", "y = null");
    }
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_do_not_grow_with_waves_of_allocations_and_snapshots),
        cmocka_unit_test(scripts_that_come_and_go_leave_nothing),
        cmocka_unit_test(snapshots_of_scripts_that_come_and_go_leave_nothing),
        cmocka_unit_test(stacks_that_were_handed_out_stay),
        cmocka_unit_test(reused_bytecode_is_another_script),
        cmocka_unit_test(refused_memory_loses_entries_and_nothing_else),
        cmocka_unit_test(attaching_without_memory_fails_cleanly),
        cmocka_unit_test(tools_can_leave_while_everything_is_tracked),
        cmocka_unit_test(watching_ends_with_the_last_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
