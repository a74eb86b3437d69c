/* SPDX-License-Identifier: MIT
 *
 * observer_log.c: an observer's log as others see it.
 */
#include "engines/quickjs/observer.h"

ubi_status ubi_quickjs_observer_set_log_limit(ubi_quickjs_observer *o, uint32_t entries) {
    if (entries == 0)
        return ubi_error(UBI_EINVAL, "a log holds at least one entry");
    ubi__allocation_log_set_limit(&o->log, entries);
    return UBI_OK;
}

uint32_t ubi_quickjs_observer_log_limit(const ubi_quickjs_observer *o) {
    return o->log.limit;
}

uint32_t ubi_quickjs_observer_log_length(const ubi_quickjs_observer *o) {
    return o->log.count;
}

bool ubi_quickjs_observer_log_overflowed(const ubi_quickjs_observer *o) {
    return o->log.overflowed;
}

/* The object of the entry may have died, and another may live at its address: then the serial numbers differ. */
static uint64_t size_of(ubi__tracking *t, const ubi__log_entry *entry) {
    const ubi__tracked *tracked = ubi__site_table_find(&t->sites, entry->object);
    if (tracked && tracked->serial == entry->serial)
        return ubi__live_object_bytes(t, entry->object);
    return entry->birth_bytes;
}

static void describe(ubi__tracking *t, const ubi__log_entry *entry, ubi_quickjs_allocation *out) {
    *out = (ubi_quickjs_allocation){ .has_frame = entry->stack != UBI__STACK_EMPTY,
                                     .frame = ubi__tracking_stack(t, entry->stack),
                                     .timestamp_ms = (double)entry->time_us / 1000,
                                     .class_name = ubi__tracked_texts_get(&t->texts, entry->class_name),
                                     .constructor_name = ubi__tracked_texts_get(&t->texts, entry->constructor_name),
                                     .size_bytes = size_of(t, entry) };
}

/*
 * `fn` may run scripts, so the log may grow meanwhile, and lose the very entry that is handed over. Entries are known by
 * their number, and those that came after the call began stay for the next one.
 */
ubi_status ubi_quickjs_observer_drain(ubi_quickjs_observer *o, ubi_quickjs_allocation_fn fn, void *payload) {
    if (!o->tracks)
        return ubi_error(UBI_ESTATE, "cannot drain the log of an observer that does not track");
    ubi__tracking *t = o->tracking;
    ubi__allocation_log *log = &o->log;
    uint64_t end = log->first_number + log->count;
    while (log->count && log->first_number < end) {
        uint64_t number = log->first_number;
        ubi_quickjs_allocation allocation;
        describe(t, ubi__allocation_log_at(log, 0), &allocation);
        t->hold_texts++;
        bool taken = fn(payload, &allocation);
        t->hold_texts--;
        if (!taken)
            return UBI_OK;
        if (log->count && log->first_number == number)
            ubi__allocation_log_drop_oldest(log);
    }
    log->overflowed = false;
    return UBI_OK;
}
