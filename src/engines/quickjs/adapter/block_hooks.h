/* SPDX-License-Identifier: MIT
 *
 * block_hooks.h: macros over the functions that ask for most blocks, a part of hooks.h: they say what the blocks will be.
 *
 * A recorder is asked for blocks before it can be seen what they are. So it is said before, while a recorder wants
 * to know (block_classes.h). `class_id`, `this_val` and `p` are arguments of the engine's functions that are named.
 */
#ifndef UBI_QUICKJS_BLOCK_HOOKS_H
#define UBI_QUICKJS_BLOCK_HOOKS_H

#include "engines/quickjs/adapter/block_kinds.h"

struct JSObject;
/* Until ubi__blocks_end, which gets what they return. */
static ubi__block_class UBI_OUT_OF_LINE ubi__blocks_of_kind(JSRuntime *rt, ubi__block_kind kind);
static ubi__block_class UBI_OUT_OF_LINE ubi__blocks_of_class(JSRuntime *rt, uint32_t class_number);
static ubi__block_class UBI_OUT_OF_LINE ubi__blocks_of_value(JSRuntime *rt, JSValueConst value);
static ubi__block_class UBI_OUT_OF_LINE ubi__blocks_of_elements(JSRuntime *rt, const struct JSObject *object);
static ubi__block_class UBI_OUT_OF_LINE ubi__blocks_of_properties(JSRuntime *rt, const struct JSObject *object);
static void UBI_OUT_OF_LINE ubi__blocks_end(JSRuntime *rt, ubi__block_class before);
/* The next block that grows is that of its properties. */
static void UBI_OUT_OF_LINE ubi__properties_grow(JSRuntime *rt, const struct JSObject *object);
/* For the blocks of one that is about to be made. */
static void UBI_OUT_OF_LINE ubi__object_comes(JSRuntime *rt, uint32_t class_number);

/* Runtimes whose blocks are distinguished. */
static _Atomic(uint32_t) ubi__classified_runtimes;
static inline bool ubi__classified(void) {
    return __builtin_expect(atomic_load_explicit(&ubi__classified_runtimes, memory_order_relaxed) != 0, 0);
}

/* One call, so that the compiler may put the function where it was. */
#define UBI__WITH_BLOCKS(rt, begin, call)                                                                              \
    ({                                                                                                                 \
        const bool ubi__is_classified = ubi__classified();                                                             \
        ubi__block_class ubi__before = { 0, 0 };                                                                       \
        if (ubi__is_classified)                                                                                        \
            ubi__before = begin;                                                                                       \
        __auto_type ubi__result = call;                                                                                \
        if (__builtin_expect(ubi__is_classified, 0))                                                                   \
            ubi__blocks_end(rt, ubi__before);                                                                          \
        ubi__result;                                                                                                   \
    })

static uint32_t class_id __attribute__((unused));
static JSValue this_val __attribute__((unused));

#define js_trigger_gc(first, size) UBI_TRIGGER_GC_##first, size)
#define UBI_TRIGGER_GC_JSRuntime (js_trigger_gc)(JSRuntime
#define UBI_TRIGGER_GC_ctx UBI__TRIGGER_GC(ctx
#define UBI__TRIGGER_GC(rt, size)                                                                                      \
    ((js_trigger_gc)(rt, size),                                                                                        \
     UBI_IN("JS_NewObjectFromShape") && ubi__classified() ? ubi__object_comes(rt, class_id) : (void)0)

#define js_alloc_string_rt(first, ...) UBI_ALLOC_STRING_##first, __VA_ARGS__)
#define UBI_ALLOC_STRING_JSRuntime (js_alloc_string_rt)(JSRuntime
#define UBI_ALLOC_STRING_rt UBI__ALLOC_STRING(rt
#define UBI_ALLOC_STRING_ctx UBI__ALLOC_STRING(ctx
#define UBI__ALLOC_STRING(rt, ...)                                                                                     \
    UBI__WITH_BLOCKS(rt, ubi__blocks_of_kind(rt, UBI__BLOCK_STRING), (js_alloc_string_rt)(rt, __VA_ARGS__))

#define js_new_shape2(first, ...) UBI_NEW_SHAPE_##first, __VA_ARGS__)
#define UBI_NEW_SHAPE_JSContext (js_new_shape2)(JSContext
#define UBI_NEW_SHAPE_ctx UBI__MAKES_SHAPE(js_new_shape2, ctx
#define js_clone_shape(first, ...) UBI_CLONE_SHAPE_##first, __VA_ARGS__)
#define UBI_CLONE_SHAPE_JSContext (js_clone_shape)(JSContext
#define UBI_CLONE_SHAPE_ctx UBI__MAKES_SHAPE(js_clone_shape, ctx
#define UBI__MAKES_SHAPE(function, ctx, ...)                                                                           \
    UBI__WITH_BLOCKS((ctx)->rt, ubi__blocks_of_kind((ctx)->rt, UBI__BLOCK_SHAPE), (function)(ctx, __VA_ARGS__))

#define resize_properties(first, ...) UBI_RESIZE_PROPERTIES_##first, __VA_ARGS__)
#define UBI_RESIZE_PROPERTIES_JSContext (resize_properties)(JSContext
#define UBI_RESIZE_PROPERTIES_ctx UBI__RESIZE_PROPERTIES(ctx
#define UBI__RESIZE_PROPERTIES(ctx, shape, object, count)                                                              \
    UBI__WITH_BLOCKS((ctx)->rt, ubi__blocks_of_properties((ctx)->rt, object),                                          \
                     (resize_properties)(ctx, shape, object, count))

/* An object gets the shape of others that had this property before: its block grows, if that shape has room for more. */
static struct JSObject *p __attribute__((unused));
#define UBI__OBJECT_OR_NULL(value) _Generic((value), struct JSObject * : (value), default : (struct JSObject *)NULL)
#define find_hashed_shape_prop(first, ...) UBI_FIND_SHAPE_##first, __VA_ARGS__)
#define UBI_FIND_SHAPE_JSRuntime (find_hashed_shape_prop)(JSRuntime
#define UBI_FIND_SHAPE_ctx UBI__FIND_SHAPE(ctx
#define UBI__FIND_SHAPE(rt, shape, ...)                                                                                \
    ({                                                                                                                 \
        __auto_type ubi__found = (find_hashed_shape_prop)(rt, shape, __VA_ARGS__);                                     \
        if (UBI_IN("add_property") && ubi__found && ubi__found->prop_size != (shape)->prop_size && ubi__classified())  \
            ubi__properties_grow(rt, UBI__OBJECT_OR_NULL(p));                                                          \
        ubi__found;                                                                                                    \
    })

#define expand_fast_array(first, ...) UBI_EXPAND_ARRAY_##first, __VA_ARGS__)
#define UBI_EXPAND_ARRAY_JSContext (expand_fast_array)(JSContext
#define UBI_EXPAND_ARRAY_ctx UBI__EXPAND_ARRAY(ctx
#define UBI__EXPAND_ARRAY(ctx, array, count)                                                                           \
    UBI__WITH_BLOCKS((ctx)->rt, ubi__blocks_of_elements((ctx)->rt, array), (expand_fast_array)(ctx, array, count))

#define map_add_record(first, ...) UBI_ADD_RECORD_##first, __VA_ARGS__)
#define UBI_ADD_RECORD_JSContext (map_add_record)(JSContext
#define UBI_ADD_RECORD_ctx UBI__ADD_RECORD(ctx
#define UBI__ADD_RECORD(ctx, ...)                                                                                      \
    UBI__WITH_BLOCKS((ctx)->rt, ubi__blocks_of_value((ctx)->rt, UBI_IN("js_map_set") ? this_val : JS_UNDEFINED),       \
                     (map_add_record)(ctx, __VA_ARGS__))

#define js_closure2(first, ...) UBI_CLOSURE_##first, __VA_ARGS__)
#define UBI_CLOSURE_JSContext (js_closure2)(JSContext
#define UBI_CLOSURE_ctx UBI__MAKES_OF(JS_CLASS_BYTECODE_FUNCTION, js_closure2, ctx
#define js_array_buffer_constructor3(first, ...) UBI_ARRAY_BUFFER_##first, __VA_ARGS__)
#define UBI_ARRAY_BUFFER_JSContext (js_array_buffer_constructor3)(JSContext
#define UBI_ARRAY_BUFFER_ctx UBI__MAKES_OF(JS_CLASS_ARRAY_BUFFER, js_array_buffer_constructor3, ctx
#define async_func_init(first, ...) UBI_COROUTINE_##first, __VA_ARGS__)
#define UBI_COROUTINE_JSContext (async_func_init)(JSContext
#define UBI_COROUTINE_ctx UBI__MAKES_OF(UBI__COROUTINE_CLASS, async_func_init, ctx
#define UBI__COROUTINE_CLASS                                                                                           \
    (UBI_IN("js_generator_function_call")         ? JS_CLASS_GENERATOR                                                 \
     : UBI_IN("js_async_generator_function_call") ? JS_CLASS_ASYNC_GENERATOR                                           \
                                                  : JS_CLASS_ASYNC_FUNCTION)
#define UBI__MAKES_OF(class, function, ctx, ...)                                                                       \
    UBI__WITH_BLOCKS((ctx)->rt, ubi__blocks_of_class((ctx)->rt, class), (function)(ctx, __VA_ARGS__))

#endif
