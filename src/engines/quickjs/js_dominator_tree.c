/* SPDX-License-Identifier: MIT
 *
 * js_dominator_tree.c: the interface DominatorTree.
 *
 * Source: mozilla-central dom/chrome-webidl/DominatorTree.webidl, devtools/shared/heapsnapshot/DominatorTree.cpp.
 */
#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_report.h"

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
    t->graph = ubi_graph_ref(snapshot->graph);
    JS_SetOpaque(object, t);
    return UBI_OK;
}

JSValue ubi__dominator_tree_new(JSContext *ctx, const ubi__js_snapshot *snapshot) {
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

static const ubi__js_accessor attributes[] = { { "root", get_root, NULL }, { NULL, NULL, NULL } };
static const ubi__js_operation operations[] = {
    { "getRetainedSize", get_retained_size, 1 },
    { "getImmediatelyDominated", get_immediately_dominated, 1 },
    { "getImmediateDominator", get_immediate_dominator, 1 },
    { NULL, NULL, 0 },
};
const ubi__js_interface ubi__dominator_tree_interface = { "DominatorTree", UBI__JS_DOMINATOR_TREE, attributes,
                                                          operations };
