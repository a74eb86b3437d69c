/* SPDX-License-Identifier: MIT
 *
 * leak_weights.c: what heavy nodes of the newest heap weighed in an earlier one.
 */
#include "analyses/leaks/leak_finder.h"

#include "base/bits.h"

static void take_weights(ubi__leak_step *step, const ubi_leak_finder *f, const ubi__leak_holdings *past,
                         const uint64_t *scheme_bytes, const uint64_t *weight, const ubi_node_ix *was_rope) {
    const ubi_graph *g = past->graph;
    uint64_t heavy_growth_bytes = 0;
    UBI_ASSERT(step->n_weights == f->heavy.n);
    for (size_t i = 0; i < f->heavy.n; i++) {
        ubi_node_ix node = f->heavy.at[i], before = was_rope ? was_rope[node] : UBI_NONE;
        if (f->flags[node] & UBI__LEAK_THERE)
            before = ubi__id_index_find(&g->ids, g->id.at, f->graph->id.at[node]);
        step->weights[i] = before == UBI_NONE ? UBI__LEAK_ABSENT : weight[before];
        step->own_bytes[i] = before == UBI_NONE ? UBI__LEAK_ABSENT : past->size_bytes[before];
        if (f->flags[node] & UBI__LEAK_THERE && ubi__leak_row_of(f, node) != UBI_NONE && ubi__leak_is_chosen(f, node))
            heavy_growth_bytes += ubi__subtract_u64(ubi__leak_size(f, node), scheme_bytes[before]);
    }
    step->light_growth_bytes = ubi__subtract_u64(step->light_growth_bytes, heavy_growth_bytes);
}

static ubi_status weights_make(ubi__leak_step *step, const ubi_leak_finder *f) {
    step->n_weights = f->heavy.n;
    step->weights = ubi__alloc_array(f->allocator, step->n_weights, sizeof *step->weights);
    step->own_bytes = ubi__alloc_array(f->allocator, step->n_weights, sizeof *step->own_bytes);
    return step->n_weights && (!step->weights || !step->own_bytes) ? ubi__fail_nomem() : UBI_OK;
}

ubi_status ubi__leak_weigh_record(ubi__leak_step *step, const ubi_leak_finder *f, const ubi__leak_holdings *past,
                                  const ubi_node_ix *was_rope) {
    UBI_TRY(weights_make(step, f));
    take_weights(step, f, past, past->size_bytes, past->size_bytes, was_rope);
    for (size_t i = 0; i < step->n_weights; i++)
        step->weights[i] = UBI__LEAK_ABSENT;
    return UBI_OK;
}

ubi_status ubi__leak_weigh_step(ubi__leak_step *step, const ubi_leak_finder *f, const ubi__leak_holdings *past,
                                const uint64_t *scheme_bytes, const uint8_t *marks, const ubi_node_ix *was_rope) {
    const ubi_graph *g = past->graph;
    const ubi__leak_stays stays = { .marks = marks, .stays = 1 };
    UBI_TRY(weights_make(step, f));
    uint64_t *weight = ubi__alloc_array(f->allocator, g->n_nodes, sizeof *weight);
    ubi_status status = weight ? ubi__leak_weigh(weight, NULL, past, &stays) : ubi__fail_nomem();
    if (status == UBI_OK)
        take_weights(step, f, past, scheme_bytes, weight, was_rope);
    ubi__free_array(f->allocator, weight, g->n_nodes, sizeof *weight);
    return status;
}
