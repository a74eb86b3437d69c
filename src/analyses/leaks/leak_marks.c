/* SPDX-License-Identifier: MIT
 *
 * leak_marks.c: the newest heap, and what of it was there in earlier ones.
 *
 * An earlier heap leaves two bits per node of the newest one and a few numbers per class. So it need not be kept, and no set
 * of ids is made.
 */
#include "analyses/leaks/leak_finder.h"

#include "base/parallel.h"

/* ---- the finder -------------------------------------------------------------------------------------------------- */

static ubi_status init(ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    f->flags = ubi__calloc_array(a, f->graph->n_nodes, 1);
    f->row_of_class = ubi__alloc_array(a, f->classes.n_classes, sizeof *f->row_of_class);
    if (!f->flags || (f->classes.n_classes && !f->row_of_class))
        return ubi__fail_nomem();
    UBI_TRY(ubi__class_rows_add(f->row_of_class, &f->rows, &f->classes));
    f->n_rows = f->rows.rows.n;
    return UBI_OK;
}

ubi_status ubi_leak_finder_new(ubi_leak_finder **out, const ubi_view *view, const ubi_class_scheme *classes,
                               const ubi_leak_options *options) {
    static const ubi_leak_options defaults = UBI_LEAK_OPTIONS_INIT;
    options = options ? options : &defaults;
    if (options->version != UBI_LEAK_OPTIONS_VERSION)
        return ubi__fail(UBI_EINVAL, "leak options of version %u, expected %d", options->version,
                         UBI_LEAK_OPTIONS_VERSION);
    if (view->graph != classes->graph)
        return ubi__fail(UBI_EINVAL, "view and classes of different graphs");
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_leak_finder *f = UBI_NEW(a, ubi_leak_finder);
    if (!f)
        return ubi__fail_nomem();
    f->allocator = a;
    f->options = *options;
    f->view = *view;
    f->graph = ubi_graph_ref((ubi_graph *)view->graph); /* only the reference count changes */
    f->classes = *classes;
    ubi__class_rows_init(&f->rows, a);
    ubi_status status = init(f);
    if (status == UBI_OK)
        *out = f;
    else
        ubi_leak_finder_free(f);
    return status;
}

void ubi_leak_finder_free(ubi_leak_finder *f) {
    if (!f)
        return;
    const ubi_allocator *a = f->allocator;
    size_t n = f->graph->n_nodes;
    ubi__free_array(a, f->flags, n, 1);
    ubi__free_array(a, f->parent, n, sizeof *f->parent);
    ubi__free_array(a, f->edge, n, sizeof *f->edge);
    ubi__free_array(a, f->order, n, sizeof *f->order);
    ubi__free_array(a, f->place_of, n, sizeof *f->place_of);
    ubi__leak_places_fini(&f->places);
    ubi__free_array(a, f->row_of_class, f->classes.n_classes, sizeof *f->row_of_class);
    ubi__vec_leak_row_fini(&f->tallies, a);
    ubi__class_rows_fini(&f->rows);
    ubi_graph_unref(f->graph);
    UBI_DELETE(a, f);
}

/* ---- which nodes were there --------------------------------------------------------------------------------------- */

typedef struct search {
    ubi_leak_finder *finder;
    const ubi_class_scheme *past;
    const uint32_t *past_rows; /* row of each class of the past */
    uint8_t flag;
    uint64_t n_common[UBI__MAX_THREADS], n_same[UBI__MAX_THREADS];
} search;

static uint32_t past_row(const search *s, ubi_node_ix node) {
    uint32_t class_ix = s->past->class_of(s->past, node);
    return class_ix == UBI_NONE ? UBI_NONE : s->past_rows[class_ix];
}

static void find_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    search *s = payload;
    ubi_leak_finder *f = s->finder;
    const ubi_graph *old = s->past->graph;
    uint64_t n_common = 0, n_same = 0;
    for (uint64_t i = begin; i < end; i++) {
        ubi_node_ix node = (ubi_node_ix)i, before = ubi__id_index_find(&old->ids, old->id.at, f->graph->id.at[node]);
        if (before == UBI_NONE)
            continue;
        bool same = past_row(s, before) == ubi__leak_row_of(f, node);
        n_common++;
        n_same += same;
        if (same || !f->options.reuses_ids)
            f->flags[node] |= s->flag;
    }
    s->n_common[part] += n_common;
    s->n_same[part] += n_same;
}

static ubi_status find_all(search *s) {
    ubi_leak_finder *f = s->finder;
    uint64_t n = f->graph->n_nodes;
    unsigned threads = ubi__thread_count(f->options.threads);
    if (!ubi__progress(&f->options.progress, "comparing", 0, n))
        return ubi__fail_cancelled();
    ubi__parallel_ranges(n < UBI__LEAK_STEP / 8 ? 1 : threads, n, 4096, find_range, s);
    return ubi__progress(&f->options.progress, "comparing", n, n) ? UBI_OK : ubi__fail_cancelled();
}

/* ---- sums by class ------------------------------------------------------------------------------------------------ */

static uint64_t size_in(const ubi_class_scheme *scheme, ubi_node_ix node) {
    return scheme->size_bytes ? scheme->size_bytes[node] : scheme->graph->size_bytes.at[node];
}

static void count_past(search *s, ubi_leak_step step) {
    ubi_leak_finder *f = s->finder;
    for (ubi_node_ix node = 0; node < s->past->graph->n_nodes; node++) {
        uint32_t row = past_row(s, node);
        if (row == UBI_NONE)
            continue;
        uint64_t bytes = size_in(s->past, node);
        f->tallies.at[row].count[step]++;
        f->tallies.at[row].bytes[step] += bytes;
        f->heap[step].count++;
        f->heap[step].bytes += bytes;
    }
}

static ubi_status add_tallies(ubi_leak_finder *f) {
    size_t n = f->rows.rows.n - f->tallies.n;
    UBI_TRY(ubi__vec_leak_row_reserve(&f->tallies, f->allocator, n));
    for (; n > 0; n--)
        f->tallies.at[f->tallies.n++] = (ubi__leak_row){ 0 };
    return UBI_OK;
}

static ubi_status compare(search *s, uint32_t *rows, ubi_leak_step step) {
    ubi_leak_finder *f = s->finder;
    UBI_TRY(ubi__class_rows_add(rows, &f->rows, s->past));
    UBI_TRY(add_tallies(f));
    UBI_TRY(find_all(s));
    count_past(s, step);
    for (unsigned i = 0; step == UBI_LEAK_OLD && i < UBI__MAX_THREADS; i++) {
        f->n_common += s->n_common[i];
        f->n_common_same += s->n_same[i];
    }
    f->compared[step] = true;
    return UBI_OK;
}

ubi_status ubi_leak_finder_compare(ubi_leak_finder *f, ubi_leak_step step, const ubi_class_scheme *past) {
    static const uint8_t flags[] = { UBI__LEAK_WAS_OLD, UBI__LEAK_WAS_NEW };
    if ((step != UBI_LEAK_OLD && step != UBI_LEAK_NEW) || f->compared[step])
        return ubi__fail(UBI_EINVAL, "%s",
                         f->compared[step == UBI_LEAK_NEW] ? "this heap was compared before" : "no such step");
    uint32_t *rows = ubi__alloc_array(f->allocator, past->n_classes, sizeof *rows);
    if (past->n_classes && !rows)
        return ubi__fail_nomem();
    search s = { .finder = f, .past = past, .past_rows = rows, .flag = flags[step] };
    ubi_status status = compare(&s, rows, step);
    ubi__free_array(f->allocator, rows, past->n_classes, sizeof *rows);
    return status;
}

/* ---- candidates --------------------------------------------------------------------------------------------------- */

static bool is_chosen(const ubi_leak_finder *f, ubi_node_ix node) {
    const uint64_t *chosen = f->options.chosen;
    return !chosen || (chosen[node / 64] >> (node % 64) & 1);
}

static bool is_candidate(const ubi_leak_finder *f, ubi_node_ix node) {
    uint8_t flags = f->flags[node];
    if (flags & UBI__LEAK_WAS_OLD || (ubi__leak_three(f) && !(flags & UBI__LEAK_WAS_NEW)))
        return false;
    return node != f->view.root && (f->options.engine || ubi__leak_is_held_by_program(f, node)) && is_chosen(f, node);
}

void ubi__leak_find_candidates(ubi_leak_finder *f) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        uint32_t row = ubi__leak_row_of(f, node);
        if (row == UBI_NONE)
            continue;
        ubi__leak_row *tally = &f->tallies.at[row];
        tally->newest++;
        tally->survivors[0] += f->flags[node] & UBI__LEAK_WAS_OLD ? 1 : 0;
        tally->survivors[1] += f->flags[node] & UBI__LEAK_WAS_NEW ? 1 : 0;
        if (is_candidate(f, node))
            f->flags[node] |= UBI__LEAK_CANDIDATE;
    }
}
