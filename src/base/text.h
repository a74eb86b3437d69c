/* SPDX-License-Identifier: MIT
 *
 * text.h: UTF-8 with lone surrogates (WTF-8).
 */
#ifndef UBI_BASE_TEXT_H
#define UBI_BASE_TEXT_H

#include <string.h>

#include <ubiheap/core/base.h>

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
int ubi__text_compare(ubi_text a, ubi_text b);
/** Whether `needle` occurs in `haystack`; the empty needle always does. */
bool ubi__text_contains(ubi_text haystack, ubi_text needle);

/**
 * Decodes the character at `s[0..n)`, n > 0. Surrogate code points (three bytes) are decoded as such.
 * @return bytes used, or 0 when the bytes are no WTF-8 (then *out is the first byte).
 */
size_t ubi__wtf8_decode(const uint8_t *s, size_t n, uint32_t *out);
/** Writes `c` (a code point or a lone surrogate) to out[4]; bytes used. */
size_t ubi__wtf8_encode(uint8_t out[4], uint32_t c);
/** Offset of the first byte that starts no valid UTF-8 sequence (surrogates are invalid), or `text.len` when all is valid. */
size_t ubi__utf8_valid_prefix(ubi_text text);

#endif
