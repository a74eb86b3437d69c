/* SPDX-License-Identifier: MIT
 *
 * random_v8_heap.h: small random graphs in which everything is there that V8's lens has a rule for, the same for a seed.
 *
 * Names of nodes and edges come from a small pool of those with a meaning, so that contexts, listeners, maps, arrays with
 * stores, concatenations and detached nodes meet each other in ways that V8 would not make.
 */
#ifndef UBI_TESTS_RANDOM_V8_HEAP_H
#define UBI_TESTS_RANDOM_V8_HEAP_H

#include <ubiheap/graph.h>

#include "random_numbers.h"

/** A graph of 1 to `max_nodes` nodes with ids that are not in order. The caller's; look at it through the lens "v8". */
ubi_graph *random_v8_heap(uint32_t max_nodes);

#endif
