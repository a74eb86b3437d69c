/* SPDX-License-Identifier: MIT
 *
 * heap_facts.c: see heap_facts.h.
 */
#include "cli/heap_facts.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/text.h"
#include "lenses/kind_label.h"
#include "lenses/lens.h"

ubi_status ubi__heap_facts_init(ubi__heap_facts *out, const ubi_graph *graph, const ubi_view *view,
                                const ubi_dominators *dominators) {
    *out = (ubi__heap_facts){ .graph = graph, .view = view, .dominators = dominators };
    return ubi__heap_summary_init(&out->summary, graph, ubi_allocator_default());
}

ubi_status ubi__heap_facts_of(ubi__heap_facts *out, const ubi_look *look, const ubi_dominators *dominators) {
    const ubi_view *view = ubi_look_view(look);
    *out = (ubi__heap_facts){ .graph = view->graph, .view = view, .look = look, .dominators = dominators };
    return ubi__heap_summary_of(&out->summary, look, ubi_allocator_default());
}

void ubi__heap_facts_fini(ubi__heap_facts *facts) {
    ubi_dominators_free(facts->own_dominators);
    ubi__heap_summary_fini(&facts->summary);
    *facts = (ubi__heap_facts){ .graph = NULL };
}

/* ---- counts and bytes ------------------------------------------------------------------------------------------- */

/* Whether nodes are labelled by the classes of the lens, which may differ within a kind. */
static bool by_class(const ubi__heap_facts *f) {
    return f->look && ubi_look_lens(f->look)->has_node_names;
}

uint32_t ubi__heap_facts_label_count(const ubi__heap_facts *f) {
    return by_class(f) ? ubi_look_class_count(f->look) : ubi_graph_kind_count(f->graph);
}

ubi_text ubi__heap_facts_label(const ubi__heap_facts *f, uint32_t group) {
    ubi_look_class class = { .name = { NULL, 0 } };
    if (!by_class(f))
        return ubi__kind_label(f->graph, ubi_graph_kind(f->graph, group));
    ubi_look_class_get(f->look, group, &class);
    return class.name;
}

static uint32_t group_of(const ubi__heap_facts *f, ubi_node_ix node) {
    return by_class(f) ? ubi_look_class_of(f->look, node) : ubi_graph_node_kind(f->graph, node);
}

static bool group_has_label(const ubi__heap_facts *f, uint32_t group, ubi_text label) {
    return ubi__text_equal(ubi__heap_facts_label(f, group), label);
}

/* (*out)[class or kind]: whether it has the label. Owned. */
static ubi_status mark_groups(uint8_t **out, const ubi__heap_facts *f, ubi_text label) {
    uint32_t n = ubi__heap_facts_label_count(f);
    *out = ubi__alloc_array(ubi_allocator_default(), n, 1);
    if (!*out)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        (*out)[i] = group_has_label(f, i, label);
    return UBI_OK;
}

static uint64_t fact_size_of(const ubi__heap_facts *f, ubi_node_ix node) {
    return f->look ? ubi_look_size_bytes(f->look, node) : ubi_graph_node_size_bytes(f->graph, node);
}

/* The summary counts the root, a census only if something leads to it. */
static void leave_root_out(ubi__tally *tally, const ubi__heap_facts *f, ubi_text label) {
    ubi_node_ix root = ubi_graph_root(f->graph);
    if (ubi_graph_root_has_retainer(f->graph) || (label.ptr && !group_has_label(f, group_of(f, root), label)))
        return;
    tally->count--;
    tally->bytes -= fact_size_of(f, root);
}

static ubi__tally tally_of_kinds(const ubi__heap_facts *f, ubi_text label) {
    ubi__tally tally = { 0, 0 };
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(f->graph); k++)
        if (group_has_label(f, k, label)) {
            tally.count += f->summary.kinds[k].count;
            tally.bytes += f->summary.kinds[k].bytes;
        }
    return tally;
}

static ubi_status tally_of_classes(ubi__tally *out, const ubi__heap_facts *f, ubi_text label) {
    uint8_t *labelled;
    UBI_TRY(mark_groups(&labelled, f, label));
    *out = (ubi__tally){ 0, 0 };
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(f->graph); node++)
        if (labelled[group_of(f, node)]) {
            out->count++;
            out->bytes += fact_size_of(f, node);
        }
    ubi__free_array(ubi_allocator_default(), labelled, ubi__heap_facts_label_count(f), 1);
    return UBI_OK;
}

static ubi_status tally_of(ubi__tally *out, const ubi__heap_facts *f, ubi_text label) {
    *out = f->summary.reachable;
    if (label.ptr && by_class(f))
        UBI_TRY(tally_of_classes(out, f, label));
    else if (label.ptr)
        *out = tally_of_kinds(f, label);
    leave_root_out(out, f, label);
    return UBI_OK;
}

/* ---- retained sizes --------------------------------------------------------------------------------------------- */

/* State of a node: whether it, or one of its dominators, has the label. */
typedef enum position { UNKNOWN, OUTSIDE, INSIDE } position;

typedef struct search {
    const ubi__heap_facts *facts;
    const ubi_dominators *dominators;
    const uint8_t *is_labelled; /* is_labelled[class or kind] */
    uint8_t *position;          /* position[node] */
} search;

static bool is_labelled(const search *s, ubi_node_ix node) {
    return s->is_labelled[group_of(s->facts, node)];
}

/* Climbs to the first decided node, then decides those on the way back: each node once. */
static position find_position(const search *s, ubi_node_ix node) {
    ubi_node_ix at = node;
    position found = UNKNOWN;
    while (at != UBI_NONE && (found = s->position[at]) == UNKNOWN && !is_labelled(s, at))
        at = ubi_dominators_immediate(s->dominators, at);
    if (found == UNKNOWN)
        found = at == UBI_NONE ? OUTSIDE : INSIDE;
    for (ubi_node_ix i = node; i != at; i = ubi_dominators_immediate(s->dominators, i))
        s->position[i] = (uint8_t)found;
    if (at != UBI_NONE)
        s->position[at] = (uint8_t)found;
    return found;
}

/* A node below another one of its label is part of what that one retains. */
static uint64_t sum_outermost(const search *s) {
    uint64_t bytes = 0;
    const ubi_graph *g = s->facts->graph;
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++) {
        if (!is_labelled(s, node) || (!ubi_graph_is_reachable(g, node) && !by_class(s->facts)))
            continue;
        ubi_node_ix dominator = ubi_dominators_immediate(s->dominators, node);
        if (dominator == UBI_NONE || find_position(s, dominator) == OUTSIDE)
            bytes += ubi_dominators_retained_bytes(s->dominators, node);
    }
    return bytes;
}

static ubi_status make_dominators(ubi__heap_facts *f, ubi_progress progress) {
    if (f->dominators)
        return UBI_OK;
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_view view = f->view ? *f->view : ubi_view_of(f->graph);
    options.progress = progress;
    options.has_no_sets = true;
    options.threads = 1;
    UBI_TRY(ubi_dominators_new(&f->own_dominators, &view, &options));
    f->dominators = f->own_dominators;
    return UBI_OK;
}

static ubi_status measure_retained(uint64_t *out, ubi__heap_facts *f, ubi_text label, ubi_progress progress) {
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t n_nodes = ubi_graph_node_count(f->graph);
    uint8_t *labelled;
    UBI_TRY(make_dominators(f, progress));
    UBI_TRY(mark_groups(&labelled, f, label));
    uint8_t *positions = ubi__calloc_array(a, n_nodes, 1);
    if (positions)
        *out = sum_outermost(&(search){ f, f->dominators, labelled, positions });
    ubi_status status = positions ? UBI_OK : ubi__fail_nomem();
    ubi__free_array(a, labelled, ubi__heap_facts_label_count(f), 1);
    ubi__free_array(a, positions, n_nodes, 1);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static uint64_t measure_whole(const ubi__heap_facts *f, ubi__quantity quantity) {
    const ubi__heap_summary *s = &f->summary;
    switch (quantity) {
    case UBI__QUANTITY_NODES:
        return ubi_graph_node_count(f->graph);
    case UBI__QUANTITY_EDGES:
        return ubi_graph_edge_count(f->graph);
    case UBI__QUANTITY_UNREACHABLE:
        return s->unreachable.count;
    case UBI__QUANTITY_UNREACHABLE_BYTES:
        return s->unreachable.bytes;
    case UBI__QUANTITY_LARGEST:
        return s->n_largest ? fact_size_of(f, s->largest[0]) : 0;
    default:
        return 0;
    }
}

ubi_status ubi__heap_facts_measure(uint64_t *out, ubi__heap_facts *facts, ubi__quantity quantity, ubi_text label,
                                   ubi_progress progress) {
    if (quantity == UBI__QUANTITY_RETAINED)
        return measure_retained(out, facts, label, progress);
    ubi__tally tally;
    if (quantity != UBI__QUANTITY_COUNT && quantity != UBI__QUANTITY_BYTES) {
        *out = measure_whole(facts, quantity);
        return UBI_OK;
    }
    UBI_TRY(tally_of(&tally, facts, label));
    *out = quantity == UBI__QUANTITY_COUNT ? tally.count : tally.bytes;
    return UBI_OK;
}

uint64_t ubi__heap_facts_whole(const ubi__heap_facts *facts, ubi__quantity quantity) {
    const ubi__heap_summary *s = &facts->summary;
    ubi__tally all = s->reachable;
    leave_root_out(&all, facts, (ubi_text){ NULL, 0 });
    switch (quantity) {
    case UBI__QUANTITY_COUNT:
        return all.count;
    case UBI__QUANTITY_NODES:
    case UBI__QUANTITY_EDGES:
        return measure_whole(facts, quantity);
    case UBI__QUANTITY_UNREACHABLE:
    case UBI__QUANTITY_MATCHES:
        return ubi_graph_node_count(facts->graph);
    case UBI__QUANTITY_UNREACHABLE_BYTES:
        return s->reachable.bytes + s->unreachable.bytes;
    default:
        return all.bytes;
    }
}
