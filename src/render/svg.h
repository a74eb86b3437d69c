/* SPDX-License-Identifier: MIT
 *
 * svg.h: the little of SVG that our pictures need.
 */
#ifndef UBI_RENDER_SVG_H
#define UBI_RENDER_SVG_H

#include "render/out.h"

/** Text of an element or attribute: markup characters, and those that XML does not allow, are escaped. */
void ubi__svg_text(ubi__out *out, ubi_text text);
/** A number with at most two decimals, as short as it can be. */
void ubi__svg_decimal(ubi__out *out, double value);
/** ` name="value"`, the value as above. */
void ubi__svg_number(ubi__out *out, const char *name, double value);
/** A colour by hue (in turns), saturation and lightness (0 to 1), as #rrggbb. */
void ubi__svg_hsl(ubi__out *out, double hue, double saturation, double lightness);

#endif
