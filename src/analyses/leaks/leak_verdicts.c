/* SPDX-License-Identifier: MIT
 *
 * leak_verdicts.c: when what leaked came, and what that means.
 */
#include "analyses/leaks/leak_gathering.h"

#include "base/bits.h"
#include "base/merge_sort.h"
#include "base/text.h"

/* ==== CURVES AND TRENDS ========================================================================================= */

/*
 * When what leaked came: of each cluster how many with each step, and of each class how many there were.
 *
 * Both are counted in what is there at the end, or was there at each heap; nothing is kept of earlier heaps but sums by class.
 */

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

/* What came with the last step is too young to be leaked. An object in the place counts there, what it holds does not. */
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

/* ==== VERDICTS ================================================================================================== */

#define LARGE_BYTES 65536
/* Of so few nodes each is mere data: a buffer, a text. */
#define MOST_DATA_NODES 8
/* A function has hardly more in its hands. */
#define MOST_IN_HAND 16

/* Whether nearly as many went as came. */
static bool nearly_all(uint64_t gone, uint64_t came) {
    return gone * 10 >= came * 9;
}

/*
 * Whether about as many of its class went as came. That says something of a class that a program defines itself, or of one or
 * two objects in a place of their own; "Object" or "Array" go and come everywhere.
 */
static bool is_telling(const ubi_leak_finder *f, const ubi_leak_cluster *c) {
    return ubi__leak_is_defined(f, c->example, &c->class_name) || c->leaked.count <= UBI__LEAK_FEW;
}

/*
 * A few objects that a root for the moment holds itself, such as the text of the script that takes the snapshot: the next one has others, and
 * nothing piles up there.
 */
static bool is_in_hand(const ubi_leak_finder *f, const ubi_leak_cluster *c) {
    return c->leaked.count <= MOST_IN_HAND && f->flags[f->parent[c->example]] & UBI__LEAK_PASSING;
}

/* ---- two heaps ---------------------------------------------------------------------------------------------------- */

static ubi_leak_verdict judge_two(const ubi_leak_finder *f, const ubi__leak_found *found, const ubi__leak_row *row) {
    const ubi_leak_cluster *c = &found->cluster;
    if ((is_telling(f, c) || is_in_hand(f, c)) &&
        nearly_all(c->class_gone, ubi__subtract_u64(row->newest.count, row->survivors[0])))
        return UBI_LEAK_REPLACED;
    return UBI_LEAK_GREW;
}

/* ---- three -------------------------------------------------------------------------------------------------------- */

/* Nodes of a class. */
typedef struct turnover {
    uint64_t grew;       /* from OLD to NEW */
    uint64_t came, gone; /* from NEW to NEWER */
} turnover;

static turnover turnover_of(const ubi_leak_cluster *c, const ubi__leak_row *row) {
    return (turnover){ ubi__subtract_u64(c->class_count[1], c->class_count[0]),
                       ubi__subtract_u64(row->newest.count, row->survivors[1]),
                       ubi__subtract_u64(c->class_count[1], row->survivors[1]) };
}

/* Of most classes, such as those of plain objects with certain properties, nearly all are in one place. */
static bool is_most_of_class(const ubi_leak_cluster *c, const ubi__leak_row *row) {
    return (c->leaked.count + c->n_older + c->n_younger) * 4 >= row->newest.count * 3;
}

/*
 * Equal work leaks equal amounts, and what leaked stays: if fewer are left of those that came from OLD to NEW than came since, then
 * those are going, as from a cache. That it is full shows in the class, of which as many go as come; or that it fills up: then the class
 * grows less than before.
 */
static bool is_bounded(const ubi_leak_finder *f, const ubi__leak_found *found, const ubi__leak_row *row) {
    const ubi_leak_cluster *c = &found->cluster;
    turnover t = turnover_of(c, row);
    bool goes = c->leaked.count * 4 < (uint64_t)c->n_younger * 3;
    if (is_telling(f, c) || is_most_of_class(c, row))
        return nearly_all(t.gone, t.came) ||
               (goes && ubi__subtract_u64(t.came, t.gone) * 2 < ubi__larger(c->leaked.count, t.grew));
    return goes && (nearly_all(t.gone, t.came) || (!c->n_older && t.gone * 2 >= t.came));
}

/* Equal work, within a factor of three. What those that came since hold counts in the class, not in their place. */
static bool still_comes(const ubi__leak_found *found, const ubi__leak_row *row) {
    const ubi_leak_cluster *c = &found->cluster;
    uint64_t n_before = found->n_heads ? found->n_heads : c->leaked.count;
    return (uint64_t)c->n_younger * 3 >= n_before &&
           ubi__larger(c->n_younger, turnover_of(c, row).came) * 10 >= c->leaked.count;
}

static ubi_leak_verdict judge_three(const ubi_leak_finder *f, const ubi__leak_found *found, const ubi__leak_row *row) {
    if (!found->cluster.n_younger)
        return UBI_LEAK_ONCE;
    if (is_bounded(f, found, row))
        return UBI_LEAK_BOUNDED;
    return still_comes(found, row) ? UBI_LEAK_STEADY : UBI_LEAK_ONCE;
}

/* ---- more --------------------------------------------------------------------------------------------------------- */

/* A cache that is emptied now and then: its class became fewer once, and at the end there are no more than there were before. */
static bool is_emptied(const ubi_leak_cluster *c, uint32_t n_steps) {
    bool fell = false, was_more = false;
    for (uint32_t i = 0; i < n_steps; i++) {
        fell = fell || c->class_counts[i + 1] * 10 < c->class_counts[i] * 9;
        was_more = was_more || c->class_counts[i] >= c->class_counts[n_steps];
    }
    return fell && was_more;
}

/* Less is left of what the first half of the steps brought than of what the others brought: it goes. */
static bool goes_away(const ubi_leak_cluster *c, uint32_t n_steps) {
    uint64_t early = 0, late = 0, n_early = n_steps / 2;
    for (uint32_t i = 0; i < n_steps; i++)
        *(i < n_early ? &early : &late) += c->came[i];
    return early * (n_steps - n_early) * 4 < late * n_early * 3;
}

static bool is_bounded_series(const ubi_leak_finder *f, const ubi__leak_found *found, const ubi__leak_row *row) {
    const ubi_leak_cluster *c = &found->cluster;
    uint32_t n_steps = ubi__leak_past_count(f);
    turnover t = turnover_of(c, row);
    bool is_full = c->n_younger && nearly_all(t.gone, t.came);
    if (is_telling(f, c) || is_most_of_class(c, row))
        return is_full || is_emptied(c, n_steps);
    return is_full && goes_away(c, n_steps);
}

/*
 * With all steps, or nearly, it grows steadily. If the last third of them or more brought nothing, it grew and came to an end. A place
 * with nothing that was there in OLD and nothing recent is not a place where things stay: they are on their way through it, as
 * texts are that the engine shares between all who happen to use them. Neither is one where most took the places of others.
 */
static ubi_leak_verdict judge_series(const ubi_leak_finder *f, const ubi__leak_found *found, const ubi__leak_row *row) {
    const ubi_leak_cluster *c = &found->cluster;
    uint32_t n_steps = ubi__leak_past_count(f), missed = n_steps - c->n_grew;
    uint32_t quiet = ubi__leak_quiet_steps(c->grew, n_steps);
    if (is_bounded_series(f, found, row))
        return UBI_LEAK_BOUNDED;
    if (quiet * 3 >= n_steps)
        return UBI_LEAK_ONCE;
    bool stays = (c->n_older || c->n_younger) && found->n_replacing * 2 < c->leaked.count;
    return missed * 4 <= n_steps && stays ? UBI_LEAK_STEADY : UBI_LEAK_STEPWISE;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

/*
 * One or two objects that come with each step say little of a program: it may load a module at a time. But one large buffer with each
 * step is a leak as any other.
 */
static bool is_large(const ubi_leak_cluster *c, ubi_leak_verdict verdict) {
    bool is_data = c->n_retained <= MOST_DATA_NODES * c->leaked.count;
    return c->leaked.count <= UBI__LEAK_FEW && c->retained_bytes >= LARGE_BYTES && ubi_leak_verdict_is_leak(verdict) &&
           !(verdict == UBI_LEAK_STEADY && is_data);
}

static ubi_leak_verdict judge_cluster(const ubi_leak_finder *f, const ubi__leak_found *found) {
    const ubi_leak_cluster *c = &found->cluster;
    const ubi__leak_row *row = &f->tallies.at[found->row];
    if (c->n_control * 2 >= c->leaked.count)
        return UBI_LEAK_CONTROLLED;
    uint32_t n_past = ubi__leak_past_count(f);
    ubi_leak_verdict verdict = f->options.is_round_trip ? UBI_LEAK_GREW
                               : n_past == 1            ? judge_two(f, found, row)
                               : n_past == 2            ? judge_three(f, found, row)
                                                        : judge_series(f, found, row);
    return is_large(c, verdict) ? UBI_LEAK_LARGE : verdict;
}

bool ubi__leak_verdict_counts(const ubi_leak_finder *f, ubi_leak_verdict verdict) {
    uint32_t chosen = f->options.verdicts;
    return chosen ? (chosen & UBI_LEAK_VERDICT_BIT(verdict)) != 0 : ubi_leak_verdict_is_leak(verdict);
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static void sum_heaps(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    ubi_leak_summary *s = &g->leaks->summary;
    const ubi__leak_step *heaps = g->leaks->steps.at;
    uint32_t n_past = ubi__leak_past_count(f);
    s->has_three_heaps = ubi__leak_three(f);
    s->heap[0] = heaps[0].heap.tally;
    s->heap[1] = heaps[s->has_three_heaps ? n_past - 1 : 1].heap.tally;
    s->heap[2] = heaps[n_past].heap.tally;
    s->n_not_chosen = f->n_not_chosen;
    s->n_common = heaps[0].heap.n_common;
    s->n_common_same = heaps[0].heap.n_common_same;
}

static void add_cluster(ubi_leak_sums *s, const ubi_leak_cluster *c) {
    s->n_clusters++;
    s->retained_bytes += c->retained_bytes;
    s->largest_bytes = c->retained_bytes > s->largest_bytes ? c->retained_bytes : s->largest_bytes;
}

static void add_tally(ubi_leak_tally *sum, const ubi__leak_place *place) {
    *sum = (ubi_leak_tally){ sum->count + place->n_leaked, sum->bytes + place->leaked_bytes };
}

static void sum_clusters(ubi__leak_gathering *g) {
    ubi_leak_summary *s = &g->leaks->summary;
    ubi_leak_sums sums = { .n_clusters = 0 };
    for (size_t i = 0; i < g->leaks->clusters.n; i++) {
        const ubi_leak_cluster *c = &g->leaks->clusters.at[i].cluster;
        add_cluster(&g->leaks->of_verdict[c->verdict], c);
        if (c->is_counted)
            add_cluster(&sums, c);
    }
    s->n_clusters = sums.n_clusters;
    s->retained_bytes = sums.retained_bytes;
    s->largest_bytes = sums.largest_bytes;
}

static ubi_status sum_leaked(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    ubi_leaks *leaks = g->leaks;
    UBI_TRY(ubi__vec_leak_tally_reserve(&leaks->leaked, f->allocator, f->n_rows));
    while (leaks->leaked.n < f->n_rows)
        leaks->leaked.at[leaks->leaked.n++] = (ubi_leak_tally){ 0, 0 };
    for (size_t i = 0; i < g->n; i++) {
        const ubi__leak_place *place = &g->places[i];
        if (place->n_leaked == 0)
            continue;
        const ubi_leak_cluster *c = &leaks->clusters.at[g->cluster_of[i]].cluster;
        add_tally(&leaks->of_verdict[c->verdict].leaked, place);
        if (!c->is_counted)
            continue;
        add_tally(&leaks->leaked.at[place->item.row], place);
        add_tally(&leaks->summary.leaked, place);
    }
    return UBI_OK;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static int compare_clusters(const ubi_leak_cluster *a, const ubi_leak_cluster *b) {
    if (a->is_counted != b->is_counted)
        return a->is_counted ? -1 : 1;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes ? -1 : 1;
    if (a->leaked.count != b->leaked.count)
        return a->leaked.count > b->leaked.count ? -1 : 1;
    int order = ubi__text_compare(a->class_name.name, b->class_name.name);
    return order ? order : a->example < b->example ? -1 : a->example > b->example;
}
#define CLUSTER_BEFORE(unused, a, b) (compare_clusters(&(a).cluster, &(b).cluster) < 0)
UBI_SORT_DEFINE(sort_clusters, ubi__leak_found, void *, CLUSTER_BEFORE);

static ubi_status order_clusters(ubi__leak_gathering *g) {
    ubi__vec_leak_found spare = { 0 };
    ubi__vec_leak_found *clusters = &g->leaks->clusters;
    UBI_TRY(ubi__vec_leak_found_reserve(&spare, g->f->allocator, clusters->n));
    if (clusters->n)
        sort_clusters(clusters->at, spare.at, clusters->n, NULL);
    ubi__vec_leak_found_fini(&spare, g->f->allocator);
    return UBI_OK;
}

ubi_status ubi__leak_judge(ubi__leak_gathering *g) {
    for (size_t i = 0; i < g->leaks->clusters.n; i++) {
        ubi__leak_found *found = &g->leaks->clusters.at[i];
        found->cluster.verdict = judge_cluster(g->f, found);
        found->cluster.is_counted = ubi__leak_verdict_counts(g->f, found->cluster.verdict);
    }
    sum_heaps(g);
    sum_clusters(g);
    UBI_TRY(sum_leaked(g));
    UBI_TRY(ubi__leak_find_trends(g));
    return order_clusters(g);
}
