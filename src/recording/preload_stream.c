/* SPDX-License-Identifier: MIT
 *
 * preload_stream.c: see preload_stream.h.
 */
#include "recording/preload_stream.h"

#include <string.h>

#include "base/assert.h"

/* The least bytes of such a record: lost bytes held at most one per this many. */
#define TRACE_RECORD_BYTES 3
#define FUNCTION_RECORD_BYTES 4

void ubi__stream_check(const ubi__stream *s) {
    UBI_ASSERT(s->at_ahead <= s->n_ahead && s->n_ahead <= UBI__STREAM_AHEAD);
    UBI_ASSERT(!s->event || (s->at_ahead > 0 && s->event == &s->ahead[s->at_ahead - 1].event));
    UBI_ASSERT(s->traces.n == 0 || s->traces.at[0] == 0);
    UBI_ASSERT(s->lost_bytes <= s->common->lost_bytes);
    if (!UBI_CHECKS)
        return;
    for (size_t i = s->at_ahead; i < s->n_ahead; i++) {
        UBI_ASSERT(s->ahead[i].step != UBI__STREAM_EMPTY);
        UBI_ASSERT(s->ahead[i].step != UBI__STREAM_EVENT || !s->ahead[i].event.is_marker || i + 1 == s->n_ahead);
    }
    ubi__stream_pieces_check(s);
}

void ubi__stream_init(ubi__stream *s, ubi__stream_common *common) {
    *s = (ubi__stream){ .common = common };
}

void ubi__stream_fini(ubi__stream *s) {
    while (s->first)
        ubi__stream_piece_end(s);
    ubi__vec_u32_fini(&s->traces, s->common->allocator);
    ubi__stream_modules_fini(&s->modules, s->common->allocator);
    ubi__stream_functions_fini(&s->functions, s->common->allocator);
    ubi__vec_u8_fini(&s->texts, s->common->allocator);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Where a record is read. A record that breaks the rules leaves `is_sound` false. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool is_sound;
} cursor;

static uint64_t cursor_get(cursor *c) {
    uint64_t number = 0;
    if (!ubi__wire_get(&c->at, c->end, &number))
        c->is_sound = false;
    return number;
}

static uint64_t cursor_get_difference(cursor *c) {
    return ubi__wire_unzigzag(cursor_get(c));
}

static ubi_status set_thread(ubi__stream *s, uint32_t tid) {
    ubi__stream_common *common = s->common;
    uint32_t thread = ubi__u64_map_get(&common->threads, tid);
    if (thread == UBI_NONE) {
        UBI_TRY(common->sink->thread(common->sink->payload, &thread, tid));
        UBI_TRY(ubi__u64_map_put(&common->threads, tid, thread));
    }
    s->tid = tid;
    s->thread = thread;
    return UBI_OK;
}

/* Numbers of traces that were in lost bytes stand for no known stack. */
static ubi_status skip_lost_traces(ubi__stream *s, cursor *c, uint32_t next_trace) {
    size_t known = s->traces.n;
    if (next_trace < known || next_trace - known > s->lost_bytes / TRACE_RECORD_BYTES) {
        c->is_sound = false;
        return UBI_OK;
    }
    while (s->traces.n < next_trace)
        UBI_TRY(ubi__vec_u32_push(&s->traces, s->common->allocator, 0));
    return UBI_OK;
}

static ubi_status read_preface(ubi__stream *s, cursor *c) {
    ubi__wire_preface preface;
    if ((size_t)(c->end - c->at) < sizeof preface) {
        c->is_sound = false;
        return UBI_OK;
    }
    memcpy(&preface, c->at, sizeof preface);
    c->at += sizeof preface;
    if (preface.epoch != s->epoch || s->traces.n == 0) {
        s->epoch = preface.epoch;
        s->traces.n = s->modules.n = s->functions.n = s->texts.n = 0;
        UBI_TRY(ubi__vec_u32_push(&s->traces, s->common->allocator, 0));
    }
    UBI_TRY(skip_lost_traces(s, c, preface.next_trace));
    s->stamp = preface.stamp;
    s->clock_us = preface.clock_us;
    s->address = s->pc = s->marker_ns = 0;
    s->trace = s->script_class = 0;
    memset(s->script_classes, 0, sizeof s->script_classes);
    return set_thread(s, preface.tid);
}

static ubi_status read_module(ubi__stream *s, cursor *c) {
    ubi__preload_module module = { .low = cursor_get(c) };
    uint64_t span = cursor_get(c);
    module.bias = cursor_get(c);
    uint64_t path_bytes = cursor_get(c), id_bytes = cursor_get(c);
    if (!c->is_sound || span > UINT64_MAX - module.low || path_bytes > UBI__WIRE_PATH_BYTES ||
        id_bytes > UBI__WIRE_BUILD_ID_BYTES || (size_t)(c->end - c->at) < path_bytes + id_bytes) {
        c->is_sound = false;
        return UBI_OK;
    }
    module.high = module.low + span;
    module.path = (ubi_text){ .ptr = (const char *)c->at, .len = (size_t)path_bytes };
    module.build_id = c->at + path_bytes;
    module.build_id_bytes = (size_t)id_bytes;
    c->at += path_bytes + id_bytes;
    ubi__stream_module known = { .low = module.low, .high = module.high };
    const ubi__preload_sink *sink = s->common->sink;
    UBI_TRY(sink->module(sink->payload, &known.number, &module));
    return ubi__stream_modules_push(&s->modules, s->common->allocator, known);
}

static uint32_t module_of(const ubi__stream *s, uint64_t pc) {
    for (size_t i = s->modules.n; i-- > 0;) /* later ones took the place of earlier ones */
        if (pc - 1 - s->modules.at[i].low < s->modules.at[i].high - s->modules.at[i].low)
            return s->modules.at[i].number;
    return UBI__PRELOAD_NO_MODULE;
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

/* Makes room for a function of that number; those that were in lost bytes have no names. Broken: it is not the next one. */
static ubi_status skip_lost_functions(ubi__stream *s, cursor *c, uint64_t number) {
    static const ubi__stream_function unknown = { 0, 0, 0 };
    if (s->functions.n == 0)
        UBI_TRY(ubi__stream_functions_push(&s->functions, s->common->allocator, unknown));
    if (number < s->functions.n || number - s->functions.n > s->lost_bytes / FUNCTION_RECORD_BYTES) {
        c->is_sound = false;
        return UBI_OK;
    }
    while (s->functions.n < number)
        UBI_TRY(ubi__stream_functions_push(&s->functions, s->common->allocator, unknown));
    return UBI_OK;
}

static ubi_status read_function(ubi__stream *s, cursor *c) {
    uint64_t number = cursor_get(c), name_bytes = cursor_get(c), file_bytes = cursor_get(c);
    if (!c->is_sound || name_bytes > UBI__WIRE_FUNCTION_BYTES || file_bytes > UBI__WIRE_PATH_BYTES ||
        (size_t)(c->end - c->at) < name_bytes + file_bytes) {
        c->is_sound = false;
        return UBI_OK;
    }
    UBI_TRY(skip_lost_functions(s, c, number));
    if (!c->is_sound)
        return UBI_OK;
    ubi__stream_function function = { s->texts.n, (uint32_t)name_bytes, (uint32_t)file_bytes };
    size_t n = (size_t)(name_bytes + file_bytes);
    UBI_TRY(ubi__vec_u8_reserve(&s->texts, s->common->allocator, n));
    if (n)
        memcpy(s->texts.at + s->texts.n, c->at, n);
    s->texts.n += n;
    c->at += n;
    return ubi__stream_functions_push(&s->functions, s->common->allocator, function);
}

/* A function whose record was lost has no names. */
static ubi__preload_script script_of(const ubi__stream *s, uint64_t number, uint64_t line, uint64_t column) {
    ubi__preload_script frame = { { "", 0 }, { "", 0 }, (uint32_t)line, (uint32_t)column };
    if (number >= s->functions.n)
        return frame;
    const ubi__stream_function *f = &s->functions.at[number];
    const char *text = (const char *)s->texts.at + f->text_at;
    if (f->name_bytes)
        frame.function = (ubi_text){ text, f->name_bytes };
    if (f->file_bytes)
        frame.file = (ubi_text){ text + f->name_bytes, f->file_bytes };
    return frame;
}

static ubi_status read_script_trace(ubi__stream *s, cursor *c) {
    uint64_t back = cursor_get(c), function = cursor_get(c), line = cursor_get(c), column = cursor_get(c);
    uint32_t number = (uint32_t)s->traces.n;
    bool is_known = function > 0 && (function < s->functions.n || s->lost_bytes > 0);
    if (!c->is_sound || back == 0 || back > number || !is_known || line > UINT32_MAX || column > UINT32_MAX) {
        c->is_sound = false;
        return UBI_OK;
    }
    const ubi__preload_sink *sink = s->common->sink;
    ubi__preload_script frame = script_of(s, function, line, column);
    uint32_t told = s->traces.at[number - back];
    UBI_TRY(ubi__vec_u32_reserve(&s->traces, s->common->allocator, 1));
    if (sink->script)
        UBI_TRY(sink->script(sink->payload, &told, told, &frame));
    return ubi__vec_u32_push(&s->traces, s->common->allocator, told);
}

/* What the blocks of scripts are that follow. One without a name was said before in the chunk, or is none. */
static ubi_status read_class(ubi__stream *s, cursor *c) {
    uint64_t number = cursor_get(c), bytes = cursor_get(c);
    if (!c->is_sound || number == 0 || number >= UBI__WIRE_CLASSES || bytes > UBI__WIRE_CLASS_BYTES ||
        (size_t)(c->end - c->at) < bytes) {
        c->is_sound = false;
        return UBI_OK;
    }
    const ubi__preload_sink *sink = s->common->sink;
    uint32_t told = s->script_classes[number];
    if (bytes && sink->script_class)
        UBI_TRY(sink->script_class(sink->payload, &told, (ubi_text){ (const char *)c->at, (size_t)bytes }));
    UBI_ASSERT(told < UBI__WIRE_CLASSES);
    c->at += bytes;
    s->script_classes[number] = (uint8_t)told;
    s->script_class = told;
    return UBI_OK;
}

/* ---- stacks, events ---------------------------------------------------------------------------------------------- */

static ubi_status read_trace(ubi__stream *s, cursor *c, unsigned kind) {
    if (kind == UBI__TRACE_SCRIPT)
        return read_script_trace(s, c);
    uint64_t back = cursor_get(c), pc = s->pc + cursor_get_difference(c);
    uint32_t number = (uint32_t)s->traces.n, told = 0;
    bool is_frame = kind == UBI__TRACE_FRAME;
    if (!c->is_sound || kind >= UBI__TRACE_KINDS || back > number || (back == 0) == is_frame) {
        c->is_sound = false;
        return UBI_OK;
    }
    s->pc = pc;
    uint32_t caller = is_frame ? s->traces.at[number - back] : 0;
    uint32_t module = kind == UBI__TRACE_TRUNCATED ? UBI__PRELOAD_NO_MODULE : module_of(s, pc);
    const ubi__preload_sink *sink = s->common->sink;
    UBI_TRY(ubi__vec_u32_reserve(&s->traces, s->common->allocator, 1));
    UBI_TRY(sink->trace(sink->payload, &told, (ubi__trace_kind)kind, caller, module, pc));
    return ubi__vec_u32_push(&s->traces, s->common->allocator, told);
}

/* The next place ahead; there is room. It counts from put_ahead() on. */
static inline ubi__wire_event *event_ahead(ubi__stream *s) {
    UBI_ASSERT(s->n_ahead < UBI__STREAM_AHEAD);
    return &s->ahead[s->n_ahead].event;
}

static inline void put_ahead(ubi__stream *s, ubi__stream_step step) {
    UBI_ASSERT(s->n_ahead < UBI__STREAM_AHEAD);
    s->ahead[s->n_ahead++].step = step;
}

/* An event as it is written. */
typedef struct read_numbers {
    uint64_t stamp, address, size_bytes, met, trace;
    unsigned kind;
    bool is_alloc;
} read_numbers;

static inline void take_event(ubi__stream *s, cursor *c, const read_numbers *e) {
    if (ubi__unlikely(!c->is_sound || e->stamp <= s->stamp || e->trace >= s->traces.n ||
                      e->kind >= (unsigned)(e->is_alloc ? UBI__ALLOC_KINDS : UBI__FREE_KINDS))) {
        c->is_sound = false;
        return;
    }
    s->stamp = e->stamp;
    s->address = e->address;
    s->trace = (uint32_t)e->trace;
    ubi__wire_event *event = event_ahead(s);
    *event = (ubi__wire_event){ .stamp = e->stamp,
                                .about = { .address = e->address,
                                           .size_bytes = e->size_bytes,
                                           .met = e->met,
                                           .trace = s->traces.at[e->trace],
                                           .thread = s->thread,
                                           .script_class = ubi__alloc_is_script(e->kind) ? s->script_class : 0,
                                           .clock_us = s->clock_us },
                                .is_alloc = e->is_alloc,
                                .kind = (uint8_t)e->kind };
    put_ahead(s, UBI__STREAM_EVENT);
    ubi__block_table_prefetch(s->common->blocks, e->address);
    const ubi__preload_sink *sink = s->common->sink;
    if (e->is_alloc && sink->expect)
        sink->expect(sink->payload, (ubi__alloc_kind)e->kind, event->about.script_class, e->size_bytes,
                     event->about.trace);
}

static void read_event(ubi__stream *s, cursor *c, uint8_t operation) {
    read_numbers e = { .is_alloc = (operation & UBI__OP_MASK) == UBI__OP_ALLOC,
                       .kind = operation >> UBI__OP_KIND_SHIFT,
                       .trace = s->trace,
                       .met = 1 };
    e.stamp = s->stamp + 1 + (operation & UBI__OP_GAP ? cursor_get(c) : 0);
    uint64_t difference = cursor_get_difference(c);
    e.address = s->address + (operation & UBI__OP_BY_16 ? difference << 4 : difference);
    if (e.is_alloc) {
        e.size_bytes = cursor_get(c);
        e.trace += cursor_get_difference(c);
        if (!s->common->is_exact)
            e.met = cursor_get(c);
    } else if (e.kind >= UBI__FREE_SIZED) {
        e.size_bytes = cursor_get(c);
    }
    take_event(s, c, &e);
}

/* @param c  right after the operation */
static inline void read_short_event(ubi__stream *s, cursor *c, bool is_alloc) {
    uint64_t words[2] = { 0, (uint64_t)s->trace << 32 };
    size_t n = is_alloc ? UBI__WIRE_SHORT_ALLOC_BYTES : UBI__WIRE_SHORT_FREE_BYTES;
    if (ubi__unlikely((size_t)(c->end - c->at) < n - 1)) {
        c->is_sound = false;
        return;
    }
    memcpy(words, c->at - 1, n);
    c->at += n - 1;
    take_event(s, c,
               &(read_numbers){ .stamp = s->stamp + 1 + (words[0] >> UBI__WIRE_SHORT_GAP_SHIFT & 0xff),
                                .address = words[0] >> UBI__WIRE_SHORT_ADDRESS_SHIFT,
                                .size_bytes = (uint32_t)words[1],
                                .met = 1,
                                .trace = words[1] >> 32,
                                .kind = (unsigned)(words[0] >> UBI__OP_KIND_SHIFT & 15),
                                .is_alloc = is_alloc });
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* A text, in place. */
static ubi_text cursor_get_text(cursor *c, uint64_t most) {
    ubi_text text = { .len = (size_t)cursor_get(c) };
    if (!c->is_sound || text.len > most || text.len > (size_t)(c->end - c->at)) {
        c->is_sound = false;
        return (ubi_text){ 0 };
    }
    text.ptr = (const char *)c->at;
    c->at += text.len;
    return text;
}

static void cursor_get_detail(cursor *c, ubi__preload_detail *out) {
    uint64_t type = cursor_get(c);
    out->type = (ubi__wire_detail)type;
    out->name = cursor_get_text(c, UBI__WIRE_MARKER_DETAILS_BYTES);
    if (type == UBI__DETAIL_TEXT) {
        out->text = cursor_get_text(c, UBI__WIRE_MARKER_DETAILS_BYTES);
    } else if (type == UBI__DETAIL_BOOL) {
        out->is_true = cursor_get(c) != 0;
    } else if (type == UBI__DETAIL_NUMBER && (size_t)(c->end - c->at) >= sizeof out->number) {
        memcpy(&out->number, c->at, sizeof out->number);
        c->at += sizeof out->number;
    } else {
        c->is_sound = false;
    }
}

bool ubi__preload_detail_next(const uint8_t **at, const uint8_t *end, ubi__preload_detail *out) {
    cursor c = { .at = *at, .end = end, .is_sound = *at < end };
    if (c.is_sound)
        cursor_get_detail(&c, out);
    *at = c.is_sound ? c.at : end;
    return c.is_sound;
}

static bool are_details(ubi_text text) {
    ubi__preload_detail detail;
    cursor c = { .at = (const uint8_t *)text.ptr, .end = (const uint8_t *)text.ptr + text.len, .is_sound = true };
    while (c.is_sound && c.at < c.end)
        cursor_get_detail(&c, &detail);
    return c.is_sound;
}

static void read_marker(ubi__stream *s, cursor *c, uint8_t operation) {
    ubi__wire_event event = { .is_marker = true, .about.clock_us = s->clock_us };
    event.stamp = s->stamp + 1 + (operation & UBI__OP_GAP ? cursor_get(c) : 0);
    uint64_t flags = cursor_get(c), time_ns = s->marker_ns + cursor_get_difference(c);
    uint64_t trace = flags & UBI__MARKER_STACK ? s->trace + cursor_get_difference(c) : 0;
    ubi_text name = cursor_get_text(c, UBI__WIRE_MARKER_NAME_BYTES),
             details = cursor_get_text(c, UBI__WIRE_MARKER_DETAILS_BYTES);
    if (!c->is_sound || event.stamp <= s->stamp || flags > UBI__MARKER_FLAGS || trace >= s->traces.n ||
        !are_details(details)) {
        c->is_sound = false;
        return;
    }
    const char *bytes = (const char *)s->first->bytes;
    event.kind = (uint8_t)flags;
    event.about.trace = s->traces.at[trace];
    event.about.thread = s->thread;
    if (flags & UBI__MARKER_STACK)
        s->trace = (uint32_t)trace;
    s->stamp = event.stamp;
    s->marker_ns = time_ns;
    s->marker = (ubi__stream_marker){ .time_ns = time_ns,
                                      .name_at = (size_t)(name.ptr - bytes),
                                      .name_bytes = name.len,
                                      .details_at = (size_t)(details.ptr - bytes),
                                      .details_bytes = details.len };
    *event_ahead(s) = event;
    put_ahead(s, UBI__STREAM_EVENT);
}

ubi__preload_marker ubi__stream_marker_event(const ubi__stream *s) {
    const uint8_t *bytes = s->first->bytes;
    const ubi__wire_event *e = s->event;
    return (ubi__preload_marker){ .flags = e->kind,
                                  .time_ns = s->marker.time_ns,
                                  .trace = e->about.trace,
                                  .thread = e->about.thread,
                                  .clock_us = e->about.clock_us,
                                  .name = { (const char *)bytes + s->marker.name_at, s->marker.name_bytes },
                                  .details = bytes + s->marker.details_at,
                                  .details_bytes = s->marker.details_bytes };
}

/* ---- start, stop, reset ------------------------------------------------------------------------------------------ */

static void read_action(ubi__stream *s, cursor *c, uint8_t operation) {
    ubi__wire_event event = { .is_action = true, .about = { .clock_us = s->clock_us, .thread = s->thread } };
    event.stamp = s->stamp + 1 + (operation & UBI__OP_GAP ? cursor_get(c) : 0);
    uint64_t action = cursor_get(c);
    if (!c->is_sound || event.stamp <= s->stamp || action >= UBI__ACTIONS) {
        c->is_sound = false;
        return;
    }
    event.kind = (uint8_t)action;
    s->stamp = event.stamp;
    *event_ahead(s) = event;
    put_ahead(s, UBI__STREAM_EVENT);
}

/* ---- other records ----------------------------------------------------------------------------------------------- */

static ubi_status read_control(ubi__stream *s, cursor *c, uint8_t operation) {
    uint64_t number;
    switch (operation >> UBI__OP_KIND_SHIFT) {
    case UBI__CONTROL_TIME:
        number = cursor_get(c);
        if (number > UINT64_MAX - s->clock_us)
            c->is_sound = false;
        if (c->is_sound)
            s->clock_us += number;
        return UBI_OK;
    case UBI__CONTROL_THREAD:
        number = cursor_get(c);
        if (number > UINT32_MAX)
            c->is_sound = false;
        return c->is_sound ? set_thread(s, (uint32_t)number) : UBI_OK;
    case UBI__CONTROL_MODULE:
        return read_module(s, c);
    case UBI__CONTROL_REALLOC_UNDONE:
        put_ahead(s, UBI__STREAM_REALLOC_UNDONE);
        return UBI_OK;
    case UBI__CONTROL_REALLOC_FREED:
        put_ahead(s, UBI__STREAM_REALLOC_FREED);
        return UBI_OK;
    case UBI__CONTROL_MARKER:
        read_marker(s, c, operation);
        return UBI_OK;
    case UBI__CONTROL_FUNCTION:
        return read_function(s, c);
    case UBI__CONTROL_RECORDING:
        read_action(s, c, operation);
        return UBI_OK;
    case UBI__CONTROL_CLASS:
        return read_class(s, c);
    default:
        c->is_sound = false;
        return UBI_OK;
    }
}

static ubi_status read_record(ubi__stream *s, cursor *c) {
    uint8_t operation = *c->at++;
    unsigned code = operation & UBI__OP_SHORT_MASK, kind = operation >> UBI__OP_KIND_SHIFT;
    if (ubi__likely(code == UBI__OP_SHORT_ALLOC || code == UBI__OP_SHORT_FREE)) {
        read_short_event(s, c, code == UBI__OP_SHORT_ALLOC);
        return UBI_OK;
    }
    switch (operation & UBI__OP_MASK) {
    case UBI__OP_CONTROL:
        return read_control(s, c, operation);
    case UBI__OP_TRACE:
        return read_trace(s, c, kind);
    default:
        read_event(s, c, operation);
        return UBI_OK;
    }
}

/* Whether more may be decoded: there is one marker at a time, for its texts are in the piece. */
static bool has_room(const ubi__stream *s) {
    size_t n = s->n_ahead;
    return n == 0 ||
           (n < UBI__STREAM_AHEAD && !(s->ahead[n - 1].step == UBI__STREAM_EVENT && s->ahead[n - 1].event.is_marker));
}

/* Reads on in a piece that has bytes left. */
static ubi_status read_piece(ubi__stream *s, ubi__stream_piece *piece) {
    cursor c = { .at = piece->bytes + piece->at, .end = piece->bytes + piece->n, .is_sound = true };
    if (piece->at == 0) {
        s->sequence = piece->sequence;
        UBI_TRY(read_preface(s, &c));
    }
    while (c.is_sound && c.at < c.end && has_room(s)) {
        const uint8_t *start = c.at;
        UBI_TRY(read_record(s, &c));
        if (!c.is_sound)
            c.at = start;
    }
    size_t at = (size_t)(c.at - piece->bytes);
    UBI_ASSERT(at >= piece->at && at <= piece->n && s->common->waiting_bytes >= at - piece->at);
    s->common->waiting_bytes -= at - piece->at;
    piece->at = at;
    if (!c.is_sound)
        ubi__stream_piece_give_up(s, piece);
    return UBI_OK;
}

ubi_status ubi__wire_stream_read(ubi__stream *s, bool is_last) {
    s->at_ahead = s->n_ahead = 0;
    while (s->first && (is_last || s->first->sequence == s->sequence || s->first->sequence == s->sequence + 1)) {
        ubi__stream_piece *piece = s->first;
        if (piece->at < piece->n)
            UBI_TRY(read_piece(s, piece));
        if (s->n_ahead)
            break;
        if (piece->at < piece->n)
            continue;
        if (!piece->is_complete && !is_last)
            break;
        s->sequence = piece->sequence;
        ubi__stream_piece_end(s);
    }
    return UBI_OK;
}
