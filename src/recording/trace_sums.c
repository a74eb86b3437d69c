/* SPDX-License-Identifier: MIT
 *
 * trace_sums.c: see trace_sums.h.
 */
#include "recording/trace_sums.h"

#include <string.h>

static void add_infos(ubi__trace_sums *sums, ubi__ubirec_class of_class, ubi__measure measure) {
    const ubi__recording_summary *s = sums->summary;
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        double n = (double)ubi__info_measure(&s->infos.at[i], measure);
        if (s->tables.kinds.at[row->kind].class_of_kind != of_class)
            continue;
        sums->at[row->trace].self_bytes += n * (double)row->weight_bytes;
        sums->at[row->trace].self_count += n * ubi__sample_count(row);
    }
}

/* From the last to the first: a trace is whole before it is added to its caller, and callees are linked in their order. */
static void add_callees(ubi__trace_sums *sums) {
    const ubi__vec_ubirec_trace *traces = &sums->summary->tables.traces;
    for (size_t i = traces->n; i-- > 0;) {
        ubi__trace_sum *sum = &sums->at[i];
        sum->bytes += sum->self_bytes;
        sum->count += sum->self_count;
        if (i == 0)
            break;
        uint32_t caller = traces->at[i].caller;
        sums->at[caller].bytes += sum->bytes;
        sums->at[caller].count += sum->count;
        sums->next_callee[i] = sums->first_callee[caller];
        sums->first_callee[caller] = (uint32_t)i;
    }
}

ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure) {
    size_t n = summary->tables.traces.n;
    *sums = (ubi__trace_sums){ .summary = summary };
    sums->at = ubi__calloc_array(summary->allocator, n, sizeof *sums->at);
    sums->first_callee = ubi__calloc_array(summary->allocator, n, sizeof *sums->first_callee);
    sums->next_callee = ubi__calloc_array(summary->allocator, n, sizeof *sums->next_callee);
    if (!sums->at || !sums->first_callee || !sums->next_callee) {
        ubi__trace_sums_fini(sums);
        return ubi__fail_nomem();
    }
    add_infos(sums, of_class, measure);
    add_callees(sums);
    return UBI_OK;
}

void ubi__trace_sums_fini(ubi__trace_sums *sums) {
    const ubi_allocator *a = sums->summary->allocator;
    size_t n = sums->summary->tables.traces.n;
    ubi__free_array(a, sums->at, n, sizeof *sums->at);
    ubi__free_array(a, sums->first_callee, n, sizeof *sums->first_callee);
    ubi__free_array(a, sums->next_callee, n, sizeof *sums->next_callee);
    sums->at = NULL;
    sums->first_callee = sums->next_callee = NULL;
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

typedef struct group_walk {
    const ubi__trace_sums *sums;
    const uint32_t *group_of;
    ubi__trace_sum *out;
    uint32_t *entered; /* entered[group]: how often it is on the way to where the walk is */
} group_walk;

static uint32_t group_of_trace(const group_walk *w, uint32_t trace) {
    uint32_t frame = w->sums->summary->tables.traces.at[trace].frame;
    return w->group_of ? w->group_of[frame] : frame;
}

static void enter(group_walk *w, uint32_t trace) {
    uint32_t group = group_of_trace(w, trace);
    const ubi__trace_sum *sum = &w->sums->at[trace];
    w->out[group].self_bytes += sum->self_bytes;
    w->out[group].self_count += sum->self_count;
    if (w->entered[group]++)
        return;
    w->out[group].bytes += sum->bytes;
    w->out[group].count += sum->count;
}

/* Depth first over all but the root, which is no frame. */
static void walk(group_walk *w) {
    const ubi__trace_sums *sums = w->sums;
    uint32_t trace = sums->first_callee[0];
    while (trace) {
        enter(w, trace);
        if (sums->first_callee[trace]) {
            trace = sums->first_callee[trace];
            continue;
        }
        while (trace && !sums->next_callee[trace]) {
            w->entered[group_of_trace(w, trace)]--;
            trace = sums->summary->tables.traces.at[trace].caller;
        }
        if (trace) {
            w->entered[group_of_trace(w, trace)]--;
            trace = sums->next_callee[trace];
        }
    }
}

ubi_status ubi__group_sums(ubi__trace_sum *out, uint32_t n_groups, const ubi__trace_sums *sums,
                           const uint32_t *group_of) {
    const ubi_allocator *a = sums->summary->allocator;
    group_walk w = { .sums = sums, .group_of = group_of, .out = out };
    if (n_groups == 0)
        return UBI_OK;
    w.entered = ubi__calloc_array(a, n_groups, sizeof *w.entered);
    if (!w.entered)
        return ubi__fail_nomem();
    memset(out, 0, n_groups * sizeof *out);
    walk(&w);
    ubi__free_array(a, w.entered, n_groups, sizeof *w.entered);
    return UBI_OK;
}
