/* SPDX-License-Identifier: MIT
 *
 * edges_frame.h: edges of frames that outlive their call: of generators, async functions and async generators.
 *
 * While such a function runs, the engine knows nothing of its operand stack; what it then holds is found as roots, as with
 * every other running function (roots.h).
 */
#ifndef UBI_QUICKJS_EDGES_FRAME_H
#define UBI_QUICKJS_EDGES_FRAME_H

#include "engines/quickjs/adapter/sink.h"

/** What the i-th value of a frame is: arguments, local variables, operands. */
static ubi__name ubi__frame_value_name(const JSFunctionBytecode *b, uint32_t n_arguments, uint32_t i) {
    if (i < n_arguments && (!b || i >= b->arg_count))
        return UBI__NUMBERED("argument ", i);
    uint32_t variable = i < n_arguments ? i : b ? i - n_arguments + b->arg_count : 0;
    if (!b || variable >= (uint32_t)(b->arg_count + b->var_count))
        return UBI__NAMED("operand");
    JSAtom name = ubi__variable_name(b, (int)variable);
    return name == JS_ATOM_NULL ? UBI__NUMBERED("variable ", variable) : UBI__ATOM_NAMED(name);
}

static inline const JSFunctionBytecode *ubi__frame_code(const JSStackFrame *frame) {
    bool is_object = JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT;
    return is_object ? ubi__bytecode_of(JS_VALUE_GET_OBJ(frame->cur_func)) : NULL;
}

UBI__INLINE void ubi__suspended_frame_edges(ubi__sink *sink, ubi__purpose purpose, const JSAsyncFunctionState *state) {
    const JSStackFrame *frame = &state->frame;
    const JSFunctionBytecode *b = ubi__frame_code(frame);
    ubi__value_edge(sink, purpose, frame->cur_func, UBI__NAMED("function"));
    ubi__value_edge(sink, purpose, state->this_val, UBI__NAMED("this"));
    if (!frame->cur_sp || !frame->arg_buf) /* running */
        return;
    uint32_t n = (uint32_t)(frame->cur_sp - frame->arg_buf);
    uint32_t n_arguments = (uint32_t)(frame->var_buf - frame->arg_buf);
    for (uint32_t i = 0; i < n; i++)
        ubi__value_edge(sink, purpose, frame->arg_buf[i],
                        purpose == UBI__TO_NAME ? ubi__frame_value_name(b, n_arguments, i) : UBI__NAMED(NULL));
}

#if UBI_ASYNC_STATE_GC

UBI__INLINE void ubi__async_state_edges(ubi__sink *sink, ubi__purpose purpose, JSAsyncFunctionState *state) {
    if (!state->is_completed)
        ubi__suspended_frame_edges(sink, purpose, state);
    ubi__value_edge(sink, purpose, state->resolving_funcs[0], UBI__NAMED("resolve"));
    ubi__value_edge(sink, purpose, state->resolving_funcs[1], UBI__NAMED("reject"));
}

#else

UBI__INLINE void ubi__async_state_edges(ubi__sink *sink, ubi__purpose purpose, JSAsyncFunctionData *data) {
    if (data->is_active)
        ubi__suspended_frame_edges(sink, purpose, &data->func_state);
    ubi__value_edge(sink, purpose, data->resolving_funcs[0], UBI__NAMED("resolve"));
    ubi__value_edge(sink, purpose, data->resolving_funcs[1], UBI__NAMED("reject"));
}

/* ---- generators: the frame belongs to the object -------------------------------------------------------------------- */

/** The frame of a generator or async generator, or NULL when it has ended. */
static inline const JSAsyncFunctionState *ubi__generator_frame(const JSObject *p) {
    if (p->class_id == JS_CLASS_GENERATOR) {
        const JSGeneratorData *data = p->u.generator_data;
        return data && data->state != JS_GENERATOR_STATE_COMPLETED ? &data->func_state : NULL;
    }
    const JSAsyncGeneratorData *data = p->u.async_generator_data;
    bool has_frame = data && data->state != JS_ASYNC_GENERATOR_STATE_COMPLETED &&
                     data->state != JS_ASYNC_GENERATOR_STATE_AWAITING_RETURN;
    return has_frame ? &data->func_state : NULL;
}

UBI__INLINE void ubi__generator_edges(ubi__sink *sink, ubi__purpose purpose, const JSObject *p) {
    const JSAsyncFunctionState *state = ubi__generator_frame(p);
    if (state)
        ubi__suspended_frame_edges(sink, purpose, state);
}

UBI__INLINE void ubi__async_generator_edges(ubi__sink *sink, ubi__purpose purpose, const JSObject *p) {
    const JSAsyncGeneratorData *data = p->u.async_generator_data;
    if (!data)
        return;
    struct list_head *el;
    list_for_each(el, &((JSAsyncGeneratorData *)data)->queue) {
        const JSAsyncGeneratorRequest *request = list_entry(el, JSAsyncGeneratorRequest, link);
        ubi__value_edge(sink, purpose, request->result, UBI__NAMED("request value"));
        ubi__value_edge(sink, purpose, request->promise, UBI__NAMED("request promise"));
        ubi__value_edge(sink, purpose, request->resolving_funcs[0], UBI__NAMED("request resolve"));
        ubi__value_edge(sink, purpose, request->resolving_funcs[1], UBI__NAMED("request reject"));
    }
    ubi__generator_edges(sink, purpose, p);
}

#endif
#endif
