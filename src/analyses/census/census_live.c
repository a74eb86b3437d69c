/* SPDX-License-Identifier: MIT
 *
 * census_live.c: walking a heap for a census.
 */
#include "analyses/census/census_live.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "graph/frontier.h"

#define BLOCK_ROWS 1024
#define KIND_CACHE 256
#define GROUPS 1024 /* of nodes (ubi_node_group), with kinds found by number */

/** The texts of a node as they came. They stay where they are while the heap is frozen, so pointers identify them. */
typedef struct node_texts {
    ubi_text type_name, class_name, script_filename, descriptive_name;
    ubi_coarse_type coarse_type;
} node_texts;

typedef struct cached_kind {
    node_texts texts;
    ubi_kind_ix kind; /* UBI_NONE: empty */
} cached_kind;

typedef struct walk {
    ubi__census_live *live;
    ubi__cells *cells;
    bool keeps_visits;
    const ubi_census_options *options;
    ubi__frontier *frontier;
    ubi_node root, origin;
    bool is_root_taken, is_root_counted;
    ubi_status status; /* of the edges of `origin` */
    uint64_t n_done;
    size_t n_rows; /* in the block below */
    uint64_t id[BLOCK_ROWS], size_bytes[BLOCK_ROWS];
    uint32_t kind[BLOCK_ROWS], stack[BLOCK_ROWS];
    cached_kind cache[KIND_CACHE];
    ubi_kind_ix kind_of_group[GROUPS]; /* UBI_NONE: not yet known */
} walk;

void ubi__census_live_check(const ubi__census_live *live) {
    uint32_t n_keys = ubi__strtab_count(&live->frame_keys);
    UBI_ASSERT(live->visits.kind.n == live->visits.id.n && live->visits.stack.n == live->visits.id.n);
    UBI_ASSERT(n_keys == 0 || n_keys == live->frames.rows.n);
}

void ubi__census_live_init(ubi__census_live *live, const ubi_allocator *allocator) {
    memset(live, 0, sizeof *live);
    live->allocator = allocator;
    ubi__strtab_init(&live->strings, allocator);
    ubi__kinds_init(&live->kinds, allocator);
    ubi__frames_init(&live->frames, allocator);
    ubi__strtab_init(&live->frame_keys, allocator);
}

void ubi__census_live_fini(ubi__census_live *live) {
    ubi__strtab_fini(&live->strings);
    ubi__kinds_fini(&live->kinds);
    ubi__frames_fini(&live->frames);
    ubi__strtab_fini(&live->frame_keys);
    ubi__census_live_drop_visits(live);
}

void ubi__census_live_drop_visits(ubi__census_live *live) {
    ubi__vec_u64_fini(&live->visits.id, live->allocator);
    ubi__vec_u32_fini(&live->visits.kind, live->allocator);
    ubi__vec_u32_fini(&live->visits.stack, live->allocator);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static node_texts texts_of(ubi_node node) {
    return (node_texts){
        .type_name = ubi_node_type_name(node),
        .class_name = ubi_node_class_name(node),
        .script_filename = ubi_node_script_filename(node),
        .descriptive_name = ubi_node_descriptive_name(node),
        .coarse_type = ubi_node_coarse_type(node),
    };
}

static bool same_text(ubi_text a, ubi_text b) {
    return a.ptr == b.ptr && a.len == b.len;
}

static bool same_texts(const node_texts *a, const node_texts *b) {
    return same_text(a->type_name, b->type_name) && same_text(a->class_name, b->class_name) &&
           same_text(a->script_filename, b->script_filename) && same_text(a->descriptive_name, b->descriptive_name) &&
           a->coarse_type == b->coarse_type;
}

static uint64_t hash_texts(const node_texts *t) {
    uint64_t h = ubi__hash_u64((uintptr_t)t->type_name.ptr);
    h = ubi__hash_combine(h, (uintptr_t)t->class_name.ptr);
    h = ubi__hash_combine(h, (uintptr_t)t->script_filename.ptr);
    return ubi__hash_combine(h, (uintptr_t)t->descriptive_name.ptr);
}

static ubi_status intern_text(ubi__census_live *live, ubi_str_ix *out, ubi_text text) {
    if (text.ptr)
        return ubi__strtab_intern(&live->strings, out, text);
    *out = UBI_NONE;
    return UBI_OK;
}

static ubi_status intern_texts(ubi__census_live *live, ubi_kind_ix *out, const node_texts *texts) {
    ubi_kind kind = { .coarse_type = texts->coarse_type };
    UBI_TRY(intern_text(live, &kind.type_name, texts->type_name));
    UBI_TRY(intern_text(live, &kind.class_name, texts->class_name));
    UBI_TRY(intern_text(live, &kind.script_filename, texts->script_filename));
    UBI_TRY(intern_text(live, &kind.descriptive_name, texts->descriptive_name));
    return ubi__kinds_intern(&live->kinds, out, &kind);
}

/** Kind of a node by its texts, which are hashed only when their pointers were not seen lately. */
static ubi_status kind_by_texts(walk *w, ubi_kind_ix *out, ubi_node node) {
    node_texts texts = texts_of(node);
    cached_kind *cached = &w->cache[hash_texts(&texts) % KIND_CACHE];
    if (cached->kind == UBI_NONE || !same_texts(&cached->texts, &texts)) {
        UBI_TRY(intern_texts(w->live, out, &texts));
        UBI_TRY(ubi__cells_reserve_kinds(w->cells, *out + 1));
        *cached = (cached_kind){ texts, *out };
    }
    *out = cached->kind;
    return UBI_OK;
}

static ubi_status kind_of(walk *w, ubi_kind_ix *out, ubi_node node) {
    uint32_t group = ubi_node_group(node);
    if (group >= GROUPS)
        return kind_by_texts(w, out, node);
    if (w->kind_of_group[group] == UBI_NONE)
        UBI_TRY(kind_by_texts(w, &w->kind_of_group[group], node));
    *out = w->kind_of_group[group];
    return UBI_OK;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/** The bytes that identify a frame of the engine: no padding, all fields are words. */
static ubi_text key_of(const ubi_stack *stack) {
    _Static_assert(sizeof(ubi_stack) == 2 * sizeof(void *) + sizeof(uint64_t), "a stack is compared byte by byte");
    return (ubi_text){ (const char *)stack, sizeof *stack };
}

static ubi_status append_frame(ubi__census_live *live, ubi_frame_ix *out, ubi_stack stack, ubi_frame_ix parent) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    ubi__frame_row row = {
        .id = frame.id,
        .parent = parent,
        .line = frame.line,
        .column = frame.column,
        .is_system = frame.is_system,
        .is_self_hosted = frame.is_self_hosted,
    };
    UBI_TRY(ubi__strtab_intern(&live->strings, &row.source, frame.source.ptr ? frame.source : ubi__text("")));
    UBI_TRY(intern_text(live, &row.function_name, frame.function_name));
    ubi_str_ix key;
    UBI_TRY(ubi__strtab_intern(&live->frame_keys, &key, key_of(&stack)));
    UBI_TRY(ubi__frames_append(&live->frames, out, &row));
    UBI_ASSERT(*out == key); /* both grow together */
    return UBI_OK;
}

UBI_VEC_DECLARE(vec_stack, ubi_stack);

/** Appends the frames of `missing`, whose last element is the oldest. */
static ubi_status append_frames(ubi__census_live *live, ubi_frame_ix *out, vec_stack *missing, ubi_frame_ix parent) {
    *out = parent;
    while (missing->n)
        UBI_TRY(append_frame(live, out, missing->at[--missing->n], *out));
    return UBI_OK;
}

/** Index of a stack; its frames are described only the first time that one of them is met. */
static ubi_status intern_stack(ubi__census_live *live, ubi_frame_ix *out, ubi_stack stack) {
    *out = UBI__STACK_EMPTY;
    if (!stack.ops)
        return UBI_OK;
    vec_stack missing = { 0 };
    ubi_status status = UBI_OK;
    ubi_frame_ix known = UBI_NONE;
    for (bool more = true; more && status == UBI_OK;) {
        known = ubi__strtab_find_interned(&live->frame_keys, key_of(&stack));
        if (known != UBI_NONE)
            break;
        status = vec_stack_push(&missing, live->allocator, stack);
        more = ubi_stack_parent(stack, &stack);
    }
    if (status == UBI_OK)
        status = append_frames(live, out, &missing, known);
    vec_stack_fini(&missing, live->allocator);
    return status;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static ubi_status append_visits(walk *w) {
    ubi__census_visits *v = &w->live->visits;
    const ubi_allocator *a = w->live->allocator;
    UBI_TRY(ubi__vec_u64_reserve(&v->id, a, w->n_rows));
    UBI_TRY(ubi__vec_u32_reserve(&v->kind, a, w->n_rows));
    UBI_TRY(ubi__vec_u32_reserve(&v->stack, a, w->n_rows));
    memcpy(v->id.at + v->id.n, w->id, w->n_rows * sizeof *w->id);
    memcpy(v->kind.at + v->kind.n, w->kind, w->n_rows * sizeof *w->kind);
    memcpy(v->stack.at + v->stack.n, w->stack, w->n_rows * sizeof *w->stack);
    v->id.n += w->n_rows;
    v->kind.n += w->n_rows;
    v->stack.n += w->n_rows;
    return UBI_OK;
}

static ubi_status flush_rows(walk *w) {
    if (w->n_rows == 0)
        return UBI_OK;
    ubi__census_rows rows = { w->id, w->size_bytes, w->kind, w->stack, w->n_rows };
    UBI_TRY(ubi__cells_add(w->cells, &rows));
    if (w->keeps_visits)
        UBI_TRY(append_visits(w));
    w->n_done += w->n_rows;
    w->n_rows = 0;
    return ubi__progress(&w->options->progress, "counting", w->n_done, 0) ? UBI_OK : ubi__fail_cancelled();
}

/** Items of unknown size have none in a census; Firefox counts them as its nodes report them, 1 byte. */
static uint64_t size_of(const walk *w, ubi_node node) {
    if (!node.ops->size_bytes && w->options->compat != UBI_COMPAT_FIREFOX)
        return 0;
    return ubi_node_size_bytes(node);
}

static ubi_status add_node(walk *w, ubi_node node) {
    ubi_stack stack;
    size_t i = UBI_INDEX(w->n_rows, BLOCK_ROWS);
    w->id[i] = ubi_node_id(node);
    w->size_bytes[i] = size_of(w, node);
    w->stack[i] = UBI_NONE;
    UBI_TRY(kind_of(w, &w->kind[i], node));
    if (w->cells->is_by_stack && ubi_node_allocation_stack(node, &stack))
        UBI_TRY(intern_stack(w->live, &w->stack[i], stack));
    return ++w->n_rows == BLOCK_ROWS ? flush_rows(w) : UBI_OK;
}

static ubi_status on_reached(void *payload, ubi_node node) {
    walk *w = payload;
    if (!w->is_root_taken) { /* the start of the walk, which no edge has led to */
        w->is_root_taken = true;
        return UBI_OK;
    }
    return add_node(w, node);
}

/** The root is in the set from the start, so the frontier does not say when the first edge leads to it. */
static ubi_status take_root(walk *w) {
    if (w->is_root_counted)
        return UBI_OK;
    w->is_root_counted = true;
    UBI_TRY(ubi__frontier_flush(w->frontier)); /* what was reached before comes before */
    return add_node(w, w->root);
}

static bool on_edge(void *payload, ubi_node referent, ubi_text edge_name) {
    (void)edge_name;
    walk *w = payload;
    const ubi_census_options *o = w->options;
    ubi_edge_verdict verdict =
        o->edge_filter ? o->edge_filter(o->edge_filter_payload, w->origin, referent) : UBI_EDGE_FOLLOW;
    if (verdict == UBI_EDGE_SKIP)
        return true;
    w->status = ubi_node_equal(referent, w->root)
                    ? take_root(w)
                    : ubi__frontier_take(w->frontier, referent, verdict == UBI_EDGE_ABANDON);
    return w->status == UBI_OK;
}

static ubi_status walk_heap(walk *w) {
    UBI_TRY(ubi__frontier_take(w->frontier, w->root, false));
    for (;;) {
        bool has_edges, more;
        UBI_TRY(ubi__frontier_next(w->frontier, &w->origin, &has_edges, &more));
        if (!more)
            return flush_rows(w);
        if (has_edges)
            ubi_node_edges(w->origin, false, on_edge, w);
        UBI_TRY(w->status);
    }
}

ubi_status ubi__census_live_count(ubi__census_live *live, ubi__cells *cells, ubi_node root, bool keep_visits,
                                  const ubi_census_options *options) {
    walk *w = UBI_NEW(live->allocator, walk); /* tens of kilobytes: not for the stack of an unknown thread */
    if (!w)
        return ubi__fail_nomem();
    w->live = live;
    w->cells = cells;
    w->keeps_visits = keep_visits;
    w->options = options;
    w->root = root;
    w->status = UBI_OK;
    for (size_t i = 0; i < KIND_CACHE; i++)
        w->cache[i].kind = UBI_NONE;
    for (size_t i = 0; i < GROUPS; i++)
        w->kind_of_group[i] = UBI_NONE;
    w->frontier = ubi__frontier_new(live->allocator, on_reached, w);
    ubi_status status = w->frontier ? walk_heap(w) : UBI_ENOMEM;
    ubi__frontier_free(w->frontier);
    UBI_DELETE(live->allocator, w);
    return status;
}

ubi_status ubi__census_live_finish(ubi__census_live *live) {
    ubi__census_live_check(live);
    UBI_TRY(ubi__strtab_canonicalize(&live->strings, NULL));
    UBI_TRY(ubi__frames_canonicalize(&live->frames, &live->strings));
    ubi__strtab_trim(&live->strings);
    ubi__kinds_trim(&live->kinds);
    ubi__frames_trim(&live->frames);
    ubi__strtab_fini(&live->frame_keys);
    return UBI_OK;
}
