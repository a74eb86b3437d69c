/* SPDX-License-Identifier: MIT
 *
 * text_roles.h: which role the names of nodes and edges have, for formats that write them through map_text.
 */
#ifndef UBI_FORMATS_TEXT_ROLES_H
#define UBI_FORMATS_TEXT_ROLES_H

#include "graph/graph_columns.h"

/** Of the names that nodes of a kind have (ubi_graph_node_name). */
ubi_text_role ubi__node_name_role(const ubi_graph *graph, const ubi_kind *kind);

/** Of the names on edges of a kind: fields of the engine, or properties and variables. */
static inline ubi_text_role ubi__edge_name_role(ubi_edge_kind kind) {
    return kind >= UBI_EDGE_INTERNAL ? UBI_TEXT_FIELD_NAME : UBI_TEXT_EDGE_NAME;
}

#endif
