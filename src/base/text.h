/* SPDX-License-Identifier: MIT
 *
 * text.h: texts: UTF-8 with lone surrogates (WTF-8), how they begin and end, upper and lower case.
 */
#ifndef UBI_BASE_TEXT_H
#define UBI_BASE_TEXT_H

#include <string.h>

#include <ubiheap/core/base.h>

#include "base/server_api.h"

static inline ubi_text ubi__text(const char *s) {
    return (ubi_text){ s, s ? strlen(s) : 0 };
}
static inline bool ubi__text_equal(ubi_text a, ubi_text b) {
    return a.len == b.len && (a.len == 0 || a.ptr == b.ptr || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool ubi__text_is(ubi_text a, const char *s) {
    return a.ptr && ubi__text_equal(a, ubi__text(s));
}
/** Order by bytes, which is that of code points: below, equal to or above 0. */
UBI__SERVER_API int ubi__text_compare(ubi_text a, ubi_text b);
/** Whether `needle` occurs in `haystack`; the empty needle always does. */
bool ubi__text_contains(ubi_text haystack, ubi_text needle);

/**
 * Decodes the character at `s[0..n)`, n > 0. Surrogate code points (three bytes) are decoded as such.
 * @return bytes used, or 0 when the bytes are no WTF-8 (then *out is the first byte).
 */
UBI__SERVER_API size_t ubi__wtf8_decode(const uint8_t *s, size_t n, uint32_t *out);
/** Writes `c` (a code point or a lone surrogate) to out[4]; bytes used. */
size_t ubi__wtf8_encode(uint8_t out[4], uint32_t c);
/** Offset of the first byte that starts no valid UTF-8 sequence (surrogates are invalid), or `text.len` when all is valid. */
UBI__SERVER_API size_t ubi__utf8_valid_prefix(ubi_text text);

/* ---- beginnings and ends, by bytes -------------------------------------------------------------------------------- */

/** An ASCII digit, in any locale. */
static inline bool ubi__is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}
/** White space of JSON. */
static inline bool ubi__is_json_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
/** Value of a hexadecimal digit, -1 for anything else. */
static inline int ubi__hex_digit(char c) {
    if (ubi__is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
static inline bool ubi__text_begins(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}
static inline bool ubi__text_ends(ubi_text text, const char *ending) {
    size_t n = strlen(ending);
    return text.len >= n && memcmp(text.ptr + text.len - n, ending, n) == 0;
}
/** What comes after the last slash, or all of it; nothing of a NULL text. */
static inline ubi_text ubi__text_base_name(ubi_text path) {
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/')
        start--;
    return start ? (ubi_text){ path.ptr + start, path.len - start } : path;
}

/* ---- upper and lower case ----------------------------------------------------------------------------------------- */

/** For c >= 0x80. O(log of a short table). */
uint32_t ubi__fold_beyond_ascii(uint32_t c);

/** The capital of `c`, or `c`: equal for characters that differ in case only. */
static inline uint32_t ubi__fold(uint32_t c) {
    if (c < 0x80)
        return c >= 'a' && c <= 'z' ? c - 32 : c;
    return c <= 0xffff ? ubi__fold_beyond_ascii(c) : c;
}

#endif
