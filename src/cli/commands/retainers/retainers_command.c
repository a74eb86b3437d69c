/* SPDX-License-Identifier: MIT
 *
 * retainers_command.c: `ubiheap retainers`, who refers to a node.
 */
#include "base/alloc.h"
#include "cli/commands/retainers/retainers_page.h"
#include "cli/node_id.h"
#include "lenses/lens.h"

typedef struct retainers_arguments {
    const char *ignore;
    uint64_t depth, limit;
    bool all;
} retainers_arguments;

#define AT(field) offsetof(retainers_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const retainers_arguments *arguments;
    uint64_t node_id;
    ubi__vec_u64 ignored_ids; /* owned */
    ubi__vec_u32 ignored;     /* owned: their nodes */
    const ubi__snapshot *snapshot;
    ubi_node_ix node;
    ubi_dominators *dominators; /* owned, as are those below */
    ubi_retaining *retaining;
    ubi_retaining_tree *tree;
} job;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

#define LONGEST_ID 32

static ubi_status parse_ignored(job *j) {
    const char *list = j->arguments->ignore;
    while (list && *list) {
        char text[LONGEST_ID + 1] = "";
        size_t n = strcspn(list, ",");
        uint64_t id;
        memcpy(text, list, n < LONGEST_ID ? n : LONGEST_ID);
        UBI_TRY(ubi__node_id_parse(&id, text, "--ignore"));
        UBI_TRY(ubi__vec_u64_push(&j->ignored_ids, ubi_allocator_default(), id));
        list += n + (list[n] == ',');
    }
    return UBI_OK;
}

static ubi_status find_nodes(job *j) {
    UBI_TRY(ubi__node_id_find(&j->node, j->snapshot->graph, j->node_id));
    for (size_t i = 0; i < j->ignored_ids.n; i++) {
        ubi_node_ix node;
        UBI_TRY(ubi__node_id_find(&node, j->snapshot->graph, j->ignored_ids.at[i]));
        UBI_TRY(ubi__vec_u32_push(&j->ignored, ubi_allocator_default(), node));
    }
    return UBI_OK;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static uint32_t limit_of(uint64_t number, uint32_t all) {
    return number == 0 || number > all ? all : (uint32_t)number;
}

/* Rows at most, so that --all ends. */
#define MOST_ROWS 5000
#define MOST_DEPTH 1000

static ubi_retaining_tree_options tree_options(const job *j) {
    ubi_retaining_tree_options options = UBI_RETAINING_TREE_OPTIONS_INIT;
    options.max_depth = limit_of(j->arguments->depth, MOST_DEPTH);
    options.max_siblings = limit_of(j->arguments->limit, MOST_ROWS);
    options.max_nodes = MOST_ROWS;
    options.first_only = !j->arguments->all;
    options.end_distance = ubi_lens_of(j->snapshot->look)->end_distance;
    return options;
}

static ubi_status compute(job *j) {
    ubi_retaining_options options = UBI_RETAINING_OPTIONS_INIT;
    ubi_dominators_options dominator_options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_retaining_tree_options rows = tree_options(j);
    options.progress = dominator_options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    dominator_options.without_sets = true;
    dominator_options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    UBI_TRY(find_nodes(j));
    UBI_TRY(ubi_dominators_new(&j->dominators, ubi__snapshot_view(j->snapshot), &dominator_options));
    UBI_TRY(ubi_retaining_new(&j->retaining, j->snapshot->look, &options));
    UBI_TRY(ubi_retaining_ignore(j->retaining, j->ignored.at, (uint32_t)j->ignored.n));
    return ubi_retaining_tree_new(&j->tree, j->retaining, j->node, &rows);
}

static ubi_status tell(job *j) {
    UBI_TRY(compute(j));
    ubi__progress_line_clear(&j->cli->progress);
    ubi__retainers_answer answer = { j->cli,        j->snapshot,   j->retaining,           j->tree,
                                     j->dominators, j->ignored.at, (uint32_t)j->ignored.n, j->node };
    return j->cli->common.json ? ubi__retainers_document(&answer) : ubi__retainers_page(&answer);
}

static ubi_status open_and_tell(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = tell(j);
    ubi_retaining_tree_free(j->tree);
    ubi_retaining_free(j->retaining);
    ubi_dominators_free(j->dominators);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status check(job *j, char **operands) {
    UBI_TRY(ubi__node_id_parse(&j->node_id, operands[1], "ID"));
    return parse_ignored(j);
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values };
    (void)n_operands, (void)exit_code;
    ubi_status status = check(&j, operands);
    if (status == UBI_OK)
        status = open_and_tell(&j, operands[0]);
    ubi__vec_u64_fini(&j.ignored_ids, ubi_allocator_default());
    ubi__vec_u32_fini(&j.ignored, ubi_allocator_default());
    return status;
}

static const ubi__option options[] = {
    { "ignore", 0, UBI__OPTION_TEXT, AT(ignore), "ID,...", NULL,
      "as if these nodes were not there: what else keeps it alive?", NULL },
    UBI__ALIAS_LETTER('i'),
    { "all", 'a', UBI__OPTION_FLAG, AT(all), NULL, NULL,
      "open every row, not only the first of each level that closes no circle: all ways up", NULL },
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL, "levels of retainers; 0: as many as there are", "20" },
    UBI__OPTION_LIMIT(AT(limit), "retainers of one node; 0: all", "10"),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "retainers app.heapsnapshot 79447", "who refers to this object" },
    { "retainers --ignore 78369 app.heapsnapshot 79447", "and if the cache that should hold it were gone?" },
    { "retainers --all --depth 4 app.heapsnapshot 79447", "every way, four levels up" },
    { "retainers --json app.heapsnapshot 79447 | jq '.retainers[0]'", "the nearest, for a script" },
    { NULL, NULL },
};

const ubi__command ubi__command_retainers = {
    .name = "retainers",
    .operands = "FILE ID",
    .summary = "show who refers to a node, and who refers to those",
    .question = "Who refers to this node, all the way up?",
    .description =
        "Prints the retainers of the node: what refers to it, the nearest to the root first. Below the first of "
        "them stand its own retainers, and so on up to the root. This is the Retainers view of Chrome's DevTools. "
        "--all opens every row, and so shows all ways up. A way ends where it comes back to itself: '(itself)' is "
        "a reference of an object to itself, '(a circle)' one from an object that it holds.\n"
        "\n"
        "A row is a reference and the object that has it: .x is a property, [0] an element, ->x a variable that a "
        "function captured, {x} a field of the engine. In V8's snapshots, weak references and those from the root "
        "are left out, distances count from the global object, and a dash stands for what only the engine's own "
        "roots reach.\n"
        "\n"
        "--ignore counts distances as if the given nodes were not there. What only they kept within reach comes "
        "last, with distance 'none'. When that is the node itself, they are all that keeps it alive. A value in a "
        "WeakMap needs both the map and its key.\n"
        "\n"
        "The dominators of the node are listed as well: cut off any of them, and the node is freed.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...). 'ubiheap search', 'nodes' and "
        "'report' print ids.",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(retainers_arguments),
    .run = run,
};
