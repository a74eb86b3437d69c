/* SPDX-License-Identifier: MIT
 *
 * status.h: setting the thread's error message where the fault is known.
 */
#ifndef UBI_BASE_STATUS_H
#define UBI_BASE_STATUS_H

#include <string.h>

#include <ubiheap/core/base.h>

#include "base/server_api.h"

/** Sets this thread's message and returns `status`, so that `return ubi__fail(UBI_EFORMAT, "...")` reads well. */
UBI__SERVER_API ubi_status ubi__fail(ubi_status status, const char *format, ...) UBI_PRINTF(2, 3);
/** Out of memory; never allocates. */
UBI__SERVER_API ubi_status ubi__fail_nomem(void);
/** UBI_EIO with strerror(errno_value) after the text. */
UBI__SERVER_API ubi_status ubi__fail_errno(int errno_value, const char *format, ...) UBI_PRINTF(2, 3);
/** UBI_ECANCELLED with the usual words. */
UBI__SERVER_API ubi_status ubi__fail_cancelled(void);
/**
 * UBI_OK for the versions 1 to `newest` of the option struct `type`, else UBI_EINVAL. A new version only adds fields at the
 * end; a function that knows several copies no more than its caller's version has.
 */
UBI__SERVER_API ubi_status ubi__version_check(uint32_t version, uint32_t newest, const char *type);

#define UBI_TRY(call)                                                                                                  \
    do {                                                                                                               \
        ubi_status ubi_try_status_ = (call);                                                                           \
        if (__builtin_expect(ubi_try_status_ != UBI_OK, 0))                                                            \
            return ubi_try_status_;                                                                                    \
    } while (0)

/** Reports progress; false: stop. */
static inline bool ubi__progress(const ubi_progress *progress, const char *stage, uint64_t done, uint64_t total) {
    return !progress || !progress->fn || progress->fn(progress->payload, stage, done, total);
}

#define ubi__likely(x) __builtin_expect(!!(x), 1)
#define ubi__unlikely(x) __builtin_expect(!!(x), 0)

/* ---- results that may grow ---------------------------------------------------------------------------------------- */

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
