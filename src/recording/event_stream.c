/* SPDX-License-Identifier: MIT
 *
 * event_stream.c: see event_stream.h.
 *
 * The first reading numbers the frees and notes those that are taken back: each is the last thing that its thread did. The second one
 * leaves them out.
 */
#include "recording/event_stream.h"

#include <stdlib.h>

#include "recording/live_table.h"

#define RECORDS_PER_PROGRESS 65536

typedef struct stream_pass {
    const ubi__event_stream *stream; /* NULL: of the first reading */
    const ubi_allocator *allocator;
    const ubi_progress *progress;
    ubi__ubirec_reader *reader;
    uint64_t n_frees, n_records;
    ubi__vec_u64 last_free; /* by thread: number of the free that it did last, from 1; 0: it did something else */
    ubi__vec_u64 *found;    /* out of the first reading */
    const ubi__vec_u64 *taken_back;
    size_t next_taken_back;
    ubi__live_table live; /* number + 1 -> info */
} stream_pass;

/* ---- the first reading ------------------------------------------------------------------------------------------------ */

static ubi_status free_note(stream_pass *p, const ubi__ubirec_record *r) {
    uint32_t thread = ubi__ubirec_thread_now(p->reader);
    while (p->last_free.n <= thread)
        UBI_TRY(ubi__vec_u64_push(&p->last_free, p->allocator, 0));
    uint64_t *last = &p->last_free.at[thread];
    if (r->type == UBI__UBIREC_FREE_UNDONE && *last)
        UBI_TRY(ubi__vec_u64_push(p->found, p->allocator, *last));
    *last = r->type == UBI__UBIREC_FREE ? ++p->n_frees : 0;
    return UBI_OK;
}

/* ---- the second one --------------------------------------------------------------------------------------------------- */

static ubi_status event_give(const stream_pass *p, uint64_t number, uint32_t info, bool is_free) {
    const ubi__stream_event event = { .allocation = number + 1,
                                      .time_ns = ubi__ubirec_time_ns(p->reader),
                                      .info = info,
                                      .thread = ubi__ubirec_thread_now(p->reader),
                                      .is_free = is_free };
    return p->stream->event(p->stream->payload, &event);
}

static bool is_in_window(const stream_pass *p) {
    return ubi__window_has(&p->stream->window, ubi__ubirec_time_ns(p->reader));
}

/* What was not allocated in the window never lives here. */
static ubi_status alloc_give(stream_pass *p, uint64_t number, uint32_t info) {
    if (!is_in_window(p))
        return UBI_OK;
    UBI_TRY(ubi__live_table_reserve(&p->live, 1));
    ubi__live_table_put(&p->live, number + 1, info);
    return event_give(p, number, info, false);
}

/* What is freed for the second time is wrong in the file, and passed over. */
static ubi_status free_give(stream_pass *p, uint64_t number) {
    ubi__live *live = ubi__live_table_find(&p->live, number + 1);
    p->n_frees++;
    if (p->next_taken_back < p->taken_back->n && p->taken_back->at[p->next_taken_back] == p->n_frees) {
        p->next_taken_back++;
        return UBI_OK;
    }
    if (!live || !is_in_window(p))
        return UBI_OK;
    uint32_t info = (uint32_t)live->event;
    ubi__live_table_remove(&p->live, live);
    return event_give(p, number, info, true);
}

/* A mapping that was cut lives with another size. */
static ubi_status undone_give(stream_pass *p, uint64_t number, uint32_t info) {
    ubi__live *live = ubi__live_table_find(&p->live, number + 1);
    if (!live || live->event == info || !is_in_window(p))
        return UBI_OK;
    UBI_TRY(event_give(p, number, (uint32_t)live->event, true));
    live->event = info;
    return event_give(p, number, info, false);
}

static ubi_status left_drop(stream_pass *p, uint64_t number) {
    ubi__live *live = ubi__live_table_find(&p->live, number + 1);
    if (!live)
        return UBI_OK;
    uint32_t info = (uint32_t)live->event;
    ubi__live_table_remove(&p->live, live);
    return p->stream->is_of_all ? event_give(p, number, info, true) : UBI_OK;
}

static ubi_status record_give(stream_pass *p, const ubi__ubirec_record *r) {
    switch (r->type) {
    case UBI__UBIREC_ALLOC:
        return alloc_give(p, r->event.number, r->event.info);
    case UBI__UBIREC_FREE:
        return free_give(p, r->event.number);
    case UBI__UBIREC_FREE_UNDONE:
        return undone_give(p, r->event.number, r->event.info);
    case UBI__UBIREC_LEFT:
        return left_drop(p, r->event.number);
    case UBI__UBIREC_RSS:
        return p->stream->resident && is_in_window(p)
                   ? p->stream->resident(p->stream->payload, ubi__ubirec_time_ns(p->reader), r->bytes)
                   : UBI_OK;
    default:
        return UBI_OK;
    }
}

/* ---- both ------------------------------------------------------------------------------------------------------------- */

static ubi_status record_take(stream_pass *p, const ubi__ubirec_record *r) {
    bool is_event = r->type == UBI__UBIREC_ALLOC || r->type == UBI__UBIREC_FREE || r->type == UBI__UBIREC_FREE_UNDONE;
    if (++p->n_records % RECORDS_PER_PROGRESS == 0 &&
        !ubi__progress(p->progress, "events", ubi__ubirec_bytes_in(p->reader), 0))
        return ubi__fail_cancelled();
    if (p->stream)
        return record_give(p, r);
    return is_event ? free_note(p, r) : UBI_OK;
}

static ubi_status records_take(stream_pass *p) {
    const ubi__ubirec_record *record;
    for (;;) {
        ubi_status status = ubi__ubirec_next(p->reader, &record);
        if (status == UBI_EFORMAT) /* what comes before counts */
            return UBI_OK;
        UBI_TRY(status);
        if (!record)
            return UBI_OK;
        UBI_TRY(record_take(p, record));
    }
}

static ubi_status source_take(stream_pass *p, ubi__source *source) {
    UBI_TRY(ubi__ubirec_reader_new(&p->reader, source, p->allocator));
    ubi_status status = records_take(p);
    ubi__ubirec_reader_free(p->reader);
    p->reader = NULL;
    return status;
}

static const ubi_progress no_progress = { NULL, NULL };

static int number_compare(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

ubi_status ubi__event_stream_look(ubi__vec_u64 *out, ubi__source *source, const ubi_progress *progress,
                                  const ubi_allocator *allocator) {
    stream_pass p = { .allocator = allocator, .progress = progress ? progress : &no_progress, .found = out };
    ubi_status status = source_take(&p, source);
    ubi__vec_u64_fini(&p.last_free, allocator);
    if (status == UBI_OK && out->n)
        qsort(out->at, out->n, sizeof *out->at, number_compare);
    return status;
}

ubi_status ubi__event_stream_read(const ubi__event_stream *stream, const ubi__vec_u64 *taken_back, ubi__source *source,
                                  const ubi_progress *progress, const ubi_allocator *allocator) {
    stream_pass p = { .stream = stream,
                      .allocator = allocator,
                      .progress = progress ? progress : &no_progress,
                      .taken_back = taken_back };
    ubi__live_table_init(&p.live, allocator);
    ubi_status status = source_take(&p, source);
    ubi__live_table_fini(&p.live);
    return status;
}
