/* SPDX-License-Identifier: MIT
 *
 * node_order.c: radix sort of nodes by a 64-bit key.
 *
 * Every column becomes numbers: where texts belong to kinds, a kind's key is the rank of its text; where they belong to single
 * nodes, each different text is kept once and ranked.
 *
 * What is moved is half a key with its node, 8 bytes that are read in order: a pass that looked up the keys of nodes would wait for
 * memory. Least significant digit first, stable; a digit that is the same in all keys costs no pass, so sizes and ranks need one or two.
 */
#include "questions/nodes/node_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/pulse.h"
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
static ubi_status rank_kinds(uint32_t *ranks, const ubi__node_table *table, const ubi__node_column *column) {
    const ubi_allocator *a = ubi__node_table_memory(table);
    const ubi_graph *g = table->graph;
    uint32_t n_kinds = ubi_graph_kind_count(g);
    ranked *list = ubi__alloc_array(a, n_kinds, sizeof *list);
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
    ubi__free_array(a, list, n_kinds, sizeof *list);
    return UBI_OK;
}

static ubi_status rank_entries(uint32_t *ranks, const ubi__strtab *texts, const ubi_allocator *a) {
    uint32_t n = ubi__strtab_count(texts);
    ranked *list = ubi__alloc_array(a, n, sizeof *list);
    if (!list)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        list[i] = (ranked){ ubi__strtab_get(texts, i), i };
    node_rank(ranks, list, n);
    ubi__free_array(a, list, n, sizeof *list);
    return UBI_OK;
}

/* Nodes share few texts, such as the names of their classes: one that lies where another lay before is not compared again. */
#define N_KNOWN_TEXTS 256

typedef struct known_text {
    ubi_text text;
    uint32_t entry;
} known_text;

static ubi_status text_intern(uint32_t *entry, ubi__strtab *texts, known_text *known, ubi_text text,
                              const ubi_look_name_buffer *buffer) {
    known_text *k = &known[((uintptr_t)text.ptr >> 3) % N_KNOWN_TEXTS];
    if (text.ptr == k->text.ptr && text.len == k->text.len) {
        *entry = k->entry;
        return UBI_OK;
    }
    UBI_TRY(ubi__strtab_intern(texts, entry, text));
    bool is_put_together = (uintptr_t)text.ptr - (uintptr_t)buffer < sizeof *buffer; /* another text each time */
    if (!is_put_together)
        *k = (known_text){ text, *entry };
    return UBI_OK;
}

/* ranks[node] of those to sort, from the texts of single nodes. */
static ubi_status rank_texts(uint32_t *ranks, ubi__strtab *texts, const ubi__vec_u32 *nodes,
                             const ubi__node_table *table, const ubi__node_column *column) {
    const ubi_allocator *a = ubi__node_table_memory(table);
    known_text known[N_KNOWN_TEXTS] = { { { NULL, 0 }, 0 } };
    ubi_look_name_buffer buffer;
    for (size_t i = 0; i < nodes->n; i++) {
        if (i % UBI__PULSE_NODES == 0 && !ubi__progress(&table->progress, "comparing texts", i, nodes->n))
            return ubi__fail_cancelled();
        ubi_text text = ubi__node_column_text(column, table, nodes->at[i], &buffer);
        ranks[nodes->at[i]] = NO_RANK;
        if (text.ptr)
            UBI_TRY(text_intern(&ranks[nodes->at[i]], texts, known, text, &buffer));
    }
    uint32_t n = ubi__strtab_count(texts);
    if (n == 0)
        return UBI_OK;
    uint32_t *of_entry = ubi__alloc_array(a, n, sizeof *of_entry);
    if (!of_entry)
        return ubi__fail_nomem();
    ubi_status status = rank_entries(of_entry, texts, a);
    for (size_t i = 0; status == UBI_OK && i < nodes->n; i++)
        if (ranks[nodes->at[i]] != NO_RANK)
            ranks[nodes->at[i]] = of_entry[ranks[nodes->at[i]]];
    ubi__free_array(a, of_entry, n, sizeof *of_entry);
    return status;
}

static ubi_status rank_nodes(uint32_t *ranks, const ubi__vec_u32 *nodes, const ubi__node_table *table,
                             const ubi__node_column *column) {
    ubi__strtab texts;
    ubi__strtab_init(&texts, ubi__node_table_memory(table));
    ubi_status status = rank_texts(ranks, &texts, nodes, table, column);
    ubi__strtab_fini(&texts);
    return status;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

/* What a column is sorted by. */
typedef struct sort_keys {
    const ubi__node_table *table;
    const ubi__node_column *column;
    const uint32_t *ranks; /* of texts; NULL: numbers */
    bool is_by_node;       /* ranks[node], else ranks[kind] */
    bool is_descending;
    ubi__pulse *pulse;
} sort_keys;

/* In each pass, over `n` nodes. */
static bool is_wanted(const sort_keys *k, size_t i, size_t n) {
    return i % UBI__PULSE_NODES != 0 || ubi__pulse_at(k->pulse, "sorting", i, n);
}

/* False: the node has no value. */
static bool key_of(uint64_t *key, const sort_keys *k, ubi_node_ix node) {
    bool has_value = true;
    if (k->ranks) {
        *key = k->ranks[k->is_by_node ? node : k->table->graph->kind.at[node]];
        has_value = *key != NO_RANK;
    } else {
        int state = k->column->number(key, k->table, node);
        if (k->column->style ==
            UBI__NUMBER_DISTANCE) /* the only number that may be negative, and far from the greatest */
            *key = state == UBI_QUERY_NEGATIVE ? 0 : *key + 1;
        has_value = state != UBI_QUERY_MISSING;
    }
    if (k->is_descending)
        *key = ~*key;
    return has_value;
}

/* Half a key and the node that it is of: half << 32 | node. */
typedef uint64_t half_row;

static half_row half_row_of(uint64_t half, ubi_node_ix node) {
    return half << 32 | node;
}
static ubi_node_ix half_row_node(half_row row) {
    return (ubi_node_ix)row;
}

typedef struct sorter {
    size_t n; /* nodes with a value */
    half_row *from, *to;
    uint64_t differing; /* bits in which keys differ */
} sorter;

/* Three passes are enough for half a key, and their counts stay in the nearest cache. */
#define DIGIT_BITS 11
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define N_DIGITS 3
_Static_assert(N_DIGITS *DIGIT_BITS >= 32, "the digits make up half a key");

static uint32_t digit_of(half_row row, unsigned digit) {
    return (uint32_t)(row >> 32) >> digit * DIGIT_BITS & (DIGIT_VALUES - 1);
}

static ubi_status sort_by_digit(sorter *s, unsigned digit, uint32_t *counts, const sort_keys *k) {
    uint32_t start = 0;
    for (uint32_t value = 0; value < DIGIT_VALUES; value++) {
        uint32_t n = counts[value];
        counts[value] = start;
        start += n;
    }
    UBI_ASSERT(start == s->n);
    for (size_t i = 0; i < s->n; i++) {
        if (!is_wanted(k, i, s->n))
            return ubi__fail_cancelled();
        s->to[counts[digit_of(s->from[i], digit)]++] = s->from[i];
    }
    half_row *old = s->from;
    s->from = s->to;
    s->to = old;
    return UBI_OK;
}

/* Stable. Cost: one pass to count, and one for each digit in which rows differ. */
static ubi_status sort_by_half(sorter *s, uint32_t differing, const sort_keys *k) {
    uint32_t counts[N_DIGITS][DIGIT_VALUES] = { { 0 } };
    for (size_t i = 0; i < s->n; i++) {
        if (!is_wanted(k, i, s->n))
            return ubi__fail_cancelled();
        for (unsigned digit = 0; digit < N_DIGITS; digit++)
            counts[digit][digit_of(s->from[i], digit)]++;
    }
    for (unsigned digit = 0; digit < N_DIGITS; digit++)
        if (differing >> digit * DIGIT_BITS & (DIGIT_VALUES - 1))
            UBI_TRY(sort_by_digit(s, digit, counts[digit], k));
    return UBI_OK;
}

/* Takes the nodes with a value, and moves the others to the front of the list, both in the order given. */
static ubi_status collect_keys(sorter *s, ubi__vec_u32 *nodes, const sort_keys *k) {
    uint64_t key, first = 0;
    size_t n_without = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        ubi_node_ix node = nodes->at[i];
        if (!is_wanted(k, i, nodes->n))
            return ubi__fail_cancelled();
        if (!key_of(&key, k, node)) {
            nodes->at[n_without++] = node;
            continue;
        }
        if (s->n == 0)
            first = key;
        s->differing |= key ^ first;
        s->from[s->n++] = half_row_of(key & UINT32_MAX, node);
    }
    return UBI_OK;
}

/* The low halves are sorted; now the high ones, which are the same in all keys of most columns. */
static ubi_status sort_by_high_half(sorter *s, const sort_keys *k) {
    uint64_t key = 0;
    for (size_t i = 0; i < s->n; i++) {
        ubi_node_ix node = half_row_node(s->from[i]);
        if (!is_wanted(k, i, s->n))
            return ubi__fail_cancelled();
        (void)key_of(&key, k, node);
        s->from[i] = half_row_of(key >> 32, node);
    }
    return sort_by_half(s, (uint32_t)(s->differing >> 32), k);
}

/* Keys rise along the first n nodes. */
static void order_check(const ubi__vec_u32 *nodes, const sort_keys *k, size_t n) {
    uint64_t last, key;
    UBI_ASSERT(n <= nodes->n);
    for (size_t i = 1; UBI_CHECKS && i < n; i++)
        UBI_ASSERT(key_of(&last, k, nodes->at[i - 1]) && key_of(&key, k, nodes->at[i]) && last <= key);
}

static ubi_status order_sort(sorter *s, ubi__vec_u32 *nodes, const sort_keys *k) {
    UBI_TRY(collect_keys(s, nodes, k));
    memmove(nodes->at + s->n, nodes->at, (nodes->n - s->n) * sizeof *nodes->at);
    UBI_TRY(sort_by_half(s, (uint32_t)s->differing, k));
    if (s->differing >> 32)
        UBI_TRY(sort_by_high_half(s, k));
    for (size_t i = 0; i < s->n; i++)
        nodes->at[i] = half_row_node(s->from[i]);
    order_check(nodes, k, s->n);
    return UBI_OK;
}

static ubi_status sort_nodes(ubi__vec_u32 *nodes, const sort_keys *k) {
    const ubi_allocator *a = ubi__node_table_memory(k->table);
    half_row *rows = ubi__alloc_array(a, nodes->n, sizeof *rows),
             *others = ubi__alloc_array(a, nodes->n, sizeof *others);
    ubi_status status = rows && others ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        sorter s = { 0, rows, others, 0 };
        status = order_sort(&s, nodes, k);
    }
    ubi__free_array(a, rows, nodes->n, sizeof *rows);
    ubi__free_array(a, others, nodes->n, sizeof *others);
    return status;
}

ubi_status ubi__node_order_sort(ubi__vec_u32 *nodes, const ubi__node_table *table, const ubi__node_column *column,
                                bool descending) {
    if (nodes->n < 2)
        return UBI_OK;
    ubi__pulse pulse = ubi__pulse_of(&table->progress);
    sort_keys k = {
        table, column, NULL, column->text && ubi__node_column_is_by_node(column, table), descending, &pulse
    };
    if (!column->text)
        return sort_nodes(nodes, &k);
    const ubi_allocator *a = ubi__node_table_memory(table);
    uint32_t n_ranks = k.is_by_node ? table->graph->n_nodes : ubi_graph_kind_count(table->graph);
    uint32_t *ranks = ubi__alloc_array(a, n_ranks, sizeof *ranks);
    if (!ranks)
        return ubi__fail_nomem();
    k.ranks = ranks;
    ubi_status status = k.is_by_node ? rank_nodes(ranks, nodes, table, column) : rank_kinds(ranks, table, column);
    if (status == UBI_OK)
        status = sort_nodes(nodes, &k);
    ubi__free_array(a, ranks, n_ranks, sizeof *ranks);
    return status;
}
