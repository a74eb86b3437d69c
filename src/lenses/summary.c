/* SPDX-License-Identifier: MIT
 *
 * summary.c: heaps by class (ubiheap/views/summary.h).
 *
 * One thread finds dominators. Another finds distances, decides which nodes are counted and sums them up in a row per class.
 * Then a walk down the dominator tree adds what classes retain, and rows without nodes go.
 */
#include "lenses/summary_work.h"

#include "analyses/dominators/dom_work.h"
#include "base/parallel.h"
#include "lenses/lens.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

typedef struct counting {
    ubi_summary *s;
    const ubi_view *view;
    const uint64_t *only;     /* or NULL */
    const ubi_node_ix *above; /* immediate dominators; NULL: all nodes are in the tree */
} counting;

static inline uint64_t size_of(const counting *c, ubi_node_ix node) {
    return c->view->size_bytes ? c->view->size_bytes[node] : c->view->graph->size_bytes.at[node];
}

static inline bool is_in_tree(const counting *c, ubi_node_ix node) {
    return !c->above || c->above[node] != UBI_NONE || node == c->view->root;
}

static inline void class_add(const counting *c, ubi_node_ix node, uint64_t size_bytes) {
    ubi_summary_row *row = &c->s->rows.at[ubi_look_class_of(c->s->look, node)];
    uint32_t distance = c->s->distances[node];
    if (row->count++ == 0)
        row->first = node;
    row->size_bytes += size_bytes;
    row->n_unreached += distance == UBI_NONE;
    row->distance = distance < row->distance ? distance : row->distance;
    c->s->size_bytes += size_bytes;
    c->s->n_counted++;
}

/* The 64 nodes of a word, or those that there are. */
static void count_word(const counting *c, size_t word) {
    ubi_node_ix first = (ubi_node_ix)(word * 64), n_nodes = c->view->graph->n_nodes;
    ubi_node_ix end = n_nodes - first < 64 ? n_nodes : first + 64;
    uint64_t candidates = UINT64_MAX, counted = 0;
    if (c->only)
        candidates &= c->only[word];
    if (c->s->look->shown)
        candidates &= c->s->look->shown[word];
    for (ubi_node_ix node = first; node < end && candidates; node++) {
        uint64_t bit = UINT64_C(1) << (node - first), size_bytes = size_of(c, node);
        if (!(candidates & bit) || size_bytes == 0 || !is_in_tree(c, node))
            continue;
        counted |= bit;
        class_add(c, node, size_bytes);
    }
    c->s->counted[word] = counted;
}

static ubi_status start_rows(ubi_summary *s) {
    size_t n_classes = s->look->classes.n;
    UBI_TRY(ubi__vec_summary_row_reserve(&s->rows, s->allocator, n_classes));
    for (s->rows.n = 0; s->rows.n < n_classes; s->rows.n++)
        s->rows.at[s->rows.n] = (ubi_summary_row){ .class_ix = (ubi_class_ix)s->rows.n, .distance = UBI_NONE };
    return UBI_OK;
}

static bool needs_tree(const ubi_summary *s) {
    return s->look->view.orphans != UBI_ORPHANS_ADOPT;
}

static ubi_status classes_count(ubi_summary *s, const uint64_t *only) {
    const ubi_view *view = &s->look->view;
    counting c = { s, view, only, needs_tree(s) ? s->dominators->immediate : NULL };
    s->n_words = view->graph->n_nodes / 64 + 1;
    s->counted = ubi__calloc_array(s->allocator, s->n_words, sizeof *s->counted);
    if (!s->counted)
        return ubi__fail_nomem();
    UBI_TRY(start_rows(s));
    for (size_t word = 0; word * 64 < view->graph->n_nodes; word++)
        count_word(&c, word);
    return UBI_OK;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* Distances, and counting if that does not depend on the dominator tree: the work of the second thread. */
typedef struct side_task {
    ubi_summary *s;
    const uint64_t *only;
    ubi_status status;
    ubi__chore chore;
} side_task;

static ubi_status find_distances(ubi_summary *s) {
    if (s->distances)
        return UBI_OK;
    s->own_distances = ubi__alloc_array(s->allocator, s->look->graph->n_nodes, sizeof *s->own_distances);
    if (!s->own_distances)
        return ubi__fail_nomem();
    UBI_TRY(ubi_look_distances(s->own_distances, s->look));
    s->distances = s->own_distances;
    return UBI_OK;
}

static void work_aside(void *payload) {
    side_task *task = payload;
    task->status = find_distances(task->s);
    if (task->status == UBI_OK && !needs_tree(task->s))
        task->status = classes_count(task->s, task->only);
}

static ubi_status find_dominators(ubi_summary *s, const ubi_summary_options *o, ubi__helper *helper) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    if (s->dominators)
        return UBI_OK;
    options.allocator = s->allocator;
    options.progress = o->progress;
    UBI_TRY(ubi__dominators_helped(&s->own_dominators, &s->look->view, &options, helper));
    s->dominators = s->own_dominators;
    return UBI_OK;
}

static ubi_status count_and_find_dominators(ubi_summary *s, const ubi_summary_options *o, ubi__helper *helper) {
    side_task task = { .s = s, .only = o->only };
    ubi__helper_give(helper, &task.chore, work_aside, &task);
    ubi_status status = find_dominators(s, o, helper);
    if (status == UBI_OK)
        ubi__helper_wait(helper, &task.chore);
    else
        ubi__helper_drop(helper, &task.chore);
    UBI_TRY(status);
    if (task.status != UBI_OK) /* its message stayed with the thread; all that can go wrong there is memory */
        return task.status == UBI_ENOMEM ? ubi__fail_nomem() : task.status;
    return needs_tree(s) ? classes_count(s, o->only) : UBI_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void drop_empty_rows(ubi_summary *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->rows.n; i++)
        if (s->rows.at[i].count)
            s->rows.at[kept++] = s->rows.at[i];
    s->rows.n = kept;
}

static ubi_status make_with(ubi_summary *s, const ubi_summary_options *o, ubi__helper *helper) {
    UBI_TRY(count_and_find_dominators(s, o, helper));
    if (!ubi__progress(&o->progress, "summing up", 0, 0))
        return ubi__fail_cancelled();
    UBI_TRY(ubi__summary_add_retained(s, &o->progress, helper));
    drop_empty_rows(s);
    return ubi__summary_sort_rows(s);
}

static ubi_status summary_make(ubi_summary *s, const ubi_summary_options *o) {
    ubi__helper helper;
    ubi__helper_start(&helper, ubi__thread_count(o->threads));
    ubi_status status = make_with(s, o, &helper);
    ubi__helper_stop(&helper);
    return status;
}

static ubi_status options_check(const ubi_look *look, const ubi_dominators *dominators, const ubi_summary_options *o) {
    UBI_TRY(ubi__version_check(o->version, UBI_SUMMARY_OPTIONS_VERSION, "ubi_summary_options"));
    if (dominators && (dominators->graph != look->graph || dominators->root != look->view.root))
        return ubi__fail(UBI_EMISMATCH, "the dominators are those of another view");
    if (dominators && !dominators->first)
        return ubi__fail(UBI_EINVAL, "a summary needs dominators with dominated sets");
    return UBI_OK;
}

ubi_status ubi_summary_new(ubi_summary **out, const ubi_look *look, const ubi_dominators *dominators,
                           const ubi_summary_options *options) {
    static const ubi_summary_options defaults = UBI_SUMMARY_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(options_check(look, dominators, options));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_summary *s = UBI_NEW(a, ubi_summary);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    s->look = look;
    s->dominators = dominators;
    s->distances = options->distances;
    ubi_status status = summary_make(s, options);
    if (status == UBI_OK)
        *out = s;
    else
        ubi_summary_free(s);
    return status;
}

void ubi_summary_free(ubi_summary *s) {
    if (!s)
        return;
    ubi_dominators_free(s->own_dominators);
    ubi__free_array(s->allocator, s->own_distances, s->look->graph->n_nodes, sizeof *s->own_distances);
    ubi__free_array(s->allocator, s->counted, s->n_words, sizeof *s->counted);
    ubi__vec_summary_row_fini(&s->rows, s->allocator);
    UBI_DELETE(s->allocator, s);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

uint32_t ubi_summary_row_count(const ubi_summary *s) {
    return (uint32_t)s->rows.n;
}

const ubi_summary_row *ubi_summary_row_at(const ubi_summary *s, uint32_t index) {
    return &s->rows.at[index];
}

uint64_t ubi_summary_node_count(const ubi_summary *s) {
    return s->n_counted;
}

uint64_t ubi_summary_size_bytes(const ubi_summary *s) {
    return s->size_bytes;
}

bool ubi_summary_counts(const ubi_summary *s, ubi_node_ix node) {
    return ubi__summary_counts(s, node);
}

const ubi_dominators *ubi_summary_dominators(const ubi_summary *s) {
    return s->dominators;
}

const uint32_t *ubi_summary_distances(const ubi_summary *s) {
    return s->distances;
}

const ubi_summary_row *ubi_summary_find(const ubi_summary *s, ubi_class_ix class_ix) {
    for (size_t i = 0; i < s->rows.n; i++)
        if (s->rows.at[i].class_ix == class_ix)
            return &s->rows.at[i];
    return NULL;
}
