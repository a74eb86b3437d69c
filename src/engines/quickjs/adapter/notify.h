/* SPDX-License-Identifier: MIT
 *
 * notify.h: the slow side of the hooks, and the exported functions that took the engine's place.
 *
 * A hook finds the tools of its runtime, counts itself, and passes on.
 */
#ifndef UBI_QUICKJS_NOTIFY_H
#define UBI_QUICKJS_NOTIFY_H

#include "engines/quickjs/adapter/births.h"
#include "engines/quickjs/adapter/block_classes.h"
#include "engines/quickjs/adapter/collections.h"
#include "engines/quickjs/adapter/registry.h"

static void ubi__violated(ubi_quickjs *tools, const char *what);           /* guard.h */
static void ubi__forget_realm(ubi_quickjs *tools, const JSContext *realm); /* scope.h */
static void ubi__runtime_collected(JSRuntime *rt);                         /* held.h */

/*
 * Births and deaths come so often that their usual way is made short: the tools are at hand, nothing is asked that tracking
 * does not ask again (of an unwatched runtime it knows no object, and lets all births pass), and whatever is unusual
 * is the last call of its function, so that no stack frame is needed before it.
 */
static void UBI_OUT_OF_LINE ubi__born_among_several(JSRuntime *rt, JSGCObjectHeader *header) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (tools)
        ubi__on_birth(tools, header);
}
static void ubi__born(struct list_head *gc_obj_list, struct list_head *link) {
    JSRuntime *rt = list_entry(gc_obj_list, JSRuntime, gc_obj_list);
    JSGCObjectHeader *header = list_entry(link, JSGCObjectHeader, link);
    if (ubi__is_the_watched(rt))
        ubi__on_birth(atomic_load_explicit(&ubi__watched_tools, memory_order_relaxed), header);
    else
        ubi__born_among_several(rt, header);
}

static void UBI_OUT_OF_LINE ubi__dies_among_several(JSRuntime *rt, JSGCObjectHeader *header) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (tools)
        ubi__on_death(tools, header);
}
static void ubi__dies(JSRuntime *rt, void *header) {
    if (ubi__is_the_watched(rt))
        ubi__on_death(atomic_load_explicit(&ubi__watched_tools, memory_order_relaxed), header);
    else
        ubi__dies_among_several(rt, header);
}

static void ubi__made_by_new(JSContext *ctx, JSValueConst object, JSValueConst constructor) {
    ubi_quickjs *tools = ubi__tools_of(ctx->rt);
    if (!tools || !tools->watchers)
        return;
    tools->hook_counts[UBI__HOOK_NEW]++;
    ubi__constructed(tools, object, constructor);
}

/* While it is made, blocks of a recorder have the constructor's name. */
static JSValue ubi__create_classified(JSContext *ctx, JSValueConst constructor, int class_number) {
    ubi__construction before = ubi__construction_begins(ctx->rt, constructor, (uint32_t)class_number);
    JSValue object = js_create_from_ctor(ctx, constructor, class_number);
    ubi__construction_ends(ctx->rt, before);
    if (ubi__watched())
        ubi__made_by_new(ctx, object, constructor);
    return object;
}

/* Reported always, for scopes know realms by number. */
static void ubi__realm_dies(struct list_head *link) {
    JSContext *realm = list_entry(link, JSContext, link);
    ubi_quickjs *tools = ubi__tools_of(realm->rt);
    if (!tools)
        return;
    tools->hook_counts[UBI__HOOK_REALM_DEATH]++;
    ubi__forget_realm(tools, realm);
    if (tools->watchers)
        ubi__on_death(tools, &realm->header);
}

/* ---- collections ---------------------------------------------------------------------------------------------------- */

static void ubi__run_gc(const char *caller, JSRuntime *rt) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (!tools) {
        ubi__engine_run_gc(rt);
        return;
    }
    if (tools->walk.is_frozen) {
        ubi__violated(tools, "a garbage collection was asked for");
        return;
    }
    tools->hook_counts[__builtin_strcmp(caller, "API") == 0 ? UBI__HOOK_GC_BY_API : UBI__HOOK_GC_BY_ENGINE]++;
    tools->collection_depth++;
    ubi__on_collection_begin(rt, caller);
    ubi__engine_run_gc(rt);
    ubi__on_collection_end(rt, caller);
    tools->collection_depth--;
    if (ubi__heap_bytes(rt) < tools->oom_heap_bytes - tools->oom_heap_bytes / 8)
        tools->was_oom_reported = false;
}

void JS_RunGC(JSRuntime *rt) {
    ubi__run_gc("API", rt);
}

/* Collections that do not come through JS_RunGC: newer engines end a runtime with one. */
static void ubi__cycles_begin(struct list_head *tmp_obj_list) {
    JSRuntime *rt = list_entry(tmp_obj_list, JSRuntime, tmp_obj_list);
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (!tools)
        return;
    tools->hook_counts[UBI__HOOK_CYCLES_BEGIN]++;
    if (tools->collection_depth++ == 0)
        ubi__on_collection_begin(rt, "JS_FreeRuntime");
}

static void ubi__cycles_end(struct list_head *gc_zero_ref_count_list) {
    JSRuntime *rt = list_entry(gc_zero_ref_count_list, JSRuntime, gc_zero_ref_count_list);
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (tools) {
        tools->hook_counts[UBI__HOOK_CYCLES_END]++;
        if (--tools->collection_depth == 0)
            ubi__on_collection_end(rt, "JS_FreeRuntime");
    }
    ubi__runtime_collected(rt);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------- */

void JS_MarkValue(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark) {
    ubi__mark_value(rt, value, mark);
}

/* A streak of failures ends when a collection leaves the heap smaller by an eighth, or at a safe point: both clear the flag. */
static void ubi__memory_is_refused(JSRuntime *rt) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (!tools || tools->walk.is_frozen)
        return;
    tools->hook_counts[UBI__HOOK_OUT_OF_MEMORY]++;
    if (tools->was_oom_reported || !tools->oom_fn)
        return;
    tools->was_oom_reported = true;
    tools->oom_heap_bytes = ubi__heap_bytes(rt);
    tools->oom_fn(tools->oom_payload, tools);
}

static JSValue ubi__out_of_memory(JSContext *ctx) {
    ubi__memory_is_refused(ctx->rt);
    return ubi__engine_throw_out_of_memory(ctx);
}

static void *ubi__grow(void *rt, void *block, size_t size) {
    void *grown = js_realloc_rt(rt, block, size);
    if (!grown && size)
        ubi__memory_is_refused(rt);
    return grown;
}

static void *ubi__grow_bytecode(void *rt, void *block, size_t size) {
#if UBI_BYTECODE_BUFFERS
    void *grown = js_realloc_bytecode_rt(rt, block, size);
    if (!grown && size)
        ubi__memory_is_refused(rt);
    return grown;
#else
    return ubi__grow(rt, block, size);
#endif
}

JSValue JS_ThrowOutOfMemory(JSContext *ctx) {
    return ubi__out_of_memory(ctx);
}

void ubi_quickjs_set_oom_hook(ubi_quickjs *tools, ubi_quickjs_oom_fn fn, void *payload) {
    tools->oom_fn = fn;
    tools->oom_payload = payload;
    tools->was_oom_reported = false;
}

/* ---- for the self-test ---------------------------------------------------------------------------------------------- */

uint64_t ubi__hook_count(const ubi_quickjs *tools, ubi__hook hook) {
    return tools->hook_counts[hook];
}

ubi__place ubi__stored_place(const ubi_quickjs *tools) {
    const JSStackFrame *frame = tools->runtime->current_stack_frame;
    const JSFunctionBytecode *b = frame && JS_VALUE_GET_TAG(frame->cur_func) == JS_TAG_OBJECT
                                      ? ubi__bytecode_of(JS_VALUE_GET_OBJ(frame->cur_func))
                                      : NULL;
    uintptr_t offset = b ? (uintptr_t)frame->cur_pc - (uintptr_t)b->byte_code_buf - 1 : 0;
    if (!b || offset >= (uintptr_t)b->byte_code_len)
        return UBI__PLACE_OTHER;
    /* The place may be after the operands of the instruction. */
    const uint8_t *at = b->byte_code_buf;
    while (at + short_opcode_info(*at).size <= b->byte_code_buf + offset)
        at += short_opcode_info(*at).size;
    switch (*at) {
    case OP_object:
        return UBI__PLACE_OBJECT;
    case OP_array_from:
        return UBI__PLACE_ARRAY;
    case OP_fclosure:
    case OP_fclosure8:
        return UBI__PLACE_CLOSURE;
    case OP_special_object:
        return UBI__PLACE_ARGUMENTS;
    case OP_rest:
        return UBI__PLACE_REST;
    case OP_regexp:
        return UBI__PLACE_REGEXP;
    case OP_define_class:
        return UBI__PLACE_CLASS;
    default:
        return UBI__PLACE_OTHER;
    }
}

#endif
