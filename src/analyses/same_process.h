/* SPDX-License-Identifier: MIT
 *
 * same_process.h: whether two heaps are of one process, by what they have under equal ids.
 *
 * A file does not say which process it is from. But in one process a node that keeps its id keeps its type, and a plain string
 * its text. A class may change: an object gets another prototype, and one without a constructor is named by its properties; so
 * classes count only where there are too few texts to decide. In another process, even of the same program, ids are given out
 * from the start: the first tens of thousands go to what the engine starts with, mostly in the same order, then they differ.
 */
#ifndef UBI_ANALYSES_SAME_PROCESS_H
#define UBI_ANALYSES_SAME_PROCESS_H

#include "graph/graph_columns.h"

/** Counts of nodes whose ids both heaps have; 0 at first. Parts may be counted on their own and added. */
typedef struct ubi__id_match {
    uint64_t n_common, n_common_same; /* all that are in classes; those in equal ones, and strings of any two kinds */
    uint64_t n_types_same;            /* of them, of one type of the producer's, such as "closure"; strings: of any */
    uint64_t n_texts, n_texts_same;   /* strings whose texts are known in both heaps, and those of equal text */
    uint64_t n_words; /* beside these, strings whose texts differ, and were anonymized in one of the heaps at least */
    uint64_t n_words_same; /* of n_texts_same, those that were anonymized, with one key */
} ubi__id_match;

/** Parts are at most what they are part of. O(1). */
void ubi__id_match_check(const ubi__id_match *match);
/** Two nodes of one id, both in classes. Cost: the length of their texts. */
void ubi__id_match_count(ubi__id_match *match, const ubi_graph *past, ubi_node_ix before, const ubi_graph *graph,
                         ubi_node_ix node, bool is_class_equal);
void ubi__id_match_add(ubi__id_match *to, const ubi__id_match *part);
/**
 * @param n_fewer     nodes in classes, of the heap that has fewer.
 * @param reuses_ids  ids are addresses, so equal ones may be of other nodes in one process, too: only how many there are counts.
 */
bool ubi__is_same_process(const ubi__id_match *match, uint64_t n_fewer, bool reuses_ids);

#endif
