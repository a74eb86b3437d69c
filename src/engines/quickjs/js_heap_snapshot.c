/* SPDX-License-Identifier: MIT
 *
 * js_heap_snapshot.c: the interface HeapSnapshot.
 *
 * Source: mozilla-central dom/chrome-webidl/HeapSnapshot.webidl, devtools/shared/heapsnapshot/HeapSnapshot.cpp.
 */
#include "engines/quickjs/js_breakdown.h"
#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_report.h"

static void heap_snapshot_finalize(JSRuntime *runtime, JSValue value) {
    (void)runtime;
    ubi__js_snapshot *snapshot = ubi__js_opaque(value, UBI__JS_HEAP_SNAPSHOT);
    if (!snapshot)
        return;
    ubi_graph_unref(snapshot->graph);
    snapshot->allocator->free(snapshot->allocator->ctx, snapshot, sizeof *snapshot);
}

const JSClassDef ubi__heap_snapshot_class = { .class_name = "HeapSnapshot", .finalizer = heap_snapshot_finalize };

static void *new_structure(JSContext *ctx, JSValueConst object, const ubi_allocator *allocator) {
    ubi__js_snapshot *snapshot = NULL;
    if (JS_IsObject(object)) {
        snapshot = allocator->alloc(allocator->ctx, sizeof *snapshot);
        if (!snapshot)
            JS_ThrowOutOfMemory(ctx);
    }
    return snapshot;
}

JSValue ubi__heap_snapshot_new(JSContext *ctx, const ubi_allocator *allocator, ubi_graph *graph) {
    JSValue object = JS_NewObjectClass(ctx, (int)ubi__js_class_id(UBI__JS_HEAP_SNAPSHOT));
    ubi__js_snapshot *snapshot = new_structure(ctx, object, allocator);
    if (!snapshot) {
        ubi_graph_unref(graph);
        JS_FreeValue(ctx, object);
        return JS_EXCEPTION;
    }
    *snapshot = (ubi__js_snapshot){ allocator, graph };
    JS_SetOpaque(object, snapshot);
    return object;
}

static ubi__js_snapshot *this_snapshot(JSContext *ctx, JSValueConst this_value, const char *method) {
    return ubi__js_receiver(ctx, this_value, UBI__JS_HEAP_SNAPSHOT, "HeapSnapshot", method);
}

/* ---- attributes and operations ----------------------------------------------------------------------------------- */

static JSValue get_creation_time(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "get creationTime");
    uint64_t time_us;
    if (!snapshot)
        return JS_EXCEPTION;
    return ubi_graph_creation_time_us(snapshot->graph, &time_us) ? ubi__js_number(ctx, time_us) : JS_NULL;
}

/** The report of a census that was taken, or what its failure means; the breakdown's end in any case. */
static JSValue report_of(JSContext *ctx, ubi_status status, ubi_census *census, ubi__js_breakdown *breakdown,
                         ubi__js_result failure) {
    JSValue report;
    if (status == UBI_OK) {
        report = ubi__js_report(ctx, ubi_census_report(census), breakdown);
        ubi_census_free(census);
    } else {
        report = ubi__js_throw_failure(ctx, status, status == UBI_ENOTFOUND ? UBI__JS_ILLEGAL_VALUE : failure);
    }
    ubi__js_breakdown_fini(ctx, breakdown);
    return report;
}

static JSValue take_census(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    static const char name[] = "HeapSnapshot.takeCensus";
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "takeCensus");
    ubi__js_breakdown breakdown;
    if (!snapshot || ubi__js_require_arguments(ctx, argc, 1, name))
        return JS_EXCEPTION;
    bool is_nothing = JS_IsNull(argv[0]) || JS_IsUndefined(argv[0]);
    if ((!is_nothing && ubi__js_require_object(ctx, argv[0], name, 1)) ||
        ubi__js_breakdown_read(ctx, &breakdown, argv[0]))
        return JS_EXCEPTION;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.refuse_nameless = true; /* as in Firefox */
    options.allocator = snapshot->allocator;
    ubi_census *census = NULL;
    ubi_status status = ubi_census_take(&census, snapshot->graph, breakdown.breakdown, &options);
    return report_of(ctx, status, census, &breakdown, UBI__JS_UNEXPECTED);
}

static JSValue describe_node(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    static const char name[] = "HeapSnapshot.describeNode";
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "describeNode");
    ubi__js_breakdown breakdown;
    uint64_t node;
    if (!snapshot || ubi__js_require_arguments(ctx, argc, 2, name) || ubi__js_require_object(ctx, argv[0], name, 1) ||
        ubi__js_to_uint64(ctx, &node, argv[1]) || ubi__js_breakdown_read_value(ctx, &breakdown, argv[0]))
        return JS_EXCEPTION;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.refuse_nameless = true; /* as in Firefox */
    options.allocator = snapshot->allocator;
    ubi_census *census = NULL;
    ubi_status status = ubi_census_describe(&census, snapshot->graph, node, breakdown.breakdown, &options);
    return report_of(ctx, status, census, &breakdown, UBI__JS_NO_MEMORY);
}

static JSValue compute_dominator_tree(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "computeDominatorTree");
    return snapshot ? ubi__dominator_tree_new(ctx, snapshot) : JS_EXCEPTION;
}

static JSValue compute_shortest_paths(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "computeShortestPaths");
    return snapshot ? ubi__js_shortest_paths(ctx, snapshot, argc, argv) : JS_EXCEPTION;
}

static const ubi__js_accessor attributes[] = { { "creationTime", get_creation_time, NULL }, { NULL, NULL, NULL } };
static const ubi__js_operation operations[] = {
    { "takeCensus", take_census, 1 },
    { "describeNode", describe_node, 2 },
    { "computeDominatorTree", compute_dominator_tree, 0 },
    { "computeShortestPaths", compute_shortest_paths, 3 },
    { NULL, NULL, 0 },
};
const ubi__js_interface ubi__heap_snapshot_interface = { "HeapSnapshot", UBI__JS_HEAP_SNAPSHOT, attributes,
                                                         operations };
