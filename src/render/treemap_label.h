/* SPDX-License-Identifier: MIT
 *
 * treemap_label.h: the words in and about the boxes of a tree map.
 *
 * Names come from snapshots, so they are made safe first (display.h) and cut to a length that no name in a heap needs; from
 * then on they are plain UTF-8 without control characters, though not yet escaped for XML.
 */
#ifndef UBI_RENDER_TREEMAP_LABEL_H
#define UBI_RENDER_TREEMAP_LABEL_H

#include <ubiheap/core/treemap.h>

#include "render/out.h"

#define UBI__LABEL_BYTES 2048

/** Safe text in the making; holds an output buffer, so keep one and use it again. */
typedef struct ubi__label {
    ubi__out out;
    size_t n;
    char bytes[UBI__LABEL_BYTES];
} ubi__label;

/** Any text made safe, cut in its middle to `columns`. Borrowed until the next use of the label. */
ubi_text ubi__label_of(ubi__label *label, ubi_text text, size_t columns);
/** Name of a box: "Function", "makeBuffers", "(no stack recorded)", "(itself)", "1,234 smaller". */
ubi_text ubi__treemap_name(ubi__label *label, const ubi_treemap_row *row, size_t columns);
/** The same, followed by the place of a frame. */
ubi_text ubi__treemap_long_name(ubi__label *label, const ubi_treemap_row *row, size_t columns);

/** Whether the first level is coarse types, or boxes are nodes, so colours can show types. */
bool ubi__treemap_shows_types(const ubi_treemap *map);

#endif
