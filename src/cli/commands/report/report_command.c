/* SPDX-License-Identifier: MIT
 *
 * report_command.c: `ubiheap report`: the question of that name, or what a recording of allocations amounts to.
 */
#include "base/status.h"
#include "cli/cli_ask.h"
#include "cli/cli_files.h"
#include "cli/commands/report/recording_report.h"
#include "questions/report/report_values.h"

typedef ubi__recording_wishes report_arguments;

#define AT(field) offsetof(report_arguments, field)

/* Options only for recordings must not be ignored silently. */
static ubi_status wishes_check(const report_arguments *arguments) {
    const struct {
        bool is_given;
        const char *name;
    } options[] = {
        { arguments->by, "by" },
        { arguments->columns, "columns" },
        { arguments->format, "format" },
        { arguments->site, "site" },
        { arguments->process, "process" },
        { arguments->top, "limit" },
        { arguments->stack_depth, "stack-depth" },
        { arguments->symbols, "symbols" },
        { arguments->wrappers, "wrappers" },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return ubi__fail(UBI_EINVAL, "--%s is for recordings of allocations", options[i].name);
    return UBI_OK;
}

static ubi_status report_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const report_arguments *arguments = values;
    ubi__report_values of_heap = { .with_detail = arguments->with_detail, .fail_on = arguments->fail_on };
    if (ubi__file_use_peek(operands[0]) == UBI__FILE_RECORDING)
        return ubi__report_recording(cli, operands[0], arguments, exit_code);
    UBI_TRY(ubi__input_check(cli, operands[0]));
    UBI_TRY(wishes_check(arguments));
    return ubi__cli_ask(cli, &ubi__question_report, &of_heap, operands, n_operands, exit_code);
}

static const char *const formats[] = { "tsv", "csv", "json", NULL };

static const ubi__parameter parameters[] = {
    UBI__FLAG("detail", 0, AT(with_detail), "leave nothing out for the sake of brevity"),
    UBI__CHOICE("by", 0, AT(by), "WHAT", ubi__recording_orders,
                "of a recording: sort places by bytes leaked, at the peak or in total, or by allocations, all or "
                "temporary; the default is what matters most",
                NULL),
    UBI__LIMIT(AT(top), "of a recording: print N places; 0: as many as is usual", "0"),
    UBI__NUMBER("stack-depth", 0, AT(stack_depth), "N",
                "of a recording: print N frames of each stack (callers without a name share a line, and count as one); "
                "0: as many as is usual",
                "0"),
    UBI__TEXT("site", 0, AT(site), "TEXT", "of a recording: only places whose function, file or module has this text",
              NULL),
    UBI__TEXT("process", 0, AT(process), "PROCESS",
              "of several processes that were recorded together: only those with this number or name; the default is "
              "all of them",
              NULL),
    UBI__CHOICE("format", 'f', AT(format), "FORMAT", formats,
                "of a recording: a table of all places: tsv (tab-separated), csv or json", NULL),
    UBI__TEXT("columns", 'c', AT(columns), "NAMES", "the columns of that table, between commas", NULL),
    UBI__SWITCH("symbols", 0, AT(symbols),
                "of a recording: look for names and lines that it lacks in the files at hand, or do not; the default "
                "is to look"),
    UBI__SWITCH("wrappers", 0, AT(wrappers),
                "of a recording: look behind calls that ask for memory in the name of many callers, or do not; the "
                "default is to look"),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__glossary glossary = { "Columns of a table of places", ubi__recording_column_entry };

static const ubi__example examples[] = {
    { "report app.fxsnapshot", "start here" },
    { "report --json app.fxsnapshot | jq -r '.findings[].text'", "the oddities alone" },
    { "report --detail app.heapsnapshot", "everything that rules found" },
    { "report server.ubirec", "what a program allocated, and what it did not free" },
    { "report --by leaked --stack-depth 20 server.ubirec", "who did not free it, with long stacks" },
    { "report --format tsv -c peak,function,file,line server.ubirec", "every place, for a script" },
    { "report --fail-on 'leaked > 1MiB' server.ubirec", "for a test" },
    { "report --process cc1plus make.ubirec", "of all processes that were recorded with it, those of the compiler" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "report",
    .operands = "FILE",
    .summary = "show on one screen what fills a heap and what to look at next",
    .question = "What fills this heap, or what did this program allocate?",
    .description =
        "Prints what FILE is and what matters most about it, then findings, what its heap is made of, the biggest "
        "kinds of things in it, the biggest retainers, which functions allocated it (when allocation stacks were "
        "recorded), and which commands to run next.\n"
        "\n"
        "Possible savings are what rules found that look for waste: lists from which nothing is ever taken, storage "
        "that is mostly empty, duplicate strings, detached DOM nodes, variables that closures hold, timers and "
        "listeners. Each has the bytes that fixing it could free at most, which may overlap with those of others, the "
        "way from the root to an example, and the command that shows more. Heaps of V8 are counted as Chrome's "
        "DevTools do.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes over everything that can be reached from the root, the root "
        "included. A kind is what nodes are best known by: the name of a DOM node, the class of an object, the file of "
        "a script, else the engine's type.\n"
        "\n"
        "A retainer is a node that much else depends on: the array, map or object that holds many things or large "
        "ones, shown with the shortest way to it from the root and what most of its memory is. Its size is the "
        "retained one: what would be freed with it. Retainers may hold other retainers.\n"
        "\n"
        "--json prints less than 8 KiB, so that scripts and assistants can read it whole: lists are short and long "
        "names cut, which namesCut counts. --detail has all of it.\n"
        "\n"
        "A recording of allocations (.ubirec, from ubiheap record) gives another report: what the program did not "
        "free, had at its peak and allocated; what stands out in that; and the places in the code that asked for it, "
        "with all of these numbers side by side and their callers below. Allocators, containers, and calls that ask "
        "for memory in the name of many callers are left out at the inner end of stacks. A temporary allocation is one "
        "that its thread freed as the next thing it did. Mappings, and objects of a script engine, have totals of "
        "their own. Numbers of a sampled recording are limits, between which the true value lies in 94 of 100 "
        "recordings or more. Facts of --fail-on are leaked,  leakedCount, pools, peak, total, count, temporary, rss "
        "and dropped. What the C and C++ libraries keep on purpose until the end, such as the reserve for exceptions, "
        "is in pools and not in leaked.",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(report_arguments),
};

const ubi__command ubi__command_report = {
    .usage = &usage,
    .run = report_run,
};
