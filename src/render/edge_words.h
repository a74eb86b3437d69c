/* SPDX-License-Identifier: MIT
 *
 * edge_words.h: what an edge says to people: the words are the producer's (lenses/words.h), the marks are ours.
 */
#ifndef UBI_RENDER_EDGE_WORDS_H
#define UBI_RENDER_EDGE_WORDS_H

#include "lenses/producer.h"
#include "render/display.h"

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
