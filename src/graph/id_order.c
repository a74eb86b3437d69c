/* SPDX-License-Identifier: MIT
 *
 * id_order.c: nodes in the order of their ids (id_index.h). Where ids cluster, the index has it: only its chunks are sorted.
 */
#include "graph/id_index.h"

#include <string.h>

#include "base/merge_sort.h"
#include "base/status.h"

typedef struct keyed {
    uint64_t key; /* an id, or the key of a chunk */
    uint32_t at;
} keyed;

#define KEYED_BEFORE(unused, a, b) ((a).key < (b).key)
UBI_SORT_DEFINE(sort_keyed, keyed, void *, KEYED_BEFORE);

/* Ranks are in order within a chunk, and chunks in the order in which they were met. */
static void chunks_copy(uint32_t *out, const ubi__id_index *x, const keyed *chunks) {
    for (size_t i = 0; i < x->chunk_key.n; i++) {
        size_t word = chunks[i].at * UBI__ID_CHUNK_WORDS, end = word + UBI__ID_CHUNK_WORDS;
        uint32_t first = x->words[word].rank,
                 n = (end < x->n_words ? x->words[end].rank : (uint32_t)x->node_of_rank.n) - first;
        if (n)
            memcpy(out, x->node_of_rank.at + first, n * sizeof *out);
        out += n;
    }
}

ubi_status ubi__id_index_order(uint32_t *out, const ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes) {
    bool has_ranks = !x->is_hashed && x->node_of_rank.n == n_nodes;
    size_t n = has_ranks ? x->chunk_key.n : n_nodes;
    keyed *rows = ubi__alloc_array(x->allocator, n, sizeof *rows),
          *spare = ubi__alloc_array(x->allocator, n, sizeof *spare);
    ubi_status status = n && (!rows || !spare) ? ubi__fail_nomem() : UBI_OK;
    for (size_t i = 0; i < n && status == UBI_OK; i++)
        rows[i] = (keyed){ has_ranks ? x->chunk_key.at[i] : node_ids[i], (uint32_t)i };
    if (n && status == UBI_OK)
        sort_keyed(rows, spare, n, NULL);
    if (has_ranks && status == UBI_OK)
        chunks_copy(out, x, rows);
    for (size_t i = 0; !has_ranks && i < n && status == UBI_OK; i++)
        out[i] = rows[i].at;
    ubi__free_array(x->allocator, rows, n, sizeof *rows);
    ubi__free_array(x->allocator, spare, n, sizeof *spare);
    return status;
}
