/* SPDX-License-Identifier: MIT
 *
 * outside_view.h: edges that keep objects alive though a view leaves them out.
 *
 * V8's view leaves out those that lead from outside of a page into it, and what the page reaches by shortcuts alone is of the page: a function of
 * a server, and all that its variables hold, may have no other way from the root. Who asks what keeps such an object alive takes these edges
 * where those of the view lead nowhere.
 */
#ifndef UBI_GRAPH_OUTSIDE_VIEW_H
#define UBI_GRAPH_OUTSIDE_VIEW_H

#include "graph/graph_columns.h"

/** Weak edges keep nothing alive; nor do those of the view's weak tables, which its callers know. */
static inline bool ubi__edge_is_outside_view(const ubi_view *view, ubi_edge_ix edge) {
    return !ubi__edge_set_has(view->edges, edge) && ubi__graph_edge_kind(view->graph, edge) != UBI_EDGE_WEAK;
}

#endif
