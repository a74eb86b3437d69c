/* SPDX-License-Identifier: MIT
 *
 * report_command.c: `ubiheap report`, one screen for somebody who wants to know what fills a heap.
 */
#include "base/status.h"
#include "cli/commands/report/report_page.h"
#include "cli/condition.h"

typedef struct report_arguments {
    const char *fail_on;
} report_arguments;

static ubi_status collect(ubi__report_facts *f, ubi__cli *cli, const ubi__snapshot *snapshot) {
    f->graph = snapshot->graph;
    f->info = &snapshot->info;
    UBI_TRY(ubi__heap_summary_init(&f->summary, snapshot->graph));
    UBI_TRY(ubi__groups_by_label(&f->labels, &f->summary));
    UBI_TRY(ubi__groups_by_function(&f->functions, &f->summary));
    return ubi__report_keepers_init(&f->keepers, ubi__snapshot_view(snapshot),
                                    ubi__progress_line_callbacks(&cli->progress));
}

static void facts_fini(ubi__report_facts *f) {
    ubi__report_keepers_fini(&f->keepers);
    ubi__groups_fini(&f->functions);
    ubi__groups_fini(&f->labels);
    ubi__heap_summary_fini(&f->summary);
}

static ubi_status tell(ubi__cli *cli, const ubi__snapshot *snapshot) {
    ubi__report_facts facts = { 0 };
    ubi_status status = collect(&facts, cli, snapshot);
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK && cli->common.json)
        ubi__report_document(cli, snapshot, &facts);
    else if (status == UBI_OK)
        ubi__report_page(cli, snapshot, &facts);
    facts_fini(&facts);
    return status;
}

static ubi_status tell_and_judge(ubi__cli *cli, const char *path, const ubi__condition *condition, int *exit_code) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, path));
    ubi__condition_facts facts = { .graph = snapshot.graph, .view = ubi__snapshot_view(&snapshot) };
    ubi_status status = tell(cli, &snapshot);
    if (status == UBI_OK)
        status = ubi__condition_check(exit_code, cli, condition, &facts);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const report_arguments *arguments = values;
    ubi__condition *condition;
    (void)n_operands;
    UBI_TRY(ubi__condition_parse(&condition, arguments->fail_on, UBI__CONDITION_SNAPSHOT));
    ubi_status status = tell_and_judge(cli, operands[0], condition, exit_code);
    ubi__condition_free(condition);
    return status;
}

static const ubi__option options[] = {
    UBI__OPTION_FAIL_ON(offsetof(report_arguments, fail_on)),
    UBI__OPTION_END,
};

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
        "Prints what FILE is, what its heap is made of, the biggest kinds of things in it, who keeps most of it alive, "
        "which functions allocated it (when allocation stacks were recorded), what looks odd, and which commands to "
        "run next.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes over everything that can be reached from the root, the "
        "root included. A kind is what nodes are best known by: the name of a DOM node, the class of an object, "
        "the file of a script, else the engine's type.\n"
        "\n"
        "A keeper is a node that much else hangs on: the array, map or object that holds many things or large ones, "
        "shown with the shortest way to it from the root and what most of its memory is. Its size is the retained "
        "one: what would be freed with it. Keepers may hold other keepers.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(report_arguments),
    .run = run,
};
