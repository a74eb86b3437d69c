/* SPDX-License-Identifier: MIT
 *
 * treemap_picture.h: a tree map in its parts: the words in and about its boxes, their colours, and SVG.
 *
 * Names come from snapshots, so they are made safe first (display.h) and cut to a length that no name in a heap needs; from
 * then on they are plain UTF-8 without control characters, though not yet escaped for XML.
 *
 * A picture is the map with a title, a line of totals and a legend above it. Every box is a rectangle with a tooltip;
 * one that has room shows its name, and its size if that fits too.
 *
 * Widths of texts are those of Helvetica, which Arial, Liberation Sans and Nimbus Sans share by design; another sans-serif font
 * of the viewer's differs by a few percent. Characters outside ASCII get a width by class.
 */
#ifndef UBI_RENDER_TREEMAP_PICTURE_H
#define UBI_RENDER_TREEMAP_PICTURE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/treemap.h>
#include <ubiheap/views/render.h>

#include "render/display.h"

/* ---- names ------------------------------------------------------------------------------------------------------ */

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

/* ---- the little of SVG that pictures need ----------------------------------------------------------------------- */

/** Text of an element or attribute: markup characters, and those that XML does not allow, are escaped. */
void ubi__svg_text(ubi__out *out, ubi_text text);
/** A number with at most two decimals, as short as it can be. */
void ubi__svg_decimal(ubi__out *out, double value);
/** ` name="value"`, the value as above. */
void ubi__svg_number(ubi__out *out, const char *name, double value);
/** A colour by hue (in turns), saturation and lightness (0 to 1), as #rrggbb. */
void ubi__svg_hsl(ubi__out *out, double hue, double saturation, double lightness);

/* ---- widths of texts -------------------------------------------------------------------------------------------- */

/** Width of the UTF-8 text in pixels at a font size of `font_px`. O(length). */
double ubi__text_width(ubi_text text, double font_px, bool bold);

/**
 * The longest prefix of `text` that fits `room` pixels with an ellipsis after it; all of `text` if it fits without one.
 * Whole characters only, and combining marks stay with their base.
 * @return its bytes; 0 when not even one character and the ellipsis fit.
 */
size_t ubi__text_fit(ubi_text text, double room, double font_px, bool bold);

/* ---- the picture ------------------------------------------------------------------------------------------------ */

#define UBI__TREEMAP_N_HUES 9    /* ours: of kinds 0 to 4 are coarse types, 8 is "any other" */
#define UBI__TREEMAP_N_SHADES 10 /* of a hue */
#define UBI__TREEMAP_OTHER_HUE 8

typedef struct ubi__treemap_legend_entry {
    uint8_t hue;
    bool is_whole; /* cannot be split */
    uint32_t row;  /* UBI_NONE: a coarse type, or everything without an entry */
    uint64_t weight;
} ubi__treemap_legend_entry;

typedef struct ubi__treemap_picture {
    ubi__out *out;
    const ubi_treemap *map;
    const ubi_treemap_picture_options *options;
    uint8_t *hues;  /* hues[n_rows] */
    uint8_t *holds; /* holds[n_rows]: 1 for boxes in which others are drawn */
    uint64_t total_weight, total_bytes, total_count;
    bool is_by_type; /* hues are coarse types */
    ubi__treemap_legend_entry legend[UBI__TREEMAP_N_HUES];
    size_t n_legend;
    bool is_used[UBI__TREEMAP_N_HUES][UBI__TREEMAP_N_SHADES];
    double map_top; /* height of what is above the map */
    ubi__label label;
} ubi__treemap_picture;

/** Entries of the legend are sorted, except the rest, which is last; every row has a hue. O(rows). */
void ubi__treemap_picture_check(const ubi__treemap_picture *picture);

/** Gives every row its hue, finds which hold others, and fills the legend. */
void ubi__treemap_choose_hues(ubi__treemap_picture *p);
/** Shade of row `i` within its hue. */
unsigned ubi__treemap_shade(const ubi__treemap_picture *p, uint32_t i, const ubi_treemap_row *row);
/** The rules for all hues and shades in `used`, for light and dark pages. */
void ubi__treemap_write_colors(const ubi__treemap_picture *p, bool dark);
/** Name of a legend's entry. Borrowed until the next use of p->label. */
ubi_text ubi__treemap_legend_name(ubi__treemap_picture *p, const ubi__treemap_legend_entry *entry);
/** Whether the row is drawn at all. */
bool ubi__treemap_is_visible(const ubi_treemap_row *row);
/** Rectangles and labels of all boxes, in the map's own coordinates. */
void ubi__treemap_write_boxes(ubi__treemap_picture *p);
/** Weight of a box or of the whole map: "135 KiB" or "2,310 nodes". `out` takes UBI__HUMAN_TEXT bytes. */
char *ubi__treemap_amount(char *out, const ubi_treemap *map, uint64_t bytes, uint64_t count);

#endif
