/* SPDX-License-Identifier: MIT
 *
 * human.c: numbers as people read them, names of signals, and the word that was probably meant.
 */
#include "base/human.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
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

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static const char *const names[] = {
    [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
    [SIGABRT] = "ABRT", [SIGBUS] = "BUS",       [SIGFPE] = "FPE",   [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
    [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",     [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
    [SIGCHLD] = "CHLD", [SIGSTKFLT] = "STKFLT", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
    [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
    [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM", [SIGPOLL] = "POLL", [SIGPWR] = "PWR",   [SIGWINCH] = "WINCH",
    [SIGSYS] = "SYS",
};

const char *ubi__signal_name(uint32_t number) {
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

/* ---- misspelt words ----------------------------------------------------------------------------------------------- */

#define LONGEST UBI__SUGGESTED_BYTES

static unsigned least_of_three(unsigned a, unsigned b, unsigned c) {
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

unsigned ubi__edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return 99;
    unsigned d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            unsigned replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least_of_three(d[i - 1][j] + 1, d[i][j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[n][m];
}

ubi__suggestion ubi__suggestion_for(const char *typed) {
    size_t n = strlen(typed);
    return (ubi__suggestion){ typed, NULL, n <= 3 ? 2 : n <= 6 ? 3 : 4 };
}

/* Shorter words are the beginning of too many. */
#define SHORTEST_BEGINNING 4

/* Whether at most one change makes `typed` the beginning of `word`. */
static bool is_nearly_beginning(const char *typed, const char *word) {
    size_t n = strlen(typed), length = strlen(word);
    char beginning[LONGEST + 2];
    if (n < SHORTEST_BEGINNING || n > LONGEST || length <= n)
        return false;
    for (size_t k = n; k <= n + 1 && k <= length; k++) {
        memcpy(beginning, word, k);
        beginning[k] = 0;
        if (ubi__edit_distance(typed, beginning) <= 1)
            return true;
    }
    return false;
}

void ubi__suggestion_try(ubi__suggestion *suggestion, const char *word) {
    unsigned distance = ubi__edit_distance(suggestion->typed, word);
    if (distance > 2 && is_nearly_beginning(suggestion->typed, word))
        distance = 2;
    if (distance < suggestion->distance) {
        suggestion->word = word;
        suggestion->distance = distance;
    }
}

void ubi__suggestion_try_text(ubi__suggestion *suggestion, char best[UBI__SUGGESTED_BYTES + 1], ubi_text word) {
    char copy[UBI__SUGGESTED_BYTES + 1];
    if (word.len == 0 || word.len > UBI__SUGGESTED_BYTES)
        return;
    memcpy(copy, word.ptr, word.len);
    copy[word.len] = 0;
    ubi__suggestion_try(suggestion, copy);
    if (suggestion->word != copy)
        return;
    memcpy(best, copy, sizeof copy);
    suggestion->word = best;
}
