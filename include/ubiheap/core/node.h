/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/node.h: the abstract heap graph.
 *
 * A `ubi_node` is one thing in some heap, seen through the operations of the heap's owner: a live engine, a loaded
 * snapshot, a fake heap in a test. Everything that walks a heap (snapshot writer, live census, capture into a ubi_graph)
 * is written against this interface and nothing else, after SpiderMonkey's JS::ubi::Node.
 *
 * Lifetime: a ubi_node is a small value. It owns nothing and is valid while its heap is frozen, that is, while no thread
 * allocates, frees or runs code on that heap. A walk must not do any of these either.
 *
 * Identity: two nodes are equal when `heap` and `ref` are. Attributes never take part.
 *
 * Extension point: an engine implements `ubi_node_ops`. May change between minor versions.
 */
#ifndef UBIHEAP_NODE_H
#define UBIHEAP_NODE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a node is, coarsely. The values are those of the file format. */
typedef enum ubi_coarse_type {
    UBI_COARSE_OTHER = 0,
    UBI_COARSE_OBJECT = 1,
    UBI_COARSE_SCRIPT = 2,
    UBI_COARSE_STRING = 3,
    UBI_COARSE_DOM_NODE = 4
} ubi_coarse_type;

#define UBI_COARSE_TYPE_COUNT 5

/** "Other", "Object", "Script", "String", "DOMNode"; "Unknown" for anything else. Static. */
UBI_API const char *ubi_coarse_type_name(ubi_coarse_type type);

/** What a text of a snapshot is. */
typedef enum ubi_text_role {
    UBI_TEXT_TYPE_NAME,
    UBI_TEXT_EDGE_NAME,
    UBI_TEXT_CLASS_NAME,
    UBI_TEXT_DESCRIPTIVE_NAME,
    UBI_TEXT_SCRIPT_FILENAME, /**< bytes as the producer gave them, perhaps no UTF-8 */
    UBI_TEXT_FRAME_SOURCE,
    UBI_TEXT_FRAME_FUNCTION,
    UBI_TEXT_STRING, /**< what a string holds, or a regular expression */
    UBI_TEXT_NODE_NAME, /**< what the engine calls one node: "system / Map", an element with attributes, a script by its URL */
    UBI_TEXT_FIELD_NAME, /**< of an edge that is a field of the engine */
    UBI_TEXT_INDEX,      /**< of an element of an array: digits, and so is what replaces it */
    /* Of recordings and timelines: */
    UBI_TEXT_NATIVE_FUNCTION, /**< of compiled code, as demangled; what was called to allocate; a frame that is a text */
    UBI_TEXT_NATIVE_FILE,     /**< path of a program, a library or a source file */
    UBI_TEXT_MARKER_NAME,
    UBI_TEXT_DETAIL_KEY, /**< of a marker's detail, or of a figure of memory */
    UBI_TEXT_DETAIL,     /**< the value of a detail: a cause, a URL, a number that is not public */
    UBI_TEXT_WORDS,      /**< names of threads, of the system, of the file's writer */
    UBI_TEXT_SECRET      /**< always replaced: an argument of the command line, a build-id */
} ubi_text_role;

#define UBI_TEXT_ROLE_COUNT 18

struct ubi_node_ops;

typedef struct ubi_node {
    const struct ubi_node_ops *ops; /**< NULL in the null node, on which no accessor may be called */
    void *heap;                     /**< whatever the operations need to find the node */
    uint64_t ref;                   /**< the node within `heap` */
} ubi_node;

/**
 * Receives one outgoing edge. `name.ptr` is NULL for an unnamed edge or when names were not asked for; borrowed during
 * the call. Return false to stop the enumeration.
 */
typedef bool (*ubi_edge_fn)(void *payload, ubi_node referent, ubi_text name);

/**
 * Names of edges as a heap distinguishes them: while it is frozen, equal keys are equal names of one heap. Only the heap knows what
 * a key says, unless `base` is one of the two below.
 */
typedef struct ubi_edge_key {
    uint64_t base, number;
} ubi_edge_key;

#define UBI_EDGE_KEY_UNNAMED 0 /**< `number` is 0 */
#define UBI_EDGE_KEY_NUMBER 1  /**< the name is `number`, below 2^32, in decimal digits: the element of an array */

/** An outgoing edge. The referent belongs to the heap of the node and has its operations. */
typedef struct ubi_keyed_edge {
    uint64_t ref, id; /**< the referent's */
    ubi_edge_key name;
} ubi_keyed_edge;

/** Receives the next `n` edges of a node, 1 or more; borrowed during the call. Return false to stop the enumeration. */
typedef bool (*ubi_keyed_edges_fn)(void *payload, const ubi_keyed_edge *edges, uint32_t n);

/**
 * Operations of a heap. All but `id`, `type_name` and `edges` may be NULL and then give the default in parentheses.
 * Texts are borrowed while the heap is frozen; equal texts need not be the same pointer.
 * None may allocate on the heap or run its code.
 */
typedef struct ubi_node_ops {
    uint32_t version;              /**< UBI_NODE_OPS_VERSION */
    uint64_t (*id)(ubi_node node); /**< unique in the heap, stable while frozen, exactly representable as a double */
    ubi_text (*type_name)(ubi_node node);          /**< name of the engine's type, never NULL text */
    ubi_coarse_type (*coarse_type)(ubi_node node); /**< (UBI_COARSE_OTHER) */
    uint64_t (*size_bytes)(ubi_node node);         /**< shallow size with memory owned exclusively (1) */
    ubi_text (*class_name)(ubi_node node);         /**< JavaScript class of an object (no text) */
    ubi_text (*descriptive_name)(ubi_node node);   /**< of a DOM node, of a constructor (no text) */
    ubi_text (*script_filename)(ubi_node node);    /**< source file of a script (no text) */
    /** False: not tracked. True with `out->ops` NULL: allocated while no frame was on the stack. (false) */
    bool (*allocation_stack)(ubi_node node, ubi_stack *out);
    bool (*is_live)(ubi_node node); /**< false for nodes of a file (true) */
    /**
     * Calls `fn` once per outgoing edge in the heap's fixed order; parallel and self edges are legal, referents never null.
     * @return false when `fn` stopped the enumeration.
     */
    bool (*edges)(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload);
    /**
     * Above every ref of the heap: then a walk keeps a bit per ref and a list, at most 4.2 bytes per ref below it, and not a
     * table. 0: unknown. (0)
     */
    uint64_t (*ref_limit)(void *heap);
    /**
     * A number that the node shares only with nodes of the same coarse type and the same four texts, so that these are asked
     * for once; the smaller the better. UBI_NONE: it has none. (UBI_NONE)
     */
    uint32_t (*group)(ubi_node node);
    /** The node will be asked for soon: its memory may be fetched, and no more. (nothing) */
    void (*prefetch)(ubi_node node);
    /**
     * The same edges as `edges` with names, for a walk to which few names come again and again: some at a time, with keys in
     * place of texts. Goes with `edge_name`. (`edges`)
     */
    bool (*keyed_edges)(ubi_node node, ubi_keyed_edges_fn fn, void *payload);
    /** The name of a key; NULL text: unnamed. Borrowed until the heap is asked for something else. */
    ubi_text (*edge_name)(void *heap, ubi_edge_key key);
} ubi_node_ops;

#define UBI_NODE_OPS_VERSION 1

static inline bool ubi_node_equal(ubi_node a, ubi_node b) {
    return a.heap == b.heap && a.ref == b.ref;
}
static inline bool ubi_node_is_null(ubi_node node) {
    return node.ops == NULL;
}

/*
 * Accessors: what the operations of the heap answer, with the defaults given there. Not on the null node. Texts are
 * borrowed while the heap is frozen. Cost and thread are the heap's.
 */

/** Unique in the heap, stable while it is frozen. */
UBI_API uint64_t ubi_node_id(ubi_node node);
/** Name of the engine's type; never NULL text. */
UBI_API ubi_text ubi_node_type_name(ubi_node node);
/** What it is, coarsely. */
UBI_API ubi_coarse_type ubi_node_coarse_type(ubi_node node);
/** Shallow size: the node with the memory that it alone owns. */
UBI_API uint64_t ubi_node_size_bytes(ubi_node node);
/** JavaScript class of an object; NULL text: none. */
UBI_API ubi_text ubi_node_class_name(ubi_node node);
/** Such as the name of a DOM node; NULL text: none. */
UBI_API ubi_text ubi_node_descriptive_name(ubi_node node);
/** Source file of a script; NULL text: none. */
UBI_API ubi_text ubi_node_script_filename(ubi_node node);
/** Where it was allocated. False, with *out untouched, if that is unknown. */
UBI_API bool ubi_node_allocation_stack(ubi_node node, ubi_stack *out);
/** Above every ref of its heap; 0: unknown. */
UBI_API uint64_t ubi_node_ref_limit(ubi_node node);
/** A number that it shares only with nodes of the same coarse type and texts; UBI_NONE: it has none. */
UBI_API uint32_t ubi_node_group(ubi_node node);
/** False for the nodes of a file. */
UBI_API bool ubi_node_is_live(ubi_node node);
/** Calls `fn` once per outgoing edge, in the heap's order. False when `fn` stopped it. */
UBI_API bool ubi_node_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload);

/* ---- boundaries -------------------------------------------------------------------------------------------------- */

/** What a walk does with an edge, and with a node that this edge is the first to reach. */
typedef enum ubi_edge_verdict {
    UBI_EDGE_FOLLOW = 0, /**< take edge and node, continue from there */
    UBI_EDGE_ABANDON,    /**< take both, but not the node's own edges */
    UBI_EDGE_SKIP        /**< leave the edge out; the node is still unvisited, so another edge may bring it in */
} ubi_edge_verdict;

/**
 * Decides about one edge: the boundaries of a save, a live census or a capture. The first edge that is not skipped decides
 * how its node is taken. Must give the same answer for the same two nodes throughout a walk, which may ask twice.
 *
 * Firefox's rule for a set of compartments: FOLLOW when the referent's compartment is in the set or it has none; else
 * ABANDON when the origin has a compartment, SKIP when it has none.
 * Source: mozilla-central devtools/shared/heapsnapshot/HeapSnapshot.cpp, ShouldIncludeEdge.
 */
typedef ubi_edge_verdict (*ubi_edge_filter_fn)(void *payload, ubi_node origin, ubi_node referent);

/* ---- walks ------------------------------------------------------------------------------------------------------ */

typedef struct ubi_bfs ubi_bfs;

/**
 * Called once per traversed edge of a breadth-first walk.
 *
 * @param first  the referent was not visited before.
 * @param data   the referent's word of walk data: fresh (0) when `first`; kept if the referent is marked visited.
 *
 * Allowed inside: ubi_bfs_stop, and when `first`: ubi_bfs_abandon_referent, ubi_bfs_do_not_mark_visited.
 * Any status but UBI_OK aborts the walk with that status.
 */
typedef ubi_status (*ubi_bfs_fn)(void *payload, ubi_bfs *walk, ubi_node origin, ubi_node referent, ubi_text edge_name,
                                 bool first, uint64_t *data);

/**
 * Breadth-first walk over any heap, with the exact rules of JS::ubi::BreadthFirst.
 *
 * `ubi_bfs_add_start` queues a node without marking it visited: when an edge leads back to it, it is reported as first
 * and its edges are walked twice. `ubi_bfs_add_start_visited` also marks it.
 *
 * Cost: O(nodes + edges) time, about 24 bytes per node visited. No recursion. One thread.
 * Source: mozilla-central js/public/UbiNodeBreadthFirst.h.
 */
UBI_API ubi_status ubi_bfs_new(ubi_bfs **out, const ubi_allocator *allocator);
UBI_API void ubi_bfs_free(ubi_bfs *walk);
UBI_API ubi_status ubi_bfs_add_start(ubi_bfs *walk, ubi_node node);
UBI_API ubi_status ubi_bfs_add_start_visited(ubi_bfs *walk, ubi_node node);
UBI_API ubi_status ubi_bfs_run(ubi_bfs *walk, bool want_names, ubi_bfs_fn fn, void *payload);
/** End the walk successfully after the current call. */
UBI_API void ubi_bfs_stop(ubi_bfs *walk);
/** Do not walk the edges of the current referent; later edges to it are still reported. */
UBI_API void ubi_bfs_abandon_referent(ubi_bfs *walk);
/** Leave the current referent unvisited; it is still queued unless abandoned. */
UBI_API void ubi_bfs_do_not_mark_visited(ubi_bfs *walk);
/** The walk data of a visited node, or NULL. Borrowed until the walk continues. */
UBI_API const uint64_t *ubi_bfs_visited(const ubi_bfs *walk, ubi_node node);

/** One node, after all nodes reachable from it that were not met before. Not UBI_OK aborts. */
typedef ubi_status (*ubi_post_order_node_fn)(void *payload, ubi_node node);
/** One edge. May be NULL. Not UBI_OK aborts. */
typedef ubi_status (*ubi_post_order_edge_fn)(void *payload, ubi_node origin, ubi_node referent);

/**
 * Depth-first post-order walk from `start`, last edge of a node first, with an explicit stack.
 * Each reachable node is reported once, `start` last; each edge once.
 *
 * Cost: O(nodes + edges) time, memory for the edges of the nodes on the stack.
 * Source: mozilla-central js/public/UbiNodePostOrder.h.
 */
UBI_API ubi_status ubi_post_order(ubi_node start, ubi_post_order_node_fn on_node, ubi_post_order_edge_fn on_edge,
                                  void *payload, const ubi_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
