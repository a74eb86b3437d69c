/* SPDX-License-Identifier: MIT
 *
 * diff_numbers.c: see diff_numbers.h.
 */
#include "cli/commands/diff/diff_numbers.h"

#include <stdio.h>

static ubi__ink ink_of(ubi__change c) {
    return c.to > c.from ? UBI__INK_RED : UBI__INK_GREEN;
}

char *ubi__change_text(char out[UBI__HUMAN_TEXT + 1], ubi__formatter format, ubi__change c) {
    format(out + 1, ubi__change_size(c));
    out[0] = c.to > c.from ? '+' : '-';
    return c.to == c.from ? out + 1 : out;
}

static char *signed_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c) {
    if (c.from == c.to) {
        snprintf(out, UBI__HUMAN_TEXT, "0%%");
        return out;
    }
    ubi__human_percent(out + 1, ubi__change_size(c), c.from);
    out[0] = c.to > c.from ? '+' : '-';
    return out;
}

char *ubi__change_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c) {
    if (c.from == 0 && c.to)
        snprintf(out, UBI__HUMAN_TEXT, "from 0");
    else if (c.from && c.to / c.from >= 10)
        snprintf(out, UBI__HUMAN_TEXT, "x%.1f", (double)c.to / (double)c.from);
    else
        return signed_percent(out, c);
    return out;
}

void ubi__write_change(const ubi__cli *cli, ubi__formatter format, ubi__change c, size_t columns) {
    char text[UBI__HUMAN_TEXT + 1];
    ubi__out *out = &cli->output->out;
    if (ubi__change_size(c))
        ubi__display_ink(out, &cli->style, ink_of(c));
    ubi__display_right(out, ubi__change_text(text, format, c), columns);
    if (ubi__change_size(c))
        ubi__display_ink(out, &cli->style, UBI__INK_PLAIN);
}
