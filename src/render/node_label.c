/* SPDX-License-Identifier: MIT
 *
 * node_label.c: what people call a node, and a stack frame.
 */
#include "render/node_label.h"

#include <stdio.h>

#include "base/text.h"

/* With less room than this for a source, a place is left out: it would not be recognized. */
#define LEAST_SOURCE_COLUMNS 6

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ubi__display_frame(ubi__out *out, const ubi__style *style, const ubi_frame *frame, size_t columns) {
    bool named = frame->function_name.ptr && frame->function_name.len;
    ubi_text function = named ? frame->function_name : ubi__text("(anonymous)");
    char place[32];
    size_t place_columns = (size_t)snprintf(place, sizeof place, ":%u:%u", frame->line, frame->column);
    size_t source_columns = ubi__display_columns(frame->source, style);

    /* The function gets half of the room, or what the place leaves. */
    size_t function_room = columns / 2;
    if (2 + source_columns + place_columns + function_room < columns)
        function_room = columns - 2 - source_columns - place_columns;
    size_t least = 2 + smaller(source_columns, LEAST_SOURCE_COLUMNS) + place_columns;
    if (smaller(ubi__display_columns(function, style), function_room) + least > columns)
        return ubi__display_text(out, style, function, columns);

    size_t used = ubi__display_text(out, style, function, function_room);
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_string(out, "  ");
    used += 2 + ubi__display_text_end(out, style, frame->source, columns - used - 2 - place_columns);
    ubi__out_string(out, place);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used + place_columns;
}
