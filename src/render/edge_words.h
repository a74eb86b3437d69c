/* SPDX-License-Identifier: MIT
 *
 * edge_words.h: what an edge says to people.
 *
 * Names of edges are properties that a page chose, or the engine's own words ("shape", "**UNKNOWN SLOT 3**", "mCallback,
 * holder 0x7f03..."). V8 tells which by the kind of the edge (edge_words_v8.c). Elsewhere it can only be guessed, from the
 * nodes at both ends and from a table of names that SpiderMonkey and Firefox use; a name that is not understood is shown as
 * it is.
 */
#ifndef UBI_RENDER_EDGE_WORDS_H
#define UBI_RENDER_EDGE_WORDS_H

#include <ubiheap/paths.h>

#include "render/display.h"

typedef enum ubi__edge_how {
    UBI__EDGE_SILENT,   /**< says nothing that the nodes do not say */
    UBI__EDGE_TOLD,     /**< words of the engine */
    UBI__EDGE_VARIABLE, /**< a variable that a function captured */
    UBI__EDGE_PROPERTY, /**< as a script writes it behind a dot; this one and those below are accesses */
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

/** @param source  the node that `edge` leaves. */
ubi__edge_words ubi__edge_words_of(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
/** The same of a graph of V8's, where node kinds have raw types. */
ubi__edge_words ubi__v8_edge_words_of(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
/** The same of one of QuickJS's. False: the edge says what its name does. */
bool ubi__quickjs_edge_words_of(ubi__edge_words *out, const ubi_graph *graph, ubi_node_ix source, ubi_node_ix target,
                                ubi_text name);

static inline bool ubi__edge_is_access(ubi__edge_words words) {
    return words.how >= UBI__EDGE_PROPERTY;
}
bool ubi__edge_words_equal(ubi__edge_words a, ubi__edge_words b);
/** The words without marks around them: "store", "[17]", "getter x". @return columns written, at most `columns`. */
size_t ubi__display_edge_words(ubi__out *out, const ubi__style *style, ubi__edge_words words, size_t columns);
/** What the former would write if it had room, at most `most`. */
size_t ubi__edge_words_columns(ubi__edge_words words, const ubi__style *style, size_t most);

/** Objects and arrays without a name of their own: an access says all there is to say of them. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind);
/** Nodes that only the engine knows: shapes, property maps, scopes, code, accessor pairs, scripts without a file. */
bool ubi__node_is_engine(const ubi_graph *graph, ubi_node_ix node);
/**
 * Words for a run of such nodes on a path: "shape", "scope"; of an accessor pair, "getter" or "setter"; of V8's and QuickJS's,
 * what the way through them means: "variable x", "entry", or the property that it is to scripts.
 * @param source      the node before the run.
 * @param first_node  the first of the run; `first` leaves it.
 * @param into_last   the edge to the last of the run: that before `first` if the run is of one node.
 * @param last        the edge that leaves the run.
 */
ubi__edge_words ubi__engine_words(const ubi_graph *graph, ubi_node_ix source, ubi_node_ix first_node, ubi_edge_ix first,
                                  ubi_edge_ix into_last, ubi_edge_ix last);
ubi__edge_words ubi__v8_engine_words(const ubi_graph *graph, ubi_edge_ix into_last, ubi_edge_ix last);
bool ubi__v8_node_is_engine(const ubi_graph *graph, ubi_node_ix node);
ubi__edge_words ubi__quickjs_engine_words(const ubi_graph *graph, ubi_node_ix source, ubi_node_ix first_node,
                                          ubi_edge_ix into_last, ubi_edge_ix last);
/** What a type of nodes that only QuickJS knows is called, static; NULL: it is none. */
const char *ubi__quickjs_engine_word(ubi_text type);
/** The root, or one of V8's lists of roots: what stands before all that a program has made. */
bool ubi__node_is_root(const ubi_graph *graph, ubi_node_ix node);

/** Where the words for a path begin. */
typedef struct ubi__path_start {
    uint32_t begin; /**< the first step that is told */
    const char
        *list; /**< static; what its node is called: a list that a program has not made itself; NULL: its label */
    const char *name;  /**< static; the same of a node that programs know by a name; NULL: its label */
    bool has_interval; /**< a list of timers that all wait for as long */
    uint32_t interval_ms;
} ubi__path_start;

/**
 * Of a path that starts at the root: there, or with the step that leaves the global object, and of V8's heaps a window, the list
 * of roots, or one of the lists in which Node.js keeps timers. What stands before a timer in its list says nothing about it.
 */
ubi__path_start ubi__path_start_of(const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps);
/** Of one of QuickJS's: false: at the root. */
bool ubi__quickjs_path_start(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps,
                             uint32_t n_steps);

/** Bytes; what is longer is not read but quoted. */
#define UBI__LONGEST_IDENTIFIER 4096
/** Letters, digits, _ and $, not beginning with a digit; perhaps a # in front, as private names have. */
bool ubi__text_is_identifier(ubi_text name);
/** The last part of a URL or path, or all of it when that part is empty. */
ubi_text ubi__file_name(ubi_text path);

#endif
