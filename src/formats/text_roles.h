/* SPDX-License-Identifier: MIT
 *
 * text_roles.h: which role the names of nodes and edges have, for formats that write them through map_text.
 */
#ifndef UBI_FORMATS_TEXT_ROLES_H
#define UBI_FORMATS_TEXT_ROLES_H

#include <ubiheap/core/formats.h>

#include "graph/graph_columns.h"

/** Of the names that nodes of a kind have (ubi_graph_node_name). */
ubi_text_role ubi__node_name_role(const ubi_graph *graph, const ubi_kind *kind);

/** Of the names on edges of a kind: fields of the engine, or properties and variables. */
static inline ubi_text_role ubi__edge_name_role(ubi_edge_kind kind) {
    return kind >= UBI_EDGE_INTERNAL ? UBI_TEXT_FIELD_NAME : UBI_TEXT_EDGE_NAME;
}

/**
 * The number of an element as map_text wants it (UBI_TEXT_INDEX). Small ones are public, and not asked about.
 * The result is used only if it is a number below 2^32. Errors: those of map_text.
 */
ubi_status ubi__map_index(uint32_t *out, const ubi_save_options *options, uint32_t index);

#endif
