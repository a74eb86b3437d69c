/* SPDX-License-Identifier: MIT
 *
 * node_columns.h: the columns of every node.
 *
 * A column is one row of a table: its name, what it means, and a function that gives a number or a text of a node. Texts belong
 * to kinds where the graph has no more to say, which is what makes sorting and choosing by them cheap; through V8's lens some
 * belong to single nodes.
 */
#ifndef UBI_QUESTIONS_NODE_COLUMNS_H
#define UBI_QUESTIONS_NODE_COLUMNS_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/query.h>
#include <ubiheap/extension/session.h>
#include <ubiheap/views/lens.h>

/** A graph and what the columns asked for have computed over it. */
typedef struct ubi__node_table {
    const ubi_graph *graph;
    const ubi_view *view;             /**< for dominators; borrowed; NULL: ubi_view_of */
    const ubi_look *look;             /**< for sizes, names and distances; borrowed; NULL: those of the graph */
    const ubi_allocator *memory;      /**< NULL: the default */
    ubi_session_use *heap;            /**< whose parts serve; NULL: what is needed is computed here */
    ubi_progress progress;            /**< of long computations; fn NULL: none */
    const uint32_t *distances;        /**< distances[n_nodes], or NULL: not needed so far */
    const ubi_dominators *dominators; /**< the same */
    uint32_t *retainers;              /**< retainers[n_nodes], the same; owned */
    uint32_t *own_distances;          /**< owned, where there is no heap */
    ubi_dominators *own_dominators;   /**< the same */
} ubi__node_table;

typedef enum ubi__number_style {
    UBI__NUMBER_PLAIN,
    UBI__NUMBER_BYTES,
    UBI__NUMBER_NODE_ID,
    UBI__NUMBER_DISTANCE
} ubi__number_style;

typedef struct ubi__node_column {
    const char *name;
    const char *help;
    /** Computes what `number` needs; may be NULL. Doing it twice is harmless. */
    ubi_status (*prepare)(ubi__node_table *table);
    /** The magnitude; UBI_QUERY_MISSING (0): the node has no such number. NULL in text columns. */
    int (*number)(uint64_t *out, const ubi__node_table *table, ubi_node_ix node);
    ubi__number_style style;
    /** NULL text: the kind has none. NULL in number columns. */
    ubi_text (*text)(const ubi_graph *graph, const ubi_kind *kind);
    /** In place of `text` where the lens knows each node by name (V8); may be NULL. */
    ubi_text (*node_text)(const ubi__node_table *table, ubi_node_ix node, ubi_look_name_buffer *buffer);
} ubi__node_column;

/** Most columns in one request. */
#define UBI__NODE_COLUMNS_MAX 32

/** All columns, ended by one without a name. */
extern const ubi__node_column ubi__node_columns[];

/** Columns by their names. UBI_EINVAL with a suggestion when there is none; `n` bytes of `name` count. */
ubi_status ubi__node_column_find(const ubi__node_column **out, const char *name, size_t n);

/** Whether the texts of a column differ from node to node, and not only from kind to kind. */
bool ubi__node_column_is_by_node(const ubi__node_column *column, const ubi__node_table *table);
/** The text of a node in a text column, borrowed from the table's look, its graph or `buffer`; NULL text: none. */
ubi_text ubi__node_column_text(const ubi__node_column *column, const ubi__node_table *table, ubi_node_ix node,
                               ubi_look_name_buffer *buffer);

/** What it is allocated from. */
const ubi_allocator *ubi__node_table_memory(const ubi__node_table *table);
void ubi__node_table_fini(ubi__node_table *table);

#endif
