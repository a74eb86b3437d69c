/* SPDX-License-Identifier: MIT
 *
 * holder_words.h: what a node is to the one that holds it, in words: "variable registry of add()", "property items of Store".
 *
 * The holder of a path's i-th node is the nearest node before it that is not the engine's.
 */
#ifndef UBI_RENDER_HOLDER_WORDS_H
#define UBI_RENDER_HOLDER_WORDS_H

#include "render/edge_words.h"
#include "render/path_words.h"

/** The i-th node of a path; its target for n_steps. */
static inline ubi_node_ix ubi__path_node(const ubi__path_view *path, uint32_t i) {
    return i < path->n_steps ? path->steps[i].predecessor : path->target;
}

/** Which node of the path holds the node after `n_to_node` (at least one) steps. */
uint32_t ubi__holder_of(const ubi__path_view *path, uint32_t n_to_node);
/** What it is to `holder`, which is the holder found above or any node before that. */
ubi__edge_words ubi__words_to_held(const ubi__path_view *path, uint32_t n_to_node, uint32_t holder);
/** What the i-th node is called within a sentence, a function with its place: "add() (app.js:7)"; one without a name by its property. */
void ubi__display_path_node(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i);
/** "variable registry of add() (app.js:7)", after `before`. False, with nothing written: it has no name. */
bool ubi__display_held(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t n_to_node,
                       const char *before);
/** "server.js:12" of a function, or what is known of it, or "". Allocation failures count as unknown. */
void ubi__function_place(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function);
/** " (server.js:12)" of a function whose place is known; else nothing. Allocation failures count as unknown. */
void ubi__display_function_place(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_node_ix function);

#endif
