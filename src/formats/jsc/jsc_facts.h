/* SPDX-License-Identifier: MIT
 *
 * jsc_facts.h: what a heap snapshot of JavaScriptCore holds beside its graph, and what its kinds mean.
 *
 * In the graph itself: a kind's `raw_type` is a ubi__jsc_type; its class is the file's class name, of engine nodes its type
 * instead; the name of a node is its label, in files that have labels; edges of the root and other internal ones have no name.
 * The id of a node is the file's, in GCDebugging files the address of its cell, because their ids are new in every file.
 */
#ifndef UBI_FORMATS_JSC_FACTS_H
#define UBI_FORMATS_JSC_FACTS_H

#include "base/alloc.h"
#include "graph/graph_columns.h"

/** What the engine says of a node: its flags and its class, as one number. */
typedef enum ubi__jsc_type {
    UBI__JSC_NONE,
    UBI__JSC_ROOT,
    UBI__JSC_STRING,
    UBI__JSC_SYMBOL,
    UBI__JSC_BIGINT,
    UBI__JSC_FUNCTION,
    UBI__JSC_OBJECT,   /**< of a class of the engine: Map, Promise, Array */
    UBI__JSC_INSTANCE, /**< a plain object; its class is that of its constructor, as far as there is one */
    UBI__JSC_GLOBAL,   /**< a global object, or its proxy */
    UBI__JSC_SCOPE,    /**< holds variables that functions captured, or those of a module */
    UBI__JSC_ELEMENT,  /**< of a document */
    UBI__JSC_CODE,     /**< executables and blocks of code */
    UBI__JSC_SHAPE,    /**< a Structure, or what belongs to one */
    UBI__JSC_INTERNAL, /**< another node of the engine */
    UBI__JSC_TYPE_COUNT
} ubi__jsc_type;

/** Bits of the file's flags. Source: WebKit, Source/JavaScriptCore/heap/HeapSnapshotBuilder.cpp, NodeFlags. */
#define UBI__JSC_FLAG_INTERNAL 1u
#define UBI__JSC_FLAG_OBJECT 2u
#define UBI__JSC_FLAG_ELEMENT 4u
#define UBI__JSC_FLAGS 8u

/** "" for a type whose nodes are called by their class. */
const char *ubi__jsc_type_name(ubi__jsc_type type);
/** Of a node that is not the root. */
ubi__jsc_type ubi__jsc_type_of(ubi_text class_name, unsigned flags);

/** Why the collector keeps a node that nothing else need keep. */
typedef struct ubi__jsc_root {
    ubi_node_ix node;
    ubi_str_ix reason;       /* "StrongHandles" */
    ubi_str_ix reachability; /* "" when there is no reason to be reached from an opaque root */
} ubi__jsc_root;

/** The object of another language that a node stands for. */
typedef struct ubi__jsc_wrapped {
    ubi_node_ix node;
    uint64_t address;
} ubi__jsc_wrapped;

UBI_VEC_DECLARE(ubi__vec_jsc_root, ubi__jsc_root);
UBI_VEC_DECLARE(ubi__vec_jsc_wrapped, ubi__jsc_wrapped);

typedef struct ubi__jsc_facts {
    uint32_t version;             /* of the format: 1 to 3 */
    bool is_debugging;            /* GCDebugging: labels, addresses and reasons of roots */
    ubi__vec_jsc_root roots;      /* ascending by node; a node may have more than one */
    ubi__vec_jsc_wrapped wrapped; /* ascending by node, at most one each */
} ubi__jsc_facts;

/** Roots and wrapped nodes are nodes of the graph and in order; files of Inspector type have neither. O(both). */
void ubi__jsc_facts_check(const ubi__jsc_facts *facts, uint32_t n_nodes);

/** NULL: the graph was not read from a snapshot of JavaScriptCore. */
const ubi__jsc_facts *ubi__jsc_facts_of(const ubi_graph *graph);
/** The first of the node's root entries, or NULL; the others follow it. Cost: O(log roots). */
const ubi__jsc_root *ubi__jsc_root_of(const ubi__jsc_facts *facts, ubi_node_ix node);
/** 0: none. Cost: O(log wrapped). */
uint64_t ubi__jsc_wrapped_of(const ubi__jsc_facts *facts, ubi_node_ix node);

/** Empty facts; NULL: out of memory. */
ubi__jsc_facts *ubi__jsc_facts_new(const ubi_allocator *a);
/** Gives the facts to the graph, which frees them from now on. */
void ubi__jsc_facts_give(ubi_graph *graph, ubi__jsc_facts *facts);
struct ubi__columns;
/** ubi__format.pass_facts. */
ubi_status ubi__jsc_facts_pass(struct ubi__columns *c, ubi_graph *graph);
/** For ubi_graph.free_facts. */
void ubi__jsc_facts_free(void *facts, const ubi_allocator *a);

#endif
