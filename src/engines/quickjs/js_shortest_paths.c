/* SPDX-License-Identifier: MIT
 *
 * js_shortest_paths.c: HeapSnapshot.computeShortestPaths.
 *
 *     Map { target: [ [ { predecessor: start, edge: name or null }, ... ], ... ], ... }
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/HeapSnapshot.cpp, ComputeShortestPaths.
 */
#include <ubiheap/paths.h>

#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_report.h"
#include "tracking/tool_memory.h"

typedef struct request {
    const ubi_allocator *allocator;
    const ubi_graph *graph;
    uint64_t start, max_paths;
    uint64_t *targets;
    uint32_t n_targets, capacity;
} request;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static int add_target(JSContext *ctx, void *payload, JSValueConst element) {
    request *r = payload;
    uint64_t id;
    if (ubi__js_to_uint64(ctx, &id, element))
        return -1;
    if (!ubi__tool_reserve(r->allocator, (void **)&r->targets, &r->capacity, r->n_targets + 1, sizeof *r->targets)) {
        JS_ThrowOutOfMemory(ctx);
        return -1;
    }
    r->targets[r->n_targets++] = id;
    return 0;
}

static int read_arguments(JSContext *ctx, request *r, int argc, JSValueConst *argv) {
    static const char name[] = "HeapSnapshot.computeShortestPaths";
    return ubi__js_require_arguments(ctx, argc, 3, name) || ubi__js_to_uint64(ctx, &r->start, argv[0]) ||
                   ubi__js_each_element(ctx, argv[1], "HeapSnapshot.computeShortestPaths: Argument 2", add_target, r) ||
                   ubi__js_to_uint64(ctx, &r->max_paths, argv[2])
               ? -1
               : 0;
}

/** Finds a node. 0, or -1 having thrown. */
static int find_node(JSContext *ctx, const request *r, ubi_node_ix *out, uint64_t id, const char *what) {
    if (ubi_graph_find(out, r->graph, id) == UBI_OK)
        return 0;
    ubi__js_throw_result(ctx, UBI__JS_ILLEGAL_VALUE, "the snapshot has no node %llu, which was to be %s",
                         (unsigned long long)id, what);
    return -1;
}

static int check_numbers(JSContext *ctx, const request *r) {
    if (r->max_paths == 0)
        ubi__js_throw_result(ctx, UBI__JS_ILLEGAL_VALUE, "maxNumPaths must be at least 1");
    else if (r->n_targets == 0)
        ubi__js_throw_result(ctx, UBI__JS_ILLEGAL_VALUE, "there must be at least one target");
    else
        return 0;
    return -1;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/** Defines a property, whose value is taken. 0, or -1 with a pending exception. */
static int define(JSContext *ctx, JSValueConst object, const char *name, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueStr(ctx, object, name, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

/** Puts a value that may be an exception into an array, which it takes. */
static int put(JSContext *ctx, JSValueConst array, uint32_t index, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueUint32(ctx, array, index, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

static JSValue or_free(JSContext *ctx, JSValue object, int failed) {
    if (!failed)
        return object;
    JS_FreeValue(ctx, object);
    return JS_EXCEPTION;
}

static JSValue build_step(JSContext *ctx, const request *r, const ubi_path_step *step) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi_text label = ubi_graph_edge_label(r->graph, step->edge, digits);
    JSValue object = JS_NewObject(ctx);
    int failed = JS_IsException(object);
    if (!failed)
        failed =
            define(ctx, object, "predecessor", ubi__js_number(ctx, ubi_graph_node_id(r->graph, step->predecessor)));
    if (!failed)
        failed = define(ctx, object, "edge", label.ptr ? JS_NewStringLen(ctx, label.ptr, label.len) : JS_NULL);
    return or_free(ctx, object, failed);
}

static JSValue build_path(JSContext *ctx, const request *r, const ubi_paths *paths, uint32_t target, uint32_t path) {
    uint32_t n = ubi_paths_length(paths, target, path);
    ubi_path_step *steps = r->allocator->alloc(r->allocator->ctx, (size_t)n * sizeof *steps);
    if (!steps)
        return JS_ThrowOutOfMemory(ctx);
    ubi_paths_steps(steps, paths, target, path);
    JSValue array = JS_NewArray(ctx);
    int failed = JS_IsException(array);
    for (uint32_t i = 0; i < n && !failed; i++)
        failed = put(ctx, array, i, build_step(ctx, r, &steps[i]));
    r->allocator->free(r->allocator->ctx, steps, (size_t)n * sizeof *steps);
    return or_free(ctx, array, failed);
}

static JSValue build_list(JSContext *ctx, const request *r, const ubi_paths *paths, uint32_t target) {
    JSValue array = JS_NewArray(ctx);
    int failed = JS_IsException(array);
    for (uint32_t i = 0; i < ubi_paths_count(paths, target) && !failed; i++)
        failed = put(ctx, array, i, build_path(ctx, r, paths, target, i));
    return or_free(ctx, array, failed);
}

static JSValue build_map(JSContext *ctx, const request *r, const ubi_paths *paths) {
    JSValue map = ubi__js_realm_new_map(ctx);
    int failed = JS_IsException(map);
    for (uint32_t i = 0; i < ubi_paths_target_count(paths) && !failed; i++)
        failed = ubi__js_realm_map_set(ctx, map,
                                       ubi__js_number(ctx, ubi_graph_node_id(r->graph, ubi_paths_target(paths, i))),
                                       build_list(ctx, r, paths, i));
    return or_free(ctx, map, failed);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static JSValue find_paths(JSContext *ctx, const request *r, const ubi_node_ix *targets, ubi_node_ix start) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    options.allocator = r->allocator;
    options.start = start;
    options.max_paths = r->max_paths < UINT32_MAX ? (uint32_t)r->max_paths : UINT32_MAX;
    ubi_view view = ubi_view_of(r->graph);
    ubi_paths *paths;
    ubi_status status = ubi_paths_find(&paths, &view, targets, r->n_targets, &options);
    if (status != UBI_OK)
        return ubi__js_throw_failure(ctx, status, UBI__JS_UNEXPECTED);
    JSValue map = build_map(ctx, r, paths);
    ubi_paths_free(paths);
    return map;
}

/** The nodes are looked up in Firefox's order: the start, then the targets. */
static JSValue find_nodes_and_paths(JSContext *ctx, const request *r) {
    ubi_node_ix start;
    if (find_node(ctx, r, &start, r->start, "the start") || check_numbers(ctx, r))
        return JS_EXCEPTION;
    ubi_node_ix *targets = r->allocator->alloc(r->allocator->ctx, (size_t)r->n_targets * sizeof *targets);
    if (!targets)
        return JS_ThrowOutOfMemory(ctx);
    int failed = 0;
    for (uint32_t i = 0; i < r->n_targets && !failed; i++)
        failed = find_node(ctx, r, &targets[i], r->targets[i], "a target");
    JSValue map = failed ? JS_EXCEPTION : find_paths(ctx, r, targets, start);
    r->allocator->free(r->allocator->ctx, targets, (size_t)r->n_targets * sizeof *targets);
    return map;
}

JSValue ubi__js_shortest_paths(JSContext *ctx, const ubi__js_snapshot *snapshot, int argc, JSValueConst *argv) {
    request r = { .allocator = snapshot->allocator, .graph = snapshot->graph };
    JSValue map = JS_EXCEPTION;
    if (!read_arguments(ctx, &r, argc, argv))
        map = find_nodes_and_paths(ctx, &r);
    ubi__tool_free(r.allocator, r.targets, r.capacity, sizeof *r.targets);
    return map;
}
