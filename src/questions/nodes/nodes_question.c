/* SPDX-License-Identifier: MIT
 *
 * nodes_question.c: any columns of any nodes.
 *
 * Rows are streamed: nothing is kept but what the columns need, and the list of nodes when they are chosen or sorted.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "questions/node_columns.h"
#include "questions/node_filter.h"
#include "questions/nodes/node_order.h"
#include "questions/nodes/node_page.h"
#include "questions/question.h"

typedef struct nodes_values {
    const char *columns, *where, *sort, *format, *fail_on;
    uint64_t offset, limit;
} nodes_values;

#define AT(field) offsetof(nodes_values, field)

/* Nodes to show, in order. */
typedef struct row_list {
    const ubi_node_ix *nodes; /* nodes[n]; NULL: first, first + 1, ... */
    uint32_t first, n;
} row_list;

typedef struct answer {
    const nodes_values *values;
    const ubi__node_column *columns[UBI__NODE_COLUMNS_MAX];
    size_t n_columns;
    ubi__node_table table; /* owned */
    ubi__vec_u32 few;      /* owned: what a filter found that stopped early */
    uint64_t n_matches;
    row_list rows;
} answer;

/* ---- what is asked for ------------------------------------------------------------------------------------------ */

static ubi_status columns_parse(answer *a, const char *list) {
    for (;;) {
        size_t n = strcspn(list, ",");
        if (a->n_columns == UBI__NODE_COLUMNS_MAX)
            return ubi__fail(UBI_EINVAL, "more than %d columns", UBI__NODE_COLUMNS_MAX);
        UBI_TRY(ubi__node_column_find(&a->columns[a->n_columns++], list, n));
        if (!list[n])
            return UBI_OK;
        list += n + 1;
    }
}

static ubi_status sort_parse(const ubi__node_column **column, bool *is_descending, const char *sort) {
    bool is_forced = *sort == '+' || *sort == '-';
    const char *name = sort + is_forced;
    UBI_TRY(ubi__node_column_find(column, name, strlen(name)));
    *is_descending = is_forced ? *sort == '-' : (*column)->text == NULL;
    return UBI_OK;
}

static ubi_status where_check(const char *where) {
    ubi__node_filter *filter;
    UBI_TRY(ubi__node_filter_new(&filter, where));
    ubi__node_filter_free(filter);
    return UBI_OK;
}

#define STANDARD_COLUMNS "id,rawSize,edgeCount,coarseType,typeName,displayName"

static ubi_status nodes_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const ubi__node_column *column;
    bool is_descending;
    const nodes_values *values = a->values = asked->values;
    if (values->format && (strcmp(values->format, "json") == 0) == asked->is_for_page)
        return ubi__fail(UBI_EINVAL, "--json and --format %s contradict each other", values->format);
    UBI_TRY(columns_parse(a, values->columns ? values->columns : STANDARD_COLUMNS));
    if (values->sort)
        UBI_TRY(sort_parse(&column, &is_descending, values->sort));
    return values->where ? where_check(values->where) : UBI_OK;
}

/* ---- nodes that were chosen and sorted: a part of the session, so that further pages cost nothing ---------------- */

typedef struct node_list {
    const ubi_allocator *memory;
    ubi__vec_u32 nodes;
} node_list;

static ubi_status table_init(ubi__node_table *table, ubi_session_use *use, const ubi_allocator *memory) {
    UBI_TRY(ubi_session_look(&table->look, use));
    table->view = ubi_look_view(table->look);
    table->graph = table->view->graph;
    table->heap = use;
    table->memory = memory;
    table->progress = *ubi_session_use_progress(use);
    return UBI_OK;
}

static ubi_status filter_apply(ubi__vec_u32 *out, ubi__node_table *table, const char *where, uint64_t limit) {
    ubi__node_filter *filter;
    UBI_TRY(ubi__node_filter_new(&filter, where));
    ubi_status status = ubi__node_filter_select(out, filter, table, limit);
    ubi__node_filter_free(filter);
    return status;
}

static ubi_status all_take(ubi__vec_u32 *nodes, const ubi__node_table *table) {
    uint32_t n = ubi_graph_node_count(table->graph);
    UBI_TRY(ubi__vec_u32_reserve(nodes, ubi__node_table_memory(table), n));
    for (nodes->n = 0; nodes->n < n; nodes->n++)
        nodes->at[nodes->n] = (uint32_t)nodes->n;
    return UBI_OK;
}

/* `sort` and `where` may be empty. */
static ubi_status list_make(ubi__vec_u32 *nodes, ubi__node_table *table, const char *sort, const char *where) {
    const ubi__node_column *column = NULL;
    bool is_descending = false;
    if (*sort)
        UBI_TRY(sort_parse(&column, &is_descending, sort));
    if (column && column->prepare)
        UBI_TRY(column->prepare(table));
    UBI_TRY(*where ? filter_apply(nodes, table, where, 0) : all_take(nodes, table));
    return column ? ubi__node_order_sort(nodes, table, column, is_descending) : UBI_OK;
}

#define KEY_BORDER '\n' /* the name of a column has none */

static ubi_status list_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi__node_table table = { .graph = NULL };
    char sort[64] = "";
    const char *where = strchr(key, KEY_BORDER);
    memcpy(sort, key, (size_t)(where - key)); /* a column, found before */
    UBI_TRY(table_init(&table, use, allocator));
    node_list *list = UBI_NEW(allocator, node_list);
    if (!list)
        return ubi__fail_nomem();
    list->memory = allocator;
    ubi_status status = list_make(&list->nodes, &table, sort, where + 1);
    ubi__vec_u32_trim(&list->nodes, allocator);
    ubi__node_table_fini(&table);
    *out = list;
    if (status == UBI_OK)
        return UBI_OK;
    ubi__vec_u32_fini(&list->nodes, allocator);
    UBI_DELETE(allocator, list);
    return status;
}

static void list_free(void *value, const ubi_allocator *allocator) {
    node_list *list = value;
    ubi__vec_u32_fini(&list->nodes, allocator);
    UBI_DELETE(allocator, list);
}

static const ubi__part_type list_part = { .name = "nodes", .build = list_build, .free = list_free };

static ubi_status list_get(const ubi__vec_u32 **out, const nodes_values *values, const ubi__asked *asked) {
    const ubi_allocator *memory = ubi__asked_allocator(asked);
    const char *sort = values->sort ? values->sort : "", *where = values->where ? values->where : "";
    size_t n = strlen(sort) + strlen(where) + 2;
    void *list = NULL;
    char *key = ubi__alloc_array(memory, n, 1);
    if (!key)
        return ubi__fail_nomem();
    snprintf(key, n, "%s%c%s", sort, KEY_BORDER, where);
    ubi_status status = ubi__session_part(&list, ubi__asked_heap(asked), &list_part, key);
    ubi__free_array(memory, key, n, 1);
    if (status == UBI_OK)
        *out = &((node_list *)list)->nodes;
    return status;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status columns_prepare(answer *a) {
    for (size_t i = 0; i < a->n_columns; i++)
        if (a->columns[i]->prepare)
            UBI_TRY(a->columns[i]->prepare(&a->table));
    return UBI_OK;
}

/* Where only the first matches are wanted, once, on a page, the others are not looked for. A document says how many there are. */
static ubi_status few_find(answer *a) {
    const nodes_values *values = a->values;
    uint64_t wanted = values->offset + values->limit < values->offset ? UINT64_MAX : values->offset + values->limit;
    UBI_TRY(filter_apply(&a->few, &a->table, values->where, wanted));
    a->rows.nodes = a->few.at;
    a->n_matches = a->few.n;
    return UBI_OK;
}

/* In file order and without a filter there is no list: rows of any heap are streamed. */
static ubi_status nodes_choose(answer *a, const ubi__asked *asked) {
    const nodes_values *values = a->values;
    const ubi__vec_u32 *list = NULL;
    if (!values->where && !values->sort) {
        a->n_matches = ubi_graph_node_count(a->table.graph);
        return UBI_OK;
    }
    if (values->where && !values->sort && values->limit && asked->is_asked_once && asked->is_for_page &&
        !asked->counts_matches)
        return few_find(a);
    UBI_TRY(list_get(&list, values, asked));
    a->rows.nodes = list->at;
    a->n_matches = list->n;
    return UBI_OK;
}

static void rows_cut(answer *a) {
    uint64_t offset = a->values->offset < a->n_matches ? a->values->offset : a->n_matches;
    uint64_t left = a->n_matches - offset, limit = a->values->limit;
    if (a->rows.nodes)
        a->rows.nodes += offset;
    a->rows.first = (uint32_t)offset;
    a->rows.n = (uint32_t)(limit && limit < left ? limit : left);
}

static ubi_status nodes_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    UBI_TRY(table_init(&a->table, ubi__asked_heap(asked), ubi__asked_allocator(asked)));
    UBI_TRY(columns_prepare(a));
    UBI_TRY(nodes_choose(a, asked));
    rows_cut(a);
    return UBI_OK;
}

static void nodes_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi__vec_u32_fini(&a->few, ubi__asked_allocator(asked));
    if (a->table.graph)
        ubi__node_table_fini(&a->table);
}

static void nodes_facts(ubi__question_facts *out, const void *answer_of) {
    const answer *a = answer_of;
    *out = (ubi__question_facts){ .graph = a->table.graph, .look = a->table.look, .n_matches = a->n_matches };
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct writer {
    const answer *selection;
    const ubi__node_table *table;
    ubi__out *out;         /* page */
    ubi_progress progress; /* fn NULL: none */
    /* One of these. */
    ubi__json *json;
    ubi__node_page *page;
    bool is_csv; /* else tab-separated */
} writer;

/* ---- delimited rows --------------------------------------------------------------------------------------------- */

/* Without printf, and a row in one function: millions of rows are usual. */
static void delimited_row_write(const writer *w, ubi_node_ix node) {
    for (size_t i = 0; i < w->selection->n_columns; i++) {
        const ubi__node_column *column = w->selection->columns[i];
        uint64_t number;
        int state = UBI_QUERY_MISSING;
        ubi_text text;
        ubi_look_name_buffer buffer;
        if (i)
            ubi__out_char(w->out, w->is_csv ? ',' : '\t');
        if (column->text && (text = ubi__node_column_text(column, w->table, node, &buffer)).ptr)
            ubi__delimited_text(w->out, text, w->is_csv);
        else if (column->number && (state = column->number(&number, w->table, node)) == UBI_QUERY_PRESENT)
            ubi__out_u64(w->out, number);
        else
            ubi__out_char(w->out, '-');
        if (state == UBI_QUERY_NEGATIVE)
            ubi__out_u64(w->out, number);
    }
    ubi__out_char(w->out, '\n');
}

/* ---- JSON rows -------------------------------------------------------------------------------------------------- */

static void json_cell_write(const writer *w, const ubi__node_column *column, ubi_node_ix node) {
    uint64_t number;
    ubi_look_name_buffer buffer;
    int state = column->text ? UBI_QUERY_PRESENT : column->number(&number, w->table, node);
    if (column->text)
        ubi__json_text(w->json, ubi__node_column_text(column, w->table, node, &buffer));
    else if (state == UBI_QUERY_MISSING)
        ubi__json_null(w->json);
    else if (state == UBI_QUERY_NEGATIVE)
        ubi__json_i64(w->json, -(int64_t)number);
    else if (column->style == UBI__NUMBER_NODE_ID)
        ubi__json_node_id(w->json, number);
    else
        ubi__json_u64(w->json, number);
}

static void json_row_write(const writer *w, ubi_node_ix node) {
    ubi__json_array_begin(w->json);
    for (size_t i = 0; i < w->selection->n_columns; i++)
        json_cell_write(w, w->selection->columns[i], node);
    ubi__json_array_end(w->json);
}

/* ---- all rows --------------------------------------------------------------------------------------------------- */

#define ROWS_PER_REPORT 4096

/* An interrupt stops the next write, so the result does not matter. */
static void report_progress(const writer *w, uint32_t i, uint32_t end) {
    if (i % ROWS_PER_REPORT == 0 && w->progress.fn)
        w->progress.fn(w->progress.payload, "writing", i, end);
}

static void row_write(const writer *w, ubi_node_ix node) {
    if (w->json)
        json_row_write(w, node);
    else if (w->page)
        ubi__node_page_row(w->page, node);
    else
        delimited_row_write(w, node);
}

/* Stops early when the reader of the output is gone. */
static void rows_write(const writer *w, row_list rows) {
    const bool *has_failed = w->json ? &w->json->has_failed : &w->out->has_failed;
    for (uint32_t i = 0; i < rows.n && !*has_failed; i++) {
        report_progress(w, i, rows.n);
        row_write(w, rows.nodes ? rows.nodes[i] : rows.first + i);
    }
}

static void delimited_write(writer *w, bool is_csv, row_list rows) {
    w->is_csv = is_csv;
    for (size_t i = 0; i < w->selection->n_columns; i++) {
        ubi__out_string(w->out, i == 0 ? "" : is_csv ? "," : "\t");
        ubi__out_string(w->out, w->selection->columns[i]->name);
    }
    ubi__out_char(w->out, '\n');
    rows_write(w, rows);
}

/* Rows that decide the widths of a table: some screens. */
#define SAMPLE_ROWS 200

static void table_write(writer *w, const ubi__style *style, row_list rows) {
    ubi__node_page page = { w->out, style, w->table, w->selection->columns, w->selection->n_columns, { 0 } };
    w->page = &page;
    ubi__node_page_begin(&page, rows.nodes, rows.first, rows.n < SAMPLE_ROWS ? rows.n : SAMPLE_ROWS);
    rows_write(w, rows);
}

static ubi_status nodes_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    const char *format = a->values->format ? a->values->format : page->is_terminal ? "table" : "tsv";
    writer w = { .selection = a, .table = &a->table, .out = page->out, .progress = asked->writing };
    if (strcmp(format, "table") == 0)
        table_write(&w, &page->style, a->rows);
    else
        delimited_write(&w, strcmp(format, "csv") == 0, a->rows);
    return UBI_OK;
}

static ubi_status nodes_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    writer w = { .selection = a, .table = &a->table, .json = json, .progress = asked->writing };
    ubi__json_member_u64(json, "matchCount", a->n_matches);
    ubi__json_member_array(json, "columns");
    for (size_t i = 0; i < a->n_columns; i++)
        ubi__json_string(json, a->columns[i]->name);
    ubi__json_array_end(json);
    ubi__json_member_array(json, "rows");
    rows_write(&w, a->rows);
    ubi__json_array_end(json);
    return UBI_OK;
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static bool column_entry(size_t i, const char **word, const char **help) {
    *word = ubi__node_columns[i].name;
    *help = ubi__node_columns[i].help;
    return *word != NULL;
}

static const ubi__glossary columns_glossary = { "Columns", column_entry };

static const char *const format_choices[] = { "table", "tsv", "csv", "json", NULL };

static const ubi__parameter parameters[] = {
    UBI__TEXT("columns", 'c', AT(columns), "LIST", "names of columns, separated by commas", STANDARD_COLUMNS),
    UBI__TEXT(
        "where", 'w', AT(where), "EXPR",
        "only nodes for which this holds, such as 'className == \"Array\" and rawSize > 1KiB'; any column can be named",
        NULL),
    UBI__TEXT(
        "sort", 's', AT(sort), "COLUMN",
        "sort by a column: numbers descending, texts ascending; +COLUMN and -COLUMN choose; without it, file order",
        NULL),
    UBI__LIMIT(AT(limit), "print only the first N rows; 0: all", "0"),
    UBI__NUMBER("offset", 0, AT(offset), "N", "leave the first N rows out", "0", .scope = UBI__SCOPE_PROGRAM),
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", format_choices, "table, tsv, csv or json; --json means json",
                "table on a terminal, else tsv", .scope = UBI__SCOPE_TERMINAL),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "nodes --sort rawSize --limit 20 app.fxsnapshot", "the twenty largest nodes" },
    { "nodes -c id,className -f csv app.fxsnapshot > nodes.csv", "ids and classes of all nodes, for a spreadsheet" },
    { "nodes -w 'coarseType == \"Script\" and retainedSize > 1%' -s retainedSize app.fxsnapshot",
      "scripts that keep much alive" },
    { "nodes -c retainerCount,displayName -s retainerCount -n 10 app.fxsnapshot", "what most edges lead to" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_nodes = {
    .name = "nodes",
    .operands = "FILE",
    .summary = "list nodes with the columns you ask for",
    .question = "Which nodes are the largest, or fulfil a condition?",
    .description =
        "Prints one row per node: all of them, reachable or not, in file order, unless you choose, sort or limit. "
        "The first line names the columns.\n"
        "\n"
        "--where chooses nodes by an expression over the columns, asked for or not: comparisons (== != < <= > >=), "
        "contains, startswith, endswith, ~ with a pattern such as /^HTML/, and, or, not, arithmetic, sizes such as "
        "64KiB, shares of the heap such as 1%, texts in quotes, null for a missing value.\n"
        "\n"
        "A table is for people: aligned, cut to the width of the terminal, numbers with commas. The first rows decide "
        "how wide its columns are.\n"
        "\n"
        "In tsv and csv a missing value is a single - and every row is one line: within texts a backslash, tab, "
        "newline and carriage return are written \\\\, \\t, \\n"
        " and \\r, other control characters and bytes that are not UTF-8 \\xNN, lone surrogates and characters "
        "that cannot be seen or that reorder others \\uNNNN or \\u{N}. A text that is - itself is written \\- in "
        "tsv and \"-\" in csv; csv quotes texts with a comma or a quote and doubles the quote.\n"
        "\n"
        "In json a missing value is null, and an id is a number when a double holds it exactly, else a string of "
        "digits.",
    .parameters = parameters,
    .glossary = &columns_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(nodes_values),
};

const ubi__question ubi__question_nodes = {
    .usage = &ubi__usage_nodes,
    .schema = "ubiheap.nodes/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .condition = UBI__CONDITION_SELECTION,
    .answer_bytes = sizeof(answer),
    .prepare = nodes_prepare,
    .compute = nodes_compute,
    .document = nodes_document,
    .page = nodes_page,
    .facts = nodes_facts,
    .release = nodes_release,
};
