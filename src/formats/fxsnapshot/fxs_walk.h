/* SPDX-License-Identifier: MIT
 *
 * fxs_walk.h: saving a heap while it is walked: what its parts share.
 *
 *     fxs_save_walk.c    nodes in their turn
 *     fxs_save_edges.c   the edges of one node, and their names
 */
#ifndef UBI_FXS_WALK_H
#define UBI_FXS_WALK_H

#include "formats/fxsnapshot/fxs_encoder.h"
#include "formats/fxsnapshot/fxs_save.h"
#include "graph/frontier.h"

#define UBI__FXS_GROUPS 1024 /* of nodes (ubi_node_group), whose texts are looked up once */

/** What nodes of a group share. */
typedef struct ubi__fxs_group {
    bool is_known;
    ubi_coarse_type coarse_type;
    ubi_str_ix type_name, class_name, script_filename, descriptive_name;
    ubi__fxs_stencil stencil;
} ubi__fxs_group;

/**
 * What tells a name of an edge from others: a key and the heap that gave it, or, of a text of at most 16 bytes, as nearly all
 * have, two words, which overlap, and the length.
 */
typedef struct ubi__fxs_name_key {
    uint64_t first, last, space;
} ubi__fxs_name_key;

/** A name that was met lately, and the field of the edge that it became (ubi__fxs_name_field). */
typedef struct ubi__fxs_recent_name {
    ubi__fxs_name_key key;
    uint64_t field; /* 0: none */
} ubi__fxs_recent_name;

#define UBI__FXS_NAMES_BITS 10

typedef struct ubi__fxs_walk {
    ubi__fxs_save *save;
    ubi__frontier *frontier;

    /* while the edges of a node are enumerated */
    ubi_node origin;
    ubi__fxs_edge_fn fn;
    void *fn_payload;
    ubi_status status;
    bool is_first; /* not the second enumeration of a large node */

    ubi__fxs_group groups[UBI__FXS_GROUPS];
    ubi__fxs_group alone; /* of the node at hand, if it has none */
    ubi__fxs_recent_name names[1 << UBI__FXS_NAMES_BITS];
} ubi__fxs_walk;

/** The edges of w->origin (ubi__fxs_edges_fn). The first time the frontier takes their referents. */
ubi_status ubi__fxs_walk_edges(void *walk, ubi__fxs_edge_fn fn, void *fn_payload);

#endif
