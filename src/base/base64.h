/* SPDX-License-Identifier: MIT
 *
 * base64.h: bytes as text (RFC 4648, section 4).
 */
#ifndef UBI_BASE_BASE64_H
#define UBI_BASE_BASE64_H

#include "base/alloc.h"

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

#endif
