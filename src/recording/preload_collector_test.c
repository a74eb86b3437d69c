/* SPDX-License-Identifier: MIT
 *
 * Tests of preload_collector.c, preload_stream.c, live_table.c: what is made of an area that a program wrote, well
 * or not. The program is the test itself, record by record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "damage.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/live_table.h"
#include "recording/preload_collector.c"

/* ---- a program that writes --------------------------------------------------------------------------------------- */

typedef struct writer {
    ubi__preload_area *area;
    ubi__wire_preface state;
    uint64_t sequence, address, pc, marker_ns;
    uint32_t context, chunk, at, trace;
    bool is_open;
} writer;

static void close_chunk(writer *w) {
    atomic_store(&ubi__wire_chunk_at(w->area->header, w->chunk)->state, UBI__CHUNK_FULL);
    w->is_open = false;
}

static void commit(writer *w) {
    atomic_store(&ubi__wire_chunk_at(w->area->header, w->chunk)->committed, w->at);
}

static void open_chunk(writer *w) {
    ubi__wire_header *h = w->area->header;
    if (w->is_open)
        close_chunk(w);
    w->chunk = 0;
    while (atomic_load(&ubi__wire_chunk_at(h, w->chunk)->state) != UBI__CHUNK_FREE)
        w->chunk++;
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(h, w->chunk);
    atomic_store(&chunk->state, UBI__CHUNK_OPEN);
    chunk->context = w->context;
    memcpy(ubi__wire_chunk_data(h, w->chunk), &w->state, sizeof w->state);
    w->at = sizeof w->state;
    commit(w);
    atomic_store(&chunk->sequence, ++w->sequence);
    if (atomic_load(&h->chunks_seen) <= w->chunk)
        atomic_store(&h->chunks_seen, w->chunk + 1);
    atomic_fetch_add(&h->chunks_in_use, 1);
    w->address = w->pc = w->marker_ns = 0;
    w->trace = 0;
    w->is_open = true;
}

static void put_byte(writer *w, unsigned byte) {
    if (!w->is_open || UBI__WIRE_CHUNK_BYTES - w->at < 64)
        open_chunk(w);
    ubi__wire_chunk_data(w->area->header, w->chunk)[w->at++] = (uint8_t)byte;
}

static void put(writer *w, uint64_t number) {
    uint8_t *data = ubi__wire_chunk_data(w->area->header, w->chunk);
    w->at = (uint32_t)(ubi__wire_put(data + w->at, number) - data);
}

/* The stamp, of which an event says how far it is after the last. @return that, where it must be said */
static uint64_t take_stamp(writer *w, uint64_t stamp) {
    uint64_t gap = stamp - w->state.stamp - 1;
    w->state.stamp = stamp;
    if (stamp > atomic_load(&w->area->header->stamp))
        atomic_store(&w->area->header->stamp, stamp);
    return gap;
}

static void put_event(writer *w, unsigned op, unsigned kind, uint64_t stamp, uint64_t address) {
    if (!w->is_open || UBI__WIRE_CHUNK_BYTES - w->at < 64)
        open_chunk(w);
    uint64_t gap = take_stamp(w, stamp);
    put_byte(w, op | kind << UBI__OP_KIND_SHIFT | (gap ? UBI__OP_GAP : 0u));
    if (gap)
        put(w, gap);
    put(w, ubi__wire_zigzag(address - w->address));
    w->address = address;
}

static void put_alloc(writer *w, ubi__alloc_kind kind, uint64_t stamp, uint64_t address, uint64_t size,
                      uint32_t trace) {
    put_event(w, UBI__OP_ALLOC, kind, stamp, address);
    put(w, size);
    put(w, ubi__wire_zigzag((uint64_t)trace - w->trace));
    w->trace = trace;
    commit(w);
}

static void put_free(writer *w, ubi__free_kind kind, uint64_t stamp, uint64_t address, uint64_t size) {
    put_event(w, UBI__OP_FREE, kind, stamp, address);
    if (kind >= UBI__FREE_SIZED)
        put(w, size);
    commit(w);
}

static void put_word(writer *w, uint64_t word) {
    uint8_t *data = ubi__wire_chunk_data(w->area->header, w->chunk);
    w->at = (uint32_t)(ubi__wire_put_u64(data + w->at, word) - data);
}

static void put_short(writer *w, unsigned operation, uint64_t stamp, uint64_t address) {
    if (!w->is_open || UBI__WIRE_CHUNK_BYTES - w->at < 64)
        open_chunk(w);
    uint64_t gap = take_stamp(w, stamp);
    assert_true(ubi__wire_is_short(address, gap, 0));
    put_word(w, ubi__wire_short(operation, address, gap));
    w->address = address;
}

static void put_short_alloc(writer *w, ubi__alloc_kind kind, uint64_t stamp, uint64_t address, uint32_t size,
                            uint32_t trace) {
    put_short(w, UBI__OP_SHORT_ALLOC | (unsigned)kind << UBI__OP_KIND_SHIFT, stamp, address);
    put_word(w, (uint64_t)trace << 32 | size);
    w->trace = trace;
    commit(w);
}

static void put_short_free(writer *w, ubi__free_kind kind, uint64_t stamp, uint64_t address) {
    put_short(w, UBI__OP_SHORT_FREE | (unsigned)kind << UBI__OP_KIND_SHIFT, stamp, address);
    commit(w);
}

static uint32_t put_trace(writer *w, uint32_t parent, uint64_t pc) {
    put_byte(w, UBI__OP_TRACE);
    put(w, w->state.next_trace - parent);
    put(w, ubi__wire_zigzag(pc - w->pc));
    w->pc = pc;
    commit(w);
    return w->state.next_trace++;
}

static void put_control(writer *w, ubi__wire_control control) {
    put_byte(w, UBI__OP_CONTROL | (unsigned)control << UBI__OP_KIND_SHIFT);
    commit(w);
}

static void put_bytes(writer *w, const void *bytes, size_t n) {
    put(w, n);
    memcpy(ubi__wire_chunk_data(w->area->header, w->chunk) + w->at, bytes, n);
    w->at += (uint32_t)n;
}

/* @param details  encoded, as long as they are short; a trace: flag UBI__MARKER_STACK */
static void put_marker(writer *w, unsigned flags, uint64_t stamp, uint64_t time_ns, uint32_t trace, const char *name,
                       const void *details, size_t details_bytes) {
    if (!w->is_open || UBI__WIRE_CHUNK_BYTES - w->at < UBI__WIRE_MARKER_BYTES)
        open_chunk(w);
    uint64_t gap = take_stamp(w, stamp);
    put_byte(w, UBI__OP_CONTROL | (unsigned)UBI__CONTROL_MARKER << UBI__OP_KIND_SHIFT | (gap ? UBI__OP_GAP : 0u));
    if (gap)
        put(w, gap);
    put(w, flags);
    put(w, ubi__wire_zigzag(time_ns - w->marker_ns));
    w->marker_ns = time_ns;
    if (flags & UBI__MARKER_STACK) {
        put(w, ubi__wire_zigzag((uint64_t)trace - w->trace));
        w->trace = trace;
    }
    put_bytes(w, name, strlen(name));
    put_bytes(w, details, details_bytes);
    commit(w);
}

static void put_action(writer *w, uint64_t action, uint64_t stamp) {
    if (!w->is_open || UBI__WIRE_CHUNK_BYTES - w->at < 64)
        open_chunk(w);
    uint64_t gap = take_stamp(w, stamp);
    put_byte(w, UBI__OP_CONTROL | (unsigned)UBI__CONTROL_RECORDING << UBI__OP_KIND_SHIFT | (gap ? UBI__OP_GAP : 0u));
    if (gap)
        put(w, gap);
    put(w, action);
    commit(w);
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

/* Events as text: "+<number>:<size>@<pc of the trace> ", "-<number> ", with marks after it, and
   "<name><type>:<ns>@<pc of the trace>{<detail>=<value>,...} ". */
typedef struct world {
    ubi__preload_area area;
    ubi__preload_collector *collector;
    char told[4096];
    size_t n;
    uint64_t pcs[256]; /* of traces */
    uint32_t n_traces, n_threads, n_modules;
    uint64_t n_events, n_live, n_markers;
} world;

static ubi_status world_module(void *payload, uint32_t *out, const ubi__preload_module *module) {
    world *w = payload;
    assert_true(module->low <= module->high && module->path.len <= UBI__WIRE_PATH_BYTES);
    *out = w->n_modules++;
    return UBI_OK;
}

static ubi_status world_trace(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                              uint64_t address) {
    world *w = payload;
    assert_true(kind < UBI__TRACE_KINDS && caller <= w->n_traces);
    assert_true(module == UBI__PRELOAD_NO_MODULE || module < w->n_modules);
    *out = ++w->n_traces;
    if (*out < 256)
        w->pcs[*out] = address;
    return UBI_OK;
}

static ubi_status world_thread(void *payload, uint32_t *out, uint64_t tid) {
    (void)tid;
    *out = ((world *)payload)->n_threads++;
    return UBI_OK;
}

static void tell(world *w, const char *format, ...) {
    va_list more;
    va_start(more, format);
    int n = vsnprintf(w->told + w->n, sizeof w->told - w->n, format, more);
    va_end(more);
    if (n > 0 && (size_t)n < sizeof w->told - w->n)
        w->n += (size_t)n;
}

static ubi_status world_alloc(void *payload, const ubi__preload_alloc *e) {
    world *w = payload;
    assert_int_equal(e->number, w->n_events++);
    assert_true(e->kind < UBI__ALLOC_KINDS && e->trace <= w->n_traces && e->thread < w->n_threads);
    w->n_live++;
    tell(w, "+%d:%d@%d ", (int)e->number, (int)e->size_bytes, e->trace < 256 ? (int)w->pcs[e->trace] : -1);
    return UBI_OK;
}

static ubi_status world_free(void *payload, const ubi__preload_free *e) {
    world *w = payload;
    assert_true(e->number < w->n_events && e->kind < UBI__FREE_KINDS && e->thread < w->n_threads);
    w->n_live--;
    tell(w, "-%d%s%s ", (int)e->number, e->is_mismatched ? "!" : "", e->is_size_wrong ? "?" : "");
    return UBI_OK;
}

static ubi_status world_cut(void *payload, const ubi__preload_cut *e) {
    world *w = payload;
    assert_true(e->number < w->n_events && e->kind >= UBI__ALLOC_MMAP && e->thread < w->n_threads);
    tell(w, "~%d:%d ", (int)e->number, (int)e->size_bytes);
    return UBI_OK;
}

static ubi_status world_marker(void *payload, const ubi__preload_marker *e) {
    world *w = payload;
    const uint8_t *at = e->details, *end = at + e->details_bytes;
    ubi__preload_detail detail;
    assert_true(e->flags <= UBI__MARKER_FLAGS && e->trace <= w->n_traces && e->thread < w->n_threads);
    tell(w, "%.*s%c:%d@%d{", (int)e->name.len, e->name.ptr, "<>.?"[e->flags & UBI__MARKER_TYPE_MASK], (int)e -> time_ns,
         e -> trace < 256 ? (int)w -> pcs[e->trace] : -1);
    while (ubi__preload_detail_next(&at, end, &detail)) {
        tell(w, "%.*s=", (int)detail.name.len, detail.name.ptr);
        if (detail.type == UBI__DETAIL_TEXT)
            tell(w, "%.*s,", (int)detail.text.len, detail.text.ptr);
        else if (detail.type == UBI__DETAIL_NUMBER)
            tell(w, "%g,", detail.number);
        else
            tell(w, "%s,", detail.is_true ? "true" : "false");
    }
    assert_ptr_equal(at, end); /* they were looked through before */
    tell(w, "} ");
    w->n_markers++;
    return UBI_OK;
}

static ubi_status world_action(void *payload, const ubi__preload_action *e) {
    assert_true(e->action < UBI__ACTIONS);
    tell(payload, "%s ", (const char *[]){ "stop", "start", "reset" }[e->action]);
    return UBI_OK;
}

static ubi_status open_world(world *w, uint64_t period_bytes, const ubi_allocator *allocator) {
    const ubi__preload_settings settings = { .period_bytes = period_bytes };
    const ubi__preload_sink sink = { .payload = w,
                                     .module = world_module,
                                     .trace = world_trace,
                                     .thread = world_thread,
                                     .alloc = world_alloc,
                                     .free = world_free,
                                     .cut = world_cut,
                                     .marker = world_marker,
                                     .action = world_action };
    memset(w, 0, sizeof *w);
    UBI_TRY(ubi__preload_area_new(&w->area, &settings));
    ubi_status status = ubi__preload_collector_new(&w->collector, &w->area, &sink, allocator);
    if (status != UBI_OK)
        ubi__preload_area_free(&w->area);
    return status;
}

static void close_world(world *w) {
    ubi__preload_collector_free(w->collector);
    ubi__preload_area_free(&w->area);
}

static writer writer_of(world *w, uint32_t context) {
    return (writer){ .area = &w->area, .context = context, .state = { .next_trace = 1, .tid = context + 100 } };
}

static ubi__preload_counters counters_of(const world *w) {
    ubi__preload_counters c;
    ubi__preload_collector_counters(w->collector, &c);
    return c;
}

static void poll_now(world *w) {
    assert_int_equal(ubi__preload_collector_poll(w->collector, NULL), UBI_OK);
}

static void finish_now(world *w) {
    assert_int_equal(ubi__preload_collector_finish(w->collector), UBI_OK);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void test_events_of_all_contexts_are_reported_in_the_order_of_their_stamps(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 7);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, put_trace(&a, 0, 11));
    put_alloc(&a, UBI__ALLOC_MALLOC, 4, 0x1000, 40, put_trace(&a, 1, 12));
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@11 "); /* 2 and 3 are not there yet */
    put_alloc(&b, UBI__ALLOC_MALLOC, 3, 0x2000, 30, put_trace(&b, 0, 13));
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@11 ");
    writer c = writer_of(&w, 3);
    put_free(&c, UBI__FREE_FREE, 2, 0x1000, 0);
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@11 -0 +1:30@13 +2:40@12 ");
    finish_now(&w);
    assert_int_equal(counters_of(&w).lost_events, 0);
    assert_int_equal(counters_of(&w).live, 2);
    close_world(&w);
}

static void test_short_events_say_what_long_ones_do(void **state) {
    (void)state;
    const uint64_t high = UINT64_C(0x7fffffffe000), most = UINT32_MAX;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_short_alloc(&a, UBI__ALLOC_NEW, 1, high, 10, put_trace(&a, 0, 11));
    put_alloc(&a, UBI__ALLOC_MALLOC, 2, high + 48, 20, put_trace(&a, 1, 12)); /* differences from the short one */
    put_short_alloc(&a, UBI__ALLOC_MALLOC, 258, 8, 30, 1);                    /* as far after the last as it can be */
    for (uint64_t stamp = 3; stamp < 258; stamp++)
        put_short_free(&b, UBI__FREE_FREE, stamp, 0x1000); /* of nothing */
    put_short_free(&a, UBI__FREE_FREE, 259, high);
    put_free(&a, UBI__FREE_FREE, 260, high + 48, 0);
    finish_now(&w);
    assert_string_equal(w.told, "+0:10@11 +1:20@12 +2:30@11 -0! -1 ");
    assert_int_equal(counters_of(&w).unknown_frees, 255);
    assert_int_equal(counters_of(&w).lost_bytes, 0);
    close_world(&w);
    assert_true(ubi__wire_is_short(high, 255, most));
    assert_false(ubi__wire_is_short(UINT64_C(1) << 48, 0, 0) || ubi__wire_is_short(high, 256, 0) ||
                 ubi__wire_is_short(high, 0, most + 1));
}

static void test_a_short_event_that_breaks_a_rule_is_broken(void **state) {
    (void)state;
    for (unsigned rule = 0; rule < 4; rule++) {
        world w;
        assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
        writer a = writer_of(&w, 0);
        put_short_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, put_trace(&a, 0, 11));
        uint32_t at = a.at;
        if (rule == 0)
            put_short_free(&a, UBI__FREE_KINDS, 2,
                           0x1000); /* of allocations, a short event can only name kinds that there are */
        else
            put_short_alloc(&a, UBI__ALLOC_MALLOC, 2, 0x2000, 20, rule == 1 ? 2 : 1);
        a.at -= rule == 2 ? 8 : rule == 3 ? 15 : 0; /* it ends in the middle */
        commit(&a);
        finish_now(&w);
        assert_string_equal(w.told, "+0:10@11 ");
        assert_int_equal(counters_of(&w).lost_bytes, a.at - at);
        close_world(&w);
    }
}

static void test_what_never_comes_is_given_up_and_counted(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    ubi__preload_area_tick(&w.area, 1000);
    put_alloc(&a, UBI__ALLOC_MALLOC, 3, 0x1000, 10, 0);
    poll_now(&w);
    ubi__preload_area_tick(&w.area, 1000000);
    poll_now(&w);
    assert_string_equal(w.told, "");
    ubi__preload_area_tick(&w.area, 60000000);
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@0 ");
    assert_int_equal(counters_of(&w).lost_events, 2);
    put_alloc(&b, UBI__ALLOC_MALLOC, 2, 0x2000, 20, 0); /* late, but there */
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@0 +1:20@0 ");
    assert_int_equal(counters_of(&w).lost_events, 1);
    put_alloc(&a, UBI__ALLOC_MALLOC, 9, 0x3000, 30, 0);
    finish_now(&w); /* does not wait */
    assert_string_equal(w.told, "+0:10@0 +1:20@0 +2:30@0 ");
    assert_int_equal(counters_of(&w).lost_events, 6);
    close_world(&w);
}

/* Each thread may be ended between a stamp and its event; more cannot be missing for that reason. */
static void test_what_was_under_way_at_the_end_is_not_lost(void **state) {
    (void)state;
    for (uint64_t missing = 1; missing <= 3; missing++) {
        world w;
        assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
        writer a = writer_of(&w, 0), b = writer_of(&w, 1);
        put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
        put_alloc(&b, UBI__ALLOC_MALLOC, 3, 0x2000, 20, 0);
        atomic_store(&w.area.header->stamp, 3 + missing - 1);
        finish_now(&w);
        assert_string_equal(w.told, "+0:10@0 +1:20@0 ");
        assert_int_equal(counters_of(&w).unfinished, missing <= 2 ? missing : 0);
        assert_int_equal(counters_of(&w).lost_events, missing <= 2 ? 0 : missing);
        close_world(&w);
    }
}

/* The program notices that it is over when it allocates once more. */
static void test_what_comes_after_the_end_is_no_part_of_it(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, 2, 0x2000, 20, 0);
    put_free(&a, UBI__FREE_FREE, 3, 0x1000, 0);
    ubi__preload_collector_end_after(w.collector, 3);
    put_free(&b, UBI__FREE_FREE, 4, 0x2000, 0);
    put_alloc(&b, UBI__ALLOC_MALLOC, 5, 0x3000, 30, 0);
    atomic_store(&w.area.header->stamp, 9);
    finish_now(&w);
    assert_string_equal(w.told, "+0:10@0 +1:20@0 -0 ");
    assert_int_equal(counters_of(&w).lost_events + counters_of(&w).unfinished, 0);
    assert_int_equal(counters_of(&w).live, 1);
    close_world(&w);
}

static void test_chunks_are_given_back_when_they_are_read(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0);
    for (uint64_t i = 1; i <= 100000; i++) {
        put_alloc(&a, UBI__ALLOC_MALLOC, 2 * i - 1, 0x1000 + i % 9 * 64, i, 0);
        put_free(&a, UBI__FREE_FREE, 2 * i, 0x1000 + i % 9 * 64, 0);
        if (i % 1000 == 0)
            poll_now(&w);
    }
    poll_now(&w);
    assert_int_equal(w.n_events, 100000);
    assert_int_equal(w.n_live, 0);
    assert_int_equal(atomic_load(&w.area.header->chunks_in_use), 1);
    assert_true(atomic_load(&w.area.header->chunks_seen) < 4);
    close_world(&w);
}

static void test_a_poll_does_a_part_of_much_and_leaves_the_rest(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer writers[40];
    uint64_t stamp = 0;
    for (uint32_t i = 0; i < 40; i++)
        writers[i] = writer_of(&w, i);
    for (uint32_t i = 0; i < 40 * 10000; i += 2) { /* the last chunks have the first events of many, too */
        writer *a = &writers[i / 2 * 7 % 40];
        put_alloc(a, UBI__ALLOC_MALLOC, ++stamp, 0x1000, 1, 0);
        put_free(a, UBI__FREE_FREE, ++stamp, 0x1000, 0);
    }
    bool busy = true;
    unsigned n_polls = 0;
    for (; busy; n_polls++) {
        assert_int_equal(ubi__preload_collector_poll(w.collector, &busy), UBI_OK);
        assert_true(n_polls > 0 || (busy && w.n_events < 100000));
    }
    assert_in_range(n_polls, 5, 1000);
    assert_int_equal(w.n_events, 200000);
    assert_int_equal(counters_of(&w).lost_events, 0);
    finish_now(&w);
    close_world(&w);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void test_realloc_has_one_of_three_outcomes(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
    put_free(&a, UBI__FREE_REALLOC, 2, 0x1000, 0); /* moves, and another thread gets the old place at once */
    put_alloc(&b, UBI__ALLOC_MALLOC, 3, 0x1000, 30, 0);
    put_alloc(&a, UBI__ALLOC_REALLOC, 4, 0x2000, 40, 0);
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@0 +1:30@0 -0 +2:40@0 ");
    put_free(&a, UBI__FREE_REALLOC, 5, 0x2000, 0);
    put_control(&a, UBI__CONTROL_REALLOC_UNDONE);
    put_free(&a, UBI__FREE_FREE, 6, 0x2000, 0);
    put_free(&b, UBI__FREE_REALLOC, 7, 0x1000, 0);
    put_control(&b, UBI__CONTROL_REALLOC_FREED);
    poll_now(&w);
    assert_string_equal(w.told, "+0:10@0 +1:30@0 -0 +2:40@0 -2 -1 ");
    put_alloc(&a, UBI__ALLOC_MALLOC, 8, 0x5000, 50, 0);
    put_free(&a, UBI__FREE_REALLOC, 9, 0x5000, 0); /* the program ends in the middle of it */
    finish_now(&w);
    assert_int_equal(counters_of(&w).live, 1);
    assert_int_equal(w.n_live, 1);
    assert_int_equal(counters_of(&w).unknown_frees, 0);
    close_world(&w);
}

static void test_a_mapping_that_is_cut_stays_one_until_its_last_page(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0);
    put_alloc(&a, UBI__ALLOC_MMAP, 1, 0x10000, 0x8000, 0);
    put_free(&a, UBI__FREE_MUNMAP, 2, 0x10000, 0x1000); /* the head */
    put_free(&a, UBI__FREE_MUNMAP, 3, 0x17000, 0x9000); /* the tail, and what never was */
    put_free(&a, UBI__FREE_MUNMAP, 4, 0x13000, 0x1000); /* a hole */
    put_alloc(&a, UBI__ALLOC_MMAP, 5, 0x13000, 0x1000, 0);
    put_free(&a, UBI__FREE_MUNMAP, 6, 0x11000,
             0x4000); /* the lower piece, the other mapping, a part of the upper piece */
    put_free(&a, UBI__FREE_MUNMAP, 7, 0x15000, 0x1000);
    put_free(&a, UBI__FREE_MUNMAP, 8, 0x10000, 0x8000);
    poll_now(&w);
    assert_string_equal(w.told, "+0:32768@0 ~0:28672 ~0:24576 ~0:20480 +1:4096@0 ~0:12288 -1 ~0:8192 ~0:4096 -0 ");
    assert_int_equal(counters_of(&w).live, 0);
    assert_int_equal(counters_of(&w).allocations, 2);
    assert_int_equal(counters_of(&w).frees, 2);
    close_world(&w);
}

static void test_frees_that_do_not_fit(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0);
    uint64_t stamp = 0;
    static const struct {
        ubi__alloc_kind allocated;
        ubi__free_kind freed;
        uint64_t said;
        const char *mark;
    } pairs[] = {
        { UBI__ALLOC_MALLOC, UBI__FREE_FREE, 0, "" },       { UBI__ALLOC_MALLOC, UBI__FREE_DELETE, 0, "!" },
        { UBI__ALLOC_NEW, UBI__FREE_DELETE, 0, "" },        { UBI__ALLOC_NEW, UBI__FREE_FREE, 0, "!" },
        { UBI__ALLOC_NEW, UBI__FREE_DELETE_ARRAY, 0, "!" }, { UBI__ALLOC_NEW_ARRAY, UBI__FREE_DELETE_ARRAY, 0, "" },
        { UBI__ALLOC_NEW, UBI__FREE_DELETE_SIZED, 10, "" }, { UBI__ALLOC_NEW, UBI__FREE_DELETE_SIZED, 8, "?" },
        { UBI__ALLOC_CALLOC, UBI__FREE_SIZED, 10, "" },     { UBI__ALLOC_MEMALIGN, UBI__FREE_SIZED, 11, "?" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char wanted[64];
        put_alloc(&a, pairs[i].allocated, ++stamp, 0x1000, 10, 0);
        put_free(&a, pairs[i].freed, ++stamp, 0x1000, pairs[i].said);
        w.n = 0;
        poll_now(&w);
        snprintf(wanted, sizeof wanted, "+%d:10@0 -%d%s ", (int)i, (int)i, pairs[i].mark);
        assert_string_equal(w.told, wanted);
    }
    put_free(&a, UBI__FREE_FREE, ++stamp, 0x9000, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, ++stamp, 0x1000, 10, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, ++stamp, 0x1000, 11, 0); /* its free was not seen */
    w.n = 0;
    poll_now(&w);
    assert_string_equal(w.told, "+10:10@0 -10 +11:11@0 ");
    ubi__preload_counters c = counters_of(&w);
    assert_int_equal(c.unknown_frees, 1);
    assert_int_equal(c.reused_addresses, 1);
    assert_int_equal(c.mismatched_frees, 3);
    assert_int_equal(c.wrong_sizes, 2);
    close_world(&w);
}

static void test_the_block_table_agrees_with_a_plain_one(void **state) {
    (void)state;
    enum { ADDRESSES = 400000 };
    static uint32_t plain[ADDRESSES]; /* number + 1; 0: not there */
    ubi__block_table t;
    ubi__block_table_init(&t, ubi_allocator_default());
    random_start(5);
    size_t n = 0;
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t k = random_below(i < 700000 ? ADDRESSES : ADDRESSES / 2), address = (k + 1) * 48;
        ubi__block *found = ubi__block_table_find(&t, address);
        assert_int_equal(found != NULL, plain[k] != 0);
        if (found) {
            assert_int_equal(found->number, plain[k] - 1);
            ubi__block_table_remove(&t, found);
            n -= plain[k] != 0;
            plain[k] = 0;
        } else {
            assert_int_equal(ubi__block_table_reserve(&t), UBI_OK);
            ubi__block before = ubi__block_table_put(&t, (ubi__block){ .address = address, .number = i });
            assert_int_equal(before.address, 0);
            plain[k] = i + 1;
            n++;
        }
        assert_int_equal(t.n, n);
        assert_true(t.n_groups <= UBI__BLOCK_ROOMY_GROUPS ||
                    t.n_groups * sizeof(ubi__block_group) <= (size_t)ADDRESSES * 32);
    }
    ubi__block_table_fini(&t);
}

/* ---- start, stop, reset ------------------------------------------------------------------------------------------ */

static void test_actions_are_reported_in_their_place(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_action(&a, UBI__ACTION_START, 1);
    put_alloc(&b, UBI__ALLOC_MALLOC, 2, 0x1000, 40, 0);
    put_action(&a, UBI__ACTION_STOP, 3);
    put_free(&b, UBI__FREE_FREE, 4, 0x1000, 0);
    put_action(&a, UBI__ACTION_RESET, 6);
    assert_false(ubi__preload_collector_has_reported(w.collector, 1));
    poll_now(&w);
    assert_string_equal(w.told, "start +0:40@0 stop -0 ");
    assert_true(ubi__preload_collector_has_reported(w.collector, 4));
    assert_false(ubi__preload_collector_has_reported(w.collector, 6));
    put_free(&b, UBI__FREE_FREE, 5, 0x2000, 0);
    poll_now(&w);
    assert_string_equal(w.told, "start +0:40@0 stop -0 reset ");
    assert_true(ubi__preload_collector_has_reported(w.collector, 6));
    close_world(&w);
}

static void test_an_action_that_there_is_not_is_broken(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_action(&a, UBI__ACTIONS, 1);
    put_action(&b, UBI__ACTION_STOP, 2);
    close_chunk(&a);
    assert_int_equal(ubi__preload_collector_finish(w.collector), UBI_OK);
    assert_string_equal(w.told, "stop ");
    assert_true(counters_of(&w).lost_bytes > 0);
    close_world(&w);
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

static void test_markers_are_reported_in_their_place_with_all_that_they_say(void **state) {
    (void)state;
    static const uint8_t details[] = "\0\2id\3abc"               /* text */
                                     "\1\1n\0\0\0\0\0\0\xf8\x3f" /* number: 1.5 */
                                     "\2\4good\1"                /* bool */
                                     "\0\0\0";                   /* nothing is called nothing */
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_marker(&a, UBI__MARKER_STACK, 1, 1000, put_trace(&a, 0, 11), "load", "", 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, 4, 0x1000, 40, put_trace(&a, 0, 12));
    put_marker(&a, 1, 6, 1700, 0, "load", "", 0);
    put_marker(&b, 0 | UBI__MARKER_OFF_MAIN_THREAD, 2, 900, 0, "draw", details, sizeof details - 1);
    poll_now(&w);
    assert_string_equal(w.told, "load<:1000@11{} draw<:900@0{id=abc,n=1.5,good=true,=,} ");
    put_marker(&b, 2, 3, 1650, 0, "", "", 0);
    put_free(&b, UBI__FREE_FREE, 5, 0x1000, 0);
    w.n = 0;
    poll_now(&w); /* what waited is reported once more has come */
    assert_string_equal(w.told, ".:1650@0{} +0:40@12 -0 load>:1700@0{} ");
    assert_int_equal(counters_of(&w).markers, 4);
    assert_int_equal(counters_of(&w).lost_events, 0);
    close_world(&w);
}

static void test_a_marker_waits_while_its_thread_writes_on(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    put_marker(&a, 0, 2, 1, 0, "waits", "", 0);
    poll_now(&w);
    for (uint64_t i = 3; i < 40000; i++) /* its bytes move, and chunks come and go */
        put_free(&a, UBI__FREE_FREE, i, 0x1000, 0);
    poll_now(&w);
    assert_string_equal(w.told, "");
    put_marker(&b, 0, 1, 1, 0, "first", "", 0);
    poll_now(&w);
    assert_string_equal(w.told, "first<:1@0{} waits<:1@0{} ");
    close_world(&w);
}

static void test_a_marker_that_breaks_a_rule_is_broken(void **state) {
    (void)state;
    static const struct {
        unsigned flags;
        uint32_t trace;
        const char *details;
        size_t n;
    } broken[] = {
        { 16, 0, "", 0 },                    /* no such flag */
        { UBI__MARKER_STACK, 7, "", 0 },     /* no such stack */
        { 0, 0, "\3\1x\1", 4 },              /* no such type of detail */
        { 0, 0, "\0\1x\5ab", 6 },            /* longer than all of it */
        { 0, 0, "\0\5", 2 },                 /* so is a name */
        { 0, 0, "\1\1x\0\0\0\0\0\0\0", 10 }, /* a byte less than a number has */
        { 0, 0, "\2\1x\x80", 4 },            /* a number that does not end */
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        world w;
        assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
        writer a = writer_of(&w, 0);
        put_marker(&a, broken[i].flags, 1, 5, broken[i].trace, "x", broken[i].details, broken[i].n);
        open_chunk(&a);
        put_marker(&a, 0, 2, 5, 0, "good", "", 0);
        finish_now(&w);
        assert_string_equal(w.told, "good<:5@0{} ");
        assert_true(counters_of(&w).lost_bytes > 0);
        close_world(&w);
    }
}

/* ---- what is broken ---------------------------------------------------------------------------------------------- */

static void test_a_broken_chunk_costs_itself_alone(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, put_trace(&a, 0, 11));
    uint32_t at = a.at;
    uint32_t lost_trace = put_trace(&a, 1, 12);
    put_alloc(&a, UBI__ALLOC_MALLOC, 2, 0x2000, 20, lost_trace);
    put_free(&a, UBI__FREE_FREE, 3, 0x1000, 0);
    memset(ubi__wire_chunk_data(w.area.header, a.chunk) + at, 0xff, a.at - at);
    uint64_t lost = a.at - at;
    open_chunk(&a);
    put_alloc(&a, UBI__ALLOC_MALLOC, 4, 0x3000, 30, lost_trace);
    put_alloc(&a, UBI__ALLOC_MALLOC, 5, 0x4000, 40, put_trace(&a, 1, 13));
    finish_now(&w);
    assert_string_equal(w.told, "+0:10@11 +1:30@0 +2:40@13 "); /* a stack that was lost is none */
    assert_int_equal(counters_of(&w).lost_bytes, lost);
    assert_int_equal(counters_of(&w).lost_events, 2);
    close_world(&w);
}

/* A program that writes well for a while, then scribbles over descriptors, prefaces and records. */
static void scribble(world *w, writer *writers, size_t n_writers) {
    uint64_t stamp = 0;
    uint32_t rounds = 1 + random_below(400);
    for (uint32_t i = 0; i < rounds; i++) {
        writer *a = &writers[random_below((uint32_t)n_writers)];
        uint64_t address = 16 + random_below(64) * 16u;
        switch (random_below(8)) {
        case 0:
            put_trace(a, a->state.next_trace > 1 ? random_below(a->state.next_trace) : 0, random_below(1000));
            break;
        case 1:
            put_free(a, (ubi__free_kind)random_below(UBI__FREE_KINDS), ++stamp, address, random_below(10000));
            break;
        case 2:
            put_control(a, (ubi__wire_control)(3 + random_below(2)));
            break;
        case 3:
            put_marker(a, random_below(UBI__MARKER_FLAGS + 1), ++stamp, random_below(1000),
                       random_below(a->state.next_trace), "name", "\0\1x\1y", 5);
            break;
        case 4:
            put_short_alloc(a, (ubi__alloc_kind)random_below(UBI__ALLOC_KINDS), ++stamp, address, random_below(100000),
                            random_below(a->state.next_trace));
            break;
        default:
            put_alloc(a, (ubi__alloc_kind)random_below(UBI__ALLOC_KINDS), ++stamp, address, random_below(100000),
                      random_below(a->state.next_trace));
        }
        if (random_below(50) == 0)
            poll_now(w);
        if (random_below(60) == 0)
            open_chunk(a);
        if (random_below(40) == 0) {
            uint8_t *bytes = random_below(3) ? ubi__wire_chunk_data(w->area.header, random_below(4))
                                             : (uint8_t *)ubi__wire_chunk_at(w->area.header, random_below(4));
            bytes[random_below(64)] = (uint8_t)random_below(256);
        }
        ubi__preload_area_tick(&w->area, i * 100000u);
    }
}

static void test_nothing_that_a_program_writes_breaks_the_collector(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        world w;
        random_start(seed);
        assert_int_equal(open_world(&w, seed % 2 ? 1 : 1000, NULL), UBI_OK);
        writer writers[3] = { writer_of(&w, 0), writer_of(&w, 1), writer_of(&w, 4095) };
        scribble(&w, writers, 3);
        finish_now(&w);
        assert_int_equal(counters_of(&w).live, w.n_live);
        close_world(&w);
    }
}

static void test_an_area_that_was_written_over_is_not_believed(void **state) {
    (void)state;
    for (int byte = 0; byte <= 0xff; byte += 0xff) {
        world w;
        assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
        writer a = writer_of(&w, 0);
        put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
        atomic_store(&w.area.header->dropped, 3);
        poll_now(&w);
        memset(w.area.header, byte, UBI__WIRE_CHUNKS_AT);
        poll_now(&w);
        finish_now(&w);
        assert_string_equal(w.told, "+0:10@0 ");
        assert_true(counters_of(&w).is_trampled);
        assert_int_equal(counters_of(&w).dropped, 3);
        assert_int_equal(counters_of(&w).lost_events, 0);
        close_world(&w);
    }
}

static void test_a_stamp_that_cannot_have_been_given_is_not_counted(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    writer a = writer_of(&w, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
    atomic_store(&w.area.header->stamp, UINT64_MAX);
    finish_now(&w);
    assert_true(counters_of(&w).is_trampled);
    assert_int_equal(counters_of(&w).lost_events, 0);
    close_world(&w);
}

static ubi_status collect_a_little(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    world w;
    UBI_TRY(open_world(&w, 1, allocator));
    writer a = writer_of(&w, 0), b = writer_of(&w, 1);
    for (uint64_t i = 1; i <= 200; i++)
        put_alloc(i % 2 ? &a : &b, i % 5 ? UBI__ALLOC_MALLOC : UBI__ALLOC_MMAP, i, i * 4096, 1000, put_trace(&a, 0, i));
    put_marker(&a, 0, 401, 7, 0, "name", "", 0);
    ubi_status status = ubi__preload_collector_poll(w.collector, NULL);
    for (uint64_t i = 1; i <= 100; i++)
        put_free(&b, UBI__FREE_REALLOC, 200 + i, i * 4096, 0);
    if (status == UBI_OK)
        status = ubi__preload_collector_finish(w.collector);
    else
        assert_int_equal(ubi__preload_collector_poll(w.collector, NULL), status); /* permanently */
    close_world(&w);
    return status;
}

static void test_a_refused_allocation_ends_it_cleanly(void **state) {
    (void)state;
    assert_true(fail_each_allocation(collect_a_little, NULL) > 10);
}

static void test_settings_that_make_no_sense_are_refused(void **state) {
    (void)state;
    ubi__preload_area area;
    const ubi__preload_settings none = { .period_bytes = 0 }, deep = { .period_bytes = 1, .max_depth = 1 << 20 };
    assert_int_equal(ubi__preload_area_new(&area, &none), UBI_EINVAL);
    assert_int_equal(ubi__preload_area_new(&area, &deep), UBI_EINVAL);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static void check_collector(void *collector) {
    collector_check(collector);
}

static void test_a_damaged_collector_is_seen(void **state) {
    (void)state;
    world w;
    assert_int_equal(open_world(&w, 1, NULL), UBI_OK);
    ubi__preload_collector *c = w.collector;
    writer a = writer_of(&w, 0), b = writer_of(&w, 7);
    put_alloc(&a, UBI__ALLOC_MALLOC, 1, 0x1000, 10, 0);
    put_alloc(&a, UBI__ALLOC_MALLOC, 4, 0x3000, 40, 0);
    put_alloc(&b, UBI__ALLOC_MALLOC, 3, 0x2000, 30, 0);
    poll_now(&w); /* 2 is not there: two contexts wait */
    assert_int_equal(c->n_heap, 2);
    collector_check(c);
    c->counters.allocations++;
    assert_damage_seen(check_collector, c, "c->counters.allocations == c->next_number");
    c->counters.allocations--;
    c->counters.frees++;
    assert_damage_seen(check_collector, c, "c->counters.allocations - c->counters.frees ==");
    c->counters.frees -= 2;
    c->n_mappings++; /* the sum is right */
    assert_damage_seen(check_collector, c, "c->n_mappings <= c->mappings.n");
    c->n_mappings--;
    c->counters.frees++;
    ubi__collector_context *first = c->heap[0];
    c->heap[0] = c->heap[1];
    c->heap[1] = first;
    assert_damage_seen(check_collector, c, "stream.event->stamp <= c->heap[i]->stream.event->stamp");
    c->heap[1] = c->heap[0];
    c->heap[0] = first;
    collector_check(c);
    finish_now(&w);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_of_all_contexts_are_reported_in_the_order_of_their_stamps),
        cmocka_unit_test(test_short_events_say_what_long_ones_do),
        cmocka_unit_test(test_a_short_event_that_breaks_a_rule_is_broken),
        cmocka_unit_test(test_what_never_comes_is_given_up_and_counted),
        cmocka_unit_test(test_what_was_under_way_at_the_end_is_not_lost),
        cmocka_unit_test(test_what_comes_after_the_end_is_no_part_of_it),
        cmocka_unit_test(test_chunks_are_given_back_when_they_are_read),
        cmocka_unit_test(test_a_poll_does_a_part_of_much_and_leaves_the_rest),
        cmocka_unit_test(test_realloc_has_one_of_three_outcomes),
        cmocka_unit_test(test_a_mapping_that_is_cut_stays_one_until_its_last_page),
        cmocka_unit_test(test_frees_that_do_not_fit),
        cmocka_unit_test(test_the_block_table_agrees_with_a_plain_one),
        cmocka_unit_test(test_actions_are_reported_in_their_place),
        cmocka_unit_test(test_an_action_that_there_is_not_is_broken),
        cmocka_unit_test(test_markers_are_reported_in_their_place_with_all_that_they_say),
        cmocka_unit_test(test_a_marker_waits_while_its_thread_writes_on),
        cmocka_unit_test(test_a_marker_that_breaks_a_rule_is_broken),
        cmocka_unit_test(test_a_broken_chunk_costs_itself_alone),
        cmocka_unit_test(test_nothing_that_a_program_writes_breaks_the_collector),
        cmocka_unit_test(test_an_area_that_was_written_over_is_not_believed),
        cmocka_unit_test(test_a_stamp_that_cannot_have_been_given_is_not_counted),
        cmocka_unit_test(test_a_refused_allocation_ends_it_cleanly),
        cmocka_unit_test(test_settings_that_make_no_sense_are_refused),
        cmocka_unit_test(test_a_damaged_collector_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
