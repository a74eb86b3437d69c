/* SPDX-License-Identifier: MIT
 *
 * json_writer.c: streaming JSON, byte for byte what JSON.stringify gives.
 *
 * `needs_comma` is the whole state of the innermost open level: an entry was written to it. Closing a level is itself an
 * entry of the level around it, so no stack is needed and depth has no limit.
 */
#include "base/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

/* ---- output ----------------------------------------------------------------------------------------------------- */

/* Whether the innermost open level is an object, or an array. Unknown levels are either, and all of a document that failed. */
__attribute__((unused)) static bool level_is(const ubi__json *j, bool object) {
    return j->has_failed || j->depth > 64 || (j->depth > 0 ? (j->objects >> (j->depth - 1) & 1) == object : !object);
}

void ubi__json_init(ubi__json *j, bool (*write)(void *, const void *, size_t), void *payload, bool pretty) {
    j->write = write;
    j->payload = payload;
    j->has_failed = false;
    j->is_pretty = pretty;
    j->is_for_terminal = false;
    j->needs_comma = false;
    j->is_after_key = false;
    j->depth = 0;
    j->objects = 0;
    j->n = 0;
}

void ubi__json_check(const ubi__json *j) {
    UBI_ASSERT(j->n <= sizeof j->buffer);
    UBI_ASSERT(!j->is_after_key || j->needs_comma);
    UBI_ASSERT(!j->is_after_key || level_is(j, true));
    UBI_ASSERT(j->depth >= 64 || j->objects >> j->depth == 0);
}

static void json_drain(ubi__json *j) {
    if (UBI_CHECKS)
        ubi__json_check(j);
    if (j->n && !j->has_failed && !j->write(j->payload, j->buffer, j->n))
        j->has_failed = true;
    j->n = 0;
}

ubi_status ubi__json_flush(ubi__json *j) {
    json_drain(j);
    return j->has_failed ? ubi__fail(UBI_EIO, "cannot write the output") : UBI_OK;
}

static void put_char(ubi__json *j, char c) {
    if (j->n == sizeof j->buffer)
        json_drain(j);
    j->buffer[j->n++] = c;
}

static void json_put(ubi__json *j, const char *data, size_t n) {
    while (n > 0) {
        if (j->n == sizeof j->buffer)
            json_drain(j);
        size_t room = sizeof j->buffer - j->n;
        size_t part = n < room ? n : room;
        memcpy(j->buffer + j->n, data, part);
        j->n += part;
        data += part;
        n -= part;
    }
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

static void new_line(ubi__json *j) {
    put_char(j, '\n');
    for (uint32_t i = 0; i < j->depth; i++)
        json_put(j, "  ", 2);
}

/* Everything that starts an entry of the innermost level (a value in an array, a key in an object) comes through here. */
static void begin_entry(ubi__json *j) {
    if (j->is_after_key) {
        j->is_after_key = false;
        return;
    }
    if (j->needs_comma)
        put_char(j, ',');
    if (j->is_pretty && j->depth > 0)
        new_line(j);
    j->needs_comma = true;
}

/* A value in an array, after a key, or the whole document. */
static void begin_value(ubi__json *j) {
    UBI_ASSERT(j->is_after_key || level_is(j, false));
    begin_entry(j);
}

static void begin_level(ubi__json *j, char bracket) {
    begin_value(j);
    put_char(j, bracket);
    if (UBI_CHECKS && j->depth < 64 && bracket == '{')
        j->objects |= UINT64_C(1) << j->depth;
    j->depth++;
    j->needs_comma = false;
}

static void end_level(ubi__json *j, char bracket) {
    if (j->has_failed) /* writers stop in the middle then */
        return;
    UBI_ASSERT(j->depth > 0 && !j->is_after_key && level_is(j, bracket == '}'));
    j->depth--;
    if (UBI_CHECKS && j->depth < 64)
        j->objects &= ~(UINT64_C(1) << j->depth);
    if (j->is_pretty && j->needs_comma)
        new_line(j);
    put_char(j, bracket);
    j->needs_comma = true;
}

void ubi__json_object_begin(ubi__json *j) {
    begin_level(j, '{');
}

void ubi__json_object_end(ubi__json *j) {
    end_level(j, '}');
}

void ubi__json_array_begin(ubi__json *j) {
    begin_level(j, '[');
}

void ubi__json_array_end(ubi__json *j) {
    end_level(j, ']');
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* Characters written as they are, whatever their neighbours. */
static bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static const char hex_digits[] = "0123456789abcdef";

static void put_unicode_escape(ubi__json *j, uint32_t unit) {
    char escape[6] = { '\\', 'u' };
    for (int i = 0; i < 4; i++)
        escape[2 + i] = hex_digits[unit >> (12 - 4 * i) & 15];
    json_put(j, escape, sizeof escape);
}

static void put_ascii_escape(ubi__json *j, uint8_t c) {
    static const char letters[128] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
    };
    if (letters[c]) {
        put_char(j, '\\');
        put_char(j, letters[c]);
    } else if (c == 0x7f && !j->is_for_terminal) {
        put_char(j, (char)c);
    } else {
        put_unicode_escape(j, c);
    }
}

/* A byte that is not UTF-8 becomes the four characters \xNN; JSON doubles the backslash. */
static void put_bad_byte(ubi__json *j, uint8_t byte) {
    char escape[5] = { '\\', '\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15] };
    json_put(j, escape, sizeof escape);
}

/* One character that is not plain; bytes consumed. */
static size_t put_special(ubi__json *j, const uint8_t *s, size_t n) {
    if (s[0] < 0x80) {
        put_ascii_escape(j, s[0]);
        return 1;
    }
    uint32_t c;
    size_t used = ubi__wtf8_decode(s, n, &c);
    if (used == 0) {
        put_bad_byte(j, s[0]);
        return 1;
    }
    if ((c >= 0xd800 && c <= 0xdfff) || (c < 0xa0 && j->is_for_terminal))
        put_unicode_escape(j, c);
    else
        json_put(j, (const char *)s, used);
    return used;
}

static void put_quoted(ubi__json *j, ubi_text text) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    put_char(j, '"');
    size_t at = 0;
    while (at < text.len) {
        size_t run = at;
        while (run < text.len && is_plain(s[run]))
            run++;
        json_put(j, text.ptr + at, run - at);
        at = run;
        if (at < text.len)
            at += put_special(j, s + at, text.len - at);
    }
    put_char(j, '"');
}

void ubi__json_key_text(ubi__json *j, ubi_text key) {
    UBI_ASSERT(!j->is_after_key && level_is(j, true));
    begin_entry(j);
    put_quoted(j, key);
    json_put(j, ": ", j->is_pretty ? 2 : 1);
    j->is_after_key = true;
}

void ubi__json_key(ubi__json *j, const char *key) {
    ubi__json_key_text(j, ubi__text(key));
}

void ubi__json_text(ubi__json *j, ubi_text value) {
    if (!value.ptr) {
        ubi__json_null(j);
        return;
    }
    begin_value(j);
    put_quoted(j, value);
}

void ubi__json_string(ubi__json *j, const char *value) {
    ubi__json_text(j, ubi__text(value));
}

void ubi__json_raw(ubi__json *j, ubi_text json) {
    bool in_string = false;
    begin_value(j);
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        put_char(j, c);
        if (in_string && c == '\\' && i + 1 < json.len)
            put_char(j, json.ptr[++i]);
        else if (c == '"')
            in_string = !in_string;
    }
}

/* ---- constants and numbers -------------------------------------------------------------------------------------- */

static void put_word(ubi__json *j, const char *word) {
    begin_value(j);
    json_put(j, word, strlen(word));
}

void ubi__json_null(ubi__json *j) {
    put_word(j, "null");
}

void ubi__json_bool(ubi__json *j, bool value) {
    put_word(j, value ? "true" : "false");
}

/* Up to this every integer is a double, and its digits are the integer's. */
#define EXACT_INTEGER_LIMIT (UINT64_C(1) << 53)

void ubi__json_double(ubi__json *j, double value) {
    char text[32];
    size_t n = ubi__number_text(text, value);
    begin_value(j);
    if (isfinite(value))
        json_put(j, text, n);
    else
        json_put(j, "null", 4); /* as JSON.stringify */
}

static size_t u64_text(char out[32], uint64_t value) {
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    out[n] = 0;
    return n;
}

void ubi__json_u64(ubi__json *j, uint64_t value) {
    if (value > EXACT_INTEGER_LIMIT) {
        ubi__json_double(j, (double)value);
        return;
    }
    char text[32];
    size_t n = u64_text(text, value);
    begin_value(j);
    json_put(j, text, n);
}

void ubi__json_i64(ubi__json *j, int64_t value) {
    if (value >= 0)
        ubi__json_u64(j, (uint64_t)value);
    else
        ubi__json_double(j, (double)value);
}

static bool exact_in_double(uint64_t value) {
    double d = (double)value;
    return d < 0x1p64 && (uint64_t)d == value;
}

void ubi__json_node_id(ubi__json *j, uint64_t id) {
    if (exact_in_double(id)) {
        ubi__json_u64(j, id);
        return;
    }
    char text[32];
    ubi_text digits = { text, u64_text(text, id) };
    ubi__json_text(j, digits);
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

void ubi__json_member_object(ubi__json *j, const char *key) {
    ubi__json_key(j, key);
    ubi__json_object_begin(j);
}

void ubi__json_member_array(ubi__json *j, const char *key) {
    ubi__json_key(j, key);
    ubi__json_array_begin(j);
}

void ubi__json_member_null(ubi__json *j, const char *key) {
    ubi__json_key(j, key);
    ubi__json_null(j);
}

#define JSON_MEMBER(kind, type)                                                                                        \
    void ubi__json_member_##kind(ubi__json *j, const char *key, type value) {                                          \
        ubi__json_key(j, key);                                                                                         \
        ubi__json_##kind(j, value);                                                                                    \
    }

JSON_MEMBER(bool, bool)
JSON_MEMBER(string, const char *)
JSON_MEMBER(text, ubi_text)
JSON_MEMBER(raw, ubi_text)
JSON_MEMBER(u64, uint64_t)
JSON_MEMBER(i64, int64_t)
JSON_MEMBER(double, double)
JSON_MEMBER(node_id, uint64_t)

void ubi__json_member_u64_or_null(ubi__json *j, const char *key, bool is_known, uint64_t value) {
    if (is_known)
        ubi__json_member_u64(j, key, value);
    else
        ubi__json_member_null(j, key);
}

void ubi__json_member_node_id_or_null(ubi__json *j, const char *key, bool is_known, uint64_t id) {
    if (is_known)
        ubi__json_member_node_id(j, key, id);
    else
        ubi__json_member_null(j, key);
}

/* ---- JavaScript's Number::toString ------------------------------------------------------------------------------ */

/* Whether digits * 10^scale reads back as `value`. Free of the locale's decimal point. */
static bool reads_back(uint64_t digits, int scale, double value) {
    char text[48];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, scale);
    return strtod(text, NULL) == value;
}

/* `value` rounded to `precision` + 1 significant digits, as an integer, and the power of ten of the first digit. */
static uint64_t rounded_digits(int *exponent, int precision, double value) {
    char text[48];
    snprintf(text, sizeof text, "%.*e", precision, value);
    uint64_t digits = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits = digits * 10 + (uint64_t)(*p - '0');
    *exponent = atoi(p + 1);
    return digits;
}

/*
 * The fewest significant digits that read back as `value`, and the power of ten of the first one.
 *
 * The closest number of a length reads back if any of that length does, except at powers of two: doubles below one are
 * twice as dense as above, so there the next larger number is tried too (2^-44 is 5.684341886080802e-14, although
 * ...801e-14 is closer).
 */
static size_t shortest_digits(char out[32], int *exponent, double value) {
    int unused;
    bool power_of_two = frexp(value, &unused) == 0.5;
    uint64_t digits = 0;
    for (int precision = 0; precision <= 16; precision++) {
        digits = rounded_digits(exponent, precision, value);
        int scale = *exponent - precision;
        if (reads_back(digits, scale, value))
            break;
        if (power_of_two && reads_back(digits + 1, scale, value)) {
            digits++;
            break;
        }
    }
    return u64_text(out, digits);
}

static char *json_append(char *out, const char *data, size_t n) {
    memcpy(out, data, n);
    return out + n;
}

static char *append_zeros(char *out, int n) {
    for (int i = 0; i < n; i++)
        *out++ = '0';
    return out;
}

/* ECMAScript Number::toString, steps 6 to 10, with k digits and n = exponent + 1. */
static char *place_point(char *out, const char *digits, int k, int exponent) {
    int n = exponent + 1;
    if (k <= n && n <= 21)
        return append_zeros(json_append(out, digits, (size_t)k), n - k);
    if (0 < n && n <= 21) {
        out = json_append(out, digits, (size_t)n);
        *out++ = '.';
        return json_append(out, digits + n, (size_t)(k - n));
    }
    if (-6 < n && n <= 0) {
        out = append_zeros(json_append(out, "0.", 2), -n);
        return json_append(out, digits, (size_t)k);
    }
    *out++ = digits[0];
    if (k > 1) {
        *out++ = '.';
        out = json_append(out, digits + 1, (size_t)(k - 1));
    }
    return out + snprintf(out, 6, "e%+d", exponent);
}

size_t ubi__number_text(char out[32], double value) {
    if (isnan(value))
        return (size_t)snprintf(out, 32, "NaN");
    if (isinf(value))
        return (size_t)snprintf(out, 32, value < 0 ? "-Infinity" : "Infinity");
    char *end = out;
    if (value < 0) {
        *end++ = '-';
        value = -value;
    }
    if (value < (double)EXACT_INTEGER_LIMIT && value == (double)(uint64_t)value)
        return (size_t)(end - out) + u64_text(end, (uint64_t)value);
    char digits[32];
    int exponent;
    size_t k = shortest_digits(digits, &exponent, value);
    end = place_point(end, digits, (int)k, exponent);
    *end = 0;
    return (size_t)(end - out);
}
