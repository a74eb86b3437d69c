/* SPDX-License-Identifier: MIT
 *
 * node_columns.h: what can be asked of every node.
 *
 * A column is one row of a table: its name, what it means, and a function that gives a number of a node or a text of its
 * kind. All texts belong to kinds, which is what makes sorting by text cheap.
 */
#ifndef UBI_CLI_NODE_COLUMNS_H
#define UBI_CLI_NODE_COLUMNS_H

#include <ubiheap/dominators.h>
#include <ubiheap/graph.h>

/** A graph and what the columns asked for have computed over it. */
typedef struct ubi__node_table {
    const ubi_graph *graph;
    const ubi_view *view;       /**< for dominators; borrowed; NULL: ubi_view_of */
    ubi_progress progress;      /**< of what takes long; fn NULL: none */
    uint32_t *distances;        /**< distances[n_nodes], or NULL */
    uint32_t *retainers;        /**< retainers[n_nodes], or NULL */
    ubi_dominators *dominators; /**< or NULL */
} ubi__node_table;

typedef enum ubi__number_style { UBI__NUMBER_PLAIN, UBI__NUMBER_BYTES, UBI__NUMBER_NODE_ID } ubi__number_style;

typedef struct ubi__node_column {
    const char *name;
    const char *help;
    /** Computes what `number` needs; may be NULL. Doing it twice is harmless. */
    ubi_status (*prepare)(ubi__node_table *table);
    /** False: the node has no such number. NULL in text columns. */
    bool (*number)(uint64_t *out, const ubi__node_table *table, ubi_node_ix node);
    ubi__number_style style;
    /** NULL text: the kind has none. NULL in number columns. */
    ubi_text (*text)(const ubi_graph *graph, const ubi_kind *kind);
} ubi__node_column;

/** Most columns that can be asked for at once. */
#define UBI__NODE_COLUMNS_MAX 32

/** All columns, ended by one without a name. */
extern const ubi__node_column ubi__node_columns[];

/** Columns by their names. UBI_EINVAL with a suggestion when there is none; `n` bytes of `name` count. */
ubi_status ubi__node_column_find(const ubi__node_column **out, const char *name, size_t n);

/** The text of a node in a text column; NULL text: none. */
static inline ubi_text ubi__node_column_text(const ubi__node_column *column, const ubi__node_table *table,
                                             ubi_node_ix node) {
    const ubi_graph *g = table->graph;
    return column->text(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
}

void ubi__node_table_fini(ubi__node_table *table);

#endif
