/* SPDX-License-Identifier: MIT
 *
 * summary_command.c: `ubiheap summary`: the question of that name, where older snapshots are files.
 */
#include <string.h>

#include <ubiheap/core/formats.h>

#include "base/status.h"
#include "cli/cli_ask.h"
#include "lenses/lens.h"
#include "questions/summary/summary_values.h"

static bool is_standard_input(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* Ids are given in order, so the largest says when the snapshot was taken. Errors are about that file. */
static ubi_status older_id_find(uint64_t *out, void *payload, const char *older) {
    ubi__cli *cli = payload;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    const char *subject = cli->subject;
    ubi_graph *graph;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    cli->subject = is_standard_input(older) ? "standard input" : older;
    UBI_TRY(ubi_graph_read_path(&graph, older, &options, NULL));
    bool is_timed = ubi_lens_for(graph)->id_mark;
    *out = ubi_lens_id_mark(graph);
    ubi_graph_unref(graph);
    if (!is_timed)
        return ubi__fail(UBI_EINVAL, "this is no heap snapshot of V8");
    cli->subject = subject;
    return UBI_OK;
}

static ubi_status summary_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__summary_values *v = values;
    if (is_standard_input(v->since) + is_standard_input(v->until) + is_standard_input(operands[0]) > 1)
        return ubi__fail(UBI_EINVAL, "only one file can be standard input");
    v->older_id_find = older_id_find;
    v->payload = cli;
    return ubi__cli_ask(cli, &ubi__question_summary, values, operands, n_operands, exit_code);
}

const ubi__command ubi__command_summary = {
    .usage = &ubi__usage_summary,
    .question = &ubi__question_summary,
    .run = summary_run,
};
