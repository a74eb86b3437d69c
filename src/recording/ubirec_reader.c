/* SPDX-License-Identifier: MIT
 *
 * ubirec_reader.c: see ubirec_reader.h.
 *
 * Blocks (ubirec_blocks.h) are taken apart one after the other, through cursors (ubirec_cursor.h).
 */
#include "recording/ubirec_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "recording/ubirec_blocks.h"
#include "recording/ubirec_cursor.h"

#define SHORT_BYTES 5u      /* of numbers in events that are read in rows */
#define EVENT_BYTES_MOST 16 /* of these: two numbers, and a length */

struct ubi__ubirec_reader {
    const ubi_allocator *allocator;
    ubi__ubirec_blocks *blocks;
    ubi__ubirec_counts n;
    uint64_t position, block_at; /* in the source: what was read; where the block began */
    uint64_t torn_bytes;
    uint64_t time_ns, block_time_ns;
    uint32_t thread;
    bool has_about, has_end, is_at_end;
    ubi__cursor block;      /* what is left of the block */
    const uint8_t *records; /* of the block */
    ubi__ubirec_record record;
    ubi__ubirec_symbol_row symbols[UBI__UBIREC_SYMBOLS_MAX];
};

/* What is left of the block is in it, and what is now was before what is to come. */
static void reader_check(const ubi__ubirec_reader *r) {
    UBI_ASSERT(r->block.at <= r->block.end &&
               (!r->block.at || (size_t)(r->block.end - r->records) <= UBI__UBIREC_BLOCK_RAW_MAX));
    UBI_ASSERT(r->block_at + r->torn_bytes <= r->position);
    UBI_ASSERT(r->block_time_ns <= r->time_ns);
    UBI_ASSERT(r->thread < r->n.threads || r->thread == 0);
    UBI_ASSERT(!r->block.fault || r->block.at == r->block.end);
}

bool ubi__ubirec_guess(const uint8_t *head, size_t n) {
    return n >= UBI__UBIREC_MAGIC_BYTES && memcmp(head, UBI__UBIREC_MAGIC, UBI__UBIREC_MAGIC_BYTES) == 0;
}

ubi_status ubi__ubirec_reader_new(ubi__ubirec_reader **out, ubi__source *source, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__ubirec_reader *r = UBI_NEW(a, ubi__ubirec_reader);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = a;
    r->position = UBI__UBIREC_HEADER_BYTES;
    ubi_status status = ubi__ubirec_blocks_new(&r->blocks, source, a);
    if (status != UBI_OK) {
        ubi__ubirec_reader_free(r);
        return status;
    }
    *out = r;
    return UBI_OK;
}

void ubi__ubirec_reader_free(ubi__ubirec_reader *r) {
    if (!r)
        return;
    ubi__ubirec_blocks_free(r->blocks);
    UBI_DELETE(r->allocator, r);
}

bool ubi__ubirec_place_get(const ubi__ubirec_reader *r, ubi__ubirec_place *out) {
    *out = (ubi__ubirec_place){ r->n, r->position, r->time_ns, r->thread, 0 };
    return r->block.at == r->block.end && !r->is_at_end && r->has_about && !r->has_end;
}

ubi_status ubi__ubirec_reader_go(ubi__ubirec_reader *r, const ubi__ubirec_place *place) {
    UBI_TRY(ubi__ubirec_blocks_go(r->blocks, place->position));
    r->n = place->n;
    r->position = r->block_at = place->position;
    r->time_ns = place->time_ns;
    r->thread = place->thread;
    r->has_about = place->position > UBI__UBIREC_HEADER_BYTES;
    return UBI_OK;
}

void ubi__ubirec_read_ahead(ubi__ubirec_reader *r, unsigned threads) {
    ubi__ubirec_blocks_read_ahead(r->blocks, threads);
}

/* The next block; or `is_at_end`. */
static ubi_status next_block(ubi__ubirec_reader *r) {
    ubi__ubirec_block block;
    ubi_status status = ubi__ubirec_blocks_next(r->blocks, &block);
    r->block_at = block.at;
    r->position = block.end;
    UBI_TRY(status);
    r->torn_bytes = block.torn_bytes;
    r->is_at_end = block.is_end;
    if (!block.records)
        return UBI_OK;
    r->records = block.records;
    r->block = (ubi__cursor){ block.records, block.records + block.n, UBI__NO_FAULT };
    r->block_time_ns = 0;
    r->n.blocks++;
    return UBI_OK;
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

static ubi_str_ix cursor_get_string(ubi__cursor *c, const ubi__ubirec_counts *n) {
    return ubi__cursor_get_index(c, n->strings, "the number of an earlier string");
}

/* One more of something. */
static void count_one(ubi__cursor *c, uint32_t *n) {
    if (*n >= UBI_NONE - 1)
        ubi__cursor_fail(c, "at most 4294967294 things of one type");
    else
        ++*n;
}

/* The allocation that was made so long ago. */
static uint64_t cursor_get_allocation(ubi__cursor *c, uint64_t ago, const ubi__ubirec_counts *n) {
    if (ago < n->allocations)
        return n->allocations - 1 - ago;
    ubi__cursor_fail(c, "an allocation that was made before");
    return 0;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

static void read_about(ubi__ubirec_reader *r, ubi__cursor *c) {
    ubi__ubirec_about *about = &r->record.about;
    if (r->has_about)
        ubi__cursor_fail(c, "only one record about the whole");
    r->has_about = true;
    about->pid = ubi__cursor_get(c);
    about->parent_pid = ubi__cursor_get(c);
    about->period_bytes = ubi__cursor_get_below(c, UBI__UBIREC_PERIOD_MAX + 1, "a period of at most 2^48 bytes");
    about->start_unix_ns = ubi__cursor_get(c);
    about->recording_start_ns = ubi__cursor_get(c);
    about->page_bytes = ubi__cursor_get(c);
    about->program = ubi__cursor_get_text(c);
    about->arguments = ubi__cursor_get_text(c);
    about->writer = ubi__cursor_get_text(c);
    about->system = ubi__cursor_get_text(c);
    about->recording = c->at < c->end ? ubi__cursor_get(c) : 0;
    if (about->period_bytes == 0)
        ubi__cursor_fail(c, "a period of at least one byte");
}

static void read_string(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.string = ubi__cursor_get_text(c);
    count_one(c, &r->n.strings);
}

static void read_module(ubi__ubirec_reader *r, ubi__cursor *c) {
    ubi__ubirec_module_row *m = &r->record.module;
    m->path = cursor_get_string(c, &r->n);
    m->build_id = cursor_get_string(c, &r->n);
    m->bias = ubi__cursor_get(c);
    m->start = ubi__cursor_get(c);
    m->end = ubi__cursor_get(c);
    count_one(c, &r->n.modules);
}

static void read_frame(ubi__ubirec_reader *r, ubi__cursor *c) {
    ubi__ubirec_frame *f = &r->record.frame;
    memset(f, 0, sizeof *f);
    f->type = r->record.type;
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        f->of = ubi__cursor_get_index(c, r->n.modules, "the number of an earlier module");
    else if (f->type != UBI__UBIREC_RAW_FRAME)
        f->of = cursor_get_string(c, &r->n);
    if (f->type == UBI__UBIREC_NATIVE_FRAME || f->type == UBI__UBIREC_RAW_FRAME)
        f->address = ubi__cursor_get(c);
    if (f->type == UBI__UBIREC_SCRIPT_FRAME) {
        f->script.file = cursor_get_string(c, &r->n);
        f->script.line = ubi__cursor_get_u32(c);
        f->column = ubi__cursor_get_u32(c);
    }
    count_one(c, &r->n.frames);
}

static void read_kind(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.kind.word = cursor_get_string(c, &r->n);
    r->record.kind.class_of_kind =
        (ubi__ubirec_class)ubi__cursor_get_below(c, UBI__UBIREC_CLASS_COUNT, "a class of allocations: 0, 1 or 2");
    count_one(c, &r->n.kinds);
}

static void read_info(ubi__ubirec_reader *r, ubi__cursor *c) {
    ubi__ubirec_info_row *info = &r->record.info;
    info->kind = ubi__cursor_get_index(c, r->n.kinds, "the number of an earlier kind");
    info->size_bytes = ubi__cursor_get_below(c, UBI__UBIREC_SIZE_MAX + 1, "a size of at most 2^56 bytes");
    info->trace = r->n.traces - ubi__cursor_get_index(c, r->n.traces + 1, "an earlier trace");
    info->weight_bytes = info->size_bytes;
    if (c->at < c->end)
        info->weight_bytes = ubi__cursor_get_below(c, UBI__UBIREC_SIZE_MAX + 1, "a weight of at most 2^56 bytes");
    count_one(c, &r->n.infos);
}

static void read_thread(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.thread.tid = ubi__cursor_get(c);
    r->record.thread.name = cursor_get_string(c, &r->n);
    count_one(c, &r->n.threads);
}

static void read_thread_name(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.thread_name.thread = ubi__cursor_get_index(c, r->n.threads, "the number of an earlier thread");
    r->record.thread_name.name = cursor_get_string(c, &r->n);
}

static void read_time(ubi__ubirec_reader *r, ubi__cursor *c) {
    uint64_t delta = ubi__cursor_get(c), now;
    if (__builtin_add_overflow(r->block_time_ns, delta, &now) || now < r->time_ns)
        ubi__cursor_fail(c, "a time that is not before the last one");
    else
        r->time_ns = r->block_time_ns = now;
    r->record.time_ns = r->time_ns;
}

static void read_switch(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->thread = ubi__cursor_get_index(c, r->n.threads, "the number of an earlier thread");
    r->record.thread_now = r->thread;
}

static void check_not_over(const ubi__ubirec_reader *r, ubi__cursor *c) {
    if (r->has_end)
        ubi__cursor_fail(c, "nothing to happen behind the end");
}

/* An event, which some thread caused. */
static void check_event(const ubi__ubirec_reader *r, ubi__cursor *c) {
    check_not_over(r, c);
    if (r->thread >= r->n.threads)
        ubi__cursor_fail(c, "a thread before anything is allocated");
}

static void read_free_undone(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.event.number = cursor_get_allocation(c, ubi__cursor_get(c), &r->n);
    r->record.event.info = ubi__cursor_get_index(c, r->n.infos, "the number of an earlier info");
    check_event(r, c);
}

static void read_left(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.event.number = cursor_get_allocation(c, ubi__cursor_get(c), &r->n);
    check_event(r, c);
}

static void read_bytes_record(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.bytes = ubi__cursor_get(c);
}

static void read_period(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.bytes = ubi__cursor_get_below(c, UBI__UBIREC_PERIOD_MAX + 1, "a period of at most 2^48 bytes");
    if (r->record.bytes == 0)
        ubi__cursor_fail(c, "a period of at least one byte");
}

static void read_started(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.started.name = cursor_get_string(c, &r->n);
    r->record.started.count = ubi__cursor_get(c);
    r->record.started.why = c->at < c->end ? (ubi__unrecorded)ubi__cursor_get_u32(c) : UBI__UNRECORDED_CHOICE;
}

static void read_companion(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.companion.suffix = cursor_get_string(c, &r->n);
    r->record.companion.name = cursor_get_string(c, &r->n);
}

static void read_use(ubi__ubirec_reader *r, ubi__cursor *c) {
    ubi__ubirec_use_row *use = &r->record.use;
    *use = (ubi__ubirec_use_row){ .table = ubi__cursor_get_u32(c) };
    use->is_divided = ubi__cursor_get_below(c, 2, "0 or 1") != 0;
    use->time_ns = ubi__cursor_get(c);
    use->kind = ubi__cursor_get_u32(c);
    uint32_t name = ubi__cursor_get_index(c, r->n.strings + 1, "0, or the number of an earlier string plus 1");
    use->name = name ? name - 1 : UBI_NONE;
    uint64_t *const sizes[] = { &use->resident_bytes, &use->share_bytes, &use->swapped_bytes };
    for (size_t i = 0; i < 3; i++)
        *sizes[i] = ubi__cursor_get_below(c, UBI__UBIREC_SIZE_MAX + 1, "a size of at most 2^56 bytes");
}

static void read_counted(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.counted.counter = ubi__cursor_get(c);
    r->record.counted.value = ubi__cursor_get(c);
}

static void read_marker(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.marker.name = cursor_get_string(c, &r->n);
    r->record.marker.time_ns = ubi__cursor_get(c);
    r->record.marker.type =
        (ubi__ubirec_marker_type)ubi__cursor_get_below(c, UBI__UBIREC_MARKER_TYPE_COUNT, "a type of marker: 0 to 3");
    r->record.marker.process_type = ubi__cursor_get_u32(c);
    r->record.marker.is_off_main_thread = ubi__cursor_get_below(c, 2, "0 or 1") != 0;
    r->record.marker.thread = ubi__cursor_get_index(c, r->n.threads, "the number of an earlier thread");
    r->record.marker.trace = ubi__cursor_get_index(c, r->n.traces + 1, "the number of an earlier trace");
    r->record.marker.details = cursor_get_string(c, &r->n);
}

static void read_action(ubi__ubirec_reader *r, ubi__cursor *c) {
    check_not_over(r, c);
    r->record.action.what = ubi__cursor_get(c);
    r->record.action.time_ns = ubi__cursor_get(c);
}

static void read_symbols(ubi__ubirec_reader *r, ubi__cursor *c) {
    r->record.symbols.frame = ubi__cursor_get_index(c, r->n.frames, "the number of an earlier frame");
    r->record.symbols.n = ubi__cursor_get_index(c, UBI__UBIREC_SYMBOLS_MAX + 1, "at most 256 symbols of a frame");
    r->record.symbols.at = r->symbols;
    for (uint32_t i = 0; i < r->record.symbols.n; i++) {
        r->symbols[i].function = cursor_get_string(c, &r->n);
        r->symbols[i].file = cursor_get_string(c, &r->n);
        r->symbols[i].line = ubi__cursor_get_u32(c);
        r->symbols[i].column = ubi__cursor_get_u32(c);
    }
}

static void read_end(ubi__ubirec_reader *r, ubi__cursor *c) {
    check_not_over(r, c); /* of a program that allocated nothing, no thread is known */
    r->record.end.reason =
        (ubi__ubirec_end_reason)ubi__cursor_get_below(c, UBI__UBIREC_END_REASON_COUNT, "a reason of the end: 0 to 4");
    r->record.end.value = ubi__cursor_get_u32(c);
    r->has_end = true;
}

typedef void (*read_fn)(ubi__ubirec_reader *r, ubi__cursor *payload);

static const read_fn readers[UBI__UBIREC_TYPE_COUNT] = {
    [UBI__UBIREC_ABOUT] = read_about,
    [UBI__UBIREC_STRING] = read_string,
    [UBI__UBIREC_MODULE] = read_module,
    [UBI__UBIREC_NATIVE_FRAME] = read_frame,
    [UBI__UBIREC_RAW_FRAME] = read_frame,
    [UBI__UBIREC_SCRIPT_FRAME] = read_frame,
    [UBI__UBIREC_LABEL_FRAME] = read_frame,
    [UBI__UBIREC_KIND] = read_kind,
    [UBI__UBIREC_INFO] = read_info,
    [UBI__UBIREC_THREAD] = read_thread,
    [UBI__UBIREC_THREAD_NAME] = read_thread_name,
    [UBI__UBIREC_TIME] = read_time,
    [UBI__UBIREC_SWITCH] = read_switch,
    [UBI__UBIREC_FREE_UNDONE] = read_free_undone,
    [UBI__UBIREC_LEFT] = read_left,
    [UBI__UBIREC_RSS] = read_bytes_record,
    [UBI__UBIREC_COUNTED] = read_counted,
    [UBI__UBIREC_PERIOD] = read_period,
    [UBI__UBIREC_MARKER] = read_marker,
    [UBI__UBIREC_SYMBOLS] = read_symbols,
    [UBI__UBIREC_END] = read_end,
    [UBI__UBIREC_STARTED] = read_started,
    [UBI__UBIREC_COMPANION] = read_companion,
    [UBI__UBIREC_USE] = read_use,
    [UBI__UBIREC_ACTION] = read_action,
};

/* False: an unknown type, whose record was skipped. */
static bool read_other(ubi__ubirec_reader *r, ubi__cursor *c, uint64_t type) {
    uint64_t n = ubi__cursor_get(c);
    if (n > UBI__UBIREC_PAYLOAD_MAX || n > (size_t)(c->end - c->at)) {
        ubi__cursor_fail(c, "a record within its block");
        return true;
    }
    UBI_ASSERT(c->at + n <= c->end);
    ubi__cursor payload = { c->at, c->at + n, UBI__NO_FAULT };
    c->at += n;
    if (type >= UBI__UBIREC_TYPE_COUNT || !readers[type])
        return false;
    r->record.type = (ubi__ubirec_type)type;
    readers[type](r, &payload);
    if (payload.fault)
        ubi__cursor_fail(c, payload.fault);
    return true;
}

static void read_trace(ubi__ubirec_reader *r, ubi__cursor *c, uint64_t ago) {
    uint64_t number = (uint64_t)r->n.traces + 1;
    if (ago == 0 || ago > number)
        ubi__cursor_fail(c, "an earlier trace as the caller of one");
    r->record.type = UBI__UBIREC_TRACE;
    r->record.trace.caller = (uint32_t)(number - ago);
    r->record.trace.frame = ubi__cursor_get_index(c, r->n.frames, "the number of an earlier frame");
    count_one(c, &r->n.traces);
}

static void read_alloc(ubi__ubirec_reader *r, ubi__cursor *c, uint64_t info) {
    if (info >= r->n.infos)
        ubi__cursor_fail(c, "the number of an earlier info");
    check_event(r, c);
    r->record.type = UBI__UBIREC_ALLOC;
    r->record.event.info = (uint32_t)info;
    r->record.event.number = r->n.allocations++;
}

static void read_free(ubi__ubirec_reader *r, ubi__cursor *c, uint64_t ago) {
    check_event(r, c);
    r->record.type = UBI__UBIREC_FREE;
    r->record.event.number = cursor_get_allocation(c, ago, &r->n);
}

/* False: passed over. */
static bool read_record(ubi__ubirec_reader *r, ubi__cursor *c) {
    uint64_t head = ubi__cursor_get(c), argument = head >> UBI__UBIREC_OP_BITS;
    switch (head & ((1u << UBI__UBIREC_OP_BITS) - 1)) {
    case UBI__UBIREC_OP_ALLOC:
        read_alloc(r, c, argument);
        return true;
    case UBI__UBIREC_OP_FREE:
        read_free(r, c, argument);
        return true;
    case UBI__UBIREC_OP_TRACE:
        read_trace(r, c, argument);
        return true;
    default:
        return read_other(r, c, argument);
    }
}

ubi_status ubi__ubirec_next(ubi__ubirec_reader *r, const ubi__ubirec_record **out) {
    for (bool found = false; !found;) {
        while (r->block.at == r->block.end && !r->is_at_end)
            UBI_TRY(next_block(r));
        if (r->is_at_end) {
            *out = NULL;
            return UBI_OK;
        }
        size_t offset = (size_t)(r->block.at - r->records);
        found = read_record(r, &r->block);
        if (!r->block.fault && found && !r->has_about)
            ubi__cursor_fail(&r->block, "a record about the whole to be the first");
        if (ubi__unlikely(r->block.fault != NULL))
            return ubi__fail(UBI_EFORMAT, "block at byte %" PRIu64 ": record at its byte %zu: expected %s", r->block_at,
                             offset, r->block.fault);
    }
    reader_check(r);
    *out = &r->record;
    return UBI_OK;
}

/* ---- events in a row ---------------------------------------------------------------------------------------------- */

/* A number of at most 5 bytes, which can be read in full; false: it is longer. */
static inline bool get_short(const uint8_t **at, uint64_t *value) {
    const uint8_t *p = *at;
    uint64_t sum = p[0] & 127;
    unsigned n = 1;
    while (p[n - 1] >= 128) {
        if (n == SHORT_BYTES)
            return false;
        sum |= (uint64_t)(p[n] & 127) << 7 * n;
        n++;
    }
    *at = p + n;
    *value = sum;
    return true;
}

/* The number that is the whole payload. */
static inline bool get_payload(const uint8_t **at, uint64_t *value) {
    size_t n = *(*at)++;
    const uint8_t *begin = *at;
    return n <= SHORT_BYTES && get_short(at, value) && (size_t)(*at - begin) == n;
}

static inline bool take_time(ubi__ubirec_reader *r, const uint8_t **at, uint64_t *value) {
    uint64_t delta, now;
    if (!get_payload(at, &delta) || __builtin_add_overflow(r->block_time_ns, delta, &now) || now < r->time_ns)
        return false;
    *value = r->time_ns = r->block_time_ns = now;
    return true;
}

static inline bool take_switch(ubi__ubirec_reader *r, const uint8_t **at, uint64_t *value) {
    if (!get_payload(at, value) || *value >= r->n.threads)
        return false;
    r->thread = (uint32_t)*value;
    return true;
}

/* One event; false: it is something else, or more than is looked at here, and `at` is anywhere. */
static inline bool take_event(ubi__ubirec_reader *r, const uint8_t **at, uint8_t *type, uint64_t *value) {
    uint64_t head;
    if (!get_short(at, &head))
        return false;
    uint64_t argument = head >> UBI__UBIREC_OP_BITS;
    switch (head & ((1u << UBI__UBIREC_OP_BITS) - 1)) {
    case UBI__UBIREC_OP_ALLOC:
        *type = UBI__UBIREC_ALLOC;
        *value = argument;
        if (argument >= r->n.infos || r->thread >= r->n.threads)
            return false;
        r->n.allocations++;
        return true;
    case UBI__UBIREC_OP_FREE:
        *type = UBI__UBIREC_FREE;
        *value = r->n.allocations - 1 - argument;
        return argument < r->n.allocations && r->thread < r->n.threads;
    case UBI__UBIREC_OP_OTHER:
        *type = (uint8_t)argument;
        return argument == UBI__UBIREC_TIME ? take_time(r, at, value)
                                            : argument == UBI__UBIREC_SWITCH && take_switch(r, at, value);
    default:
        return false;
    }
}

void ubi__ubirec_next_events(ubi__ubirec_reader *r, ubi__ubirec_events *out) {
    const uint8_t *at = r->block.at;
    out->n = 0;
    out->first_number = r->n.allocations;
    while (r->has_about && !r->has_end && out->n < UBI__UBIREC_EVENTS && r->block.end - at >= EVENT_BYTES_MOST &&
           take_event(r, &at, &out->types[out->n], &out->values[out->n])) {
        out->n++;
        r->block.at = at;
    }
    reader_check(r);
}

/* Nothing follows half a block. */
void ubi__ubirec_reader_resume(ubi__ubirec_reader *r) {
    if (r->torn_bytes == 0)
        r->is_at_end = false;
}

/* ---- about it ----------------------------------------------------------------------------------------------------- */

uint64_t ubi__ubirec_allocations_read(const ubi__ubirec_reader *r) {
    return r->n.allocations;
}

uint64_t ubi__ubirec_time_ns(const ubi__ubirec_reader *r) {
    return r->time_ns;
}

uint32_t ubi__ubirec_thread_now(const ubi__ubirec_reader *r) {
    return r->thread;
}

uint64_t ubi__ubirec_bytes_in(const ubi__ubirec_reader *r) {
    return r->position;
}

uint32_t ubi__ubirec_block_count(const ubi__ubirec_reader *r) {
    return r->n.blocks;
}

uint64_t ubi__ubirec_torn_bytes(const ubi__ubirec_reader *r) {
    return r->torn_bytes;
}
