/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints_take.c: makes checkpoints: reads a recording as windows of time that follow each other (recording_checkpoints.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "recording/recording_checkpoints.h"
#include "recording/recording_summary_inside.h"
#include "recording/site_curves.h"

#define RECORDS_PER_PROGRESS 65536
/* Checkpoints are a part of an index that should be small beside its file: a tenth of it, and at most a fifth. */
#define SIZE_PART 10
#define SIZE_LEAST (UINT64_C(1) << 20)
#define FEWEST 4
/* Bytes of a checkpoint, about, for what lives, and for each info and thread. */
#define LIVE_BYTES 6
#define MAKER_BYTES 2
/* Sums of sizes up to here are whole numbers in a double, too. */
#define EXACT_BYTES (UINT64_C(1) << 52)

/** A temporary allocation of an earlier part. */
typedef struct older_temporary {
    uint64_t number;
    uint32_t maker, thread;
} older_temporary;

UBI_VEC_DECLARE(vec_live, ubi__checkpoint_live);
UBI_VEC_DECLARE(vec_older_temporary, older_temporary);

/** What makers had when most of their class lived, in a part or in a span of the curve. */
typedef struct peaks {
    bool has_begun;
    uint64_t bytes[UBI__UBIREC_CLASS_COUNT], time_ns[UBI__UBIREC_CLASS_COUNT];
    ubi__vec_u64 live; /* of makers; of those after the last, none */
} peaks;

typedef struct taking {
    ubi__recording_checkpoints *out;
    peaks of_part, of_span;
    uint64_t span_ns, n_spans; /* so far */
    bool has_no_curve;
    const ubi_allocator *allocator;
    ubi__recording_summary s; /* of the part since the last checkpoint */
    ubi__part_notes notes;
    vec_live live; /* at the last checkpoint, by number */
    vec_older_temporary temporary;
    ubi_status status; /* of what notes were made of */
    bool is_crossed;
    bool is_unfit; /* there cannot be checkpoints of this file */
    uint64_t least_events, most_bytes;
} taking;

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

static ubi_status number_append(ubi__vec_u8 *to, uint64_t value, const ubi_allocator *a) {
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        bytes[n++] = (uint8_t)(value | 128);
    bytes[n++] = (uint8_t)value;
    return ubi__bytes_append(to, bytes, n, a);
}

static ubi_status number_put(taking *t, uint64_t value) {
    return number_append(&t->out->bytes, value, t->allocator);
}

static ubi_status estimate_put(taking *t, const ubi__estimate *estimate) {
    UBI_TRY(number_put(t, estimate->samples));
    return number_put(t, (uint64_t)estimate->bytes);
}

static ubi_status threads_put(taking *t) {
    const ubi__vec_thread_sums *threads = &t->s.threads;
    UBI_TRY(number_put(t, threads->n));
    for (size_t i = 0; i < threads->n; i++) {
        UBI_TRY(number_put(t, threads->at[i].last_allocation));
        UBI_TRY(number_put(t, threads->at[i].last_maker));
        UBI_TRY(number_put(t, threads->at[i].last_free != UBI__LAST_FREE_NONE));
    }
    return UBI_OK;
}

static ubi_status live_put(taking *t) {
    const ubi__checkpoint_live *before = &(const ubi__checkpoint_live){ .number = 0 };
    UBI_TRY(number_put(t, t->live.n));
    for (size_t i = 0; i < t->live.n; i++) {
        const ubi__checkpoint_live *live = &t->live.at[i];
        UBI_TRY(number_put(t, live->number - before->number));
        UBI_TRY(number_put(t, (uint64_t)live->maker << UBI__FATE_BITS | live->fate));
        UBI_TRY(number_put(t, ubi__zigzag((int64_t)live->ms - before->ms)));
        before = live;
    }
    return UBI_OK;
}

/* ---- peaks ----------------------------------------------------------------------------------------------------------- */

/* What came since the last time may have been more than all before. @param is_new  of classes of which it was. */
static ubi_status peaks_raise(taking *t, peaks *p, bool is_new[UBI__UBIREC_CLASS_COUNT]) {
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        const ubi__class_sums *c = &t->s.classes[i];
        is_new[i] = !p->has_begun || c->peak_bytes > p->bytes[i];
        if (is_new[i]) {
            p->bytes[i] = c->peak_bytes;
            p->time_ns[i] = c->peak_time_ns;
        }
    }
    p->has_begun = true;
    UBI_TRY(ubi__vec_u64_reserve(&p->live, t->allocator, t->s.makers.n - p->live.n));
    while (p->live.n < t->s.makers.n)
        p->live.at[p->live.n++] = 0;
    return UBI_OK;
}

/* Of the summary, into those of the part and of the span. It begins with what lives now. */
static ubi_status peaks_collect(taking *t) {
    ubi__recording_summary *s = &t->s;
    bool is_new_of_part[UBI__UBIREC_CLASS_COUNT], is_new_of_span[UBI__UBIREC_CLASS_COUNT];
    UBI_TRY(peaks_raise(t, &t->of_part, is_new_of_part));
    UBI_TRY(peaks_raise(t, &t->of_span, is_new_of_span));
    for (size_t i = 0; i < s->makers.n; i++) {
        ubi__maker_sums *maker = &s->makers.at[i];
        ubi__maker_note_peak(maker, &s->classes[maker->of_class]);
        if (is_new_of_part[maker->of_class])
            t->of_part.live.at[i] = maker->peak_live;
        if (is_new_of_span[maker->of_class])
            t->of_span.live.at[i] = maker->peak_live;
        maker->peak_live = maker->live;
        maker->epoch = 1;
    }
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        s->classes[i].peak_bytes = s->classes[i].peak_met_bytes = s->classes[i].live_bytes;
        s->classes[i].epoch = 1;
    }
    return UBI_OK;
}

/* ---- the curve of stacks --------------------------------------------------------------------------------------------- */

static ubi_status stacks_put(taking *t, const uint64_t *bytes, size_t n_traces) {
    ubi__vec_u8 *to = &t->out->curve;
    size_t n = 0, before = 0;
    for (size_t i = 0; i < n_traces; i++)
        n += bytes[i] != 0;
    UBI_TRY(number_append(to, t->of_span.bytes[UBI__UBIREC_HEAP], t->allocator));
    UBI_TRY(number_append(to, n, t->allocator));
    for (size_t i = 0; i < n_traces; i++) {
        if (!bytes[i])
            continue;
        UBI_TRY(number_append(to, i - before, t->allocator));
        UBI_TRY(number_append(to, bytes[i], t->allocator));
        before = i;
    }
    return UBI_OK;
}

static ubi_status span_end(taking *t) {
    const ubi__ubirec_tables *tables = &t->s.tables;
    size_t n_traces = tables->traces.n;
    UBI_TRY(peaks_collect(t));
    uint64_t *bytes = ubi__calloc_array(t->allocator, n_traces + 1, sizeof *bytes);
    if (!bytes)
        return ubi__fail_nomem();
    for (size_t i = 0; i < t->of_span.live.n; i++) {
        if (!t->of_span.live.at[i] || t->s.makers.at[i].of_class != UBI__UBIREC_HEAP)
            continue;
        const ubi__ubirec_info_row *info = &tables->infos.at[t->s.makers.at[i].info];
        bytes[info->trace] += t->of_span.live.at[i] * info->weight_bytes;
    }
    ubi_status status = stacks_put(t, bytes, n_traces);
    ubi__free_array(t->allocator, bytes, n_traces + 1, sizeof *bytes);
    t->of_span.has_begun = false;
    t->n_spans++;
    t->has_no_curve |= t->out->curve.n > t->most_bytes / 4;
    return status;
}

/* Spans that end before this time. */
static ubi_status spans_reach(taking *t, uint64_t time_ns) {
    while (!t->has_no_curve && t->n_spans < time_ns / t->span_ns)
        UBI_TRY(span_end(t));
    return UBI_OK;
}

static ubi_status spans_begin(taking *t, const ubi__recording_summary *whole) {
    t->span_ns = whole->time_ns / UBI__SITE_CURVE_POINTS + 1;
    UBI_TRY(number_append(&t->out->curve, t->span_ns, t->allocator));
    return number_append(&t->out->curve, whole->time_ns / t->span_ns + 1, t->allocator);
}

static ubi_status spans_end(taking *t, uint64_t time_ns) {
    UBI_TRY(spans_reach(t, time_ns));
    if (!t->has_no_curve)
        return span_end(t);
    ubi__vec_u8_fini(&t->out->curve, t->allocator);
    return UBI_OK;
}

/* ---- sums of a part -------------------------------------------------------------------------------------------------- */

static ubi_status makers_put(taking *t) {
    const ubi__vec_maker_sums *makers = &t->s.makers;
    size_t n = 0, before = 0;
    for (size_t i = 0; i < makers->n; i++)
        n += makers->at[i].count || makers->at[i].temporary;
    UBI_TRY(number_put(t, n));
    for (size_t i = 0; i < makers->n; i++) {
        const ubi__maker_sums *maker = &makers->at[i];
        if (!maker->count && !maker->temporary)
            continue;
        UBI_TRY(number_put(t, i - before));
        UBI_TRY(number_put(t, maker->count << 1 | (maker->temporary != 0)));
        if (maker->temporary)
            UBI_TRY(number_put(t, maker->temporary));
        before = i;
    }
    return UBI_OK;
}

static ubi_status peaks_put(taking *t) {
    const ubi__vec_u64 *live = &t->of_part.live;
    size_t n = 0, before = 0;
    for (size_t i = 0; i < live->n; i++)
        n += live->at[i] != 0;
    UBI_TRY(number_put(t, n));
    for (size_t i = 0; i < live->n; i++) {
        if (!live->at[i])
            continue;
        UBI_TRY(number_put(t, i - before));
        UBI_TRY(number_put(t, live->at[i]));
        before = i;
    }
    return UBI_OK;
}

static ubi_status thread_sums_put(taking *t) {
    const ubi__vec_thread_sums *threads = &t->s.threads;
    size_t n = 0, before = 0;
    for (size_t i = 0; i < threads->n; i++)
        n += threads->at[i].allocated.samples || threads->at[i].freed.samples;
    UBI_TRY(number_put(t, n));
    for (size_t i = 0; i < threads->n; i++) {
        if (!threads->at[i].allocated.samples && !threads->at[i].freed.samples)
            continue;
        UBI_TRY(number_put(t, i - before));
        UBI_TRY(estimate_put(t, &threads->at[i].allocated));
        UBI_TRY(estimate_put(t, &threads->at[i].freed));
        UBI_TRY(estimate_put(t, &threads->at[i].temporary));
        before = i;
    }
    return UBI_OK;
}

/* What comes after the last event of the part is as it was then. */
static ubi_status curve_put(taking *t) {
    if (t->s.n_curve)
        ubi__curve_point_now(&t->s);
    UBI_TRY(number_put(t, t->s.n_curve));
    UBI_TRY(number_put(t, t->s.curve_step_ns / UBI__FIRST_CURVE_STEP_NS));
    UBI_TRY(number_put(t, t->s.curve_first));
    for (size_t i = 0; i < t->s.n_curve; i++) {
        UBI_TRY(number_put(t, t->s.curve[i].live_bytes));
        UBI_TRY(number_put(t, t->s.curve[i].rss_bytes));
    }
    return UBI_OK;
}

static ubi_status temporary_put(taking *t) {
    UBI_TRY(number_put(t, t->temporary.n));
    for (size_t i = 0; i < t->temporary.n; i++) {
        UBI_TRY(number_put(t, t->temporary.at[i].number));
        UBI_TRY(number_put(t, t->temporary.at[i].maker));
        UBI_TRY(number_put(t, t->temporary.at[i].thread));
    }
    return UBI_OK;
}

/* What came since the last checkpoint. */
static ubi_status part_end(taking *t) {
    ubi__checkpoint *row = &t->out->rows.at[t->out->rows.n - 1];
    UBI_TRY(peaks_collect(t));
    row->live_at = t->out->bytes.n;
    UBI_TRY(live_put(t));
    row->sums_at = t->out->bytes.n;
    UBI_TRY(makers_put(t));
    UBI_TRY(peaks_put(t));
    UBI_TRY(thread_sums_put(t));
    UBI_TRY(temporary_put(t));
    UBI_TRY(curve_put(t));
    row->rss_peak_bytes = t->s.rss_peak_bytes;
    row->rss_peak_time_ns = t->s.rss_peak_time_ns;
    row->is_crossed = t->is_crossed;
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        const ubi__class_sums *c = &t->s.classes[i];
        row->classes[i] =
            (ubi__checkpoint_class){ c->count, c->n_frees, c->bytes, t->of_part.bytes[i], t->of_part.time_ns[i] };
    }
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        row->lifetimes[i] = t->s.lifetimes[i];
    t->of_part.has_begun = false;
    return UBI_OK;
}

/* ---- a checkpoint ------------------------------------------------------------------------------------------------------ */

static void live_add(void *payload, uint64_t number, uint64_t value) {
    vec_live *live = payload;
    live->at[live->n++] = (ubi__checkpoint_live){
        .number = number, .ms = (uint32_t)(value >> 32), .maker = (uint32_t)value - 1, .fate = UBI__FATE_NONE
    };
}

static int live_compare(const void *a, const void *b) {
    uint64_t x = ((const ubi__checkpoint_live *)a)->number, y = ((const ubi__checkpoint_live *)b)->number;
    return (x > y) - (x < y);
}

static ubi_status live_collect(taking *t) {
    t->live.n = 0;
    UBI_TRY(vec_live_reserve(&t->live, t->allocator, t->s.live.n));
    ubi__live_ledger_each(&t->s.live, live_add, &t->live);
    if (t->live.n)
        qsort(t->live.at, t->live.n, sizeof *t->live.at, live_compare);
    return UBI_OK;
}

/* What a thread did last is known in the next part, too. */
static ubi_status part_begin(taking *t) {
    size_t n = t->s.threads.n;
    uint64_t *last = ubi__alloc_array(t->allocator, n + 1, sizeof *last);
    if (!last)
        return ubi__fail_nomem();
    for (size_t i = 0; i < n; i++)
        last[i] = t->s.threads.at[i].last_allocation;
    t->s.window.from_ns = t->s.time_ns;
    t->s.curve_step_ns = UBI__FIRST_CURVE_STEP_NS;
    ubi__recording_window_begin(&t->s);
    if (t->s.classes[UBI__UBIREC_HEAP].live_bytes)
        ubi__curve_point_now(&t->s);
    for (size_t i = 0; i < n; i++)
        t->s.threads.at[i].last_allocation = last[i];
    ubi__free_array(t->allocator, last, n + 1, sizeof *last);
    t->temporary.n = 0;
    t->is_crossed = false;
    return UBI_OK;
}

static ubi_status checkpoint_make(taking *t, const ubi__ubirec_place *place) {
    if (t->out->rows.n)
        UBI_TRY(part_end(t));
    if (t->out->bytes.n > t->most_bytes) {
        t->is_unfit = true;
        return UBI_OK;
    }
    const ubi__checkpoint row = { .place = *place,
                                  .rss_last_bytes = t->s.rss_last_bytes,
                                  .double_frees = t->s.double_frees,
                                  .threads_at = t->out->bytes.n };
    UBI_TRY(ubi__vec_checkpoint_push(&t->out->rows, t->allocator, row));
    UBI_TRY(threads_put(t));
    UBI_TRY(live_collect(t));
    return part_begin(t);
}

/* The end of the file, of which nothing follows. */
static ubi_status end_make(taking *t, const ubi__ubirec_place *place) {
    UBI_TRY(checkpoint_make(t, place));
    if (t->is_unfit)
        return UBI_OK;
    ubi__checkpoint *row = &t->out->rows.at[t->out->rows.n - 1];
    row->live_at = t->out->bytes.n;
    UBI_TRY(live_put(t));
    row->sums_at = t->out->bytes.n;
    return UBI_OK;
}

/* ---- what is of two parts -------------------------------------------------------------------------------------------------- */

static void older_freed(void *payload, uint64_t number, unsigned bucket) {
    taking *t = payload;
    const ubi__checkpoint_live key = { .number = number };
    ubi__checkpoint_live *live =
        t->live.n ? bsearch(&key, t->live.at, t->live.n, sizeof *t->live.at, live_compare) : NULL;
    if (!live || live->fate != UBI__FATE_NONE) { /* a free of it was taken back */
        t->is_crossed = true;
        return;
    }
    live->fate = (uint8_t)bucket;
}

static void older_temporary_keep(void *payload, uint64_t number, uint32_t maker, uint32_t thread) {
    taking *t = payload;
    if (t->status == UBI_OK)
        t->status = vec_older_temporary_push(&t->temporary, t->allocator, (older_temporary){ number, maker, thread });
}

/* Before it is taken back. Sums that were kept of a free that never was cannot be used. */
static ubi_status undone_note(taking *t, const ubi__ubirec_record *r) {
    const ubi__thread_sums *thread = &t->s.threads.at[t->s.thread];
    bool is_older = r->event.number < t->s.first_number;
    ubi__ubirec_class of_class = ubi__info_class(&t->s, r->event.info);
    t->is_crossed |= thread->last_free == UBI__LAST_FREE_BEFORE_WINDOW;
    t->is_crossed |= is_older && of_class == UBI__UBIREC_HEAP;
    t->has_no_curve |= of_class == UBI__UBIREC_HEAP; /* events do not have it */
    /* No recorder makes something else of it. */
    t->is_unfit |= thread->last_free && t->s.makers.at[thread->last_maker].of_class != of_class;
    for (size_t i = 0; is_older && i < t->temporary.n; i++)
        t->is_crossed |= t->temporary.at[i].number == r->event.number;
    return ubi__vec_checkpoint_undone_push(
        &t->out->undone, t->allocator,
        (ubi__checkpoint_undone){ r->event.number, t->s.time_ns, r->event.info, t->s.thread });
}

/* ---- the file ---------------------------------------------------------------------------------------------------------------- */

static uint64_t event_count(const ubi__recording_summary *s) {
    uint64_t n = 0;
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++)
        n += s->classes[i].count + s->classes[i].n_frees;
    return n;
}

/* Some of them, in a row. */
static ubi_status events_add_some(taking *t, const ubi__ubirec_events *events, size_t from, size_t to) {
    ubi__ubirec_events some = { .n = to - from, .first_number = events->first_number };
    for (size_t i = 0; i < from; i++)
        some.first_number += events->types[i] == UBI__UBIREC_ALLOC;
    memcpy(some.types, events->types + from, some.n * sizeof *some.types);
    memcpy(some.values, events->values + from, some.n * sizeof *some.values);
    return ubi__recording_summary_add_events(&t->s, &some);
}

/* A span may end among them. */
static ubi_status events_add(taking *t, const ubi__ubirec_events *events) {
    size_t from = 0;
    for (size_t i = 0; i < events->n; i++) {
        if (events->types[i] != UBI__UBIREC_TIME || t->has_no_curve || events->values[i] / t->span_ns <= t->n_spans)
            continue;
        UBI_TRY(events_add_some(t, events, from, i));
        UBI_TRY(spans_reach(t, events->values[i]));
        from = i;
    }
    return from ? events_add_some(t, events, from, events->n) : ubi__recording_summary_add_events(&t->s, events);
}

static ubi_status record_add(taking *t, const ubi__ubirec_record *r) {
    if (r->type == UBI__UBIREC_TIME)
        UBI_TRY(spans_reach(t, r->time_ns));
    if (r->type == UBI__UBIREC_FREE_UNDONE)
        UBI_TRY(undone_note(t, r));
    t->is_unfit |= r->type == UBI__UBIREC_LEFT || r->type == UBI__UBIREC_MARKER || r->type == UBI__UBIREC_PERIOD;
    UBI_TRY(ubi__recording_summary_add(&t->s, r));
    return t->status;
}

static ubi_status file_read(taking *t, ubi__ubirec_reader *reader, uint64_t total_bytes, const ubi_progress *progress) {
    const ubi__ubirec_record *record;
    ubi__ubirec_events events;
    ubi__ubirec_place place = { .position = UBI__UBIREC_HEADER_BYTES };
    UBI_TRY(checkpoint_make(t, &place));
    for (uint64_t n = 0, n_next = 0; !t->is_unfit; n += events.n + 1) {
        ubi__ubirec_next_events(reader, &events);
        UBI_TRY(events_add(t, &events));
        UBI_TRY(t->status);
        if (event_count(&t->s) >= t->least_events && ubi__ubirec_place_get(reader, &place))
            UBI_TRY(checkpoint_make(t, &place));
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            break;
        UBI_TRY(record_add(t, record));
        if (n < n_next)
            continue;
        n_next += RECORDS_PER_PROGRESS;
        if (!ubi__progress(progress, "indexing", ubi__ubirec_bytes_in(reader), total_bytes))
            return ubi__fail_cancelled();
    }
    (void)ubi__ubirec_place_get(reader, &place);
    if (t->is_unfit)
        return UBI_OK;
    UBI_TRY(spans_end(t, t->s.time_ns));
    return end_make(t, &place);
}

static ubi_status makers_keep(taking *t) {
    const ubi__vec_maker_sums *makers = &t->s.makers;
    UBI_TRY(ubi__vec_checkpoint_maker_reserve(&t->out->makers, t->allocator, makers->n));
    for (size_t i = 0; i < makers->n; i++)
        t->out->makers.at[t->out->makers.n++] = (ubi__checkpoint_maker){ makers->at[i].info, makers->at[i].thread };
    return UBI_OK;
}

static ubi_status checkpoints_take(taking *t, ubi__source *source, unsigned threads, const ubi_progress *progress) {
    ubi__ubirec_reader *reader;
    UBI_TRY(ubi__ubirec_reader_new(&reader, source, t->allocator));
    ubi__ubirec_read_ahead(reader, threads);
    ubi_status status = file_read(t, reader, source->size, progress);
    ubi__ubirec_reader_free(reader);
    return status == UBI_OK ? makers_keep(t) : status;
}

/* ---- which files ----------------------------------------------------------------------------------------------------------------- */

/* Exact, sound, of one process without markers, and larger than what is read in no time. */
static bool is_fit(const ubi__recording_summary *whole, uint64_t least_events) {
    const ubi__ubirec_tables *t = &whole->tables;
    bool are_whole = ubi__ubirec_is_exact(t) && t->periods.n == 1;
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++)
        are_whole = are_whole && whole->classes[i].bytes < EXACT_BYTES;
    for (uint32_t i = 0; i < t->infos.n; i++)
        are_whole = are_whole && t->infos.at[i].size_bytes == t->infos.at[i].weight_bytes;
    return are_whole && !whole->fault[0] && whole->markers.groups.n == 0 && whole->n_markers == 0 &&
           event_count(whole) / 2 >= least_events;
}

/* How many checkpoints a tenth of the file's size is enough for, about. */
static uint64_t most_checkpoints(const ubi__recording_summary *whole, uint64_t most_bytes) {
    uint64_t n_live = 0, n;
    uint64_t n_makers = ubi__smaller((uint64_t)whole->infos.n * whole->threads.n, event_count(whole) / FEWEST);
    for (uint32_t i = 0; i < whole->infos.n; i++)
        n_live += whole->infos.at[i].peak_live;
    n = most_bytes / (LIVE_BYTES * n_live + MAKER_BYTES * n_makers + 1);
    return n > UBI__CHECKPOINTS ? UBI__CHECKPOINTS : n < FEWEST ? FEWEST : n;
}

static void taking_init(taking *t, const ubi__recording_summary *whole, uint64_t least_events) {
    uint64_t most_bytes = ubi__larger(whole->file_bytes / SIZE_PART, SIZE_LEAST);
    t->least_events = ubi__larger(least_events, event_count(whole) / most_checkpoints(whole, most_bytes) + 1);
    t->most_bytes = 2 * most_bytes;
    t->s.is_by_thread = true;
    t->notes = (ubi__part_notes){ t, older_freed, older_temporary_keep };
    t->s.notes = &t->notes;
}

static void taking_fini(taking *t) {
    ubi__recording_summary_fini(&t->s);
    vec_live_fini(&t->live, t->allocator);
    ubi__vec_u64_fini(&t->of_part.live, t->allocator);
    ubi__vec_u64_fini(&t->of_span.live, t->allocator);
    vec_older_temporary_fini(&t->temporary, t->allocator);
}

ubi_status ubi__recording_checkpoints_take(ubi__recording_checkpoints *out, const ubi__recording_summary *whole,
                                           ubi__source *source, uint64_t least_events, unsigned threads,
                                           const ubi_progress *progress, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__recording_checkpoints_init(out, a);
    if (!is_fit(whole, least_events))
        return UBI_OK;
    taking *t = UBI_NEW(a, taking); /* a summary is large */
    if (!t)
        return ubi__fail_nomem();
    t->out = out;
    t->allocator = a;
    ubi_status status = ubi__recording_summary_init(&t->s, a);
    if (status == UBI_OK) {
        taking_init(t, whole, least_events);
        status = spans_begin(t, whole);
        if (status == UBI_OK)
            status = checkpoints_take(t, source, threads, progress);
        taking_fini(t);
    }
    if (status != UBI_OK || t->is_unfit) {
        ubi__recording_checkpoints_fini(out);
        ubi__recording_checkpoints_init(out, a);
    }
    UBI_DELETE(a, t);
    if (status == UBI_OK)
        ubi__recording_checkpoints_check(out);
    return status;
}
