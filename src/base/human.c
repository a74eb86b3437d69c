/* SPDX-License-Identifier: MIT
 *
 * human.c: numbers as people read them.
 */
#include "base/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

char *ubi__human_count(char out[UBI__HUMAN_TEXT], uint64_t value) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *end = out;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return out;
}

char *ubi__human_things(char out[UBI__HUMAN_TEXT], uint64_t value, const char *singular) {
    char count[UBI__HUMAN_TEXT];
    snprintf(out, UBI__HUMAN_TEXT, "%.26s %.19s%s", ubi__human_count(count, value), singular, value == 1 ? "" : "s");
    return out;
}

char *ubi__human_size(char out[UBI__HUMAN_TEXT], uint64_t bytes) {
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    if (bytes < 1024) {
        snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " B", bytes);
        return out;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(out, UBI__HUMAN_TEXT, "%.*f %s", decimals, value, units[unit]);
    return out;
}

char *ubi__human_percent(char out[UBI__HUMAN_TEXT], uint64_t part, uint64_t total) {
    double percent = total ? 100.0 * (double)part / (double)total : 0;
    if (total == 0)
        snprintf(out, UBI__HUMAN_TEXT, "-");
    else if (part == 0)
        snprintf(out, UBI__HUMAN_TEXT, "0%%");
    else if (percent < 0.1)
        snprintf(out, UBI__HUMAN_TEXT, "<0.1%%");
    else if (percent > 99999) /* sums of huge sizes wrap around */
        snprintf(out, UBI__HUMAN_TEXT, ">99999%%");
    else
        snprintf(out, UBI__HUMAN_TEXT, "%.1f%%", percent);
    return out;
}

char *ubi__human_duration(char out[UBI__HUMAN_TEXT], uint64_t microseconds) {
    if (microseconds < 1000)
        snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " us", microseconds);
    else if (microseconds < 999500)
        snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " ms", (microseconds + 500) / 1000);
    else
        snprintf(out, UBI__HUMAN_TEXT, "%.2f s", (double)microseconds / 1e6);
    return out;
}

/* 1.23, 12.3, 123. */
static char *three_digits(char out[UBI__HUMAN_TEXT], double value, const char *unit) {
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(out, UBI__HUMAN_TEXT, "%.*f %s", decimals, value, unit);
    return out;
}

char *ubi__human_nanoseconds(char out[UBI__HUMAN_TEXT], uint64_t nanoseconds) {
    if (nanoseconds < 1000) {
        snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " ns", nanoseconds);
        return out;
    }
    if (nanoseconds < 999500)
        return three_digits(out, (double)nanoseconds / 1e3, "us");
    if (nanoseconds < 999500000)
        return three_digits(out, (double)nanoseconds / 1e6, "ms");
    return three_digits(out, (double)nanoseconds / 1e9, "s");
}

/* Last second of the year 9999. */
#define LAST_SECOND UINT64_C(253402300799)

static bool break_down(struct tm *out, uint64_t microseconds) {
    uint64_t seconds = microseconds / 1000000;
    time_t time = (time_t)seconds;
    return seconds <= LAST_SECOND && gmtime_r(&time, out) != NULL;
}

char *ubi__human_time(char out[UBI__HUMAN_TEXT], uint64_t microseconds) {
    struct tm tm;
    if (!break_down(&tm, microseconds) || !strftime(out, UBI__HUMAN_TEXT, "%Y-%m-%d %H:%M:%S UTC", &tm))
        snprintf(out, UBI__HUMAN_TEXT, "%" PRIu64 " us after 1970", microseconds);
    return out;
}

char *ubi__iso_time(char out[UBI__HUMAN_TEXT], uint64_t microseconds) {
    struct tm tm;
    if (!break_down(&tm, microseconds))
        return NULL;
    size_t n = strftime(out, UBI__HUMAN_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, UBI__HUMAN_TEXT - n, ".%06uZ", (unsigned)(microseconds % 1000000));
    return out;
}
