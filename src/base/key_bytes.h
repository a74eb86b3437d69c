/* SPDX-License-Identifier: MIT
 *
 * key_bytes.h: keys that are made of several values: bytes that are equal if and only if all values are.
 *
 * Each value is written with its length in front, so that what follows it cannot be taken for a part of it.
 */
#ifndef UBI_BASE_KEY_BYTES_H
#define UBI_BASE_KEY_BYTES_H

#include "base/alloc.h"

/** Appends a value. Errors: UBI_ENOMEM; then `key` may have a part of it, and is good only to be freed. */
ubi_status ubi__key_add_bytes(ubi__vec_u8 *key, const void *bytes, size_t n, const ubi_allocator *allocator);
/** Appends a text, or that there is none: NULL differs from "". */
ubi_status ubi__key_add_text(ubi__vec_u8 *key, const char *text, const ubi_allocator *allocator);

#endif
