/* SPDX-License-Identifier: MIT
 *
 * hooks_selftest.c: run by the build, right after the tools were compiled with an engine: does every hook fire?
 *
 * A hook depends on the name of a function of the engine and on where it calls another. A version of the engine that
 * changes these still compiles, and the tools would report nonsense. So the build fails instead, and names the hook.
 * Walks of a small and a rich heap must account for every reference and for at least 99.9 % of what the engine counts, at rest
 * nothing but the realm may seem to be held from outside, and a frozen heap must be guarded, too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/extension/quickjs_leaks.h>

#include "engines/quickjs/hook_counts.h"
#include "engines/quickjs/rich_heap.h"

static const char *const hooks[UBI__HOOK_COUNT] = {
    [UBI__HOOK_BIRTH] = "birth (list_add_tail in add_gc_object)",
    [UBI__HOOK_DEATH] = "death (free_gc_object)",
    [UBI__HOOK_NEW] = "object made by new (js_create_from_ctor)",
    [UBI__HOOK_REALM_DEATH] = "death of a realm (list_del in JS_FreeContext)",
    [UBI__HOOK_GC_BY_API] = "collection that a program asks for (JS_RunGC)",
    [UBI__HOOK_GC_BY_ENGINE] = "collection that the engine starts (JS_RunGC in js_trigger_gc)",
    [UBI__HOOK_CYCLES_BEGIN] = "begin of a collection (init_list_head in gc_decref)",
    [UBI__HOOK_CYCLES_END] = "end of a collection (init_list_head in gc_free_cycles)",
    [UBI__HOOK_MARK] = "mark function of a class (JS_MarkValue)",
    [UBI__HOOK_MODULE] = "module of a realm (js_mark_module_def)",
    [UBI__HOOK_OUT_OF_MEMORY] = "exhausted memory (JS_ThrowOutOfMemory)",
    [UBI__HOOK_CALL] = "call from outside (JS_Call)",
    [UBI__HOOK_PROGRAM] = "script or module (JS_EvalFunctionInternal)",
    [UBI__HOOK_JOB] = "reaction of a promise (promise_reaction_job in JS_ExecutePendingJob)",
    [UBI__HOOK_REACTION] = "wait for a promise (perform_promise_then)",
    [UBI__HOOK_PARSE_BEGIN] = "begin of parsing (js_parse_program)",
    [UBI__HOOK_PARSE_END] = "end of parsing (js_create_function in __JS_EvalInternal)",
};

static const char *const places[UBI__PLACE_COUNT] = {
    [UBI__PLACE_OBJECT] = "an object literal (JS_NewObject)",
    [UBI__PLACE_ARRAY] = "an array literal (JS_NewArray or js_create_array)",
    [UBI__PLACE_CLOSURE] = "a closure (js_closure)",
    [UBI__PLACE_ARGUMENTS] = "an arguments object (js_build_arguments)",
    [UBI__PLACE_REST] = "rest arguments (js_build_rest or js_create_array)",
    [UBI__PLACE_REGEXP] = "a regular expression (js_regexp_constructor_internal)",
    [UBI__PLACE_CLASS] = "a class (js_op_define_class)",
};

static unsigned place_counts[UBI__PLACE_COUNT + 1];
static int faults;

static void on_allocation(void *payload, uint64_t object_id) {
    (void)object_id;
    place_counts[ubi__stored_place(payload)]++;
}

static void on_oom(void *payload, ubi_quickjs *tools) {
    (void)payload, (void)tools;
}

static void run_as(JSContext *ctx, const char *script, int flags) {
    JS_FreeValue(ctx, JS_Eval(ctx, script, strlen(script), "selftest.js", flags));
    JS_FreeValue(ctx, JS_GetException(ctx));
}
static void run(JSContext *ctx, const char *script) {
    run_as(ctx, script, JS_EVAL_TYPE_GLOBAL);
}

static void fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("selftest: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    faults++;
}

/* A heap at rest: what the program itself holds is its realm, and what the engine counts is what nodes take. */
static void check_walk(JSRuntime *rt, ubi_quickjs *tools, const char *which) {
    ubi_quickjs_coverage c;
    for (int i = 0; i < 4; i++) /* what loses its last reference while cycles are freed waits for the next time */
        JS_RunGC(rt);
    if (ubi_quickjs_measure_coverage(tools, &c) != UBI_OK) {
        fault("%s heap cannot be walked: %s", which, ubi_error_message());
        return;
    }
    if (c.overcounts || c.unreachable_count || c.size_bytes > c.malloc_bytes)
        fault("a walk of %s heap is wrong: %llu nodes are counted too often, %llu are not reached, and %llu of %llu "
              "bytes are found",
              which, (unsigned long long)c.overcounts, (unsigned long long)c.unreachable_count,
              (unsigned long long)c.size_bytes, (unsigned long long)c.malloc_bytes);
    if (c.root_count != 1)
        fault("%llu things of %s heap count as held from outside, but only its realm is",
              (unsigned long long)c.root_count, which);
    if (c.size_bytes * 1000 < c.malloc_bytes * 999)
        fault("%llu of %llu bytes of %s heap belong to no node", (unsigned long long)(c.malloc_bytes - c.size_bytes),
              (unsigned long long)c.malloc_bytes, which);
}

/* In a runtime of its own, as jobs stay pending in it. */
static void check_rich_heap(void) {
    ubi_quickjs *tools;
    JSRuntime *rt = JS_NewRuntime();
    JSContext *realm, *ctx = rt ? JS_NewContext(rt) : NULL;
    if (!ctx || ubi_quickjs_attach(&tools, rt, NULL) != UBI_OK) {
        fault("no runtime with a rich heap: %s", ctx ? ubi_error_message() : "no memory");
        return;
    }
    JS_SetMaxStackSize(rt, 4 << 20); /* frames are large without optimization */
    JSValue value = JS_Eval(ctx, ubi__rich_heap, strlen(ubi__rich_heap), "rich.js", JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(value))
        fault("the script of the rich heap does not run");
    JS_FreeValue(ctx, value);
    JS_FreeValue(ctx, JS_GetException(ctx));
    for (int i = 0; i < 300 && JS_ExecutePendingJob(rt, &realm) > 0; i++)
        ;
    check_walk(rt, tools, "a rich");
    ubi_quickjs_detach(tools);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
}

/* One thing is done to a frozen heap; thaw must report it. */
static void check_guarded(ubi_target target, const char *expected) {
    if (target.ops->thaw(target.payload) != UBI_ESTATE || !strstr(ubi_error_message(), expected))
        fault("a frozen heap of this engine is not guarded: nothing says that %s", expected);
}

static void check_guard(JSRuntime *rt, JSContext *ctx, ubi_quickjs *tools) {
    ubi_target target = ubi_quickjs_target(tools);
    ubi_frozen_heap heap;
    JSValue value = JS_NewObjectProto(ctx, JS_NULL);
    uint64_t before = ubi_quickjs_heap_bytes(tools);
    if (target.ops->freeze(target.payload, NULL, &heap) != UBI_OK) {
        fault("a heap cannot be frozen: %s", ubi_error_message());
        JS_FreeValue(ctx, value);
        return;
    }
    JS_FreeValue(ctx, value);
    if (ubi_quickjs_heap_bytes(tools) != before)
        fault("memory of a frozen heap of this engine is freed at once");
    check_guarded(target, "memory of it was freed");
    if (target.ops->freeze(target.payload, NULL, &heap) == UBI_OK) {
        void *block = js_malloc_rt(rt, 24);
        check_guarded(target, "memory was allocated on it");
        js_free_rt(rt, block);
    }
    if (target.ops->freeze(target.payload, NULL, &heap) == UBI_OK) {
        JS_RunGC(rt);
        check_guarded(target, "a garbage collection was asked for");
    }
}

static void call_global(JSContext *ctx, const char *name) {
    JSValue global = JS_GetGlobalObject(ctx), function = JS_GetPropertyStr(ctx, global, name);
    JS_FreeValue(ctx, JS_Call(ctx, function, JS_UNDEFINED, 0, NULL));
    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, global);
}

/* What the timeline hears of. */
static void be_observed(JSRuntime *rt, JSContext *ctx, ubi_quickjs *tools) {
    ubi_timeline_target *target;
    JSContext *realm;
    if (ubi_timeline_target_new(&target, NULL) != UBI_OK ||
        ubi_timeline_target_set_record_profile_timeline_markers(target, true) != UBI_OK ||
        ubi_quickjs_join_timeline(tools, target) != UBI_OK) {
        fprintf(stderr, "selftest: %s\n", ubi_error_message());
        faults++;
        return;
    }
    run(ctx, "function called() { Promise.resolve().then(() => 1); }");
    call_global(ctx, "called");
    while (JS_ExecutePendingJob(rt, &realm) > 0)
        ;
    ubi_quickjs_leave_timeline(tools, target);
    ubi_timeline_target_free(target);
}

/* Everything that hooks are about, once. */
static void live(JSRuntime *rt, JSContext *ctx, ubi_quickjs *tools) {
    run(ctx, "(function () { const o = {}; o.o = o; new Map([[o, o]]); globalThis.map = new Map([[{}, 's']]); })();");
    run(ctx, "(function () { return [arguments, [1], () => 1, /x/, class {}]; })(1);");
    run(ctx, "(function (...rest) { return rest; })(1);");
    run_as(ctx, "export const exported = {};", JS_EVAL_TYPE_MODULE);
    check_walk(rt, tools, "a small");
    check_guard(rt, ctx, tools);
    be_observed(rt, ctx, tools);
    JS_SetGCThreshold(rt, 1);
    run(ctx, "({});");
    JS_SetGCThreshold(rt, (size_t)-1);
    JS_FreeContext(JS_NewContext(rt)); /* in cycles with its own functions */
    JS_RunGC(rt);
    JS_SetMemoryLimit(rt, 1);
    run(ctx, "[1, 2, 3];");
    JS_SetMemoryLimit(rt, (size_t)-1);
}

static void report_hooks(const ubi_quickjs *tools) {
    for (int i = 0; i < UBI__HOOK_COUNT; i++)
        if (ubi__hook_count(tools, i) == 0 && ++faults)
            fprintf(stderr, "selftest: the hook of this engine's %s did not fire\n", hooks[i]);
}

/* Births are what they are asked at. */
static void report_places(const ubi_quickjs *tools) {
    for (int i = 0; i < UBI__PLACE_COUNT && ubi__hook_count(tools, UBI__HOOK_BIRTH); i++)
        if (place_counts[i] == 0 && ++faults)
            fprintf(stderr,
                    "selftest: the hook of the place where this engine makes %s in JS_CallInternal did not fire\n",
                    places[i]);
}

static int report(const ubi_quickjs *tools) {
    report_hooks(tools);
    report_places(tools);
    if (faults)
        fprintf(stderr, "selftest: the tools cannot be used with this version of QuickJS (%s)\n",
                ubi_quickjs_engine_description());
    return faults ? 1 : 0;
}

/* The end of a runtime is reported when all that lives has leaked, and in time to release it. */
static JSValue leaked;

static void on_end(void *payload, JSRuntime *rt, const ubi_quickjs_leaks *leaks) {
    uint32_t n = ubi_quickjs_leaks_count(leaks);
    if ((n != 1 || ubi_quickjs_leaks_at(leaks, 0).excess != 1) && ++faults)
        fprintf(stderr, "selftest: one reference was leaked, but %u things are held\n", (unsigned)n);
    ++*(int *)payload;
    JS_FreeValueRT(rt, leaked);
}

/* The end of its last collection shows it: without that hook nothing would release what has leaked, and the engine aborts. */
static void check_end(const ubi_quickjs *tools) {
    int calls = 0;
    ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
    if (ubi__hook_count(tools, UBI__HOOK_CYCLES_END) == 0)
        return;
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = JS_NewContext(rt);
    options.fn = on_end;
    options.payload = &calls;
    leaked = JS_NewObjectProto(ctx, JS_NULL);
    if (ubi_quickjs_report_leaks(rt, &options) != UBI_OK)
        calls = -1;
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    if (calls != 1 && ++faults)
        fprintf(
            stderr,
            "selftest: the hook of this engine's end of a runtime (init_list_head in JS_FreeRuntime) did not fire\n");
}

int main(void) {
    ubi_quickjs *tools;
    JSRuntime *rt = JS_NewRuntime();
    JSContext *ctx = rt ? JS_NewContext(rt) : NULL;
    if (!ctx || ubi_quickjs_attach(&tools, rt, NULL) != UBI_OK ||
        ubi_quickjs_set_allocation_hook(tools, ctx, on_allocation, tools) != UBI_OK) {
        fprintf(stderr, "selftest: %s\n", ubi_error_message());
        return 1;
    }
    ubi_quickjs_set_oom_hook(tools, on_oom, NULL);
    live(rt, ctx, tools);
    check_end(tools);
    check_rich_heap();
    int status = report(tools);
    ubi_quickjs_set_allocation_hook(tools, ctx, NULL, NULL);
    ubi_quickjs_detach(tools);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return status;
}
