/* SPDX-License-Identifier: MIT
 *
 * treemap_svg.c: a tree map as an SVG document: the page, the title, the legend, the boxes and what is written in them.
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
#include "render/treemap_picture.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/display.h"

/* ---- SVG -------------------------------------------------------------------------------------------------------- */

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
/* ---- widths of texts -------------------------------------------------------------------------------------------- */

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

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

#define BOX_MARGIN 4 /* between a box's edge and its text */
#define SMALL_PX 11
#define LARGE_PX 20
#define LINE 1.25 /* height of a line of text, in font sizes */
#define NAME_COLUMNS 120
#define PATH_STEPS 8
#define PATH_COLUMNS 60

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
typedef struct box_line {
    double x, y; /* of its start on the base line */
    double room; /* pixels */
    double font_px;
    bool is_bold, is_faint, is_turned; /* turned: reads downwards */
} box_line;

static void begin_text(const ubi__treemap_picture *p, const box_line *l, double width) {
    ubi__out_string(p->out, "<text");
    if (l->is_turned)
        ubi__out_string(p->out, " transform=\"rotate(90)\"");
    ubi__svg_number(p->out, "x", l->is_turned ? l->y : l->x);
    ubi__svg_number(p->out, "y", l->is_turned ? -l->x : l->y);
    if (l->font_px != SMALL_PX)
        ubi__svg_number(p->out, "font-size", l->font_px);
    if (l->is_bold || l->is_faint)
        ubi__out_printf(p->out, " class=\"%s\"", l->is_bold ? "b" : "f");
    if (width > l->room * 0.88)
        ubi__svg_number(p->out, "textLength", width);
    ubi__out_char(p->out, '>');
}

/* Writes as much of the text as fits; its width, or 0. */
static double write_line(const ubi__treemap_picture *p, const box_line *l, ubi_text text) {
    size_t fits = ubi__text_fit(text, l->room, l->font_px, l->is_bold);
    if (fits == 0)
        return 0;
    bool cut = fits < text.len;
    ubi_text shown = { text.ptr, fits };
    double width = ubi__text_width(shown, l->font_px, l->is_bold);
    if (cut)
        width += ubi__text_width(ubi__text("…"), l->font_px, l->is_bold);
    begin_text(p, l, width);
    ubi__svg_text(p->out, shown);
    ubi__out_string(p->out, cut ? "…</text>\n" : "</text>\n");
    return cut ? l->room : width;
}

/* Writes the text if all of it fits. */
static void write_whole_line(const ubi__treemap_picture *p, const box_line *l, const char *text) {
    if (ubi__text_width(ubi__text(text), l->font_px, l->is_bold) <= l->room)
        write_line(p, l, ubi__text(text));
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static void write_amount_behind(const ubi__treemap_picture *p, const ubi_treemap_row *row, box_line l, double width) {
    char amount[UBI__HUMAN_TEXT];
    double gap = 0.4 * l.font_px;
    l.is_bold = false;
    l.is_faint = true;
    l.x += l.is_turned ? 0 : width + gap;
    l.y += l.is_turned ? width + gap : 0;
    l.room -= width + gap;
    if (width > 0)
        write_whole_line(p, &l, ubi__treemap_amount(amount, p->map, row->bytes, row->count));
}

static void label_holder(ubi__treemap_picture *p, const ubi_treemap_row *row) {
    const ubi_treemap_options *o = ubi_treemap_options_of(p->map);
    const ubi_treemap_box *box = &row->box;
    double strip = fmin(o->pad_top * o->pixel_ratio, box->height);
    box_line l = {
        .x = box->x + BOX_MARGIN, .room = box->width - 2 * BOX_MARGIN, .font_px = SMALL_PX, .is_bold = true
    };
    if (strip < SMALL_PX + 2)
        return;
    l.y = box->y + (strip + SMALL_PX * 0.76) / 2;
    write_amount_behind(p, row, l, write_line(p, &l, ubi__treemap_name(&p->label, row, NAME_COLUMNS)));
}

static void write_amount_below(const ubi__treemap_picture *p, const ubi_treemap_row *row, box_line l) {
    char amount[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], both[2 * UBI__HUMAN_TEXT + 8];
    l.font_px = fmax(SMALL_PX, floor(l.font_px * 0.75));
    l.y += l.font_px * LINE + 1;
    l.is_faint = true;
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
    bool fits = ubi__text_width(name, SMALL_PX, false) <= box->width - 2 * BOX_MARGIN;
    bool turned = !fits && box->height > box->width * 1.2;
    double across = turned ? box->width : box->height, along = turned ? box->height : box->width;
    box_line l = { .room = along - 2 * BOX_MARGIN, .font_px = SMALL_PX, .is_turned = turned };
    if (across < SMALL_PX + 2)
        return;
    if (!turned)
        l.font_px = font_for(box, name, l.room);
    if (turned) {
        l.x = box->x + fmin((across - SMALL_PX * 0.7) / 2, BOX_MARGIN);
        l.y = box->y + BOX_MARGIN;
    } else {
        l.x = box->x + BOX_MARGIN;
        l.y = box->y + fmin((across + l.font_px * 0.74) / 2, l.font_px + BOX_MARGIN - 1);
    }
    double width = write_line(p, &l, name);
    bool two_lines = !turned && box->height >= l.font_px + SMALL_PX * LINE + 2 * BOX_MARGIN;
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
    for (uint32_t i = 1; i < ubi_treemap_row_count(p->map) && !p->out->has_failed; i++) {
        ubi_treemap_get(p->map, i, &row);
        if (ubi__treemap_is_visible(&row))
            write_box(p, i, &row);
    }
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

#define MARGIN 12 /* around everything */
#define TITLE_PX 17
#define TEXT_PX 12
#define SWATCH 11
#define LEGEND_GAP 18 /* between entries */
#define LEGEND_LINE 20

/* ---- legend ------------------------------------------------------------------------------------------------------ */

/* Places of the legend's entries: lines as wide as the map. */
typedef struct pen {
    double x, y;
} pen;

static double entry_width(ubi_text name, const char *share) {
    return SWATCH + 6 + ubi__text_width(name, TEXT_PX, false) + 5 + ubi__text_width(ubi__text(share), TEXT_PX, false);
}

static pen pen_for(pen at, double width, double room) {
    if (at.x > 0 && at.x + width > room)
        return (pen){ 0, at.y + LEGEND_LINE };
    return at;
}

static void write_entry(ubi__treemap_picture *p, const ubi__treemap_legend_entry *entry, pen at, ubi_text name,
                        const char *share) {
    ubi__out *out = p->out;
    ubi__out_printf(out, "<rect class=\"c%u%c\" rx=\"2\"", entry->hue, 'c');
    ubi__svg_number(out, "x", at.x + 0.5);
    ubi__svg_number(out, "y", at.y - SWATCH + 1.5);
    ubi__svg_number(out, "width", SWATCH);
    ubi__svg_number(out, "height", SWATCH);
    ubi__out_string(out, "/><text");
    ubi__svg_number(out, "x", at.x + SWATCH + 6);
    ubi__svg_number(out, "y", at.y);
    ubi__svg_number(out, "font-size", TEXT_PX);
    ubi__out_char(out, '>');
    ubi__svg_text(out, name);
    ubi__out_string(out, " <tspan class=\"f\">");
    ubi__svg_text(out, ubi__text(share));
    ubi__out_string(out, "</tspan></text>\n");
}

/* Lays the legend out from y = `top`, writing it if `draw`; returns the y of the last line. */
static double legend_draw(ubi__treemap_picture *p, double top, bool draw) {
    double room = ubi_treemap_options_of(p->map)->width;
    pen at = { 0, top };
    for (size_t i = 0; i < p->n_legend; i++) {
        char share[UBI__HUMAN_TEXT];
        ubi__human_percent(share, p->legend[i].weight, p->total_weight);
        ubi_text name = ubi__treemap_legend_name(p, &p->legend[i]);
        double width = entry_width(name, share);
        at = pen_for(at, width, room);
        if (draw)
            write_entry(p, &p->legend[i], at, name, share);
        at.x += width + LEGEND_GAP;
    }
    return at.y;
}

/* ---- title ------------------------------------------------------------------------------------------------------- */

/* Longest part of `text` that fits the width of the picture. */
static void write_fitting(ubi__treemap_picture *p, ubi_text text, double font_px, bool bold) {
    size_t fits = ubi__text_fit(text, ubi_treemap_options_of(p->map)->width, font_px, bold);
    ubi__svg_text(p->out, (ubi_text){ text.ptr, fits });
    if (fits < text.len && fits > 0)
        ubi__out_string(p->out, "…");
}

/* The title as words, for those who do not see the picture. */
static void write_title_text(ubi__treemap_picture *p) {
    ubi__out_string(p->out, p->options->title.ptr ? "Tree map of " : "Tree map");
    ubi__svg_text(p->out, ubi__label_of(&p->label, p->options->title, 100));
}

/* The total. Borrowed from `line` or until the next use of p->label. */
static ubi_text subtitle_draw(ubi__treemap_picture *p, char line[3 * UBI__HUMAN_TEXT]) {
    char bytes[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    if (p->options->subtitle.ptr)
        return ubi__label_of(&p->label, p->options->subtitle, 200);
    snprintf(line, 3 * UBI__HUMAN_TEXT, "%s in %s", ubi__human_size(bytes, p->total_bytes),
             ubi__human_things(count, p->total_count, "node"));
    return ubi__text(line);
}

static void write_heading(ubi__treemap_picture *p) {
    char line[3 * UBI__HUMAN_TEXT];
    ubi__out_printf(p->out, "<text class=\"b\" y=\"%d\" font-size=\"%d\">", TITLE_PX, TITLE_PX);
    write_fitting(p, ubi__label_of(&p->label, p->options->title, 200), TITLE_PX, true);
    ubi__out_printf(p->out, "</text>\n<text class=\"f\" y=\"%d\" font-size=\"%d\">", TITLE_PX + 19, TEXT_PX);
    write_fitting(p, subtitle_draw(p, line), TEXT_PX, false);
    ubi__out_string(p->out, "</text>\n");
}

/* ---- document ---------------------------------------------------------------------------------------------------- */

static void write_style(const ubi__treemap_picture *p) {
    ubi__out *out = p->out;
    ubi__out_string(out, "<style>\n"
                         "text{font-family:Helvetica,Arial,\"Liberation Sans\",sans-serif;fill:#15171c;"
                         "pointer-events:none}\n"
                         ".b{font-weight:bold}\n.f{fill-opacity:.72}\n.page{fill:#fff}\n"
                         "rect:hover{stroke-width:2}\n");
    ubi__treemap_write_colors(p, false);
    ubi__out_string(out, "@media (prefers-color-scheme:dark){\n.page{fill:#14161a}\n");
    if (p->options->with_firefox_colors)
        ubi__out_string(out, ".head text{fill:#eceef2}\n");
    else
        ubi__out_string(out, "text{fill:#eceef2}\n");
    if (!p->options->with_firefox_colors)
        ubi__treemap_write_colors(p, true);
    ubi__out_string(out, "}\n</style>\n");
}

static void begin_document(ubi__treemap_picture *p) {
    char line[3 * UBI__HUMAN_TEXT];
    const ubi_treemap_options *o = ubi_treemap_options_of(p->map);
    double width = o->width + 2 * MARGIN, height = o->height + p->map_top + 2 * MARGIN;
    ubi__out_string(p->out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    ubi__svg_number(p->out, "width", width);
    ubi__svg_number(p->out, "height", height);
    ubi__out_string(p->out, " viewBox=\"0 0 ");
    ubi__svg_decimal(p->out, width);
    ubi__out_char(p->out, ' ');
    ubi__svg_decimal(p->out, height);
    ubi__out_string(p->out, "\" font-size=\"11\" role=\"img\" aria-label=\"");
    write_title_text(p);
    ubi__out_string(p->out, ": ");
    ubi__svg_text(p->out, subtitle_draw(p, line));
    ubi__out_string(p->out, "\">\n<title>");
    write_title_text(p);
    ubi__out_string(p->out, "</title>\n");
}

static void write_document(ubi__treemap_picture *p) {
    double legend_top = TITLE_PX + 19 + 24;
    p->map_top = (p->n_legend ? legend_draw(p, legend_top, false) : TITLE_PX + 19) + MARGIN;
    begin_document(p);
    write_style(p);
    ubi__out_printf(p->out,
                    "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n<g class=\"head\" transform="
                    "\"translate(%d %d)\">\n",
                    MARGIN, MARGIN);
    write_heading(p);
    legend_draw(p, legend_top, true);
    ubi__out_printf(p->out, "</g>\n<g transform=\"translate(%d %.0f)\">\n", MARGIN, MARGIN + p->map_top);
    ubi__treemap_write_boxes(p);
    ubi__out_string(p->out, "</g>\n</svg>\n");
}

static ubi_status map_draw(ubi__out *out, const ubi_treemap *map, const ubi_treemap_picture_options *options,
                           ubi__treemap_picture *p, uint8_t *columns) {
    ubi_treemap_row root;
    ubi_treemap_get(map, 0, &root);
    p->out = out;
    p->map = map;
    p->options = options;
    p->hues = columns;
    p->holds = columns + ubi_treemap_row_count(map);
    p->total_weight = root.box.weight;
    p->total_bytes = root.bytes;
    p->total_count = root.count;
    ubi__treemap_choose_hues(p);
    write_document(p);
    return ubi__out_flush(out);
}

ubi_status ubi_render_treemap_svg(ubi_write_fn fn, void *payload, const ubi_treemap *map,
                                  const ubi_treemap_picture_options *options) {
    static const ubi_treemap_picture_options defaults = UBI_TREEMAP_PICTURE_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_TREEMAP_PICTURE_OPTIONS_VERSION, "ubi_treemap_picture_options"));
    const ubi_allocator *a = ubi_treemap_options_of(map)->allocator;
    uint32_t n = ubi_treemap_row_count(map);
    ubi__out *out = UBI_NEW(a, ubi__out);
    ubi__treemap_picture *p = UBI_NEW(a, ubi__treemap_picture);
    uint8_t *columns = ubi__calloc_array(a, n, 2);
    ubi_status status = out && p && columns ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        ubi__out_init(out, fn, payload);
        status = map_draw(out, map, options, p, columns);
    }
    ubi__free_array(a, columns, n, 2);
    UBI_DELETE(a, p);
    UBI_DELETE(a, out);
    return status;
}
