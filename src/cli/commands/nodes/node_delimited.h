/* SPDX-License-Identifier: MIT
 *
 * node_delimited.h: nodes as tab- or comma-separated lines, for programs.
 *
 * Every row is one line whatever its texts hold; how they are escaped is in docs/reference/cli.md.
 */
#ifndef UBI_CLI_NODE_DELIMITED_H
#define UBI_CLI_NODE_DELIMITED_H

#include "cli/commands/nodes/node_columns.h"
#include "render/out.h"

typedef struct ubi__node_lines {
    ubi__out *out;
    const ubi__node_table *table;
    const ubi__node_column *const *columns; /**< columns[n_columns] */
    size_t n_columns;
    bool csv; /**< else tsv */
} ubi__node_lines;

/** The names of the columns. */
void ubi__node_lines_header(const ubi__node_lines *lines);
void ubi__node_lines_row(const ubi__node_lines *lines, ubi_node_ix node);

#endif
