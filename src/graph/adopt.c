/* SPDX-License-Identifier: MIT
 *
 * adopt.c: see adopt.h.
 */
#include "graph/adopt.h"

#include "base/bits.h"

typedef struct walk {
    const ubi_view *view;
    const ubi_allocator *allocator;
    uint64_t *reached, *led_to; /* a bit per node */
    ubi__vec_u32 waiting;
} walk;

/* All that `start` reaches. */
static ubi_status reach_from(walk *w, ubi_node_ix start) {
    const ubi_graph *g = w->view->graph;
    ubi__put_bit(w->reached, start);
    UBI_TRY(ubi__vec_u32_push(&w->waiting, w->allocator, start));
    while (w->waiting.n) {
        ubi_node_ix n = w->waiting.at[--w->waiting.n];
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (ubi__has_bit(w->reached, target) || !ubi__edge_set_has(w->view->edges, e))
                continue;
            ubi__put_bit(w->reached, target);
            UBI_TRY(ubi__vec_u32_push(&w->waiting, w->allocator, target));
        }
    }
    return UBI_OK;
}

static void mark_led_to(walk *w) {
    const ubi_graph *g = w->view->graph;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (g->target.at[e] != n && ubi__edge_set_has(w->view->edges, e))
                ubi__put_bit(w->led_to, g->target.at[e]);
}

static ubi_status adopt_orphans(ubi__vec_u32 *out, walk *w) {
    const ubi_graph *g = w->view->graph;
    UBI_TRY(reach_from(w, w->view->root));
    mark_led_to(w);
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (!ubi__has_bit(w->reached, n) && !ubi__has_bit(w->led_to, n)) {
            UBI_TRY(ubi__vec_u32_push(out, w->allocator, n));
            UBI_TRY(reach_from(w, n));
        }
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (!ubi__has_bit(w->reached, n))
            UBI_TRY(ubi__vec_u32_push(out, w->allocator, n));
    return UBI_OK;
}

ubi_status ubi__view_adopted(ubi__vec_u32 *out, const ubi_view *view, const ubi_allocator *a) {
    size_t n_words = view->graph->n_nodes / 64 + 1;
    walk w = { .view = view,
               .allocator = a,
               .reached = ubi__calloc_array(a, n_words, sizeof(uint64_t)),
               .led_to = ubi__calloc_array(a, n_words, sizeof(uint64_t)) };
    ubi_status status = w.reached && w.led_to ? adopt_orphans(out, &w) : ubi__fail_nomem();
    ubi__free_array(a, w.reached, n_words, sizeof(uint64_t));
    ubi__free_array(a, w.led_to, n_words, sizeof(uint64_t));
    ubi__vec_u32_fini(&w.waiting, a);
    return status;
}
