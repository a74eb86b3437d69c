/* SPDX-License-Identifier: MIT
 *
 * graph_maker.h: graphs that a test makes in a loop, because they are too large or too random to be drawn (drawing.h).
 *
 *     graph_maker m = graph_maker_start();
 *     for (uint32_t i = 0; i < n; i++) {
 *         graph_maker_node(&m, i, 1);
 *         graph_maker_edge(&m, (i + 1) % n);
 *     }
 *     ubi_graph *g = graph_maker_finish(&m);
 *
 * Nodes have the type "T" unless told otherwise, and edges no names. Mistakes abort the test.
 */
#ifndef UBI_TESTS_GRAPH_MAKER_H
#define UBI_TESTS_GRAPH_MAKER_H

#include <ubiheap/core/graph.h>

typedef struct graph_maker {
    ubi_graph_builder *builder;
    ubi_str_ix type;
} graph_maker;

graph_maker graph_maker_start(void);
/** The type of nodes from here on. */
void graph_maker_type(graph_maker *m, const char *name);
void graph_maker_node(graph_maker *m, uint64_t id, uint64_t size_bytes);
/** From the node made last to the one with this id, which may come later. */
void graph_maker_edge(graph_maker *m, uint64_t target_id);
/** The graph, the caller's. */
ubi_graph *graph_maker_finish(graph_maker *m);

#endif
