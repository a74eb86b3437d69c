/* SPDX-License-Identifier: MIT
 *
 * random_v8_heap.h: random graphs in which everything is there that V8's lens has a rule for, the same for a seed.
 *
 * Names of nodes and edges come from a small pool of those with a meaning, each text as two entries, so that things meet each
 * other in ways that V8 would not make. Graphs of what a file says beyond that are made by random_v8.h.
 */
#ifndef UBI_TESTS_RANDOM_V8_HEAP_H
#define UBI_TESTS_RANDOM_V8_HEAP_H

#include <stdbool.h>

#include <ubiheap/core/graph.h>

#include "random_numbers.h"

/** What the names and types are about, so that it meets often. */
typedef enum random_v8_topic {
    /** Contexts, listeners, the console, arrays with stores, detached nodes. Concatenations are as V8 makes them: of two
        strings, never in a circle. */
    RANDOM_V8_FILTERS,
    /** Entries of WeakMaps, tables of descriptors, shapes of plain objects and their names, places in the code, roots.
        Concatenations have any halves. */
    RANDOM_V8_RULES
} random_v8_topic;

typedef struct random_v8_options {
    random_v8_topic topic;
    uint32_t n_nodes, n_edges_per_node; /* at most, beside halves and properties */
    bool cycles_of_strings;             /* of RANDOM_V8_RULES: halves may lead in circles */
} random_v8_options;

/** A graph of at least one node, with ids that are not in order. The caller's; look at it through the lens "v8". */
ubi_graph *random_v8_heap_of(const random_v8_options *options);
/** One of the topic RANDOM_V8_FILTERS with up to `max_nodes` nodes. */
ubi_graph *random_v8_heap(uint32_t max_nodes);

#endif
