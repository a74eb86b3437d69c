/* SPDX-License-Identifier: MIT
 *
 * flamegraph_command.c: `ubiheap flamegraph`: the question of that name, drawn as text on a terminal, and as JSON into a file called so.
 */
#include "cli/cli_ask.h"
#include "cli/picture_format.h"
#include "questions/flamegraph/flamegraph_values.h"

static ubi_status flamegraph_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__flamegraph_values *v = values;
    if (!v->format)
        v->format = ubi__picture_format(cli, v->output);
    return ubi__cli_ask(cli, &ubi__question_flamegraph, values, operands, n_operands, exit_code);
}

const ubi__command ubi__command_flamegraph = {
    .usage = &ubi__usage_flamegraph,
    .question = &ubi__question_flamegraph,
    .run = flamegraph_run,
};
