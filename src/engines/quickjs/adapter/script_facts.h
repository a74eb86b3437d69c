/* SPDX-License-Identifier: MIT
 *
 * script_facts.h: answers to js_facts.h.
 */
#ifndef UBI_QUICKJS_SCRIPT_FACTS_H
#define UBI_QUICKJS_SCRIPT_FACTS_H

#include "engines/quickjs/adapter/state.h"
#include "engines/quickjs/js_facts.h"

/** The object itself behind any number of proxies; NULL: one of them is revoked. */
static JSObject *ubi__behind_proxies(JSObject *p) {
    while (p && p->class_id == JS_CLASS_PROXY) {
        JSProxyData *proxy = JS_GetOpaque(JS_MKPTR(JS_TAG_OBJECT, p), JS_CLASS_PROXY);
        bool usable = proxy && !proxy->is_revoked && JS_VALUE_GET_TAG(proxy->target) == JS_TAG_OBJECT;
        p = usable ? JS_VALUE_GET_OBJ(proxy->target) : NULL;
    }
    return p;
}

static JSContext *ubi__realm_of_function(JSObject *p) {
    while (p->class_id == JS_CLASS_BOUND_FUNCTION) {
        JSBoundFunction *bound = p->u.bound_function;
        if (JS_VALUE_GET_TAG(bound->func_obj) != JS_TAG_OBJECT)
            return NULL;
        p = JS_VALUE_GET_OBJ(bound->func_obj);
    }
    if (js_class_has_bytecode(p->class_id) && p->u.func.function_bytecode)
        return p->u.func.function_bytecode->realm;
    if (p->class_id == JS_CLASS_C_FUNCTION)
        return p->u.cfunc.realm;
    return NULL;
}

/** Whether `p` is the global object or one of the prototypes that new objects of the realm get. */
static bool ubi__realm_made_for(const JSContext *ctx, JSObject *p) {
    if (JS_VALUE_GET_TAG(ctx->global_obj) == JS_TAG_OBJECT && JS_VALUE_GET_OBJ(ctx->global_obj) == p)
        return true;
    for (int i = 0; i < ctx->rt->class_count; i++)
        if (JS_VALUE_GET_TAG(ctx->class_proto[i]) == JS_TAG_OBJECT && JS_VALUE_GET_OBJ(ctx->class_proto[i]) == p)
            return true;
    return false;
}

/** Tries the object and each prototype in turn, so that instances of a script's classes have a realm too. */
static JSContext *ubi__realm_by_prototype(JSRuntime *rt, JSObject *p) {
    struct list_head *el;
    for (; p; p = p->shape->proto)
        list_for_each(el, &rt->context_list) {
            JSContext *ctx = list_entry(el, JSContext, link);
            if (ubi__realm_made_for(ctx, p))
                return ctx;
        }
    return NULL;
}

void ubi__object_facts_of(ubi__object_facts *out, JSRuntime *rt, JSValueConst object) {
    JSObject *p = JS_VALUE_GET_OBJ(object), *behind = ubi__behind_proxies(p);
    out->class_name = rt->class_array[p->class_id].class_name;
    out->is_array = behind && behind->class_id == JS_CLASS_ARRAY;
    out->is_proxy = p->class_id == JS_CLASS_PROXY;
    out->is_bound = p->class_id == JS_CLASS_BOUND_FUNCTION;
    out->realm = behind ? ubi__realm_of_function(behind) : NULL;
    if (!out->realm && behind)
        out->realm = ubi__realm_by_prototype(rt, behind);
}

void ubi__function_facts_of(ubi__function_facts *out, JSValueConst function) {
    const JSFunctionBytecode *b = ubi__bytecode_of(JS_VALUE_GET_OBJ(function));
    int line = 0, column = 0;
    *out = (ubi__function_facts){ .source = JS_ATOM_NULL };
    if (!b)
        return;
    out->is_async = (b->func_kind & JS_FUNC_ASYNC) != 0;
    out->is_generator = (b->func_kind & JS_FUNC_GENERATOR) != 0;
    out->parameter_count = b->arg_count;
    if (!ubi__position(b, UBI__NO_PC, &line, &column))
        return;
    out->source = UBI_DEBUG(b).filename;
    out->line = line > 0 ? (uint32_t)line : 0;
    out->column = column > 0 ? (uint32_t)column : 0;
}

JSAtom ubi__parameter_name(JSValueConst function, uint32_t index) {
    const JSFunctionBytecode *b = ubi__bytecode_of(JS_VALUE_GET_OBJ(function));
    return b && b->vardefs && index < b->arg_count ? b->vardefs[index].var_name : JS_ATOM_NULL;
}

JSContext *ubi__runtime_realm(JSRuntime *rt, uint32_t index) {
    struct list_head *el;
    uint32_t i = 0;
    list_for_each(el, &rt->context_list) {
        if (i++ == index)
            return list_entry(el, JSContext, link);
    }
    return NULL;
}

JSValueConst ubi__lexical_scope(JSContext *ctx) {
    return ctx->global_var_obj;
}

/* ---- runs of consoles ----------------------------------------------------------------------------------------------- */

static int ubi__run_interrupt(JSRuntime *rt, void *payload) {
    ubi__js_run *run = payload;
    int must_stop = run->handler ? run->handler(rt, run->handler_payload) : 0;
    ubi_quickjs_interrupt(run->tools);
    return must_stop || run->must_stop;
}

/* One within another asks the embedder, not the other: that may have to stop, and this one not. */
void ubi__js_run_begin(ubi__js_run *run, ubi_quickjs *tools) {
    JSRuntime *rt = tools->runtime;
    *run = (ubi__js_run){ .tools = tools, .before = rt->interrupt_handler, .before_payload = rt->interrupt_opaque };
    run->handler = run->before;
    run->handler_payload = run->before_payload;
    if (run->before == ubi__run_interrupt) {
        const ubi__js_run *outer = run->before_payload;
        run->handler = outer->handler;
        run->handler_payload = outer->handler_payload;
    }
    rt->interrupt_handler = ubi__run_interrupt;
    rt->interrupt_opaque = run;
}

/* A handler that was set meanwhile stays. */
void ubi__js_run_end(ubi__js_run *run) {
    JSRuntime *rt = run->tools->runtime;
    if (rt->interrupt_handler != ubi__run_interrupt || rt->interrupt_opaque != run)
        return;
    rt->interrupt_handler = run->before;
    rt->interrupt_opaque = run->before_payload;
}

/* Engines without the bit reject no promise with such an error. */
bool ubi__is_uncatchable(JSValueConst error) {
#if UBI_UNCATCHABLE_BIT
    return JS_VALUE_GET_TAG(error) == JS_TAG_OBJECT && JS_VALUE_GET_OBJ(error)->is_uncatchable_error;
#else
    (void)error;
    return false;
#endif
}

/* ---- tools ---------------------------------------------------------------------------------------------------------- */

JSRuntime *ubi__tools_runtime(const ubi_quickjs *tools) {
    return tools->runtime;
}

bool ubi__scope_includes(const ubi_quickjs_scope *scope, const JSContext *realm) {
    return !scope || ubi__scope_has(scope, realm);
}

JSContext *ubi__scope_realm(const ubi_quickjs *tools, const ubi_quickjs_scope *scope) {
    struct list_head *el;
    list_for_each(el, &tools->runtime->context_list) {
        JSContext *realm = list_entry(el, JSContext, link);
        if (ubi__scope_includes(scope, realm))
            return realm;
    }
    return NULL;
}

struct ubi__js_console **ubi__tools_consoles(ubi_quickjs *tools) {
    return &tools->consoles;
}

const ubi_allocator *ubi__tools_allocator(const ubi_quickjs *tools) {
    return tools->allocator;
}

uint64_t ubi__tools_serial(const ubi_quickjs *tools) {
    return tools->serial;
}

JSAtom ubi__iterator_atom(void) {
    return JS_ATOM_Symbol_iterator;
}
JSAtom ubi__to_string_tag_atom(void) {
    return JS_ATOM_Symbol_toStringTag;
}

#if UBI_CLASS_ID_OF_RUNTIME

/*
 * In these engines each runtime counts its classes by itself, so that one number may mean two classes. Ours have the first numbers
 * in all runtimes, and no runtime gives those to others.
 */
#define UBI__OWN_CLASSES 16

void ubi__new_class_id(JSRuntime *rt, JSClassID *id) {
    static JSClassID taken;
    (void)rt;
    if (*id != 0)
        return;
    JSClassID n = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    UBI_ASSERT(n < UBI__OWN_CLASSES);
    *id = JS_CLASS_INIT_COUNT + n;
}

JSClassID JS_NewClassID(JSRuntime *rt, JSClassID *id) {
    if (rt->js_class_id_alloc < JS_CLASS_INIT_COUNT + UBI__OWN_CLASSES)
        rt->js_class_id_alloc = JS_CLASS_INIT_COUNT + UBI__OWN_CLASSES;
    return ubi__engine_new_class_id(rt, id);
}

#else

void ubi__new_class_id(JSRuntime *rt, JSClassID *id) {
    (void)rt;
    JS_NewClassID(id);
}

#endif

#endif
