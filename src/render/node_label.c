/* SPDX-License-Identifier: MIT
 *
 * node_label.c: what people call a node, and a stack frame.
 */
#include "render/node_label.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "render/function_name.h"

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
