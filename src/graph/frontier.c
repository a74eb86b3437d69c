/* SPDX-License-Identifier: MIT
 *
 * frontier.c: sets of nodes, and the frontier of a breadth-first walk, which is made of one (frontier.h).
 */
#include "graph/frontier.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/status.h"

/* ---- sets of nodes ------------------------------------------------------------------------------------------------ */

/*
 * The table grows by a third when three of four slots are used, and is filled again from the refs: the old one is freed
 * before the new one is made, since the refs say all. Linear probing; the hash is scaled to the number of slots, which is no
 * power of two.
 */

#define CHUNK_REFS ((uint32_t)1 << UBI__NODE_SET_CHUNK_BITS)
#define N_MAX (UBI_NONE - 1)
#define SLOTS_LEAST ((size_t)256)
#define AHEAD 16 /* power of two: slots asked for before they are needed, while the table is filled again */

void ubi__node_set_init(ubi__node_set *s, const ubi_allocator *a) {
    memset(s, 0, sizeof *s);
    s->allocator = a;
}

static void drop_slots(ubi__node_set *s) {
    ubi__free_array(s->allocator, s->slots, s->n_slots, sizeof *s->slots);
    s->slots = NULL;
    s->n_slots = 0;
}

void ubi__node_set_fini(ubi__node_set *s) {
    for (size_t i = 0; i < s->chunks.n; i++)
        ubi__free_array(s->allocator, s->chunks.at[i], CHUNK_REFS, sizeof(uint64_t));
    ubi__vec_refs_fini(&s->chunks, s->allocator);
    drop_slots(s);
    ubi__vec_space_fini(&s->spaces, s->allocator);
    ubi__row_table_fini(&s->space_table, s->allocator);
    ubi__vec_u32_fini(&s->space_of, s->allocator);
}

/* ---- spaces ------------------------------------------------------------------------------------------------------- */

static bool is_space(const ubi__node_set *s, uint32_t row, ubi_node node) {
    return s->spaces.at[row].heap == node.heap && s->spaces.at[row].ops == node.ops;
}
UBI_ROW_LOOKUP(space, const ubi__node_set *, ubi_node, is_space);

/* From the second space on, each node has to say in which it is. */
static ubi_status begin_space_of(ubi__node_set *s) {
    UBI_TRY(ubi__vec_u32_reserve(&s->space_of, s->allocator, (size_t)s->n + 1));
    memset(s->space_of.at, 0, s->n * sizeof *s->space_of.at);
    s->space_of.n = s->n;
    return UBI_OK;
}

static ubi_status find_space(ubi__node_set *s, ubi_node node) {
    if (s->spaces.n && is_space(s, s->last_space, node))
        return UBI_OK;
    uint64_t hash = ubi__hash_combine((uint64_t)(uintptr_t)node.heap, (uint64_t)(uintptr_t)node.ops);
    UBI_TRY(ubi__row_table_reserve(&s->space_table, s->allocator, 1));
    ubi__row_slot *slot = space_place(&s->space_table, s, node, hash);
    if (!ubi__row_is_used(slot)) {
        if (s->spaces.n == 1)
            UBI_TRY(begin_space_of(s));
        UBI_TRY(ubi__vec_space_push(&s->spaces, s->allocator, node));
        ubi__row_table_fill(&s->space_table, slot, hash, (uint32_t)s->spaces.n - 1);
    }
    s->last_space = slot->row;
    return UBI_OK;
}

/* ---- slots -------------------------------------------------------------------------------------------------------- */

static uint64_t ref_at(const ubi__node_set *s, uint32_t i) {
    return s->chunks.at[i >> UBI__NODE_SET_CHUNK_BITS][i & (CHUNK_REFS - 1)];
}

ubi_node ubi__node_set_at(const ubi__node_set *s, uint32_t i) {
    UBI_ASSERT(i < s->n);
    ubi_node node = s->spaces.at[s->space_of.n ? s->space_of.at[i] : 0];
    node.ref = ref_at(s, i);
    return node;
}

static uint64_t hash_of(ubi_node node) {
    return ubi__hash_combine((uint64_t)(uintptr_t)node.heap, node.ref);
}

/* The upper half of the hash chooses the slot, the lower one is compared. */
static size_t home_slot(const ubi__node_set *s, uint64_t hash) {
    return (size_t)((hash >> 32) * s->n_slots >> 32);
}
static size_t next_slot(const ubi__node_set *s, size_t i) {
    return i + 1 < s->n_slots ? i + 1 : 0;
}
static uint32_t index_mask(const ubi__node_set *s) {
    return (uint32_t)((UINT64_C(1) << s->index_bits) - 1);
}
static size_t slot_capacity(size_t n_slots) {
    return n_slots - n_slots / 4;
}

static bool is_at(const ubi__node_set *s, uint32_t i, ubi_node node) {
    return ref_at(s, i) == node.ref && s->spaces.at[s->space_of.n ? s->space_of.at[i] : 0].heap == node.heap;
}

void ubi__node_set_check(const ubi__node_set *s) {
    UBI_ASSERT(s->n <= slot_capacity(s->n_slots));
    UBI_ASSERT(s->n <= s->chunks.n << UBI__NODE_SET_CHUNK_BITS);
    UBI_ASSERT(s->n == 0 || s->n <= index_mask(s));
    UBI_ASSERT(s->n == 0 || s->last_space < s->spaces.n);
    UBI_ASSERT(s->spaces.n > 1 ? s->space_of.n == s->n : s->space_of.n == 0);
}

/* Puts the nodes that are there into the empty table. */
static void fill_slots(ubi__node_set *s) {
    uint64_t hashes[AHEAD];
    uint32_t mask = index_mask(s);
    for (uint64_t k = 0; k < (uint64_t)s->n + AHEAD; k++) {
        uint64_t *hash = &hashes[k % AHEAD];
        if (k >= AHEAD) {
            size_t at = home_slot(s, *hash);
            while (s->slots[at] != UBI_NONE)
                at = next_slot(s, at);
            s->slots[at] = ((uint32_t)*hash & ~mask) | (uint32_t)(k - AHEAD);
        }
        if (k < s->n) {
            *hash = hash_of(ubi__node_set_at(s, (uint32_t)k));
            __builtin_prefetch(&s->slots[home_slot(s, *hash)], 1);
        }
    }
}

static ubi_status reserve_slots(ubi__node_set *s, uint32_t extra) {
    size_t need = (size_t)s->n + extra, n_slots = s->n_slots ? s->n_slots : SLOTS_LEAST;
    if (s->n_slots && need <= slot_capacity(n_slots))
        return UBI_OK;
    while (slot_capacity(n_slots) < need)
        n_slots += n_slots / 3;
    drop_slots(s);
    s->slots = ubi__alloc_array(s->allocator, n_slots, sizeof *s->slots);
    if (!s->slots)
        return ubi__fail_nomem();
    memset(s->slots, 0xff, n_slots * sizeof *s->slots);
    s->n_slots = n_slots;
    for (s->index_bits = 1; slot_capacity(n_slots) >> s->index_bits;)
        s->index_bits++;
    fill_slots(s);
    return UBI_OK;
}

static ubi_status reserve_refs(ubi__node_set *s, uint32_t extra) {
    while (s->chunks.n << UBI__NODE_SET_CHUNK_BITS < (size_t)s->n + extra) {
        UBI_TRY(ubi__vec_refs_reserve(&s->chunks, s->allocator, 1));
        uint64_t *chunk = ubi__alloc_array(s->allocator, CHUNK_REFS, sizeof *chunk);
        if (!chunk)
            return ubi__fail_nomem();
        s->chunks.at[s->chunks.n++] = chunk;
    }
    return UBI_OK;
}

/* ---- adding ------------------------------------------------------------------------------------------------------- */

/* Room was reserved. */
static bool add_node(ubi__node_set *s, ubi_node node, uint64_t hash) {
    uint32_t mask = index_mask(s), tag = (uint32_t)hash & ~mask, slot;
    uint32_t *slots = s->slots;
    size_t at = home_slot(s, hash), n_slots = s->n_slots;
    for (; (slot = slots[at]) != UBI_NONE; at = at + 1 < n_slots ? at + 1 : 0)
        if ((slot & ~mask) == tag && is_at(s, slot & mask, node))
            return false;
    slots[at] = tag | s->n;
    s->chunks.at[s->n >> UBI__NODE_SET_CHUNK_BITS][s->n & (CHUNK_REFS - 1)] = node.ref;
    s->n++;
    return true;
}

ubi_status ubi__node_set_add_all(ubi__node_set *s, const ubi_node *nodes, uint32_t n, bool *added) {
    uint64_t hashes[UBI__NODE_SET_BATCH];
    if (s->n > N_MAX - n)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 nodes");
    UBI_TRY(reserve_slots(s, n));
    UBI_TRY(reserve_refs(s, n));
    for (uint32_t i = 0; i < n; i++) {
        hashes[i] = hash_of(nodes[i]);
        __builtin_prefetch(&s->slots[home_slot(s, hashes[i])], 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        UBI_TRY(find_space(s, nodes[i]));
        if (s->spaces.n > 1)
            UBI_TRY(ubi__vec_u32_reserve(&s->space_of, s->allocator, 1));
        added[i] = add_node(s, nodes[i], hashes[i]);
        if (added[i] && s->spaces.n > 1)
            s->space_of.at[s->space_of.n++] = s->last_space;
    }
    ubi__node_set_check(s);
    return UBI_OK;
}

/* ---- frontier ----------------------------------------------------------------------------------------------------- */

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
        if (f->must_abandon[i])
            UBI_TRY(ubi__vec_u32_push(&f->abandoned, f->allocator, number));
        number++;
        if (f->reached)
            UBI_TRY(f->reached(f->reached_payload, f->referents[i]));
    }
    return UBI_OK;
}

/* Whether the node was taken before, as far as the cache knows; if not, it counts as taken now. */
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
    f->must_abandon[f->n_referents++] = abandon;
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
