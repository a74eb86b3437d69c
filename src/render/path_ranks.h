/* SPDX-License-Identifier: MIT
 *
 * path_ranks.h: whose names a piece of a path says (path_pieces.h), so that those of the program can stay the longest.
 */
#ifndef UBI_RENDER_PATH_RANKS_H
#define UBI_RENDER_PATH_RANKS_H

#include "render/path_pieces.h"

/**
 * The highest rank of a piece in the unit from node `i` to before node `next`.
 * @param fields  of the graph. Allocation failures leave a function's owner unknown.
 */
ubi__path_rank ubi__path_unit_rank(const ubi__path_pen *pen, ubi__fields *fields, uint32_t i, uint32_t next);

/** Whether a global object's edge holds something of the runtime's own, such as Node.js. */
bool ubi__edge_is_of_runtime(const ubi_graph *graph, ubi_edge_ix edge);
/** Whether a path, target included, has only roots and engine nodes: no program can release that. */
bool ubi__path_is_of_engine(const ubi__path_view *path, ubi__fields *fields);

#endif
