/* SPDX-License-Identifier: MIT
 *
 * leak_ropes.c: which texts of the newest heap are those of an earlier one that others were added to.
 *
 * `log += line` makes a new node, with the one that stood for the log before as its half. So the earlier one is a part of a rope now,
 * and was none: the rope is the same text, and has become larger. Of several such parts the largest is what it was.
 */
#include "analyses/leaks/leak_finder.h"

typedef struct roping {
    ubi_leak_finder *f;
    const ubi__leak_holdings *past;
    ubi_node_ix *was; /* was[n_nodes] */
} roping;

static void look_at_part(roping *r, ubi_node_ix part) {
    const ubi_leak_finder *f = r->f;
    const ubi_graph *past = r->past->graph;
    ubi_node_ix rope = ubi__leak_rope_of(&f->holdings, part);
    if (rope == UBI_NONE || !(f->flags[part] & UBI__LEAK_THERE) || f->flags[rope] & UBI__LEAK_THERE)
        return;
    ubi_node_ix before = ubi__id_index_find(&past->ids, past->id.at, f->graph->id.at[part]), best = r->was[rope];
    if (ubi__leak_rope_of(r->past, before) != UBI_NONE)
        return; /* a part then, too: that which it was a part of counts */
    if (best == UBI_NONE || r->past->size_bytes[before] > r->past->size_bytes[best])
        r->was[rope] = UBI_INDEX(before, past->n_nodes);
}

static void mark_rope(ubi_leak_finder *f, ubi_node_ix rope, uint32_t step, bool is_last) {
    f->flags[rope] |= (uint8_t)((step == UBI_LEAK_OLD ? UBI__LEAK_WAS_OLD : 0) | (is_last ? UBI__LEAK_WAS_NEW : 0));
    if (step < f->first_seen[rope])
        f->first_seen[rope] = (uint16_t)step;
}

ubi_status ubi__leak_find_grown_ropes(ubi_node_ix **out, ubi_leak_finder *f, uint32_t step, bool is_last,
                                      const ubi__leak_holdings *past) {
    size_t n = f->graph->n_nodes;
    roping r = { .f = f, .past = past };
    *out = NULL;
    if (!f->holdings.rope_of)
        return UBI_OK;
    r.was = ubi__alloc_array(f->allocator, n, sizeof *r.was);
    if (!r.was)
        return ubi__fail_nomem();
    memset(r.was, 0xff, n * sizeof *r.was); /* UBI_NONE */
    for (ubi_node_ix node = 0; node < n; node++)
        look_at_part(&r, node);
    for (ubi_node_ix node = 0; node < n; node++)
        if (r.was[node] != UBI_NONE)
            mark_rope(f, node, step, is_last);
    *out = r.was;
    return UBI_OK;
}
