/* SPDX-License-Identifier: MIT
 *
 * main.c: ubiheap, the command line tool.
 *
 * Finds the command, reads its options, runs it, and ends with what came of it (finish.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/finish.h"
#include "cli/interrupt.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/terminal.h"

/* A large buffer. */
static ubi__standard_output standard_output;

/*
 * A closed descriptor 0 to 2 would be given to the next file opened, and output would go there. Programs that we start
 * find it closed, as we did.
 */
static void occupy_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            _exit(UBI__EXIT_SYSTEM);
}

static ubi_status check_operands(const ubi__command *c, char **operands, int n) {
    if (n < c->min_operands)
        return ubi__fail(UBI_EINVAL, "expected %s; see 'ubiheap help %s'", c->operands, c->name);
    if (n > c->max_operands)
        return ubi__fail(UBI_EINVAL, "unexpected argument '%s'; see 'ubiheap help %s'", operands[c->max_operands],
                         c->name);
    return UBI_OK;
}

static void prepare(ubi__cli *cli) {
    int progress = cli->common.progress;
    cli->style = ubi__terminal_style(STDOUT_FILENO, cli->common.color);
    cli->compat = cli->common.compat ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    ubi__progress_line_init(&cli->progress, progress > 0 || (progress == 0 && isatty(STDERR_FILENO)));
}

static ubi_status run_with(ubi__cli *cli, const ubi__command *c, void *arguments, char **argv, int argc,
                           int *exit_code) {
    const ubi__option_table tables[] = { { c->options, arguments }, { ubi__common_options, &cli->common } };
    int n_operands;
    UBI_TRY(ubi__options_parse_first(&n_operands, argv, argc, tables, 2, c->options_first));
    prepare(cli);
    if (cli->common.help) {
        ubi__manual_help(&cli->output->out, &cli->style, c);
        return UBI_OK;
    }
    UBI_TRY(check_operands(c, argv, n_operands));
    return c->run(cli, arguments, argv, n_operands, exit_code);
}

static ubi_status run_command(ubi__cli *cli, const ubi__command *c, char **argv, int argc, int *exit_code) {
    void *arguments = calloc(1, c->arguments_bytes ? c->arguments_bytes : 1);
    if (!arguments)
        return ubi__fail_nomem();
    cli->subject = c->name;
    ubi_status status = run_with(cli, c, arguments, argv, argc, exit_code);
    free(arguments);
    return status;
}

/* Options before the command. */
static ubi_status run_program_option(ubi__cli *cli, const char *option) {
    if (strcmp(option, "--version") == 0) {
        ubi__out_printf(&cli->output->out, "ubiheap %s\n", ubi_version());
        return UBI_OK;
    }
    if (strcmp(option, "--help") != 0 && strcmp(option, "-h") != 0)
        return ubi__fail(UBI_EINVAL, "unknown option %s; options of a command stand behind it", option);
    prepare(cli);
    ubi__manual_help(&cli->output->out, &cli->style, NULL);
    return UBI_OK;
}

static ubi_status run(ubi__cli *cli, char **argv, int argc, int *exit_code) {
    if (argc < 2)
        return ubi__fail(UBI_EINVAL, "no command given; see 'ubiheap help'");
    if (argv[1][0] == '-')
        return run_program_option(cli, argv[1]);
    const ubi__command *c = ubi__command_find(argv[1]);
    if (c)
        return run_command(cli, c, argv + 2, argc - 2, exit_code);
    const char *near = ubi__command_suggest(argv[1]);
    if (near)
        return ubi__fail(UBI_EINVAL, "unknown command '%s'; did you mean '%s'?", argv[1], near);
    return ubi__fail(UBI_EINVAL, "unknown command '%s'; see 'ubiheap help'", argv[1]);
}

int main(int argc, char **argv) {
    occupy_standard_descriptors();
    ubi__interrupt_install();
    ubi__standard_output_init(&standard_output, STDOUT_FILENO);
    ubi__cli cli = { .output = &standard_output };
    int exit_code = UBI__EXIT_OK;
    ubi_status status = run(&cli, argv, argc, &exit_code);
    return ubi__finish(&cli, status, exit_code);
}
