/* SPDX-License-Identifier: MIT
 *
 * diff_numbers.h: numbers that went up or down, and other pieces that the tables of a diff have in common.
 */
#ifndef UBI_CLI_DIFF_NUMBERS_H
#define UBI_CLI_DIFF_NUMBERS_H

#include "base/human.h"
#include "cli/page.h"

/* Columns of the tables. */
#define UBI__DIFF_SIZE_COLUMNS 9
#define UBI__DIFF_BAR_COLUMNS 10
#define UBI__DIFF_NAME_COLUMNS_BESIDE_BARS 34 /* with less room for names there are no bars */

/** A number before and after. */
typedef struct ubi__change {
    uint64_t from, to;
} ubi__change;

/** By how much, up or down. */
static inline uint64_t ubi__change_size(ubi__change c) {
    return c.to > c.from ? c.to - c.from : c.from - c.to;
}
/** One that makes this difference. */
static inline ubi__change ubi__change_by(int64_t difference) {
    return difference > 0 ? (ubi__change){ 0, (uint64_t)difference } : (ubi__change){ -(uint64_t)difference, 0 };
}

/** Such as ubi__human_size. */
typedef char *(*ubi__formatter)(char out[UBI__HUMAN_TEXT], uint64_t value);

/** "+1.20 KiB", "-3", "0". Returns where in `out` it starts. */
char *ubi__change_text(char out[UBI__HUMAN_TEXT + 1], ubi__formatter format, ubi__change c);
/** "+10.1%"; tenfold and more as a factor, "x12.5"; "from 0". Returns where in `out` it starts. */
char *ubi__change_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c);

/** The change against the right edge of a field, red for more and green for less. */
void ubi__write_change(const ubi__cli *cli, ubi__formatter format, ubi__change c, size_t columns);
/** A cell of that kind, with its sign: red for more and green for less. */
static inline ubi__cell ubi__change_cell(ubi__cell_kind kind, ubi__change c) {
    return ubi__cell_change((ubi__cell){ .kind = kind, .value = ubi__change_size(c) }, c.to < c.from);
}
/** A bar, full for `largest`. */
static inline ubi__cell ubi__change_bar(ubi__change c, uint64_t largest) {
    return ubi__cell_change(ubi__cell_bar(UBI__INK_GREEN, ubi__change_size(c), largest), c.to < c.from);
}

static inline size_t ubi__larger(size_t a, size_t b) {
    return a > b ? a : b;
}

#endif
