/* SPDX-License-Identifier: MIT
 *
 * class_members.c: see class_members.h.
 */
#include "analyses/diff/class_members.h"

#include "analyses/class_rows.h"
#include "base/text.h"
#include "graph/graph_columns.h"

/* Progress is reported, and cancelling possible, each time this many nodes are done. */
#define NODES_PER_STEP (UINT32_C(1) << 20)

/** One heap, and which of its classes are the wanted one. */
typedef struct side {
    const ubi_class_scheme *scheme;
    uint32_t *rows; /* rows[n_classes]: row of each class */
} side;

typedef struct search {
    const ubi_allocator *allocator;
    ubi_progress progress;
    uint32_t row; /* of the wanted class */
    side start, end;
    uint64_t n_done, n_all; /* nodes */
} search;

static bool side_has(const side *s, ubi_node_ix node, uint32_t row) {
    uint32_t class_ix = s->scheme->class_of(s->scheme, node);
    return class_ix != UBI_NONE && s->rows[class_ix] == row;
}

static bool is_class(const ubi_class *a, const ubi_class *b) {
    return a->coarse_type == b->coarse_type && ubi__text_compare(a->name, b->name) == 0 &&
           ubi__text_compare(a->place, b->place) == 0;
}

/* Nodes of the class in one heap that the other has not in it. */
static ubi_status side_search(ubi__vec_u64 *out, search *s, const side *in, const side *other) {
    const ubi_graph *graph = in->scheme->graph, *others = other->scheme->graph;
    for (ubi_node_ix node = 0; node < graph->n_nodes; node++) {
        if (node % NODES_PER_STEP == 0 && !ubi__progress(&s->progress, "looking for nodes", s->n_done + node, s->n_all))
            return ubi__fail_cancelled();
        if (!side_has(in, node, s->row))
            continue;
        uint64_t id = graph->id.at[node];
        ubi_node_ix same = ubi__id_index_find(&others->ids, others->id.at, id);
        if (same == UBI_NONE || !side_has(other, same, s->row))
            UBI_TRY(ubi__vec_u64_push(out, s->allocator, id));
    }
    s->n_done += graph->n_nodes;
    return UBI_OK;
}

static ubi_status side_rows_make(side *s, ubi__class_rows *rows, const ubi_allocator *a) {
    s->rows = ubi__alloc_array(a, s->scheme->n_classes, sizeof *s->rows);
    if (s->scheme->n_classes && !s->rows)
        return ubi__fail_nomem();
    return ubi__class_rows_add(s->rows, rows, s->scheme);
}

static ubi_status members_search(ubi__class_members *out, search *s, ubi__class_rows *rows, const ubi_class *wanted) {
    UBI_TRY(side_rows_make(&s->start, rows, s->allocator));
    UBI_TRY(side_rows_make(&s->end, rows, s->allocator));
    for (s->row = 0; s->row < rows->rows.n && !is_class(&rows->rows.at[s->row], wanted);)
        s->row++;
    UBI_TRY(side_search(&out->created, s, &s->end, &s->start));
    return side_search(&out->deleted, s, &s->start, &s->end);
}

ubi_status ubi__class_members_find(ubi__class_members *out, const ubi_class *wanted, const ubi_class_scheme *start,
                                   const ubi_class_scheme *end, const ubi_class_diff_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    search s = { .allocator = a, .progress = options->progress, .start.scheme = start, .end.scheme = end };
    ubi__class_rows rows;
    s.n_all = (uint64_t)start->graph->n_nodes + end->graph->n_nodes;
    ubi__class_rows_init(&rows, a);
    ubi_status status = members_search(out, &s, &rows, wanted);
    ubi__class_rows_fini(&rows);
    ubi__free_array(a, s.start.rows, start->n_classes, sizeof *s.start.rows);
    ubi__free_array(a, s.end.rows, end->n_classes, sizeof *s.end.rows);
    return status;
}

void ubi__class_members_fini(ubi__class_members *members, const ubi_allocator *allocator) {
    ubi__vec_u64_fini(&members->created, allocator);
    ubi__vec_u64_fini(&members->deleted, allocator);
}
