/* SPDX-License-Identifier: MIT
 *
 * preload_stream.c: see preload_stream.h.
 */
#include "recording/preload_stream.h"

#include <string.h>

#define FIRST_PIECE_BYTES 4096
/* A trace record takes at least so many bytes, so lost bytes can have held so many. */
#define TRACE_RECORD_BYTES 3

struct ubi__stream_piece {
    ubi__stream_piece *next;
    uint64_t sequence;
    uint8_t *bytes; /* bytes[n], room for `capacity` */
    size_t n, capacity;
    size_t at; /* decoded */
    bool is_complete, is_broken;
};

void ubi__stream_init(ubi__stream *s, ubi__stream_common *common) {
    *s = (ubi__stream){ .common = common };
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void free_piece(ubi__stream *s, ubi__stream_piece *piece) {
    const ubi_allocator *a = s->common->allocator;
    s->common->waiting_bytes -= piece->n - piece->at;
    ubi__free_array(a, piece->bytes, piece->capacity, 1);
    UBI_DELETE(a, piece);
}

void ubi__stream_fini(ubi__stream *s) {
    while (s->first) {
        ubi__stream_piece *next = s->first->next;
        free_piece(s, s->first);
        s->first = next;
    }
    ubi__vec_u32_fini(&s->traces, s->common->allocator);
    ubi__stream_modules_fini(&s->modules, s->common->allocator);
}

ubi_status ubi__stream_piece_of(ubi__stream *s, ubi__stream_piece **out, uint64_t sequence) {
    ubi__stream_piece **at = &s->first;
    while (*at && (*at)->sequence < sequence)
        at = &(*at)->next;
    if (*at && (*at)->sequence == sequence) {
        *out = *at;
        return UBI_OK;
    }
    if (sequence <= s->sequence) {
        *out = NULL;
        return UBI_OK;
    }
    ubi__stream_piece *piece = UBI_NEW(s->common->allocator, ubi__stream_piece);
    if (!piece)
        return ubi__fail_nomem();
    piece->sequence = sequence;
    piece->next = *at;
    *out = *at = piece;
    return UBI_OK;
}

ubi_status ubi__stream_piece_append(ubi__stream *s, ubi__stream_piece *piece, const uint8_t *bytes, size_t n) {
    if (piece->is_broken) {
        s->lost_bytes += n;
        s->common->lost_bytes += n;
        return UBI_OK;
    }
    if (piece->capacity - piece->n < n) {
        size_t capacity = piece->capacity ? piece->capacity : FIRST_PIECE_BYTES;
        while (capacity - piece->n < n)
            capacity *= 2;
        const ubi_allocator *a = s->common->allocator;
        uint8_t *larger = a->resize(a->ctx, piece->bytes, piece->capacity, capacity);
        if (!larger)
            return ubi__fail_nomem();
        piece->bytes = larger;
        piece->capacity = capacity;
    }
    memcpy(piece->bytes + piece->n, bytes, n);
    piece->n += n;
    s->common->waiting_bytes += n;
    return UBI_OK;
}

void ubi__stream_piece_complete(ubi__stream_piece *piece) {
    piece->is_complete = true;
}

/* The rest of the piece means nothing. */
static void give_up(ubi__stream *s, ubi__stream_piece *piece) {
    uint64_t rest = piece->n - piece->at;
    piece->is_broken = true;
    piece->at = piece->n;
    s->lost_bytes += rest;
    s->common->lost_bytes += rest;
    s->common->waiting_bytes -= rest;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Where a record is read. A record that breaks the rules leaves `is_sound` false. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool is_sound;
} cursor;

static uint64_t get(cursor *c) {
    uint64_t number = 0;
    if (!ubi__wire_get(&c->at, c->end, &number))
        c->is_sound = false;
    return number;
}

static uint64_t get_difference(cursor *c) {
    return ubi__wire_unzigzag(get(c));
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
        s->traces.n = s->modules.n = 0;
        UBI_TRY(ubi__vec_u32_push(&s->traces, s->common->allocator, 0));
    }
    UBI_TRY(skip_lost_traces(s, c, preface.next_trace));
    s->stamp = preface.stamp;
    s->clock_us = preface.clock_us;
    s->address = s->pc = 0;
    s->trace = 0;
    return set_thread(s, preface.tid);
}

static ubi_status read_module(ubi__stream *s, cursor *c) {
    ubi__preload_module module = { .low = get(c) };
    uint64_t span = get(c);
    module.bias = get(c);
    uint64_t path_bytes = get(c), id_bytes = get(c);
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

static ubi_status read_trace(ubi__stream *s, cursor *c, unsigned kind) {
    uint64_t back = get(c), pc = s->pc + get_difference(c);
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

static ubi_status read_event(ubi__stream *s, cursor *c, uint8_t operation) {
    bool is_alloc = (operation & UBI__OP_MASK) == UBI__OP_ALLOC;
    unsigned kind = operation >> UBI__OP_KIND_SHIFT;
    ubi__wire_event event = { .is_alloc = is_alloc, .kind = (uint8_t)kind, .clock_us = s->clock_us, .met = 1 };
    uint64_t trace = s->trace;
    event.stamp = s->stamp + 1 + (operation & UBI__OP_GAP ? get(c) : 0);
    uint64_t difference = get_difference(c);
    event.address = s->address + (operation & UBI__OP_BY_16 ? difference << 4 : difference);
    if (is_alloc) {
        event.size_bytes = get(c);
        trace += get_difference(c);
        if (!s->common->is_exact)
            event.met = get(c);
    } else if (kind >= UBI__FREE_SIZED) {
        event.size_bytes = get(c);
    }
    if (!c->is_sound || event.stamp <= s->stamp || trace >= s->traces.n ||
        kind >= (unsigned)(is_alloc ? UBI__ALLOC_KINDS : UBI__FREE_KINDS)) {
        c->is_sound = false;
        return UBI_OK;
    }
    s->stamp = event.stamp;
    s->address = event.address;
    s->trace = (uint32_t)trace;
    event.trace = s->traces.at[trace];
    event.thread = s->thread;
    s->event = event;
    s->has_event = true;
    return UBI_OK;
}

/* @param step  out: what the record means outside; UBI__STREAM_EMPTY: nothing */
static ubi_status read_control(ubi__stream *s, cursor *c, unsigned code, ubi__stream_step *step) {
    uint64_t number;
    switch (code) {
    case UBI__CONTROL_TIME:
        number = get(c);
        if (number > UINT64_MAX - s->clock_us)
            c->is_sound = false;
        if (c->is_sound)
            s->clock_us += number;
        return UBI_OK;
    case UBI__CONTROL_THREAD:
        number = get(c);
        if (number > UINT32_MAX)
            c->is_sound = false;
        return c->is_sound ? set_thread(s, (uint32_t)number) : UBI_OK;
    case UBI__CONTROL_MODULE:
        return read_module(s, c);
    case UBI__CONTROL_REALLOC_UNDONE:
        *step = UBI__STREAM_REALLOC_UNDONE;
        return UBI_OK;
    case UBI__CONTROL_REALLOC_FREED:
        *step = UBI__STREAM_REALLOC_FREED;
        return UBI_OK;
    default:
        c->is_sound = false;
        return UBI_OK;
    }
}

static ubi_status read_record(ubi__stream *s, cursor *c, ubi__stream_step *step) {
    uint8_t operation = *c->at++;
    unsigned kind = operation >> UBI__OP_KIND_SHIFT;
    switch (operation & UBI__OP_MASK) {
    case UBI__OP_CONTROL:
        return read_control(s, c, kind, step);
    case UBI__OP_TRACE:
        return read_trace(s, c, kind);
    default:
        UBI_TRY(read_event(s, c, operation));
        if (s->has_event)
            *step = UBI__STREAM_EVENT;
        return UBI_OK;
    }
}

/* Reads on in a piece that has bytes left. */
static ubi_status read_piece(ubi__stream *s, ubi__stream_piece *piece, ubi__stream_step *step) {
    cursor c = { .at = piece->bytes + piece->at, .end = piece->bytes + piece->n, .is_sound = true };
    if (piece->at == 0) {
        s->sequence = piece->sequence;
        UBI_TRY(read_preface(s, &c));
    }
    while (c.is_sound && c.at < c.end && *step == UBI__STREAM_EMPTY) {
        const uint8_t *start = c.at;
        UBI_TRY(read_record(s, &c, step));
        if (!c.is_sound)
            c.at = start;
    }
    size_t at = (size_t)(c.at - piece->bytes);
    s->common->waiting_bytes -= at - piece->at;
    piece->at = at;
    if (!c.is_sound) {
        *step = UBI__STREAM_EMPTY;
        give_up(s, piece);
    }
    return UBI_OK;
}

ubi_status ubi__wire_stream_next(ubi__stream *s, ubi__stream_step *out, bool is_last) {
    ubi__stream_step step = UBI__STREAM_EMPTY;
    s->has_event = false;
    while (s->first && (is_last || s->first->sequence == s->sequence || s->first->sequence == s->sequence + 1)) {
        ubi__stream_piece *piece = s->first;
        if (piece->at < piece->n)
            UBI_TRY(read_piece(s, piece, &step));
        if (step != UBI__STREAM_EMPTY)
            break;
        if (piece->at < piece->n)
            continue;
        if (!piece->is_complete && !is_last)
            break;
        s->sequence = piece->sequence;
        s->first = piece->next;
        free_piece(s, piece);
    }
    *out = step;
    return UBI_OK;
}
