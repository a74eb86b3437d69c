/* SPDX-License-Identifier: MIT
 *
 * heap_labels.h: what people call a node, a stack frame and an edge.
 *
 * Edges have two forms. A label is what an edge is called, exactly, with marks that show its kind. Where edges have kinds (V8), as in the
 * Containment view of Chrome's DevTools: .x and ["a b"] are properties, [0] elements, ->x captured variables, {x} fields of the
 * engine, [[x]] weak; elsewhere the name as it is. Words say what an edge means: they are the producer's (lenses/words.h), the
 * marks are ours.
 */
#ifndef UBI_RENDER_HEAP_LABELS_H
#define UBI_RENDER_HEAP_LABELS_H

#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#include "lenses/kind_label.h"
#include "lenses/producer.h"
#include "render/display.h"

/* ---- nodes and frames ------------------------------------------------------------------------------------------- */

/**
 * A name for one node among others: "root"; where the producer knows each node by name, that name, with the marks that scripts
 * would write: add(), "text", /expression/; elsewhere the label of its kind.
 * @param look    NULL: by kind only. Borrowed.
 * @param buffer  the answer may be in it.
 * @return never empty.
 */
ubi_text ubi__node_title(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer);

/** "function  source:line:column", without column if 0, in at most `columns`; cuts the source first. Columns
 * written. */
size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns);

/* ---- edges ------------------------------------------------------------------------------------------------------ */

/** A label is open, text, close. */
typedef struct ubi__edge_label {
    const char *open, *close; /**< static */
    ubi_text text;            /**< borrowed from the graph or `digits`, or static; never NULL text */
    char digits[UBI_EDGE_LABEL_BYTES];
} ubi__edge_label;

/** Unnamed edges are "(unnamed)". Names longer than identifiers are quoted without checking. */
void ubi__edge_label_of(ubi__edge_label *out, const ubi_graph *graph, ubi_edge_ix edge);
/** @return columns written, at most `columns`, at least 6; the text between the marks is cut. */
size_t ubi__display_edge_label(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_edge_ix edge,
                               size_t columns);
/** Columns of the whole label, at most `most`. */
size_t ubi__edge_label_columns(const ubi__style *style, const ubi_graph *graph, ubi_edge_ix edge, size_t most);

/** The name of a kind: "property", "context", ...; "reference" where the producer does not say. Static. */
const char *ubi__edge_kind_name(ubi_edge_kind kind);

/* ---- edges in words --------------------------------------------------------------------------------------------- */

/** @param source  the node that `edge` leaves. */
ubi__edge_words ubi__edge_words_of(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
/** Words for a run of nodes that only the engine knows. */
ubi__edge_words ubi__engine_words(const ubi_graph *graph, const ubi__engine_run *run);

static inline bool ubi__edge_is_access(ubi__edge_words words) {
    return words.how >= UBI__EDGE_PROPERTY;
}
bool ubi__edge_words_equal(ubi__edge_words a, ubi__edge_words b);
/** The words without their marks: "store", "[17]", "getter x". @return columns written, at most `columns`. */
size_t ubi__display_edge_words(ubi__out *out, const ubi__style *style, ubi__edge_words words, size_t columns);
/** Columns that ubi__display_edge_words would write with enough room, at most `most`. */
size_t ubi__edge_words_columns(ubi__edge_words words, const ubi__style *style, size_t most);

/** Nodes that only the engine knows: shapes, property maps, scopes, code, accessor pairs, scripts without a file. */
bool ubi__node_is_engine(const ubi_graph *graph, ubi_node_ix node);
/** The root, or one of the producer's lists of roots: what precedes everything the program made. */
bool ubi__node_is_root(const ubi_graph *graph, ubi_node_ix node);

/**
 * Where the words of a path from the root begin: there, or with the step that leaves the global object, a window, a
 * list of roots or of timers. What precedes a timer in its list says nothing about it.
 */
ubi__path_start ubi__path_start_of(const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps);

/** The last part of a URL or path, or all of it when that part is empty. */
ubi_text ubi__file_name(ubi_text path);

#endif
