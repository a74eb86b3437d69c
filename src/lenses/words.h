/* SPDX-License-Identifier: MIT
 *
 * words.h: what nodes and edges say to people, as data: each producer fills these in (producer.h), render prints them.
 *
 * Names of edges are properties that a page chose, or the engine's own words ("shape", "**UNKNOWN SLOT 3**", "mCallback,
 * holder 0x7f03..."). Some producers say which by the kind of the edge. For the others it can only be guessed, from the nodes at
 * both ends and from a table of names that the engine uses; a name that is not understood is shown as it is.
 */
#ifndef UBI_LENSES_WORDS_H
#define UBI_LENSES_WORDS_H

#include <ubiheap/core/paths.h>
#include <ubiheap/views/lens.h>

#include "base/u64_map.h"

typedef enum ubi__edge_how {
    UBI__EDGE_SILENT,   /**< says nothing that the nodes do not say */
    UBI__EDGE_NAMED,    /**< words of the engine */
    UBI__EDGE_VARIABLE, /**< a variable that a function captured */
    UBI__EDGE_PROPERTY, /**< as a script writes it after a dot; this one and those below are accesses */
    UBI__EDGE_QUOTED,   /**< a property that is no identifier */
    UBI__EDGE_VERBATIM, /**< complete as it is: "[symbol]", ".this" */
    UBI__EDGE_INDEX     /**< an element: "[17]" */
} ubi__edge_how;

typedef struct ubi__edge_words {
    ubi__edge_how how;
    uint32_t index;     /**< of an element */
    const char *before; /**< static; words in front of `text`, such as "getter "; NULL: none */
    ubi_text text;      /**< borrowed from the graph, or static */
} ubi__edge_words;

/** @param before  NULL: nothing. */
static inline ubi__edge_words ubi__edge_says(ubi__edge_how how, const char *before, ubi_text text) {
    return (ubi__edge_words){ .how = how, .before = before, .text = text };
}
/** Words of the engine; NULL: the edge says nothing. */
ubi__edge_words ubi__edge_named(const char *text);

/** A run of nodes on a path that only the engine knows. */
typedef struct ubi__engine_run {
    ubi_node_ix source;     /**< the node before the run */
    ubi_node_ix first_node; /**< of the run */
    ubi_edge_ix first;      /**< leaves it */
    ubi_edge_ix into_last;  /**< leads to the last node of the run; comes before `first` in a run of one node */
    ubi_edge_ix last;       /**< leaves the run */
} ubi__engine_run;

/** Where the words for a path begin. */
typedef struct ubi__path_start {
    uint32_t begin; /**< the first step that is described */
    const char
        *list; /**< static; what its node is called: a list that a program has not made itself; NULL: its label */
    const char *name;  /**< static; the same of a node that programs know by a name; NULL: its label */
    bool has_interval; /**< a list of timers that all wait for as long */
    uint32_t interval_ms;
} ubi__path_start;

/** Whose name a step of a path says, from what is missed least to what is missed most. */
typedef enum ubi__path_rank {
    UBI__RANK_ENGINE,  /**< roots, lists of roots, nodes of the engine or of its host */
    UBI__RANK_RUNTIME, /**< functions of the runtime with all they hold; prototypes and constructors on the way */
    UBI__RANK_UNNAMED, /**< an element of an array, an entry of a Map, an element of a page */
    UBI__RANK_PROGRAM, /**< a property, a class or a function */
    UBI__RANK_VARIABLE /**< a variable that a function of the program captured, with the function */
} ubi__path_rank;

/** Rank of a class or a function of that name: classes that every program has say nothing of this one. */
ubi__path_rank ubi__rank_of_name(ubi_text name);

/** Objects and arrays without a name of their own: an access says all there is to say about them. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind);

/** Room for the words of a function, such as "handler() (app.js:12)", and for its place. */
#define UBI__FUNCTION_WORDS 160

/** Bytes; what is longer is not read but quoted. */
#define UBI__LONGEST_IDENTIFIER 4096
/** Letters, digits, _ and $, not beginning with a digit; perhaps a # in front, as private names have. */
bool ubi__text_is_identifier(ubi_text name);

/**
 * Remembers fields that were looked up in wide nodes: a scope or a prototype is asked for by each of its functions, and may be as
 * wide as there are functions. Keys are the producer's.
 */
typedef struct ubi__fields {
    const ubi_graph *graph;
    ubi__u64_map found;
    ubi_status status; /**< UBI_ENOMEM: an answer could not be kept; those given are right */
} ubi__fields;

void ubi__fields_init(ubi__fields *fields, const ubi_graph *g, const ubi_allocator *allocator);
void ubi__fields_fini(ubi__fields *fields);

#endif
