/* SPDX-License-Identifier: MIT
 *
 * options.c: see options.h.
 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"

/* ---- options ---------------------------------------------------------------------------------------------------- */

typedef struct parser {
    const ubi__option_table *tables;
    int n_tables;
    char **argv;
    int argc;
    int at; /* of the argument that is read */
} parser;

typedef struct match {
    const ubi__parameter *option; /* NULL: no such option */
    void *values;                 /* of its table */
    bool is_negated;              /* --no-x */
} match;

static bool is_end(const ubi__parameter *option) {
    return option->name == NULL;
}

/* A row of a letter alone has no name. */
static bool has_name(const ubi__parameter *option, const char *name, size_t n) {
    return n > 0 && strlen(option->name) == n && memcmp(option->name, name, n) == 0;
}

/* The option that a row is or is an alias of. */
static const ubi__parameter *option_of(const ubi__parameter *row) {
    while (row->kind == UBI__PARAMETER_ALIAS)
        row--;
    return row;
}

static match match_in(const ubi__option_table *table, const ubi__parameter *row, bool is_negated) {
    const ubi__parameter *option = option_of(row);
    return (match){ option, table->values, is_negated };
}

/* The command that has an option of this name, or of this letter; NULL: none is known. */
static const char *command_elsewhere(const parser *p, const char *name, size_t n, char letter) {
    for (int t = 0; t < p->n_tables; t++)
        for (const ubi__parameter *o = p->tables[t].elsewhere; o && !is_end(o); o++)
            if (!o->is_operand && (letter ? o->letter == letter : has_name(o, name, n)))
                return p->tables[t].elsewhere_command;
    return NULL;
}

static match find_long(const parser *p, const char *name, size_t n) {
    bool no = n > 3 && memcmp(name, "no-", 3) == 0;
    for (int t = 0; t < p->n_tables; t++) {
        for (const ubi__parameter *o = p->tables[t].parameters; !is_end(o); o++) {
            if (o->is_operand || o->scope == UBI__SCOPE_PROGRAM)
                continue;
            if (has_name(o, name, n))
                return match_in(&p->tables[t], o, false);
            if (no && option_of(o)->kind == UBI__PARAMETER_SWITCH && has_name(o, name + 3, n - 3))
                return match_in(&p->tables[t], o, true);
        }
    }
    return (match){ NULL, NULL, false };
}

static match find_letter(const parser *p, char letter) {
    for (int t = 0; t < p->n_tables; t++)
        for (const ubi__parameter *o = p->tables[t].parameters; !is_end(o); o++)
            if (o->letter == letter)
                return match_in(&p->tables[t], o, false);
    return (match){ NULL, NULL, false };
}

static ubi_status fail_unknown_long(const parser *p, const char *name, size_t n) {
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)n, name);
    const char *command = command_elsewhere(p, name, n, 0);
    if (command)
        return ubi__fail(UBI_EINVAL, "unknown option --%s, which 'ubiheap %s' has", typed, command);
    ubi__suggestion best = ubi__suggestion_for(typed);
    for (int t = 0; t < p->n_tables; t++)
        for (const ubi__parameter *o = p->tables[t].parameters; (o = ubi__option_at(o)); o++)
            ubi__suggestion_try(&best, o->name);
    if (best.word)
        return ubi__fail(UBI_EINVAL, "unknown option --%s; did you mean --%s?", typed, best.word);
    return ubi__fail(UBI_EINVAL, "unknown option --%s", typed);
}

static ubi_status fail_unknown_letter(const parser *p, char letter) {
    const char *command = command_elsewhere(p, "", 0, letter);
    if (command)
        return ubi__fail(UBI_EINVAL, "unknown option -%c, which 'ubiheap %s' has", letter, command);
    return ubi__fail(UBI_EINVAL, "unknown option -%c", letter);
}

static ubi_status store_value(const match *m, const char *text) {
    char what[48];
    snprintf(what, sizeof what, "--%s", m->option->name);
    const char *advice = m->option->if_twice;
    if (advice && *(const char *const *)(const void *)((const char *)m->values + m->option->offset))
        return ubi__fail(UBI_EINVAL, "%s is given twice: %s", what, advice);
    return ubi__parameter_store_text(m->values, m->option, text, what);
}

static bool takes_value(const ubi__parameter *option) {
    return option->kind != UBI__PARAMETER_FLAG && option->kind != UBI__PARAMETER_SWITCH;
}

static void store_presence(const match *m) {
    void *value = (char *)m->values + m->option->offset;
    if (m->option->kind == UBI__PARAMETER_FLAG)
        *(bool *)value = true;
    else
        *(int *)value = m->is_negated ? -1 : 1;
}

/* `attached`: the value behind '=' or the letter, or NULL. */
static ubi_status value_store(parser *p, const match *m, const char *attached) {
    if (attached)
        return store_value(m, attached);
    if (++p->at == p->argc)
        return ubi__fail(UBI_EINVAL, "--%s needs a value: --%s %s", m->option->name, m->option->name,
                         m->option->argument);
    return store_value(m, p->argv[p->at]);
}

static ubi_status parse_long(parser *p, const char *text) {
    size_t n = strcspn(text, "=");
    match m = find_long(p, text, n);
    if (!m.option)
        return fail_unknown_long(p, text, n);
    if (takes_value(m.option))
        return value_store(p, &m, text[n] ? text + n + 1 : NULL);
    if (text[n])
        return ubi__fail(UBI_EINVAL, "--%s takes no value", m.option->name);
    store_presence(&m);
    return UBI_OK;
}

static ubi_status parse_letters(parser *p, const char *letters) {
    for (; *letters; letters++) {
        match m = find_letter(p, *letters);
        if (!m.option)
            return fail_unknown_letter(p, *letters);
        if (takes_value(m.option))
            return value_store(p, &m, letters[1] ? letters + 1 : NULL);
        store_presence(&m);
    }
    return UBI_OK;
}

ubi_status ubi__options_parse_first(int *n_operands, char **argv, int argc, const ubi__option_table *tables,
                                    int n_tables, bool first) {
    parser p = { tables, n_tables, argv, argc, 0 };
    int n = 0;
    bool options_ended = false;
    for (int t = 0; t < n_tables; t++)
        ubi__usage_values_init(tables[t].values, tables[t].parameters);
    for (; p.at < argc; p.at++) {
        char *argument = argv[p.at];
        if (options_ended || argument[0] != '-' || argument[1] == 0) {
            argv[n++] = argument;
            options_ended |= first;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (argument[1] == '-') {
            UBI_TRY(parse_long(&p, argument + 2));
        } else {
            UBI_TRY(parse_letters(&p, argument + 1));
        }
    }
    *n_operands = n;
    return UBI_OK;
}

ubi_status ubi__options_parse(int *n_operands, char **argv, int argc, const ubi__option_table *tables, int n_tables) {
    return ubi__options_parse_first(n_operands, argv, argc, tables, n_tables, false);
}
