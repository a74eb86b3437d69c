/* SPDX-License-Identifier: MIT
 *
 * options.c: reading a command line by an option table.
 */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/status.h"

typedef struct parser {
    const ubi__option_table *tables;
    int n_tables;
    char **argv;
    int argc;
    int at; /* of the argument that is read */
} parser;

typedef struct match {
    const ubi__option *option; /* NULL: no such option */
    void *value;
    bool negated; /* --no-x */
} match;

static bool is_end(const ubi__option *option) {
    return option->name == NULL;
}

/* A row of a letter alone has no name. */
static bool has_name(const ubi__option *option, const char *name, size_t n) {
    return n > 0 && strlen(option->name) == n && memcmp(option->name, name, n) == 0;
}

/* The option that a row is or is an alias of. */
static const ubi__option *option_of(const ubi__option *row) {
    while (row->type == UBI__OPTION_ALIAS)
        row--;
    return row;
}

static match match_in(const ubi__option_table *table, const ubi__option *row, bool negated) {
    const ubi__option *option = option_of(row);
    return (match){ option, (char *)table->values + option->offset, negated };
}

static match find_long(const parser *p, const char *name, size_t n) {
    bool no = n > 3 && memcmp(name, "no-", 3) == 0;
    for (int t = 0; t < p->n_tables; t++) {
        for (const ubi__option *o = p->tables[t].options; !is_end(o); o++) {
            if (has_name(o, name, n))
                return match_in(&p->tables[t], o, false);
            if (no && option_of(o)->type == UBI__OPTION_SWITCH && has_name(o, name + 3, n - 3))
                return match_in(&p->tables[t], o, true);
        }
    }
    return (match){ NULL, NULL, false };
}

static match find_letter(const parser *p, char letter) {
    for (int t = 0; t < p->n_tables; t++)
        for (const ubi__option *o = p->tables[t].options; !is_end(o); o++)
            if (o->letter == letter)
                return match_in(&p->tables[t], o, false);
    return (match){ NULL, NULL, false };
}

static ubi_status fail_unknown_long(const parser *p, const char *name, size_t n) {
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)n, name);
    ubi__suggestion best = ubi__suggestion_for(typed);
    for (int t = 0; t < p->n_tables; t++)
        for (const ubi__option *o = p->tables[t].options; (o = ubi__option_shown(o)); o++)
            ubi__suggestion_try(&best, o->name);
    if (best.word)
        return ubi__fail(UBI_EINVAL, "unknown option --%s; did you mean --%s?", typed, best.word);
    return ubi__fail(UBI_EINVAL, "unknown option --%s", typed);
}

ubi_status ubi__parse_number(uint64_t *out, const char *text, const char *what) {
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
            return ubi__fail(UBI_EINVAL, "%s: %s is too large", what, text);
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (p == text || *p)
        return ubi__fail(UBI_EINVAL, "%s: expected a number, not '%s'", what, text);
    *out = value;
    return UBI_OK;
}

static ubi_status store_choice(const match *m, const char *text) {
    char list[160] = "";
    for (const char *const *c = m->option->choices; *c; c++) {
        if (strcmp(*c, text) == 0) {
            *(const char **)m->value = *c;
            return UBI_OK;
        }
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *c);
    }
    return ubi__fail(UBI_EINVAL, "--%s: expected %s%s, not '%s'", m->option->name,
                     m->option->choices[1] ? "one of " : "", list, text);
}

static ubi_status store_item(const match *m, const char *text) {
    ubi__option_list *list = m->value;
    if (list->n == UBI__OPTION_LIST_LENGTH)
        return ubi__fail(UBI_EINVAL, "--%s: given more than %d times", m->option->name, UBI__OPTION_LIST_LENGTH);
    list->at[list->n++] = text;
    return UBI_OK;
}

static ubi_status store_value(const match *m, const char *text) {
    char what[48];
    switch (m->option->type) {
    case UBI__OPTION_TEXT:
        *(const char **)m->value = text;
        return UBI_OK;
    case UBI__OPTION_NUMBER:
        snprintf(what, sizeof what, "--%s", m->option->name);
        return ubi__parse_number(m->value, text, what);
    case UBI__OPTION_LIST:
        return store_item(m, text);
    default:
        return store_choice(m, text);
    }
}

static bool takes_value(const ubi__option *option) {
    return option->type != UBI__OPTION_FLAG && option->type != UBI__OPTION_SWITCH;
}

static void store_presence(const match *m) {
    if (m->option->type == UBI__OPTION_FLAG)
        *(bool *)m->value = true;
    else
        *(int *)m->value = m->negated ? -1 : 1;
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
            return ubi__fail(UBI_EINVAL, "unknown option -%c", *letters);
        if (takes_value(m.option))
            return value_store(p, &m, letters[1] ? letters + 1 : NULL);
        store_presence(&m);
    }
    return UBI_OK;
}

static void set_standard_numbers(const ubi__option_table *table) {
    for (const ubi__option *o = table->options; (o = ubi__option_shown(o)); o++) {
        match m = match_in(table, o, false);
        if (o->type == UBI__OPTION_NUMBER && o->standard)
            *(uint64_t *)m.value = strtoull(o->standard, NULL, 10);
    }
}

ubi_status ubi__options_parse_first(int *n_operands, char **argv, int argc, const ubi__option_table *tables,
                                    int n_tables, bool first) {
    parser p = { tables, n_tables, argv, argc, 0 };
    int n = 0;
    bool options_ended = false;
    for (int t = 0; t < n_tables; t++)
        set_standard_numbers(&tables[t]);
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
