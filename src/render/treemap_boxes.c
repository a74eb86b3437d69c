/* SPDX-License-Identifier: MIT
 *
 * treemap_boxes.c: the boxes of a tree map's picture and what is written in them.
 *
 *     +-----------------------------+     a box that holds others: name and amount in its upper padding
 *     | objects 328 KiB             |
 *     | +-----------------+ +-----+ |     a leaf: its name, as large as there is room for, and below it the amount; where
 *     | | Function        | | O…  | |     it is narrow and high, turned
 *     | | 135 KiB · 21.1% | |     | |
 *
 * Widths of texts are estimates, so a text that comes near the edge of its box gets its width (textLength): then it
 * fits in any font.
 */
#include <math.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "render/text_width.h"
#include "render/treemap_picture.h"

#define LEAST_SIDE 2 /* of a box that is drawn, pixels */
#define MARGIN 4     /* between a box's edge and its text */
#define SMALL_PX 11
#define LARGE_PX 20
#define LINE 1.25 /* height of a line of text, in font sizes */
#define NAME_COLUMNS 120
#define PATH_STEPS 8
#define PATH_COLUMNS 60

bool ubi__treemap_is_visible(const ubi_treemap_row *row) {
    return row->parent != UBI_NONE && row->box.width >= LEAST_SIDE && row->box.height >= LEAST_SIDE;
}

char *ubi__treemap_amount(char *out, const ubi_treemap *map, uint64_t bytes, uint64_t count) {
    bool counts = ubi_treemap_options_of(map)->measure == UBI_TREEMAP_COUNT;
    return counts ? ubi__human_things(out, count, "node") : ubi__human_size(out, bytes);
}

/* ---- tooltips ---------------------------------------------------------------------------------------------------- */

static void write_path(ubi__treemap_picture *p, uint32_t i) {
    uint32_t steps[PATH_STEPS];
    size_t n = 0;
    ubi_treemap_row row;
    for (; i != 0 && n < PATH_STEPS; i = row.parent) {
        ubi_treemap_get(p->map, i, &row);
        steps[n++] = i;
    }
    if (i != 0)
        ubi__out_string(p->out, "… › ");
    for (size_t k = n; k-- > 0;) {
        ubi_treemap_get(p->map, steps[k], &row);
        ubi__svg_text(p->out, ubi__treemap_long_name(&p->label, &row, k ? PATH_COLUMNS : NAME_COLUMNS));
        ubi__out_string(p->out, k ? " › " : "\n");
    }
}

static void write_numbers(const ubi__treemap_picture *p, const ubi_treemap_row *row) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    ubi__out_string(p->out, ubi__human_size(a, row->bytes));
    if (row->bytes >= 1024)
        ubi__out_printf(p->out, " (%s bytes)", ubi__human_count(b, row->bytes));
    if (row->type == UBI_TREEMAP_NODE)
        ubi__out_printf(p->out, " kept by node %llu, which dominates %s", (unsigned long long)row->node_id,
                        ubi__human_things(b, row->count, "other"));
    else
        ubi__out_printf(p->out, " in %s", ubi__human_things(b, row->count, "node"));
    ubi__out_char(p->out, '\n');
    ubi__svg_text(p->out, ubi__text(ubi__human_percent(a, row->box.weight, p->total_weight)));
    ubi__out_string(p->out, " of everything");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* One line of text in a box. */
typedef struct line {
    double x, y; /* of its start on the base line */
    double room; /* pixels */
    double font_px;
    bool bold, faint, turned; /* turned: reads downwards */
} line;

static void begin_text(const ubi__treemap_picture *p, const line *l, double width) {
    ubi__out_string(p->out, "<text");
    if (l->turned)
        ubi__out_string(p->out, " transform=\"rotate(90)\"");
    ubi__svg_number(p->out, "x", l->turned ? l->y : l->x);
    ubi__svg_number(p->out, "y", l->turned ? -l->x : l->y);
    if (l->font_px != SMALL_PX)
        ubi__svg_number(p->out, "font-size", l->font_px);
    if (l->bold || l->faint)
        ubi__out_printf(p->out, " class=\"%s\"", l->bold ? "b" : "f");
    if (width > l->room * 0.88)
        ubi__svg_number(p->out, "textLength", width);
    ubi__out_char(p->out, '>');
}

/* Writes as much of the text as fits; its width, or 0. */
static double write_line(const ubi__treemap_picture *p, const line *l, ubi_text text) {
    size_t fits = ubi__text_fit(text, l->room, l->font_px, l->bold);
    if (fits == 0)
        return 0;
    bool cut = fits < text.len;
    ubi_text shown = { text.ptr, fits };
    double width = ubi__text_width(shown, l->font_px, l->bold);
    if (cut)
        width += ubi__text_width(ubi__text("…"), l->font_px, l->bold);
    begin_text(p, l, width);
    ubi__svg_text(p->out, shown);
    ubi__out_string(p->out, cut ? "…</text>\n" : "</text>\n");
    return cut ? l->room : width;
}

/* Writes the text if all of it fits. */
static void write_whole_line(const ubi__treemap_picture *p, const line *l, const char *text) {
    if (ubi__text_width(ubi__text(text), l->font_px, l->bold) <= l->room)
        write_line(p, l, ubi__text(text));
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static void write_amount_behind(const ubi__treemap_picture *p, const ubi_treemap_row *row, line l, double width) {
    char amount[UBI__HUMAN_TEXT];
    double gap = 0.4 * l.font_px;
    l.bold = false;
    l.faint = true;
    l.x += l.turned ? 0 : width + gap;
    l.y += l.turned ? width + gap : 0;
    l.room -= width + gap;
    if (width > 0)
        write_whole_line(p, &l, ubi__treemap_amount(amount, p->map, row->bytes, row->count));
}

static void label_holder(ubi__treemap_picture *p, const ubi_treemap_row *row) {
    const ubi_treemap_options *o = ubi_treemap_options_of(p->map);
    const ubi_treemap_box *box = &row->box;
    double strip = fmin(o->pad_top * o->pixel_ratio, box->height);
    line l = { .x = box->x + MARGIN, .room = box->width - 2 * MARGIN, .font_px = SMALL_PX, .bold = true };
    if (strip < SMALL_PX + 2)
        return;
    l.y = box->y + (strip + SMALL_PX * 0.76) / 2;
    write_amount_behind(p, row, l, write_line(p, &l, ubi__treemap_name(&p->label, row, NAME_COLUMNS)));
}

static void write_amount_below(const ubi__treemap_picture *p, const ubi_treemap_row *row, line l) {
    char amount[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], both[2 * UBI__HUMAN_TEXT + 8];
    l.font_px = fmax(SMALL_PX, floor(l.font_px * 0.75));
    l.y += l.font_px * LINE + 1;
    l.faint = true;
    ubi__treemap_amount(amount, p->map, row->bytes, row->count);
    snprintf(both, sizeof both, "%s · %s", amount, ubi__human_percent(percent, row->box.weight, p->total_weight));
    bool fits = ubi__text_width(ubi__text(both), l.font_px, false) <= l.room;
    write_whole_line(p, &l, fits ? both : amount);
}

/* The largest font in which the name fits, within what suits the box. */
static double font_for(const ubi_treemap_box *box, ubi_text name, double room) {
    double most = floor(fmin(box->height / 3.5, LARGE_PX));
    for (double px = most; px > SMALL_PX; px--)
        if (ubi__text_width(name, px, false) <= room)
            return px;
    return SMALL_PX;
}

static void label_leaf(ubi__treemap_picture *p, const ubi_treemap_row *row) {
    const ubi_treemap_box *box = &row->box;
    ubi_text name = ubi__treemap_name(&p->label, row, NAME_COLUMNS);
    bool fits = ubi__text_width(name, SMALL_PX, false) <= box->width - 2 * MARGIN;
    bool turned = !fits && box->height > box->width * 1.2;
    double across = turned ? box->width : box->height, along = turned ? box->height : box->width;
    line l = { .room = along - 2 * MARGIN, .font_px = SMALL_PX, .turned = turned };
    if (across < SMALL_PX + 2)
        return;
    if (!turned)
        l.font_px = font_for(box, name, l.room);
    if (turned) {
        l.x = box->x + fmin((across - SMALL_PX * 0.7) / 2, MARGIN);
        l.y = box->y + MARGIN;
    } else {
        l.x = box->x + MARGIN;
        l.y = box->y + fmin((across + l.font_px * 0.74) / 2, l.font_px + MARGIN - 1);
    }
    double width = write_line(p, &l, name);
    bool two_lines = !turned && box->height >= l.font_px + SMALL_PX * LINE + 2 * MARGIN;
    if (two_lines && width > 0)
        write_amount_below(p, row, l);
    else
        write_amount_behind(p, row, l, width);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void write_box(ubi__treemap_picture *p, uint32_t i, const ubi_treemap_row *row) {
    const ubi_treemap_box *box = &row->box;
    ubi__out_printf(p->out, "<rect class=\"c%u%c\"", p->hues[i], 'a' + (char)ubi__treemap_shade(p, i, row));
    /* Half a pixel in: outlines are sharp and do not overlap. */
    ubi__svg_number(p->out, "x", box->x + 0.5);
    ubi__svg_number(p->out, "y", box->y + 0.5);
    ubi__svg_number(p->out, "width", box->width - 1);
    ubi__svg_number(p->out, "height", box->height - 1);
    ubi__out_string(p->out, "><title>");
    write_path(p, i);
    write_numbers(p, row);
    ubi__out_string(p->out, "</title></rect>\n");
    if (p->holds[i])
        label_holder(p, row);
    else
        label_leaf(p, row);
}

void ubi__treemap_write_boxes(ubi__treemap_picture *p) {
    ubi_treemap_row row;
    for (uint32_t i = 1; i < ubi_treemap_row_count(p->map) && !p->out->failed; i++) {
        ubi_treemap_get(p->map, i, &row);
        if (ubi__treemap_is_visible(&row))
            write_box(p, i, &row);
    }
}
