/* SPDX-License-Identifier: MIT
 *
 * text_width.c: how wide a text will be in a picture.
 *
 * Source: Adobe's font metrics of the 14 standard PDF fonts, Helvetica and Helvetica-Bold.
 */
#include "render/text_width.h"

#include "base/text.h"
#include "render/display.h"

/* In thousandths of the font size, from the space to the tilde. */
static const uint16_t regular[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584,
};
static const uint16_t bold_face[95] = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
};

#define ELLIPSIS_WIDTH 1000 /* U+2026 */
#define OTHER_WIDTH 667     /* of letters that are not ASCII; generous */
#define WIDE_WIDTH 1000     /* of ideographs */

static unsigned char_width(uint32_t c, bool bold) {
    if (c >= ' ' && c <= '~')
        return (bold ? bold_face : regular)[c - ' '];
    if (c == 0x2026)
        return ELLIPSIS_WIDTH;
    if (c == 0xb7)
        return 278; /* the middle dot */
    unsigned columns = ubi__display_char_columns(c);
    return columns == 2 ? WIDE_WIDTH : columns * OTHER_WIDTH;
}

/* The character at `at`; invalid bytes count as one wide character each. */
static size_t next_char(ubi_text text, size_t at, uint32_t *c) {
    size_t used = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, c);
    if (used)
        return used;
    *c = 'W';
    return 1;
}

double ubi__text_width(ubi_text text, double font_px, bool bold) {
    uint64_t width = 0;
    uint32_t c;
    for (size_t at = 0; at < text.len;) {
        at += next_char(text, at, &c);
        width += char_width(c, bold);
    }
    return (double)width * font_px / 1000;
}

size_t ubi__text_fit(ubi_text text, double room, double font_px, bool bold) {
    double thousandths = room * 1000 / font_px;
    uint64_t width = 0;
    size_t cut = 0; /* where an ellipsis may follow */
    uint32_t c;
    for (size_t at = 0, used; at < text.len; at += used) {
        used = next_char(text, at, &c);
        unsigned add = char_width(c, bold);
        if (add > 0 && (double)(width + ELLIPSIS_WIDTH) <= thousandths)
            cut = at;
        width += add;
        if ((double)width > thousandths)
            return cut;
    }
    return text.len;
}
