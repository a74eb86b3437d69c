/* SPDX-License-Identifier: MIT
 *
 * summary.c: heaps by class (ubiheap/views/summary.h).
 *
 * One thread finds dominators. Another finds distances, decides which nodes are counted and sums them up in a row per class.
 * Then a walk down the dominator tree adds what classes retain, and rows without nodes go.
 */
#include "analyses/dominators/dom_work.h"
#include "base/merge_sort.h"
#include "base/parallel.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"
#include "lenses/summary_work.h"

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

#define STAGE "summing up"
#define WORDS_PER_PULSE (UBI__PULSE_NODES / 64)

static ubi_status classes_count(ubi_summary *s, const uint64_t *only, ubi__pulse *pulse) {
    const ubi_view *view = &s->look->view;
    counting c = { s, view, only, needs_tree(s) ? s->dominators->immediate : NULL };
    s->n_words = view->graph->n_nodes / 64 + 1;
    s->counted = ubi__calloc_array(s->allocator, s->n_words, sizeof *s->counted);
    if (!s->counted)
        return ubi__fail_nomem();
    UBI_TRY(start_rows(s));
    for (size_t word = 0; word * 64 < view->graph->n_nodes; word++) {
        if (word % WORDS_PER_PULSE == 0 && !ubi__pulse_again(pulse))
            return ubi__fail_cancelled();
        count_word(&c, word);
    }
    return UBI_OK;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* Distances, and counting if that does not depend on the dominator tree: the work of the second thread. */
typedef struct side_task {
    ubi_summary *s;
    const uint64_t *only;
    ubi__pulse *pulse;
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
        task->status = classes_count(task->s, task->only, task->pulse);
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
    ubi__pulse pulse = ubi__pulse_of(&o->progress);
    side_task task = { .s = s, .only = o->only, .pulse = &pulse };
    if (!ubi__pulse_at(&pulse, STAGE, 0, 0)) /* repeated from now on */
        return ubi__fail_cancelled();
    ubi__helper_give(helper, &task.chore, work_aside, &task);
    ubi_status status = find_dominators(s, o, helper);
    if (status == UBI_OK)
        ubi__helper_wait(helper, &task.chore, &pulse);
    else {
        ubi__pulse_stop(&pulse);
        ubi__helper_drop(helper, &task.chore);
    }
    UBI_TRY(status);
    if (task.status == UBI_ENOMEM) /* the thread's message stayed there */
        return ubi__fail_nomem();
    if (task.status != UBI_OK || ubi__pulse_is_stopped(&pulse))
        return ubi__fail_cancelled();
    return needs_tree(s) ? classes_count(s, o->only, &pulse) : UBI_OK;
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
    if (!ubi__progress(&o->progress, STAGE, 0, 0))
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

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* The rows of a summary in some order, and the nodes of a class. */

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Byte i of place + "," + name, which is how DevTools name classes to themselves; -1 after the last. */
static int key_byte(const ubi_look_class *class, size_t i) {
    if (i < class->place.len)
        return (unsigned char)class->place.ptr[i];
    if (i == class->place.len)
        return ',';
    i -= class->place.len + 1;
    return i < class->name.len ? (unsigned char)class->name.ptr[i] : -1;
}

static int compare_keys(const ubi_look_class *a, const ubi_look_class *b) {
    if (ubi__text_equal(a->place, b->place))
        return ubi__text_compare(a->name, b->name);
    size_t i = 0;
    while (key_byte(a, i) == key_byte(b, i) && key_byte(a, i) >= 0)
        i++;
    return key_byte(a, i) - key_byte(b, i);
}

static bool row_before(const ubi_summary *s, const ubi_summary_row *a, const ubi_summary_row *b) {
    if (a->retained_bytes != b->retained_bytes)
        return a->retained_bytes > b->retained_bytes;
    int order = compare_keys(&s->look->classes.at[a->class_ix], &s->look->classes.at[b->class_ix]);
    return order != 0 ? order < 0 : a->class_ix < b->class_ix;
}

#define ROW_BEFORE(s, a, b) row_before(s, &(a), &(b))
UBI_SORT_DEFINE(sort_rows, ubi_summary_row, const ubi_summary *, ROW_BEFORE);

ubi_status ubi__summary_sort_rows(ubi_summary *s) {
    if (s->rows.n < 2)
        return UBI_OK;
    ubi_summary_row *spare = ubi__alloc_array(s->allocator, s->rows.n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_rows(s->rows.at, spare, s->rows.n, s);
    ubi__free_array(s->allocator, spare, s->rows.n, sizeof *spare);
    return UBI_OK;
}

typedef struct order {
    const ubi_summary *s;
    ubi_summary_key key;
} order;

static bool order_before(const order *o, uint32_t a, uint32_t b) {
    const ubi_summary_row *x = &o->s->rows.at[a], *y = &o->s->rows.at[b];
    const ubi_look_class *classes = o->s->look->classes.at;
    switch (o->key) {
    case UBI_SUMMARY_BY_SIZE:
        return x->size_bytes > y->size_bytes;
    case UBI_SUMMARY_BY_COUNT:
        return x->count > y->count;
    case UBI_SUMMARY_BY_DISTANCE:
        return x->distance < y->distance;
    case UBI_SUMMARY_BY_NAME:
        return ubi__text_compare(classes[x->class_ix].name, classes[y->class_ix].name) < 0;
    default:
        return false; /* as they are */
    }
}

UBI_SORT_DEFINE(sort_order, uint32_t, const order *, order_before);

ubi_status ubi_summary_sorted(uint32_t *out, const ubi_summary *s, ubi_summary_key key) {
    order o = { s, key };
    size_t n = s->rows.n;
    uint32_t *spare = ubi__alloc_array(s->allocator, n + 1, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        out[i] = i;
    sort_order(out, spare, n, &o);
    ubi__free_array(s->allocator, spare, n + 1, sizeof *spare);
    return UBI_OK;
}

/* ---- nodes of a class -------------------------------------------------------------------------------------------- */

typedef struct member {
    uint64_t retained_bytes, id;
    ubi_node_ix node;
} member;

static bool member_before(const member *a, const member *b) {
    return a->retained_bytes != b->retained_bytes ? a->retained_bytes > b->retained_bytes : a->id < b->id;
}

#define MEMBER_BEFORE(none, a, b) member_before(&(a), &(b))
UBI_SORT_DEFINE(sort_members, member, const void *, MEMBER_BEFORE);

/* The best of those seen so far: at[0..n), of which the first `max` are kept whenever there is no more room. */
typedef struct selection {
    member *at, *spare; /* [capacity] */
    size_t n, max, capacity;
    bool is_full; /* `max` were found, so that `last` says what is still of interest */
    member last;
} selection;

static void keep_best(selection *best) {
    sort_members(best->at, best->spare, best->n, NULL);
    if (best->n < best->max)
        return;
    best->n = best->max;
    best->is_full = true;
    best->last = best->at[best->n - 1];
}

static void row_offer(selection *best, member m) {
    if (best->is_full && !member_before(&m, &best->last))
        return;
    if (best->n == best->capacity)
        keep_best(best);
    best->at[best->n++] = m;
}

static void select_members(selection *best, const ubi_summary *s, ubi_class_ix class_ix) {
    const ubi_graph *g = s->look->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (ubi__summary_counts(s, node) && ubi_look_class_of(s->look, node) == class_ix)
            row_offer(best, (member){ ubi_dominators_retained_bytes(s->dominators, node), g->id.at[node], node });
    keep_best(best);
}

ubi_status ubi_summary_members(ubi_node_ix *nodes, uint32_t *n, const ubi_summary *s, ubi_class_ix class_ix,
                               uint32_t max) {
    const ubi_summary_row *row = ubi_summary_find(s, class_ix);
    size_t count = row ? row->count : 0;
    selection best = { .max = max < count ? max : count };
    if (best.max == 0) {
        *n = 0;
        return UBI_OK;
    }
    best.capacity = best.max < count / 2 ? 2 * best.max : count;
    best.at = ubi__alloc_array(s->allocator, best.capacity, sizeof *best.at);
    best.spare = ubi__alloc_array(s->allocator, best.capacity, sizeof *best.spare);
    bool ok = best.at && best.spare;
    if (ok) {
        select_members(&best, s, class_ix);
        *n = (uint32_t)best.n;
        for (size_t i = 0; i < best.n; i++)
            nodes[i] = best.at[i].node;
    }
    ubi__free_array(s->allocator, best.at, best.capacity, sizeof *best.at);
    ubi__free_array(s->allocator, best.spare, best.capacity, sizeof *best.spare);
    return ok ? UBI_OK : ubi__fail_nomem();
}
