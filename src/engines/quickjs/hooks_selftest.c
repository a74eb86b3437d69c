/* SPDX-License-Identifier: MIT
 *
 * hooks_selftest.c: run by the build, right after the tools were compiled with an engine: does every hook fire?
 *
 * A hook stands on the name of a function of the engine and on where it calls another. A version of the engine that
 * changes that compiles all the same, and the tools would tell nonsense. So the build fails instead, and names the hook.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/hook_counts.h"

static const struct {
    ubi__hook hook;
    const char *name;
} hooks[] = {
    { UBI__HOOK_BIRTH, "birth (list_add_tail in add_gc_object)" },
    { UBI__HOOK_DEATH, "death (free_gc_object)" },
    { UBI__HOOK_NEW, "object made by new (js_create_from_ctor)" },
    { UBI__HOOK_REALM_DEATH, "death of a realm (list_del in JS_FreeContext)" },
    { UBI__HOOK_GC_BY_API, "collection that a program asks for (JS_RunGC)" },
    { UBI__HOOK_GC_BY_ENGINE, "collection that the engine starts (JS_RunGC in js_trigger_gc)" },
    { UBI__HOOK_CYCLES_BEGIN, "begin of a collection (init_list_head in gc_decref)" },
    { UBI__HOOK_CYCLES_END, "end of a collection (init_list_head in gc_free_cycles)" },
    { UBI__HOOK_MARK, "mark function of a class (JS_MarkValue)" },
    { UBI__HOOK_OUT_OF_MEMORY, "exhausted memory (JS_ThrowOutOfMemory)" },
};

static bool place_was_exact;

static void on_allocation(void *payload, uint64_t object_id) {
    (void)object_id;
    place_was_exact = place_was_exact || ubi__place_is_exact(payload);
}

static void on_oom(void *payload, ubi_quickjs *tools) {
    (void)payload, (void)tools;
}

static void run(JSContext *ctx, const char *script) {
    JS_FreeValue(ctx, JS_Eval(ctx, script, strlen(script), "selftest.js", JS_EVAL_TYPE_GLOBAL));
    JS_FreeValue(ctx, JS_GetException(ctx));
}

/* Everything that hooks are about, once. */
static void live(JSRuntime *rt, JSContext *ctx, ubi_quickjs *tools) {
    ubi_quickjs_coverage coverage;
    run(ctx, "(function () { const o = {}; o.o = o; new Map([[o, o]]); globalThis.map = new Map([[{}, 's']]); })();");
    JS_RunGC(rt);
    JS_SetGCThreshold(rt, 1);
    run(ctx, "({});");
    JS_SetGCThreshold(rt, (size_t)-1);
    if (ubi_quickjs_measure_coverage(tools, &coverage) != UBI_OK || coverage.overcounts || coverage.unreachable_count)
        printf("selftest: a walk of a small heap is wrong: %llu nodes are counted too often, %llu are not reached\n",
               (unsigned long long)coverage.overcounts, (unsigned long long)coverage.unreachable_count);
    JS_FreeContext(JS_NewContext(rt)); /* in cycles with its own functions */
    JS_RunGC(rt);
    JS_SetMemoryLimit(rt, 1);
    run(ctx, "[1, 2, 3];");
    JS_SetMemoryLimit(rt, (size_t)-1);
}

static int report(const ubi_quickjs *tools) {
    int faults = 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (ubi__hook_count(tools, hooks[i].hook) == 0 && ++faults)
            fprintf(stderr, "selftest: the hook of this engine's %s did not fire\n", hooks[i].name);
    if (!place_was_exact && ++faults)
        fprintf(stderr, "selftest: the hook of this engine's place of an allocation (JS_NewObject in JS_CallInternal) "
                        "did not fire\n");
    if (faults)
        fprintf(stderr, "selftest: the tools cannot be used with this version of QuickJS (%s)\n",
                ubi_quickjs_engine_description());
    return faults ? 1 : 0;
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
    int status = report(tools);
    ubi_quickjs_set_allocation_hook(tools, ctx, NULL, NULL);
    ubi_quickjs_detach(tools);
    JS_FreeContext(ctx);
    JS_FreeRuntime(rt);
    return status;
}
