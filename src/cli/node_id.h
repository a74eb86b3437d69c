/* SPDX-License-Identifier: MIT
 *
 * node_id.h: the ids of nodes on a command line.
 */
#ifndef UBI_CLI_NODE_ID_H
#define UBI_CLI_NODE_ID_H

#include <ubiheap/core/graph.h>

/** Reads an id: decimal digits, or hexadecimal ones behind 0x; a @ may stand before, as in DevTools. `what` names the argument in the message: UBI_EINVAL. */
ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what);
/** UBI_ENOTFOUND with a message that says where ids are to be found. */
ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id);

#endif
