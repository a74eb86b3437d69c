/* SPDX-License-Identifier: MIT
 *
 * edge_words.c: what the name of an edge says to people (edge_words.h).
 */
#include "render/edge_words.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

ubi__edge_words ubi__edge_words_of(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    return ubi__producer_of(graph)->words->edge(graph, source, edge);
}

ubi__edge_words ubi__engine_words(const ubi_graph *graph, const ubi__engine_run *run) {
    return ubi__producer_of(graph)->words->engine_run(graph, run);
}

bool ubi__node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    return ubi__producer_of(graph)->words->node_is_engine(graph, node);
}

bool ubi__node_is_root(const ubi_graph *graph, ubi_node_ix node) {
    const ubi__producer_words *words = ubi__producer_of(graph)->words;
    return node == ubi_graph_root(graph) ||
           (words->kind_is_root && words->kind_is_root(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))));
}

ubi__path_start ubi__path_start_of(const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    const ubi__producer_words *words = ubi__producer_of(graph)->words;
    ubi__path_start start = { .begin = 0 };
    if (n_steps > 0 && words->path_start)
        words->path_start(&start, graph, steps, n_steps);
    return start;
}

ubi_text ubi__file_name(ubi_text path) {
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return i == path.len ? path : (ubi_text){ path.ptr + i, path.len - i };
    return path;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

bool ubi__edge_words_equal(ubi__edge_words a, ubi__edge_words b) {
    return a.how == b.how && a.index == b.index && ubi__text_equal(a.text, b.text) &&
           ubi__text_equal(ubi__text(a.before), ubi__text(b.before));
}

#define INDEX_TEXT 16

static ubi_text index_text(char out[INDEX_TEXT], uint32_t index) {
    return (ubi_text){ out, (size_t)snprintf(out, INDEX_TEXT, "[%" PRIu32 "]", index) };
}

size_t ubi__display_edge_words(ubi__out *out, const ubi__style *style, ubi__edge_words w, size_t columns) {
    char digits[INDEX_TEXT];
    if (w.how == UBI__EDGE_INDEX)
        return ubi__display_text(out, style, index_text(digits, w.index), columns);
    size_t used = w.before ? ubi__display_text(out, style, ubi__text(w.before), columns) : 0;
    return used + ubi__display_text(out, style, w.text, columns - used);
}

static size_t is_smaller_index(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ubi__edge_words_columns(ubi__edge_words w, const ubi__style *style, size_t most) {
    char digits[INDEX_TEXT];
    if (w.how == UBI__EDGE_INDEX)
        return is_smaller_index(index_text(digits, w.index).len, most);
    size_t before = ubi__display_columns(ubi__text(w.before), style, most);
    return before + ubi__display_columns(w.text, style, most - before);
}
