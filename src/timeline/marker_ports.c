/* SPDX-License-Identifier: MIT
 *
 * marker_ports.c: see marker_ports.h. What a port posts goes to all observed targets.
 */
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
