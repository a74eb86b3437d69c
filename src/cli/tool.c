/* SPDX-License-Identifier: MIT
 *
 * tool.c: see tool.h.
 *
 * The first word is a command's name; otherwise the default command for a lone file is meant. Options, those of the
 * program included, may then be anywhere.
 */
#include "cli/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/cli_ask.h"
#include "cli/cli_files.h"
#include "cli/manual.h"
#include "cli/option_files.h"
#include "cli/options.h"
#include "cli/remote_schemes.h"
#include "cli/script_runners.h"
#include "cli/terminal.h"

/* A command, and whether it was asked for by its name. */
typedef struct call {
    const ubi__command *command;
    bool is_named;
} call;

typedef struct program_arguments {
    bool wants_version;
} program_arguments;

static const ubi__parameter program_options[] = {
    UBI__FLAG("version", 0, offsetof(program_arguments, wants_version), ""),
    UBI__PARAMETERS_END,
};

static const ubi__parameter no_options[] = { UBI__PARAMETERS_END };

static bool is_for_one_file(const ubi__command *c) {
    return c->usage->max_operands == 1 && c->usage->operands && strcmp(c->usage->operands, "FILE") == 0;
}

/* A command that is named too late, as in "FILE summary", or NULL. */
static const ubi__command *late_command(char **operands, int n) {
    const ubi__command *late = NULL;
    for (int i = 1; i < n && !late; i++)
        late = ubi__command_find(operands[i]);
    return late;
}

/* What to do with several depends on their kinds. */
static ubi_status fail_several(char **operands, int n) {
    for (int i = 0; i < n; i++) {
        ubi__file_use use = ubi__input_use(operands[i]);
        if (use == UBI__FILE_RECORDING)
            return ubi__fail(UBI_EINVAL,
                             "one FILE at a time, not %d; to compare recordings, take a table of each: 'ubiheap report "
                             "--format tsv FILE'. Those of processes that were recorded together are read with the "
                             "first one",
                             n);
        if (use == UBI__FILE_TIMELINE)
            return ubi__fail(UBI_EINVAL,
                             "one FILE at a time, not %d; to compare timelines, take 'ubiheap timeline "
                             "--json FILE' of each",
                             n);
    }
    return ubi__fail(UBI_EINVAL, "one FILE at a time, not %d; 'ubiheap leaks' and 'ubiheap diff' compare several", n);
}

static ubi_status check_operands(const ubi__command *c, char **operands, int n) {
    if (n < (c->least_operands ? c->least_operands : c->usage->min_operands))
        return ubi__fail(UBI_EINVAL, "expected %s, as in: ubiheap %s", c->usage->operands, c->usage->examples[0].line);
    const ubi__command *late = n > c->usage->max_operands && is_for_one_file(c) ? late_command(operands, n) : NULL;
    if (late)
        return ubi__fail(UBI_EINVAL, "the command comes first; did you mean: ubiheap %s %s", late->usage->name,
                         late->usage->operands ? late->usage->operands : "");
    if (n > c->usage->max_operands && is_for_one_file(c))
        return fail_several(operands, n);
    if (n > c->usage->max_operands)
        return ubi__fail(UBI_EINVAL, "unexpected argument '%s'; see 'ubiheap help %s'",
                         operands[c->usage->max_operands], c->usage->name);
    return UBI_OK;
}

static void cli_prepare(ubi__cli *cli) {
    int progress = cli->common.progress;
    cli->page.style = ubi__terminal_style(STDOUT_FILENO, cli->common.color);
    cli->page.is_terminal = isatty(STDOUT_FILENO);
    cli->page.lines = ubi__terminal_lines(STDOUT_FILENO);
    cli->compat = cli->common.compat ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    ubi__progress_line_init(&cli->progress, progress > 0 || (progress == 0 && isatty(STDERR_FILENO)), progress >= 0);
}

/* ---- words that may be files ------------------------------------------------------------------------------------- */

/* Counts as a file if stat fails for any reason other than absence: opening it says why. */
static bool names_file(const char *word) {
    struct stat facts;
    return strcmp(word, "-") == 0 || ubi__remote_is_address(word, ubi__remote_schemes) || stat(word, &facts) == 0 ||
           (errno != ENOENT && errno != ENOTDIR);
}

static ubi_status fail_unknown_word(ubi__cli *cli, const char *word) {
    const char *near = ubi__command_suggest(word);
    cli->subject = word;
    if (near)
        return ubi__fail(UBI_EINVAL, "no command and no file of that name; did you mean '%s'?", near);
    return ubi__fail(UBI_EINVAL, "no command and no file of that name; see 'ubiheap help'");
}

/* `word`: the first that is not an option, of a line that begins with options. */
static ubi_status check_first_operand(ubi__cli *cli, const char *word) {
    const ubi__command *meant = ubi__command_find(word);
    if (meant)
        return ubi__fail(UBI_EINVAL, "options follow the command: ubiheap %s [OPTIONS]%s%s", meant->usage->name,
                         meant->usage->operands ? " " : "", meant->usage->operands ? meant->usage->operands : "");
    return names_file(word) ? UBI_OK : fail_unknown_word(cli, word);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static ubi_status run_with(ubi__cli *cli, const call *called, void *arguments, char **argv, int argc, int *exit_code) {
    const ubi__command *c = called->command;
    program_arguments program = { 0 };
    const ubi__option_table tables[] = {
        { c->usage->parameters, arguments, c->related ? c->related->usage->parameters : NULL, c->related_words },
        { .parameters = ubi__common_options, .values = &cli->common },
        { .parameters = ubi__compat_options, .values = &cli->common },
        { .parameters = ubi__command_has_index(c) ? ubi__index_options : no_options, .values = &cli->common },
        { .parameters = called->is_named ? no_options : program_options, .values = &program }
    };
    int n_operands, n_tables = sizeof tables / sizeof *tables;
    UBI_TRY(ubi__options_parse_first(&n_operands, argv, argc, tables, n_tables, c->usage->has_options_first));
    cli_prepare(cli);
    if (program.wants_version) {
        ubi__out_printf(cli->page.out, "ubiheap %s\n", ubi_version());
        for (const ubi__script_runner *const *runner = ubi__script_runners; *runner; runner++)
            ubi__out_printf(cli->page.out, "%s\n", (*runner)->title());
        return UBI_OK;
    }
    if (cli->common.wants_help) {
        const ubi__command *explained = called->is_named ? c : n_operands ? ubi__command_find(argv[0]) : NULL;
        ubi__manual_help(cli->page.out, &cli->page.style, explained);
        return UBI_OK;
    }
    if (!called->is_named && n_operands)
        UBI_TRY(check_first_operand(cli, argv[0]));
    cli->subject = c->usage->name;
    UBI_TRY(check_operands(c, argv, n_operands));
    UBI_TRY(ubi__option_files_read(arguments, c->usage->parameters, argv,
                                   c->usage->has_options_first && n_operands ? 1 : n_operands));
    return c->run ? c->run(cli, arguments, argv, n_operands, exit_code)
                  : ubi__cli_ask(cli, c->question, arguments, argv, n_operands, exit_code);
}

static ubi_status run_call(ubi__cli *cli, const call *called, char **argv, int argc, int *exit_code) {
    size_t bytes = called->command->usage->arguments_bytes;
    void *arguments = calloc(1, bytes ? bytes : 1);
    if (!arguments)
        return ubi__fail_nomem();
    cli->subject = called->is_named ? called->command->usage->name : NULL;
    ubi_status status = run_with(cli, called, arguments, argv, argc, exit_code);
    ubi__usage_values_fini(arguments, called->command->usage->parameters);
    free(arguments);
    return status;
}

/* A user who types only the name wants an overview; a script forgot something. */
static ubi_status run_nothing(ubi__cli *cli) {
    if (!isatty(cli->output->fd))
        return ubi__fail(UBI_EINVAL, "no command and no file given; see 'ubiheap help'");
    cli_prepare(cli);
    ubi__manual_short_help(cli->page.out, &cli->page.style);
    return UBI_OK;
}

ubi_status ubi__tool_run(ubi__cli *cli, char **argv, int argc, int *exit_code) {
    cli->page.out = &cli->output->out;
    if (argc < 2)
        return run_nothing(cli);
    call called = { ubi__command_find(argv[1]), true };
    if (called.command)
        return run_call(cli, &called, argv + 2, argc - 2, exit_code);
    if (argv[1][0] != '-' && !names_file(argv[1]))
        return fail_unknown_word(cli, argv[1]);
    called = (call){ ubi__command_default(), false };
    return run_call(cli, &called, argv + 1, argc - 1, exit_code);
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

int ubi__finish(ubi__cli *cli, ubi_status status, int exit_code) {
    const char *subject = cli->subject;
    ubi__standard_output *output = cli->output;
    ubi__progress_line_clear(&cli->progress);
    /* A failed write is why the command stopped, if it did: it comes first. */
    if (status == UBI_OK || output->out.has_failed) {
        ubi_status written = ubi__standard_output_flush(output);
        if (written != UBI_OK) {
            status = written;
            subject = NULL;
        }
    }
    if (cli->reason[0] && (status == UBI_OK || output->is_reader_gone))
        ubi__print_line(cli->subject, cli->reason);
    if (output->is_reader_gone)
        return exit_code;
    if (status == UBI_OK)
        return exit_code;
    if (status != UBI_ECANCELLED)
        ubi__print_line(subject, ubi_error_message());
    return ubi__exit_code(status);
}
