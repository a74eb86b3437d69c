/* SPDX-License-Identifier: MIT
 *
 * treemap_text.h: a tree map drawn with lines in a terminal.
 */
#ifndef UBI_RENDER_TREEMAP_TEXT_H
#define UBI_RENDER_TREEMAP_TEXT_H

#include <ubiheap/core/treemap.h>

#include "render/display.h"

/** Sets the map options for drawing in the style's columns: size, padding, rounding. */
void ubi__treemap_text_options(ubi_treemap_options *options, const ubi__style *style);

/** Draws a map made with these options. Errors: UBI_ENOMEM. Cost: O(boxes + columns^2). */
ubi_status ubi__render_treemap_text(ubi__out *out, const ubi__style *style, const ubi_treemap *map);

#endif
