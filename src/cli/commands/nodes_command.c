/* SPDX-License-Identifier: MIT
 *
 * nodes_command.c: `ubiheap nodes`, any columns of any nodes.
 *
 * Rows are streamed: nothing is kept but what the columns and the order need. A row is written by one function per
 * format, cells by column; what programs read is written without printf.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/commands/node_columns.h"
#include "cli/commands/node_order.h"
#include "cli/commands/node_page.h"
#include "cli/snapshot.h"

typedef struct nodes_arguments {
    const char *columns, *sort, *format;
    uint64_t limit;
} nodes_arguments;

#define AT(field) offsetof(nodes_arguments, field)

typedef struct selection {
    const ubi__node_column *columns[UBI__NODE_COLUMNS_MAX];
    size_t n_columns;
    const ubi__node_column *sort; /* or NULL */
    bool descending;
} selection;

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
    s->descending = forced ? *sort == '-' : s->sort->text == NULL;
    return UBI_OK;
}

/* ---- delimited rows --------------------------------------------------------------------------------------------- */

static void put_escape(ubi__out *out, uint8_t c) {
    static const char hex[] = "0123456789abcdef";
    char escape[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };
    ubi__out_bytes(out, escape, sizeof escape);
}

static void put_special(ubi__out *out, uint8_t c) {
    switch (c) {
    case '\\':
        ubi__out_string(out, "\\\\");
        break;
    case '\t':
        ubi__out_string(out, "\\t");
        break;
    case '\n':
        ubi__out_string(out, "\\n");
        break;
    case '\r':
        ubi__out_string(out, "\\r");
        break;
    default:
        put_escape(out, c);
    }
}

static bool is_special(uint8_t c) {
    return c < 0x20 || c == 0x7f || c == '\\';
}

/* One character beyond ASCII: as it is, or escaped when it is a control character, deceptive or no character. */
static size_t put_wide(ubi__out *out, const uint8_t *s, size_t n) {
    uint32_t c;
    size_t used = ubi__wtf8_decode(s, n, &c);
    if (used == 0 || c < 0xa0) {
        put_escape(out, used ? (uint8_t)c : s[0]);
        return used ? used : 1;
    }
    if (ubi__display_is_deceptive(c))
        ubi__out_printf(out, c < 0x10000 ? "\\u%04x" : "\\u{%x}", c);
    else
        ubi__out_bytes(out, s, used);
    return used;
}

static void put_escaped(ubi__out *out, ubi_text text) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    size_t at = 0;
    while (at < text.len) {
        size_t run = at;
        while (run < text.len && s[run] < 0x80 && !is_special(s[run]))
            run++;
        ubi__out_bytes(out, s + at, run - at);
        at = run;
        if (at == text.len)
            break;
        if (s[at] < 0x80)
            put_special(out, s[at++]);
        else
            at += put_wide(out, s + at, text.len - at);
    }
}

static void put_tsv_text(ubi__out *out, ubi_text text) {
    if (ubi__text_is(text, "-"))
        ubi__out_string(out, "\\-");
    else
        put_escaped(out, text);
}

static void put_csv_text(ubi__out *out, ubi_text text) {
    bool quoted = ubi__text_is(text, "-") || memchr(text.ptr, ',', text.len) || memchr(text.ptr, '"', text.len);
    if (!quoted) {
        put_escaped(out, text);
        return;
    }
    ubi__out_char(out, '"');
    while (text.len) {
        const char *quote = memchr(text.ptr, '"', text.len);
        size_t n = quote ? (size_t)(quote - text.ptr) : text.len;
        put_escaped(out, (ubi_text){ text.ptr, n });
        if (quote)
            ubi__out_string(out, "\"\"");
        n += quote != NULL;
        text.ptr += n;
        text.len -= n;
    }
    ubi__out_char(out, '"');
}

typedef struct writer {
    const selection *selection;
    const ubi__node_table *table;
    ubi__out *out;
    ubi_progress progress;                          /* fn NULL: none */
    ubi__json *json;                                /* JSON only */
    ubi__node_page *page;                           /* table only */
    void (*put_text)(ubi__out *out, ubi_text text); /* delimited only */
    char delimiter;
} writer;

static ubi_text text_of(const writer *w, const ubi__node_column *column, ubi_node_ix node) {
    const ubi_graph *g = w->table->graph;
    return column->text(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
}

static void write_delimited_row(const writer *w, ubi_node_ix node) {
    for (size_t i = 0; i < w->selection->n_columns; i++) {
        const ubi__node_column *column = w->selection->columns[i];
        uint64_t number;
        ubi_text text;
        if (i)
            ubi__out_char(w->out, w->delimiter);
        if (column->text && (text = text_of(w, column, node)).ptr)
            w->put_text(w->out, text);
        else if (column->number && column->number(&number, w->table, node))
            ubi__out_u64(w->out, number);
        else
            ubi__out_char(w->out, '-');
    }
    ubi__out_char(w->out, '\n');
}

static void write_delimited_header(const writer *w) {
    for (size_t i = 0; i < w->selection->n_columns; i++) {
        if (i)
            ubi__out_char(w->out, w->delimiter);
        ubi__out_string(w->out, w->selection->columns[i]->name);
    }
    ubi__out_char(w->out, '\n');
}

/* ---- JSON rows -------------------------------------------------------------------------------------------------- */

static void write_json_cell(const writer *w, const ubi__node_column *column, ubi_node_ix node) {
    uint64_t number;
    if (column->text)
        ubi__json_text(w->json, text_of(w, column, node));
    else if (!column->number(&number, w->table, node))
        ubi__json_null(w->json);
    else if (column->style == UBI__NUMBER_NODE_ID)
        ubi__json_node_id(w->json, number);
    else
        ubi__json_u64(w->json, number);
}

static void write_json_row(const writer *w, ubi_node_ix node) {
    ubi__json_array_begin(w->json);
    for (size_t i = 0; i < w->selection->n_columns; i++)
        write_json_cell(w, w->selection->columns[i], node);
    ubi__json_array_end(w->json);
}

/* ---- all rows --------------------------------------------------------------------------------------------------- */

#define ROWS_PER_REPORT 4096

/* An interrupt stops the next write, so the answer does not matter. */
static void report_progress(const writer *w, uint32_t i, uint32_t end) {
    if (i % ROWS_PER_REPORT == 0 && w->progress.fn)
        w->progress.fn(w->progress.payload, "writing", i, end);
}

static void write_row(const writer *w, ubi_node_ix node) {
    if (w->json)
        write_json_row(w, node);
    else if (w->page)
        ubi__node_page_row(w->page, node);
    else
        write_delimited_row(w, node);
}

static uint32_t row_count(const writer *w, uint64_t limit) {
    uint32_t n = ubi_graph_node_count(w->table->graph);
    return limit && limit < n ? (uint32_t)limit : n;
}

/* `order` NULL: file order. Stops early when nobody takes the output. */
static void write_rows(const writer *w, const ubi_node_ix *order, uint64_t limit) {
    uint32_t end = row_count(w, limit);
    for (uint32_t i = 0; i < end && !w->out->failed; i++) {
        report_progress(w, i, end);
        write_row(w, order ? order[i] : i);
    }
}

static void write_delimited(writer *w, bool csv, const ubi_node_ix *order, uint64_t limit) {
    w->delimiter = csv ? ',' : '\t';
    w->put_text = csv ? put_csv_text : put_tsv_text;
    write_delimited_header(w);
    write_rows(w, order, limit);
}

/* Rows that decide the widths of a table: some screens. */
#define SAMPLE_ROWS 200

static void write_table(writer *w, const ubi__style *style, const ubi_node_ix *order, uint64_t limit) {
    ubi__node_page page = { w->out, style, w->table, w->selection->columns, w->selection->n_columns, { 0 } };
    uint32_t n = row_count(w, limit);
    w->page = &page;
    ubi__node_page_begin(&page, order, n < SAMPLE_ROWS ? n : SAMPLE_ROWS);
    write_rows(w, order, limit);
}

static void write_document(writer *w, ubi__cli *cli, const char *file, const ubi_node_ix *order, uint64_t limit) {
    ubi__json json;
    w->json = &json;
    ubi__document_begin(&json, cli, "ubiheap.nodes/1", file);
    ubi__json_key(&json, "columns");
    ubi__json_array_begin(&json);
    for (size_t i = 0; i < w->selection->n_columns; i++)
        ubi__json_string(&json, w->selection->columns[i]->name);
    ubi__json_array_end(&json);
    ubi__json_key(&json, "rows");
    ubi__json_array_begin(&json);
    write_rows(w, order, limit);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static ubi_status prepare(ubi__node_table *table, const selection *s) {
    for (size_t i = 0; i < s->n_columns; i++)
        if (s->columns[i]->prepare)
            UBI_TRY(s->columns[i]->prepare(table));
    return s->sort && s->sort->prepare ? s->sort->prepare(table) : UBI_OK;
}

static void write_all(writer *w, ubi__cli *cli, const ubi__snapshot *snapshot, const ubi_node_ix *order,
                      const nodes_arguments *arguments) {
    if (strcmp(arguments->format, "json") == 0)
        write_document(w, cli, snapshot->path, order, arguments->limit);
    else if (strcmp(arguments->format, "table") == 0)
        write_table(w, &cli->style, order, arguments->limit);
    else
        write_delimited(w, strcmp(arguments->format, "csv") == 0, order, arguments->limit);
}

static bool is_regular_file(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

static ubi_status list(ubi__cli *cli, ubi__node_table *table, const ubi__snapshot *snapshot, const selection *s,
                       const nodes_arguments *arguments) {
    ubi_node_ix *order = NULL;
    ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(prepare(table, s));
    if (s->sort)
        UBI_TRY(ubi__node_order_new(&order, table, s->sort, s->descending, progress));
    ubi__progress_line_clear(&cli->progress);
    writer w = { .selection = s, .table = table, .out = &cli->output->out, .progress = progress };
    if (!is_regular_file(
            cli->output->fd)) /* on a terminal, rows are progress enough; a pipe may lead to a pager there */
        w.progress.fn = NULL;
    write_all(&w, cli, snapshot, order, arguments);
    ubi__node_order_free(order, table);
    return UBI_OK;
}

#define STANDARD_COLUMNS "id,rawSize,edgeCount,coarseType,typeName,displayName"

static ubi_status check(selection *s, const ubi__cli *cli, nodes_arguments *arguments) {
    if (!arguments->format)
        arguments->format = cli->common.json ? "json" : isatty(cli->output->fd) ? "table" : "tsv";
    if (cli->common.json && strcmp(arguments->format, "json") != 0)
        return ubi__fail(UBI_EINVAL, "--json and --format %s contradict each other", arguments->format);
    UBI_TRY(parse_columns(s, arguments->columns ? arguments->columns : STANDARD_COLUMNS));
    return arguments->sort ? parse_sort(s, arguments->sort) : UBI_OK;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    nodes_arguments *arguments = values;
    selection s = { 0 };
    ubi__snapshot snapshot;
    (void)n_operands, (void)exit_code;
    UBI_TRY(check(&s, cli, arguments));
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, operands[0]));
    ubi__node_table table = { .graph = snapshot.graph };
    ubi_status status = list(cli, &table, &snapshot, &s, arguments);
    ubi__node_table_fini(&table);
    ubi__snapshot_close(&snapshot);
    return status;
}

static bool column_entry(size_t i, const char **word, const char **help) {
    *word = ubi__node_columns[i].name;
    *help = ubi__node_columns[i].help;
    return *word != NULL;
}

static const ubi__glossary columns_glossary = { "Columns", column_entry };

static const char *const format_choices[] = { "table", "tsv", "csv", "json", NULL };

static const ubi__option options[] = {
    { "columns", 'c', UBI__OPTION_TEXT, AT(columns), "LIST", NULL, "names of columns, separated by commas",
      STANDARD_COLUMNS },
    { "sort", 's', UBI__OPTION_TEXT, AT(sort), "COLUMN", NULL,
      "sort by a column: numbers descending, texts ascending; +COLUMN and -COLUMN choose; without it, file order",
      NULL },
    { "limit", 'n', UBI__OPTION_NUMBER, AT(limit), "N", NULL, "print only the first N rows; 0: all", "0" },
    { "format", 'f', UBI__OPTION_CHOICE, AT(format), "FORMAT", format_choices,
      "table, tsv, csv or json; --json means json", "table on a terminal, else tsv" },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "nodes --sort rawSize --limit 20 app.fxsnapshot", "the twenty largest nodes" },
    { "nodes -c id,className -f csv app.fxsnapshot > nodes.csv", "ids and classes of all nodes, for a spreadsheet" },
    { "nodes -c retainerCount,displayName -s retainerCount -n 10 app.fxsnapshot", "what most edges lead to" },
    { NULL, NULL },
};

const ubi__command ubi__command_nodes = {
    .name = "nodes",
    .operands = "FILE",
    .summary = "list nodes with the columns you ask for",
    .description =
        "Prints one row per node: all of them, reachable or not, in file order, unless you sort or limit. The "
        "first line names the columns.\n"
        "\n"
        "A table is for people: aligned, cut to the width of the terminal, numbers with commas. The first rows decide "
        "how wide its columns are.\n"
        "\n"
        "In tsv and csv a missing value is a single - and every row is one line: within texts a backslash, tab, "
        "newline and carriage return are written \\\\, \\t, \\n"
        " and \\r, other control characters and bytes that are no UTF-8 \\xNN, lone surrogates and characters "
        "that cannot be seen or that reorder others \\uNNNN or \\u{N}. A text that is - itself is written \\- in "
        "tsv and \"-\" in csv; csv quotes texts with a comma or a quote and doubles the quote.\n"
        "\n"
        "In json a missing value is null, and an id is a number when a double holds it exactly, else a string of "
        "digits.",
    .options = options,
    .glossary = &columns_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(nodes_arguments),
    .run = run,
};
