/* SPDX-License-Identifier: MIT
 *
 * sizes.h: the shallow size of a node: of its own block and of those that it alone owns.
 *
 * The unit is the engine's own: usable bytes of each block and the allocator's overhead. So the sizes of all nodes add up
 * to what the engine says it uses, except what is unknown: memory behind a class of the program, and memory that the
 * program lends (ArrayBuffers with a free function of its own), which the engine does not count either.
 */
#ifndef UBI_QUICKJS_SIZES_H
#define UBI_QUICKJS_SIZES_H

#include "engines/quickjs/adapter/edges_frame.h"

#if UBI_ASYNC_STATE_GC
#define UBI__FRAME_STATE(data) ((data)->func_state)
#else
#define UBI__FRAME_STATE(data) (&(data)->func_state)
#endif

/* Arguments, variables and operands of a frame that outlived its call. */
static uint64_t ubi__frame_bytes(JSRuntime *rt, const JSAsyncFunctionState *state) {
#if UBI_FRAME_BLOCK
    return state ? ubi__block_bytes(rt, state->frame.arg_buf) : 0;
#else
    return 0; /* lies in the block of the state */
#endif
}

/* ---- what belongs to objects of a class ----------------------------------------------------------------------------- */

static uint64_t ubi__map_bytes(JSRuntime *rt, const JSMapState *map) {
    uint64_t bytes = ubi__block_bytes(rt, map) + ubi__block_bytes(rt, map->hash_table);
    struct list_head *el;
    list_for_each(el, &((JSMapState *)map)->records) {
        bytes += ubi__block_bytes(rt, list_entry(el, JSMapRecord, link));
    }
    return bytes;
}

static uint64_t ubi__promise_bytes(JSRuntime *rt, const JSPromiseData *promise) {
    uint64_t bytes = ubi__block_bytes(rt, promise);
    struct list_head *el;
    for (int i = 0; i < 2; i++) {
        list_for_each(el, &((JSPromiseData *)promise)->promise_reactions[i]) {
            bytes += ubi__block_bytes(rt, list_entry(el, JSPromiseReactionData, link));
        }
    }
    return bytes;
}

/* The two functions of a promise share a block: each has its part. */
static uint64_t ubi__resolving_function_bytes(JSRuntime *rt, const JSPromiseFunctionData *data) {
    uint64_t owners = (uint64_t)(data->presolved->ref_count > 0 ? data->presolved->ref_count : 1);
    return ubi__block_bytes(rt, data) + ubi__block_bytes(rt, data->presolved) / owners;
}

static uint64_t ubi__array_buffer_bytes(JSRuntime *rt, const JSArrayBuffer *buffer) {
#if UBI_ABUF_REALLOC
    bool is_own = buffer->realloc_func == js_array_buffer_realloc;
#else
    bool is_own = buffer->free_func == js_array_buffer_free;
#endif
    if (buffer->shared && rt->sab_funcs.sab_free) /* the program's own memory */
        is_own = false;
    return ubi__block_bytes(rt, buffer) + (is_own ? ubi__block_bytes(rt, buffer->data) : 0);
}

/* With the requests that wait; where the frame is a node of its own, its bytes are counted there. */
static uint64_t ubi__async_generator_bytes(JSRuntime *rt, const JSObject *p) {
    const JSAsyncGeneratorData *data = p->u.async_generator_data;
    uint64_t bytes = ubi__block_bytes(rt, data);
#if !UBI_ASYNC_STATE_GC
    bytes += ubi__frame_bytes(rt, ubi__generator_frame(p));
#endif
    struct list_head *el;
    list_for_each(el, &((JSAsyncGeneratorData *)data)->queue) {
        bytes += ubi__block_bytes(rt, list_entry(el, JSAsyncGeneratorRequest, link));
    }
    return bytes;
}

#if UBI_BIGNUM_CLASSES
static uint64_t ubi__operator_set_bytes(JSRuntime *rt, const JSOperatorSetData *set) {
    return ubi__block_bytes(rt, set) + ubi__block_bytes(rt, set->left.tab) + ubi__block_bytes(rt, set->right.tab);
}
#endif

#if UBI_FORIN_TAB
static uint64_t ubi__for_in_bytes(JSRuntime *rt, const JSForInIterator *it) {
    return ubi__block_bytes(rt, it) + (it->is_array ? 0 : ubi__block_bytes(rt, it->tab_atom));
}
#endif

#if UBI_CLASS_WEAKREF
static uint64_t ubi__weak_ref_bytes(JSRuntime *rt, const void *data) {
#if UBI_WEAKREF_SENTINEL
    if (data == (const void *)&js_weakref_sentinel) /* what it referred to is gone */
        return 0;
#endif
    return ubi__block_bytes(rt, data);
}
#endif

#if UBI_FINREC_LIST
static uint64_t ubi__finalization_registry_bytes(JSRuntime *rt, JSFinalizationRegistryData *data) {
    uint64_t bytes = ubi__block_bytes(rt, data);
    struct list_head *el;
    list_for_each(el, &data->entries) {
        bytes += ubi__block_bytes(rt, list_entry(el, JSFinRecEntry, link));
    }
    return bytes;
}
#endif

#if UBI_ITERATOR_BUFFER
static uint64_t ubi__iterator_helper_bytes(JSRuntime *rt, const JSIteratorHelperData *it) {
    return ubi__block_bytes(rt, it) + ubi__block_bytes(rt, it->buf);
}
#endif

#if UBI_DISPOSABLE_STACK
static uint64_t ubi__disposable_stack_bytes(JSRuntime *rt, const JSDisposableStack *stack) {
    return ubi__block_bytes(rt, stack) + ubi__block_bytes(rt, stack->resources);
}
#endif

/* Classes whose data is one block. */
#define UBI__CASE(class_id) case class_id:
static uint64_t ubi__opaque_bytes(JSRuntime *rt, const JSObject *p) {
    switch (p->class_id) {
    case JS_CLASS_BOUND_FUNCTION:
    case JS_CLASS_C_FUNCTION_DATA:
#if !UBI_FORIN_TAB
    case JS_CLASS_FOR_IN_ITERATOR:
#endif
    case JS_CLASS_DATAVIEW:
    case JS_CLASS_MAP_ITERATOR:
    case JS_CLASS_SET_ITERATOR:
    case JS_CLASS_ARRAY_ITERATOR:
    case JS_CLASS_STRING_ITERATOR:
    case JS_CLASS_REGEXP_STRING_ITERATOR:
    case JS_CLASS_PROXY:
    case JS_CLASS_ASYNC_FROM_SYNC_ITERATOR:
        UBI_ONE_BLOCK_CLASSES(UBI__CASE) /* others that this engine has */
        return ubi__block_bytes(rt, p->u.opaque);
    default:
        break;
    }
    bool is_typed_array = p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_FLOAT64_ARRAY;
    return is_typed_array ? ubi__block_bytes(rt, p->u.typed_array) : 0;
}

static uint64_t ubi__class_bytes(JSRuntime *rt, const JSObject *p) {
    if (ubi__is_function_with_bytecode(p->class_id))
        return ubi__block_bytes(rt, p->u.func.var_refs);
    if (p->class_id == JS_CLASS_ARRAY || p->class_id == JS_CLASS_ARGUMENTS)
        return p->fast_array ? ubi__block_bytes(rt, p->u.array.u.values) : 0;
#if UBI_MAPPED_REFS
    if (p->class_id == JS_CLASS_MAPPED_ARGUMENTS)
        return p->fast_array ? ubi__block_bytes(rt, p->u.array.u.var_refs) : 0;
#endif
    if (!p->u.opaque)
        return 0;
    switch (p->class_id) {
    case JS_CLASS_MAP:
    case JS_CLASS_SET:
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
        return ubi__map_bytes(rt, p->u.map_state);
    case JS_CLASS_PROMISE:
        return ubi__promise_bytes(rt, p->u.opaque);
    case JS_CLASS_PROMISE_RESOLVE_FUNCTION:
    case JS_CLASS_PROMISE_REJECT_FUNCTION:
        return ubi__resolving_function_bytes(rt, p->u.opaque);
    case JS_CLASS_ARRAY_BUFFER:
    case JS_CLASS_SHARED_ARRAY_BUFFER:
        return ubi__array_buffer_bytes(rt, p->u.array_buffer);
    case JS_CLASS_GENERATOR:
#if UBI_ASYNC_STATE_GC
        return ubi__block_bytes(rt, p->u.opaque);
#else
        return ubi__block_bytes(rt, p->u.opaque) + ubi__frame_bytes(rt, ubi__generator_frame(p));
#endif
    case JS_CLASS_ASYNC_GENERATOR:
        return ubi__async_generator_bytes(rt, p);
#if UBI_FORIN_TAB
    case JS_CLASS_FOR_IN_ITERATOR:
        return ubi__for_in_bytes(rt, p->u.for_in_iterator);
#endif
#if UBI_CLASS_WEAKREF
    case JS_CLASS_WEAK_REF:
        return ubi__weak_ref_bytes(rt, p->u.opaque);
#endif
#if UBI_FINREC_LIST
    case JS_CLASS_FINALIZATION_REGISTRY:
        return ubi__finalization_registry_bytes(rt, p->u.opaque);
#endif
#if UBI_BIGNUM_CLASSES
    case JS_CLASS_OPERATOR_SET:
        return ubi__operator_set_bytes(rt, p->u.opaque);
#endif
#if UBI_ITERATOR_BUFFER
    case JS_CLASS_ITERATOR_HELPER:
        return ubi__iterator_helper_bytes(rt, p->u.opaque);
#endif
#if UBI_DISPOSABLE_STACK
    case JS_CLASS_DISPOSABLE_STACK:
    case JS_CLASS_ASYNC_DISPOSABLE_STACK:
        return ubi__disposable_stack_bytes(rt, p->u.opaque);
#endif
    default:
        return ubi__opaque_bytes(rt, p);
    }
}

/* ---- everything else ------------------------------------------------------------------------------------------------ */

static uint64_t ubi__bytecode_bytes(JSRuntime *rt, const JSFunctionBytecode *b) {
    uint64_t bytes = ubi__block_bytes(rt, b);
#if UBI_HAS_DEBUG_BIT
    if (!b->has_debug) /* the block ends before these fields */
        return bytes;
#endif
#if UBI_DEBUG_STRUCT
    return bytes + ubi__block_bytes(rt, b->debug.pc2line_buf) + ubi__block_bytes(rt, b->debug.source);
#else
    return bytes + ubi__block_bytes(rt, b->pc2line_buf) + ubi__block_bytes(rt, b->source);
#endif
}

static uint64_t ubi__module_bytes(JSRuntime *rt, const JSModuleDef *m) {
    return ubi__block_bytes(rt, m) + ubi__block_bytes(rt, m->req_module_entries) +
           ubi__block_bytes(rt, m->export_entries) + ubi__block_bytes(rt, m->star_export_entries) +
           ubi__block_bytes(rt, m->import_entries);
}

static uint64_t ubi__runtime_bytes(JSRuntime *rt) {
    uint64_t bytes = ubi__block_bytes(rt, rt->class_array) + ubi__block_bytes(rt, rt->atom_array) +
                     ubi__block_bytes(rt, rt->atom_hash) + ubi__block_bytes(rt, rt->shape_hash);
    struct list_head *el;
    bytes += ubi__program_block_bytes(rt, rt);
    list_for_each(el, &rt->job_list) {
        bytes += ubi__block_bytes(rt, list_entry(el, JSJobEntry, link));
    }
    return bytes;
}

static uint64_t ubi__shape_bytes(JSRuntime *rt, JSShape *shape) {
#if UBI_SHAPE_ALLOC
    return ubi__block_bytes(rt, get_alloc_from_shape(shape));
#else
    return ubi__block_bytes(rt, shape);
#endif
}

static uint64_t ubi__big_number_bytes(JSRuntime *rt, const void *p, ubi__kind kind) {
    uint64_t bytes = ubi__block_bytes(rt, p);
#if UBI_BFDEC
    bytes += ubi__block_bytes(rt, kind == UBI__BIG_DECIMAL ? (const void *)((const JSBigDecimal *)p)->num.tab
                                                           : (const void *)((const JSBigFloat *)p)->num.tab);
#elif UBI_BF
    bytes += ubi__block_bytes(rt, ((const JSBigInt *)p)->num.tab);
#endif
    return bytes;
}

/* Who refers weakly to an object or symbol is in a list that belongs to it. */
#if UBI_OBJ_FIRST_WEAK
static uint64_t ubi__weak_list_bytes(JSRuntime *rt, const JSWeakRefRecord *first) {
    uint64_t bytes = 0;
    for (const JSWeakRefRecord *record = first; record; record = record->next_weak_ref)
        bytes += ubi__block_bytes(rt, record);
    return bytes;
}
#define UBI__WEAK_LIST_BYTES(rt, p) ubi__weak_list_bytes(rt, (p)->first_weak_ref)
#else
#define UBI__WEAK_LIST_BYTES(rt, p) 0
#endif

static uint64_t ubi__object_bytes(JSRuntime *rt, const JSObject *p) {
    uint64_t bytes = ubi__block_bytes(rt, p) + UBI__WEAK_LIST_BYTES(rt, p);
    return p->shape ? bytes + ubi__block_bytes(rt, p->prop) + ubi__class_bytes(rt, p) : bytes;
}

/** The shallow size of what lies at `p`. Needs no walk. */
static uint64_t ubi__shallow_bytes(JSRuntime *rt, void *p, ubi__kind kind) {
    switch (kind) {
    case UBI__OBJECT:
        return ubi__object_bytes(rt, p);
    case UBI__BYTECODE:
        return ubi__bytecode_bytes(rt, p);
    case UBI__SHAPE:
        return ubi__shape_bytes(rt, p);
    case UBI__ASYNC_STATE:
#if UBI_ASYNC_STATE_GC
        return ubi__block_bytes(rt, p) + ubi__frame_bytes(rt, p);
#else
        return ubi__block_bytes(rt, p) + (((JSAsyncFunctionData *)p)->is_active
                                              ? ubi__frame_bytes(rt, &((JSAsyncFunctionData *)p)->func_state)
                                              : 0);
#endif
    case UBI__REALM:
        return ubi__block_bytes(rt, p) + ubi__block_bytes(rt, ((JSContext *)p)->class_proto);
    case UBI__MODULE:
        return ubi__module_bytes(rt, p);
    case UBI__BIG_INT:
    case UBI__BIG_FLOAT:
    case UBI__BIG_DECIMAL:
        return ubi__big_number_bytes(rt, p, kind);
    case UBI__STRING:
        return ubi__block_bytes(rt, p) + ubi__block_bytes(rt, ubi__string_block(p));
#if UBI_STR_WEAKLIST
    case UBI__SYMBOL: /* in other texts the engine leaves that member as it was */
        return ubi__block_bytes(rt, p) + UBI__WEAK_LIST_BYTES(rt, (const JSString *)p);
#endif
    case UBI__RUNTIME:
        return ubi__runtime_bytes(rt);
    default:
        return ubi__block_bytes(rt, p);
    }
}

#endif
