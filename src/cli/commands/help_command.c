/* SPDX-License-Identifier: MIT
 *
 * help_command.c: `ubiheap help`, and the generated man pages and shell completion that packages install.
 */
#include "base/status.h"
#include "cli/manual.h"

typedef struct help_arguments {
    bool wants_man, wants_commands, wants_bash_completion, wants_markdown, wants_http, wants_rdp;
} help_arguments;

#define AT(field) offsetof(help_arguments, field)

static const ubi__parameter parameters[] = {
    UBI__FLAG("man", 0, AT(wants_man), "print the man page, in roff"),
    UBI__FLAG("commands", 0, AT(wants_commands), "print the names of all commands, one per line"),
    UBI__FLAG("bash-completion", 0, AT(wants_bash_completion), "print a completion script for bash"),
    UBI__FLAG("markdown", 0, AT(wants_markdown),
              "print the reference page of all options, and of the parameters of questions, in Markdown"),
    UBI__FLAG("http", 0, AT(wants_http), "print the reference page of the HTTP interface, in Markdown"),
    UBI__FLAG("rdp", 0, AT(wants_rdp), "print the reference page of the remote protocol, in Markdown"),
    UBI__PARAMETERS_END,
};

static ubi_status topic_find(const ubi__command **out, const char *name) {
    *out = ubi__command_find(name);
    if (*out)
        return UBI_OK;
    const char *near = ubi__command_suggest(name);
    if (near)
        return ubi__fail(UBI_EINVAL, "unknown command '%s'; did you mean '%s'?", name, near);
    return ubi__fail(UBI_EINVAL, "unknown command '%s'; see 'ubiheap help'", name);
}

static ubi_status help_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const help_arguments *arguments = values;
    const ubi__command *command = NULL;
    ubi__out *out = cli->page.out;
    (void)exit_code;
    if (n_operands)
        UBI_TRY(topic_find(&command, operands[0]));
    if (arguments->wants_commands) {
        for (const ubi__command *const *c = ubi__commands; *c; c++)
            ubi__out_printf(out, "%s\n", (*c)->usage->name);
    } else if (arguments->wants_bash_completion) {
        ubi__manual_bash_completion(out);
    } else if (arguments->wants_markdown) {
        ubi__manual_markdown(out);
    } else if (arguments->wants_http) {
        ubi__manual_http_markdown(out);
    } else if (arguments->wants_rdp) {
        ubi__manual_rdp_markdown(out);
    } else if (arguments->wants_man) {
        ubi__manual_man_page(out, command);
    } else {
        ubi__manual_help(out, &cli->page.style, command);
    }
    return UBI_OK;
}

static const ubi__example examples[] = {
    { "help census", "what the command census does and which options it has" },
    { "help --man census | man -l -", "the same as a man page" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command, or ubiheap as a whole",
    .question = "What can ubiheap do, and how is a command used?",
    .description =
        "Prints help. Everything here, the man pages and the shell completion come from one table of commands "
        "and options.",
    .parameters = parameters,
    .examples = examples,
    .max_operands = 1,
    .arguments_bytes = sizeof(help_arguments),
};

const ubi__command ubi__command_help = {
    .usage = &usage,
    .run = help_run,
};
