/* SPDX-License-Identifier: MIT
 *
 * leak_series.c: whether the heaps of a series are of one process, and in which order they were taken.
 *
 * The process is told by what the heaps have under equal ids (same_process.h).
 */
#include "analyses/leaks/leak_finder.h"

#include "analyses/same_process.h"
#include "base/hash.h"
#include "base/merge_sort.h"

/* ---- describing --------------------------------------------------------------------------------------------------- */

void ubi__leak_describe(ubi__leak_step *out, const ubi_leak_finder *f, const ubi_class_scheme *scheme) {
    const ubi_graph *g = scheme->graph;
    if (!ubi_graph_creation_time_us(g, &out->heap.time_us))
        out->heap.time_us = 0;
    out->heap.id_mark = f->options.id_mark_of ? f->options.id_mark_of(g) : 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (scheme->class_of(scheme, node) == UBI_NONE)
            continue;
        uint64_t bytes = scheme->size_bytes ? scheme->size_bytes[node] : g->size_bytes.at[node];
        out->heap.tally.count++;
        out->heap.tally.bytes += bytes;
        out->content += ubi__hash_combine(g->id.at[node], bytes); /* whatever the order */
    }
}

/* ---- processes ---------------------------------------------------------------------------------------------------- */

static bool is_same_process(const ubi_leak_heap *past, const ubi_leak_heap *newest, bool reuses_ids) {
    uint64_t smaller = past->tally.count < newest->tally.count ? past->tally.count : newest->tally.count;
    const ubi__id_match match = { past->n_common,     past->n_common_same, past->n_types_same, past->n_texts,
                                  past->n_texts_same, past->n_words,       past->n_words_same };
    return ubi__is_same_process(&match, smaller, reuses_ids);
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

typedef struct place {
    uint32_t heap;
    uint64_t key;
} place;
UBI_VEC_DECLARE(vec_place, place);
#define PLACE_BEFORE(unused, a, b) ((a).key < (b).key)
UBI_SORT_DEFINE(sort_places, place, void *, PLACE_BEFORE);

typedef struct judging {
    ubi_leaks *leaks;
    vec_place places, spare; /* heaps of the process of the newest one */
} judging;

static ubi_leak_heap *heap_at(const judging *j, uint32_t heap) {
    return &j->leaks->steps.at[heap].heap;
}

/* Ids tell the order if all heaps have their mark, else times if all have theirs. */
static bool find_keys(judging *j) {
    bool marks = true, times = true;
    for (size_t i = 0; i < j->places.n; i++) {
        const ubi_leak_heap *heap = heap_at(j, j->places.at[i].heap);
        marks = marks && heap->id_mark;
        times = times && heap->time_us;
    }
    for (size_t i = 0; i < j->places.n; i++) {
        const ubi_leak_heap *heap = heap_at(j, j->places.at[i].heap);
        j->places.at[i].key = marks ? heap->id_mark : heap->time_us;
    }
    return marks || times;
}

/* Equal times, such as those that anonymizing rounds to days, tell nothing; equal marks are of the same heap. */
static bool tell_order(const judging *j) {
    for (size_t i = 1; i < j->places.n; i++) {
        uint64_t key = j->places.at[i].key;
        if (key == j->places.at[i - 1].key && key != heap_at(j, j->places.at[i].heap)->id_mark)
            return false;
    }
    return true;
}

static void rank_heaps(judging *j) {
    uint32_t position = 0;
    j->leaks->order_is_known = find_keys(j);
    if (j->leaks->order_is_known) {
        sort_places(j->places.at, j->spare.at, j->places.n, NULL);
        j->leaks->order_is_known = tell_order(j);
    }
    for (size_t i = 0; i < j->places.n; i++)
        heap_at(j, j->places.at[i].heap)->rank = (uint32_t)i;
    for (uint32_t i = 0; i < j->leaks->steps.n; i++) {
        ubi_leak_heap *heap = heap_at(j, i);
        if (heap->fit == UBI_LEAK_FITS && heap->rank != position++)
            heap->fit = UBI_LEAK_OUT_OF_ORDER;
    }
    /* Where a heap of another process belongs among these, nothing tells. */
    j->leaks->order_is_known = j->leaks->order_is_known && j->places.n == j->leaks->steps.n;
}

/* ---- the same heap twice ------------------------------------------------------------------------------------------ */

static bool is_same_heap(const ubi__leak_step *a, const ubi__leak_step *b) {
    if (a->heap.id_mark && b->heap.id_mark)
        return a->heap.id_mark == b->heap.id_mark;
    bool differ_in_time = a->heap.time_us && b->heap.time_us && a->heap.time_us != b->heap.time_us;
    return !differ_in_time && a->content == b->content && a->heap.tally.count == b->heap.tally.count &&
           a->heap.tally.bytes == b->heap.tally.bytes;
}

static void find_repeated(judging *j) {
    for (size_t i = 0; i < j->places.n; i++) {
        const ubi__leak_step *step = &j->leaks->steps.at[j->places.at[i].heap];
        j->places.at[i].key = step->heap.id_mark ? step->heap.id_mark : step->content;
    }
    sort_places(j->places.at, j->spare.at, j->places.n, NULL);
    for (size_t i = 1; i < j->places.n; i++) {
        ubi__leak_step *a = &j->leaks->steps.at[j->places.at[i - 1].heap],
                       *b = &j->leaks->steps.at[j->places.at[i].heap];
        if (is_same_heap(a, b))
            a->heap.fit = b->heap.fit = UBI_LEAK_SAME_HEAP;
    }
}

/* ---- whole -------------------------------------------------------------------------------------------------------- */

static ubi_status judge_heaps(judging *j, const ubi_leak_finder *f) {
    const ubi_allocator *a = j->leaks->allocator;
    size_t n = j->leaks->steps.n;
    UBI_TRY(vec_place_reserve(&j->places, a, n));
    UBI_TRY(vec_place_reserve(&j->spare, a, n));
    for (uint32_t i = 0; i < n; i++) {
        ubi_leak_heap *heap = heap_at(j, i);
        if (i + 1 < n && !is_same_process(heap, heap_at(j, (uint32_t)n - 1), f->options.reuses_ids))
            heap->fit = UBI_LEAK_OTHER_PROCESS;
        else
            j->places.at[j->places.n++] = (place){ i, 0 };
    }
    rank_heaps(j);
    find_repeated(j);
    return UBI_OK;
}

/* The steps move from the finder to the leaks, and the newest heap after them. */
static ubi_status take_steps(ubi_leaks *leaks, ubi_leak_finder *f) {
    ubi__leak_step newest = { .compared = true };
    UBI_TRY(ubi__vec_leak_step_reserve(&leaks->steps, leaks->allocator, f->steps.n + 1));
    ubi__leak_describe(&newest, f, &f->classes);
    newest.heap.n_common = newest.heap.n_common_same = newest.heap.n_types_same = newest.heap.tally.count;
    for (size_t i = 0; i < f->steps.n; i++) {
        leaks->steps.at[i] = f->steps.at[i];
        leaks->steps.at[i].of_row = NULL;
        leaks->steps.at[i].n_rows = 0;
        leaks->steps.at[i].weights = NULL;
        leaks->steps.at[i].n_weights = 0;
    }
    leaks->steps.at[f->steps.n] = newest;
    leaks->steps.n = f->steps.n + 1;
    return UBI_OK;
}

ubi_status ubi__leak_judge_series(ubi_leaks *leaks, ubi_leak_finder *f) {
    judging j = { .leaks = leaks };
    ubi_status status = take_steps(leaks, f);
    if (status == UBI_OK)
        status = judge_heaps(&j, f);
    vec_place_fini(&j.places, leaks->allocator);
    vec_place_fini(&j.spare, leaks->allocator);
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

uint32_t ubi_leaks_heap_count(const ubi_leaks *leaks) {
    return (uint32_t)leaks->steps.n;
}

const ubi_leak_heap *ubi_leaks_heap(const ubi_leaks *leaks, uint32_t index) {
    return &leaks->steps.at[index].heap;
}

bool ubi_leaks_order_is_known(const ubi_leaks *leaks) {
    return leaks->order_is_known;
}

ubi_leak_fit ubi_leaks_fit(const ubi_leaks *leaks) {
    ubi_leak_fit worst = UBI_LEAK_FITS;
    for (size_t i = 0; i < leaks->steps.n; i++)
        worst = leaks->steps.at[i].heap.fit > worst ? leaks->steps.at[i].heap.fit : worst;
    return worst;
}
