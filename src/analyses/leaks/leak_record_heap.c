/* SPDX-License-Identifier: MIT
 *
 * leak_record_heap.c: heaps of a record as graphs: a token for each, and its nodes while it is compared.
 */
#include "analyses/leaks/leak_record_inside.h"

static const char recorded_format[] = "ids and classes";

/* ---- what graphs have ------------------------------------------------------------------------------------------------ */

static ubi_text text_at(const ubi__leak_record *r, ubi_str_ix ix) {
    return ix == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__strtab_get(&r->texts, ix);
}

static void class_describe(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    const ubi__recorded_heap *heap = scheme->payload;
    const ubi__record_class *c = &heap->record->classes.at[UBI_INDEX(class_ix, heap->record->classes.n)];
    *out = (ubi_class){ c->coarse_type, text_at(heap->record, c->name), text_at(heap->record, c->place) };
}

static uint32_t class_of_node(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi__recorded_heap *heap = scheme->payload;
    return heap->class_of[UBI_INDEX(node, heap->n_nodes)];
}

static void facts_free(void *facts, const ubi_allocator *a) {
    ubi__recorded_heap *heap = facts;
    ubi__free_array(a, heap->class_of, heap->n_nodes, sizeof *heap->class_of);
    ubi__leak_record_unref(heap->record);
    UBI_DELETE(a, heap);
}

static ubi_status graph_new(ubi_graph **out, ubi__leak_record *r, uint32_t step) {
    const ubi__record_step *about = &r->steps.at[UBI_INDEX(step, r->steps.n)];
    ubi_graph *g = ubi__graph_new(r->allocator);
    ubi__recorded_heap *heap = UBI_NEW(r->allocator, ubi__recorded_heap);
    if (!g || !heap) {
        ubi_graph_unref(g);
        if (heap)
            UBI_DELETE(r->allocator, heap);
        return ubi__fail_nomem();
    }
    heap->record = ubi__leak_record_ref(r);
    heap->step = step;
    heap->scheme = (ubi_class_scheme){ .graph = g,
                                       .n_classes = (uint32_t)r->classes.n,
                                       .has_mixed_coarse_types = about->has_mixed_coarse_types,
                                       .describe = class_describe,
                                       .class_of = class_of_node,
                                       .payload = heap };
    g->format = recorded_format;
    g->creation_time_us = about->creation_time_us;
    g->has_creation_time = about->has_creation_time;
    g->facts = heap;
    g->free_facts = facts_free;
    *out = g;
    return UBI_OK;
}

const ubi__recorded_heap *ubi__leak_record_of(const ubi_graph *g) {
    return g->format == recorded_format ? g->facts : NULL;
}

const ubi_class_scheme *ubi__leak_record_classes(const ubi__recorded_heap *heap) {
    return &heap->scheme;
}

uint64_t ubi__leak_record_id_mark(const ubi__recorded_heap *heap) {
    return heap->record->steps.at[heap->step].id_mark;
}

const char *ubi__leak_record_lens(const ubi__recorded_heap *heap) {
    return heap->record->steps.at[heap->step].lens;
}

ubi_status ubi__leak_record_token(ubi_graph **out, ubi__leak_record *record, uint32_t step) {
    return graph_new(out, record, step);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

static ubi_status columns_reserve(ubi_graph *g, ubi__recorded_heap *heap, uint32_t n) {
    const ubi_allocator *a = g->allocator;
    UBI_TRY(ubi__vec_u64_reserve(&g->id, a, n));
    UBI_TRY(ubi__vec_u64_reserve(&g->size_bytes, a, n));
    UBI_TRY(ubi__vec_u32_reserve(&g->kind, a, n));
    heap->class_of = ubi__alloc_array(a, n, sizeof *heap->class_of);
    if (n && !heap->class_of)
        return ubi__fail_nomem();
    heap->n_nodes = n;
    return UBI_OK;
}

/* NULL: it was not there. */
static const ubi__record_run *run_at(const ubi__vec_record_run *runs, uint32_t step) {
    for (size_t i = 0; i < runs->n; i++)
        if (runs->at[i].first <= step && step < runs->at[i].end)
            return &runs->at[i];
    return NULL;
}

static void node_add(ubi_graph *g, ubi__recorded_heap *heap, uint64_t id, const ubi__record_run *run) {
    g->id.at[g->id.n++] = id;
    g->size_bytes.at[g->size_bytes.n++] = run->size_bytes;
    g->kind.at[g->kind.n++] = run->kind;
    heap->class_of[g->n_nodes++] = run->class_ix;
}

static ubi_status nodes_fill(ubi_graph *g, ubi__recorded_heap *heap, ubi__vec_record_run *runs) {
    ubi__record_reader reader = ubi__record_reader_of(&heap->record->rows);
    UBI_TRY(columns_reserve(g, heap, heap->record->steps.at[heap->step].n_nodes));
    for (;;) {
        UBI_TRY(ubi__record_row_read(&reader, runs, g->allocator));
        if (runs->n == 0)
            break;
        const ubi__record_run *run = run_at(runs, heap->step);
        if (run)
            node_add(g, heap, reader.id, run);
    }
    UBI_ASSERT(g->n_nodes == heap->n_nodes);
    return UBI_OK;
}

static ubi_status kinds_fill(ubi_graph *g, const ubi__leak_record *r) {
    for (size_t i = 0; i < r->kinds.rows.n; i++) {
        ubi_kind kind = r->kinds.rows.at[i];
        UBI_TRY(ubi__strtab_intern(&g->strings, &kind.type_name, ubi__strtab_get(&r->texts, kind.type_name)));
        UBI_TRY(ubi__vec_kind_push(&g->kinds.rows, g->allocator, kind));
    }
    return UBI_OK;
}

/* Of nodes that share an id, the first is found, as in the heap itself. */
static ubi_status ids_index(ubi_graph *g) {
    ubi__id_fault fault = { UBI__ID_FAULT_NONE, UBI_NONE, 0, 0 };
    uint32_t n_repeated;
    ubi_status status = ubi__id_index_resolve(&g->ids, g->id.at, g->n_nodes, NULL, 0, (ubi__crew){ 1, NULL }, &fault);
    if (fault.kind != UBI__ID_FAULT_DUPLICATE)
        return status;
    g->has_repeated_ids = true;
    return ubi__id_index_first_of_each(&g->ids, g->id.at, g->n_nodes, &n_repeated);
}

static ubi_status heap_fill(ubi_graph *g) {
    ubi__recorded_heap *heap = g->facts;
    ubi__vec_record_run runs = { 0 };
    ubi_status status = nodes_fill(g, heap, &runs);
    ubi__vec_record_run_fini(&runs, g->allocator);
    UBI_TRY(status);
    UBI_TRY(kinds_fill(g, heap->record));
    return ids_index(g);
}

ubi_status ubi__leak_record_heap(ubi_graph **out, const ubi_graph *token) {
    const ubi__recorded_heap *of = ubi__leak_record_of(token);
    ubi_graph *g = NULL; /* for gcc 12 */
    UBI_TRY(graph_new(&g, of->record, of->step));
    ubi_status status = heap_fill(g);
    if (status == UBI_OK)
        *out = g;
    else
        ubi_graph_unref(g);
    return status;
}
