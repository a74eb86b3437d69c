/* SPDX-License-Identifier: MIT
 *
 * treemap_picture.h: a tree map as SVG, in its parts.
 *
 * The picture is the map with a title, a line of totals and a legend above it. Every box is a rectangle with a tooltip;
 * one that has room shows its name, and its size if that fits too.
 */
#ifndef UBI_RENDER_TREEMAP_PICTURE_H
#define UBI_RENDER_TREEMAP_PICTURE_H

#include <ubiheap/views/render.h>

#include "render/svg.h"
#include "render/treemap_label.h"

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
    bool by_type; /* hues are coarse types */
    ubi__treemap_legend_entry legend[UBI__TREEMAP_N_HUES];
    size_t n_legend;
    bool used[UBI__TREEMAP_N_HUES][UBI__TREEMAP_N_SHADES];
    double map_top; /* height of what is above the map */
    ubi__label label;
} ubi__treemap_picture;

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
