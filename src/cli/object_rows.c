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

#define LEAST_NAME_COLUMNS 12

enum { DISTANCE, OWN_SIZE, RETAINED, COLUMNS };

static const ubi__text_column object_columns[COLUMNS] = {
    [DISTANCE] = { "Distance", .width = 8 },
    [OWN_SIZE] = { "Own size", .width = 9, .gap = 2 },
    [RETAINED] = { "Retained", .width = 9, .gap = 2 },
};

static const ubi_graph *graph_of(const ubi__object_rows *r) {
    return ubi_look_view(r->look)->graph;
}

void ubi__object_rows_init(ubi__object_rows *r, ubi__cli *cli, const ubi_look *look, const ubi_dominators *dominators,
                           const uint32_t *distances, const char *name) {
    *r = (ubi__object_rows){ .look = look, .dominators = dominators, .distances = distances };
    ubi__text_table_init(&r->table, &cli->output->out, &cli->style, name, object_columns, COLUMNS);
    r->table.least_name = LEAST_NAME_COLUMNS;
}

const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode) {
    if (distance == UBI_NONE)
        return "none";
    if (distance >= UBI_LOOK_SYSTEM_DISTANCE)
        return unicode ? "\u2212" : "-";
    snprintf(out, 24, "%" PRIu32, distance);
    return out;
}

void ubi__object_rows_numbers(const ubi__object_rows *r, ubi_node_ix node, uint32_t distance) {
    char digits[24];
    const ubi__cell cells[COLUMNS] = {
        [DISTANCE] = ubi__cell_words(ubi__distance_text(digits, distance, r->table.style->unicode)),
        [OWN_SIZE] = ubi__cell_size(ubi_look_size_bytes(r->look, node)),
        [RETAINED] = ubi__cell_size(ubi_dominators_retained_bytes(r->dominators, node)),
    };
    ubi__text_table_row(&r->table, cells);
}

size_t ubi__object_rows_name(const ubi__object_rows *r, ubi_node_ix node, size_t columns) {
    char id[24];
    ubi_look_name_buffer buffer;
    ubi__out *out = r->table.out;
    const ubi__style *style = r->table.style;
    size_t id_columns = (size_t)snprintf(id, sizeof id, "  %" PRIu64, ubi_graph_node_id(graph_of(r), node));
    size_t room = columns > id_columns + LEAST_NAME_COLUMNS ? columns - id_columns : LEAST_NAME_COLUMNS;
    ubi__display_ink(out, style, ubi_look_detachedness(r->look, node) == UBI_DETACHED ? UBI__INK_RED : UBI__INK_PLAIN);
    size_t used = ubi__display_text(out, style, ubi__node_title(graph_of(r), r->look, node, &buffer), room);
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_string(out, id);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used + id_columns;
}

void ubi__object_rows_line(const ubi__object_rows *r, ubi_node_ix node) {
    ubi__object_rows_numbers(r, node, r->distances[node]);
    ubi__object_rows_name(r, node, ubi__text_table_room(&r->table, r->table.used));
    ubi__out_char(r->table.out, '\n');
}

void ubi__object_json(ubi__json *json, const ubi__object_rows *r, ubi_node_ix node, uint32_t distance) {
    ubi_look_name_buffer buffer;
    ubi__json_member_node_id(json, "nodeId", ubi_graph_node_id(graph_of(r), node));
    ubi__json_member_text(json, "displayName", ubi_look_display_name(r->look, node, &buffer));
    ubi__json_member_text(json, "className", ubi_look_node_name(r->look, node));
    ubi__json_member_u64(json, "shallowSize", ubi_look_size_bytes(r->look, node));
    ubi__json_member_u64(json, "retainedSize", ubi_dominators_retained_bytes(r->dominators, node));
    ubi__json_member_u64_or_null(json, "distance", distance != UBI_NONE, distance);
    ubi__json_member_u64(json, "detachedness", ubi_look_detachedness(r->look, node));
}
