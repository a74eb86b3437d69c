/* SPDX-License-Identifier: MIT
 *
 * recording_events.c: what records change in a summary (recording_summary.h).
 *
 * Most records are allocations and frees, and what they change is anywhere in large tables. So events that come in a row are looked
 * at before their turn: first where an allocation is kept, then what it belongs to, and the memory is there when they are counted.
 */
#include "recording/byte_sampler.h"
#include "recording/recording_summary_inside.h"

#define NS_PER_MS UINT64_C(1000000)
/* How many events before its turn one is looked at, for the first and the second time. */
#define LOOK_AHEAD 32
#define LOOK_AGAIN 16
/* gcc takes a function that only prefetches for one without effects, and leaves out calls of it. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* ---- the curve ---------------------------------------------------------------------------------------------------- */

/* Half as many points, each of twice the time. The first and the last one may be alone. */
static void halve_curve(ubi__recording_summary *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_curve; n++) {
        ubi__curve_point point = s->curve[i++];
        bool has_second = i < s->n_curve && (s->curve_first + i) % 2 == 1;
        if (has_second) {
            ubi__curve_point b = s->curve[i++];
            uint64_t rss_bytes = ubi__larger(point.rss_bytes, b.rss_bytes);
            point = point.live_bytes >= b.live_bytes ? point : b;
            point.rss_bytes = rss_bytes;
        }
        s->curve[n] = point;
    }
    s->n_curve = n;
    s->curve_first /= 2;
    s->curve_step_ns *= 2;
}

/* What lives by now. */
static ubi__curve_point live_point(const ubi__recording_summary *s) {
    const ubi__class_sums *heap = &s->classes[UBI__UBIREC_HEAP];
    return (ubi__curve_point){ .live_bytes = heap->live_bytes,
                               .live_met_bytes = heap->live_met_bytes,
                               .live_variance = heap->live_variance };
}

/* What time it is in the window. */
static uint64_t window_time_ns(const ubi__recording_summary *s) {
    return ubi__larger(s->window.from_ns, s->is_over ? s->window.to_ns - 1 : s->time_ns);
}

/* The point of this time. Those between it and the last one that there was have what lived then. */
ubi__curve_point *ubi__curve_point_now(ubi__recording_summary *s) {
    uint64_t time_ns = window_time_ns(s), end_ns;
    if (ubi__likely(s->n_curve && !__builtin_mul_overflow(s->curve_first + s->n_curve, s->curve_step_ns, &end_ns) &&
                    time_ns < end_ns))
        return &s->curve[s->n_curve - 1];
    while (time_ns / s->curve_step_ns - s->curve_first >= UBI__CURVE_POINTS) {
        while (s->n_curve < UBI__CURVE_POINTS)
            s->curve[s->n_curve++] = live_point(s);
        halve_curve(s);
    }
    size_t at = (size_t)(time_ns / s->curve_step_ns - s->curve_first);
    while (s->n_curve <= at)
        s->curve[s->n_curve++] = live_point(s);
    UBI_ASSERT(at < s->n_curve && s->n_curve <= UBI__CURVE_POINTS);
    return &s->curve[at];
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

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

/* Of one allocation. */
static inline void estimate_add_one(ubi__estimate *estimate, const ubi__recording_summary *s,
                                    const ubi__maker_sums *maker) {
    if (ubi__unlikely(!s->is_exact || maker->weight_bytes != maker->size_bytes)) {
        ubi__estimate_add(estimate, s, maker->info, 1);
        return;
    }
    estimate->samples++;
    estimate->count += 1;
    estimate->bytes += (double)maker->size_bytes;
    estimate->met_bytes += (double)maker->size_bytes;
}

/* In a half, one sample stands for twice as much: what was met with probability p is in it with p / 2. */
static void change_half(ubi__recording_summary *s, uint64_t number, uint32_t info, int sign) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    ubi__class_sums *c = &s->classes[ubi__info_class(s, info)];
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

/* Whether an allocation was made before the window. */
static inline bool is_older(const ubi__recording_summary *s, uint64_t number) {
    return number < s->first_number;
}

/* What is estimated of what lives; of exact recordings there is nothing to. */
static void change_estimates(ubi__recording_summary *s, uint64_t number, uint32_t info, int sign) {
    ubi__class_sums *c = &s->classes[ubi__info_class(s, info)];
    c->live_variance += sign * variance_of(s, info);
    change_half(s, number, info, sign);
    if (sign < 0 && (c->live == 0 || c->live_variance < 0)) /* what rounding leaves over */
        c->live_variance = 0;
}

/* There is more by now than the point has. */
static void raise_point(ubi__curve_point *point, const ubi__recording_summary *s) {
    uint64_t rss_bytes = point->rss_bytes;
    *point = live_point(s);
    point->rss_bytes = rss_bytes;
}

/* Of what was made before the window, and lives. */
static void older_count(ubi__recording_summary *s, const ubi__maker_sums *maker, int64_t change) {
    ubi__maker_rest_of(s, (size_t)(maker - s->makers.at))->n_older += (uint64_t)change;
}

static inline ubi_status begin_life(ubi__recording_summary *s, uint64_t number, ubi__maker_sums *maker) {
    ubi__class_sums *c = &s->classes[maker->of_class];
    uint64_t live_bytes;
    if (__builtin_add_overflow(c->live_bytes, maker->weight_bytes, &live_bytes))
        return ubi__fail(UBI_EFORMAT, "expected less than 2^64 bytes to live at a time");
    /* Up to here there was less. */
    ubi__curve_point *point = maker->of_class == UBI__UBIREC_HEAP ? ubi__curve_point_now(s) : NULL;
    ubi__maker_note_peak(maker, c);
    maker->live++;
    if (ubi__unlikely(is_older(s, number)))
        older_count(s, maker, 1);
    c->live++;
    c->live_bytes = live_bytes;
    c->live_met_bytes += maker->size_bytes;
    c->peak_met_bytes = ubi__larger(c->peak_met_bytes, c->live_met_bytes);
    if (!s->is_exact)
        change_estimates(s, number, maker->info, 1);
    if (live_bytes > c->peak_bytes) {
        c->peak_bytes = live_bytes;
        c->peak_time_ns = window_time_ns(s);
        c->epoch++;
    }
    if (point && live_bytes > point->live_bytes)
        raise_point(point, s);
    return UBI_OK;
}

static inline void end_life(ubi__recording_summary *s, uint64_t number, ubi__maker_sums *maker) {
    ubi__class_sums *c = &s->classes[maker->of_class];
    ubi__maker_note_peak(maker, c);
    UBI_ASSERT(maker->live > 0 && c->live > 0 && c->live_bytes >= maker->weight_bytes);
    maker->live--;
    if (ubi__unlikely(is_older(s, number)))
        older_count(s, maker, -1);
    c->live--;
    c->live_bytes -= maker->weight_bytes;
    c->live_met_bytes -= maker->size_bytes;
    if (!s->is_exact)
        change_estimates(s, number, maker->info, -1);
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

/* Of what the ledger has. */
static inline uint32_t live_maker(uint64_t live) {
    return (uint32_t)live - 1;
}

static inline ubi_status put_live(ubi__recording_summary *s, uint64_t number, uint32_t maker) {
    return ubi__live_ledger_add(&s->live, number, now_ms(s) << 32 | (maker + 1));
}

static ubi_status maker_of_thread(ubi__recording_summary *s, uint32_t *out, uint32_t info, uint32_t thread) {
    *out = ubi__u64_map_get(&s->maker_of, ubi__u64_pair(info, thread));
    if (*out != UBI_NONE)
        return UBI_OK;
    *out = (uint32_t)s->makers.n;
    UBI_TRY(ubi__maker_add(s, info, thread));
    return ubi__u64_map_put(&s->maker_of, ubi__u64_pair(info, thread), *out);
}

static inline ubi_status maker_get(ubi__recording_summary *s, uint32_t *out, uint32_t info, uint32_t thread) {
    *out = info;
    return s->is_by_thread ? maker_of_thread(s, out, info, thread) : UBI_OK;
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

static inline ubi_status add_alloc(ubi__recording_summary *s, uint64_t number, uint32_t info) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    uint32_t maker_number;
    s->n_numbers = number + 1;
    if (s->is_over)
        return UBI_OK;
    UBI_TRY(maker_get(s, &maker_number, info, s->thread));
    UBI_TRY(put_live(s, number, maker_number));
    ubi__maker_sums *maker = &s->makers.at[maker_number];
    UBI_TRY(begin_life(s, number, maker));
    maker->count++;
    s->classes[maker->of_class].count++;
    add_bytes(&s->classes[maker->of_class].bytes, maker->weight_bytes);
    thread->last_allocation = number + 1;
    thread->last_free = UBI__LAST_FREE_NONE;
    if (maker->of_class != UBI__UBIREC_HEAP)
        return UBI_OK;
    estimate_add_one(&thread->allocated, s, maker);
    return s->markers.groups.n ? add_to_marker(s, number, info) : UBI_OK;
}

/* What a free of the heap adds to a thread, and to lifetimes. */
static inline void add_heap_free(ubi__recording_summary *s, uint64_t number, const ubi__maker_sums *maker,
                                 uint64_t made_ms, bool is_temporary) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    estimate_add_one(&thread->freed, s, maker);
    if (is_temporary)
        estimate_add_one(&thread->temporary, s, maker);
    if (!is_older(s, number))
        estimate_add_one(&s->lifetimes[lifetime_bucket(now_ms(s) - made_ms)], s, maker);
    else if (s->notes)
        s->notes->older_freed(s->notes->payload, number, lifetime_bucket(now_ms(s) - made_ms));
}

/* Whether what was freed counts as temporary in this window. */
static inline bool temporary_note(ubi__recording_summary *s, uint64_t number, uint64_t live, bool is_temporary) {
    if (ubi__likely(!is_temporary || !s->notes || !is_older(s, number)))
        return is_temporary;
    s->notes->older_temporary(s->notes->payload, number, live_maker(live), s->thread);
    return false;
}

static inline void add_free(ubi__recording_summary *s, uint64_t number) {
    ubi__thread_sums *thread = &s->threads.at[s->thread];
    uint64_t live = ubi__live_ledger_take(&s->live, number);
    /* What a sample's thread did next is unknown. */
    bool is_temporary = s->is_exact_now && thread->last_allocation == number + 1;
    thread->last_allocation = thread->last_temporary = 0;
    thread->last_free = UBI__LAST_FREE_NONE;
    if (!live) {
        s->double_frees++;
        return;
    }
    ubi__maker_sums *maker = &s->makers.at[live_maker(live)];
    thread->last_free = UBI__LAST_FREE;
    is_temporary = temporary_note(s, number, live, is_temporary);
    ubi__marker_sums_freed(&s->markers, number, s->thread);
    maker->temporary += is_temporary;
    thread->last_temporary = is_temporary ? number + 1 : 0;
    thread->last_maker = live_maker(live);
    s->classes[maker->of_class].n_frees++;
    if (maker->of_class == UBI__UBIREC_HEAP)
        add_heap_free(s, number, maker, live >> 32, is_temporary);
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
    ubi__class_sums *c = &s->classes[ubi__info_class(s, info)];
    uint64_t temporary = thread->last_temporary;
    uint32_t maker, last_maker = thread->last_maker;
    bool was_before = thread->last_free == UBI__LAST_FREE_BEFORE_WINDOW;
    thread->last_allocation = thread->last_temporary = 0;
    thread->last_free = UBI__LAST_FREE_NONE;
    /* A file that undoes what never happened must not make counts run below 0. */
    if (ubi__live_ledger_get(&s->live, number) || (c->n_frees == 0 && !was_before) ||
        (s->is_over && number >= s->end_number))
        return UBI_OK;
    UBI_TRY(undone_maker_get(s, &maker, info));
    UBI_TRY(put_live(s, number, maker));
    UBI_TRY(begin_life(s, number, &s->makers.at[maker]));
    c->n_frees -= !was_before;
    c->n_older += was_before;
    s->has_crossed |= was_before;
    if (temporary == number + 1)
        s->makers.at[last_maker].temporary--;
    return ubi__marker_sums_undone(&s->markers, number, s->thread);
}

/* What a process that ended did not free. Nothing of that process happens after it. */
static void add_left(ubi__recording_summary *s, uint64_t number) {
    uint64_t live = ubi__live_ledger_take(&s->live, number);
    if (!live)
        return;
    uint32_t maker = live_maker(live), info = s->makers.at[maker].info;
    uint32_t group = ubi__marker_sums_left(&s->markers, number);
    end_life(s, number, &s->makers.at[maker]);
    if (is_older(s, number)) {
        s->classes[ubi__info_class(s, info)].n_older--;
        return;
    }
    ubi__maker_rest_of(s, maker)->n_left++;
    s->classes[ubi__info_class(s, info)].n_left++;
    if (group != UBI_NONE)
        ubi__estimate_add(&s->markers.groups.at[group].live, s, info, 1);
}

static void add_rss(ubi__recording_summary *s, uint64_t bytes) {
    ubi__curve_point *point = ubi__curve_point_now(s);
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
        ubi__curve_point_now(s);
}

/* What neither changes what lives in the window nor was allocated in it. */
static bool is_outside(const ubi__recording_summary *s, ubi__ubirec_type type) {
    return s->is_over && (type == UBI__UBIREC_FREE || type == UBI__UBIREC_LEFT || type == UBI__UBIREC_RSS ||
                          type == UBI__UBIREC_MARKER);
}

/* Whether all of it is exact, and whether what comes now is. */
static void note_period(ubi__recording_summary *s) {
    const ubi__vec_ubirec_period *periods = &s->tables.periods;
    s->is_exact_now = periods->n && periods->at[periods->n - 1].period_bytes == 1;
    s->is_exact = s->is_exact_now && (periods->n == 1 || s->is_exact);
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
        s->has_undone = true;
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
        UBI_TRY(ubi__ubirec_tables_add(&s->tables, r));
        return s->is_by_thread ? UBI_OK : ubi__maker_add(s, (uint32_t)s->makers.n, 0);
    case UBI__UBIREC_THREAD:
        UBI_TRY(ubi__vec_thread_sums_push(&s->threads, s->allocator, (ubi__thread_sums){ 0 }));
        UBI_TRY(ubi__marker_sums_add_thread(&s->markers));
        break;
    default:
        break;
    }
    UBI_TRY(ubi__ubirec_tables_add(&s->tables, r));
    if (r->type == UBI__UBIREC_ABOUT || r->type == UBI__UBIREC_PERIOD)
        note_period(s);
    return UBI_OK;
}

/* ---- events in a row ---------------------------------------------------------------------------------------------- */

/* By thread, it is looked at twice, too. The thread may be another one by then. */
static ALWAYS_INLINE void alloc_look(const ubi__recording_summary *s, uint32_t info) {
    if (s->is_by_thread)
        ubi__u64_table_prefetch(&s->maker_of.table, ubi__hash_u64(ubi__u64_pair(info, s->thread)));
    else
        __builtin_prefetch(&s->makers.at[info], 1);
}

static ALWAYS_INLINE void event_look(const ubi__recording_summary *s, const ubi__ubirec_events *events, size_t i) {
    if (events->types[i] == UBI__UBIREC_ALLOC)
        alloc_look(s, (uint32_t)events->values[i]);
    else if (events->types[i] == UBI__UBIREC_FREE)
        ubi__live_ledger_prefetch(&s->live, events->values[i]);
}

/* What was allocated a moment ago is not there yet, and needs no look. */
static ALWAYS_INLINE void event_look_again(const ubi__recording_summary *s, const ubi__ubirec_events *events,
                                           size_t i) {
    uint64_t live = events->types[i] == UBI__UBIREC_FREE ? ubi__live_ledger_get(&s->live, events->values[i]) : 0;
    if (s->is_by_thread && events->types[i] == UBI__UBIREC_ALLOC) {
        uint32_t maker = ubi__u64_map_get(&s->maker_of, ubi__u64_pair((uint32_t)events->values[i], s->thread));
        __builtin_prefetch(&s->makers.at[maker != UBI_NONE ? maker : 0], 1);
    }
    if (live)
        __builtin_prefetch(&s->makers.at[live_maker(live)], 1);
}

static inline ubi_status event_add(ubi__recording_summary *s, ubi__ubirec_type type, uint64_t value, uint64_t *number) {
    switch (type) {
    case UBI__UBIREC_ALLOC:
        return add_alloc(s, (*number)++, (uint32_t)value);
    case UBI__UBIREC_FREE:
        if (!s->is_over)
            add_free(s, value);
        return UBI_OK;
    case UBI__UBIREC_TIME:
        add_time(s, value);
        return UBI_OK;
    default:
        UBI_ASSERT(type == UBI__UBIREC_SWITCH);
        s->thread = (uint32_t)value;
        return UBI_OK;
    }
}

ubi_status ubi__recording_summary_add_events(ubi__recording_summary *s, const ubi__ubirec_events *events) {
    uint64_t number = events->first_number;
    for (size_t i = 0; i < events->n && i < LOOK_AHEAD; i++)
        event_look(s, events, i);
    for (size_t i = 0; i < events->n; i++) {
        if (i + LOOK_AHEAD < events->n)
            event_look(s, events, i + LOOK_AHEAD);
        if (i + LOOK_AGAIN < events->n)
            event_look_again(s, events, i + LOOK_AGAIN);
        UBI_TRY(event_add(s, (ubi__ubirec_type)events->types[i], events->values[i], &number));
    }
    return UBI_OK;
}
