/* SPDX-License-Identifier: MIT
 *
 * v8_equal.h: comparing graphs with V8's facts. Answers are static.
 */
#ifndef UBI_TESTS_V8_EQUAL_H
#define UBI_TESTS_V8_EQUAL_H

#include <ubiheap/core/graph.h>

/**
 * NULL when two graphs read from one .heapsnapshot file say the same, else the first difference. More than graphs_differ:
 * also edge kinds and numbers, names of nodes, V8's types, and all facts.
 */
const char *v8_graphs_differ(const ubi_graph *a, const ubi_graph *b);

/**
 * NULL when both have equal V8 facts, or none; else the first difference. How many fields a node has is not compared: a file
 * may have more than anybody knows.
 */
const char *v8_facts_differ(const ubi_graph *a, const ubi_graph *b);

#endif
