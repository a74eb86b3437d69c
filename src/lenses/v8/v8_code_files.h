/* SPDX-License-Identifier: MIT
 *
 * v8_code_files.h: which file a piece of V8's code is from.
 *
 * Functions and objects have places in the file's table of locations; what is compiled for them has none. A function's shared
 * info names its script, and what only code of one script leads to belongs to that script.
 */
#ifndef UBI_LENSES_V8_CODE_FILES_H
#define UBI_LENSES_V8_CODE_FILES_H

#include "graph/graph_columns.h"

typedef struct ubi__v8_code_files {
    ubi_node_ix *script; /* script[n_nodes]: the node of the script; UBI_NONE: none, or more than one */
    uint32_t n_nodes;
} ubi__v8_code_files;

/** Cost: O(nodes + edges) time, 4 bytes per node, while it runs 8. Errors: UBI_ENOMEM; _fini is allowed all the same. */
ubi_status ubi__v8_code_files_init(ubi__v8_code_files *out, const ubi_graph *graph, const ubi_allocator *a);
void ubi__v8_code_files_fini(ubi__v8_code_files *files, const ubi_allocator *a);
/** Its name; NULL text: not known. Borrowed from the graph. O(1). */
ubi_text ubi__v8_code_file(const ubi__v8_code_files *files, const ubi_graph *graph, ubi_node_ix node);

#endif
