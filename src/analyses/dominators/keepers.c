/* SPDX-License-Identifier: MIT
 *
 * keepers.c: finding the nodes that explain who holds a heap.
 *
 * Only large nodes matter, and there are few of them: at most a hundred beside each other. One sweep over all nodes lists
 * them; walking up from each finds the next one above, and no node is walked twice. (Sizes that wrap at 2^64 can make many
 * nodes large. Nothing breaks then: the list is only longer.)
 */
#include "analyses/dominators/keeper_finder.h"

#define LARGE_SHARE 100 /* 1 in so many */

void ubi__keeper_finder_check(const ubi__keeper_finder *f) {
    for (size_t i = 0; UBI_CHECKS && i < f->large.n; i++) {
        const ubi__large *l = &f->large.at[i];
        UBI_ASSERT(f->place[l->node] == i + 1);
        UBI_ASSERT(i == 0 || f->large.at[i - 1].node < l->node);
        UBI_ASSERT(l->above == UBI_NONE || (l->above < f->large.n && l->above != i));
        UBI_ASSERT(f->large.at[UBI_INDEX(l->counts_at, f->large.n)].counts_at == l->counts_at);
        UBI_ASSERT(l->counts_at == i || l->exclusive_bytes == 0);
    }
}

/* ---- large nodes ------------------------------------------------------------------------------------------------- */

/* Whether a node may be a keeper. Internals may where nothing but the root is above them. */
static bool is_candidate(const ubi__keeper_finder *f, ubi_node_ix node, ubi_node_ix dominator) {
    return !ubi__keeper_is_root(f, node) && (!ubi__keeper_is_internal(f, node) || ubi__keeper_is_root(f, dominator));
}

#define NODES_PER_STEP (1u << 20)

static ubi_status list_large(ubi__keeper_finder *f) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        if (node % NODES_PER_STEP == 0 && !ubi__progress(f->progress, "looking for keepers", node, f->graph->n_nodes))
            return ubi__fail_cancelled();
        uint64_t retained = ubi_dominators_retained_bytes(f->dominators, node);
        if (retained < f->threshold_bytes)
            continue;
        ubi_node_ix dominator = ubi_dominators_immediate(f->dominators, node);
        if (dominator == UBI_NONE || !is_candidate(f, node, dominator))
            continue;
        uint32_t place = (uint32_t)f->large.n;
        UBI_TRY(ubi__large_list_push(&f->large, f->allocator,
                                     (ubi__large){ .node = node,
                                                   .above = UBI_NONE,
                                                   .counts_at = place,
                                                   .keeper = UBI_NONE,
                                                   .exclusive_bytes = retained }));
        f->place[node] = place + 1;
    }
    return UBI_OK;
}

/* The large node at `node` or nearest above it; UBI_NONE: only the root is. Remembers the answer on the way. */
static uint32_t nearest_large(ubi__keeper_finder *f, ubi_node_ix node) {
    ubi_node_ix root = ubi_dominators_root(f->dominators), at = node;
    while (at != root && f->place[at] == 0)
        at = ubi_dominators_immediate(f->dominators, at);
    if (at == root)
        return UBI_NONE;
    uint32_t place = f->place[at];
    for (; f->place[node] == 0; node = ubi_dominators_immediate(f->dominators, node))
        f->place[node] = place;
    return place - 1;
}

static void subtract_from_above(ubi__keeper_finder *f) {
    for (size_t i = 0; i < f->large.n; i++) {
        ubi__large *l = &f->large.at[i];
        l->above = nearest_large(f, ubi_dominators_immediate(f->dominators, l->node));
        if (l->above != UBI_NONE)
            f->large.at[l->above].exclusive_bytes -= ubi_dominators_retained_bytes(f->dominators, l->node);
    }
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

/* Keeps out[n] sorted, at most `max`; what is equal to one in the list stays behind it. */
static void offer_keeper(ubi_keeper *out, uint32_t *n, uint32_t max, ubi_keeper keeper) {
    uint32_t at = *n;
    while (at > 0 && keeper.exclusive_bytes > out[at - 1].exclusive_bytes)
        at--;
    if (at == max)
        return;
    if (*n < max)
        ++*n;
    for (uint32_t i = *n - 1; i > at; i--)
        out[i] = out[i - 1];
    out[at] = keeper;
}

static void keepers_select(ubi_keeper *out, uint32_t *n, uint32_t max, const ubi__keeper_finder *f) {
    for (size_t i = 0; i < f->large.n; i++) {
        const ubi__large *l = &f->large.at[i];
        if (l->counts_at == i && l->exclusive_bytes >= f->threshold_bytes)
            offer_keeper(out, n, max,
                         (ubi_keeper){ .node = l->node,
                                       .retained_bytes = ubi_dominators_retained_bytes(f->dominators, l->node),
                                       .exclusive_bytes = l->exclusive_bytes,
                                       .held_kind = UBI_NONE });
    }
}

/* ---- from options to keepers ------------------------------------------------------------------------------------- */

static ubi_status keepers_find(ubi_keeper *out, uint32_t *n, uint32_t max, ubi__keeper_finder *f) {
    uint32_t found = 0;
    f->place = ubi__calloc_array(f->allocator, f->graph->n_nodes, sizeof *f->place);
    if (!f->place)
        return ubi__fail_nomem();
    UBI_TRY(ubi__families_init(&f->families, f->graph, f->allocator));
    UBI_TRY(list_large(f));
    subtract_from_above(f);
    ubi__keeper_finder_check(f);
    UBI_TRY(ubi__keepers_join(f));
    ubi__keeper_finder_check(f);
    keepers_select(out, &found, max, f);
    for (uint32_t i = 1; UBI_CHECKS && i < found; i++)
        UBI_ASSERT(out[i - 1].exclusive_bytes >= out[i].exclusive_bytes);
    UBI_TRY(ubi__keepers_describe(f, out, found));
    *n = found;
    return UBI_OK;
}

ubi_status ubi_keepers_find(ubi_keeper *out, uint32_t *n, uint32_t max, const ubi_dominators *dominators,
                            const ubi_graph *graph, const ubi_keepers_options *options) {
    static const ubi_keepers_options defaults = UBI_KEEPERS_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_KEEPERS_OPTIONS_VERSION, "ubi_keepers_options"));
    if (!options)
        options = &defaults;
    uint64_t all = ubi_dominators_retained_bytes(dominators, ubi_dominators_root(dominators));
    ubi__keeper_finder f = {
        .dominators = dominators,
        .graph = graph,
        .allocator = ubi__allocator_or_default(options->allocator),
        .progress = &options->progress,
        .is_root_kind = options->is_root_kind,
        .threshold_bytes = all / LARGE_SHARE > options->least_bytes ? all / LARGE_SHARE : options->least_bytes,
    };
    ubi_status status = keepers_find(out, n, max, &f);
    ubi__large_list_fini(&f.large, f.allocator);
    ubi__families_fini(&f.families, f.allocator);
    ubi__free_array(f.allocator, f.place, graph->n_nodes, sizeof *f.place);
    return status;
}
