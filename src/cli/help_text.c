/* SPDX-License-Identifier: MIT
 *
 * help_text.c: help for the terminal, wrapped to its width.
 */
#include "cli/manual.h"

#include <stdio.h>

#define WIDEST_HELP 100
#define TERM_COLUMNS 26 /* where explanations start */

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    size_t columns;
} page;

static void title(const page *p, const char *text) {
    ubi__out_char(p->out, '\n');
    ubi__display_ink(p->out, p->style, UBI__INK_BOLD);
    ubi__out_string(p->out, text);
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_string(p->out, ":\n");
}

/* Writes the words of text[0..n) between `indent` and the right edge, starting at column `at`. */
static void wrap(const page *p, const char *text, size_t n, size_t indent, size_t at) {
    size_t i = 0;
    while (i < n) {
        size_t word = strcspn(text + i, " \n");
        if (word > n - i)
            word = n - i;
        bool starts_line = at <= indent;
        if (!starts_line && at + 1 + word > p->columns) {
            ubi__out_char(p->out, '\n');
            at = 0;
            starts_line = true;
        }
        if (starts_line) {
            ubi__display_pad(p->out, at, indent);
            at = indent;
        } else {
            ubi__out_char(p->out, ' ');
            at++;
        }
        ubi__out_bytes(p->out, text + i, word);
        at += word;
        i += word;
        i += strspn(text + i, " \n");
    }
    ubi__out_char(p->out, '\n');
}

/* Paragraphs as in ubi__command.description. */
static void paragraphs(const page *p, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n == 0 || strncmp(text, "  ", 2) == 0) {
            ubi__out_bytes(p->out, text, n);
            ubi__out_char(p->out, '\n');
        } else {
            wrap(p, text, n, 0, 0);
        }
        text += n + (text[n] == '\n');
    }
}

static void term(const page *p, const char *word, const char *help) {
    size_t n = strlen(word);
    ubi__out_string(p->out, "  ");
    ubi__out_string(p->out, word);
    size_t at = n + 2;
    if (at + 2 > TERM_COLUMNS) {
        ubi__out_char(p->out, '\n');
        at = 0;
    }
    ubi__display_pad(p->out, at, TERM_COLUMNS);
    wrap(p, help, strlen(help), TERM_COLUMNS, TERM_COLUMNS);
}

static void option_term(const page *p, const ubi__option *o) {
    char word[80], help[320];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(word, sizeof word, "%s--%s%s%s%s", letter, o->type == UBI__OPTION_SWITCH ? "[no-]" : "", o->name,
             o->argument ? " " : "", o->argument ? o->argument : "");
    snprintf(help, sizeof help, "%s%s%s%s", o->help, o->standard ? " (default: " : "", o->standard ? o->standard : "",
             o->standard ? ")" : "");
    term(p, word, help);
}

static void option_list(const page *p, const char *heading, const ubi__option *options) {
    title(p, heading);
    for (const ubi__option *o = options; o->name; o++)
        option_term(p, o);
}

static void glossary(const page *p, const ubi__glossary *g) {
    const char *word, *help;
    title(p, g->title);
    for (size_t i = 0; g->entry(i, &word, &help); i++)
        term(p, word, help);
}

static void rows(const page *p, const char *heading, const ubi__manual_row *row) {
    title(p, heading);
    for (; row->word; row++)
        term(p, row->word, row->help);
}

static void example_list(const page *p, const ubi__example *example) {
    title(p, "Examples");
    for (; example->line; example++) {
        ubi__out_printf(p->out, "  ubiheap %s\n", example->line);
        wrap(p, example->help, strlen(example->help), 6, 0);
    }
}

static void command_help(const page *p, const ubi__command *c) {
    ubi__out_printf(p->out, "Usage: ubiheap %s [OPTIONS]%s%s\n\n", c->name, c->operands ? " " : "",
                    c->operands ? c->operands : "");
    paragraphs(p, c->description);
    if (c->options->name)
        option_list(p, "Options", c->options);
    option_list(p, "Common options", ubi__common_options);
    if (c->glossary)
        glossary(p, c->glossary);
    if (c->examples)
        example_list(p, c->examples);
}

static void program_help(const page *p) {
    ubi__out_string(p->out, "Usage: ubiheap [--help|--version] COMMAND [OPTIONS] ...\n\n");
    paragraphs(p, ubi__manual_about);
    title(p, "Commands");
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        term(p, (*c)->name, (*c)->summary);
    option_list(p, "Common options", ubi__common_options);
    rows(p, "Exit status", ubi__manual_exit_codes);
    rows(p, "Environment", ubi__manual_environment);
    ubi__out_string(p->out, "\n'ubiheap help COMMAND' explains a command.\n");
}

void ubi__manual_help(ubi__out *out, const ubi__style *style, const ubi__command *command) {
    page p = { out, style, style->columns < WIDEST_HELP ? style->columns : WIDEST_HELP };
    if (command)
        command_help(&p, command);
    else
        program_help(&p);
}
