/* SPDX-License-Identifier: MIT
 *
 * leak_record.c: see leak_record.h. The table of rows, what classes and kinds mean in it, and what else belongs to each heap.
 */
#include "analyses/leaks/leak_record_inside.h"

#include <string.h>

#include "base/text.h"

/* Strings that are looked at, and bytes of each. */
#define MOST_TEXTS 4096
#define MOST_TEXT_BYTES 256

/* ---- records --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__leak_record_new(ubi__leak_record **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__leak_record *r = UBI_NEW(a, ubi__leak_record);
    if (!r)
        return ubi__fail_nomem();
    atomic_init(&r->references, 1);
    r->allocator = a;
    ubi__strtab_init(&r->texts, a);
    ubi__strtab_init(&r->class_keys, a);
    ubi__kinds_init(&r->kinds, a);
    *out = r;
    return UBI_OK;
}

ubi__leak_record *ubi__leak_record_ref(ubi__leak_record *r) {
    atomic_fetch_add_explicit(&r->references, 1, memory_order_relaxed);
    return r;
}

void ubi__leak_record_unref(ubi__leak_record *r) {
    if (!r || atomic_fetch_sub_explicit(&r->references, 1, memory_order_acq_rel) > 1)
        return;
    ubi__vec_u8_fini(&r->rows, r->allocator);
    ubi__vec_record_class_fini(&r->classes, r->allocator);
    ubi__vec_record_step_fini(&r->steps, r->allocator);
    ubi__vec_record_text_fini(&r->samples, r->allocator);
    ubi__strtab_fini(&r->texts);
    ubi__strtab_fini(&r->class_keys);
    ubi__kinds_fini(&r->kinds);
    UBI_DELETE(r->allocator, r);
}

uint32_t ubi__leak_record_count(const ubi__leak_record *r) {
    return (uint32_t)r->steps.n;
}

uint64_t ubi__leak_record_bytes(const ubi__leak_record *r) {
    return r->rows.cap + r->classes.cap * sizeof *r->classes.at + r->steps.cap * sizeof *r->steps.at +
           r->samples.cap * sizeof *r->samples.at + r->texts.bytes.cap + r->texts.end.cap * sizeof *r->texts.end.at +
           r->class_keys.bytes.cap + r->class_keys.end.cap * sizeof *r->class_keys.end.at;
}

/* ---- what numbers mean ----------------------------------------------------------------------------------------------- */

/* One that is added. */
typedef struct adding {
    ubi__leak_record *record;
    const ubi_class_scheme *classes;
    const ubi_graph *graph;
    uint32_t step;
    uint32_t *class_of; /* owned class_of[classes->n_classes]: of the record */
    uint32_t *kind_of;  /* owned kind_of[kinds of the graph]: of the record */
    uint32_t *order;    /* owned order[n_nodes] */
    ubi__vec_u8 rows;   /* owned: the table with this heap */
    ubi__vec_record_run runs, fresh;
} adding;

static ubi_status text_keep(ubi_str_ix *out, ubi__strtab *texts, ubi_text text) {
    *out = UBI_NONE;
    return text.ptr ? ubi__strtab_intern(texts, out, text) : UBI_OK;
}

static ubi_status class_keep(uint32_t *out, ubi__leak_record *r, const ubi_class *class) {
    ubi__record_class kept = { .coarse_type = class->coarse_type };
    UBI_TRY(text_keep(&kept.name, &r->texts, class->name));
    UBI_TRY(text_keep(&kept.place, &r->texts, class->place));
    const uint32_t key[] = { (uint32_t)kept.coarse_type, kept.name, kept.place };
    UBI_TRY(ubi__vec_record_class_reserve(&r->classes, r->allocator, 1));
    UBI_TRY(ubi__strtab_intern(&r->class_keys, out, (ubi_text){ (const char *)key, sizeof key }));
    if (*out == r->classes.n)
        r->classes.at[r->classes.n++] = kept;
    return UBI_OK;
}

static ubi_status classes_keep(const adding *n) {
    ubi_class class;
    for (uint32_t i = 0; i < n->classes->n_classes; i++) {
        n->classes->describe(n->classes, i, &class);
        UBI_TRY(class_keep(&n->class_of[i], n->record, &class));
    }
    return UBI_OK;
}

/* What same_process.h looks at. */
static ubi_status kinds_keep(const adding *n) {
    for (size_t i = 0; i < n->graph->kinds.rows.n; i++) {
        const ubi_kind *kind = &n->graph->kinds.rows.at[i];
        ubi_kind kept = { .coarse_type = kind->coarse_type,
                          .raw_type = kind->raw_type,
                          .class_name = UBI_NONE,
                          .script_filename = UBI_NONE,
                          .descriptive_name = UBI_NONE };
        ubi_text type = ubi__strtab_get(&n->graph->strings, kind->type_name);
        UBI_TRY(ubi__strtab_intern(&n->record->texts, &kept.type_name, type));
        UBI_TRY(ubi__kinds_intern(&n->record->kinds, &n->kind_of[i], &kept));
    }
    return UBI_OK;
}

/* ---- texts ----------------------------------------------------------------------------------------------------------- */

static bool is_text(const ubi_graph *g, ubi_node_ix node) {
    const ubi_kind *kind = &g->kinds.rows.at[g->kind.at[node]];
    ubi_str_ix name = ubi__graph_node_name(g, node);
    return kind->coarse_type == UBI_COARSE_STRING && name != UBI_NONE &&
           (!g->string_has_text || g->string_has_text(kind)) &&
           ubi__strtab_get(&g->strings, name).len <= MOST_TEXT_BYTES;
}

/* From all over the heap. */
static ubi_status samples_keep(const adding *n) {
    ubi__leak_record *r = n->record;
    const ubi_graph *g = n->graph;
    uint32_t stride = g->n_nodes / (8 * MOST_TEXTS) + 1;
    size_t most = r->samples.n + MOST_TEXTS;
    for (uint64_t node = 0; node < g->n_nodes && r->samples.n < most; node += stride) {
        ubi__record_text sample = { g->id.at[node], UBI_NONE };
        if (!is_text(g, (ubi_node_ix)node))
            continue;
        ubi_text text = ubi__strtab_get(&g->strings, ubi__graph_node_name(g, (ubi_node_ix)node));
        UBI_TRY(ubi__strtab_intern(&r->texts, &sample.text, text));
        UBI_TRY(ubi__vec_record_text_push(&r->samples, r->allocator, sample));
    }
    return UBI_OK;
}

void ubi__leak_record_match_texts(ubi__id_match *match, const ubi__recorded_heap *heap, const ubi_graph *g) {
    const ubi__leak_record *r = heap->record;
    const ubi__record_step *step = &r->steps.at[heap->step];
    for (size_t i = step->first_sample; i < step->end_sample; i++) {
        ubi_node_ix node = ubi__id_index_find(&g->ids, g->id.at, r->samples.at[i].id);
        if (node == UBI_NONE || !is_text(g, node))
            continue;
        match->n_texts++;
        match->n_texts_same += ubi__text_equal(ubi__strtab_get(&g->strings, ubi__graph_node_name(g, node)),
                                               ubi__strtab_get(&r->texts, r->samples.at[i].text));
    }
}

/* ---- adding a heap --------------------------------------------------------------------------------------------------- */

/* The node now, as a run of this step. */
static ubi__record_run run_of(const adding *n, ubi_node_ix node) {
    uint32_t class_ix = n->classes->class_of(n->classes, node);
    return (ubi__record_run){ .first = n->step,
                              .end = n->step + 1,
                              .class_ix = class_ix == UBI_NONE ? UBI_NONE : n->class_of[class_ix],
                              .kind = n->kind_of[n->graph->kind.at[node]],
                              .size_bytes = n->classes->size_bytes ? n->classes->size_bytes[node]
                                                                   : n->graph->size_bytes.at[node] };
}

/* A row gets the node: its last run is longer, or there is one more. */
static ubi_status run_add(ubi__vec_record_run *runs, const ubi__record_run *now, const ubi_allocator *a) {
    ubi__record_run *last = runs->n ? &runs->at[runs->n - 1] : NULL;
    if (!last || last->end != now->first || last->class_ix != now->class_ix || last->kind != now->kind ||
        last->size_bytes != now->size_bytes)
        return ubi__vec_record_run_push(runs, a, *now);
    last->end = now->end;
    return UBI_OK;
}

/* A row of the table, a new one, or both in one, whichever comes next; *before is the id of the one before. */
static ubi_status row_merge(adding *n, ubi__record_reader *old, uint32_t *at, uint64_t *before) {
    const ubi_allocator *a = n->record->allocator;
    bool has_new = *at < n->graph->n_nodes;
    ubi_node_ix node = has_new ? n->order[*at] : 0;
    uint64_t new_id = has_new ? n->graph->id.at[node] : UINT64_MAX;
    bool is_old = n->runs.n && (!has_new || old->id <= new_id), is_new = has_new && (!n->runs.n || new_id <= old->id);
    uint64_t id = is_old ? old->id : new_id;
    ubi__vec_record_run *runs = is_old ? &n->runs : &n->fresh;
    n->fresh.n = 0;
    if (is_new) {
        ubi__record_run now = run_of(n, node);
        UBI_TRY(run_add(runs, &now, a));
        ++*at;
    }
    UBI_TRY(ubi__record_row_write(&n->rows, id, *before, runs, a));
    *before = id;
    return is_old ? ubi__record_row_read(old, &n->runs, a) : UBI_OK;
}

static ubi_status rows_merge(adding *n) {
    ubi__record_reader old = ubi__record_reader_of(&n->record->rows);
    uint64_t before = 0;
    uint32_t at = 0;
    UBI_TRY(ubi__vec_u8_reserve(&n->rows, n->record->allocator, n->record->rows.n));
    UBI_TRY(ubi__record_row_read(&old, &n->runs, n->record->allocator));
    while (n->runs.n || at < n->graph->n_nodes)
        UBI_TRY(row_merge(n, &old, &at, &before));
    ubi__vec_u8_trim(&n->rows, n->record->allocator);
    return UBI_OK;
}

static ubi_status heap_add(adding *n, ubi__record_step *step) {
    ubi__leak_record *r = n->record;
    const ubi_graph *g = n->graph;
    n->class_of = ubi__alloc_array(r->allocator, n->classes->n_classes, sizeof *n->class_of);
    n->kind_of = ubi__alloc_array(r->allocator, g->kinds.rows.n, sizeof *n->kind_of);
    n->order = ubi__alloc_array(r->allocator, g->n_nodes, sizeof *n->order);
    if ((n->classes->n_classes && !n->class_of) || (g->kinds.rows.n && !n->kind_of) || (g->n_nodes && !n->order))
        return ubi__fail_nomem();
    UBI_TRY(classes_keep(n));
    UBI_TRY(kinds_keep(n));
    UBI_TRY(samples_keep(n));
    step->end_sample = r->samples.n;
    UBI_TRY(ubi__vec_record_step_reserve(&r->steps, r->allocator, 1));
    UBI_TRY(ubi__id_index_order(n->order, &g->ids, g->id.at, g->n_nodes));
    return rows_merge(n);
}

ubi_status ubi__leak_record_add(ubi__leak_record *r, const ubi_class_scheme *classes, uint64_t id_mark,
                                const char *lens) {
    const ubi_graph *g = classes->graph;
    adding n = { .record = r, .classes = classes, .graph = g, .step = (uint32_t)r->steps.n };
    ubi__record_step step = { .n_nodes = g->n_nodes,
                              .id_mark = id_mark,
                              .lens = lens,
                              .creation_time_us = g->creation_time_us,
                              .has_creation_time = g->has_creation_time,
                              .has_mixed_coarse_types = classes->has_mixed_coarse_types,
                              .first_sample = r->samples.n };
    ubi_status status = heap_add(&n, &step);
    if (status == UBI_OK) {
        ubi__vec_u8 before = r->rows;
        r->rows = n.rows;
        n.rows = before;
        r->steps.at[r->steps.n++] = step;
    } else {
        r->samples.n = step.first_sample;
    }
    ubi__free_array(r->allocator, n.class_of, classes->n_classes, sizeof *n.class_of);
    ubi__free_array(r->allocator, n.kind_of, g->kinds.rows.n, sizeof *n.kind_of);
    ubi__free_array(r->allocator, n.order, g->n_nodes, sizeof *n.order);
    ubi__vec_u8_fini(&n.rows, r->allocator);
    ubi__vec_record_run_fini(&n.runs, r->allocator);
    ubi__vec_record_run_fini(&n.fresh, r->allocator);
    return status;
}
