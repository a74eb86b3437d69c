/* SPDX-License-Identifier: MIT
 *
 * heap_labels.c: what nodes, frames and edges are called (heap_labels.h).
 *
 * Source: chrome-devtools-frontend front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts, JSHeapSnapshotEdge.
 */
#include "render/heap_labels.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "render/function_name.h"
#include "render/result_json.h"

/* ---- nodes and frames ------------------------------------------------------------------------------------------- */

/* With less room for the source, the place is left out: it would not be recognizable. */
#define LEAST_SOURCE_COLUMNS 6

size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns) {
    bool named = frame->function_name.ptr && frame->function_name.len;
    ubi_text function = named ? frame->function_name : ubi__text("(anonymous)");
    if (frame->source.len == 0) /* the engine's own: there is no place */
        return ubi__display_text(out, style, function, columns);
    char place[32];
    size_t place_columns = (size_t)(frame->column ? snprintf(place, sizeof place, ":%u:%u", frame->line, frame->column)
                                                  : snprintf(place, sizeof place, ":%u", frame->line));
    size_t source_columns = ubi__display_columns(frame->source, style, columns);

    /* The function gets half of the room, or what the place leaves. */
    size_t function_room = columns / 2;
    if (2 + source_columns + place_columns + function_room < columns)
        function_room = columns - 2 - source_columns - place_columns;
    size_t least = 2 + ubi__smaller(source_columns, LEAST_SOURCE_COLUMNS) + place_columns;
    char name[UBI__FUNCTION_BYTES];
    function = (ubi_text){ name, ubi__short_function(name, style, function, function_room) };
    if (ubi__display_columns(function, style, function_room) + least > columns)
        return ubi__display_text(out, style, function, columns);

    size_t used = ubi__display_text(out, style, function, function_room);
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_string(out, "  ");
    used += 2 + ubi__display_text_end(out, style, frame->source, columns - used - 2 - place_columns);
    ubi__out_string(out, place);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used + place_columns;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

ubi_text ubi__node_title(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    if (node == ubi_graph_root(graph))
        return ubi__text("root");
    const ubi__producer_words *words = ubi__producer_of(graph)->words;
    if (look && words->node_title)
        return words->node_title(graph, look, node, buffer);
    ubi_text label = ubi__kind_label(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node)));
    return label.len ? label : ubi__text("(empty name)");
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

const char *ubi__edge_kind_name(ubi_edge_kind kind) {
    static const char *const names[UBI_EDGE_KIND_COUNT] = { "reference", "context", "element",  "property",
                                                            "internal",  "hidden",  "shortcut", "weak" };
    return names[kind];
}

static void label_mark(ubi__edge_label *out, const char *open, const char *close) {
    out->open = open;
    out->close = close;
}

static void mark_property(ubi__edge_label *out) {
    bool quoted =
        out->text.len > UBI__LONGEST_IDENTIFIER || (out->text.len && memchr(out->text.ptr, ' ', out->text.len));
    if (quoted)
        label_mark(out, "[\"", "\"]");
    else
        label_mark(out, ".", "");
}

static bool is_integer(ubi_text text) {
    for (size_t i = 0; i < text.len && text.len <= UBI__LONGEST_IDENTIFIER; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return text.len > 0 && text.len <= UBI__LONGEST_IDENTIFIER;
}

static void mark_by_kind(ubi__edge_label *out, ubi_edge_kind kind) {
    switch (kind) {
    case UBI_EDGE_CONTEXT:
        label_mark(out, "->", "");
        break;
    case UBI_EDGE_ELEMENT:
        label_mark(out, "[", "]");
        break;
    case UBI_EDGE_WEAK:
        label_mark(out, "[[", "]]");
        break;
    case UBI_EDGE_INTERNAL:
    case UBI_EDGE_HIDDEN:
        label_mark(out, "{", "}");
        break;
    case UBI_EDGE_SHORTCUT:
        if (is_integer(out->text)) {
            label_mark(out, "[", "]");
            break;
        }
        mark_property(out);
        break;
    case UBI_EDGE_PROPERTY:
        mark_property(out);
        break;
    default:
        label_mark(out, "", "");
    }
}

void ubi__edge_label_of(ubi__edge_label *out, const ubi_graph *graph, ubi_edge_ix edge) {
    ubi_edge_kind kind = ubi_graph_edge_kind(graph, edge);
    out->text = ubi_graph_edge_label(graph, edge, out->digits);
    if (kind == UBI_EDGE_INTERNAL && !out->text.ptr) {
        *out = (ubi__edge_label){ .open = "", .close = "", .text = ubi__text("(internal)") };
        return;
    }
    if (kind == UBI_EDGE_REFERENCE && !out->text.len)
        out->text = ubi__text(out->text.ptr ? "(empty name)" : "(unnamed)");
    if (!out->text.ptr)
        out->text = ubi__text("");
    mark_by_kind(out, kind);
}

size_t ubi__display_edge_label(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_edge_ix edge,
                               size_t columns) {
    ubi__edge_label label;
    ubi__edge_label_of(&label, graph, edge);
    size_t marks = strlen(label.open) + strlen(label.close);
    ubi__out_string(out, label.open);
    size_t used = ubi__display_text(out, style, label.text, columns > marks ? columns - marks : 0);
    ubi__out_string(out, label.close);
    return used + marks;
}

size_t ubi__edge_label_columns(const ubi__style *style, const ubi_graph *graph, ubi_edge_ix edge, size_t most) {
    ubi__edge_label label;
    ubi__edge_label_of(&label, graph, edge);
    size_t columns = strlen(label.open) + strlen(label.close) + ubi__display_columns(label.text, style, most);
    return columns < most ? columns : most;
}

void ubi__render_edge_kind(ubi__json *json, const ubi_graph *graph, ubi_edge_ix edge) {
    ubi_edge_kind kind = ubi_graph_edge_kind(graph, edge);
    if (kind == UBI_EDGE_REFERENCE)
        return;
    ubi__json_member_string(json, "edgeKind", ubi__edge_kind_name(kind));
}

/* ---- edges in words --------------------------------------------------------------------------------------------- */

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
