/* SPDX-License-Identifier: MIT
 *
 * finding_facts.h: what rules are checked against, and what they say.
 *
 * A rule is a function that appends findings to a list, none if it does not hold, and a row in finding_rules.c. It runs on any thread, and
 * those of one heap side by side: it writes to nothing but its list.
 */
#ifndef UBI_LENSES_FINDING_FACTS_H
#define UBI_LENSES_FINDING_FACTS_H

#include <ubiheap/views/findings.h>

#include "base/alloc.h"
#include "base/pulse.h"
#include "graph/graph_columns.h"
#include "lenses/producer.h"

/** How many, and how much. */
typedef struct ubi__finding_tally {
    uint64_t count;
    uint64_t bytes;
} ubi__finding_tally;

/** What nodes are to the rules, as their producer says. */
typedef enum ubi__node_role {
    UBI__ROLE_NONE = 0,
    UBI__ROLE_MAP,
    UBI__ROLE_SET,
    UBI__ROLE_ARRAY,
    UBI__ROLE_OBJECT, /**< another object of the program */
    UBI__ROLE_STORE,  /**< elements or properties of an object */
    UBI__ROLE_CONTEXT,
    UBI__ROLE_PROMISE,
    UBI__ROLE_REACTION, /**< of a promise: what waits for it */
    UBI__ROLE_CLOSURE,
    UBI__ROLE_FIBER, /**< of React */
    UBI__ROLE_FIBER_ROOT,
    UBI__ROLE_TIMER,
    UBI__ROLE_LISTENER,
    UBI__ROLE_BUFFER, /**< the bytes of array buffers */
    UBI__ROLE_COUNT
} ubi__node_role;

typedef struct ubi__finding_facts {
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    const ubi_findings_options *options;
    ubi__pulse *pulse;
    const ubi_allocator *allocator;
    ubi__finding_tally all;      /**< nodes that the look counts */
    ubi__finding_tally lost;     /**< nodes that it does not reach */
    ubi__finding_tally *classes; /**< classes[n_classes] */
    uint32_t n_classes;
    uint64_t total_bytes; /**< all, and what lies outside of nodes */
    ubi_node_ix largest;  /**< of the nodes that count; UBI_NONE: there is none */
    ubi_node_ix widest;   /**< the one with the most edges, the root apart; UBI_NONE: there is only a root */
    const struct ubi__producer_findings *producer; /**< NULL: there are no roles, and no dominators */
    uint8_t *role_of_kind;                         /**< ubi__node_role of each kind */
    uint32_t n_kinds;
    unsigned word_bytes; /**< of a field that refers to an object, if there are roles */
    ubi__fields *fields; /**< for rules of producers */
} ubi__finding_facts;

/**
 * The condition of loops over nodes. Cancelled work looks like the end: what the rule found by then is dropped with the list.
 */
static inline bool ubi__finding_has_node(const ubi__finding_facts *f, ubi_node_ix node) {
    return node < f->graph->n_nodes && (ubi__likely(node % UBI__PULSE_NODES != 0) || ubi__pulse_again(f->pulse));
}

/** Each node is counted once, in its class, or lost; every kind has a role if there are any. O(classes + kinds). */
void ubi__finding_facts_check(const ubi__finding_facts *facts);

UBI_VEC_DECLARE(ubi__vec_finding, ubi_finding);

typedef struct ubi__finding_list {
    ubi__vec_finding rows;
    const ubi_allocator *allocator;
    const char *rule; /* that runs */
} ubi__finding_list;

typedef ubi_status ubi__finding_rule(ubi__finding_list *out, const ubi__finding_facts *f);

/** A rule, and what its findings are called. */
typedef struct ubi__finding_entry {
    const char *name;
    ubi__finding_rule *rule;
} ubi__finding_entry;

/** Edges of one node that lead to the entries of a collection. */
typedef struct ubi__entries {
    ubi_node_ix node; /**< that has the edges; UBI_NONE: there are none */
    ubi__node_role role;
    uint32_t first_slot, slots_each, value_slot; /**< the producer's */
} ubi__entries;

/** Why an object is no longer of use to its collection. */
typedef enum ubi__dead {
    UBI__NOT_DEAD,
    UBI__DEAD_REFERENCE, /**< a WeakRef whose object is gone */
    UBI__DEAD_SOCKET,    /**< closed */
    UBI__DEAD_ELEMENT,   /**< a node detached from its document */
    UBI__DEAD_COUNT
} ubi__dead;

/** A promise that is pending, and what waits for it. */
typedef struct ubi__awaited {
    ubi_node_ix function; /**< that waits, or is called when it is settled */
    ubi_node_ix code;     /**< of that function: the same for all that were made of it */
    ubi_node_ix result;   /**< the promise that is settled when that function ends; UBI_NONE: unknown */
} ubi__awaited;

/** A variable that functions captured. */
typedef struct ubi__captured {
    ubi_node_ix context;
    ubi_str_ix name;
    ubi_node_ix closure;     /**< one that reaches the context */
    const ubi_node_ix *live; /**< live[n_live]: all that do, ascending */
    size_t n_live;
} ubi__captured;

struct ubi__node_bits;

/** What a producer supplies to the rules, and rules of its own. */
typedef struct ubi__producer_findings {
    /** Whether a graph has what they ask for. NULL: every one. */
    bool (*apply)(const ubi_graph *graph);
    ubi__node_role (*role_of_kind)(const ubi_graph *graph, const ubi_kind *kind);
    const ubi__finding_entry *rules; /**< ended by one without a name; NULL: none */
    /**
     * Where the entries of a map, set, array or object are. NULL: files do not say, and the three below are NULL, too.
     * @param seen  for what several collections share: entries are reported once.
     */
    ubi__entries (*entries)(const ubi__finding_facts *f, ubi_node_ix node, struct ubi__node_bits *seen);
    /** Whether an edge of `at->node` leads to an entry; of a map, to its value. */
    bool (*edge_is_entry)(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix edge);
    /** Neither code nor the engine's own. */
    bool (*node_is_data)(const ubi__finding_facts *f, ubi_node_ix node);
    /** A table of the runtime itself, with such entries. NULL: none is. */
    bool (*collection_is_of_runtime)(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix example);
    /** NULL: files do not say. */
    ubi__dead (*node_is_dead)(const ubi__finding_facts *f, ubi_node_ix node);
    /**
     * The file of a function, of code or of a module; empty: unknown, or not such a node. Equal files have one
     * address. NULL: files do not say, and the two below are NULL, too.
     */
    ubi_text (*file_of_code)(const ubi__finding_facts *f, const ubi__code_files *files, ubi_node_ix node);
    /** Whether an edge of such a node leads to what belongs to its file: the scope of a function, what a module exports. */
    bool (*edge_is_of_file)(const ubi__finding_facts *f, ubi_node_ix source, ubi_edge_ix edge);
    bool (*file_is_of_runtime)(ubi_text file);
    /** False: it is not a promise, is settled, or nothing waits for it. NULL: files do not say. O(edges of the node). */
    bool (*promise_awaited)(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node);
    /**
     * The scope that a function has, or that is around a scope. UBI_NONE: there is none, or the runtime made it. NULL: functions hold
     * nothing that only others read, or files do not say.
     */
    ubi_node_ix (*scope_of)(const ubi__finding_facts *f, ubi_node_ix node);
    /** Whether an edge of a scope is a variable. NULL: those of the kind UBI_EDGE_CONTEXT are. */
    bool (*edge_is_variable)(const ubi__finding_facts *f, ubi_edge_ix edge);
    /** Whether no live function reads it any more. False: one does, or this is unknown. NULL: files do not say. Errors: UBI_ENOMEM. */
    ubi_status (*variable_is_unread)(bool *out, const ubi__finding_facts *f, const ubi__captured *variable);
    /** The prototype of a class, whose nodes have the kind of its objects. NULL: none has. */
    bool (*node_is_prototype)(const ubi__finding_facts *f, ubi_node_ix node);
    /** "handler() (app.js:12)", or as much of it as is known. With `promise_awaited` or `scope_of`. */
    void (*function_words)(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function);
    bool has_large_tables;      /**< nodes of coarse type OTHER and SCRIPT are the engine's own, as large as they are */
    const char *document_class; /**< of DOM nodes that are documents, beside "#document"; NULL: none */
} ubi__producer_findings;

/* Shapes of any heap and strings (finding_shapes.c), collections (finding_collections.c), packages (finding_packages.c), promises
 * (finding_closures.c). */
extern ubi__finding_rule ubi__finding_ended_early, ubi__finding_large_node, ubi__finding_dominating_kind,
    ubi__finding_unreachable, ubi__finding_wide_node, ubi__finding_many_documents, ubi__finding_crowd,
    ubi__finding_outside_bytes, ubi__finding_duplicate_strings, ubi__finding_long_strings, ubi__finding_collections,
    ubi__finding_dead_entries, ubi__finding_packages, ubi__finding_promises;
/* For producers to list among theirs: closures (finding_closures.c), detached DOM nodes and array buffers (finding_shapes.c). */
extern ubi__finding_rule ubi__finding_closures, ubi__finding_detached, ubi__finding_buffers;

/** As ubi_findings_new, with rules checked side by side on two threads unless it is 1. 0: one per core. */
ubi_status ubi__findings_by_threads(ubi_findings **out, const ubi_look *look, const ubi_findings_options *options,
                                    unsigned threads);

/** Checks all rules: those of the producer, and those for all. What they find is added in the order of the table. Threads: as above. */
ubi_status ubi__finding_rules_check(ubi__finding_list *list, ubi__finding_facts *f, unsigned threads);

/** It has a rule and a sentence, and its examples differ. */
void ubi__finding_check(const ubi_finding *finding);
/** Appends a finding, of the rule that runs unless it names another. Errors: UBI_ENOMEM. */
ubi_status ubi__finding_add(ubi__finding_list *list, const ubi_finding *finding);
/** What it is about, in a few words. Longer ones are cut. */
void ubi__finding_call(ubi_finding *finding, const char *format, ...) UBI_PRINTF(2, 3);
/** Its sentence. Longer ones are cut. */
void ubi__finding_say(ubi_finding *finding, const char *format, ...) UBI_PRINTF(2, 3);
/** One more example, if there is room. The first is where the path leads to, unless the rule says otherwise. */
void ubi__finding_example(ubi_finding *finding, ubi_node_ix node);

/** The least bytes that are worth a sentence: 1 % of everything, but at least `least_bytes`. */
uint64_t ubi__finding_worth(const ubi__finding_facts *f, uint64_t least_bytes);

/** Names are cut to this many bytes in sentences. */
#define UBI__FINDING_NAME_BYTES 60
typedef struct ubi__finding_name {
    char text[UBI__FINDING_NAME_BYTES + 4];
} ubi__finding_name;
/** A text, cut at a whole character. */
ubi__finding_name ubi__finding_cut(ubi_text text);
/** The class of a node. */
ubi__finding_name ubi__finding_class_name(const ubi__finding_facts *f, ubi_node_ix node);

static inline ubi__node_role ubi__finding_role(const ubi__finding_facts *f, ubi_node_ix node) {
    return (ubi__node_role)f->role_of_kind[f->graph->kind.at[node]];
}
static inline uint64_t ubi__finding_retained(const ubi__finding_facts *f, ubi_node_ix node) {
    return ubi_dominators_retained_bytes(f->dominators, node);
}

/** What nodes of a class are; for the tables of producers. */
typedef struct ubi__class_role {
    const char *class_name; /**< NULL ends a table */
    ubi__node_role role;
} ubi__class_role;

/** Map, Set, Array, Object. */
extern const ubi__class_role ubi__common_class_roles[];
/** UBI__ROLE_NONE: neither table has it. `more` may be NULL. */
ubi__node_role ubi__role_of_class(ubi_text class_name, const ubi__class_role *more);
/** Of a producer whose collections lead to their entries themselves: the node and its role. */
ubi__entries ubi__entries_are_edges(const ubi__finding_facts *f, ubi_node_ix node, struct ubi__node_bits *seen);
/** What edges to entries are called. Those of other objects are all but "shape". */
typedef struct ubi__entry_names {
    const char *map_value, *set_key;
    bool (*is_element)(ubi_text name); /**< of an array */
} ubi__entry_names;
/** An `edge_is_entry` for producers whose edges have names and no kinds. */
bool ubi__edge_name_is_of_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e,
                                const ubi__entry_names *names);
/** What is neither of coarse type OTHER or SCRIPT, nor a function. */
bool ubi__node_is_plain_data(const ubi__finding_facts *f, ubi_node_ix node);
/** Words for a function without name and line. */
void ubi__function_of_file(char out[UBI__FUNCTION_WORDS], ubi_text file);

/** A bit per node. */
typedef struct ubi__node_bits {
    uint64_t *words;
    size_t n_words;
} ubi__node_bits;

ubi_status ubi__node_bits_new(ubi__node_bits *out, const ubi__finding_facts *f);
void ubi__node_bits_free(ubi__node_bits *bits, const ubi__finding_facts *f);
static inline void ubi__node_bits_put(ubi__node_bits *bits, ubi_node_ix node) {
    bits->words[node >> 6] |= UINT64_C(1) << (node & 63);
}
/** Puts it in. False: it was there. */
static inline bool ubi__node_bits_add(ubi__node_bits *bits, ubi_node_ix node) {
    uint64_t *word = &bits->words[node >> 6], bit = UINT64_C(1) << (node & 63), before = *word;
    *word |= bit;
    return !(before & bit);
}
static inline bool ubi__node_bits_has(const ubi__node_bits *bits, ubi_node_ix node) {
    return bits->words[node >> 6] >> (node & 63) & 1;
}

/** Members that no other member dominates, and what they retain together. */
typedef struct ubi__outermost {
    ubi__node_bits bits;
    uint64_t count;
    uint64_t bytes;
    ubi_node_ix largest[UBI_FINDING_NODES]; /**< those that retain most */
    uint32_t n_largest;
} ubi__outermost;

/** The largest are members, sorted by what they retain. */
void ubi__outermost_check(const ubi__outermost *outermost, const ubi__finding_facts *f);

/** Cost: O(nodes), a byte per node. Errors: UBI_ENOMEM. Free `out->bits`. */
ubi_status ubi__outermost_find(ubi__outermost *out, const ubi__node_bits *members, const ubi__finding_facts *f);

#endif
