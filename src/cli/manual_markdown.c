/* SPDX-License-Identifier: MIT
 *
 * manual_markdown.c: the reference page of all options and parameters, from the tables that read them.
 *
 * A row is one parameter of a command or question: how it is written on a command line, by which name programs give it in JSON
 * (ubi_ask()), what values it takes, and the sentence of the help.
 */
#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

static void markdown_text(ubi__out *out, const char *text) {
    for (; *text; text++) {
        if (strchr("|<*\\[", *text))
            ubi__out_char(out, '\\');
        ubi__out_char(out, *text);
    }
}

static void markdown_paragraph(ubi__out *out, const char *text) {
    markdown_text(out, text);
    ubi__out_string(out, "\n\n");
}

/* `-n`, `--limit N` */
static void option_cell(ubi__out *out, const ubi__parameter *p) {
    if (p->scope == UBI__SCOPE_PROGRAM)
        return;
    if (p->is_operand) {
        ubi__out_printf(out, "`%s`", p->argument);
        return;
    }
    if (p->letter)
        ubi__out_printf(out, "`-%c`, ", p->letter);
    ubi__out_printf(out, "`--%s%s%s%s`", p->kind == UBI__PARAMETER_SWITCH ? "[no-]" : "", p->name,
                    p->argument ? " " : "", p->argument ? p->argument : "");
}

static void json_cell(ubi__out *out, const ubi__parameter *p, const ubi__question *question) {
    char name[UBI__PARAMETER_NAME_BYTES];
    if (question && p->scope != UBI__SCOPE_TERMINAL)
        ubi__out_printf(out, "`%s`", ubi__parameter_json_name(name, p));
}

static void choices_write(ubi__out *out, const char *const *choices) {
    for (; *choices; choices++)
        ubi__out_printf(out, "`%s`%s", *choices, choices[1] ? ", " : "");
}

static void value_cell(ubi__out *out, const ubi__parameter *p) {
    switch (p->kind) {
    case UBI__PARAMETER_FLAG:
    case UBI__PARAMETER_SWITCH:
        ubi__out_string(out, "yes or no");
        break;
    case UBI__PARAMETER_TEXT:
        ubi__out_string(out, "text");
        break;
    case UBI__PARAMETER_NUMBER:
        ubi__out_string(out, "number");
        if (p->least)
            ubi__out_printf(out, ", %llu or more", (unsigned long long)p->least);
        break;
    case UBI__PARAMETER_CHOICE:
        choices_write(out, p->choices);
        break;
    case UBI__PARAMETER_TEXTS:
        ubi__out_string(out, "text, repeatable");
        break;
    case UBI__PARAMETER_NODE:
        ubi__out_string(out, "id of a node");
        break;
    case UBI__PARAMETER_NODES:
        ubi__out_string(out, "ids of nodes");
        break;
    case UBI__PARAMETER_BREAKDOWN:
        ubi__out_string(out, "[breakdown](breakdowns.md)");
        break;
    case UBI__PARAMETER_HEAPS:
        ubi__out_string(out, "files; in JSON how many of the heaps");
        break;
    case UBI__PARAMETER_ALIAS:
        break;
    }
}

static void parameter_row(ubi__out *out, const ubi__parameter *p, const ubi__question *question) {
    ubi__out_string(out, "| ");
    option_cell(out, p);
    ubi__out_string(out, " | ");
    json_cell(out, p, question);
    ubi__out_string(out, " | ");
    value_cell(out, p);
    ubi__out_string(out, " | ");
    markdown_text(out, p->standard ? p->standard : "");
    ubi__out_string(out, " | ");
    markdown_text(out, p->help);
    ubi__out_string(out, " |\n");
}

static void parameter_table(ubi__out *out, const ubi__parameter *parameters, const ubi__question *question) {
    const ubi__parameter *p = ubi__parameter_at(parameters);
    if (!p)
        return;
    ubi__out_string(out, "| option | in JSON | value | default | |\n|---|---|---|---|---|\n");
    for (; p; p = ubi__parameter_at(p + 1))
        parameter_row(out, p, question);
    ubi__out_char(out, '\n');
}

static void glossary_table(ubi__out *out, const ubi__glossary *g) {
    const char *word, *help;
    ubi__out_printf(out, "%s:\n\n| | |\n|---|---|\n", g->title);
    for (size_t i = 0; g->entry(i, &word, &help); i++) {
        ubi__out_printf(out, "| `%s` | ", word);
        markdown_text(out, help);
        ubi__out_string(out, " |\n");
    }
    ubi__out_char(out, '\n');
}

/* Of a heap, of a recording, of a timeline: those that the question takes. */
static void schemas_list(ubi__out *out, const ubi__question *q) {
    static const ubi_session_kind kinds[] = { UBI_SESSION_HEAP, UBI_SESSION_RECORDING, UBI_SESSION_TIMELINE };
    const char *last = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *schema = ubi__question_schema(q, kinds[i]);
        if (!schema || strcmp(schema, last) == 0)
            continue;
        ubi__out_printf(out, "%s`%s`", *last ? ", or " : "; a question: its document is ", schema);
        last = schema;
    }
}

static void command_section(ubi__out *out, const ubi__command *c) {
    const ubi__usage *u = c->usage;
    ubi__out_printf(out, "### %s\n\n", u->name);
    markdown_paragraph(out, u->question);
    ubi__out_printf(out, "`ubiheap %s [OPTIONS]%s%s`%s", u->name, u->operands ? " " : "",
                    u->operands ? u->operands : "", u->has_firefox_mode ? ", also with `--compat firefox`" : "");
    if (c->question)
        schemas_list(out, c->question);
    ubi__out_string(out, "\n\n");
    parameter_table(out, u->parameters, c->question);
    if (u->glossary)
        glossary_table(out, u->glossary);
}

void ubi__manual_markdown(ubi__out *out) {
    ubi__out_string(
        out, "# Options and parameters\n\n"
             "Made by `ubiheap help --markdown` from the tables that read them; what answers look like is in "
             "[the command line](cli.md). A name in the\ncolumn \"in JSON\" is how programs give a parameter: to "
             "`ubi_ask()`, in [C, Python or JavaScript](../how-to/ask-from-python-or-javascript.md).\n\n"
             "## All commands\n\n");
    parameter_table(out, ubi__common_options, NULL);
    parameter_table(out, ubi__compat_options, NULL);
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        const char *group = ubi__command_group(*c);
        if (group)
            ubi__out_printf(out, "## %s\n\n", group);
        command_section(out, *c);
    }
}
