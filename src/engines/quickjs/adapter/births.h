/* SPDX-License-Identifier: MIT
 *
 * births.h: what tracking does when the engine reports a birth or a death.
 *
 * A birth that is not sampled costs one decrement, a death of an object that is not tracked one probe of a table. All else
 * is out of line. These run inside of the engine: they record, and touch nothing of the heap.
 */
#ifndef UBI_QUICKJS_BIRTHS_H
#define UBI_QUICKJS_BIRTHS_H

#include "engines/quickjs/adapter/profiling.h"
#include "engines/quickjs/adapter/recorded.h"
#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/timeline.h"
#include "engines/quickjs/quickjs_tracking.h"

#if UBI_RC_IN_BLOCK
#define UBI_GC_TYPE(header) (js_rc(header)->gc_obj_type)
#else
#define UBI_GC_TYPE(header) ((header)->gc_obj_type)
#endif

/* ---- births --------------------------------------------------------------------------------------------------------- */

/* The realm of the innermost function; without one, the realm that makes objects of this kind; else the first. */
static JSContext *ubi__birth_realm(JSRuntime *rt, const JSObject *p) {
    for (const JSStackFrame *frame = rt->current_stack_frame; frame; frame = frame->prev_frame) {
        if (JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT)
            continue;
        const JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
        const JSFunctionBytecode *b = ubi__bytecode_of(function);
        if (b)
            return b->realm;
        if (function->class_id == JS_CLASS_C_FUNCTION)
            return function->u.cfunc.realm;
    }
    struct list_head *el;
    list_for_each(el, &rt->context_list) {
        JSContext *realm = list_entry(el, JSContext, link);
        for (int i = 0; p->shape->proto && i < rt->class_count; i++)
            if (JS_VALUE_GET_TAG(realm->class_proto[i]) == JS_TAG_OBJECT &&
                JS_VALUE_GET_OBJ(realm->class_proto[i]) == p->shape->proto)
                return realm;
    }
    return list_empty(&rt->context_list) ? NULL : list_entry(rt->context_list.next, JSContext, link);
}

/*
 * What an object and its properties take when it is born. Blocks of equal size take equal room, nearly always, so each size
 * is asked for once: the allocator is slow to answer.
 */
static uint32_t ubi__birth_bytes(ubi_quickjs *tools, const JSObject *p) {
    JSRuntime *rt = tools->runtime;
    uint32_t slots = (uint32_t)p->shape->prop_size;
    UBI_ASSERT(p->shape->prop_count <= p->shape->prop_size);
    uint32_t *known = tools->capture.birth_bytes;
    if (__builtin_expect(slots < UBI__BIRTH_SIZES && known[slots] != 0, 1))
        return known[slots];
    uint32_t bytes = (uint32_t)(ubi__block_bytes(rt, p) + ubi__block_bytes(rt, p->prop));
    if (slots < UBI__BIRTH_SIZES)
        known[slots] = bytes;
    return bytes;
}

static inline void ubi__record_birth(ubi_quickjs *tools, ubi__watched_realm *w, const JSObject *p,
                                     ubi__captured_frame *top) {
    ubi__tracking *t = &tools->tracking;
    ubi__birth birth = { .object = p, .stack = top ? ubi__capture_top(tools, top) : ubi__capture_stack(tools) };
    birth.class_name = ubi__tracking_class_name(t, p->class_id);
    birth.bytes = ubi__birth_bytes(tools, p);
    ubi__tracking_record_birth(t, w, &birth);
}

/* What trackers and foreign hooks do about a birth, as far as it is their turn. */
static void ubi__track_birth(ubi_quickjs *tools, const JSObject *p) {
    ubi__tracking *t = &tools->tracking;
    ubi__captured_frame *top = ubi__top_of_capture(tools);
    ubi__watched_realm *w = ubi__watched_realm_of(t, top ? top->realm : ubi__birth_realm(tools->runtime, p));
    if (ubi__tracking_trial(t, w, p))
        ubi__record_birth(tools, w, p, top);
}

static __attribute__((noinline)) void ubi__look_at_birth(ubi_quickjs *tools, const JSObject *p) {
    ubi__tracking *t = &tools->tracking;
    uintptr_t hook_frame = (uintptr_t)__builtin_frame_address(0);
    UBI_ASSERT(UBI_GC_TYPE(&p->header) == JS_GC_OBJ_TYPE_JS_OBJECT && p->shape);
    UBI_ASSERT(tools->watchers > 0 && t->is_watching);
    UBI_ASSERT(p->class_id < tools->runtime->class_count);
    ubi__tracking_begin_birth(t);
    ubi__track_birth(tools, p);
    if (t->object_tap)
        ubi__profile_birth(tools, p, hook_frame);
    ubi__tracking_plan_births(t);
}

static inline void ubi__on_birth(ubi_quickjs *tools, JSGCObjectHeader *header) {
    tools->hook_counts[UBI__HOOK_BIRTH]++;
    if (ubi__tracking_looks_at_birth(&tools->tracking))
        ubi__look_at_birth(tools, (const JSObject *)header);
}

/* ---- constructors --------------------------------------------------------------------------------------------------- */

/*
 * `new` made an object: if it was the last one that was marked, its entries are the newest of the logs, and get the name.
 * Generators come this way too, with their function instead of a constructor.
 */
static void ubi__constructed(ubi_quickjs *tools, JSValueConst object, JSValueConst constructor) {
    ubi__tracking *t = &tools->tracking;
    if (JS_VALUE_GET_TAG(object) != JS_TAG_OBJECT || !ubi__tracking_wants_constructor(t, JS_VALUE_GET_OBJ(object)) ||
        JS_VALUE_GET_TAG(constructor) != JS_TAG_OBJECT)
        return;
    JSObject *function = JS_VALUE_GET_OBJ(constructor);
    if (ubi__bytecode_of(function) && function->class_id != JS_CLASS_BYTECODE_FUNCTION)
        return;
    ubi__tracking_name_constructor(t, ubi__text_of_function(tools, function));
}

/* ---- deaths --------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void ubi__other_thing_dies(ubi__tracking *t, JSGCObjectHeader *header) {
    if (UBI_GC_TYPE(header) == JS_GC_OBJ_TYPE_FUNCTION_BYTECODE)
        ubi__tracking_code_dies(t, header);
    else if (UBI_GC_TYPE(header) == JS_GC_OBJ_TYPE_JS_CONTEXT)
        ubi__tracking_realm_dies(t, header);
}

UBI__INLINE void ubi__object_dies(ubi_quickjs *tools, JSGCObjectHeader *header) {
    if (__builtin_expect(tools->timeline.waiting.count != 0, 0))
        ubi__timeline_object_dies(&tools->timeline, header);
    ubi__tracking_object_dies(&tools->tracking, header);
}

static UBI_OUT_OF_LINE void ubi__profiled_object_dies(ubi_quickjs *tools, JSGCObjectHeader *header) {
    ubi__profile_death(tools, header);
    ubi__object_dies(tools, header);
}

static inline void ubi__on_death(ubi_quickjs *tools, JSGCObjectHeader *header) {
    ubi__tracking *t = &tools->tracking;
    tools->hook_counts[UBI__HOOK_DEATH]++;
    if (__builtin_expect(UBI_GC_TYPE(header) != JS_GC_OBJ_TYPE_JS_OBJECT, 0)) {
        ubi__other_thing_dies(t, header);
        ubi__recorded_code_dies(tools, header);
        return;
    }
    if (__builtin_expect(t->object_tap != NULL, 0) &&
        t->object_tap->known[((uintptr_t)header >> 4) & (UBI_PROFILER_KNOWN_BYTES - 1)] != 0)
        ubi__profiled_object_dies(tools, header);
    else
        ubi__object_dies(tools, header);
}

/* ---- what tracking asks ----------------------------------------------------------------------------------------------- */

static void ubi__watch_births(void *engine, bool on) {
    if (on)
        ubi__watch(engine);
    else
        ubi__unwatch(engine);
}

static uint64_t ubi__live_object_bytes(void *engine, const void *object) {
    return ubi__shallow_bytes(((ubi_quickjs *)engine)->runtime, (void *)object, UBI__OBJECT);
}

static void ubi__forget_captured(void *engine) {
    ((ubi_quickjs *)engine)->capture.captured_count = 0;
}

static void ubi__before_sweep(void *engine) {
    ubi_quickjs *tools = engine;
    memset(tools->capture.string_cache, 0, sizeof tools->capture.string_cache);
    ubi__timeline_before_sweep(&tools->timeline);
}

static const ubi__tracking_engine ubi__tracked_engine = { .watch = ubi__watch_births,
                                                          .object_bytes = ubi__live_object_bytes,
                                                          .class_name = ubi__text_of_class,
                                                          .describe_frame = ubi__describe_frame,
                                                          .forget_stacks = ubi__forget_captured,
                                                          .before_sweep = ubi__before_sweep };

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

static void ubi__start_tracking(ubi_quickjs *tools) {
    const ubi__tracking_options options = { .ops = &ubi__tracked_engine,
                                            .engine = tools,
                                            .allocator = tools->allocator,
                                            .random = tools->options.random,
                                            .random_payload = tools->options.random_payload,
                                            .clock_us = tools->options.clock_us,
                                            .clock_payload = tools->options.clock_payload };
    ubi__tracking_init(&tools->tracking, &options);
    ubi__timeline_init(&tools->timeline, tools, &tools->tracking);
}

static void ubi__end_tracking(ubi_quickjs *tools) {
    ubi__capture *c = &tools->capture;
    UBI_ASSERT(!tools->walk.is_frozen && c->captured_count <= c->captured_capacity);
    ubi__free_observers(tools);
    ubi__timeline_fini(&tools->timeline);
    ubi__tracking_fini(&tools->tracking);
    ubi__tool_free(tools->allocator, c->captured, c->captured_capacity, sizeof *c->captured);
    ubi__tool_free(tools->allocator, c->walked, c->walked_capacity, sizeof *c->walked);
    ubi__tool_free(tools->allocator, c->text_buffer, c->text_buffer_bytes, 1);
}

ubi__tracking *ubi__tracking_of(ubi_quickjs *tools) {
    return &tools->tracking;
}

/** The same as ubi_node's allocation_stack gives it: null for the empty stack, and good while the heap is frozen. */
static inline bool ubi__stack_of_object(ubi_quickjs *tools, const void *object, ubi_stack *out) {
    ubi__stack_ix stack;
    if (!ubi__tracking_site(&tools->tracking, object, &stack))
        return false;
    UBI_ASSERT(stack == UBI__STACK_EMPTY || stack < tools->tracking.frames.n);
    *out = ubi__tracking_lent_stack(&tools->tracking, stack);
    return true;
}

bool ubi_quickjs_safe_point(ubi_quickjs *tools) {
    tools->was_oom_reported = false;
    if (__builtin_expect(tools->timeline.is_observed, 0)) /* it may be over for this one, while another is looked at */
        ubi__timeline_wants(&tools->timeline);
    return ubi__tracking_safe_point(&tools->tracking);
}

#endif
