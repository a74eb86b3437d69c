/* SPDX-License-Identifier: MIT
 *
 * recording_summary.c: see recording_summary.h.
 */
#include "recording/recording_summary.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "recording/byte_sampler.h"

#define FIRST_CURVE_STEP_NS UINT64_C(1000000)
#define NS_PER_MS UINT64_C(1000000)
#define RECORDS_PER_PROGRESS 65536

ubi_status ubi__recording_summary_init(ubi__recording_summary *s, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    *s = (ubi__recording_summary){ .allocator = a, .has_begun = true, .curve_step_ns = FIRST_CURVE_STEP_NS };
    ubi__live_table_init(&s->live, a);
    ubi__marker_sums_init(&s->markers, a);
    ubi__u64_map_init(&s->maker_of, a);
    return ubi__ubirec_tables_init(&s->tables, a);
}

ubi_status ubi__recording_summary_view(ubi__recording_summary *out, const ubi__recording_summary *of,
                                       const ubi_allocator *allocator) {
    *out = *of;
    out->allocator = allocator;
    return ubi__ubirec_tables_view(&out->tables, &of->tables, allocator);
}

void ubi__recording_summary_fini(ubi__recording_summary *s) {
    bool is_view = s->tables.is_view;
    ubi__ubirec_tables_fini(&s->tables);
    if (is_view)
        return;
    ubi__vec_info_sums_fini(&s->infos, s->allocator);
    ubi__vec_maker_sums_fini(&s->makers, s->allocator);
    ubi__u64_map_fini(&s->maker_of);
    ubi__vec_thread_sums_fini(&s->threads, s->allocator);
    ubi__live_table_fini(&s->live);
    ubi__marker_sums_fini(&s->markers);
}

/* ---- the curve ---------------------------------------------------------------------------------------------------- */

/* Half as many points, each of twice the time. */
static void halve_curve(ubi__recording_summary *s) {
    for (size_t i = 0; i < UBI__CURVE_POINTS / 2; i++) {
        ubi__curve_point a = s->curve[2 * i], b = s->curve[2 * i + 1];
        s->curve[i] = a.live_bytes >= b.live_bytes ? a : b;
        s->curve[i].rss_bytes = ubi__larger(a.rss_bytes, b.rss_bytes);
    }
    s->n_curve = UBI__CURVE_POINTS / 2;
    s->curve_step_ns *= 2;
}

/* What lives by now. */
static ubi__curve_point live_point(const ubi__recording_summary *s) {
    const ubi__class_sums *heap = &s->classes[UBI__UBIREC_HEAP];
    return (ubi__curve_point){ .live_bytes = heap->live_bytes,
                               .live_met_bytes = heap->live_met_bytes,
                               .live_variance = heap->live_variance };
}

/* How far the window has come. */
static uint64_t window_time_ns(const ubi__recording_summary *s) {
    uint64_t now_ns = s->is_over ? s->window.to_ns - 1 : s->time_ns;
    return now_ns > s->window.from_ns ? now_ns - s->window.from_ns : 0;
}

/* The point of this time. Those between it and the last one that there was have what lived then. */
static ubi__curve_point *point_now(ubi__recording_summary *s) {
    uint64_t time_ns = window_time_ns(s);
    while (time_ns / s->curve_step_ns >= UBI__CURVE_POINTS) {
        while (s->n_curve < UBI__CURVE_POINTS)
            s->curve[s->n_curve++] = live_point(s);
        halve_curve(s);
    }
    size_t at = (size_t)(time_ns / s->curve_step_ns);
    while (s->n_curve <= at)
        s->curve[s->n_curve++] = live_point(s);
    UBI_ASSERT(at < s->n_curve && s->n_curve <= UBI__CURVE_POINTS);
    return &s->curve[at];
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static ubi__ubirec_class class_of(const ubi__recording_summary *s, uint32_t info) {
    return s->tables.kinds.at[s->tables.infos.at[info].kind].class_of_kind;
}

/* What it had at the last maximum, before that changes. */
static void note_peak(ubi__info_sums *sums, const ubi__class_sums *of_class) {
    if (sums->epoch == of_class->epoch)
        return;
    sums->peak_live = sums->live;
    sums->epoch = of_class->epoch;
}

/* Of the weight of one allocation. */
static double variance_of(const ubi__recording_summary *s, uint32_t info) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    return ubi__sample_variance(row->size_bytes, ubi__ubirec_period_of(&s->tables, info), row->weight_bytes);
}

/* Sums that only grow stop at the largest number. */
static void add_bytes(uint64_t *sum, uint64_t bytes) {
    if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

/* Which half of the samples one belongs to: by its number, shaken. */
static ubi__half_sums *half_of(ubi__class_sums *c, uint64_t number) {
    return &c->halves[ubi__mix_u64(number) >> 63];
}

/* In a half, one sample stands for twice as much: what was met with probability p is in it with p / 2. */
static void change_half(ubi__recording_summary *s, uint64_t number, uint32_t info, int sign) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    ubi__class_sums *c = &s->classes[class_of(s, info)];
    ubi__half_sums *half = half_of(c, number), *other = &c->halves[half == &c->halves[0]];
    double weight = 2 * (double)row->weight_bytes, part = weight - (double)row->size_bytes;
    if (ubi__ubirec_period_of(&s->tables, info) == 1)
        return;
    half->live_bytes += sign * weight;
    half->live_variance += sign * weight * (part > 0 ? part : 0);
    if (half->live_bytes <= half->peak_bytes)
        return;
    half->peak_bytes = half->live_bytes;
    half->other_bytes = other->live_bytes;
    half->other_variance = other->live_variance;
}

/* What infos of a class have is what the class has. */
static void check_class(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    const ubi__class_sums *c = &s->classes[of_class];
    ubi__class_sums sum = { 0 };
    bool has_makers = s->makers.n > 0; /* until it is read */
    for (uint32_t i = 0; i < (has_makers ? s->makers.n : s->infos.n); i++) {
        const ubi__info_sums *made = has_makers ? &s->makers.at[i].made : &s->infos.at[i];
        uint32_t info = has_makers ? s->makers.at[i].info : i;
        if (class_of(s, info) != of_class)
            continue;
        sum.count += made->count;
        sum.live += made->live;
        sum.n_left += made->n_left;
        sum.live_bytes += made->live * s->tables.infos.at[info].weight_bytes;
        UBI_ASSERT(made->n_older <= made->live && made->epoch <= c->epoch);
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
    UBI_ASSERT(s->threads.n == s->markers.threads.n);
    UBI_ASSERT(s->n_curve <= UBI__CURVE_POINTS && s->curve_step_ns >= FIRST_CURVE_STEP_NS);
    if (!UBI_CHECKS)
        return;
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        check_class(s, (ubi__ubirec_class)i);
        made += s->classes[i].count + s->classes[i].n_older;
        gone += s->classes[i].n_frees + s->classes[i].n_left;
        live += s->classes[i].live;
    }
    UBI_ASSERT(made == gone + live);
    UBI_ASSERT(s->live.table.n == live || s->live.table.n == live + 1);
    ubi__marker_sums_check(&s->markers);
    ubi__ubirec_tables_check(&s->tables);
}

/* Whether an allocation was made before the window. */
static bool is_older(const ubi__recording_summary *s, uint64_t number) {
    return number < s->first_number;
}

static ubi_status begin_life(ubi__recording_summary *s, uint64_t number, uint32_t maker) {
    uint32_t info = s->makers.at[maker].info;
    ubi__ubirec_class of_class = class_of(s, info);
    ubi__class_sums *c = &s->classes[of_class];
    ubi__info_sums *sums = &s->makers.at[maker].made;
    uint64_t live_bytes;
    if (__builtin_add_overflow(c->live_bytes, s->tables.infos.at[info].weight_bytes, &live_bytes))
        return ubi__fail(UBI_EFORMAT, "expected less than 2^64 bytes to live at a time");
    ubi__curve_point *point = of_class == UBI__UBIREC_HEAP ? point_now(s) : NULL; /* up to here there was less */
    note_peak(sums, c);
    sums->live++;
    sums->n_older += is_older(s, number);
    c->live++;
    c->live_bytes = live_bytes;
    c->live_met_bytes += s->tables.infos.at[info].size_bytes;
    c->peak_met_bytes = ubi__larger(c->peak_met_bytes, c->live_met_bytes);
    c->live_variance += variance_of(s, info);
    change_half(s, number, info, 1);
    if (c->live_bytes > c->peak_bytes) {
        c->peak_bytes = c->live_bytes;
        c->peak_time_ns = s->window.from_ns + window_time_ns(s);
        c->epoch++;
    }
    if (point) {
        uint64_t rss_bytes = point->rss_bytes;
        if (c->live_bytes > point->live_bytes)
            *point = live_point(s);
        point->rss_bytes = rss_bytes;
    }
    return UBI_OK;
}

static void end_life(ubi__recording_summary *s, uint64_t number, uint32_t maker) {
    uint32_t info = s->makers.at[maker].info;
    ubi__class_sums *c = &s->classes[class_of(s, info)];
    ubi__info_sums *sums = &s->makers.at[maker].made;
    note_peak(sums, c);
    UBI_ASSERT(sums->live > 0 && c->live > 0 && c->live_bytes >= s->tables.infos.at[info].weight_bytes);
    sums->live--;
    sums->n_older -= is_older(s, number);
    c->live--;
    c->live_bytes -= s->tables.infos.at[info].weight_bytes;
    c->live_met_bytes -= s->tables.infos.at[info].size_bytes;
    c->live_variance -= variance_of(s, info);
    change_half(s, number, info, -1);
    if (c->live == 0 || c->live_variance < 0) /* what rounding leaves over */
        c->live_variance = 0;
}

double ubi__sample_count(const ubi__ubirec_info_row *info) {
    return ubi__weight_count(info->size_bytes, info->weight_bytes);
}

static unsigned size_bucket(uint64_t size_bytes) {
    return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0;
}

static unsigned lifetime_bucket(uint64_t ms) {
    unsigned bucket = 0;
    for (uint64_t limit = 1; ms >= limit && bucket < UBI__LIFETIME_BUCKETS - 1; limit *= 10)
        bucket++;
    return bucket;
}

static uint64_t now_ms(const ubi__recording_summary *s) {
    uint64_t ms = s->time_ns / NS_PER_MS;
    return ms < UINT32_MAX ? ms : UINT32_MAX;
}

static ubi_status put_live(ubi__recording_summary *s, uint64_t number, uint32_t maker) {
    UBI_TRY(ubi__live_table_reserve(&s->live, 1));
    ubi__live_table_put(&s->live, number + 1, now_ms(s) << 32 | maker);
    return UBI_OK;
}

static ubi_status maker_get(ubi__recording_summary *s, uint32_t *out, uint32_t info, uint32_t thread) {
    *out = info;
    if (!s->is_by_thread)
        return UBI_OK;
    *out = ubi__u64_map_get(&s->maker_of, ubi__u64_pair(info, thread));
    if (*out != UBI_NONE)
        return UBI_OK;
    *out = (uint32_t)s->makers.n;
    UBI_TRY(ubi__vec_maker_sums_reserve(&s->makers, s->allocator, 1));
    UBI_TRY(ubi__u64_map_put(&s->maker_of, ubi__u64_pair(info, thread), *out));
    return ubi__vec_maker_sums_push(&s->makers, s->allocator, (ubi__maker_sums){ .info = info, .thread = thread });
}

/* Of the heap, while a marker is open on its thread. */
static ubi_status add_to_marker(ubi__recording_summary *s, uint64_t number, uint32_t info) {
    uint32_t group = ubi__marker_sums_group(&s->markers, s->thread);
    if (group == UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__marker_sums_own(&s->markers, number, group));
    ubi__estimate_add(&s->markers.groups.at[group].allocated, s, info, 1);
    return UBI_OK;
}

static ubi_status add_alloc(ubi__recording_summary *s, uint64_t number, uint32_t info) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    ubi__ubirec_class of_class = class_of(s, info);
    uint32_t maker;
    s->n_numbers = number + 1;
    if (s->is_over)
        return UBI_OK;
    UBI_TRY(maker_get(s, &maker, info, s->thread));
    UBI_TRY(put_live(s, number, maker));
    UBI_TRY(begin_life(s, number, maker));
    s->makers.at[maker].made.count++;
    s->classes[of_class].count++;
    add_bytes(&s->classes[of_class].bytes, s->tables.infos.at[info].weight_bytes);
    thread->last_allocation = number + 1;
    thread->last_free = UBI__LAST_FREE_NONE;
    if (of_class != UBI__UBIREC_HEAP)
        return UBI_OK;
    ubi__estimate_add(&thread->allocated, s, info, 1);
    return add_to_marker(s, number, info);
}

static void add_free(ubi__recording_summary *s, uint64_t number) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    ubi__live *live = ubi__live_table_find(&s->live, number + 1);
    /* What a sample's thread did next is unknown. */
    bool is_exact = s->tables.periods.at[s->tables.periods.n - 1].period_bytes == 1;
    bool is_temporary = is_exact && thread->last_allocation == number + 1;
    thread->last_allocation = thread->last_temporary = 0;
    thread->last_free = UBI__LAST_FREE_NONE;
    if (!live) {
        s->double_frees++;
        return;
    }
    uint32_t maker = (uint32_t)live->event, info = s->makers.at[maker].info;
    uint64_t made_ms = live->event >> 32;
    thread->last_free = UBI__LAST_FREE;
    ubi__live_table_remove(&s->live, live);
    ubi__marker_sums_freed(&s->markers, number, s->thread);
    s->makers.at[maker].made.temporary += is_temporary;
    thread->last_temporary = is_temporary ? number + 1 : 0;
    thread->last_maker = maker;
    s->classes[class_of(s, info)].n_frees++;
    if (class_of(s, info) == UBI__UBIREC_HEAP) {
        ubi__estimate_add(&thread->freed, s, info, 1);
        ubi__estimate_add(&thread->temporary, s, info, is_temporary);
        ubi__estimate_add(&s->lifetimes[lifetime_bucket(now_ms(s) - made_ms)], s, info, !is_older(s, number));
    }
    end_life(s, number, maker);
}

/* Whose it is again: the thread that made it, also of a mapping that was cut. */
static ubi_status undone_maker_get(ubi__recording_summary *s, uint32_t *out, uint32_t info) {
    uint32_t last = s->threads.at[s->thread].last_maker;
    return maker_get(s, out, info, last < s->makers.n ? s->makers.at[last].thread : s->thread);
}

/*
 * Its lifetime was counted at the free; it begins again. A mapping that was cut has another info, of a smaller size:
 * that one has what lives of it, and the first what was allocated.
 */
static ubi_status add_free_undone(ubi__recording_summary *s, uint64_t number, uint32_t info) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    ubi__class_sums *c = &s->classes[class_of(s, info)];
    uint64_t temporary = thread->last_temporary;
    uint32_t maker, last_maker = thread->last_maker;
    bool was_before = thread->last_free == UBI__LAST_FREE_BEFORE_WINDOW;
    thread->last_allocation = thread->last_temporary = 0;
    thread->last_free = UBI__LAST_FREE_NONE;
    /* A file that undoes what never happened must not make counts run below 0. */
    if (ubi__live_table_find(&s->live, number + 1) || (c->n_frees == 0 && !was_before) ||
        (s->is_over && number >= s->end_number))
        return UBI_OK;
    UBI_TRY(undone_maker_get(s, &maker, info));
    UBI_TRY(put_live(s, number, maker));
    UBI_TRY(begin_life(s, number, maker));
    c->n_frees -= !was_before;
    c->n_older += was_before;
    if (temporary == number + 1)
        s->makers.at[last_maker].made.temporary--;
    return ubi__marker_sums_undone(&s->markers, number, s->thread);
}

/* What a process that ended did not free. Nothing of that process happens after it. */
static void add_left(ubi__recording_summary *s, uint64_t number) {
    ubi__live *live = ubi__live_table_find(&s->live, number + 1);
    if (!live)
        return;
    uint32_t maker = (uint32_t)live->event, info = s->makers.at[maker].info;
    uint32_t group = ubi__marker_sums_left(&s->markers, number);
    ubi__live_table_remove(&s->live, live);
    end_life(s, number, maker);
    if (is_older(s, number)) {
        s->classes[class_of(s, info)].n_older--;
        return;
    }
    s->makers.at[maker].made.n_left++;
    s->classes[class_of(s, info)].n_left++;
    if (group != UBI_NONE)
        ubi__estimate_add(&s->markers.groups.at[group].live, s, info, 1);
}

static void add_rss(ubi__recording_summary *s, uint64_t bytes) {
    ubi__curve_point *point = point_now(s);
    point->rss_bytes = ubi__larger(point->rss_bytes, bytes);
    s->rss_last_bytes = bytes;
    if (bytes <= s->rss_peak_bytes)
        return;
    s->rss_peak_bytes = bytes;
    s->rss_peak_time_ns = s->time_ns;
}

/* The window may begin or end. */
static void add_time(ubi__recording_summary *s, uint64_t time_ns) {
    bool begins = !s->has_begun && ubi__window_has_begun(&s->window, time_ns);
    s->time_ns = time_ns;
    if (begins)
        ubi__recording_window_begin(s);
    if (!s->is_over && ubi__window_is_over(&s->window, time_ns)) {
        s->is_over = true;
        s->end_number = s->n_numbers;
    }
    if (s->n_curve || begins)
        point_now(s);
}

/* What neither changes what lives in the window nor was allocated in it. */
static bool is_outside(const ubi__recording_summary *s, ubi__ubirec_type type) {
    return s->is_over && (type == UBI__UBIREC_FREE || type == UBI__UBIREC_LEFT || type == UBI__UBIREC_RSS ||
                          type == UBI__UBIREC_MARKER);
}

ubi_status ubi__recording_summary_add(ubi__recording_summary *s, const ubi__ubirec_record *r) {
    if (is_outside(s, r->type))
        return UBI_OK;
    switch (r->type) {
    case UBI__UBIREC_ALLOC:
        return add_alloc(s, r->event.number, r->event.info);
    case UBI__UBIREC_FREE:
        add_free(s, r->event.number);
        return UBI_OK;
    case UBI__UBIREC_FREE_UNDONE:
        return add_free_undone(s, r->event.number, r->event.info);
    case UBI__UBIREC_LEFT:
        add_left(s, r->event.number);
        return UBI_OK;
    case UBI__UBIREC_TIME:
        add_time(s, r->time_ns);
        return UBI_OK;
    case UBI__UBIREC_SWITCH:
        s->thread = r->thread_now;
        return UBI_OK;
    case UBI__UBIREC_RSS:
        add_rss(s, r->bytes);
        return UBI_OK;
    case UBI__UBIREC_MARKER:
        s->n_markers += ubi__ubirec_marker_counts(r->marker.type);
        return ubi__marker_sums_add(&s->markers, r);
    case UBI__UBIREC_INFO:
        UBI_TRY(ubi__vec_info_sums_reserve(&s->infos, s->allocator, s->tables.infos.n + 1)); /* is filled at the end */
        if (!s->is_by_thread)
            UBI_TRY(
                ubi__vec_maker_sums_push(&s->makers, s->allocator, (ubi__maker_sums){ .info = (uint32_t)s->makers.n }));
        break;
    case UBI__UBIREC_THREAD:
        UBI_TRY(ubi__vec_thread_sums_push(&s->threads, s->allocator, (ubi__thread_sums){ 0 }));
        UBI_TRY(ubi__marker_sums_add_thread(&s->markers));
        break;
    default:
        break;
    }
    return ubi__ubirec_tables_add(&s->tables, r);
}

/* What was allocated in a marker and lives at the end, beside what was left. */
static void sum_live_of_markers(ubi__recording_summary *s) {
    for (size_t i = 0; i < s->live.table.n_slots && s->markers.owned.table.n; i++) {
        const ubi__live *live = &s->live.table.slots[i];
        uint32_t group = ubi__live_is_used(live) ? ubi__marker_sums_owner(&s->markers, live->address - 1) : UBI_NONE;
        if (group != UBI_NONE)
            ubi__estimate_add(&s->markers.groups.at[group].live, s, s->makers.at[(uint32_t)live->event].info, 1);
    }
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
static void maker_total(ubi__recording_summary *s, const ubi__maker_sums *maker) {
    uint64_t size_bytes = s->tables.infos.at[maker->info].size_bytes;
    ubi__estimate_add(&s->sizes[size_bucket(size_bytes)], s, maker->info, maker->made.count);
    for (ubi__measure m = 0; s->is_by_thread && m < UBI__MEASURE_COUNT; m++)
        ubi__estimate_add(&s->threads.at[maker->thread].by[m], s, maker->info, ubi__info_measure(&maker->made, m));
}

/* A view that is finished shares infos with the summary that is added to: they begin at zero each time. */
static void makers_total(ubi__recording_summary *s) {
    s->infos.n = s->tables.infos.n;
    if (s->infos.n)
        memset(s->infos.at, 0, s->infos.n * sizeof *s->infos.at);
    for (uint32_t i = 0; i < s->makers.n; i++) {
        ubi__maker_sums *maker = &s->makers.at[i];
        note_peak(&maker->made, &s->classes[class_of(s, maker->info)]);
        info_sums_join(&s->infos.at[maker->info], &maker->made);
        if (class_of(s, maker->info) == UBI__UBIREC_HEAP)
            maker_total(s, maker);
    }
}

static void infos_total(ubi__recording_summary *s) {
    for (uint32_t i = 0; i < s->infos.n; i++)
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&s->totals[class_of(s, i)][m], s, i, ubi__info_measure(&s->infos.at[i], m));
}

void ubi__recording_summary_finish(ubi__recording_summary *s) {
    if (!s->has_begun) /* everything was before it */
        ubi__recording_window_begin(s);
    ubi__recording_summary_check(s);
    sum_live_of_markers(s);
    makers_total(s);
    infos_total(s);
    if (s->n_curve)
        point_now(s);
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
    for (uint64_t n = 0;; n++) {
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(ubi__recording_summary_add(s, record));
        if (n % RECORDS_PER_PROGRESS == 0 &&
            !ubi__progress(progress, "reading", ubi__ubirec_bytes_in(reader), total_bytes))
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
    ubi_status status = ubi__ubirec_reader_new(&reader, source, s->allocator);
    if (status == UBI_OK) {
        status = keep_fault(s, add_all(s, reader, source->size, progress));
        s->file_bytes = ubi__ubirec_bytes_in(reader);
        s->torn_bytes = ubi__ubirec_torn_bytes(reader);
        s->n_blocks = ubi__ubirec_block_count(reader);
        ubi__ubirec_reader_free(reader);
    }
    if (status == UBI_OK) {
        ubi__recording_summary_finish(s);
        ubi__vec_maker_sums_fini(&s->makers, s->allocator); /* infos have it all, and nothing is added */
        ubi__u64_map_fini(&s->maker_of);
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
