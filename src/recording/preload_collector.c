/* SPDX-License-Identifier: MIT
 *
 * preload_collector.c: see preload_collector.h.
 *
 * Three steps at each poll: bytes that are new in the chunks are copied to the streams of their contexts; streams are
 * decoded up to their next event; the events are told in the order of their stamps, by a heap of streams. Stamps have
 * no gaps, so one that is missing is an event that somebody is about to write: what comes behind waits for it, but
 * not for ever.
 */
#include "recording/preload_collector.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording/block_table.h"
#include "recording/mapping_list.h"
#include "recording/preload_stream.h"

/* How long a missing event is waited for: in time of our clock, and in bytes of events behind it. */
#define GAP_US 5000000
#define GAP_BYTES ((uint64_t)64 << 20)
#define PAGE_BYTES 4096
/* Pages of chunks that are freed beyond so many go back to the system. */
#define WARM_CHUNKS UBI__WIRE_QUOTA_EXACT

/* What is known of a chunk of the area. */
typedef struct chunk_progress {
    uint64_t sequence; /* 0: not seen since it was freed */
    uint32_t context;
    uint32_t copied; /* bytes */
} chunk_progress;

/* A context, and what it began but did not end. */
typedef struct context_state {
    ubi__stream stream;
    ubi__block resized; /* a block that is given to realloc; address 0: none */
    uint32_t resize_thread;
    uint64_t resize_clock_us;
    bool moved_mapping; /* the last mremap was of what we know */
} context_state;

struct ubi__preload_collector {
    const ubi_allocator *allocator;
    ubi__preload_area *area;
    ubi__preload_sink sink;
    ubi__stream_common common;
    ubi_status failed; /* UBI_OK: none yet */

    chunk_progress chunks[UBI__WIRE_CHUNKS];
    context_state *contexts[UBI__WIRE_CONTEXTS]; /* NULL: not seen */
    context_state *heap[UBI__WIRE_CONTEXTS];     /* those with an event, the least stamp first */
    size_t n_heap;
    uint64_t stamp;        /* the last that was told, or given up */
    uint64_t gap_since_us; /* our clock when the missing one was missed; 0: none is */

    ubi__block_table blocks;
    ubi__mapping_list mappings;
    uint64_t next_number;
    ubi__preload_counters counters;
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__preload_collector_new(ubi__preload_collector **out, ubi__preload_area *area,
                                      const ubi__preload_sink *sink, const ubi_allocator *allocator) {
    allocator = ubi__allocator_or_default(allocator);
    ubi__preload_collector *c = UBI_NEW(allocator, ubi__preload_collector);
    if (!c)
        return ubi__fail_nomem();
    c->allocator = allocator;
    c->area = area;
    c->sink = *sink;
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

/* ---- telling ----------------------------------------------------------------------------------------------------- */

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

static ubi_status tell_free(ubi__preload_collector *c, const ubi__preload_free *event) {
    c->counters.frees++;
    c->counters.mismatched_frees += event->is_mismatched;
    c->counters.wrong_sizes += event->is_size_wrong;
    return c->sink.free(c->sink.payload, event);
}

static ubi_status tell_alloc(ubi__preload_collector *c, const ubi__preload_alloc *event) {
    c->counters.allocations++;
    return c->sink.alloc(c->sink.payload, event);
}

/* A block whose end was not seen, or that realloc took. */
static ubi_status tell_end_of(ubi__preload_collector *c, ubi__block block, ubi__free_kind kind, uint32_t thread,
                              uint64_t clock_us) {
    bool is_mismatched = kind == UBI__FREE_REALLOC && family_of_alloc(block.kind) != FAMILY_MALLOC;
    ubi__preload_free event = {
        .number = block.number, .kind = kind, .thread = thread, .clock_us = clock_us, .is_mismatched = is_mismatched
    };
    return tell_free(c, &event);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* What was given to realloc is gone: its successor is there, or there is none. */
static ubi_status settle_resize(ubi__preload_collector *c, context_state *x) {
    ubi__block block = x->resized;
    if (!block.address)
        return UBI_OK;
    x->resized = (ubi__block){ 0 };
    return tell_end_of(c, block, UBI__FREE_REALLOC, x->resize_thread, x->resize_clock_us);
}

/* Realloc failed: the block is where it was. If another block is there, it did not fail. */
static ubi_status undo_resize(ubi__preload_collector *c, context_state *x) {
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

static ubi__block block_of(const ubi__wire_event *e, uint64_t number) {
    return (ubi__block){ .address = low_bits(e->address, UBI__BLOCK_ADDRESS_BITS),
                         .kind = e->kind,
                         .number = low_bits(number, UBI__BLOCK_NUMBER_BITS),
                         .size = low_bits(e->size_bytes, UBI__BLOCK_SIZE_BITS) };
}

static ubi_status take_alloc(ubi__preload_collector *c, context_state *x, const ubi__wire_event *e) {
    if (e->kind == UBI__ALLOC_REALLOC || e->kind == UBI__ALLOC_REALLOCARRAY)
        UBI_TRY(settle_resize(c, x));
    if (e->address == 0 || e->address >> UBI__BLOCK_ADDRESS_BITS) {
        c->counters.lost_events++;
        return UBI_OK;
    }
    UBI_TRY(ubi__block_table_reserve(&c->blocks));
    uint64_t number = c->next_number++;
    ubi__block before = ubi__block_table_put(&c->blocks, block_of(e, number));
    if (before.address) {
        c->counters.reused_addresses++;
        UBI_TRY(tell_end_of(c, before, UBI__FREE_FREE, e->thread, e->clock_us));
    }
    ubi__preload_alloc event = {
        .number = number,
        .address = e->address,
        .size_bytes = e->size_bytes,
        .met = e->met,
        .kind = (ubi__alloc_kind)e->kind,
        .trace = e->trace,
        .thread = e->thread,
        .clock_us = e->clock_us,
    };
    return tell_alloc(c, &event);
}

static ubi_status take_free(ubi__preload_collector *c, context_state *x, const ubi__wire_event *e) {
    ubi__block *found = ubi__block_table_find(&c->blocks, e->address);
    if (!found) {
        c->counters.unknown_frees++;
        return UBI_OK;
    }
    ubi__block block = *found;
    ubi__block_table_remove(&c->blocks, found);
    if (e->kind == UBI__FREE_REALLOC) {
        UBI_TRY(settle_resize(c, x));
        x->resized = block;
        x->resize_thread = e->thread;
        x->resize_clock_us = e->clock_us;
        return UBI_OK;
    }
    ubi__preload_free event = {
        .number = block.number,
        .kind = (ubi__free_kind)e->kind,
        .thread = e->thread,
        .clock_us = e->clock_us,
        .is_mismatched = family_of_free(e->kind) != family_of_alloc(block.kind),
        .is_size_wrong = e->kind >= UBI__FREE_SIZED && low_bits(e->size_bytes, UBI__BLOCK_SIZE_BITS) != block.size,
    };
    return tell_free(c, &event);
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

static ubi_status add_mapping(ubi__preload_collector *c, uint64_t low, uint64_t high, uint64_t size_bytes,
                              ubi__alloc_kind kind, uint32_t trace, uint32_t thread, uint64_t clock_us) {
    ubi__preload_alloc event = { .number = c->next_number++,
                                 .address = low,
                                 .size_bytes = size_bytes,
                                 .kind = kind,
                                 .trace = trace,
                                 .thread = thread,
                                 .clock_us = clock_us };
    ubi__mapping mapping = { .low = low, .high = high, .number = event.number, .trace = trace, .kind = kind };
    UBI_TRY(ubi__mapping_add(&c->mappings, c->allocator, mapping));
    return tell_alloc(c, &event);
}

/* What lies in a range is unmapped; what is left of mappings at its ends stays. @param any  out: there was something */
static ubi_status cut(ubi__preload_collector *c, uint64_t low, uint64_t high, const ubi__wire_event *e, bool *any) {
    *any = false;
    for (;;) {
        size_t i = ubi__mapping_at(&c->mappings, low);
        if (i == c->mappings.n || c->mappings.at[i].low >= high)
            return UBI_OK;
        *any = true;
        ubi__mapping m = c->mappings.at[i];
        ubi__mapping_remove(&c->mappings, i);
        ubi__preload_free event = {
            .number = m.number, .kind = (ubi__free_kind)e->kind, .thread = e->thread, .clock_us = e->clock_us
        };
        UBI_TRY(tell_free(c, &event));
        if (m.low < low)
            UBI_TRY(add_mapping(c, m.low, low, low - m.low, (ubi__alloc_kind)m.kind, m.trace, e->thread, e->clock_us));
        if (m.high > high)
            UBI_TRY(
                add_mapping(c, high, m.high, m.high - high, (ubi__alloc_kind)m.kind, m.trace, e->thread, e->clock_us));
    }
}

/* The whole pages of a range. False: there is no such range. */
static bool pages_of(const ubi__wire_event *e, bool has_pages, uint64_t *high) {
    uint64_t size = e->size_bytes;
    if (has_pages && size <= UINT64_MAX - PAGE_BYTES)
        size = (size + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    if (size == 0 || e->address == 0 || size > UINT64_MAX - e->address)
        return false;
    *high = e->address + size;
    return true;
}

static ubi_status take_map(ubi__preload_collector *c, context_state *x, const ubi__wire_event *e) {
    uint64_t high;
    bool any, is_moved = x->moved_mapping;
    x->moved_mapping = false;
    if (!pages_of(e, e->kind != UBI__ALLOC_BRK, &high)) {
        c->counters.lost_events++;
        return UBI_OK;
    }
    if (e->kind == UBI__ALLOC_MREMAP && !is_moved)
        return UBI_OK;
    ubi__wire_event replaced = *e;
    replaced.kind = UBI__FREE_MUNMAP;
    UBI_TRY(cut(c, e->address, high, &replaced, &any));
    c->counters.reused_addresses += any;
    return add_mapping(c, e->address, high, e->size_bytes, (ubi__alloc_kind)e->kind, e->trace, e->thread, e->clock_us);
}

static ubi_status take_unmap(ubi__preload_collector *c, context_state *x, const ubi__wire_event *e) {
    uint64_t high;
    bool any = false;
    if (pages_of(e, e->kind != UBI__FREE_BRK, &high))
        UBI_TRY(cut(c, e->address, high, e, &any));
    if (e->kind == UBI__FREE_MREMAP)
        x->moved_mapping = any;
    return UBI_OK;
}

static ubi_status take_marker(ubi__preload_collector *c, const context_state *x) {
    ubi__preload_marker event = ubi__stream_marker_event(&x->stream);
    c->counters.markers++;
    return c->sink.marker ? c->sink.marker(c->sink.payload, &event) : UBI_OK;
}

static ubi_status take_event(ubi__preload_collector *c, context_state *x) {
    const ubi__wire_event *e = x->stream.event;
    if (e->is_marker)
        return take_marker(c, x);
    if (e->is_alloc)
        return e->kind < UBI__ALLOC_MMAP ? take_alloc(c, x, e) : take_map(c, x, e);
    return e->kind < UBI__FREE_MUNMAP ? take_free(c, x, e) : take_unmap(c, x, e);
}

/* ---- from chunks to streams -------------------------------------------------------------------------------------- */

/* NULL: no memory. */
static context_state *context_of(ubi__preload_collector *c, uint32_t number) {
    if (!c->contexts[number]) {
        c->contexts[number] = UBI_NEW(c->allocator, context_state);
        if (c->contexts[number])
            ubi__stream_init(&c->contexts[number]->stream, &c->common);
    }
    return c->contexts[number];
}

static void free_chunk(ubi__preload_collector *c, uint32_t i) {
    ubi__wire_header *area = c->area->header;
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(area, i);
    c->chunks[i] = (chunk_progress){ 0 };
    if (i >= WARM_CHUNKS)
        madvise(ubi__wire_chunk_data(area, i), UBI__WIRE_CHUNK_BYTES, MADV_REMOVE);
    atomic_store_explicit(&chunk->sequence, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->committed, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->state, UBI__CHUNK_FREE, memory_order_release);
    atomic_fetch_sub(&area->chunks_in_use, 1);
    atomic_fetch_add(&area->freed_chunks, 1);
    if (atomic_load(&area->waiting))
        syscall(SYS_futex, &area->freed_chunks, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Copies what is new in a chunk, of which so much may be read. */
static ubi_status copy_chunk(ubi__preload_collector *c, uint32_t i, uint32_t committed, bool is_full) {
    chunk_progress *known = &c->chunks[i];
    context_state *x = context_of(c, known->context);
    ubi__stream_piece *piece;
    if (!x)
        return ubi__fail_nomem();
    UBI_TRY(ubi__stream_piece_of(&x->stream, &piece, known->sequence));
    if (!piece) /* that sequence was over: the chunk says something wrong */
        return UBI_OK;
    if (committed > known->copied) {
        const uint8_t *bytes = ubi__wire_chunk_data(c->area->header, i);
        UBI_TRY(ubi__stream_piece_append(&x->stream, piece, bytes + known->copied, committed - known->copied));
        known->copied = committed;
    }
    if (is_full)
        ubi__stream_piece_complete(piece);
    return UBI_OK;
}

/* @param any  out: set when there was something new */
static ubi_status read_chunk(ubi__preload_collector *c, uint32_t i, bool *any) {
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(c->area->header, i);
    chunk_progress *known = &c->chunks[i];
    uint32_t state = atomic_load_explicit(&chunk->state, memory_order_acquire);
    uint64_t sequence = atomic_load_explicit(&chunk->sequence, memory_order_acquire);
    if (state == UBI__CHUNK_FREE || sequence == 0)
        return UBI_OK;
    if (known->sequence == 0)
        *known = (chunk_progress){ .sequence = sequence, .context = chunk->context };
    uint32_t committed = atomic_load_explicit(&chunk->committed, memory_order_acquire);
    bool is_full = state == UBI__CHUNK_FULL;
    if (known->context >= UBI__WIRE_CONTEXTS || committed > UBI__WIRE_CHUNK_BYTES)
        c->common.lost_bytes += is_full ? UBI__WIRE_CHUNK_BYTES : 0;
    else if (committed > known->copied || is_full) {
        *any = true;
        UBI_TRY(copy_chunk(c, i, committed, is_full));
    }
    if (is_full)
        free_chunk(c, i);
    return UBI_OK;
}

static ubi_status read_chunks(ubi__preload_collector *c, bool *any) {
    uint32_t n = atomic_load_explicit(&c->area->header->chunks_seen, memory_order_acquire);
    for (uint32_t i = 0; i < n && i < c->area->n_chunks; i++)
        UBI_TRY(read_chunk(c, i, any));
    return UBI_OK;
}

/* ---- from streams to events -------------------------------------------------------------------------------------- */

static uint64_t stamp_of(const context_state *x) {
    return x->stream.event->stamp;
}

static void heap_push(ubi__preload_collector *c, context_state *x) {
    size_t i = c->n_heap++;
    for (; i > 0 && stamp_of(c->heap[(i - 1) / 2]) > stamp_of(x); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = x;
}

static context_state *heap_pop(ubi__preload_collector *c) {
    context_state *top = c->heap[0], *last = c->heap[--c->n_heap];
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
static ubi_status advance(ubi__preload_collector *c, context_state *x, bool is_last) {
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

/* Contexts whose last event was told, and to which more came. */
static ubi_status refill(ubi__preload_collector *c, bool is_last) {
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++) {
        context_state *x = c->contexts[i];
        if (!x || x->stream.event || !x->stream.first)
            continue;
        UBI_TRY(advance(c, x, is_last));
        if (x->stream.event)
            heap_push(c, x);
    }
    return UBI_OK;
}

/* Whether the event that is missing is not worth waiting for any more. */
static bool gives_up_gap(ubi__preload_collector *c) {
    uint64_t now = c->area->clock_us + 1;
    if (!c->gap_since_us)
        c->gap_since_us = now;
    return now - c->gap_since_us > GAP_US || c->common.waiting_bytes > GAP_BYTES;
}

static ubi_status tell_in_order(ubi__preload_collector *c, bool is_last) {
    while (c->n_heap) {
        context_state *x = c->heap[0];
        if (stamp_of(x) > c->stamp + 1) {
            if (!is_last && !gives_up_gap(c))
                return UBI_OK;
            c->counters.lost_events += stamp_of(x) - c->stamp - 1;
            c->stamp = stamp_of(x) - 1;
        }
        c->gap_since_us = 0;
        heap_pop(c);
        do { /* as long as it is this one's turn, the heap need not be asked */
            if (stamp_of(x) <= c->stamp) {
                c->counters.lost_events -= c->counters.lost_events > 0; /* given up too early */
            } else {
                c->stamp = stamp_of(x);
            }
            UBI_TRY(take_event(c, x));
            UBI_TRY(advance(c, x, is_last));
        } while (x->stream.event && stamp_of(x) == c->stamp + 1);
        if (x->stream.event)
            heap_push(c, x);
    }
    c->gap_since_us = 0;
    return UBI_OK;
}

static ubi_status run(ubi__preload_collector *c, bool *busy, bool is_last) {
    bool any = false;
    UBI_TRY(read_chunks(c, &any));
    UBI_TRY(refill(c, is_last));
    UBI_TRY(tell_in_order(c, is_last));
    if (busy)
        *busy = any;
    return UBI_OK;
}

ubi_status ubi__preload_collector_poll(ubi__preload_collector *c, bool *busy) {
    if (c->failed == UBI_OK)
        c->failed = run(c, busy, false);
    return c->failed;
}

/* What realloc had when the program ended was not freed, as far as anybody knows. */
static ubi_status undo_all_resizes(ubi__preload_collector *c) {
    for (size_t i = 0; i < UBI__WIRE_CONTEXTS; i++)
        if (c->contexts[i])
            UBI_TRY(undo_resize(c, c->contexts[i]));
    return UBI_OK;
}

static ubi_status finish(ubi__preload_collector *c) {
    UBI_TRY(run(c, NULL, false)); /* what is in order, before what is not */
    UBI_TRY(run(c, NULL, true));
    UBI_TRY(undo_all_resizes(c));
    uint64_t given = atomic_load_explicit(&c->area->header->stamp, memory_order_relaxed);
    if (given > c->stamp) {
        c->counters.lost_events += given - c->stamp;
        c->stamp = given;
    }
    return UBI_OK;
}

ubi_status ubi__preload_collector_finish(ubi__preload_collector *c) {
    if (c->failed == UBI_OK)
        c->failed = finish(c);
    return c->failed;
}

void ubi__preload_collector_counters(const ubi__preload_collector *c, ubi__preload_counters *out) {
    const ubi__wire_header *area = c->area->header;
    *out = c->counters;
    out->live = c->blocks.n + c->mappings.n;
    out->lost_bytes = c->common.lost_bytes;
    out->dropped = atomic_load_explicit(&area->dropped, memory_order_relaxed);
    out->dropped_reentrant = atomic_load_explicit(&area->dropped_reentrant, memory_order_relaxed);
    out->dropped_markers = atomic_load_explicit(&area->dropped_markers, memory_order_relaxed);
    out->failed_walks = atomic_load_explicit(&area->failed_walks, memory_order_relaxed);
    out->deep_binds = atomic_load_explicit(&area->deep_binds, memory_order_relaxed);
    out->namespaces = atomic_load_explicit(&area->namespaces, memory_order_relaxed);
    out->waits = atomic_load_explicit(&area->waits, memory_order_relaxed);
    out->lost_children = atomic_load_explicit(&area->lost_children, memory_order_relaxed);
    out->state = (ubi__wire_program_state)atomic_load_explicit(&area->state, memory_order_relaxed);
}
