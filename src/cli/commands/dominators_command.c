/* SPDX-License-Identifier: MIT
 *
 * dominators_command.c: `ubiheap dominators`, who keeps how much alive.
 */
#include <ubiheap/core/dominator_tree.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/breakdown_choice.h"
#include "cli/cli_files.h"
#include "cli/options.h"
#include "render/dominator_tree_text.h"
#include "render/result_json.h"

typedef struct dominators_arguments {
    const char *node, *breakdown;
    uint64_t depth, siblings, top, percent;
    bool is_flat;
} dominators_arguments;

#define AT(field) offsetof(dominators_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const dominators_arguments *arguments;
    const ubi__breakdown_choice *chosen;
    uint64_t start_id; /* of --node */
    const ubi__snapshot *snapshot;
    ubi_dominators *dominators; /* owned */
    ubi_labels *labels;         /* owned */
    ubi_node_ix start;
} job;

UBI_VEC_DECLARE(row_list, ubi_dominator_node *);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* 0 means all; in Firefox it means none. */
static uint32_t limit_of(const job *j, uint64_t number) {
    if (number == 0 && j->cli->compat == UBI_COMPAT_NONE)
        return UINT32_MAX;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static ubi_dominator_tree_options tree_options(const job *j) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.start = j->start;
    options.max_depth = limit_of(j, j->arguments->depth);
    options.max_siblings = limit_of(j, j->arguments->siblings);
    return options;
}

/* Rows that know their parents, unlike those of ubi_dominator_node_new. */
static ubi_status make_rows(row_list *rows, const job *j, const ubi_node_ix *nodes, uint32_t n) {
    ubi_dominator_tree_options options = tree_options(j);
    options.max_depth = 1;
    UBI_TRY(row_list_reserve(rows, ubi_allocator_default(), n));
    for (uint32_t i = 0; i < n; i++) {
        options.start = nodes[i];
        UBI_TRY(ubi_dominator_tree_partial(&rows->at[rows->n], j->dominators, j->labels, &options));
        rows->n++;
    }
    return UBI_OK;
}

static ubi_status find_top(row_list *rows, const job *j) {
    uint64_t wanted = j->arguments->top, count = ubi_graph_node_count(j->snapshot->graph);
    uint32_t n = 0, max = (uint32_t)(wanted < count ? wanted : count);
    ubi_progress progress = ubi__progress_line_callbacks(&j->cli->progress);
    ubi_node_ix *nodes = ubi__alloc_array(ubi_allocator_default(), max, sizeof *nodes);
    if (!nodes)
        return ubi__fail_nomem();
    ubi_status status =
        ubi_dominator_tree_top(nodes, &n, j->dominators, j->snapshot->graph, j->start, max, &progress, NULL);
    if (status == UBI_OK)
        status = make_rows(rows, j, nodes, n);
    ubi__free_array(ubi_allocator_default(), nodes, max, sizeof *nodes);
    return status;
}

static void row_list_free(row_list *rows) {
    for (size_t i = 0; i < rows->n; i++)
        ubi_dominator_node_unref(rows->at[i]);
    row_list_fini(rows, ubi_allocator_default());
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void begin_document(const job *j, ubi__json *json) {
    const ubi_graph *g = j->snapshot->graph;
    ubi__document_begin(json, j->cli, "ubiheap.dominators/1", j->snapshot->path);
    ubi__json_member_node_id(json, "rootId", ubi_graph_node_id(g, ubi_dominators_root(j->dominators)));
    ubi__json_member_u64(json, "nodeCount", ubi_dominators_node_count(j->dominators));
    ubi__breakdown_write_json(json, j->chosen);
}

/* Most levels of nested rows: two JSON levels each, which all readers accept. */
#define MOST_NESTED 200

static ubi_status write_tree_json(const job *j, const ubi_dominator_node *tree) {
    ubi__json json;
    uint32_t depth;
    UBI_TRY(ubi__dominator_tree_depth(&depth, tree));
    bool flat = j->arguments->is_flat || depth > MOST_NESTED;
    begin_document(j, &json);
    ubi__json_key(&json, flat ? "rows" : "tree");
    UBI_TRY(flat ? ubi__render_dominator_rows(&json, tree) : ubi__render_dominator_tree(&json, tree));
    ubi__document_end(&json);
    return UBI_OK;
}

static ubi_status write_top_json(const job *j, const row_list *rows) {
    ubi__json json;
    begin_document(j, &json);
    ubi__json_member_array(&json, "top");
    for (size_t i = 0; i < rows->n; i++)
        UBI_TRY(ubi__render_dominator_tree(&json, rows->at[i]));
    ubi__json_array_end(&json);
    ubi__document_end(&json);
    return UBI_OK;
}

/* The two displays of Firefox's memory panel have short names. */
static const char *breakdown_of(const dominators_arguments *a) {
    if (!a->breakdown || strcmp(a->breakdown, "types") == 0)
        return "label";
    return strcmp(a->breakdown, "stack") == 0 ? "labelAllocationStack" : a->breakdown;
}

static ubi__dominator_text_options text_options(const job *j) {
    uint64_t start_bytes = ubi_dominators_retained_bytes(j->dominators, j->start);
    uint64_t percent = j->arguments->percent < 100 ? j->arguments->percent : 100;
    return (ubi__dominator_text_options){
        .graph = j->snapshot->graph,
        .total_bytes = ubi_dominators_retained_bytes(j->dominators, ubi_dominators_root(j->dominators)),
        .least_bytes = (uint64_t)((double)start_bytes / 100 * (double)percent),
        .look = j->snapshot->look,
        .with_names = strcmp(breakdown_of(j->arguments), "label") == 0,
    };
}

static void write_unreachable(const job *j) {
    if (j->start == ubi_dominators_root(j->dominators) || ubi_dominators_immediate(j->dominators, j->start) != UBI_NONE)
        return;
    ubi__out_string(&j->cli->output->out,
                    "It cannot be reached from the root: nothing keeps it, and it keeps nothing.\n");
}

/* ---- the two views ----------------------------------------------------------------------------------------------- */

static ubi_status show_tree(const job *j) {
    ubi_dominator_tree_options options = tree_options(j);
    ubi_dominator_node *tree;
    UBI_TRY(ubi_dominator_tree_partial(&tree, j->dominators, j->labels, &options));
    ubi_status status;
    if (j->cli->common.wants_json) {
        status = write_tree_json(j, tree);
    } else {
        ubi__dominator_text_options text = text_options(j);
        status = ubi__render_dominator_text(&j->cli->output->out, &j->cli->style, tree, &text);
        write_unreachable(j);
    }
    ubi_dominator_node_unref(tree);
    return status;
}

static ubi_status show_top(const job *j) {
    row_list rows = { 0 };
    ubi_status status = find_top(&rows, j);
    ubi__dominator_text_options text = text_options(j);
    if (status == UBI_OK && j->cli->common.wants_json)
        status = write_top_json(j, &rows);
    else if (status == UBI_OK)
        status = ubi__render_dominator_list(&j->cli->output->out, &j->cli->style, rows.at, rows.n, &text);
    row_list_free(&rows);
    return status;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status dominators_compute(job *j) {
    ubi_view view = *ubi__snapshot_view(j->snapshot);
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_labels_options label_options = UBI_LABELS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    label_options.compat = j->cli->compat;
    label_options.size_bytes = view.size_bytes;
    j->start = view.root;
    if (j->arguments->node)
        UBI_TRY(ubi__node_id_find(&j->start, view.graph, j->start_id));
    UBI_TRY(ubi_labels_new(&j->labels, view.graph, j->chosen->breakdown, &label_options));
    return ubi_dominators_new(&j->dominators, &view, &options);
}

static ubi_status dominators_show(job *j) {
    UBI_TRY(dominators_compute(j));
    return j->arguments->top ? show_top(j) : show_tree(j);
}

static ubi_status open_and_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = dominators_show(j);
    ubi_dominators_free(j->dominators);
    ubi_labels_unref(j->labels);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status arguments_check(job *j, ubi__breakdown_choice *chosen, const char *path) {
    ubi__breakdown_arguments breakdown = { .breakdown = breakdown_of(j->arguments) };
    if (j->arguments->is_flat && (!j->cli->common.wants_json || j->arguments->top))
        return ubi__fail(UBI_EINVAL, j->arguments->top ? "--flat does not go with --limit, whose rows are side by side"
                                                       : "--flat is for --json");
    if (j->arguments->node)
        UBI_TRY(ubi__node_id_parse(&j->start_id, j->arguments->node, "--node"));
    UBI_TRY(ubi__breakdown_check_input(&breakdown, path));
    return ubi__breakdown_choose(chosen, breakdown.breakdown, j->cli);
}

static ubi_status dominators_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__breakdown_choice chosen = { 0 };
    job j = { .cli = cli, .arguments = values, .chosen = &chosen };
    (void)n_operands, (void)exit_code;
    ubi_status status = arguments_check(&j, &chosen, operands[0]);
    if (status == UBI_OK)
        status = open_and_show(&j, operands[0]);
    ubi__breakdown_choice_fini(&chosen);
    return status;
}

static const ubi__option options[] = {
    { "node", 0, UBI__OPTION_TEXT, AT(node), "ID", NULL, "start at this node", "the root" },
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL, "levels of the tree, the first row's included; 0: all",
      "4" },
    { "siblings", 0, UBI__OPTION_NUMBER, AT(siblings), "N", NULL, "children of a row at most; 0: all", "15" },
    UBI__ALIAS_LETTER('s'),
    { "percent", 0, UBI__OPTION_NUMBER, AT(percent), "N", NULL,
      "text: sum up rows that retain less than N percent of the first row", "1" },
    UBI__ALIAS_LETTER('p'),
    UBI__OPTION_LIMIT(
        AT(top), "no tree, but the N nodes with the largest retained sizes wherever they are, the largest first", NULL),
    { "breakdown", 'b', UBI__OPTION_TEXT, AT(breakdown), "SPEC", NULL,
      "what rows are called: types, stack (where they were allocated), or a breakdown as that of census", "types" },
    { "flat", 0, UBI__OPTION_FLAG, AT(is_flat), NULL, NULL,
      "JSON: rows one after the other, each with its depth, instead of nested rows; trees of more than 200 levels "
      "always "
      "are",
      NULL },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "dominators app.fxsnapshot", "who keeps what, from the root down" },
    { "dominators --node 140720891387000 app.fxsnapshot", "what one node keeps" },
    { "dominators --limit 20 app.fxsnapshot", "the twenty nodes that keep most" },
    { "dominators --breakdown stack app.fxsnapshot", "with the place where each was allocated" },
    { "dominators --json --flat --depth 0 --siblings 0 app.fxsnapshot | jq '.rows[] | select(.retainedSize > 1e6)'",
      "the whole tree, for a script" },
    { NULL, NULL },
};

const ubi__command ubi__command_dominators = {
    .name = "dominators",
    .operands = "FILE",
    .summary = "show who keeps how much alive: the dominator tree",
    .question = "Who keeps how much memory alive?",
    .description =
        "A node dominates another when every path from the root to the other one passes it: were it gone, the other "
        "would be freed too. Below each row are the nodes that it dominates immediately. The retained size of a node "
        "is its own size and that of all nodes below it: the memory that would be freed with it.\n"
        "\n"
        "Rows that retain little are summed up in the last row of their level. [N below] says that N more nodes are "
        "dominated than the depth shows. The number behind a name is the node's id.\n"
        "\n"
        "Nodes that the root cannot reach are not in the tree, and retain 0.\n"
        "\n"
        "With --compat firefox, 0 levels or siblings are none, as in DominatorTreeNode.partialTraversal, and labels "
        "follow Firefox where a breakdown leaves counts out.",
    .options = options,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(dominators_arguments),
    .run = dominators_run,
};
