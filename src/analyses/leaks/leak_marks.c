/* SPDX-License-Identifier: MIT
 *
 * leak_marks.c: the newest heap, and what of it was there in earlier ones.
 *
 * Earlier heaps leave for each node of the newest one the first that had it, two bits, and two numbers per class. So none need be
 * kept, and no set of ids is made.
 */
#include "analyses/leaks/leak_finder.h"

#include "analyses/leaks/leak_record.h"
#include "analyses/same_process.h"
#include "base/bits.h"
#include "base/parallel.h"
#include "base/text.h"

/* ==== THE FINDER ================================================================================================ */

/* ---- the finder -------------------------------------------------------------------------------------------------- */

static ubi_status finder_init(ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    f->flags = ubi__calloc_array(a, f->graph->n_nodes, 1);
    f->first_seen = ubi__alloc_array(a, f->graph->n_nodes, sizeof *f->first_seen);
    f->row_of_class = ubi__alloc_array(a, f->classes.n_classes, sizeof *f->row_of_class);
    if (!f->flags || !f->first_seen || (f->classes.n_classes && !f->row_of_class))
        return ubi__fail_nomem();
    memset(f->first_seen, 0xff, f->graph->n_nodes * sizeof *f->first_seen); /* UBI__LEAK_NEVER */
    UBI_TRY(ubi__class_rows_add(f->row_of_class, &f->rows, &f->classes));
    f->n_rows = f->rows.rows.n;
    return ubi__leak_find_heavy(f);
}

ubi_status ubi_leak_finder_new(ubi_leak_finder **out, const ubi_view *view, const ubi_class_scheme *classes,
                               const ubi_leak_options *options) {
    static const ubi_leak_options defaults = UBI_LEAK_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_LEAK_OPTIONS_VERSION, "ubi_leak_options"));
    if (view->graph != classes->graph)
        return ubi__fail(UBI_EINVAL, "view and classes of different graphs");
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_leak_finder *f = UBI_NEW(a, ubi_leak_finder);
    if (!f)
        return ubi__fail_nomem();
    f->allocator = a;
    /* Where the options of each version end. */
    static const size_t bytes_of_version[] = { 0,
                                               offsetof(ubi_leak_options, verdicts),
                                               offsetof(ubi_leak_options, site_of),
                                               offsetof(ubi_leak_options, is_rope),
                                               offsetof(ubi_leak_options, is_value),
                                               offsetof(ubi_leak_options, is_round_trip),
                                               sizeof *options };
    memcpy(&f->options, options, bytes_of_version[options->version]);
    f->view = *view;
    f->graph = ubi_graph_ref((ubi_graph *)view->graph); /* only the reference count changes */
    f->classes = *classes;
    ubi__class_rows_init(&f->rows, a);
    ubi_status status = finder_init(f);
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
    ubi__free_array(a, f->first_seen, n, sizeof *f->first_seen);
    for (size_t i = 0; i < f->steps.n; i++) {
        ubi__free_array(a, f->steps.at[i].of_row, f->steps.at[i].n_rows, sizeof *f->steps.at[i].of_row);
        ubi__free_array(a, f->steps.at[i].weights, f->steps.at[i].n_weights, sizeof *f->steps.at[i].weights);
        ubi__free_array(a, f->steps.at[i].own_bytes, f->steps.at[i].n_weights, sizeof *f->steps.at[i].own_bytes);
    }
    ubi__leak_holdings_fini(&f->holdings);
    ubi__vec_u32_fini(&f->heavy, a);
    ubi__vec_leak_step_fini(&f->steps, a);
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
    uint32_t step;
    bool is_last;   /* of the steps so far */
    uint8_t *marks; /* marks[n_nodes] of the past: 1 for what is still there */
    ubi__id_match parts[UBI__MAX_THREADS];
    uint64_t growth_bytes[UBI__MAX_THREADS]; /* by which nodes became larger */
} search;

static uint32_t past_row(const search *s, ubi_node_ix node) {
    uint32_t class_ix = s->past->class_of(s->past, node);
    return class_ix == UBI_NONE ? UBI_NONE : s->past_rows[class_ix];
}

static uint64_t size_in(const ubi_class_scheme *scheme, ubi_node_ix node) {
    return scheme->size_bytes ? scheme->size_bytes[node] : scheme->graph->size_bytes.at[node];
}

/* Whether the node was there as what it is now. */
static bool look_up(ubi__id_match *match, uint64_t *growth_bytes, const search *s, ubi_node_ix node) {
    const ubi_leak_finder *f = s->finder;
    const ubi_graph *old = s->past->graph;
    ubi_node_ix before = ubi__id_index_find(&old->ids, old->id.at, f->graph->id.at[node]);
    if (before == UBI_NONE)
        return false;
    uint32_t was = past_row(s, before), is = ubi__leak_row_of(f, node);
    if (was != UBI_NONE && is != UBI_NONE)
        ubi__id_match_count(match, old, before, f->graph, node, was == is);
    if (was != is && f->options.may_reuse_ids)
        return false;
    __atomic_store_n(&s->marks[before], 1, __ATOMIC_RELAXED); /* nodes that share an id may be on two threads */
    if (is != UBI_NONE && ubi__leak_is_chosen(f, node))
        *growth_bytes += ubi__subtract_u64(ubi__leak_size(f, node), size_in(s->past, before));
    return true;
}

static void find_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    search *s = payload;
    ubi_leak_finder *f = s->finder;
    ubi__id_match match = { 0 };
    uint64_t growth_bytes = 0;
    for (uint64_t i = begin; i < end; i++) {
        bool was_there = look_up(&match, &growth_bytes, s, (ubi_node_ix)i);
        f->flags[i] = (uint8_t)((f->flags[i] & ~UBI__LEAK_THERE) | (was_there ? UBI__LEAK_THERE : 0));
        if (was_there && s->step < f->first_seen[i])
            f->first_seen[i] = (uint16_t)s->step;
        if (was_there && s->step == UBI_LEAK_OLD)
            f->flags[i] |= UBI__LEAK_WAS_OLD;
        if (s->is_last)
            f->flags[i] = (uint8_t)((f->flags[i] & ~UBI__LEAK_WAS_NEW) | (was_there ? UBI__LEAK_WAS_NEW : 0));
    }
    ubi__id_match_add(&s->parts[part], &match);
    s->growth_bytes[part] += growth_bytes;
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

/* ---- an earlier heap ---------------------------------------------------------------------------------------------- */

static void count_past(ubi__leak_step *step, const search *s) {
    for (ubi_node_ix node = 0; node < s->past->graph->n_nodes; node++) {
        uint32_t row = past_row(s, node);
        if (row == UBI_NONE)
            continue;
        step->of_row[row].count++;
        step->of_row[row].bytes += size_in(s->past, node);
    }
}

static void add_parts(ubi_leak_heap *heap, const search *s) {
    ubi__id_match all = { 0 };
    for (unsigned i = 0; i < UBI__MAX_THREADS; i++)
        ubi__id_match_add(&all, &s->parts[i]);
    heap->n_common = all.n_common;
    heap->n_common_same = all.n_common_same;
    heap->n_types_same = all.n_types_same;
    heap->n_texts = all.n_texts;
    heap->n_texts_same = all.n_texts_same;
    heap->n_words = all.n_words;
    heap->n_words_same = all.n_words_same;
}

static ubi_status weigh_past(ubi__leak_step *step, const search *s, const ubi__leak_holdings *past) {
    ubi_leak_finder *f = s->finder;
    ubi_node_ix *was_rope = NULL;
    ubi_status status = ubi__leak_find_grown_ropes(&was_rope, f, s->step, s->is_last, past);
    if (status == UBI_OK)
        status = ubi__leak_weigh_step(step, f, past,
                                      s->past->size_bytes ? s->past->size_bytes : s->past->graph->size_bytes.at,
                                      s->marks, was_rope);
    ubi__free_array(f->allocator, was_rope, f->graph->n_nodes, sizeof *was_rope);
    return status;
}

/* Of a heap whose edges are gone, own sizes are all that there is. */
static ubi_status look_at_record(ubi__leak_step *step, const search *s) {
    ubi_leak_finder *f = s->finder;
    const ubi_graph *g = s->past->graph;
    const ubi__leak_holdings past = { .graph = g, .size_bytes = g->size_bytes.at };
    ubi_node_ix *was_rope = NULL;
    ubi_status status = ubi__leak_find_grown_ropes(&was_rope, f, s->step, s->is_last, &past);
    if (status == UBI_OK)
        status = ubi__leak_weigh_record(step, f, &past, was_rope);
    ubi__free_array(f->allocator, was_rope, f->graph->n_nodes, sizeof *was_rope);
    return status;
}

static ubi_status look_at_past(ubi__leak_step *step, const search *s) {
    ubi_leak_finder *f = s->finder;
    ubi__leak_holdings past;
    if (ubi__leak_record_of(s->past->graph))
        return look_at_record(step, s);
    UBI_TRY(ubi__leak_holdings_init(&past, s->past->graph, s->past->size_bytes, &f->options, f->allocator));
    ubi__leak_mark_replacing(f, &past);
    ubi_status status = weigh_past(step, s, &past);
    ubi__leak_holdings_fini(&past);
    return status;
}

static ubi_status compare_past(search *s, uint32_t *rows) {
    ubi_leak_finder *f = s->finder;
    ubi__leak_step *step = &f->steps.at[s->step];
    UBI_TRY(ubi__class_rows_add(rows, &f->rows, s->past));
    step->n_rows = f->rows.rows.n;
    step->of_row = ubi__calloc_array(f->allocator, step->n_rows, sizeof *step->of_row);
    if (step->n_rows && !step->of_row)
        return ubi__fail_nomem();
    UBI_TRY(find_all(s));
    for (unsigned i = 0; i < UBI__MAX_THREADS; i++)
        step->light_growth_bytes += s->growth_bytes[i]; /* less that of heavy ones, when these are weighed */
    UBI_TRY(look_at_past(step, s));
    ubi__leak_describe(step, f, s->past);
    const ubi__recorded_heap *record = ubi__leak_record_of(s->past->graph);
    if (record) {
        step->heap.id_mark = ubi__leak_record_id_mark(record);
        ubi__leak_record_match_texts(&s->parts[0], record, f->graph);
    }
    count_past(step, s);
    add_parts(&step->heap, s);
    step->was_compared = true;
    return UBI_OK;
}

/* Steps before this one that were not compared yet get room. */
static ubi_status add_step(ubi_leak_finder *f, uint32_t step) {
    if (step < f->steps.n)
        return f->steps.at[step].was_compared ? ubi__fail(UBI_EINVAL, "this heap was compared before") : UBI_OK;
    if (step >= UBI__LEAK_NEVER)
        return ubi__fail(UBI_ELIMIT, "more than %d heaps", UBI__LEAK_NEVER);
    UBI_TRY(ubi__vec_leak_step_reserve(&f->steps, f->allocator, step + 1 - f->steps.n));
    while (f->steps.n <= step)
        f->steps.at[f->steps.n++] = (ubi__leak_step){ .was_compared = false };
    return UBI_OK;
}

ubi_status ubi_leak_finder_compare(ubi_leak_finder *f, uint32_t step, const ubi_class_scheme *past) {
    bool is_last = step >= f->steps.n;
    UBI_TRY(add_step(f, step));
    uint32_t *rows = ubi__alloc_array(f->allocator, past->n_classes, sizeof *rows);
    uint8_t *marks = ubi__calloc_array(f->allocator, past->graph->n_nodes, 1);
    search s = { .finder = f, .past = past, .past_rows = rows, .step = step, .is_last = is_last, .marks = marks };
    ubi_status status = marks && (rows || !past->n_classes) ? compare_past(&s, rows) : ubi__fail_nomem();
    ubi__free_array(f->allocator, rows, past->n_classes, sizeof *rows);
    ubi__free_array(f->allocator, marks, past->graph->n_nodes, 1);
    return status;
}

/* ---- candidates --------------------------------------------------------------------------------------------------- */

static bool is_candidate(const ubi_leak_finder *f, ubi_node_ix node) {
    uint8_t flags = f->flags[node];
    if (flags & UBI__LEAK_WAS_OLD || (ubi__leak_three(f) && !(flags & UBI__LEAK_WAS_NEW)))
        return false;
    if (node == f->view.root || ubi__leak_rope_of(&f->holdings, node) != UBI_NONE)
        return false;
    /* A rope where an earlier text was is that text, flattened meanwhile: its holder grew (leak_grown.c). */
    if (flags & UBI__LEAK_REPLACES && ubi__leak_is_rope_at(f, node))
        return false;
    return f->options.with_engine || ubi__leak_is_held_by_program(f, node);
}

static ubi_status add_tallies(ubi_leak_finder *f) {
    UBI_TRY(ubi__vec_leak_row_reserve(&f->tallies, f->allocator, f->rows.rows.n));
    while (f->tallies.n < f->rows.rows.n)
        f->tallies.at[f->tallies.n++] = (ubi__leak_row){ .survivors = { 0 } };
    return UBI_OK;
}

ubi_status ubi__leak_find_candidates(ubi_leak_finder *f) {
    UBI_TRY(add_tallies(f));
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        uint32_t row = ubi__leak_row_of(f, node);
        if (row == UBI_NONE)
            continue;
        ubi__leak_row *tally = &f->tallies.at[row];
        tally->newest.count++;
        tally->newest.bytes += ubi__leak_size(f, node);
        tally->survivors[0] += f->flags[node] & UBI__LEAK_WAS_OLD ? 1 : 0;
        tally->survivors[1] += f->flags[node] & UBI__LEAK_WAS_NEW ? 1 : 0;
        tally->has_held = tally->has_held || ubi__leak_is_held(&f->holdings, node);
        if (!is_candidate(f, node))
            continue;
        if (ubi__leak_is_chosen(f, node))
            f->flags[node] |= UBI__LEAK_CANDIDATE;
        else
            f->n_not_chosen++;
    }
    return UBI_OK;
}

/* ==== REPLACED OBJECTS ========================================================================================== */

/*
 * Which new objects took the place of another one.
 *
 * Where each of many objects holds the latest of something by a name, such as the time of a user's last visit, new ones come with each
 * step and none of them leaks: an older one went for each. That shows in the holder: in the earlier heap it held something by that
 * name, too.
 */

/* An object with more edges than this in the earlier heap is a dictionary: what each name meant is unknown. */
#define MOST_EDGES 32
/* Longer names are not looked at: a file may have one of megabytes on each edge. */
#define MOST_NAME_BYTES 256

/* The name of a property or variable; NULL text: there is none, or a long one. */
static ubi_text name_of(const ubi_graph *g, ubi_edge_ix e) {
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    ubi_str_ix name = kind == UBI_EDGE_WEAK || kind == UBI_EDGE_SHORTCUT ? UBI_NONE : ubi__graph_edge_name(g, e);
    ubi_text text = name == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__strtab_get(&g->strings, name);
    return text.len <= MOST_NAME_BYTES ? text : (ubi_text){ NULL, 0 };
}

static bool held_something(const ubi__leak_holdings *in, ubi_node_ix holder, ubi_text name) {
    const ubi_graph *past = in->graph;
    ubi_edge_ix first = past->first_edge.at[holder], end = past->first_edge.at[holder + 1];
    if (end - first > MOST_EDGES)
        return false;
    for (ubi_edge_ix e = first; e < end; e++)
        if (ubi__leak_is_held(in, past->target.at[e]) && ubi__text_equal(name_of(past, e), name))
            return true;
    return false;
}

static void mark_of(ubi_leak_finder *f, const ubi__leak_holdings *in, ubi_node_ix holder) {
    const ubi_graph *g = f->graph, *past = in->graph;
    ubi_node_ix before = UBI_NONE;
    for (ubi_edge_ix e = g->first_edge.at[holder]; e < g->first_edge.at[holder + 1]; e++) {
        ubi_node_ix node = g->target.at[e];
        if (f->flags[node] & (UBI__LEAK_THERE | UBI__LEAK_REPLACES) || !ubi__leak_is_held(&f->holdings, node) ||
            !name_of(g, e).ptr)
            continue;
        if (before == UBI_NONE)
            before = ubi__id_index_find(&past->ids, past->id.at, g->id.at[holder]);
        if (held_something(in, before, name_of(g, e)))
            f->flags[node] |= UBI__LEAK_REPLACES;
    }
}

void ubi__leak_mark_replacing(ubi_leak_finder *f, const ubi__leak_holdings *past) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (f->flags[node] & UBI__LEAK_THERE)
            mark_of(f, past, node);
}

/* ==== GROWN TEXTS =============================================================================================== */

/*
 * Which texts of the newest heap are those of an earlier one that others were added to.
 *
 * `log += line` makes a new node, with the one that was the log before as its half. So the earlier one is a part of a rope now,
 * and was none: the rope is the same text, and has become larger. Of several such parts the largest is what it was.
 */

typedef struct roping {
    ubi_leak_finder *f;
    const ubi__leak_holdings *past;
    ubi_node_ix *was; /* was[n_nodes] */
} roping;

static void look_at_part(roping *r, ubi_node_ix part) {
    const ubi_leak_finder *f = r->f;
    const ubi_graph *past = r->past->graph;
    ubi_node_ix rope = ubi__leak_rope_of(&f->holdings, part);
    bool is_shared = f->holdings.sole[part] == UBI__LEAK_MANY; /* it says nothing of any one rope */
    if (rope == UBI_NONE || is_shared || !(f->flags[part] & UBI__LEAK_THERE) || f->flags[rope] & UBI__LEAK_THERE)
        return;
    ubi_node_ix before = ubi__id_index_find(&past->ids, past->id.at, f->graph->id.at[part]), best = r->was[rope];
    if (ubi__leak_rope_of(r->past, before) != UBI_NONE)
        return; /* a part then, too: that which it was a part of counts */
    if (best == UBI_NONE || r->past->size_bytes[before] > r->past->size_bytes[best])
        r->was[rope] = UBI_INDEX(before, past->n_nodes);
}

static void mark_rope(ubi_leak_finder *f, ubi_node_ix rope, uint32_t step, bool is_last) {
    f->flags[rope] |= (uint8_t)((step == UBI_LEAK_OLD ? UBI__LEAK_WAS_OLD : 0) | (is_last ? UBI__LEAK_WAS_NEW : 0));
    if (step < f->first_seen[rope])
        f->first_seen[rope] = (uint16_t)step;
}

ubi_status ubi__leak_find_grown_ropes(ubi_node_ix **out, ubi_leak_finder *f, uint32_t step, bool is_last,
                                      const ubi__leak_holdings *past) {
    size_t n = f->graph->n_nodes;
    roping r = { .f = f, .past = past };
    *out = NULL;
    if (!f->holdings.rope_of)
        return UBI_OK;
    r.was = ubi__alloc_array(f->allocator, n, sizeof *r.was);
    if (!r.was)
        return ubi__fail_nomem();
    memset(r.was, 0xff, n * sizeof *r.was); /* UBI_NONE */
    for (ubi_node_ix node = 0; node < n; node++)
        look_at_part(&r, node);
    for (ubi_node_ix node = 0; node < n; node++)
        if (r.was[node] != UBI_NONE)
            mark_rope(f, node, step, is_last);
    *out = r.was;
    return UBI_OK;
}
