/* SPDX-License-Identifier: MIT
 *
 * curve_chart.h: a curve of bytes by time, drawn with text, with its scale: bytes on the left, times below; and small ones without axes.
 *
 *     4.34 MiB ┤         █▆
 *              │  ▄▆▆▆▆▆▆██▃▃
 *     2.17 MiB ┤  ██████████████
 *              │  ██████████████
 *          0 B └──────────────────
 *              0 us   500 ms  1.00 s
 *
 * Of several values in one column, the largest is drawn: nothing that was is hidden. What is not 0 is seen.
 */
#ifndef UBI_RENDER_CURVE_CHART_H
#define UBI_RENDER_CURVE_CHART_H

#include "render/display.h"

/** Columns left of the curve. */
#define UBI__CHART_SCALE_COLUMNS 12
/** Columns of a curve, on pages that are narrower as well. */
#define UBI__CHART_LEAST_COLUMNS 16

typedef struct ubi__curve_chart {
    const uint64_t *values; /**< values[n], n > 0, of equal spans of time; borrowed */
    size_t n;
    size_t stride;            /**< from one value to the next in `values` */
    uint64_t from_ns, end_ns; /**< of the whole time */
    const char *note;         /**< below the times, or NULL */
} ubi__curve_chart;

/** How wide curves are on a page of this style. */
size_t ubi__curve_chart_columns(const ubi__style *style);
/** With both scales. @param rows  lines of the curve, 2 at least. */
void ubi__curve_chart_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *chart, size_t rows);
/** One line, of its own height, with its largest value in front; ends with a newline. */
void ubi__curve_line_write(ubi__out *out, const ubi__style *style, const ubi__curve_chart *chart);

#endif
