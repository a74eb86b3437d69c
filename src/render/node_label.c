/* SPDX-License-Identifier: MIT
 *
 * node_label.c: what people call a node, and a stack frame.
 */
#include "render/node_label.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "render/function_name.h"

/* With less room than this for a source, a place is left out: it would not be recognized. */
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

static bool is_v8(const ubi_graph *graph, ubi_node_ix node) {
    return ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->raw_type != UBI__V8_NONE;
}

/* `text` between two marks, in the buffer, where it may be already. A text that does not fit is cut at a whole character. */
static ubi_text wrap(ubi_lens_name_buffer *buffer, const char *open, ubi_text text, const char *close) {
    size_t n_open = strlen(open), n_close = strlen(close), room = sizeof buffer->bytes - n_open - n_close, n = text.len;
    if (n > room)
        for (n = room; n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80; n--) {
        }
    if (n)
        memmove(buffer->bytes + n_open, text.ptr, n);
    memcpy(buffer->bytes, open, n_open);
    memcpy(buffer->bytes + n_open + n, close, n_close);
    return (ubi_text){ buffer->bytes, n_open + n + n_close };
}

static ubi_text v8_title(const ubi_graph *graph, const ubi_lens_view *look, ubi_node_ix node,
                         ubi_lens_name_buffer *buffer) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
    ubi_text name = ubi_lens_display_name(look, node, buffer);
    switch ((ubi__v8_type)kind->raw_type) {
    case UBI__V8_CLOSURE:
        return name.len ? wrap(buffer, "", name, "()") : ubi__text("(anonymous function)");
    case UBI__V8_STRING:
    case UBI__V8_CONS_STRING:
    case UBI__V8_SLICED_STRING:
        return wrap(buffer, "\"", name, "\"");
    case UBI__V8_REGEXP:
        return wrap(buffer, "/", name, "/");
    default:
        return name.len ? name : wrap(buffer, "(", ubi_graph_string(graph, kind->type_name), ")");
    }
}

ubi_text ubi__node_title(const ubi_graph *graph, const ubi_lens_view *look, ubi_node_ix node,
                         ubi_lens_name_buffer *buffer) {
    if (node == ubi_graph_root(graph))
        return ubi__text("root");
    if (look && is_v8(graph, node))
        return v8_title(graph, look, node, buffer);
    ubi_text label = ubi__kind_label(graph, ubi_graph_kind(graph, ubi_graph_node_kind(graph, node)));
    return label.len ? label : ubi__text("(empty name)");
}
