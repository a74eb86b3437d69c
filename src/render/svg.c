/* SPDX-License-Identifier: MIT
 *
 * svg.c: the little of SVG that our pictures need.
 */
#include "render/svg.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

/* XML 1.0 allows tab, line feed, carriage return and everything from the space on but surrogates, U+FFFE and U+FFFF. */
static bool is_xml_char(uint32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c < 0xd800) || (c >= 0xe000 && c < 0xfffe) ||
           c >= 0x10000;
}

static const char *char_entity(uint32_t c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void ubi__svg_text(ubi__out *out, ubi_text text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t c;
        size_t used = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        if (used == 0)
            ubi__out_printf(out, "\\x%02x", c);
        else if (!is_xml_char(c))
            ubi__out_printf(out, "\\u%04x", c);
        else if (char_entity(c))
            ubi__out_string(out, char_entity(c));
        else
            ubi__out_bytes(out, text.ptr + at, used);
        at += used ? used : 1;
    }
}

void ubi__svg_decimal(ubi__out *out, double value) {
    char digits[40];
    int n = snprintf(digits, sizeof digits, "%.2f", value);
    while (n > 0 && digits[n - 1] == '0')
        n--;
    if (n > 0 && digits[n - 1] == '.')
        n--;
    ubi__out_bytes(out, digits, (size_t)n);
}

void ubi__svg_number(ubi__out *out, const char *name, double value) {
    ubi__out_printf(out, " %s=\"", name);
    ubi__svg_decimal(out, value);
    ubi__out_char(out, '"');
}

/* One channel of a colour whose hue is `turn` away from the channel's own. */
static int color_channel(double turn, double saturation, double lightness) {
    double chroma = saturation * (lightness < 0.5 ? lightness : 1 - lightness);
    double k = fmod(turn * 12, 12);
    double slope = fmax(-1, fmin(1, fmin(k - 3, 9 - k)));
    return (int)((lightness - chroma * slope) * 255 + 0.5);
}

void ubi__svg_hsl(ubi__out *out, double hue, double saturation, double lightness) {
    ubi__out_printf(out, "#%02x%02x%02x", color_channel(hue, saturation, lightness),
                    color_channel(hue + 8.0 / 12, saturation, lightness),
                    color_channel(hue + 4.0 / 12, saturation, lightness));
}
