/* SPDX-License-Identifier: MIT
 *
 * recording_window_sums.c: sums of parts of a window, each from one checkpoint to the next (recording_window_inside.h).
 */
#include <string.h>

#include "recording/recording_window_inside.h"

/* The next of a list of numbers that ascend and are below `limit`. */
static uint64_t ascending_get(ubi__cursor *c, uint64_t *before, uint64_t limit) {
    uint64_t step = ubi__cursor_get(c);
    if (step < limit - *before)
        return *before += step;
    ubi__cursor_fail(c, "");
    return 0;
}

static ubi__estimate estimate_get(ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c);
    double bytes = (double)ubi__cursor_get(c);
    return (ubi__estimate){ .samples = n, .count = (double)n, .bytes = bytes, .met_bytes = bytes };
}

/* ---- the curve ---- */

/* The last moment of the window. */
static uint64_t end_time_ns(const ubi__window_inquiry *q) {
    const ubi__time_window *window = &q->choice->window;
    return ubi__window_is_over(window, q->whole->time_ns) ? window->to_ns - 1 : q->whole->time_ns;
}

/* As many points as a summary that is read has at the end. */
static uint64_t window_step_ns(const ubi__window_inquiry *q) {
    uint64_t step_ns = UBI__FIRST_CURVE_STEP_NS;
    while (end_time_ns(q) / step_ns - q->choice->window.from_ns / step_ns >= UBI__CURVE_POINTS)
        step_ns *= 2;
    return step_ns;
}

/* A point of a part, by the number of its step. Part of the window, it has no longer steps. */
static bool curve_raise(ubi__window_sums *to, const ubi__window_inquiry *q, uint64_t number, uint64_t step_ns,
                        const ubi__curve_point *point) {
    uint64_t time_ns, at;
    if (__builtin_mul_overflow(number, step_ns, &time_ns) || step_ns > to->curve_step_ns)
        return false;
    at = time_ns / to->curve_step_ns - q->choice->window.from_ns / to->curve_step_ns;
    if (at >= UBI__CURVE_POINTS)
        return false;
    ubi__curve_point *sum = &to->curve[at];
    sum->live_bytes = sum->live_met_bytes = ubi__larger(sum->live_bytes, point->live_bytes);
    sum->rss_bytes = ubi__larger(sum->rss_bytes, point->rss_bytes);
    return to->has_curve = true;
}

ubi_status ubi__window_curve_of(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__recording_summary *s) {
    if (s->n_curve)
        ubi__curve_point_now(s);
    for (size_t i = 0; i < s->n_curve; i++)
        if (!curve_raise(to, q, s->curve_first + i, s->curve_step_ns, &s->curve[i]))
            return ubi__checkpoints_fail();
    return UBI_OK;
}

static void curve_add(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c), step_ms = ubi__cursor_get(c), first = ubi__cursor_get(c);
    if (n > UBI__CURVE_POINTS || first > UINT64_MAX - n || step_ms > UINT64_MAX / UBI__FIRST_CURVE_STEP_NS)
        ubi__cursor_fail(c, "");
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        ubi__curve_point point = { .live_bytes = ubi__cursor_get(c) };
        point.rss_bytes = ubi__cursor_get(c);
        if (!curve_raise(to, q, first + i, step_ms * UBI__FIRST_CURVE_STEP_NS, &point))
            ubi__cursor_fail(c, "");
    }
}

void ubi__window_curve_join(ubi__recording_summary *s, const ubi__window_inquiry *q, const ubi__window_sums *before) {
    s->curve_step_ns = before->curve_step_ns;
    s->curve_first = s->window.from_ns / s->curve_step_ns;
    s->n_curve = before->has_curve ? (size_t)(end_time_ns(q) / s->curve_step_ns - s->curve_first) + 1 : 0;
    memcpy(s->curve, before->curve, sizeof s->curve);
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------ */

void ubi__window_sums_free(ubi__window_sums *of, const ubi_allocator *a) {
    ubi__free_array(a, of->makers, of->n_makers + 1, sizeof *of->makers);
    ubi__vec_thread_sums_fini(&of->threads, a);
}

ubi_status ubi__window_sums_init(ubi__window_sums *of, const ubi__window_inquiry *q) {
    memset(of, 0, sizeof *of);
    of->curve_step_ns = window_step_ns(q);
    of->n_makers = (q->choice->is_by_thread ? q->c->makers.n : q->whole->tables.infos.n);
    of->makers = ubi__calloc_array(q->allocator, of->n_makers + 1, sizeof *of->makers);
    if (!of->makers)
        return ubi__fail_nomem();
    for (size_t i = 0; i < q->whole->threads.n; i++)
        UBI_TRY(ubi__vec_thread_sums_push(&of->threads, q->allocator, (ubi__thread_sums){ 0 }));
    return UBI_OK;
}

/* All makers have what they had at the last maximum of their class. */
void ubi__window_peaks_note(ubi__recording_summary *s) {
    for (size_t i = 0; i < s->makers.n; i++)
        ubi__maker_note_peak(&s->makers.at[i], &s->classes[s->makers.at[i].of_class]);
}

/* Of a summary that was read up to a checkpoint. */
void ubi__window_sums_of(ubi__window_sums *to, ubi__recording_summary *s) {
    ubi__window_peaks_note(s);
    for (size_t i = 0; i < to->n_makers; i++)
        to->makers[i] = ubi__maker_made(s, i);
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        const ubi__class_sums *c = &s->classes[i];
        to->classes[i] = (ubi__checkpoint_class){ c->count, c->n_frees, c->bytes, c->peak_bytes, c->peak_time_ns };
        to->n_older[i] = c->n_older;
    }
    for (size_t i = 0; i < to->threads.n; i++) {
        to->threads.at[i].allocated = s->threads.at[i].allocated;
        to->threads.at[i].freed = s->threads.at[i].freed;
        to->threads.at[i].temporary = s->threads.at[i].temporary;
    }
    memcpy(to->lifetimes, s->lifetimes, sizeof to->lifetimes);
    to->rss_peak_bytes = s->rss_peak_bytes;
    to->rss_peak_time_ns = s->rss_peak_time_ns;
    to->first_number = s->first_number;
}

static void makers_add(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c), at = 0;
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        uint64_t maker = ascending_get(c, &at, q->c->makers.n), count = ubi__cursor_get(c);
        uint64_t temporary = count & 1 ? ubi__cursor_get(c) : 0;
        if (c->fault)
            return;
        to->makers[ubi__window_maker(q, maker)].count += count >> 1;
        to->makers[ubi__window_maker(q, maker)].temporary += temporary;
    }
}

/* Of classes of which more lived than before. */
static void peaks_take(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__cursor *c,
                       const bool is_new[UBI__UBIREC_CLASS_COUNT]) {
    uint64_t n = ubi__cursor_get(c), at = 0;
    for (size_t i = 0; i < to->n_makers; i++) {
        uint32_t info = q->choice->is_by_thread ? q->c->makers.at[i].info : (uint32_t)i;
        if (is_new[ubi__info_class(q->whole, info)])
            to->makers[i].peak_live = 0;
    }
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        uint64_t maker = ascending_get(c, &at, q->c->makers.n), live = ubi__cursor_get(c);
        if (!c->fault && is_new[ubi__info_class(q->whole, q->c->makers.at[maker].info)])
            to->makers[ubi__window_maker(q, maker)].peak_live += live;
    }
}

static void thread_sums_add(ubi__window_sums *to, ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c), at = 0;
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        uint64_t number = ascending_get(c, &at, to->threads.n);
        ubi__estimate allocated = estimate_get(c), freed = estimate_get(c), temporary = estimate_get(c);
        if (c->fault)
            return;
        ubi__estimate_join(&to->threads.at[number].allocated, &allocated);
        ubi__estimate_join(&to->threads.at[number].freed, &freed);
        ubi__estimate_join(&to->threads.at[number].temporary, &temporary);
    }
}

/* Of what was allocated in the window, and freed in a later part of it as the next thing. */
static void temporary_add(ubi__window_sums *to, const ubi__window_inquiry *q, ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c);
    for (uint64_t i = 0; i < n && !c->fault; i++) {
        uint64_t number = ubi__cursor_get(c), maker = ubi__cursor_get(c), thread = ubi__cursor_get(c);
        if (maker >= q->c->makers.n || thread >= to->threads.n)
            ubi__cursor_fail(c, "");
        if (c->fault || number < to->first_number)
            continue;
        uint32_t info = q->c->makers.at[maker].info;
        to->makers[ubi__window_maker(q, maker)].temporary++;
        if (ubi__info_class(q->whole, info) == UBI__UBIREC_HEAP)
            ubi__estimate_add(&to->threads.at[thread].temporary, q->whole, info, 1);
    }
}

static ubi_status lifetime_add(void *payload, const ubi__checkpoint_live *live) {
    const ubi__window_live *t = payload;
    if (live->number >= t->sums->first_number && live->fate < UBI__FATE_NONE)
        ubi__estimate_add(&t->sums->lifetimes[live->fate], t->q->whole, t->q->c->makers.at[live->maker].info, 1);
    return UBI_OK;
}

/* From this checkpoint to the next one. */
ubi_status ubi__window_sums_add(ubi__window_sums *to, const ubi__window_inquiry *q, const ubi__checkpoint *row) {
    ubi__cursor c = ubi__checkpoints_cursor(q, row->sums_at);
    bool is_new[UBI__UBIREC_CLASS_COUNT];
    ubi__window_live target = { q, NULL, to };
    for (int i = 0; i < UBI__UBIREC_CLASS_COUNT; i++) {
        ubi__checkpoint_class *sum = &to->classes[i];
        const ubi__checkpoint_class *part = &row->classes[i];
        is_new[i] = part->peak_bytes > sum->peak_bytes;
        *sum = (ubi__checkpoint_class){ sum->count + part->count, sum->n_frees + part->n_frees,
                                        sum->bytes + part->bytes, is_new[i] ? part->peak_bytes : sum->peak_bytes,
                                        is_new[i] ? part->peak_time_ns : sum->peak_time_ns };
    }
    if (row->rss_peak_bytes > to->rss_peak_bytes) {
        to->rss_peak_bytes = row->rss_peak_bytes;
        to->rss_peak_time_ns = row->rss_peak_time_ns;
    }
    makers_add(to, q, &c);
    peaks_take(to, q, &c, is_new);
    thread_sums_add(to, &c);
    temporary_add(to, q, &c);
    curve_add(to, q, &c);
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        ubi__estimate_join(&to->lifetimes[i], &row->lifetimes[i]);
    return c.fault ? ubi__checkpoints_fail() : ubi__checkpoint_live_each(q, row, lifetime_add, &target);
}
