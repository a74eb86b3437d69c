/* SPDX-License-Identifier: MIT
 *
 * births.h: what tracking does when the engine tells of a birth or a death.
 *
 * A birth that is not sampled costs one decrement, a death of an object that is not tracked one probe of a table. All else
 * is out of line. These run inside of the engine: they record, and touch nothing of the heap.
 */
#ifndef UBI_QUICKJS_BIRTHS_H
#define UBI_QUICKJS_BIRTHS_H

#include "engines/quickjs/adapter/profiling.h"
#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/timeline.h"
#include "engines/quickjs/observer.h"

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
 * is asked for once: the allocator is slow to tell.
 */
static uint32_t ubi__birth_bytes(ubi__tracking *t, JSRuntime *rt, const JSObject *p) {
    uint32_t slots = (uint32_t)p->shape->prop_size;
    uint32_t *known = slots < UBI__BIRTH_SIZES ? &t->birth_bytes[slots] : NULL;
    if (known && *known)
        return *known;
    uint32_t bytes = (uint32_t)(ubi__block_bytes(rt, p) + ubi__block_bytes(rt, p->prop));
    if (known)
        *known = bytes;
    return bytes;
}

/* An entry for everybody who tracks; when it could not be made, they are told that something is missing. */
static void ubi__log_birth(ubi__tracking *t, const ubi__watched_realm *w, const ubi__log_entry *entry) {
    for (uint32_t i = 0; i < w->observer_count; i++) {
        ubi_quickjs_observer *o = w->observers[i];
        if (!o->tracks)
            continue;
        if (!entry)
            o->log.overflowed = true;
        if (!entry || !ubi__allocation_log_append(&o->log, entry))
            t->lost_entries++;
    }
}

static inline void ubi__record_birth(ubi__tracking *t, JSRuntime *rt, ubi__watched_realm *w, const JSObject *p,
                                     ubi__captured_frame *top) {
    ubi__stack_ix stack = top ? ubi__capture_top(t, rt, top) : ubi__capture_stack(t, rt);
    ubi__text_ix class_name = ubi__text_of_class(t, rt, p->class_id);
    if (stack == UBI_NONE || class_name == UBI_NONE) {
        ubi__log_birth(t, w, NULL);
        return;
    }
    if (++t->last_serial == 0) /* 0 is nobody's */
        t->last_serial = 1;
    uint32_t serial = t->last_serial;
    if (!ubi__site_table_put(&t->sites, p, stack, serial)) {
        t->lost_sites++;
        serial = 0;
    }
    t->last_object = serial ? p : NULL;
    t->last_realm = w;
    ubi__log_entry entry = { .object = p,
                             .serial = serial,
                             .stack = stack,
                             .time_us = ubi__tracking_now_us(t),
                             .class_name = class_name,
                             .constructor_name = UBI_NONE,
                             .birth_bytes = ubi__birth_bytes(t, rt, p) };
    ubi__log_birth(t, w, &entry);
}

/* A realm may want less than the greatest probability, which the stream of trials is drawn for. */
static bool ubi__trial_counts(ubi__tracking *t, const ubi__watched_realm *w) {
    if (!w || w->tracker_count == 0)
        return false;
    return w->probability >= t->probability || ubi__sampler_draw(&t->sampler) * t->probability < w->probability;
}

/* What trackers and foreign hooks do about a birth, as far as it is their turn. */
static void ubi__track_birth(ubi__tracking *t, JSRuntime *rt, const JSObject *p) {
    ubi__captured_frame *top = ubi__top_of_capture(t, rt);
    const JSContext *realm = top ? top->realm : ubi__birth_realm(rt, p);
    ubi__watched_realm *w =
        t->last_realm && t->last_realm->realm == realm ? t->last_realm : ubi__watched_realm_find(t, realm);
    if (w && w->foreign_hook)
        w->foreign_hook(w->foreign_payload, (uintptr_t)p);
    if (--t->births_until_trial >= 0)
        return;
    t->births_until_trial = t->probability >= 1 ? 0 : ubi__sampler_skip(&t->sampler, t->probability);
    if (ubi__trial_counts(t, w))
        ubi__record_birth(t, rt, w, p, top);
}

static __attribute__((noinline)) void ubi__look_at_birth(ubi__tracking *t, JSRuntime *rt, const JSObject *p) {
    uintptr_t hook_frame = (uintptr_t)__builtin_frame_address(0);
    t->births_to_skip = 0; /* this one is not among those that passed */
    ubi__tracking_settle_births(t);
    ubi__tracking_sweep_if_due(t);
    ubi__track_birth(t, rt, p);
    if (t->object_tap)
        ubi__profile_birth(t, rt, p, hook_frame);
    ubi__tracking_plan_births(t);
}

static inline void ubi__on_birth(ubi_quickjs *tools, JSGCObjectHeader *header) {
    ubi__tracking *t = &tools->tracking;
    tools->hook_counts[UBI__HOOK_BIRTH]++;
    if (__builtin_expect(--t->births_to_skip < 0, 0))
        ubi__look_at_birth(t, tools->runtime, (const JSObject *)header);
}

/* ---- constructors --------------------------------------------------------------------------------------------------- */

/*
 * `new` made an object: if it was the last one that was marked, its entries are the newest of the logs, and get the name.
 * Generators come this way too, with their function in the place of a constructor.
 */
static void ubi__constructed(ubi_quickjs *tools, JSValueConst object, JSValueConst constructor) {
    ubi__tracking *t = &tools->tracking;
    if (!t->last_object || JS_VALUE_GET_TAG(object) != JS_TAG_OBJECT || JS_VALUE_GET_OBJ(object) != t->last_object ||
        JS_VALUE_GET_TAG(constructor) != JS_TAG_OBJECT)
        return;
    JSObject *function = JS_VALUE_GET_OBJ(constructor);
    if (ubi__bytecode_of(function) && function->class_id != JS_CLASS_BYTECODE_FUNCTION)
        return;
    ubi__text_ix name = ubi__text_of_function(t, tools->runtime, function);
    for (uint32_t i = 0; i < t->last_realm->observer_count; i++) {
        const ubi_quickjs_observer *o = t->last_realm->observers[i];
        if (!o->tracks || o->log.count == 0)
            continue;
        ubi__log_entry *newest = ubi__allocation_log_at(&o->log, o->log.count - 1);
        if (newest->object == t->last_object && newest->serial == t->last_serial)
            newest->constructor_name = name;
    }
}

/* ---- deaths --------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void ubi__tracked_dies(ubi__tracking *t, ubi__tracked *tracked) {
    if ((uintptr_t)t->last_object == tracked->address)
        t->last_object = NULL;
    ubi__site_table_remove(&t->sites, tracked);
    if (t->sites.count == 0)
        ubi__tracking_update_watch(t);
}

/* Other bytecode may come to its address: the number must not live on. */
static void ubi__script_dies(ubi__tracking *t, const void *bytecode) {
    ubi__tracked *known = ubi__site_table_find(&t->scripts, bytecode);
    if (!known)
        return;
    ubi__site_table_remove(&t->scripts, known);
    ubi__tracking_forget_frames(t);
}

static __attribute__((noinline)) void ubi__other_thing_dies(ubi__tracking *t, JSGCObjectHeader *header) {
    if (UBI_GC_TYPE(header) == JS_GC_OBJ_TYPE_FUNCTION_BYTECODE)
        ubi__script_dies(t, header);
    else if (UBI_GC_TYPE(header) == JS_GC_OBJ_TYPE_JS_CONTEXT)
        ubi__observers_realm_dies(t, (JSContext *)header);
}

UBI__INLINE void ubi__object_dies(ubi__tracking *t, JSGCObjectHeader *header) {
    if (__builtin_expect(t->timeline.waiting.count != 0, 0))
        ubi__timeline_object_dies(t, header);
    if (t->sites.count == 0)
        return;
    ubi__tracked *tracked = ubi__site_table_find(&t->sites, header);
    if (__builtin_expect(tracked != NULL, 0))
        ubi__tracked_dies(t, tracked);
}

static UBI_OUT_OF_LINE void ubi__profiled_object_dies(ubi_quickjs *tools, JSGCObjectHeader *header) {
    ubi__profile_death(tools, header);
    ubi__object_dies(&tools->tracking, header);
}

static inline void ubi__on_death(ubi_quickjs *tools, JSGCObjectHeader *header) {
    ubi__tracking *t = &tools->tracking;
    tools->hook_counts[UBI__HOOK_DEATH]++;
    if (__builtin_expect(UBI_GC_TYPE(header) != JS_GC_OBJ_TYPE_JS_OBJECT, 0)) {
        ubi__other_thing_dies(t, header);
        return;
    }
    if (__builtin_expect(t->known_objects[((uintptr_t)header >> 4) & (UBI_PROFILER_KNOWN_BYTES - 1)] != 0, 0))
        ubi__profiled_object_dies(tools, header);
    else
        ubi__object_dies(t, header);
}

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

static void ubi__tracking_init(ubi_quickjs *tools) {
    ubi__tracking_start(&tools->tracking, tools, tools->runtime, tools->allocator, &tools->options);
}

static void ubi__tracking_fini(ubi_quickjs *tools) {
    ubi__tracking_end(&tools->tracking);
}

ubi__tracking *ubi__tracking_of(ubi_quickjs *tools) {
    return &tools->tracking;
}

/* When nobody tells of deaths any more, bytecode may die unnoticed: what is known of it is forgotten. */
void ubi__tracking_update_watch(ubi__tracking *t) {
    bool wanted = t->realms || t->sites.count || t->object_tap || t->timeline.is_observed;
    if (wanted == t->is_watching)
        return;
    t->is_watching = wanted;
    if (wanted) {
        ubi__watch(t->tools);
        return;
    }
    ubi__unwatch(t->tools);
    ubi__site_table_fini(&t->scripts);
    ubi__tracking_forget_frames(t);
}

uint64_t ubi__live_object_bytes(ubi__tracking *t, const void *object) {
    return ubi__shallow_bytes(t->runtime, (void *)object, UBI__OBJECT);
}

/** Where an object was allocated; false: it is not tracked. */
static inline bool ubi__site_of(ubi_quickjs *tools, const void *object, uint32_t *site) {
    const ubi__tracked *tracked = ubi__site_table_find(&tools->tracking.sites, object);
    if (tracked)
        *site = tracked->value;
    return tracked != NULL;
}

/** The same as ubi_node's allocation_stack gives it: null for the empty stack, and good while the heap is frozen. */
static inline bool ubi__stack_of_object(ubi_quickjs *tools, const void *object, ubi_stack *out) {
    uint32_t site;
    if (!ubi__site_of(tools, object, &site))
        return false;
    *out = ubi__tracking_lent_stack(&tools->tracking, site);
    return true;
}

bool ubi_quickjs_safe_point(ubi_quickjs *tools) {
    ubi__tracking *t = &tools->tracking;
    tools->oom_reported = false;
    if (__builtin_expect(t->timeline.is_observed, 0) && !ubi__timeline_looked_at())
        ubi__timeline_wants(t);
    if (t->event_count == 0 && !atomic_load_explicit(&t->requests.waiting, memory_order_relaxed))
        return false;
    return ubi__tracking_safe_point(t);
}

#endif
