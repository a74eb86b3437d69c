/* SPDX-License-Identifier: MIT
 *
 * result.h: results that may grow (docs/reference/abi.md). Their first member, `struct_bytes`, is what the caller was built
 * with; members that its struct does not have are left out.
 */
#ifndef UBI_BASE_RESULT_H
#define UBI_BASE_RESULT_H

#include <string.h>

#include "base/status.h"

/** UBI_EINVAL when `result` was not initialized. NULL is fine: not wanted. */
static inline ubi_status ubi__result_check(const uint32_t *struct_bytes, const char *name) {
    if (struct_bytes && *struct_bytes < 2 * sizeof *struct_bytes)
        return ubi__fail(UBI_EINVAL, "%s is not initialized: its struct_bytes is %u", name, *struct_bytes);
    return UBI_OK;
}

/** Copies what the caller's struct has room for, its own struct_bytes left as it is. */
static inline void ubi__result_fill(void *result, const void *full, size_t full_bytes) {
    uint32_t room;
    memcpy(&room, result, sizeof room);
    size_t n_bytes = room < full_bytes ? room : full_bytes;
    if (n_bytes > sizeof room)
        memcpy((char *)result + sizeof room, (const char *)full + sizeof room, n_bytes - sizeof room);
}

#endif
