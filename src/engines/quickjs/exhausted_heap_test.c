/* SPDX-License-Identifier: MIT
 *
 * The hook for an exhausted heap: it runs in the middle of whatever wanted memory, and may walk.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_facts.h"
#include "engines/quickjs/runtime_for_tests.h"

static unsigned calls;
static ubi_quickjs_coverage coverage;
static ubi_status coverage_status;

static void on_exhausted(void *payload, ubi_quickjs *tools) {
    assert_ptr_equal(payload, &calls);
    calls++;
    coverage_status = ubi_quickjs_measure_coverage(tools, &coverage);
}

/* From then on there is memory: this engine cannot describe some errors without, and ends in endless recursion. */
static void on_exhausted_once(void *payload, ubi_quickjs *tools) {
    on_exhausted(&calls, tools);
    JS_SetMemoryLimit(payload, (size_t)-1);
}

static size_t heap_bytes(const test_runtime *t) {
    JSMemoryUsage usage;
    JS_ComputeMemoryUsage(t->rt, &usage);
    return (size_t)usage.malloc_size;
}

/* Compiled while there is memory: without, an engine may crash in its compiler. */
static JSValue compile(const test_runtime *t, const char *script) {
    return test_eval_as(t->ctx, script, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
}

static void try_to_run(const test_runtime *t, JSValue program) {
    JS_FreeValue(t->ctx, JS_EvalFunction(t->ctx, program));
    JS_FreeValue(t->ctx, JS_GetException(t->ctx));
}

static const char fill[] = "globalThis.kept = []; for (;;) kept.push({ item: [kept.length, {}] });";

static void the_hook_walks_the_exhausted_heap(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    JSValue program = compile(&t, fill);
    calls = 0;
    ubi_quickjs_set_oom_hook(t.tools, on_exhausted, &calls);
    JS_SetMemoryLimit(t.rt, heap_bytes(&t) + 500000);
    try_to_run(&t, program);
    assert_int_equal(calls, 1);
    assert_int_equal(coverage_status, UBI_OK);
    assert_int_equal(coverage.overcounts, 0);
    assert_true(coverage.size_bytes > 400000);
    JS_SetMemoryLimit(t.rt, (size_t)-1);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

static void a_streak_is_reported_once(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_run(t.ctx, "'x'.repeat(2);"); /* made when it is first used, and lost when that gets no memory */
    JSValue fills[] = { compile(&t, fill), compile(&t, fill), compile(&t, fill) };
    JSValue more = compile(&t, "kept.push({}, {}, {}, {}, 'x'.repeat(10000000));");
    JSValue text = compile(&t, "'x'.repeat(10000000);");
    calls = 0;
    ubi_quickjs_set_oom_hook(t.tools, on_exhausted, &calls);
    JS_SetMemoryLimit(t.rt, heap_bytes(&t) + 500000);
    try_to_run(&t, fills[0]);
    try_to_run(&t, more);
    assert_int_equal(calls, 1);
    ubi_quickjs_safe_point(t.tools); /* a new streak */
    try_to_run(&t, text);
    assert_int_equal(calls, 2);
    size_t limit = heap_bytes(&t);
    JS_SetMemoryLimit(t.rt, (size_t)-1);
    test_run(t.ctx, "kept = null;"); /* the heap shrinks */
    JS_RunGC(t.rt);
    JS_SetMemoryLimit(t.rt, limit);
    try_to_run(&t, fills[1]);
    assert_int_equal(calls, 3);
    ubi_quickjs_set_oom_hook(t.tools, NULL, NULL);
    try_to_run(&t, fills[2]);
    assert_int_equal(calls, 3);
    JS_SetMemoryLimit(t.rt, (size_t)-1);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

static void keep_runtime(test_runtime *t) {
    static JSRuntime *kept[4096];
    static size_t n_kept;
    if (t->tools)
        ubi_quickjs_detach(t->tools);
    if (n_kept < sizeof kept / sizeof *kept)
        kept[n_kept++] = t->rt;
}

/* On some of its ways out the engine forgets to drop a reference, and then refuses to end. Such a runtime is kept. */
static void end_runtime(test_runtime *t) {
    JSMemoryUsage usage;
    ubi_quickjs_detach(t->tools);
    t->tools = NULL;
    JS_FreeContext(t->ctx);
    JS_RunGC(t->rt);
    JS_ComputeMemoryUsage(t->rt, &usage);
    if (usage.obj_count == 0)
        JS_FreeRuntime(t->rt);
    else
        keep_runtime(t);
}

/* Nearly every allocation of these programs is refused once: the heap is as half made as it gets. */
static const struct {
    const char *text;
    bool has_coroutines;
} programs[] = {
    { "var a = []; for (let i = 0; i < 9; i++) a.push({ ['p' + i]: [i, { i }], s: 's' + i, f: () => i });", false },
    { "var o = {}; for (let i = 0; i < 40; i++) o['key' + i] = 'value' + i; for (const k in o) delete o[k];", false },
    { "class A { #x = {}; get x() { return this.#x; } m(...r) { return [r, arguments]; } } new A().m(1, new A().x);",
      false },
    { "function* g(a) { const l = [a]; yield l; } const i = g({}); i.next(); [...g(1)];", true },
    { "async function w(x) { const l = { x }; await l; return [l]; } w(w({}));", true },
    { "var m = new Map([[{}, 1], ['k', [2]]]); m.delete('k'); var w = new WeakMap([[m, {}]]); new Set([m, w]);",
      false },
    { "var r = /a(b)+/g; 'xabby'.replace(r, s => s + s); [...'aabb'.matchAll(/b/g)];", false },
    { "new Uint8Array(new ArrayBuffer(64)).map(x => x + 1); new DataView(new ArrayBuffer(8));", false },
    { "12345678901234567890n * 9n;", false },
    { "var p = new Proxy({}, { get: () => ({}) }); p.x; Promise.resolve(p).then(v => [v]); Symbol('s' + [1]);", false },
    { "JSON.stringify(JSON.parse('[{\"a\":[1,{}]}]'));", false },
};

static bool walked_well(void) {
    return coverage_status == UBI_OK && coverage.overcounts == 0;
}

/* For engines that are damaged when the script continues. */
static void on_exhausted_then_end(void *payload, ubi_quickjs *tools) {
    on_exhausted(payload, tools);
    _exit(walked_well() ? 0 : 1);
}

static void run_compiled(const test_runtime *t, JSValue program, size_t room) {
    JS_SetMemoryLimit(t->rt, heap_bytes(t) + room);
    try_to_run(t, program);
    JS_SetMemoryLimit(t->rt, (size_t)-1);
}

static bool is_walked_well_in_a_child(const test_runtime *t, JSValue program, size_t room) {
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ubi_quickjs_set_oom_hook(t->tools, on_exhausted_then_end, &calls);
        run_compiled(t, program, room);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    JS_FreeValue(t->ctx, program);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void a_heap_in_the_middle_of_anything_can_be_walked(void **state) {
    (void)state;
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        for (size_t room = 0; room < 12000; room += getenv("UBI_DEEP") ? 16 : 208) {
            test_runtime t = test_runtime_new();
            coverage = (ubi_quickjs_coverage){ 0 };
            coverage_status = UBI_OK;
            JSValue program = compile(&t, programs[p].text);
            bool is_well;
            if (programs[p].has_coroutines && !engine_is(ENGINE_UNLISTS_HALF_MADE)) {
                is_well = is_walked_well_in_a_child(&t, program, room);
            } else {
                ubi_quickjs_set_oom_hook(t.tools, on_exhausted_once, t.rt);
                run_compiled(&t, program, room);
                is_well = walked_well();
            }
            if (!is_well)
                fail_msg("with room for %zu bytes: %s", room, programs[p].text);
            test_clean_coverage(&t);
            end_runtime(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hook_walks_the_exhausted_heap),
        cmocka_unit_test(a_streak_is_reported_once),
        cmocka_unit_test(a_heap_in_the_middle_of_anything_can_be_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
