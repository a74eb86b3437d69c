/* SPDX-License-Identifier: MIT
 *
 * heap_summary.c: one sweep over the node columns, and groups made from what it found.
 *
 * Grouping sorts entries by what they have in common, merges neighbours, and sorts the result by size. Entries are kinds
 * or frames, of which there are thousands, not millions.
 */
#include "lenses/heap_summary.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"

/* ---- the sweep -------------------------------------------------------------------------------------------------- */

static uint64_t size_of(const ubi__heap_summary *s, ubi_node_ix node) {
    return s->look ? ubi_look_size_bytes(s->look, node) : s->graph->size_bytes.at[node];
}

static bool node_counts(const ubi__heap_summary *s, ubi_node_ix node) {
    return ubi__graph_reachable(s->graph, node) || (s->look && ubi_look_view(s->look)->orphans == UBI_ORPHANS_ADOPT);
}

static void tally_add(ubi__tally *tally, uint64_t bytes) {
    tally->count++;
    tally->bytes += bytes;
}

/* Keeps `largest` sorted; a node equal to one in the list comes after it. */
static void offer_largest(ubi__heap_summary *s, ubi_node_ix node, uint64_t bytes) {
    uint32_t at = s->n_largest;
    while (at > 0 && bytes > size_of(s, s->largest[at - 1]))
        at--;
    if (at == UBI__SUMMARY_LARGEST)
        return;
    if (s->n_largest < UBI__SUMMARY_LARGEST)
        s->n_largest++;
    for (uint32_t i = s->n_largest - 1; i > at; i--)
        s->largest[i] = s->largest[i - 1];
    s->largest[at] = node;
}

static uint64_t edge_count(const ubi_graph *g, ubi_node_ix node) {
    return g->first_edge.at[node + 1] - g->first_edge.at[node];
}

static void sweep_nodes(ubi__heap_summary *s) {
    const ubi_graph *g = s->graph;
    uint64_t smallest_of_largest = 0, most_edges = 0;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        uint64_t bytes = size_of(s, n);
        s->n_with_stack += ubi__graph_youngest(g, n) != UBI_NONE;
        if (!node_counts(s, n)) {
            tally_add(&s->unreachable, bytes);
            continue;
        }
        tally_add(&s->kinds[g->kind.at[n]], bytes);
        if (bytes > smallest_of_largest || s->n_largest < UBI__SUMMARY_LARGEST) {
            offer_largest(s, n, bytes);
            if (s->n_largest == UBI__SUMMARY_LARGEST)
                smallest_of_largest = size_of(s, s->largest[UBI__SUMMARY_LARGEST - 1]);
        }
        if (n != g->root && (s->widest == UBI_NONE || edge_count(g, n) > most_edges)) {
            s->widest = n;
            most_edges = edge_count(g, n);
        }
    }
}

static void sum_up_kinds(ubi__heap_summary *s) {
    uint32_t n_kinds = ubi_graph_kind_count(s->graph);
    for (ubi_kind_ix k = 0; k < n_kinds; k++) {
        const ubi_kind *kind = ubi_graph_kind(s->graph, k);
        ubi__tally *coarse = &s->coarse[kind->coarse_type];
        coarse->count += s->kinds[k].count;
        coarse->bytes += s->kinds[k].bytes;
        s->reachable.count += s->kinds[k].count;
        s->reachable.bytes += s->kinds[k].bytes;
    }
}

static bool largest_are_sorted(const ubi__heap_summary *s) {
    for (uint32_t i = 1; i < s->n_largest; i++)
        if (size_of(s, s->largest[i - 1]) < size_of(s, s->largest[i]))
            return false;
    return true;
}

void ubi__heap_summary_check(const ubi__heap_summary *s) {
    ubi__tally coarse = { 0 }, kinds = { 0 };
    UBI_ASSERT(s->reachable.count + s->unreachable.count == s->graph->n_nodes);
    UBI_ASSERT(s->n_largest == (s->reachable.count < UBI__SUMMARY_LARGEST ? s->reachable.count : UBI__SUMMARY_LARGEST));
    UBI_ASSERT(largest_are_sorted(s));
    UBI_ASSERT(s->widest == UBI_NONE || s->widest != s->graph->root);
    for (size_t i = 0; UBI_CHECKS && i < UBI_COARSE_TYPE_COUNT; i++) {
        coarse.count += s->coarse[i].count;
        coarse.bytes += s->coarse[i].bytes;
    }
    for (ubi_kind_ix k = 0; UBI_CHECKS && k < ubi_graph_kind_count(s->graph); k++)
        kinds.count += s->kinds[k].count;
    UBI_ASSERT(!UBI_CHECKS || (coarse.count == s->reachable.count && coarse.bytes == s->reachable.bytes));
    UBI_ASSERT(!UBI_CHECKS || kinds.count == s->reachable.count);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static ubi_str_ix class_name_of(const ubi_kind *kind) {
    return kind->class_name;
}

static ubi_str_ix constructor_name_of(const ubi_kind *kind) {
    return kind->coarse_type == UBI_COARSE_OBJECT ? kind->descriptive_name : UBI_NONE;
}

static ubi_str_ix dom_name_of(const ubi_kind *kind) {
    return kind->coarse_type == UBI_COARSE_DOM_NODE ? kind->descriptive_name : UBI_NONE;
}

static ubi_str_ix script_filename_of(const ubi_kind *kind) {
    return kind->script_filename;
}

static int compare_texts(const void *left, const void *right) {
    return ubi__text_compare(*(const ubi_text *)left, *(const ubi_text *)right);
}

/* Different names, by their texts; names[kinds] is room. */
static uint32_t count_names(const ubi_graph *g, ubi_text *names, ubi_str_ix (*name_of)(const ubi_kind *)) {
    size_t n = 0;
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(g); k++) {
        ubi_str_ix name = name_of(ubi_graph_kind(g, k));
        if (name != UBI_NONE)
            names[n++] = ubi_graph_string(g, name);
    }
    uint32_t different = n > 0;
    if (n > 1)
        qsort(names, n, sizeof *names, compare_texts);
    for (size_t i = 1; i < n; i++)
        different += !ubi__text_equal(names[i - 1], names[i]);
    return different;
}

static ubi_status count_all_names(ubi__heap_summary *s) {
    const ubi_graph *g = s->graph;
    ubi_text *names = ubi__alloc_array(s->allocator, ubi_graph_kind_count(g), sizeof *names);
    if (!names)
        return ubi__fail_nomem();
    s->names.classes = count_names(g, names, class_name_of);
    s->names.constructors = count_names(g, names, constructor_name_of);
    s->names.dom = count_names(g, names, dom_name_of);
    s->names.scripts = count_names(g, names, script_filename_of);
    ubi__free_array(s->allocator, names, ubi_graph_kind_count(g), sizeof *names);
    return UBI_OK;
}

static bool any_edge_name(const ubi_graph *g) {
    for (uint64_t e = 0; e < g->n_edges; e++)
        if (g->name.at[e] != UBI_NONE)
            return true;
    return false;
}

static ubi_status nodes_summarize(ubi__heap_summary *out, const ubi_graph *graph, const ubi_look *look,
                                  const ubi_allocator *allocator) {
    *out = (ubi__heap_summary){ .graph = graph, .look = look, .allocator = allocator, .widest = UBI_NONE };
    out->kinds = ubi__calloc_array(allocator, ubi_graph_kind_count(graph), sizeof *out->kinds);
    if (!out->kinds)
        return ubi__fail_nomem();
    sweep_nodes(out);
    sum_up_kinds(out);
    ubi__heap_summary_check(out);
    out->has_edge_names = any_edge_name(graph);
    ubi_status status = count_all_names(out);
    if (status != UBI_OK)
        ubi__heap_summary_fini(out);
    return status;
}

ubi_status ubi__heap_summary_init(ubi__heap_summary *out, const ubi_graph *graph, const ubi_allocator *allocator) {
    return nodes_summarize(out, graph, NULL, allocator);
}

ubi_status ubi__heap_summary_of(ubi__heap_summary *out, const ubi_look *look, const ubi_allocator *allocator) {
    return nodes_summarize(out, ubi_look_view(look)->graph, look, allocator);
}

void ubi__heap_summary_fini(ubi__heap_summary *summary) {
    if (summary->kinds)
        ubi__free_array(summary->allocator, summary->kinds, ubi_graph_kind_count(summary->graph),
                        sizeof *summary->kinds);
    summary->kinds = NULL;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static int compare_by_size(const void *left, const void *right) {
    const ubi__group *a = left, *b = right;
    if (a->tally.bytes != b->tally.bytes)
        return a->tally.bytes < b->tally.bytes ? 1 : -1;
    if (a->tally.count != b->tally.count)
        return a->tally.count < b->tally.count ? 1 : -1;
    return ubi__text_compare(a->label, b->label);
}

/* Same function, that is: name and file; within one, the site with the most bytes comes first. */
static int compare_functions(const ubi__group *a, const ubi__group *b) {
    int order = ubi__text_compare(a->frame.function_name, b->frame.function_name);
    return order ? order : ubi__text_compare(a->frame.source, b->frame.source);
}

static int compare_by_function(const void *left, const void *right) {
    int order = compare_functions(left, right);
    return order ? order : compare_by_size(left, right);
}

static bool same_function(const ubi__group *a, const ubi__group *b) {
    return compare_functions(a, b) == 0;
}

/* `at` is sorted so that equals are neighbours; the first represents all. */
static void groups_merge(ubi__groups *groups, bool (*same)(const ubi__group *, const ubi__group *)) {
    size_t kept = 0;
    for (size_t i = 0; i < groups->n; i++) {
        ubi__group *last = kept ? &groups->at[kept - 1] : NULL;
        if (last && same(last, &groups->at[i])) {
            last->tally.count += groups->at[i].tally.count;
            last->tally.bytes += groups->at[i].tally.bytes;
        } else {
            groups->at[kept++] = groups->at[i];
        }
    }
    groups->n = kept;
}

static ubi_status groups_init(ubi__groups *groups, size_t capacity, const ubi_allocator *allocator) {
    *groups = (ubi__groups){ .allocator = allocator, .capacity = capacity ? capacity : 1 };
    groups->at = ubi__calloc_array(allocator, groups->capacity, sizeof *groups->at);
    return groups->at ? UBI_OK : ubi__fail_nomem();
}

void ubi__groups_fini(ubi__groups *groups) {
    if (groups->at)
        ubi__free_array(groups->allocator, groups->at, groups->capacity, sizeof *groups->at);
    *groups = (ubi__groups){ .at = NULL };
}

void ubi__groups_check(const ubi__groups *groups) {
    UBI_ASSERT(groups->n <= groups->capacity);
    for (size_t i = 0; UBI_CHECKS && i < groups->n; i++) {
        UBI_ASSERT(groups->at[i].tally.count > 0);
        UBI_ASSERT(i == 0 || compare_by_size(&groups->at[i - 1], &groups->at[i]) <= 0);
    }
}

static void group_order(ubi__groups *groups, int (*compare)(const void *, const void *)) {
    if (groups->n > 1)
        qsort(groups->at, groups->n, sizeof *groups->at, compare);
}

ubi_status ubi__groups_by_class(ubi__groups *out, const ubi__heap_summary *summary) {
    const ubi_look *look = summary->look;
    uint32_t n_classes = ubi_look_class_count(look);
    UBI_TRY(groups_init(out, n_classes, summary->allocator));
    for (ubi_node_ix n = 0; n < summary->graph->n_nodes; n++)
        if (node_counts(summary, n))
            tally_add(&out->at[ubi_look_class_of(look, n)].tally, size_of(summary, n));
    for (ubi_class_ix c = 0; c < n_classes; c++) {
        ubi_look_class class;
        ubi__tally tally = out->at[c].tally;
        ubi_look_class_get(look, c, &class);
        if (tally.count)
            out->at[out->n++] = (ubi__group){ .coarse_type = class.coarse_type, .label = class.name, .tally = tally };
    }
    group_order(out, compare_by_size);
    ubi__groups_check(out);
    return UBI_OK;
}

static void tally_frames(ubi__group *frames, const ubi__heap_summary *s) {
    const ubi_graph *g = s->graph;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        ubi_frame_ix frame = ubi__graph_youngest(g, n);
        if (frame != UBI_NONE && node_counts(s, n))
            tally_add(&frames[frame].tally, size_of(s, n));
    }
}

ubi_status ubi__groups_by_function(ubi__groups *out, const ubi__heap_summary *summary) {
    const ubi_graph *g = summary->graph;
    uint32_t n_frames = ubi_graph_frame_count(g);
    UBI_TRY(groups_init(out, n_frames, summary->allocator));
    tally_frames(out->at, summary);
    for (ubi_frame_ix f = 0; f < n_frames; f++) {
        if (out->at[f].tally.count == 0)
            continue;
        ubi__group group = { .tally = out->at[f].tally };
        ubi_graph_frame(g, f, &group.frame);
        group.label = group.frame.function_name;
        out->at[out->n++] = group;
    }
    group_order(out, compare_by_function);
    groups_merge(out, same_function);
    group_order(out, compare_by_size);
    ubi__groups_check(out);
    return UBI_OK;
}
