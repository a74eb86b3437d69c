/* SPDX-License-Identifier: MIT
 *
 * help_text.c: help for the terminal, wrapped to its width.
 */
#include "cli/manual.h"

#include <stdio.h>

#define WIDEST_HELP 100
#define TERM_COLUMNS 26    /* where explanations start */
#define COMMAND_COLUMNS 15 /* the same, of commands, whose names are short */

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    size_t columns;
} page;

static void title_write(const page *p, const char *text) {
    ubi__out_char(p->out, '\n');
    ubi__display_ink(p->out, p->style, UBI__INK_BOLD);
    ubi__out_string(p->out, text);
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_string(p->out, ":\n");
}

/* Writes the words of text[0..n) between `indent` and the right edge, starting at column `at`. */
static void words_wrap(const page *p, const char *text, size_t n, size_t indent, size_t at) {
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
static void paragraphs_write(const page *p, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n == 0 || strncmp(text, "  ", 2) == 0) {
            ubi__out_bytes(p->out, text, n);
            ubi__out_char(p->out, '\n');
        } else {
            words_wrap(p, text, n, 0, 0);
        }
        text += n + (text[n] == '\n');
    }
}

/* `columns`: where the explanation starts. */
static void term_at(const page *p, size_t columns, const char *word, const char *help) {
    size_t n = strlen(word);
    ubi__out_string(p->out, "  ");
    ubi__out_string(p->out, word);
    size_t at = n + 2;
    if (at + 2 > columns) {
        ubi__out_char(p->out, '\n');
        at = 0;
    }
    ubi__display_pad(p->out, at, columns);
    words_wrap(p, help, strlen(help), columns, columns);
}

static void term_write(const page *p, const char *word, const char *help) {
    term_at(p, TERM_COLUMNS, word, help);
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
    term_write(p, word, help);
}

static void option_terms(const page *p, const ubi__option *options) {
    for (const ubi__option *o = options; (o = ubi__option_shown(o)); o++)
        option_term(p, o);
}

static void glossary_write(const page *p, const ubi__glossary *g) {
    const char *word, *help;
    title_write(p, g->title);
    for (size_t i = 0; g->entry(i, &word, &help); i++)
        term_write(p, word, help);
}

static void rows_write(const page *p, const char *heading, const ubi__manual_row *row) {
    title_write(p, heading);
    for (; row->word; row++)
        term_write(p, row->word, row->help);
}

static void example_list(const page *p, const ubi__example *example) {
    title_write(p, "Examples");
    for (; example->line; example++) {
        ubi__out_printf(p->out, "  ubiheap %s\n", example->line);
        words_wrap(p, example->help, strlen(example->help), 6, 0);
    }
}

/* The question that it answers, and the plainest way to ask. */
static void opening_write(const page *p, const ubi__command *c) {
    ubi__display_ink(p->out, p->style, UBI__INK_BOLD);
    words_wrap(p, c->question, strlen(c->question), 0, 0);
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "\n  ubiheap %s\n\n", c->examples[0].line);
}

static void command_help(const page *p, const ubi__command *c) {
    opening_write(p, c);
    ubi__out_printf(p->out, "Usage: ubiheap %s [OPTIONS]%s%s\n\n", c->name, c->operands ? " " : "",
                    c->operands ? c->operands : "");
    paragraphs_write(p, c->description);
    if (c->options->name) {
        title_write(p, "Options");
        option_terms(p, c->options);
        if (c->firefox)
            option_terms(p, ubi__compat_options);
    }
    title_write(p, "Common options");
    option_terms(p, ubi__common_options);
    if (c->glossary)
        glossary_write(p, c->glossary);
    example_list(p, c->examples);
}

static void group_list(const page *p) {
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        const char *group = ubi__command_group(*c);
        if (group)
            title_write(p, group);
        term_at(p, COMMAND_COLUMNS, (*c)->name, (*c)->summary);
    }
}

static void usage_write(const page *p) {
    for (const ubi__manual_row *row = ubi__manual_usage; row->word; row++)
        term_write(p, row->word, row->help);
}

static void program_help(const page *p) {
    usage_write(p);
    ubi__out_char(p->out, '\n');
    paragraphs_write(p, ubi__manual_about);
    group_list(p);
    title_write(p, "Common options");
    option_terms(p, ubi__common_options);
    rows_write(p, "Exit status", ubi__manual_exit_codes);
    rows_write(p, "Environment", ubi__manual_environment);
}

static page page_of(ubi__out *out, const ubi__style *style) {
    return (page){ out, style, style->columns < WIDEST_HELP ? style->columns : WIDEST_HELP };
}

void ubi__manual_help(ubi__out *out, const ubi__style *style, const ubi__command *command) {
    page p = page_of(out, style);
    if (command)
        command_help(&p, command);
    else
        program_help(&p);
}

void ubi__manual_short_help(ubi__out *out, const ubi__style *style) {
    page p = page_of(out, style);
    usage_write(&p);
    group_list(&p);
}
