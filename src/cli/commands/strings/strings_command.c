/* SPDX-License-Identifier: MIT
 *
 * strings_command.c: `ubiheap strings`: the question of that name, or an audit of all words of a file.
 */
#include "base/status.h"
#include "cli/cli_ask.h"
#include "cli/commands/strings/strings_audit.h"
#include "questions/strings/strings_values.h"

static ubi_status values_check(const ubi__strings_values *v) {
    if (v->wants_audit && (v->wants_duplicates || v->min_length || v->where || v->sort))
        return ubi__fail(UBI_EINVAL,
                         "--audit is of all words of the file: --duplicates, --min-length, --where and --sort "
                         "do not go with it");
    if (!v->wants_audit && (v->with_all || v->fail_on))
        return ubi__fail(UBI_EINVAL, "%s goes with --audit only", v->with_all ? "--all" : "--fail-on");
    return UBI_OK;
}

static ubi_status strings_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const ubi__strings_values *v = values;
    const ubi__audit_wishes wishes = { v->with_all, v->limit, v->fail_on };
    UBI_TRY(values_check(v));
    return v->wants_audit ? ubi__strings_audit(cli, operands[0], &wishes, exit_code)
                          : ubi__cli_ask(cli, &ubi__question_strings, values, operands, n_operands, exit_code);
}

const ubi__command ubi__command_strings = {
    .usage = &ubi__usage_strings,
    .question = &ubi__question_strings,
    .run = strings_run,
};
