/* SPDX-License-Identifier: MIT
 *
 * query_lexer.c: words, numbers with units, quoted texts with escapes.
 */
#include "analyses/query/query_emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/human.h"
#include "base/text.h"

/* ---- characters ------------------------------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_one_of(char c, const char *characters) {
    return c && strchr(characters, c);
}

/* The byte at `at`, NUL past the end. */
static char byte_at(const ubi__lexer *l, size_t at) {
    return at < l->source.len ? l->source.ptr[at] : '\0';
}

static void skip_spaces(ubi__lexer *l) {
    while (l->at < l->source.len && is_space(l->source.ptr[l->at]))
        l->at++;
}

static size_t word_length(const ubi__lexer *l, size_t at) {
    size_t end = at;
    while (is_letter(byte_at(l, end)) || (end > at && ubi__is_digit(byte_at(l, end))))
        end++;
    return end - at;
}

/* Bytes of the character at `at`. */
static size_t char_length(const ubi__lexer *l, size_t at) {
    uint32_t c;
    size_t used = ubi__wtf8_decode((const uint8_t *)l->source.ptr + at, l->source.len - at, &c);
    return used ? used : 1;
}

ubi_status ubi__lexer_fail(const ubi__lexer *lexer, size_t at, const char *format, ...) {
    char problem[480];
    size_t characters = 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < at; i++)
        characters += (lexer->source.ptr[i] & 0xc0) != 0x80;
    const char *advice = strstr(problem, "; ");
    int n = (int)(advice ? (size_t)(advice - problem) : strlen(problem));
    return ubi__fail(UBI_EINVAL, "%.*s at character %zu%s", n, problem, characters, advice ? advice : "");
}

static ubi_text piece_of(const ubi__lexer *l, size_t start) {
    return (ubi_text){ l->source.ptr + start, l->at - start };
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Sizes are counted in bytes, durations in microseconds. */
typedef struct unit {
    const char *name;
    uint64_t factor, divisor;
    bool is_duration;
} unit;

static const unit units[] = {
    { "B", 1, 1, false },
    { "KiB", 1ull << 10, 1, false },
    { "MiB", 1ull << 20, 1, false },
    { "GiB", 1ull << 30, 1, false },
    { "TiB", 1ull << 40, 1, false },
    { "KB", 1000, 1, false },
    { "MB", 1000000, 1, false },
    { "GB", 1000000000, 1, false },
    { "TB", 1000000000000, 1, false },
    { "ns", 1, 1000, true },
    { "us", 1, 1, true },
    { "ms", 1000, 1, true },
    { "s", 1000000, 1, true },
};

static const unit *find_unit(ubi_text word) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ubi__text_is(word, units[i].name))
            return &units[i];
    return NULL;
}

static ubi_status fail_unit(const ubi__lexer *l, ubi_text word) {
    char typed[16];
    snprintf(typed, sizeof typed, "%.*s", (int)word.len, word.ptr);
    ubi__suggestion best = ubi__suggestion_for(typed);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        ubi__suggestion_try(&best, units[i].name);
        if (strcasecmp(typed, units[i].name) == 0)
            best = (ubi__suggestion){ typed, units[i].name, 0 };
    }
    if (best.word)
        return ubi__lexer_fail(l, l->at, "unknown unit '%s'; did you mean %s?", typed, best.word);
    return ubi__lexer_fail(l, l->at, "unknown unit '%s'", typed);
}

/* A unit follows the digits, directly or after spaces; another word there is not a unit. */
static ubi_status read_unit(ubi__lexer *l, ubi__token *t) {
    size_t digits_end = l->at;
    skip_spaces(l);
    ubi_text word = { l->source.ptr + l->at, word_length(l, l->at) };
    const unit *u = find_unit(word);
    if (byte_at(l, l->at) == '%') {
        t->is_share = true;
        t->denominator *= 100;
        l->at++;
    } else if (u) {
        t->has_unit = true;
        t->is_duration = u->is_duration;
        t->factor = (ubi__whole)u->factor;
        t->denominator *= (ubi__whole)u->divisor;
        l->at += word.len;
    } else if (word.len && l->at == digits_end) {
        return fail_unit(l, word);
    } else {
        l->at = digits_end;
    }
    return UBI_OK;
}

/* Fractions and shares are calculated with: their digits times any 64-bit number must fit into 127 bits. */
#define MAX_FRACTION_NUMERATOR UINT64_C(999999999999999999)

static ubi_status read_digits(ubi__lexer *l, ubi__token *t) {
    bool behind_point = false;
    for (;; l->at++) {
        char c = byte_at(l, l->at);
        if (c == '.' && !behind_point && ubi__is_digit(byte_at(l, l->at + 1))) {
            behind_point = true;
            continue;
        }
        if (!ubi__is_digit(c))
            return UBI_OK;
        if (__builtin_mul_overflow(t->numerator, 10, &t->numerator) ||
            __builtin_add_overflow(t->numerator, (uint64_t)(c - '0'), &t->numerator))
            return ubi__lexer_fail(l, t->at, "a number too large for 64 bits");
        if (!behind_point)
            continue;
        if (t->denominator > MAX_FRACTION_NUMERATOR)
            return ubi__lexer_fail(l, t->at, "a number with more than 18 digits behind the point");
        t->denominator *= 10;
    }
}

static ubi_status read_number(ubi__lexer *l, ubi__token *t) {
    t->kind = UBI__TOKEN_NUMBER;
    t->numerator = 0;
    t->denominator = t->factor = 1;
    UBI_TRY(read_digits(l, t));
    UBI_TRY(read_unit(l, t));
    t->text = piece_of(l, t->at);
    if (t->denominator > 1 && t->numerator > MAX_FRACTION_NUMERATOR)
        return ubi__lexer_fail(l, t->at, "a number with more than 18 digits");
    return UBI_OK;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static ubi_status put_bytes(ubi__lexer *l, const void *bytes, size_t n) {
    UBI_TRY(ubi__vec_u8_reserve(&l->decoded, l->allocator, n));
    memcpy(l->decoded.at + l->decoded.n, bytes, n);
    l->decoded.n += n;
    return UBI_OK;
}

static ubi_status put_char(ubi__lexer *l, uint32_t c) {
    uint8_t bytes[4];
    return put_bytes(l, bytes, ubi__wtf8_encode(bytes, c));
}

/* `n_max` hexadecimal digits, at least `n_min`. */
static ubi_status read_hex(ubi__lexer *l, uint32_t *c, size_t n_min, size_t n_max) {
    size_t start = l->at;
    *c = 0;
    for (int digit; l->at - start < n_max && (digit = ubi__hex_digit(byte_at(l, l->at))) >= 0; l->at++)
        *c = *c << 4 | (uint32_t)digit;
    if (l->at - start < n_min)
        return ubi__lexer_fail(l, l->at, "expected a hexadecimal digit");
    return UBI_OK;
}

static ubi_status read_braced_hex(ubi__lexer *l, uint32_t *c) {
    size_t start = l->at++;
    UBI_TRY(read_hex(l, c, 1, 6));
    if (byte_at(l, l->at) != '}' || *c > 0x10ffff)
        return ubi__lexer_fail(l, start, "expected a character in hexadecimal digits and braces");
    l->at++;
    return UBI_OK;
}

/* Behind a backslash. */
static ubi_status read_escape(ubi__lexer *l) {
    static const char plain[] = "n\nt\tr\r\\\\'\'\"\"";
    size_t start = l->at - 1;
    char letter = byte_at(l, l->at++);
    uint32_t c;
    if (letter == 'x') {
        UBI_TRY(read_hex(l, &c, 2, 2));
        return put_char(l, c);
    }
    if (letter == 'u') {
        UBI_TRY(byte_at(l, l->at) == '{' ? read_braced_hex(l, &c) : read_hex(l, &c, 4, 4));
        return put_char(l, c);
    }
    for (size_t i = 0; plain[i]; i += 2)
        if (letter == plain[i])
            return put_bytes(l, &plain[i + 1], 1);
    return ubi__lexer_fail(l, start, "unknown escape; a backslash itself is written \\\\");
}

/* At the opening quote. `raw`: backslashes are kept, all but the one that escapes a / between slashes. */
static ubi_status read_quoted(ubi__lexer *l, ubi__token *t, bool raw) {
    char quote = byte_at(l, t->at);
    t->kind = UBI__TOKEN_TEXT;
    l->decoded.n = 0;
    l->at++;
    while (l->at < l->source.len && byte_at(l, l->at) != quote) {
        size_t n = 1 + (raw && byte_at(l, l->at) == '\\' && l->at + 1 < l->source.len);
        if (!raw && byte_at(l, l->at) == '\\') {
            l->at++;
            UBI_TRY(read_escape(l));
            continue;
        }
        UBI_TRY(put_bytes(l, l->source.ptr + l->at, n));
        l->at += n;
    }
    if (l->at == l->source.len)
        return ubi__lexer_fail(l, t->at, "missing the closing %c of the text that begins", quote);
    l->at++;
    t->text = (ubi_text){ l->decoded.n ? (const char *)l->decoded.at : "", l->decoded.n };
    return UBI_OK;
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

static ubi_status read_sign(ubi__lexer *l, ubi__token *t) {
    static const char *const signs[] = { "==", "!=", "<=", ">=", "!~", "&&", "||", "=", "<",
                                         ">",  "~",  "!",  "(",  ")",  "+",  "-",  "*", "/" };
    size_t left = l->source.len - l->at;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (n <= left && memcmp(l->source.ptr + l->at, signs[i], n) == 0) {
            l->at += n;
            t->kind = UBI__TOKEN_SIGN;
            t->text = piece_of(l, t->at);
            return UBI_OK;
        }
    }
    if (is_one_of(byte_at(l, l->at), "&|"))
        return ubi__lexer_fail(l, l->at, "expected && or ||");
    return ubi__lexer_fail(l, l->at, "unexpected '%.*s'", (int)char_length(l, l->at), l->source.ptr + l->at);
}

ubi_status ubi__lexer_next(ubi__lexer *l, ubi__token *out) {
    skip_spaces(l);
    *out = (ubi__token){ .kind = UBI__TOKEN_END, .at = l->at };
    if (l->at == l->source.len)
        return UBI_OK;
    char c = byte_at(l, l->at);
    if (ubi__is_digit(c))
        return read_number(l, out);
    if (c == '\'' || c == '"')
        return read_quoted(l, out, false);
    if (!is_letter(c))
        return read_sign(l, out);
    out->kind = UBI__TOKEN_WORD;
    l->at += word_length(l, l->at);
    out->text = piece_of(l, out->at);
    return UBI_OK;
}

ubi_status ubi__lexer_pattern(ubi__lexer *l, ubi__token *out) {
    skip_spaces(l);
    *out = (ubi__token){ .kind = UBI__TOKEN_END, .at = l->at };
    if (is_one_of(byte_at(l, l->at), "/'\""))
        return read_quoted(l, out, true);
    return ubi__lexer_fail(l, l->at, "expected a pattern; write it as /.../ or in quotes");
}

static bool is_bare(char c) {
    return !is_space(c) && !is_one_of(c, "()'\"\\,<>=!&|*+~") && c;
}

ubi_status ubi__lexer_argument(ubi__lexer *l, ubi__token *out) {
    skip_spaces(l);
    *out = (ubi__token){ .kind = UBI__TOKEN_TEXT, .at = l->at };
    out->is_quoted = is_one_of(byte_at(l, l->at), "'\"");
    if (out->is_quoted)
        return read_quoted(l, out, false);
    while (is_bare(byte_at(l, l->at)))
        l->at++;
    out->text = piece_of(l, out->at);
    if (out->text.len == 0)
        return ubi__lexer_fail(l, l->at, "expected a text");
    return UBI_OK;
}

void ubi__lexer_fini(ubi__lexer *l) {
    ubi__vec_u8_fini(&l->decoded, l->allocator);
}
