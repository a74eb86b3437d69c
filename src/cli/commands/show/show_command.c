/* SPDX-License-Identifier: MIT
 *
 * show_command.c: `ubiheap show`, everything about one node.
 */
#include "base/status.h"
#include "cli/breakdown_choice.h"
#include "cli/commands/show/node_card.h"
#include "cli/options.h"

typedef struct show_arguments {
    const char *breakdown;
    uint64_t limit;
} show_arguments;

#define AT(field) offsetof(show_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const show_arguments *arguments;
    const ubi__breakdown_choice *chosen;
    uint64_t node_id;
    const ubi__snapshot *snapshot;
    ubi__node_facts facts;
} job;

/* With a breakdown, the document has what describeNode gives. */
static ubi_status write_document(const job *j) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *description = NULL;
    options.compat = j->cli->compat;
    if (j->arguments->breakdown)
        UBI_TRY(ubi_census_describe(&description, j->facts.graph, j->node_id, j->chosen->breakdown, &options));
    ubi_status status = ubi__node_document(j->cli, j->snapshot, &j->facts, description, j->arguments->limit);
    ubi_census_free(description);
    return status;
}

static ubi_status node_show(job *j, ubi_node_ix node) {
    ubi_status status =
        ubi__node_facts_init(&j->facts, j->snapshot->look, node, ubi__progress_line_callbacks(&j->cli->progress));
    ubi__progress_line_clear(&j->cli->progress);
    if (status == UBI_OK && j->cli->common.wants_json)
        status = write_document(j);
    else if (status == UBI_OK)
        ubi__node_card(j->cli, &j->facts, j->arguments->limit);
    ubi__node_facts_fini(&j->facts);
    return status;
}

static ubi_status open_and_tell(job *j, const char *path) {
    ubi__snapshot snapshot;
    ubi_node_ix node;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = ubi__node_id_find(&node, snapshot.graph, j->node_id);
    if (status == UBI_OK)
        status = node_show(j, node);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status arguments_check(job *j, ubi__breakdown_choice *chosen, char **operands) {
    ubi__breakdown_arguments breakdown = { .breakdown = j->arguments->breakdown };
    UBI_TRY(ubi__node_id_parse(&j->node_id, operands[1], "ID"));
    UBI_TRY(ubi__breakdown_check_input(&breakdown, operands[0]));
    return ubi__breakdown_choose(chosen, breakdown.breakdown, j->cli);
}

static ubi_status show_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__breakdown_choice chosen = { 0 };
    job j = { .cli = cli, .arguments = values, .chosen = &chosen };
    (void)n_operands, (void)exit_code;
    ubi_status status = arguments_check(&j, &chosen, operands);
    if (status == UBI_OK)
        status = open_and_tell(&j, operands[0]);
    ubi__breakdown_choice_fini(&chosen);
    return status;
}

static const ubi__option options[] = {
    UBI__OPTION_LIMIT(AT(limit), "show N edges each way; 0: all", "10"),
    { "breakdown", 'b', UBI__OPTION_TEXT, AT(breakdown), "SPEC", NULL,
      "with --json: add the census of this node alone, by a breakdown as that of census", NULL },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "show app.fxsnapshot 140720891387000", "one node, by its id" },
    { "show app.heapsnapshot @20159", "the same in a file of Chrome or Node.js" },
    { "show --limit 0 app.fxsnapshot 140720891387000", "with all of its edges" },
    { NULL, NULL },
};

const ubi__command ubi__command_show = {
    .name = "show",
    .alias = "node",
    .operands = "FILE ID",
    .summary = "show everything about one node",
    .question = "What is this node, how much does it keep, and why is it alive?",
    .description =
        "Prints the node's type, its own and its retained size, its immediate dominator, its distance from the "
        "root and the shortest path from there, the stack that allocated it, and the references from it and to it.\n"
        "\n"
        "References from it are sorted by what their targets retain, the largest first; those to it by the "
        "distance from the root, the nearest first. Equal ones stay in file order.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...), or as DevTools write it (@20159). "
        "'ubiheap nodes', 'dominators', 'report' and 'census --individuals' print ids.",
    .options = options,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(show_arguments),
    .run = show_run,
};
