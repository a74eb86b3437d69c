/* SPDX-License-Identifier: MIT
 *
 * generator.c: entry point of the generator, and the shapes that need no memory.
 *
 * A simple shape is a node count and an enumeration of the edges of node i; node indices are file order, 0 is the
 * root.
 */
#include "generator_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "v8_heap.h"

#define CREATION_TIME_US UINT64_C(1700000000000000)
#define NODES_MAX (UINT32_MAX - 1)
#define FIRST_ADDRESS UINT64_C(0x2a5c00000000)
#define CELL_BYTES 64

static const struct {
    const char *name, *help;
} shapes[UBI__SHAPE_COUNT] = {
    [UBI__SHAPE_BROWSER] = { "browser", "modelled on a whole idle browser" },
    [UBI__SHAPE_RANDOM_IDS] = { "random-ids", "browser with ids scattered over 48 bits, unaligned" },
    [UBI__SHAPE_INLINE_NAMES] = { "inline-names", "browser with the name spelled out at every edge" },
    [UBI__SHAPE_UNREACHABLE] = { "unreachable", "browser with three of ten nodes out of reach" },
    [UBI__SHAPE_SHUFFLED] = { "shuffled", "a binary tree and random edges, nodes in random order" },
    [UBI__SHAPE_LIST] = { "list", "every node leads to the next" },
    [UBI__SHAPE_STAR] = { "star", "the root leads to every other node" },
    [UBI__SHAPE_GRID] = { "grid", "row by row, every node leads right and down" },
    [UBI__SHAPE_V8] = { "v8", "V8's format: a Node.js program that keeps syntax trees and records" },
    [UBI__SHAPE_V8_LIST] = { "v8-list", "V8's format: every object leads to the next" },
    [UBI__SHAPE_V8_STAR] = { "v8-star", "V8's format: one array leads to every other node" },
    [UBI__SHAPE_V8_SHAPES] = { "v8-shapes", "V8's format: plain objects, all of different shapes" },
    [UBI__SHAPE_V8_ESCAPED] = { "v8-escaped", "V8's format: strings of nothing but escapes" },
    [UBI__SHAPE_V8_HUGE] = { "v8-huge", "V8's format: strings of a mebibyte each" },
};

const char *ubi__shape_name(ubi__shape shape) {
    return shapes[shape].name;
}
const char *ubi__shape_help(ubi__shape shape) {
    return shapes[shape].help;
}
ubi__shape ubi__shape_find(const char *name) {
    ubi__shape shape = 0;
    while (shape < UBI__SHAPE_COUNT && strcmp(name, shapes[shape].name) != 0)
        shape++;
    return shape;
}

uint64_t ubi__scattered_id(uint64_t seed, uint64_t n) {
    const uint64_t mask = (UINT64_C(1) << 48) - 1;
    uint64_t x = (n + seed * 2654435761) & mask; /* every step is a bijection of 48 bits */
    x = x * UINT64_C(0x5851f42d4c95) & mask;
    x ^= x >> 24;
    x = x * UINT64_C(0x9e3779b97f4b) & mask;
    return x ^ x >> 25;
}

ubi_status ubi__generator_node(ubi__generator *g, const ubi__fxs_node *node, uint64_t n_edges) {
    UBI_TRY(ubi__fxs_encode_node(g->encoder, node));
    g->result.n_nodes++;
    g->result.n_edges += n_edges;
    return UBI_OK;
}

/* ---- permutation of node indices, for the shuffled shape --------------------------------------------------------- */

/** A Feistel network over 2 * half_bits bits; values above n are walked on, so it permutes 0 ... n-1. */
typedef struct permutation {
    uint64_t n;
    unsigned half_bits;
    uint64_t keys[4];
} permutation;

static void permutation_init(permutation *p, uint64_t n, ubi__random *random) {
    p->n = n;
    p->half_bits = 1;
    while (UINT64_C(1) << 2 * p->half_bits < n)
        p->half_bits++;
    for (int i = 0; i < 4; i++)
        p->keys[i] = ubi__random_next(random);
}

static uint64_t feistel_round(const permutation *p, uint64_t x, int key) {
    ubi__random hash = { p->keys[key] ^ x };
    return ubi__random_next(&hash) & ((UINT64_C(1) << p->half_bits) - 1);
}

static uint64_t permute(const permutation *p, uint64_t x) {
    uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;
    do {
        uint64_t left = x >> p->half_bits, right = x & mask;
        for (int i = 0; i < 4; i++) {
            uint64_t next = left ^ feistel_round(p, right, i);
            left = right;
            right = next;
        }
        x = left << p->half_bits | right;
    } while (x >= p->n);
    return x;
}

static uint64_t permute_back(const permutation *p, uint64_t x) {
    uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;
    do {
        uint64_t left = x >> p->half_bits, right = x & mask;
        for (int i = 3; i >= 0; i--) {
            uint64_t previous = right ^ feistel_round(p, left, i);
            right = left;
            left = previous;
        }
        x = left << p->half_bits | right;
    } while (x >= p->n);
    return x;
}

/* ---- the simple shapes ------------------------------------------------------------------------------------------- */

typedef struct simple_heap {
    ubi__shape shape;
    uint64_t n_nodes, n_edges;
    uint64_t width; /* grid */
    uint64_t seed;
    permutation order; /* shuffled: tree position 1.. -> file position 1.., both less one */
    ubi_str_ix names[2];
    uint64_t node; /* whose edges are asked for */
    uint64_t n_written;
    ubi__fxs_edge_fn fn;
    void *fn_payload;
} simple_heap;

static ubi_status edge_to(simple_heap *h, uint64_t target, int name) {
    ubi__fxs_edge edge = { .referent = FIRST_ADDRESS + target * CELL_BYTES, .name = h->names[name] };
    h->n_written++;
    return h->fn(h->fn_payload, &edge);
}

static uint64_t file_position(const simple_heap *h, uint64_t tree_position) {
    return tree_position ? 1 + permute(&h->order, tree_position - 1) : 0;
}

static uint64_t edges_of_tree_node(const simple_heap *h, uint64_t t) {
    uint64_t first = 2 * t + 1;
    return first >= h->n_nodes ? 0 : first + 1 >= h->n_nodes ? 1 : 2;
}

/** The children in the tree, and a fair share of the random edges. */
static ubi_status shuffled_edges(simple_heap *h) {
    uint64_t t = h->node ? 1 + permute_back(&h->order, h->node - 1) : 0;
    for (uint64_t i = 0, n = edges_of_tree_node(h, t); i < n; i++)
        UBI_TRY(edge_to(h, file_position(h, 2 * t + 1 + i), (int)i));
    uint64_t n_extra_all = h->n_edges - (h->n_nodes - 1);
    uint64_t n_extra = n_extra_all / h->n_nodes + (h->node < n_extra_all % h->n_nodes);
    ubi__random random = { h->seed ^ h->node << 20 };
    for (uint64_t i = 0; i < n_extra; i++)
        UBI_TRY(edge_to(h, 1 + ubi__random_below(&random, h->n_nodes - 1), 1));
    return UBI_OK;
}

static ubi_status grid_edges(simple_heap *h) {
    uint64_t i = h->node;
    if (i % h->width + 1 < h->width && i + 1 < h->n_nodes)
        UBI_TRY(edge_to(h, i + 1, 0));
    return i + h->width < h->n_nodes ? edge_to(h, i + h->width, 1) : UBI_OK;
}

static ubi_status star_edges(simple_heap *h) {
    for (uint64_t i = 1; h->node == 0 && i < h->n_nodes; i++)
        UBI_TRY(edge_to(h, i, 0));
    return UBI_OK;
}

static ubi_status simple_edges(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    simple_heap *h = payload;
    h->fn = fn;
    h->fn_payload = fn_payload;
    h->n_written = 0; /* the last enumeration counts */
    switch (h->shape) {
    case UBI__SHAPE_STAR:
        return star_edges(h);
    case UBI__SHAPE_GRID:
        return grid_edges(h);
    case UBI__SHAPE_SHUFFLED:
        return shuffled_edges(h);
    default:
        return h->node + 1 < h->n_nodes ? edge_to(h, h->node + 1, 0) : UBI_OK;
    }
}

static ubi_status size_grid(simple_heap *h, const ubi__generator_options *o) {
    if (o->n_nodes)
        return ubi__fail(UBI_EINVAL, "a grid takes its size from the number of edges");
    uint64_t w = 2;
    while (2 * w * (w + 1) <= o->n_edges) /* edges of a square of side w + 1 */
        w++;
    h->width = w;
    h->n_nodes = w * w;
    h->n_edges = 2 * w * (w - 1);
    return UBI_OK;
}

/** Fills in whichever of the two counts was not given. */
static ubi_status size_simple(simple_heap *h, const ubi__generator_options *o) {
    if (h->shape == UBI__SHAPE_GRID)
        return size_grid(h, o);
    uint64_t edges_per_node = h->shape == UBI__SHAPE_SHUFFLED ? 3 : 1;
    h->n_nodes = o->n_nodes ? o->n_nodes : o->n_edges / edges_per_node + 1;
    h->n_edges = o->n_edges ? o->n_edges : edges_per_node * (h->n_nodes - 1);
    if (h->n_edges < h->n_nodes - 1 || (edges_per_node == 1 && h->n_edges != h->n_nodes - 1) || h->n_nodes < 2)
        return ubi__fail(UBI_EINVAL, "the shape %s cannot have %llu nodes and %llu edges", ubi__shape_name(h->shape),
                         (unsigned long long)h->n_nodes, (unsigned long long)h->n_edges);
    return UBI_OK;
}

static ubi_status generate_simple(ubi__generator *g) {
    simple_heap h = { .shape = g->options->shape, .seed = g->options->seed };
    UBI_TRY(size_simple(&h, g->options));
    if (h.n_nodes > NODES_MAX)
        return ubi__fail(UBI_ELIMIT, "more than %u nodes", NODES_MAX);
    permutation_init(&h.order, h.n_nodes - 1, &g->random);
    UBI_TRY(ubi__fxs_encode_string(g->encoder, &h.names[0], ubi__text("next")));
    UBI_TRY(ubi__fxs_encode_string(g->encoder, &h.names[1], ubi__text("down")));
    ubi__fxs_node node = { .size_bytes = 1,
                           .class_name = UBI_NONE,
                           .script_filename = UBI_NONE,
                           .descriptive_name = UBI_NONE,
                           .edges = simple_edges,
                           .edges_payload = &h };
    UBI_TRY(ubi__fxs_encode_string(g->encoder, &node.type_name, ubi__text("JS::ubi::RootList")));
    for (; h.node < h.n_nodes; h.node++) {
        node.id = FIRST_ADDRESS + h.node * CELL_BYTES;
        if (h.node == 1) {
            node.size_bytes = CELL_BYTES;
            node.coarse_type = UBI_COARSE_OBJECT;
            UBI_TRY(ubi__fxs_encode_string(g->encoder, &node.type_name, ubi__text("JSObject")));
            UBI_TRY(ubi__fxs_encode_byte_string(g->encoder, &node.class_name, ubi__text("Object")));
        }
        UBI_TRY(ubi__generator_node(g, &node, 0));
        g->result.n_edges += h.n_written;
    }
    g->result.n_reachable = g->result.n_nodes;
    return UBI_OK;
}

/* ---- entry point ------------------------------------------------------------------------------------------------- */

static ubi_status generate(ubi__generator *g) {
    UBI_TRY(ubi__fxs_encode_begin(g->encoder, &(ubi__fxs_metadata){ .has_time = true, .time_us = CREATION_TIME_US }));
    UBI_TRY(g->options->shape < UBI__SHAPE_SHUFFLED ? ubi__generate_browser(g) : generate_simple(g));
    UBI_TRY(ubi__fxs_encode_end(g->encoder));
    g->result.stream_bytes = ubi__fxs_encode_totals(g->encoder).stream_bytes;
    return UBI_OK;
}

ubi_status ubi__generate(const ubi__generator_options *options, ubi__write_fn write, void *payload,
                         ubi__generator_result *result) {
    if (!options->n_nodes && !options->n_edges)
        return ubi__fail(UBI_EINVAL, "how many nodes or edges?");
    if (ubi__shape_is_v8(options->shape))
        return ubi__generate_v8(options, write, payload, result);
    ubi__generator g = { .options = options, .allocator = ubi_allocator_default(), .random = { options->seed } };
    UBI_TRY(ubi__fxs_encode_new(&g.encoder, write, payload, g.allocator));
    ubi_status status = generate(&g);
    ubi__fxs_encode_free(g.encoder);
    if (status == UBI_OK && result)
        *result = g.result;
    return status;
}
