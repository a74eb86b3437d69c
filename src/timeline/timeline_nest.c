/* SPDX-License-Identifier: MIT
 *
 * timeline_nest.c: markers inside of each other, per thread (timeline_nest.h) and as Firefox has them (ubiheap/views/timeline_waterfall.h).
 */
#include "timeline/timeline_nest.h"

#include <ubiheap/views/timeline_waterfall.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/merge_sort.h"
#include "base/text.h"

/* ==== THE WATERFALL ============================================================================================= */

/*
 * Markers that may still take in others are a stack, linked through `below`, the newest on top. It is not the path to the
 * root: what was put under the root is still on top.
 */

typedef struct collapse {
    ubi_waterfall_row *rows;
    const ubi_waterfall_marker *markers;
    uint32_t top; /* UBI_NONE: the stack is empty */
} collapse;

/* The newest open parent takes in no more. */
static void close_top(collapse *c) {
    ubi_waterfall_row *row = &c->rows[c->top];
    if (row->last_child == UBI_NONE) {
        row->has_list = false;
    } else if (!row->has_end) {
        row->end_ns = c->rows[row->last_child].end_ns;
        row->has_end = c->rows[row->last_child].has_end;
    }
    c->top = row->below;
}

static bool takes_in(const collapse *c, uint32_t parent, uint32_t child) {
    const ubi_waterfall_marker *p = &c->markers[parent], *m = &c->markers[child];
    bool ends_inside = !p->has_end || (m->has_end && m->end_ns <= p->end_ns);
    return ends_inside && m->start_ns >= p->start_ns && m->process_type == p->process_type;
}

static void push_row(collapse *c, uint32_t parent, uint32_t child) {
    UBI_ASSERT(parent == UBI_NONE || (parent < child && c->rows[parent].has_list));
    ubi_waterfall_row *row = &c->rows[child];
    row->parent = parent;
    if (parent != UBI_NONE) {
        row->depth = c->rows[parent].depth + 1;
        c->rows[parent].last_child = child;
    }
    if (row->has_list) {
        row->below = c->top;
        c->top = child;
    }
}

static void place_row(collapse *c, uint32_t i) {
    const ubi_waterfall_marker *m = &c->markers[i];
    if (m->is_not_nestable || m->is_off_thread) {
        push_row(c, UBI_NONE, i);
        return;
    }
    while (c->top != UBI_NONE && !takes_in(c, c->top, i))
        close_top(c);
    push_row(c, c->top, i);
}

void ubi_timeline_waterfall(ubi_waterfall_row *rows, const ubi_waterfall_marker *markers, uint32_t n) {
    collapse c = { rows, markers, UBI_NONE };
    for (uint32_t i = 0; i < n; i++) {
        const ubi_waterfall_marker *m = &markers[i];
        rows[i] = (ubi_waterfall_row){ .parent = UBI_NONE, .end_ns = m->end_ns, .has_end = m->has_end };
        rows[i].last_child = rows[i].below = UBI_NONE;
        rows[i].has_list = !m->is_not_collapsible && !m->is_hidden;
        if (!m->is_hidden)
            place_row(&c, i);
    }
}

/* ==== NESTS ===================================================================================================== */

/* While it is made. */
typedef struct work {
    ubi__timeline_nest *nest;
    bool is_compat;
    ubi_waterfall_marker *markers; /* markers[n], in the order of by_thread */
    ubi_waterfall_row *rows;       /* rows[n], likewise */
    uint64_t *covered_until_ns;    /* covered_until_ns[n]: by children that came */
} work;

void ubi__timeline_nest_check(const ubi__timeline_nest *nest) {
    const ubi__timeline_row *rows = nest->data->rows.at;
    UBI_ASSERT(nest->n_threads > 0 && nest->thread_end[nest->n_threads - 1] == nest->n);
    for (uint32_t t = 0; UBI_CHECKS && t < nest->n_threads; t++) {
        UBI_ASSERT(ubi__thread_start(nest, t) <= nest->thread_end[t]);
        for (uint32_t k = ubi__thread_start(nest, t); k < nest->thread_end[t]; k++)
            UBI_ASSERT(k == ubi__thread_start(nest, t) || nest->by_thread[k - 1] < nest->by_thread[k]);
    }
    for (uint32_t i = 0; UBI_CHECKS && i < nest->n; i++) {
        uint32_t parent = nest->parent[i];
        UBI_ASSERT(nest->self_ns[i] <= ubi__timeline_duration_ns(&rows[i]));
        UBI_ASSERT(nest->sum_of[i] < nest->sums.n);
        UBI_ASSERT(parent == UBI_NONE ? nest->depth[i] == 0 : nest->depth[i] == nest->depth[parent] + 1);
        UBI_ASSERT(parent == UBI_NONE || (parent < i && rows[parent].start_ns <= rows[i].start_ns));
        UBI_ASSERT(parent == UBI_NONE || rows[i].end_ns <= rows[parent].end_ns);
    }
    uint64_t n_rows = 0;
    for (size_t s = 0; UBI_CHECKS && s < nest->sums.n; s++) {
        n_rows += nest->sums.at[s].count;
        UBI_ASSERT(s == 0 || nest->sums.at[s - 1].total_ns >= nest->sums.at[s].total_ns);
        UBI_ASSERT(nest->sum_of[nest->sums.at[s].longest] == s);
    }
    UBI_ASSERT(!UBI_CHECKS || n_rows == nest->n);
}

/* ---- threads ---------------------------------------------------------------------------------------------------------- */

static uint32_t section_of(const work *w, uint32_t row) {
    return w->is_compat ? 0 : w->nest->data->rows.at[row].thread;
}

/* By counting: thread_end holds counts first, then starts, and is pushed to the ends. */
static void sort_by_thread(work *w) {
    ubi__timeline_nest *nest = w->nest;
    uint32_t start = 0;
    for (uint32_t i = 0; i < nest->n; i++)
        nest->thread_end[section_of(w, i)]++;
    for (uint32_t t = 0; t < nest->n_threads; t++) {
        uint32_t count = nest->thread_end[t];
        nest->thread_end[t] = start;
        start += count;
    }
    for (uint32_t i = 0; i < nest->n; i++)
        nest->by_thread[nest->thread_end[section_of(w, i)]++] = i;
}

/* ---- nesting ---------------------------------------------------------------------------------------------------------- */

static ubi_waterfall_marker waterfall_marker(const work *w, const ubi__timeline_row *row) {
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(ubi__timeline_text(w->nest->data, row->name));
    bool is_off_thread = row->flags & UBI__TIMELINE_OFF_THREAD;
    /* What the main thread says of another, such as Composite, is in nothing of its own. */
    bool is_elsewhere = !w->is_compat && is_off_thread && row->thread == 0;
    return (ubi_waterfall_marker){
        .start_ns = row->start_ns,
        .end_ns = row->end_ns,
        .has_end = true,
        .is_off_thread = w->is_compat && is_off_thread,
        .is_not_nestable = b->is_not_nestable || is_elsewhere,
        .is_not_collapsible = b->is_not_collapsible || is_elsewhere,
        .process_type = row->process_type,
    };
}

static void nest_thread(work *w, uint32_t thread) {
    ubi__timeline_nest *nest = w->nest;
    uint32_t start = ubi__thread_start(nest, thread), end = nest->thread_end[thread];
    for (uint32_t k = start; k < end; k++)
        w->markers[k] = waterfall_marker(w, &nest->data->rows.at[nest->by_thread[k]]);
    ubi_timeline_waterfall(w->rows + start, w->markers + start, end - start);
    for (uint32_t k = start; k < end; k++) {
        uint32_t row = nest->by_thread[k], parent = w->rows[k].parent;
        nest->parent[row] = parent == UBI_NONE ? UBI_NONE : nest->by_thread[start + parent];
        nest->depth[row] = w->rows[k].depth;
    }
}

/* Adds what [start, end) has after *until; the starts of one `until` never decrease. */
static uint64_t add_cover(uint64_t *until, const ubi__timeline_row *row) {
    uint64_t start = row->start_ns > *until ? row->start_ns : *until;
    if (row->end_ns <= start)
        return 0;
    *until = row->end_ns;
    return row->end_ns - start;
}

/* Parents come before their children, and children in the order of their starts. */
static void find_self_times(work *w) {
    ubi__timeline_nest *nest = w->nest;
    for (uint32_t i = 0; i < nest->n; i++) {
        const ubi__timeline_row *row = &nest->data->rows.at[i];
        uint32_t parent = nest->parent[i];
        nest->self_ns[i] = ubi__timeline_duration_ns(row);
        if (parent != UBI_NONE)
            nest->self_ns[parent] -= add_cover(&w->covered_until_ns[parent], row);
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------------------- */

/* NULL: labels are from a table, or names. */
static ubi__own_labels *own_labels_of(ubi__timeline_nest *nest, const ubi__marker_blueprint *b) {
    return b->is_not_collapsible ? &nest->own_labels[b->is_not_nestable] : NULL;
}

/* "request 12" becomes "request #". */
static void leave_out_numbers(char *text) {
    char *end = text;
    for (bool was_digit = false; *text; text++) {
        bool is_digit = *text >= '0' && *text <= '9';
        if (!is_digit || !was_digit)
            *end++ = is_digit ? '#' : *text;
        was_digit = is_digit;
    }
    *end = 0;
}

static void put_label(char *out, size_t size, const ubi__timeline_nest *nest, const ubi__timeline_row *row,
                      const ubi__marker_blueprint *b, const ubi__own_labels *own) {
    ubi__marker_label(out, size, nest->data, row);
    if (own && own->grouping == UBI__LABELS_BY_TEXT)
        leave_out_numbers(out);
    else if (own && own->grouping == UBI__LABELS_TOGETHER)
        snprintf(out, size, "%s (%" PRIu32 " labels)", b->label, own->n_labels);
}

static ubi_status find_sum(ubi__timeline_nest *nest, uint32_t *out, const ubi__timeline_row *row) {
    char label[256];
    ubi_str_ix text;
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(ubi__timeline_text(nest->data, row->name));
    ubi__own_labels *own = own_labels_of(nest, b);
    put_label(label, sizeof label, nest, row, b, own);
    UBI_TRY(ubi__strtab_intern(&nest->labels, &text, ubi__text(label)));
    if (text == nest->sums.n) {
        ubi__marker_sum added = { .label = text, .longest = UBI_NONE, .blueprint = b };
        UBI_TRY(ubi__vec_marker_sum_push(&nest->sums, nest->allocator, added));
        if (own)
            own->n_groups++;
    }
    *out = text;
    return UBI_OK;
}

static ubi_status add_to_sum(ubi__timeline_nest *nest, uint32_t thread, uint32_t i) {
    const ubi__timeline_row *row = &nest->data->rows.at[i];
    UBI_TRY(find_sum(nest, &nest->sum_of[i], row));
    ubi__marker_sum *sum = &nest->sums.at[nest->sum_of[i]];
    if (sum->thread != thread)
        sum->covered_until_ns = 0;
    sum->thread = thread;
    sum->count++;
    uint64_t added_ns = add_cover(&sum->covered_until_ns, row);
    sum->total_ns += added_ns;
    /* Nothing is inside of what does not nest, which may overlap others of its label. */
    sum->self_ns += sum->blueprint->is_not_nestable ? added_ns : nest->self_ns[i];
    const ubi__timeline_row *longest = sum->longest == UBI_NONE ? NULL : &nest->data->rows.at[sum->longest];
    if (!longest || ubi__timeline_duration_ns(row) > ubi__timeline_duration_ns(longest))
        sum->longest = i;
    return UBI_OK;
}

static ubi_status sum_thread(ubi__timeline_nest *nest, uint32_t thread) {
    uint64_t busy_until = 0, collection_until = 0;
    for (uint32_t k = ubi__thread_start(nest, thread); k < nest->thread_end[thread]; k++) {
        uint32_t i = nest->by_thread[k];
        UBI_TRY(add_to_sum(nest, thread, i));
        const ubi__marker_blueprint *b = nest->sums.at[nest->sum_of[i]].blueprint;
        if (!b->is_not_nestable)
            nest->threads[thread].busy_ns += add_cover(&busy_until, &nest->data->rows.at[i]);
        if (b->is_collection)
            nest->threads[thread].collection_ns += add_cover(&collection_until, &nest->data->rows.at[i]);
    }
    nest->busy_ns += nest->threads[thread].busy_ns;
    nest->collection_ns += nest->threads[thread].collection_ns;
    return UBI_OK;
}

typedef const void *no_context;

static bool sum_before(no_context context, ubi__marker_sum a, ubi__marker_sum b) {
    (void)context;
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.count > b.count;
}

UBI_SORT_DEFINE(sort_sums, ubi__marker_sum, no_context, sum_before);

/* Labels are numbered as they came, so a sum's label says where it was. */
static ubi_status order_sums(ubi__timeline_nest *nest) {
    size_t n = nest->sums.n;
    ubi__marker_sum *spare = ubi__alloc_array(nest->allocator, n, sizeof *spare);
    uint32_t *now_at = ubi__alloc_array(nest->allocator, n, sizeof *now_at);
    bool is_possible = (spare && now_at) || n == 0;
    if (is_possible) {
        sort_sums(nest->sums.at, spare, n, NULL);
        for (uint32_t s = 0; s < n; s++)
            now_at[nest->sums.at[s].label] = s;
        for (uint32_t i = 0; i < nest->n; i++)
            nest->sum_of[i] = now_at[nest->sum_of[i]];
        ubi__timeline_nest_check(nest);
    }
    ubi__free_array(nest->allocator, spare, n, sizeof *spare);
    ubi__free_array(nest->allocator, now_at, n, sizeof *now_at);
    return is_possible ? UBI_OK : ubi__fail_nomem();
}

/* ---- labels of the program's own ------------------------------------------------------------------------------------------ */

static ubi_status sum_up(ubi__timeline_nest *nest) {
    for (uint32_t t = 0; t < nest->n_threads; t++)
        UBI_TRY(sum_thread(nest, t));
    return order_sums(nest);
}

static ubi_status sum_up_again(ubi__timeline_nest *nest) {
    ubi__strtab_fini(&nest->labels);
    ubi__strtab_init(&nest->labels, nest->allocator);
    nest->sums.n = 0;
    nest->busy_ns = nest->collection_ns = 0;
    for (uint32_t t = 0; t < nest->n_threads; t++)
        nest->threads[t].busy_ns = nest->threads[t].collection_ns = 0;
    for (size_t i = 0; i < 2; i++)
        nest->own_labels[i].n_groups = 0;
    return sum_up(nest);
}

/* Puts more together where too many were left: twice as many may differ in more than numbers. */
static bool group_further(ubi__timeline_nest *nest, uint32_t most) {
    bool is_changed = false;
    for (size_t i = 0; i < 2; i++) {
        ubi__own_labels *own = &nest->own_labels[i];
        bool is_crowded = own->n_groups / ((uint32_t)own->grouping + 1) >= most && own->n_groups > most;
        if (own->grouping == UBI__LABELS_TOGETHER || !is_crowded)
            continue;
        if (own->grouping == UBI__LABELS_APART)
            own->n_labels = own->n_groups;
        own->grouping++;
        is_changed = true;
    }
    return is_changed;
}

ubi_status ubi__timeline_nest_group_labels(ubi__timeline_nest *nest, uint32_t most) {
    bool was_grouped = false;
    for (size_t i = 0; i < 2; i++) {
        was_grouped = was_grouped || nest->own_labels[i].grouping != UBI__LABELS_APART;
        nest->own_labels[i].grouping = UBI__LABELS_APART;
    }
    if (was_grouped)
        UBI_TRY(sum_up_again(nest));
    while (group_further(nest, most))
        UBI_TRY(sum_up_again(nest));
    return UBI_OK;
}

/* ---- threads of one name -------------------------------------------------------------------------------------------------- */

static ubi_status find_namesakes(ubi__timeline_nest *nest) {
    const ubi__timeline_data *data = nest->data;
    size_t n_texts = ubi__strtab_count(&data->texts) + (size_t)1;
    if (nest->n_threads < 2)
        return UBI_OK;
    uint32_t *n_of_name = ubi__calloc_array(nest->allocator, n_texts, sizeof *n_of_name);
    if (!n_of_name)
        return ubi__fail_nomem();
    for (uint32_t t = 0; t < nest->n_threads; t++)
        if (data->threads.at[t].name != UBI_NONE)
            n_of_name[data->threads.at[t].name]++;
    for (uint32_t t = 0; t < nest->n_threads; t++)
        nest->threads[t].has_namesake = data->threads.at[t].name != UBI_NONE && n_of_name[data->threads.at[t].name] > 1;
    ubi__free_array(nest->allocator, n_of_name, n_texts, sizeof *n_of_name);
    return UBI_OK;
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

static ubi_status nest_compute(work *w) {
    ubi__timeline_nest *nest = w->nest;
    sort_by_thread(w);
    for (uint32_t t = 0; t < nest->n_threads; t++)
        nest_thread(w, t);
    find_self_times(w);
    UBI_TRY(find_namesakes(nest));
    return sum_up(nest);
}

static void *array_of(ubi__timeline_nest *nest, size_t n, size_t size, bool *is_possible) {
    void *p = ubi__calloc_array(nest->allocator, n ? n : 1, size);
    *is_possible = *is_possible && p;
    return p;
}

#define ARRAY(at, count) ((at) = array_of(nest, (count), sizeof *(at), &is_possible))
#define FREE(at, count) ubi__free_array(nest->allocator, (at), (count) ? (count) : 1, sizeof *(at))

static bool nest_allocate(ubi__timeline_nest *nest) {
    bool is_possible = true;
    ARRAY(nest->by_thread, nest->n);
    ARRAY(nest->thread_end, nest->n_threads);
    ARRAY(nest->parent, nest->n);
    ARRAY(nest->depth, nest->n);
    ARRAY(nest->self_ns, nest->n);
    ARRAY(nest->sum_of, nest->n);
    ARRAY(nest->threads, nest->n_threads);
    return is_possible;
}

static ubi_status work_through(ubi__timeline_nest *nest, bool firefox) {
    work w = { .nest = nest, .is_compat = firefox };
    bool is_possible = nest_allocate(nest);
    ARRAY(w.markers, nest->n);
    ARRAY(w.rows, nest->n);
    ARRAY(w.covered_until_ns, nest->n);
    ubi_status status = is_possible ? nest_compute(&w) : ubi__fail_nomem();
    FREE(w.markers, nest->n);
    FREE(w.rows, nest->n);
    FREE(w.covered_until_ns, nest->n);
    return status;
}

ubi_status ubi__timeline_nest_init(ubi__timeline_nest *nest, const ubi__timeline_data *data, bool firefox) {
    uint32_t n_threads = firefox || data->threads.n == 0 ? 1 : (uint32_t)data->threads.n;
    *nest = (ubi__timeline_nest){
        .data = data, .allocator = data->allocator, .n = (uint32_t)data->rows.n, .n_threads = n_threads
    };
    ubi__strtab_init(&nest->labels, data->allocator);
    ubi_status status = work_through(nest, firefox);
    if (status != UBI_OK)
        ubi__timeline_nest_fini(nest);
    return status;
}

void ubi__timeline_nest_fini(ubi__timeline_nest *nest) {
    if (!nest->allocator)
        return;
    FREE(nest->by_thread, nest->n);
    FREE(nest->thread_end, nest->n_threads);
    FREE(nest->parent, nest->n);
    FREE(nest->depth, nest->n);
    FREE(nest->self_ns, nest->n);
    FREE(nest->sum_of, nest->n);
    FREE(nest->threads, nest->n_threads);
    ubi__strtab_fini(&nest->labels);
    ubi__vec_marker_sum_fini(&nest->sums, nest->allocator);
    *nest = (ubi__timeline_nest){ 0 };
}
