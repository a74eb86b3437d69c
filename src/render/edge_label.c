/* SPDX-License-Identifier: MIT
 *
 * edge_label.c: what an edge is called, with marks that tell its kind (edge_label.h).
 *
 * Source: chrome-devtools-frontend front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts, JSHeapSnapshotEdge.
 */
#include "render/edge_label.h"

#include "base/text.h"
#include "render/edge_words.h"
#include "render/result_json.h"

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
