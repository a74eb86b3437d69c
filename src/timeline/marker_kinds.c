/* SPDX-License-Identifier: MIT
 *
 * marker_kinds.c: markers, and the kinds that Mozilla has, each a payload and what it says.
 *
 * Payloads are one block: a size, some numbers, and texts after them. Marks from the source: docshell/base/timeline/
 * *TimelineMarker.h.
 */
#include <string.h>

#include <time.h>

#include "base/assert.h"
#include "timeline/marker_log.h"
#include "timeline/timeline_marker.h"

/* ==== MARKERS =================================================================================================== */

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

/* ==== KINDS ===================================================================================================== */

/* ---- payloads ---------------------------------------------------------------------------------------------------- */

/* A payload of the first kinds: one text or none, and a number. */
typedef struct said {
    size_t bytes; /* of the block */
    uint32_t number;
    uint32_t text_len;
    bool has_text;
    char text[];
} said;

/* A block whose first member is its size. NULL when out of memory. */
static void *new_block(size_t bytes) {
    const ubi_allocator *a = ubi__timeline_allocator();
    size_t *block = (size_t *)a->alloc(a->ctx, bytes);
    if (block)
        *block = bytes;
    return block;
}

static void free_block(void *payload) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    a->free(a->ctx, payload, *(const size_t *)payload);
}

static size_t bytes_of_block(const void *payload) {
    return *(const size_t *)payload;
}

static void *clone_block(const void *payload) {
    void *copy = new_block(bytes_of_block(payload));
    return copy ? memcpy(copy, payload, bytes_of_block(payload)) : NULL;
}

/* Longer texts of one marker are cut. */
#define TEXT_LIMIT ((size_t)1 << 20)

static said *new_said(ubi_text text, uint32_t number) {
    size_t len = text.len < TEXT_LIMIT ? text.len : TEXT_LIMIT;
    said *s = (said *)new_block(sizeof *s + len);
    if (!s)
        return NULL;
    s->number = number;
    s->text_len = (uint32_t)len;
    s->has_text = text.ptr != NULL;
    if (len)
        memcpy(s->text, text.ptr, len);
    return s;
}

static const said *said_by(const ubi_timeline_marker *marker) {
    return (const said *)ubi_timeline_marker_payload(marker);
}

static ubi_text text_said(const said *s) {
    return s->has_text ? (ubi_text){ s->text, s->text_len } : (ubi_text){ NULL, 0 };
}

static bool is_start(const ubi_timeline_marker *marker) {
    return ubi_timeline_marker_tracing(marker) == UBI_MARKER_START;
}

static const ubi_text no_text;

/* A marker of a kind whose payload was just made; without one there is no marker. */
static ubi_timeline_marker *new_marker(ubi_marker_make make, const ubi_marker_kind *kind, void *payload) {
    make.kind = kind;
    make.payload = payload;
    return payload ? ubi_timeline_marker_new(&make) : NULL;
}

#define BLOCK_KIND .version = UBI_MARKER_KIND_VERSION, .free = free_block, .size_bytes = bytes_of_block

/* ---- ConsoleTime ------------------------------------------------------------------------------------------------- */

static ubi_text console_key(const void *payload) {
    return text_said((const said *)payload);
}

static void console_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    ubi_marker_details_base(out, marker);
    if (is_start(marker))
        ubi_marker_details_text(out, "causeName", text_said(said_by(marker)));
    else
        ubi_marker_details_end_stack(out, marker);
}

static const ubi_marker_kind console_kind = { BLOCK_KIND, .clone = clone_block, .key = console_key,
                                              .add_details = console_details };

ubi_timeline_marker *ubi_console_timeline_marker_new(ubi_text cause, ubi_marker_tracing tracing) {
    ubi_text key = cause.ptr ? cause : (ubi_text){ "", 0 };
    ubi_marker_make make = { .name = "ConsoleTime", .tracing = tracing, .stack_request = UBI_MARKER_STACK_ALWAYS };
    return new_marker(make, &console_kind, new_said(key, 0));
}

/* ---- TimeStamp --------------------------------------------------------------------------------------------------- */

static void timestamp_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    ubi_text cause = text_said(said_by(marker));
    if (cause.len)
        ubi_marker_details_text(out, "causeName", cause);
}

static const ubi_marker_kind timestamp_kind = { BLOCK_KIND, .clone = clone_block, .add_details = timestamp_details };

ubi_timeline_marker *ubi_timestamp_timeline_marker_new(ubi_text cause) {
    ubi_marker_make make = { .name = "TimeStamp", .tracing = UBI_MARKER_TIMESTAMP };
    return new_marker(make, &timestamp_kind, new_said(cause, 0));
}

/* ---- DOMEvent ---------------------------------------------------------------------------------------------------- */

static void event_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    if (!is_start(marker))
        return;
    ubi_marker_details_base(out, marker);
    ubi_marker_details_text(out, "type", text_said(said_by(marker)));
    ubi_marker_details_number(out, "eventPhase", said_by(marker)->number);
}

static const ubi_marker_kind event_kind = { BLOCK_KIND, .clone = clone_block, .add_details = event_details };

ubi_timeline_marker *ubi_event_timeline_marker_new(ubi_text type, uint16_t phase, ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "DOMEvent", .tracing = tracing };
    return new_marker(make, &event_kind, new_said(type.ptr ? type : (ubi_text){ "", 0 }, phase));
}

/* ---- Javascript -------------------------------------------------------------------------------------------------- */

static void cause_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    if (!is_start(marker))
        return;
    ubi_marker_details_base(out, marker);
    ubi_marker_details_text(out, "causeName", text_said(said_by(marker)));
}

static const ubi_marker_kind javascript_kind = { BLOCK_KIND, .clone = clone_block, .add_details = cause_details };

/* The entry as a stack of one frame. UBI_NONE: nothing is known about it, or there is no memory. */
static uint32_t frame_of_entry(ubi__log *log, const ubi_javascript_entry *entry) {
    ubi__marker_frame frame = { .async_cause = UBI_NONE, .line = entry->line, .parent = UBI_NONE };
    uint32_t number;
    if (entry->function_name.len == 0 && entry->source.len == 0)
        return UBI_NONE;
    frame.async_parent = ubi__log_async_parent(log, entry->async_stack, entry->async_cause);
    if (ubi__marker_tables_text(&frame.function_name, log->tables, entry->function_name) != UBI_OK ||
        ubi__marker_tables_text(&frame.source, log->tables, entry->source) != UBI_OK ||
        ubi__marker_tables_frame(&number, log->tables, &frame) != UBI_OK)
        return UBI_NONE;
    return number;
}

ubi_timeline_marker *ubi_javascript_timeline_marker_new(const ubi_javascript_entry *entry) {
    ubi_marker_make make = { .name = "Javascript", .tracing = UBI_MARKER_START, .stack_request = UBI_MARKER_NO_STACK };
    ubi_timeline_marker *marker = new_marker(make, &javascript_kind, new_said(entry->reason, 0));
    if (marker)
        marker->frame = frame_of_entry(ubi__log_here, entry);
    return marker;
}

/* ---- Styles ------------------------------------------------------------------------------------------------------ */

static void restyle_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    if (!is_start(marker))
        return;
    ubi_marker_details_base(out, marker);
    ubi_marker_details_bool(out, "isAnimationOnly", said_by(marker)->number != 0);
}

static const ubi_marker_kind restyle_kind = { BLOCK_KIND, .clone = clone_block, .add_details = restyle_details };

ubi_timeline_marker *ubi_restyle_timeline_marker_new(bool is_animation_only, ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "Styles", .tracing = tracing };
    return new_marker(make, &restyle_kind, new_said(no_text, is_animation_only));
}

/* ---- Layer ------------------------------------------------------------------------------------------------------- */

static void no_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    (void)marker;
    (void)out;
}

const ubi_marker_kind ubi__layer_kind = { BLOCK_KIND, .add_details = no_details };

ubi_timeline_marker *ubi_layer_timeline_marker_new(const ubi_timeline_rectangle *rectangles, size_t count) {
    ubi_marker_make make = { .name = "Layer", .tracing = UBI_MARKER_HELPER_EVENT };
    if (count > TEXT_LIMIT)
        return NULL;
    ubi__layer *layer = (ubi__layer *)new_block(sizeof *layer + count * sizeof *rectangles);
    if (layer) {
        layer->n = count;
        if (count)
            memcpy(layer->at, rectangles, count * sizeof *rectangles);
    }
    return new_marker(make, &ubi__layer_kind, layer);
}

/* ---- Composite --------------------------------------------------------------------------------------------------- */

ubi_timeline_marker *ubi_composite_timeline_marker_new(uint64_t time_ns, ubi_marker_tracing tracing) {
    return ubi_timeline_marker_new(&(ubi_marker_make){
        .name = "Composite", .tracing = tracing, .time_ns = time_ns, .has_time = true, .is_off_main_thread = true });
}

/* ---- Worker and MessagePort -------------------------------------------------------------------------------------- */

static void operation_details(const ubi_timeline_marker *marker, ubi_marker_details *out, const char *key,
                              const char *operation) {
    if (!is_start(marker))
        return;
    ubi_marker_details_base(out, marker);
    ubi_marker_details_text(out, key, (ubi_text){ operation, strlen(operation) });
}

static void worker_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    static const char *const words[] = { "serializeDataOffMainThread", "serializeDataOnMainThread",
                                         "deserializeDataOffMainThread", "deserializeDataOnMainThread" };
    operation_details(marker, out, "workerOperation", words[said_by(marker)->number & 3]);
}

static const ubi_marker_kind worker_kind = { BLOCK_KIND, .clone = clone_block, .add_details = worker_details };

ubi_timeline_marker *ubi_worker_timeline_marker_new(ubi_worker_operation operation, ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "Worker", .tracing = tracing, .stack_request = UBI_MARKER_NO_STACK };
    return new_marker(make, &worker_kind, new_said(no_text, (uint32_t)operation));
}

static void message_port_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    static const char *const words[] = { "serializeData", "deserializeData" };
    operation_details(marker, out, "messagePortOperation", words[said_by(marker)->number & 1]);
}

static const ubi_marker_kind message_port_kind = { BLOCK_KIND, .clone = clone_block,
                                                   .add_details = message_port_details };

ubi_timeline_marker *ubi_message_port_timeline_marker_new(ubi_message_port_operation operation,
                                                          ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "MessagePort", .tracing = tracing, .stack_request = UBI_MARKER_NO_STACK };
    return new_marker(make, &message_port_kind, new_said(no_text, (uint32_t)operation));
}

/* ---- document:: -------------------------------------------------------------------------------------------------- */

typedef struct loading {
    size_t bytes;
    double unix_us;
} loading;

static void loading_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    ubi_marker_details_number(out, "unixTime", ((const loading *)ubi_timeline_marker_payload(marker))->unix_us);
}

static const ubi_marker_kind loading_kind = { BLOCK_KIND, .clone = clone_block, .add_details = loading_details };

ubi_timeline_marker *ubi_doc_loading_timeline_marker_new(const char *name) {
    ubi_marker_make make = { .name = name, .tracing = UBI_MARKER_TIMESTAMP };
    loading *payload = (loading *)new_block(sizeof *payload);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (payload)
        payload->unix_us = (double)((int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    return new_marker(make, &loading_kind, payload);
}

/* ---- MinorGC ----------------------------------------------------------------------------------------------------- */

static const ubi_marker_kind minor_gc_kind = { BLOCK_KIND, .clone = clone_block, .add_details = cause_details };

ubi_timeline_marker *ubi_minor_gc_timeline_marker_new(ubi_text reason, ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "MinorGC", .tracing = tracing, .stack_request = UBI_MARKER_NO_STACK };
    return new_marker(make, &minor_gc_kind, new_said(reason, 0));
}

/* ---- markers with values, of ubiheap/core/marker.h -------------------------------------------------------------------- */

typedef struct valued {
    size_t bytes;
    size_t n;
    ubi_marker_value at[]; /* texts point past them */
} valued;

static size_t text_bytes(const char *text) {
    return text ? strlen(text) + 1 : 0;
}

static const char *put_text(char **room, const char *text) {
    size_t bytes = text_bytes(text);
    char *copy = *room;
    if (!text)
        return NULL;
    *room += bytes;
    return (const char *)memcpy(copy, text, bytes);
}

void *ubi__valued_payload(const ubi_marker_value *values, size_t n) {
    size_t bytes = sizeof(valued) + n * sizeof *values;
    for (size_t i = 0; i < n; i++)
        bytes += text_bytes(values[i].key) + (values[i].type == UBI_MARKER_TEXT ? text_bytes(values[i].text) : 0);
    valued *v = (valued *)new_block(bytes);
    if (!v)
        return NULL;
    char *room = (char *)(v->at + n);
    v->n = n;
    for (size_t i = 0; i < n; i++) {
        v->at[i] = values[i];
        v->at[i].key = put_text(&room, values[i].key);
        v->at[i].text = put_text(&room, values[i].type == UBI_MARKER_TEXT ? values[i].text : NULL);
    }
    return v;
}

static void valued_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    const valued *v = (const valued *)ubi_timeline_marker_payload(marker);
    ubi_marker_details_base(out, marker);
    for (size_t i = 0; i < v->n; i++) {
        const ubi_marker_value *value = &v->at[i];
        if (!value->key)
            continue;
        if (value->type == UBI_MARKER_TEXT && value->text)
            ubi_marker_details_text(out, value->key, (ubi_text){ value->text, strlen(value->text) });
        else if (value->type == UBI_MARKER_NUMBER)
            ubi_marker_details_number(out, value->key, value->number);
        else if (value->type == UBI_MARKER_BOOL)
            ubi_marker_details_bool(out, value->key, value->truth != 0);
    }
}

const ubi_marker_kind ubi__valued_kind = { BLOCK_KIND, .add_details = valued_details };
