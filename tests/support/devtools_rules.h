/* SPDX-License-Identifier: MIT
 *
 * devtools_rules.h: what Chrome's DevTools make of a graph of V8's, by loops over every edge and comparisons of texts.
 *
 * Written from the rules in docs/explanation/how-devtools-counts.md, sharing no code with the lens: names are copies, every
 * question goes through the public interface of the graph. Quadratic in places: for small graphs.
 */
#ifndef UBI_TESTS_DEVTOOLS_RULES_H
#define UBI_TESTS_DEVTOOLS_RULES_H

#include <stdbool.h>

#include <ubiheap/core/graph.h>

typedef struct devtools_interface {
    char *name;
    char **properties;
    size_t n_properties;
    uint64_t count;
} devtools_interface;

typedef struct devtools {
    const ubi_graph *g;
    uint32_t n;
    uint8_t *detachedness;
    char **raw_name; /* NUL-terminated, as all texts here */
    bool *essential; /* by edge */
    uint64_t *size_bytes;
    uint32_t *distance; /* UBI_NONE: not reached */
    char **class_name;
    char **place; /* "12,40,7", or "" */
    char **display_name;
    devtools_interface *interfaces;
    size_t n_interfaces;
} devtools;

/** @param like  interfaces are those of this one; NULL: inferred. Free with devtools_free. */
devtools *devtools_of(const ubi_graph *graph, const devtools *like);
void devtools_free(devtools *d);

#endif
