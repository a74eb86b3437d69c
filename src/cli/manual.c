/* SPDX-License-Identifier: MIT
 *
 * manual.c: see manual.h.
 *
 * In man pages, text is escaped for roff in one place (man_text_write()): backslashes, hyphens that must stay hyphens, and lines that
 * would start with a control character. The completion script needs nothing but bash. Where it has nothing to offer, bash completes file
 * names (complete -o default). Commands are offered in the order of the help, group by group (-o nosort, which bash has since 4.4).
 */
#include "cli/manual.h"

#include <ctype.h>
#include <stdio.h>

/* ---- what belongs to no single command -------------------------------------------------------------------------- */

const ubi__manual_row ubi__manual_usage[] = {
    { "ubiheap FILE", "show on one page what fills FILE, and what next" },
    { "ubiheap COMMAND FILE", "run one of the commands below" },
    { "ubiheap help COMMAND", "explain the command, with examples" },
    { "ubiheap --version", "print the version" },
    { NULL, NULL },
};

const char ubi__manual_about[] =
    "ubiheap opens heap snapshots and shows what is in them: how much memory, in what kinds of objects, what keeps it "
    "alive, and what leaks. It reads the .heapsnapshot files of Node.js and Chrome, the .fxsnapshot files of Firefox, "
    "the heap snapshots of Safari and Bun (JavaScriptCore), compressed or not, and its own recordings of programs. "
    "FILE is a path, or - for standard input.\n"
    "\n"
    "Results go to standard output, everything else to standard error. With --json every command prints one JSON "
    "document whose schema is named in it. When the reader of a pipe closes it, the command stops, with status 0 and "
    "no message.";

const ubi__manual_row ubi__manual_exit_codes[] = {
    { "0", "done" },
    { "1", "a condition given with --fail-on holds" },
    { "2", "wrong usage" },
    { "3", "bad input file, or a condition that cannot be decided" },
    { "4", "input/output, memory or system error" },
    { "130", "interrupted" },
    { NULL, NULL },
};

const ubi__manual_row ubi__manual_environment[] = {
    { "NO_COLOR", "when set and not empty, no colour unless --color=always" },
    { "COLUMNS", "width of the output; default: the terminal's, 100 without one" },
    { "LINES", "height of the screen, for reports on recordings; default: the terminal's" },
    { "LC_ALL, LC_CTYPE, LANG", "the first that is set names the charset; other than UTF-8: plain ASCII output" },
    { NULL, NULL },
};

/* ---- help for the terminal, wrapped to its width ---------------------------------------------------------------- */

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

static void option_term(const page *p, const ubi__parameter *o) {
    char word[80], help[320];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(word, sizeof word, "%s--%s%s%s%s", letter, o->kind == UBI__PARAMETER_SWITCH ? "[no-]" : "", o->name,
             o->argument ? " " : "", o->argument ? o->argument : "");
    snprintf(help, sizeof help, "%s%s%s%s", o->help, o->standard ? " (default: " : "", o->standard ? o->standard : "",
             o->standard ? ")" : "");
    term_write(p, word, help);
}

static void option_terms(const page *p, const ubi__parameter *options) {
    for (const ubi__parameter *o = options; (o = ubi__option_at(o)); o++)
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
    words_wrap(p, c->usage->question, strlen(c->usage->question), 0, 0);
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "\n  ubiheap %s\n\n", c->usage->examples[0].line);
}

static void command_help(const page *p, const ubi__command *c) {
    opening_write(p, c);
    ubi__out_printf(p->out, "Usage: ubiheap %s [OPTIONS]%s%s\n\n", c->usage->name, c->usage->operands ? " " : "",
                    c->usage->operands ? c->usage->operands : "");
    paragraphs_write(p, c->usage->description);
    if (c->usage->parameters->name) {
        title_write(p, "Options");
        option_terms(p, c->usage->parameters);
        if (c->usage->has_firefox_mode)
            option_terms(p, ubi__compat_options);
    }
    title_write(p, "Common options");
    option_terms(p, ubi__common_options);
    if (ubi__command_has_index(c))
        option_terms(p, ubi__index_options);
    if (c->usage->glossary)
        glossary_write(p, c->usage->glossary);
    example_list(p, c->usage->examples);
}

static void group_list(const page *p) {
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        const char *group = ubi__command_group(*c);
        if (group)
            title_write(p, group);
        term_at(p, COMMAND_COLUMNS, (*c)->usage->name, (*c)->usage->summary);
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

/* ---- man pages -------------------------------------------------------------------------------------------------- */

static void man_text_bytes(ubi__out *out, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool line_start = i == 0 || s[i - 1] == '\n';
        if (line_start && (s[i] == '.' || s[i] == '\''))
            ubi__out_string(out, "\\&");
        if (s[i] == '\\')
            ubi__out_string(out, "\\e");
        else if (s[i] == '-')
            ubi__out_string(out, "\\-");
        else if (s[i] == '\'')
            ubi__out_string(out, "\\(aq");
        else
            ubi__out_char(out, s[i]);
    }
}

static void man_text_write(ubi__out *out, const char *s) {
    man_text_bytes(out, s, strlen(s));
}

static void section_write(ubi__out *out, const char *name) {
    ubi__out_string(out, ".SH ");
    if (strchr(name, ' '))
        ubi__out_printf(out, "\"%s\"\n", name);
    else
        ubi__out_printf(out, "%s\n", name);
}

static void header_write(ubi__out *out, const ubi__command *c) {
    ubi__out_string(out, ".\\\" Generated by 'ubiheap help --man'.\n.TH UBIHEAP");
    if (c) {
        ubi__out_char(out, '-');
        for (const char *p = c->usage->name; *p; p++)
            ubi__out_char(out, (char)toupper((unsigned char)*p));
    }
    ubi__out_printf(out, " 1 \"\" \"ubiheap %s\" \"User Commands\"\n", ubi_version());
}

/* Paragraphs as in ubi__command.description; a run of indented lines becomes an unfilled block. */
static void man_paragraphs_write(ubi__out *out, const char *s) {
    bool literal = false;
    while (*s) {
        size_t n = strcspn(s, "\n");
        bool indented = strncmp(s, "  ", 2) == 0;
        if (indented != literal)
            ubi__out_string(out, indented ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
        literal = indented;
        if (n == 0) {
            if (s[1] && strncmp(s + 1, "  ", 2) != 0)
                ubi__out_string(out, ".PP\n");
        } else {
            man_text_bytes(out, indented ? s + 2 : s, indented ? n - 2 : n);
            ubi__out_char(out, '\n');
        }
        s += n + (s[n] == '\n');
    }
    if (literal)
        ubi__out_string(out, ".fi\n.RE\n");
}

static void man_term_write(ubi__out *out, const char *word, const char *help) {
    ubi__out_string(out, ".TP\n\\fB");
    man_text_write(out, word);
    ubi__out_string(out, "\\fR\n");
    man_text_write(out, help);
    ubi__out_string(out, ".\n");
}

static void man_option_term(ubi__out *out, const ubi__parameter *o) {
    ubi__out_string(out, ".TP\n");
    if (o->letter)
        ubi__out_printf(out, "\\fB\\-%c\\fR, ", o->letter);
    ubi__out_string(out, "\\fB\\-\\-");
    man_text_write(out, o->name);
    if (o->kind == UBI__PARAMETER_SWITCH) {
        ubi__out_string(out, "\\fR, \\fB\\-\\-no\\-");
        man_text_write(out, o->name);
    }
    ubi__out_string(out, "\\fR");
    if (o->argument)
        ubi__out_printf(out, " \\fI%s\\fR", o->argument);
    ubi__out_char(out, '\n');
    man_text_write(out, o->help);
    if (o->standard) {
        ubi__out_string(out, " (default: ");
        man_text_write(out, o->standard);
        ubi__out_char(out, ')');
    }
    ubi__out_string(out, ".\n");
}

static void man_option_terms(ubi__out *out, const ubi__parameter *options) {
    for (const ubi__parameter *o = options; (o = ubi__option_at(o)); o++)
        man_option_term(out, o);
}

static void option_section(ubi__out *out, const char *name, const ubi__parameter *options) {
    if (!options->name)
        return;
    section_write(out, name);
    man_option_terms(out, options);
}

static void row_section(ubi__out *out, const char *name, const ubi__manual_row *row) {
    section_write(out, name);
    for (; row->word; row++)
        man_term_write(out, row->word, row->help);
}

static void glossary_section(ubi__out *out, const ubi__glossary *g) {
    const char *word, *help;
    ubi__out_string(out, ".SH ");
    for (const char *p = g->title; *p; p++)
        ubi__out_char(out, (char)toupper((unsigned char)*p));
    ubi__out_char(out, '\n');
    for (size_t i = 0; g->entry(i, &word, &help); i++)
        man_term_write(out, word, help);
}

static void example_section(ubi__out *out, const ubi__example *example) {
    section_write(out, "EXAMPLES");
    for (; example->line; example++) {
        ubi__out_string(out, ".TP\n\\fBubiheap ");
        man_text_write(out, example->line);
        ubi__out_string(out, "\\fR\n");
        man_text_write(out, example->help);
        ubi__out_string(out, ".\n");
    }
}

/* The question that it answers, and the plainest way to ask. */
static void man_opening_write(ubi__out *out, const ubi__command *c) {
    man_text_write(out, c->usage->question);
    ubi__out_string(out, "\n.PP\n.RS 4\n.nf\nubiheap ");
    man_text_write(out, c->usage->examples[0].line);
    ubi__out_string(out, "\n.fi\n.RE\n.PP\n");
}

static void command_page(ubi__out *out, const ubi__command *c) {
    section_write(out, "NAME");
    ubi__out_printf(out, "ubiheap\\-%s \\- ", c->usage->name);
    man_text_write(out, c->usage->summary);
    ubi__out_char(out, '\n');
    section_write(out, "SYNOPSIS");
    ubi__out_printf(out, "\\fBubiheap %s\\fR [\\fIOPTIONS\\fR]", c->usage->name);
    if (c->usage->operands)
        ubi__out_printf(out, " \\fI%s\\fR", c->usage->operands);
    ubi__out_char(out, '\n');
    section_write(out, "DESCRIPTION");
    man_opening_write(out, c);
    man_paragraphs_write(out, c->usage->description);
    option_section(out, "OPTIONS", c->usage->parameters);
    if (c->usage->has_firefox_mode)
        man_option_terms(out, ubi__compat_options);
    option_section(out, "COMMON OPTIONS", ubi__common_options);
    if (ubi__command_has_index(c))
        man_option_terms(out, ubi__index_options);
    if (c->usage->glossary)
        glossary_section(out, c->usage->glossary);
    example_section(out, c->usage->examples);
    row_section(out, "EXIT STATUS", ubi__manual_exit_codes);
    section_write(out, "SEE ALSO");
    ubi__out_string(out, "\\fBubiheap\\fR(1)\n");
}

static void program_page(ubi__out *out) {
    section_write(out, "NAME");
    ubi__out_string(out, "ubiheap \\- see what is in a heap snapshot\n");
    section_write(out, "SYNOPSIS");
    ubi__out_string(out, "\\fBubiheap\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR\n.br\n"
                         "\\fBubiheap\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n.br\n"
                         "\\fBubiheap\\fR \\fB\\-\\-help\\fR|\\fB\\-\\-version\\fR\n");
    section_write(out, "DESCRIPTION");
    man_paragraphs_write(out, ubi__manual_about);
    ubi__out_string(out, ".PP\n");
    man_text_write(out, "A FILE without a command is a report on it.");
    ubi__out_char(out, '\n');
    section_write(out, "COMMANDS");
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        const char *group = ubi__command_group(*c);
        if (group)
            ubi__out_printf(out, ".SS %s\n", group);
        man_term_write(out, (*c)->usage->name, (*c)->usage->summary);
    }
    option_section(out, "COMMON OPTIONS", ubi__common_options);
    row_section(out, "EXIT STATUS", ubi__manual_exit_codes);
    row_section(out, "ENVIRONMENT", ubi__manual_environment);
    section_write(out, "SEE ALSO");
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        ubi__out_printf(out, "\\fBubiheap\\-%s\\fR(1)%s\n", (*c)->usage->name, c[1] ? "," : "");
}

void ubi__manual_man_page(ubi__out *out, const ubi__command *command) {
    header_write(out, command);
    if (command)
        command_page(out, command);
    else
        program_page(out);
}

/* ---- completion for bash ---------------------------------------------------------------------------------------- */

static const char prologue[] =
    "# bash completion for ubiheap, generated by 'ubiheap help --bash-completion'.\n"
    "_ubiheap() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= i\n"
    "    # bash splits --option=value at the '='.\n"
    "    if [[ $current == '=' ]]; then\n"
    "        current=\n"
    "    elif [[ $previous == '=' ]]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
    "            command=${COMP_WORDS[i]}\n"
    "            break\n"
    "        fi\n"
    "    done\n"
    "    case $command in\n";

static const char values[] = "    esac\n"
                             "    case $command:$previous in\n";

static const char epilogue[] = "        *)\n"
                               "            if [[ $current == -* || -z $command || $command == help ]]; then\n"
                               "                case $command in\n";

static const char ending[] =
    "                esac\n"
    "            fi\n"
    "            ;;\n"
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "}\n"
    "complete -o nosort -o default -F _ubiheap ubiheap 2> /dev/null || complete -o default -F _ubiheap ubiheap\n";

/* "words" of an option's value, for commands that match `pattern`. */
static void value_cases(ubi__out *out, const char *pattern, const ubi__parameter *options) {
    for (const ubi__parameter *o = options; (o = ubi__option_at(o)); o++) {
        if (!o->argument)
            continue;
        ubi__out_printf(out, "        %s:--%s", pattern, o->name);
        if (o->letter)
            ubi__out_printf(out, " | %s:-%c", pattern, o->letter);
        ubi__out_string(out, ") words='");
        for (const char *const *c = o->choices; c && *c; c++)
            ubi__out_printf(out, "%s%s", c == o->choices ? "" : " ", *c);
        ubi__out_string(out, "' ;;\n");
    }
}

static void option_words(ubi__out *out, const ubi__parameter *options) {
    for (const ubi__parameter *o = options; (o = ubi__option_at(o)); o++) {
        ubi__out_printf(out, " --%s", o->name);
        if (o->kind == UBI__PARAMETER_SWITCH)
            ubi__out_printf(out, " --no-%s", o->name);
    }
}

static void command_words(ubi__out *out) {
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        ubi__out_printf(out, " %s", (*c)->usage->name);
}

static void words_of_options(ubi__out *out, const ubi__command *c) {
    option_words(out, c->usage->parameters);
    option_words(out, ubi__common_options);
    if (c->usage->has_firefox_mode)
        option_words(out, ubi__compat_options);
    if (ubi__command_has_index(c))
        option_words(out, ubi__index_options);
}

static void command_case(ubi__out *out, const ubi__command *c) {
    ubi__out_printf(out, "                    %s) words='", c->usage->name);
    words_of_options(out, c);
    if (strcmp(c->usage->name, "help") == 0)
        command_words(out);
    ubi__out_string(out, "' ;;\n");
}

/* What may be in a command's place: its name, its alias, or a file. */
static void name_cases(ubi__out *out) {
    ubi__out_string(out, "        ''");
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        ubi__out_printf(out, " | %s", (*c)->usage->name);
    ubi__out_string(out, ") ;;\n");
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        if ((*c)->usage->alias)
            ubi__out_printf(out, "        %s) command=%s ;;\n", (*c)->usage->alias, (*c)->usage->name);
    ubi__out_printf(out, "        *) command=%s ;;\n", ubi__command_default()->usage->name);
}

void ubi__manual_bash_completion(ubi__out *out) {
    ubi__out_string(out, prologue);
    name_cases(out);
    ubi__out_string(out, values);
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        value_cases(out, (*c)->usage->name, (*c)->usage->parameters);
    value_cases(out, "*", ubi__common_options);
    value_cases(out, "*", ubi__compat_options);
    value_cases(out, "*", ubi__index_options);
    ubi__out_string(out, epilogue);
    ubi__out_string(out, "                    '') words='--version");
    words_of_options(out, ubi__command_default());
    command_words(out);
    ubi__out_string(out, "' ;;\n");
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        command_case(out, *c);
    ubi__out_string(out, ending);
}
