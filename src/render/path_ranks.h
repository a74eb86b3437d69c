/* SPDX-License-Identifier: MIT
 *
 * path_ranks.h: whose names a piece of a path says (path_pieces.h), so that those of the program can stay the longest.
 */
#ifndef UBI_RENDER_PATH_RANKS_H
#define UBI_RENDER_PATH_RANKS_H

#include "render/path_pieces.h"

/**
 * Of the unit from node `i` until node `next`, the most that one of its pieces has.
 * @param fields  of the graph. Allocation failures count as not knowing whose a function is.
 */
ubi__path_rank ubi__path_unit_rank(const ubi__path_pen *pen, ubi__fields *fields, uint32_t i, uint32_t next);

/** Whether an edge of a global object is one by which the runtime, such as Node.js, keeps its own. */
bool ubi__edge_is_of_runtime(const ubi_graph *graph, ubi_edge_ix edge);
/** Whether a path says nothing but roots and nodes of the engine's, its target among them: no program can let go of that. */
bool ubi__path_is_of_engine(const ubi__path_view *path, ubi__fields *fields);

#endif
