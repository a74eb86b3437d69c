/* SPDX-License-Identifier: MIT
 *
 * counted_nodes.c: see counted_nodes.h.
 */
#include "questions/counted_nodes.h"

#include "base/bits.h"
#include "base/status.h"
#include "render/result_json.h"

void ubi__counted_nodes_init(ubi__counted_nodes *counted, const ubi_allocator *allocator) {
    *counted = (ubi__counted_nodes){ .allocator = allocator };
}

ubi_status ubi__counted_nodes_find(ubi__counted_nodes *counted, const ubi_graph *graph, const uint64_t *ids,
                                   uint64_t n) {
    UBI_TRY(ubi__vec_u32_reserve(&counted->nodes, counted->allocator, n));
    for (uint64_t i = 0; i < n; i++) {
        ubi_node_ix node;
        UBI_TRY(ubi_graph_find(&node, graph, ids[i]));
        counted->nodes.at[counted->nodes.n++] = node;
    }
    return UBI_OK;
}

static ubi_status rows_list(ubi__counted_nodes *counted, const ubi_dominators *dominators, uint32_t offset,
                            uint32_t end) {
    const ubi_allocator *a = counted->allocator;
    uint32_t n = 0;
    ubi_node_ix *largest = ubi__alloc_array(a, end, sizeof *largest);
    if (!largest)
        return ubi__fail_nomem();
    ubi_status status =
        ubi_dominators_largest_of(largest, &n, dominators, counted->nodes.at, (uint32_t)counted->nodes.n, end);
    if (status == UBI_OK)
        status = ubi__node_rows_add(&counted->rows, dominators, counted->labels, largest + offset, end - offset, a);
    ubi__free_array(a, largest, end, sizeof *largest);
    return status;
}

ubi_status ubi__counted_nodes_list(ubi__counted_nodes *counted, const ubi_dominators *dominators, const ubi_look *look,
                                   ubi_text labels, uint64_t offset, uint64_t most) {
    uint64_t n = counted->nodes.n;
    for (size_t i = 0; i < n; i++)
        counted->shallow_bytes += ubi_look_size_bytes(look, counted->nodes.at[i]);
    counted->offset = offset;
    counted->look = look;
    offset = ubi__smaller(offset, n);
    uint64_t end = offset + ubi__smaller(most, n - offset);
    UBI_TRY(ubi__labels_make(&counted->labels, labels, ubi_look_view(look), UBI_COMPAT_NONE, counted->allocator));
    return end > offset ? rows_list(counted, dominators, (uint32_t)offset, (uint32_t)end) : UBI_OK;
}

ubi_status ubi__counted_nodes_put(ubi__json *json, const ubi__counted_nodes *counted) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "nodeCount", counted->nodes.n);
    ubi__json_member_u64(json, "shallowSize", counted->shallow_bytes);
    ubi__json_member_u64(json, "offset", counted->offset);
    ubi__json_member_array(json, "rows");
    for (size_t i = 0; i < counted->rows.n && !json->has_failed; i++)
        UBI_TRY(
            ubi__render_dominator_tree_with(json, counted->rows.at[i], ubi__node_row_title_put, (void *)counted->look));
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

void ubi__counted_nodes_fini(ubi__counted_nodes *counted) {
    if (!counted->allocator)
        return;
    ubi__node_rows_fini(&counted->rows, counted->allocator);
    ubi__vec_u32_fini(&counted->nodes, counted->allocator);
    ubi_labels_unref(counted->labels);
    *counted = (ubi__counted_nodes){ .allocator = NULL };
}
