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

typedef struct ubi__sink {
    ubi_quickjs *tools;
    JSRuntime *rt;
    ubi__purpose purpose;
    bool stopped; /* by who visits, or by lack of memory: nothing more is passed on */
    ubi_edge_fn fn;
    void *payload;
    /* for mark functions */
    const void *origin;
    uint32_t position; /* values met so far, references or not */
    ubi__name_at_fn name_at;
    JSFunctionBytecode *code; /* of the function whose frame is marked */
} ubi__sink;

static const ubi_node_ops ubi__node_ops;

/* What the running mark function tells goes here: such a function cannot carry a payload. */
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
        sink->stopped = true;
        return;
    }
    if (!ubi__is_listed(p, kind) && !ubi__index_has(index, page, (uintptr_t)p) &&
        !ubi__discover(sink->tools, page, p, kind))
        sink->stopped = true;
    if (is_counted && !ubi__index_count(index, page, (uintptr_t)p))
        sink->stopped = true;
}

/* ---- passing on ----------------------------------------------------------------------------------------------------- */

static UBI_OUT_OF_LINE ubi_text ubi__new_name(ubi_quickjs *tools, ubi__name name, ubi__known_name *known) {
    const ubi__name_buffer *buffer = &tools->walk.name;
    ubi_text text = ubi__name_text(tools, name);
    bool lasts = !buffer->at || (uintptr_t)text.ptr - (uintptr_t)buffer->at >= buffer->capacity;
    if (name.how != UBI__NAME_NUMBER && text.ptr && lasts)
        *known = (ubi__known_name){ name.text, name.number, name.how, text };
    return text;
}

/* Few names are asked for again and again, and while the heap is frozen their texts lie still, but for those put together. */
static inline ubi_text ubi__edge_name(ubi_quickjs *tools, ubi__name name) {
    uint64_t hash = ((uintptr_t)name.text + ((uint64_t)name.number << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    ubi__known_name *known = &tools->walk.known_names[hash >> (64 - UBI__KNOWN_NAMES_BITS)];
    if (__builtin_expect(known->before == name.text && known->number == name.number && known->how == name.how, 1))
        return known->text;
    return ubi__new_name(tools, name, known);
}

static inline void ubi__visit_edge(ubi__sink *sink, ubi__purpose purpose, const void *p, ubi__name name) {
    uint32_t number = ubi__index_find(&sink->tools->walk.index, p);
    if (number == UBI_NONE)
        return;
    ubi_text text = purpose == UBI__TO_NAME ? ubi__edge_name(sink->tools, name) : (ubi_text){ NULL, 0 };
    ubi_node referent = sink->tools->walk.any_node;
    referent.ref = number;
    sink->stopped = !sink->fn(sink->payload, referent, text);
}

/** An edge to a node that is no string or number. */
UBI__INLINE void ubi__edge(ubi__sink *sink, ubi__purpose purpose, const void *p, ubi__kind kind, bool is_counted,
                           ubi__name name) {
    if (!p || sink->stopped)
        return;
    if (purpose == UBI__TO_COUNT)
        ubi__count_edge(sink, p, kind, is_counted);
    else
        ubi__visit_edge(sink, purpose, p, name);
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

/* ---- what mark functions tell --------------------------------------------------------------------------------------- */

static void ubi__met(ubi__sink *sink, const void *p, ubi__kind kind, JSValueConst value) {
    bool named = sink->purpose == UBI__TO_NAME && sink->name_at;
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

/** Calls a mark function so that what it tells goes into the sink, named by `name_at`. */
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
