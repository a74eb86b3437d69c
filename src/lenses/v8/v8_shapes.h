/* SPDX-License-Identifier: MIT
 *
 * v8_shapes.h: plain objects by the names of their properties.
 *
 * Objects with the same properties in the same order are of one shape. A heap of a million plain objects has a few thousand
 * shapes, and what an object is called depends on its shape alone.
 */
#ifndef UBI_LENSES_V8_SHAPES_H
#define UBI_LENSES_V8_SHAPES_H

#include "base/table.h"
#include "lenses/v8/v8_look.h"

typedef struct ubi__v8_shape {
    uint64_t hash;
    ubi_node_ix example; /* the first object of this shape */
    uint32_t n_objects;
    uint32_t interface; /* place in ubi__v8_interfaces.rows; UBI_NONE: just "Object" */
} ubi__v8_shape;
UBI_VEC_DECLARE(ubi__vec_v8_shape, ubi__v8_shape);

typedef struct ubi__v8_shapes {
    ubi__vec_v8_shape rows; /* in the order of their first objects */
    uint32_t n_objects;     /* plain objects */
} ubi__v8_shapes;

/** The listed properties of an object, in order: all edges of kind PROPERTY but "__proto__". */
typedef struct ubi__v8_property_walk {
    const ubi_graph *g;
    ubi_str_ix proto;
    ubi_edge_ix at, end;
} ubi__v8_property_walk;

static inline ubi__v8_property_walk ubi__v8_properties_of(const ubi__v8_look *own, const ubi_graph *g,
                                                          ubi_node_ix node) {
    return (ubi__v8_property_walk){ g, own->words.proto, g->first_edge.at[node], g->first_edge.at[node + 1] };
}
/** The canonical entry of the next name; UBI_NONE after the last. */
static inline ubi_str_ix ubi__v8_property_next(ubi__v8_property_walk *walk) {
    while (walk->at < walk->end) {
        ubi_edge_ix e = walk->at++;
        if (ubi__graph_edge_kind(walk->g, e) != UBI_EDGE_PROPERTY)
            continue;
        ubi_str_ix name = ubi__strtab_canonical(&walk->g->strings, walk->g->name.at[e]);
        if (name != walk->proto)
            return name;
    }
    return UBI_NONE;
}

/**
 * Finds all shapes.
 * @param shape_of_node  [n_nodes]; written for plain objects only.
 * Cost: O(nodes + properties of plain objects); 40 bytes per shape at most. Errors: UBI_ENOMEM.
 */
ubi_status ubi__v8_find_shapes(ubi__v8_shapes *out, uint32_t *shape_of_node, const ubi__v8_look *own,
                               const ubi_graph *g, ubi__pulse *pulse, const ubi_allocator *a);

/**
 * The interfaces that are common enough: up to 120 UTF-16 units of names from the start of an object, in at least two
 * objects and in one of a thousand. Most common first, then the one that was seen first.
 * Cost: O(properties of one object of each shape).
 */
ubi_status ubi__v8_infer_interfaces(ubi__v8_look *own, const ubi__v8_shapes *shapes, const ubi_graph *g,
                                    const ubi_allocator *a);
ubi_status ubi__v8_copy_interfaces(ubi__v8_look *own, const ubi__v8_interfaces *from, const ubi_allocator *a);
/**
 * Gives each shape the interface with the most properties all of which it has; of several the first.
 * Cost: O(properties of one object of each shape), and for each of these properties the interfaces of which it is the rarest.
 */
ubi_status ubi__v8_match_interfaces(ubi__v8_shapes *shapes, const ubi__v8_look *own, const ubi_graph *g,
                                    const ubi_allocator *a);

#endif
