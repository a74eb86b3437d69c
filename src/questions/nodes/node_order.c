/* SPDX-License-Identifier: MIT
 *
 * node_order.c: radix sort of nodes by a 64-bit key.
 *
 * Every column becomes numbers: where texts belong to kinds, a kind's key is the rank of its text; where they belong to single
 * nodes, each different text is kept once and ranked. Least significant byte
 * first, stable, and a byte that is the same in all keys costs no pass: sizes and ranks need two or three.
 */
#include "questions/nodes/node_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/strtab.h"
#include "base/text.h"
#include "graph/graph_columns.h"

/* ---- ranks of texts --------------------------------------------------------------------------------------------- */

typedef struct ranked {
    ubi_text text;
    uint32_t of; /* kind or entry */
} ranked;

static int compare_ranked(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    return ubi__text_compare(a->text, b->text);
}

#define NO_RANK UINT32_MAX

/* Sorts list[0..n); equal texts get equal ranks. */
static void node_rank(uint32_t *ranks, ranked *list, size_t n) {
    uint32_t next = 0;
    if (n > 1)
        qsort(list, n, sizeof *list, compare_ranked);
    for (size_t i = 0; i < n; i++) {
        next += i > 0 && compare_ranked(&list[i - 1], &list[i]) != 0;
        UBI_ASSERT(next <= i && next != NO_RANK);
        ranks[list[i].of] = next;
    }
}

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
    node_rank(ranks, list, n);
    ubi__free_array(ubi_allocator_default(), list, n_kinds, sizeof *list);
    return UBI_OK;
}

static ubi_status rank_entries(uint32_t *ranks, const ubi__strtab *texts) {
    uint32_t n = ubi__strtab_count(texts);
    ranked *list = ubi__alloc_array(ubi_allocator_default(), n, sizeof *list);
    if (!list)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        list[i] = (ranked){ ubi__strtab_get(texts, i), i };
    node_rank(ranks, list, n);
    ubi__free_array(ubi_allocator_default(), list, n, sizeof *list);
    return UBI_OK;
}

/* ranks[node] of those to sort, from the texts of single nodes. */
static ubi_status rank_texts(uint32_t *ranks, ubi__strtab *texts, const ubi__vec_u32 *nodes,
                             const ubi__node_table *table, const ubi__node_column *column) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi_look_name_buffer buffer;
    for (size_t i = 0; i < nodes->n; i++) {
        ubi_text text = ubi__node_column_text(column, table, nodes->at[i], &buffer);
        ranks[nodes->at[i]] = NO_RANK;
        if (text.ptr)
            UBI_TRY(ubi__strtab_intern(texts, &ranks[nodes->at[i]], text));
    }
    uint32_t n = ubi__strtab_count(texts);
    if (n == 0)
        return UBI_OK;
    uint32_t *of_entry = ubi__alloc_array(a, n, sizeof *of_entry);
    if (!of_entry)
        return ubi__fail_nomem();
    ubi_status status = rank_entries(of_entry, texts);
    for (size_t i = 0; status == UBI_OK && i < nodes->n; i++)
        if (ranks[nodes->at[i]] != NO_RANK)
            ranks[nodes->at[i]] = of_entry[ranks[nodes->at[i]]];
    ubi__free_array(a, of_entry, n, sizeof *of_entry);
    return status;
}

static ubi_status rank_nodes(uint32_t *ranks, const ubi__vec_u32 *nodes, const ubi__node_table *table,
                             const ubi__node_column *column) {
    ubi__strtab texts;
    ubi__strtab_init(&texts, ubi_allocator_default());
    ubi_status status = rank_texts(ranks, &texts, nodes, table, column);
    ubi__strtab_fini(&texts);
    return status;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

typedef struct sorter {
    size_t n;          /* nodes with a value */
    size_t n_nodes;    /* and without */
    uint64_t *key;     /* key[node] */
    ubi_node_ix *from; /* the order so far; nodes without a value come after the first n */
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

/* What a column is sorted by. */
typedef struct sort_keys {
    const ubi__node_table *table;
    const ubi__node_column *column;
    const uint32_t *ranks; /* of texts; NULL: numbers */
    bool is_by_node;       /* ranks[node], else ranks[kind] */
} sort_keys;

static bool key_of(uint64_t *value, const sort_keys *k, ubi_node_ix node) {
    if (k->ranks) {
        *value = k->ranks[k->is_by_node ? node : k->table->graph->kind.at[node]];
        return *value != NO_RANK;
    }
    int state = k->column->number(value, k->table, node);
    if (k->column->style == UBI__NUMBER_DISTANCE) /* the only number that may be negative, and far from the greatest */
        *value = state == UBI_QUERY_NEGATIVE ? 0 : *value + 1;
    return state != UBI_QUERY_MISSING;
}

/* Splits nodes into those with a value, at the front, and the rest, both in the order given. */
static void collect_keys(sorter *s, const sort_keys *k, bool descending) {
    size_t n_without = 0;
    for (size_t i = 0; i < s->n_nodes; i++) {
        ubi_node_ix node = s->from[i];
        uint64_t value;
        bool has_value = key_of(&value, k, node);
        s->key[node] = descending ? ~value : value;
        if (has_value)
            s->from[s->n++] = node;
        else
            s->to[n_without++] = node;
    }
    if (n_without)
        memcpy(s->from + s->n, s->to, n_without * sizeof *s->to);
}

static ubi_status order_sort(sorter *s, ubi_progress progress) {
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

static bool order_is_sorted(const ubi__vec_u32 *nodes, const sorter *s) {
    for (size_t i = 1; i < s->n; i++)
        if (s->key[nodes->at[i - 1]] > s->key[nodes->at[i]])
            return false;
    return true;
}

static ubi_status sort_nodes(ubi__vec_u32 *nodes, const sort_keys *k, bool descending) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_keys = k->table->graph->n_nodes;
    uint64_t *key = ubi__alloc_array(a, n_keys, sizeof *key); /* a large array costs memory only where it is touched */
    ubi_node_ix *other = ubi__alloc_array(a, nodes->n, sizeof *other);
    ubi_status status = key && other ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        sorter s = { 0, nodes->n, key, nodes->at, other };
        collect_keys(&s, k, descending);
        status = order_sort(&s, k->table->progress);
        UBI_ASSERT(s.n <= nodes->n);
        UBI_ASSERT(status != UBI_OK || order_is_sorted(nodes, &s));
    }
    ubi__free_array(a, key, n_keys, sizeof *key);
    ubi__free_array(a, other, nodes->n, sizeof *other);
    return status;
}

ubi_status ubi__node_order_sort(ubi__vec_u32 *nodes, const ubi__node_table *table, const ubi__node_column *column,
                                bool descending) {
    if (nodes->n < 2)
        return UBI_OK;
    sort_keys k = { table, column, NULL, column->text && ubi__node_column_is_by_node(column, table) };
    if (!column->text)
        return sort_nodes(nodes, &k, descending);
    const ubi_allocator *a = ubi_allocator_default();
    uint32_t n_ranks = k.is_by_node ? table->graph->n_nodes : ubi_graph_kind_count(table->graph);
    uint32_t *ranks = ubi__alloc_array(a, n_ranks, sizeof *ranks);
    if (!ranks)
        return ubi__fail_nomem();
    k.ranks = ranks;
    ubi_status status =
        k.is_by_node ? rank_nodes(ranks, nodes, table, column) : rank_kinds(ranks, table->graph, column);
    if (status == UBI_OK)
        status = sort_nodes(nodes, &k, descending);
    ubi__free_array(a, ranks, n_ranks, sizeof *ranks);
    return status;
}
