/* SPDX-License-Identifier: MIT
 *
 * v8_fields.h: what rules ask of V8's nodes: their fields, places in the code, words for functions.
 */
#ifndef UBI_LENSES_V8_FIELDS_H
#define UBI_LENSES_V8_FIELDS_H

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"

/** Whether the edge is of this kind and called so. */
static inline bool ubi__v8_edge_is(const ubi_graph *g, ubi_edge_ix e, ubi_edge_kind kind, const char *name) {
    return ubi__graph_edge_kind(g, e) == kind && ubi__text_is(ubi_graph_string(g, g->name.at[e]), name);
}
/** Target of the first edge of that kind and name, or UBI_NONE. Cost: O(edges of the node). */
ubi_node_ix ubi__v8_field(const ubi_graph *g, ubi_node_ix node, ubi_edge_kind kind, const char *name);
/** The whole number that an internal edge of an array is called by; false: it has another name. */
bool ubi__v8_slot(uint32_t *out, const ubi_graph *g, ubi_edge_ix e);
/** The number that a node of a value says (an internal field of that name leads to it). False: there is none. */
bool ubi__v8_number_field(int64_t *out, const ubi_graph *g, ubi_node_ix node, const char *name);

#define UBI__V8_FUNCTION_WORDS 160
/** "handler (app.js:12)" of a closure, or as much of it as is known. At most UBI__V8_FUNCTION_WORDS bytes. */
void ubi__v8_function_words(char out[UBI__V8_FUNCTION_WORDS], const ubi__v8_facts *facts, const ubi_graph *g,
                            ubi_node_ix closure);
/** The script that a closure's code is in, or UBI_NONE. */
ubi_node_ix ubi__v8_script_of(const ubi_graph *g, ubi_node_ix closure);
/** Whether a closure is code of Node.js or the browser themselves. */
bool ubi__v8_is_of_runtime(const ubi_graph *g, ubi_node_ix closure);

#endif
