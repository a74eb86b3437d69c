/* SPDX-License-Identifier: MIT
 *
 * node_filter.c: the columns as the vocabulary of a query, and the nodes as its rows.
 *
 * Where texts belong to kinds, a node's group is its kind. Which texts do not is known only when the file is open; then
 * the expression, already checked, is parsed again.
 */
#include "questions/node_filter.h"

#include <stdio.h>
#include <string.h>

#include <ubiheap/core/query.h>

#include "base/text.h"
#include "graph/graph_columns.h"

struct ubi__node_filter {
    char *text; /* owned: the expression */
    size_t text_bytes;
    ubi_query *query;
    ubi_query_name vocabulary[UBI__NODE_COLUMNS_MAX + 1];
    const ubi__node_column **values; /* owned: the column of each value of the query */
    size_t n_values;
    ubi_look_name_buffer *buffers; /* owned: one per value; NULL: none is put together */
};

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

/* `table` NULL: not there yet. */
static ubi_query_name name_of(const ubi__node_column *column, const ubi__node_table *table) {
    ubi_query_name name = { .name = column->name, .help = column->help, .type = UBI_QUERY_NUMBER };
    if (column->text) {
        name.type = UBI_QUERY_TEXT;
        name.is_by_group = !table || !ubi__node_column_is_by_node(column, table);
    } else if (column->style == UBI__NUMBER_BYTES) {
        name.type = UBI_QUERY_SIZE;
        name.has_basis = true;
    }
    return name;
}

static ubi_status find_columns(ubi__node_filter *f) {
    f->n_values = ubi_query_value_count(f->query);
    f->values = ubi__calloc_array(ubi_allocator_default(), f->n_values + 1, sizeof *f->values);
    if (!f->values)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < f->n_values; i++)
        f->values[i] = &ubi__node_columns[ubi_query_value_at(f->query, i).name - f->vocabulary];
    return UBI_OK;
}

static void forget_query(ubi__node_filter *f) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__free_array(a, f->values, f->n_values + 1, sizeof *f->values);
    ubi__free_array(a, f->buffers, f->n_values + 1, sizeof *f->buffers);
    ubi_query_free(f->query);
    f->values = NULL;
    f->buffers = NULL;
    f->query = NULL;
}

static ubi_status filter_parse(ubi__node_filter *f, const ubi__node_table *table) {
    char problem[320];
    forget_query(f);
    for (size_t i = 0; ubi__node_columns[i].name && i < UBI__NODE_COLUMNS_MAX; i++)
        f->vocabulary[i] = name_of(&ubi__node_columns[i], table);
    ubi_status status = ubi_query_parse(&f->query, ubi__text(f->text), f->vocabulary, NULL);
    if (status == UBI_EINVAL) {
        snprintf(problem, sizeof problem, "%s", ubi_error_message());
        return ubi__fail(UBI_EINVAL, "--where: %s", problem);
    }
    UBI_TRY(status);
    return find_columns(f);
}

ubi_status ubi__node_filter_new(ubi__node_filter **out, const char *text) {
    ubi__node_filter *f = UBI_NEW(ubi_allocator_default(), ubi__node_filter);
    if (!f)
        return ubi__fail_nomem();
    f->text_bytes = strlen(text) + 1;
    f->text = ubi__alloc_array(ubi_allocator_default(), f->text_bytes, 1);
    if (f->text)
        memcpy(f->text, text, f->text_bytes);
    ubi_status status = f->text ? filter_parse(f, NULL) : ubi__fail_nomem();
    if (status == UBI_OK)
        *out = f;
    else
        ubi__node_filter_free(f);
    return status;
}

void ubi__node_filter_free(ubi__node_filter *filter) {
    if (!filter)
        return;
    forget_query(filter);
    ubi__free_array(ubi_allocator_default(), filter->text, filter->text_bytes, 1);
    UBI_DELETE(ubi_allocator_default(), filter);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct rows {
    const ubi__node_filter *filter;
    const ubi__node_table *table;
} rows;

static void give_numbers(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude,
                         uint8_t *state) {
    const rows *r = payload;
    const ubi__node_column *column = r->filter->values[value];
    for (uint32_t i = 0; i < n; i++)
        state[i] = (uint8_t)column->number(&magnitude[i], r->table, first + i);
}

/* A row's text is used before the next row's, so one buffer per value is enough. */
static ubi_text give_text(void *payload, uint32_t value, uint32_t node_or_kind) {
    const rows *r = payload;
    const ubi_graph *g = r->table->graph;
    const ubi__node_column *column = r->filter->values[value];
    if (ubi__node_column_is_by_node(column, r->table))
        return column->node_text(r->table, node_or_kind, &r->filter->buffers[value]);
    return column->text(g, ubi_graph_kind(g, node_or_kind));
}

static void give_groups(void *payload, uint32_t first, uint32_t n, uint32_t *group) {
    const rows *r = payload;
    memcpy(group, r->table->graph->kind.at + first, n * sizeof *group);
}

/* Shares of sizes are of the whole heap: everything reachable or adopted. */
static bool give_basis(void *payload, uint32_t value, uint64_t *out) {
    const rows *r = payload;
    const ubi_graph *g = r->table->graph;
    const ubi_view *view = r->table->view;
    bool all = view && view->orphans == UBI_ORPHANS_ADOPT;
    (void)value;
    *out = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (all || ubi__graph_reachable(g, node))
            *out += view && view->size_bytes ? view->size_bytes[node] : g->size_bytes.at[node];
    return true;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

#define BLOCKS_PER_REPORT 64

static ubi_status filter_choose(ubi__vec_u32 *out, ubi_filter *filter, const ubi__node_table *table, uint64_t limit) {
    uint32_t n_nodes = table->graph->n_nodes, block = 0;
    for (uint32_t first = 0, n; first < n_nodes; first += n) {
        n = n_nodes - first < UBI_QUERY_BLOCK ? n_nodes - first : UBI_QUERY_BLOCK;
        if (block++ % BLOCKS_PER_REPORT == 0 && !ubi__progress(&table->progress, "choosing", first, n_nodes))
            return ubi__fail_cancelled();
        UBI_TRY(ubi__vec_u32_reserve(out, ubi__node_table_memory(table), n));
        out->n += ubi_filter_select(out->at + out->n, filter, first, n);
        if (limit && out->n >= limit) {
            out->n = (size_t)limit;
            break;
        }
    }
    return UBI_OK;
}

static bool any_by_node(const ubi__node_filter *f, const ubi__node_table *table) {
    for (size_t i = 0; i < f->n_values; i++)
        if (ubi__node_column_is_by_node(f->values[i], table))
            return true;
    return false;
}

static ubi_status parse_again(ubi__node_filter *f, const ubi__node_table *table) {
    UBI_TRY(filter_parse(f, table));
    f->buffers = ubi__alloc_array(ubi_allocator_default(), f->n_values + 1, sizeof *f->buffers);
    return f->buffers ? UBI_OK : ubi__fail_nomem();
}

ubi_status ubi__node_filter_select(ubi__vec_u32 *out, ubi__node_filter *f, ubi__node_table *table, uint64_t limit) {
    if (!f->buffers && any_by_node(f, table))
        UBI_TRY(parse_again(f, table));
    for (size_t i = 0; i < f->n_values; i++)
        if (f->values[i]->prepare)
            UBI_TRY(f->values[i]->prepare(table));
    rows r = { f, table };
    ubi_query_source source = {
        &r, give_numbers, give_text, give_basis, ubi_graph_kind_count(table->graph), give_groups
    };
    ubi_filter *filter;
    UBI_TRY(ubi_filter_new(&filter, f->query, &source, NULL));
    ubi_status status = filter_choose(out, filter, table, limit);
    ubi_filter_free(filter);
    return status;
}
