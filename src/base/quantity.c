/* SPDX-License-Identifier: MIT
 *
 * quantity.c: see quantity.h.
 */
#include "base/quantity.h"

#include <stdio.h>
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

/* With "ms" if it has no unit; the number 0, which is a time and no duration, as `zero`. */
static void time_with_unit(char out[64], const char *text, size_t n_digits, const char *zero) {
    snprintf(out, 64, "%.*s%s", zero ? 1 : (int)n_digits, zero ? zero : text, text[n_digits] ? text + n_digits : "ms");
}

ubi_status ubi__parse_program_time(uint64_t *out_ns, const char *text, const char *what) {
    uint64_t us;
    char with_unit[64];
    size_t n_digits = strspn(text, "0123456789.");
    bool is_zero = n_digits && strspn(text, "0.") == n_digits && memchr(text, '0', n_digits);
    time_with_unit(with_unit, text, n_digits, is_zero ? "1" : NULL);
    if (is_zero && ubi__parse_duration(&us, with_unit, what) == UBI_OK) {
        *out_ns = 0;
        return UBI_OK;
    }
    bool is_short = n_digits && strlen(text) + sizeof "ms" <= sizeof with_unit;
    UBI_TRY(ubi__parse_duration(&us, is_short && !is_zero ? with_unit : text, what));
    *out_ns = us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000;
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
