/* SPDX-License-Identifier: MIT
 *
 * observer.c: observers, their debuggees and settings. Their log is in observer_log.c.
 *
 * Whatever changes what is tracked ends with ubi__watched_realms_update, so that hooks find everything worked out.
 */
#include "engines/quickjs/observer.h"

#include "tracking/tool_memory.h"

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
    o->tracking = t;
    o->probability = 1;
    ubi__allocation_log_init(&o->log, UBI_QUICKJS_LOG_LENGTH, t->allocator);
    o->previous = t->last_observer;
    *(t->last_observer ? &t->last_observer->next : &t->observers) = o;
    t->last_observer = o;
    *out = o;
    return UBI_OK;
}

void ubi_quickjs_observer_free(ubi_quickjs_observer *o) {
    if (!o)
        return;
    ubi__tracking *t = o->tracking;
    while (o->realm_count)
        ubi_quickjs_observer_remove_realm(o, o->realms[o->realm_count - 1]);
    if (t->next_to_tell == o)
        t->next_to_tell = o->next;
    *(o->previous ? &o->previous->next : &t->observers) = o->next;
    *(o->next ? &o->next->previous : &t->last_observer) = o->previous;
    ubi_quickjs_scope_free(o->scope);
    ubi__allocation_log_clear(&o->log);
    ubi__tool_free(t->allocator, o->realms, o->realm_capacity, sizeof *o->realms);
    ubi__tool_free(t->allocator, o, 1, sizeof *o);
}

/* ---- debuggees ------------------------------------------------------------------------------------------------------ */

static uint32_t index_of(const ubi_quickjs_observer *o, const JSContext *realm) {
    uint32_t i = 0;
    while (i < o->realm_count && o->realms[i] != realm)
        i++;
    return i;
}

bool ubi_quickjs_observer_has_realm(const ubi_quickjs_observer *o, JSContext *realm) {
    return index_of(o, realm) < o->realm_count;
}

static ubi_status foreign_hook_error(void) {
    return ubi_error(UBI_EBUSY, "cannot track allocations: another tool has a hook on the realm");
}

/* Room everywhere first, so that nothing is half done when there is none. */
static ubi_status add_to_tables(ubi_quickjs_observer *o, ubi__watched_realm *w, JSContext *realm) {
    ubi__tracking *t = o->tracking;
    if (!ubi__tool_reserve(t->allocator, (void **)&o->realms, &o->realm_capacity, o->realm_count + 1,
                           sizeof *o->realms))
        return ubi_error(UBI_ENOMEM, "not enough memory for a debuggee");
    ubi_status status = ubi_quickjs_scope_add(o->scope, realm);
    if (status != UBI_OK)
        return status;
    if (!ubi__watched_realm_add_observer(t, w, o)) {
        ubi__scope_remove(o->scope, realm);
        return ubi_error(UBI_ENOMEM, "not enough memory for a debuggee");
    }
    o->realms[o->realm_count++] = realm;
    return UBI_OK;
}

ubi_status ubi_quickjs_observer_add_realm(ubi_quickjs_observer *o, JSContext *realm) {
    ubi__tracking *t = o->tracking;
    if (JS_GetRuntime(realm) != t->runtime)
        return ubi_error(UBI_EMISMATCH, "the realm belongs to another runtime");
    if (ubi_quickjs_observer_has_realm(o, realm))
        return UBI_OK;
    ubi__watched_realm *w = ubi__watched_realm_get(t, realm);
    if (!w)
        return ubi_error(UBI_ENOMEM, "not enough memory for a debuggee");
    if (o->tracks && w->foreign_hook)
        return foreign_hook_error();
    ubi_status status = add_to_tables(o, w, realm);
    if (status != UBI_OK) {
        ubi__watched_realm_free_if_unused(t, w);
        return status;
    }
    if (o->realm_count == 1) {
        t->observing_count++;
        o->observes_since_cycle = t->cycle_number;
    }
    ubi__watched_realms_update(t);
    return UBI_OK;
}

static void forget_debuggee(ubi_quickjs_observer *o, uint32_t index) {
    o->realm_count--;
    memmove(&o->realms[index], &o->realms[index + 1], (o->realm_count - index) * sizeof *o->realms);
    if (o->realm_count == 0)
        o->tracking->observing_count--;
}

void ubi_quickjs_observer_remove_realm(ubi_quickjs_observer *o, JSContext *realm) {
    uint32_t index = index_of(o, realm);
    if (index == o->realm_count)
        return;
    ubi__watched_realm *w = ubi__watched_realm_find(o->tracking, realm);
    forget_debuggee(o, index);
    ubi__scope_remove(o->scope, realm);
    ubi__watched_realm_remove_observer(w, o);
    ubi__watched_realm_free_if_unused(o->tracking, w);
    ubi__watched_realms_update(o->tracking);
}

void ubi__observers_realm_dies(ubi__tracking *t, JSContext *realm) {
    ubi__watched_realm *w = ubi__watched_realm_find(t, realm);
    if (!w)
        return;
    for (uint32_t i = 0; i < w->observer_count; i++) {
        forget_debuggee(w->observers[i], index_of(w->observers[i], realm));
        ubi__scope_remove(w->observers[i]->scope, realm);
    }
    ubi__watched_realm_free(t, w);
    ubi__watched_realms_update(t);
}

uint32_t ubi_quickjs_observer_realms(const ubi_quickjs_observer *o, JSContext **realms, uint32_t max) {
    for (uint32_t i = 0; i < o->realm_count && i < max; i++)
        realms[i] = o->realms[i];
    return o->realm_count;
}

ubi_target_scope ubi_quickjs_observer_scope(ubi_quickjs_observer *o) {
    return ubi_quickjs_scope_get(o->scope);
}

/* ---- settings ------------------------------------------------------------------------------------------------------- */

ubi_status ubi_quickjs_observer_set_tracking(ubi_quickjs_observer *o, bool on) {
    if (o->tracks == on)
        return UBI_OK;
    for (uint32_t i = 0; on && i < o->realm_count; i++)
        if (ubi__watched_realm_find(o->tracking, o->realms[i])->foreign_hook)
            return foreign_hook_error();
    o->tracks = on;
    ubi__watched_realms_update(o->tracking);
    if (!on)
        ubi__allocation_log_clear(&o->log);
    return UBI_OK;
}

bool ubi_quickjs_observer_tracking(const ubi_quickjs_observer *o) {
    return o->tracks;
}

ubi_status ubi_quickjs_observer_set_probability(ubi_quickjs_observer *o, double probability) {
    if (!(probability >= 0 && probability <= 1))
        return ubi_error(UBI_EINVAL, "a probability is a number between 0 and 1");
    bool is_other = o->probability != probability;
    o->probability = probability; /* also when 0 becomes -0 */
    if (is_other)
        ubi__watched_realms_update(o->tracking);
    return UBI_OK;
}

double ubi_quickjs_observer_probability(const ubi_quickjs_observer *o) {
    return o->probability;
}

void ubi_quickjs_observer_on_collection(ubi_quickjs_observer *o, ubi_quickjs_collection_fn fn, void *payload) {
    o->on_collection = fn;
    o->collection_payload = payload;
}

/* ---- hooks of others ------------------------------------------------------------------------------------------------ */

ubi_status ubi_quickjs_set_allocation_hook(ubi_quickjs *tools, JSContext *realm, ubi_quickjs_allocation_hook_fn fn,
                                           void *payload) {
    ubi__tracking *t = ubi__tracking_of(tools);
    if (JS_GetRuntime(realm) != t->runtime)
        return ubi_error(UBI_EMISMATCH, "the realm belongs to another runtime");
    ubi__watched_realm *w = fn ? ubi__watched_realm_get(t, realm) : ubi__watched_realm_find(t, realm);
    if (!w)
        return fn ? ubi_error(UBI_ENOMEM, "not enough memory for a hook") : UBI_OK;
    if (fn && (w->foreign_hook || w->tracker_count))
        return ubi_error(UBI_EBUSY, "the realm has an allocation hook already");
    t->foreign_hook_count += (fn != NULL) - (w->foreign_hook != NULL);
    w->foreign_hook = fn;
    w->foreign_payload = payload;
    ubi__watched_realm_free_if_unused(t, w);
    ubi__watched_realms_update(t);
    return UBI_OK;
}
