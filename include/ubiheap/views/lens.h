/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/lens.h: a heap as its producer's own tools show it: root, edges, sizes, classes.
 *
 * A graph holds raw facts. What the tools of its producer make of them is a *lens*: from which root they start, which edges
 * count, what happens to nodes that these do not reach, what a size means, how things are named and grouped, and with which
 * settings results are shown. Generic analyses know nothing of this: they take the `ubi_view` that an opened lens gives.
 *
 *     ubi_look *look;
 *     ubi_look_open(&look, NULL, graph, NULL);                         the lens of the graph's format
 *     ubi_dominators_new(&dominators, ubi_look_view(look), NULL);
 *     ubi_text name = ubi_look_node_name(look, node);
 *
 * Firefox's lens looks at all edges from the root that the file names and ignores what they do not reach.
 */
#ifndef UBIHEAP_LENS_H
#define UBIHEAP_LENS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/classes.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A lens: static, immutable. */
typedef struct ubi_lens ubi_lens;

/** A lens on a graph, with all that it computed for it. Immutable: any number of threads may read it. */
typedef struct ubi_look ubi_look;

/** A class of nodes, as the lens groups them; dense. */
typedef uint32_t ubi_class_ix;

/* ---- lenses ------------------------------------------------------------------------------------------------------ */

/** The i-th lens, NULL behind the last. The last takes any graph. */
UBI_API const ubi_lens *ubi_lens_at(size_t i);
/** By name, such as "firefox"; NULL when there is none. */
UBI_API const ubi_lens *ubi_lens_find(const char *name);
/** The one for the graph's format, else "plain", which takes everything as it stands. Never NULL. */
UBI_API const ubi_lens *ubi_lens_for(const ubi_graph *graph);

/** Name for options and scripts, such as "firefox", and title for people, such as "Firefox". Static. */
UBI_API const char *ubi_lens_name(const ubi_lens *lens);
UBI_API const char *ubi_lens_title(const ubi_lens *lens);

/** The settings with which the producer's own tools show results. Breakdowns are names of presets (census.h). */
typedef struct ubi_lens_displays {
    const char *const *census;   /**< breakdowns offered for a census, the standard one first; ended by NULL */
    const char *const *label;    /**< those offered for the labels of nodes in trees; the same */
    const char *tree_map;        /**< that of a tree map */
    uint32_t tree_depth;         /**< levels of a dominator tree that are shown at first */
    uint32_t tree_siblings;      /**< and children of each node */
    uint32_t tree_more_siblings; /**< how many more are shown when asked for */
    uint32_t paths;              /**< retaining paths of a node, at most */
    uint32_t individuals;        /**< nodes of a group, at most */
} ubi_lens_displays;

/** Borrowed from the lens. */
UBI_API const ubi_lens_displays *ubi_lens_displays_of(const ubi_lens *lens);

/** A choice of nodes that the tools offer, such as "only what detached DOM nodes retain". */
typedef struct ubi_lens_filter {
    const char *name;  /**< for options and scripts */
    const char *title; /**< in the tool's own words */
} ubi_lens_filter;

/** All filters of the lens, ended by one without a name. Borrowed from it. */
UBI_API const ubi_lens_filter *ubi_lens_filters(const ubi_lens *lens);

/* ---- opened lenses ----------------------------------------------------------------------------------------------- */

typedef struct ubi_look_options {
    uint32_t version; /**< UBI_LOOK_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    unsigned threads;   /**< 0: one per core */
    const char *filter; /**< name of one of the lens's filters; NULL: all nodes */
    /**
     * Another look through the same lens, at an earlier or later heap of the same program: classes that the lens infers are
     * taken from there, so that those of both correspond. Borrowed during the call. NULL: inferred from this graph.
     */
    const ubi_look *like;
    uint64_t id_above, id_upto; /**< for filters by id: id_above < id <= id_upto */
} ubi_look_options;

#define UBI_LOOK_OPTIONS_VERSION 1
#define UBI_LOOK_OPTIONS_INIT                                                                                          \
    { .version = UBI_LOOK_OPTIONS_VERSION }

/**
 * Looks at a graph, computing what the lens needs.
 *
 * @param out   owned; keeps a reference to the graph.
 * @param lens  NULL: ubi_lens_for(graph).
 * Errors: UBI_EINVAL (options, unknown filter), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: firefox and plain: O(kinds) time, 4 bytes per kind and 32 per class. v8: O(nodes + edges) time (matching the shapes of
 * plain objects: docs/explanation/how-devtools-counts.md), 18 bytes per node and a bit per edge; while it runs, 10 bytes per
 * node and string more. It reports as stage "looking at nodes", uses a second thread, and calls the allocator from there, too.
 */
UBI_API ubi_status ubi_look_open(ubi_look **out, const ubi_lens *lens, ubi_graph *graph,
                                 const ubi_look_options *options);
UBI_API void ubi_look_close(ubi_look *look); /**< NULL is fine */

/** The lens that was opened. */
UBI_API const ubi_lens *ubi_look_lens(const ubi_look *look);
/** What to give to analyses. Borrowed. */
UBI_API const ubi_view *ubi_look_view(const ubi_look *look);
/** Size of a node as the lens sees it. O(1). */
UBI_API uint64_t ubi_look_size_bytes(const ubi_look *look, ubi_node_ix node);
/** Whether the filter lets the node pass. O(1). */
UBI_API bool ubi_look_shows(const ubi_look *look, ubi_node_ix node);
/**
 * Which nodes one of the lens's filters lets pass, without reopening the lens.
 * @param bits     bits[n_nodes / 64 + 1], caller's: bit `node % 64` of word `node / 64`; the others are cleared.
 * @param options  id_above and id_upto count, allocator and progress; NULL: the defaults.
 * Errors: UBI_EINVAL (unknown filter, ids), UBI_ENOMEM, UBI_ECANCELLED; `bits` are undefined then. Cost: O(nodes + edges).
 */
UBI_API ubi_status ubi_look_filter_apply(uint64_t *bits, const ubi_look *look, const char *filter,
                                         const ubi_look_options *options);

/** What nodes of a class have in common. Texts are borrowed from the opened lens. */
typedef struct ubi_look_class {
    ubi_text name; /**< never NULL text */
    /**
     * Distinguishes classes of one name and coarse type: where they are defined, such as "12,40,7" (script, line, column).
     * "": unknown, or nothing to distinguish.
     */
    ubi_text place;
    ubi_coarse_type coarse_type;
} ubi_look_class;

/** Classes are numbered from 0 to the count. */
UBI_API uint32_t ubi_look_class_count(const ubi_look *look);
/** The class of a node. O(1). */
UBI_API ubi_class_ix ubi_look_class_of(const ubi_look *look, ubi_node_ix node);
UBI_API void ubi_look_class_get(const ubi_look *look, ubi_class_ix index, ubi_look_class *out);
/** The name of its class. O(1). */
UBI_API ubi_text ubi_look_node_name(const ubi_look *look, ubi_node_ix node);

/**
 * The same classes for analyses that compare heaps. Nodes that the tools of the producer do not count, and those that the
 * filter holds back, are in no class: Firefox counts what is reachable, and the root only if an edge leads to it; Chrome's
 * DevTools count nodes that have a size.
 * Borrows from the look. O(1).
 */
UBI_API ubi_class_scheme ubi_look_class_scheme(const ubi_look *look);
/**
 * What distinguishes nodes of one class where they are grouped by what they do: the name of a function. An entry of the graph's
 * strings; UBI_NONE: nothing. O(1).
 */
UBI_API ubi_str_ix ubi_look_node_role(const ubi_look *look, ubi_node_ix node);
/** Whether the producer may give an id to another node later: ids are addresses. Else an id stays with its node. */
UBI_API bool ubi_look_reuses_ids(const ubi_look *look);

/* * The largest id assigned when the heap was taken, if its producer assigns ids in increasing order: heaps of one process are
 * ordered by it. 0: unknown. Cost: O(nodes).
 */
UBI_API uint64_t ubi_lens_id_mark(const ubi_graph *graph);

/** Room for a name that is put together. */
typedef struct ubi_look_name_buffer {
    char bytes[8192];
} ubi_look_name_buffer;

/**
 * What this one node is called: the text of a string, the properties of a plain object, the name of a function, or else the
 * name of its class. Borrowed from the look or from `buffer`.
 * Cost: that of its length, and of the parts that a string is made of (V8: at most 1,024 characters are put together).
 */
UBI_API ubi_text ubi_look_display_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer);
/** Whether the node is attached to a document, as far as the lens can tell. O(1). */
UBI_API ubi_detachedness ubi_look_detachedness(const ubi_look *look, ubi_node_ix node);
/** Bytes that the producer counts beside its nodes; 0: none. */
UBI_API uint64_t ubi_look_outside_bytes(const ubi_look *look);

/** From here on a distance means: reached only from the engine's own roots (V8's lens). */
#define UBI_LOOK_SYSTEM_DISTANCE UINT32_C(100000000)

/**
 * How far each node is from the root as the lens counts: over the view's edges, or by V8's rules.
 * @param out  distance[n_nodes], edges; UBI_NONE: not reached.
 * Cost: O(nodes + edges); v8: they are there already, O(nodes). Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_look_distances(uint32_t *out, const ubi_look *look);

#ifdef __cplusplus
}
#endif
#endif
