/* SPDX-License-Identifier: MIT
 *
 * treemap_command.c: `ubiheap treemap`: the question of that name, drawn as text on a terminal, and as JSON into a file called so.
 */
#include <unistd.h>

#include "base/text.h"
#include "cli/cli_ask.h"
#include "questions/treemap/treemap_values.h"

/* What the answer becomes where no option says so. */
static const char *format_choose(const ubi__cli *cli, const char *output) {
    if (cli->common.wants_json || (output && ubi__text_ends(ubi__text(output), ".json")))
        return "json";
    return !output && isatty(STDOUT_FILENO) ? "text" : "svg";
}

static ubi_status treemap_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__treemap_values *v = values;
    if (!v->format)
        v->format = format_choose(cli, v->output);
    return ubi__cli_ask(cli, &ubi__question_treemap, values, operands, n_operands, exit_code);
}

const ubi__command ubi__command_treemap = {
    .usage = &ubi__usage_treemap,
    .question = &ubi__question_treemap,
    .run = treemap_run,
};
