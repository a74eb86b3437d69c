/* SPDX-License-Identifier: MIT
 *
 * run_input.c: see run_input.h.
 *
 * A scanner that knows brackets, strings, templates, comments and regular expressions. Whether a slash divides or begins a regular
 * expression depends on what comes before it: a value or not.
 */
#include "cli/commands/run/run_input.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"

/* What is open: a closing bracket that is expected, a template, or an expression in one. */
enum { TEMPLATE = '`', IN_TEMPLATE = '$' };

typedef struct scanner {
    const char *at, *end;
    char open[UBI__RUN_INPUT_DEPTH];
    size_t n;
    bool is_after_value; /* a slash divides */
    bool is_whole;       /* whatever is open: the text cannot be continued to a right one, or is too deep */
    bool is_unfinished;  /* a comment or template ended with the text */
} scanner;

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static void scanner_open(scanner *s, char expected) {
    if (s->n == sizeof s->open)
        s->is_whole = true;
    else
        s->open[s->n++] = expected;
    s->is_after_value = false;
}

static char scanner_innermost(const scanner *s) {
    return s->n ? s->open[s->n - 1] : 0;
}

/* Over the first of two characters that belong together. */
static void skip_escape(scanner *s) {
    if (*s->at == '\\' && s->at + 1 < s->end)
        s->at++;
}

/* ---- parts that have no brackets ------------------------------------------------------------------------------------ */

/* Up to the quote, or the end of its line. */
static void skip_string(scanner *s, char quote) {
    for (s->at++; s->at < s->end && *s->at != quote && *s->at != '\n'; s->at++)
        skip_escape(s);
    if (s->at < s->end)
        s->at++;
    s->is_after_value = true;
}

static void skip_line(scanner *s) {
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = newline ? newline : s->end;
}

static void skip_comment(scanner *s) {
    const char *close = memmem(s->at + 2, (size_t)(s->end - s->at - 2), "*/", 2);
    s->is_unfinished = !close;
    s->at = close ? close + 2 : s->end;
}

static void skip_regexp(scanner *s) {
    bool in_class = false;
    for (s->at++; s->at < s->end && *s->at != '\n' && (*s->at != '/' || in_class); s->at++) {
        if (*s->at == '\\')
            skip_escape(s);
        else if (*s->at == '[' || *s->at == ']')
            in_class = *s->at == '[';
    }
    if (s->at < s->end)
        s->at++;
    s->is_after_value = true;
}

/* After these words an expression begins. */
static bool begins_expression(const char *word, size_t n) {
    static const char *const words[] = { "return", "typeof", "case",  "in",    "of",   "void", "delete",
                                         "throw",  "new",    "await", "yield", "else", "do",   "instanceof" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0)
            return true;
    return false;
}

static void skip_word(scanner *s) {
    const char *word = s->at;
    while (s->at < s->end && is_word_byte(*s->at))
        s->at++;
    s->is_after_value = !begins_expression(word, (size_t)(s->at - word));
}

/* The text of a template, up to its end or an expression. */
static void skip_template(scanner *s) {
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\\') {
            skip_escape(s);
        } else if (*s->at == '`') {
            s->at++;
            s->n--;
            s->is_after_value = true;
            return;
        } else if (*s->at == '$' && s->at + 1 < s->end && s->at[1] == '{') {
            s->at += 2;
            scanner_open(s, IN_TEMPLATE);
            return;
        }
    }
}

/* ---- the text ------------------------------------------------------------------------------------------------------- */

static void scanner_close(scanner *s, char c) {
    char expected = scanner_innermost(s);
    s->at++;
    if (c == expected || (c == '}' && expected == IN_TEMPLATE))
        s->n--;
    else
        s->is_whole = true;
    s->is_after_value = c != '}';
}

static void scan_slash(scanner *s) {
    char next = s->at + 1 < s->end ? s->at[1] : 0;
    if (next == '/') {
        skip_line(s);
    } else if (next == '*') {
        skip_comment(s);
    } else if (s->is_after_value) {
        s->at++;
        s->is_after_value = false;
    } else {
        skip_regexp(s);
    }
}

static void scan_token(scanner *s) {
    char c = *s->at;
    if (strchr("([{", c)) {
        scanner_open(s, c == '(' ? ')' : c == '[' ? ']' : '}');
        s->at++;
    } else if (strchr(")]}", c)) {
        scanner_close(s, c);
    } else if (c == '`') {
        scanner_open(s, TEMPLATE);
        s->at++;
    } else if (c == '"' || c == '\'') {
        skip_string(s, c);
    } else if (c == '/') {
        scan_slash(s);
    } else if (is_word_byte(c)) {
        skip_word(s);
    } else {
        s->is_after_value = s->is_after_value && strchr(" \t\r\n", c);
        s->at++;
    }
}

bool ubi__run_input_is_open(const char *text, size_t n) {
    scanner s = { .at = text, .end = text + n };
    while (s.at < s.end && !s.is_whole) {
        if (*s.at == '\0')
            s.at++;
        else if (scanner_innermost(&s) == TEMPLATE)
            skip_template(&s);
        else
            scan_token(&s);
    }
    UBI_ASSERT(s.n <= sizeof s.open);
    return !s.is_whole && (s.n > 0 || s.is_unfinished);
}
