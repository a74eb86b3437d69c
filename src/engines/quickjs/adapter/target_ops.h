/* SPDX-License-Identifier: MIT
 *
 * target_ops.h: the runtime as a ubi_target.
 */
#ifndef UBI_QUICKJS_TARGET_OPS_H
#define UBI_QUICKJS_TARGET_OPS_H

#include "engines/quickjs/adapter/coverage.h"
#include "engines/quickjs/adapter/tool_ops.h"
#include "engines/quickjs/js_console.h"
#include "tracking/target_observer.h"

/* This engine has one collector, of cycles; everything else goes when its last reference does. */
static ubi_status ubi__collect(void *payload) {
    ubi_quickjs *tools = payload;
    if (tools->walk.is_frozen || tools->collection_depth || tools->runtime->gc_phase != JS_GC_PHASE_NONE)
        return ubi_error(UBI_ESTATE, "this QuickJS runtime cannot collect garbage now: its heap is %s",
                         tools->walk.is_frozen ? "frozen" : "being collected");
    JS_RunGC(tools->runtime);
    return UBI_OK;
}

/* The same collection, which the timeline calls by the name that was asked for. */
static ubi_status ubi__collect_cycles(void *payload) {
    ubi_quickjs *tools = payload;
    tools->timeline.wants_cycles = true;
    ubi_status status = ubi__collect(tools);
    tools->timeline.wants_cycles = false;
    return status;
}

#define UBI__MEASURED(F)                                                                                               \
    F(malloc_size, "mallocSize", true)                                                                                 \
    F(malloc_limit, "mallocLimit", true)                                                                               \
    F(memory_used_size, "memoryUsedSize", true)                                                                        \
    F(malloc_count, "mallocCount", false)                                                                              \
    F(memory_used_count, "memoryUsedCount", false)                                                                     \
    F(atom_count, "atomCount", false)                                                                                  \
    F(atom_size, "atomSize", true)                                                                                     \
    F(str_count, "strCount", false)                                                                                    \
    F(str_size, "strSize", true)                                                                                       \
    F(obj_count, "objCount", false)                                                                                    \
    F(obj_size, "objSize", true)                                                                                       \
    F(prop_count, "propCount", false)                                                                                  \
    F(prop_size, "propSize", true)                                                                                     \
    F(shape_count, "shapeCount", false)                                                                                \
    F(shape_size, "shapeSize", true)                                                                                   \
    F(js_func_count, "jsFuncCount", false)                                                                             \
    F(js_func_size, "jsFuncSize", true)                                                                                \
    F(js_func_code_size, "jsFuncCodeSize", true)                                                                       \
    F(js_func_pc2line_count, "jsFuncPc2lineCount", false)                                                              \
    F(js_func_pc2line_size, "jsFuncPc2lineSize", true)                                                                 \
    F(c_func_count, "cFuncCount", false)                                                                               \
    F(array_count, "arrayCount", false)                                                                                \
    F(fast_array_count, "fastArrayCount", false)                                                                       \
    F(fast_array_elements, "fastArrayElements", false)                                                                 \
    F(binary_object_count, "binaryObjectCount", false)                                                                 \
    F(binary_object_size, "binaryObjectSize", true)

static void ubi__measured(ubi_measure_fn fn, void *payload, const char *name, int64_t value, bool is_bytes) {
    ubi_measure_row row = { { name, strlen(name) }, value > 0 ? (uint64_t)value : 0, is_bytes };
    fn(payload, &row);
}

/* What the engine counts, then what a walk adds: attributed and unattributed bytes. A limit of -1 is none. */
static ubi_status ubi__measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    ubi_quickjs *tools = payload;
    ubi_quickjs_coverage coverage = { 0 };
    JSMemoryUsage usage;
    ubi_status status = ubi_quickjs_measure_coverage(tools, &coverage);
    if (status != UBI_OK)
        return status;
    JS_ComputeMemoryUsage(tools->runtime, &usage);
#define UBI__PASS_ON(field, name, is_bytes) ubi__measured(fn, fn_payload, name, usage.field, is_bytes);
    UBI__MEASURED(UBI__PASS_ON)
#undef UBI__PASS_ON
    int64_t unattributed = (int64_t)(coverage.malloc_bytes - coverage.size_bytes);
    ubi__measured(fn, fn_payload, "nodeCount", (int64_t)coverage.node_count, false);
    ubi__measured(fn, fn_payload, "edgeCount", (int64_t)coverage.edge_count, false);
    ubi__measured(fn, fn_payload, "nodeSize", (int64_t)coverage.size_bytes, true);
    ubi__measured(fn, fn_payload, "unattributedSize", unattributed, true);
    ubi__measured(fn, fn_payload, "unreachableCount", (int64_t)coverage.unreachable_count, false);
    ubi__measured(fn, fn_payload, "unreachableSize", (int64_t)coverage.unreachable_bytes, true);
    return UBI_OK;
}

static ubi_status ubi__run_at_safe_point(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    return ubi_quickjs_request(payload, fn, fn_payload);
}

/* ---- observers ------------------------------------------------------------------------------------------------------ */

static void ubi__target_observer_free(void *observer) {
    ubi_quickjs_observer_free(observer);
}

static const ubi_target_observer_ops ubi__observer_ops = UBI__TARGET_OBSERVER_OPS(ubi__target_observer_free);

static ubi_status ubi__observe_realms(ubi_quickjs_observer *o, const ubi_quickjs_scope *scope) {
    struct list_head *el;
    if (!scope)
        ubi__observer_want_all_realms(&o->base);
    list_for_each(el, &o->tools->runtime->context_list) {
        JSContext *realm = list_entry(el, JSContext, link);
        ubi_status status = !scope || ubi__scope_has(scope, realm) ? ubi_quickjs_observer_add_realm(o, realm) : UBI_OK;
        if (status != UBI_OK)
            return status;
    }
    return UBI_OK;
}

static ubi_status ubi__observe(void *payload, const ubi_target_scope *scope, ubi_target_observer *out) {
    ubi_quickjs *tools = payload;
    const ubi_quickjs_scope *part = scope ? scope->part : NULL;
    ubi_quickjs_observer *o;
    ubi_status status = ubi__scope_belongs(part, tools);
    if (status == UBI_OK)
        status = ubi_quickjs_observer_new(&o, tools);
    if (status != UBI_OK)
        return status;
    status = ubi__observe_realms(o, part);
    if (status == UBI_OK)
        *out = (ubi_target_observer){ &ubi__observer_ops, &o->base };
    else
        ubi_quickjs_observer_free(o);
    return status;
}

static ubi_status ubi__open_console(void *payload, const ubi_target_scope *scope, const ubi_console_listener *listener,
                                    ubi_console *out) {
    return ubi__js_console_open(out, payload, scope ? scope->part : NULL, listener);
}

static const ubi_target_ops ubi__target_ops = {
    .version = UBI_TARGET_OPS_VERSION,
    .kind = "quickjs",
    .capabilities = UBI_TARGET_WALK | UBI_TARGET_COLLECT_GARBAGE | UBI_TARGET_COLLECT_CYCLES | UBI_TARGET_MEASURE |
                    UBI_TARGET_SAFE_POINT | UBI_TARGET_ALLOCATION_SITES | UBI_TARGET_OBSERVE | UBI_TARGET_CONSOLE |
                    UBI_TARGET_TIMELINE | UBI_TARGET_PROFILE,
    .freeze = ubi__freeze,
    .thaw = ubi__thaw,
    .collect_garbage = ubi__collect,
    .collect_cycles = ubi__collect_cycles,
    .measure = ubi__measure,
    .run_at_safe_point = ubi__run_at_safe_point,
    .observe = ubi__observe,
    .open_console = ubi__open_console,
    .open_timeline = ubi__open_timeline,
    .open_profiler = ubi__open_profiler,
};

ubi_target ubi_quickjs_target(ubi_quickjs *tools) {
    return (ubi_target){ &ubi__target_ops, tools };
}

#endif
