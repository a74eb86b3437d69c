/* SPDX-License-Identifier: MIT
 *
 * text_width.h: how wide a text will be in a picture.
 *
 * Widths are those of Helvetica, which Arial, Liberation Sans and Nimbus Sans share by design; another sans-serif font
 * of the viewer's differs by a few percent. Characters outside ASCII get a width by class.
 */
#ifndef UBI_RENDER_TEXT_WIDTH_H
#define UBI_RENDER_TEXT_WIDTH_H

#include <ubiheap/core/base.h>

/** Width of the UTF-8 text in pixels at a font size of `font_px`. O(length). */
double ubi__text_width(ubi_text text, double font_px, bool bold);

/**
 * The longest prefix of `text` that fits `room` pixels with an ellipsis after it; all of `text` if it fits without one.
 * Whole characters only, and combining marks stay with their base.
 * @return its bytes; 0 when not even one character and the ellipsis fit.
 */
size_t ubi__text_fit(ubi_text text, double room, double font_px, bool bold);

#endif
