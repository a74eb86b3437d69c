/* SPDX-License-Identifier: MIT
 *
 * leak_grown.c: what was there in OLD and has become larger.
 *
 * Which nodes could be worth reporting is known from the newest heap alone: those that may weigh LEAST_WEIGHT or more. Of each earlier
 * heap only what these weigh is kept.
 */
#include "analyses/leaks/leak_finder.h"
#include "analyses/same_process.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/merge_sort.h"

/* ==== JOINING WHAT IS ALIKE ===================================================================================== */

/*
 * Objects of one class that are held in one way and grew in place, each a little, as one.
 *
 * Their way distinguishes them, by classes and names but not by numbers: the entries of a map are of one sort. Names may be keys, where the
 * holder has many; then it takes more objects, since else all variables of a program would be of one sort.
 */

/* More than this many are reported as one. */
#define MOST_APART 3
#define MOST_APART_BY_KEYS 16
/* One by itself is reported if it is as large, and grew as much. */
#define LEAST_WEIGHT_ALONE 4096
#define LEAST_GROWTH_ALONE 1024

/* What grew by this much is reported under a name of its own, even if that may be a key. */
#define LARGE_GROWTH 65536

typedef uint64_t sort_of(const ubi__leak_growing *row);

static uint64_t sort_by_way(const ubi__leak_growing *row) {
    return row->fingerprint;
}
static uint64_t sort_by_keys(const ubi__leak_growing *row) {
    return row->most_bytes < LARGE_GROWTH ? row->by_keys : row->fingerprint;
}

static void join_rows(ubi__leak_growing *to, ubi__leak_growing *from, uint32_t n_heaps) {
    for (uint32_t i = 0; i < n_heaps; i++)
        to->bytes[i] = ubi__add_u64(to->bytes[i], from->bytes[i]);
    if (from->most_bytes > to->most_bytes) {
        to->most_bytes = from->most_bytes;
        to->grown.node = from->grown.node;
        to->grown.content = from->grown.content;
        to->grown.class_name = from->grown.class_name;
    }
    to->grown.is_cluster_holder = to->grown.is_cluster_holder || from->grown.is_cluster_holder;
    to->grown.n_objects += from->grown.n_objects;
    to->grown.grown_bytes = ubi__subtract_u64(to->bytes[n_heaps - 1], to->bytes[0]);
    from->grown.n_objects = 0;
}

/* Rows are joined to the first of their sort; what was joined before is left alone. */
static ubi_status join_sorts(ubi__vec_leak_growing *rows, uint32_t n_heaps, sort_of *sort, uint32_t most_apart,
                             ubi__u64_map *first_of, ubi__vec_u32 *counts) {
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t first = ubi__u64_map_get(first_of, sort(&rows->at[i]));
        UBI_TRY(ubi__vec_u32_push(counts, first_of->allocator, 0));
        if (rows->at[i].grown.n_objects != 1)
            continue;
        if (first == UBI_NONE)
            UBI_TRY(ubi__u64_map_put(first_of, sort(&rows->at[i]), i));
        counts->at[first == UBI_NONE ? i : first]++;
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t first = ubi__u64_map_get(first_of, sort(&rows->at[i]));
        if (first == UBI_NONE || rows->at[i].grown.n_objects != 1 || counts->at[first] <= most_apart || first == i)
            continue;
        rows->at[first].fingerprint = sort(&rows->at[first]);
        join_rows(&rows->at[first], &rows->at[i], n_heaps);
    }
    return UBI_OK;
}

static ubi_status join_by(ubi__vec_leak_growing *rows, uint32_t n_heaps, sort_of *sort, uint32_t most_apart,
                          const ubi_allocator *a) {
    ubi__u64_map first_of;
    ubi__vec_u32 counts = { 0 };
    ubi__u64_map_init(&first_of, a);
    ubi_status status = join_sorts(rows, n_heaps, sort, most_apart, &first_of, &counts);
    ubi__vec_u32_fini(&counts, a);
    ubi__u64_map_fini(&first_of);
    return status;
}

static bool is_large(const ubi__leak_growing *row, uint32_t n_heaps) {
    const ubi_leak_grown *o = &row->grown;
    return o->n_objects && o->grown_bytes >= LEAST_GROWTH_ALONE &&
           (o->n_objects > 1 || row->bytes[n_heaps - 1] >= LEAST_WEIGHT_ALONE);
}

ubi_status ubi__leak_join_alike(ubi__vec_leak_growing *rows, uint32_t n_heaps, const ubi_allocator *a) {
    size_t n = 0;
    UBI_TRY(join_by(rows, n_heaps, sort_by_way, MOST_APART, a));
    UBI_TRY(join_by(rows, n_heaps, sort_by_keys, MOST_APART_BY_KEYS, a));
    uint64_t n_objects = 0;
    for (size_t i = 0; UBI_CHECKS && i < rows->n; i++)
        n_objects += rows->at[i].grown.n_objects;
    UBI_ASSERT(!UBI_CHECKS || n_objects == rows->n); /* joining loses none */
    for (size_t i = 0; i < rows->n; i++)
        if (is_large(&rows->at[i], n_heaps))
            rows->at[n++] = rows->at[i];
    rows->n = n;
    return UBI_OK;
}

/* ==== WHAT GREW ================================================================================================= */

/* Less is not worth reporting, however many there are. */
#define LEAST_WEIGHT 256
#define LEAST_GROWTH 32

/* ---- weights ------------------------------------------------------------------------------------------------------ */

static ubi_status choose_heavy(ubi_leak_finder *f, uint64_t *weight) {
    ubi__leak_weigh_at_most(weight, &f->holdings);
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (weight[node] >= LEAST_WEIGHT && node != f->view.root)
            UBI_TRY(ubi__vec_u32_push(&f->heavy, f->allocator, node));
    return UBI_OK;
}

ubi_status ubi__leak_find_heavy(ubi_leak_finder *f) {
    size_t n = f->graph->n_nodes;
    UBI_TRY(ubi__leak_holdings_init(&f->holdings, f->graph, f->view.size_bytes, &f->options, f->allocator));
    uint64_t *weight = ubi__alloc_array(f->allocator, n, sizeof *weight);
    ubi_status status = weight ? choose_heavy(f, weight) : ubi__fail_nomem();
    ubi__free_array(f->allocator, weight, n, sizeof *weight);
    return status;
}

/* ---- verdicts ----------------------------------------------------------------------------------------------------- */

/* It became smaller once, and was as large before as it is at the end: a buffer that is emptied now and then. */
static bool is_emptied(const ubi_leak_grown *o, uint32_t n_steps) {
    bool fell = false, was_more = false;
    for (uint32_t i = 0; i < n_steps; i++) {
        fell = fell || o->bytes[i + 1] < o->bytes[i] - o->bytes[i] / 10;
        was_more = was_more || o->bytes[i] >= o->bytes[n_steps];
    }
    return fell && was_more;
}

/* Tables are made larger by a quarter or more at a time, with room for some steps to come. */
static bool is_table(const ubi_leak_grown *o, uint32_t n_steps) {
    for (uint32_t i = 0; i < n_steps; i++)
        if (o->grew[i] && o->bytes[i + 1] / 5 < o->bytes[i] / 4)
            return false;
    return o->n_grew > 1;
}

/* Equal work, equal growth: the last step brought a third of the one before at least. A table may become twice as large as before. */
static ubi_leak_verdict judge_three(const ubi_leak_grown *o) {
    uint64_t first = ubi__subtract_u64(o->bytes[1], o->bytes[0]), last = ubi__subtract_u64(o->bytes[2], o->bytes[1]);
    return first / 3 <= last && last / 10 <= first && first && last ? UBI_LEAK_STEADY : UBI_LEAK_ONCE;
}

static ubi_leak_verdict judge_grown(const ubi_leak_grown *o, const ubi_leak_finder *f) {
    uint32_t n_steps = ubi__leak_past_count(f), missed = n_steps - o->n_grew;
    if (o->control_bytes >= o->grown_bytes / 2 && o->control_bytes)
        return UBI_LEAK_CONTROLLED;
    if (n_steps == 1 || f->options.is_round_trip)
        return UBI_LEAK_GREW;
    if (is_emptied(o, n_steps))
        return UBI_LEAK_BOUNDED;
    if (n_steps == 2)
        return judge_three(o);
    if (ubi__leak_quiet_steps(o->grew, n_steps) * 3 >= n_steps)
        return UBI_LEAK_ONCE;
    return missed * 4 <= n_steps || is_table(o, n_steps) ? UBI_LEAK_STEADY : UBI_LEAK_STEPWISE;
}

static void find_steps(ubi_leak_grown *o, uint8_t *grew, uint32_t n_steps) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < n_steps; i++)
        most = ubi__subtract_u64(o->bytes[i + 1], o->bytes[i]) > most ? ubi__subtract_u64(o->bytes[i + 1], o->bytes[i])
                                                                      : most;
    for (uint32_t i = 0; i < n_steps; i++) {
        grew[i] = ubi__leak_is_growth(ubi__subtract_u64(o->bytes[i + 1], o->bytes[i]), most, n_steps);
        o->n_grew += grew[i];
    }
}

ubi_leak_verdict ubi__leak_judge_bytes(ubi_leak_grown *o, uint8_t *grew, const ubi_leak_finder *f) {
    find_steps(o, grew, ubi__leak_past_count(f));
    return judge_grown(o, f);
}

/* ---- which grew --------------------------------------------------------------------------------------------------- */

/* How far up a way is looked at to know an object again: far enough, and the cost stays bounded. */
#define MOST_FINGERPRINT_STEPS 8
/* Of the names of classes. */
#define MOST_FINGERPRINT_BYTES 256

/* Where a node has more edges than this, their names may be keys. */
#define MOST_NAMES 16

static bool may_be_key(const ubi_leak_finder *f, ubi_node_ix node) {
    const uint64_t *first = f->graph->first_edge.at + f->parent[node];
    return first[1] - first[0] > MOST_NAMES;
}

static ubi_status find_sorts(ubi__leak_growing *out, ubi_leak_finder *f, const ubi_leaks *leaks) {
    const ubi_leak_grown *o = &out->grown;
    uint64_t by_way = UINT64_C(0x67726f776e) + o->is_by_contents + 2 * (uint64_t)o->is_rope; /* no cluster's */
    uint64_t by_keys = by_way + 4;
    ubi_node_ix node = o->node;
    for (unsigned i = 0; i < MOST_FINGERPRINT_STEPS && node != f->view.root; i++, node = f->parent[node]) {
        uint32_t label, row = ubi__leak_row_of(f, node);
        ubi_text name = row == UBI_NONE ? (ubi_text){ "", 0 } : leaks->rows.rows.at[row].name;
        size_t n_bytes = name.len < MOST_FINGERPRINT_BYTES ? name.len : MOST_FINGERPRINT_BYTES;
        UBI_TRY(ubi__leak_label_to(&label, f, node));
        uint64_t class_hash = ubi__hash_bytes(name.ptr, n_bytes), label_hash = ubi__leak_label_hash(&f->places, label);
        by_way = ubi__hash_combine(ubi__hash_combine(by_way, class_hash), label_hash);
        by_keys = ubi__hash_combine(ubi__hash_combine(by_keys, class_hash), may_be_key(f, node) ? 0 : label_hash);
    }
    out->fingerprint = by_way;
    out->by_keys = by_keys;
    return UBI_OK;
}

/* In a heap where it is not found it weighs what it did before. */
static void take_bytes(uint64_t *bytes, const ubi_leak_finder *f, size_t heavy, uint64_t newest) {
    uint32_t n = ubi__leak_past_count(f);
    for (uint32_t heap = 0; heap < n; heap++) {
        bytes[heap] = f->steps.at[heap].weights[heavy];
        if (bytes[heap] == UBI__LEAK_ABSENT)
            bytes[heap] = heap ? bytes[heap - 1] : newest;
    }
    bytes[n] = newest;
}

typedef ubi__leak_growth growing;

static bool can_be_reported(const growing *w, size_t heavy) {
    const ubi_leak_finder *f = w->f;
    ubi_node_ix node = f->heavy.at[heavy];
    return f->flags[node] & UBI__LEAK_WAS_OLD && f->parent[node] != UBI_NONE && ubi__leak_row_of(f, node) != UBI_NONE &&
           ubi__leak_is_chosen(f, node) && w->weight[node] >= LEAST_WEIGHT;
}

static ubi_status add_grown(growing *w, size_t heavy, uint64_t *bytes, uint8_t *grew) {
    ubi_leak_finder *f = w->f;
    ubi__leak_growing row = { .bytes = bytes, .grew = grew };
    ubi_leak_grown *o = &row.grown;
    o->node = f->heavy.at[heavy];
    ubi__leak_contents contents = ubi__leak_contents_of(&f->holdings, &w->stays, o->node, w->weight[o->node]);
    o->content = contents.main;
    o->is_by_contents = contents.bytes > w->weight[o->node] / 2;
    if (!ubi__leak_is_held_by_program(f, o->node) && !o->is_by_contents)
        return UBI_OK; /* the engine's */
    o->is_rope = ubi__leak_is_rope_at(f, o->content == UBI_NONE ? o->node : o->content);
    o->class_name = w->leaks->rows.rows.at[ubi__leak_row_of(f, o->node)];
    o->n_objects = 1;
    take_bytes(bytes, f, heavy, w->weight[o->node]);
    row.most_bytes = o->grown_bytes = bytes[w->n_steps] - bytes[0];
    UBI_TRY(find_sorts(&row, f, w->leaks));
    w->is_listed[o->node] = 1;
    return ubi__vec_leak_growing_push(&w->leaks->growing, f->allocator, row);
}

static uint64_t growth_of(const growing *w, size_t heavy) {
    uint64_t before = w->f->steps.at[UBI_LEAK_OLD].weights[heavy];
    return before == UBI__LEAK_ABSENT ? 0 : ubi__subtract_u64(w->weight[w->f->heavy.at[heavy]], before);
}

/* Room for all that may be reported is made first, since `bytes` and `grew` point into it. */
static ubi_status find_all(growing *w) {
    ubi_leaks *leaks = w->leaks;
    const ubi_allocator *a = leaks->allocator;
    size_t n = 0, n_heaps = w->n_steps + 1;
    for (size_t i = 0; i < w->f->heavy.n; i++)
        n += can_be_reported(w, i) && growth_of(w, i) >= LEAST_GROWTH;
    UBI_TRY(ubi__vec_u64_reserve(&leaks->sizes, a, n * n_heaps));
    UBI_TRY(ubi__vec_u8_reserve(&leaks->sizes_grew, a, n * w->n_steps));
    for (size_t i = 0; i < w->f->heavy.n; i++)
        if (can_be_reported(w, i) && growth_of(w, i) >= LEAST_GROWTH)
            UBI_TRY(add_grown(w, i, leaks->sizes.at + leaks->growing.n * n_heaps,
                              leaks->sizes_grew.at + leaks->growing.n * w->n_steps));
    return UBI_OK;
}

/* Of one object, or of several that were joined. */
static void judge_row(const growing *w, ubi__leak_growing *row) {
    ubi_leak_grown *o = &row->grown;
    o->bytes = row->bytes;
    o->grew = row->grew;
    o->control_bytes = ubi__leak_count_in_control(w->f->options.control, row->fingerprint);
    o->verdict = ubi__leak_judge_bytes(o, row->grew, w->f);
    o->is_counted = ubi__leak_verdict_counts(w->f, o->verdict);
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static bool is_before(const ubi_leak_grown *a, const ubi_leak_grown *b) {
    if (a->is_counted != b->is_counted)
        return a->is_counted;
    return a->grown_bytes != b->grown_bytes ? a->grown_bytes > b->grown_bytes : a->node < b->node;
}
#define GROWN_BEFORE(unused, a, b) is_before(&(a).grown, &(b).grown)
UBI_SORT_DEFINE(sort_growing, ubi__leak_growing, void *, GROWN_BEFORE);

static ubi_status order_all(ubi_leaks *leaks) {
    ubi__vec_leak_growing spare = { 0 };
    UBI_TRY(ubi__vec_leak_growing_reserve(&spare, leaks->allocator, leaks->growing.n));
    if (leaks->growing.n)
        sort_growing(leaks->growing.at, spare.at, leaks->growing.n, NULL);
    ubi__vec_leak_growing_fini(&spare, leaks->allocator);
    return UBI_OK;
}

/* Holders are looked up among what grew. */
static ubi_status mark_holders(ubi_leaks *leaks, ubi__u64_map *growing_of) {
    for (size_t i = 0; i < leaks->growing.n; i++)
        UBI_TRY(ubi__u64_map_put(growing_of, leaks->growing.at[i].grown.node, (uint32_t)i));
    for (uint32_t i = 0; i < leaks->summary.n_clusters; i++) {
        uint32_t at = ubi__u64_map_get(growing_of, leaks->clusters.at[i].cluster.holder);
        if (at != UBI_NONE)
            leaks->growing.at[at].grown.is_cluster_holder = true;
    }
    return UBI_OK;
}

/* ---- whole -------------------------------------------------------------------------------------------------------- */

static ubi_status growing_find(growing *w) {
    ubi__u64_map growing_of;
    UBI_TRY(ubi__leak_weigh(w->weight, w->counts_to, &w->f->holdings, &w->stays));
    UBI_TRY(find_all(w));
    UBI_TRY(ubi__leak_sum_unlisted(w));
    ubi__leak_add_rows_to_unlisted(w, 1);
    ubi__u64_map_init(&growing_of, w->f->allocator);
    ubi_status status = mark_holders(w->leaks, &growing_of);
    ubi__u64_map_fini(&growing_of);
    if (status == UBI_OK)
        status = ubi__leak_join_alike(&w->leaks->growing, w->n_steps + 1, w->f->allocator);
    if (status != UBI_OK)
        return status;
    for (size_t i = 0; i < w->leaks->growing.n; i++)
        judge_row(w, &w->leaks->growing.at[i]);
    ubi__leak_add_rows_to_unlisted(w, -1);
    ubi__leak_judge_unlisted(w);
    return order_all(w->leaks);
}

ubi_status ubi__leak_find_grown(ubi_leaks *leaks, ubi_leak_finder *f) {
    size_t n = f->graph->n_nodes;
    growing w = { .leaks = leaks, .f = f, .n_steps = (uint32_t)leaks->steps.n - 1 };
    w.stays = (ubi__leak_stays){ .marks = f->flags, .stays = UBI__LEAK_WAS_OLD, .leaked = UBI__LEAK_CANDIDATE };
    w.weight = ubi__alloc_array(f->allocator, n, sizeof *w.weight);
    w.counts_to = ubi__alloc_array(f->allocator, n, sizeof *w.counts_to);
    w.is_listed = ubi__calloc_array(f->allocator, n, 1);
    ubi_status status = w.weight && w.counts_to && w.is_listed ? growing_find(&w) : ubi__fail_nomem();
    ubi__free_array(f->allocator, w.weight, n, sizeof *w.weight);
    ubi__free_array(f->allocator, w.counts_to, n, sizeof *w.counts_to);
    ubi__free_array(f->allocator, w.is_listed, n, 1);
    return status;
}

uint32_t ubi_leaks_grown_count(const ubi_leaks *leaks) {
    return (uint32_t)leaks->growing.n;
}

const ubi_leak_grown *ubi_leaks_grown(const ubi_leaks *leaks, uint32_t index) {
    return &leaks->growing.at[UBI_INDEX(index, leaks->growing.n)].grown;
}

/* ---- series ------------------------------------------------------------------------------------------------------- */

/*
 * The process is recognized by what the heaps have under equal ids (same_process.h).
 */

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

/* Ids give the order if all heaps have their mark, else times if all have theirs. */
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

/* Equal times, such as those that anonymizing rounds to days, say nothing; equal marks are of the same heap. */
static bool report_order(const judging *j) {
    for (size_t i = 1; i < j->places.n; i++) {
        uint64_t key = j->places.at[i].key;
        if (key == j->places.at[i - 1].key && key != heap_at(j, j->places.at[i].heap)->id_mark)
            return false;
    }
    return true;
}

static void rank_heaps(judging *j) {
    uint32_t position = 0;
    j->leaks->is_order_known = find_keys(j);
    if (j->leaks->is_order_known) {
        sort_places(j->places.at, j->spare.at, j->places.n, NULL);
        j->leaks->is_order_known = report_order(j);
    }
    for (size_t i = 0; i < j->places.n; i++)
        heap_at(j, j->places.at[i].heap)->rank = (uint32_t)i;
    for (uint32_t i = 0; i < j->leaks->steps.n; i++) {
        ubi_leak_heap *heap = heap_at(j, i);
        if (heap->fit == UBI_LEAK_FITS && heap->rank != position++)
            heap->fit = UBI_LEAK_OUT_OF_ORDER;
    }
    /* Nothing says where a heap of another process belongs among these. */
    j->leaks->is_order_known = j->leaks->is_order_known && j->places.n == j->leaks->steps.n;
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
        if (i + 1 < n && !is_same_process(heap, heap_at(j, (uint32_t)n - 1), f->options.may_reuse_ids))
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
    ubi__leak_step newest = { .was_compared = true };
    UBI_TRY(ubi__vec_leak_step_reserve(&leaks->steps, leaks->allocator, f->steps.n + 1));
    ubi__leak_describe(&newest, f, &f->classes);
    newest.heap.n_common = newest.heap.n_common_same = newest.heap.n_types_same = newest.heap.tally.count;
    for (size_t i = 0; i < f->steps.n; i++) {
        leaks->steps.at[i] = f->steps.at[i];
        leaks->steps.at[i].of_row = NULL;
        leaks->steps.at[i].n_rows = 0;
        leaks->steps.at[i].weights = NULL;
        leaks->steps.at[i].own_bytes = NULL;
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
    return leaks->is_order_known;
}

ubi_leak_fit ubi_leaks_fit(const ubi_leaks *leaks) {
    ubi_leak_fit worst = UBI_LEAK_FITS;
    for (size_t i = 0; i < leaks->steps.n; i++)
        worst = leaks->steps.at[i].heap.fit > worst ? leaks->steps.at[i].heap.fit : worst;
    return worst;
}
