/* SPDX-License-Identifier: MIT
 *
 * event_stream.c: see event_stream.h.
 *
 * The first reading numbers the frees and notes those that are taken back: each is the last thing that its thread did. The second one
 * leaves them out.
 */
#include "recording/event_stream.h"

#include <stdlib.h>

#include "recording/live_ledger.h"

#define RECORDS_PER_PROGRESS 65536

typedef struct stream_pass {
    const ubi__event_stream *stream; /* NULL: of the first reading */
    const ubi_allocator *allocator;
    const ubi_progress *progress;
    ubi__ubirec_reader *reader;
    unsigned threads;
    uint64_t n_frees, n_records, n_reported; /* records: of which progress was reported */
    uint64_t time_ns;                        /* now */
    uint32_t thread;
    ubi__vec_u64 last_free; /* by thread: number of the free that it did last, from 1; 0: it did something else */
    ubi__vec_u64 *found;    /* out of the first reading */
    const ubi__vec_u64 *taken_back;
    size_t next_taken_back;
    ubi__live_ledger live; /* number -> info + 1 */
} stream_pass;

/* ---- the first reading ------------------------------------------------------------------------------------------------ */

static ubi_status free_note(stream_pass *p, ubi__ubirec_type type) {
    while (ubi__unlikely(p->last_free.n <= p->thread))
        UBI_TRY(ubi__vec_u64_push(&p->last_free, p->allocator, 0));
    uint64_t *last = &p->last_free.at[p->thread];
    if (type == UBI__UBIREC_FREE_UNDONE && *last)
        UBI_TRY(ubi__vec_u64_push(p->found, p->allocator, *last));
    *last = type == UBI__UBIREC_FREE ? ++p->n_frees : 0;
    return UBI_OK;
}

/* ---- the second one --------------------------------------------------------------------------------------------------- */

static ubi_status event_give(const stream_pass *p, uint64_t number, uint32_t info, bool is_free) {
    const ubi__stream_event event = {
        .allocation = number + 1, .time_ns = p->time_ns, .info = info, .thread = p->thread, .is_free = is_free
    };
    return p->stream->event(p->stream->payload, &event);
}

static bool is_in_window(const stream_pass *p) {
    return ubi__window_has(&p->stream->window, p->time_ns);
}

/* What was not allocated in the window never lives here. */
static ubi_status alloc_give(stream_pass *p, uint64_t number, uint32_t info) {
    if (!is_in_window(p))
        return UBI_OK;
    UBI_TRY(ubi__live_ledger_add(&p->live, number, (uint64_t)info + 1));
    return event_give(p, number, info, false);
}

/* What is freed for the second time is wrong in the file, and passed over. */
static ubi_status free_give(stream_pass *p, uint64_t number) {
    p->n_frees++;
    if (p->next_taken_back < p->taken_back->n && p->taken_back->at[p->next_taken_back] == p->n_frees) {
        p->next_taken_back++;
        return UBI_OK;
    }
    uint64_t live = is_in_window(p) ? ubi__live_ledger_take(&p->live, number) : 0;
    return live ? event_give(p, number, (uint32_t)(live - 1), true) : UBI_OK;
}

/* A mapping that was cut lives with another size. */
static ubi_status undone_give(stream_pass *p, uint64_t number, uint32_t info) {
    uint64_t live = ubi__live_ledger_get(&p->live, number);
    if (!live || live - 1 == info || !is_in_window(p))
        return UBI_OK;
    UBI_TRY(event_give(p, number, (uint32_t)(live - 1), true));
    (void)ubi__live_ledger_take(&p->live, number);
    UBI_TRY(ubi__live_ledger_add(&p->live, number, (uint64_t)info + 1));
    return event_give(p, number, info, false);
}

static ubi_status left_drop(stream_pass *p, uint64_t number) {
    uint64_t live = ubi__live_ledger_take(&p->live, number);
    return live && p->stream->is_of_all ? event_give(p, number, (uint32_t)(live - 1), true) : UBI_OK;
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
        return p->stream->resident && is_in_window(p) ? p->stream->resident(p->stream->payload, p->time_ns, r->bytes)
                                                      : UBI_OK;
    default:
        return UBI_OK;
    }
}

/* ---- both ------------------------------------------------------------------------------------------------------------- */

static ubi_status record_take(stream_pass *p, const ubi__ubirec_record *r) {
    bool is_event = r->type == UBI__UBIREC_ALLOC || r->type == UBI__UBIREC_FREE || r->type == UBI__UBIREC_FREE_UNDONE;
    p->time_ns = ubi__ubirec_time_ns(p->reader);
    p->thread = ubi__ubirec_thread_now(p->reader);
    if (p->stream)
        return record_give(p, r);
    return is_event ? free_note(p, r->type) : UBI_OK;
}

static ubi_status event_take(stream_pass *p, ubi__ubirec_type type, uint64_t value, uint64_t *number) {
    switch (type) {
    case UBI__UBIREC_ALLOC:
        return p->stream ? alloc_give(p, (*number)++, (uint32_t)value) : free_note(p, type);
    case UBI__UBIREC_FREE:
        return p->stream ? free_give(p, value) : free_note(p, type);
    case UBI__UBIREC_TIME:
        p->time_ns = value;
        return UBI_OK;
    default:
        p->thread = (uint32_t)value;
        return UBI_OK;
    }
}

static ubi_status events_take(stream_pass *p, const ubi__ubirec_events *events) {
    uint64_t number = events->first_number;
    for (size_t i = 0; i < events->n; i++)
        UBI_TRY(event_take(p, (ubi__ubirec_type)events->types[i], events->values[i], &number));
    return UBI_OK;
}

static ubi_status progress_report(stream_pass *p, size_t n) {
    p->n_records += n;
    if (p->n_records - p->n_reported < RECORDS_PER_PROGRESS)
        return UBI_OK;
    p->n_reported = p->n_records;
    return ubi__progress(p->progress, "events", ubi__ubirec_bytes_in(p->reader), 0) ? UBI_OK : ubi__fail_cancelled();
}

static ubi_status records_take(stream_pass *p) {
    const ubi__ubirec_record *record;
    ubi__ubirec_events events;
    for (;;) {
        ubi__ubirec_next_events(p->reader, &events);
        UBI_TRY(events_take(p, &events));
        ubi_status status = ubi__ubirec_next(p->reader, &record);
        if (status == UBI_EFORMAT) /* what comes before counts */
            return UBI_OK;
        UBI_TRY(status);
        if (!record)
            return UBI_OK;
        UBI_TRY(progress_report(p, events.n + 1));
        UBI_TRY(record_take(p, record));
    }
}

static ubi_status source_take(stream_pass *p, ubi__source *source) {
    UBI_TRY(ubi__ubirec_reader_new(&p->reader, source, p->allocator));
    ubi__ubirec_read_ahead(p->reader, p->threads);
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

ubi_status ubi__event_stream_look(ubi__vec_u64 *out, ubi__source *source, unsigned threads,
                                  const ubi_progress *progress, const ubi_allocator *allocator) {
    stream_pass p = {
        .allocator = allocator, .progress = progress ? progress : &no_progress, .threads = threads, .found = out
    };
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
                      .threads = stream->threads,
                      .progress = progress ? progress : &no_progress,
                      .taken_back = taken_back };
    ubi__live_ledger_init(&p.live, allocator);
    ubi_status status = source_take(&p, source);
    ubi__live_ledger_fini(&p.live);
    return status;
}
