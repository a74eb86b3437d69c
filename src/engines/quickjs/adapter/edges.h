/* SPDX-License-Identifier: MIT
 *
 * edges.h: the edges of any node.
 *
 * Weak references are no edges: the keys of WeakMap and WeakSet, and what the runtime's tables of atoms, shapes and realms
 * list. Nor are atoms that are built into the engine edges of those that use them: the runtime has them.
 */
#ifndef UBI_QUICKJS_EDGES_H
#define UBI_QUICKJS_EDGES_H

#include "engines/quickjs/adapter/edges_code.h"

UBI__INLINE void ubi__shape_edges(ubi__sink *sink, ubi__purpose purpose, JSShape *shape) {
    ubi__edge(sink, purpose, shape->proto, UBI__OBJECT, true, UBI__NAMED("proto"));
    JSShapeProperty *keys = get_shape_prop(shape);
    for (int i = 0; i < shape->prop_count; i++)
        ubi__atom_edge(sink, purpose, keys[i].atom, UBI__NAMED("key"));
}

/* The value of an open variable lies in a frame, which is who counts it. */
UBI__INLINE void ubi__open_var_ref_edges(ubi__sink *sink, ubi__purpose purpose, const JSVarRef *ref) {
    JSValue value = *ref->pvalue;
    if (JS_VALUE_HAS_REF_COUNT(value))
        ubi__edge(sink, purpose, JS_VALUE_GET_PTR(value), ubi__kind_of_tag(JS_VALUE_GET_TAG(value)), false,
                  UBI__NAMED("value"));
}

/* On the collector's list: what it counts while its frame still runs, such as that frame, the engine's mark function says. */
#if UBI__OPEN_REFS_ARE_LISTED
static ubi__name ubi__name_of_frame(ubi__sink *sink, JSValueConst value) {
    return UBI__NAMED("frame");
}
#endif

UBI__INLINE void ubi__var_ref_edges(ubi__sink *sink, ubi__purpose purpose, JSVarRef *ref) {
#if UBI__OPEN_REFS_ARE_LISTED
    if (ubi__is_open(ref)) {
        ubi__sink *before;
        ubi__begin_marks(sink, &before, ubi__name_of_frame);
        mark_children(sink->rt, &ref->header, ubi__walk_mark);
        ubi__end_marks(before);
        ubi__open_var_ref_edges(sink, purpose, ref);
        return;
    }
#endif
    ubi__value_edge(sink, purpose, *ref->pvalue, UBI__NAMED("value"));
}

#if UBI_ROPE
UBI__INLINE void ubi__rope_edges(ubi__sink *sink, ubi__purpose purpose, const JSStringRope *rope) {
    ubi__value_edge(sink, purpose, rope->left, UBI__NAMED("left"));
    ubi__value_edge(sink, purpose, rope->right, UBI__NAMED("right"));
}
#endif

UBI__INLINE void ubi__runtime_edges(ubi__sink *sink, ubi__purpose purpose, JSRuntime *rt) {
    struct list_head *el;
    ubi__value_edge(sink, purpose, rt->current_exception, UBI__NAMED("exception"));
    for (int i = 0; i < rt->class_count; i++)
        if (rt->class_array[i].class_id != 0)
            ubi__atom_edge(sink, purpose, rt->class_array[i].class_name, UBI__NAMED("class name"));
    for (JSAtom atom = 1; atom < JS_ATOM_END && atom < (JSAtom)rt->atom_size; atom++)
        if (!atom_is_free(rt->atom_array[atom]))
            ubi__edge(sink, purpose, rt->atom_array[atom], UBI__STRING, true, UBI__NAMED("built-in atom"));
    list_for_each(el, &rt->job_list) {
        const JSJobEntry *job = list_entry(el, JSJobEntry, link);
        for (int i = 0; i < job->argc; i++)
            ubi__value_edge(sink, purpose, job->argv[i], UBI__NUMBERED("job argument ", (uint32_t)i));
    }
}

UBI__INLINE void ubi__edges(ubi__sink *sink, ubi__purpose purpose, void *p, ubi__kind kind) {
    switch (kind) {
    case UBI__OBJECT:
        ubi__object_edges(sink, purpose, p);
        break;
    case UBI__SHAPE:
        ubi__shape_edges(sink, purpose, p);
        break;
    case UBI__VAR_REF:
        ubi__var_ref_edges(sink, purpose, p);
        break;
    case UBI__OPEN_VAR_REF:
        ubi__open_var_ref_edges(sink, purpose, p);
        break;
    case UBI__BYTECODE:
        ubi__bytecode_edges(sink, purpose, p);
        break;
    case UBI__ASYNC_STATE:
        ubi__async_state_edges(sink, purpose, p);
        break;
    case UBI__REALM:
        ubi__realm_edges(sink, purpose, p);
        break;
    case UBI__MODULE:
        ubi__module_edges(sink, purpose, p);
        break;
    case UBI__RUNTIME:
        ubi__runtime_edges(sink, purpose, p);
        break;
#if UBI_ROPE
    case UBI__ROPE:
        ubi__rope_edges(sink, purpose, p);
        break;
#endif
    case UBI__STRING:
        ubi__edge(sink, purpose, ubi__slice_parent(p), UBI__STRING, true, UBI__NAMED("slice of"));
        break;
    default: /* symbols and big numbers have none */
        break;
    }
}

/* The three copies. */
static __attribute__((noinline)) void ubi__count_edges(ubi__sink *sink, void *p, ubi__kind kind) {
    ubi__edges(sink, UBI__TO_COUNT, p, kind);
}
static __attribute__((noinline)) void ubi__visit_edges(ubi__sink *sink, void *p, ubi__kind kind) {
    ubi__edges(sink, UBI__TO_VISIT, p, kind);
}
static __attribute__((noinline)) void ubi__visit_named_edges(ubi__sink *sink, void *p, ubi__kind kind) {
    ubi__edges(sink, UBI__TO_NAME, p, kind);
}

#endif
