/* SPDX-License-Identifier: MIT
 *
 * text_roles.h: which role the names of nodes and edges have, for formats that write them through map_text; and which sorts of
 * nodes and edges other formats have, for those that write theirs.
 */
#ifndef UBI_FORMATS_TEXT_ROLES_H
#define UBI_FORMATS_TEXT_ROLES_H

#include <ubiheap/core/formats.h>

#include "graph/graph_columns.h"

/** Sorts of nodes of coarse type OTHER for which a format may have a type. */
typedef enum ubi__node_sort {
    UBI__SORT_OTHER = 0,
    UBI__SORT_SYMBOL,
    UBI__SORT_BIGINT,
    UBI__SORT_SHAPE,
    UBI__SORT_CODE
} ubi__node_sort;

/** What a producer calls a sort. */
typedef struct ubi__type_sort {
    const char *type_name; /**< NULL ends a list */
    ubi__node_sort sort;
} ubi__type_sort;

/** How names show what edges are, in a format whose edges have no kinds. */
typedef struct ubi__edge_names {
    bool (*is_element)(uint32_t *index, ubi_text name); /**< *index is changed even if it is not one */
    bool (*is_field)(ubi_text name);                    /**< the engine's; else it is a property */
} ubi__edge_names;

/** By the lists of all formats. Cost: O(their rows). */
ubi__node_sort ubi__type_sort_of(ubi_text type_name);
/** Of UBI_EDGE_REFERENCE. Never NULL. */
const ubi__edge_names *ubi__edge_names_of_references(void);

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
