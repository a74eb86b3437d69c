/* SPDX-License-Identifier: MIT
 *
 * leak_record.h: what is kept of an earlier heap of a series when the heap itself is too much: ids, classes and own sizes of its nodes.
 *
 *     ubi__leak_record_new(&record, graph, &classes, id_mark, lens);      while there is a look at the graph
 *     ubi__leak_record_reduce(record, graph);                             when the graph has no other reference
 *     ubi_leak_finder_compare(finder, step, ubi__leak_record_classes(graph));
 *
 * A reduced graph has no edges and no names: it is for a finder alone. Leaked objects are the same as with the whole heap. What an object holds
 * that has no id of its own there is unknown, so nothing shows which objects became larger, nor which took the places of others.
 */
#ifndef UBI_ANALYSES_LEAK_RECORD_H
#define UBI_ANALYSES_LEAK_RECORD_H

#include <ubiheap/core/classes.h>

#include "analyses/same_process.h"

typedef struct ubi__leak_record ubi__leak_record;

/**
 * @param allocator  NULL: the graph's, which a record must have that a graph is reduced to.
 * @param graph  of the classes; its sizes become those of the scheme. @param lens  the name of its lens; static.
 * Cost: O(nodes), 4 bytes each. Errors: UBI_ENOMEM.
 */
ubi_status ubi__leak_record_new(ubi__leak_record **out, ubi_graph *graph, const ubi_class_scheme *classes,
                                uint64_t id_mark, const char *lens, const ubi_allocator *allocator);
/** Of a record that was not reduced to; NULL is fine. */
void ubi__leak_record_free(ubi__leak_record *record);
/** Drops all else of the graph, which owns the record from then on: some 30 bytes per node are left. */
void ubi__leak_record_reduce(ubi__leak_record *record, ubi_graph *graph);

/** The record of a reduced graph; NULL: it is a whole one. O(1). */
const ubi__leak_record *ubi__leak_record_of(const ubi_graph *graph);
const ubi_class_scheme *ubi__leak_record_classes(const ubi__leak_record *record);
uint64_t ubi__leak_record_id_mark(const ubi__leak_record *record);
const char *ubi__leak_record_lens(const ubi__leak_record *record);
/** Texts of some strings, that ids may be known to be of another process: compares them with those of a whole heap. O(1). */
void ubi__leak_record_match_texts(ubi__id_match *match, const ubi__leak_record *record, const ubi_graph *graph);

#endif
