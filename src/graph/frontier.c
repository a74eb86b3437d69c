/* SPDX-License-Identifier: MIT
 *
 * frontier.c: what a walk within boundaries has reached (frontier.h).
 */
#include "graph/frontier.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/status.h"

ubi__frontier *ubi__frontier_new(const ubi_allocator *allocator, ubi__reached_fn reached, void *reached_payload) {
    ubi__frontier *f = UBI_NEW(allocator, ubi__frontier);
    if (!f) {
        ubi__fail_nomem();
        return NULL;
    }
    f->allocator = allocator;
    ubi__node_set_init(&f->seen, allocator);
    f->reached = reached;
    f->reached_payload = reached_payload;
    return f;
}

void ubi__frontier_check(const ubi__frontier *f) {
    bool is_dense = f->ref_limit != 0;
    uint32_t n_reached = is_dense ? f->n_refs : f->seen.n;
    size_t n = f->abandoned.n;
    UBI_ASSERT(f->next <= n_reached);
    UBI_ASSERT(is_dense == (f->bits != NULL) && is_dense == (f->refs != NULL));
    UBI_ASSERT(!is_dense || (f->seen.n == 0 && f->n_referents == 0));
    UBI_ASSERT(is_dense || f->n_refs == 0);
    UBI_ASSERT(f->n_refs <= f->ref_limit);
    UBI_ASSERT(f->n_referents < UBI__NODE_SET_BATCH);
    UBI_ASSERT(f->next_abandoned <= n);
    UBI_ASSERT(n < 2 || f->abandoned.at[n - 2] < f->abandoned.at[n - 1]);
    UBI_ASSERT(f->next_abandoned == n || f->abandoned.at[f->next_abandoned] >= f->next);
}

/* ---- dense -------------------------------------------------------------------------------------------------------- */

static size_t bit_words(uint64_t ref_limit) {
    return (size_t)(ref_limit / 64 + 1);
}

static void end_dense(ubi__frontier *f) {
    ubi__free_array(f->allocator, f->bits, bit_words(f->ref_limit), sizeof *f->bits);
    ubi__free_array(f->allocator, f->refs, (size_t)f->ref_limit, sizeof *f->refs);
    f->bits = NULL;
    f->refs = NULL;
    f->ref_limit = 0;
    f->n_refs = 0;
}

static ubi_status begin_dense(ubi__frontier *f, ubi_node first, uint64_t ref_limit) {
    size_t n_words = bit_words(ref_limit);
    f->bits = ubi__alloc_array(f->allocator, n_words, sizeof *f->bits);
    f->refs = ubi__alloc_array(f->allocator, (size_t)ref_limit, sizeof *f->refs);
    f->space = first;
    f->ref_limit = ref_limit;
    if (!f->bits || !f->refs) {
        end_dense(f);
        return ubi__fail_nomem();
    }
    memset(f->bits, 0, n_words * sizeof *f->bits);
    return UBI_OK;
}

/* Numbers stay as they are. */
static ubi_status leave_dense(ubi__frontier *f) {
    ubi_node nodes[UBI__NODE_SET_BATCH];
    bool added[UBI__NODE_SET_BATCH];
    for (uint32_t i = 0; i < f->n_refs;) {
        uint32_t n = 0;
        for (; n < UBI__NODE_SET_BATCH && i < f->n_refs; n++, i++) {
            nodes[n] = f->space;
            nodes[n].ref = f->refs[i];
        }
        UBI_TRY(ubi__node_set_add_all(&f->seen, nodes, n, added));
    }
    end_dense(f);
    return UBI_OK;
}

void ubi__frontier_free(ubi__frontier *f) {
    if (!f)
        return;
    const ubi_allocator *a = f->allocator;
    end_dense(f);
    ubi__node_set_fini(&f->seen);
    ubi__vec_u32_fini(&f->abandoned, a);
    UBI_DELETE(a, f);
}

/* ---- taking ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__frontier_flush(ubi__frontier *f) {
    bool added[UBI__NODE_SET_BATCH];
    uint32_t number = f->seen.n, n = f->n_referents;
    if (n == 0)
        return UBI_OK;
    UBI_TRY(ubi__node_set_add_all(&f->seen, f->referents, n, added));
    f->n_referents = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!added[i])
            continue;
        if (f->abandon[i])
            UBI_TRY(ubi__vec_u32_push(&f->abandoned, f->allocator, number));
        number++;
        if (f->reached)
            UBI_TRY(f->reached(f->reached_payload, f->referents[i]));
    }
    return UBI_OK;
}

/* Whether the node was taken before, as far as the cache tells; if not, it counts as taken now. */
static bool is_recent(ubi__frontier *f, ubi_node node) {
    uint64_t key = node.ref ^ (uint64_t)(uintptr_t)node.heap;
    ubi_node *recent = &f->recent[ubi__cache_place(key, UBI__FRONTIER_RECENT_BITS)];
    if (recent->ops && ubi_node_equal(*recent, node))
        return true;
    *recent = node;
    return false;
}

ubi_status ubi__frontier_take_other(ubi__frontier *f, ubi_node node, bool abandon) {
    if (f->ref_limit)
        UBI_TRY(leave_dense(f));
    else if (f->seen.n == 0 && f->n_referents == 0) {
        uint64_t ref_limit = ubi_node_ref_limit(node);
        if (node.ref < ref_limit && ref_limit < UBI_NONE) {
            UBI_TRY(begin_dense(f, node, ref_limit));
            return ubi__frontier_take(f, node, abandon);
        }
    }
    if (is_recent(f, node))
        return UBI_OK;
    f->referents[f->n_referents] = node;
    f->abandon[f->n_referents++] = abandon;
    return f->n_referents == UBI__NODE_SET_BATCH ? ubi__frontier_flush(f) : UBI_OK;
}

/* ---- turns -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__frontier_next_other(ubi__frontier *f, ubi_node *node, bool *has_edges, bool *more) {
    /* The more referents at once the better; there is time until the batch is full or the queue empty. */
    if (!f->ref_limit && f->next == f->seen.n)
        UBI_TRY(ubi__frontier_flush(f));
    *more = f->next < (f->ref_limit ? f->n_refs : f->seen.n);
    if (!*more)
        return UBI_OK;
    if (f->ref_limit) {
        *node = f->space;
        node->ref = f->refs[f->next];
        ubi__frontier_prefetch(f);
    } else {
        *node = ubi__node_set_at(&f->seen, f->next);
    }
    *has_edges = f->next_abandoned == f->abandoned.n || f->abandoned.at[f->next_abandoned] != f->next;
    f->next_abandoned += !*has_edges;
    f->next++;
    ubi__frontier_check(f);
    return UBI_OK;
}
