/* SPDX-License-Identifier: MIT
 *
 * trace_sums.c: see trace_sums.h.
 */
#include "recording/trace_sums.h"

#include <string.h>

static void add_infos(ubi__trace_sums *sums, ubi__ubirec_class of_class, ubi__measure measure, const uint32_t *top) {
    const ubi__recording_summary *s = sums->summary;
    for (uint32_t i = 0; i < s->infos.n; i++) {
        const ubi__ubirec_info_row *row = &s->tables.infos.at[i];
        if (s->tables.kinds.at[row->kind].class_of_kind == of_class)
            ubi__estimate_add(&sums->at[top ? top[row->trace] : row->trace].self, s, i,
                              ubi__info_measure(&s->infos.at[i], measure));
    }
}

/* From the last to the first: a trace is whole before it is added to its caller, and callees are linked in their order. */
static void add_callees(ubi__trace_sums *sums) {
    const ubi__vec_ubirec_trace *traces = &sums->summary->tables.traces;
    for (size_t i = traces->n; i-- > 0;) {
        ubi__trace_sum *sum = &sums->at[i];
        ubi__estimate_join(&sum->all, &sum->self);
        if (i == 0)
            break;
        uint32_t caller = traces->at[i].caller;
        ubi__estimate_join(&sums->at[caller].all, &sum->all);
        sums->next_callee[i] = sums->first_callee[caller];
        sums->first_callee[caller] = (uint32_t)i;
    }
}

ubi_status ubi__trace_sums_init(ubi__trace_sums *sums, const ubi__recording_summary *summary,
                                ubi__ubirec_class of_class, ubi__measure measure, const uint32_t *top) {
    size_t n = summary->tables.traces.n;
    *sums = (ubi__trace_sums){ .summary = summary };
    sums->at = ubi__calloc_array(summary->allocator, n, sizeof *sums->at);
    sums->first_callee = ubi__calloc_array(summary->allocator, n, sizeof *sums->first_callee);
    sums->next_callee = ubi__calloc_array(summary->allocator, n, sizeof *sums->next_callee);
    if (!sums->at || !sums->first_callee || !sums->next_callee) {
        ubi__trace_sums_fini(sums);
        return ubi__fail_nomem();
    }
    add_infos(sums, of_class, measure, top);
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
    const ubi__frame_groups *groups;
    ubi__trace_sum *out;
    uint32_t *entered; /* entered[group]: how often it is on the way to where the walk is */
} group_walk;

static uint32_t frame_of(const group_walk *w, uint32_t trace) {
    return w->sums->summary->tables.traces.at[trace].frame;
}

static void enter(group_walk *w, uint32_t trace) {
    const ubi__frame_groups *g = w->groups;
    const ubi__trace_sum *sum = &w->sums->at[trace];
    uint32_t frame = frame_of(w, trace);
    for (uint32_t i = g->first[frame]; i < g->first[frame + 1]; i++) {
        if (i == g->first[frame])
            ubi__estimate_join(&w->out[g->of[i]].self, &sum->self);
        if (w->entered[g->of[i]]++ == 0)
            ubi__estimate_join(&w->out[g->of[i]].all, &sum->all);
    }
}

static void leave(group_walk *w, uint32_t trace) {
    const ubi__frame_groups *g = w->groups;
    uint32_t frame = frame_of(w, trace);
    for (uint32_t i = g->first[frame]; i < g->first[frame + 1]; i++)
        w->entered[g->of[i]]--;
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
            leave(w, trace);
            trace = sums->summary->tables.traces.at[trace].caller;
        }
        if (trace) {
            leave(w, trace);
            trace = sums->next_callee[trace];
        }
    }
}

ubi_status ubi__group_sums(ubi__trace_sum *out, const ubi__trace_sums *sums, const ubi__frame_groups *groups) {
    const ubi_allocator *a = sums->summary->allocator;
    group_walk w = { .sums = sums, .groups = groups, .out = out };
    if (groups->n == 0)
        return UBI_OK;
    w.entered = ubi__calloc_array(a, groups->n, sizeof *w.entered);
    if (!w.entered)
        return ubi__fail_nomem();
    memset(out, 0, groups->n * sizeof *out);
    walk(&w);
    ubi__free_array(a, w.entered, groups->n, sizeof *w.entered);
    return UBI_OK;
}
