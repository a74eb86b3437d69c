/* SPDX-License-Identifier: MIT
 *
 * report_command.c: `ubiheap report`, one screen for somebody who wants to know what fills a heap.
 */
#include "base/status.h"
#include "cli/commands/report/report_page.h"
#include "cli/condition.h"

typedef struct report_arguments {
    bool detail;
    const char *fail_on;
} report_arguments;

static ubi_status tell(ubi__cli *cli, const ubi__snapshot *snapshot, ubi__report_facts *facts) {
    ubi_status status = ubi__report_facts_init(facts, snapshot, ubi__progress_line_callbacks(&cli->progress));
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK && cli->common.json)
        ubi__report_document(cli, snapshot, facts);
    else if (status == UBI_OK)
        ubi__report_page(cli, snapshot, facts);
    return status;
}

static ubi_status tell_and_judge(ubi__cli *cli, const char *path, const report_arguments *arguments,
                                 const ubi__condition *condition, int *exit_code) {
    ubi__snapshot snapshot;
    ubi__report_facts facts = { .detail = arguments->detail };
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, path));
    ubi_status status = tell(cli, &snapshot, &facts);
    ubi__condition_facts judged = { .graph = snapshot.graph, .look = snapshot.look };
    judged.dominators = facts.dominators;
    if (status == UBI_OK)
        status = ubi__condition_check(exit_code, cli, condition, &judged);
    ubi__report_facts_fini(&facts);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const report_arguments *arguments = values;
    ubi__condition *condition;
    (void)n_operands;
    UBI_TRY(ubi__condition_parse(&condition, arguments->fail_on, UBI__CONDITION_SNAPSHOT));
    ubi_status status = tell_and_judge(cli, operands[0], arguments, condition, exit_code);
    ubi__condition_free(condition);
    return status;
}

static const ubi__option options[] = {
    { "detail", 0, UBI__OPTION_FLAG, offsetof(report_arguments, detail), NULL, NULL,
      "leave nothing out for the sake of brevity", NULL },
    UBI__OPTION_FAIL_ON(offsetof(report_arguments, fail_on)),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "report app.fxsnapshot", "start here" },
    { "report --json app.fxsnapshot | jq -r '.findings[].text'", "the oddities alone" },
    { "report --detail app.heapsnapshot", "everything that rules found" },
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
        "one: what would be freed with it. Keepers may hold other keepers.\n"
        "\n"
        "What you can win is what rules found that look for waste: lists from which nothing is ever taken, storage "
        "that is "
        "mostly empty, strings that say the same, detached DOM trees, variables that closures keep, timers and "
        "listeners. "
        "Each has the bytes that mending it could free at most, which may overlap with those of others, and the way "
        "from "
        "the root to an example. Heaps of V8 are counted as Chrome's DevTools do.\n"
        "\n"
        "--json prints less than 8 KiB, so that scripts and assistants can read it whole: lists are short and long "
        "names "
        "cut, which namesCut counts. --detail has all of it.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(report_arguments),
    .run = run,
};
