/* SPDX-License-Identifier: MIT
 *
 * control_command.c: `ubiheap control`: starts and stops what `ubiheap record` records, and looks at it while it runs.
 */
#include "cli/commands/control/control.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "questions/recording/recording_report.h"
#include "render/page.h"

#define LARGEST_PID 4194304 /* of Linux */

/* ---- as a document ------------------------------------------------------------------------------------------------ */

static const char *state_word(const ubi__control_facts *f) {
    return f->is_running ? "recording" : "paused";
}

static void facts_put(ubi__json *j, const ubi__control_facts *f) {
    ubi__json_member_i64(j, "pid", f->pid);
    ubi__json_member_string(j, "program", f->name);
    ubi__json_member_string(j, "state", state_word(f));
    ubi__json_member_bool(j, "hasResults", f->has_results);
    ubi__json_member_string(j, "recording", f->path);
    ubi__json_member_bool(j, "exact", f->is_exact);
    ubi__json_member_u64(j, "durationMs", f->now_ns / 1000000);
    ubi__json_member_u64(j, "pausedMs", f->paused_ms);
    ubi__json_member_u64(j, "allocations", f->allocations);
    ubi__json_member_u64(j, "frees", f->frees);
    ubi__json_member_u64(j, "liveAllocations", f->live);
    ubi__json_member_u64(j, "allocatedBytes", f->allocated_bytes);
}

static void totals_put(ubi__json *j, const ubi__recording_summary *s) {
    ubi__estimate total = ubi__class_estimate(s, UBI__UBIREC_HEAP, UBI__MEASURE_TOTAL);
    ubi__estimate live = ubi__class_estimate(s, UBI__UBIREC_HEAP, UBI__MEASURE_LEAKED);
    ubi__json_member_object(j, "totals");
    ubi__recording_put_estimate(j, "allocated", &total, s, UBI__UBIREC_HEAP);
    ubi__recording_put_estimate(j, "live", &live, s, UBI__UBIREC_HEAP);
    ubi__json_object_end(j);
}

/* @param summary  NULL: none */
static void process_put(ubi__json *j, const ubi__control_facts *f, const ubi__recording_summary *summary) {
    ubi__json_object_begin(j);
    facts_put(j, f);
    if (summary)
        totals_put(j, summary);
    else
        ubi__json_member_null(j, "totals");
    ubi__json_object_end(j);
}

/* ---- as words ----------------------------------------------------------------------------------------------------- */

static void process_write(ubi__out *out, const ubi__control_facts *f) {
    char time[UBI__HUMAN_TEXT], paused[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    ubi__out_printf(out, "%s %d: %s, %s %sallocation%s of %s", f->name, f->pid, state_word(f),
                    ubi__human_count(count, f->allocations), f->is_exact ? "" : "sampled ",
                    f->allocations == 1 ? "" : "s", ubi__human_size(size, f->allocated_bytes));
    ubi__out_printf(out, " in %s", ubi__human_duration(time, f->now_ns / 1000));
    if (f->paused_ms)
        ubi__out_printf(out, ", of which %s paused", ubi__human_duration(paused, f->paused_ms * 1000));
    ubi__out_printf(out, ", in %s\n", f->path);
}

static void sum_write(ubi__out *out, const char *label, const ubi__recording_summary *s, ubi__measure measure) {
    char low[UBI__HUMAN_TEXT], high[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    ubi__estimate e = ubi__class_estimate(s, UBI__UBIREC_HEAP, measure);
    ubi__range bytes = ubi__recording_bytes_range(s, UBI__UBIREC_HEAP, &e);
    uint64_t n_low = (uint64_t)bytes.low, n_high = (uint64_t)bytes.high;
    ubi__out_printf(out, "  %-10s %s", label, ubi__human_size(low, n_low));
    if (n_low != n_high)
        ubi__out_printf(out, " to %s", ubi__human_size(high, n_high));
    ubi__out_printf(out, " in %s\n",
                    ubi__human_things(count, e.samples, n_low != n_high ? "sampled allocation" : "allocation"));
}

static void totals_write(ubi__out *out, const ubi__control_facts *f, const ubi__recording_summary *s) {
    process_write(out, f);
    sum_write(out, "allocated", s, UBI__MEASURE_TOTAL);
    sum_write(out, "live", s, UBI__MEASURE_LEAKED);
}

/* ---- requests ----------------------------------------------------------------------------------------------------- */

typedef struct listing {
    ubi__cli *cli;
    ubi__json *json; /* NULL: as words */
    uint64_t n;
} listing;

static ubi_status listing_add(void *payload, const ubi__control_facts *f) {
    listing *l = payload;
    l->n++;
    if (l->json)
        process_put(l->json, f, NULL);
    else
        process_write(l->cli->page.out, f);
    return UBI_OK;
}

static ubi_status processes_list(ubi__cli *cli) {
    ubi__json json;
    listing l = { .cli = cli };
    if (!cli->common.wants_json) {
        UBI_TRY(ubi__control_each(listing_add, &l));
        if (l.n == 0)
            ubi__out_printf(cli->page.out, "no process is recorded by 'ubiheap record' of this user\n");
        return UBI_OK;
    }
    l.json = &json;
    ubi__document_open(&json, cli, "ubiheap.control/1");
    ubi__json_member_array(&json, "processes");
    ubi_status status = ubi__control_each(listing_add, &l);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
    return status;
}

/* @param summary  NULL: none */
static void answer_write(ubi__cli *cli, const ubi__control_facts *f, const ubi__recording_summary *summary) {
    ubi__json json;
    if (!cli->common.wants_json) {
        if (summary)
            totals_write(cli->page.out, f, summary);
        else
            process_write(cli->page.out, f);
        return;
    }
    ubi__document_open(&json, cli, "ubiheap.control/1");
    ubi__json_member_array(&json, "processes");
    process_put(&json, f, summary);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

static ubi_status totals_report(ubi__cli *cli, pid_t pid) {
    ubi__control_facts facts;
    ubi__recording_summary summary;
    UBI_TRY(ubi__control_sum(cli, &summary, &facts, pid));
    answer_write(cli, &facts, &summary);
    ubi__recording_summary_fini(&summary);
    return UBI_OK;
}

static ubi_status verb_do(ubi__cli *cli, ubi__control_verb verb, pid_t pid) {
    ubi__control_facts facts;
    UBI_TRY(ubi__control_ask(&facts, NULL, verb, pid));
    answer_write(cli, &facts, NULL);
    return UBI_OK;
}

static const struct {
    const char *word;
    ubi__control_verb verb;
} verbs[] = { { "state", UBI__CONTROL_STATE },
              { "start", UBI__CONTROL_START },
              { "stop", UBI__CONTROL_STOP },
              { "reset", UBI__CONTROL_RESET } };

static ubi_status word_do(ubi__cli *cli, const ubi__control_arguments *a, const char *word, pid_t pid, int *exit_code) {
    if (strcmp(word, "results") == 0)
        return ubi__control_results(cli, a, pid, exit_code);
    if (a->output || a->format || a->is_extended)
        return ubi__fail(UBI_EINVAL, "--output, --format and --extended are for results");
    if (strcmp(word, "totals") == 0)
        return totals_report(cli, pid);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(word, verbs[i].word) == 0)
            return verb_do(cli, verbs[i].verb, pid);
    return ubi__fail(UBI_EINVAL, "expected start, stop, reset, results, totals or state, not '%s'", word);
}

static ubi_status control_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    uint64_t pid;
    if (n_operands == 0)
        return processes_list(cli);
    UBI_TRY(ubi__parse_number(&pid, operands[0], "PID"));
    if (pid == 0 || pid > LARGEST_PID)
        return ubi__fail(UBI_EINVAL, "there is no process %s", operands[0]);
    return word_do(cli, values, n_operands > 1 ? operands[1] : "state", (pid_t)pid, exit_code);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

#define AT(field) offsetof(ubi__control_arguments, field)

static const ubi__parameter parameters[] = {
    UBI__TEXT("output", 'o', AT(output), "OUT", "write results to OUT instead of standard output", NULL),
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", ubi__control_formats,
                "of results: a format of 'ubiheap export', or ubirec, a recording; the default is by the end of OUT's "
                "name, else tables",
                NULL),
    UBI__FLAG("extended", 0, AT(is_extended), "of tables: events also have their allocation, bytes, kind and thread"),
    UBI__SWITCH("symbols", 0, AT(symbols), "look functions, files and lines of results up, or do not"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "control 4711 start", "from here on" },
    { "control 4711 stop", "to here" },
    { "control 4711 results -o request.ubirec", "that part as a recording, for 'ubiheap report'" },
    { "control 4711 reset", "forget it, before the next part" },
    { "record --paused -o server.ubirec -- ./server", "run it, and record nothing yet" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "control",
    .operands = "[PID [start|stop|reset|results|totals|state]]",
    .summary = "start, stop and look at what is being recorded",
    .question = "What does this part of the program's work allocate?",
    .description =
        "Speaks with 'ubiheap record' of the same user about a process that it records. Without PID, lists them.\n"
        "\n"
        "start and stop say which part of the work is recorded; frees of recorded blocks are recorded always. They are "
        "not "
        "counted: one stop ends any number of starts. results are what was recorded until the last stop, since the "
        "last "
        "reset: names, traces and events, any format of 'ubiheap export', or a recording. There are none while it "
        "records, before the first start, and after a reset. reset does nothing while it records. totals says what was "
        "recorded since the last reset and what of it lives, at any time.\n"
        "\n"
        "The recording's file has all parts. A program can do the same for itself: ubiheap/core/recorder.h.\n",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 0,
    .max_operands = 2,
    .arguments_bytes = sizeof(ubi__control_arguments),
};

const ubi__command ubi__command_control = {
    .usage = &usage,
    .run = control_run,
};
