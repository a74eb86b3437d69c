/* SPDX-License-Identifier: MIT
 *
 * id_index.c: ids to codes to indices (id_index.h).
 */
#include "graph/id_index.h"

#include <string.h>

#include "base/assert.h"
#include "base/column_file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/sanitizers.h"

/*
 * CLONES_POPCNT in front of a function with many __builtin_popcount makes a second version that uses the instruction,
 * chosen when the program is loaded. Sanitizers start before such choices can be made, so there it means nothing.
 */
#if defined(__x86_64__) && defined(__linux__) && !UBI_IS_SANITIZED && !defined(__POPCNT__)
#define CLONES_POPCNT __attribute__((target_clones("popcnt", "default")))
#else
#define CLONES_POPCNT
#endif

#define SLOT_MASK ((UINT32_C(1) << UBI__ID_SLOT_BITS) - 1)
#define BATCH 32
/* Stage of progress. */
#define STAGE "connecting nodes"

#define EDGE_GRAIN (UINT64_C(1) << 16)
#define NODE_GRAIN (UINT64_C(1) << 16)

void ubi__id_index_init(ubi__id_index *x, const ubi_allocator *a) {
    memset(x, 0, sizeof *x);
    x->allocator = a;
}

static void drop_words(ubi__id_index *x) {
    ubi__free_array(x->allocator, x->words, x->n_words, sizeof *x->words);
    x->words = NULL;
    x->n_words = 0;
    ubi__vec_u32_fini(&x->node_of_rank, x->allocator);
}

void ubi__id_index_fini(ubi__id_index *x) {
    ubi__row_table_fini(&x->directory, x->allocator);
    ubi__slots_fini(&x->slots, x->allocator);
    drop_words(x);
    ubi__vec_u64_fini(&x->chunk_key, x->allocator);
    ubi__vec_u64_fini(&x->dictionary, x->allocator);
}

static void id_index_check_ranks(const ubi__id_index *x, uint32_t n_nodes) {
    uint32_t rank = 0;
    uint64_t sum = 0;
    UBI_ASSERT(x->n_words == x->chunk_key.n * UBI__ID_CHUNK_WORDS);
    UBI_ASSERT(x->node_of_rank.n == n_nodes);
    for (size_t i = 0; i < x->n_words; i++) {
        UBI_ASSERT(x->words[i].rank == rank);
        rank += (uint32_t)__builtin_popcount(x->words[i].bits);
    }
    UBI_ASSERT(rank == n_nodes);
    for (uint32_t i = 0; i < n_nodes; i++) {
        UBI_ASSERT(x->node_of_rank.at[i] < n_nodes);
        sum += x->node_of_rank.at[i];
    }
    UBI_ASSERT(n_nodes == 0 || sum == (uint64_t)n_nodes * (n_nodes - 1) / 2); /* each node once */
}

static void id_index_check_hashed(const ubi__id_index *x, uint32_t n_nodes) {
    size_t n = 0;
    UBI_ASSERT(x->slots.n && (x->slots.n & (x->slots.n - 1)) == 0);
    for (size_t i = 0; i < x->slots.n; i++) {
        UBI_ASSERT(x->slots.at[i] == UBI_NONE || x->slots.at[i] < n_nodes);
        n += x->slots.at[i] != UBI_NONE;
    }
    UBI_ASSERT(n <= n_nodes && n < x->slots.n);
}

void ubi__id_index_check(const ubi__id_index *x, uint32_t n_nodes) {
    if (UBI_CHECKS)
        (x->is_hashed ? id_index_check_hashed : id_index_check_ranks)(x, n_nodes);
}

/* ---- chunk directory ---------------------------------------------------------------------------------------------- */

static uint64_t key_of(const ubi__id_index *x, uint64_t id) {
    return id >> (x->shift + UBI__ID_SLOT_BITS);
}

static uint32_t slot_of(const ubi__id_index *x, uint64_t id) {
    return (uint32_t)(id >> x->shift) & SLOT_MASK;
}

static bool is_chunk(const ubi__id_index *x, uint32_t chunk, uint64_t key) {
    return x->chunk_key.at[chunk] == key;
}
UBI_ROW_LOOKUP(chunk, const ubi__id_index *, uint64_t, is_chunk);

static uint32_t find_chunk(const ubi__id_index *x, uint64_t key) {
    return chunk_find(&x->directory, x, key, ubi__hash_u64(key));
}

/* Number of the chunk with this key, made if new; UBI_NONE when there are too many. Changes nothing for a known key. */
static ubi_status chunk_number(ubi__id_index *x, uint64_t key, uint32_t *out) {
    uint64_t hash = ubi__hash_u64(key);
    *out = find_chunk(x, key);
    if (*out != UBI_NONE || x->chunk_key.n >= UBI__ID_MAX_CHUNKS)
        return UBI_OK;
    UBI_TRY(ubi__row_table_reserve(&x->directory, x->allocator, 1));
    UBI_TRY(ubi__vec_u64_push(&x->chunk_key, x->allocator, key));
    *out = (uint32_t)(x->chunk_key.n - 1);
    ubi__row_table_fill(&x->directory, chunk_place(&x->directory, x, key, hash), hash, *out);
    return UBI_OK;
}

static uint64_t id_of_code(const ubi__id_index *x, uint32_t code) {
    return (x->chunk_key.at[code >> UBI__ID_SLOT_BITS] << UBI__ID_SLOT_BITS | (code & SLOT_MASK)) << x->shift;
}

/* ---- clustered codes ---------------------------------------------------------------------------------------------- */

static void choose_shift(ubi__id_index *x, const uint64_t *ids, size_t n) {
    uint64_t low = 0;
    for (size_t i = 0; i < n; i++)
        low |= ids[i];
    x->shift = low & 7 ? 0 : 3;
    x->is_shift_known = true;
}

#define CACHE_ENTRIES 256

/* The chunks used last, direct-mapped by the low bits of their key: nearly every id of a real file hits. */
typedef struct chunk_cache {
    uint64_t key[CACHE_ENTRIES];
    uint32_t base[CACHE_ENTRIES]; /* chunk number, shifted into place */
} chunk_cache;

static void cache_init(chunk_cache *c) {
    for (size_t i = 0; i < CACHE_ENTRIES; i++)
        c->key[i] = UINT64_MAX; /* no key: keys have at most 47 bits */
}

/* Codes ids[0..n) until one does not fit the scheme; how many were coded. */
static ubi_status encode_clustered(ubi__id_index *x, const uint64_t *ids, size_t n, uint32_t *codes, size_t *n_coded) {
    chunk_cache cache;
    cache_init(&cache);
    uint64_t unaligned = (UINT64_C(1) << x->shift) - 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = ids[i], key = key_of(x, id);
        size_t at = key % CACHE_ENTRIES;
        if (ubi__unlikely(cache.key[at] != key)) {
            uint32_t chunk;
            UBI_TRY(chunk_number(x, key, &chunk));
            if (chunk == UBI_NONE) {
                *n_coded = i;
                return UBI_OK;
            }
            cache.key[at] = key;
            cache.base[at] = chunk << UBI__ID_SLOT_BITS;
        }
        if (ubi__unlikely(id & unaligned)) {
            *n_coded = i;
            return UBI_OK;
        }
        codes[i] = cache.base[at] | slot_of(x, id);
    }
    *n_coded = n;
    return UBI_OK;
}

/* ---- hashed codes ------------------------------------------------------------------------------------------------- */

static ubi_status grow_slots(ubi__id_index *x, size_t extra) {
    ubi__slots slots = { NULL, 0 };
    size_t n = ubi__slots_for(x->n_used + extra, 3, 4, x->slots.n ? x->slots.n : 1024);
    if (n == x->slots.n)
        return UBI_OK;
    UBI_TRY(ubi__slots_new(&slots, n, x->allocator));
    for (size_t code = 0; code < x->dictionary.n; code++) {
        size_t i = ubi__hash_u64(x->dictionary.at[code]) & (n - 1);
        while (slots.at[i] != UBI_NONE)
            i = ubi__slots_next(&slots, i);
        slots.at[i] = (uint32_t)code;
    }
    ubi__slots_fini(&x->slots, x->allocator);
    x->slots = slots;
    return UBI_OK;
}

/* Up to BATCH ids at once, so that their cache misses overlap. */
static ubi_status encode_hashed_batch(ubi__id_index *x, const uint64_t *ids, size_t n, uint32_t *codes) {
    size_t home[BATCH];
    UBI_TRY(grow_slots(x, n));
    UBI_TRY(ubi__vec_u64_reserve(&x->dictionary, x->allocator, n));
    for (size_t i = 0; i < n; i++) {
        home[i] = ubi__hash_u64(ids[i]) & (x->slots.n - 1);
        __builtin_prefetch(&x->slots.at[home[i]], 1);
    }
    for (size_t i = 0; i < n; i++)
        if (x->slots.at[home[i]] != UBI_NONE)
            __builtin_prefetch(&x->dictionary.at[x->slots.at[home[i]]]);
    for (size_t i = 0; i < n; i++) {
        size_t s = home[i];
        while (x->slots.at[s] != UBI_NONE && x->dictionary.at[x->slots.at[s]] != ids[i])
            s = (s + 1) & (x->slots.n - 1);
        if (x->slots.at[s] == UBI_NONE) {
            if (x->dictionary.n >= UBI_NONE)
                return ubi__fail(UBI_ELIMIT, "more than 2^32-1 different node ids");
            x->slots.at[s] = (uint32_t)x->dictionary.n;
            x->dictionary.at[x->dictionary.n++] = ids[i];
            x->n_used++;
        }
        codes[i] = x->slots.at[s];
    }
    return UBI_OK;
}

static ubi_status encode_hashed(ubi__id_index *x, const uint64_t *ids, size_t n, uint32_t *codes) {
    for (size_t i = 0; i < n; i += BATCH)
        UBI_TRY(encode_hashed_batch(x, ids + i, n - i < BATCH ? n - i : BATCH, codes + i));
    return UBI_OK;
}

/* Gives up on chunks: all codes so far become dictionary codes. */
static ubi_status switch_to_hashed(ubi__id_index *x, uint32_t *codes, uint64_t n) {
    uint64_t ids[BATCH];
    for (uint64_t i = 0; i < n; i += BATCH) {
        size_t count = n - i < BATCH ? (size_t)(n - i) : BATCH;
        for (size_t k = 0; k < count; k++)
            ids[k] = id_of_code(x, codes[i + k]);
        UBI_TRY(encode_hashed_batch(x, ids, count, codes + i));
    }
    ubi__row_table_fini(&x->directory, x->allocator);
    ubi__vec_u64_fini(&x->chunk_key, x->allocator);
    x->is_hashed = true;
    return UBI_OK;
}

ubi_status ubi__id_index_encode(ubi__id_index *x, const uint64_t *ids, size_t n, uint32_t *codes, uint32_t *done,
                                uint64_t n_done) {
    size_t n_coded = 0;
    if (!x->is_hashed) {
        if (!x->is_shift_known && n)
            choose_shift(x, ids, n);
        UBI_TRY(encode_clustered(x, ids, n, codes, &n_coded));
        if (n_coded == n)
            return UBI_OK;
        UBI_TRY(switch_to_hashed(x, done, n_done));
        n_coded = 0; /* the ids of this call are coded again */
    }
    return encode_hashed(x, ids + n_coded, n - n_coded, codes + n_coded);
}

/* ---- resolving: what both schemes share --------------------------------------------------------------------------- */

typedef struct edge_job {
    const ubi__id_index *x;
    const uint64_t *node_ids;
    const uint32_t *node_of_code; /* hashed */
    uint32_t *codes;
    uint64_t first_bad[UBI__MAX_THREADS]; /* per part: first edge without a target, UINT64_MAX none */
} edge_job;

/* UBI_EFORMAT: some edge, *bad, leads nowhere. */
static ubi_status run_edge_job(edge_job *job, ubi__range_fn fn, uint64_t n_edges, ubi__crew crew, uint64_t *bad) {
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        job->first_bad[i] = UINT64_MAX;
    UBI_TRY(ubi__parallel_pieces(crew, STAGE, n_edges, EDGE_GRAIN, fn, job));
    *bad = UINT64_MAX;
    for (size_t i = 0; i < UBI__MAX_THREADS; i++)
        if (job->first_bad[i] < *bad)
            *bad = job->first_bad[i];
    return *bad == UINT64_MAX ? UBI_OK : UBI_EFORMAT;
}

static ubi_status fail_duplicate(ubi__id_fault *fault, ubi_node_ix node, uint64_t id) {
    *fault = (ubi__id_fault){ UBI__ID_FAULT_DUPLICATE, node, 0, id };
    return ubi__fail(UBI_EFORMAT, "node id %llu is used twice", (unsigned long long)id);
}

static ubi_status fail_dangling(ubi__id_fault *fault, ubi_edge_ix edge, uint64_t id) {
    *fault = (ubi__id_fault){ UBI__ID_FAULT_DANGLING, UBI_NONE, edge, id };
    return ubi__fail(UBI_EFORMAT, "an edge leads to id %llu, which is no node", (unsigned long long)id);
}

/* ---- resolving clustered codes ------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) ubi_node_ix node_of_code(const ubi__id_index *x, uint32_t code) {
    const ubi__id_word *w = &x->words[code >> 5];
    uint32_t bit = UINT32_C(1) << (code & 31);
    if (ubi__unlikely(!(w->bits & bit)))
        return UBI_NONE;
    return x->node_of_rank.at[w->rank + (uint32_t)__builtin_popcount(w->bits & (bit - 1))];
}

static ubi_node_ix find_clustered(const ubi__id_index *x, uint64_t id) {
    if (id & ((UINT64_C(1) << x->shift) - 1))
        return UBI_NONE;
    uint32_t chunk = find_chunk(x, key_of(x, id));
    if (chunk == UBI_NONE)
        return UBI_NONE;
    return node_of_code(x, chunk << UBI__ID_SLOT_BITS | slot_of(x, id));
}

CLONES_POPCNT static void resolve_clustered_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    edge_job *job = payload;
    uint32_t *codes = job->codes;
    /* Three dependent loads per edge; asking for the first two ahead of time keeps several edges in flight. */
    enum { FAR = 24, NEAR = 12 };
    const ubi__id_index *x = job->x;
    if (job->first_bad[part] != UINT64_MAX)
        return;
    for (uint64_t e = begin; e < end; e++) {
        if (e + FAR < end) {
            __builtin_prefetch(&x->words[codes[e + FAR] >> 5]);
            uint32_t near_code = codes[e + NEAR];
            const ubi__id_word *w = &x->words[near_code >> 5];
            uint32_t below = (UINT32_C(1) << (near_code & 31)) - 1;
            __builtin_prefetch(&x->node_of_rank.at[w->rank + (uint32_t)__builtin_popcount(w->bits & below)]);
        }
        ubi_node_ix node = node_of_code(x, codes[e]);
        if (ubi__unlikely(node == UBI_NONE)) {
            job->first_bad[part] = e;
            return;
        }
        codes[e] = node;
    }
}

/* Returns how many nodes are marked. */
CLONES_POPCNT static uint32_t rank_words(ubi__id_index *x) {
    uint32_t rank = 0;
    for (size_t i = 0; i < x->n_words; i++) {
        x->words[i].rank = rank;
        rank += (uint32_t)__builtin_popcount(x->words[i].bits);
    }
    return rank;
}

/* Whether bitmaps cost no more than the hash table would. */
static bool bitmaps_affordable(const ubi__id_index *x, uint32_t n_nodes) {
    uint64_t bytes = (uint64_t)x->chunk_key.n * UBI__ID_CHUNK_WORDS * sizeof(ubi__id_word);
    return bytes <= (uint64_t)n_nodes * 6;
}

/* Makes words for chunks that have none yet. */
static ubi_status cover_chunks(ubi__id_index *x, ubi__pulse *pulse) {
    size_t n = x->chunk_key.n * UBI__ID_CHUNK_WORDS;
    if (n == x->n_words)
        return UBI_OK;
    ubi__id_word *words =
        x->allocator->resize(x->allocator->ctx, x->words, x->n_words * sizeof *words, n * sizeof *words);
    if (!words)
        return ubi__fail_nomem();
    ubi__id_word *fresh = words + x->n_words;
    size_t fresh_bytes = (n - x->n_words) * sizeof *words;
    x->words = words;
    x->n_words = n;
    return ubi__pulse_fill(pulse, fresh, 0, fresh_bytes) ? UBI_OK : ubi__fail_cancelled();
}

static void mark_nodes(ubi__id_index *x, const uint32_t *codes, size_t n) {
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&x->words[codes[i] >> 5], 1);
    for (size_t i = 0; i < n; i++)
        x->words[codes[i] >> 5].bits |= UINT32_C(1) << (codes[i] & 31);
}

#define NODE_BATCH 1024

/* Marks all nodes. *fits false: some id does not fit the scheme, or the ids are too far apart for it to pay. */
static ubi_status mark_all(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, ubi__pulse *pulse,
                           bool *fits) {
    uint32_t codes[NODE_BATCH];
    *fits = bitmaps_affordable(x, n_nodes);
    for (uint64_t i = 0; i < n_nodes && *fits; i += NODE_BATCH) {
        if (i % UBI__PULSE_NODES == 0 && !ubi__pulse_at(pulse, STAGE, i, n_nodes))
            return ubi__fail_cancelled();
        size_t n = n_nodes - i < NODE_BATCH ? (size_t)(n_nodes - i) : NODE_BATCH, n_coded;
        UBI_TRY(encode_clustered(x, node_ids + i, n, codes, &n_coded));
        *fits = n_coded == n && bitmaps_affordable(x, n_nodes); /* the batch may have brought new chunks */
        if (*fits) {
            UBI_TRY(cover_chunks(x, pulse));
            mark_nodes(x, codes, n);
        }
    }
    return UBI_OK;
}

CLONES_POPCNT static void place_nodes(const ubi__id_index *x, uint32_t first, const uint32_t *codes, size_t n) {
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&x->words[codes[i] >> 5]);
    for (size_t i = 0; i < n; i++) {
        const ubi__id_word *w = &x->words[codes[i] >> 5];
        uint32_t below = (UINT32_C(1) << (codes[i] & 31)) - 1;
        x->node_of_rank.at[w->rank + (uint32_t)__builtin_popcount(w->bits & below)] = first + (uint32_t)i;
    }
}

/* There are fewer bits than nodes: marks them once more, one by one, to find the first that was marked before. */
static ubi_status blame_duplicate(ubi__id_index *x, const uint64_t *node_ids, ubi__id_fault *fault) {
    memset(x->words, 0, x->n_words * sizeof *x->words);
    for (uint32_t i = 0;; i++) {
        uint32_t code;
        size_t n_coded;
        UBI_TRY(encode_clustered(x, &node_ids[i], 1, &code, &n_coded));
        if (x->words[code >> 5].bits >> (code & 31) & 1)
            return fail_duplicate(fault, i, node_ids[i]);
        mark_nodes(x, &code, 1);
    }
}

typedef struct place_job {
    ubi__id_index *x;
    const uint64_t *node_ids;
} place_job;

/* Every chunk is known, so that coding only reads the index, and every node has a place of its own. */
static void place_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const place_job *job = payload;
    uint32_t codes[NODE_BATCH];
    (void)part;
    for (uint64_t i = begin; i < end; i += NODE_BATCH) {
        size_t n = end - i < NODE_BATCH ? (size_t)(end - i) : NODE_BATCH, n_coded;
        (void)encode_clustered(job->x, job->node_ids + i, n, codes, &n_coded);
        place_nodes(job->x, (uint32_t)i, codes, n);
    }
}

/* Bits are marked: makes ranks of them and notes which node has which. */
static ubi_status rank_nodes(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, ubi__crew crew,
                             ubi__id_fault *fault) {
    if (rank_words(x) != n_nodes)
        return blame_duplicate(x, node_ids, fault);
    UBI_TRY(ubi__vec_u32_reserve(&x->node_of_rank, x->allocator, n_nodes));
    x->node_of_rank.n = n_nodes;
    ubi__vec_u32_trim(&x->node_of_rank, x->allocator);
    place_job job = { x, node_ids };
    return ubi__parallel_pieces(crew, STAGE, n_nodes, NODE_GRAIN, place_range, &job);
}

static ubi_status resolve_clustered(ubi__id_index *x, const uint64_t *node_ids, uint32_t *codes, uint64_t n_edges,
                                    ubi__crew crew, ubi__id_fault *fault) {
    edge_job job = { .x = x, .node_ids = node_ids, .codes = codes };
    uint64_t bad = 0;
    ubi_status status = run_edge_job(&job, resolve_clustered_range, n_edges, crew, &bad);
    if (status != UBI_EFORMAT)
        return status;
    return fail_dangling(fault, bad, id_of_code(x, codes[bad]));
}

/* ---- resolving hashed codes ---------------------------------------------------------------------------------------- */

static void resolve_hashed_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    edge_job *job = payload;
    if (job->first_bad[part] != UINT64_MAX)
        return;
    for (uint64_t e = begin; e < end; e++) {
        if (e + 16 < end)
            __builtin_prefetch(&job->node_of_code[job->codes[e + 16]]);
        ubi_node_ix node = job->node_of_code[job->codes[e]];
        if (ubi__unlikely(node == UBI_NONE)) {
            job->first_bad[part] = e;
            return;
        }
        job->codes[e] = node;
    }
}

/* node_of_code[dictionary.n], from the ids of all nodes. */
static ubi_status label_codes(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, ubi__vec_u32 *labels,
                              ubi__id_fault *fault) {
    uint32_t codes[BATCH];
    for (uint64_t i = 0; i < n_nodes; i += BATCH) {
        uint32_t count = n_nodes - i < BATCH ? (uint32_t)(n_nodes - i) : BATCH;
        UBI_TRY(encode_hashed_batch(x, node_ids + i, count, codes));
        UBI_TRY(ubi__vec_u32_reserve(labels, x->allocator, x->dictionary.n - labels->n));
        while (labels->n < x->dictionary.n)
            labels->at[labels->n++] = UBI_NONE;
        for (uint32_t k = 0; k < count; k++) {
            if (labels->at[codes[k]] != UBI_NONE)
                return fail_duplicate(fault, (uint32_t)i + k, node_ids[i + k]);
            labels->at[codes[k]] = (uint32_t)i + k;
        }
    }
    return UBI_OK;
}

static ubi_status resolve_labelled(ubi__id_index *x, const ubi__vec_u32 *labels, uint32_t *codes, uint64_t n_edges,
                                   ubi__crew crew, ubi__id_fault *fault) {
    edge_job job = { .x = x, .node_of_code = labels->at, .codes = codes };
    uint64_t bad = 0;
    ubi_status status = run_edge_job(&job, resolve_hashed_range, n_edges, crew, &bad);
    if (status == UBI_EFORMAT)
        return fail_dangling(fault, bad, x->dictionary.at[codes[bad]]);
    UBI_TRY(status);
    /* Every code that an edge uses is a node, and every node has a code, so the table can hold nodes from here on. */
    for (size_t i = 0; i < x->slots.n; i++)
        if (x->slots.at[i] != UBI_NONE)
            x->slots.at[i] = labels->at[x->slots.at[i]];
    ubi__vec_u64_fini(&x->dictionary, x->allocator);
    return UBI_OK;
}

static ubi_status resolve_hashed(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, uint32_t *codes,
                                 uint64_t n_edges, ubi__crew crew, ubi__id_fault *fault) {
    ubi__vec_u32 labels = { NULL, 0, 0 };
    ubi_status status = ubi__vec_u32_reserve(&labels, x->allocator, x->dictionary.n);
    if (status == UBI_OK) {
        while (labels.n < x->dictionary.n)
            labels.at[labels.n++] = UBI_NONE;
        status = label_codes(x, node_ids, n_nodes, &labels, fault);
    }
    if (status == UBI_OK)
        status = resolve_labelled(x, &labels, codes, n_edges, crew, fault);
    if (status == UBI_OK)
        ubi__id_index_check(x, n_nodes);
    ubi__vec_u32_fini(&labels, x->allocator);
    return status;
}

/* ---- entry points --------------------------------------------------------------------------------------------------- */

ubi_status ubi__id_index_resolve(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, uint32_t *codes,
                                 uint64_t n_edges, ubi__crew crew, ubi__id_fault *fault) {
    memset(fault, 0, sizeof *fault);
    if (!x->is_hashed) {
        if (!x->is_shift_known)
            choose_shift(x, node_ids, n_nodes);
        bool fits;
        UBI_TRY(mark_all(x, node_ids, n_nodes, crew.pulse, &fits));
        if (fits) {
            UBI_TRY(rank_nodes(x, node_ids, n_nodes, crew, fault));
            ubi__id_index_check(x, n_nodes);
            return resolve_clustered(x, node_ids, codes, n_edges, crew, fault);
        }
        drop_words(x);
        UBI_TRY(switch_to_hashed(x, codes, n_edges));
    }
    return resolve_hashed(x, node_ids, n_nodes, codes, n_edges, crew, fault);
}

ubi_status ubi__id_index_first_of_each(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes,
                                       uint32_t *n_repeated) {
    ubi__id_index fresh;
    ubi__id_index_init(&fresh, x->allocator);
    UBI_TRY(ubi__slots_new(&fresh.slots, ubi__slots_for(n_nodes, 3, 4, 1024), x->allocator));
    fresh.is_hashed = true;
    *n_repeated = 0;
    for (uint32_t n = 0; n < n_nodes; n++) {
        size_t i = ubi__hash_u64(node_ids[n]) & (fresh.slots.n - 1);
        while (fresh.slots.at[i] != UBI_NONE && node_ids[fresh.slots.at[i]] != node_ids[n])
            i = ubi__slots_next(&fresh.slots, i);
        if (fresh.slots.at[i] == UBI_NONE)
            fresh.slots.at[i] = n;
        else
            (*n_repeated)++;
    }
    ubi__id_index_fini(x);
    *x = fresh;
    ubi__id_index_check(x, n_nodes);
    return UBI_OK;
}

ubi_node_ix ubi__id_index_find(const ubi__id_index *x, const uint64_t *node_ids, uint64_t id) {
    if (!x->is_hashed)
        return find_clustered(x, id);
    size_t i = ubi__hash_u64(id) & (x->slots.n - 1);
    while (x->slots.at[i] != UBI_NONE && node_ids[x->slots.at[i]] != id)
        i = (i + 1) & (x->slots.n - 1);
    return x->slots.at[i];
}

/* ---- passing ------------------------------------------------------------------------------------------------------- */

static bool words_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__id_word *words = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= (uint64_t)words[i].rank + (uint32_t)__builtin_popcount(words[i].bits) <= rule->limit;
    return are_right;
}

static ubi_status chunks_pass(ubi__columns *c, ubi__id_index *x) {
    ubi__vec_u64 keys = x->chunk_key;
    uint32_t chunk;
    UBI_TRY(UBI__COLUMN(c, "id chunks", &keys, NULL));
    UBI_TRY(ubi__columns_expect(c, keys.n <= UBI__ID_MAX_CHUNKS, "id chunks"));
    for (size_t i = 0; !c->writer && i < keys.n; i++) {
        UBI_TRY(chunk_number(x, keys.at[i], &chunk));
        UBI_TRY(ubi__columns_expect(c, chunk == i, "id chunks"));
    }
    return UBI_OK;
}

ubi_status ubi__id_index_pass(ubi__columns *c, ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes) {
    uint32_t scheme[2] = { x->is_hashed, x->shift }, n_repeated;
    UBI_TRY(ubi__columns_value(c, "id scheme", scheme, sizeof scheme));
    UBI_TRY(ubi__columns_expect(c, scheme[0] <= 1 && (scheme[1] == 0 || scheme[1] == 3), "id scheme"));
    if (scheme[0])
        return c->writer ? UBI_OK : ubi__id_index_first_of_each(x, node_ids, n_nodes, &n_repeated);
    const ubi__column_rule words = { words_hold, n_nodes, NULL }, nodes = ubi__column_below(n_nodes);
    if (!c->writer) { /* what is written may be in use */
        x->shift = scheme[1];
        x->is_shift_known = true;
    }
    UBI_TRY(chunks_pass(c, x));
    UBI_TRY(ubi__columns_array(c, "id words", (void **)&x->words, &x->n_words, sizeof *x->words, &words));
    UBI_TRY(ubi__columns_expect(c, x->n_words == x->chunk_key.n * UBI__ID_CHUNK_WORDS, "id words"));
    UBI_TRY(UBI__COLUMN(c, "nodes by id", &x->node_of_rank, &nodes));
    return ubi__columns_expect(c, x->node_of_rank.n == n_nodes, "nodes by id");
}

uint64_t ubi__id_index_bytes(const ubi__id_index *x) {
    return x->n_words * sizeof *x->words + x->node_of_rank.cap * sizeof *x->node_of_rank.at +
           x->slots.n * sizeof *x->slots.at + x->directory.n_slots * sizeof *x->directory.slots +
           x->chunk_key.cap * sizeof *x->chunk_key.at + x->dictionary.cap * sizeof *x->dictionary.at;
}
