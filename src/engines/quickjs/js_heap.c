/* SPDX-License-Identifier: MIT
 *
 * js_heap.c: the interfaces HeapSnapshot and DominatorTree, and HeapSnapshot.computeShortestPaths, which answers
 *
 *     Map { target: [ [ { predecessor: start, edge: name or null }, ... ], ... ], ... }
 *
 * Source: mozilla-central dom/chrome-webidl/HeapSnapshot.webidl, dom/chrome-webidl/DominatorTree.webidl,
 * devtools/shared/heapsnapshot/HeapSnapshot.cpp, devtools/shared/heapsnapshot/DominatorTree.cpp.
 */
#include "engines/quickjs/js_heap.h"

#include <ubiheap/core/paths.h>

#include "engines/quickjs/js_breakdown.h"
#include "engines/quickjs/js_report.h"
#include "tracking/tool_memory.h"

/* ---- DominatorTree ----------------------------------------------------------------------------------------------- */

/** What a DominatorTree stands for. */
typedef struct tree {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    ubi_dominators *dominators;
} tree;

static void dominator_tree_finalize(JSRuntime *runtime, JSValue value) {
    (void)runtime;
    tree *t = ubi__js_opaque(value, UBI__JS_DOMINATOR_TREE);
    if (!t)
        return;
    ubi_dominators_free(t->dominators);
    ubi_graph_unref(t->graph);
    t->allocator->free(t->allocator->ctx, t, sizeof *t);
}

const JSClassDef ubi__dominator_tree_class = { .class_name = "DominatorTree", .finalizer = dominator_tree_finalize };

/** The tree of a graph, which an object owns from then on. */
static ubi_status give_tree(JSValueConst object, const ubi__js_snapshot *snapshot) {
    const ubi_allocator *allocator = snapshot->allocator;
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = ubi__js_threads(allocator);
    ubi_view view = ubi_view_of(snapshot->graph);
    tree *t = allocator->alloc(allocator->ctx, sizeof *t);
    if (!t)
        return UBI_ENOMEM;
    *t = (tree){ .allocator = allocator };
    ubi_status status = ubi_dominators_new(&t->dominators, &view, &options);
    if (status != UBI_OK) {
        allocator->free(allocator->ctx, t, sizeof *t);
        return status;
    }
    UBI_ASSERT(snapshot->graph && snapshot->allocator);
    t->graph = ubi_graph_ref(snapshot->graph);
    JS_SetOpaque(object, t);
    return UBI_OK;
}

/** The DominatorTree of a snapshot. Owned, or an exception. Cost: that of ubi_dominators_new. */
static JSValue dominator_tree_new(JSContext *ctx, const ubi__js_snapshot *snapshot) {
    JSValue object = JS_NewObjectClass(ctx, (int)ubi__js_class_id(UBI__JS_DOMINATOR_TREE));
    if (JS_IsException(object))
        return object;
    ubi_status status = give_tree(object, snapshot);
    if (status == UBI_OK)
        return object;
    JS_FreeValue(ctx, object);
    return ubi__js_throw_failure(ctx, status, UBI__JS_UNEXPECTED);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

static tree *this_tree(JSContext *ctx, JSValueConst this_value, const char *method) {
    return ubi__js_receiver(ctx, this_value, UBI__JS_DOMINATOR_TREE, "DominatorTree", method);
}

/** What is asked about which node. `node` UBI_NONE: it is not in the snapshot. */
typedef struct question {
    const tree *tree;
    ubi_node_ix node;
} question;

/** Receiver and node of a call. False having thrown. */
static bool dominator_tree_receive(JSContext *ctx, question *q, JSValueConst this_value, int argc, JSValueConst *argv,
                                   const char *method, const char *name) {
    uint64_t id;
    q->tree = this_tree(ctx, this_value, method);
    if (!q->tree || ubi__js_require_arguments(ctx, argc, 1, name) || ubi__js_to_uint64(ctx, &id, argv[0]))
        return false;
    if (ubi_graph_find(&q->node, q->tree->graph, id) != UBI_OK)
        q->node = UBI_NONE;
    return true;
}

static JSValue node_value(JSContext *ctx, const tree *t, ubi_node_ix node) {
    return ubi__js_number(ctx, ubi_graph_node_id(t->graph, node));
}

static JSValue get_root(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    const tree *t = this_tree(ctx, this_value, "get root");
    return t ? node_value(ctx, t, ubi_dominators_root(t->dominators)) : JS_EXCEPTION;
}

static JSValue get_retained_size(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    question q;
    if (!dominator_tree_receive(ctx, &q, this_value, argc, argv, "getRetainedSize", "DominatorTree.getRetainedSize"))
        return JS_EXCEPTION;
    if (q.node == UBI_NONE)
        return JS_NULL;
    return ubi__js_number(ctx, ubi_dominators_retained_bytes(q.tree->dominators, q.node));
}

static JSValue get_immediate_dominator(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    question q;
    if (!dominator_tree_receive(ctx, &q, this_value, argc, argv, "getImmediateDominator",
                                "DominatorTree.getImmediateDominator"))
        return JS_EXCEPTION;
    ubi_node_ix dominator = UBI_NONE;
    if (q.node != UBI_NONE)
        dominator = ubi_dominators_immediate(q.tree->dominators, q.node);
    return dominator == UBI_NONE ? JS_NULL : node_value(ctx, q.tree, dominator);
}

static JSValue array_of_nodes(JSContext *ctx, const tree *t, const ubi_node_ix *nodes, uint32_t n) {
    JSValue array = JS_NewArray(ctx);
    if (JS_IsException(array))
        return array;
    for (uint32_t i = 0; i < n; i++)
        if (JS_DefinePropertyValueUint32(ctx, array, i, node_value(ctx, t, nodes[i]), JS_PROP_C_W_E) < 0) {
            JS_FreeValue(ctx, array);
            return JS_EXCEPTION;
        }
    return array;
}

/** All that a node dominates immediately, greatest retained size first. */
static JSValue array_of_dominated(JSContext *ctx, const question *q) {
    const tree *t = q->tree;
    uint32_t n;
    ubi_dominators_dominated(t->dominators, q->node, &n);
    if (n == 0)
        return JS_NewArray(ctx);
    ubi_node_ix *nodes = t->allocator->alloc(t->allocator->ctx, (size_t)n * sizeof *nodes);
    if (!nodes)
        return JS_ThrowOutOfMemory(ctx);
    uint32_t n_stored;
    ubi_status status = ubi_dominators_largest(nodes, &n_stored, t->dominators, q->node, n);
    JSValue array = status == UBI_OK ? array_of_nodes(ctx, t, nodes, n_stored)
                                     : ubi__js_throw_failure(ctx, status, UBI__JS_UNEXPECTED);
    t->allocator->free(t->allocator->ctx, nodes, (size_t)n * sizeof *nodes);
    return array;
}

static JSValue get_immediately_dominated(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    question q;
    if (!dominator_tree_receive(ctx, &q, this_value, argc, argv, "getImmediatelyDominated",
                                "DominatorTree.getImmediatelyDominated"))
        return JS_EXCEPTION;
    return q.node == UBI_NONE ? JS_NULL : array_of_dominated(ctx, &q);
}

static const ubi__js_accessor tree_attributes[] = { { "root", get_root, NULL }, { NULL, NULL, NULL } };
static const ubi__js_operation tree_operations[] = {
    { "getRetainedSize", get_retained_size, 1 },
    { "getImmediatelyDominated", get_immediately_dominated, 1 },
    { "getImmediateDominator", get_immediate_dominator, 1 },
    { NULL, NULL, 0 },
};
const ubi__js_interface ubi__dominator_tree_interface = { "DominatorTree", UBI__JS_DOMINATOR_TREE, tree_attributes,
                                                          tree_operations };

/* ---- shortest paths ---------------------------------------------------------------------------------------------- */

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
static int step_define(JSContext *ctx, JSValueConst object, const char *name, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueStr(ctx, object, name, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

/** Puts a value that may be an exception into an array, which it takes. */
static int paths_put(JSContext *ctx, JSValueConst array, uint32_t index, JSValue value) {
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
        failed = step_define(ctx, object, "predecessor",
                             ubi__js_number(ctx, ubi_graph_node_id(r->graph, step->predecessor)));
    if (!failed)
        failed = step_define(ctx, object, "edge", label.ptr ? JS_NewStringLen(ctx, label.ptr, label.len) : JS_NULL);
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
        failed = paths_put(ctx, array, i, build_step(ctx, r, &steps[i]));
    r->allocator->free(r->allocator->ctx, steps, (size_t)n * sizeof *steps);
    return or_free(ctx, array, failed);
}

static JSValue build_list(JSContext *ctx, const request *r, const ubi_paths *paths, uint32_t target) {
    JSValue array = JS_NewArray(ctx);
    int failed = JS_IsException(array);
    for (uint32_t i = 0; i < ubi_paths_count(paths, target) && !failed; i++)
        failed = paths_put(ctx, array, i, build_path(ctx, r, paths, target, i));
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

static JSValue shortest_paths(JSContext *ctx, const ubi__js_snapshot *snapshot, int argc, JSValueConst *argv) {
    request r = { .allocator = snapshot->allocator, .graph = snapshot->graph };
    JSValue map = JS_EXCEPTION;
    if (!read_arguments(ctx, &r, argc, argv))
        map = find_nodes_and_paths(ctx, &r);
    ubi__tool_free(r.allocator, r.targets, r.capacity, sizeof *r.targets);
    return map;
}

/* ---- HeapSnapshot ------------------------------------------------------------------------------------------------ */

static void heap_snapshot_finalize(JSRuntime *runtime, JSValue value) {
    (void)runtime;
    ubi__js_snapshot *snapshot = ubi__js_opaque(value, UBI__JS_HEAP_SNAPSHOT);
    if (!snapshot)
        return;
    ubi__js_ask_end(snapshot);
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
    *snapshot = (ubi__js_snapshot){ allocator, graph, NULL };
    JS_SetOpaque(object, snapshot);
    return object;
}

static ubi__js_snapshot *this_snapshot(JSContext *ctx, JSValueConst this_value, const char *method) {
    return ubi__js_receiver(ctx, this_value, UBI__JS_HEAP_SNAPSHOT, "HeapSnapshot", method);
}

/* ---- attributes and operations ------------------------------------------------------------------------------------ */

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
    options.must_have_names = true; /* as in Firefox */
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
    options.must_have_names = true; /* as in Firefox */
    options.allocator = snapshot->allocator;
    ubi_census *census = NULL;
    ubi_status status = ubi_census_describe(&census, snapshot->graph, node, breakdown.breakdown, &options);
    return report_of(ctx, status, census, &breakdown, UBI__JS_NO_MEMORY);
}

static JSValue compute_dominator_tree(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "computeDominatorTree");
    return snapshot ? dominator_tree_new(ctx, snapshot) : JS_EXCEPTION;
}

static JSValue compute_shortest_paths(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    const ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "computeShortestPaths");
    return snapshot ? shortest_paths(ctx, snapshot, argc, argv) : JS_EXCEPTION;
}

static JSValue ask(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_snapshot *snapshot = this_snapshot(ctx, this_value, "ask");
    if (!snapshot || ubi__js_require_arguments(ctx, argc, 1, "HeapSnapshot.ask"))
        return JS_EXCEPTION;
    return ubi__js_ask(ctx, snapshot, argc, argv);
}

static const ubi__js_accessor snapshot_attributes[] = { { "creationTime", get_creation_time, NULL },
                                                        { NULL, NULL, NULL } };
static const ubi__js_operation snapshot_operations[] = {
    { "takeCensus", take_census, 1 },
    { "describeNode", describe_node, 2 },
    { "computeDominatorTree", compute_dominator_tree, 0 },
    { "computeShortestPaths", compute_shortest_paths, 3 },
    { "ask", ask, 1 },
    { NULL, NULL, 0 },
};
const ubi__js_interface ubi__heap_snapshot_interface = { "HeapSnapshot", UBI__JS_HEAP_SNAPSHOT, snapshot_attributes,
                                                         snapshot_operations };
