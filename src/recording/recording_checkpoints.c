/* SPDX-License-Identifier: MIT
 *
 * recording_checkpoints.c: checkpoints, to an index and back (recording_checkpoints.h). Their bytes are believed when they are used.
 */
#include "recording/recording_checkpoints.h"

#include "base/assert.h"
#include "base/column_file.h"

void ubi__recording_checkpoints_init(ubi__recording_checkpoints *c, const ubi_allocator *allocator) {
    *c = (ubi__recording_checkpoints){ .allocator = allocator };
}

void ubi__recording_checkpoints_fini(ubi__recording_checkpoints *c) {
    ubi__vec_checkpoint_fini(&c->rows, c->allocator);
    ubi__vec_checkpoint_maker_fini(&c->makers, c->allocator);
    ubi__vec_checkpoint_undone_fini(&c->undone, c->allocator);
    ubi__vec_u8_fini(&c->bytes, c->allocator);
    ubi__vec_u8_fini(&c->curve, c->allocator);
}

/* ---- rules --------------------------------------------------------------------------------------------------------- */

static bool counts_ascend(const ubi__ubirec_counts *a, const ubi__ubirec_counts *b) {
    return a->strings <= b->strings && a->modules <= b->modules && a->frames <= b->frames && a->traces <= b->traces &&
           a->kinds <= b->kinds && a->infos <= b->infos && a->threads <= b->threads && a->blocks <= b->blocks &&
           a->allocations <= b->allocations;
}

/* A row after another one, or NULL. */
static bool row_is_sound(const ubi__checkpoint *row, const ubi__checkpoint *before) {
    bool is_sound = row->threads_at <= row->live_at && row->live_at <= row->sums_at && row->is_crossed <= 1 &&
                    (row->place.thread < row->place.n.threads || row->place.thread == 0);
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        is_sound = is_sound && ubi__estimate_is_sound(&row->lifetimes[i]);
    return is_sound && (!before || (counts_ascend(&before->place.n, &row->place.n) &&
                                    before->place.position <= row->place.position &&
                                    before->place.time_ns <= row->place.time_ns && before->sums_at <= row->threads_at));
}

void ubi__recording_checkpoints_check(const ubi__recording_checkpoints *c) {
    UBI_ASSERT(c->rows.n != 1);
    for (size_t i = 0; i < c->rows.n; i++) {
        UBI_ASSERT(row_is_sound(&c->rows.at[i], i ? &c->rows.at[i - 1] : NULL));
        UBI_ASSERT(c->rows.at[i].sums_at <= c->bytes.n);
    }
}

static bool rows_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__checkpoint *at = items;
    (void)rule;
    for (size_t i = 0; i < n; i++)
        if (!row_is_sound(&at[i], first + i ? &at[i] - 1 : NULL))
            return false;
    return true;
}

/* The payload is the summary. */
static bool makers_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__checkpoint_maker *at = items;
    const ubi__recording_summary *s = rule->payload;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].info >= s->tables.infos.n || at[i].thread >= s->threads.n)
            return false;
    return true;
}

static bool undone_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__checkpoint_undone *at = items;
    const ubi__recording_summary *s = rule->payload;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].info >= s->tables.infos.n || at[i].thread >= s->threads.n)
            return false;
    return true;
}

/* ---- passing --------------------------------------------------------------------------------------------------------- */

/* The last row has all that the tables have; and a file without allocations has no checkpoints. */
static bool rows_fit(const ubi__recording_checkpoints *c, const ubi__recording_summary *whole) {
    if (c->rows.n == 0)
        return true;
    const ubi__checkpoint *first = &c->rows.at[0], *last = &c->rows.at[c->rows.n - 1];
    return c->rows.n > 1 && first->place.n.allocations == 0 && last->sums_at <= c->bytes.n &&
           last->place.n.infos <= whole->tables.infos.n && last->place.n.threads <= whole->threads.n &&
           last->place.position <= whole->file_bytes;
}

ubi_status ubi__recording_checkpoints_pass(ubi__columns *columns, ubi__recording_checkpoints *c,
                                           const ubi__recording_summary *whole) {
    static const ubi__column_rule rows = { rows_hold, 0, NULL };
    const ubi__column_rule makers = { makers_hold, 0, whole }, undone = { undone_hold, 0, whole };
    if (!columns->writer)
        ubi__recording_checkpoints_init(c, columns->allocator);
    UBI_TRY(UBI__COLUMN(columns, "checkpoints", &c->rows, &rows));
    UBI_TRY(UBI__COLUMN(columns, "makers", &c->makers, &makers));
    UBI_TRY(UBI__COLUMN(columns, "taken back", &c->undone, &undone));
    UBI_TRY(UBI__COLUMN(columns, "states and sums", &c->bytes, NULL));
    UBI_TRY(UBI__COLUMN(columns, "stacks by time", &c->curve, NULL));
    return ubi__columns_expect(columns, rows_fit(c, whole), "checkpoints");
}
