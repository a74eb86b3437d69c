/* SPDX-License-Identifier: MIT
 *
 * curve_chart.c: see curve_chart.h.
 */
#include "render/curve_chart.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"

#define LEVELS 8 /* of a character */

/* What a character is that is filled so far. */
static const char *const blocks[LEVELS + 1] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const letters[LEVELS + 1] = { " ", ".", ".", ":", ":", "|", "|", "#", "#" };

static const char *level_text(const ubi__style *style, size_t level) {
    return (style->has_unicode ? blocks : letters)[level < LEVELS ? level : LEVELS];
}

size_t ubi__curve_chart_columns(const ubi__style *style) {
    size_t columns = style->columns;
    return columns > UBI__CHART_SCALE_COLUMNS + UBI__CHART_LEAST_COLUMNS ? columns - UBI__CHART_SCALE_COLUMNS
                                                                         : UBI__CHART_LEAST_COLUMNS;
}

/* The largest value of a column: of those in it, or the one that it is a part of. */
static uint64_t column_value(const ubi__curve_chart *c, size_t column, size_t columns) {
    size_t first = column * c->n / columns, last = (column + 1) * c->n / columns;
    uint64_t most = 0;
    for (size_t i = first; i < (last > first ? last : first + 1); i++)
        most = c->values[i * c->stride] > most ? c->values[i * c->stride] : most;
    return most;
}

static uint64_t most_value(const ubi__curve_chart *c) {
    return column_value(c, 0, 1);
}

/* Levels of a column of this number of rows; of what is not 0, one at least. */
static size_t column_level(uint64_t value, uint64_t most, size_t rows) {
    double level = most ? (double)value / (double)most * (double)(rows * LEVELS) + 0.5 : 0;
    return value && level < 1 ? 1 : (size_t)level;
}

static void label_write(ubi__out *out, const ubi__style *style, uint64_t bytes, bool is_shown, const char *mark,
                        const char *plain_mark) {
    char text[UBI__HUMAN_TEXT];
    ubi__out_printf(out, "%*s %s", UBI__CHART_SCALE_COLUMNS - 2, is_shown ? ubi__human_size(text, bytes) : "",
                    style->has_unicode ? mark : plain_mark);
}

static void row_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *c, size_t row, size_t rows) {
    size_t columns = ubi__curve_chart_columns(style), below = (rows - 1 - row) * LEVELS, used = 0;
    uint64_t most = most_value(c);
    bool has_label = row == 0 || (rows % 2 == 0 && row == rows / 2);
    label_write(out, style, row ? most / 2 : most, has_label, has_label ? "┤" : "│", has_label ? "+" : "|");
    for (size_t i = 0; i < columns; i++) {
        size_t level = column_level(column_value(c, i, columns), most, rows);
        if (level <= below)
            continue;
        for (; used < i; used++)
            ubi__out_char(out, ' ');
        ubi__out_string(out, level_text(style, level - below));
        used++;
    }
    ubi__out_char(out, '\n');
}

/* At the beginning, in the middle if there is room, and at the end. */
static void times_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *c) {
    char first[UBI__HUMAN_TEXT], middle[UBI__HUMAN_TEXT], last[UBI__HUMAN_TEXT];
    size_t columns = ubi__curve_chart_columns(style);
    ubi__human_duration(first, c->from_ns / 1000);
    ubi__human_duration(middle, (c->from_ns + (c->end_ns - c->from_ns) / 2) / 1000);
    ubi__human_duration(last, c->end_ns / 1000);
    size_t n = strlen(first), n_middle = strlen(middle), n_last = strlen(last), at = columns / 2 - n_middle / 2;
    ubi__out_printf(out, "%*s%s", UBI__CHART_SCALE_COLUMNS, "", first);
    if (at > n + 1 && at + n_middle + 1 + n_last < columns) {
        ubi__out_printf(out, "%*s%s", (int)(at - n), "", middle);
        n = at + n_middle;
    }
    ubi__out_printf(out, "%*s%s\n", columns > n + n_last ? (int)(columns - n - n_last) : 1, "", last);
}

void ubi__curve_chart_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *c, size_t rows) {
    for (size_t row = 0; row < rows; row++)
        row_write(out, style, c, row, rows);
    label_write(out, style, 0, true, "└", "+");
    for (size_t i = 0; i < ubi__curve_chart_columns(style); i++)
        ubi__out_string(out, style->has_unicode ? "─" : "-");
    ubi__out_char(out, '\n');
    times_write(out, style, c);
    if (c->note)
        ubi__out_printf(out, "%*s%s\n", UBI__CHART_SCALE_COLUMNS, "", c->note);
}

void ubi__curve_line_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *c) {
    row_write(out, style, c, 0, 1);
}
