/* SPDX-License-Identifier: MIT
 *
 * leak_unlisted.c: what came and stayed, or became larger, and is in no list: the remainder that a gate must not overlook.
 *
 * Objects and values that stay are in clusters, and what became larger is among what grew. Left are the engine's own things that no leaked
 * object holds (code, contexts, tables), and what grew too little to report, node by node. It is counted by nodes and not by the
 * sizes of the heaps, so that what was freed meanwhile hides nothing.
 */
#include "analyses/leaks/leak_finder.h"
#include "base/bits.h"

/* Bits of listed[node]. */
enum {
    BY_CLUSTER = 1, /* leaked objects hold it */
    BY_YOUNG = 2    /* what is too young to be leaked does, or it is that */
};

static uint8_t *listed_make(const ubi_leak_finder *f) {
    uint8_t *listed = ubi__calloc_array(f->allocator, f->graph->n_nodes, 1);
    for (uint32_t i = f->n_old; listed && i < f->n_met; i++)
        listed[f->order[i]] |= i < f->n_around ? BY_YOUNG : BY_CLUSTER;
    return listed;
}

/* Whether a node counts to one that grew, or to one that --where leaves out. */
static bool counts_elsewhere(const ubi__leak_growth *w, ubi_node_ix node) {
    ubi_node_ix to = w->counts_to[node];
    return w->is_listed[node] || (to != UBI_NONE && (w->is_listed[to] || !ubi__leak_is_chosen(w->f, to)));
}

/*
 * Classes of the engine whose nodes get new ids in each heap, as V8's nodes of embedders may: no node is known again, but the class has become
 * larger.
 */
static bool is_renewed(const ubi_leak_finder *f, uint32_t row) {
    uint32_t newest_past = ubi__leak_past_count(f) - 1;
    return !f->tallies.at[row].has_held && !f->tallies.at[row].survivors[1] &&
           ubi__leak_past_tally(f, newest_past, row).count;
}

/*
 * The object that a node of such a class belongs to: the first on the way up that is known again, or that a program holds. Its parent was met
 * before it, and has its own owner.
 */
static ubi_node_ix owner_of_renewed(const ubi_leak_finder *f, const ubi_node_ix *owner, ubi_node_ix node) {
    bool is_owner =
        f->first_seen[node] != UBI__LEAK_NEVER || f->parent[node] == node || ubi__leak_is_held_by_program(f, node);
    return is_owner ? node : owner[f->parent[node]];
}

/*
 * What leaked objects have of such classes is listed with these, or too young to be. It came with the step with which its owner came.
 * O(nodes). Errors: UBI_ENOMEM.
 */
static ubi_status count_listed(uint64_t *came, const ubi__leak_growth *w, const uint8_t *listed) {
    const ubi_leak_finder *f = w->f;
    ubi_node_ix *owner = ubi__alloc_array(f->allocator, f->graph->n_nodes, sizeof *owner);
    if (!owner)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        uint32_t row = ubi__leak_row_of(f, node);
        owner[node] = owner_of_renewed(f, owner, node);
        if (i >= f->n_old && listed[node] && row != UBI_NONE && is_renewed(f, row) &&
            !(f->flags[owner[node]] & UBI__LEAK_WAS_OLD))
            came[ubi__leak_step_of(f, owner[node])] += ubi__leak_size(f, node);
    }
    ubi__free_array(f->allocator, owner, f->graph->n_nodes, sizeof *owner);
    return UBI_OK;
}

/* @param growth_bytes  growth_bytes[n_steps + 1]: of these classes since OLD, in each heap. */
static void sum_renewed_classes(uint64_t *growth_bytes, const ubi__leak_growth *w) {
    const ubi_leak_finder *f = w->f;
    for (uint32_t row = 0; row < f->n_rows; row++) {
        uint64_t in_old = ubi__leak_past_tally(f, UBI_LEAK_OLD, row).bytes;
        for (uint32_t heap = 1; heap <= w->n_steps && is_renewed(f, row); heap++) {
            uint64_t then =
                heap < w->n_steps ? ubi__leak_past_tally(f, heap, row).bytes : f->tallies.at[row].newest.bytes;
            growth_bytes[heap] = ubi__add_u64(growth_bytes[heap], ubi__subtract_u64(then, in_old));
        }
    }
}

static ubi_status add_renewed_classes(ubi__leak_growth *w, const uint8_t *listed) {
    const ubi_allocator *a = w->f->allocator;
    uint64_t *growth_bytes = ubi__calloc_array(a, 2 * w->leaks->steps.n, sizeof *growth_bytes), sum = 0;
    if (!growth_bytes)
        return ubi__fail_nomem();
    uint64_t *came = growth_bytes + w->leaks->steps.n;
    sum_renewed_classes(growth_bytes, w);
    ubi_status status = count_listed(came, w, listed);
    for (uint32_t heap = 1; status == UBI_OK && heap <= w->n_steps; heap++) {
        sum += came[heap - 1];
        w->leaks->unlisted_bytes[heap] =
            ubi__add_u64(w->leaks->unlisted_bytes[heap], ubi__subtract_u64(growth_bytes[heap], sum));
    }
    ubi__free_array(a, growth_bytes, 2 * w->leaks->steps.n, sizeof *growth_bytes);
    return status;
}

/* What young objects alone have of the engine is as young, even if its id is that of an earlier node of an embedder. */
static bool is_unlisted(const ubi__leak_growth *w, const uint8_t *listed, ubi_node_ix node) {
    const ubi_leak_finder *f = w->f;
    bool is_engines = !ubi__leak_is_held_by_program(f, node);
    bool is_young = ubi__leak_three(f) && (is_engines || !(f->flags[node] & (UBI__LEAK_WAS_OLD | UBI__LEAK_WAS_NEW)));
    return !(listed[node] & BY_CLUSTER) && !(is_young && listed[node] & BY_YOUNG) && node != f->view.root &&
           ubi__leak_row_of(f, node) != UBI_NONE && !is_renewed(f, ubi__leak_row_of(f, node)) &&
           ubi__leak_is_chosen(f, node) && !counts_elsewhere(w, node);
}

/* From the heap with which a node came on, its bytes are there. */
static void add_new_node(ubi__leak_growth *w, ubi_node_ix node) {
    uint64_t *bytes = w->leaks->unlisted_bytes;
    for (uint32_t heap = ubi__leak_step_of(w->f, node) + 1; heap <= w->n_steps; heap++)
        bytes[heap] = ubi__add_u64(bytes[heap], w->f->holdings.size_bytes[node]);
}

/* By so much it has become larger since each heap; the sum of the last is that since OLD. */
static void add_growth(ubi__leak_growth *w, size_t heavy) {
    ubi_node_ix node = w->f->heavy.at[heavy];
    uint64_t newest = w->f->holdings.size_bytes[node], *bytes = w->leaks->unlisted_bytes;
    uint64_t in_old = w->f->steps.at[UBI_LEAK_OLD].own_bytes[heavy], before = in_old;
    for (uint32_t heap = 1; heap <= w->n_steps; heap++) {
        uint64_t then = heap < w->n_steps ? w->f->steps.at[heap].own_bytes[heavy] : newest;
        before = then == UBI__LEAK_ABSENT ? before : then;
        bytes[heap] = ubi__add_u64(bytes[heap], ubi__subtract_u64(before < newest ? before : newest, in_old));
    }
}

static void add_light_growth(ubi__leak_growth *w) {
    const ubi__vec_leak_step *steps = &w->f->steps;
    uint64_t since_old = steps->at[UBI_LEAK_OLD].light_growth_bytes, *bytes = w->leaks->unlisted_bytes;
    for (uint32_t heap = 1; heap <= w->n_steps; heap++) {
        uint64_t since = heap < w->n_steps ? steps->at[heap].light_growth_bytes : 0;
        bytes[heap] = ubi__add_u64(bytes[heap], ubi__subtract_u64(since_old, since));
    }
}

ubi_status ubi__leak_sum_unlisted(ubi__leak_growth *w) {
    ubi_leak_finder *f = w->f;
    ubi_leaks *leaks = w->leaks;
    UBI_ASSERT(leaks->steps.n == (size_t)w->n_steps + 1);
    leaks->unlisted_bytes = ubi__calloc_array(f->allocator, leaks->steps.n, sizeof *leaks->unlisted_bytes);
    leaks->unlisted_grew = ubi__calloc_array(f->allocator, leaks->steps.n, 1);
    uint8_t *listed = listed_make(f);
    if (!leaks->unlisted_bytes || !leaks->unlisted_grew || !listed) {
        ubi__free_array(f->allocator, listed, f->graph->n_nodes, 1);
        return ubi__fail_nomem();
    }
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (!(f->flags[node] & UBI__LEAK_WAS_OLD) && is_unlisted(w, listed, node))
            add_new_node(w, node);
    for (size_t i = 0; i < f->heavy.n; i++)
        if (f->flags[f->heavy.at[i]] & UBI__LEAK_WAS_OLD && is_unlisted(w, listed, f->heavy.at[i]))
            add_growth(w, i);
    add_light_growth(w);
    /* Which nodes of a class are chosen is known in the newest heap only. */
    ubi_status status = f->options.chosen ? UBI_OK : add_renewed_classes(w, listed);
    ubi__free_array(f->allocator, listed, f->graph->n_nodes, 1);
    return status;
}

void ubi__leak_add_rows_to_unlisted(ubi__leak_growth *w, int sign) {
    uint64_t *bytes = w->leaks->unlisted_bytes;
    for (size_t i = 0; i < w->leaks->growing.n; i++) {
        const uint64_t *of_row = w->leaks->growing.at[i].bytes;
        for (uint32_t heap = 1; heap <= w->n_steps; heap++) {
            uint64_t growth_bytes = ubi__subtract_u64(of_row[heap], of_row[0]);
            bytes[heap] =
                sign > 0 ? ubi__add_u64(bytes[heap], growth_bytes) : ubi__subtract_u64(bytes[heap], growth_bytes);
        }
    }
}

void ubi__leak_judge_unlisted(ubi__leak_growth *w) {
    ubi_leaks *leaks = w->leaks;
    uint32_t in_new = ubi__leak_three(w->f) ? w->n_steps - 1 : w->n_steps;
    ubi_leak_grown sum = { .bytes = leaks->unlisted_bytes, .grew = leaks->unlisted_grew };
    sum.grown_bytes = leaks->unlisted_bytes[w->n_steps];
    sum.control_bytes = ubi__leak_count_in_control(w->f->options.control, UBI__LEAK_UNLISTED_FINGERPRINT);
    ubi_leak_verdict verdict = ubi__leak_judge_bytes(&sum, leaks->unlisted_grew, w->f);
    leaks->unlisted = (ubi_leak_unlisted){ .stayed_bytes = leaks->unlisted_bytes[in_new],
                                           .grown_bytes = sum.grown_bytes,
                                           .bytes_at = leaks->unlisted_bytes,
                                           .verdict = verdict,
                                           .is_counted = ubi__leak_verdict_counts(w->f, verdict) };
}
