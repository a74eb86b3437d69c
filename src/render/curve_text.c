/* SPDX-License-Identifier: MIT
 *
 * curve_text.c: see curve_text.h.
 */
#include "render/curve_text.h"

#include <stdio.h>

#define EIGHTHS 8
#define MOST_COLUMNS 400

uint64_t ubi__curve_top(uint64_t largest) {
    uint64_t unit = 1;
    if (largest < 8)
        return 8;
    while (largest / unit >= 8)
        unit *= 2;
    uint64_t quarters = largest / unit + (largest % unit != 0);
    return quarters > UINT64_MAX / unit ? UINT64_MAX : quarters * unit;
}

static uint64_t values_largest(const ubi__curve *curve, size_t from, size_t to) {
    uint64_t largest = 0;
    for (size_t i = from; i < to; i++)
        largest = curve->values[i] > largest ? curve->values[i] : largest;
    return largest;
}

/* The values of a column: one at least. */
static uint64_t column_value(const ubi__curve *curve, size_t column, size_t columns) {
    size_t from = column * curve->n / columns, to = (column + 1) * curve->n / columns;
    return values_largest(curve, from, to > from ? to : from + 1);
}

/* A bar that rises out of the rows below: the eighths of this row that it fills, 0 to 8. */
static unsigned row_eighths(uint64_t value, uint64_t top, unsigned row, unsigned rows) {
    double eighths = (double)value / (double)top * rows * EIGHTHS - row * EIGHTHS;
    if (eighths <= 0)
        return row == 0 && value > 0;
    return eighths >= EIGHTHS ? EIGHTHS : (unsigned)eighths + (row == 0 && eighths < 1);
}

static void bar_write(ubi__out *out, const ubi__style *style, unsigned eighths) {
    static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    if (style->has_unicode)
        ubi__out_string(out, bars[eighths]);
    else
        ubi__out_char(out, eighths == 0 ? ' ' : eighths <= EIGHTHS / 2 ? '.' : '#');
}

/* A number at the top and in the middle, and the line between scale and curve. */
static void scale_write(ubi__out *out, const ubi__style *style, uint64_t top, unsigned row, unsigned rows) {
    char size[UBI__HUMAN_TEXT] = "";
    bool has_number = row + 1 == rows || (rows >= 4 && 2 * (row + 1) == rows);
    if (has_number)
        ubi__human_size(size, (uint64_t)((double)top / rows * (row + 1)));
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_printf(out, "%*s ", UBI__CURVE_SCALE_COLUMNS - 2, size);
    ubi__out_string(out, !style->has_unicode ? (has_number ? "+" : "|") : has_number ? "┤" : "│");
    ubi__display_ink(out, style, UBI__INK_PLAIN);
}

static void axis_write(ubi__out *out, const ubi__style *style, const ubi__curve *curve, size_t columns) {
    char begin[UBI__HUMAN_TEXT], end[UBI__HUMAN_TEXT];
    ubi__display_ink(out, style, UBI__INK_DIM);
    ubi__out_printf(out, "%*s ", UBI__CURVE_SCALE_COLUMNS - 2, "0 B");
    ubi__out_string(out, style->has_unicode ? "┴" : "+");
    ubi__out_repeat(out, style->has_unicode ? "─" : "-", columns);
    ubi__human_duration(begin, curve->begin_us);
    ubi__human_duration(end, curve->end_us);
    if (columns > strlen(begin) + strlen(end))
        ubi__out_printf(out, "\n%*s%s%*s", UBI__CURVE_SCALE_COLUMNS, "", begin, (int)(columns - strlen(begin)), end);
    else
        ubi__out_printf(out, "\n%*s", (int)(UBI__CURVE_SCALE_COLUMNS + columns), end);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    ubi__out_char(out, '\n');
}

void ubi__curve_write(ubi__out *out, const ubi__style *style, const ubi__curve *curve, unsigned rows) {
    size_t columns = style->columns > UBI__CURVE_SCALE_COLUMNS ? style->columns - UBI__CURVE_SCALE_COLUMNS : 1;
    uint64_t top = ubi__curve_top(values_largest(curve, 0, curve->n)), values[MOST_COLUMNS];
    if (columns > MOST_COLUMNS)
        columns = MOST_COLUMNS;
    for (size_t i = 0; i < columns; i++)
        values[i] = curve->n ? column_value(curve, i, columns) : 0;
    for (unsigned row = rows; row-- > 0;) {
        scale_write(out, style, top, row, rows);
        ubi__display_ink(out, style, UBI__INK_CYAN);
        for (size_t i = 0; i < columns; i++)
            bar_write(out, style, row_eighths(values[i], top, row, rows));
        ubi__display_ink(out, style, UBI__INK_PLAIN);
        ubi__out_char(out, '\n');
    }
    axis_write(out, style, curve, columns);
}
