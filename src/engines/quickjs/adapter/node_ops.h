/* SPDX-License-Identifier: MIT
 *
 * node_ops.h: the frozen heap as ubi_nodes.
 *
 * A node's ref is its number; the root list has the number after the last. Ids are addresses, that of the tools for the
 * root list. They are stable while a thing lives, except for shapes, which the engine moves when properties are added.
 */
#ifndef UBI_QUICKJS_NODE_OPS_H
#define UBI_QUICKJS_NODE_OPS_H

#include "engines/quickjs/adapter/freeze.h"

static inline ubi_quickjs *ubi__tools_of_node(ubi_node node) {
    return node.heap;
}
static inline bool ubi__is_root_list(ubi_node node) {
    return node.ref == ubi__tools_of_node(node)->walk.index.n_nodes;
}
static inline ubi__kind ubi__kind_of_node(ubi_node node) {
    return ubi__is_root_list(node) ? UBI__ROOT_LIST
                                   : ubi__index_kind(&ubi__tools_of_node(node)->walk.index, (uint32_t)node.ref);
}
static inline void *ubi__address_of_node(ubi_node node) {
    return ubi__is_root_list(node) ? node.heap
                                   : ubi__index_address(&ubi__tools_of_node(node)->walk.index, (uint32_t)node.ref);
}

static uint64_t ubi__node_id(ubi_node node) {
    return (uintptr_t)ubi__address_of_node(node);
}

static ubi_text ubi__node_type_name(ubi_node node) {
    static const ubi_text slice = UBI__TYPE_NAME("JSStringSlice");
    ubi__kind kind = ubi__kind_of_node(node);
    if (kind == UBI__STRING && ubi__slice_parent(ubi__address_of_node(node)))
        return slice;
    return ubi__kinds[kind].type_name;
}

static ubi_coarse_type ubi__node_coarse_type(ubi_node node) {
    return ubi__kinds[ubi__kind_of_node(node)].coarse;
}

static uint64_t ubi__node_size_bytes(ubi_node node) {
    if (ubi__is_root_list(node))
        return 1;
    return ubi__shallow_bytes(ubi__tools_of_node(node)->runtime, ubi__address_of_node(node), ubi__kind_of_node(node));
}

static ubi_text ubi__node_class_name(ubi_node node) {
    ubi_quickjs *tools = node.heap;
    if (ubi__kind_of_node(node) != UBI__OBJECT)
        return (ubi_text){ NULL, 0 };
    const JSObject *p = ubi__address_of_node(node);
    return p->shape ? ubi__node_text(tools, tools->runtime->class_array[p->class_id].class_name)
                    : (ubi_text){ NULL, 0 };
}

/* Where this engine calls a proxy an object, this says Proxy. */
static ubi_text ubi__node_descriptive_name(ubi_node node) {
    ubi_quickjs *tools = node.heap;
    JSObject *p = ubi__kind_of_node(node) == UBI__OBJECT ? ubi__address_of_node(node) : NULL;
    if (!p || !p->shape)
        return (ubi_text){ NULL, 0 };
    if (p->class_id == JS_CLASS_PROXY && tools->runtime->class_array[JS_CLASS_PROXY].class_name != JS_ATOM_Proxy)
        return (ubi_text){ "Proxy", 5 };
    return ubi__constructor_text(tools, ubi__constructor_of(tools, p));
}

static ubi_text ubi__node_script_filename(ubi_node node) {
    if (ubi__kind_of_node(node) != UBI__BYTECODE)
        return (ubi_text){ NULL, 0 };
    const JSFunctionBytecode *b = ubi__address_of_node(node);
#if UBI_HAS_DEBUG_BIT
    if (!b->has_debug)
        return (ubi_text){ NULL, 0 };
#endif
#if UBI_DEBUG_STRUCT
    return ubi__node_text(node.heap, b->debug.filename);
#else
    return ubi__node_text(node.heap, b->filename);
#endif
}

static bool ubi__node_allocation_stack(ubi_node node, ubi_stack *out) {
    if (ubi__kind_of_node(node) != UBI__OBJECT)
        return false;
    return ubi__stack_of_object(node.heap, ubi__address_of_node(node), out);
}

/* ---- edges ---------------------------------------------------------------------------------------------------------- */

static void ubi__scope_root_edges(ubi__sink *sink) {
    const ubi_quickjs_scope *scope = sink->tools->walk.scope;
    for (uint32_t i = 0; i < scope->n_realms; i++) {
        const JSContext *realm = ubi__numbered(sink->tools, scope->realms[i]);
        if (realm && JS_VALUE_GET_TAG(realm->global_obj) == JS_TAG_OBJECT)
            ubi__value_edge(sink, UBI__TO_NAME, realm->global_obj, UBI__NAMED(scope->edge_name));
    }
}

/* The runtime, then what is held from outside, in the order of addresses. */
static void ubi__root_edges(ubi__sink *sink) {
    const ubi__walk_state *walk = &sink->tools->walk;
    ubi__edge(sink, UBI__TO_NAME, sink->rt, UBI__RUNTIME, true, UBI__NAMED("runtime"));
    for (uint32_t i = 0; i < walk->n_roots; i++) {
        uint32_t node = walk->roots[i].node;
        ubi__name name = { NULL, i, UBI__NAME_ROOT };
        ubi__edge(sink, UBI__TO_NAME, ubi__index_address(&walk->index, node), ubi__index_kind(&walk->index, node), true,
                  name);
    }
}

static bool ubi__node_keyed_edges(ubi_node node, ubi_keyed_edges_fn fn, void *payload) {
    ubi_quickjs *tools = node.heap;
    ubi_keyed_edge batch[UBI__BATCH];
    ubi__sink sink = { .tools = tools,
                       .rt = tools->runtime,
                       .purpose = UBI__TO_NAME,
                       .payload = payload,
                       .visit_some = fn,
                       .batch = batch };
    if (!ubi__is_root_list(node))
        ubi__visit_named_edges(&sink, ubi__address_of_node(node), ubi__kind_of_node(node));
    else if (tools->walk.scope)
        ubi__scope_root_edges(&sink);
    else
        ubi__root_edges(&sink);
    ubi__pass_on(&sink);
    return !sink.was_stopped;
}

static UBI_OUT_OF_LINE ubi_text ubi__new_name(ubi_quickjs *tools, ubi_edge_key key, ubi__known_name *known) {
    const ubi__name_buffer *buffer = &tools->walk.name;
    ubi__name name = ubi__name_of_key(key);
    ubi_text text = name.how == UBI__NAME_ROOT ? ubi__root_name(tools, &tools->walk.roots[name.number])
                                               : ubi__name_text(tools, name);
    bool lasts = !buffer->at || (uintptr_t)text.ptr - (uintptr_t)buffer->at >= buffer->capacity;
    if (text.ptr && lasts)
        *known = (ubi__known_name){ key, text };
    return text;
}

/* A few names are asked for again and again. Texts stay in place while the heap is frozen, except composed ones. */
static ubi_text ubi__node_edge_name(void *heap, ubi_edge_key key) {
    ubi_quickjs *tools = heap;
    uint64_t hash = (key.base + (key.number << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    ubi__known_name *known = &tools->walk.known_names[hash >> (64 - UBI__KNOWN_NAMES_BITS)];
    if (__builtin_expect(known->text.ptr && known->key.base == key.base && known->key.number == key.number, 1))
        return known->text;
    return ubi__new_name(tools, key, known);
}

/* Who asks for edges with the texts of their names. */
typedef struct ubi__visitor {
    ubi_quickjs *tools;
    ubi_edge_fn fn;
    void *payload;
} ubi__visitor;

static bool ubi__visit_with_names(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    const ubi__visitor *visitor = payload;
    ubi_node referent = visitor->tools->walk.any_node;
    for (uint32_t i = 0; i < n; i++) {
        referent.ref = edges[i].ref;
        if (!visitor->fn(visitor->payload, referent, ubi__node_edge_name(visitor->tools, edges[i].name)))
            return false;
    }
    return true;
}

/* And without them. */
static bool ubi__visit_some(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    const ubi__visitor *visitor = payload;
    ubi_node referent = visitor->tools->walk.any_node;
    for (uint32_t i = 0; i < n; i++) {
        referent.ref = edges[i].ref;
        if (!visitor->fn(visitor->payload, referent, (ubi_text){ NULL, 0 }))
            return false;
    }
    return true;
}

static bool ubi__node_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    ubi_quickjs *tools = node.heap;
    ubi__visitor visitor = { tools, fn, payload };
    if (want_names || ubi__is_root_list(node))
        return ubi__node_keyed_edges(node, want_names ? ubi__visit_with_names : ubi__visit_some, &visitor);
    ubi__sink sink = {
        .tools = tools, .rt = tools->runtime, .purpose = UBI__TO_VISIT, .payload = payload, .visit = fn
    };
    ubi__visit_edges(&sink, ubi__address_of_node(node), ubi__kind_of_node(node));
    return !sink.was_stopped;
}

/* The root list is the last. */
static uint64_t ubi__node_ref_limit(void *heap) {
    return (uint64_t)((ubi_quickjs *)heap)->walk.index.n_nodes + 1;
}

/* Objects by class, or by class and constructor where that has a name; all else by kind. Scripts have file names. */
static uint32_t ubi__node_group(ubi_node node) {
    ubi__kind kind = ubi__kind_of_node(node);
    if (kind == UBI__BYTECODE)
        return UBI_NONE;
    if (kind != UBI__OBJECT)
        return (uint32_t)kind;
    ubi_quickjs *tools = node.heap;
    JSObject *p = ubi__address_of_node(node);
    if (!p->shape)
        return UBI__OBJECT;
    uint32_t name = ubi__constructor_of(tools, p);
    if (__builtin_expect(name == 0, 1))
        return UBI__KIND_COUNT + p->class_id;
    return name == UBI_NONE ? UBI_NONE : UBI__KIND_COUNT + (uint32_t)tools->runtime->class_count + name - 1;
}

/* A block and what its allocator wrote in front of it, where its size is. */
static inline void ubi__prefetch_block(const void *p) {
    enum { FRONT = 16, SECOND_LINE = 48 };
    __builtin_prefetch((const char *)p - FRONT);
    __builtin_prefetch((const char *)p + SECOND_LINE);
}

/* Asked for in the order in which nodes will be needed: an object some calls ago is here, so its properties can be fetched. */
static void ubi__node_prefetch(ubi_node node) {
    ubi__walk_state *walk = &ubi__tools_of_node(node)->walk;
    const void **soon = &walk->soon[walk->n_soon++ % UBI__SOON];
    if (*soon)
        ubi__prefetch_block(((const JSObject *)*soon)->prop);
    *soon = ubi__kind_of_node(node) == UBI__OBJECT ? ubi__address_of_node(node) : NULL;
    ubi__prefetch_block(ubi__address_of_node(node));
}

static const ubi_node_ops ubi__node_ops = {
    .version = UBI_NODE_OPS_VERSION,
    .id = ubi__node_id,
    .type_name = ubi__node_type_name,
    .coarse_type = ubi__node_coarse_type,
    .size_bytes = ubi__node_size_bytes,
    .class_name = ubi__node_class_name,
    .descriptive_name = ubi__node_descriptive_name,
    .script_filename = ubi__node_script_filename,
    .allocation_stack = ubi__node_allocation_stack,
    .edges = ubi__node_edges,
    .ref_limit = ubi__node_ref_limit,
    .group = ubi__node_group,
    .prefetch = ubi__node_prefetch,
    .keyed_edges = ubi__node_keyed_edges,
    .edge_name = ubi__node_edge_name,
};

/* Symbols and strings of atoms have one structure; a value of any other type is not a node. */
bool ubi_quickjs_node_id(ubi_quickjs *tools, JSValueConst value, uint64_t *id) {
    if (!JS_VALUE_HAS_REF_COUNT(value))
        return false;
    *id = (uintptr_t)JS_VALUE_GET_PTR(value);
    return true;
}

#endif
