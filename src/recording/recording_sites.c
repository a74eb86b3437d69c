/* SPDX-License-Identifier: MIT
 *
 * recording_sites.c: see recording_sites.h.
 *
 * The caller of a trace has a smaller number, so one pass in the order of numbers finds where each begins.
 */
#include "recording/recording_sites.h"

#include <stdlib.h>

#include "base/text.h"
#include "recording/allocator_frames.h"

#define PRELOAD_LIBRARY "libubiheap-preload"

/* ---- where stacks begin ------------------------------------------------------------------------------------------- */

static bool is_allocator_frame(const ubi__ubirec_tables *t, uint32_t frame) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    if (f->type == UBI__UBIREC_NATIVE_FRAME &&
        ubi__text_contains(ubi__ubirec_string_at(t, t->modules.at[f->of].path), ubi__text(PRELOAD_LIBRARY)))
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (!ubi__is_allocator_function(ubi__ubirec_string_at(t, symbols[i].function)))
            return false;
    return n > 0;
}

static ubi_status find_allocators(ubi__sites *sites) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    sites->is_allocator = ubi__calloc_array(sites->summary->allocator, t->frames.n + 1, 1);
    if (!sites->is_allocator)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < t->frames.n; i++)
        sites->is_allocator[i] = is_allocator_frame(t, i);
    return UBI_OK;
}

static ubi_status find_tops(ubi__sites *sites) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    sites->top = ubi__alloc_array(sites->summary->allocator, t->traces.n, sizeof *sites->top);
    if (!sites->top)
        return ubi__fail_nomem();
    sites->top[0] = 0;
    for (uint32_t i = 1; i < t->traces.n; i++) {
        ubi__ubirec_trace_row row = t->traces.at[i];
        bool passes_on = row.caller != UBI__UBIREC_NO_TRACE && sites->is_allocator[row.frame];
        sites->top[i] = passes_on ? sites->top[row.caller] : i;
    }
    return UBI_OK;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static ubi__ubirec_class class_of(const ubi__recording_summary *s, uint32_t info) {
    return s->tables.kinds.at[s->tables.infos.at[info].kind].class_of_kind;
}

/* The number of the site of an info, whose row may not be there yet. */
static ubi_status site_of(ubi__sites *sites, uint32_t *out, uint32_t info) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    uint32_t frame = t->traces.at[sites->top[t->infos.at[info].trace]].frame;
    const uint64_t tuple = (uint64_t)class_of(sites->summary, info) << 32 | frame;
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&sites->numbers, out, &is_new, &tuple));
    if (!is_new)
        return UBI_OK;
    ubi__site site = { .frame = frame, .of_class = class_of(sites->summary, info) };
    return ubi__vec_site_push(&sites->rows, sites->summary->allocator, site);
}

static ubi_status add_up(ubi__sites *sites) {
    const ubi__recording_summary *s = sites->summary;
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t site;
        UBI_TRY(site_of(sites, &site, i));
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&sites->rows.at[site].by[m], s, i, ubi__info_measure(&s->infos.at[i], m));
    }
    return UBI_OK;
}

static ubi_status build(ubi__sites *sites) {
    UBI_TRY(find_allocators(sites));
    UBI_TRY(find_tops(sites));
    UBI_TRY(add_up(sites));
    ubi__tuple_table_fini(&sites->numbers); /* rows will be sorted, and have other numbers then */
    return UBI_OK;
}

ubi_status ubi__sites_init(ubi__sites *sites, const ubi__recording_summary *summary) {
    *sites = (ubi__sites){ .summary = summary };
    ubi__tuple_table_init(&sites->numbers, 1, "sites", summary->allocator);
    ubi_status status = build(sites);
    if (status != UBI_OK)
        ubi__sites_fini(sites);
    return status;
}

void ubi__sites_fini(ubi__sites *sites) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->summary->allocator;
    ubi__vec_site_fini(&sites->rows, a);
    ubi__tuple_table_fini(&sites->numbers);
    ubi__free_array(a, sites->top, t->traces.n, sizeof *sites->top);
    ubi__free_array(a, sites->is_allocator, t->frames.n + 1, 1);
    sites->top = NULL;
    sites->is_allocator = NULL;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

ubi__measure ubi__order_measure(ubi__site_order order) {
    static const ubi__measure measures[UBI__SITE_ORDER_COUNT] = {
        [UBI__BY_LEAKED] = UBI__MEASURE_LEAKED,       [UBI__BY_PEAK] = UBI__MEASURE_PEAK,
        [UBI__BY_TOTAL] = UBI__MEASURE_TOTAL,         [UBI__BY_COUNT] = UBI__MEASURE_TOTAL,
        [UBI__BY_TEMPORARY] = UBI__MEASURE_TEMPORARY,
    };
    return measures[order];
}

double ubi__site_value(const ubi__site *site, ubi__site_order order) {
    const ubi__estimate *e = &site->by[ubi__order_measure(order)];
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY ? e->count : e->bytes;
}

static int compare_rows(const void *a, const void *b, void *order) {
    const ubi__site *left = a, *right = b;
    double l = ubi__site_value(left, *(ubi__site_order *)order), r = ubi__site_value(right, *(ubi__site_order *)order);
    if (l != r)
        return l < r ? 1 : -1;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return (int)left->of_class - (int)right->of_class;
}

/* What the infos of one class have that begin with a trace. */
typedef struct trace_weight {
    double weight;
    bool has_any; /* an allocation of no bytes weighs nothing, and is one */
} trace_weight;

/* weights[top of a trace] */
static void weigh_traces(trace_weight *weights, const ubi__sites *sites, ubi__site_order order,
                         ubi__ubirec_class of_class) {
    const ubi__recording_summary *s = sites->summary;
    bool by_count = order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
    memset(weights, 0, s->tables.traces.n * sizeof *weights);
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        uint64_t n = ubi__info_measure(&s->infos.at[i], ubi__order_measure(order));
        trace_weight *weight = &weights[sites->top[row->trace]];
        if (class_of(s, i) != of_class || n == 0)
            continue;
        weight->weight += (double)n * (by_count ? ubi__sample_count(row) : (double)row->weight_bytes);
        weight->has_any = true;
    }
}

/*
 * The heaviest trace of each frame, the first where all weigh nothing, and how many have anything.
 * row_of[frame]: row + 1, or 0.
 */
static void find_heavy(ubi__sites *sites, const trace_weight *weights, uint32_t *row_of, ubi__ubirec_class of_class) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    memset(row_of, 0, (t->frames.n + 1) * sizeof *row_of);
    for (uint32_t i = 0; i < sites->rows.n; i++) {
        ubi__site *site = &sites->rows.at[i];
        if (site->of_class != of_class)
            continue;
        site->heavy = UBI__UBIREC_NO_TRACE;
        site->n_stacks = 0;
        if (site->frame != UBI_NONE)
            row_of[site->frame] = i + 1;
    }
    for (uint32_t i = 1; i < t->traces.n; i++) {
        uint32_t row = row_of[t->traces.at[i].frame];
        if (!row || sites->top[i] != i)
            continue;
        ubi__site *site = &sites->rows.at[row - 1];
        if (site->heavy == UBI__UBIREC_NO_TRACE || weights[i].weight > weights[site->heavy].weight)
            site->heavy = i;
        site->n_stacks += weights[i].has_any;
    }
}

ubi_status ubi__sites_sort(ubi__sites *sites, ubi__site_order order) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi_allocator *a = sites->summary->allocator;
    trace_weight *weights = ubi__alloc_array(a, t->traces.n, sizeof *weights);
    uint32_t *row_of = ubi__alloc_array(a, t->frames.n + 1, sizeof *row_of);
    ubi_status status = weights && row_of ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
            weigh_traces(weights, sites, order, (ubi__ubirec_class)c);
            find_heavy(sites, weights, row_of, (ubi__ubirec_class)c);
        }
        if (sites->rows.n)
            qsort_r(sites->rows.at, sites->rows.n, sizeof *sites->rows.at, compare_rows, &order);
    }
    ubi__free_array(a, weights, t->traces.n, sizeof *weights);
    ubi__free_array(a, row_of, t->frames.n + 1, sizeof *row_of);
    return status;
}
