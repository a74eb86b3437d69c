/* SPDX-License-Identifier: MIT
 *
 * shapes.c: see shapes.h.
 */
#include "shapes.h"

#include <math.h>

#include "base/alloc.h"
#include "base/text.h"

typedef struct maker {
    ubi_graph_builder *builder;
    const ubi_allocator *allocator;
    uint32_t n;        /* nodes */
    uint32_t side;     /* of a grid */
    uint32_t *next;    /* [n] of a shuffled list */
    uint64_t random;   /* state */
    ubi_status status; /* of the first edge that failed */
} maker;

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

/* Below n. Source: the 64-bit linear congruential generator of D. Knuth, MMIX. */
static uint32_t random_below(maker *m, uint32_t n) {
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((m->random >> 32) * n >> 32);
}

static uint64_t id_of(uint32_t node) {
    return ((uint64_t)node + 1) * 8;
}

static void edge(maker *m, uint32_t target) {
    if (m->status == UBI_OK)
        m->status = ubi_graph_builder_edge(m->builder, id_of(target), UBI_NONE);
}

/* ---- shapes: the edges of node i ------------------------------------------------------------------------------------ */

static void list_edges(maker *m, uint32_t i) {
    if (i + 1 < m->n)
        edge(m, i + 1);
}

static void list_back_edges(maker *m, uint32_t i) {
    edge(m, i / 2);
    list_edges(m, i);
}

static void star_edges(maker *m, uint32_t i) {
    for (uint32_t k = 1; i == 0 && k < m->n; k++)
        edge(m, k);
}

static void star_back_edges(maker *m, uint32_t i) {
    star_edges(m, i);
    if (i > 0)
        edge(m, 0);
}

static void grid_edges(maker *m, uint32_t i) {
    if ((i + 1) % m->side != 0)
        edge(m, i + 1);
    if (i + m->side < m->n)
        edge(m, i + m->side);
}

static void wide_edges(maker *m, uint32_t i) {
    if (i == 0)
        edge(m, 1);
    for (uint32_t k = 2; i == 1 && k < m->n; k++)
        edge(m, k);
    if (i >= 2 && i + 1 < m->n)
        edge(m, m->n - 1);
}

static void shuffled_list_edges(maker *m, uint32_t i) {
    if (m->next[i] != UBI_NONE)
        edge(m, m->next[i]);
}

static void random_edges(maker *m, uint32_t i) {
    (void)i;
    for (int k = 0; k < 3; k++)
        edge(m, random_below(m, m->n));
}

static void dense_edges(maker *m, uint32_t i) {
    (void)i;
    for (int k = 0; k < 16; k++)
        edge(m, random_below(m, m->n));
}

/* Nodes 1 to n/2 are the chain. The root's edge to it is the last one: walks take it first. */
static void shared_tail_edges(maker *m, uint32_t i) {
    uint32_t last = m->n / 2;
    for (uint32_t k = last + 1; (i == 0 || i == last) && k < m->n; k++)
        edge(m, k);
    if (i < last)
        edge(m, i == 0 ? 1 : i + 1);
}

static const struct {
    const char *name;
    void (*edges)(maker *m, uint32_t i);
} shapes[UBI__HARD_SHAPE_COUNT] = {
    [UBI__HARD_LIST] = { "list", list_edges },
    [UBI__HARD_LIST_BACK] = { "list-back", list_back_edges },
    [UBI__HARD_STAR] = { "star", star_edges },
    [UBI__HARD_STAR_BACK] = { "star-back", star_back_edges },
    [UBI__HARD_GRID] = { "grid", grid_edges },
    [UBI__HARD_WIDE] = { "wide", wide_edges },
    [UBI__HARD_SHUFFLED_LIST] = { "shuffled-list", shuffled_list_edges },
    [UBI__HARD_RANDOM] = { "random", random_edges },
    [UBI__HARD_SHARED_TAIL] = { "shared-tail", shared_tail_edges },
    [UBI__HARD_DENSE] = { "dense", dense_edges },
};

const char *ubi__hard_shape_name(ubi__hard_shape shape) {
    return shapes[shape].name;
}

/* ---- building -------------------------------------------------------------------------------------------------------- */

/* A random way through all nodes, from the root: `order` shuffled (Fisher and Yates), then turned into successors. */
static ubi_status shuffle(maker *m) {
    uint32_t *order = ubi__alloc_array(m->allocator, m->n, sizeof *order);
    m->next = ubi__alloc_array(m->allocator, m->n, sizeof *m->next);
    if (order && m->next) {
        for (uint32_t i = 0; i < m->n; i++)
            order[i] = i;
        for (uint32_t i = m->n - 1; i > 1; i--) {
            uint32_t k = 1 + random_below(m, i), swap = order[k];
            order[k] = order[i];
            order[i] = swap;
        }
        for (uint32_t i = 0; i < m->n; i++)
            m->next[order[i]] = i + 1 < m->n ? order[i + 1] : UBI_NONE;
    }
    bool made = order && m->next;
    ubi__free_array(m->allocator, order, m->n, sizeof *order);
    return made ? UBI_OK : ubi__fail_nomem();
}

static ubi_status add_nodes(maker *m, ubi__hard_shape shape) {
    ubi_node_desc node = { .stack = UBI_NONE };
    node.kind = (ubi_kind){ .type_name = 0,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OTHER };
    UBI_TRY(ubi_graph_builder_string(m->builder, &node.kind.type_name, ubi__text("Node")));
    for (uint32_t i = 0; i < m->n && m->status == UBI_OK; i++) {
        node.id = id_of(i);
        node.size_bytes = i > 0;
        UBI_TRY(ubi_graph_builder_node(m->builder, &node));
        shapes[shape].edges(m, i);
    }
    return m->status;
}

ubi_status ubi__hard_graph(ubi_graph **out, ubi__hard_shape shape, uint32_t n_nodes, const ubi_allocator *allocator) {
    maker m = { .allocator = ubi__allocator_or_default(allocator), .n = n_nodes, .random = 1 };
    if (n_nodes < 4)
        return ubi__fail(UBI_EINVAL, "a shape of %u nodes; it needs at least 4", n_nodes);
    if (shape == UBI__HARD_GRID) {
        m.side = (uint32_t)sqrt((double)n_nodes);
        m.n = m.side * m.side;
    }
    if (shape == UBI__HARD_SHARED_TAIL)
        m.n |= 1;
    UBI_TRY(ubi_graph_builder_new(&m.builder, m.allocator));
    ubi_status status = shape == UBI__HARD_SHUFFLED_LIST ? shuffle(&m) : UBI_OK;
    if (status == UBI_OK)
        status = add_nodes(&m, shape);
    if (status == UBI_OK)
        status = ubi_graph_builder_finish(out, m.builder);
    ubi__free_array(m.allocator, m.next, m.n, sizeof *m.next);
    ubi_graph_builder_free(m.builder);
    return status;
}
