/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/graph.h: a whole heap as immutable columns.
 *
 * Nodes are dense 32-bit indices in file (or walk) order. Edges are grouped by their source and kept in that order, so a
 * node's edges are the half-open range [ubi_graph_first_edge(g, n), ubi_graph_first_edge(g, n + 1)). What repeats across
 * nodes (coarse type, type, class, file, descriptive name) is interned as one "kind".
 *
 * String and frame tables keep the producer's own entries: two entries may hold equal text. `ubi_graph_canonical_string`
 * and `ubi_graph_canonical_frame` map an entry to the first one of equal content; analyses compare those, except where
 * Firefox compares entries and the caller asked for Firefox's exact answer.
 *
 * Memory: 28 bytes per node plus an id index of at most 11, usually 6, and 8 per edge; 4 more per node with allocation
 * stacks, 4 more where nodes have names of their own, and 1 more per edge where edges have kinds. Strings and stacks on
 * top. A graph is immutable and reference-counted: any number of threads may read it and hold references.
 */
#ifndef UBIHEAP_GRAPH_H
#define UBIHEAP_GRAPH_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/node.h>
#include <ubiheap/core/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubi_graph ubi_graph;

/** Whether a node of a document is still attached to it. */
typedef enum ubi_detachedness {
    UBI_DETACHEDNESS_UNKNOWN = 0, /**< also: no such node */
    UBI_ATTACHED = 1,
    UBI_DETACHED = 2
} ubi_detachedness;

/** What sort of reference an edge is, where the producer says. */
typedef enum ubi_edge_kind {
    UBI_EDGE_REFERENCE = 0, /**< it does not say */
    UBI_EDGE_CONTEXT,       /**< variable that a function captured */
    UBI_EDGE_ELEMENT,       /**< indexed property; its label is a number */
    UBI_EDGE_PROPERTY,      /**< named property */
    UBI_EDGE_INTERNAL,      /**< field of the engine, with a name */
    UBI_EDGE_HIDDEN,        /**< field of the engine, with a number */
    UBI_EDGE_SHORTCUT,      /**< of convenience: says again what other edges say */
    UBI_EDGE_WEAK           /**< keeps nothing alive */
} ubi_edge_kind;

#define UBI_EDGE_KIND_COUNT 8

/** Attributes that nodes share. Indices point into the graph's string table; UBI_NONE: the producer gave none. */
typedef struct ubi_kind {
    ubi_str_ix type_name; /**< never UBI_NONE */
    ubi_str_ix class_name;
    ubi_str_ix script_filename;
    ubi_str_ix descriptive_name;
    ubi_coarse_type coarse_type;
    uint8_t raw_type;     /**< number of the producer's own type, as its reader says; 0: type_name is all there is */
    uint8_t detachedness; /**< ubi_detachedness: what the file says of such nodes */
} ubi_kind;

/** Limits. More nodes or edges end with UBI_ELIMIT. */
#define UBI_GRAPH_MAX_NODES (UINT32_MAX - 1)
#define UBI_GRAPH_MAX_EDGES (UINT64_C(1) << 40)

/** One reference more; returns its argument. Any thread: a finished graph is immutable. */
UBI_API ubi_graph *ubi_graph_ref(ubi_graph *graph);
UBI_API void ubi_graph_unref(ubi_graph *graph); /**< frees with the last reference; NULL is fine */

/** Sizes of the tables: every index of a table is below its count. O(1). */
UBI_API uint32_t ubi_graph_node_count(const ubi_graph *graph);
UBI_API uint64_t ubi_graph_edge_count(const ubi_graph *graph);
UBI_API uint32_t ubi_graph_kind_count(const ubi_graph *graph);
UBI_API uint32_t ubi_graph_string_count(const ubi_graph *graph);
UBI_API uint32_t ubi_graph_frame_count(const ubi_graph *graph);
/** The node that the producer named as root; every graph has one. */
UBI_API ubi_node_ix ubi_graph_root(const ubi_graph *graph);

/** Microseconds since the Unix epoch; false when the producer did not say. */
UBI_API bool ubi_graph_creation_time_us(const ubi_graph *graph, uint64_t *out);

/** Name of the format the graph was read from, such as "fxsnapshot"; "memory" for built graphs. Static. */
UBI_API const char *ubi_graph_format_name(const ubi_graph *graph);

/* ---- nodes. `node` must be below ubi_graph_node_count(). O(1) unless it says otherwise. -------------------------- */

/** The producer's id, unique in the graph. */
UBI_API uint64_t ubi_graph_node_id(const ubi_graph *graph, ubi_node_ix node);
/** Shallow size: the node with the memory that it alone owns. */
UBI_API uint64_t ubi_graph_node_size_bytes(const ubi_graph *graph, ubi_node_ix node);
/** The attributes that the node shares with others, by index and as a row. The row is borrowed from the graph. */
UBI_API ubi_kind_ix ubi_graph_node_kind(const ubi_graph *graph, ubi_node_ix node);
UBI_API const ubi_kind *ubi_graph_kind(const ubi_graph *graph, ubi_kind_ix kind);
/** Youngest frame of the allocation stack, or UBI_NONE. */
UBI_API ubi_frame_ix ubi_graph_node_stack(const ubi_graph *graph, ubi_node_ix node);
/** It is known that no frame was on the stack when the node was allocated, which differs from not knowing the stack. */
UBI_API bool ubi_graph_node_stack_is_empty(const ubi_graph *graph, ubi_node_ix node);
/** First edge of `node`; `node` may equal the node count, which gives the edge count. */
UBI_API ubi_edge_ix ubi_graph_first_edge(const ubi_graph *graph, ubi_node_ix node);
UBI_API ubi_node_ix ubi_graph_edge_target(const ubi_graph *graph, ubi_edge_ix edge);
/** UBI_NONE: unnamed, or labelled with a number. */
UBI_API ubi_str_ix ubi_graph_edge_name(const ubi_graph *graph, ubi_edge_ix edge);
UBI_API ubi_edge_kind ubi_graph_edge_kind(const ubi_graph *graph, ubi_edge_ix edge);
/** The label of an edge of kind ELEMENT or HIDDEN; false for others. */
UBI_API bool ubi_graph_edge_number(uint32_t *out, const ubi_graph *graph, ubi_edge_ix edge);

/** Room for the digits of a numbered edge. */
#define UBI_EDGE_LABEL_BYTES 12
/**
 * Name or number of an edge as text; NULL text: it has neither.
 * @param buffer  where digits go, if there are any; names are borrowed from the graph.
 */
UBI_API ubi_text ubi_graph_edge_label(const ubi_graph *graph, ubi_edge_ix edge, char buffer[UBI_EDGE_LABEL_BYTES]);
/** What the producer calls this one node: the text of a string, the name of a function. UBI_NONE: nothing. */
UBI_API ubi_str_ix ubi_graph_node_name(const ubi_graph *graph, ubi_node_ix node);
/** @return UBI_OK or UBI_ENOTFOUND. Cost: O(1) expected. */
UBI_API ubi_status ubi_graph_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id);

/* ---- strings and frames ------------------------------------------------------------------------------------------ */

/** Text of an entry; NULL text for UBI_NONE. Borrowed from the graph. */
UBI_API ubi_text ubi_graph_string(const ubi_graph *graph, ubi_str_ix string);
UBI_API ubi_str_ix ubi_graph_canonical_string(const ubi_graph *graph, ubi_str_ix string);
UBI_API void ubi_graph_frame(const ubi_graph *graph, ubi_frame_ix frame, ubi_frame *out);
UBI_API ubi_frame_ix ubi_graph_frame_parent(const ubi_graph *graph, ubi_frame_ix frame); /**< UBI_NONE: oldest */
UBI_API ubi_frame_ix ubi_graph_canonical_frame(const ubi_graph *graph, ubi_frame_ix frame);

/* ---- reachability ------------------------------------------------------------------------------------------------ */

/** Nodes that can be reached from the root, the root included. */
UBI_API uint32_t ubi_graph_reachable_count(const ubi_graph *graph);
UBI_API bool ubi_graph_is_reachable(const ubi_graph *graph, ubi_node_ix node);
/** Whether some edge of a reachable node leads to the root; a census counts the root only then. */
UBI_API bool ubi_graph_root_has_retainer(const ubi_graph *graph);

/**
 * Nodes in the order a breadth-first walk from the root first reports them. The root is in the list only if an edge
 * leads to it, at the place where that edge is met.
 *
 * @param order  order[ubi_graph_visit_count(graph)], caller's array.
 * Cost: O(1) per node when the file is in breadth-first order (Firefox writes it so), else one walk, O(nodes + edges).
 * Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_graph_visit_order(ubi_node_ix *order, const ubi_graph *graph);
UBI_API uint32_t ubi_graph_visit_count(const ubi_graph *graph);

/* ---- edge sets --------------------------------------------------------------------------------------------------- */

/** A subset of a graph's edges, one bit each. A NULL `const ubi_edge_set *` means every edge. */
typedef struct ubi_edge_set ubi_edge_set;

/** Owned; keeps a reference to the graph. `all`: every edge is a member at first, else none. */
UBI_API ubi_status ubi_edge_set_new(ubi_edge_set **out, const ubi_graph *graph, bool all);
UBI_API void ubi_edge_set_free(ubi_edge_set *set);
UBI_API void ubi_edge_set_put(ubi_edge_set *set, ubi_edge_ix edge, bool member);
UBI_API bool ubi_edge_set_has(const ubi_edge_set *set, ubi_edge_ix edge);
UBI_API uint64_t ubi_edge_set_count(const ubi_edge_set *set); /**< O(edges / 64) */

/* ---- views ------------------------------------------------------------------------------------------------------- */

/** What an analysis does with nodes that its edges do not reach from the root. */
typedef enum ubi_orphans {
    /** They are left out, as Firefox does. */
    UBI_ORPHANS_IGNORE = 0,
    /**
     * They count as children of the root, as in Chrome's DevTools: in file order, every node not reached so far to which
     * none of the edges leads, with all that it reaches; then each node that is still left (on a cycle), alone.
     */
    UBI_ORPHANS_ADOPT = 1
} ubi_orphans;

/**
 * A way to look at a graph: what generic algorithms take in place of a graph. A lens (lens.h) makes one; ubi_view_of gives
 * the plainest. A small value that borrows all it points to.
 */
typedef struct ubi_view {
    const ubi_graph *graph;
    const ubi_edge_set *edges;  /**< the edges that count; NULL: all */
    const uint64_t *size_bytes; /**< size_bytes[n_nodes] in place of the graph's own sizes; NULL: the graph's */
    ubi_node_ix root;
    ubi_orphans orphans;
    /**
     * Edges of the root, ascending, to what people think of as roots, such as a page's global object; NULL: none. Paths
     * (paths.h) prefer them to other, perhaps shorter ways. first_edges[n_first_edges].
     */
    const ubi_edge_ix *first_edges;
    uint32_t n_first_edges;
    /**
     * Tables of the engine whose entries go when nothing else holds them, though the file lists their edges as others, such as
     * V8's table of internalized strings, and lists of objects that their owners are on, such as those of Node.js for the end of the
     * process. Their edges count in sizes and paths, as in the producer's tools; leaks (leaks.h) do not follow them. weak_tables[n_weak_tables]; NULL: none.
     */
    const ubi_node_ix *weak_tables;
    uint32_t n_weak_tables;
    /**
     * Roots for the moment: what running functions have in their hands, such as V8's stack and handle scopes. Leaks (leaks.h) name what
     * else holds an object, if anything does. passing_roots[n_passing_roots]; NULL: none.
     */
    const ubi_node_ix *passing_roots;
    uint32_t n_passing_roots;
} ubi_view;

/** All edges, the graph's own sizes and root, orphans ignored. */
UBI_API ubi_view ubi_view_of(const ubi_graph *graph);

/* ---- edges backwards --------------------------------------------------------------------------------------------- */

/** The node that `edge` leaves. Cost: O(log nodes). */
UBI_API ubi_node_ix ubi_graph_edge_source(const ubi_graph *graph, ubi_edge_ix edge);

/** Edges grouped by their target: who retains a node. Immutable; keeps a reference to the graph. */
typedef struct ubi_retainers ubi_retainers;

/**
 * @param set  only these edges; NULL: all. Borrowed during the call.
 * @param threads  0: one per core.
 * Cost: O(nodes + edges) time; 4 bytes per edge (8 from 2^32 edges on) and 8 per node. While it runs, as much per node and
 * thread as an edge takes; it uses at most 4 threads. Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_retainers_new(ubi_retainers **out, const ubi_graph *graph, const ubi_edge_set *set,
                                     unsigned threads, const ubi_allocator *allocator);
UBI_API void ubi_retainers_free(ubi_retainers *retainers);
/** How many edges of the set lead to `node`, parallel and self edges counted. O(1). */
UBI_API uint64_t ubi_retainers_count(const ubi_retainers *retainers, ubi_node_ix node);
/** The i-th of them, ascending. O(1). */
UBI_API ubi_edge_ix ubi_retainers_edge(const ubi_retainers *retainers, ubi_node_ix node, uint64_t i);

/**
 * Breadth-first depth of every node from `start` over the edges of `set`.
 * @param out  distance[n_nodes], edges; UBI_NONE: not reached.
 * Cost: O(nodes + edges) time, 4 bytes per node of working memory. Errors: UBI_ENOMEM, UBI_EINVAL (bad start).
 */
UBI_API ubi_status ubi_graph_distances(uint32_t *out, const ubi_graph *graph, const ubi_edge_set *set,
                                       ubi_node_ix start);

/**
 * Number of edges that lead to each node, parallel and self edges counted.
 * @param out  count[n_nodes], edges, saturating at 2^32-1.
 */
UBI_API void ubi_graph_retainer_counts(uint32_t *out, const ubi_graph *graph);

/* ---- building ---------------------------------------------------------------------------------------------------- */

/**
 * Builds a graph node by node: ubi_graph_builder_node, then its edges, then the next node. The first node is the root.
 * Edges name their target by id, which may come later. One thread. After an error only _free is allowed.
 *
 * Memory while building: at most 1.3 times the finished graph.
 */
typedef struct ubi_graph_builder ubi_graph_builder;

typedef struct ubi_node_desc {
    uint64_t id;
    uint64_t size_bytes;
    ubi_kind kind;      /**< indices from ubi_graph_builder_string */
    ubi_frame_ix stack; /**< from ubi_graph_builder_frame, or UBI_NONE */
} ubi_node_desc;

typedef struct ubi_frame_desc {
    uint64_t id;
    ubi_frame_ix parent; /**< an earlier frame, or UBI_NONE */
    ubi_str_ix source;
    ubi_str_ix function_name; /**< or UBI_NONE */
    uint32_t line, column;
    bool is_system, is_self_hosted;
} ubi_frame_desc;

/** An empty builder. Owned. `allocator` NULL: the default; the finished graph uses it too. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_graph_builder_new(ubi_graph_builder **out, const ubi_allocator *allocator);
/** Frees the builder, finished or not. NULL is fine. */
UBI_API void ubi_graph_builder_free(ubi_graph_builder *builder);
/** Microseconds since the Unix epoch. */
UBI_API void ubi_graph_builder_set_creation_time_us(ubi_graph_builder *builder, uint64_t time_us);
/** Appends an entry; never merges. Copies. */
UBI_API ubi_status ubi_graph_builder_string(ubi_graph_builder *builder, ubi_str_ix *out, ubi_text text);
UBI_API ubi_status ubi_graph_builder_frame(ubi_graph_builder *builder, ubi_frame_ix *out, const ubi_frame_desc *frame);
UBI_API ubi_status ubi_graph_builder_node(ubi_graph_builder *builder, const ubi_node_desc *node);
/** An edge of the node added last. `name` UBI_NONE: unnamed. */
UBI_API ubi_status ubi_graph_builder_edge(ubi_graph_builder *builder, uint64_t target_id, ubi_str_ix name);
/** The same with a kind that has names, or UBI_EDGE_REFERENCE. */
UBI_API ubi_status ubi_graph_builder_edge_of(ubi_graph_builder *builder, uint64_t target_id, ubi_edge_kind kind,
                                             ubi_str_ix name);
/** An edge of kind ELEMENT or HIDDEN. */
UBI_API ubi_status ubi_graph_builder_numbered_edge(ubi_graph_builder *builder, uint64_t target_id, ubi_edge_kind kind,
                                                   uint32_t number);
/** Name of the node added last (ubi_graph_node_name). */
UBI_API ubi_status ubi_graph_builder_node_name(ubi_graph_builder *builder, ubi_str_ix name);
/**
 * Resolves ids, finds what is reachable, and hands the graph over; the builder is empty afterwards and must still be
 * freed. Errors: UBI_EFORMAT (duplicate id, edge to an unknown id, no node), UBI_ENOMEM, UBI_ECANCELLED.
 */
UBI_API ubi_status ubi_graph_builder_finish(ubi_graph **out, ubi_graph_builder *builder);

typedef struct ubi_capture_options {
    uint32_t version;               /**< UBI_CAPTURE_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< NULL: the default; must outlive the graph */
    ubi_progress progress;          /**< stage "capturing", in nodes, total 0 */
    ubi_edge_filter_fn edge_filter; /**< the boundaries of the walk; NULL: follow all */
    void *edge_filter_payload;
} ubi_capture_options;

#define UBI_CAPTURE_OPTIONS_VERSION 1
#define UBI_CAPTURE_OPTIONS_INIT                                                                                       \
    { .version = UBI_CAPTURE_OPTIONS_VERSION }

/**
 * Walks any heap from `root` breadth-first and keeps all of it within the boundaries. Equal strings become one entry, and
 * each frame of the heap is one.
 *
 * @param options  NULL: the defaults.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, UBI_EFORMAT (two nodes with one id), UBI_ECANCELLED.
 * Cost: O(nodes + edges) time; at most 16 bytes per node (24 when nodes belong to more than one `heap`) above the graph.
 */
UBI_API ubi_status ubi_graph_capture(ubi_graph **out, ubi_node root, const ubi_capture_options *options);

/** A node of the graph as a ubi_node; valid while the graph lives. */
UBI_API ubi_node ubi_graph_as_node(const ubi_graph *graph, ubi_node_ix node);

/**
 * Checks every invariant of a graph (column lengths, index ranges, canonical entries, id index, reachability).
 * @return UBI_OK, or UBI_EFORMAT with a message that names the first broken invariant. Cost: O(nodes + edges).
 */
UBI_API ubi_status ubi_graph_check(const ubi_graph *graph);

/** Bytes that a graph holds, by purpose. */
typedef struct ubi_graph_memory {
    uint32_t struct_bytes;  /**< UBI_GRAPH_MEMORY_INIT */
    uint64_t nodes_bytes;   /**< node columns */
    uint64_t edges_bytes;   /**< edge columns */
    uint64_t index_bytes;   /**< id -> node, reachability */
    uint64_t strings_bytes; /**< string table and kinds */
    uint64_t stacks_bytes;  /**< frame table */
} ubi_graph_memory;

#define UBI_GRAPH_MEMORY_INIT                                                                                          \
    { .struct_bytes = sizeof(ubi_graph_memory) }

/** What the graph holds now. O(1). */
UBI_API void ubi_graph_memory_use(const ubi_graph *graph, ubi_graph_memory *out);

#ifdef __cplusplus
}
#endif
#endif
