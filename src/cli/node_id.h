/* SPDX-License-Identifier: MIT
 *
 * node_id.h: the ids of nodes on a command line.
 */
#ifndef UBI_CLI_NODE_ID_H
#define UBI_CLI_NODE_ID_H

#include <ubiheap/core/graph.h>

/** Reads an id: decimal, or hexadecimal after 0x, with an optional @ as in DevTools. UBI_EINVAL names `what`. */
ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what);
/** UBI_ENOTFOUND with a message that says where to find ids. */
ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id);

#endif
