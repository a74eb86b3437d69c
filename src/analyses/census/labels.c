/* SPDX-License-Identifier: MIT
 *
 * labels.c: labels of single nodes, one per combination of kind and stack.
 *
 * A label is made by taking the census of one node and walking its report, so that it cannot differ from what a census
 * says. Labels are blocks of their own: pointers to them stay good while others are made.
 */
#include <ubiheap/core/labels.h>

#include <stdatomic.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_tables.h"
#include "analyses/census/report_walk.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "graph/graph_columns.h"

UBI_VEC_DECLARE(label_list, ubi_label *);
_Static_assert(sizeof(ubi_label) % _Alignof(ubi_label_part) == 0, "parts may follow a label");

struct ubi_labels {
    _Atomic uint32_t references;
    const ubi_allocator *allocator;
    ubi_graph *graph;          /* a reference */
    ubi_breakdown *breakdown;  /* a reference */
    ubi__census_tables tables; /* for stacks in labels */
    ubi_compat compat;
    const uint64_t *size_bytes; /* or NULL */
    bool is_by_stack;
    label_list made;    /* owned */
    ubi__u64_map index; /* (kind, stack) -> place in `made` */
};

/* ---- reading a label off a report -------------------------------------------------------------------------------- */

/* Levels of a report: those of its breakdown, and a leaf that was not written out. */
#define MAX_LEVELS (UBI_BREAKDOWN_MAX_DEPTH + 1)

typedef struct reader {
    const ubi_labels *labels;
    ubi_label_part parts[MAX_LEVELS]; /* of the reports that are open; at the end, the label */
    uint32_t n_parts;
    bool has_added_part[MAX_LEVELS]; /* by depth: the report that is open there did */
    uint32_t depth;
    uint32_t n_leaves; /* that counted the node */
    bool is_sized;
} reader;

/* The part that an edge adds. JavaScript's falsy values, of which "" and null can occur, add none. */
static bool part_of(ubi_label_part *out, const reader *r, const ubi_report_key *edge) {
    if (!edge)
        return false;
    switch (edge->type) {
    case UBI_KEY_TEXT:
    case UBI_KEY_NO_STACK:
        *out = (ubi_label_part){ .text = edge->text };
        return edge->text.len > 0;
    case UBI_KEY_STACK: /* the stack of a census dies with it */
        *out = (ubi_label_part){ .is_stack = true,
                                 .stack = ubi__census_stack(&r->labels->tables, (ubi_frame_ix)edge->stack.ref) };
        return true;
    default:
        return false;
    }
}

static bool leaf_matches(const reader *r, const ubi_report_count *leaf) {
    return leaf->count != 0 || (r->labels->compat == UBI_COMPAT_FIREFOX && !leaf->has_count);
}

static void read_leaf(reader *r, const ubi_report *report) {
    ubi_report_count leaf;
    ubi_report_get_count(report, &leaf);
    bool decided = r->n_leaves > 0 && r->labels->compat != UBI_COMPAT_FIREFOX;
    if (decided || !leaf_matches(r, &leaf))
        return;
    r->n_leaves++;
    r->is_sized = leaf.count != 0;
}

/* Parts are frozen from the first leaf on. */
static ubi_status enter_part(void *payload, const ubi_report *report, const ubi_report_key *edge) {
    reader *r = payload;
    ubi_label_part part;
    bool adds = r->n_leaves == 0 && part_of(&part, r, edge);
    UBI_ASSERT(r->depth < MAX_LEVELS && (r->n_leaves || r->n_parts <= r->depth));
    if (adds)
        r->parts[r->n_parts++] = part;
    r->has_added_part[r->depth++] = adds;
    if (ubi_report_shape_of(report) == UBI_REPORT_COUNT)
        read_leaf(r, report);
    return UBI_OK;
}

static ubi_status leave_part(void *payload, const ubi_report *report) {
    reader *r = payload;
    (void)report;
    r->depth--;
    if (r->n_leaves == 0 && r->has_added_part[r->depth])
        r->n_parts--;
    return UBI_OK;
}

static ubi_status read_census(reader *r, uint64_t node_id) {
    static const ubi__report_visitor visitor = { enter_part, leave_part };
    const ubi_labels *l = r->labels;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census;
    options.allocator = l->allocator;
    options.compat = l->compat;
    UBI_TRY(ubi_census_describe(&census, l->graph, node_id, l->breakdown, &options));
    ubi_status status = ubi__report_walk(ubi_census_report(census), l->compat, &visitor, r);
    ubi_census_free(census);
    return status;
}

/* ---- the labels of a graph --------------------------------------------------------------------------------------- */

/* One block: the label, then its parts. */
static size_t label_bytes(uint32_t n_parts) {
    return sizeof(ubi_label) + n_parts * sizeof(ubi_label_part);
}

static ubi_status keep_label(ubi_labels *l, const reader *r, uint64_t key) {
    bool is_defined = r->n_leaves == 1;
    UBI_ASSERT(r->depth == 0 && (r->n_leaves || r->n_parts == 0));
    uint32_t n = is_defined ? r->n_parts : 0;
    UBI_TRY(label_list_reserve(&l->made, l->allocator, 1));
    ubi_label *label = ubi__calloc_array(l->allocator, 1, label_bytes(n));
    if (!label)
        return ubi__fail_nomem();
    label->is_defined = is_defined;
    label->is_sized = r->is_sized;
    label->n_parts = n;
    ubi_label_part *parts = (ubi_label_part *)(label + 1);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = r->parts[i];
    label->parts = parts;
    l->made.at[l->made.n++] = label; /* owned from here on, found or not */
    return ubi__u64_map_put(&l->index, key, (uint32_t)(l->made.n - 1));
}

ubi_status ubi_labels_get(const ubi_label **out, ubi_labels *l, ubi_node_ix node) {
    ubi_frame_ix stack = l->is_by_stack ? ubi__graph_stack(l->graph, node) : UBI_NONE;
    uint64_t key = ubi__u64_pair(l->graph->kind.at[node], stack);
    uint32_t place = ubi__u64_map_get(&l->index, key);
    if (place == UBI_NONE) {
        reader r = { .labels = l };
        UBI_TRY(read_census(&r, l->graph->id.at[node]));
        UBI_TRY(keep_label(l, &r, key));
        place = (uint32_t)(l->made.n - 1);
    }
    *out = l->made.at[place];
    return UBI_OK;
}

static ubi_status choose_breakdown(ubi_labels *l, const ubi_breakdown *breakdown) {
    if (!breakdown)
        return ubi_breakdown_parse(&l->breakdown, ubi__text(ubi_breakdown_preset_find("label")->json), l->compat,
                                   l->allocator);
    return ubi__breakdown_or_default(&l->breakdown, breakdown, l->allocator);
}

ubi_status ubi_labels_new(ubi_labels **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                          const ubi_labels_options *options) {
    static const ubi_labels_options defaults = UBI_LABELS_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_LABELS_OPTIONS_VERSION, "ubi_labels_options"));
    if (!options)
        options = &defaults;
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_labels *l = UBI_NEW(a, ubi_labels);
    if (!l)
        return ubi__fail_nomem();
    l->references = 1;
    l->allocator = a;
    l->compat = options->compat;
    l->size_bytes = options->size_bytes;
    l->graph = ubi_graph_ref((ubi_graph *)graph); /* only the reference count changes */
    l->tables = ubi__census_tables_of(&graph->strings, &graph->kinds, &graph->frames, options->compat);
    ubi__u64_map_init(&l->index, a);
    ubi_status status = choose_breakdown(l, breakdown);
    if (status != UBI_OK) {
        ubi_labels_unref(l);
        return status;
    }
    l->is_by_stack = ubi__breakdown_mentions(l->breakdown, UBI_BY_ALLOCATION_STACK);
    *out = l;
    return UBI_OK;
}

ubi_labels *ubi_labels_ref(ubi_labels *labels) {
    atomic_fetch_add_explicit(&labels->references, 1, memory_order_relaxed);
    return labels;
}

void ubi_labels_unref(ubi_labels *labels) {
    if (!labels || atomic_fetch_sub_explicit(&labels->references, 1, memory_order_acq_rel) != 1)
        return;
    const ubi_allocator *a = labels->allocator;
    for (size_t i = 0; i < labels->made.n; i++)
        ubi__free_array(a, labels->made.at[i], 1, label_bytes(labels->made.at[i]->n_parts));
    label_list_fini(&labels->made, a);
    ubi__u64_map_fini(&labels->index);
    if (labels->breakdown)
        ubi_breakdown_unref(labels->breakdown);
    ubi_graph_unref(labels->graph);
    UBI_DELETE(a, labels);
}

const ubi_graph *ubi_labels_graph(const ubi_labels *labels) {
    return labels->graph;
}

uint64_t ubi_labels_size_bytes(const ubi_labels *labels, ubi_node_ix node) {
    return labels->size_bytes ? labels->size_bytes[node] : labels->graph->size_bytes.at[node];
}
