/* SPDX-License-Identifier: MIT
 *
 * node_command.c: `ubiheap node`, everything known of one node.
 */
#include "base/status.h"
#include "cli/breakdown_choice.h"
#include "cli/commands/node/node_card.h"
#include "cli/node_id.h"

typedef struct node_arguments {
    const char *breakdown;
    uint64_t limit;
} node_arguments;

#define AT(field) offsetof(node_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const node_arguments *arguments;
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

static ubi_status tell(job *j, ubi_node_ix node) {
    ubi_status status =
        ubi__node_facts_init(&j->facts, j->snapshot->look, node, ubi__progress_line_callbacks(&j->cli->progress));
    ubi__progress_line_clear(&j->cli->progress);
    if (status == UBI_OK && j->cli->common.json)
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
        status = tell(j, node);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status check(job *j, ubi__breakdown_choice *chosen, char **operands) {
    ubi__breakdown_arguments breakdown = { .breakdown = j->arguments->breakdown };
    UBI_TRY(ubi__node_id_parse(&j->node_id, operands[1], "ID"));
    UBI_TRY(ubi__breakdown_check_input(&breakdown, operands[0]));
    return ubi__breakdown_choose(chosen, breakdown.breakdown, j->cli);
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__breakdown_choice chosen = { 0 };
    job j = { .cli = cli, .arguments = values, .chosen = &chosen };
    (void)n_operands, (void)exit_code;
    ubi_status status = check(&j, &chosen, operands);
    if (status == UBI_OK)
        status = open_and_tell(&j, operands[0]);
    ubi__breakdown_choice_fini(&chosen);
    return status;
}

static const ubi__option options[] = {
    { "limit", 'n', UBI__OPTION_NUMBER, AT(limit), "N", NULL, "show N edges each way; 0: all", "10" },
    { "breakdown", 'b', UBI__OPTION_TEXT, AT(breakdown), "SPEC", NULL,
      "with --json: add the census of this node alone, by a breakdown as that of census", NULL },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "node app.fxsnapshot 140720891387000", "one node, by its id" },
    { "node --limit 0 app.fxsnapshot 140720891387000", "with all of its edges" },
    { NULL, NULL },
};

const ubi__command ubi__command_node = {
    .name = "node",
    .operands = "FILE ID",
    .summary = "tell everything known of one node",
    .description =
        "Prints what the node is, its own and its retained size, its immediate dominator, how far it is from the "
        "root and the shortest way there, the stack that allocated it, what it refers to and what refers to it.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...). 'ubiheap nodes', 'dominators', 'report' "
        "and 'census --individuals' print ids.\n"
        "\n"
        "What it refers to is sorted by retained size, the largest first; what refers to it by the distance from the "
        "root, the nearest first. Equal ones stay in file order.",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(node_arguments),
    .run = run,
};
