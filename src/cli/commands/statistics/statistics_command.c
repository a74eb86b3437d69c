/* SPDX-License-Identifier: MIT
 *
 * statistics_command.c: `ubiheap statistics`, what a heap consists of.
 */
#include "base/status.h"
#include "cli/commands/statistics/statistics_page.h"

/* What the contexts retain is worth a dominator tree only where there are several, or for scripts. */
static ubi_status find_dominators(ubi_dominators **out, ubi__cli *cli, const ubi__snapshot *snapshot,
                                  const ubi_native_contexts *contexts) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    uint32_t n = ubi_native_contexts_count(contexts);
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.without_sets = true;
    options.threads = cli->common.threads < UINT32_MAX ? (unsigned)cli->common.threads : 0;
    return n > 1 || (n == 1 && cli->common.json) ? ubi_dominators_new(out, ubi__snapshot_view(snapshot), &options)
                                                 : UBI_OK;
}

static ubi_status find_contexts(ubi_native_contexts **out, ubi__cli *cli, const ubi__snapshot *snapshot) {
    ubi_native_contexts_options options = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    return ubi_native_contexts_new(out, snapshot->look, NULL, &options);
}

static ubi_status show(ubi__cli *cli, const ubi__snapshot *snapshot) {
    ubi_statistics_options options = UBI_STATISTICS_OPTIONS_INIT;
    ubi__statistics_answer answer;
    ubi_native_contexts *contexts;
    ubi_dominators *dominators = NULL;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(ubi_statistics_compute(&answer.statistics, snapshot->look, &options));
    UBI_TRY(find_contexts(&contexts, cli, snapshot));
    ubi_status status = find_dominators(&dominators, cli, snapshot, contexts);
    answer.contexts = contexts;
    answer.dominators = dominators;
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK)
        (cli->common.json ? ubi__statistics_document : ubi__statistics_page)(cli, snapshot, &answer);
    ubi_dominators_free(dominators);
    ubi_native_contexts_free(contexts);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    (void)values, (void)n_operands, (void)exit_code;
    return ubi__snapshot_with(cli, operands[0], show);
}

static const ubi__option options[] = { UBI__OPTION_END };

static const ubi__example examples[] = {
    { "statistics app.heapsnapshot", "code, strings, arrays and the rest, in bytes" },
    { "statistics --json app.heapsnapshot | jq '.parts[] | select(.name == \"strings\").size'",
      "what strings take, for a script" },
    { NULL, NULL },
};

const ubi__command ubi__command_statistics = {
    .name = "statistics",
    .operands = "FILE",
    .summary = "show what a heap consists of: code, strings, arrays",
    .question = "What does this heap consist of?",
    .description =
        "Prints a few sizes that add up to that of the heap. For V8 they are those of the Statistics view of "
        "Chrome's DevTools: compiled code; strings; arrays, with the store of their elements unless it is shared; "
        "the data of typed arrays; the engine's own objects; other JavaScript objects; and what lies outside of "
        "the JavaScript heap, such as documents and styles. For other producers they are the coarse types of all "
        "that the root reaches.\n"
        "\n"
        "A V8 snapshot of several pages, frames, workers or vm contexts has several native contexts. For each, the "
        "bytes that belong to it alone are listed; then those that several share, and those that belong to none. "
        "'ubiheap summary --context ID' shows what that is.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
