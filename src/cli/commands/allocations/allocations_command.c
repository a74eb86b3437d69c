/* SPDX-License-Identifier: MIT
 *
 * allocations_command.c: `ubiheap allocations`, which functions allocated what, and when.
 */
#include "base/status.h"
#include "cli/commands/allocations/allocations_page.h"
#include "cli/commands/allocations/allocations_recording.h"
#include "cli/commands/report/recording_report.h"

typedef struct allocations_arguments {
    bool timeline, with_callees;
    const char *by;
    uint64_t callers, limit;
} allocations_arguments;

#define AT(field) offsetof(allocations_arguments, field)

static ubi_status show(ubi__cli *cli, const ubi__snapshot *snapshot, const allocations_arguments *arguments) {
    ubi_allocations_options options = UBI_ALLOCATIONS_OPTIONS_INIT;
    ubi_allocations *allocations;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    ubi_status status = ubi_allocations_new(&allocations, snapshot->look, &options);
    ubi__progress_line_clear(&cli->progress);
    UBI_TRY(status);
    ubi__allocations_answer answer = {
        .allocations = allocations,
        .limit = arguments->limit,
        .caller_levels = arguments->callers < UINT32_MAX ? (uint32_t)arguments->callers : UINT32_MAX,
        .timeline = arguments->timeline,
    };
    status = cli->common.json ? ubi__allocations_document(cli, snapshot, &answer)
                              : ubi__allocations_page(cli, snapshot, &answer);
    ubi_allocations_free(allocations);
    return status;
}

static ubi_status show_recording(ubi__cli *cli, const char *path, const allocations_arguments *arguments,
                                 int *exit_code) {
    const ubi__allocations_wishes wishes = {
        .by = arguments->by,
        .limit = arguments->limit,
        .caller_levels = arguments->callers < UINT32_MAX ? (uint32_t)arguments->callers : UINT32_MAX,
        .with_callees = arguments->with_callees,
    };
    if (arguments->timeline)
        return ubi__fail(UBI_EINVAL, "--timeline is for snapshots; 'ubiheap report' says what of a recording was alive "
                                     "when, 'ubiheap timeline' has its markers");
    return ubi__allocations_of_recording(cli, path, &wishes, exit_code);
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const allocations_arguments *arguments = values;
    ubi__snapshot snapshot;
    (void)n_operands;
    if (ubi__is_recording(operands[0]))
        return show_recording(cli, operands[0], arguments, exit_code);
    UBI_TRY(ubi__input_check(cli, operands[0]));
    if (arguments->by || arguments->with_callees)
        return ubi__fail(UBI_EINVAL, "--%s is for recordings of allocations", arguments->by ? "by" : "with-callees");
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, operands[0]));
    ubi_status status = show(cli, &snapshot, values);
    ubi__snapshot_close(&snapshot);
    return status;
}

static const ubi__option options[] = {
    { "timeline", 't', UBI__OPTION_FLAG, AT(timeline), NULL, NULL,
      "not by function but by time: what of each span is still alive", NULL },
    { "callers", 0, UBI__OPTION_NUMBER, AT(callers), "N", NULL, "show N levels of callers below each function", "0" },
    { "by", 0, UBI__OPTION_CHOICE, AT(by), "WHAT", ubi__recording_orders,
      "of a recording: sort by bytes leaked, at the peak or in total, or by allocations, all or temporary; the default "
      "is what matters most",
      NULL },
    { "with-callees", 0, UBI__OPTION_FLAG, AT(with_callees), NULL, NULL,
      "of a recording: numbers are those of a function with all that it called", NULL },
    UBI__OPTION_LIMIT(AT(limit), "print the first N functions; 0: all", "20"),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "allocations app.heaptimeline", "who allocated most, and what of it is still there" },
    { "allocations --callers 3 --limit 5 app.heaptimeline", "and who called them" },
    { "allocations --timeline app.heaptimeline", "when what is alive came" },
    { "allocations --with-callees --by peak server.ubirec",
      "what a program's functions have at its peak, with all they call" },
    { NULL, NULL },
};

const ubi__command ubi__command_allocations = {
    .name = "allocations",
    .operands = "FILE",
    .summary = "list functions by what they allocated",
    .question = "Which functions allocated what is in this heap?",
    .description =
        "A row is a function: how much it allocated itself while somebody recorded, in how many objects, and what of "
        "that is still in the snapshot. With --callers, the functions that called it stand below, with the part that "
        "each accounts for, the largest first.\n"
        "\n"
        "Numbers are those of Chrome's DevTools: objects that a function allocated count with their sizes then, those "
        "that live with their sizes now, which may be larger. V8 forgets who made an object when a collection moves "
        "it to close a gap; it then counts as gone. Under node --no-compact, or Chrome's --js-flags=--no-compact, none "
        "is. Recursive calls are callers of themselves.\n"
        "\n"
        "--timeline shows spans of time, the first being all that came before, with the JavaScript objects of each "
        "that "
        "are still alive. In JSON both are always there, and times are in milliseconds.\n"
        "\n"
        "Of a recording of allocations (.ubirec, from ubiheap record) a row is what a function did not free, had at "
        "the "
        "peak and allocated: itself, that is, without what it called, but with the allocators, containers and wrappers "
        "that it "
        "asks. The last column is the same as the first, with all that the function called; --with-callees turns that "
        "round. What a "
        "recursive function has with its callees counts once. Numbers of a sampled recording are limits or, with ~, "
        "estimates.\n"
        "\n"
        "Chrome writes all of this (\"Allocations on timeline\" with \"Allocation stack traces\"). Firefox writes the "
        "stacks of live nodes, so that what is alive can be shown; its functions are told apart by name and source.",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(allocations_arguments),
    .run = run,
};
