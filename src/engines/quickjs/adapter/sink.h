/* SPDX-License-Identifier: MIT
 *
 * sink.h: where edges go.
 *
 * Edges are enumerated by one piece of code for three purposes: to count references while the heap is looked through, to
 * visit, and to visit with names. The purpose is a constant in each of the three copies that the compiler makes, so
 * counting spells out no names. Only what a class's own mark function names comes through the engine's interface, and asks.
 */
#ifndef UBI_QUICKJS_SINK_H
#define UBI_QUICKJS_SINK_H

#include "engines/quickjs/adapter/texts.h"

typedef enum ubi__purpose { UBI__TO_COUNT, UBI__TO_VISIT, UBI__TO_NAME } ubi__purpose;

struct ubi__sink;
/** Names the value that a mark function meets at a position. */
typedef ubi__name (*ubi__name_at_fn)(struct ubi__sink *sink, JSValueConst value);

/** Edges with names are passed on some at a time, so that looking up their referents overlaps. */
#define UBI__BATCH 32

typedef struct ubi__sink {
    ubi_quickjs *tools;
    JSRuntime *rt;
    ubi__purpose purpose;
    bool was_stopped; /* by who visits, or by lack of memory: nothing more is passed on */
    void *payload;
    ubi_edge_fn visit; /* to visit */
    /* to visit with names */
    ubi_keyed_edges_fn visit_some;
    uint32_t n_batch;
    ubi_keyed_edge *batch; /* batch[UBI__BATCH]: edges that wait, with their referents' addresses but not their refs */
    /* for mark functions */
    const void *origin;
    const void *met;   /* what the running mark function names now */
    uint32_t position; /* values met so far, references or not */
    ubi__name_at_fn name_at;
    JSFunctionBytecode *code; /* of the function whose frame is marked */
} ubi__sink;

static const ubi_node_ops ubi__node_ops;

/* What the running mark function reports goes here: such a function cannot carry a payload. */
static __thread ubi__sink *ubi__marked_into;

#define UBI__INLINE static inline __attribute__((always_inline))

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* On the collector's list, so that its edges will be counted when the list comes to it. */
UBI__INLINE bool ubi__is_listed(const void *p, ubi__kind kind) {
    switch (kind) {
    case UBI__OBJECT:
    case UBI__BYTECODE:
    case UBI__VAR_REF:
    case UBI__ASYNC_STATE:
    case UBI__REALM:
        return true;
    case UBI__SHAPE: /* taken off while it is resized, which may be why there is no memory (the hook for that) */
        return ((const JSShape *)p)->header.link.next != NULL;
    case UBI__MODULE:
        return UBI_MODULE_GC;
    default:
        return false;
    }
}

/* A node that only edges lead to. */
static bool ubi__discover(ubi_quickjs *tools, uint32_t page, const void *p, ubi__kind kind) {
    ubi__walk_state *walk = &tools->walk;
    UBI_ASSERT(!ubi__is_listed(p, kind) && kind < UBI__KIND_COUNT);
    ubi__index_add(&walk->index, page, (uintptr_t)p, false);
    if ((kind == UBI__STRING && !ubi__slice_parent(p)) || kind == UBI__SYMBOL)
        return true;
    uint64_t *known = ubi__address_map_at(&walk->special, (uintptr_t)p, tools->allocator);
    if (!known || !ubi__tool_reserve(tools->allocator, (void **)&walk->work, &walk->work_capacity, walk->n_work + 1,
                                     sizeof *walk->work))
        return false;
    *known = kind;
    walk->work[walk->n_work++] = (uintptr_t)p | (uint64_t)kind << UBI__ADDRESS_BITS;
    return true;
}

UBI__INLINE void ubi__count_edge(ubi__sink *sink, const void *p, ubi__kind kind, bool is_counted) {
    ubi__node_index *index = &sink->tools->walk.index;
    uint32_t page = ubi__index_need_page(index, (uintptr_t)p);
    if (__builtin_expect(page == 0, 0)) {
        sink->was_stopped = true;
        return;
    }
    if (!ubi__is_listed(p, kind) && !ubi__index_has(index, page, (uintptr_t)p) &&
        !ubi__discover(sink->tools, page, p, kind))
        sink->was_stopped = true;
    if (is_counted && !ubi__index_count(index, page, (uintptr_t)p))
        sink->was_stopped = true;
}

/* ---- passing on ----------------------------------------------------------------------------------------------------- */

static inline void ubi__visit_edge(ubi__sink *sink, const void *p) {
    UBI_ASSERT(sink->purpose == UBI__TO_VISIT && sink->visit);
    uint32_t number = ubi__index_find(&sink->tools->walk.index, p);
    if (number == UBI_NONE)
        return;
    ubi_node referent = sink->tools->walk.any_node;
    referent.ref = number;
    sink->was_stopped = !sink->visit(sink->payload, referent, (ubi_text){ NULL, 0 });
}

/* Leaves out edges that lead to no node. */
static UBI_COLD void ubi__drop_unknown(ubi__sink *sink) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < sink->n_batch; i++)
        if (sink->batch[i].ref != UBI_NONE)
            sink->batch[n++] = sink->batch[i];
    sink->n_batch = n;
}

/* Whether all lead to nodes. */
UBI__INLINE bool ubi__look_up(ubi__node_index *index, ubi_keyed_edge *edges, uint32_t n, bool can_count_ones) {
    bool found = true;
    for (uint32_t i = 0; i < n; i++) {
        edges[i].ref = ubi__index_find_by(index, (const void *)(uintptr_t)edges[i].id, can_count_ones);
        found = found && edges[i].ref != UBI_NONE;
    }
    return found;
}

#if UBI__MAY_COUNT_ONES
static __attribute__((target("popcnt"))) bool ubi__look_up_counting(ubi__node_index *index, ubi_keyed_edge *edges,
                                                                    uint32_t n) {
    return ubi__look_up(index, edges, n, true);
}
#endif

static bool ubi__look_up_any(ubi__node_index *index, ubi_keyed_edge *edges, uint32_t n) {
#if UBI__MAY_COUNT_ONES
    if (__builtin_expect(index->can_count_ones, 1))
        return ubi__look_up_counting(index, edges, n);
#endif
    return ubi__look_up(index, edges, n, false);
}

static UBI_OUT_OF_LINE void ubi__pass_on(ubi__sink *sink) {
    UBI_ASSERT(sink->purpose == UBI__TO_NAME && sink->n_batch <= UBI__BATCH);
    if (!ubi__look_up_any(&sink->tools->walk.index, sink->batch, sink->n_batch))
        ubi__drop_unknown(sink);
    if (sink->n_batch && !sink->was_stopped)
        sink->was_stopped = !sink->visit_some(sink->payload, sink->batch, sink->n_batch);
    sink->n_batch = 0;
}

static inline void ubi__visit_named_edge(ubi__sink *sink, const void *p, ubi__name name) {
    ubi_keyed_edge *edge = &sink->batch[sink->n_batch++];
    edge->id = (uintptr_t)p;
    edge->name = ubi__key_of_name(name);
    if (sink->n_batch == UBI__BATCH)
        ubi__pass_on(sink);
}

/** An edge to a node that is no string or number. */
UBI__INLINE void ubi__edge(ubi__sink *sink, ubi__purpose purpose, const void *p, ubi__kind kind, bool is_counted,
                           ubi__name name) {
    if (!p || sink->was_stopped)
        return;
    if (purpose == UBI__TO_COUNT)
        ubi__count_edge(sink, p, kind, is_counted);
    else if (purpose == UBI__TO_VISIT)
        ubi__visit_edge(sink, p);
    else
        ubi__visit_named_edge(sink, p, name);
}

/** The edge of a value, if it is a reference. */
UBI__INLINE void ubi__value_edge(ubi__sink *sink, ubi__purpose purpose, JSValueConst value, ubi__name name) {
    if (JS_VALUE_HAS_REF_COUNT(value))
        ubi__edge(sink, purpose, JS_VALUE_GET_PTR(value), ubi__kind_of_tag(JS_VALUE_GET_TAG(value)), true, name);
}

UBI__INLINE void ubi__atom_edge(ubi__sink *sink, ubi__purpose purpose, JSAtom atom, ubi__name name) {
    ubi__edge(sink, purpose, ubi__counted_atom(sink->rt, atom), UBI__STRING, true, name);
}

UBI__INLINE void ubi__var_ref_edge(ubi__sink *sink, ubi__purpose purpose, const JSVarRef *ref, ubi__name name) {
    if (ref)
        ubi__edge(sink, purpose, ref,
                  ubi__is_open(ref) && !UBI__OPEN_REFS_ARE_LISTED ? UBI__OPEN_VAR_REF : UBI__VAR_REF, true, name);
}

/* ---- what mark functions report ------------------------------------------------------------------------------------- */

static void ubi__met(ubi__sink *sink, const void *p, ubi__kind kind, JSValueConst value) {
    bool named = sink->purpose == UBI__TO_NAME && sink->name_at;
    sink->met = p;
    ubi__name name = named ? sink->name_at(sink, value) : UBI__NAMED(NULL);
    ubi__edge(sink, sink->purpose, p, kind, true, name);
}

static void ubi__walk_meets(JSRuntime *rt, JSValueConst value) {
    ubi__sink *sink = ubi__marked_into;
    if (JS_VALUE_HAS_REF_COUNT(value))
        ubi__met(sink, JS_VALUE_GET_PTR(value), ubi__kind_of_tag(JS_VALUE_GET_TAG(value)), value);
    sink->position++;
    sink->tools->hook_counts[UBI__HOOK_MARK]++;
}

static void ubi__walk_mark(JSRuntime *rt, JSGCObjectHeader *header) {
    ubi__sink *sink = ubi__marked_into;
    ubi__met(sink, header, ubi__listed_kind(header), JS_UNDEFINED);
    sink->position++;
}

/** Calls a mark function so that what it reports goes into the sink, named by `name_at`. */
static inline void ubi__begin_marks(ubi__sink *sink, ubi__sink **before, ubi__name_at_fn name_at) {
    *before = ubi__marked_into;
    ubi__marked_into = sink;
    sink->position = 0;
    sink->name_at = name_at;
}
static inline void ubi__end_marks(ubi__sink *before) {
    ubi__marked_into = before;
}

#endif
