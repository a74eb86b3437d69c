/* SPDX-License-Identifier: MIT
 *
 * plain_look.h: a random heap of V8, looked at, with room for what slow and obvious programs find out about its nodes.
 */
#ifndef UBI_TESTS_PLAIN_LOOK_H
#define UBI_TESTS_PLAIN_LOOK_H

#include <stdbool.h>

#include <ubiheap/views/lens.h>

enum { PLAIN_MAX_NODES = 64 };

typedef struct plain {
    ubi_graph *g;
    ubi_look *look;
    uint32_t n;
    uint32_t distance[PLAIN_MAX_NODES];
    bool marked[PLAIN_MAX_NODES]; /* nodes to keep away from */
    bool reached[PLAIN_MAX_NODES];
    bool passes[PLAIN_MAX_NODES];
} plain;

/** The heap of a seed, which random numbers go on from. Nothing is marked, reached or passes. */
plain plain_open(uint64_t seed);
void plain_close(plain *p);

bool plain_name_is(const plain *p, ubi_node_ix node, const char *name);
bool plain_name_starts(const plain *p, ubi_node_ix node, const char *start);
/** Target of the first internal edge of that name, or UBI_NONE. */
ubi_node_ix plain_field(const plain *p, ubi_node_ix node, const char *name);

/** Fails the test unless the filter shows exactly what passes. */
void plain_assert_passing(const plain *p, const char *filter, const ubi_look_options *options);

#endif
