/* SPDX-License-Identifier: MIT
 *
 * quantity.c: see quantity.h.
 */
#include "base/quantity.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit sizes[] = {
    { "", 1 },
    { "B", 1 },
    { "KiB", 1024.0 },
    { "MiB", 1048576.0 },
    { "GiB", 1073741824.0 },
    { "TiB", 1099511627776.0 },
    { "KB", 1e3 },
    { "MB", 1e6 },
    { "GB", 1e9 },
    { "TB", 1e12 },
    { NULL, 0 },
};
static const unit durations[] = {
    { "", 1e6 }, { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 60e6 }, { "h", 3600e6 }, { NULL, 0 },
};

/* Digits with a point, and nothing else that strtod takes. NULL: not a number. */
static const char *parse_decimal(double *out, const char *text) {
    size_t n = strspn(text, "0123456789."), points = 0;
    char digits[32];
    if (n == 0 || n >= sizeof digits)
        return NULL;
    memcpy(digits, text, n);
    digits[n] = '\0';
    for (size_t i = 0; i < n; i++)
        points += digits[i] == '.';
    if (points > 1 || n == points)
        return NULL;
    *out = strtod(digits, NULL);
    return text + n;
}

static bool parse_quantity(double *out, const char *text, const unit *units) {
    double number;
    const char *word = parse_decimal(&number, text);
    if (!word)
        return false;
    word += strspn(word, " ");
    for (const unit *u = units; u->name; u++)
        if (strcmp(word, u->name) == 0) {
            *out = number * u->factor;
            return true;
        }
    return false;
}

ubi_status ubi__parse_size(uint64_t *out_bytes, const char *text, const char *what) {
    double bytes;
    if (!parse_quantity(&bytes, text, sizes))
        return ubi__fail(UBI_EINVAL, "%s: expected a size such as 64MiB, not '%s'", what, text);
    if (bytes >= 9007199254740992.0)
        return ubi__fail(UBI_EINVAL, "%s: %s is too large", what, text);
    *out_bytes = (uint64_t)bytes;
    return UBI_OK;
}

ubi_status ubi__parse_duration(uint64_t *out_us, const char *text, const char *what) {
    double us;
    if (!parse_quantity(&us, text, durations))
        return ubi__fail(UBI_EINVAL, "%s: expected a time such as 500ms, 10s or 2m, not '%s'", what, text);
    if (us < 1 || us >= 9007199254740992.0)
        return ubi__fail(UBI_EINVAL, "%s: %s is too %s", what, text, us < 1 ? "short" : "long");
    *out_us = (uint64_t)us;
    return UBI_OK;
}

ubi_status ubi__parse_probability(double *out, const char *text, const char *what) {
    double p;
    const char *end = parse_decimal(&p, text);
    if (!end || *end || p > 1)
        return ubi__fail(UBI_EINVAL, "%s: expected a number from 0 to 1, not '%s'", what, text);
    *out = p;
    return UBI_OK;
}
