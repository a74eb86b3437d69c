/* SPDX-License-Identifier: MIT
 *
 * recording_summary.c: see recording_summary.h.
 */
#include "recording/recording_summary_inside.h"

#include <stdio.h>
#include <string.h>

#define RECORDS_PER_PROGRESS 65536

ubi_status ubi__recording_summary_init(ubi__recording_summary *s, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    *s = (ubi__recording_summary){ .allocator = a, .has_begun = true, .curve_step_ns = UBI__FIRST_CURVE_STEP_NS };
    ubi__live_ledger_init(&s->live, a);
    ubi__marker_sums_init(&s->markers, a);
    ubi__u64_map_init(&s->maker_of, a);
    return ubi__ubirec_tables_init(&s->tables, a);
}

ubi_status ubi__recording_summary_view(ubi__recording_summary *out, const ubi__recording_summary *of,
                                       const ubi_allocator *allocator) {
    *out = *of;
    out->allocator = allocator;
    out->is_view = true;
    return ubi__ubirec_tables_view(&out->tables, &of->tables, allocator);
}

void ubi__recording_summary_fini(ubi__recording_summary *s) {
    ubi__ubirec_tables_fini(&s->tables);
    if (s->is_view)
        return;
    ubi__vec_info_sums_fini(&s->infos, s->allocator);
    ubi__makers_fini(s);
    ubi__vec_thread_sums_fini(&s->threads, s->allocator);
    ubi__live_ledger_fini(&s->live);
    ubi__marker_sums_fini(&s->markers);
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

/* What infos of a class have is what the class has. */
static void check_class(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    const ubi__class_sums *c = &s->classes[of_class];
    ubi__class_sums sum = { 0 };
    bool has_makers = s->makers.n > 0; /* until it is read */
    for (uint32_t i = 0; i < (has_makers ? s->makers.n : s->infos.n); i++) {
        ubi__info_sums made = has_makers ? ubi__maker_made(s, i) : s->infos.at[i];
        uint32_t info = has_makers ? s->makers.at[i].info : i;
        if (ubi__info_class(s, info) != of_class)
            continue;
        sum.count += made.count;
        sum.live += made.live;
        sum.n_left += made.n_left;
        sum.live_bytes += made.live * s->tables.infos.at[info].weight_bytes;
        UBI_ASSERT(made.n_older <= made.live && made.epoch <= c->epoch);
    }
    UBI_ASSERT(sum.count == c->count && sum.live == c->live && sum.n_left == c->n_left);
    UBI_ASSERT(sum.live_bytes == c->live_bytes && c->live_bytes <= c->peak_bytes);
    UBI_ASSERT(c->live_met_bytes <= c->peak_met_bytes && c->live_variance >= 0);
    for (int i = 0; i < 2; i++)
        UBI_ASSERT(c->halves[i].live_bytes <= c->halves[i].peak_bytes);
}

void ubi__recording_summary_check(const ubi__recording_summary *s) {
    uint64_t made = 0, gone = 0, live = 0;
    UBI_ASSERT((s->infos.n == 0 || s->infos.n == s->tables.infos.n) && s->infos.cap >= s->tables.infos.n);
    UBI_ASSERT(s->threads.n == s->tables.threads.n);
    UBI_ASSERT(s->is_by_thread || s->makers.n == s->tables.infos.n || s->makers.n == 0);
    UBI_ASSERT(s->rests.n <= s->makers.n && s->rests.cap >= s->makers.n);
    UBI_ASSERT(s->threads.n == s->markers.threads.n);
    UBI_ASSERT(s->n_curve <= UBI__CURVE_POINTS && s->curve_step_ns >= UBI__FIRST_CURVE_STEP_NS);
    if (!UBI_CHECKS)
        return;
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        check_class(s, (ubi__ubirec_class)i);
        made += s->classes[i].count + s->classes[i].n_older;
        gone += s->classes[i].n_frees + s->classes[i].n_left;
        live += s->classes[i].live;
    }
    UBI_ASSERT(made == gone + live);
    ubi__live_ledger_check(&s->live);
    UBI_ASSERT(s->live.n == live || s->live.n == live + 1);
    ubi__marker_sums_check(&s->markers);
    ubi__ubirec_tables_check(&s->tables);
}

/* ---- the end ------------------------------------------------------------------------------------------------------- */

double ubi__sample_count(const ubi__ubirec_info_row *info) {
    return ubi__weight_count(info->size_bytes, info->weight_bytes);
}

static unsigned size_bucket(uint64_t size_bytes) {
    return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0;
}

static void live_of_marker_add(void *payload, uint64_t number, uint64_t live) {
    ubi__recording_summary *s = payload;
    uint32_t group = ubi__marker_sums_owner(&s->markers, number);
    if (group != UBI_NONE)
        ubi__estimate_add(&s->markers.groups.at[group].live, s, s->makers.at[(uint32_t)live - 1].info, 1);
}

/* What was allocated in a marker and lives at the end, beside what was left. */
static void sum_live_of_markers(ubi__recording_summary *s) {
    if (s->markers.owned.table.n)
        ubi__live_ledger_each(&s->live, live_of_marker_add, s);
}

static void info_sums_join(ubi__info_sums *to, const ubi__info_sums *from) {
    to->count += from->count;
    to->live += from->live;
    to->n_left += from->n_left;
    to->n_older += from->n_older;
    to->peak_live += from->peak_live;
    to->temporary += from->temporary;
    to->epoch = ubi__larger(to->epoch, from->epoch);
}

/* Of the heap. */
static void maker_total(ubi__recording_summary *s, const ubi__maker_sums *maker, const ubi__info_sums *made) {
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        ubi__estimate_add(&s->threads.at[maker->thread].by[m], s, maker->info, ubi__info_measure(made, m));
}

/* A view that is finished shares infos with the summary that is added to: they begin at zero each time. */
static void makers_total(ubi__recording_summary *s) {
    s->infos.n = s->tables.infos.n;
    if (s->infos.n)
        memset(s->infos.at, 0, s->infos.n * sizeof *s->infos.at);
    for (uint32_t i = 0; i < s->makers.n; i++) {
        ubi__maker_sums *maker = &s->makers.at[i];
        ubi__maker_note_peak(maker, &s->classes[maker->of_class]);
        ubi__info_sums made = ubi__maker_made(s, i);
        info_sums_join(&s->infos.at[maker->info], &made);
        if (s->is_by_thread && maker->of_class == UBI__UBIREC_HEAP)
            maker_total(s, maker, &made);
    }
}

static void infos_total(ubi__recording_summary *s) {
    for (uint32_t i = 0; i < s->infos.n; i++) {
        unsigned bucket = size_bucket(s->tables.infos.at[i].size_bytes);
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&s->totals[ubi__info_class(s, i)][m], s, i, ubi__info_measure(&s->infos.at[i], m));
        if (ubi__info_class(s, i) == UBI__UBIREC_HEAP)
            ubi__estimate_add(&s->sizes[bucket], s, i, s->infos.at[i].count);
    }
}

void ubi__recording_summary_finish(ubi__recording_summary *s) {
    if (!s->has_begun) /* everything was before it */
        ubi__recording_window_begin(s);
    ubi__recording_summary_check(s);
    sum_live_of_markers(s);
    makers_total(s);
    infos_total(s);
    if (s->n_curve)
        ubi__curve_point_now(s);
}

/* ---- a whole file ------------------------------------------------------------------------------------------------- */

/* What comes before the fault is valid. */
static ubi_status keep_fault(ubi__recording_summary *s, ubi_status status) {
    if (status != UBI_EFORMAT || s->tables.periods.n == 0) /* not even the first record is there */
        return status;
    snprintf(s->fault, sizeof s->fault, "%s", ubi_error_message());
    return UBI_OK;
}

static ubi_status add_all(ubi__recording_summary *s, ubi__ubirec_reader *reader, uint64_t total_bytes,
                          const ubi_progress *progress) {
    const ubi__ubirec_record *record;
    ubi__ubirec_events events;
    for (uint64_t n = 0, n_next = 0;; n += events.n + 1) {
        ubi__ubirec_next_events(reader, &events);
        UBI_TRY(ubi__recording_summary_add_events(s, &events));
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(ubi__recording_summary_add(s, record));
        if (n < n_next)
            continue;
        n_next += RECORDS_PER_PROGRESS;
        if (!ubi__progress(progress, "reading", ubi__ubirec_bytes_in(reader), total_bytes))
            return ubi__fail_cancelled();
    }
}

ubi_status ubi__recording_summary_read_choice(ubi__recording_summary *s, ubi__source *source,
                                              const ubi__summary_choice *choice, const ubi_progress *progress,
                                              const ubi_allocator *allocator) {
    ubi__ubirec_reader *reader;
    UBI_ASSERT(choice->window.to_ns == 0 || choice->window.from_ns < choice->window.to_ns);
    UBI_TRY(ubi__recording_summary_init(s, allocator));
    s->window = choice->window;
    s->is_by_thread = choice->is_by_thread;
    s->has_begun = ubi__window_has_begun(&s->window, 0);
    s->curve_first = s->window.from_ns / s->curve_step_ns;
    ubi_status status = ubi__ubirec_reader_new(&reader, source, s->allocator);
    if (status == UBI_OK) {
        ubi__ubirec_read_ahead(reader, choice->threads);
        status = keep_fault(s, add_all(s, reader, source->size, progress));
        s->file_bytes = ubi__ubirec_bytes_in(reader);
        s->torn_bytes = ubi__ubirec_torn_bytes(reader);
        s->n_blocks = ubi__ubirec_block_count(reader);
        ubi__ubirec_reader_free(reader);
    }
    if (status == UBI_OK) {
        ubi__recording_summary_finish(s);
        ubi__makers_fini(s);
    } else {
        ubi__recording_summary_fini(s);
    }
    return status;
}

ubi_status ubi__recording_summary_read(ubi__recording_summary *s, ubi__source *source, const ubi_progress *progress,
                                       const ubi_allocator *allocator) {
    static const ubi__summary_choice whole = { .is_by_thread = false };
    return ubi__recording_summary_read_choice(s, source, &whole, progress, allocator);
}

/* The first record. Not good: the caller reads it all, and learns what is wrong. */
static ubi_status add_about(ubi__recording_summary *s, bool *found, ubi__source *source) {
    const ubi__ubirec_record *record = NULL;
    ubi__ubirec_reader *reader;
    ubi_status status = ubi__ubirec_reader_new(&reader, source, s->allocator);
    if (status == UBI_OK) {
        status = ubi__ubirec_next(reader, &record);
        *found = status == UBI_OK && record && record->type == UBI__UBIREC_ABOUT;
        if (*found)
            status = ubi__recording_summary_add(s, record);
        ubi__ubirec_reader_free(reader);
    }
    return status == UBI_EFORMAT ? UBI_OK : status;
}

ubi_status ubi__recording_summary_glance(ubi__recording_summary *s, ubi__ubirec_index *index, bool *found,
                                         ubi__source *source, const ubi_allocator *allocator) {
    *found = false;
    if (!ubi__ubirec_index_find(index, source))
        return UBI_OK;
    UBI_TRY(ubi__recording_summary_init(s, allocator));
    ubi_status status = add_about(s, found, source);
    if (status != UBI_OK || !*found) {
        *found = false;
        ubi__recording_summary_fini(s);
        return status;
    }
    memcpy(s->tables.counters, index->counters, sizeof index->counters);
    s->tables.has_end = index->has_end;
    s->tables.end = index->end;
    s->time_ns = index->time_ns;
    s->file_bytes = source->size;
    return UBI_OK;
}

ubi__ubirec_index ubi__recording_summary_index(const ubi__recording_summary *s) {
    const ubi__ubirec_tables *t = &s->tables;
    ubi__ubirec_index index = { .n_blocks = s->n_blocks,
                                .time_ns = s->time_ns,
                                .n_markers = s->n_markers,
                                .n_threads = t->threads.n,
                                .n_modules = t->modules.n,
                                .n_frames = t->frames.n,
                                .n_traces = t->traces.n - 1,
                                .is_exact = ubi__ubirec_is_exact(t),
                                .has_end = t->has_end,
                                .end = t->end };
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
        index.n_allocations += s->classes[c].count;
        index.n_frees += s->classes[c].n_frees;
    }
    memcpy(index.counters, t->counters, sizeof index.counters);
    return index;
}
