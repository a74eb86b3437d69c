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
    const ubi__option *option; /* NULL: no such option */
    void *value;
    bool is_negated; /* --no-x */
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
        *(int *)m->value = m->is_negated ? -1 : 1;
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

/* ---- quantities ------------------------------------------------------------------------------------------------- */

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit sizes[] = {
    { "", 1 },
    { "B", 1 },
    { "KiB", 1024.0 },
    { "MiB", 1048576.0 },
    { "GiB", 1073741824.0 },
    { "TiB", 1099511627776.0 },
    { "KB", 1e3 },
    { "MB", 1e6 },
    { "GB", 1e9 },
    { "TB", 1e12 },
    { NULL, 0 },
};
static const unit durations[] = {
    { "", 1e6 }, { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 60e6 }, { "h", 3600e6 }, { NULL, 0 },
};

/* Digits with a point, and nothing else that strtod takes. NULL: not a number. */
static const char *parse_decimal(double *out, const char *text) {
    size_t n = strspn(text, "0123456789."), points = 0;
    char digits[32];
    if (n == 0 || n >= sizeof digits)
        return NULL;
    memcpy(digits, text, n);
    digits[n] = '\0';
    for (size_t i = 0; i < n; i++)
        points += digits[i] == '.';
    if (points > 1 || n == points)
        return NULL;
    *out = strtod(digits, NULL);
    return text + n;
}

static bool parse_quantity(double *out, const char *text, const unit *units) {
    double number;
    const char *word = parse_decimal(&number, text);
    if (!word)
        return false;
    word += strspn(word, " ");
    for (const unit *u = units; u->name; u++)
        if (strcmp(word, u->name) == 0) {
            *out = number * u->factor;
            return true;
        }
    return false;
}

ubi_status ubi__parse_size(uint64_t *out_bytes, const char *text, const char *what) {
    double bytes;
    if (!parse_quantity(&bytes, text, sizes))
        return ubi__fail(UBI_EINVAL, "%s: expected a size such as 64MiB, not '%s'", what, text);
    if (bytes >= 9007199254740992.0)
        return ubi__fail(UBI_EINVAL, "%s: %s is too large", what, text);
    *out_bytes = (uint64_t)bytes;
    return UBI_OK;
}

ubi_status ubi__parse_duration(uint64_t *out_us, const char *text, const char *what) {
    double us;
    if (!parse_quantity(&us, text, durations))
        return ubi__fail(UBI_EINVAL, "%s: expected a time such as 500ms, 10s or 2m, not '%s'", what, text);
    if (us < 1 || us >= 9007199254740992.0)
        return ubi__fail(UBI_EINVAL, "%s: %s is too %s", what, text, us < 1 ? "short" : "long");
    *out_us = (uint64_t)us;
    return UBI_OK;
}

ubi_status ubi__parse_probability(double *out, const char *text, const char *what) {
    double p;
    const char *end = parse_decimal(&p, text);
    if (!end || *end || p > 1)
        return ubi__fail(UBI_EINVAL, "%s: expected a number from 0 to 1, not '%s'", what, text);
    *out = p;
    return UBI_OK;
}

/* ---- ids of nodes ----------------------------------------------------------------------------------------------- */

/* The value of a digit of that base, or -1. */
static int digit_of(char c, int base) {
    int digit = ubi__hex_digit(c);
    return digit < base ? digit : -1;
}

ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what) {
    const char *number = text[0] == '@' ? text + 1 : text; /* as DevTools write ids */
    bool hexadecimal = number[0] == '0' && (number[1] == 'x' || number[1] == 'X');
    const char *digits = hexadecimal ? number + 2 : number, *p = digits;
    int base = hexadecimal ? 16 : 10;
    uint64_t value = 0;
    for (int digit; (digit = digit_of(*p, base)) >= 0; p++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return ubi__fail(UBI_EINVAL, "%s: %s is too large for a node id", what, text);
    if (p == digits || *p)
        return ubi__fail(
            UBI_EINVAL,
            "%s: expected a node id, a number such as 20159, not '%s'; 'ubiheap search FILE TEXT' lists ids "
            "by name",
            what, text);
    *out = value;
    return UBI_OK;
}

/* JSON shows a number above 2^53 as JavaScript does: with the fewest digits that give the same double. */
static bool find_same_double(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    double value = (double)node_id;
    return value > 0x1p53 && value < 0x1p64 && ubi_graph_find(out, graph, (uint64_t)value) == UBI_OK;
}

ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    if (ubi_graph_find(out, graph, node_id) == UBI_OK || find_same_double(out, graph, node_id))
        return UBI_OK;
    return ubi__fail(UBI_ENOTFOUND,
                     "no node has the id %" PRIu64 "; the root's is %" PRIu64 ", and 'ubiheap nodes' lists all of them",
                     node_id, ubi_graph_node_id(graph, ubi_graph_root(graph)));
}
