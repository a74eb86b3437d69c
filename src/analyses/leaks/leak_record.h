/* SPDX-License-Identifier: MIT
 *
 * leak_record.h: what is kept of the earlier heaps of a series when the heaps themselves are too much: ids, classes and own sizes of their nodes.
 *
 *     ubi__leak_record_add(record, &classes, id_mark, lens);       while there is a look at the graph, which may go then
 *     ubi__leak_record_token(&token, record, step);                stands for the heap where graphs are passed around
 *     ubi__leak_record_heap(&heap, token);                         for as long as it is compared
 *     ubi_leak_finder_compare(finder, step, ubi__leak_record_classes(heap));
 *
 * Most nodes are in several heaps as what they were, so all heaps share one table (leak_record_rows.h): some 8 bytes for each node that was in
 * any of them.
 *
 * A heap of a record has no edges and no names: it is for a finder alone. Leaked objects are the same as with the whole heap. What an object holds
 * that has no id of its own there is unknown, so nothing shows which objects became larger, nor which took the places of others.
 */
#ifndef UBI_ANALYSES_LEAK_RECORD_H
#define UBI_ANALYSES_LEAK_RECORD_H

#include <ubiheap/core/classes.h>

#include "analyses/same_process.h"

/** Of a series. For one thread until all heaps are added, then for any. */
typedef struct ubi__leak_record ubi__leak_record;

/** @param allocator  NULL: the default one. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_record_new(ubi__leak_record **out, const ubi_allocator *allocator);
/** NULL is fine. Tokens and heaps hold the record, too. */
void ubi__leak_record_unref(ubi__leak_record *record);
/**
 * The next heap of the series, that of the classes. After an error the record is as before.
 * @param lens  the name of its lens; static.
 * Cost: O(nodes of all heaps so far), 4 bytes for each of this one. Errors: UBI_ENOMEM.
 */
ubi_status ubi__leak_record_add(ubi__leak_record *record, const ubi_class_scheme *classes, uint64_t id_mark,
                                const char *lens);
/** How many there are. */
uint32_t ubi__leak_record_count(const ubi__leak_record *record);
/** What the record takes, without what its allocator adds. */
uint64_t ubi__leak_record_bytes(const ubi__leak_record *record);

/** A graph without a node. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_record_token(ubi_graph **out, ubi__leak_record *record, uint32_t step);
/** Its nodes, in the order of their ids. Cost: O(nodes of all heaps), 30 bytes for each of this one. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_record_heap(ubi_graph **out, const ubi_graph *token);

/** Of a token or a heap. */
typedef struct ubi__recorded_heap ubi__recorded_heap;

/** NULL: it is a whole graph. O(1). */
const ubi__recorded_heap *ubi__leak_record_of(const ubi_graph *graph);
/** Of a heap, whose nodes have them. */
const ubi_class_scheme *ubi__leak_record_classes(const ubi__recorded_heap *heap);
uint64_t ubi__leak_record_id_mark(const ubi__recorded_heap *heap);
const char *ubi__leak_record_lens(const ubi__recorded_heap *heap);
/** Texts of some strings, that ids may be known to be of another process: compares them with those of a whole heap. O(1). */
void ubi__leak_record_match_texts(ubi__id_match *match, const ubi__recorded_heap *heap, const ubi_graph *graph);

#endif
