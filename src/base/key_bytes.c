/* SPDX-License-Identifier: MIT */
#include "base/key_bytes.h"

#include <string.h>

ubi_status ubi__key_add_bytes(ubi__vec_u8 *key, const void *bytes, size_t n, const ubi_allocator *a) {
    uint64_t n_bytes = n;
    UBI_TRY(ubi__vec_u8_reserve(key, a, sizeof n_bytes + n));
    memcpy(key->at + key->n, &n_bytes, sizeof n_bytes);
    if (n)
        memcpy(key->at + key->n + sizeof n_bytes, bytes, n);
    key->n += sizeof n_bytes + n;
    return UBI_OK;
}

ubi_status ubi__key_add_text(ubi__vec_u8 *key, const char *text, const ubi_allocator *a) {
    UBI_TRY(ubi__key_add_bytes(key, text ? "+" : "-", 1, a));
    return ubi__key_add_bytes(key, text, text ? strlen(text) : 0, a);
}
