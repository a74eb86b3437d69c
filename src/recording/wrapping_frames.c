/* SPDX-License-Identifier: MIT
 *
 * wrapping_frames.c: see wrapping_frames.h.
 */
#include "recording/wrapping_frames.h"

#include <string.h>

#include "recording/recording_summary_inside.h"

/* At most ten frames have a tenth of one sum, so what is looked at closely fits into a small array. */
#define ENOUGH 8       /* callers, and sizes */
#define CHAIN_FRAMES 8 /* how far out callers are looked for */
#define SHARES 10      /* a tenth */
#define HEFTS 4        /* sums that reports sort by */
#define MOST_CANDIDATES (HEFTS * SHARES)

/* ---- what is asked for at a frame --------------------------------------------------------------------------------- */

typedef struct heft {
    double by[HEFTS]; /* bytes not freed, at the peak and in total; allocations */
} heft;

static bool is_heap(const ubi__recording_summary *s, uint32_t info) {
    return ubi__info_class(s, info) == UBI__UBIREC_HEAP;
}

static heft heft_of(const ubi__recording_summary *s, uint32_t info) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    const ubi__info_sums *sums = &s->infos.at[info];
    double weight = (double)row->weight_bytes;
    return (heft){ { (double)ubi__info_measure(sums, UBI__MEASURE_LEAKED) * weight, (double)sums->peak_live * weight,
                     (double)sums->count * weight, (double)sums->count * ubi__sample_count(row) } };
}

static void add_heft(heft *sum, const heft *more) {
    for (int i = 0; i < HEFTS; i++)
        sum->by[i] += more->by[i];
}

static bool is_heavy(const heft *part, const heft *all) {
    for (int i = 0; i < HEFTS; i++)
        if (part->by[i] > 0 && part->by[i] * SHARES >= all->by[i])
            return true;
    return false;
}

/* ---- who calls it, and for how much ------------------------------------------------------------------------------- */

/* The first different ones of some numbers: enough to know that there are enough. */
typedef struct few {
    uint64_t at[ENOUGH];
    unsigned n;
} few;

static void few_add(few *set, uint64_t number) {
    for (unsigned i = 0; i < set->n; i++)
        if (set->at[i] == number)
            return;
    UBI_ASSERT(set->n <= ENOUGH);
    if (set->n < ENOUGH)
        set->at[set->n++] = number;
}

/* A frame that may be a wrapper, and the callers that all of its stacks have. */
typedef struct candidate {
    uint32_t chain[CHAIN_FRAMES]; /* chain[n_chain], the frame itself first; none before the first stack was seen */
    unsigned n_chain;
    few callers, sizes;
} candidate;

typedef struct search {
    const ubi__recording_summary *summary;
    const uint32_t *top;
    const uint8_t *pools;
    heft *hefts;   /* hefts[frame] */
    uint8_t *rank; /* rank[frame]: of candidates, from 1 on; 0: not one */
    candidate at[MOST_CANDIDATES];
    unsigned n;
} search;

static uint32_t frame_of_trace(const search *x, uint32_t trace) {
    return x->summary->tables.traces.at[trace].frame;
}

static uint32_t top_of(const search *x, uint32_t info) {
    uint32_t trace = x->summary->tables.infos.at[info].trace;
    return x->pools[trace] ? UBI__UBIREC_NO_TRACE : x->top[trace];
}

static void find_candidates(search *x) {
    const ubi__recording_summary *s = x->summary;
    heft all = { { 0 } };
    for (uint32_t i = 0; i < s->infos.n; i++) {
        uint32_t top = top_of(x, i);
        heft one = heft_of(s, i);
        if (!is_heap(s, i))
            continue;
        add_heft(&all, &one);
        if (top != UBI__UBIREC_NO_TRACE)
            add_heft(&x->hefts[frame_of_trace(x, top)], &one);
    }
    for (uint32_t i = 0; i < s->tables.frames.n && x->n < MOST_CANDIDATES; i++)
        if (!ubi__ubirec_frame_is_script(&s->tables, i) && is_heavy(&x->hefts[i], &all))
            x->rank[i] = (uint8_t)++x->n;
}

/* NULL: the info is of another frame. */
static candidate *candidate_of(search *x, uint32_t info) {
    uint32_t top = top_of(x, info);
    unsigned rank = top == UBI__UBIREC_NO_TRACE || !is_heap(x->summary, info) ? 0 : x->rank[frame_of_trace(x, top)];
    return rank ? &x->at[rank - 1] : NULL;
}

/* Cuts the chain down to what this stack has too. */
static void candidate_cut_chain(const search *x, candidate *c, uint32_t trace) {
    bool is_first = c->n_chain == 0;
    unsigned limit = is_first ? CHAIN_FRAMES : c->n_chain, n = 0;
    for (; n < limit && trace != UBI__UBIREC_NO_TRACE; n++) {
        if (is_first)
            c->chain[n] = frame_of_trace(x, trace);
        else if (c->chain[n] != frame_of_trace(x, trace))
            break;
        trace = x->summary->tables.traces.at[trace].caller;
    }
    UBI_ASSERT(is_first || n <= c->n_chain);
    c->n_chain = n;
}

static void note_use(const search *x, candidate *c, uint32_t info) {
    uint32_t trace = top_of(x, info);
    for (unsigned i = 0; i < c->n_chain; i++)
        trace = x->summary->tables.traces.at[trace].caller;
    few_add(&c->callers, trace == UBI__UBIREC_NO_TRACE ? UBI_NONE : frame_of_trace(x, trace));
    few_add(&c->sizes, x->summary->tables.infos.at[info].size_bytes);
}

static bool has_name(const ubi__ubirec_tables *t, uint32_t frame) {
    uint32_t n;
    ubi__ubirec_symbols_of(t, frame, &n);
    return n > 0 || t->frames.at[frame].type == UBI__UBIREC_LABEL_FRAME;
}

static bool is_nameless(const search *x, const candidate *c) {
    for (unsigned i = 0; i < c->n_chain; i++)
        if (has_name(&x->summary->tables, c->chain[i]))
            return false;
    return true;
}

static bool is_wrapper(const search *x, const candidate *c) {
    return c->callers.n == ENOUGH && (c->sizes.n == ENOUGH || is_nameless(x, c));
}

static void judge_candidates(search *x, bool *is_found) {
    uint32_t n_infos = (uint32_t)x->summary->infos.n;
    candidate *c;
    for (uint32_t i = 0; i < n_infos; i++)
        if ((c = candidate_of(x, i)))
            candidate_cut_chain(x, c, top_of(x, i));
    for (uint32_t i = 0; i < n_infos; i++)
        if ((c = candidate_of(x, i)))
            note_use(x, c, i);
    for (c = x->at; c < x->at + x->n; c++)
        for (unsigned i = 0, n = is_wrapper(x, c) ? c->n_chain : 0; i < n; i++)
            is_found[c->chain[i]] = true;
}

ubi_status ubi__find_wrapping_frames(bool *is_found, const ubi__recording_summary *summary, const uint32_t *top,
                                     const uint8_t *pools, const ubi_allocator *a) {
    size_t n = summary->tables.frames.n + 1;
    search *x = UBI_NEW(a, search);
    if (!x)
        return ubi__fail_nomem();
    *x = (search){ .summary = summary, .top = top, .pools = pools };
    x->hefts = ubi__calloc_array(a, n, sizeof *x->hefts);
    x->rank = ubi__calloc_array(a, n, sizeof *x->rank);
    memset(is_found, 0, n - 1);
    ubi_status status = x->hefts && x->rank ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        find_candidates(x);
        judge_candidates(x, is_found);
    }
    ubi__free_array(a, x->hefts, n, sizeof *x->hefts);
    ubi__free_array(a, x->rank, n, sizeof *x->rank);
    UBI_DELETE(a, x);
    return status;
}
