/* SPDX-License-Identifier: MIT
 *
 * js_heap.h: what scripts get of the heap module: HeapSnapshot, DominatorTree, and files.
 *
 *     readHeapSnapshot --> HeapSnapshot --(graph)--> DominatorTree
 *
 * Both hold the graph by count, in memory of the tools' allocator: what is looked at lies outside of the heap that looks.
 * A graph is immutable, so an object of either class may outlive the other, and its realm's tools.
 */
#ifndef UBI_QUICKJS_JS_HEAP_H
#define UBI_QUICKJS_JS_HEAP_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>

#include "engines/quickjs/js_realm.h"
#include "engines/quickjs/js_webidl.h"

/** What a HeapSnapshot stands for. */
typedef struct ubi__js_snapshot {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    struct ubi_session *session; /**< that questions are asked about (js_ask.c); NULL: none was */
} ubi__js_snapshot;

extern const ubi__js_interface ubi__heap_snapshot_interface, ubi__dominator_tree_interface;

/** A HeapSnapshot of a graph, of which it takes the caller's reference in any case. Owned, or an exception. */
JSValue ubi__heap_snapshot_new(JSContext *ctx, const ubi_allocator *allocator, ubi_graph *graph);

/** HeapSnapshot.ask (js_ask.c), with at least one argument. Runs code of scripts before it begins. */
JSValue ubi__js_ask(JSContext *ctx, ubi__js_snapshot *snapshot, int argc, JSValueConst *argv);
/** Gives back what was computed for answers. */
void ubi__js_ask_end(ubi__js_snapshot *snapshot);

/** readHeapSnapshot and saveHeapSnapshot (js_snapshot_files.c). */
JSValue ubi__js_read_heap_snapshot(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv);
JSValue ubi__js_save_heap_snapshot(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv);

/** How many threads may use an allocator: 0, as many as there are, or 1. */
static inline unsigned ubi__js_threads(const ubi_allocator *allocator) {
    return !allocator || allocator == ubi_allocator_default() ? 0 : 1;
}

#endif
