/* SPDX-License-Identifier: MIT
 *
 * tree_node.c: rows of a dominator tree: making, sharing and freeing them.
 */
#include "analyses/dominators/tree_node.h"

#include "graph/graph_columns.h"

void ubi__dominator_node_check(const ubi_dominator_node *row) {
    UBI_ASSERT(atomic_load_explicit(&row->references, memory_order_relaxed) > 0);
    UBI_ASSERT(row->n_children <= row->capacity);
    UBI_ASSERT(row->has_children || row->n_children == 0);
    UBI_ASSERT(row->label && row->labels);
}

ubi_status ubi__dominator_row_check(const ubi_labels *labels, ubi_node_ix node) {
    const ubi_graph *g = ubi_labels_graph(labels);
    if (node >= g->n_nodes)
        return ubi__fail(UBI_EINVAL, "node %u: the graph has %u nodes", node, g->n_nodes);
    return UBI_OK;
}

static size_t row_bytes(uint32_t capacity) {
    return sizeof(ubi_dominator_node) + (size_t)capacity * sizeof(ubi_dominator_node *);
}

ubi_status ubi__dominator_row_new(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, uint32_t capacity, const ubi_allocator *allocator) {
    const ubi_graph *g = ubi_labels_graph(labels);
    const ubi_label *label;
    UBI_TRY(ubi_labels_get(&label, labels, node));
    ubi_dominator_node *row = ubi__calloc_array(allocator, 1, row_bytes(capacity));
    if (!row)
        return ubi__fail_nomem();
    atomic_init(&row->references, 1);
    row->node = node;
    row->allocator = allocator;
    row->labels = ubi_labels_ref(labels);
    row->label = label;
    row->node_id = g->id.at[node];
    row->shallow_bytes = label->is_sized ? ubi_labels_size_bytes(labels, node) : 0;
    row->retained_bytes = ubi_dominators_retained_bytes(dominators, node);
    ubi_dominators_dominated(dominators, node, &row->n_dominated);
    row->more_children_available = row->n_dominated > 0;
    row->capacity = capacity;
    *out = row;
    return UBI_OK;
}

ubi_status ubi__dominator_row_copy(ubi_dominator_node **out, ubi_dominator_node *row, uint32_t extra,
                                   const ubi_allocator *allocator) {
    ubi__dominator_node_check(row);
    if (extra > UINT32_MAX - row->n_children)
        return ubi__fail(UBI_ELIMIT, "a row of a dominator tree has more than 2^32-1 children");
    uint32_t capacity = row->n_children + extra;
    ubi_dominator_node *copy = ubi__alloc_array(allocator, 1, row_bytes(capacity));
    if (!copy)
        return ubi__fail_nomem();
    *copy = *row;
    atomic_init(&copy->references, 1);
    copy->allocator = allocator;
    copy->capacity = capacity;
    copy->has_children = true;
    ubi_labels_ref(copy->labels);
    for (uint32_t i = 0; i < row->n_children; i++)
        copy->children[i] = ubi_dominator_node_ref(row->children[i]);
    *out = copy;
    return UBI_OK;
}

ubi_status ubi_dominator_node_new(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, const ubi_allocator *allocator) {
    UBI_TRY(ubi__dominator_row_check(labels, node));
    return ubi__dominator_row_new(out, dominators, labels, node, 0, ubi__allocator_or_default(allocator));
}

void ubi_dominator_node_get(const ubi_dominator_node *row, ubi_dominator_row *out) {
    *out = (ubi_dominator_row){
        .node = row->node,
        .node_id = row->node_id,
        .label = row->label,
        .shallow_bytes = row->shallow_bytes,
        .retained_bytes = row->retained_bytes,
        .has_parent = row->has_parent,
        .parent_id = row->parent_id,
        .has_children = row->has_children,
        .n_children = row->n_children,
        .children = row->children,
        .more_children_available = row->more_children_available,
        .n_dominated = row->n_dominated,
    };
}

ubi_dominator_node *ubi_dominator_node_ref(ubi_dominator_node *row) {
    ubi__dominator_node_check(row);
    atomic_fetch_add_explicit(&row->references, 1, memory_order_relaxed);
    return row;
}

/* Gives up a reference; with the last, the row joins the list of those to free. */
static void drop_row(ubi_dominator_node **dead, ubi_dominator_node *row) {
    if (atomic_fetch_sub_explicit(&row->references, 1, memory_order_acq_rel) != 1)
        return;
    ubi_labels_unref(row->labels);
    row->next_dead = *dead;
    *dead = row;
}

void ubi_dominator_node_unref(ubi_dominator_node *row) {
    ubi_dominator_node *dead = NULL;
    if (row)
        drop_row(&dead, row);
    while (dead) {
        ubi_dominator_node *next = dead;
        dead = next->next_dead;
        for (uint32_t i = 0; i < next->n_children; i++)
            drop_row(&dead, next->children[i]);
        ubi__free_array(next->allocator, next, 1, row_bytes(next->capacity));
    }
}
