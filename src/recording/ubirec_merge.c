/* SPDX-License-Identifier: MIT
 *
 * ubirec_merge.c: see ubirec_merge.h.
 *
 * Each input is read record by record; what it defines is looked up in the writer, and its numbers are translated. The input
 * whose next record is earliest is read until another's is earlier.
 */
#include "recording/ubirec_merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "recording/live_table.h"
#include "recording/ubirec_numbers.h"

#define RECORDS_PER_PROGRESS 65536

/* The free that was the last thing a thread did. */
typedef struct last_free {
    uint64_t number, merged; /* of the allocation; number 0: none; else + 1 */
} last_free;
UBI_VEC_DECLARE(last_frees, last_free);

typedef struct input {
    const char *path;
    uint64_t later_ns;   /* how much later the process began than the first one, */
    uint64_t earlier_ns; /* or earlier: start times are inexact */
    ubi__source source;  /* of the reader */
    ubi__ubirec_reader *reader;
    bool is_open, is_over;
    uint64_t time_ns;            /* of the next record, the same */
    ubi__ubirec_numbers numbers; /* of the input -> of the whole */
    last_frees last;             /* by thread */
    ubi__live_table live;        /* number + 1 -> number in the whole */
    uint64_t rss_bytes;
    uint64_t torn_bytes;
    bool has_given_up;
    char fault[256];
} input;
UBI_VEC_DECLARE(inputs, input);

struct ubi__ubirec_merge {
    const ubi_allocator *allocator;
    inputs inputs;
    uint64_t period_bytes, first_unix_ns;
    ubi__vec_u32 file_of_thread;
    ubi__vec_u8 has_symbols; /* by frame of the whole */
    ubi__ubirec_writer *writer;
    uint64_t rss_bytes;
    ubi__residence uses;     /* of the memory of all, each as it was seen last */
    uint64_t uses_ns;        /* no look was later */
    ubi__vec_pause pauses;   /* of any, in times of the first one */
    bool has_unknown_pauses; /* one was paused, and does not say when */
    uint64_t counters[UBI__UBIREC_COUNTER_COUNT];
    uint64_t n_records;
    ubi_status status;         /* of the record about the whole */
    bool has_end, was_stopped; /* any of them before its process ended */
    ubi__ubirec_end end;       /* of the first */
};

/* Threads of the whole are those of its inputs; resident memory is that of all that are open. */
static void merge_check(const ubi__ubirec_merge *m) {
    uint64_t rss_bytes = 0;
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const input *in = &m->inputs.at[i];
        rss_bytes += in->rss_bytes;
        UBI_ASSERT(!in->is_over || !in->is_open);
        UBI_ASSERT(!in->is_open || in->last.n == in->numbers.threads.n);
        UBI_ASSERT(in->later_ns == 0 || in->earlier_ns == 0);
    }
    UBI_ASSERT(m->rss_bytes == rss_bytes);
    for (size_t i = 0; i < m->file_of_thread.n; i++)
        UBI_ASSERT(m->file_of_thread.at[i] < m->inputs.n);
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__ubirec_merge_new(ubi__ubirec_merge **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__ubirec_merge *m = UBI_NEW(a, ubi__ubirec_merge);
    if (!m)
        return ubi__fail_nomem();
    m->allocator = a;
    ubi__residence_init(&m->uses, a);
    *out = m;
    return UBI_OK;
}

static void close_input(ubi__ubirec_merge *m, input *in) {
    if (!in->is_open)
        return;
    in->is_open = false;
    ubi__ubirec_reader_free(in->reader);
    ubi__source_close(&in->source);
    ubi__ubirec_numbers_fini(&in->numbers);
    ubi__live_table_fini(&in->live);
    last_frees_fini(&in->last, m->allocator);
}

void ubi__ubirec_merge_free(ubi__ubirec_merge *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->inputs.n; i++)
        close_input(m, &m->inputs.at[i]);
    inputs_fini(&m->inputs, m->allocator);
    ubi__vec_u32_fini(&m->file_of_thread, m->allocator);
    ubi__vec_u8_fini(&m->has_symbols, m->allocator);
    ubi__residence_fini(&m->uses);
    ubi__vec_pause_fini(&m->pauses, m->allocator);
    UBI_DELETE(m->allocator, m);
}

/* A time of the process as one of the first process. */
static uint64_t time_of_whole(const input *in, uint64_t time_ns) {
    uint64_t ns = time_ns > in->earlier_ns ? time_ns - in->earlier_ns : 0;
    return __builtin_add_overflow(ns, in->later_ns, &ns) ? UINT64_MAX : ns;
}

ubi_status ubi__ubirec_merge_add(ubi__ubirec_merge *m, const char *path, const ubi__ubirec_about *about) {
    if (m->inputs.n == 0) {
        m->period_bytes = about->period_bytes;
        m->first_unix_ns = about->start_unix_ns;
    }
    if (about->period_bytes != m->period_bytes)
        return ubi__fail(UBI_EINVAL, "'%s' was sampled with another period than '%s': they do not add up", path,
                         m->inputs.at[0].path);
    uint64_t began = about->start_unix_ns, first = m->first_unix_ns;
    input in = { .path = path,
                 .later_ns = began > first ? began - first : 0,
                 .earlier_ns = began && began < first ? first - began : 0 };
    in.time_ns = time_of_whole(&in, about->recording_start_ns);
    return inputs_push(&m->inputs, m->allocator, in);
}

static ubi_status open_input(ubi__ubirec_merge *m, input *in) {
    UBI_TRY(ubi__source_open_path(&in->source, in->path, m->allocator));
    ubi_status status = ubi__ubirec_numbers_init(&in->numbers, m->writer, NULL, NULL, m->allocator);
    if (status == UBI_OK) {
        status = ubi__ubirec_reader_new(&in->reader, &in->source, m->allocator);
        if (status != UBI_OK)
            ubi__ubirec_numbers_fini(&in->numbers);
    }
    if (status != UBI_OK) {
        ubi__source_close(&in->source);
        return status;
    }
    ubi__live_table_init(&in->live, m->allocator);
    in->is_open = true;
    return UBI_OK;
}

/* ---- what is numbered --------------------------------------------------------------------------------------------- */

static ubi_text string_of(const input *in, ubi_str_ix string) {
    return ubi__ubirec_string_at(&in->numbers.tables, string);
}

/* A thread that is numbered by now. */
static ubi_status note_thread(ubi__ubirec_merge *m, input *in) {
    UBI_TRY(ubi__vec_u32_push(&m->file_of_thread, m->allocator, (uint32_t)(in - m->inputs.at)));
    return last_frees_push(&in->last, m->allocator, (last_free){ 0 });
}

/* Those of the file that was last are as good as those of the first. */
static ubi_status add_symbols(ubi__ubirec_merge *m, input *in, uint32_t frame, const ubi__ubirec_symbol_row *rows,
                              uint32_t n) {
    uint32_t number = in->numbers.frames.at[frame];
    while (m->has_symbols.n <= number)
        UBI_TRY(ubi__vec_u8_push(&m->has_symbols, m->allocator, 0));
    if (m->has_symbols.at[number] || n == 0)
        return UBI_OK;
    m->has_symbols.at[number] = 1;
    return ubi__ubirec_numbers_write_symbols(&in->numbers, frame, rows, n);
}

/* ---- what happens ------------------------------------------------------------------------------------------------- */

static ubi_status at_now(ubi__ubirec_merge *m, const input *in) {
    UBI_TRY(ubi__ubirec_write_time(m->writer, in->time_ns));
    return ubi__ubirec_write_thread(m->writer, in->numbers.threads.at[ubi__ubirec_thread_now(in->reader)]);
}

static last_free *last_of_thread(const input *in) {
    return &in->last.at[ubi__ubirec_thread_now(in->reader)];
}

static ubi_status put_live(input *in, uint64_t number, uint64_t merged) {
    UBI_TRY(ubi__live_table_reserve(&in->live, 1));
    ubi__live_table_put(&in->live, number + 1, merged);
    return UBI_OK;
}

static ubi_status add_alloc(ubi__ubirec_merge *m, input *in, uint64_t number, uint32_t info) {
    uint64_t merged;
    UBI_TRY(at_now(m, in));
    *last_of_thread(in) = (last_free){ 0 };
    UBI_TRY(ubi__ubirec_write_alloc(m->writer, &merged, in->numbers.infos.at[info]));
    return put_live(in, number, merged);
}

/* A second free of the same is passed over. */
static ubi_status add_free(ubi__ubirec_merge *m, input *in, uint64_t number) {
    ubi__live *live = ubi__live_table_find(&in->live, number + 1);
    if (!live)
        return UBI_OK;
    UBI_TRY(at_now(m, in));
    uint64_t merged = live->event;
    ubi__live_table_remove(&in->live, live);
    *last_of_thread(in) = (last_free){ number + 1, merged };
    return ubi__ubirec_write_free(m->writer, merged);
}

static ubi_status add_free_undone(ubi__ubirec_merge *m, input *in, uint64_t number, uint32_t info) {
    last_free last = *last_of_thread(in);
    if (last.number != number + 1)
        return UBI_OK;
    UBI_TRY(at_now(m, in));
    *last_of_thread(in) = (last_free){ 0 };
    UBI_TRY(ubi__ubirec_write_free_undone(m->writer, last.merged, in->numbers.infos.at[info]));
    return put_live(in, number, last.merged);
}

static ubi_status set_rss(ubi__ubirec_merge *m, input *in, uint64_t bytes) {
    if (in->rss_bytes == bytes)
        return UBI_OK;
    m->rss_bytes += bytes - in->rss_bytes;
    in->rss_bytes = bytes;
    UBI_TRY(ubi__ubirec_write_time(m->writer, in->time_ns));
    return ubi__ubirec_write_rss(m->writer, m->rss_bytes);
}

static ubi_status add_marker(ubi__ubirec_merge *m, const input *in, const ubi__ubirec_record *r) {
    ubi__ubirec_marker marker = { .name = string_of(in, r->marker.name),
                                  .details = string_of(in, r->marker.details),
                                  .time_ns = time_of_whole(in, r->marker.time_ns),
                                  .type = r->marker.type,
                                  .process_type = r->marker.process_type,
                                  .is_off_main_thread = r->marker.is_off_main_thread,
                                  .thread = in->numbers.threads.at[r->marker.thread],
                                  .trace = in->numbers.traces.at[r->marker.trace] };
    UBI_TRY(at_now(m, in));
    return ubi__ubirec_write_marker(m->writer, &marker);
}

static ubi_status add_period(const ubi__ubirec_merge *m, const input *in, uint64_t bytes) {
    return bytes == m->period_bytes
               ? UBI_OK
               : ubi__fail(UBI_EINVAL, "'%s' has more than one period: it does not add up with others", in->path);
}

static ubi_status add_record(ubi__ubirec_merge *m, input *in, const ubi__ubirec_record *r) {
    bool done;
    UBI_TRY(ubi__ubirec_numbers_add(&in->numbers, r, &done));
    if (done)
        return r->type == UBI__UBIREC_THREAD ? note_thread(m, in) : UBI_OK;
    switch (r->type) {
    case UBI__UBIREC_THREAD_NAME:
        return ubi__ubirec_write_thread_name(m->writer, in->numbers.threads.at[r->thread_name.thread],
                                             string_of(in, r->thread_name.name));
    case UBI__UBIREC_TIME:
        in->time_ns = time_of_whole(in, r->time_ns);
        return UBI_OK;
    case UBI__UBIREC_ALLOC:
        return add_alloc(m, in, r->event.number, r->event.info);
    case UBI__UBIREC_FREE:
        return add_free(m, in, r->event.number);
    case UBI__UBIREC_FREE_UNDONE:
        return add_free_undone(m, in, r->event.number, r->event.info);
    case UBI__UBIREC_RSS:
        return set_rss(m, in, r->bytes);
    case UBI__UBIREC_PERIOD:
        return add_period(m, in, r->bytes);
    case UBI__UBIREC_MARKER:
        return add_marker(m, in, r);
    case UBI__UBIREC_SYMBOLS:
        return add_symbols(m, in, r->symbols.frame, r->symbols.at, r->symbols.n);
    default:
        return UBI_OK;
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static ubi_status live_events(ubi__vec_u64 *out, const input *in, const ubi_allocator *a) {
    UBI_TRY(ubi__vec_u64_reserve(out, a, in->live.table.n));
    for (size_t i = 0; i < in->live.table.n_slots; i++)
        if (in->live.table.slots[i].address)
            out->at[out->n++] = in->live.table.slots[i].event;
    return UBI_OK;
}

/* The blocks that a process left, in the order of their allocations: that of the table is another one in every run. */
static ubi_status input_leave_live(ubi__ubirec_merge *m, const input *in) {
    ubi__vec_u64 events = { NULL, 0, 0 };
    if (in->live.table.n == 0)
        return UBI_OK;
    ubi_status status = live_events(&events, in, m->allocator);
    if (status == UBI_OK)
        status = ubi__ubirec_write_time(m->writer, in->time_ns);
    if (status == UBI_OK)
        qsort(events.at, events.n, sizeof *events.at, by_number);
    for (size_t i = 0; status == UBI_OK && i < events.n; i++)
        status = ubi__ubirec_write_left(m->writer, events.at[i]);
    ubi__vec_u64_fini(&events, m->allocator);
    return status;
}

/* A pause lasts as long as the process. */
static ubi_status keep_pauses(ubi__ubirec_merge *m, const input *in) {
    const ubi__ubirec_tables *t = &in->numbers.tables;
    m->has_unknown_pauses |= t->counters[UBI__UBIREC_PAUSED_MS] && t->pauses.n == 0;
    for (size_t i = 0; i < t->pauses.n; i++) {
        uint64_t from_ns = time_of_whole(in, t->pauses.at[i].from_ns), to_ns = in->time_ns;
        if (t->pauses.at[i].to_ns < UINT64_MAX)
            to_ns = time_of_whole(in, t->pauses.at[i].to_ns);
        UBI_TRY(ubi__vec_pause_push(&m->pauses, m->allocator, (ubi__pause){ from_ns, ubi__larger(from_ns, to_ns) }));
    }
    return UBI_OK;
}

static int by_beginning(const void *a, const void *b) {
    const ubi__pause *x = a, *y = b;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* As those of one process. */
static ubi_status write_pauses(ubi__ubirec_merge *m) {
    if (m->pauses.n == 0 || m->has_unknown_pauses)
        return UBI_OK;
    qsort(m->pauses.at, m->pauses.n, sizeof *m->pauses.at, by_beginning);
    for (size_t i = 0; i < m->pauses.n;) {
        uint64_t from_ns = m->pauses.at[i].from_ns, to_ns = m->pauses.at[i].to_ns;
        while (++i < m->pauses.n && m->pauses.at[i].from_ns <= to_ns)
            to_ns = ubi__larger(to_ns, m->pauses.at[i].to_ns);
        UBI_TRY(ubi__ubirec_write_action(m->writer, UBI__UBIREC_ACTION_STOP, from_ns));
        UBI_TRY(ubi__ubirec_write_action(m->writer, UBI__UBIREC_ACTION_START, to_ns));
    }
    return UBI_OK;
}

/* What the file says in the end. */
static ubi_status end_input(ubi__ubirec_merge *m, input *in) {
    in->is_over = true;
    if (!in->is_open)
        return UBI_OK;
    in->torn_bytes = ubi__ubirec_torn_bytes(in->reader);
    in->has_given_up = in->numbers.tables.has_end
                           ? in->numbers.tables.end.reason == UBI__UBIREC_STOPPED &&
                                 in->numbers.tables.end.value == UBI__UBIREC_GAVE_UP
                           : in != m->inputs.at; /* of the first one, the result has no end either */
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++)
        m->counters[i] += in->numbers.tables.counters[i];
    if (in == m->inputs.at) {
        m->has_end = in->numbers.tables.has_end;
        m->end = in->numbers.tables.end;
    }
    m->was_stopped |=
        in->numbers.tables.has_end && in->numbers.tables.end.reason == UBI__UBIREC_STOPPED && !in->has_given_up;
    for (size_t i = 0; i < in->numbers.tables.started.n; i++) {
        const ubi__ubirec_started_row *row = &in->numbers.tables.started.at[i];
        UBI_TRY(ubi__ubirec_write_started(m->writer, string_of(in, row->name), row->count, row->why));
    }
    for (size_t i = 0; i < in->numbers.tables.companions.n; i++) {
        const ubi__ubirec_companion_row *row = &in->numbers.tables.companions.at[i];
        UBI_TRY(ubi__ubirec_write_companion(m->writer, string_of(in, row->suffix), string_of(in, row->name)));
    }
    UBI_TRY(ubi__ubirec_tables_add_uses(&m->uses, &in->numbers.tables));
    if (in->numbers.tables.uses.n)
        m->uses_ns = in->time_ns;
    UBI_TRY(keep_pauses(m, in));
    ubi__ubirec_numbers_check(&in->numbers);
    UBI_TRY(input_leave_live(m, in));
    UBI_TRY(set_rss(m, in, 0));
    close_input(m, in);
    return UBI_OK;
}

/* A record of the input. What is wrong in the file ends it, and nothing else. */
static ubi_status input_step(ubi__ubirec_merge *m, input *in) {
    const ubi__ubirec_record *r = NULL;
    ubi_status status = ubi__ubirec_next(in->reader, &r);
    if (status == UBI_EFORMAT) {
        snprintf(in->fault, sizeof in->fault, "%s", ubi_error_message());
        return end_input(m, in);
    }
    UBI_TRY(status);
    return r ? add_record(m, in, r) : end_input(m, in);
}

/* The input that is first in time, and when it is the turn of another one. NULL: all are over. */
static input *first_input(ubi__ubirec_merge *m, uint64_t *until_ns) {
    input *first = NULL;
    *until_ns = UINT64_MAX;
    for (size_t i = 0; i < m->inputs.n; i++) {
        input *in = &m->inputs.at[i];
        if (in->is_over)
            continue;
        if (!first || in->time_ns < first->time_ns) {
            if (first)
                *until_ns = first->time_ns;
            first = in;
        } else if (in->time_ns < *until_ns) {
            *until_ns = in->time_ns;
        }
    }
    return first;
}

static ubi_status write_all(ubi__ubirec_merge *m, const ubi_progress *progress) {
    uint64_t until_ns;
    for (input *in; (in = first_input(m, &until_ns)) != NULL;) {
        merge_check(m);
        UBI_ASSERT(in->time_ns <= until_ns);
        if (!in->is_open)
            UBI_TRY(open_input(m, in));
        while (!in->is_over && in->time_ns <= until_ns) {
            UBI_TRY(input_step(m, in));
            if (++m->n_records % RECORDS_PER_PROGRESS == 0 &&
                !ubi__progress(progress, "putting together", m->n_records, 0))
                return ubi__fail_cancelled();
        }
    }
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++)
        UBI_TRY(ubi__ubirec_write_counter(m->writer, (ubi__ubirec_counter)i, m->counters[i]));
    UBI_TRY(ubi__ubirec_write_uses(m->writer, &m->uses, 1, m->uses_ns));
    UBI_TRY(write_pauses(m));
    if (m->was_stopped && m->end.reason != UBI__UBIREC_STOPPED) /* the first process may have ended before that */
        m->end = (ubi__ubirec_end){ .reason = UBI__UBIREC_STOPPED };
    return m->has_end ? ubi__ubirec_write_end(m->writer, &m->end) : UBI_OK;
}

static void write_first_about(void *payload, const ubi__ubirec_about *about) {
    ubi__ubirec_merge *m = payload;
    m->status = ubi__ubirec_write_about(m->writer, about);
}

ubi_status ubi__ubirec_merge_write(ubi__ubirec_merge *m, ubi__ubirec_writer *w, const ubi_progress *progress) {
    m->writer = w;
    if (!ubi__ubirec_peek_about(m->inputs.at[0].path, write_first_about, m))
        return ubi__fail(UBI_EIO, "cannot read '%s' again", m->inputs.at[0].path);
    UBI_TRY(m->status);
    UBI_TRY(write_all(m, progress));
    return ubi__ubirec_flush(w);
}

uint32_t ubi__ubirec_merge_file_of(const ubi__ubirec_merge *m, uint32_t thread) {
    return m->file_of_thread.at[UBI_INDEX(thread, m->file_of_thread.n)];
}

bool ubi__ubirec_merge_gave_up(const ubi__ubirec_merge *m, uint32_t file) {
    return m->inputs.at[file].has_given_up;
}

const char *ubi__ubirec_merge_fault(const ubi__ubirec_merge *m, uint32_t file, uint64_t *torn_bytes) {
    *torn_bytes = m->inputs.at[file].torn_bytes;
    return m->inputs.at[file].fault;
}

bool ubi__ubirec_peek_about(const char *path, void (*take)(void *payload, const ubi__ubirec_about *about),
                            void *payload) {
    ubi__source source;
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record = NULL;
    if (ubi__source_open_path(&source, path, ubi_allocator_default()) != UBI_OK)
        return false;
    bool is_there = ubi__ubirec_reader_new(&reader, &source, ubi_allocator_default()) == UBI_OK;
    if (is_there) {
        is_there = ubi__ubirec_next(reader, &record) == UBI_OK && record && record->type == UBI__UBIREC_ABOUT;
        if (is_there)
            take(payload, &record->about);
        ubi__ubirec_reader_free(reader);
    }
    ubi__source_close(&source);
    return is_there;
}
