/* SPDX-License-Identifier: MIT
 *
 * random_devtools_graph.h: random graphs of V8's in which the special cases of DevTools' rules meet: the same for a seed.
 */
#ifndef UBI_TESTS_RANDOM_DEVTOOLS_GRAPH_H
#define UBI_TESTS_RANDOM_DEVTOOLS_GRAPH_H

#include <stdbool.h>

#include <ubiheap/graph.h>

typedef struct random_devtools_options {
    uint32_t n_nodes, n_edges_per_node; /* at most */
    bool cycles_of_strings;             /* halves of strings may lead in circles */
} random_devtools_options;

/** The caller's. Uses random_below. */
ubi_graph *random_devtools_graph(const random_devtools_options *options);

#endif
