/* SPDX-License-Identifier: MIT
 *
 * js_heap_module.c: the module with which scripts save heaps and look into saved ones.
 *
 *     import { saveHeapSnapshot, readHeapSnapshot } from "ubiheap";
 *     const snapshot = readHeapSnapshot(saveHeapSnapshot({ runtime: true }));
 *
 * And with which they profile allocations (memoryProfiler), and see what they do (timeline).
 */
#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_memory_profiler.h"
#include "engines/quickjs/js_report.h"
#include "engines/quickjs/js_timeline.h"

/* ---- getObjectNodeId --------------------------------------------------------------------------------------------- */

static JSValue get_object_node_id(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    static const char name[] = "getObjectNodeId";
    (void)this_value;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    uint64_t id = 0;
    if (!ubi__js_tools_attached(ctx, realm) || ubi__js_require_arguments(ctx, argc, 1, name) ||
        ubi__js_require_object(ctx, argv[0], name, 1))
        return JS_EXCEPTION;
    ubi_quickjs_node_id(realm->tools, argv[0], &id);
    return ubi__js_number(ctx, id);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static const ubi__js_operation functions[] = {
    { "readHeapSnapshot", ubi__js_read_heap_snapshot, 1 },
    { "saveHeapSnapshot", ubi__js_save_heap_snapshot, 0 },
    { "getObjectNodeId", get_object_node_id, 1 },
    { NULL, NULL, 0 },
};
/** Objects, of each module its own. */
static const struct {
    const char *name;
    JSValue (*make)(JSContext *ctx);
} services[] = { { "memoryProfiler", ubi__js_memory_profiler_new }, { "timeline", ubi__js_timeline_new } };
#define SERVICE_COUNT (sizeof services / sizeof *services)
static const ubi__js_interface *const interfaces[UBI__JS_HEAP_INTERFACE_COUNT] = { &ubi__heap_snapshot_interface,
                                                                                   &ubi__dominator_tree_interface };

/** The interfaces of a realm are the same in all its modules. 0, or -1 with a pending exception. */
static int need_interfaces(JSContext *ctx, ubi__js_realm *realm) {
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_IsUndefined(realm->heap_interfaces[i])) {
            JSValue object = ubi__js_interface_new(ctx, interfaces[i]);
            if (JS_IsException(object))
                return -1;
            realm->heap_interfaces[i] = object;
        }
    return 0;
}

static int export_all(JSContext *ctx, JSModuleDef *module, const ubi__js_realm *realm) {
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_SetModuleExport(ctx, module, interfaces[i]->name, JS_DupValue(ctx, realm->heap_interfaces[i])))
            return -1;
    for (const ubi__js_operation *f = functions; f->name; f++) {
        JSValue function = JS_NewCFunction(ctx, f->call, f->name, f->length);
        if (JS_IsException(function) || JS_SetModuleExport(ctx, module, f->name, function))
            return -1;
    }
    for (size_t i = 0; i < SERVICE_COUNT; i++) {
        JSValue service = services[i].make(ctx);
        if (JS_IsException(service) || JS_SetModuleExport(ctx, module, services[i].name, service))
            return -1;
    }
    return 0;
}

/** When the module is imported for the first time. */
static int heap_module_initialize(JSContext *ctx, JSModuleDef *module) {
    ubi_quickjs *tools = ubi_quickjs_of(JS_GetRuntime(ctx));
    if (!tools) {
        ubi__js_throw(ctx, UBI__JS_ERROR, "the memory tools of this runtime are detached");
        return -1;
    }
    if (ubi__js_realm_need(ctx, tools))
        return -1;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    return need_interfaces(ctx, realm) || export_all(ctx, module, realm) ? -1 : 0;
}

JSModuleDef *ubi_quickjs_add_heap_module(ubi_quickjs *tools, JSContext *realm, const char *name) {
    (void)tools; /* the runtime's, found again when the module is imported */
    JSModuleDef *module = JS_NewCModule(realm, name, heap_module_initialize);
    if (!module)
        return NULL;
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_AddModuleExport(realm, module, interfaces[i]->name))
            return NULL;
    for (const ubi__js_operation *f = functions; f->name; f++)
        if (JS_AddModuleExport(realm, module, f->name))
            return NULL;
    for (size_t i = 0; i < SERVICE_COUNT; i++)
        if (JS_AddModuleExport(realm, module, services[i].name))
            return NULL;
    return module;
}
