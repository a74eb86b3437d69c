/* SPDX-License-Identifier: MIT
 *
 * search_command.c: `ubiheap search`, nodes by what they are called.
 */
#include <ubiheap/views/search.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/nodes/node_filter.h"
#include "cli/page.h"
#include "lenses/producer.h"

typedef struct search_arguments {
    const char *where, *property;
    bool is_exact;
    uint64_t limit;
} search_arguments;

#define AT(field) offsetof(search_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const search_arguments *arguments;
    ubi_text query;
    ubi_search_how how;
    ubi__node_filter *filter; /* owned, or NULL */
    const ubi__snapshot *snapshot;
    ubi_search *search; /* owned */
    const ubi_node_ix *nodes;
    uint32_t n, n_shown;
    ubi_dominators *dominators; /* owned */
    uint32_t *distances;        /* owned */
} job;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* "/.../" is a pattern, anything else a text. */
static void read_query(job *j, const char *text) {
    size_t n = text ? strlen(text) : 0;
    j->how = j->arguments->is_exact ? UBI_SEARCH_EXACT : UBI_SEARCH_ANY_CASE;
    j->query = (ubi_text){ text ? text : "", n };
    if (n < 3 || text[0] != '/' || text[n - 1] != '/')
        return;
    j->how = UBI_SEARCH_PATTERN;
    j->query = (ubi_text){ text + 1, n - 2 };
}

/* Mistakes in a pattern are reported before the file is opened. */
static ubi_status query_check(job *j, char **operands, int n_operands) {
    if (n_operands < 2 && !j->arguments->where && !j->arguments->property)
        return ubi__fail(UBI_EINVAL, "missing TEXT, --where EXPR or --property NAME; see 'ubiheap help search'");
    read_query(j, n_operands > 1 ? operands[1] : NULL);
    UBI_TRY(ubi_search_check(j->query, j->how));
    return j->arguments->where ? ubi__node_filter_new(&j->filter, j->arguments->where) : UBI_OK;
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

/* The table entry of this text; UBI_NONE: no such name. */
static ubi_str_ix string_find(const ubi_graph *g, ubi_text text) {
    for (ubi_str_ix i = 0; i < ubi_graph_string_count(g); i++)
        if (ubi__text_equal(ubi_graph_string(g, i), text))
            return ubi_graph_canonical_string(g, i);
    return UBI_NONE;
}

/* An edge may have this name and be the engine's, or a variable. */
static bool edge_is_property(const ubi_graph *g, ubi_node_ix node, ubi_edge_ix edge) {
    ubi__edge_how how = ubi__producer_of(g)->words->edge(g, node, edge).how;
    return how == UBI__EDGE_PROPERTY || how == UBI__EDGE_QUOTED || how == UBI__EDGE_VERBATIM;
}

static bool node_has_property(const ubi_graph *g, ubi_node_ix node, ubi_str_ix property) {
    for (ubi_edge_ix e = ubi_graph_first_edge(g, node); e < ubi_graph_first_edge(g, node + 1); e++) {
        ubi_str_ix name = ubi_graph_edge_name(g, e);
        if (name != UBI_NONE && ubi_graph_canonical_string(g, name) == property && edge_is_property(g, node, e))
            return true;
    }
    return false;
}

/* Those of `among` that have the property, or of all nodes. Cost: O(strings + edges). */
static ubi_status among_with_property(ubi__vec_u32 *among, const job *j, bool is_all) {
    const ubi_graph *g = j->snapshot->graph;
    ubi_str_ix property = string_find(g, ubi__text(j->arguments->property));
    uint32_t n = is_all ? ubi_graph_node_count(g) : (uint32_t)among->n, kept = 0;
    UBI_TRY(ubi__vec_u32_reserve(among, ubi_allocator_default(), n + (size_t)1));
    for (uint32_t i = 0; property != UBI_NONE && i < n; i++) {
        ubi_node_ix node = is_all ? i : among->at[i];
        if (node_has_property(g, node, property))
            among->at[kept++] = node;
    }
    among->n = kept;
    return UBI_OK;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static ubi_status among_choose(ubi__vec_u32 *among, job *j) {
    ubi__node_table table = { .graph = j->snapshot->graph,
                              .view = ubi__snapshot_view(j->snapshot),
                              .look = j->snapshot->look,
                              .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    ubi_status status = ubi__vec_u32_reserve(among, ubi_allocator_default(), 1); /* a list, even if nothing is chosen */
    if (status == UBI_OK)
        status = ubi__node_filter_select(among, j->filter, &table, 0);
    ubi__node_table_fini(&table);
    return status;
}

static ubi_status nodes_find(job *j) {
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi__vec_u32 among = { 0 };
    ubi_status status = j->filter ? among_choose(&among, j) : UBI_OK;
    if (status == UBI_OK && j->arguments->property)
        status = among_with_property(&among, j, !j->filter);
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    options.how = j->how;
    options.among = among.at;
    options.n_among = (uint32_t)among.n;
    if (status == UBI_OK)
        status = ubi_search_new(&j->search, j->snapshot->look, j->query, &options);
    ubi__vec_u32_fini(&among, ubi_allocator_default());
    UBI_TRY(status);
    j->nodes = ubi_search_nodes(j->search, &j->n);
    uint64_t limit = j->arguments->limit;
    j->n_shown = limit && limit < j->n ? (uint32_t)limit : j->n;
    return UBI_OK;
}

/* Only for what is shown, but these need all nodes. */
static ubi_status nodes_measure(job *j) {
    if (j->n_shown == 0)
        return UBI_OK;
    UBI_TRY(ubi__snapshot_dominators(&j->dominators, j->cli, j->snapshot));
    return ubi__snapshot_distances(&j->distances, j->snapshot);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static ubi__object_rows rows_of(const job *j) {
    ubi__object_rows rows;
    ubi__object_rows_init(&rows, j->cli, j->snapshot->look, j->dominators, j->distances, "Name");
    return rows;
}

static void page_write(const job *j) {
    char count[UBI__HUMAN_TEXT];
    ubi__out *out = &j->cli->output->out;
    ubi__object_rows rows = rows_of(j);
    if (j->n == 0) {
        ubi__out_string(out, "Nothing found.\n");
        return;
    }
    ubi__text_table_head(&rows.table);
    for (uint32_t i = 0; i < j->n_shown && !out->has_failed; i++)
        ubi__object_rows_line(&rows, j->nodes[i]);
    ubi__out_printf(out, "\n%s found", ubi__human_things(count, j->n, "node"));
    if (j->n_shown < j->n)
        ubi__out_printf(out, ", the first %s shown; --limit 0 shows all", ubi__human_count(count, j->n_shown));
    ubi__out_string(out, ".\n");
}

static void document_write(const job *j) {
    ubi__json json;
    ubi__object_rows rows = rows_of(j);
    ubi__document_begin(&json, j->cli, "ubiheap.search/1", j->snapshot->path);
    ubi__json_member_u64(&json, "count", j->n);
    ubi__json_member_array(&json, "nodes");
    for (uint32_t i = 0; i < j->n_shown && !json.has_failed; i++) {
        ubi__json_object_begin(&json);
        ubi__object_json(&json, &rows, j->nodes[i], j->distances[j->nodes[i]]);
        ubi__json_object_end(&json);
    }
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status search_show(job *j) {
    UBI_TRY(nodes_find(j));
    UBI_TRY(nodes_measure(j));
    ubi__progress_line_clear(&j->cli->progress);
    if (j->cli->common.wants_json)
        document_write(j);
    else
        page_write(j);
    return UBI_OK;
}

static ubi_status open_and_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = search_show(j);
    ubi__snapshot_distances_free(j->distances, &snapshot);
    ubi_dominators_free(j->dominators);
    ubi_search_free(j->search);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status search_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values };
    (void)exit_code;
    ubi_status status = query_check(&j, operands, n_operands);
    if (status == UBI_OK)
        status = open_and_show(&j, operands[0]);
    ubi__node_filter_free(j.filter);
    return status;
}

static const ubi__option options[] = {
    { "case", 0, UBI__OPTION_FLAG, AT(is_exact), NULL, NULL, "upper and lower case of TEXT differ", NULL },
    UBI__ALIAS_LETTER('c'),
    { "where", 'w', UBI__OPTION_TEXT, AT(where), "EXPR", NULL,
      "only nodes for which this holds, such as 'retainedSize > 1MiB'; as that of nodes", NULL },
    { "property", 0, UBI__OPTION_TEXT, AT(property), "NAME", NULL, "only objects that have a property of this name",
      NULL },
    UBI__OPTION_LIMIT(AT(limit), "show the first N; 0: all", "100"),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "search app.heapsnapshot session", "names with this text, in upper or lower case" },
    { "search app.heapsnapshot '/^https?:/'", "names that match a pattern" },
    { "search --where 'retainedSize > 100KiB' app.heapsnapshot Cache", "large ones only" },
    { "search --property sessionId app.heapsnapshot", "objects that have this property" },
    { NULL, NULL },
};

const ubi__command ubi__command_search = {
    .name = "search",
    .operands = "FILE [TEXT|/PATTERN/]",
    .summary = "find nodes by what they are called",
    .question = "Which nodes have this name?",
    .description =
        "Prints the nodes whose name contains TEXT, or matches PATTERN, in file order. Case matters in a PATTERN, "
        "and in a TEXT only with --case.\n"
        "\n"
        "As in Chrome's DevTools, the name is the text of a string, the properties of a plain object, the name of "
        "a function, else the class; nodes without a size of their own are left out. Snapshots of other producers "
        "name no single nodes: there it is the class.\n"
        "\n"
        "--where chooses further, by the columns of 'ubiheap nodes', and --property by a property that objects have, "
        "whose "
        "value the file must list: of V8 and QuickJS, small numbers are no nodes. With one of them, TEXT may be left "
        "out. Patterns are those of its expressions: no back references, no look-around, and linear time.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(search_arguments),
    .run = search_run,
};
