/* SPDX-License-Identifier: MIT
 *
 * report_command.c: `ubiheap report`, one screen for somebody who wants to know what fills a heap.
 */
#include "base/status.h"
#include "cli/commands/report_page.h"

static ubi_status collect(ubi__report_facts *f, const ubi__snapshot *snapshot) {
    f->graph = snapshot->graph;
    f->info = &snapshot->info;
    UBI_TRY(ubi__heap_summary_init(&f->summary, snapshot->graph));
    UBI_TRY(ubi__groups_by_label(&f->labels, &f->summary));
    return ubi__groups_by_function(&f->functions, &f->summary);
}

static void facts_fini(ubi__report_facts *f) {
    ubi__groups_fini(&f->functions);
    ubi__groups_fini(&f->labels);
    ubi__heap_summary_fini(&f->summary);
}

static ubi_status tell(ubi__cli *cli, const ubi__snapshot *snapshot) {
    ubi__report_facts facts = { 0 };
    ubi_status status = collect(&facts, snapshot);
    if (status == UBI_OK && cli->common.json)
        ubi__report_document(cli, snapshot, &facts);
    else if (status == UBI_OK)
        ubi__report_page(cli, snapshot, &facts);
    facts_fini(&facts);
    return status;
}

static ubi_status run(ubi__cli *cli, void *arguments, char **operands, int n_operands, int *exit_code) {
    (void)arguments, (void)n_operands, (void)exit_code;
    return ubi__snapshot_with(cli, operands[0], tell);
}

static const ubi__option options[] = { UBI__OPTION_END };

static const ubi__example examples[] = {
    { "report app.fxsnapshot", "start here" },
    { "report --json app.fxsnapshot | jq -r '.findings[].text'", "the oddities alone" },
    { NULL, NULL },
};

const ubi__command ubi__command_report = {
    .name = "report",
    .operands = "FILE",
    .summary = "say on one screen what fills a heap and what to look at next",
    .description =
        "Prints what FILE is, what its heap is made of, the biggest kinds of things in it, which functions "
        "allocated it (when allocation stacks were recorded), what looks odd, and which commands to run next.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes over everything that can be reached from the root, the "
        "root included. A kind is what nodes are best known by: the name of a DOM node, the class of an object, "
        "the file of a script, else the engine's type.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
