/* SPDX-License-Identifier: MIT
 *
 * treemap_command.c: `ubiheap treemap`: the question of that name, drawn as text on a terminal, and as JSON into a file called so.
 */
#include "cli/cli_ask.h"
#include "cli/picture_format.h"
#include "questions/treemap/treemap_values.h"

static ubi_status treemap_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__treemap_values *v = values;
    if (!v->format)
        v->format = ubi__picture_format(cli, v->output);
    return ubi__cli_ask(cli, &ubi__question_treemap, values, operands, n_operands, exit_code);
}

const ubi__command ubi__command_treemap = {
    .usage = &ubi__usage_treemap,
    .question = &ubi__question_treemap,
    .run = treemap_run,
};
