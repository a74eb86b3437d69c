/* SPDX-License-Identifier: MIT
 *
 * nodes_command.c: `ubiheap nodes`, any columns of any nodes.
 *
 * Rows are streamed: nothing is kept but what the columns need, and the list of nodes when they are chosen or sorted.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/nodes/node_order.h"
#include "cli/commands/nodes/node_page.h"
#include "cli/condition.h"
#include "questions/node_columns.h"
#include "questions/node_filter.h"
#include "render/display.h"

typedef struct nodes_arguments {
    const char *columns, *where, *sort, *format, *fail_on;
    uint64_t limit;
} nodes_arguments;

#define AT(field) offsetof(nodes_arguments, field)

typedef struct selection {
    const ubi__node_column *columns[UBI__NODE_COLUMNS_MAX];
    size_t n_columns;
    ubi__node_filter *filter;     /* owned, or NULL */
    const ubi__node_column *sort; /* or NULL */
    bool is_descending;
    ubi__condition *condition; /* owned, or NULL */
} selection;

/* Nodes to show, in order. */
typedef struct row_list {
    const ubi_node_ix *nodes; /* nodes[n]; NULL: 0, 1, ... n - 1 */
    uint32_t n;
} row_list;

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static ubi_status parse_columns(selection *s, const char *list) {
    for (;;) {
        size_t n = strcspn(list, ",");
        if (s->n_columns == UBI__NODE_COLUMNS_MAX)
            return ubi__fail(UBI_EINVAL, "more than %d columns", UBI__NODE_COLUMNS_MAX);
        UBI_TRY(ubi__node_column_find(&s->columns[s->n_columns++], list, n));
        if (!list[n])
            return UBI_OK;
        list += n + 1;
    }
}

static ubi_status parse_sort(selection *s, const char *sort) {
    bool forced = *sort == '+' || *sort == '-';
    const char *name = sort + forced;
    UBI_TRY(ubi__node_column_find(&s->sort, name, strlen(name)));
    s->is_descending = forced ? *sort == '-' : s->sort->text == NULL;
    return UBI_OK;
}

typedef struct writer {
    const selection *selection;
    const ubi__node_table *table;
    ubi__out *out;
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
    for (uint32_t i = 0; i < rows.n && !w->out->has_failed; i++) {
        report_progress(w, i, rows.n);
        row_write(w, rows.nodes ? rows.nodes[i] : i);
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
    ubi__node_page_begin(&page, rows.nodes, rows.n < SAMPLE_ROWS ? rows.n : SAMPLE_ROWS);
    rows_write(w, rows);
}

static void document_write(writer *w, ubi__cli *cli, const char *file, row_list rows) {
    ubi__json json;
    w->json = &json;
    ubi__document_begin(&json, cli, "ubiheap.nodes/1", file);
    ubi__json_member_array(&json, "columns");
    for (size_t i = 0; i < w->selection->n_columns; i++)
        ubi__json_string(&json, w->selection->columns[i]->name);
    ubi__json_array_end(&json);
    ubi__json_member_array(&json, "rows");
    rows_write(w, rows);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* ---- choosing and sorting --------------------------------------------------------------------------------------- */

static ubi_status columns_prepare(ubi__node_table *table, const selection *s) {
    for (size_t i = 0; i < s->n_columns; i++)
        if (s->columns[i]->prepare)
            UBI_TRY(s->columns[i]->prepare(table));
    return s->sort && s->sort->prepare ? s->sort->prepare(table) : UBI_OK;
}

static ubi_status take_all(ubi__vec_u32 *nodes, uint32_t n) {
    UBI_TRY(ubi__vec_u32_reserve(nodes, ubi_allocator_default(), n));
    for (nodes->n = 0; nodes->n < n; nodes->n++)
        nodes->at[nodes->n] = (uint32_t)nodes->n;
    return UBI_OK;
}

/* Whether finding more nodes than are shown changes nothing. */
static bool may_stop_early(const selection *s) {
    return !s->sort && !ubi__condition_asks(s->condition, "matches");
}

/*
 * The nodes to show, of which the first `limit` will be, and how many match. In file order and without a filter there is no
 * list, so that the rows of any heap can be streamed.
 */
static ubi_status nodes_choose(row_list *rows, uint64_t *n_matches, ubi__vec_u32 *nodes, ubi__node_table *table,
                               const selection *s, uint64_t limit) {
    bool listed = s->filter || s->sort;
    if (s->filter)
        UBI_TRY(ubi__node_filter_select(nodes, s->filter, table, may_stop_early(s) ? limit : 0));
    else if (s->sort)
        UBI_TRY(take_all(nodes, ubi_graph_node_count(table->graph)));
    if (s->sort)
        UBI_TRY(ubi__node_order_sort(nodes, table, s->sort, s->is_descending));
    *n_matches = listed ? nodes->n : ubi_graph_node_count(table->graph);
    rows->nodes = nodes->at;
    rows->n = limit && limit < *n_matches ? (uint32_t)limit : (uint32_t)*n_matches;
    return UBI_OK;
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static void write_all(writer *w, ubi__cli *cli, const ubi__snapshot *snapshot, const char *format, row_list rows) {
    if (strcmp(format, "json") == 0)
        document_write(w, cli, snapshot->path, rows);
    else if (strcmp(format, "table") == 0)
        table_write(w, &cli->page.style, rows);
    else
        delimited_write(w, strcmp(format, "csv") == 0, rows);
}

static bool is_regular_file(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

static ubi_status nodes_list(uint64_t *n_matches, ubi__cli *cli, const ubi__snapshot *snapshot, const selection *s,
                             const nodes_arguments *arguments) {
    ubi__node_table table = { .graph = snapshot->graph, .view = ubi__snapshot_view(snapshot), .look = snapshot->look };
    ubi__vec_u32 nodes = { 0 };
    row_list rows;
    table.progress = ubi__progress_line_callbacks(&cli->progress);
    ubi_status status = columns_prepare(&table, s);
    if (status == UBI_OK)
        status = nodes_choose(&rows, n_matches, &nodes, &table, s, arguments->limit);
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK) {
        writer w = { .selection = s, .table = &table, .out = cli->page.out };
        if (is_regular_file(cli->output->fd)) /* on a terminal, rows are progress enough; a pipe may lead to a pager */
            w.progress = table.progress;
        write_all(&w, cli, snapshot, arguments->format, rows);
    }
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

static ubi_status list_and_judge(ubi__cli *cli, const ubi__snapshot *snapshot, const selection *s,
                                 const nodes_arguments *arguments, int *exit_code) {
    ubi__condition_facts facts = { .graph = snapshot->graph, .look = snapshot->look };
    UBI_TRY(nodes_list(&facts.n_matches, cli, snapshot, s, arguments));
    return ubi__condition_check(exit_code, cli, s->condition, &facts);
}

#define STANDARD_COLUMNS "id,rawSize,edgeCount,coarseType,typeName,displayName"

static ubi_status arguments_check(selection *s, const ubi__cli *cli, nodes_arguments *arguments) {
    if (!arguments->format)
        arguments->format = cli->common.wants_json ? "json" : isatty(cli->output->fd) ? "table" : "tsv";
    if (cli->common.wants_json && strcmp(arguments->format, "json") != 0)
        return ubi__fail(UBI_EINVAL, "--json and --format %s contradict each other", arguments->format);
    UBI_TRY(parse_columns(s, arguments->columns ? arguments->columns : STANDARD_COLUMNS));
    if (arguments->sort)
        UBI_TRY(parse_sort(s, arguments->sort));
    if (arguments->where)
        UBI_TRY(ubi__node_filter_new(&s->filter, arguments->where));
    return ubi__condition_parse(&s->condition, arguments->fail_on, UBI__CONDITION_SELECTION);
}

static ubi_status open_and_list(ubi__cli *cli, const char *path, const selection *s, const nodes_arguments *arguments,
                                int *exit_code) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, path));
    ubi_status status = list_and_judge(cli, &snapshot, s, arguments, exit_code);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status nodes_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    nodes_arguments *arguments = values;
    selection s = { 0 };
    (void)n_operands;
    ubi_status status = arguments_check(&s, cli, arguments);
    if (status == UBI_OK)
        status = open_and_list(cli, operands[0], &s, arguments, exit_code);
    ubi__node_filter_free(s.filter);
    ubi__condition_free(s.condition);
    return status;
}

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
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", format_choices, "table, tsv, csv or json; --json means json",
                "table on a terminal, else tsv"),
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

const ubi__command ubi__command_nodes = {
    .usage =
        &(const ubi__usage){
            .name = "nodes",
            .operands = "FILE",
            .summary = "list nodes with the columns you ask for",
            .question = "Which nodes are the largest, or fulfil a condition?",
            .description =
                "Prints one row per node: all of them, reachable or not, in file order, unless you choose, sort or "
                "limit. "
                "The first line names the columns.\n"
                "\n"
                "--where chooses nodes by an expression over the columns, asked for or not: comparisons (== != < <= > "
                ">=), "
                "contains, startswith, endswith, ~ with a pattern such as /^HTML/, and, or, not, arithmetic, sizes "
                "such as "
                "64KiB, shares of the heap such as 1%, texts in quotes, null for a missing value.\n"
                "\n"
                "A table is for people: aligned, cut to the width of the terminal, numbers with commas. The first rows "
                "decide "
                "how wide its columns are.\n"
                "\n"
                "In tsv and csv a missing value is a single - and every row is one line: within texts a backslash, "
                "tab, "
                "newline and carriage return are written \\\\, \\t, \\n"
                " and \\r, other control characters and bytes that are not UTF-8 \\xNN, lone surrogates and characters "
                "that cannot be seen or that reorder others \\uNNNN or \\u{N}. A text that is - itself is written \\- "
                "in "
                "tsv and \"-\" in csv; csv quotes texts with a comma or a quote and doubles the quote.\n"
                "\n"
                "In json a missing value is null, and an id is a number when a double holds it exactly, else a string "
                "of "
                "digits.",
            .parameters = parameters,
            .glossary = &columns_glossary,
            .examples = examples,
            .min_operands = 1,
            .max_operands = 1,
            .arguments_bytes = sizeof(nodes_arguments),
        },
    .run = nodes_run,
};
