/* SPDX-License-Identifier: MIT
 *
 * timeline_marker.c: see timeline_marker.h.
 */
#include "timeline/timeline_marker.h"

#include <string.h>

#include "base/assert.h"
#include "timeline/marker_log.h"

/* What a payload takes whose kind does not say. */
#define PAYLOAD_BYTES 64

static void free_payload(const ubi_marker_kind *kind, void *payload) {
    if (kind && kind->free && payload)
        kind->free(payload);
}

/* Name and stack, from the log of this thread. */
static bool fill_in(ubi_timeline_marker *m, const ubi_marker_make *make) {
    ubi__log *log = ubi__log_get();
    if (!log || !ubi__log_prepare(log) || !ubi__log_name(log, &m->name, make->name, false))
        return false;
    m->frame = UBI_NONE;
    if (log->source && ubi__wants_stack((uint32_t)make->tracing, (uint32_t)make->stack_request))
        m->frame = ubi__log_capture(log);
    m->tables = ubi__marker_tables_ref(log->tables);
    m->name_text = ubi__marker_tables_get(m->tables, m->name);
    return true;
}

ubi_timeline_marker *ubi_timeline_marker_new(const ubi_marker_make *make) {
    const ubi_allocator *a = ubi__timeline_allocator();
    ubi_timeline_marker *m = UBI_NEW(a, ubi_timeline_marker);
    if (!m || !fill_in(m, make)) {
        UBI_DELETE(a, m);
        free_payload(make->kind, make->payload);
        return NULL;
    }
    atomic_init(&m->refs, 1);
    m->kind = make->kind;
    m->payload = make->payload;
    m->tracing = (uint8_t)make->tracing;
    m->has_time = make->has_time;
    m->time_ns = make->time_ns;
    m->ticks = ubi__ticks();
    m->is_off_main = make->is_off_main_thread;
    m->process_type = (uint16_t)atomic_load_explicit(&ubi__the_timeline.process_type, memory_order_relaxed);
    return m;
}

void ubi__timeline_marker_unref(ubi_timeline_marker *m) {
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    free_payload(m->kind, m->payload);
    ubi__marker_tables_unref(m->tables);
    UBI_DELETE(ubi__the_timeline.allocator, m);
}

void ubi_timeline_marker_free(ubi_timeline_marker *marker) {
    ubi__timeline_marker_unref(marker);
}

ubi_timeline_marker *ubi__timeline_marker_clone(const ubi_timeline_marker *m) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    bool has_payload = m->kind && m->payload;
    UBI_ASSERT(!has_payload || m->kind->clone);
    if (has_payload && !m->kind->clone)
        return NULL;
    ubi_timeline_marker *copy = (ubi_timeline_marker *)ubi__alloc_array(a, 1, sizeof *copy);
    if (!copy)
        return NULL;
    memcpy((void *)copy, (const void *)m, sizeof *copy);
    if (has_payload && !(copy->payload = m->kind->clone(m->payload))) {
        UBI_DELETE(a, copy);
        return NULL;
    }
    atomic_init(&copy->refs, 1);
    ubi__marker_tables_ref(copy->tables);
    return copy;
}

size_t ubi__timeline_marker_bytes(const ubi_timeline_marker *m) {
    if (!m->kind || !m->payload)
        return sizeof *m;
    return sizeof *m + (m->kind->size_bytes ? m->kind->size_bytes(m->payload) : PAYLOAD_BYTES);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

ubi_text ubi_timeline_marker_name(const ubi_timeline_marker *m) {
    return m->name_text;
}

uint64_t ubi_timeline_marker_time_ns(const ubi_timeline_marker *m) {
    if (m->has_time)
        return m->time_ns;
    ubi__tick_point now = ubi__tick_point_now();
    ubi__timeline_lock();
    ubi__tick_rate_learn(&ubi__the_timeline.rate, now);
    double ns_per_tick = ubi__the_timeline.rate.ns_per_tick;
    ubi__timeline_unlock(NULL);
    return ubi__tick_ns(ns_per_tick, now, m->ticks);
}

ubi_marker_tracing ubi_timeline_marker_tracing(const ubi_timeline_marker *m) {
    return (ubi_marker_tracing)m->tracing;
}

uint16_t ubi_timeline_marker_process_type(const ubi_timeline_marker *m) {
    return m->process_type;
}

bool ubi_timeline_marker_is_off_main_thread(const ubi_timeline_marker *m) {
    return m->is_off_main;
}

bool ubi_timeline_marker_has_stack(const ubi_timeline_marker *m) {
    return m->frame != UBI_NONE;
}

const ubi_marker_kind *ubi_timeline_marker_kind(const ubi_timeline_marker *m) {
    return m->kind;
}

const void *ubi_timeline_marker_payload(const ubi_timeline_marker *m) {
    return m->payload;
}
