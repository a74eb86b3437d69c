/* SPDX-License-Identifier: MIT
 *
 * quickjs_tracking.c: tracking as programs that embed the engine see it: tracking/ with realms, values and scopes of QuickJS.
 */
#include "engines/quickjs/quickjs_tracking.h"

#include "engines/quickjs/engine.h"
#include "tracking/tool_memory.h"

/* ---- observers ------------------------------------------------------------------------------------------------------ */

ubi_status ubi_quickjs_observer_new(ubi_quickjs_observer **out, ubi_quickjs *tools) {
    ubi__tracking *t = ubi__tracking_of(tools);
    ubi_quickjs_observer *o = (ubi_quickjs_observer *)ubi__tool_calloc(t->allocator, 1, sizeof *o);
    if (!o)
        return ubi_error(UBI_ENOMEM, "not enough memory for an observer");
    ubi_status status = ubi_quickjs_scope_new(&o->scope, tools);
    if (status != UBI_OK) {
        ubi__tool_free(t->allocator, o, 1, sizeof *o);
        return status;
    }
    o->tools = tools;
    ubi__observer_init(&o->base, t);
    UBI_ASSERT((void *)o == (void *)&o->base && o->base.tracking == ubi__tracking_of(o->tools));
    *out = o;
    return UBI_OK;
}

void ubi_quickjs_observer_free(ubi_quickjs_observer *o) {
    if (!o)
        return;
    const ubi_allocator *allocator = o->base.tracking->allocator;
    ubi__observer_fini(&o->base);
    ubi_quickjs_scope_free(o->scope);
    ubi__tool_free(allocator, o, 1, sizeof *o);
}

void ubi__free_observers(ubi_quickjs *tools) {
    ubi__tracking *t = ubi__tracking_of(tools);
    while (t->observers)
        ubi_quickjs_observer_free((ubi_quickjs_observer *)t->observers);
}

/* ---- debuggees ------------------------------------------------------------------------------------------------------ */

static ubi_status check_realm(const ubi_quickjs *tools, JSContext *realm) {
    if (ubi_quickjs_of(JS_GetRuntime(realm)) == tools)
        return UBI_OK;
    return ubi_error(UBI_EMISMATCH, "the realm belongs to another runtime");
}

ubi_status ubi_quickjs_observer_add_realm(ubi_quickjs_observer *o, JSContext *realm) {
    ubi_status status = check_realm(o->tools, realm);
    if (status != UBI_OK || ubi__observer_has_realm(&o->base, realm))
        return status;
    status = ubi_quickjs_scope_add(o->scope, realm);
    if (status != UBI_OK)
        return status;
    status = ubi__observer_add_realm(&o->base, realm);
    if (status != UBI_OK)
        ubi__scope_remove(o->scope, realm);
    return status;
}

void ubi_quickjs_observer_remove_realm(ubi_quickjs_observer *o, JSContext *realm) {
    ubi__observer_remove_realm(&o->base, realm);
    ubi__scope_remove(o->scope, realm);
    UBI_ASSERT(!ubi__observer_has_realm(&o->base, realm));
}

bool ubi_quickjs_observer_has_realm(const ubi_quickjs_observer *o, JSContext *realm) {
    return ubi__observer_has_realm(&o->base, realm);
}

uint32_t ubi_quickjs_observer_realms(const ubi_quickjs_observer *o, JSContext **realms, uint32_t max) {
    for (uint32_t i = 0; i < o->base.realm_count && i < max; i++)
        realms[i] = (JSContext *)(uintptr_t)o->base.realms[i];
    return o->base.realm_count;
}

ubi_target_scope ubi_quickjs_observer_scope(ubi_quickjs_observer *o) {
    return ubi_quickjs_scope_get(o->scope);
}

/* ---- settings and log ----------------------------------------------------------------------------------------------- */

ubi_status ubi_quickjs_observer_set_tracking(ubi_quickjs_observer *o, bool on) {
    return ubi__observer_set_tracking(&o->base, on);
}

bool ubi_quickjs_observer_tracking(const ubi_quickjs_observer *o) {
    return o->base.is_tracking;
}

ubi_status ubi_quickjs_observer_set_probability(ubi_quickjs_observer *o, double probability) {
    return ubi__observer_set_probability(&o->base, probability);
}

double ubi_quickjs_observer_probability(const ubi_quickjs_observer *o) {
    return o->base.probability;
}

ubi_status ubi_quickjs_observer_set_log_limit(ubi_quickjs_observer *o, uint32_t entries) {
    return ubi__observer_set_log_limit(&o->base, entries);
}

uint32_t ubi_quickjs_observer_log_limit(const ubi_quickjs_observer *o) {
    return o->base.log.limit;
}

uint32_t ubi_quickjs_observer_log_length(const ubi_quickjs_observer *o) {
    return o->base.log.count;
}

bool ubi_quickjs_observer_log_overflowed(const ubi_quickjs_observer *o) {
    return o->base.log.has_overflowed;
}

ubi_status ubi_quickjs_observer_drain(ubi_quickjs_observer *o, ubi_quickjs_allocation_fn fn, void *payload) {
    return ubi__observer_drain(&o->base, fn, payload);
}

void ubi_quickjs_observer_on_collection(ubi_quickjs_observer *o, ubi_quickjs_collection_fn fn, void *payload) {
    ubi__observer_on_collection(&o->base, fn, payload);
}

/* ---- sites, hooks of others, requests ------------------------------------------------------------------------------- */

const ubi_stack_ops *ubi_quickjs_stack_ops(void) {
    return ubi__tracking_stack_ops();
}

bool ubi_quickjs_allocation_site(ubi_quickjs *tools, JSValueConst object, bool *has_frame, ubi_stack *out) {
    ubi__tracking *t = ubi__tracking_of(tools);
    ubi__stack_ix stack;
    if (!JS_IsObject(object) || !ubi__tracking_site(t, JS_VALUE_GET_PTR(object), &stack))
        return false;
    *has_frame = stack != UBI__STACK_EMPTY;
    *out = ubi__tracking_stack(t, stack);
    return true;
}

ubi_status ubi_quickjs_set_allocation_hook(ubi_quickjs *tools, JSContext *realm, ubi_quickjs_allocation_hook_fn fn,
                                           void *payload) {
    ubi_status status = check_realm(tools, realm);
    if (status != UBI_OK)
        return status;
    return ubi__tracking_set_birth_hook(ubi__tracking_of(tools), realm, fn, payload);
}

ubi_status ubi_quickjs_request(ubi_quickjs *tools, ubi_safe_point_fn fn, void *payload) {
    return ubi__tracking_request(ubi__tracking_of(tools), fn, payload);
}

void ubi_quickjs_interrupt(ubi_quickjs *tools) {
    ubi__tracking_run_requests(ubi__tracking_of(tools));
}
