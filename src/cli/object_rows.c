/* SPDX-License-Identifier: MIT
 *
 * object_rows.c: nodes as rows for people (object_rows.h).
 */
#include "cli/object_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/snapshot.h"
#include "render/node_label.h"

#define DISTANCE_COLUMNS 8
#define SIZE_COLUMNS 9
#define GAP 2
#define LEAST_NAME_COLUMNS 12
_Static_assert(DISTANCE_COLUMNS + 2 * (GAP + SIZE_COLUMNS) + GAP == UBI__OBJECT_ROW_NUMBERS, "columns");

static void ink(const ubi__object_rows *r, ubi__ink color) {
    ubi__display_ink(r->out, r->style, color);
}

static const ubi_graph *graph_of(const ubi__object_rows *r) {
    return ubi_lens_graph_view(r->look)->graph;
}

void ubi__object_rows_head(const ubi__object_rows *r, const char *name) {
    ink(r, UBI__INK_BOLD);
    ubi__display_right(r->out, "Distance", DISTANCE_COLUMNS);
    ubi__display_right(r->out, "Own size", GAP + SIZE_COLUMNS);
    ubi__display_right(r->out, "Retained", GAP + SIZE_COLUMNS);
    ubi__out_string(r->out, "  ");
    ubi__out_string(r->out, name);
    ink(r, UBI__INK_PLAIN);
    ubi__out_char(r->out, '\n');
}

const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode) {
    if (distance == UBI_NONE)
        return "none";
    if (distance >= UBI_LENS_SYSTEM_DISTANCE)
        return unicode ? "\u2212" : "-";
    snprintf(out, 24, "%" PRIu32, distance);
    return out;
}

void ubi__object_rows_numbers(const ubi__object_rows *r, ubi_node_ix node, uint32_t distance) {
    char text[UBI__HUMAN_TEXT], digits[24];
    const char *far = ubi__distance_text(digits, distance, r->style->unicode);
    ubi__display_pad(r->out, ubi__display_columns(ubi__text(far), r->style, DISTANCE_COLUMNS), DISTANCE_COLUMNS);
    ubi__out_string(r->out, far);
    ubi__display_right(r->out, ubi__human_size(text, ubi_lens_size_bytes(r->look, node)), GAP + SIZE_COLUMNS);
    ubi__display_right(r->out, ubi__human_size(text, ubi_dominators_retained_bytes(r->dominators, node)),
                       GAP + SIZE_COLUMNS);
    ubi__display_pad(r->out, 0, GAP);
}

void ubi__object_rows_gap(const ubi__object_rows *r) {
    ubi__display_pad(r->out, 0, UBI__OBJECT_ROW_NUMBERS);
}

size_t ubi__object_rows_name(const ubi__object_rows *r, ubi_node_ix node, size_t columns) {
    char id[24];
    ubi_lens_name_buffer buffer;
    size_t id_columns = GAP + (size_t)snprintf(id, sizeof id, "%" PRIu64, ubi_graph_node_id(graph_of(r), node));
    size_t room = columns > id_columns + LEAST_NAME_COLUMNS ? columns - id_columns : LEAST_NAME_COLUMNS;
    ink(r, ubi_lens_detachedness(r->look, node) == UBI_DETACHED ? UBI__INK_RED : UBI__INK_PLAIN);
    size_t used = ubi__display_text(r->out, r->style, ubi__node_title(graph_of(r), r->look, node, &buffer), room);
    ink(r, UBI__INK_DIM);
    ubi__out_printf(r->out, "  %s", id);
    ink(r, UBI__INK_PLAIN);
    return used + id_columns;
}

size_t ubi__object_rows_room(const ubi__object_rows *r, size_t used) {
    return r->style->columns > used + LEAST_NAME_COLUMNS ? r->style->columns - used : LEAST_NAME_COLUMNS;
}

static void put_distance(ubi__json *json, uint32_t distance) {
    ubi__json_member_u64_or_null(json, "distance", distance != UBI_NONE, distance);
}

void ubi__object_json(ubi__json *json, const ubi__object_rows *r, ubi_node_ix node, uint32_t distance) {
    ubi_lens_name_buffer buffer;
    ubi__json_member_node_id(json, "nodeId", ubi_graph_node_id(graph_of(r), node));
    ubi__json_member_text(json, "displayName", ubi_lens_display_name(r->look, node, &buffer));
    ubi__json_member_text(json, "className", ubi_lens_node_name(r->look, node));
    ubi__json_member_u64(json, "shallowSize", ubi_lens_size_bytes(r->look, node));
    ubi__json_member_u64(json, "retainedSize", ubi_dominators_retained_bytes(r->dominators, node));
    put_distance(json, distance);
    ubi__json_member_u64(json, "detachedness", ubi_lens_detachedness(r->look, node));
}
