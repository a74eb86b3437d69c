/* SPDX-License-Identifier: MIT
 *
 * curve_text.h: a quantity over time as lines of text, with a scale.
 *
 *     16.0 MiB ┤        ▂▄▆██
 *              │     ▃▆██████▅▂
 *     8.00 MiB ┤  ▂▅███████████▇▅
 *              │▄████████████████
 *          0 B ┴─────────────────
 *               0 s          12.4 s
 */
#ifndef UBI_RENDER_CURVE_TEXT_H
#define UBI_RENDER_CURVE_TEXT_H

#include "render/page.h"

/** Columns of the scale, with the line that it ends in. */
#define UBI__CURVE_SCALE_COLUMNS 11

typedef struct ubi__curve {
    const uint64_t *values; /**< values[n], bytes, at steps of the same length from the beginning to the end */
    size_t n;
    uint64_t begin_us, end_us; /**< for the scale of time */
} ubi__curve;

/**
 * Writes `rows` lines of the curve, at least 1, and two of scale below; of an even number, from 4 on, the middle has a number, too. Where several values fall into a column, the largest shows. The
 * curve takes the width of the style, at least one column. Cost: O(n + rows * columns).
 */
void ubi__curve_write(ubi__out *out, const ubi__style *style, const ubi__curve *curve, unsigned rows);
/** The upper end of the scale for a largest value: at most a quarter above it, and a short number. */
uint64_t ubi__curve_top(uint64_t largest);

#endif
