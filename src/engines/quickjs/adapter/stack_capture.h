/* SPDX-License-Identifier: MIT
 *
 * stack_capture.h: the stack of the running script, as a number.
 *
 * Frames of scripts count, those of native functions do not, as in SavedFrame. The walk goes from the innermost frame out, to
 * the first one that it knows to be alive since the last capture: all its callers are where they were then. Of the
 * frames that are new, those that do the same as others did in their place keep their number, and only the rest is looked
 * up (ubi__tracking_frame). What a frame says of itself (name, file, line) is worked out once, when it is first seen.
 *
 * How a frame is known to live since then: capturing sets a bit in its mode, which the engine resets for each call and
 * reads by masks only. Frames of coroutines are never marked, for they outlive calls and may be called from elsewhere next.
 * Where an engine has no such mode, all frames are compared.
 */
#ifndef UBI_QUICKJS_STACK_CAPTURE_H
#define UBI_QUICKJS_STACK_CAPTURE_H

#include "engines/quickjs/adapter/names_at_birth.h"

#if UBI_DEBUG_STRUCT
#define UBI_DEBUG(bytecode) (bytecode)->debug
#else
#define UBI_DEBUG(bytecode) (*(bytecode))
#endif

/** The bytecode that a frame runs, or NULL: it is native, or was left by a coroutine. */
static inline JSFunctionBytecode *ubi__frame_bytecode(const JSStackFrame *frame) {
    if (JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT)
        return NULL;
    return ubi__bytecode_of(JS_VALUE_GET_OBJ(frame->cur_func));
}

/* The stored place is after the operation's first byte. A frame that just began may not have stored any yet. */
static inline bool ubi__frame_place_stored(const JSStackFrame *frame, const JSFunctionBytecode *b) {
    return (uintptr_t)frame->cur_pc - (uintptr_t)b->byte_code_buf - 1 < (uintptr_t)b->byte_code_len;
}
static inline uint32_t ubi__frame_pc(const JSStackFrame *frame, const JSFunctionBytecode *b) {
    return ubi__frame_place_stored(frame, b) ? (uint32_t)(frame->cur_pc - b->byte_code_buf - 1) : 0;
}

/* Where an operation of a function is; where the function's text begins for UBI__NO_PC. False: its code was stripped. */
#define UBI__NO_PC UINT32_MAX
static bool ubi__position(const JSFunctionBytecode *b, uint32_t pc, int *line, int *column) {
    JSFunctionBytecode *code = (JSFunctionBytecode *)(uintptr_t)b;
#if UBI_HAS_DEBUG_BIT
    if (!b->has_debug)
        return false;
#endif
    *column = 0;
#if !UBI_FIND_COL
    *line = pc == UBI__NO_PC ? -1 : find_line_num(b->realm, code, pc);
    if (*line < 0) /* all of it is on one line */
        *line = UBI_DEBUG(b).line_num;
#elif UBI_FUNCTION_COL
    if (pc == UBI__NO_PC || !UBI_DEBUG(b).pc2line_buf) { /* or it records no place */
        *line = UBI_DEBUG(b).line_num;
        *column = UBI_DEBUG(b).col_num;
    } else {
        *line = find_line_num(b->realm, code, pc, column);
    }
#else
    *line = find_line_num(b->realm, code, pc, column);
#endif
    return true;
}

/* The constant that OP_fclosure or OP_fclosure8 takes, UBI_NONE: it is another operation. */
static uint32_t ubi__closure_constant(const uint8_t *op) {
    return *op == OP_fclosure ? get_u32(op + 1) : *op == OP_fclosure8 ? op[1] : UBI_NONE;
}

/*
 * The function that the operation at a stored place makes, or NULL: it makes none. The place is after the operation's first byte,
 * or after all of it. What looks like the operation may be an operand of another, so it is looked for from the beginning.
 */
static const JSFunctionBytecode *ubi__function_made_at(const JSFunctionBytecode *b, uint32_t pc) {
    UBI_ASSERT(pc < (uint32_t)b->byte_code_len);
    const uint8_t *code = b->byte_code_buf, *stored = code + pc, *at;
    if (*stored != OP_fclosure && *stored != OP_fclosure8 && !(pc >= 1 && stored[-1] == OP_fclosure8) &&
        !(pc >= 4 && stored[-4] == OP_fclosure))
        return NULL;
    for (at = code; at + short_opcode_info(*at).size <= stored;)
        at += short_opcode_info(*at).size;
    uint32_t constant = ubi__closure_constant(at);
    if (constant >= (uint32_t)b->cpool_count || JS_VALUE_GET_TAG(b->cpool[constant]) != JS_TAG_FUNCTION_BYTECODE)
        return NULL;
    return JS_VALUE_GET_PTR(b->cpool[constant]);
}

/* Where an operation is; one that makes a function is where that begins. False: its code was stripped. */
static bool ubi__place_of_code(const JSFunctionBytecode *b, uint32_t pc, int *line, int *column) {
    const JSFunctionBytecode *made = pc == UBI__NO_PC ? NULL : ubi__function_made_at(b, pc);
    return (made && ubi__position(made, UBI__NO_PC, line, column) && *line > 0) || ubi__position(b, pc, line, column);
}

static void ubi__describe_position(ubi__trie_frame *out, ubi_quickjs *tools, JSFunctionBytecode *b, uint32_t pc) {
    int line, column;
    if (!ubi__place_of_code(b, pc, &line, &column))
        return;
    out->source = ubi__text_of_atom(tools, UBI_DEBUG(b).filename);
    out->line = line > 0 ? (uint32_t)line : 0;
    out->column = column > 0 ? (uint32_t)column : 0;
}

/* As tracking asks for it, once per place. */
static void ubi__describe_frame(void *engine, const void *frame, ubi__trie_frame *out) {
    ubi_quickjs *tools = engine;
    const JSStackFrame *described = frame;
    JSFunctionBytecode *b = ubi__frame_bytecode(described);
    out->function_name = ubi__text_of_function(tools, JS_VALUE_GET_OBJ(described->cur_func));
    ubi__describe_position(out, tools, b, ubi__frame_pc(described, b));
}

/* The stack of a frame called from `parent`, itself for a native frame. */
static ubi__stack_ix ubi__stack_of_frame(ubi_quickjs *tools, ubi__stack_ix parent, const JSStackFrame *frame) {
    const JSFunctionBytecode *b = ubi__frame_bytecode(frame);
    return b ? ubi__tracking_frame(&tools->tracking, parent, b, ubi__frame_pc(frame, b), frame) : parent;
}

/* ---- frames that live since the last capture ------------------------------------------------------------------------- */

#if UBI_FRAME_MODE
#define UBI__FRAME_CAPTURED (1 << 30)
static inline bool ubi__frame_is_marked(const JSStackFrame *frame) {
    const JSFunctionBytecode *b = frame->js_mode & UBI__FRAME_CAPTURED ? ubi__frame_bytecode(frame) : NULL;
    return b && b->func_kind == JS_FUNC_NORMAL;
}
/* Returns the frame if it is marked now. */
static inline const void *ubi__mark_frame(JSStackFrame *frame, const JSFunctionBytecode *b) {
    if (!b || b->func_kind != JS_FUNC_NORMAL)
        return NULL;
    frame->js_mode |= UBI__FRAME_CAPTURED;
    return frame;
}
#else
#define UBI__FRAME_CAPTURED 0
static inline bool ubi__frame_is_marked(const JSStackFrame *frame) {
    return false;
}
static inline const void *ubi__mark_frame(JSStackFrame *frame, const JSFunctionBytecode *b) {
    return NULL;
}
#endif

/* The index of a marked frame among those captured last; UBI_NONE: they were forgotten meanwhile. */
static inline uint32_t ubi__captured_index(const ubi__capture *c, const JSStackFrame *frame) {
    uint32_t i = c->captured_count;
    while (i > 0)
        if (c->captured[--i].frame == frame)
            return i;
    return UBI_NONE;
}

/*
 * New frames into `walked`, innermost first, and after them the first that was captured before: *base is its index, or 0 when
 * there is none. False: no memory.
 */
static inline bool ubi__walk_frames(ubi_quickjs *tools, uint32_t *n, uint32_t *base) {
    ubi__capture *c = &tools->capture;
    *n = 0;
    *base = UBI_NONE;
    for (JSStackFrame *frame = tools->runtime->current_stack_frame; frame && *base == UBI_NONE;
         frame = frame->prev_frame) {
        if (__builtin_expect(*n == c->walked_capacity, 0) &&
            !ubi__tool_reserve(tools->allocator, (void **)&c->walked, &c->walked_capacity, *n + 1, sizeof *c->walked))
            return false;
        c->walked[(*n)++] = frame;
        if (ubi__frame_is_marked(frame))
            *base = ubi__captured_index(c, frame);
    }
    if (*base == UBI_NONE)
        *base = 0;
    return true;
}

static inline const void *ubi__frame_function(const JSStackFrame *frame) {
    return JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT ? JS_VALUE_GET_PTR(frame->cur_func) : NULL;
}

/*
 * Whether a frame does what another did. The same function object at the same place of bytecode: then it is the same bytecode,
 * for what was captured is forgotten when some dies, and no two have a place in common. Without a place it must be compared.
 */
static inline bool ubi__does_the_same(const ubi__captured_frame *was, const JSStackFrame *frame) {
    if (was->function != ubi__frame_function(frame))
        return false;
    if (__builtin_expect(was->place != NULL, 1))
        return was->place == frame->cur_pc;
    const JSFunctionBytecode *b = ubi__frame_bytecode(frame);
    return b == was->bytecode && (!b || !ubi__frame_place_stored(frame, b));
}

/* ---- capturing ------------------------------------------------------------------------------------------------------ */

/* Adds a frame to those captured. UBI_NONE: no memory. */
static ubi__stack_ix ubi__capture_frame(ubi_quickjs *tools, ubi__stack_ix parent, JSStackFrame *frame) {
    ubi__capture *c = &tools->capture;
    ubi__stack_ix stack = ubi__stack_of_frame(tools, parent, frame);
    if (stack == UBI_NONE || !ubi__tool_reserve(tools->allocator, (void **)&c->captured, &c->captured_capacity,
                                                c->captured_count + 1, sizeof *c->captured))
        return UBI_NONE;
    const JSFunctionBytecode *b = ubi__frame_bytecode(frame);
    bool has_place = b && ubi__frame_place_stored(frame, b);
    c->captured[c->captured_count++] = (ubi__captured_frame){ .frame = ubi__mark_frame(frame, b),
                                                              .function = ubi__frame_function(frame),
                                                              .place = has_place ? frame->cur_pc : NULL,
                                                              .bytecode = b,
                                                              .realm = b ? b->realm : NULL,
                                                              .stack = stack };
    return stack;
}

/*
 * What was captured of the innermost frame, if that is the frame of the last capture and lives since: between births in one
 * call nothing else has to be looked at. NULL: it is another.
 */
static inline ubi__captured_frame *ubi__top_of_capture(const ubi_quickjs *tools) {
    const ubi__capture *c = &tools->capture;
    const JSStackFrame *frame = tools->runtime->current_stack_frame;
    if (UBI__FRAME_CAPTURED == 0 || !frame || c->captured_count == 0)
        return NULL;
    ubi__captured_frame *top = &c->captured[c->captured_count - 1];
    UBI_ASSERT(c->captured_count <= c->captured_capacity);
    return top->frame == frame && top->function == ubi__frame_function(frame) && ubi__frame_is_marked(frame) ? top
                                                                                                             : NULL;
}

/** The stack at hand, when `top` was found: mostly another place in the same frame, seen before. UBI_NONE: no memory. */
static inline ubi__stack_ix ubi__capture_top(ubi_quickjs *tools, ubi__captured_frame *top) {
    ubi__capture *c = &tools->capture;
    JSStackFrame *frame = tools->runtime->current_stack_frame;
    UBI_ASSERT(top == &c->captured[c->captured_count - 1] && top->frame == frame);
    UBI_ASSERT(top->stack == UBI__STACK_EMPTY || top->stack < tools->tracking.frames.n);
    if (top->place == frame->cur_pc && top->place)
        return top->stack;
    ubi__stack_ix parent = c->captured_count > 1 ? top[-1].stack : UBI__STACK_EMPTY;
    const JSFunctionBytecode *b = (const JSFunctionBytecode *)top->bytecode;
    uint32_t pc = ubi__frame_pc(frame, b);
    const ubi__seen_stack *seen = ubi__tracking_seen(&tools->tracking, b, pc, parent);
    if (__builtin_expect(pc && ubi__seen_stack_is(seen, b, pc, parent), 1)) {
        top->place = frame->cur_pc;
        return top->stack = seen->stack;
    }
    c->captured_count--;
    return ubi__capture_frame(tools, parent, frame);
}

/** The stack at hand. UBI_NONE: no memory. */
static ubi__stack_ix ubi__capture_stack(ubi_quickjs *tools) {
    ubi__capture *c = &tools->capture;
    uint32_t n, at;
    if (!ubi__walk_frames(tools, &n, &at))
        return UBI_NONE;
    for (; n > 0 && at < c->captured_count; n--, at++) {
        JSStackFrame *frame = (JSStackFrame *)c->walked[n - 1];
        if (!ubi__does_the_same(&c->captured[at], frame))
            break;
        c->captured[at].frame = ubi__mark_frame(frame, (const JSFunctionBytecode *)c->captured[at].bytecode);
    }
    c->captured_count = at;
    ubi__stack_ix stack = at ? c->captured[at - 1].stack : UBI__STACK_EMPTY;
    while (n > 0 && stack != UBI_NONE)
        stack = ubi__capture_frame(tools, stack, (JSStackFrame *)c->walked[--n]);
    return stack;
}

#endif
