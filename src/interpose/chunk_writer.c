/* SPDX-License-Identifier: MIT
 *
 * chunk_writer.c: where chunks come from, see chunk_writer.h.
 */
#include "interpose/chunk_writer.h"

#include <fcntl.h>

#include "interpose/mapped_area.h"
#include "interpose/system_calls.h"

/* How long to sleep before looking whether the reader lives, and how many times without a sign before asking. */
#define SLICE_NS 100000000L
#define SLICES_STILL 20 /* 2 s: then it is looked for */
#define SLICES_GIVEN_UP 300

/* ---- is anybody there? ------------------------------------------------------------------------------------------- */

/* A dead process stays in the process table until its parent has asked for it. */
static bool is_zombie(int32_t pid) {
    char path[32] = "/proc/", digits[12], text[512];
    size_t n = 6, n_digits = 0;
    for (uint32_t rest = (uint32_t)pid; rest || !n_digits; rest /= 10)
        digits[n_digits++] = (char)('0' + rest % 10);
    while (n_digits)
        path[n++] = digits[--n_digits];
    for (const char *tail = "/stat"; *tail; tail++)
        path[n++] = *tail;
    long fd = ubi__system(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return false;
    long n_read = ubi__system(SYS_read, fd, (long)text, sizeof text, 0, 0, 0);
    (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
    /* pid (name, which may hold anything) state ... */
    while (n_read > 0 && text[n_read - 1] != ')')
        n_read--;
    return n_read > 0 && n_read + 1 < (long)sizeof text && (text[n_read + 1] == 'Z' || text[n_read + 1] == 'X');
}

static bool reader_is_gone(const ubi__wire_header *area) {
    return ubi__system(SYS_kill, area->reader_pid, 0, 0, 0, 0, 0) == -ESRCH || is_zombie(area->reader_pid);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

typedef struct wait {
    uint64_t clock_us; /* the reader's, when it was looked at last */
    unsigned still;    /* slices since it moved */
} wait;

/* Sleeps until the reader frees a chunk, or a moment. False: no use. */
static bool wait_for_reader(wait *w, ubi__wire_header *area, uint32_t freed_seen) {
    static const struct timespec slice = { .tv_nsec = SLICE_NS };
    atomic_fetch_add(&area->waiting, 1);
    ubi__futex_wait((const void *)&area->freed_chunks, freed_seen, true, &slice);
    atomic_fetch_sub(&area->waiting, 1);
    uint64_t now = atomic_load_explicit(&area->clock_us, memory_order_relaxed);
    if (now == UBI__WIRE_CLOCK_STOP)
        ubi__stop();
    else if (now != w->clock_us)
        *w = (wait){ .clock_us = now };
    else if (++w->still >= SLICES_GIVEN_UP || (w->still >= SLICES_STILL && reader_is_gone(area)))
        ubi__stop();
    return ubi__process_state.is_on;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static bool is_allowed(ubi__wire_header *area) {
    uint32_t limit = area->chunk_quota + atomic_load_explicit(&area->n_contexts, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&area->chunks_in_use, 1, memory_order_relaxed) < (int64_t)limit)
        return true;
    atomic_fetch_sub_explicit(&area->chunks_in_use, 1, memory_order_relaxed);
    return false;
}

static void raise_seen(ubi__wire_header *area, uint32_t n) {
    uint32_t seen = atomic_load_explicit(&area->chunks_seen, memory_order_relaxed);
    while (seen < n && !atomic_compare_exchange_weak(&area->chunks_seen, &seen, n)) {
    }
}

typedef enum taken {
    TAKEN,
    WAIT_FOR_READER,
    NO_ROOM, /* other threads have all that there is, and may keep it for any time */
} taken;

/* The first free one, for its memory is likely to be there and warm. */
static taken take(ubi__wire_header *area, uint32_t *out) {
    bool some_full = false;
    if (!is_allowed(area))
        return WAIT_FOR_READER;
    for (uint32_t i = 0; i < area->n_chunks && i < UBI__WIRE_CHUNKS && ubi__area_chunk(i); i++) {
        ubi__wire_chunk *chunk = ubi__wire_chunk_at(area, i);
        uint32_t state = atomic_load_explicit(&chunk->state, memory_order_relaxed);
        some_full |= state == UBI__CHUNK_FULL;
        if (state == UBI__CHUNK_FREE &&
            atomic_compare_exchange_strong_explicit(&chunk->state, &state, UBI__CHUNK_OPEN, memory_order_acquire,
                                                    memory_order_relaxed)) {
            raise_seen(area, i + 1);
            *out = i;
            return TAKEN;
        }
    }
    atomic_fetch_sub_explicit(&area->chunks_in_use, 1, memory_order_relaxed);
    return some_full ? WAIT_FOR_READER : NO_ROOM;
}

static void give_to_reader(ubi__context *c) {
    if (c->chunk)
        atomic_store_explicit(&c->chunk->state, UBI__CHUNK_FULL, memory_order_release);
    c->chunk = NULL;
    c->at = c->end = c->start = NULL;
}

static void open_chunk(ubi__context *c, ubi__wire_header *area, uint32_t i) {
    c->chunk = ubi__wire_chunk_at(area, i);
    c->start = ubi__area_chunk(i);
    c->end = c->start + UBI__WIRE_CHUNK_BYTES;
    c->last_address = c->last_pc = c->last_marker_ns = 0;
    c->last_trace = 0;
    *(ubi__wire_preface *)c->start = (ubi__wire_preface){
        .stamp = c->last_stamp,
        .clock_us = c->clock_us,
        .epoch = c->epoch,
        .next_trace = c->tree.n + 1,
        .tid = c->tid,
    };
    c->chunk->context = c->number;
    ubi__chunk_commit(c, c->start + sizeof(ubi__wire_preface));
    atomic_store_explicit(&c->chunk->sequence, ++c->sequence, memory_order_release);
}

bool ubi__chunk_next(ubi__context *c) {
    ubi__wire_header *area = c->area;
    give_to_reader(c);
    wait w = { .clock_us = atomic_load_explicit(&area->clock_us, memory_order_relaxed) };
    for (bool is_first = true;; is_first = false) {
        uint32_t i, freed = atomic_load(&area->freed_chunks);
        if (!ubi__process_state.is_on)
            return false;
        taken how = take(area, &i);
        if (how == TAKEN)
            open_chunk(c, area, i);
        if (how == NO_ROOM && atomic_load(&area->freed_chunks) != freed)
            continue; /* one that became free behind our back */
        if (how != WAIT_FOR_READER)
            return how == TAKEN;
        if (is_first)
            atomic_fetch_add_explicit(&area->waits, 1, memory_order_relaxed);
        if (!wait_for_reader(&w, area, freed))
            return false;
    }
}

void ubi__context_say_thread(ubi__context *c, uint32_t tid) {
    if (c->tid == tid)
        return;
    c->tid = tid;
    if (!c->chunk || (size_t)(c->end - c->at) < UBI__WIRE_RECORD_BYTES)
        return; /* the next chunk will say it */
    uint8_t *at = c->at;
    *at++ = UBI__OP_CONTROL | UBI__CONTROL_THREAD << UBI__OP_KIND_SHIFT;
    ubi__chunk_commit(c, ubi__wire_put(at, tid));
}
