/* SPDX-License-Identifier: MIT
 *
 * edge_words.h: what the name of an edge says to people.
 *
 * Names of edges are properties that a page chose, or the engine's own words ("shape", "**UNKNOWN SLOT 3**", "mCallback,
 * holder 0x7f03..."). Which it is can only be guessed from the nodes at both ends and from a table of names that SpiderMonkey
 * and Firefox use; a name that is not understood is shown as it is.
 */
#ifndef UBI_RENDER_EDGE_WORDS_H
#define UBI_RENDER_EDGE_WORDS_H

#include <ubiheap/graph.h>

typedef enum ubi__edge_how {
    UBI__EDGE_SILENT,   /**< says nothing that the nodes do not say */
    UBI__EDGE_TOLD,     /**< words of the engine */
    UBI__EDGE_PROPERTY, /**< as a script writes it behind a dot; this one and those below are accesses */
    UBI__EDGE_QUOTED,   /**< a property that is no identifier */
    UBI__EDGE_VERBATIM  /**< complete as it is: "[17]", "[symbol]", ".this" */
} ubi__edge_how;

typedef struct ubi__edge_words {
    ubi__edge_how how;
    ubi_text text; /**< borrowed from the graph, or static */
} ubi__edge_words;

/** @param source  the node that `edge` leaves. */
ubi__edge_words ubi__edge_words_of(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);

/** Objects and arrays without a name of their own: an access says all there is to say of them. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind);
/** Nodes that only the engine knows: shapes, property maps, scopes, code, accessor pairs, scripts without a file. */
bool ubi__kind_is_engine(const ubi_graph *graph, const ubi_kind *kind);
/** One word for such a node: "shape", "scope"; of an accessor pair, "getter" or "setter" by the edge taken from it. */
ubi_text ubi__engine_word(const ubi_graph *graph, ubi_node_ix node, ubi_edge_ix edge);

/** The last part of a URL or path, or all of it when that part is empty. */
ubi_text ubi__file_name(ubi_text path);

#endif
