/* SPDX-License-Identifier: MIT
 *
 * text.c: decoding, encoding and checking of UTF-8 with lone surrogates (WTF-8).
 *
 * Two notions of "valid" live here. WTF-8 is what our tables hold: any code point, surrogates included, in its shortest
 * form. UTF-8 proper, which ubi__utf8_valid_prefix checks, has no surrogates.
 */
#include "base/text.h"

int ubi__text_compare(ubi_text a, ubi_text b) {
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n && a.ptr != b.ptr ? memcmp(a.ptr, b.ptr, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool ubi__text_contains(ubi_text haystack, ubi_text needle) {
    if (needle.len == 0)
        return true;
    return needle.len <= haystack.len && memmem(haystack.ptr, haystack.len, needle.ptr, needle.len) != NULL;
}

static bool is_continuation(uint8_t byte) {
    return (byte & 0xc0) == 0x80;
}

size_t ubi__wtf8_decode(const uint8_t *s, size_t n, uint32_t *out) {
    uint8_t first = s[0];
    *out = first;
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > n)
        return 0;

    uint32_t c = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(s[i]))
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (c < smallest[length] || c > 0x10ffff)
        return 0;
    *out = c;
    return length;
}

size_t ubi__wtf8_encode(uint8_t out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    static const uint8_t lead[5] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    out[0] = (uint8_t)(lead[length] | c);
    return length;
}

static bool is_surrogate(uint32_t c) {
    return c >= 0xd800 && c <= 0xdfff;
}

size_t ubi__utf8_valid_prefix(ubi_text text) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    size_t at = 0;
    while (at < text.len) {
        uint32_t c;
        size_t used = ubi__wtf8_decode(s + at, text.len - at, &c);
        if (used == 0 || is_surrogate(c))
            break;
        at += used;
    }
    return at;
}
