/* SPDX-License-Identifier: MIT
 *
 * drawing.h: heaps written as text, for tests.
 *
 *     root(size=10 type=Root) -> a "first", b;
 *     a(class=Array coarse=object size=100 stack=f@a.js:5:2<main@a.js:1:2) -> root, c;
 *     c(coarse=dom desc=div)
 *
 * A statement is a node, perhaps attributes in parentheses, perhaps "->" and its edges in order; an edge is a node name and
 * perhaps an edge name in double quotes. The first node drawn is the root; nodes stand in the order in which they are first
 * mentioned. A node whose name is a number has that id; others get 1, 2, 3, ... by position, or `id=`.
 * Attributes: id, size (1), type ("T"), coarse (other, object, script, string, dom), class, file, desc, stack.
 * `stack` lists frames youngest first as function@source:line:column, "-" for no function name; frames of equal text and
 * parents are one frame.
 *
 * The same drawing gives a graph (through the public builder) or a fake heap of ubi_nodes. Mistakes abort the test.
 */
#ifndef UBI_TESTS_DRAWING_H
#define UBI_TESTS_DRAWING_H

#include <ubiheap/core/graph.h>

typedef struct drawing drawing;

drawing *drawing_new(const char *text);
void drawing_free(drawing *d);
size_t drawing_node_count(const drawing *d);
/** The id of a drawn node. */
uint64_t drawing_id(const drawing *d, const char *name);
/** The node as a ubi_node of the fake heap; valid while the drawing lives. */
ubi_node drawing_node(drawing *d, const char *name);
/** Name of a node of the fake heap. */
const char *drawing_name(ubi_node node);
/** How often `edges` was called on any node of the fake heap. */
size_t drawing_edge_calls(const drawing *d);

/** The drawing as a graph, owned by the caller. */
ubi_graph *drawing_graph(const drawing *d, const ubi_allocator *allocator);
/** The two steps in one: text to graph with the default allocator. */
ubi_graph *graph_from_drawing(const char *text);

#endif
