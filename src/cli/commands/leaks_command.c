/* SPDX-License-Identifier: MIT
 *
 * leaks_command.c: `ubiheap leaks`: the question of that name, which takes its snapshots itself when it gets an address in place of files.
 */
#include "base/quantity.h"
#include "base/status.h"
#include "cli/cli_ask.h"
#include "cli/remote_schemes.h"
#include "questions/leaks/leaks_answer.h"

extern const ubi__question ubi__question_leaks;
extern const ubi__usage ubi__usage_leaks;

/* To compare them. */
#define LEAST_SNAPSHOTS 2

static bool is_address(const char *path) {
    return ubi__remote_is_address(path, ubi__remote_schemes);
}

static ubi_status files_check(const ubi__leaks_values *v, char **operands, int n_operands) {
    if (v->times || v->beside || v->collects || v->is_forced)
        return ubi__fail(UBI_EINVAL, "%s is for --every, which takes snapshots",
                         v->times      ? "--times"
                         : v->beside   ? "--while"
                         : v->collects ? "--gc"
                                       : "--force");
    if (n_operands >= LEAST_SNAPSHOTS)
        return UBI_OK;
    if (is_address(operands[0]))
        return ubi__fail(UBI_EINVAL, "one snapshot shows no leak: --every 30s takes one each 30 seconds");
    return ubi__fail(UBI_EINVAL, "expected %s, as in: ubiheap %s", ubi__usage_leaks.operands,
                     ubi__usage_leaks.examples[0].line);
}

static ubi_status series_check(const ubi__leaks_values *v, char **operands, int n_operands) {
    if (n_operands != 1 || !is_address(operands[0]))
        return ubi__fail(UBI_EINVAL, "--every takes snapshots of one address, such as firefox://127.0.0.1:6000");
    if (v->times && v->times < LEAST_SNAPSHOTS)
        return ubi__fail(UBI_EINVAL, "--times: one snapshot shows no leak");
    return UBI_OK;
}

/* A program that ended early decides nothing, unless what there is fails. */
static ubi_status series_ask(ubi__cli *cli, ubi__leaks_values *v, ubi__heap_series *series, int *exit_code) {
    if (series->fault[0])
        ubi__print_line(cli->subject, series->fault);
    UBI_TRY(ubi__cli_ask_taken(cli, &ubi__question_leaks, v, series, exit_code));
    if (series->fault[0] && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_SYSTEM;
    return UBI_OK;
}

static ubi_status leaks_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__leaks_values *v = values;
    ubi__heap_series series;
    ubi__heap_series_options options = { .address = operands[0], .n = v->times, .n_least = LEAST_SNAPSHOTS };
    if (!v->every) {
        UBI_TRY(files_check(v, operands, n_operands));
        return ubi__cli_ask(cli, &ubi__question_leaks, values, operands, n_operands, exit_code);
    }
    UBI_TRY(series_check(v, operands, n_operands));
    UBI_TRY(ubi__parse_duration(&options.interval_us, v->every, "--every"));
    options.must_collect = v->collects >= 0;
    options.is_forced = v->is_forced;
    options.beside = v->beside;
    ubi_status status = ubi__heap_series_take(&series, cli, &options);
    if (status == UBI_OK)
        status = series_ask(cli, v, &series, exit_code);
    ubi__heap_series_close(&series);
    return status;
}

const ubi__command ubi__command_leaks = {
    .usage = &ubi__usage_leaks,
    .question = &ubi__question_leaks,
    .least_operands = 1,
    .run = leaks_run,
};
