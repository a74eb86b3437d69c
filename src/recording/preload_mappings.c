/* SPDX-License-Identifier: MIT
 *
 * preload_mappings.c: mappings of a recorded program. Any part of one may be unmapped: it shrinks, is cut in two, and is freed with its
 * last page.
 */
#include "base/assert.h"
#include "recording/preload_collector_inside.h"

#define PAGE_BYTES 4096

static ubi_status add_mapping(ubi__preload_collector *c, uint64_t high, const ubi__wire_event *e) {
    ubi__preload_alloc event = { .number = c->next_number++,
                                 .address = e->about.address,
                                 .size_bytes = e->about.size_bytes,
                                 .kind = (ubi__alloc_kind)e->kind,
                                 .trace = e->about.trace,
                                 .thread = e->about.thread,
                                 .clock_us = e->about.clock_us };
    ubi__mapping mapping = {
        .low = e->about.address, .high = high, .number = event.number, .trace = e->about.trace, .kind = e->kind
    };
    UBI_TRY(ubi__mapping_add(&c->mappings, c->allocator, mapping));
    c->n_mappings++;
    return ubi__collector_report_alloc(c, &event);
}

/* A piece that stays of a mapping. @param left  its bytes are added. */
static ubi_status keep_piece(ubi__preload_collector *c, ubi__mapping m, uint64_t low, uint64_t high, uint64_t *left) {
    if (low >= high)
        return UBI_OK;
    *left += high - low;
    m.low = low;
    m.high = high;
    return ubi__mapping_add(&c->mappings, c->allocator, m);
}

/* Of an allocation that was cut in two before. Rare, and no more expensive than to take a mapping out of the list. */
static uint64_t bytes_of_pieces(const ubi__preload_collector *c, uint64_t number) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->mappings.n; i++)
        bytes += c->mappings.at[i].number == number ? c->mappings.at[i].high - c->mappings.at[i].low : 0;
    return bytes;
}

/* A range of a mapping is unmapped, which has at least a part of it. */
static ubi_status cut_mapping(ubi__preload_collector *c, size_t i, uint64_t low, uint64_t high,
                              const ubi__wire_event *e) {
    ubi__mapping m = c->mappings.at[i];
    uint64_t left = 0;
    ubi__mapping_remove(&c->mappings, i);
    if (m.has_pieces)
        left = bytes_of_pieces(c, m.number);
    m.has_pieces |= m.low < low && high < m.high;
    UBI_TRY(keep_piece(c, m, m.low, low, &left));
    UBI_TRY(keep_piece(c, m, high, m.high, &left));
    if (left) {
        ubi__preload_cut event = { .number = m.number,
                                   .size_bytes = left,
                                   .kind = (ubi__alloc_kind)m.kind,
                                   .trace = m.trace,
                                   .thread = e->about.thread,
                                   .clock_us = e->about.clock_us };
        return c->sink.cut(c->sink.payload, &event);
    }
    UBI_ASSERT(c->n_mappings > 0 && bytes_of_pieces(c, m.number) == 0);
    c->n_mappings--;
    ubi__preload_free event = {
        .number = m.number, .kind = (ubi__free_kind)e->kind, .thread = e->about.thread, .clock_us = e->about.clock_us
    };
    return ubi__collector_report_free(c, &event);
}

/* What lies in a range is unmapped; what is left of mappings at its ends stays. @param any  out: there was something */
static ubi_status cut_range(ubi__preload_collector *c, uint64_t low, uint64_t high, const ubi__wire_event *e,
                            bool *any) {
    *any = false;
    for (;;) {
        size_t i = ubi__mapping_at(&c->mappings, low);
        if (i == c->mappings.n || c->mappings.at[i].low >= high)
            return UBI_OK;
        *any = true;
        UBI_TRY(cut_mapping(c, i, low, high, e));
    }
}

/* The whole pages of a range. False: there is no such range. */
static bool pages_of(const ubi__wire_event *e, bool has_pages, uint64_t *high) {
    uint64_t size = e->about.size_bytes;
    if (has_pages && size <= UINT64_MAX - PAGE_BYTES)
        size = (size + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    if (size == 0 || e->about.address == 0 || size > UINT64_MAX - e->about.address)
        return false;
    *high = e->about.address + size;
    return true;
}

ubi_status ubi__collector_take_map(ubi__preload_collector *c, ubi__collector_context *x, const ubi__wire_event *e) {
    uint64_t high;
    bool any, is_moved = x->has_moved_mapping;
    x->has_moved_mapping = false;
    if (!pages_of(e, e->kind != UBI__ALLOC_BRK, &high)) {
        c->counters.lost_events++;
        return UBI_OK;
    }
    if (e->kind == UBI__ALLOC_MREMAP && !is_moved)
        return UBI_OK;
    ubi__wire_event replaced = *e;
    replaced.kind = UBI__FREE_MUNMAP;
    UBI_TRY(cut_range(c, e->about.address, high, &replaced, &any));
    c->counters.reused_addresses += any;
    return add_mapping(c, high, e);
}

ubi_status ubi__collector_take_unmap(ubi__preload_collector *c, ubi__collector_context *x, const ubi__wire_event *e) {
    uint64_t high;
    bool any = false;
    if (pages_of(e, e->kind != UBI__FREE_BRK, &high))
        UBI_TRY(cut_range(c, e->about.address, high, e, &any));
    if (e->kind == UBI__FREE_MREMAP)
        x->has_moved_mapping = any;
    return UBI_OK;
}
