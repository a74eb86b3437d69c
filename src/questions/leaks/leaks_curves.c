/* SPDX-License-Identifier: MIT
 *
 * leaks_curves.c: growth over a series, as small curves and in words.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/human.h"
#include "questions/leaks/leaks_answer.h"

/* ---- curves ------------------------------------------------------------------------------------------------------- */

#define LEVELS 8

static const char *const blocks[LEVELS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const signs[LEVELS] = { "_", ".", ":", "-", "=", "+", "*", "#" };

/* The largest of the values in column i of `columns`. */
static uint64_t value_of_column(const ubi__leak_curve *curve, uint32_t i, uint32_t columns) {
    uint32_t begin = (uint32_t)((uint64_t)curve->n * i / columns),
             end = (uint32_t)((uint64_t)curve->n * (i + 1) / columns);
    uint64_t most = 0;
    for (uint32_t k = begin; k < end; k++)
        most = curve->value(curve, k) > most ? curve->value(curve, k) : most;
    return most;
}

void ubi__leak_write_curve(ubi__out *out, const ubi__style *style, const ubi__leak_curve *curve) {
    uint32_t columns = curve->n < UBI__LEAK_CURVE_COLUMNS ? curve->n : UBI__LEAK_CURVE_COLUMNS;
    uint64_t most = 0, least = UINT64_MAX;
    for (uint32_t i = 0; i < curve->n; i++) {
        uint64_t value = curve->value(curve, i);
        most = value > most ? value : most;
        least = value < least ? value : least;
    }
    uint64_t base = curve->is_from_least ? least : 0;
    for (uint32_t i = 0; i < columns; i++) {
        uint64_t above = value_of_column(curve, i, columns) - base;
        double share = most > base ? (double)above / (double)(most - base) : 0;
        unsigned level = (unsigned)(share * (LEVELS - 1) + 0.5);
        level += above && level == 0; /* never drawn as zero */
        ubi__out_string(out, (style->has_unicode ? blocks : signs)[level]);
    }
}

static uint64_t came_with(const ubi__leak_curve *curve, uint32_t i) {
    return ((const uint64_t *)curve->payload)[i];
}

void ubi__leak_write_came(ubi__out *out, const ubi__style *style, const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    ubi__leak_curve curve = { .n = ubi_leaks_heap_count(leaks) - 1, .value = came_with, .payload = c->came };
    ubi__leak_write_curve(out, style, &curve);
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

static uint64_t came_in_all(const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i + 1 < ubi_leaks_heap_count(leaks); i++)
        sum += c->came[i];
    return sum;
}

bool ubi__leak_per_hour(double *out, const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    uint64_t elapsed_us;
    if (!ubi_leaks_elapsed_us(&elapsed_us, leaks))
        return false;
    *out = (double)came_in_all(leaks, c) * 3600e6 / (double)elapsed_us;
    return true;
}

#define LINE 200

typedef struct words {
    char *at;
    size_t n;
} words;

static void UBI_PRINTF(2, 3) curve_put(words *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->at + w->n, LINE - w->n, format, arguments);
    va_end(arguments);
    w->n = w->n + (size_t)n < LINE ? w->n + (size_t)n : LINE - 1;
}

#define MOST_RANGES 6

/* "2, 5 and 7 to 9", steps counted from 1. */
static void put_steps(words *w, const ubi_leak_cluster *c, uint32_t n_steps) {
    unsigned n_ranges = 0;
    for (uint32_t i = 0; i < n_steps; i++) {
        uint32_t first = i;
        if (!c->grew[i])
            continue;
        if (n_ranges++ == MOST_RANGES) {
            curve_put(w, ", ...");
            return;
        }
        while (i + 1 < n_steps && c->grew[i + 1])
            i++;
        curve_put(w, "%s%u", n_ranges > 1 ? ", " : "", first + 1);
        if (i > first)
            curve_put(w, i > first + 1 ? " to %u" : ", %u", i + 1);
    }
}

static void put_rate(words *w, const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    char count[UBI__HUMAN_TEXT];
    double per_hour;
    if (!ubi__leak_per_hour(&per_hour, leaks, c))
        return;
    if (per_hour >= 10)
        curve_put(w, "; %s an hour", ubi__human_count(count, (uint64_t)(per_hour + 0.5)));
    else
        curve_put(w, "; %.1f an hour", per_hour);
}

/* "grows steadily: with 9 of 9 steps, 100 a step; 36,000 an hour". */
static void put_growth(words *w, const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n = ubi_leaks_heap_count(leaks) - 1;
    uint64_t mean = (came_in_all(leaks, c) + n / 2) / n;
    if (c->verdict == UBI_LEAK_STEADY) {
        curve_put(w, "grows steadily: with %u of %u steps, %s a step", c->n_grew, n, ubi__human_count(count, mean));
        put_rate(w, leaks, c);
    } else if (c->verdict == UBI_LEAK_STEPWISE) {
        curve_put(w, "grew with %u of %u steps: ", c->n_grew, n);
        put_steps(w, c, n);
        put_rate(w, leaks, c);
    } else {
        curve_put(w, c->n_grew == 1 ? "grew once, with step " : "grew for a time, with steps ");
        put_steps(w, c, n);
        curve_put(w, " of %u, and %s since: perhaps set up once", n, c->came[n - 1] ? "hardly" : "not");
    }
}

bool ubi__leak_growth_words(char out[LINE], const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    words w = { out, 0 };
    bool is_growth = c->verdict == UBI_LEAK_STEADY || c->verdict == UBI_LEAK_STEPWISE || c->verdict == UBI_LEAK_ONCE;
    if (ubi_leaks_heap_count(leaks) <= 3 || !is_growth)
        return false;
    put_growth(&w, leaks, c);
    return true;
}
