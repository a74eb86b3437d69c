/* SPDX-License-Identifier: MIT
 *
 * edges_object.h: edges of objects: shape, properties, and what the class adds.
 *
 * Classes that programs have by the million, or that have no mark function of their own, are enumerated from their
 * structures. Of all others, built in or the program's own, the class's mark function reports the edges, and a table names them
 * by the order in which it does.
 */
#ifndef UBI_QUICKJS_EDGES_OBJECT_H
#define UBI_QUICKJS_EDGES_OBJECT_H

#include "engines/quickjs/adapter/edges_frame.h"

/* ---- properties ----------------------------------------------------------------------------------------------------- */

UBI__INLINE void ubi__special_property_edges(ubi__sink *sink, ubi__purpose purpose, int type, JSProperty *property,
                                             JSAtom key) {
    if (type == JS_PROP_GETSET) {
        ubi__edge(sink, purpose, property->u.getset.getter, UBI__OBJECT, true, UBI__ATOM_NAMED_AFTER("get ", key));
        ubi__edge(sink, purpose, property->u.getset.setter, UBI__OBJECT, true, UBI__ATOM_NAMED_AFTER("set ", key));
    } else if (type == JS_PROP_VARREF) {
        ubi__var_ref_edge(sink, purpose, property->u.var_ref, UBI__ATOM_NAMED(key));
    } else if (type == JS_PROP_AUTOINIT) { /* made at first use; until then it only holds its realm */
        ubi__edge(sink, purpose, js_autoinit_get_realm(property), UBI__REALM, true, UBI__NAMED("auto-init realm"));
    }
}

UBI__INLINE void ubi__property_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    JSShape *shape = p->shape;
    JSShapeProperty *keys = get_shape_prop(shape);
    for (int i = 0; i < shape->prop_count; i++) {
        int type = keys[i].flags & JS_PROP_TMASK;
        if (keys[i].atom == JS_ATOM_NULL) /* deleted */
            continue;
        if (__builtin_expect(type == 0, 1))
            ubi__value_edge(sink, purpose, p->prop[i].u.value, UBI__ATOM_NAMED(keys[i].atom));
        else
            ubi__special_property_edges(sink, purpose, type, &p->prop[i], keys[i].atom);
    }
}

/* ---- classes enumerated here ---------------------------------------------------------------------------------------- */

UBI__INLINE void ubi__function_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    JSFunctionBytecode *b = p->u.func.function_bytecode;
    ubi__edge(sink, purpose, b, UBI__BYTECODE, true, UBI__NAMED("bytecode"));
    ubi__edge(sink, purpose, p->u.func.home_object, UBI__OBJECT, true, UBI__NAMED("home_object"));
    if (b && p->u.func.var_refs)
        for (int i = 0; i < b->closure_var_count; i++)
            ubi__var_ref_edge(sink, purpose, p->u.func.var_refs[i], UBI__ATOM_NAMED(b->closure_var[i].var_name));
}

UBI__INLINE void ubi__regexp_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    ubi__edge(sink, purpose, p->u.regexp.pattern, UBI__STRING, true, UBI__NAMED("pattern"));
    ubi__edge(sink, purpose, p->u.regexp.bytecode, UBI__STRING, true, UBI__NAMED("bytecode"));
}

UBI__INLINE void ubi__fast_array_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    for (uint32_t i = 0; i < p->u.array.count; i++)
        ubi__value_edge(sink, purpose, p->u.array.u.values[i], UBI__NUMBERED("", i));
}

#if UBI_MAPPED_REFS
UBI__INLINE void ubi__mapped_arguments_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    for (uint32_t i = 0; i < p->u.array.count; i++)
        ubi__var_ref_edge(sink, purpose, p->u.array.u.var_refs[i], UBI__NUMBERED("", i));
}
#endif

/* ---- classes that report their edges -------------------------------------------------------------------------------- */

/** What a mark function's values are, in its order; `others` with a number from 0 for what comes after. */
typedef struct ubi__class_edges {
    int class_id;
    const char *first[3];
    const char *others;
} ubi__class_edges;

static const ubi__class_edges ubi__edges_of_classes[] = {
    { JS_CLASS_BOUND_FUNCTION, { "target", "this" }, "argument " },
    { JS_CLASS_C_FUNCTION_DATA, { NULL }, "data " },
    { JS_CLASS_FOR_IN_ITERATOR, { "object" }, NULL },
    { JS_CLASS_MAP_ITERATOR, { "object" }, NULL },
    { JS_CLASS_SET_ITERATOR, { "object" }, NULL },
    { JS_CLASS_ARRAY_ITERATOR, { "object" }, NULL },
    { JS_CLASS_STRING_ITERATOR, { "object" }, NULL },
    { JS_CLASS_REGEXP_STRING_ITERATOR, { "regexp", "string" }, NULL },
    { JS_CLASS_PROXY, { "target", "handler" }, NULL },
    { JS_CLASS_ERROR, { "stack" }, NULL }, /* where it is data of the object, not a property */
    { JS_CLASS_PROMISE_RESOLVE_FUNCTION, { "promise" }, NULL },
    { JS_CLASS_PROMISE_REJECT_FUNCTION, { "promise" }, NULL },
    { JS_CLASS_ASYNC_FUNCTION_RESOLVE, { "state" }, NULL },
    { JS_CLASS_ASYNC_FUNCTION_REJECT, { "state" }, NULL },
    { JS_CLASS_ASYNC_FROM_SYNC_ITERATOR, { "iterator", "next" }, NULL },
};

static ubi__name ubi__name_by_order(const ubi__class_edges *edges, uint32_t position) {
    uint32_t n_first = 0;
    while (n_first < 3 && edges->first[n_first])
        n_first++;
    if (position < n_first)
        return UBI__NAMED(edges->first[position]);
    return edges->others ? UBI__NUMBERED(edges->others, position - n_first) : UBI__NAMED(NULL);
}

static ubi__name ubi__name_of_promise_edge(uint32_t position) {
    static const char *const names[] = { "resolve", "reject", "handler" };
    return UBI__NAMED(names[position % 3]);
}

#if UBI_FINREC_LIST
/* A registry reports its callback first and then what it holds for each target, or held values alone and its callback last. */
static ubi__name ubi__name_in_registry(const JSFinalizationRegistryData *registry, uint32_t position,
                                       JSValueConst value) {
    if (!JS_VALUE_HAS_REF_COUNT(value))
        return UBI__NAMED("realm");
#if UBI_OBJ_FIRST_WEAK
    static const char *const names[] = { "held value", "token", "callback", "realm" };
    return UBI__NAMED(position == 0 ? "callback" : names[(position - 1) % (UBI_FINREC_ENTRY_REALM ? 4 : 2)]);
#else
    bool is_callback = JS_VALUE_GET_PTR(value) == JS_VALUE_GET_PTR(registry->cb);
    return UBI__NAMED(is_callback ? "callback" : "held value");
#endif
}
#endif

/* Names what the class's mark function meets. */
static ubi__name ubi__name_by_class(ubi__sink *sink, JSValueConst value) {
    const JSObject *p = sink->origin;
    switch (p->class_id) {
    case JS_CLASS_MAP:
        return UBI__NAMED(sink->position % 2 ? "value" : "key");
    case JS_CLASS_SET:
        return UBI__NAMED("key");
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
        return UBI__NAMED("value");
    case JS_CLASS_PROMISE: { /* reactions, then the result, which alone is there once it is settled */
        const JSPromiseData *promise = p->u.opaque;
        bool is_settled = promise->promise_state != JS_PROMISE_PENDING;
        return is_settled ? UBI__NAMED("result") : ubi__name_of_promise_edge(sink->position);
    }
#if UBI_ASYNC_STATE_GC /* the frame is marked as such, after the requests that wait */
    case JS_CLASS_GENERATOR:
        return UBI__NAMED("state");
    case JS_CLASS_ASYNC_GENERATOR: {
        static const char *const names[] = { "request value", "request promise", "request resolve", "request reject" };
        return UBI__NAMED(JS_VALUE_HAS_REF_COUNT(value) ? names[sink->position % 4] : "state");
    }
#endif
#if UBI_FINREC_LIST
    case JS_CLASS_FINALIZATION_REGISTRY:
        return ubi__name_in_registry(p->u.opaque, sink->position, value);
#endif
    default:
        break;
    }
    if (p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_DATAVIEW)
        return UBI__NAMED("buffer");
    for (size_t i = 0; i < countof(ubi__edges_of_classes); i++)
        if (ubi__edges_of_classes[i].class_id == p->class_id)
            return ubi__name_by_order(&ubi__edges_of_classes[i], sink->position);
    return UBI__NAMED(NULL);
}

static void ubi__reported_edges(ubi__sink *sink, JSObject *p) {
    JSClassGCMark *mark = sink->rt->class_array[p->class_id].gc_mark;
    if (!mark || !p->u.opaque)
        return;
    ubi__sink *before;
    ubi__begin_marks(sink, &before, ubi__name_by_class);
    sink->origin = p;
    mark(sink->rt, JS_MKPTR(JS_TAG_OBJECT, p), ubi__walk_mark);
    ubi__end_marks(before);
}

#if UBI_OBJ_FIRST_WEAK
/* This engine's mark function of the key reports the value; it is the map that holds it. */
UBI__INLINE void ubi__weak_map_edges(ubi__sink *sink, ubi__purpose purpose, const JSMapState *map) {
    struct list_head *el;
    if (!map)
        return;
    list_for_each(el, &((JSMapState *)map)->records) {
        ubi__value_edge(sink, purpose, list_entry(el, JSMapRecord, link)->value, UBI__NAMED("value"));
    }
}
#endif

#if UBI_FORIN_TAB
/* The names that are still to come. */
UBI__INLINE void ubi__for_in_edges(ubi__sink *sink, ubi__purpose purpose, const JSForInIterator *it) {
    if (it && !it->is_array && it->tab_atom)
        for (uint32_t i = 0; i < it->atom_count; i++)
            ubi__atom_edge(sink, purpose, it->tab_atom[i].atom, UBI__NAMED("name"));
}
#endif

/* ---- all ------------------------------------------------------------------------------------------------------------ */

UBI__INLINE void ubi__class_specific_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    switch (p->class_id) {
    case JS_CLASS_OBJECT:
        break;
    case JS_CLASS_ARRAY:
    case JS_CLASS_ARGUMENTS:
        if (p->fast_array)
            ubi__fast_array_edges(sink, purpose, p);
        break;
#if UBI_MAPPED_REFS
    case JS_CLASS_MAPPED_ARGUMENTS:
        if (p->fast_array)
            ubi__mapped_arguments_edges(sink, purpose, p);
        break;
#endif
#if UBI_OBJ_FIRST_WEAK
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
        ubi__weak_map_edges(sink, purpose, p->u.map_state);
        break;
#endif
#if UBI_FORIN_TAB
    case JS_CLASS_FOR_IN_ITERATOR:
        ubi__reported_edges(sink, p);
        ubi__for_in_edges(sink, purpose, p->u.for_in_iterator);
        break;
#endif
    case JS_CLASS_BYTECODE_FUNCTION:
    case JS_CLASS_GENERATOR_FUNCTION:
    case JS_CLASS_ASYNC_FUNCTION:
    case JS_CLASS_ASYNC_GENERATOR_FUNCTION:
        ubi__function_edges(sink, purpose, p);
        break;
    case JS_CLASS_C_FUNCTION:
        ubi__edge(sink, purpose, p->u.cfunc.realm, UBI__REALM, true, UBI__NAMED("realm"));
        break;
    case JS_CLASS_REGEXP:
        ubi__regexp_edges(sink, purpose, p);
        break;
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_DATE:
    case JS_CLASS_BIG_INT:
#if UBI_BIGNUM_CLASSES
    case JS_CLASS_BIG_FLOAT:
    case JS_CLASS_BIG_DECIMAL:
#endif
        ubi__value_edge(sink, purpose, p->u.object_data, UBI__NAMED("primitive"));
        break;
#if !UBI_ASYNC_STATE_GC
    case JS_CLASS_GENERATOR:
        ubi__generator_edges(sink, purpose, p);
        break;
    case JS_CLASS_ASYNC_GENERATOR:
        ubi__async_generator_edges(sink, purpose, p);
        break;
#endif
    default:
        ubi__reported_edges(sink, p);
    }
}

UBI__INLINE void ubi__object_edges(ubi__sink *sink, ubi__purpose purpose, JSObject *p) {
    if (!p->shape) /* freed, but still referred to weakly */
        return;
    ubi__edge(sink, purpose, p->shape, UBI__SHAPE, true, UBI__NAMED("shape"));
    if (p->prop)
        ubi__property_edges(sink, purpose, p);
    ubi__class_specific_edges(sink, purpose, p);
}

#endif
