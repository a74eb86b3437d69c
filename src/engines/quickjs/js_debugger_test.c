/* SPDX-License-Identifier: MIT
 *
 * How Debugger comes and goes with the tools, and what happens when there is no memory.
 */
#include "quickjs_heap.h"

#include "fail_allocator.h"

static void nothing_is_exposed_unless_asked_for(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "x",
                     "assertEq(newGlobal().eval('typeof Debugger + typeof SavedFrame'), "
                     "'undefinedundefined'); assertEq(typeof SavedFrame, 'undefined');"
                     "assertEq(newGlobal({ debugger: true }).eval('typeof Debugger'), 'function');");
    quickjs_heap_close(&heap);
}

static void adding_it_twice_gives_the_same_one(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "x", "globalThis.first = Debugger; delete globalThis.Debugger;");
    assert_int_equal(ubi_quickjs_add_debugger(heap.tools, heap.realm), 0);
    quickjs_heap_run(&heap, "x", "assertEq(first, Debugger)");
    quickjs_heap_close(&heap);
}

static void a_global_that_cannot_take_it_is_an_exception(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "x", "delete globalThis.Debugger; Object.preventExtensions(globalThis)");
    assert_int_equal(ubi_quickjs_add_debugger(heap.tools, heap.realm), -1);
    JSValue exception = JS_GetException(heap.realm);
    assert_true(ubi__is_error(heap.realm, exception));
    JS_FreeValue(heap.realm, exception);
    quickjs_heap_close(&heap);
}

/** What a Debugger does when its tools are gone: throw. New tools do not wake it up. */
static void detaching_ends_every_debugger(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "x",
                     "globalThis.old = tracked(); old.g.eval('this.a = {}');"
                     "old.memory.onGarbageCollection = () => { throw new Error('not any more'); };"
                     "globalThis.site = old.object.makeDebuggeeValue(old.g.a).allocationSite;"
                     "globalThis.OldDebugger = Debugger; globalThis.gone = () => {"
                     "    const text = 'Error: the memory tools of this runtime are detached';"
                     "    assertThrows(() => old.memory.drainAllocationsLog(), text);"
                     "    assertThrows(() => old.memory.takeCensus(), text);"
                     "    assertThrows(() => old.memory.trackingAllocationSites, text);"
                     "    assertThrows(() => { old.memory.onGarbageCollection = undefined; }, text);"
                     "    assertThrows(() => old.dbg.addDebuggee(old.g), text);"
                     "    assertThrows(() => old.object.allocationSite, text);"
                     "    assertEq(site.functionDisplayName, null); };");
    ubi_quickjs_detach(heap.tools);
    JSValue global = JS_GetGlobalObject(heap.realm), gone = JS_GetPropertyStr(heap.realm, global, "gone");
    JSValue result = JS_Call(heap.realm, gone, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        quickjs_heap__fail(&heap, "detached");
    JS_FreeValue(heap.realm, gone);
    JS_FreeValue(heap.realm, global);
    JS_RunGC(heap.runtime);

    assert_int_equal(ubi_quickjs_attach(&heap.tools, heap.runtime, &heap.options), UBI_OK);
    quickjs_heap_run(&heap, "attached again",
                     "gone(); gc(); assertThrows(() => new OldDebugger, "
                     "'Error: the memory tools of this runtime are detached');");
    assert_int_equal(ubi_quickjs_add_debugger(heap.tools, heap.realm), 0);
    quickjs_heap_run(&heap, "new tools",
                     "gone(); gc(); const now = tracked(); now.g.eval('this.a = {}'); assert(Debugger !== OldDebugger);"
                     "assert(now.memory.drainAllocationsLog().length > 0); delete globalThis.old; gc();"
                     "assertThrows(() => now.dbg.addDebuggee(globalThis), "
                     "'TypeError: debugger and debuggee must be in different compartments')");
    quickjs_heap_close(&heap);
}

/** Programs that detach first, while scripts still hold Debuggers, do not crash either. */
static void detaching_before_values_are_freed_is_survived(void **state) {
    (void)state;
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "x",
                     "globalThis.kept = tracked(); kept.g.eval('this.a = [{}, {}]');"
                     "kept.memory.onGarbageCollection = () => {}; kept.dbg.self = kept;"
                     "kept.log = kept.memory.drainAllocationsLog()");
    ubi_quickjs_detach(heap.tools);
    quickjs_heap_free_values(&heap);
    JS_FreeContext(heap.realm);
    JS_FreeRuntime(heap.runtime);
    assert_int_equal(heap.block_count, 0);
}

/* ---- scripts that are stopped ------------------------------------------------------------------------------------- */

static unsigned interrupts_left;
static int stop(JSRuntime *rt, void *payload) {
    (void)rt, (void)payload;
    return interrupts_left && --interrupts_left == 0;
}

/** No script can catch this exception, so nothing of it may rely on catching. */
static void a_stopped_script_leaves_nothing_behind(void **state) {
    (void)state;
    static const char *const places[] = {
        "m.takeCensus({ get breakdown() { for (;;); } })",
        "m.takeCensus({ breakdown: [{ by: 'count', label: 'x' }, { by: 'objectClass', get then() { for (;;); } }] })",
        "m.takeCensus({ breakdown: { by: 'count', label: { toString() { for (;;); } } } })",
        "m.maxAllocationsLogLength = { valueOf() { for (;;); } }",
        "m.onGarbageCollection = () => { for (;;); }; m.onGarbageCollection.held = t; gc()",
        "t.dbg.uncaughtExceptionHook = () => { for (;;); }; m.onGarbageCollection = () => { throw 1; }; gc()",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        quickjs_heap heap;
        quickjs_heap_open(&heap, NULL);
        quickjs_heap_run(&heap, "start", "globalThis.t = tracked(); globalThis.m = t.memory; t.g.eval('a = [{}]')");
        interrupts_left = 3;
        JS_SetInterruptHandler(heap.runtime, stop, NULL);
        JSValue result = JS_Eval(heap.realm, places[i], strlen(places[i]), "stopped.js", JS_EVAL_TYPE_GLOBAL);
        ubi_quickjs_safe_point(heap.tools);
        JS_SetInterruptHandler(heap.runtime, NULL, NULL);
        assert_int_equal(interrupts_left, 0);
        JS_FreeValue(heap.realm, result);
        JS_FreeValue(heap.realm, JS_GetException(heap.realm));
        quickjs_heap_run(&heap, "end",
                         "m.onGarbageCollection = undefined; rejections(); assert(m.drainAllocationsLog().length > 0);"
                         "assert(m.takeCensus().objects.Function.count > 0)");
        quickjs_heap_close(&heap);
    }
}

/* ---- no memory ---------------------------------------------------------------------------------------------------- */

/** Everything once, on a new global; whatever fails may throw. (The engine cannot make realms or compile then.) */
static const char everything[] =
    "const g = newGlobal({ debugger: true }); g.eval('function work() { a = [{}, /x/]; (function f() { a.push(new "
    "Date); "
    "})() } var a');"
    "const dbg = new Debugger, m = dbg.memory; globalThis.failures = 0;"
    "globalThis.everything = () => { const t = (f) => { try { return f(); } catch (e) { globalThis.failures++; } };"
    "t(() => new Debugger(g)); const o = t(() => dbg.addDebuggee(g)); t(() => { m.trackingAllocationSites = true; });"
    "t(() => g.work()); t(() => m.drainAllocationsLog()); t(() => g.work());"
    "t(() => o.makeDebuggeeValue(g.a).allocationSite.toString()); t(() => dbg.getDebuggees());"
    "t(() => dbg.findAllGlobals()); t(() => m.takeCensus()); t(() => m.takeCensus({ breakdown: [{ by: 'count', label: "
    "'x' "
    "}, { by: 'allocationStack' }, { by: 'coarseType', objects: { by: 'objectClass' }, scripts: { by: 'filename' } }] "
    "}));"
    "t(() => { m.onGarbageCollection = {}; }); t(() => m.takeCensus({ breakdown: { by: 'nope' } }));"
    "t(() => { m.onGarbageCollection = () => { m.onGarbageCollection = undefined; }; }); gc(); };";

static void every_failed_allocation_of_the_tools_is_survived(void **state) {
    (void)state;
    bool refused = true;
    for (uint64_t n = 10; refused; n += 1 + n / 40) {
        fail_allocator f;
        fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
        quickjs_heap heap;
        quickjs_heap_open(&heap, &f.allocator);
        quickjs_heap_run(&heap, "start", everything);
        f.n_allowed = f.n_requests + n - 10;
        quickjs_heap_run(&heap, "no memory of the tools", "everything()");
        refused = f.n_refused > 0;
        f.n_allowed = FAIL_ALLOCATOR_NEVER;
        quickjs_heap_run(&heap, "end",
                         "assert(tracked().memory.takeCensus().objects.Function.count > 0); rejections()");
        quickjs_heap_close(&heap);
        fail_allocator_fini(&f);
    }
}

/** Like the above with the engine's own memory, one allocation at a time. */
static void failed_allocations_of_the_engine_are_survived(void **state) {
    (void)state;
    bool refused = true;
    for (size_t n = 0; refused; n += 1 + n / 30) {
        quickjs_heap heap;
        quickjs_heap_open(&heap, NULL);
        quickjs_heap_run(&heap, "start", everything);
        JSValue global = JS_GetGlobalObject(heap.realm), fn = JS_GetPropertyStr(heap.realm, global, "everything");
        heap.allocations_allowed = n;
        JSValue result = JS_Call(heap.realm, fn, JS_UNDEFINED, 0, NULL);
        ubi_quickjs_safe_point(heap.tools);
        refused = heap.allocations_allowed == SIZE_MAX;
        heap.allocations_allowed = SIZE_MAX;
        if (JS_IsException(result))
            JS_FreeValue(heap.realm, JS_GetException(heap.realm));
        JS_FreeValue(heap.realm, result);
        JS_FreeValue(heap.realm, fn);
        JS_FreeValue(heap.realm, global);
        quickjs_heap_run(&heap, "end",
                         "assert(tracked().memory.takeCensus().objects.Function.count > 0); rejections()");
        quickjs_heap_close(&heap);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_exposed_unless_asked_for),
        cmocka_unit_test(adding_it_twice_gives_the_same_one),
        cmocka_unit_test(a_global_that_cannot_take_it_is_an_exception),
        cmocka_unit_test(detaching_ends_every_debugger),
        cmocka_unit_test(detaching_before_values_are_freed_is_survived),
        cmocka_unit_test(a_stopped_script_leaves_nothing_behind),
        cmocka_unit_test(every_failed_allocation_of_the_tools_is_survived),
        cmocka_unit_test(failed_allocations_of_the_engine_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
