/* SPDX-License-Identifier: MIT
 *
 * base64.h: bytes as text (RFC 4648, section 4).
 */
#ifndef UBI_BASE_BASE64_H
#define UBI_BASE_BASE64_H

#include "base/alloc.h"
#include "base/status.h"

/** Appends 4 characters for each 3 bytes, padded with `=`. Errors: UBI_ENOMEM (`to` unchanged). */
static inline ubi_status ubi__base64_append(ubi__vec_u8 *to, const uint8_t *bytes, size_t n, const ubi_allocator *a) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    UBI_TRY(ubi__vec_u8_reserve(to, a, (n + 2) / 3 * 4));
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t three =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        to->at[to->n++] = (uint8_t)letters[three >> 18];
        to->at[to->n++] = (uint8_t)letters[three >> 12 & 63];
        to->at[to->n++] = (uint8_t)(left > 1 ? letters[three >> 6 & 63] : '=');
        to->at[to->n++] = (uint8_t)(left > 2 ? letters[three & 63] : '=');
    }
    return UBI_OK;
}

/** The six bits of a letter; 64: there are none. */
static inline uint32_t ubi__base64_bits(char c) {
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/** Appends the bytes of a text whose length is a multiple of 4, padded with `=`. Errors: UBI_EFORMAT (another text), UBI_ENOMEM. */
static inline ubi_status ubi__base64_decode(ubi__vec_u8 *to, ubi_text text, const ubi_allocator *a) {
    size_t n_padding = text.len && text.ptr[text.len - 1] == '=' ? 1 + (text.ptr[text.len - 2] == '=') : 0;
    if (text.len % 4 != 0)
        return ubi__fail(UBI_EFORMAT, "a text that is not base64");
    UBI_TRY(ubi__vec_u8_reserve(to, a, text.len / 4 * 3));
    for (size_t i = 0; i < text.len; i += 4) {
        uint32_t n_missing = i + 4 == text.len ? (uint32_t)n_padding : 0, three = 0;
        for (size_t k = 0; k < 4 - n_missing; k++) {
            uint32_t bits = ubi__base64_bits(text.ptr[i + k]);
            if (bits > 63)
                return ubi__fail(UBI_EFORMAT, "a text that is not base64");
            three |= bits << (18 - 6 * k);
        }
        for (size_t k = 0; k < 3 - n_missing; k++)
            to->at[to->n++] = (uint8_t)(three >> (16 - 8 * k));
    }
    return UBI_OK;
}

#endif
