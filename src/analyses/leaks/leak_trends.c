/* SPDX-License-Identifier: MIT
 *
 * leak_trends.c: when what leaked came: of each cluster how many with each step, and of each class how many there were.
 *
 * Both are counted in what is there at the end, or was there at each heap; nothing is kept of earlier heaps but sums by class.
 */
#include "analyses/leaks/leak_gathering.h"

#include "base/merge_sort.h"
#include "base/text.h"

static uint32_t heap_count(const ubi__leak_gathering *g) {
    return ubi__leak_past_count(g->f) + 1;
}

static uint64_t class_count_in(const ubi_leak_finder *f, uint32_t heap, uint32_t row) {
    return heap < ubi__leak_past_count(f) ? ubi__leak_past_tally(f, heap, row).count : f->tallies.at[row].newest.count;
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

/* Each cluster has a number for each step, and one for each heap. */
ubi_status ubi__leak_make_curves(ubi__leak_gathering *g) {
    ubi_leaks *leaks = g->leaks;
    size_t n_heaps = heap_count(g), n_steps = n_heaps - 1, n = leaks->clusters.n;
    UBI_TRY(ubi__vec_u64_reserve(&leaks->curves, leaks->allocator, n * (n_steps + n_heaps)));
    UBI_TRY(ubi__vec_u8_reserve(&leaks->grew, leaks->allocator, n * n_steps));
    for (size_t i = 0; i < n; i++) {
        uint64_t *curve = leaks->curves.at + i * (n_steps + n_heaps);
        ubi__leak_found *found = &leaks->clusters.at[i];
        memset(curve, 0, n_steps * sizeof *curve);
        for (uint32_t heap = 0; heap < n_heaps; heap++)
            curve[n_steps + heap] = class_count_in(g->f, heap, found->row);
        found->cluster.came = curve;
        found->cluster.class_counts = curve + n_steps;
        found->cluster.grew = leaks->grew.at + i * n_steps;
    }
    leaks->curves.n = n * (n_steps + n_heaps);
    leaks->grew.n = n * n_steps;
    return UBI_OK;
}

static uint64_t *came_of(ubi__leak_gathering *g, size_t cluster) {
    return g->leaks->curves.at + cluster * (2 * heap_count(g) - 1);
}

void ubi__leak_note_birth(ubi__leak_gathering *g, ubi__leak_cluster_ix cluster, ubi_node_ix node) {
    UBI_ASSERT(cluster < g->leaks->clusters.n && ubi__leak_step_of(g->f, node) < ubi__leak_past_count(g->f));
    came_of(g, cluster)[ubi__leak_step_of(g->f, node)]++;
}

/*
 * Of three heaps, equal work leaks equal amounts within a factor of three (leak_verdicts.c). A longer series may be taken by the clock, with
 * more work at one time than at another: a step counts as growth if it brought a tenth of what the most fertile one did.
 */
bool ubi__leak_is_growth(uint64_t came, uint64_t most, uint32_t n_steps) {
    return came && came * (n_steps == 2 ? 3 : 10) >= most;
}

uint32_t ubi__leak_quiet_steps(const uint8_t *grew, uint32_t n_steps) {
    uint32_t quiet = 0;
    while (quiet < n_steps && !grew[n_steps - 1 - quiet])
        quiet++;
    return quiet;
}

/* What came with the last step is too young to be leaked. Of what hangs on an object in the place only that itself counts there. */
static void finish_curve(ubi__leak_gathering *g, size_t i) {
    ubi_leak_cluster *c = &g->leaks->clusters.at[i].cluster;
    const ubi__leak_row *row = &g->f->tallies.at[g->leaks->clusters.at[i].row];
    uint32_t n = ubi__leak_past_count(g->f);
    uint64_t *came = came_of(g, i), most = 0, late = row->newest.count - row->survivors[1];
    uint8_t *grew = g->leaks->grew.at + i * n;
    for (uint32_t step = 0; step < n; step++)
        most = came[step] > most ? came[step] : most;
    if (n > 1 && c->n_younger)
        came[n - 1] =
            ubi__leak_is_growth(c->n_younger, most, n) || !ubi__leak_is_growth(late, most, n) ? c->n_younger : late;
    for (uint32_t step = 0; step < n; step++) {
        grew[step] = ubi__leak_is_growth(came[step], most, n);
        c->n_grew += grew[step];
    }
}

void ubi__leak_finish_curves(ubi__leak_gathering *g) {
    for (size_t i = 0; i < g->leaks->clusters.n; i++)
        finish_curve(g, i);
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

typedef struct by_growth {
    const ubi_leaks *leaks;
    size_t n_heaps;
} by_growth;

static uint64_t bytes_grown(const by_growth *b, uint32_t row) {
    const ubi_leak_tally *t = b->leaks->class_tallies.at + row * b->n_heaps;
    return t[b->n_heaps - 1].bytes > t[0].bytes ? t[b->n_heaps - 1].bytes - t[0].bytes : 0;
}

static bool is_before(const by_growth *b, uint32_t x, uint32_t y) {
    uint64_t more = bytes_grown(b, x), less = bytes_grown(b, y);
    return more != less ? more > less : x < y;
}
#define ROW_BEFORE(b, x, y) is_before(&(b), x, y)
UBI_SORT_DEFINE(sort_rows, uint32_t, by_growth, ROW_BEFORE);

static ubi_status tally_classes(ubi__leak_gathering *g) {
    ubi_leaks *leaks = g->leaks;
    size_t n_heaps = heap_count(g);
    UBI_TRY(ubi__vec_leak_tally_reserve(&leaks->class_tallies, leaks->allocator, g->f->n_rows * n_heaps));
    for (uint32_t row = 0; row < g->f->n_rows; row++)
        for (uint32_t heap = 0; heap < n_heaps; heap++)
            leaks->class_tallies.at[leaks->class_tallies.n++] =
                heap + 1 < n_heaps ? ubi__leak_past_tally(g->f, heap, row) : g->f->tallies.at[row].newest;
    return UBI_OK;
}

static ubi_status choose_classes(ubi__leak_gathering *g, ubi__vec_u32 *spare) {
    ubi_leaks *leaks = g->leaks;
    by_growth order = { leaks, heap_count(g) };
    UBI_TRY(ubi__vec_u32_reserve(&leaks->trends, leaks->allocator, g->f->n_rows));
    UBI_TRY(ubi__vec_u32_reserve(spare, leaks->allocator, g->f->n_rows));
    for (uint32_t row = 0; row < g->f->n_rows; row++)
        if (class_count_in(g->f, heap_count(g) - 1, row) > class_count_in(g->f, UBI_LEAK_OLD, row))
            leaks->trends.at[leaks->trends.n++] = row;
    if (leaks->trends.n)
        sort_rows(leaks->trends.at, spare->at, leaks->trends.n, order);
    return UBI_OK;
}

ubi_status ubi__leak_find_trends(ubi__leak_gathering *g) {
    ubi__vec_u32 spare = { 0 };
    ubi_status status = tally_classes(g);
    if (status == UBI_OK)
        status = choose_classes(g, &spare);
    ubi__vec_u32_fini(&spare, g->leaks->allocator);
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

uint32_t ubi_leaks_trend_count(const ubi_leaks *leaks) {
    return (uint32_t)leaks->trends.n;
}

void ubi_leaks_trend(ubi_leak_trend *out, const ubi_leaks *leaks, uint32_t index) {
    uint32_t row = leaks->trends.at[UBI_INDEX(index, leaks->trends.n)];
    size_t n_heaps = leaks->steps.n;
    *out =
        (ubi_leak_trend){ .class_name = leaks->rows.rows.at[row], .at_heap = leaks->class_tallies.at + row * n_heaps };
    for (size_t heap = 1; heap < n_heaps; heap++)
        out->n_rises += out->at_heap[heap].count > out->at_heap[heap - 1].count;
}

bool ubi_leaks_elapsed_us(uint64_t *out, const ubi_leaks *leaks) {
    uint64_t first = leaks->steps.at[0].heap.time_us, last = leaks->steps.at[leaks->steps.n - 1].heap.time_us;
    *out = last - first;
    return first && last > first;
}
