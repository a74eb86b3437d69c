/* SPDX-License-Identifier: MIT
 *
 * leak_verdicts.c: what the numbers of a cluster mean, sums over all, and their order.
 */
#include "analyses/leaks/leak_gathering.h"
#include "base/merge_sort.h"
#include "base/text.h"

#define LARGE_BYTES 65536

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

/* Whether so many went for those that came that there are hardly more now. */
static bool nearly_all(uint64_t gone, uint64_t came) {
    return gone * 10 >= came * 9;
}

/*
 * Whether about as many of its class went as came. That says something of a class that a program defines itself, or of one or
 * two objects in a place of their own; "Object" or "Array" go and come everywhere.
 */
static bool is_replaced(const ubi_leak_finder *f, const ubi_leak_cluster *c, const ubi__leak_row *row) {
    bool telling = ubi__leak_is_defined(f, c->example, &c->class_name) || c->leaked.count <= UBI__LEAK_FEW;
    return telling && nearly_all(c->class_gone, less(row->newest, row->survivors[0]));
}

static ubi_leak_verdict judge(const ubi_leak_finder *f, const ubi_leak_cluster *c, const ubi__leak_row *row) {
    bool three = ubi__leak_three(f);
    uint64_t late_came = less(row->newest, row->survivors[1]), late_gone = less(row->count[1], row->survivors[1]);
    if (c->n_control * 2 >= c->leaked.count)
        return UBI_LEAK_CONTROLLED;
    if (three && c->n_younger && nearly_all(late_gone, late_came))
        return UBI_LEAK_BOUNDED;
    if (!three && is_replaced(f, c, row))
        return UBI_LEAK_REPLACED;
    if (c->leaked.count <= UBI__LEAK_FEW && c->retained_bytes >= LARGE_BYTES)
        return UBI_LEAK_LARGE;
    if (!three)
        return UBI_LEAK_GREW;
    bool came_here = (uint64_t)c->n_younger * 10 >= c->leaked.count;
    /* Of what hangs on each object in the place, only the object itself counts as younger there. */
    bool came_below = c->n_younger && late_came * 10 >= c->leaked.count;
    return came_here || came_below ? UBI_LEAK_STEADY : UBI_LEAK_ONCE;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static void sum_heaps(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    ubi_leak_summary *s = &g->leaks->summary;
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (ubi__leak_row_of(f, node) != UBI_NONE) {
            s->heap[2].count++;
            s->heap[2].bytes += ubi__leak_size(f, node);
        }
    s->three = ubi__leak_three(f);
    s->heap[0] = f->heap[0];
    s->heap[1] = s->three ? f->heap[1] : s->heap[2];
    s->n_common = f->n_common;
    s->n_common_same = f->n_common_same;
}

static void sum_clusters(ubi__leak_gathering *g) {
    ubi_leak_summary *s = &g->leaks->summary;
    for (size_t i = 0; i < g->leaks->clusters.n; i++) {
        const ubi_leak_cluster *c = &g->leaks->clusters.at[i].cluster;
        if (!ubi_leak_verdict_is_leak(c->verdict))
            continue;
        s->n_clusters++;
        s->retained_bytes += c->retained_bytes;
        s->largest_bytes = c->retained_bytes > s->largest_bytes ? c->retained_bytes : s->largest_bytes;
    }
}

static ubi_status sum_leaked(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    ubi_leaks *leaks = g->leaks;
    UBI_TRY(ubi__vec_leak_tally_reserve(&leaks->leaked, f->allocator, f->n_rows));
    while (leaks->leaked.n < f->n_rows)
        leaks->leaked.at[leaks->leaked.n++] = (ubi_leak_tally){ 0, 0 };
    for (size_t i = 0; i < g->n; i++) {
        const ubi__leak_place *place = &g->places[i];
        if (place->n_leaked == 0 || !ubi_leak_verdict_is_leak(leaks->clusters.at[g->cluster_of[i]].cluster.verdict))
            continue;
        ubi_leak_tally *tally = &leaks->leaked.at[place->item.row], *all = &leaks->summary.leaked;
        *tally = (ubi_leak_tally){ tally->count + place->n_leaked, tally->bytes + place->leaked_bytes };
        *all = (ubi_leak_tally){ all->count + place->n_leaked, all->bytes + place->leaked_bytes };
    }
    return UBI_OK;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static int compare(const ubi_leak_cluster *a, const ubi_leak_cluster *b) {
    bool a_leaks = ubi_leak_verdict_is_leak(a->verdict), b_leaks = ubi_leak_verdict_is_leak(b->verdict);
    if (a_leaks != b_leaks)
        return a_leaks ? -1 : 1;
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes ? -1 : 1;
    if (a->leaked.count != b->leaked.count)
        return a->leaked.count > b->leaked.count ? -1 : 1;
    int order = ubi__text_compare(a->class_name.name, b->class_name.name);
    return order ? order : a->example < b->example ? -1 : a->example > b->example;
}
#define CLUSTER_BEFORE(unused, a, b) (compare(&(a).cluster, &(b).cluster) < 0)
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
        found->cluster.verdict = judge(g->f, &found->cluster, &g->f->tallies.at[found->row]);
    }
    sum_heaps(g);
    sum_clusters(g);
    UBI_TRY(sum_leaked(g));
    return order_clusters(g);
}
