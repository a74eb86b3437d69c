/* SPDX-License-Identifier: MIT
 *
 * timeline_consumers.c: the registry of observed targets, and targets; see ubiheap/core/timeline.h.
 *
 * There is one registry; a pointer to it says that it is still there.
 */
#include <string.h>

#include "base/assert.h"
#include "timeline/marker_ports.h"
#include "timeline/timeline_target.h"

#define LEAST_LIMIT_BYTES (UINT64_C(1) << 20)

struct ubi_timeline_consumers {
    _Atomic bool is_gone;
    _Atomic uint32_t n_targets; /* ever made */
};

static ubi_timeline_consumers the_consumers;

const bool ubi__timeline_checks_threads = UBI_CHECKS;

/* ---- the registry ------------------------------------------------------------------------------------------------ */

ubi_status ubi_timeline_configure(const ubi_timeline_options *options) {
    ubi_timeline_options used = options ? *options : (ubi_timeline_options)UBI_TIMELINE_OPTIONS_INIT;
    UBI_TRY(ubi__version_check(used.version, UBI_TIMELINE_OPTIONS_VERSION, "ubi_timeline_options"));
    if (used.limit_bytes < LEAST_LIMIT_BYTES)
        return ubi__fail(UBI_EINVAL, "a limit of %llu bytes for markers: expected at least 1 MiB",
                         (unsigned long long)used.limit_bytes);
    ubi__timeline_lock();
    ubi__the_timeline.limit_bytes = used.limit_bytes;
    atomic_store_explicit(&ubi__the_timeline.process_type, used.process_type, memory_order_relaxed);
    if (!ubi__the_timeline.allocator)
        ubi__the_timeline.allocator = used.allocator;
    ubi__timeline_unlock(NULL);
    return UBI_OK;
}

ubi_timeline_consumers *ubi_timeline_consumers_get(void) {
    return atomic_load_explicit(&the_consumers.is_gone, memory_order_relaxed) ? NULL : &the_consumers;
}

bool ubi_timeline_consumers_is_empty(ubi_timeline_consumers *consumers) {
    return !consumers || atomic_load_explicit(&ubi__the_timeline.n_observed, memory_order_relaxed) == 0;
}

static void update_ports(void) {
    ubi__timeline_lock();
    ubi__ports_update();
    ubi__timeline_unlock(NULL);
}

ubi_status ubi_timeline_consumers_add_consumer(ubi_timeline_consumers *consumers, ubi_timeline_target *target) {
    ubi__check_main_thread(target);
    if (!consumers)
        return ubi__fail(UBI_ESTATE, "the timeline was shut down");
    UBI_ASSERT(!target->storage);
    if (target->storage)
        return ubi__fail(UBI_ESTATE, "the target is observed already");
    ubi__storages_free_orphans();
    UBI_TRY(ubi__storage_new(&target->storage, target, target->number, target->options.is_per_thread));
    update_ports();
    if (target->options.recording_changed)
        target->options.recording_changed(target->options.payload, true);
    return UBI_OK;
}

static void stop_observing(ubi_timeline_target *target) {
    ubi_markers_storage *storage = target->storage;
    target->storage = NULL;
    ubi__storage_free(storage);
    update_ports();
}

ubi_status ubi_timeline_consumers_remove_consumer(ubi_timeline_consumers *consumers, ubi_timeline_target *target) {
    ubi__check_main_thread(target);
    UBI_ASSERT(!consumers || target->storage);
    if (!consumers || !target->storage)
        return ubi__fail(UBI_ESTATE, "the target is not observed");
    if (target->storage->is_popping)
        return ubi__fail(UBI_ESTATE, "markers are being popped from this target");
    stop_observing(target);
    if (target->options.recording_changed)
        target->options.recording_changed(target->options.payload, false);
    return UBI_OK;
}

bool ubi_timeline_consumers_has_consumer(ubi_timeline_consumers *consumers, const ubi_timeline_target *target) {
    ubi__check_main_thread(target);
    return consumers && target && target->storage;
}

void ubi_timeline_shutdown(void) {
    atomic_store_explicit(&the_consumers.is_gone, true, memory_order_relaxed);
    while (ubi__the_timeline.storages)
        stop_observing(ubi__the_timeline.storages->target);
    ubi__storages_free_orphans();
    ubi__logs_release();
}

/* ---- markers for one --------------------------------------------------------------------------------------------- */

void ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers *consumers, ubi_timeline_target *target,
                                                  const char *name, ubi_marker_tracing tracing,
                                                  ubi_marker_stack_request stack_request) {
    ubi__check_main_thread(target);
    if (consumers && target && target->storage)
        ubi__log_add(target->number, name, UBI_MARKER_FLAGS(tracing, stack_request));
}

/* A plain marker at a time that is given. */
static ubi_timeline_marker *new_at(const char *name, uint64_t time_ns, ubi_marker_tracing tracing,
                                   ubi_marker_stack_request stack_request) {
    return ubi_timeline_marker_new(&(ubi_marker_make){
        .name = name, .tracing = tracing, .stack_request = stack_request, .time_ns = time_ns, .has_time = true });
}

void ubi_timeline_consumers_add_marker_for_target_at(ubi_timeline_consumers *consumers, ubi_timeline_target *target,
                                                     const char *name, uint64_t time_ns, ubi_marker_tracing tracing,
                                                     ubi_marker_stack_request stack_request) {
    ubi__check_main_thread(target);
    if (consumers && target && target->storage)
        ubi__log_add_marker(target->number, new_at(name, time_ns, tracing, stack_request));
}

void ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers *consumers,
                                                           ubi_timeline_target *target, ubi_timeline_marker *marker) {
    ubi__check_main_thread(target);
    if (consumers && target && target->storage)
        ubi__log_add_marker(target->number, marker);
    else
        ubi_timeline_marker_free(marker);
}

/* ---- markers for all --------------------------------------------------------------------------------------------- */

void ubi_timeline_consumers_add_marker_for_all_observed_targets(ubi_timeline_consumers *consumers, const char *name,
                                                                ubi_marker_tracing tracing,
                                                                ubi_marker_stack_request stack_request) {
    if (!ubi_timeline_consumers_is_empty(consumers))
        ubi__log_add(0, name, UBI_MARKER_FLAGS(tracing, stack_request));
}

void ubi_timeline_consumers_add_marker_for_all_observed_targets_at(ubi_timeline_consumers *consumers, const char *name,
                                                                   uint64_t time_ns, ubi_marker_tracing tracing,
                                                                   ubi_marker_stack_request stack_request) {
    if (!ubi_timeline_consumers_is_empty(consumers))
        ubi__log_add_marker(0, new_at(name, time_ns, tracing, stack_request));
}

void ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(ubi_timeline_consumers *consumers,
                                                                         const ubi_timeline_marker *marker) {
    if (!ubi_timeline_consumers_is_empty(consumers))
        ubi__log_add_marker(0, marker ? ubi__timeline_marker_clone(marker) : NULL);
}

ubi_status ubi_timeline_consumers_pop_markers(ubi_timeline_consumers *consumers, ubi_timeline_target *target,
                                              ubi_timeline_markers **out) {
    ubi__check_main_thread(target);
    return consumers && target && target->storage ? ubi__storage_pop(out, target->storage, false) : UBI_OK;
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

ubi_status ubi_timeline_target_new(ubi_timeline_target **out, const ubi_timeline_target_options *options) {
    ubi_timeline_target_options used =
        options ? *options : (ubi_timeline_target_options)UBI_TIMELINE_TARGET_OPTIONS_INIT;
    UBI_TRY(ubi__version_check(used.version, UBI_TIMELINE_TARGET_OPTIONS_VERSION, "ubi_timeline_target_options"));
    const ubi_allocator *a = ubi__timeline_allocator();
    ubi_timeline_target *target = UBI_NEW(a, ubi_timeline_target);
    if (!target)
        return ubi__fail_nomem();
    target->allocator = a;
    target->options = used;
    target->number = atomic_fetch_add_explicit(&the_consumers.n_targets, 1, memory_order_relaxed) + 1;
    target->thread = ubi__thread_number();
    *out = target;
    return UBI_OK;
}

void ubi_timeline_target_free(ubi_timeline_target *target) {
    if (!target)
        return;
    ubi__check_main_thread(target);
    if (target->storage)
        stop_observing(target);
    UBI_DELETE(target->allocator, target);
}

ubi_status ubi_timeline_target_set_record_profile_timeline_markers(ubi_timeline_target *target, bool record) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    ubi__check_main_thread(target);
    if (record == (target->storage != NULL))
        return UBI_OK;
    return record ? ubi_timeline_consumers_add_consumer(consumers, target)
                  : ubi_timeline_consumers_remove_consumer(consumers, target);
}

bool ubi_timeline_target_record_profile_timeline_markers(const ubi_timeline_target *target) {
    return ubi_timeline_consumers_has_consumer(ubi_timeline_consumers_get(), target);
}

/* Rows of nothing. */
static ubi_status pop_nothing(ubi_timeline_markers **out) {
    ubi_timeline_markers *made = ubi__timeline_markers_new(ubi__timeline_allocator());
    if (!made)
        return ubi__fail_nomem();
    *out = made;
    return UBI_OK;
}

ubi_status ubi_timeline_target_pop_profile_timeline_markers(ubi_timeline_target *target, ubi_timeline_markers **out) {
    ubi__check_main_thread(target);
    return target->storage ? ubi__storage_pop(out, target->storage, false) : pop_nothing(out);
}

ubi_status ubi_timeline_target_pop_last_timeline_markers(ubi_timeline_target *target, ubi_timeline_markers **out) {
    ubi__check_main_thread(target);
    return target->storage ? ubi__storage_pop(out, target->storage, true) : pop_nothing(out);
}

ubi_markers_storage *ubi_timeline_target_storage(ubi_timeline_target *target) {
    ubi__check_main_thread(target);
    return target->storage;
}

/* ---- scoped markers ---------------------------------------------------------------------------------------------- */

ubi_timeline_target *ubi_timeline_auto_start(ubi_timeline_target *target, const char *name) {
    ubi__check_main_thread(target);
    if (!target || !target->storage)
        return NULL;
    ubi__log_add(target->number, name, UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_STACK) | UBI_MARKER_LITERAL);
    return target;
}

ubi_timeline_target *ubi_timeline_auto_start_restyle(ubi_timeline_target *target, bool is_animation_only) {
    ubi__check_main_thread(target);
    if (!target || !target->storage)
        return NULL;
    ubi__log_add_marker(target->number, ubi_restyle_timeline_marker_new(is_animation_only, UBI_MARKER_START));
    return target;
}

void ubi_timeline_auto_end(ubi_timeline_target *target, const char *name) {
    ubi__check_main_thread(target);
    if (target->storage)
        ubi__log_add(target->number, name, UBI_MARKER_FLAGS(UBI_MARKER_END, UBI_MARKER_NO_STACK) | UBI_MARKER_LITERAL);
}

/* ---- ports -------------------------------------------------------------------------------------------------------- */

#define UBI_MARKER_SINK_ONLY /* what a port refers to weakly is defined here */
#include "timeline/marker_ports.h"

#include "base/clock.h"
#include "timeline/marker_log.h"

#define SINK UBI_MARKER_TIMELINE_SINK
#define BIT (UINT32_C(1) << SINK)

static ubi_marker_port *ports; /* by the lock of the timeline; linked by next[SINK] */

/* ---- what ports post --------------------------------------------------------------------------------------------- */

/* A marker with values, or at a time that is given. */
static __attribute__((noinline)) void post_extra(const char *name, uint32_t flags, const ubi_marker_extra *extra) {
    ubi_marker_make make = { .name = name,
                             .tracing = (ubi_marker_tracing)(UBI_MARKER_TRACING_OF(flags) & 3),
                             .stack_request = (ubi_marker_stack_request)UBI_MARKER_STACK_REQUEST_OF(flags) };
    if (extra->monotonic_ns) {
        make.time_ns = ubi__process_clock_of(extra->monotonic_ns);
        make.has_time = true;
    }
    if (extra->value_count) {
        make.kind = &ubi__valued_kind;
        make.payload = ubi__valued_payload(extra->values, extra->value_count);
    }
    bool is_whole = make.payload || !make.kind;
    ubi__log_add_marker(0, is_whole ? ubi_timeline_marker_new(&make) : NULL);
}

static void post_marker(const ubi_marker_sink *sink, const char *name, uint32_t flags, const void *caller,
                        const ubi_marker_extra *extra) {
    (void)sink;
    (void)caller;
    if (ubi__unlikely(extra != NULL))
        post_extra(name, flags, extra);
    else
        ubi__log_add(0, name, flags);
}

static const ubi_marker_sink timeline_sink = { UBI_MARKER_VERSION, post_marker };

/* ---- who is plugged in ------------------------------------------------------------------------------------------- */

static void set_active(ubi_marker_port *port, bool is_active) {
    if (is_active)
        __atomic_or_fetch(&port->active, BIT, __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&port->active, ~BIT, __ATOMIC_RELAXED);
}

void ubi__ports_update(void) {
    bool is_active = atomic_load_explicit(&ubi__the_timeline.n_observed, memory_order_relaxed) != 0;
    for (ubi_marker_port *port = ports; port; port = port->next[SINK])
        set_active(port, is_active);
}

/* At the addresses of names there may be others from now on. With the lock. */
static void forget_names(void) {
    atomic_fetch_add_explicit(&ubi__the_timeline.names_epoch, 1, memory_order_relaxed);
}

void ubi_timeline_join_port(ubi_marker_port *port) {
    if (port->version < 1)
        return;
    ubi__timeline_lock();
    forget_names();
    __atomic_store_n(&port->sinks[SINK], &timeline_sink, __ATOMIC_RELEASE);
    port->next[SINK] = ports;
    ports = port;
    ubi__ports_update();
    ubi__timeline_unlock(NULL);
}

void ubi_timeline_leave_port(ubi_marker_port *port) {
    ubi__timeline_lock();
    for (ubi_marker_port **link = &ports; *link; link = &(*link)->next[SINK]) {
        if (*link == port) {
            *link = port->next[SINK];
            break;
        }
    }
    set_active(port, false);
    forget_names();
    ubi__timeline_unlock(NULL);
}

/* The library is unloaded, or the process exits: modules that stay must not post to what is gone. */
static __attribute__((destructor)) void unplug_all(void) {
    ubi__timeline_lock();
    for (ubi_marker_port *port = ports; port; port = port->next[SINK]) {
        set_active(port, false);
        __atomic_store_n(&port->sinks[SINK], NULL, __ATOMIC_RELAXED);
    }
    ports = NULL;
    ubi__timeline_unlock(NULL);
}
