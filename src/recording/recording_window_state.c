/* SPDX-License-Identifier: MIT
 *
 * recording_window_state.c: what a recording was like at a checkpoint (recording_window_inside.h).
 */
#include "base/assert.h"
#include "base/status.h"
#include "recording/recording_window_inside.h"

ubi_status ubi__checkpoints_fail(void) {
    return ubi__fail(UBI_EFORMAT, "checkpoints of the recording are damaged, or of another file");
}

ubi__cursor ubi__checkpoints_cursor(const ubi__window_inquiry *q, uint64_t at) {
    UBI_ASSERT(at <= q->c->bytes.n);
    if (q->c->bytes.n == 0) /* of a damaged index */
        return (ubi__cursor){ (const uint8_t *)"", (const uint8_t *)"", UBI__NO_FAULT };
    return (ubi__cursor){ q->c->bytes.at + at, q->c->bytes.at + q->c->bytes.n, UBI__NO_FAULT };
}

/* ---- a summary at a checkpoint ---------------------------------------------------------------------------------------- */

static ubi_status makers_fill(ubi__recording_summary *s, const ubi__window_inquiry *q) {
    size_t n = q->choice->is_by_thread ? q->c->makers.n : s->tables.infos.n;
    for (size_t i = 0; i < n; i++) {
        const ubi__checkpoint_maker maker =
            q->choice->is_by_thread ? q->c->makers.at[i] : (ubi__checkpoint_maker){ (uint32_t)i, 0 };
        UBI_TRY(ubi__maker_add(s, maker.info, maker.thread));
        if (q->choice->is_by_thread)
            UBI_TRY(ubi__u64_map_put(&s->maker_of, ubi__u64_pair(maker.info, maker.thread), (uint32_t)i));
    }
    return ubi__vec_info_sums_reserve(&s->infos, s->allocator, s->tables.infos.n);
}

static ubi_status threads_fill(ubi__recording_summary *s) {
    for (size_t i = 0; i < s->tables.threads.n; i++) {
        UBI_TRY(ubi__vec_thread_sums_push(&s->threads, s->allocator, (ubi__thread_sums){ 0 }));
        UBI_TRY(ubi__marker_sums_add_thread(&s->markers));
    }
    return UBI_OK;
}

static ubi_status live_begin(ubi__recording_summary *s, const ubi__window_inquiry *q,
                             const ubi__checkpoint_live *live) {
    uint32_t number = ubi__window_maker(q, live->maker);
    ubi__maker_sums *maker = &s->makers.at[number];
    uint64_t bytes = maker->weight_bytes;
    ubi__class_sums *c = &s->classes[maker->of_class];
    UBI_TRY(ubi__live_ledger_add(&s->live, live->number, (uint64_t)live->ms << 32 | (number + 1)));
    maker->live++;
    c->live++;
    c->live_bytes += bytes;
    c->live_met_bytes += bytes;
    c->peak_bytes = c->peak_met_bytes = c->live_bytes;
    return UBI_OK;
}

/* Calls `fn` for what lived at a checkpoint, by number. */
ubi_status ubi__checkpoint_live_each(const ubi__window_inquiry *q, const ubi__checkpoint *row,
                                     ubi_status (*fn)(void *payload, const ubi__checkpoint_live *live), void *payload) {
    ubi__cursor c = ubi__checkpoints_cursor(q, row->live_at);
    uint64_t n = ubi__cursor_get(&c), number = 0, ms = 0;
    for (uint64_t i = 0; i < n && !c.fault; i++) {
        uint64_t step = ubi__cursor_get(&c), maker = ubi__cursor_get(&c);
        ms += (uint64_t)ubi__unzigzag(ubi__cursor_get(&c));
        bool is_sound = step < row->place.n.allocations - number && (step || i == 0) &&
                        maker >> UBI__FATE_BITS < q->c->makers.n && ms <= UINT32_MAX && !c.fault;
        if (!is_sound)
            return ubi__checkpoints_fail();
        number += step;
        UBI_TRY(fn(payload, &(ubi__checkpoint_live){ .number = number,
                                                     .ms = (uint32_t)ms,
                                                     .maker = (uint32_t)(maker >> UBI__FATE_BITS),
                                                     .fate = maker & ((1u << UBI__FATE_BITS) - 1) }));
    }
    return c.fault ? ubi__checkpoints_fail() : UBI_OK;
}

static ubi_status live_restore(void *payload, const ubi__checkpoint_live *live) {
    const ubi__window_live *t = payload;
    return live_begin(t->s, t->q, live);
}

ubi_status ubi__window_threads_restore(ubi__recording_summary *s, const ubi__window_inquiry *q,
                                       const ubi__checkpoint *row) {
    ubi__cursor c = ubi__checkpoints_cursor(q, row->threads_at);
    uint64_t n = ubi__cursor_get(&c);
    if (n > s->threads.n)
        return ubi__checkpoints_fail();
    for (uint64_t i = 0; i < n; i++) {
        ubi__thread_sums *thread = &s->threads.at[i];
        uint64_t last = ubi__cursor_get(&c), maker = ubi__cursor_get(&c), is_free = ubi__cursor_get(&c);
        if (c.fault || last > row->place.n.allocations || (maker && maker >= q->c->makers.n) || is_free > 1)
            return ubi__checkpoints_fail();
        thread->last_allocation = last;
        thread->last_maker = q->c->makers.n ? ubi__window_maker(q, maker) : 0;
        thread->last_free = is_free ? UBI__LAST_FREE : UBI__LAST_FREE_NONE;
    }
    return UBI_OK;
}

static ubi_status state_restore(ubi__recording_summary *s, const ubi__window_inquiry *q, const ubi__checkpoint *row) {
    ubi__window_live target = { q, s, NULL };
    UBI_TRY(makers_fill(s, q));
    UBI_TRY(threads_fill(s));
    UBI_TRY(ubi__checkpoint_live_each(q, row, live_restore, &target));
    return ubi__window_threads_restore(s, q, row);
}

/* As if the file had been read up to there. */
ubi_status ubi__window_summary_restore(ubi__recording_summary *s, const ubi__window_inquiry *q,
                                       const ubi__checkpoint *row) {
    const ubi_allocator *a = q->allocator;
    *s = (ubi__recording_summary){ .allocator = a,
                                   .window = q->choice->window,
                                   .is_by_thread = q->choice->is_by_thread,
                                   .has_begun = q->choice->window.from_ns == 0,
                                   .is_exact = true,
                                   .is_exact_now = true,
                                   .curve_step_ns = UBI__FIRST_CURVE_STEP_NS,
                                   .curve_first = q->choice->window.from_ns / UBI__FIRST_CURVE_STEP_NS,
                                   .n_numbers = row->place.n.allocations,
                                   .time_ns = row->place.time_ns,
                                   .thread = row->place.thread,
                                   .rss_last_bytes = row->rss_last_bytes,
                                   .double_frees = row->double_frees };
    ubi__live_ledger_init(&s->live, a);
    ubi__marker_sums_init(&s->markers, a);
    ubi__u64_map_init(&s->maker_of, a);
    UBI_TRY(ubi__ubirec_tables_view(&s->tables, &q->whole->tables, a));
    ubi_status status = state_restore(s, q, row);
    if (status != UBI_OK)
        ubi__recording_summary_fini(s);
    return status;
}
