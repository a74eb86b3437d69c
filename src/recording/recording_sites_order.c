/* SPDX-License-Identifier: MIT
 *
 * recording_sites_order.c: the order of places, and views of them in another order or with the sums of a window (recording_sites.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/recording_sites.h"
#include "recording/recording_summary_inside.h"

ubi__measure ubi__order_measure(ubi__site_order order) {
    static const ubi__measure measures[UBI__SITE_ORDER_COUNT] = {
        [UBI__BY_LEAKED] = UBI__MEASURE_LEAKED,       [UBI__BY_PEAK] = UBI__MEASURE_PEAK,
        [UBI__BY_TOTAL] = UBI__MEASURE_TOTAL,         [UBI__BY_COUNT] = UBI__MEASURE_TOTAL,
        [UBI__BY_TEMPORARY] = UBI__MEASURE_TEMPORARY, [UBI__BY_LIVE] = UBI__MEASURE_LIVE,
    };
    return measures[order];
}

double ubi__site_value(const ubi__site *site, ubi__site_order order) {
    const ubi__estimate *e = &site->by[ubi__order_measure(order)];
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY ? e->count : e->bytes;
}

static int compare_sites(const void *a, const void *b, void *order) {
    const ubi__site *left = a, *right = b;
    double l = ubi__site_value(left, *(ubi__site_order *)order), r = ubi__site_value(right, *(ubi__site_order *)order);
    if (l != r)
        return l < r ? 1 : -1;
    const ubi__measure ties[] = { UBI__MEASURE_PEAK, UBI__MEASURE_TOTAL };
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        if (left->by[ties[i]].bytes != right->by[ties[i]].bytes)
            return left->by[ties[i]].bytes < right->by[ties[i]].bytes ? 1 : -1;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return (int)left->of_class - (int)right->of_class;
}

/* What the infos of one class have of what is sorted by. */
typedef struct trace_weight {
    bool is_asked; /* something was allocated with it, of whatever is sorted by */
    double own;    /* of the trace */
    double weight; /* of all whose top it is */
    bool is_used;  /* something was allocated by one whose top it is */
    bool has_any;  /* an allocation of no bytes weighs nothing, and is one */
} trace_weight;

/* Whether a window has nothing of an info, which it only knows from before. */
static bool is_outside(const ubi__recording_summary *s, uint32_t info) {
    const ubi__info_sums *sums = &s->infos.at[info];
    return !ubi__window_is_whole(&s->window) && !sums->count && !sums->live && !sums->peak_live;
}

/* weights[trace] */
static void weigh_traces(trace_weight *weights, const ubi__sites *sites, ubi__site_order order,
                         ubi__ubirec_class of_class) {
    const ubi__recording_summary *s = sites->summary;
    bool by_count = order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
    memset(weights, 0, s->tables.traces.n * sizeof *weights);
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        uint64_t n = ubi__info_measure(&s->infos.at[i], ubi__order_measure(order));
        trace_weight *top = &weights[sites->top[row->trace]];
        if (ubi__info_class(s, i) != of_class || is_outside(s, i))
            continue;
        weights[row->trace].is_asked = true;
        top->is_used = true;
        if (n == 0)
            continue;
        double weight = (double)n * (by_count ? ubi__sample_count(row) : (double)row->weight_bytes);
        weights[row->trace].own += weight;
        top->weight += weight;
        top->has_any = true;
    }
}

/* The row of the site that a trace begins at, or NULL: the trace begins elsewhere, or nothing of the class was asked for. */
static ubi__site *site_that_begins(const ubi__sites *sites, const uint32_t *row_of, uint32_t trace,
                                   ubi__ubirec_class of_class) {
    uint32_t frame = sites->summary->tables.traces.at[trace].frame;
    uint32_t number = sites->top[trace] == trace
                          ? *ubi__site_number_at(sites, frame, of_class, sites->pools[trace] != UBI__LIBC_NO_POOL)
                          : 0;
    return number ? &sites->rows.at[row_of[number - 1]] : NULL;
}

/* The heaviest trace of each site, the first where all weigh nothing, and how many have anything. */
static void find_heavy(const ubi__sites *sites, const trace_weight *weights, const uint32_t *row_of,
                       ubi__ubirec_class of_class) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    for (uint32_t i = 1; i < t->traces.n; i++) {
        ubi__site *site = site_that_begins(sites, row_of, i, of_class);
        if (!site)
            continue;
        if (site->heavy == UBI__UBIREC_NO_TRACE || weights[i].weight > weights[site->heavy].weight)
            site->heavy = site->inner = i;
        site->n_stacks += weights[i].has_any;
        site->n_all_stacks += weights[i].is_used;
    }
    for (uint32_t i = 1; i < t->traces.n; i++) {
        uint32_t top = sites->top[i];
        ubi__site *site = site_that_begins(sites, row_of, top, of_class);
        if (!site || site->heavy != top || !weights[i].is_asked)
            continue;
        if (!weights[site->inner].is_asked || weights[i].own > weights[site->inner].own)
            site->inner = i;
    }
}

/* @param has_class  out: whether there is a place of it, as there is of each class of which there is an info. */
static void sites_begin_sort(ubi__sites *sites, uint32_t *row_of, bool has_class[UBI__UBIREC_CLASS_COUNT]) {
    for (uint32_t i = 0; i < sites->rows.n; i++) {
        ubi__site *site = &sites->rows.at[i];
        row_of[site->number] = i;
        has_class[site->of_class] = true;
        site->heavy = site->inner = UBI__UBIREC_NO_TRACE;
        site->n_stacks = site->n_all_stacks = 0;
    }
}

ubi_status ubi__sites_sort(ubi__sites *sites, ubi__site_order order) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->allocator;
    size_t n = sites->rows.n + 1;
    trace_weight *weights = ubi__alloc_array(a, t->traces.n, sizeof *weights);
    uint32_t *row_of = ubi__calloc_array(a, n, sizeof *row_of); /* row_of[number] */
    bool has_class[UBI__UBIREC_CLASS_COUNT] = { false };
    ubi_status status = weights && row_of ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        sites_begin_sort(sites, row_of, has_class);
        for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
            if (!has_class[c])
                continue;
            weigh_traces(weights, sites, order, (ubi__ubirec_class)c);
            find_heavy(sites, weights, row_of, (ubi__ubirec_class)c);
        }
        if (sites->rows.n)
            qsort_r(sites->rows.at, sites->rows.n, sizeof *sites->rows.at, compare_sites, &order);
        ubi__sites_check(sites);
    }
    ubi__free_array(a, weights, t->traces.n, sizeof *weights);
    ubi__free_array(a, row_of, n, sizeof *row_of);
    return status;
}

/* ---- views -------------------------------------------------------------------------------------------------------- */

/* Only rows are its own. */
static ubi_status view_init(ubi__sites *view, const ubi__sites *sites, const ubi_allocator *allocator) {
    *view = *sites;
    view->allocator = allocator;
    view->is_view = true;
    view->rows = (ubi__vec_site){ .at = NULL };
    UBI_TRY(ubi__vec_site_reserve(&view->rows, allocator, sites->rows.n));
    if (sites->rows.n)
        memcpy(view->rows.at, sites->rows.at, sites->rows.n * sizeof *view->rows.at);
    view->rows.n = sites->rows.n;
    return UBI_OK;
}

static ubi_status view_sort(ubi__sites *out, ubi__sites *view, ubi__site_order order) {
    ubi_status status = ubi__sites_sort(view, order);
    if (status == UBI_OK)
        *out = *view;
    else
        ubi__sites_fini(view);
    return status;
}

ubi_status ubi__sites_view(ubi__sites *out, const ubi__sites *sites, ubi__site_order order,
                           const ubi_allocator *allocator) {
    ubi__sites view;
    UBI_TRY(view_init(&view, sites, allocator));
    return view_sort(out, &view, order);
}

/* Rows have their numbers by now, which are those of places. */
static void view_sum(ubi__sites *view) {
    const ubi__recording_summary *s = view->summary;
    for (size_t i = 0; i < view->rows.n; i++)
        memset(view->rows.at[i].by, 0, sizeof view->rows.at[i].by);
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t top = view->top[s->tables.infos.at[i].trace];
        uint32_t site =
            *ubi__site_number_at(view, s->tables.traces.at[top].frame, ubi__info_class(s, i), view->pools[top]) - 1;
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&view->rows.at[UBI_INDEX(site, view->rows.n)].by[m], s, i,
                              ubi__info_measure(&s->infos.at[i], m));
    }
}

static int compare_numbers(const void *a, const void *b) {
    const ubi__site *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

ubi_status ubi__sites_view_of(ubi__sites *out, const ubi__sites *sites, const ubi__recording_summary *summary,
                              ubi__site_order order, const ubi_allocator *allocator) {
    ubi__sites view;
    UBI_TRY(view_init(&view, sites, allocator));
    view.summary = summary;
    if (view.rows.n)
        qsort(view.rows.at, view.rows.n, sizeof *view.rows.at, compare_numbers);
    view_sum(&view);
    return view_sort(out, &view, order);
}
