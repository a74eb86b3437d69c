/* SPDX-License-Identifier: MIT
 *
 * leaks_command.c: `ubiheap leaks`: the question of that name, which takes its snapshots itself when it gets an address in place of files.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "base/status.h"
#include "cli/cli_ask.h"
#include "cli/condition.h"
#include "cli/remote_schemes.h"
#include "cli/scenario/scenario.h"
#include "cli/snapshot_copy.h"
#include "questions/leaks/leaks_answer.h"
#include "questions/leaks/leaks_facts.h"

extern const ubi__question ubi__question_leaks;
extern const ubi__usage ubi__usage_leaks;

/* To compare them. */
#define LEAST_SNAPSHOTS 2
/* As the table of parameters has it. */
#define WARM_UPS 2
#define SCENARIO_SNAPSHOTS 3
/* Of snapshots of pages. */
#define SCENARIO_KIND "heapsnapshot"

static bool is_address(const char *path) {
    return ubi__remote_is_address(path, ubi__remote_schemes);
}

static ubi_status files_check(const ubi__leaks_values *v, char **operands, int n_operands) {
    const char *url;
    if (ubi__scenario_is_address(operands[0], &url))
        return ubi__fail(UBI_EINVAL, "chrome:URL is a page for --do SCRIPT, which says what to do there");
    if (v->browser || v->patience || v->is_shown || v->warm_ups != WARM_UPS)
        return ubi__fail(UBI_EINVAL, "%s",
                         v->browser    ? "--browser is for --do, which starts a browser"
                         : v->patience ? "--patience is for --do and --every, which wait for a program"
                         : v->is_shown ? "--show-browser is for --do, which starts a browser"
                                       : "--warm-up is for --do, which starts a browser");
    if (v->keeps_ids)
        return ubi__fail(UBI_EINVAL, "--keep-ids is for --every, which takes snapshots");
    if (v->times || v->target || v->wants_all || v->beside || v->collects || v->is_forced)
        return ubi__fail(UBI_EINVAL, "%s is for --every, which takes snapshots",
                         v->times       ? "--times"
                         : v->target    ? "--target"
                         : v->wants_all ? "--all"
                         : v->beside    ? "--while"
                         : v->collects  ? "--gc"
                                        : "--force");
    if (n_operands >= LEAST_SNAPSHOTS)
        return UBI_OK;
    if (is_address(operands[0]))
        return ubi__fail(UBI_EINVAL, "one snapshot shows no leak: --every 30s takes one each 30 seconds");
    return ubi__fail(UBI_EINVAL, "expected %s, as in: ubiheap %s", ubi__usage_leaks.operands,
                     ubi__usage_leaks.examples[0].line);
}

static ubi_status address_check(char **operands, int n_operands) {
    ubi__remote_address address;
    const char *first = operands[0];
    if (n_operands != 1)
        return ubi__fail(UBI_EINVAL, "--every takes snapshots of one address, such as node:PID; here are %d",
                         n_operands);
    if (*first && first[strspn(first, "0123456789")] == '\0')
        return ubi__fail(UBI_EINVAL, "--every takes snapshots of an address: node:%s is that process of Node.js",
                         first);
    if (strchr(first, ':'))
        return ubi__remote_address_parse(&address, first, ubi__remote_schemes);
    return ubi__fail(UBI_EINVAL,
                     "--every takes snapshots of an address, such as node:PID or firefox://127.0.0.1:6000, not of '%s'",
                     first);
}

static ubi_status series_check(ubi__heap_series_options *options, const ubi__cli *cli, const ubi__leaks_values *v,
                               char **operands, int n_operands) {
    ubi__remote_address address;
    UBI_TRY(address_check(operands, n_operands));
    if (v->times && v->times < LEAST_SNAPSHOTS)
        return ubi__fail(UBI_EINVAL, "--times: one snapshot shows no leak");
    if (cli->common.keep && v->keeps_ids)
        return ubi__fail(UBI_EINVAL, "--keep goes without --keep-ids, which has no snapshot to keep");
    UBI_TRY(ubi__remote_address_parse(&address, operands[0], ubi__remote_schemes));
    UBI_TRY(ubi__remote_target_read(&address, v->target));
    UBI_TRY(ubi__remote_patience_read(&address, v->patience));
    options->target = v->target;
    options->patience_us = address.patience_us;
    return ubi__snapshot_copy_check_kind(cli, ubi__remote_snapshot_kind(address.scheme));
}

static ubi_status word_check(const ubi_query_value *value) {
    int n = (int)value->argument.len;
    const char *word = ubi__condition_word_meant(&ubi__leaks_verdict_words, value), *at = value->argument.ptr;
    if (!word)
        return UBI_OK;
    return ubi__fail(UBI_EINVAL,
                     "--fail-on: '%.*s' is no verdict; did you mean %s? A class of that name has quotes: %s('%.*s')", n,
                     at, word, value->name->name, n, at);
}

/* Before snapshots are taken: a misspelt condition would be found after all of them. */
static ubi_status gate_check(const ubi__leaks_values *v, uint32_t n) {
    const ubi__leaks_answer answer = { .values = v, .series = { .n = n } };
    ubi__condition *condition = NULL;
    UBI_TRY(ubi__condition_parse_own(&condition, v->fail_on, ubi__leaks_facts));
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; i < ubi__condition_value_count(condition) && status == UBI_OK; i++) {
        ubi_query_value value = ubi__condition_value_at(condition, i);
        status = ubi__leaks_check_fact(&answer, &value);
        if (status == UBI_OK)
            status = word_check(&value);
    }
    ubi__condition_free(condition);
    return status;
}

/* While the program worked: what a snapshot takes and leaves is not counted. */
static uint64_t ram_growth(const ubi__heap_series *series) {
    const ubi__taken_heap *heaps = series->heaps;
    uint64_t before_bytes = 0, after_bytes = 0;
    for (uint32_t i = 1; i < series->n; i++) {
        before_bytes += heaps[i - 1].resident_after_bytes;
        after_bytes += heaps[i].resident_bytes;
    }
    return ubi__subtract_u64(after_bytes, before_bytes);
}

/* A program that ended early decides nothing, unless what there is fails; so it is with one whose other heaps were not looked at. */
static ubi_status series_ask(ubi__cli *cli, ubi__leaks_values *v, ubi__heap_series *series, int *exit_code) {
    char line[200];
    ubi__remote_address address;
    if (series->pid) {
        v->pid = series->pid;
        v->ram_growth_bytes = ram_growth(series);
    }
    if (series->fault[0])
        ubi__print_line(cli->subject, series->fault);
    v->has_ended = series->has_ended;
    UBI_TRY(ubi__cli_ask_taken(cli, &ubi__question_leaks, v, series, exit_code));
    if (series->fault[0] && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_SYSTEM;
    if ((series->n_other_heaps || series->n_other_processes) && v->fail_on && *exit_code == UBI__EXIT_OK) {
        bool is_page = ubi__remote_address_parse(&address, cli->subject, ubi__remote_schemes) == UBI_OK &&
                       !address.scheme->has_workers;
        snprintf(line, sizeof line, "cannot judge it: its %s may leak; --target 0 judges the %s alone",
                 is_page                      ? "workers"
                 : !series->n_other_processes ? "worker threads"
                 : series->n_other_heaps      ? "worker threads, and the processes of its cluster,"
                                              : "cluster's processes",
                 is_page ? "page" : "main thread");
        ubi__print_line(cli->subject, line);
        *exit_code = UBI__EXIT_INPUT;
    }
    return UBI_OK;
}

/* ---- a scenario ----------------------------------------------------------------------------------------------------- */

#define PATIENCE_US ((uint64_t)120000000)

static ubi_status scenario_check(ubi__scenario_options *out, const ubi__leaks_values *v, char **operands,
                                 int n_operands) {
    *out = (ubi__scenario_options){ .address = operands[0],
                                    .script = v->script,
                                    .browser = v->browser,
                                    .is_shown = v->is_shown,
                                    .times = v->times,
                                    .patience_us = PATIENCE_US,
                                    .warm_ups = v->warm_ups,
                                    .must_collect = v->collects >= 0,
                                    .is_forced = v->is_forced };
    if (n_operands != 1 || !ubi__scenario_is_address(operands[0], &out->url))
        return ubi__fail(UBI_EINVAL,
                         "--do starts a browser for one page, such as chrome:http://127.0.0.1:8000/, or chrome: alone "
                         "where the script has the address");
    if (v->every || v->target || v->beside || v->wants_all || v->keeps_ids)
        return ubi__fail(UBI_EINVAL, "%s is for programs that run; --do has a script",
                         v->every       ? "--every"
                         : v->target    ? "--target"
                         : v->beside    ? "--while"
                         : v->wants_all ? "--all"
                                        : "--keep-ids");
    return v->patience ? ubi__parse_duration(&out->patience_us, v->patience, "--patience") : UBI_OK;
}

static ubi_status scenario_ask(ubi__cli *cli, ubi__leaks_values *v, const ubi__scenario_options *options,
                               int *exit_code) {
    ubi__heap_series series;
    ubi_status status = ubi__scenario_take(&series, cli, options);
    if (status == UBI_OK)
        status = ubi__cli_ask_taken(cli, &ubi__question_leaks, v, &series, exit_code);
    ubi__heap_series_close(&series);
    return status;
}

/* ---- enough -------------------------------------------------------------------------------------------------------- */

/* Of a series of n, when it is looked at: each look reads all that there is. */
#define LEAST_CLEAR 4

typedef struct watch {
    ubi__cli *cli;
    ubi__leaks_values *values;
    uint32_t n_seen; /* of the last look */
    char verdict[200];
} watch;

static bool is_time_to_look(const watch *w, uint32_t n) {
    uint64_t times = w->values->times, half = (times + 1) / 2, late = (3 * times + 3) / 4;
    half = half < LEAST_CLEAR ? LEAST_CLEAR : half;
    return n < times && n > w->n_seen && (n == half || (n == late && late > half));
}

/*
 * A verdict is clear when what keeps most grew with every step, and fails the gate if there is one; or, without a gate, when there is nothing
 * to list. A gate passes after all snapshots only.
 */
static void verdict_look(void *payload, const void *answer_of, int exit_code) {
    watch *w = payload;
    const ubi__leaks_answer *a = answer_of;
    const ubi_leak_summary *s = ubi_leaks_summary(a->leaks);
    const ubi_leak_cluster *first = s->n_clusters ? ubi_leaks_cluster(a->leaks, 0) : NULL;
    bool has_gate = w->values->fail_on != NULL;
    if (a->fit != UBI_LEAK_FITS || (has_gate && exit_code != UBI__EXIT_CONDITION))
        return;
    if (first && first->verdict == UBI_LEAK_STEADY && first->n_grew + 1 == ubi_leaks_heap_count(a->leaks))
        snprintf(w->verdict, sizeof w->verdict, "%.*s grew with every step",
                 (int)(first->class_name.name.len < 80 ? first->class_name.name.len : 80), first->class_name.name.ptr);
    else if (!first && !has_gate && !ubi__leaks_first_grown(a) && !ubi__leaks_remaining_growth(a))
        snprintf(w->verdict, sizeof w->verdict, "nothing grew");
}

static bool is_clear(void *payload, const ubi__heap_series *series) {
    char line[300];
    watch *w = payload;
    if (!is_time_to_look(w, series->n))
        return false;
    w->n_seen = series->n;
    if (ubi__cli_look_at_taken(w->cli, &ubi__question_leaks, w->values, series, verdict_look, w) != UBI_OK ||
        !w->verdict[0])
        return false;
    snprintf(line, sizeof line, "the verdict is clear after %u of %llu snapshots: %s; --all takes all", series->n,
             (unsigned long long)w->values->times, w->verdict);
    ubi__print_line(w->cli->subject, line);
    return true;
}

/* ---- the command ---------------------------------------------------------------------------------------------------- */

static ubi_status leaks_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__leaks_values *v = values;
    ubi__scenario_options scenario;
    ubi__heap_series series;
    ubi__heap_series_options options = { .address = operands[0], .n = v->times, .n_least = LEAST_SNAPSHOTS };
    if (v->script) {
        UBI_TRY(scenario_check(&scenario, v, operands, n_operands));
        UBI_TRY(gate_check(v, SCENARIO_SNAPSHOTS));
        UBI_TRY(ubi__snapshot_copy_check_kind(cli, SCENARIO_KIND));
        return scenario_ask(cli, v, &scenario, exit_code);
    }
    if (!v->every) {
        UBI_TRY(files_check(v, operands, n_operands));
        return ubi__cli_ask(cli, &ubi__question_leaks, values, operands, n_operands, exit_code);
    }
    UBI_TRY(series_check(&options, cli, v, operands, n_operands));
    UBI_TRY(gate_check(v, v->times && v->times <= UBI__HEAP_SERIES_MOST ? (uint32_t)v->times : UBI__HEAP_SERIES_MOST));
    UBI_TRY(ubi__parse_duration(&options.interval_us, v->every, "--every"));
    options.must_collect = v->collects >= 0;
    options.is_forced = v->is_forced;
    options.beside = v->beside;
    options.keeps_ids = v->keeps_ids;
    watch w = { .cli = cli, .values = v };
    if (!v->wants_all && v->control.n == 0) {
        options.is_enough = is_clear;
        options.payload = &w;
    }
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
