/* SPDX-License-Identifier: MIT
 *
 * leak_engine_heads.c: of leaked objects that roots of the engine hold, those that leaked objects of the program hold, too.
 *
 * An open connection has handles that the engine keeps until it is closed. Where a list of the program has the connection, the
 * list is what a person can do something about, and the handles belong to what it keeps.
 */
#include "analyses/leaks/leak_finder.h"

#include "base/bits.h"

/* A longer way from a root is one through data. */
#define MOST_LEVELS 8

/* Whether there is neither an object nor a variable on the way to a candidate, nor is it a root itself. */
static bool is_held_by_engine(const ubi_leak_finder *f, ubi_node_ix node) {
    for (unsigned i = 0; i < MOST_LEVELS; i++) {
        ubi_node_ix parent = f->parent[node];
        if (parent == f->view.root)
            return i > 0;
        if (ubi__leak_is_held_by_program(f, parent) ||
            ubi__graph_edge_kind(f->graph, ubi__leak_edge_to(f, node)) == UBI_EDGE_CONTEXT)
            return false;
        node = parent;
    }
    return false;
}

typedef struct reaching {
    const ubi_leak_finder *f;
    uint64_t *engines, *reached; /* a bit per node each */
    ubi__vec_u32 stack;
    uint64_t n_edges, next_report;
} reaching;

static ubi_status reach_targets(reaching *r, ubi_node_ix node) {
    const ubi_leak_finder *f = r->f;
    const ubi_graph *g = f->graph;
    if (f->flags[node] & UBI__LEAK_WEAK_TABLE)
        return UBI_OK;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        ubi_node_ix target = g->target.at[e];
        bool is_free = f->parent[target] == UBI_NONE || ubi__has_bit(r->engines, target);
        if (!is_free || ubi__has_bit(r->reached, target) || !ubi__edge_set_has(f->view.edges, e))
            continue;
        ubi__put_bit(r->reached, target);
        UBI_TRY(ubi__vec_u32_push(&r->stack, f->allocator, target));
    }
    r->n_edges += g->first_edge.at[node + 1] - g->first_edge.at[node];
    return UBI_OK;
}

static ubi_status reach_from(reaching *r, ubi_node_ix head) {
    UBI_TRY(reach_targets(r, head));
    while (r->stack.n) {
        UBI_TRY(reach_targets(r, r->stack.at[--r->stack.n]));
        if (r->n_edges < r->next_report)
            continue;
        r->next_report = r->n_edges + UBI__LEAK_STEP;
        if (!ubi__progress(&r->f->options.progress, "finding leaks", r->n_edges, r->f->graph->n_edges))
            return ubi__fail_cancelled();
    }
    return UBI_OK;
}

static uint32_t find_engines(reaching *r, const ubi_node_ix *waiting, uint32_t n) {
    uint32_t n_engines = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_held_by_engine(r->f, waiting[i])) {
            ubi__put_bit(r->engines, waiting[i]);
            n_engines++;
        }
    return n_engines;
}

/* The others keep their order, at the end of the array. */
static void take_out(ubi_leak_finder *f, const reaching *r, ubi_node_ix *waiting, uint32_t *n) {
    uint32_t to = *n;
    for (uint32_t from = *n; from > 0; from--) {
        ubi_node_ix node = waiting[from - 1];
        if (ubi__has_bit(r->engines, node) && ubi__has_bit(r->reached, node))
            f->parent[node] = UBI_NONE;
        else
            waiting[--to] = node;
    }
    *n -= to;
}

static ubi_status waiting_sift(ubi_leak_finder *f, reaching *r, ubi_node_ix *waiting, uint32_t *n) {
    uint32_t n_engines = find_engines(r, waiting, *n);
    if (n_engines == 0 || n_engines == *n)
        return UBI_OK;
    for (uint32_t i = *n; i > 0; i--)
        if (!ubi__has_bit(r->engines, waiting[i - 1]))
            UBI_TRY(reach_from(r, waiting[i - 1]));
    take_out(f, r, waiting, n);
    return UBI_OK;
}

ubi_status ubi__leak_sift_engine_heads(ubi_leak_finder *f, uint32_t *n_waiting) {
    size_t n_words = f->graph->n_nodes / 64 + 1;
    if (*n_waiting < 2)
        return UBI_OK;
    uint64_t *bits = ubi__calloc_array(f->allocator, 2 * n_words, sizeof *bits);
    if (!bits)
        return ubi__fail_nomem();
    reaching r = { .f = f, .engines = bits, .reached = bits + n_words };
    ubi_status status = waiting_sift(f, &r, f->order + f->graph->n_nodes - *n_waiting, n_waiting);
    ubi__vec_u32_fini(&r.stack, f->allocator);
    ubi__free_array(f->allocator, bits, 2 * n_words, sizeof *bits);
    return status;
}
