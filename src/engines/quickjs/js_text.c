/* SPDX-License-Identifier: MIT
 *
 * js_text.c: appending to a text.
 */
#include "engines/quickjs/js_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

void ubi__js_text_fini(JSContext *ctx, ubi__js_text *text) {
    js_free(ctx, text->at);
    *text = (ubi__js_text){ 0 };
}

int ubi__js_text_bytes(JSContext *ctx, ubi__js_text *text, const char *bytes, size_t n) {
    if (n > text->capacity - text->n) {
        size_t capacity = (text->n + n) * 2;
        char *at = js_realloc(ctx, text->at, capacity);
        if (!at)
            return -1;
        text->at = at;
        text->capacity = capacity;
    }
    if (n)
        memcpy(text->at + text->n, bytes, n);
    UBI_ASSERT(text->n + n <= text->capacity);
    text->n += n;
    return 0;
}

int ubi__js_text_words(JSContext *ctx, ubi__js_text *text, const char *words) {
    return ubi__js_text_bytes(ctx, text, words, strlen(words));
}

int ubi__js_text_number(JSContext *ctx, ubi__js_text *text, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    return ubi__js_text_words(ctx, text, digits);
}

int ubi__js_text_value(JSContext *ctx, ubi__js_text *text, JSValueConst value) {
    size_t len;
    const char *bytes = JS_ToCStringLen(ctx, &len, value);
    if (!bytes)
        return -1;
    int result = ubi__js_text_bytes(ctx, text, bytes, len);
    JS_FreeCString(ctx, bytes);
    return result;
}

/* ---- quoting ----------------------------------------------------------------------------------------------------- */

/** One UTF-16 unit with SpiderMonkey's escapes; bytes written to out[7]. */
static size_t quote_unit(char *out, uint32_t unit) {
    static const char escapes[] = "\bb\ff\nn\rr\tt\vv\"\"\\\\";
    for (const char *e = escapes; *e; e += 2)
        if (unit == (uint32_t)*e) {
            out[0] = '\\';
            out[1] = e[1];
            return 2;
        }
    if (unit >= ' ' && unit < 0x7f) {
        out[0] = (char)unit;
        return 1;
    }
    return (size_t)snprintf(out, 7, unit < 256 ? "\\x%02X" : "\\u%04X", unit & 0xffff);
}

/** Decodes one code point, lone surrogates included, of text that the engine wrote; its length in bytes. */
static size_t wtf8_decode(const char *text, size_t len, uint32_t *c) {
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    *c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    n = n < len ? n : len;
    for (size_t i = 1; i < n; i++)
        *c = *c << 6 | (p[i] & 0x3fu);
    return n;
}

static int append_quoted(JSContext *ctx, ubi__js_text *text, const char *bytes, size_t len) {
    char unit[8];
    if (ubi__js_text_words(ctx, text, "\""))
        return -1;
    for (size_t at = 0; at < len;) {
        uint32_t c;
        at += wtf8_decode(bytes + at, len - at, &c);
        if (c > 0xffff) {
            if (ubi__js_text_bytes(ctx, text, unit, quote_unit(unit, 0xd800 + ((c - 0x10000) >> 10))))
                return -1;
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        if (ubi__js_text_bytes(ctx, text, unit, quote_unit(unit, c)))
            return -1;
    }
    return ubi__js_text_words(ctx, text, "\"");
}

int ubi__js_text_quoted(JSContext *ctx, ubi__js_text *text, JSValueConst string) {
    size_t len;
    const char *bytes = JS_ToCStringLen(ctx, &len, string);
    if (!bytes)
        return -1;
    int result = append_quoted(ctx, text, bytes, len);
    JS_FreeCString(ctx, bytes);
    return result;
}
