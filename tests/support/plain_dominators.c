/* SPDX-License-Identifier: MIT
 *
 * plain_dominators.c: see plain_dominators.h.
 */
#include "plain_dominators.h"

#include <stdlib.h>
#include <string.h>

typedef struct plain {
    const ubi_view *view;
    uint32_t n_nodes;
    ubi_node_ix *order;
    uint32_t n; /* of order */
    bool *seen;
    bool *adopted; /* children of the root without an edge */
} plain;

static bool counts(const plain *p, ubi_edge_ix edge) {
    return !p->view->edges || ubi_edge_set_has(p->view->edges, edge);
}

/* ---- post-order ------------------------------------------------------------------------------------------------------ */

typedef struct frame {
    ubi_node_ix node;
    ubi_edge_ix next; /* the edges before this one are still to be taken */
} frame;

static void walk(plain *p, ubi_node_ix start, bool keep_start) {
    const ubi_graph *g = p->view->graph;
    frame *stack = malloc(p->n_nodes * sizeof *stack);
    uint32_t depth = 0;
    stack[depth++] = (frame){ start, ubi_graph_first_edge(g, start + 1) };
    p->seen[start] = true;
    while (depth > 0) {
        frame *f = &stack[depth - 1];
        if (f->next == ubi_graph_first_edge(g, f->node)) {
            if (f->node != start || keep_start)
                p->order[p->n++] = f->node;
            depth--;
            continue;
        }
        ubi_node_ix target = ubi_graph_edge_target(g, --f->next);
        if (p->seen[target] || !counts(p, f->next))
            continue;
        p->seen[target] = true;
        stack[depth++] = (frame){ target, ubi_graph_first_edge(g, target + 1) };
    }
    free(stack);
}

static bool has_other_source(const plain *p, ubi_node_ix node) {
    const ubi_graph *g = p->view->graph;
    for (ubi_node_ix source = 0; source < p->n_nodes; source++)
        for (ubi_edge_ix e = ubi_graph_first_edge(g, source); e < ubi_graph_first_edge(g, source + 1); e++)
            if (source != node && ubi_graph_edge_target(g, e) == node && counts(p, e))
                return true;
    return false;
}

static void adopt(plain *p) {
    for (ubi_node_ix node = 0; node < p->n_nodes; node++)
        if (!p->seen[node] && !has_other_source(p, node)) {
            p->adopted[node] = true;
            walk(p, node, true);
        }
    for (ubi_node_ix node = 0; node < p->n_nodes; node++)
        if (!p->seen[node]) {
            p->seen[node] = p->adopted[node] = true;
            p->order[p->n++] = node;
        }
}

static plain plain_walk(ubi_node_ix *order, const ubi_view *view) {
    plain p = { .view = view, .n_nodes = ubi_graph_node_count(view->graph), .order = order };
    p.seen = calloc(p.n_nodes, sizeof *p.seen);
    p.adopted = calloc(p.n_nodes, sizeof *p.adopted);
    walk(&p, view->root, false);
    if (view->orphans == UBI_ORPHANS_ADOPT)
        adopt(&p);
    order[p.n++] = view->root;
    return p;
}

static void plain_free(plain *p) {
    free(p->seen);
    free(p->adopted);
}

uint32_t plain_post_order(ubi_node_ix *order, const ubi_view *view) {
    plain p = plain_walk(order, view);
    plain_free(&p);
    return p.n;
}

/* ---- iteration, on places in post-order ---------------------------------------------------------------------------- */

static uint32_t intersect(const uint32_t *dominator, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a < b)
            a = dominator[a];
        while (b < a)
            b = dominator[b];
    }
    return a;
}

static bool enter_from(uint32_t *dominator, uint32_t place, uint32_t source) {
    uint32_t now = dominator[place] == UBI_NONE ? source : intersect(dominator, dominator[place], source);
    bool changed = now != dominator[place];
    dominator[place] = now;
    return changed;
}

/* Pushes what is known along every edge once; whether that changed anything. */
static bool iterate(uint32_t *dominator, const plain *p, const uint32_t *place) {
    const ubi_graph *g = p->view->graph;
    bool changed = false;
    for (uint32_t i = p->n; i-- > 0;) {
        ubi_node_ix node = p->order[i];
        if (p->adopted[node])
            changed |= enter_from(dominator, i, p->n - 1);
        for (ubi_edge_ix e = ubi_graph_first_edge(g, node); e < ubi_graph_first_edge(g, node + 1); e++) {
            uint32_t target = place[ubi_graph_edge_target(g, e)];
            if (counts(p, e) && target != p->n - 1 && dominator[i] != UBI_NONE)
                changed |= enter_from(dominator, target, i);
        }
    }
    return changed;
}

void plain_dominators(ubi_node_ix *immediate, const ubi_view *view) {
    uint32_t n_nodes = ubi_graph_node_count(view->graph);
    ubi_node_ix *order = malloc(n_nodes * sizeof *order);
    uint32_t *place = malloc(n_nodes * sizeof *place), *dominator = malloc(n_nodes * sizeof *dominator);
    plain p = plain_walk(order, view);
    memset(immediate, 0xff, n_nodes * sizeof *immediate);
    memset(dominator, 0xff, n_nodes * sizeof *dominator);
    for (uint32_t i = 0; i < p.n; i++)
        place[order[i]] = i;
    dominator[p.n - 1] = p.n - 1;
    while (iterate(dominator, &p, place))
        ;
    for (uint32_t i = 0; i + 1 < p.n; i++)
        immediate[order[i]] = order[dominator[i]];
    plain_free(&p);
    free(order);
    free(place);
    free(dominator);
}
