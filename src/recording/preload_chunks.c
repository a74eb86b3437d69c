/* SPDX-License-Identifier: MIT
 *
 * preload_chunks.c: what is new in the chunks that a program shares with us is copied to the streams of their contexts.
 */
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "recording/preload_collector_inside.h"

/* Pages of freed chunks beyond this many go back to the system. */
#define WARM_CHUNKS UBI__WIRE_QUOTA_EXACT

/* NULL: no memory. */
static ubi__collector_context *context_of(ubi__preload_collector *c, uint32_t number) {
    if (!c->contexts[number]) {
        c->contexts[number] = UBI_NEW(c->allocator, ubi__collector_context);
        if (!c->contexts[number])
            return NULL;
        ubi__stream_init(&c->contexts[number]->stream, &c->common);
        c->n_contexts = number < c->n_contexts ? c->n_contexts : (size_t)number + 1;
    }
    return c->contexts[number];
}

static void free_chunk(ubi__preload_collector *c, uint32_t i) {
    ubi__wire_header *area = c->area->header;
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(area, i);
    c->chunks[i] = (ubi__chunk_progress){ 0 };
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
    ubi__chunk_progress *known = &c->chunks[i];
    ubi__collector_context *x = context_of(c, known->context);
    ubi__stream_piece *piece;
    if (!x)
        return ubi__fail_nomem();
    UBI_TRY(ubi__stream_piece_of(&x->stream, &piece, known->sequence));
    if (!piece) /* that sequence was over: the chunk says something wrong */
        return UBI_OK;
    if (committed > known->copied) {
        const uint8_t *bytes = ubi__wire_chunk_data(c->area->header, i);
        UBI_TRY(ubi__stream_piece_append(&x->stream, piece, bytes + known->copied, committed - known->copied));
        c->poll_bytes += committed - known->copied;
        known->copied = committed;
    }
    if (is_full)
        ubi__stream_piece_complete(piece);
    return UBI_OK;
}

void ubi__collector_see_counters(ubi__preload_collector *c) {
    const ubi__wire_header *area = c->area->header;
    ubi__preload_counters seen = c->counters;
    seen.dropped = atomic_load_explicit(&area->dropped, memory_order_relaxed);
    seen.dropped_reentrant = atomic_load_explicit(&area->dropped_reentrant, memory_order_relaxed);
    seen.dropped_markers = atomic_load_explicit(&area->dropped_markers, memory_order_relaxed);
    seen.failed_walks = atomic_load_explicit(&area->failed_walks, memory_order_relaxed);
    seen.deep_binds = atomic_load_explicit(&area->deep_binds, memory_order_relaxed);
    seen.namespaces = atomic_load_explicit(&area->namespaces, memory_order_relaxed);
    seen.waits = atomic_load_explicit(&area->waits, memory_order_relaxed);
    for (int i = 0; i < UBI__UNRECORDED_COUNT; i++)
        seen.lost_children[i] = atomic_load_explicit(&area->lost_children[i], memory_order_relaxed);
    uint32_t scripts = atomic_load_explicit(&area->scripts, memory_order_relaxed);
    seen.scripts = scripts < UBI__SCRIPTS_TROUBLES ? (ubi__wire_scripts)scripts : UBI__SCRIPTS_FINE;
    seen.state = (ubi__wire_program_state)atomic_load_explicit(&area->state, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (ubi__preload_area_is_sound(c->area))
        c->counters = seen;
    else
        c->is_trampled = true;
}

/* @param any  out: set when there was something new */
static ubi_status read_chunk(ubi__preload_collector *c, uint32_t i, bool *any) {
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(c->area->header, i);
    ubi__chunk_progress *known = &c->chunks[i];
    uint32_t state = atomic_load_explicit(&chunk->state, memory_order_acquire);
    uint64_t sequence = atomic_load_explicit(&chunk->sequence, memory_order_acquire);
    if (known->sequence != 0 && (state == UBI__CHUNK_FREE || sequence != known->sequence)) {
        c->is_trampled = true; /* we alone free chunks */
        return UBI_OK;
    }
    if (state == UBI__CHUNK_FREE || sequence == 0)
        return UBI_OK;
    if (known->sequence == 0)
        *known = (ubi__chunk_progress){ .sequence = sequence, .context = chunk->context };
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

ubi_status ubi__collector_read_chunks(ubi__preload_collector *c, bool *any) {
    uint32_t n = atomic_load_explicit(&c->area->header->chunks_seen, memory_order_acquire);
    n = n < c->area->n_chunks ? n : c->area->n_chunks;
    c->poll_bytes = 0;
    for (uint32_t k = 0; k < n && c->poll_bytes < UBI__COLLECTOR_POLL_BYTES && !c->is_trampled; k++) {
        c->next_chunk = c->next_chunk < n ? c->next_chunk : 0;
        UBI_TRY(read_chunk(c, c->next_chunk++, any));
        c->n_looked++;
    }
    if (c->n_looked >= n) {
        c->n_looked = 0;
        c->n_rounds++;
    }
    return UBI_OK;
}
