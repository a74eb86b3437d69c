/* SPDX-License-Identifier: MIT
 *
 * node_rows.c: see node_rows.h.
 */
#include "questions/node_rows.h"

#include <string.h>

#include "base/status.h"
#include "lenses/lens.h"
#include "render/heap_labels.h"

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* The two displays of Firefox's memory panel have short names. */
ubi__breakdown_spec ubi__labels_spec(const ubi__breakdown_spec *spec) {
    if (!spec->text || (!spec->is_json && strcmp(spec->text, "types") == 0))
        return (ubi__breakdown_spec){ .text = "label" };
    if (!spec->is_json && strcmp(spec->text, "stack") == 0)
        return (ubi__breakdown_spec){ .text = "labelAllocationStack" };
    return *spec;
}

ubi_status ubi__labels_make(ubi_labels **out, ubi_text json, const ubi_view *view, ubi_compat compat,
                            const ubi_allocator *allocator) {
    ubi_labels_options options = UBI_LABELS_OPTIONS_INIT;
    ubi_breakdown *breakdown;
    options.allocator = allocator;
    options.compat = compat;
    options.size_bytes = view->size_bytes;
    UBI_TRY(ubi_breakdown_parse(&breakdown, json, compat, allocator));
    ubi_status status = ubi_labels_new(out, view->graph, breakdown, &options);
    ubi_breakdown_unref(breakdown); /* the labels have a reference of their own */
    return status;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__node_rows_add(ubi__vec_dominator_row *list, const ubi_dominators *dominators, ubi_labels *labels,
                              const ubi_node_ix *nodes, uint32_t n, const ubi_allocator *allocator) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    options.allocator = allocator;
    options.max_depth = 1;
    UBI_TRY(ubi__vec_dominator_row_reserve(list, allocator, n));
    for (uint32_t i = 0; i < n; i++) {
        options.start = nodes[i];
        UBI_TRY(ubi_dominator_tree_partial(&list->at[list->n], dominators, labels, &options));
        list->n++;
    }
    return UBI_OK;
}

void ubi__node_rows_fini(ubi__vec_dominator_row *list, const ubi_allocator *allocator) {
    for (size_t i = 0; i < list->n; i++)
        ubi_dominator_node_unref(list->at[i]);
    ubi__vec_dominator_row_fini(list, allocator);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void sums_add(ubi__dominated_sums *sums, const ubi_dominators *dominators, const ubi_look *look,
                     ubi_node_ix node) {
    sums->count++;
    sums->shallow_bytes += ubi_look_size_bytes(look, node);
    sums->retained_bytes += ubi_dominators_retained_bytes(dominators, node);
}

ubi__dominated_sums ubi__node_sums(const ubi_dominators *dominators, const ubi_look *look, const ubi_node_ix *nodes,
                                   uint32_t n) {
    ubi__dominated_sums sums = { 0, 0, 0 };
    for (uint32_t i = 0; i < n; i++)
        sums_add(&sums, dominators, look, nodes[i]);
    return sums;
}

ubi__dominated_sums ubi__dominated_sums_of(const ubi_dominators *dominators, const ubi_look *look, ubi_node_ix node) {
    uint32_t n;
    const ubi_node_ix *dominated = ubi_dominators_dominated(dominators, node, &n);
    return ubi__node_sums(dominators, look, dominated, n);
}

/* Equal sizes stay in the order of the set, as in ubi_dominators_largest. */
ubi__dominated_sums ubi__dominated_sums_before(const ubi_dominators *dominators, const ubi_look *look,
                                               ubi_node_ix node) {
    ubi__dominated_sums sums = { 0, 0, 0 };
    ubi_node_ix dominator = ubi_dominators_immediate(dominators, node);
    uint32_t n;
    if (dominator == UBI_NONE)
        return sums;
    const ubi_node_ix *dominated = ubi_dominators_dominated(dominators, dominator, &n);
    uint64_t own_bytes = ubi_dominators_retained_bytes(dominators, node);
    bool is_behind = false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = ubi_dominators_retained_bytes(dominators, dominated[i]);
        is_behind = is_behind || dominated[i] == node;
        if (bytes > own_bytes || (bytes == own_bytes && !is_behind))
            sums_add(&sums, dominators, look, dominated[i]);
    }
    return sums;
}

void ubi__dominated_sums_put(ubi__json *json, const ubi__dominated_sums *sums) {
    ubi__json_member_u64(json, "childCount", sums->count);
    ubi__json_member_u64(json, "childShallowSize", sums->shallow_bytes);
    ubi__json_member_u64(json, "childRetainedSize", sums->retained_bytes);
}

/* ---- titles ------------------------------------------------------------------------------------------------------ */

void ubi__node_title_put(ubi__json *json, const ubi_look *look, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi__json_member_text(json, "title", ubi__node_title(ubi_look_view(look)->graph, look, node, &buffer));
}

ubi_status ubi__node_row_title_put(void *look_of, ubi__json *json, const ubi_dominator_row *row) {
    const ubi_look *look = look_of;
    if (ubi_look_lens(look)->has_node_names)
        ubi__node_title_put(json, look, row->node);
    return UBI_OK;
}
