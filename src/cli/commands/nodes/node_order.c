/* SPDX-License-Identifier: MIT
 *
 * node_order.c: radix sort of nodes by a 64-bit key.
 *
 * Every column becomes numbers: texts belong to kinds, and a kind's key is the rank of its text. Least significant byte
 * first, stable, and a byte that is the same in all keys costs no pass: sizes and ranks need two or three.
 */
#include "cli/commands/nodes/node_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "graph/graph_columns.h"

/* ---- ranks of texts --------------------------------------------------------------------------------------------- */

typedef struct ranked {
    ubi_text text;
    ubi_kind_ix kind;
} ranked;

static int compare_ranked(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    return ubi__text_compare(a->text, b->text);
}

#define NO_RANK UINT32_MAX

/* ranks[kind]; equal texts have equal ranks, no text NO_RANK. */
static ubi_status rank_kinds(uint32_t *ranks, const ubi_graph *g, const ubi__node_column *column) {
    uint32_t n_kinds = ubi_graph_kind_count(g);
    ranked *list = ubi__alloc_array(ubi_allocator_default(), n_kinds, sizeof *list);
    if (!list)
        return ubi__fail_nomem();
    size_t n = 0;
    for (ubi_kind_ix k = 0; k < n_kinds; k++) {
        ubi_text text = column->text(g, ubi_graph_kind(g, k));
        ranks[k] = NO_RANK;
        if (text.ptr)
            list[n++] = (ranked){ text, k };
    }
    if (n > 1)
        qsort(list, n, sizeof *list, compare_ranked);
    uint32_t rank = 0;
    for (size_t i = 0; i < n; i++) {
        rank += i > 0 && compare_ranked(&list[i - 1], &list[i]) != 0;
        ranks[list[i].kind] = rank;
    }
    ubi__free_array(ubi_allocator_default(), list, n_kinds, sizeof *list);
    return UBI_OK;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

typedef struct sorter {
    size_t n;          /* nodes with a value */
    size_t n_nodes;    /* and without */
    uint64_t *key;     /* key[node] */
    ubi_node_ix *from; /* the order so far; nodes without a value stand behind the first n */
    ubi_node_ix *to;
} sorter;

static void swap_arrays(sorter *s) {
    ubi_node_ix *old = s->from;
    s->from = s->to;
    s->to = old;
}

static void sort_by_byte(sorter *s, unsigned shift) {
    size_t start[257] = { 0 };
    for (size_t i = 0; i < s->n; i++)
        start[(s->key[s->from[i]] >> shift & 255) + 1]++;
    for (size_t i = 0; i < 256; i++)
        if (start[i + 1] == s->n && s->n)
            return; /* the same everywhere */
    for (size_t i = 0; i < 256; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < s->n; i++)
        s->to[start[s->key[s->from[i]] >> shift & 255]++] = s->from[i];
    swap_arrays(s);
}

/* Splits nodes into those with a value, at the front, and the rest, both in the order given. */
static void collect_keys(sorter *s, const ubi__node_table *table, const ubi__node_column *column, const uint32_t *ranks,
                         bool descending) {
    const ubi_graph *g = table->graph;
    size_t n_without = 0;
    for (size_t i = 0; i < s->n_nodes; i++) {
        ubi_node_ix node = s->from[i];
        uint64_t value;
        bool has_value;
        if (ranks) {
            value = ranks[g->kind.at[node]];
            has_value = value != NO_RANK;
        } else {
            has_value = column->number(&value, table, node);
        }
        s->key[node] = descending ? ~value : value;
        if (has_value)
            s->from[s->n++] = node;
        else
            s->to[n_without++] = node;
    }
    if (n_without)
        memcpy(s->from + s->n, s->to, n_without * sizeof *s->to);
}

static ubi_status sort(sorter *s, ubi_progress progress) {
    ubi_node_ix *first = s->from;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!ubi__progress(&progress, "sorting", shift, 64))
            return ubi__fail_cancelled();
        sort_by_byte(s, shift);
    }
    if (s->from != first && s->n)
        memcpy(first, s->from, s->n * sizeof *first);
    return UBI_OK;
}

static ubi_status sort_nodes(ubi__vec_u32 *nodes, const ubi__node_table *table, const ubi__node_column *column,
                             const uint32_t *ranks, bool descending) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_keys = table->graph->n_nodes;
    uint64_t *key = ubi__alloc_array(a, n_keys, sizeof *key); /* a large one costs memory only where it is touched */
    ubi_node_ix *other = ubi__alloc_array(a, nodes->n, sizeof *other);
    ubi_status status = key && other ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        sorter s = { 0, nodes->n, key, nodes->at, other };
        collect_keys(&s, table, column, ranks, descending);
        status = sort(&s, table->progress);
    }
    ubi__free_array(a, key, n_keys, sizeof *key);
    ubi__free_array(a, other, nodes->n, sizeof *other);
    return status;
}

ubi_status ubi__node_order_sort(ubi__vec_u32 *nodes, const ubi__node_table *table, const ubi__node_column *column,
                                bool descending) {
    if (nodes->n < 2)
        return UBI_OK;
    if (!column->text)
        return sort_nodes(nodes, table, column, NULL, descending);
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t n_kinds = ubi_graph_kind_count(table->graph);
    uint32_t *ranks = ubi__alloc_array(a, n_kinds, sizeof *ranks);
    if (!ranks)
        return ubi__fail_nomem();
    ubi_status status = rank_kinds(ranks, table->graph, column);
    if (status == UBI_OK)
        status = sort_nodes(nodes, table, column, ranks, descending);
    ubi__free_array(a, ranks, n_kinds, sizeof *ranks);
    return status;
}
