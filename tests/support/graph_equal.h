/* SPDX-License-Identifier: MIT
 *
 * graph_equal.h: whether two graphs say the same, for tests.
 *
 * Compared are nodes in order (id, size, coarse type, the five names by text, the producer's type, detachedness), edges in
 * order (target, kind, name by text or number), stacks frame by frame (id and content), creation time, root and
 * reachability. Which entries of a table hold a text, and how many entries there are, is not compared.
 */
#ifndef UBI_TESTS_GRAPH_EQUAL_H
#define UBI_TESTS_GRAPH_EQUAL_H

#include <ubiheap/core/graph.h>

/** NULL when equal, else the first difference in words; static, until the next call. */
const char *graphs_differ(const ubi_graph *a, const ubi_graph *b);

/** The same but for the creation time, which a heap that lives does not have. */
const char *graphs_differ_in_content(const ubi_graph *a, const ubi_graph *b);

/** Aborts the test with the difference. */
void assert_graphs_equal(const ubi_graph *a, const ubi_graph *b);

#endif
