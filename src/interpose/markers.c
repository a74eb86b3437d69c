/* SPDX-License-Identifier: MIT
 *
 * markers.c: what the program says that it does (ubiheap/core/marker.h), as events beside its allocations.
 *
 * Every module of the program that marks has a port, and gives it to us when it is loaded. While markers are recorded our sink
 * is plugged into all ports; what is posted is written as any other event is: no lock, no malloc, also in signal handlers.
 *
 * Invariant: a port is in the list from join to leave, and is written to under the lock only.
 */
#include <string.h>

#define UBI_MARKER_SINK_ONLY
#include <ubiheap/core/marker.h>

#include "interpose/chunk_writer.h"
#include "interpose/event.h"
#include "interpose/markers.h"
#include "interpose/program_clock.h"

#define BIT (UINT32_C(1) << UBI_MARKER_RECORDER_SINK)
/* Longer texts are cut; details with longer keys are left out. */
#define TEXT_BYTES 4096u
#define KEY_BYTES 255u
/* Of a detail, beside key and text: its type, their lengths or a number. */
#define DETAIL_BYTES 16u
_Static_assert(1 + 2 + 2 <= DETAIL_BYTES && 1 + 2 + sizeof(double) <= DETAIL_BYTES,
               "type, two lengths; type, length, number");
_Static_assert(TEXT_BYTES + KEY_BYTES + DETAIL_BYTES <= UBI__WIRE_MARKER_DETAILS_BYTES, "the longest detail has room");
_Static_assert((int)UBI_MARKER_START == 0 && (int)UBI_MARKER_END == 1 && (int)UBI_MARKER_TIMESTAMP == 2 &&
                   (int)UBI_MARKER_HELPER_EVENT == 3,
               "as UBI__MARKER_TYPE_MASK numbers them");

static ubi__lock lock;
static ubi_marker_port *ports; /* by next[UBI_MARKER_RECORDER_SINK] */
static bool is_on;
static uint32_t main_tid;

/* ---- what is written --------------------------------------------------------------------------------------------- */

static uint8_t *put_text(uint8_t *at, const char *text, size_t n) {
    at = ubi__wire_put(at, n);
    memcpy(at, text, n);
    return at + n;
}

/* Nothing when there is no room before `end`, it has no key, or is of a type that is not recorded. */
static uint8_t *put_value(uint8_t *at, const uint8_t *end, const ubi_marker_value *value) {
    static const uint8_t types[] = { [UBI_MARKER_TEXT] = UBI__DETAIL_TEXT,
                                     [UBI_MARKER_NUMBER] = UBI__DETAIL_NUMBER,
                                     [UBI_MARKER_BOOL] = UBI__DETAIL_BOOL };
    bool is_text = value->type == UBI_MARKER_TEXT;
    if (!value->key || value->type >= sizeof types || (is_text && !value->text))
        return at;
    size_t key_bytes = strnlen(value->key, KEY_BYTES + 1);
    size_t text_bytes = is_text ? strnlen(value->text, TEXT_BYTES) : 0;
    if (key_bytes > KEY_BYTES || DETAIL_BYTES + key_bytes + text_bytes > (size_t)(end - at))
        return at;
    *at++ = types[value->type];
    at = put_text(at, value->key, key_bytes);
    if (is_text)
        return put_text(at, value->text, text_bytes);
    if (value->type == UBI_MARKER_BOOL)
        return ubi__wire_put(at, value->truth != 0);
    memcpy(at, &value->number, sizeof value->number);
    return at + sizeof value->number;
}

/* Details, preceded by their length. */
static uint8_t *put_values(uint8_t *at, const ubi_marker_extra *extra) {
    uint8_t *length = at, *start = at + 2, *end = start + UBI__WIRE_MARKER_DETAILS_BYTES;
    at = start;
    for (size_t i = 0; i < extra->value_count; i++)
        at = put_value(at, end, &extra->values[i]);
    size_t n = (size_t)(at - start);
    length[0] = (uint8_t)(n | 0x80); /* a number may be longer than need be */
    length[1] = (uint8_t)(n >> 7);
    return at;
}
_Static_assert(UBI__WIRE_MARKER_DETAILS_BYTES < 1u << 14, "the length has two bytes");

/* A marker that is written. */
typedef struct marker {
    const char *name;
    const ubi_marker_extra *extra; /* NULL: no details */
    size_t name_bytes;
    uint32_t flags; /* UBI__MARKER_... */
    uint32_t trace;
    uint64_t time_ns;
} marker;

static bool write_marker(ubi__context *c, const marker *m) {
    size_t details_bytes = m->extra ? UBI__WIRE_MARKER_DETAILS_BYTES : 0;
    if (!ubi__chunk_has_room(c, 3 * UBI__WIRE_RECORD_BYTES + m->name_bytes + details_bytes))
        return false;
    uint8_t *at = ubi__event_put(c, UBI__CONTROL_MARKER);
    at = ubi__wire_put(at, m->flags);
    at = ubi__wire_put(at, ubi__wire_zigzag(m->time_ns - c->last_marker_ns));
    c->last_marker_ns = m->time_ns;
    if (m->flags & UBI__MARKER_STACK) {
        at = ubi__wire_put(at, ubi__wire_zigzag((uint64_t)m->trace - c->last_trace));
        c->last_trace = m->trace;
    }
    at = put_text(at, m->name, m->name_bytes);
    at = m->extra ? put_values(at, m->extra) : ubi__wire_put(at, 0);
    ubi__chunk_commit(c, at);
    return true;
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

static bool wants_stack(uint32_t flags) {
    uint32_t request = UBI_MARKER_STACK_REQUEST_OF(flags), tracing = UBI_MARKER_TRACING_OF(flags);
    return request == UBI_MARKER_STACK_ALWAYS ||
           (request == UBI_MARKER_STACK && (tracing == UBI_MARKER_START || tracing == UBI_MARKER_TIMESTAMP));
}

/* Of a START the time is read last, of anything else first: what we do belongs neither to what begins nor to what ends. */
static void post_marker(const ubi_marker_sink *sink, const char *name, uint32_t flags, const void *caller,
                        const ubi_marker_extra *extra) {
    ubi__unwind_registers registers = ubi__caller();
    uint32_t tracing = UBI_MARKER_TRACING_OF(flags);
    uint64_t given_ns = extra ? extra->monotonic_ns : 0;
    bool is_start = tracing == UBI_MARKER_START && !given_ns;
    marker m = { .name = name,
                 .extra = extra && extra->value_count ? extra : NULL,
                 .time_ns = given_ns || is_start ? given_ns : ubi__program_clock_ns() };
    (void)sink;
    if (!name || tracing > UBI_MARKER_HELPER_EVENT)
        return;
    ubi__context *c = ubi__event_begin();
    if (!c)
        return;
    if (ubi__seal_now.is_timeless && !given_ns) {
        ubi__event_end(false);
        return;
    }
    m.name_bytes = strnlen(name, UBI__WIRE_MARKER_NAME_BYTES);
    m.flags = tracing | (c->tid != main_tid ? UBI__MARKER_OFF_MAIN_THREAD : 0);
    if (wants_stack(flags))
        m.trace = ubi__event_stack(c, &registers, (uintptr_t)caller); /* without what the header has in between */
    if (m.trace)
        m.flags |= UBI__MARKER_STACK;
    if (is_start)
        m.time_ns = ubi__program_clock_ns();
    ubi__event_end(write_marker(c, &m));
}

static const ubi_marker_sink our_sink = { .version = UBI_MARKER_VERSION, .post = post_marker };

/* ---- ports ------------------------------------------------------------------------------------------------------- */

/* Plugs our sink in, or leaves the port alone from now on. */
static void set_port(ubi_marker_port *port) {
    if (is_on) {
        __atomic_store_n(&port->sinks[UBI_MARKER_RECORDER_SINK], &our_sink, __ATOMIC_RELEASE);
        __atomic_fetch_or(&port->active, BIT, __ATOMIC_RELEASE);
    } else {
        __atomic_fetch_and(&port->active, ~BIT, __ATOMIC_RELAXED);
    }
}

static void set_all(bool on) {
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return; /* what is posted meets a process that is off */
    is_on = on;
    for (ubi_marker_port *port = ports; port; port = port->next[UBI_MARKER_RECORDER_SINK])
        set_port(port);
    ubi__lock_give(&lock, before);
}

UBI__HOOK void ubi_recorder_join_port(ubi_marker_port *port) {
    (void)ubi__start(); /* constructors of libraries may run before ours */
    if (port->version != UBI_MARKER_VERSION)
        return;
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return;
    port->next[UBI_MARKER_RECORDER_SINK] = ports;
    ports = port;
    set_port(port);
    ubi__lock_give(&lock, before);
}

UBI__HOOK void ubi_recorder_leave_port(ubi_marker_port *port) {
    ubi__signals before;
    if (!ubi__lock_take(&lock, &before))
        return;
    for (ubi_marker_port **at = &ports; *at; at = &(*at)->next[UBI_MARKER_RECORDER_SINK])
        if (*at == port) {
            __atomic_fetch_and(&port->active, ~BIT, __ATOMIC_RELAXED);
            *at = port->next[UBI_MARKER_RECORDER_SINK];
            break;
        }
    ubi__lock_give(&lock, before);
}

/* ---- on and off -------------------------------------------------------------------------------------------------- */

void ubi__markers_on(const ubi__wire_header *area) {
    main_tid = (uint32_t)ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    set_all(area->flags & UBI__WIRE_MARKERS);
}

void ubi__markers_off(void) {
    set_all(false);
}

void ubi__markers_after_fork(void) {
    lock = 0; /* the list is whole at any time */
    set_all(false);
}
