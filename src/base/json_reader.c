/* SPDX-License-Identifier: MIT
 *
 * json_reader.c: a scanner over slices (json_reader.h).
 */
#include "base/json_reader.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"

static void skip_space(ubi__json_cursor *c) {
    while (c->at < c->end && ubi__is_json_space(*c->at))
        c->at++;
}

static bool cursor_fail(ubi__json_cursor *c, const char *expected) {
    if (!c->fault)
        c->fault = expected;
    return false;
}

/* The byte to come, or 0 at the end: no JSON has a 0 outside of strings, and none inside. */
static char cursor_peek(const ubi__json_cursor *c) {
    return c->at < c->end ? *c->at : 0;
}

static bool cursor_take(ubi__json_cursor *c, char byte) {
    if (cursor_peek(c) != byte || c->at == c->end)
        return false;
    c->at++;
    return true;
}

/* ---- single values ------------------------------------------------------------------------------------------------ */

static bool is_hex(char c) {
    return ubi__is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static bool take_escape(ubi__json_cursor *c) {
    char kind = cursor_peek(c);
    if (kind && strchr("\"\\/bfnrt", kind)) {
        c->at++;
        return true;
    }
    if (!cursor_take(c, 'u'))
        return cursor_fail(c, "an escape sequence");
    for (int i = 0; i < 4; i++, c->at++)
        if (!is_hex(cursor_peek(c)))
            return cursor_fail(c, "four hexadecimal digits");
    return true;
}

/* Where eight bytes may have one that is not plain: a quote, a backslash or a control character; before, none is. */
static const char *plain_skip(const char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    for (; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        uint64_t quotes = word ^ ones * '"', slashes = word ^ ones * '\\';
        uint64_t low = (word - ones * ' ') & ~word, quote = (quotes - ones) & ~quotes,
                 slash = (slashes - ones) & ~slashes;
        if ((low | quote | slash) & ones << 7)
            break;
    }
    return at;
}

static bool take_string(ubi__json_cursor *c, ubi__json_value *out) {
    if (!cursor_take(c, '"'))
        return cursor_fail(c, "a string");
    const char *start = c->at;
    *out = (ubi__json_value){ .type = UBI__JSON_STRING };
    for (c->at = plain_skip(c->at, c->end); cursor_peek(c) != '"';) {
        if ((uint8_t)cursor_peek(c) < ' ')
            return cursor_fail(c, c->at == c->end ? "the end of a string" : "no control character in a string");
        if (*c->at++ == '\\') {
            out->has_escapes = true;
            if (!take_escape(c))
                return false;
            c->at = plain_skip(c->at, c->end);
        }
    }
    out->raw = (ubi_text){ start, (size_t)(c->at - start) };
    c->at++;
    return true;
}

static bool take_digits(ubi__json_cursor *c) {
    if (!ubi__is_digit(cursor_peek(c)))
        return cursor_fail(c, "a digit");
    while (ubi__is_digit(cursor_peek(c)))
        c->at++;
    return true;
}

static bool take_number(ubi__json_cursor *c, ubi__json_value *out) {
    const char *start = c->at;
    cursor_take(c, '-');
    if (!cursor_take(c, '0') && !take_digits(c))
        return false;
    if (cursor_take(c, '.') && !take_digits(c))
        return false;
    if (cursor_take(c, 'e') || cursor_take(c, 'E')) {
        if (!cursor_take(c, '-'))
            cursor_take(c, '+');
        if (!take_digits(c))
            return false;
    }
    *out = (ubi__json_value){ UBI__JSON_NUMBER, false, { start, (size_t)(c->at - start) } };
    return true;
}

static bool take_word(ubi__json_cursor *c, ubi__json_value *out) {
    static const char *const words[] = {
        [UBI__JSON_NULL] = "null", [UBI__JSON_FALSE] = "false", [UBI__JSON_TRUE] = "true"
    };
    for (ubi__json_type t = UBI__JSON_NULL; t <= UBI__JSON_TRUE; t++) {
        size_t n = strlen(words[t]);
        if ((size_t)(c->end - c->at) >= n && memcmp(c->at, words[t], n) == 0) {
            *out = (ubi__json_value){ t, false, { c->at, n } };
            c->at += n;
            return true;
        }
    }
    return cursor_fail(c, "a value");
}

static bool take_scalar(ubi__json_cursor *c, ubi__json_value *out) {
    char first = cursor_peek(c);
    return first == '"'                           ? take_string(c, out)
           : first == '-' || ubi__is_digit(first) ? take_number(c, out)
                                                  : take_word(c, out);
}

/* ---- objects and arrays --------------------------------------------------------------------------------------------- */

static char opening_bracket(ubi__json_type type) {
    return type == UBI__JSON_OBJECT ? '{' : '[';
}

static char closing_bracket(ubi__json_type type) {
    return type == UBI__JSON_OBJECT ? '}' : ']';
}

static bool take_key(ubi__json_cursor *c, ubi__json_value *key) {
    skip_space(c);
    if (cursor_peek(c) != '"')
        return cursor_fail(c, "a key");
    if (!take_string(c, key))
        return false;
    skip_space(c);
    return cursor_take(c, ':') || cursor_fail(c, "':'");
}

/* Before an element of what is open: false at its end, which is taken, and at a fault. */
static bool next_item(ubi__json_cursor *c, ubi__json_type type, bool is_first) {
    skip_space(c);
    if (cursor_take(c, closing_bracket(type)))
        return false;
    if (!is_first && !cursor_take(c, ','))
        return cursor_fail(c, type == UBI__JSON_OBJECT ? "',' or '}'" : "',' or ']'");
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
static bool take_nested(ubi__json_cursor *c, ubi__json_value *out) {
    const char *start = c->at;
    ubi__json_type outer = *start == '{' ? UBI__JSON_OBJECT : UBI__JSON_ARRAY;
    uint64_t open[UBI__JSON_DEPTH / 64];
    unsigned depth = 0;
    bool is_first = true;
    ubi__json_value ignored;
    do {
        char byte = cursor_peek(c);
        if (byte == '{' || byte == '[') {
            if (++depth == UBI__JSON_DEPTH)
                return cursor_fail(c, "values that are less deeply nested");
            c->at++;
            set_bit(open, depth, byte == '{');
            is_first = true;
        } else if (!take_scalar(c, &ignored)) {
            return false;
        }
        while (depth && !next_item(c, has_bit(open, depth) ? UBI__JSON_OBJECT : UBI__JSON_ARRAY, is_first)) {
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
    while (ubi__is_json_space(end[-1]))
        end--;
    *out = (ubi__json_value){ outer, false, { start, (size_t)(end - start) } };
    return true;
}

static bool take_value(ubi__json_cursor *c, ubi__json_value *out) {
    skip_space(c);
    return cursor_peek(c) == '{' || cursor_peek(c) == '[' ? take_nested(c, out) : take_scalar(c, out);
}

bool ubi__json_value_whole(ubi__json_cursor *c, ubi__json_value *out, ubi_text text) {
    *c = (ubi__json_cursor){ text.ptr, text.ptr + text.len, true, NULL };
    if (!take_value(c, out))
        return false;
    skip_space(c);
    return c->at == c->end || cursor_fail(c, "nothing more");
}

void ubi__json_cursor_open(ubi__json_cursor *c, ubi_text text, ubi__json_type type) {
    *c = (ubi__json_cursor){ text.ptr, text.ptr + text.len, true, NULL };
    skip_space(c);
    if (!cursor_take(c, opening_bracket(type)))
        cursor_fail(c, type == UBI__JSON_OBJECT ? "an object" : "an array");
}

/* At the end of what is open nothing may follow. */
static bool cursor_advance(ubi__json_cursor *c, ubi__json_type type) {
    if (c->fault)
        return false;
    bool more = next_item(c, type, c->is_first);
    c->is_first = false;
    if (more || c->fault)
        return more;
    skip_space(c);
    return c->at < c->end && cursor_fail(c, "nothing more");
}

bool ubi__json_cursor_next_member(ubi__json_cursor *c, ubi__json_value *key, ubi__json_value *value) {
    return cursor_advance(c, UBI__JSON_OBJECT) && take_key(c, key) && take_value(c, value);
}

bool ubi__json_cursor_next_element(ubi__json_cursor *c, ubi__json_value *value) {
    return cursor_advance(c, UBI__JSON_ARRAY) && take_value(c, value);
}

/* ---- piece by piece ------------------------------------------------------------------------------------------------- */

bool ubi__json_cursor_enter(ubi__json_cursor *c, ubi__json_type type) {
    skip_space(c);
    c->is_first = true;
    return cursor_take(c, opening_bracket(type)) || cursor_fail(c, type == UBI__JSON_OBJECT ? "an object" : "an array");
}

static bool cursor_step(ubi__json_cursor *c, ubi__json_type type) {
    bool more = !c->fault && next_item(c, type, c->is_first);
    c->is_first = false;
    return more;
}

bool ubi__json_cursor_next_key(ubi__json_cursor *c, ubi__json_value *key) {
    return cursor_step(c, UBI__JSON_OBJECT) && take_key(c, key);
}

bool ubi__json_cursor_next_item(ubi__json_cursor *c) {
    return cursor_step(c, UBI__JSON_ARRAY);
}

bool ubi__json_cursor_take(ubi__json_cursor *c, ubi__json_value *value) {
    return take_value(c, value);
}

/* ---- what values are ------------------------------------------------------------------------------------------------ */

bool ubi__json_object_find(ubi__json_value *out, ubi_text object, const char *name) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_found = false;
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (!ubi__json_value_is(&key, name))
            continue;
        *out = value;
        is_found = true;
    }
    return is_found && !c.fault;
}

bool ubi__json_value_is(const ubi__json_value *value, const char *text) {
    return value->type == UBI__JSON_STRING && !value->has_escapes && ubi__text_is(value->raw, text);
}

static uint32_t hex_value(const char *at) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 4 | (uint32_t)ubi__hex_digit(at[i]);
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

ubi_status ubi__json_value_text(ubi_text *out, const ubi__json_value *value, ubi__vec_u8 *scratch,
                                const ubi_allocator *a) {
    *out = value->raw;
    if (!value->has_escapes)
        return UBI_OK;
    scratch->n = 0;
    UBI_TRY(ubi__vec_u8_reserve(scratch, a, value->raw.len));
    const char *at = value->raw.ptr, *end = at + value->raw.len;
    while (at < end)
        if (*at != '\\') {
            const char *slash = memchr(at, '\\', (size_t)(end - at)), *next = slash ? slash : end;
            memcpy(scratch->at + scratch->n, at, (size_t)(next - at));
            scratch->n += (size_t)(next - at);
            at = next;
        } else if (at[1] != 'u') {
            scratch->at[scratch->n++] = (uint8_t)unescape_letter(at[1]);
            at += 2;
        } else {
            scratch->n += ubi__wtf8_encode(scratch->at + scratch->n, unescape_unit(&at, end));
        }
    *out = (ubi_text){ (const char *)scratch->at, scratch->n };
    return UBI_OK;
}

ubi_status ubi__json_member_value_text(ubi_text *out, ubi_text object, const char *name, ubi__vec_u8 *scratch,
                                       const ubi_allocator *a) {
    ubi__json_value value;
    *out = (ubi_text){ NULL, 0 };
    bool is_text = ubi__json_object_find(&value, object, name) && value.type == UBI__JSON_STRING;
    return is_text ? ubi__json_value_text(out, &value, scratch, a) : UBI_OK;
}

void ubi__json_words_line(char *words) {
    for (; *words; words++)
        *words = (unsigned char)*words < ' ' ? ' ' : *words;
}

#define NUMBER_BYTES 400

bool ubi__json_value_number(double *out, const ubi__json_value *value) {
    char text[NUMBER_BYTES + 1];
    if (value->type != UBI__JSON_NUMBER || value->raw.len > NUMBER_BYTES)
        return false;
    memcpy(text, value->raw.ptr, value->raw.len);
    text[value->raw.len] = 0;
    char *point = strchr(text, '.');
    if (point)
        *point = *localeconv()->decimal_point; /* a library does not choose the locale */
    *out = strtod(text, NULL);
    return isfinite(*out);
}

/* Appends the digits [at, end) to those of *value; false when the number does not fit. */
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

bool ubi__json_value_u64(uint64_t *out, const ubi__json_value *value) {
    uint64_t number = 0;
    if (value->type != UBI__JSON_NUMBER)
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

bool ubi__json_value_ns(uint64_t *out, const ubi__json_value *value) {
    double ms;
    if (value->type == UBI__JSON_NUMBER && plain_ns(out, value->raw.ptr, value->raw.ptr + value->raw.len))
        return true;
    if (!ubi__json_value_number(&ms, value) || !(ms >= 0) || ms * 1e6 >= 0x1p64)
        return false;
    *out = (uint64_t)(ms * 1e6 + 0.5);
    return true;
}
