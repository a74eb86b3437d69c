/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/treemap.h: tree maps: the layout, and what each box means.
 *
 * A tree map gives every row of a tree a rectangle, its area by what the row weighs, within the rectangle of the row's
 * parent. The layout is that of Firefox's memory panel, which is d3's of release 3, to the pixel: a leaf weighs what it is
 * given, a parent what its children weigh together; children are laid out in rows that are kept as near to squares (or
 * to `ratio`) as whole pixels allow.
 *
 *     +- objects 328 KiB ----------------+- domNode -+
 *     | Function        | SavedFrame     | #document |
 *     | 135 KiB         | 74 KiB         |           |
 *     |                 +--------+-------+-----------+
 *     |                 | Object | Array | strings   |
 *     +-----------------+--------+-------+-----------+
 *
 * Two layers: `ubi_treemap_layout` places boxes for plain arrays of parents and weights; a `ubi_treemap` holds the boxes of
 * a census tree or of a dominator tree with what they stand for.
 */
#ifndef UBIHEAP_TREEMAP_H
#define UBIHEAP_TREEMAP_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layout ------------------------------------------------------------------------------------------------------ */

typedef enum ubi_treemap_order {
    /** Least weight first, so that the largest boxes are at the bottom and right: Firefox's. */
    UBI_TREEMAP_SMALLEST_FIRST = 0,
    /** Largest at the top left. */
    UBI_TREEMAP_LARGEST_FIRST = 1
} ubi_treemap_order;

typedef enum ubi_treemap_measure {
    UBI_TREEMAP_BYTES = 0,
    UBI_TREEMAP_COUNT = 1 /**< of nodes; census trees only */
} ubi_treemap_measure;

typedef struct ubi_treemap_options {
    uint32_t version; /**< UBI_TREEMAP_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    double width, height;                            /**< of the canvas, pixels: 1 to UBI_TREEMAP_MAX_SIDE */
    double pixel_ratio;                              /**< device pixels per pixel of padding: above 0, at most 64 */
    double pad_top, pad_right, pad_bottom, pad_left; /**< between a box and its children, pixels: 0 to 1000 */
    double ratio;  /**< of width to height that boxes shall have, or the other way round */
    bool is_exact; /**< do not round to whole pixels */
    ubi_treemap_order order;
    ubi_treemap_measure measure;
    uint32_t max_depth; /**< deepest boxes that are made; the root has depth 0; UBI_NONE: all */
    /**
     * A row that has both children and something of its own gets one more child, of type OWN, for the latter. Firefox
     * leaves it out, so that areas and totals differ where a function allocates and calls. And the old root, in which the
     * paths of an inverted tree end, gets no box if it is all that a row has below.
     */
    bool with_own_boxes;
} ubi_treemap_options;

#define UBI_TREEMAP_OPTIONS_VERSION 1
#define UBI_TREEMAP_MAX_SIDE 65536
#define UBI_TREEMAP_GOLDEN_RATIO 1.618033988749895
/** As Firefox draws it, on a canvas of 1000 by 600. */
#define UBI_TREEMAP_OPTIONS_INIT                                                                                       \
    {                                                                                                                  \
        UBI_TREEMAP_OPTIONS_VERSION, NULL, 1000, 600, 1, 15, 5, 5, 5, UBI_TREEMAP_GOLDEN_RATIO, false,                 \
            UBI_TREEMAP_SMALLEST_FIRST, UBI_TREEMAP_BYTES, UBI_NONE, false                                             \
    }

/** A placed box. Pixels from the top left corner of the canvas, on which the root's children lie; the root is larger. */
typedef struct ubi_treemap_box {
    double x, y, width, height;
    uint64_t weight; /**< of a leaf its own, of others the sum over their children; saturating */
    uint32_t depth;  /**< of the root 0 */
} ubi_treemap_box;

/**
 * Places a box for every node of a weighted tree. A node without weight has a box without area, and so has one whose
 * parent has no room inside of its padding; such a box may even lie a few pixels outside of its parent, as in d3.
 *
 * @param boxes   boxes[n], caller's; box i is node i's. Boxes below options->max_depth get a weight and a depth only.
 * @param parent  parent[n]: UBI_NONE for node 0, the root; others stand breadth-first: parent[i - 1] <= parent[i] < i
 *                (node 0 aside), so that children of a node are neighbours.
 * @param weight  weight[n]; those of nodes with children are not looked at.
 * Errors: UBI_EINVAL (tree or options), UBI_ENOMEM. Cost: O(n log n) time, at most 40 bytes per node while it works.
 * Source: M. Bruls, K. Huizing, J. J. van Wijk, Squarified Treemaps; d3 3.5.17; mozilla-central
 * devtools/client/memory/components/tree-map/draw.js.
 */
UBI_API ubi_status ubi_treemap_layout(ubi_treemap_box *boxes, const uint32_t *parent, const uint64_t *weight,
                                      uint32_t n, const ubi_treemap_options *options);

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/** Immutable: any number of threads may read it. */
typedef struct ubi_treemap ubi_treemap;

typedef enum ubi_treemap_row_type {
    UBI_TREEMAP_ROW,  /**< a row of the census tree */
    UBI_TREEMAP_NODE, /**< a node of the heap with all that it retains */
    UBI_TREEMAP_OWN,  /**< what the parent has beside its children */
    UBI_TREEMAP_REST  /**< children of the parent that are too small to be distinguished */
} ubi_treemap_row_type;

/** Which coarse type a box belongs to, in the order of Firefox's colours. */
typedef enum ubi_treemap_color {
    UBI_TREEMAP_COLOR_OBJECTS = 0,
    UBI_TREEMAP_COLOR_OTHER = 1, /**< also when it is unknown */
    UBI_TREEMAP_COLOR_STRINGS = 2,
    UBI_TREEMAP_COLOR_SCRIPTS = 3,
    UBI_TREEMAP_COLOR_DOM_NODE = 4
} ubi_treemap_color;

#define UBI_TREEMAP_N_COLORS 5

/** What a box stands for. Texts and stacks are borrowed from what the map was made of. */
typedef struct ubi_treemap_row {
    ubi_treemap_box box;
    uint32_t parent; /**< UBI_NONE: the root */
    ubi_treemap_row_type type;
    ubi_treemap_color color;
    ubi_census_name_type name_type; /**< NULL for OWN and REST, and for the root of a census tree */
    ubi_text name;                  /**< TEXT */
    ubi_stack frame;                /**< FRAME */
    ubi_node_ix node;               /**< NODE; else UBI_NONE */
    uint64_t node_id;               /**< NODE: the producer's id */
    bool has_children;              /**< boxes of its own within it */
    uint64_t bytes;                 /**< with all below it */
    /** Of nodes, with all below; for NODE, how many it dominates immediately; for REST beside NODEs, how many it is. */
    uint64_t count;
} ubi_treemap_row;

/**
 * A map of a census tree, plain or inverted, filtered or not. Negative numbers, as in the tree of a diff, weigh nothing.
 *
 * @param out   owned; borrows the tree, which must outlive it (as must the tree's census).
 * @param tree  usually by the preset "treeMap", not inverted, as Firefox does.
 * Errors: UBI_EINVAL, UBI_ENOMEM. Cost: that of the layout; 64 bytes per row and what the layout takes.
 */
UBI_API ubi_status ubi_treemap_of_census(ubi_treemap **out, const ubi_census_tree *tree,
                                         const ubi_treemap_options *options);

/**
 * The same of one row and all below it, as the top of the map. Rows whose boxes would have less area than `least_area`, in square pixels,
 * share a box of type REST with others of their colour and parent: as many boxes as can be seen, however many rows there are. 0: each row
 * has its own.
 *
 * @param n_left_out  children of the row that have no box, the first in the tree's order; what is left is the whole map. So a box of type
 *                    REST is opened: its parent has as many children with a box of their own.
 */
UBI_API ubi_status ubi_treemap_of_census_row(ubi_treemap **out, const ubi_census_tree *tree, ubi_census_node_ix top,
                                             uint32_t n_left_out, double least_area,
                                             const ubi_treemap_options *options);

/** Name of a node, such as ubi_look_node_name gives; borrowed from the graph. */
typedef ubi_text (*ubi_treemap_name_fn)(const void *payload, ubi_node_ix node);

/**
 * A map of a dominator tree: who keeps how much. A node has a box for each node that it dominates and one of type OWN for
 * its own size. Those whose boxes would have less area than `least_area`, in square pixels, share a box of type REST with
 * others of their coarse type.
 *
 * @param out         owned; keeps a reference to the graph.
 * @param graph       that of the dominators' view.
 * @param size_bytes  size_bytes[n_nodes] of the view, or NULL; borrowed during the call.
 * @param name        names nodes; called once per box.
 * Errors: UBI_EINVAL (also without dominated sets, and to measure COUNT), UBI_ENOMEM, UBI_ELIMIT (more than 2^24 boxes).
 * Cost: O(nodes that the boxes dominate), and the layout of the boxes, of which there are at most
 * width * height / least_area per level, and at most 64 levels.
 */
UBI_API ubi_status ubi_treemap_of_dominators(ubi_treemap **out, const ubi_dominators *dominators, ubi_graph *graph,
                                             const uint64_t *size_bytes, double least_area, ubi_treemap_name_fn name,
                                             const void *payload, const ubi_treemap_options *options);

UBI_API void ubi_treemap_free(ubi_treemap *map); /**< NULL is fine */

/** Rows, in the order in which Firefox draws them: breadth-first; row 0 is the root, which is not drawn. */
UBI_API uint32_t ubi_treemap_row_count(const ubi_treemap *map);
UBI_API void ubi_treemap_get(const ubi_treemap *map, uint32_t row, ubi_treemap_row *out);
/** Id of the census tree's row that a box of type ROW stands for; 0: of another type. */
UBI_API uint32_t ubi_treemap_census_row_id(const ubi_treemap *map, uint32_t row);
/** The options that the map was made with; its allocator is not NULL. Borrowed. */
UBI_API const ubi_treemap_options *ubi_treemap_options_of(const ubi_treemap *map);

/** Firefox's colour of a box: hue, saturation and lightness, each from 0 to 1. Its outline has half the lightness. */
UBI_API void ubi_treemap_firefox_color(double hsl[3], ubi_treemap_color color, uint32_t depth);
/** "objects", "other", "strings", "scripts" or "domNode". Static. */
UBI_API const char *ubi_treemap_color_name(ubi_treemap_color color);

#ifdef __cplusplus
}
#endif
#endif
