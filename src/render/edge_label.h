/* SPDX-License-Identifier: MIT
 *
 * edge_label.h: what an edge is called, exactly, with marks that tell its kind.
 *
 * Where edges have kinds (V8), as in the Containment view of Chrome's DevTools: .x and ["a b"] are properties, [0] elements,
 * ->x captured variables, {x} fields of the engine, [[x]] weak. Elsewhere the name as it is. edge_words.h has what an edge
 * means instead.
 */
#ifndef UBI_RENDER_EDGE_LABEL_H
#define UBI_RENDER_EDGE_LABEL_H

#include <ubiheap/core/graph.h>

#include "render/display.h"

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

#endif
