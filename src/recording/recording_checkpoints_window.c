/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints_window.c: the summary of a window, put together from checkpoints (recording_checkpoints.h).
 *
 * From the last checkpoint before the window the file is read up to the next one, sums up to the last one before the end of the window are
 * added, and from that one on the file is read again. Where no two checkpoints lie in the window, it is read in one go.
 */
#include "base/assert.h"
#include "base/status.h"
#include "recording/recording_window_inside.h"

#define RECORDS_PER_PROGRESS 65536

/* ---- reading from a checkpoint ------------------------------------------------------------------------------------------ */

/* What is defined is in the tables; a damaged index may lead to more. */
static ubi_status record_take(ubi__recording_summary *s, ubi__ubirec_counts *n, const ubi__ubirec_record *r) {
    switch (r->type) {
    case UBI__UBIREC_INFO:
        return ++n->infos <= s->tables.infos.n ? UBI_OK : ubi__checkpoints_fail();
    case UBI__UBIREC_THREAD:
        return ++n->threads <= s->tables.threads.n ? UBI_OK : ubi__checkpoints_fail();
    case UBI__UBIREC_ALLOC:
    case UBI__UBIREC_FREE:
    case UBI__UBIREC_FREE_UNDONE:
    case UBI__UBIREC_TIME:
    case UBI__UBIREC_SWITCH:
    case UBI__UBIREC_RSS:
        return ubi__recording_summary_add(s, r);
    default:
        return UBI_OK;
    }
}

/* Up to this block, or until the window is over. */
static ubi_status part_read(ubi__recording_summary *s, const ubi__window_inquiry *q, ubi__ubirec_reader *reader,
                            const ubi__checkpoint *from, uint32_t last_block) {
    ubi__ubirec_counts n_defined = from->place.n;
    ubi__ubirec_place place;
    const ubi__ubirec_record *record;
    ubi__ubirec_events events;
    for (uint64_t n = 0, n_next = 0; !s->is_over; n += events.n + 1) {
        ubi__ubirec_next_events(reader, &events);
        UBI_TRY(ubi__recording_summary_add_events(s, &events));
        if (ubi__ubirec_place_get(reader, &place) && place.n.blocks == last_block)
            return UBI_OK;
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(record_take(s, &n_defined, record));
        if (s->makers.n != (s->is_by_thread ? q->c->makers.n : s->tables.infos.n))
            return ubi__checkpoints_fail();
        if (n < n_next)
            continue;
        n_next += RECORDS_PER_PROGRESS;
        if (!ubi__progress(q->progress, "reading", ubi__ubirec_bytes_in(reader), q->source->size))
            return ubi__fail_cancelled();
    }
    return UBI_OK;
}

static ubi_status part_reread(ubi__recording_summary *s, const ubi__window_inquiry *q, const ubi__checkpoint *from,
                              uint32_t last_block) {
    ubi__ubirec_reader *reader;
    if (!ubi__source_rewind(q->source))
        return ubi__fail(UBI_EINVAL, "the recording cannot be read from the middle");
    UBI_TRY(ubi__ubirec_reader_new(&reader, q->source, q->allocator));
    ubi_status status = ubi__ubirec_reader_go(reader, &from->place);
    ubi__ubirec_read_ahead(reader, q->choice->threads);
    if (status == UBI_OK)
        status = part_read(s, q, reader, from, last_block);
    ubi__ubirec_reader_free(reader);
    return status;
}

/* ---- the last part ----------------------------------------------------------------------------------------------------------- */

/* What is older than the window is not what is older than this part. */
static ubi_status younger_note(void *payload, const ubi__checkpoint_live *live) {
    const ubi__window_live *t = payload;
    if (live->number >= t->sums->first_number)
        ubi__maker_rest_of(t->s, ubi__window_maker(t->q, live->maker))->n_older--;
    return UBI_OK;
}

/* The window has begun before this part. */
static ubi_status last_part_begin(ubi__recording_summary *s, const ubi__window_inquiry *q, const ubi__checkpoint *row,
                                  ubi__window_sums *to) {
    ubi__window_live target = { q, s, to };
    s->window.from_ns = row->place.time_ns;
    ubi__recording_window_begin(s);
    if (s->classes[UBI__UBIREC_HEAP].live_bytes)
        ubi__curve_point_now(s);
    s->first_number = to->first_number;
    UBI_TRY(ubi__window_threads_restore(s, q, row));
    for (size_t i = 0; i < s->threads.n; i++) {
        ubi__thread_sums *thread = &s->threads.at[i];
        if (thread->last_allocation <= to->first_number)
            thread->last_allocation = 0;
        if (thread->last_free)
            thread->last_free = UBI__LAST_FREE_BEFORE_WINDOW;
    }
    return ubi__checkpoint_live_each(q, row, younger_note, &target);
}

static void class_join(ubi__class_sums *c, const ubi__checkpoint_class *before, uint64_t n_older) {
    c->count += before->count;
    c->n_frees += before->n_frees;
    c->bytes += before->bytes;
    c->n_older = n_older;
    if (before->peak_bytes < c->peak_bytes)
        return;
    c->peak_bytes = c->peak_met_bytes = before->peak_bytes;
    c->peak_time_ns = before->peak_time_ns;
}

static void makers_join(ubi__recording_summary *s, const ubi__window_sums *before) {
    for (size_t i = 0; i < before->n_makers; i++) {
        ubi__maker_sums *maker = &s->makers.at[i];
        maker->count += before->makers[i].count;
        maker->temporary += before->makers[i].temporary;
        if (before->classes[maker->of_class].peak_bytes >= s->classes[maker->of_class].peak_bytes)
            maker->peak_live = before->makers[i].peak_live;
    }
}

/* What came before the last part. */
static void summary_join(ubi__recording_summary *s, const ubi__window_sums *before) {
    ubi__window_peaks_note(s);
    makers_join(s, before);
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++)
        class_join(&s->classes[i], &before->classes[i], before->n_older[i]);
    for (size_t i = 0; i < s->threads.n; i++) {
        ubi__estimate_join(&s->threads.at[i].allocated, &before->threads.at[i].allocated);
        ubi__estimate_join(&s->threads.at[i].freed, &before->threads.at[i].freed);
        ubi__estimate_join(&s->threads.at[i].temporary, &before->threads.at[i].temporary);
    }
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        ubi__estimate_join(&s->lifetimes[i], &before->lifetimes[i]);
    if (before->rss_peak_bytes < s->rss_peak_bytes)
        return;
    s->rss_peak_bytes = before->rss_peak_bytes;
    s->rss_peak_time_ns = before->rss_peak_time_ns;
}

/* Frees of the window that were taken back after it. */
static ubi_status undone_add(ubi__recording_summary *s, const ubi__window_inquiry *q) {
    for (size_t i = 0; s->is_over && i < q->c->undone.n; i++) {
        const ubi__checkpoint_undone *undone = &q->c->undone.at[i];
        const ubi__ubirec_record record = { .type = UBI__UBIREC_FREE_UNDONE,
                                            .event = { undone->number, undone->info } };
        if (!ubi__window_is_over(&s->window, undone->time_ns))
            continue;
        s->thread = undone->thread;
        UBI_TRY(ubi__recording_summary_add(s, &record));
    }
    return UBI_OK;
}

/* Whether makers have what classes have: only of damaged checkpoints they have not. */
static bool sums_agree(const ubi__recording_summary *s) {
    ubi__class_sums sums[UBI__UBIREC_CLASS_COUNT] = { 0 };
    bool do_agree = true;
    for (size_t i = 0; i < s->makers.n; i++) {
        const ubi__maker_sums *maker = &s->makers.at[i];
        ubi__class_sums *sum = &sums[maker->of_class];
        sum->count += maker->count;
        sum->live += maker->live;
        sum->live_bytes += maker->live * maker->weight_bytes;
        do_agree = do_agree && ubi__maker_made(s, i).n_older <= maker->live;
    }
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        const ubi__class_sums *c = &s->classes[i];
        do_agree = do_agree && sums[i].count == c->count && sums[i].live == c->live &&
                   sums[i].live_bytes == c->live_bytes && c->live_bytes <= c->peak_bytes &&
                   c->count + c->n_older == c->n_frees + c->live;
    }
    return do_agree;
}

/* What is about the whole file. */
static ubi_status summary_end(ubi__recording_summary *s, const ubi__recording_summary *whole) {
    s->time_ns = whole->time_ns;
    s->has_undone = whole->has_undone;
    s->file_bytes = whole->file_bytes;
    s->torn_bytes = whole->torn_bytes;
    s->n_blocks = whole->n_blocks;
    if (!sums_agree(s)) {
        ubi__recording_summary_fini(s);
        return ubi__checkpoints_fail();
    }
    ubi__recording_summary_finish(s);
    ubi__makers_fini(s);
    return UBI_OK;
}

/* ---- the window ------------------------------------------------------------------------------------------------------------------ */

/* The last checkpoint before a time. The first one is before all. */
static size_t row_before(const ubi__recording_checkpoints *c, uint64_t time_ns) {
    size_t low = 0, high = c->rows.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (c->rows.at[middle].place.time_ns < time_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* From `row` on, as one part. */
static ubi_status window_read(ubi__recording_summary *out, const ubi__window_inquiry *q, size_t row) {
    const ubi__checkpoint *from = &q->c->rows.at[row];
    UBI_TRY(ubi__window_summary_restore(out, q, from));
    ubi_status status = row + 1 < q->c->rows.n ? part_reread(out, q, from, UINT32_MAX) : UBI_OK;
    if (status == UBI_OK)
        status = undone_add(out, q);
    if (status == UBI_OK)
        return summary_end(out, q->whole);
    ubi__recording_summary_fini(out);
    return status;
}

/* Up to the checkpoint after `row`. */
static ubi_status first_part_sum(ubi__window_sums *to, const ubi__window_inquiry *q, size_t row) {
    const ubi__checkpoint *from = &q->c->rows.at[row];
    ubi__recording_summary s;
    UBI_TRY(ubi__window_summary_restore(&s, q, from));
    ubi_status status = part_reread(&s, q, from, from[1].place.n.blocks);
    if (status == UBI_OK && (!s.has_begun || s.is_over || s.n_numbers != from[1].place.n.allocations))
        status = ubi__checkpoints_fail();
    if (status == UBI_OK)
        status = ubi__window_curve_of(to, q, &s);
    if (status == UBI_OK)
        ubi__window_sums_of(to, &s);
    ubi__recording_summary_fini(&s);
    return status;
}

static ubi_status last_part_read(ubi__recording_summary *s, const ubi__window_inquiry *q, size_t row,
                                 ubi__window_sums *before) {
    const ubi__checkpoint *from = &q->c->rows.at[row];
    UBI_TRY(last_part_begin(s, q, from, before));
    if (row + 1 < q->c->rows.n)
        UBI_TRY(part_reread(s, q, from, UINT32_MAX));
    UBI_TRY(ubi__window_curve_of(before, q, s));
    s->window = q->choice->window;
    summary_join(s, before);
    ubi__window_curve_join(s, q, before);
    return undone_add(s, q);
}

static ubi_status last_part_add(ubi__recording_summary *out, bool *found, const ubi__window_inquiry *q, size_t row,
                                ubi__window_sums *before) {
    UBI_TRY(ubi__window_summary_restore(out, q, &q->c->rows.at[row]));
    ubi_status status = last_part_read(out, q, row, before);
    if (status == UBI_OK && !out->has_crossed) {
        status = summary_end(out, q->whole);
        *found = status == UBI_OK;
    } else {
        ubi__recording_summary_fini(out);
    }
    return status;
}

/* From `first` up to the checkpoint after it, then sums up to `last`, then what follows. */
static ubi_status window_join(ubi__recording_summary *out, bool *found, const ubi__window_inquiry *q, size_t first,
                              size_t last) {
    ubi__window_sums before;
    bool is_from_begin = q->choice->window.from_ns == 0;
    ubi_status status = ubi__window_sums_init(&before, q);
    if (status == UBI_OK && !is_from_begin)
        status = first_part_sum(&before, q, first++);
    for (size_t row = first; row < last && status == UBI_OK; row++)
        status = ubi__window_sums_add(&before, q, &q->c->rows.at[row]);
    if (status == UBI_OK)
        status = last_part_add(out, found, q, last, &before);
    ubi__window_sums_free(&before, q->allocator);
    return status;
}

/* Whether parts between these fit together. */
static bool has_crossed(const ubi__recording_checkpoints *c, size_t first, size_t last) {
    for (size_t row = first + 1; row < last; row++)
        if (c->rows.at[row].is_crossed)
            return true;
    return false;
}

ubi_status ubi__recording_checkpoints_window(ubi__recording_summary *out, bool *found,
                                             const ubi__recording_checkpoints *c, const ubi__recording_summary *whole,
                                             ubi__source *source, const ubi__summary_choice *choice,
                                             const ubi_progress *progress, const ubi_allocator *allocator) {
    const ubi__window_inquiry q = { c, whole, source, choice, progress, ubi__allocator_or_default(allocator) };
    *found = false;
    if (c->rows.n < 2)
        return UBI_OK;
    size_t first = row_before(c, choice->window.from_ns), last = c->rows.n - 1;
    if (choice->window.to_ns)
        last = row_before(c, choice->window.to_ns);
    if (first == last) {
        ubi_status status = window_read(out, &q, first);
        *found = status == UBI_OK;
        return status;
    }
    return has_crossed(c, first, last) ? UBI_OK : window_join(out, found, &q, first, last);
}
