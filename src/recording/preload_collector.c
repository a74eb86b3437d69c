/* SPDX-License-Identifier: MIT
 *
 * preload_collector.c: see preload_collector.h.
 *
 * Three steps at each poll: bytes that are new in the chunks are copied to the streams of their contexts; streams are
 * decoded up to their next event; the events are reported in the order of their stamps, by a heap of streams. Stamps have
 * no gaps, so a missing one is an event that a thread is about to write: later events wait for it, but not for ever.
 */
#include "recording/preload_collector.h"

#include "base/assert.h"
#include "recording/preload_collector_inside.h"

/* How long we wait for a missing event: in time of our clock, and in bytes of later events. */
#define GAP_US 5000000
#define GAP_BYTES ((uint64_t)64 << 20)
/* A gap of more stamps than these is not lost events: the program wrote over them. Beyond lost bytes, when a
   program ends each thread may be in the middle of an event. */
#define GAP_EVENTS ((uint64_t)1 << 32)
#define LAST_EVENTS ((uint64_t)1 << 16)

/* Reported, and not freed: what lives, and what was given to a realloc that is not decided. Mappings may have several pieces. */
static void check_counters(const ubi__preload_collector *c) {
    uint64_t n_resized = 0;
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++) {
        n_resized += c->contexts[i] && c->contexts[i]->resized.address;
        UBI_ASSERT(!c->contexts[i] || i < c->n_contexts);
    }
    UBI_ASSERT(c->counters.allocations == c->next_number);
    UBI_ASSERT(c->counters.allocations - c->counters.frees == c->blocks.n + c->n_mappings + n_resized);
    UBI_ASSERT(c->n_mappings <= c->mappings.n);
}

/* The heap is one: no stamp is less than that above it. */
static void check_heap(const ubi__preload_collector *c) {
    UBI_ASSERT(c->n_heap <= UBI__WIRE_CONTEXTS);
    for (size_t i = 0; i < c->n_heap; i++) {
        UBI_ASSERT(c->heap[i]->stream.event);
        UBI_ASSERT(c->heap[(i - (i > 0)) / 2]->stream.event->stamp <= c->heap[i]->stream.event->stamp);
    }
}

/* After what was reported without failure. */
static void collector_check(const ubi__preload_collector *c) {
    if (!UBI_CHECKS)
        return;
    check_counters(c);
    check_heap(c);
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++)
        if (c->contexts[i])
            ubi__stream_check(&c->contexts[i]->stream);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__preload_collector_new(ubi__preload_collector **out, ubi__preload_area *area,
                                      const ubi__preload_sink *sink, const ubi_allocator *allocator) {
    ubi__preload_area_check(area);
    allocator = ubi__allocator_or_default(allocator);
    ubi__preload_collector *c = UBI_NEW(allocator, ubi__preload_collector);
    if (!c)
        return ubi__fail_nomem();
    c->allocator = allocator;
    c->area = area;
    c->sink = *sink;
    c->end_stamp = UINT64_MAX;
    c->common = (ubi__stream_common){
        .allocator = allocator, .sink = &c->sink, .blocks = &c->blocks, .is_exact = area->settings.period_bytes == 1
    };
    ubi__u64_map_init(&c->common.threads, allocator);
    ubi__block_table_init(&c->blocks, allocator);
    *out = c;
    return UBI_OK;
}

void ubi__preload_collector_free(ubi__preload_collector *c) {
    if (!c)
        return;
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++)
        if (c->contexts[i]) {
            ubi__stream_fini(&c->contexts[i]->stream);
            UBI_DELETE(c->allocator, c->contexts[i]);
        }
    ubi__u64_map_fini(&c->common.threads);
    ubi__block_table_fini(&c->blocks);
    ubi__mapping_list_fini(&c->mappings, c->allocator);
    UBI_DELETE(c->allocator, c);
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

typedef enum family { FAMILY_MALLOC, FAMILY_NEW, FAMILY_NEW_ARRAY } family;

static family family_of_alloc(unsigned kind) {
    return kind == UBI__ALLOC_NEW ? FAMILY_NEW : kind == UBI__ALLOC_NEW_ARRAY ? FAMILY_NEW_ARRAY : FAMILY_MALLOC;
}

static family family_of_free(unsigned kind) {
    switch (kind) {
    case UBI__FREE_DELETE:
    case UBI__FREE_DELETE_SIZED:
        return FAMILY_NEW;
    case UBI__FREE_DELETE_ARRAY:
    case UBI__FREE_DELETE_ARRAY_SIZED:
        return FAMILY_NEW_ARRAY;
    default:
        return FAMILY_MALLOC;
    }
}

/* A block whose end was not seen, or that realloc took. */
static ubi_status report_end_of(ubi__preload_collector *c, ubi__block block, ubi__free_kind kind, uint32_t thread,
                                uint64_t clock_us) {
    bool is_mismatched = kind == UBI__FREE_REALLOC && family_of_alloc(block.kind) != FAMILY_MALLOC;
    ubi__preload_free event = {
        .number = block.number, .kind = kind, .thread = thread, .clock_us = clock_us, .is_mismatched = is_mismatched
    };
    return ubi__collector_report_free(c, &event);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* What was given to realloc is gone: its successor is there, or there is none. */
static ubi_status settle_resize(ubi__preload_collector *c, ubi__collector_context *x) {
    ubi__block block = x->resized;
    if (!block.address)
        return UBI_OK;
    x->resized = (ubi__block){ 0 };
    return report_end_of(c, block, UBI__FREE_REALLOC, x->resize_thread, x->resize_clock_us);
}

/* Realloc failed: the block is where it was. If another block is there, it did not fail. */
static ubi_status undo_resize(ubi__preload_collector *c, ubi__collector_context *x) {
    ubi__block block = x->resized;
    if (!block.address || ubi__block_table_find(&c->blocks, block.address))
        return settle_resize(c, x);
    UBI_TRY(ubi__block_table_reserve(&c->blocks));
    x->resized = (ubi__block){ 0 };
    (void)ubi__block_table_put(&c->blocks, block);
    return UBI_OK;
}

static uint64_t low_bits(uint64_t number, unsigned bits) {
    return number & (((uint64_t)1 << bits) - 1);
}

/* A block's kind, above those of allocations: a script's of a class. */
#define BLOCK_CLASSES ((unsigned)UBI__ALLOC_KINDS)
_Static_assert(BLOCK_CLASSES + UBI__WIRE_CLASSES <= 1u << UBI__BLOCK_KIND_BITS, "a kind for each class");

static ubi__block block_of(const ubi__wire_event *e, uint64_t number) {
    return (ubi__block){ .address = low_bits(e->about.address, UBI__BLOCK_ADDRESS_BITS),
                         .kind = e->about.script_class ? BLOCK_CLASSES + e->about.script_class : e->kind,
                         .number = low_bits(number, UBI__BLOCK_NUMBER_BITS),
                         .size = low_bits(e->about.size_bytes, UBI__BLOCK_SIZE_BITS) };
}

/* What has grown stays what it is; the engine knows that less often than what it makes. */
static void keep_class(const ubi__collector_context *x, ubi__wire_event *e) {
    if (e->kind == UBI__ALLOC_SCRIPT_REALLOC && x->resized.address && x->resized.kind > BLOCK_CLASSES)
        e->about.script_class = (uint32_t)x->resized.kind - BLOCK_CLASSES;
}

static ubi_status take_alloc(ubi__preload_collector *c, ubi__collector_context *x, ubi__wire_event *e) {
    if (ubi__alloc_is_resized(e->kind)) {
        keep_class(x, e);
        UBI_TRY(settle_resize(c, x));
    }
    if (e->about.address == 0 || e->about.address >> UBI__BLOCK_ADDRESS_BITS) {
        c->counters.lost_events++;
        return UBI_OK;
    }
    UBI_TRY(ubi__block_table_reserve(&c->blocks));
    uint64_t number = c->next_number++;
    ubi__block before = ubi__block_table_put(&c->blocks, block_of(e, number));
    if (before.address) {
        c->counters.reused_addresses++;
        UBI_TRY(report_end_of(c, before, UBI__FREE_FREE, e->about.thread, e->about.clock_us));
    }
    e->about.number = number;
    e->about.kind = (ubi__alloc_kind)e->kind;
    return ubi__collector_report_alloc(c, &e->about);
}

static ubi_status take_free(ubi__preload_collector *c, ubi__collector_context *x, const ubi__wire_event *e) {
    ubi__block *found = ubi__block_table_find(&c->blocks, e->about.address);
    if (!found) {
        c->counters.unknown_frees++;
        return UBI_OK;
    }
    ubi__block block = *found;
    ubi__block_table_remove(&c->blocks, found);
    if (e->kind == UBI__FREE_REALLOC) {
        UBI_TRY(settle_resize(c, x));
        x->resized = block;
        x->resize_thread = e->about.thread;
        x->resize_clock_us = e->about.clock_us;
        return UBI_OK;
    }
    ubi__preload_free event = {
        .number = block.number,
        .kind = (ubi__free_kind)e->kind,
        .thread = e->about.thread,
        .clock_us = e->about.clock_us,
        .is_mismatched = family_of_free(e->kind) != family_of_alloc(block.kind),
        .is_size_wrong =
            e->kind >= UBI__FREE_SIZED && low_bits(e->about.size_bytes, UBI__BLOCK_SIZE_BITS) != block.size,
    };
    return ubi__collector_report_free(c, &event);
}

static ubi_status take_marker(ubi__preload_collector *c, const ubi__collector_context *x) {
    ubi__preload_marker event = ubi__stream_marker_event(&x->stream);
    c->counters.markers++;
    return c->sink.marker ? c->sink.marker(c->sink.payload, &event) : UBI_OK;
}

static ubi_status take_action(ubi__preload_collector *c, const ubi__wire_event *e) {
    const ubi__preload_action event = { (ubi__wire_action)e->kind, e->about.clock_us };
    return c->sink.action ? c->sink.action(c->sink.payload, &event) : UBI_OK;
}

static ubi_status take_event(ubi__preload_collector *c, ubi__collector_context *x) {
    ubi__wire_event *e = x->stream.event;
    if (e->stamp > c->end_stamp)
        return UBI_OK;
    if (e->is_action)
        return take_action(c, e);
    if (e->is_marker)
        return take_marker(c, x);
    if (e->is_alloc)
        return e->kind < UBI__ALLOC_MMAP ? take_alloc(c, x, e) : ubi__collector_take_map(c, x, e);
    return e->kind < UBI__FREE_MUNMAP ? take_free(c, x, e) : ubi__collector_take_unmap(c, x, e);
}

/* ---- from streams to events -------------------------------------------------------------------------------------- */

static uint64_t stamp_of(const ubi__collector_context *x) {
    return x->stream.event->stamp;
}

static void heap_push(ubi__preload_collector *c, ubi__collector_context *x) {
    UBI_ASSERT(c->n_heap < UBI__WIRE_CONTEXTS && x->stream.event);
    size_t i = c->n_heap++;
    for (; i > 0 && stamp_of(c->heap[(i - 1) / 2]) > stamp_of(x); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = x;
}

static ubi__collector_context *heap_pop(ubi__preload_collector *c) {
    ubi__collector_context *top = c->heap[0], *last = c->heap[--c->n_heap];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < c->n_heap; i = child) {
        if (child + 1 < c->n_heap && stamp_of(c->heap[child + 1]) < stamp_of(c->heap[child]))
            child++;
        if (stamp_of(c->heap[child]) >= stamp_of(last))
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = last;
    return top;
}

/* To the next event of a context; decisions about reallocs on the way are carried out. */
static ubi_status context_advance(ubi__preload_collector *c, ubi__collector_context *x, bool is_last) {
    ubi__stream_step step;
    for (;;) {
        UBI_TRY(ubi__wire_stream_next(&x->stream, &step, is_last));
        if (step == UBI__STREAM_REALLOC_UNDONE)
            UBI_TRY(undo_resize(c, x));
        else if (step == UBI__STREAM_REALLOC_FREED)
            UBI_TRY(settle_resize(c, x));
        else
            return UBI_OK;
    }
}

/* Contexts whose last event was reported, and to which more came. */
static ubi_status refill_heap(ubi__preload_collector *c, bool is_last) {
    for (size_t i = 0; i < c->n_contexts; i++) {
        ubi__collector_context *x = c->contexts[i];
        if (!x || x->stream.event || !x->stream.first)
            continue;
        UBI_TRY(context_advance(c, x, is_last));
        if (x->stream.event)
            heap_push(c, x);
    }
    return UBI_OK;
}

/* Whether the event that is missing is not worth waiting for any more. */
static bool gives_up_gap(ubi__preload_collector *c) {
    uint64_t now = c->area->clock_us + 1;
    if (!c->gap_since_us) {
        c->gap_since_us = now;
        c->gap_round = c->n_rounds;
    }
    return c->n_rounds > c->gap_round + 1 && (now - c->gap_since_us > GAP_US || c->common.waiting_bytes > GAP_BYTES);
}

static ubi_status report_in_order(ubi__preload_collector *c, bool is_last) {
    while (c->n_heap) {
        ubi__collector_context *x = c->heap[0];
        if (stamp_of(x) > c->stamp + 1) {
            if (!is_last && !gives_up_gap(c))
                return UBI_OK;
            if (stamp_of(x) - c->stamp > GAP_EVENTS)
                c->is_trampled = true;
            else
                c->counters.lost_events += stamp_of(x) - c->stamp - 1;
            c->stamp = stamp_of(x) - 1;
        }
        c->gap_since_us = 0;
        heap_pop(c);
        do { /* while it is this one's turn, the heap is not asked */
            if (stamp_of(x) <= c->stamp) {
                c->counters.lost_events -= c->counters.lost_events > 0; /* given up too early */
            } else {
                c->stamp = stamp_of(x);
            }
            UBI_TRY(take_event(c, x));
            UBI_TRY(context_advance(c, x, is_last));
        } while (x->stream.event && stamp_of(x) == c->stamp + 1);
        if (x->stream.event)
            heap_push(c, x);
    }
    c->gap_since_us = 0;
    return UBI_OK;
}

/* @param any  out, or NULL: there was something new */
static ubi_status collector_run(ubi__preload_collector *c, bool *any, bool is_last) {
    bool is_any = false;
    ubi__collector_see_counters(c);
    if (!c->is_trampled)
        UBI_TRY(ubi__collector_read_chunks(c, &is_any));
    UBI_TRY(refill_heap(c, is_last));
    UBI_TRY(report_in_order(c, is_last));
    collector_check(c);
    if (any)
        *any = is_any;
    return UBI_OK;
}

ubi_status ubi__preload_collector_poll(ubi__preload_collector *c, bool *busy) {
    c->poll_bytes = 0;
    if (c->failed == UBI_OK)
        c->failed = collector_run(c, NULL, false);
    if (busy)
        *busy = c->poll_bytes >= UBI__COLLECTOR_POLL_BYTES;
    return c->failed;
}

bool ubi__preload_collector_is_waiting(const ubi__preload_collector *c) {
    return c->n_heap > 0 || c->common.waiting_bytes > 0;
}

bool ubi__preload_collector_has_reported(const ubi__preload_collector *c, uint64_t stamp) {
    return c->stamp >= stamp;
}

/* What realloc had when the program ended counts as not freed. */
static ubi_status undo_all_resizes(ubi__preload_collector *c) {
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++)
        if (c->contexts[i])
            UBI_TRY(undo_resize(c, c->contexts[i]));
    return UBI_OK;
}

/*
 * An event has its stamp before it is written, and its thread may be ended in between. A free has not happened then, and an
 * allocation has not come back to who asked for it. There can be one for each context, where all that was written can be read.
 */
static void report_unfinished(ubi__preload_collector *c, uint64_t lost_before) {
    uint64_t missing = c->counters.lost_events - lost_before, n_contexts = 0;
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++)
        n_contexts += c->contexts[i] != NULL;
    if (c->is_trampled || c->common.lost_bytes || missing > n_contexts)
        return;
    c->counters.lost_events = lost_before;
    c->counters.unfinished += missing;
}

static ubi_status collector_finish(ubi__preload_collector *c) {
    /* What is in order, before what is not; at most as many polls as all chunks take, if something still writes. */
    bool any = true;
    for (uint32_t polls = 0; any && polls < 2 * (c->area->n_chunks + 1); polls++)
        UBI_TRY(collector_run(c, &any, false));
    uint64_t lost_before = c->counters.lost_events;
    UBI_TRY(collector_run(c, NULL, true));
    UBI_TRY(undo_all_resizes(c));
    uint64_t given = atomic_load_explicit(&c->area->header->stamp, memory_order_relaxed);
    given = given < c->end_stamp ? given : c->end_stamp;
    if (!c->is_trampled && given > c->stamp) {
        if (given - c->stamp > LAST_EVENTS + c->common.lost_bytes)
            c->is_trampled = true;
        else
            c->counters.lost_events += given - c->stamp;
        c->stamp = given;
    }
    report_unfinished(c, lost_before);
    ubi__mapping_list_check(&c->mappings);
    collector_check(c);
    return UBI_OK;
}

ubi_status ubi__preload_collector_finish(ubi__preload_collector *c) {
    if (c->failed == UBI_OK)
        c->failed = collector_finish(c);
    return c->failed;
}

void ubi__preload_collector_end_after(ubi__preload_collector *c, uint64_t stamp) {
    c->end_stamp = stamp;
}

bool ubi__preload_collector_is_trampled(const ubi__preload_collector *c) {
    return c->is_trampled;
}

bool ubi__preload_collector_has_stopped(const ubi__preload_collector *c) {
    return c->counters.state == UBI__PROGRAM_STOPPED;
}

ubi__preload_started ubi__preload_collector_started(const ubi__preload_collector *c, size_t i) {
    const ubi__wire_started *row = &c->area->header->started[i];
    ubi__preload_started out = { .count = atomic_load_explicit(&row->count, memory_order_relaxed) };
    size_t n = 0;
    if (atomic_load_explicit(&row->state, memory_order_acquire) != UBI__STARTED_NAMED || out.count == 0)
        return (ubi__preload_started){ .name = "" };
    for (char byte; n < sizeof row->name - 1 && (byte = row->name[n]) != 0; n++)
        out.name[n] = byte >= ' ' && byte <= '~' ? byte : '?';
    out.why = row->why < UBI__UNRECORDED_COUNT ? (ubi__unrecorded)row->why : UBI__UNRECORDED_CHOICE;
    return out;
}

void ubi__preload_collector_counters(const ubi__preload_collector *c, ubi__preload_counters *out) {
    *out = c->counters;
    out->live = c->blocks.n + c->n_mappings;
    out->lost_bytes = c->common.lost_bytes;
    out->is_trampled = c->is_trampled;
}
