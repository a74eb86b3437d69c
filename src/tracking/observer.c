/* SPDX-License-Identifier: MIT
 *
 * observer.c: observers, the realms that they watch, their settings and their log.
 *
 * Whatever changes what is tracked ends with ubi__watched_realms_update, so that hooks find everything worked out.
 */
#include "tracking/observer.h"

#include "tracking/tool_memory.h"

/* ---- observers ------------------------------------------------------------------------------------------------------ */

void ubi__observer_init(ubi__observer *o, ubi__tracking *t) {
    *o = (ubi__observer){ .tracking = t, .probability = 1, .previous = t->last_observer };
    ubi__allocation_log_init(&o->log, UBI_ALLOCATION_LOG_LENGTH, t->allocator);
    *(t->last_observer ? &t->last_observer->next : &t->observers) = o;
    t->last_observer = o;
}

static void observer_set_wide(ubi__observer *o, bool wide) {
    ubi__tracking *t = o->tracking;
    if (o->wants_all_realms == wide)
        return;
    o->wants_all_realms = wide;
    t->wide_count += wide ? 1 : UINT32_MAX;
    ubi__tracking_update_watch(t);
    ubi__watched_realms_update(t);
}

void ubi__observer_want_all_realms(ubi__observer *o) {
    observer_set_wide(o, true);
}

void ubi__observer_fini(ubi__observer *o) {
    ubi__tracking *t = o->tracking;
    ubi__observer_check(o);
    while (o->realm_count)
        ubi__observer_remove_realm(o, o->realms[o->realm_count - 1]);
    observer_set_wide(o, false);
    if (t->next_to_report == o)
        t->next_to_report = o->next;
    *(o->previous ? &o->previous->next : &t->observers) = o->next;
    *(o->next ? &o->next->previous : &t->last_observer) = o->previous;
    ubi__allocation_log_clear(&o->log);
    ubi__tool_free(t->allocator, o->realms, o->realm_capacity, sizeof *o->realms);
}

/* ---- debuggees ------------------------------------------------------------------------------------------------------ */

static uint32_t debuggee_index(const ubi__observer *o, const void *realm) {
    uint32_t i = 0;
    while (i < o->realm_count && o->realms[i] != realm)
        i++;
    return i;
}

bool ubi__observer_has_realm(const ubi__observer *o, const void *realm) {
    return debuggee_index(o, realm) < o->realm_count;
}

static __attribute__((unused)) bool watched_realm_has_observer(const ubi__watched_realm *w, const ubi__observer *o) {
    uint32_t i = 0;
    while (i < w->observer_count && w->observers[i] != o)
        i++;
    return i < w->observer_count;
}

void ubi__observer_check(const ubi__observer *o) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(o->probability >= 0 && o->probability <= 1);
    UBI_ASSERT(o->is_tracking || o->log.count == 0);
    UBI_ASSERT(o->realm_count <= o->realm_capacity);
    ubi__allocation_log_check(&o->log);
    for (uint32_t i = 0; i < o->realm_count; i++) {
        const ubi__watched_realm *w = ubi__watched_realm_find(o->tracking, o->realms[i]);
        UBI_ASSERT(w && watched_realm_has_observer(w, o));
        UBI_ASSERT(debuggee_index(o, o->realms[i]) == i);
    }
}

static ubi_status foreign_hook_error(void) {
    return ubi_error(UBI_EBUSY, "cannot track allocations: another tool has a hook on the realm");
}

/* Room everywhere first, so that nothing is half done when there is none. */
static ubi_status observer_enter_realm(ubi__observer *o, ubi__watched_realm *w) {
    ubi__tracking *t = o->tracking;
    if (o->is_tracking && w->foreign_hook)
        return foreign_hook_error();
    if (!ubi__tool_reserve(t->allocator, (void **)&o->realms, &o->realm_capacity, o->realm_count + 1,
                           sizeof *o->realms) ||
        !ubi__tool_reserve(t->allocator, (void **)&w->observers, &w->observer_capacity, w->observer_count + 1,
                           sizeof *w->observers))
        return ubi_error(UBI_ENOMEM, "not enough memory for a debuggee");
    UBI_ASSERT(!watched_realm_has_observer(w, o));
    o->realms[o->realm_count++] = w->realm;
    w->observers[w->observer_count++] = o;
    ubi__observer_check(o);
    return UBI_OK;
}

ubi_status ubi__observer_add_realm(ubi__observer *o, const void *realm) {
    ubi__tracking *t = o->tracking;
    if (ubi__observer_has_realm(o, realm))
        return UBI_OK;
    ubi__watched_realm *w = ubi__watched_realm_get(t, realm);
    if (!w)
        return ubi_error(UBI_ENOMEM, "not enough memory for a debuggee");
    ubi_status status = observer_enter_realm(o, w);
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

/* A realm that was never watched, or whose watchers do not want all: it may be there since the last one came that does. */
ubi__watched_realm *ubi__watched_realm_meet(ubi__tracking *t, const void *realm) {
    ubi__watched_realm *w = ubi__watched_realm_find(t, realm);
    if (!realm || t->wide_count == (w ? w->wide_count : 0) || (w && w->foreign_hook))
        return w;
    for (ubi__observer *o = t->observers; o; o = o->next) {
        if (!o->wants_all_realms || ubi__observer_add_realm(o, realm) == UBI_OK || !o->is_tracking)
            continue;
        o->log.has_overflowed = true;
        t->lost_entries++;
    }
    return ubi__watched_realm_find(t, realm);
}

static void observer_forget_debuggee(ubi__observer *o, uint32_t index) {
    UBI_ASSERT(index < o->realm_count && o->tracking->observing_count > 0);
    o->realm_count--;
    memmove(&o->realms[index], &o->realms[index + 1], (o->realm_count - index) * sizeof *o->realms);
    if (o->realm_count == 0)
        o->tracking->observing_count--;
}

void ubi__observer_remove_realm(ubi__observer *o, const void *realm) {
    uint32_t index = debuggee_index(o, realm);
    if (index == o->realm_count)
        return;
    ubi__watched_realm *w = ubi__watched_realm_find(o->tracking, realm);
    observer_forget_debuggee(o, index);
    ubi__watched_realm_remove_observer(w, o);
    ubi__watched_realm_free_if_unused(o->tracking, w);
    ubi__watched_realms_update(o->tracking);
}

void ubi__tracking_realm_dies(ubi__tracking *t, const void *realm) {
    ubi__watched_realm *w = ubi__watched_realm_find(t, realm);
    if (!w)
        return;
    for (uint32_t i = 0; i < w->observer_count; i++)
        observer_forget_debuggee(w->observers[i], debuggee_index(w->observers[i], realm));
    ubi__watched_realm_free(t, w);
    ubi__watched_realms_update(t);
}

/* ---- settings ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__observer_set_tracking(ubi__observer *o, bool on) {
    if (o->is_tracking == on)
        return UBI_OK;
    for (uint32_t i = 0; on && i < o->realm_count; i++)
        if (ubi__watched_realm_find(o->tracking, o->realms[i])->foreign_hook)
            return foreign_hook_error();
    o->is_tracking = on;
    ubi__watched_realms_update(o->tracking);
    if (!on)
        ubi__allocation_log_clear(&o->log);
    ubi__observer_check(o);
    return UBI_OK;
}

ubi_status ubi__observer_set_probability(ubi__observer *o, double probability) {
    if (!(probability >= 0 && probability <= 1))
        return ubi_error(UBI_EINVAL, "a probability is a number between 0 and 1");
    bool is_other = o->probability != probability;
    o->probability = probability; /* also when 0 becomes -0 */
    if (is_other)
        ubi__watched_realms_update(o->tracking);
    return UBI_OK;
}

ubi_status ubi__observer_set_log_limit(ubi__observer *o, uint32_t entries) {
    if (entries == 0)
        return ubi_error(UBI_EINVAL, "a log holds at least one entry");
    ubi__allocation_log_set_limit(&o->log, entries);
    return UBI_OK;
}

void ubi__observer_on_collection(ubi__observer *o, ubi_collection_fn fn, void *payload) {
    o->on_collection = fn;
    o->collection_payload = payload;
}

ubi_status ubi__tracking_set_birth_hook(ubi__tracking *t, const void *realm, ubi__birth_hook_fn fn, void *payload) {
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

/* ---- the log as others see it --------------------------------------------------------------------------------------- */

/* The object of the entry may have died, and another may live at its address: then the serial numbers differ. */
static uint64_t log_entry_bytes(ubi__tracking *t, const ubi__log_entry *entry) {
    const ubi__tracked *site = ubi__site_table_find(&t->sites, entry->object);
    if (site && site->serial == entry->serial)
        return t->ops->object_bytes(t->engine, entry->object);
    return entry->birth_bytes;
}

static void log_entry_describe(ubi__tracking *t, const ubi__log_entry *entry, ubi_logged_allocation *out) {
    *out = (ubi_logged_allocation){ .has_frame = entry->stack != UBI__STACK_EMPTY,
                                    .frame = ubi__tracking_stack(t, entry->stack),
                                    .timestamp_ms = (double)entry->time_us / 1000,
                                    .class_name = ubi__tracked_texts_get(&t->texts, entry->class_name),
                                    .constructor_name = ubi__tracked_texts_get(&t->texts, entry->constructor_name),
                                    .size_bytes = log_entry_bytes(t, entry) };
}

/*
 * `fn` may run scripts, so the log may grow meanwhile, and lose the very entry that is handed over. Entries are known by
 * their number, and those that came after the call began stay for the next one.
 */
ubi_status ubi__observer_drain(ubi__observer *o, ubi_logged_allocation_fn fn, void *payload) {
    if (!o->is_tracking)
        return ubi_error(UBI_ESTATE, "cannot drain the log of an observer that does not track");
    ubi__tracking *t = o->tracking;
    ubi__allocation_log *log = &o->log;
    ubi__observer_check(o);
    uint64_t end = log->first_number + log->count;
    while (log->count && log->first_number < end) {
        uint64_t number = log->first_number;
        ubi_logged_allocation allocation;
        log_entry_describe(t, ubi__allocation_log_at(log, 0), &allocation);
        t->hold_texts++;
        bool taken = fn(payload, &allocation);
        t->hold_texts--;
        if (!taken)
            return UBI_OK;
        if (log->count && log->first_number == number)
            ubi__allocation_log_drop_oldest(log);
    }
    log->has_overflowed = false;
    return UBI_OK;
}
