/* SPDX-License-Identifier: MIT
 *
 * v8_facts.h: what a .heapsnapshot file holds beside its graph: raw, for the lens of V8's tools.
 *
 * In the graph itself: kinds have `raw_type` (v8_types.h) and the file's `detachedness`; nodes have names (the file's `name`:
 * the text of a string, the constructor's name of an object, the name of a function); edges have kinds; a node's stack is the
 * frame of its trace node.
 */
#ifndef UBI_FORMATS_V8_FACTS_H
#define UBI_FORMATS_V8_FACTS_H

#include "base/alloc.h"
#include "formats/v8/v8_types.h"
#include "graph/graph_columns.h"

/** Where the code of a function is, or that of an object's constructor. */
typedef struct ubi__v8_location {
    ubi_node_ix node;
    uint32_t script_id;
    uint32_t line, column; /* from 0, as in the file */
    ubi_node_ix script;    /* node of the script; UBI_NONE: the file has no such field */
} ubi__v8_location;

/** A function of which the file has allocations (trace_function_infos). */
typedef struct ubi__v8_function {
    ubi_str_ix name, script_name;
    uint64_t function_id;
    uint32_t script_id;
    uint32_t line, column; /* as in the file; 0: unknown */
} ubi__v8_function;

/** What belongs to one frame of the graph's frame table: trace nodes and frames have the same order. */
typedef struct ubi__v8_trace {
    uint32_t function;          /* place in `functions` */
    uint32_t id;                /* the file's: what trace_node_id names */
    uint64_t count, size_bytes; /* of all allocations ever made at that stack */
} ubi__v8_trace;

/** One look at the clock: objects with ids up to last_id were there then. */
typedef struct ubi__v8_sample {
    uint64_t time_us; /* since tracking began */
    uint64_t last_id;
} ubi__v8_sample;

/** A lexical scope (Chromium 156). Its variables and uses are ranges of the tables below. */
typedef struct ubi__v8_scope {
    ubi_node_ix script;
    int64_t scope_id; /* may be negative */
    uint32_t depth;
    uint32_t first_variable, n_variables;
    uint32_t first_use, n_uses;
} ubi__v8_scope;

typedef struct ubi__v8_scope_use {
    int64_t scope_id; /* of the scope that declares the variable */
    uint32_t slot;
} ubi__v8_scope_use;

UBI_VEC_DECLARE(ubi__vec_v8_location, ubi__v8_location);
UBI_VEC_DECLARE(ubi__vec_v8_function, ubi__v8_function);
UBI_VEC_DECLARE(ubi__vec_v8_trace, ubi__v8_trace);
UBI_VEC_DECLARE(ubi__vec_v8_sample, ubi__v8_sample);
UBI_VEC_DECLARE(ubi__vec_v8_scope, ubi__v8_scope);
UBI_VEC_DECLARE(ubi__vec_v8_scope_use, ubi__v8_scope_use);

typedef struct ubi__v8_facts {
    bool has_detachedness; /* nodes have the field */
    bool has_trace_ids;    /* nodes have the field trace_node_id */
    bool has_extra_native_bytes;
    uint64_t extra_native_bytes;
    uint32_t stride;                /* fields per node in the file: DevTools' node index is ordinal * stride */
    ubi__vec_v8_location locations; /* ascending by node, at most one each */
    ubi__vec_v8_function functions;
    ubi__vec_v8_trace traces; /* one per frame of the graph */
    ubi__vec_v8_sample samples;
    ubi__vec_v8_scope scopes;
    ubi__vec_u32 scope_variables; /* ubi_str_ix */
    ubi__vec_v8_scope_use scope_uses;
} ubi__v8_facts;

/** NULL: the graph was not read from a .heapsnapshot file. */
const ubi__v8_facts *ubi__v8_facts_of(const ubi_graph *graph);
/** The node's place in the code, or NULL. Cost: O(log locations). */
const ubi__v8_location *ubi__v8_location_of(const ubi__v8_facts *facts, ubi_node_ix node);

/**
 * The facts fit the graph: locations ascend by node, each frame has its trace, and scopes have ranges of variables and uses that
 * follow each other. Cost: O(facts).
 */
void ubi__v8_facts_check(const ubi__v8_facts *facts, const ubi_graph *graph);

/** Empty facts; NULL: out of memory. */
ubi__v8_facts *ubi__v8_facts_new(const ubi_allocator *a);
/** Gives the facts to the graph, which frees them from now on. */
void ubi__v8_facts_give(ubi_graph *graph, ubi__v8_facts *facts);
struct ubi__columns;
/** ubi__format.pass_facts. */
ubi_status ubi__v8_facts_pass(struct ubi__columns *c, ubi_graph *graph);
/** For ubi_graph.free_facts. */
void ubi__v8_facts_free(void *facts, const ubi_allocator *a);

#endif
