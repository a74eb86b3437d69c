/* SPDX-License-Identifier: MIT
 *
 * v8_json.c: the skeleton of the file: braces, keys, small values, and what is not for us (v8_reader.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/text_parts.h"
#include "formats/v8/v8_reader.h"

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* At least one byte at hand, or the file has ended. */
static ubi_status fill(ubi__v8_reader *r, const char *expected) {
    while (r->window.at == r->window.end) {
        if (r->window.ended)
            return ubi__v8_fail_cut(r, expected);
        UBI_TRY(ubi__v8_more(r));
    }
    return UBI_OK;
}

ubi_status ubi__v8_peek(ubi__v8_reader *r, uint8_t *out, const char *expected) {
    for (;;) {
        UBI_TRY(fill(r, expected));
        if (!is_space(*r->window.at))
            break;
        r->window.at++;
    }
    *out = *r->window.at;
    return UBI_OK;
}

ubi_status ubi__v8_fail_expected(const ubi__v8_reader *r, const char *expected) {
    uint8_t c = *r->window.at;
    uint64_t offset = ubi__v8_offset(r, r->window.at);
    if (c > ' ' && c < 0x7f)
        return ubi__v8_fail_at(r, offset, "expected %s, found '%c'", expected, c);
    return ubi__v8_fail_at(r, offset, "expected %s, found byte 0x%02x", expected, c);
}

ubi_status ubi__v8_expect(ubi__v8_reader *r, uint8_t byte, const char *expected) {
    uint8_t c;
    UBI_TRY(ubi__v8_peek(r, &c, expected));
    if (c != byte)
        return ubi__v8_fail_expected(r, expected);
    r->window.at++;
    return UBI_OK;
}

ubi_status ubi__v8_next_item(ubi__v8_reader *r, uint8_t close, bool first, bool *more) {
    const char *expected = close == ']' ? "',' or ']'" : "',' or '}'";
    uint8_t c;
    *more = true;
    UBI_TRY(ubi__v8_peek(r, &c, expected));
    if (c == close) {
        r->window.at++;
        *more = false;
        return UBI_OK;
    }
    if (first)
        return UBI_OK;
    UBI_TRY(ubi__v8_expect(r, ',', expected));
    UBI_TRY(ubi__v8_peek(r, &c, "another item"));
    return c == close ? ubi__v8_fail_expected(r, "another item behind the comma") : UBI_OK;
}

/* ---- small values ---------------------------------------------------------------------------------------------------- */

static ubi_status next_byte(ubi__v8_reader *r, uint8_t *out) {
    UBI_TRY(fill(r, "the end of a string"));
    *out = *r->window.at++;
    return UBI_OK;
}

/* An escape, whole, as the bytes that it stands for. */
static ubi_status unescape(ubi__v8_reader *r, uint8_t out[4], size_t *n) {
    while (r->window.end - r->window.at < UBI__V8_LONGEST_ESCAPE && !r->window.ended)
        UBI_TRY(ubi__v8_more(r));
    const uint8_t *at = r->window.at;
    *n = ubi__v8_take_escape(&r->window, out);
    return *n ? UBI_OK : ubi__v8_fail_at(r, ubi__v8_offset(r, at), "an escape that JSON does not know");
}

static ubi_status next_of_name(ubi__v8_reader *r, uint8_t out[4], size_t *n) {
    UBI_TRY(fill(r, "the end of a string"));
    *out = *r->window.at;
    *n = 1;
    if (*out == '\\')
        return unescape(r, out, n);
    if (*out < ' ')
        return ubi__v8_fail_expected(r, "the rest of a string");
    r->window.at++;
    return UBI_OK;
}

ubi_status ubi__v8_read_name(ubi__v8_reader *r, ubi_text *out) {
    size_t n = 0, n_bytes;
    uint8_t bytes[4];
    bool fits = true;
    UBI_TRY(ubi__v8_expect(r, '"', "a string"));
    for (;;) {
        UBI_TRY(fill(r, "the end of a string"));
        if (*r->window.at == '"')
            break;
        UBI_TRY(next_of_name(r, bytes, &n_bytes));
        fits = fits && n + n_bytes <= sizeof r->name;
        if (fits)
            memcpy(r->name + n, bytes, n_bytes);
        n += fits ? n_bytes : 0;
    }
    r->window.at++;
    if (ubi__utf8_valid_prefix((ubi_text){ (const char *)r->name, n }) != n)
        fits = false;
    *out = fits ? (ubi_text){ (const char *)r->name, n } : (ubi_text){ NULL, 0 };
    return UBI_OK;
}

ubi_status ubi__v8_read_key(ubi__v8_reader *r, ubi_text *out) {
    uint8_t c;
    UBI_TRY(ubi__v8_peek(r, &c, "a key"));
    if (c != '"')
        return ubi__v8_fail_expected(r, "a key in quotes");
    UBI_TRY(ubi__v8_read_name(r, out));
    return ubi__v8_expect(r, ':', "':' behind the key");
}

/* A number must not stop at the edge of what is at hand. */
static ubi_status gather_number(ubi__v8_reader *r, size_t *n) {
    for (*n = 0;; (*n)++) {
        if (r->window.at + *n == r->window.end && !r->window.ended)
            UBI_TRY(ubi__v8_more(r));
        uint8_t c = r->window.at + *n < r->window.end ? r->window.at[*n] : 0;
        if (!ubi__is_digit(c) || *n > 20)
            return UBI_OK;
    }
}

ubi_status ubi__v8_read_count(ubi__v8_reader *r, uint64_t *out) {
    uint8_t c;
    size_t n;
    uint64_t value = 0;
    UBI_TRY(ubi__v8_peek(r, &c, "a number"));
    UBI_TRY(gather_number(r, &n));
    if (n == 0)
        return ubi__v8_fail_expected(r, "a whole number from 0 on");
    const uint8_t *digits = r->window.at;
    for (size_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits[i] - '0'), &value))
            return ubi__v8_fail_at(r, ubi__v8_offset(r, digits), "a number is above 2^64-1");
    if (n > 1 && *digits == '0')
        return ubi__v8_fail_at(r, ubi__v8_offset(r, digits), "a number begins with 0");
    r->window.at += n;
    c = r->window.at < r->window.end ? *r->window.at : ' ';
    if (c == '.' || c == 'e' || c == 'E')
        return ubi__v8_fail_expected(r, "a whole number without fraction or exponent");
    *out = value;
    return UBI_OK;
}

/* ---- what is not for us ---------------------------------------------------------------------------------------------- */

/* Behind the opening quote. */
static ubi_status skip_string(ubi__v8_reader *r) {
    for (;;) {
        uint8_t c;
        UBI_TRY(next_byte(r, &c));
        if (c == '"')
            return UBI_OK;
        if (c == '\\')
            UBI_TRY(next_byte(r, &c));
    }
}

/* true, null, -1.5e3: anything up to what ends a value. */
static ubi_status skip_word(ubi__v8_reader *r) {
    size_t n = 0;
    for (;; n++) {
        UBI_TRY(fill(r, "the end of a value"));
        uint8_t c = *r->window.at;
        bool part = ubi__is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
        if (!part)
            return n ? UBI_OK : ubi__v8_fail_expected(r, "a value");
        r->window.at++;
    }
}

static ubi_status open_bracket(ubi__v8_reader *r, ubi__vec_u64 *open, uint64_t depth, bool is_object) {
    if (depth % 64 == 0)
        UBI_TRY(ubi__vec_u64_push(open, r->allocator, 0));
    uint64_t bit = UINT64_C(1) << depth % 64, *word = &open->at[depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    r->window.at++;
    return UBI_OK;
}

static ubi_status close_bracket(ubi__v8_reader *r, ubi__vec_u64 *open, uint64_t depth, bool is_object) {
    bool was_object = open->at[depth / 64] >> depth % 64 & 1;
    if (was_object != is_object)
        return ubi__v8_fail_expected(r, was_object ? "'}'" : "']'");
    r->window.at++;
    open->n = depth / 64 + (depth % 64 != 0);
    return UBI_OK;
}

static ubi_status skip_brackets(ubi__v8_reader *r, ubi__vec_u64 *open) {
    uint64_t depth = 0;
    do {
        uint8_t c;
        UBI_TRY(ubi__v8_peek(r, &c, "the end of a value"));
        if (c == '{' || c == '[')
            UBI_TRY(open_bracket(r, open, depth++, c == '{'));
        else if ((c == '}' || c == ']') && depth)
            UBI_TRY(close_bracket(r, open, --depth, c == '}'));
        else if ((c == ',' || c == ':') && depth)
            r->window.at++;
        else if (c == '"') {
            r->window.at++;
            UBI_TRY(skip_string(r));
        } else
            UBI_TRY(skip_word(r));
    } while (depth);
    return UBI_OK;
}

ubi_status ubi__v8_skip_value(ubi__v8_reader *r) {
    ubi__vec_u64 open = { NULL, 0, 0 }; /* a bit per open bracket: whether it is a brace */
    ubi_status status = skip_brackets(r, &open);
    ubi__vec_u64_fini(&open, r->allocator);
    return status;
}
