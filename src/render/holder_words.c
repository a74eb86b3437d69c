/* SPDX-License-Identifier: MIT
 *
 * holder_words.c: see holder_words.h.
 */
#include "render/holder_words.h"

#include "base/alloc.h"
#include "base/text.h"
#include "render/node_label.h"

/* Columns of a name within a sentence. */
#define NAME_COLUMNS 40

uint32_t ubi__holder_of(const ubi__path_view *path, uint32_t n_to_node) {
    uint32_t i = n_to_node - 1;
    while (i > 0 && ubi__node_is_engine(path->graph, path->steps[i].predecessor))
        i--;
    return i;
}

ubi__edge_words ubi__words_to_held(const ubi__path_view *path, uint32_t n_to_node, uint32_t holder) {
    const ubi_path_step *steps = path->steps;
    uint32_t last = n_to_node - 1;
    if (holder == last)
        return ubi__edge_words_of(path->graph, steps[last].predecessor, steps[last].edge);
    ubi__engine_run run = { steps[holder].predecessor, steps[holder + 1].predecessor, steps[holder + 1].edge,
                            steps[last - 1].edge, steps[last].edge };
    return ubi__engine_words(path->graph, &run);
}

/* ---- places --------------------------------------------------------------------------------------------------------- */

void ubi__function_place(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function) {
    const ubi__producer_code *code = &ubi__producer_of(graph)->code;
    *out = 0;
    if (code->place_words)
        code->place_words(out, graph, function);
}

void ubi__display_function_place(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_node_ix function) {
    char place[UBI__FUNCTION_WORDS];
    ubi__function_place(place, graph, function);
    if (!*place)
        return;
    ubi__out_string(out, " (");
    ubi__display_text(out, style, ubi__text(place), sizeof place);
    ubi__out_char(out, ')');
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static bool write_by_property(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node = ubi__path_node(path, i);
    if (i == 0 || !ubi__text_is(ubi_look_node_name(path->look, node), "Function") ||
        ubi_graph_string(g, ubi_graph_node_name(g, node)).len)
        return false;
    ubi__edge_words words = ubi__edge_words_of(g, path->steps[i - 1].predecessor, path->steps[i - 1].edge);
    if (words.how != UBI__EDGE_PROPERTY)
        return false;
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    ubi__out_string(out, "()");
    return true;
}

static void write_name(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node = ubi__path_node(path, i);
    bool plain = ubi__kind_is_plain(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
    if (write_by_property(out, style, path, i))
        return;
    ubi_look_name_buffer *buffer = plain ? NULL : UBI_NEW(ubi_allocator_default(), ubi_look_name_buffer);
    ubi__display_text(out, style,
                      buffer ? ubi__node_title(g, path->look, node, buffer) : ubi_look_node_name(path->look, node),
                      NAME_COLUMNS);
    if (buffer)
        UBI_DELETE(ubi_allocator_default(), buffer);
}

void ubi__display_path_node(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    write_name(out, style, path, i);
    ubi__display_function_place(out, style, path->graph, ubi__path_node(path, i));
}

/* ---- holders ------------------------------------------------------------------------------------------------------ */

bool ubi__display_held(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t n_to_node,
                       const char *before) {
    const ubi_graph *g = path->graph;
    uint32_t holder = ubi__holder_of(path, n_to_node);
    ubi__edge_words words = ubi__words_to_held(path, n_to_node, holder);
    ubi_coarse_type type = ubi_graph_kind(g, ubi_graph_node_kind(g, ubi__path_node(path, holder)))->coarse_type;
    bool is_scope = type == UBI_COARSE_OTHER; /* or a root that has one */
    if (words.how != UBI__EDGE_VARIABLE && words.how != UBI__EDGE_PROPERTY && words.how != UBI__EDGE_QUOTED)
        return false;
    ubi__out_printf(out, "%s%s", before, words.how == UBI__EDGE_VARIABLE ? "" : "property ");
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    if (is_scope && words.how == UBI__EDGE_VARIABLE) {
        ubi__out_string(out, " of a scope");
        return true;
    }
    ubi__out_string(out, " of ");
    ubi__display_path_node(out, style, path, holder);
    return true;
}
