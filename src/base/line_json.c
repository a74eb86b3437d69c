/* SPDX-License-Identifier: MIT
 *
 * line_json.c: see line_json.h.
 */
#include "base/line_json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/text_parts.h"

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(ubi__line_cursor *c) {
    while (c->at < c->end && is_space(*c->at))
        c->at++;
}

static bool fail(ubi__line_cursor *c, const char *expected) {
    if (!c->fault)
        c->fault = expected;
    return false;
}

/* The byte to come, or 0 at the end: no JSON has a 0 outside of strings, and none inside. */
static char peek(const ubi__line_cursor *c) {
    return c->at < c->end ? *c->at : 0;
}

static bool take(ubi__line_cursor *c, char byte) {
    if (peek(c) != byte || c->at == c->end)
        return false;
    c->at++;
    return true;
}

/* ---- single values ------------------------------------------------------------------------------------------------ */

static bool is_hex(char c) {
    return ubi__is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static bool take_escape(ubi__line_cursor *c) {
    char kind = peek(c);
    if (kind && strchr("\"\\/bfnrt", kind)) {
        c->at++;
        return true;
    }
    if (!take(c, 'u'))
        return fail(c, "an escape sequence");
    for (int i = 0; i < 4; i++, c->at++)
        if (!is_hex(peek(c)))
            return fail(c, "four hexadecimal digits");
    return true;
}

static bool take_string(ubi__line_cursor *c, ubi__line_value *out) {
    if (!take(c, '"'))
        return fail(c, "a string");
    const char *start = c->at;
    *out = (ubi__line_value){ .type = UBI__LINE_STRING };
    while (peek(c) != '"') {
        if ((uint8_t)peek(c) < ' ')
            return fail(c, c->at == c->end ? "the end of a string" : "no control character in a string");
        if (*c->at++ == '\\') {
            out->has_escapes = true;
            if (!take_escape(c))
                return false;
        }
    }
    out->raw = (ubi_text){ start, (size_t)(c->at - start) };
    c->at++;
    return true;
}

static bool take_digits(ubi__line_cursor *c) {
    if (!ubi__is_digit(peek(c)))
        return fail(c, "a digit");
    while (ubi__is_digit(peek(c)))
        c->at++;
    return true;
}

static bool take_number(ubi__line_cursor *c, ubi__line_value *out) {
    const char *start = c->at;
    take(c, '-');
    if (!take(c, '0') && !take_digits(c))
        return false;
    if (take(c, '.') && !take_digits(c))
        return false;
    if (take(c, 'e') || take(c, 'E')) {
        if (!take(c, '-'))
            take(c, '+');
        if (!take_digits(c))
            return false;
    }
    *out = (ubi__line_value){ UBI__LINE_NUMBER, false, { start, (size_t)(c->at - start) } };
    return true;
}

static bool take_word(ubi__line_cursor *c, ubi__line_value *out) {
    static const char *const words[] = {
        [UBI__LINE_NULL] = "null", [UBI__LINE_FALSE] = "false", [UBI__LINE_TRUE] = "true"
    };
    for (ubi__line_type t = UBI__LINE_NULL; t <= UBI__LINE_TRUE; t++) {
        size_t n = strlen(words[t]);
        if ((size_t)(c->end - c->at) >= n && memcmp(c->at, words[t], n) == 0) {
            *out = (ubi__line_value){ t, false, { c->at, n } };
            c->at += n;
            return true;
        }
    }
    return fail(c, "a value");
}

static bool take_scalar(ubi__line_cursor *c, ubi__line_value *out) {
    char first = peek(c);
    return first == '"'                           ? take_string(c, out)
           : first == '-' || ubi__is_digit(first) ? take_number(c, out)
                                                  : take_word(c, out);
}

/* ---- objects and arrays --------------------------------------------------------------------------------------------- */

static char opening(ubi__line_type type) {
    return type == UBI__LINE_OBJECT ? '{' : '[';
}

static char closing(ubi__line_type type) {
    return type == UBI__LINE_OBJECT ? '}' : ']';
}

static bool take_key(ubi__line_cursor *c, ubi__line_value *key) {
    skip_space(c);
    if (peek(c) != '"')
        return fail(c, "a key");
    if (!take_string(c, key))
        return false;
    skip_space(c);
    return take(c, ':') || fail(c, "':'");
}

/* Before an element of what is open: false at its end, which is taken, and at a fault. */
static bool next_item(ubi__line_cursor *c, ubi__line_type type, bool is_first) {
    skip_space(c);
    if (take(c, closing(type)))
        return false;
    if (!is_first && !take(c, ','))
        return fail(c, type == UBI__LINE_OBJECT ? "',' or '}'" : "',' or ']'");
    skip_space(c);
    return true;
}

static bool has_bit(const uint64_t *bits, unsigned i) {
    return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, unsigned i, bool value) {
    bits[i / 64] = (bits[i / 64] & ~(UINT64_C(1) << i % 64)) | (uint64_t)value << i % 64;
}

/* Passes over a value with all that is in it; the open ones are bits: 1 for an object. */
static bool take_nested(ubi__line_cursor *c, ubi__line_value *out) {
    const char *start = c->at;
    ubi__line_type outer = *start == '{' ? UBI__LINE_OBJECT : UBI__LINE_ARRAY;
    uint64_t open[UBI__LINE_DEPTH / 64];
    unsigned depth = 0;
    bool is_first = true;
    ubi__line_value ignored;
    do {
        char byte = peek(c);
        if (byte == '{' || byte == '[') {
            if (++depth == UBI__LINE_DEPTH)
                return fail(c, "values that are less deeply nested");
            c->at++;
            set_bit(open, depth, byte == '{');
            is_first = true;
        } else if (!take_scalar(c, &ignored)) {
            return false;
        }
        while (depth && !next_item(c, has_bit(open, depth) ? UBI__LINE_OBJECT : UBI__LINE_ARRAY, is_first)) {
            if (c->fault)
                return false;
            depth--;
            is_first = false;
        }
        is_first = false;
        if (depth && has_bit(open, depth) && !take_key(c, &ignored))
            return false;
        skip_space(c);
    } while (depth);
    const char *end = c->at;
    while (is_space(end[-1]))
        end--;
    *out = (ubi__line_value){ outer, false, { start, (size_t)(end - start) } };
    return true;
}

static bool take_value(ubi__line_cursor *c, ubi__line_value *out) {
    skip_space(c);
    return peek(c) == '{' || peek(c) == '[' ? take_nested(c, out) : take_scalar(c, out);
}

bool ubi__line_whole(ubi__line_cursor *c, ubi__line_value *out, ubi_text text) {
    *c = (ubi__line_cursor){ text.ptr, text.ptr + text.len, true, NULL };
    if (!take_value(c, out))
        return false;
    skip_space(c);
    return c->at == c->end || fail(c, "nothing more");
}

void ubi__line_open(ubi__line_cursor *c, ubi_text text, ubi__line_type type) {
    *c = (ubi__line_cursor){ text.ptr, text.ptr + text.len, true, NULL };
    skip_space(c);
    if (!take(c, opening(type)))
        fail(c, type == UBI__LINE_OBJECT ? "an object" : "an array");
}

/* At the end of what is open nothing may follow. */
static bool next(ubi__line_cursor *c, ubi__line_type type) {
    if (c->fault)
        return false;
    bool more = next_item(c, type, c->is_first);
    c->is_first = false;
    if (more || c->fault)
        return more;
    skip_space(c);
    return c->at < c->end && fail(c, "nothing more");
}

bool ubi__line_next_member(ubi__line_cursor *c, ubi__line_value *key, ubi__line_value *value) {
    return next(c, UBI__LINE_OBJECT) && take_key(c, key) && take_value(c, value);
}

bool ubi__line_next_element(ubi__line_cursor *c, ubi__line_value *value) {
    return next(c, UBI__LINE_ARRAY) && take_value(c, value);
}

/* ---- what values are ------------------------------------------------------------------------------------------------ */

bool ubi__line_is(const ubi__line_value *value, const char *text) {
    return value->type == UBI__LINE_STRING && !value->has_escapes && ubi__text_is(value->raw, text);
}

static uint32_t hex_value(const char *at) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 4 | (ubi__is_digit(at[i]) ? (uint32_t)(at[i] - '0') : (uint32_t)((at[i] | 32) - 'a' + 10));
    return value;
}

/* The character of the \u at `at`, with the second half of a pair if there is one; advances. */
static uint32_t unescape_unit(const char **at, const char *end) {
    uint32_t c = hex_value(*at + 2), low;
    *at += 6;
    if (c < 0xd800 || c > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return c;
    low = hex_value(*at + 2);
    if (low < 0xdc00 || low > 0xdfff)
        return c;
    *at += 6;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static char unescape_letter(char letter) {
    static const char pairs[] = "b\bf\fn\nr\rt\t";
    for (const char *p = pairs; *p; p += 2)
        if (*p == letter)
            return p[1];
    return letter;
}

ubi_status ubi__line_text(ubi_text *out, const ubi__line_value *value, ubi__vec_u8 *scratch, const ubi_allocator *a) {
    *out = value->raw;
    if (!value->has_escapes)
        return UBI_OK;
    scratch->n = 0;
    UBI_TRY(ubi__vec_u8_reserve(scratch, a, value->raw.len));
    const char *at = value->raw.ptr, *end = at + value->raw.len;
    while (at < end)
        if (*at != '\\') {
            scratch->at[scratch->n++] = (uint8_t)*at++;
        } else if (at[1] != 'u') {
            scratch->at[scratch->n++] = (uint8_t)unescape_letter(at[1]);
            at += 2;
        } else {
            scratch->n += ubi__wtf8_encode(scratch->at + scratch->n, unescape_unit(&at, end));
        }
    *out = (ubi_text){ (const char *)scratch->at, scratch->n };
    return UBI_OK;
}

#define NUMBER_BYTES 400

bool ubi__line_number(double *out, const ubi__line_value *value) {
    char text[NUMBER_BYTES + 1];
    if (value->type != UBI__LINE_NUMBER || value->raw.len > NUMBER_BYTES)
        return false;
    memcpy(text, value->raw.ptr, value->raw.len);
    text[value->raw.len] = 0;
    char *point = strchr(text, '.');
    if (point)
        *point = *localeconv()->decimal_point; /* a library does not choose the locale */
    *out = strtod(text, NULL);
    return isfinite(*out);
}

/* Digits [at, end) behind those in *value; false when it does not fit. */
static bool add_digits(uint64_t *value, const char *at, const char *end) {
    for (; at < end; at++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
            return false;
    return true;
}

static const char *digits_end(const char *at, const char *end) {
    while (at < end && ubi__is_digit(*at))
        at++;
    return at;
}

bool ubi__line_u64(uint64_t *out, const ubi__line_value *value) {
    uint64_t number = 0;
    if (value->type != UBI__LINE_NUMBER)
        return false;
    const char *at = value->raw.ptr, *end = at + value->raw.len;
    if (digits_end(at, end) != end || !add_digits(&number, at, end))
        return false;
    *out = number;
    return true;
}

#define DECIMALS 6

/* Digits, and up to six decimals. */
static bool plain_ns(uint64_t *out, const char *at, const char *end) {
    const char *point = digits_end(at, end), *decimals = point < end && *point == '.' ? point + 1 : point;
    uint64_t ns = 0;
    if (digits_end(decimals, end) != end || end - decimals > DECIMALS || !add_digits(&ns, at, point) ||
        !add_digits(&ns, decimals, end))
        return false;
    for (ptrdiff_t i = end - decimals; i < DECIMALS; i++)
        if (__builtin_mul_overflow(ns, (uint64_t)10, &ns))
            return false;
    *out = ns;
    return true;
}

bool ubi__line_ns(uint64_t *out, const ubi__line_value *value) {
    double ms;
    if (value->type == UBI__LINE_NUMBER && plain_ns(out, value->raw.ptr, value->raw.ptr + value->raw.len))
        return true;
    if (!ubi__line_number(&ms, value) || !(ms >= 0) || ms * 1e6 >= 0x1p64)
        return false;
    *out = (uint64_t)(ms * 1e6 + 0.5);
    return true;
}
