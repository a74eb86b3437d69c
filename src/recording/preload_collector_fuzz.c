/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all as what a recorded program has written. Promises checked:
 *
 *   - no failure but of memory: what is broken is counted
 *   - numbers of allocations count up, and only what lives is freed, whether one looks often or at the end
 *
 * The first byte says whether the recording is exact; then each chunk is a byte for its context, two for its length,
 * and its records, which begin an epoch of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "recording/preload_collector.h"

#define MAX_CHUNKS 64
#define MAX_LIVE 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "preload_collector_fuzz: %s\n", what);
    abort();
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

typedef struct listener {
    uint64_t n_allocations, n_frees, n_markers;
    uint8_t touched; /* by every byte of a name */
    uint32_t n_traces, n_threads, n_modules;
    bool is_live[MAX_LIVE];
} listener;

static ubi_status take_module(void *payload, uint32_t *out, const ubi__preload_module *module) {
    (void)module;
    listener *l = payload;
    *out = l->n_modules++;
    return UBI_OK;
}

static ubi_status take_trace(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                             uint64_t address) {
    (void)address;
    listener *l = payload;
    require(kind < UBI__TRACE_KINDS && caller <= l->n_traces, "a trace with an unknown caller");
    require(module == UBI__PRELOAD_NO_MODULE || module < l->n_modules, "a trace in an unknown module");
    *out = ++l->n_traces;
    return UBI_OK;
}

static ubi_status take_script(void *payload, uint32_t *out, uint32_t caller, const ubi__preload_script *frame) {
    listener *l = payload;
    require(caller <= l->n_traces, "a script with an unknown caller");
    require(frame->function.len <= UBI__WIRE_FUNCTION_BYTES && frame->file.len <= UBI__WIRE_PATH_BYTES, "a long name");
    for (size_t i = 0; i < frame->function.len; i++)
        l->touched ^= (uint8_t)frame->function.ptr[i];
    for (size_t i = 0; i < frame->file.len; i++)
        l->touched ^= (uint8_t)frame->file.ptr[i];
    *out = ++l->n_traces;
    return UBI_OK;
}

static ubi_status take_thread(void *payload, uint32_t *out, uint64_t tid) {
    (void)tid;
    listener *l = payload;
    *out = l->n_threads++;
    return UBI_OK;
}

static ubi_status take_alloc(void *payload, const ubi__preload_alloc *e) {
    listener *l = payload;
    require(e->number == l->n_allocations++, "allocations are not counted up");
    require(e->kind < UBI__ALLOC_KINDS && e->trace <= l->n_traces && e->thread < l->n_threads, "a strange allocation");
    if (e->number < MAX_LIVE)
        l->is_live[e->number] = true;
    return UBI_OK;
}

static ubi_status take_free(void *payload, const ubi__preload_free *e) {
    listener *l = payload;
    require(e->number < l->n_allocations, "a free of what never was");
    require(e->number >= MAX_LIVE || l->is_live[e->number], "a free of what does not live");
    if (e->number < MAX_LIVE)
        l->is_live[e->number] = false;
    l->n_frees++;
    return UBI_OK;
}

static ubi_status take_cut(void *payload, const ubi__preload_cut *e) {
    const listener *l = payload;
    require(e->number < l->n_allocations && e->size_bytes > 0, "a cut of what never was, or all of it");
    require(e->number >= MAX_LIVE || l->is_live[e->number], "a cut of what does not live");
    require(e->kind >= UBI__ALLOC_MMAP && e->kind < UBI__ALLOC_KINDS, "a cut of no mapping");
    return UBI_OK;
}

static ubi_status take_marker(void *payload, const ubi__preload_marker *e) {
    listener *l = payload;
    ubi__preload_detail detail;
    const uint8_t *at = e->details, *end = at + e->details_bytes;
    require(e->flags <= UBI__MARKER_FLAGS && e->trace <= l->n_traces && e->thread < l->n_threads, "a strange marker");
    for (size_t i = 0; i < e->name.len; i++)
        l->touched ^= (uint8_t)e->name.ptr[i];
    while (at < end)
        require(ubi__preload_detail_next(&at, end, &detail), "a broken detail");
    l->n_markers++;
    return UBI_OK;
}

/* ---- a program --------------------------------------------------------------------------------------------------- */

static void write_chunk(ubi__preload_area *area, uint32_t i, uint32_t context, uint64_t sequence, const uint8_t *bytes,
                        size_t n) {
    ubi__wire_chunk *chunk = ubi__wire_chunk_at(area->header, i);
    const ubi__wire_preface preface = { .next_trace = 1, .tid = 1 + context, .epoch = (uint32_t)sequence };
    uint8_t *to = ubi__wire_chunk_data(area->header, i);
    memcpy(to, &preface, sizeof preface);
    memcpy(to + sizeof preface, bytes, n);
    chunk->context = context;
    atomic_store(&chunk->committed, (uint32_t)(sizeof preface + n));
    atomic_store(&chunk->sequence, sequence);
    atomic_store(&chunk->state, UBI__CHUNK_FULL);
    atomic_store(&area->header->chunks_seen, i + 1);
}

/* @param polls  look after every chunk */
static void collect(const uint8_t *data, size_t size, bool polls, listener *l) {
    const ubi__preload_settings settings = { .period_bytes = size && data[0] & 1 ? 1 : 1000 };
    const ubi__preload_sink sink = { .payload = l,
                                     .module = take_module,
                                     .trace = take_trace,
                                     .script = take_script,
                                     .thread = take_thread,
                                     .alloc = take_alloc,
                                     .free = take_free,
                                     .cut = take_cut,
                                     .marker = take_marker };
    uint64_t sequences[4] = { 0 };
    ubi__preload_area area;
    ubi__preload_collector *c;
    require(ubi__preload_area_new(&area, &settings) == UBI_OK, "no area");
    require(ubi__preload_collector_new(&c, &area, &sink, NULL) == UBI_OK, "no collector");
    size_t at = 1;
    for (uint32_t i = 0; i < MAX_CHUNKS && at + 3 <= size; i++) {
        uint32_t context = data[at] & 3;
        size_t n = (size_t)(data[at + 1] | data[at + 2] << 8), most = UBI__WIRE_CHUNK_BYTES - sizeof(ubi__wire_preface);
        at += 3;
        n = n < size - at ? n : size - at;
        n = n < most ? n : most;
        write_chunk(&area, i, context, ++sequences[context], data + at, n);
        at += n;
        if (polls)
            require(ubi__preload_collector_poll(c, NULL) == UBI_OK, ubi_error_message());
    }
    require(ubi__preload_collector_finish(c) == UBI_OK, ubi_error_message());
    ubi__preload_counters counters;
    ubi__preload_collector_counters(c, &counters);
    require(counters.live == l->n_allocations - l->n_frees, "what lives is not what was not freed");
    require(counters.markers == l->n_markers && counters.allocations == l->n_allocations &&
                counters.frees == l->n_frees,
            "counters are wrong");
    ubi__preload_collector_free(c);
    ubi__preload_area_free(&area);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    listener *l = calloc(1, sizeof *l);
    require(l != NULL, "no memory");
    collect(data, size, false, l);
    memset(l, 0, sizeof *l);
    collect(data, size, true, l);
    free(l);
    return 0;
}
