/* SPDX-License-Identifier: MIT
 *
 * roots.h: what is held from outside of the heap, and by whom.
 *
 * The engine has no list of roots. But it counts references: what has more than edges lead to is held by C code or by the
 * native stack, exactly so often. That finds even operands of running functions, whose stack pointer the engine stores
 * nowhere. Names come from the frames of running functions where one has the value; the rest is held by native code.
 */
#ifndef UBI_QUICKJS_ROOTS_H
#define UBI_QUICKJS_ROOTS_H

#include "engines/quickjs/adapter/edges.h"
#include "engines/quickjs/adapter/function_names.h"

static bool ubi__add_slot(ubi_quickjs *tools, JSValueConst value, const void *function, int32_t variable) {
    ubi__walk_state *walk = &tools->walk;
    if (!JS_VALUE_HAS_REF_COUNT(value))
        return true;
    uint64_t *slot = ubi__address_map_at(&walk->slot_of, (uintptr_t)JS_VALUE_GET_PTR(value), tools->allocator);
    if (!slot)
        return false;
    if (*slot) /* a younger frame has it, too */
        return true;
    if (!ubi__tool_reserve(tools->allocator, (void **)&walk->slots, &walk->slots_capacity, walk->n_slots + 1,
                           sizeof *walk->slots))
        return false;
    walk->slots[walk->n_slots] = (ubi__stack_slot){ value, function, variable };
    UBI_ASSERT(walk->n_slots == 0 || walk->slot_of.count == walk->n_slots + 1);
    *slot = ++walk->n_slots;
    return true;
}

/* Frames of native functions with data or of closures in C have no arguments, and some engines leave that member as it was. */
static bool ubi__frame_has_arguments(const JSStackFrame *frame) {
    if (JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT)
        return false;
    const JSObject *p = JS_VALUE_GET_OBJ(frame->cur_func);
    return (p->class_id == JS_CLASS_C_FUNCTION || ubi__bytecode_of(p)) && frame->arg_buf;
}

/* Arguments and local variables of one running function; native ones have arguments only. */
static bool ubi__add_frame_slots(ubi_quickjs *tools, const JSStackFrame *frame) {
    const void *function =
        JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT ? JS_VALUE_GET_PTR(frame->cur_func) : NULL;
    const JSFunctionBytecode *b = ubi__frame_code(frame);
    bool ok = ubi__add_slot(tools, frame->cur_func, function, UBI__SLOT_FUNCTION);
    int n_arguments = ubi__frame_has_arguments(frame) ? frame->arg_count : 0;
    for (int i = 0; ok && i < n_arguments; i++)
        ok = ubi__add_slot(tools, frame->arg_buf[i], function, i);
    for (int i = 0; ok && b && frame->var_buf && i < b->var_count; i++)
        ok = ubi__add_slot(tools, frame->var_buf[i], function, b->arg_count + i);
    return ok;
}

/** Collects what running functions hold. False: no memory. */
static bool ubi__read_stack(ubi_quickjs *tools) {
    const JSStackFrame *frame = tools->runtime->current_stack_frame;
    bool ok = true;
    for (; ok && frame; frame = frame->prev_frame)
        ok = ubi__add_frame_slots(tools, frame);
    return ok;
}

/** Notes a node that is held from outside. False: no memory. */
static bool ubi__add_root(ubi_quickjs *tools, uint32_t node, const void *p, uint64_t excess) {
    ubi__walk_state *walk = &tools->walk;
    const uint64_t *slot = ubi__address_map_find(&walk->slot_of, (uintptr_t)p);
    if (!ubi__tool_reserve(tools->allocator, (void **)&walk->roots, &walk->roots_capacity, walk->n_roots + 1,
                           sizeof *walk->roots))
        return false;
    UBI_ASSERT(walk->n_roots == 0 || walk->roots[walk->n_roots - 1].node < node);
    walk->roots[walk->n_roots++] =
        (ubi__root){ node, slot ? (uint32_t)*slot - 1 : UBI_NONE, excess < UINT32_MAX ? (uint32_t)excess : UINT32_MAX };
    return true;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Appends at most what fits; names in the heap that are no ASCII are converted. */
static size_t ubi__append_atom(JSRuntime *rt, char *out, size_t room, JSAtom atom, const char *otherwise) {
    const JSString *p = ubi__atom_string(rt, atom);
    if (p && p->len > 0 && (size_t)p->len * 3 <= room)
        return ubi__string_to_utf8(out, p);
    size_t n = strlen(otherwise) < room ? strlen(otherwise) : room;
    memcpy(out, otherwise, n);
    return n;
}

/** "stack: function: variable", or "native handle". Borrowed until the next name. */
static ubi_text ubi__root_name(ubi_quickjs *tools, const ubi__root *root) {
    enum { LENGTH = 512 };
    ubi__name_buffer *buffer = &tools->walk.name;
    if (root->slot == UBI_NONE)
        return ubi__name_text(tools, UBI__NAMED("native handle"));
    if (!ubi__tool_reserve(tools->allocator, (void **)&buffer->at, &buffer->capacity, LENGTH, 1))
        return (ubi_text){ NULL, 0 };
    const ubi__stack_slot *slot = &tools->walk.slots[UBI_INDEX(root->slot, tools->walk.n_slots)];
    const JSObject *function = slot->function;
    const JSFunctionBytecode *b = function ? ubi__bytecode_of(function) : NULL;
    ubi__function_name none = { JS_ATOM_NULL, NULL };
    ubi__function_name name = function ? ubi__name_of_function((JSObject *)(uintptr_t)function) : none;
    size_t n = 7;
    memcpy(buffer->at, "stack: ", n);
    if (name.string && name.string->len < 80)
        n += ubi__string_to_utf8(buffer->at + n, name.string);
    else
        n += ubi__append_atom(tools->runtime, buffer->at + n, 240, name.atom, b ? "(anonymous)" : "(native)");
    if (slot->variable >= 0) {
        char number[24];
        snprintf(number, sizeof number, "argument %d", slot->variable);
        JSAtom variable = b ? ubi__variable_name(b, slot->variable) : JS_ATOM_NULL;
        memcpy(buffer->at + n, ": ", 2);
        n += 2;
        n += ubi__append_atom(tools->runtime, buffer->at + n, 240, variable, number);
    }
    return (ubi_text){ buffer->at, n };
}

#endif
