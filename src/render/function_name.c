/* SPDX-License-Identifier: MIT
 *
 * function_name.c: see function_name.h.
 *
 * A name is copied between two buffers several times, each time with less in it. Brackets are tracked on a stack of
 * fixed depth; a name with deeper or unbalanced brackets is left as it is.
 */
#include "render/function_name.h"

#include "base/assert.h"
#include "base/text.h"

#define MOST_DEPTH 64
#define COMPONENTS 128
/* Bytes read; there is room after them for a mark of what was left out. */
#define MOST_BYTES (UBI__FUNCTION_BYTES - 16)

typedef struct buffer {
    char at[UBI__FUNCTION_BYTES];
    size_t n;
} buffer;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

static bool text_begins(ubi_text text, size_t at, const char *start) {
    size_t n = strlen(start);
    return at <= text.len && text.len - at >= n && memcmp(text.ptr + at, start, n) == 0;
}

static void name_put(buffer *b, const char *text, size_t n) {
    memcpy(b->at + b->n, text, n);
    b->n += n;
}

/* Bytes of "operator" and its sign at `at`, whose brackets do not nest; 0: not an operator. */
static size_t operator_bytes(ubi_text text, size_t at) {
    static const char *const signs[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"
    };
    const size_t n = sizeof "operator" - 1;
    if (!text_begins(text, at, "operator") || (at > 0 && is_word(text.ptr[at - 1])))
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (text_begins(text, at + n, signs[i]))
            return n + strlen(signs[i]);
    return 0;
}

/* What looks like brackets but is not: operators, the anonymous namespace, arrows. Its bytes, or 0. */
static size_t word_bytes(ubi_text text, size_t at) {
    static const char anonymous[] = "(anonymous namespace)";
    if (text_begins(text, at, anonymous))
        return sizeof anonymous - 1;
    if (text_begins(text, at, "->"))
        return 2;
    return operator_bytes(text, at);
}

static char closing_of(char c) {
    return c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : c == '[' ? ']' : 0;
}

/* ---- what people leave out --------------------------------------------------------------------------------------------- */

/* An open bracket. */
typedef struct level {
    char closing;
    size_t open;     /* its place in the output */
    size_t argument; /* start of the argument being read */
    bool is_first;   /* that one is the first */
} level;

typedef struct spelling {
    buffer *out;
    level levels[MOST_DEPTH];
    size_t depth;
} spelling;

/* Default arguments of templates. */
static bool is_default(ubi_text argument) {
    static const char *const beginnings[] = { "std::allocator<", "std::char_traits<", "std::less<",
                                              "std::hash<",      "std::equal_to<",    "std::default_delete<" };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (text_begins(argument, 0, beginnings[i]))
            return true;
    return false;
}

static void end_argument(spelling *x) {
    const level *l = &x->levels[x->depth - 1];
    size_t from = l->argument;
    if (l->closing != '>' || l->is_first)
        return;
    while (from < x->out->n && x->out->at[from] == ' ')
        from++;
    if (is_default((ubi_text){ x->out->at + from, x->out->n - from }))
        x->out->n = l->argument - 1; /* with the comma */
}

/* std::basic_string<char> is std::string; `open` is the place of <, and the output ends before >. */
static bool take_alias(buffer *out, size_t open) {
    static const char prefix[] = "std::basic_";
    const size_t n_prefix = sizeof prefix - 1, n_std = sizeof "std::" - 1;
    size_t start = open;
    bool is_char = out->n - open == 5 && memcmp(out->at + open, "<char", 5) == 0;
    bool is_wide = out->n - open == 8 && memcmp(out->at + open, "<wchar_t", 8) == 0;
    while (start > 0 && is_word(out->at[start - 1]))
        start--;
    if (!(is_char || is_wide) || start < n_std || open - (start - n_std) <= n_prefix ||
        memcmp(out->at + start - n_std, prefix, n_prefix) != 0)
        return false;
    const size_t n_basic = n_prefix - n_std;
    memmove(out->at + start + is_wide, out->at + start + n_basic, open - start - n_basic);
    if (is_wide)
        out->at[start] = 'w';
    out->n = open - n_basic + is_wide;
    return true;
}

static bool open_level(spelling *x, char c) {
    if (x->depth == MOST_DEPTH)
        return false;
    x->levels[x->depth++] = (level){ closing_of(c), x->out->n, x->out->n + 1, true };
    x->out->at[x->out->n++] = c;
    return true;
}

static bool close_level(spelling *x, char c) {
    if (x->depth == 0 || x->levels[x->depth - 1].closing != c)
        return false;
    end_argument(x);
    size_t open = x->levels[--x->depth].open;
    if (c == '>') {
        while (x->out->n > open && x->out->at[x->out->n - 1] == ' ')
            x->out->n--;
        if (take_alias(x->out, open))
            return true;
    }
    x->out->at[x->out->n++] = c;
    return true;
}

/* Inline namespaces, and marks of the ABI. */
static size_t unsaid_bytes(ubi_text text, size_t at) {
    static const char *const pieces[] = { "__cxx11::", "__1::" };
    if (text_begins(text, at, "[abi:")) {
        const char *end = memchr(text.ptr + at, ']', text.len - at);
        return end ? (size_t)(end + 1 - (text.ptr + at)) : 0;
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        if (at >= 5 && memcmp(text.ptr + at - 5, "std::", 5) == 0 && text_begins(text, at, pieces[i]))
            return strlen(pieces[i]);
    return 0;
}

/* False: unbalanced bracket. */
static bool spell_character(spelling *x, char c) {
    bool ends = c == ',' && x->depth;
    if (closing_of(c))
        return open_level(x, c);
    if (c == '>' || c == ')' || c == '}' || c == ']')
        return close_level(x, c);
    if (ends)
        end_argument(x);
    x->out->at[x->out->n++] = c;
    if (ends) {
        x->levels[x->depth - 1].argument = x->out->n;
        x->levels[x->depth - 1].is_first = false;
    }
    return true;
}

/* The output is never longer than the name. False: unbalanced brackets. */
static bool name_spell(buffer *out, ubi_text name) {
    spelling x = { .out = out };
    out->n = 0;
    for (size_t i = 0; i < name.len;) {
        size_t n = unsaid_bytes(name, i);
        if (n) {
            i += n;
            continue;
        }
        n = word_bytes(name, i);
        if (n)
            name_put(out, name.ptr + i, n);
        else if (!spell_character(&x, name.ptr[i]))
            return false;
        i += n ? n : 1;
    }
    return x.depth == 0;
}

/* ---- what gives way ----------------------------------------------------------------------------------------------- */

/* What a copy leaves out. */
typedef struct reduction {
    size_t levels;       /* of <> that stay; deeper ones go */
    bool has_parameters; /* what is in () stays */
} reduction;

static const char *dots_of(const ubi__style *style) {
    return ubi__display_ellipsis(style);
}

static bool word_goes(const reduction *r, char c, size_t angles) {
    return (c == '<' && angles >= r->levels) || (c == '(' && !r->has_parameters);
}

/* Just after the bracket that closes the one at `at`; brackets are balanced. */
static size_t end_of_bracket(ubi_text text, size_t at) {
    size_t depth = 0, n;
    while (at < text.len) {
        n = word_bytes(text, at);
        if (n == 0 && closing_of(text.ptr[at]))
            depth++;
        else if (n == 0 && strchr(">)}]", text.ptr[at]) && text.ptr[at] && --depth == 0)
            return at + 1;
        at += n ? n : 1;
    }
    return at;
}

/* Never longer: empty brackets stay, and what goes is at least as long as the dots. */
static void name_reduce(buffer *out, ubi_text text, reduction r, const ubi__style *style) {
    const char *dots = dots_of(style);
    size_t angles = 0;
    out->n = 0;
    for (size_t i = 0; i < text.len;) {
        size_t n = word_bytes(text, i);
        char c = text.ptr[i];
        if (n == 0 && word_goes(&r, c, angles) && (c != '(' || i > 0)) { /* "(anonymous)" has no parameters */
            n = end_of_bracket(text, i) - i;
            if (n > strlen(dots) + 2) {
                out->at[out->n++] = c;
                name_put(out, dots, strlen(dots));
                out->at[out->n++] = closing_of(c);
                i += n;
                continue;
            }
        } else if (n == 0) {
            angles += c == '<';
            angles -= c == '>' && angles > 0;
        }
        n = n ? n : 1;
        name_put(out, text.ptr + i, n);
        i += n;
    }
}

/* Starts of components outside brackets, from the left; and of the name after its return type. */
typedef struct components {
    size_t at[COMPONENTS];
    size_t n;
} components;

/* Whether a space ends a return type; not in "operator new" or before "[clone .cold]". */
static bool ends_type(ubi_text text, size_t at) {
    const size_t n = sizeof "operator" - 1;
    return !(at >= n && text_begins(text, at - n, "operator")) && !text_begins(text, at, " [") &&
           !text_begins(text, at, " <");
}

static void find_components(components *c, ubi_text text) {
    bool had_parameters = false;
    c->n = 1;
    c->at[0] = 0;
    for (size_t i = 0; i < text.len;) {
        size_t n = word_bytes(text, i);
        if (n == 0 && closing_of(text.ptr[i])) {
            had_parameters |= text.ptr[i] == '(';
            i = end_of_bracket(text, i);
            continue;
        }
        if (n == 0 && text.ptr[i] == ' ' && !had_parameters && ends_type(text, i)) {
            c->n = 1;
            c->at[0] = i + 1;
        } else if (n == 0 && text_begins(text, i, "::") && c->n < COMPONENTS && i + 2 < text.len) {
            c->at[c->n++] = i + 2;
            n = 2;
        }
        i += n ? n : 1;
    }
    UBI_ASSERT(c->at[c->n - 1] <= text.len);
    for (size_t i = 1; UBI_CHECKS && i < c->n; i++)
        UBI_ASSERT(c->at[i - 1] < c->at[i]);
}

/* A lambda's call operator says nothing without its enclosing function. */
static size_t last_component(const components *c, ubi_text text) {
    size_t i = c->n - 1;
    while (i > 0 && (text_begins(text, c->at[i], "operator()") || text.ptr[c->at[i]] == '{'))
        i--;
    return i;
}

static bool name_fits(ubi_text text, const ubi__style *style, size_t columns) {
    return ubi__display_columns(text, style, columns + 1) <= columns;
}

/* Less of a component says nothing. */
#define LEAST_END_COLUMNS 4

/* What fits of the end of a component, for two classes may have functions of one name; empty if it is too short or begins in brackets. */
static ubi_text component_end(ubi_text component, const ubi__style *style, size_t columns) {
    ubi_text end = { component.ptr + component.len, 0 };
    for (size_t n = 1; n <= component.len; n++) {
        ubi_text longer = { component.ptr + component.len - n, n };
        if ((*longer.ptr & 0xc0) == 0x80) /* in a character */
            continue;
        if (!name_fits(longer, style, columns))
            break;
        end = longer;
    }
    long depth = 0;
    for (size_t i = 0; i < end.len; i++) {
        depth += closing_of(end.ptr[i]) != 0;
        depth -= strchr(">)}]", end.ptr[i]) != NULL;
        if (depth < 0)
            return (ubi_text){ end.ptr, 0 };
    }
    return name_fits(end, style, LEAST_END_COLUMNS - 1) ? (ubi_text){ end.ptr, 0 } : end;
}

/* Drops namespaces from the left as needed; if that is not enough, only the name stays. */
static void drop_components(buffer *out, ubi_text text, const ubi__style *style, size_t columns) {
    components c;
    const char *dots = dots_of(style);
    size_t mark_columns = (style->has_unicode ? 1 : 3) + 2;
    find_components(&c, text);
    size_t last = last_component(&c, text), i = 0;
    ubi_text rest = { text.ptr + c.at[0], text.len - c.at[0] };
    for (bool is_in = name_fits(rest, style, columns); !is_in && i < last;) {
        i++;
        rest = (ubi_text){ text.ptr + c.at[i], text.len - c.at[i] };
        is_in = columns > mark_columns && name_fits(rest, style, columns - mark_columns);
        if (is_in) {
            size_t left = columns - mark_columns - ubi__display_columns(rest, style, columns);
            ubi_text before = { text.ptr + c.at[i - 1], c.at[i] - 2 - c.at[i - 1] };
            before = component_end(before, style, left);
            out->n = 0;
            name_put(out, dots, strlen(dots));
            name_put(out, before.ptr, before.len);
            name_put(out, "::", 2);
            name_put(out, rest.ptr, rest.len);
            return;
        }
    }
    out->n = 0;
    name_put(out, rest.ptr, rest.len);
}

/* The ends of a very long name say most. */
static ubi_text copy_ends(buffer *b, ubi_text name) {
    static const char dots[] = "...";
    size_t half = (MOST_BYTES - sizeof dots) / 2;
    b->n = 0;
    if (name.len <= MOST_BYTES)
        return name;
    name_put(b, name.ptr, half);
    name_put(b, dots, sizeof dots - 1);
    name_put(b, name.ptr + name.len - half, half);
    return (ubi_text){ b->at, b->n };
}

static bool is_compiled(ubi_text name) {
    return memchr(name.ptr, '<', name.len) || memchr(name.ptr, '(', name.len) || memchr(name.ptr, '[', name.len) ||
           ubi__text_contains(name, ubi__text("::"));
}

/* The return type is not part of what people call a function. */
static void drop_type(buffer *b) {
    components c;
    find_components(&c, (ubi_text){ b->at, b->n });
    b->n -= c.at[0];
    memmove(b->at, b->at + c.at[0], b->n);
}

size_t ubi__short_function(char *out, const ubi__style *style, ubi_text name, size_t columns) {
    static const reduction steps[] = { { 1, true }, { 1, false }, { 0, false } };
    buffer raw, a, b;
    buffer *now = &a, *next = &b;
    name = copy_ends(&raw, name);
    if (name.len == 0 || !is_compiled(name) || !name_spell(now, name)) {
        memcpy(out, name.ptr ? name.ptr : "", name.len);
        return name.len;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !name_fits((ubi_text){ now->at, now->n }, style, columns);
         i++) {
        name_reduce(next, (ubi_text){ now->at, now->n }, steps[i], style);
        buffer *last = now;
        now = next;
        next = last;
        if (!name_fits((ubi_text){ now->at, now->n }, style, columns))
            drop_type(now);
    }
    if (!name_fits((ubi_text){ now->at, now->n }, style, columns)) {
        drop_components(next, (ubi_text){ now->at, now->n }, style, columns);
        now = next;
    }
    memcpy(out, now->at, now->n);
    return now->n;
}
