/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/classes.h: the classes that group nodes, also across two heaps.
 *
 * Which classes there are is not for an analysis to say: the tools of each producer have their own. A lens makes the scheme
 * (ubi_look_class_scheme, lens.h), and any program may bring one of its own.
 */
#ifndef UBIHEAP_CLASSES_H
#define UBIHEAP_CLASSES_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What nodes are grouped under. Classes of two heaps correspond when all fields are equal. Texts are borrowed. */
typedef struct ubi_class {
    ubi_coarse_type coarse_type;
    ubi_text name;
    ubi_text place; /**< where it is defined, to distinguish classes of one name; "" or NULL text: unknown */
} ubi_class;

/** How the nodes of one graph fall into classes. A small value that borrows all it points to. */
typedef struct ubi_class_scheme {
    const ubi_graph *graph;
    const uint64_t *size_bytes;  /**< size_bytes[n_nodes] in place of the graph's own sizes; NULL: the graph's */
    uint32_t n_classes;          /**< two of them may be equal */
    bool has_mixed_coarse_types; /**< a class is its name and place; its coarse type is that of some of its nodes */
    void (*describe)(const struct ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out);
    /** Class of a node, below n_classes; UBI_NONE: the node is left out. Any thread. */
    uint32_t (*class_of)(const struct ubi_class_scheme *scheme, ubi_node_ix node);
    const void *payload;
} ubi_class_scheme;

#ifdef __cplusplus
}
#endif
#endif
