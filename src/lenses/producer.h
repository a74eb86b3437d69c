/* SPDX-License-Identifier: MIT
 *
 * producer.h: how the heaps of one engine speak. Everything else knows engines through this alone.
 *
 * A producer is one constant `ubi__producer` in a folder of its own and a line in producers.c. Only that folder, and the one of
 * its format, read `ubi_kind.raw_type` and the facts that the format's reader kept. What a producer leaves 0 or NULL has the plain
 * meaning that is given here. README.md says how to add one.
 */
#ifndef UBI_LENSES_PRODUCER_H
#define UBI_LENSES_PRODUCER_H

#include <ubiheap/views/allocations.h>

#include "base/hash.h"
#include "lenses/lens.h"
#include "lenses/string_keys.h"
#include "lenses/words.h"

/** What nodes and edges are called. */
typedef struct ubi__producer_words {
    /** What an edge says. @param source  the node that it leaves. */
    ubi__edge_words (*edge)(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
    /** Nodes that only the engine knows: shapes, property maps, scopes, code, accessor pairs, scripts without a file. */
    bool (*node_is_engine)(const ubi_graph *graph, ubi_node_ix node);
    /** A word for a run of these on a path: "shape", "scope"; or what the way through them means: "variable x", "entry". */
    ubi__edge_words (*engine_run)(const ubi_graph *graph, const ubi__engine_run *run);
    /** Lists of roots, which come before all that a program has made; NULL: the root is the only one. */
    bool (*kind_is_root)(const ubi_graph *graph, const ubi_kind *kind);
    /** Nodes that hold nothing a program could let go of: lists of roots, realms, the global object. NULL: none. */
    bool (*kind_is_permanent)(const ubi_graph *graph, const ubi_kind *kind);
    /** Where the words of a path from the root begin; n_steps > 0. False, or NULL: at the root. */
    bool (*path_start)(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps);
    /**
     * A name for one node among others, with the marks that scripts would write: add(), "text", /expression/. It may be in the
     * buffer. Never empty. NULL: the label of its kind.
     */
    ubi_text (*node_title)(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node,
                           ubi_look_name_buffer *buffer);
    /** What distinguishes native contexts (native_contexts.h): their URL. It may be in the buffer. NULL: there are none. */
    ubi_text (*context_name)(const ubi_look *look, ubi_node_ix context, ubi_look_name_buffer *buffer);
    /** Whose name a node's title has; not for roots and the engine's nodes. NULL: what its kind says. */
    ubi__path_rank (*node_rank)(const ubi_graph *graph, ubi_node_ix node);
    /** What titles say so often that paths leave it out; NULL: nothing. */
    const char *left_out_of_paths;
} ubi__producer_words;

/** Where a function is defined, or the constructor of an object. Lines and columns count from 1. */
typedef struct ubi__code_place {
    uint32_t script_id;
    uint64_t line, column;
    bool is_function; /**< else it is that of a constructor */
} ubi__code_place;

/** Which file a piece of code is from, for each node. */
typedef struct ubi__code_files {
    ubi_node_ix *script; /* script[n_nodes]: the node of the script; UBI_NONE: none, or more than one */
    uint32_t n_nodes;
} ubi__code_files;

/** Variables of a call that functions which were made in it still have. */
typedef struct ubi__code_scope {
    ubi_node_ix scope;
    ubi_node_ix
        code; /**< of the function or file that was called, a node of the engine; UBI_NONE: it is a block, or unknown */
    ubi_node_ix caller;   /**< a function with this code that is alive; UBI_NONE */
    ubi_node_ix function; /**< one that has it as its own scope */
    uint32_t n_functions; /**< how many have */
} ubi__code_scope;

UBI_VEC_DECLARE(ubi__vec_code_scope, ubi__code_scope);

/** Those of a heap that functions have as their own. All zero: none is known. */
typedef struct ubi__code_scopes {
    const ubi_allocator *allocator;
    ubi__vec_code_scope rows;
    ubi__u64_map row_of; /**< scope -> row */
} ubi__code_scopes;

/** All zero is fine. */
void ubi__code_scopes_fini(ubi__code_scopes *scopes);
/** NULL: no function has it as its own. O(1). */
const ubi__code_scope *ubi__code_scopes_find(const ubi__code_scopes *scopes, ubi_node_ix scope);

/** Functions and their places in the source. All zero: the graph says nothing about code. */
typedef struct ubi__producer_code {
    uint8_t function_type; /**< the raw_type of functions; 0: kinds do not say */
    /** Whether a function is the runtime's or the browser's own. */
    bool (*function_is_of_runtime)(ubi__fields *fields, ubi_node_ix function);
    /** Whether an edge of a global object is one by which the runtime keeps its own. */
    bool (*edge_is_of_runtime)(const ubi_graph *graph, ubi_edge_ix edge);
    /** A module of the program, which the runtime's loader holds. */
    bool (*kind_is_module)(const ubi_graph *graph, const ubi_kind *kind);
    /** Of any node; false: unknown. Cost: O(log places). */
    bool (*place)(ubi__code_place *out, const ubi_graph *graph, ubi_node_ix node);
    /** "server.js:12" of a function, as much of it as is known; "" of other nodes. Allocation failures count as unknown. */
    void (*place_words)(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function);
    /**
     * The function whose code a node stands for: itself, of a bound function the one it calls, of a timer its callback.
     * UBI_NONE: none. O(1).
     */
    ubi_node_ix (*code_of)(const ubi_look *look, ubi_node_ix node);
    /** Finds `out->script`. On failure there is something to free, too. Cost: O(nodes + edges). Errors: UBI_ENOMEM. */
    ubi_status (*files_init)(ubi__code_files *out, const ubi_graph *graph, const ubi_allocator *a);
    /** Name of the file; NULL text: unknown. Borrowed from the graph. O(1). */
    ubi_text (*file_of)(const ubi__code_files *files, const ubi_graph *graph, ubi_node_ix node);
    /** The place of that code as one number, equal for equal places; 0: unknown. Cost: O(log places). */
    uint64_t (*site)(const ubi_look *look, ubi_node_ix node);
    /** Finds scopes that outlive their calls. On failure there is something to free, too. Cost: O(nodes + edges of code). Errors: UBI_ENOMEM. */
    ubi_status (*scopes_init)(ubi__code_scopes *out, const ubi_graph *graph, const ubi_allocator *a);
    /** Whose call it was: "install() (server.js:7)", or of a whole file "server.js"; "": unknown. */
    void (*scope_words)(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, const ubi__code_scope *scope);
} ubi__producer_code;

/** What a file counts at a stack, all allocations ever made there. */
typedef struct ubi__frame_history {
    ubi_function_ix function;
    uint64_t count, size_bytes;
} ubi__frame_history;

/** Allocations that files count themselves, by frame of the graph and over time. */
typedef struct ubi__producer_history {
    /** Whether this graph has such counts. */
    bool (*is_there)(const ubi_graph *graph);
    size_t (*function_count)(const ubi_graph *graph);
    void (*function)(ubi_allocation_function *out, const ubi_graph *graph, ubi_function_ix function);
    ubi__frame_history (*frame)(const ubi_graph *graph, ubi_frame_ix frame);
    const char *hint_for_lost; /**< lines to show where few of the objects that are counted are alive; NULL: none */
    size_t (*sample_count)(const ubi_graph *graph);
    /** @param out  out[sample_count]. Cost: O(nodes * log samples). Errors: UBI_ECANCELLED. */
    ubi_status (*samples)(ubi_allocation_sample *out, const ubi_look *look, const ubi_progress *progress);
} ubi__producer_history;

/** Something that a file may have beside its graph. */
typedef struct ubi__carried {
    const char *key;  /**< JSON */
    const char *word; /**< text */
    bool is_present;
} ubi__carried;
#define UBI__MOST_CARRIED 8

/** What a file says of one node beside the graph. */
typedef struct ubi__further_fact {
    const char *key;   /**< JSON */
    const char *title; /**< text: "Wraps" */
    ubi_text text;     /**< borrowed from the graph, or in the buffer */
} ubi__further_fact;
#define UBI__MOST_FURTHER_FACTS 4

#define UBI__MOST_FIELDS_WITHOUT_EDGES 4

typedef struct ubi__producer {
    const char *name;
    /** Whether it made the graph, by the format's name, types and kinds. Asked once per graph. NULL: any. */
    bool (*made)(const ubi_graph *graph);
    /** Its name for people, such as "Node.js (V8)"; NULL: it is not sure. NULL function: unknown. */
    const char *(*title)(const ubi_graph *graph);
    /** What would have put allocation stacks into the graph, as ": do this". NULL: unknown. */
    const char *(*how_to_record_stacks)(const ubi_graph *graph);
    const ubi_lens *lens;             /**< of its own tools; NULL: that of the format, or the plain one */
    const ubi__producer_words *words; /**< never NULL */
    bool keeps_addresses; /**< its collector does not move objects, so that a node keeps its id, an address, for life */
    ubi__producer_code code;
    const ubi__string_rules *strings; /**< NULL: a string's name is its text */
    /** A concatenation of two other strings. NULL: there are none. */
    bool (*node_is_rope)(const ubi_graph *graph, ubi_node_ix node);
    /** What its files give no size for, as a plural: "elements of arrays". NULL: they have the sizes of all that scripts make. */
    const char *(*without_size)(const ubi_graph *graph);
    /** Values of the language that are no objects: bigints, symbols, boxed numbers. NULL: the file has none. */
    bool (*kind_is_value)(const ubi_graph *graph, const ubi_kind *kind);
    /** Of a node of the engine the object that it keeps to copy it; UBI_NONE: none. NULL: there are none. O(edges of such a node). */
    ubi_node_ix (*template_of)(const ubi_graph *graph, ubi_node_ix node);
    /**
     * Fields of an object to which no edge leads, such as small integers, as far as the graph says which there are. @return how many of them are in
     * `out`. NULL: edges lead to all. Cost: O(edges of the object * fields), up to 32 of each.
     */
    size_t (*fields_without_edges)(ubi_text out[UBI__MOST_FIELDS_WITHOUT_EDGES], const ubi_graph *graph,
                                   ubi_node_ix node);
    /** An edge from a list of roots by which a tool that looks at the program holds something. NULL: there are none. O(1). */
    bool (*edge_is_passing)(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
    const ubi__producer_history *history;          /**< NULL: files count no allocations */
    const struct ubi__producer_findings *findings; /**< finding_facts.h; NULL: rules that hold for any heap only */
    const struct ubi__grammar *grammar;            /**< analyses/anonymize/grammar.h; NULL: what all heaps have */
    /** What else a file of its format may carry. @return how many. NULL: nothing. */
    size_t (*carried)(ubi__carried out[UBI__MOST_CARRIED], const ubi_graph *graph);
    /** What the file says of one node, each with a key of its own. @return how many. NULL: nothing. Cost: O(log facts). */
    size_t (*further_facts)(ubi__further_fact out[UBI__MOST_FURTHER_FACTS], const ubi_graph *graph, ubi_node_ix node,
                            ubi_look_name_buffer *buffer);
} ubi__producer;

/** Never NULL. O(1), except the first call, which costs O(kinds). Any thread. */
const ubi__producer *ubi__producer_of(const ubi_graph *graph);
/** Related members are set together. */
void ubi__producer_check(const ubi__producer *producer);
/** In the order in which they are asked, NULL after the last, which takes any graph. */
const ubi__producer *ubi__producer_at(size_t i);

/** What people call the program that made the graph, such as "Firefox"; NULL: unknown. Static. */
const char *ubi__producer_title(const ubi_graph *graph);
/** What would have put allocation stacks into the graph, as ": do this"; "" when unknown. Static. */
const char *ubi__how_to_record_stacks(const ubi_graph *graph);

void ubi__code_files_fini(ubi__code_files *files, const ubi_allocator *a);
/** The functions of `code`, where a producer need not have them. */
bool ubi__code_place_of(ubi__code_place *out, const ubi_graph *graph, ubi_node_ix node);
ubi_node_ix ubi__code_of(const ubi_look *look, ubi_node_ix node);
uint64_t ubi__code_site(const ubi_look *look, ubi_node_ix node);
bool ubi__kind_is_function(const ubi_graph *graph, const ubi_kind *kind);
bool ubi__function_is_of_runtime(ubi__fields *fields, ubi_node_ix function);
size_t ubi__further_facts_of(ubi__further_fact out[UBI__MOST_FURTHER_FACTS], const ubi_graph *graph, ubi_node_ix node,
                             ubi_look_name_buffer *buffer);
bool ubi__node_is_rope(const ubi_graph *graph, ubi_node_ix node);
size_t ubi__fields_without_edges(ubi_text out[UBI__MOST_FIELDS_WITHOUT_EDGES], const ubi_graph *graph,
                                 ubi_node_ix node);
/** What the file gives no size for, such as "elements of arrays"; NULL: nothing of the kind. Static. */
const char *ubi__without_size(const ubi_graph *graph);
bool ubi__kind_is_value(const ubi_graph *graph, const ubi_kind *kind);
ubi_node_ix ubi__template_of(const ubi_graph *graph, ubi_node_ix node);
bool ubi__edge_is_passing(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);

/** Where the first edge of that kind and name leads; of a node UBI_NONE, or without one: UBI_NONE. O(edges of the node). */
ubi_node_ix ubi__target_named(const ubi_graph *graph, ubi_node_ix node, ubi_edge_kind kind, const char *name);

/** Whether the root is of the type that all JS::ubi engines give it: only then do we say who made the file. */
bool ubi__root_is_root_list(const ubi_graph *graph);

#endif
