/* SPDX-License-Identifier: MIT
 *
 * id_index.h: 64-bit node ids to dense node indices.
 *
 * While a graph is built, an edge's target is known by id only, and the node may come later. Storing 8 bytes per edge
 * until then would double the edges, so each id is turned into a 32-bit *code* at once, and codes into indices at the end.
 *
 * Real ids are addresses: multiples of 8 that lie in a few hundred one-megabyte stretches. So a code is
 *
 *     chunk number (15 bits) | slot within the chunk (17 bits)        clustered
 *
 * where the chunk number comes from a small directory keyed by the id's high bits. In the end each chunk has a bitmap of
 * the slots that are nodes, in words of 32 bits with the count of nodes before them, so code -> rank is one 8-byte load,
 * and `node_of_rank` gives the index. That is about 6 bytes per node and stays as the id index of the graph.
 *
 * Ids that do not cluster (or are not multiples of 8 where the first ones were) fall back to a dictionary:
 *
 *     order of first appearance                                       hashed
 *
 * whose hash table, re-labelled, becomes the index: 5 to 11 bytes per node. (Slots of 4 bytes; those of
 * base/table.h have 8.)
 */
#ifndef UBI_GRAPH_ID_INDEX_H
#define UBI_GRAPH_ID_INDEX_H

#include "base/parallel.h"
#include "base/slots.h"
#include "base/table.h"

typedef struct ubi__id_word {
    uint32_t bits; /* bit i: slot i of this word is a node */
    uint32_t rank; /* nodes in all words before */
} ubi__id_word;

typedef struct ubi__id_index {
    const ubi_allocator *allocator;
    bool is_hashed;

    /* clustered */
    bool is_shift_known;
    unsigned shift;           /* low bits that every id has clear: 3 or 0 */
    ubi__vec_u64 chunk_key;   /* chunk number -> id >> (shift + UBI__ID_SLOT_BITS) */
    ubi__row_table directory; /* over chunk_key */
    ubi__id_word *words;      /* n_chunks * UBI__ID_CHUNK_WORDS, once finished */
    size_t n_words;
    ubi__vec_u32 node_of_rank;

    /* hashed */
    ubi__vec_u64 dictionary; /* code -> id, while building */
    ubi__slots slots;        /* code while building, node index once finished */
    size_t n_used;
} ubi__id_index;

#define UBI__ID_SLOT_BITS 17
#define UBI__ID_CHUNK_WORDS ((size_t)1 << (UBI__ID_SLOT_BITS - 5))
#define UBI__ID_MAX_CHUNKS 32767

/** What kept ids from being resolved. */
typedef enum ubi__id_fault_kind {
    UBI__ID_FAULT_NONE,
    UBI__ID_FAULT_DUPLICATE,
    UBI__ID_FAULT_DANGLING
} ubi__id_fault_kind;

typedef struct ubi__id_fault {
    ubi__id_fault_kind kind;
    ubi_node_ix node; /* DUPLICATE: the second node of that id; DANGLING: not set */
    ubi_edge_ix edge; /* DANGLING: the first edge whose target is unknown */
    uint64_t id;
} ubi__id_fault;

/**
 * That a finished index leads to `n_nodes` nodes: words count the nodes before them and every rank has a node, or the hash
 * table is not full. O(words + nodes).
 */
void ubi__id_index_check(const ubi__id_index *x, uint32_t n_nodes);

void ubi__id_index_init(ubi__id_index *x, const ubi_allocator *a);
void ubi__id_index_fini(ubi__id_index *x);

/**
 * Codes of n ids. `done[0..n_done)` are the codes given out so far, all of them: they are rewritten if the ids turn out
 * not to cluster.
 */
ubi_status ubi__id_index_encode(ubi__id_index *x, const uint64_t *ids, size_t n, uint32_t *codes, uint32_t *done,
                                uint64_t n_done);

/**
 * Replaces codes by node indices and makes the index ready for ubi__id_index_find.
 *
 * @param node_ids  node_ids[n_nodes]. @param codes  codes[n_edges], rewritten in place.
 * @param fault  filled when the result is UBI_EFORMAT.
 * Cost: O(nodes + edges); `threads` share the edges.
 */
ubi_status ubi__id_index_resolve(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes, uint32_t *codes,
                                 uint64_t n_edges, ubi__crew crew, ubi__id_fault *fault);

/**
 * Rebuilds the index, after resolve failed with a duplicate: of nodes that share an id, the first is found.
 * @param n_repeated  how many nodes cannot be found.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__id_index_first_of_each(ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes,
                                       uint32_t *n_repeated);

/** Node of this id, or UBI_NONE. Needs resolve. */
ubi_node_ix ubi__id_index_find(const ubi__id_index *x, const uint64_t *node_ids, uint64_t id);

/**
 * Nodes in the order of their ids; of those that share one, in their own order.
 * @param out  out[n_nodes]. Cost: O(words + nodes), O(nodes log nodes) and 32 bytes per node where ids do not cluster or are repeated.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__id_index_order(uint32_t *out, const ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes);

struct ubi__columns;
/**
 * Passes a finished index of these nodes (base/column_file.h). Hash tables are not kept, for their hashes are seeded: they are made
 * again. Errors: those of passing.
 */
ubi_status ubi__id_index_pass(struct ubi__columns *c, ubi__id_index *x, const uint64_t *node_ids, uint32_t n_nodes);

uint64_t ubi__id_index_bytes(const ubi__id_index *x);

#endif
