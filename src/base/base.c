/* SPDX-License-Identifier: MIT
 *
 * base.c: the thread's error message (status.h), and the seed of all hashes (hash.h).
 *
 * Reporting an error never allocates: the message is in a fixed buffer.
 */
#define _GNU_SOURCE
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/hash.h"

static _Thread_local char last_message[512];

const char *ubi_version(void) {
    return UBI_VERSION_STRING;
}

const char *ubi_error_message(void) {
    return last_message;
}

const char *ubi_status_name(ubi_status status) {
    switch (status) {
    case UBI_OK:
        return "ok";
    case UBI_ENOMEM:
        return "out of memory";
    case UBI_EIO:
        return "input/output error";
    case UBI_EFORMAT:
        return "bad input";
    case UBI_EINVAL:
        return "wrong argument";
    case UBI_ENOTFOUND:
        return "not found";
    case UBI_ECANCELLED:
        return "cancelled";
    case UBI_ELIMIT:
        return "limit reached";
    case UBI_EMISMATCH:
        return "objects do not belong together";
    case UBI_EBUSY:
        return "in use elsewhere";
    case UBI_ESTATE:
        return "not possible now";
    }
    return "unknown status";
}

ubi_status ubi__fail(ubi_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    return status;
}

ubi_status ubi_error(ubi_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    return status;
}

ubi_status ubi__fail_nomem(void) {
    static const char text[] = "out of memory";
    memcpy(last_message, text, sizeof text);
    return UBI_ENOMEM;
}

ubi_status ubi__fail_cancelled(void) {
    static const char text[] = "cancelled";
    memcpy(last_message, text, sizeof text);
    return UBI_ECANCELLED;
}

ubi_status ubi__fail_errno(int errno_value, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    if (n < 0)
        n = 0;
    if ((size_t)n < sizeof last_message)
        snprintf(last_message + n, sizeof last_message - (size_t)n, ": %s", strerror(errno_value));
    return UBI_EIO;
}

ubi_status ubi__version_check(uint32_t version, uint32_t newest, const char *type) {
    if (version >= 1 && version <= newest)
        return UBI_OK;
    return newest == 1
               ? ubi__fail(UBI_EINVAL, "%s has version %" PRIu32 ", expected 1", type, version)
               : ubi__fail(UBI_EINVAL, "%s has version %" PRIu32 ", expected 1 to %" PRIu32, type, version, newest);
}

/* ---- the seed of all hashes --------------------------------------------------------------------------------------- */

uint64_t ubi__hash_seed;

__attribute__((constructor)) static void choose_seed(void) {
    if (getrandom(&ubi__hash_seed, sizeof ubi__hash_seed, GRND_NONBLOCK) != (ssize_t)sizeof ubi__hash_seed) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        ubi__hash_seed = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)&now;
    }
}
