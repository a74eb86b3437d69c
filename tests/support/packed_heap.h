/* SPDX-License-Identifier: MIT
 *
 * packed_heap.h: a heap with look, dominators and distances as the bytes of an index, and back, without sessions and files.
 */
#ifndef UBI_TESTS_PACKED_HEAP_H
#define UBI_TESTS_PACKED_HEAP_H

#include "analyses/dominators/dom_work.h"
#include "base/column_file.h"
#include "lenses/retaining.h"
#include "lenses/summary_work.h"

/** What is in one. NULL: not (yet). */
typedef struct packed_heap {
    ubi__column_file *file;
    ubi__column_memory memory;
    ubi_graph *graph;
    ubi_look *look;
    ubi_dominators *dominators;
    uint32_t *distances;
    ubi_retaining *retaining;
    ubi_summary *summary;
} packed_heap;

/** The bytes of an index, at a place where columns may begin. */
typedef struct packed_bytes {
    uint8_t *at;
    size_t n;
} packed_bytes;

/** Computes what is to be known of a graph and packs it. Errors: those of writing, UBI_ENOMEM. Ends the process when it cannot compute. */
ubi_status heap_pack(packed_bytes *out, ubi_graph *graph, const ubi_allocator *allocator);
/** What `pass` writes as the bytes of a file of columns. Errors: those of writing, UBI_ENOMEM. */
ubi_status columns_pack(packed_bytes *out, ubi_status (*pass)(ubi__columns *c, void *payload), void *payload,
                        const ubi_allocator *allocator);
packed_bytes packed_copy(packed_bytes from);
void packed_free(packed_bytes bytes);

/** Reads all of it. Unpack is undone by heap_release, after a failure as well. */
ubi_status heap_unpack(packed_heap *out, packed_bytes bytes, unsigned threads, const ubi_allocator *allocator);
void heap_release(packed_heap *heap);

/** Makes all checksums right, as far as the places that they are for can be found. */
void packed_seal(packed_bytes bytes);
/** NULL: both say the same. Else what differs; static. */
const char *packed_heaps_differ(const packed_heap *a, const packed_heap *b);
/** Asks each node, edge, kind, string, frame and set once. The sum of all answers. */
uint64_t packed_heap_visit(const packed_heap *heap);

#endif
