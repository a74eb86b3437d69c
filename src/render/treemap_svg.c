/* SPDX-License-Identifier: MIT
 *
 * treemap_svg.c: a tree map as an SVG document: the page, the title and the legend.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/text_width.h"
#include "render/treemap_picture.h"

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
    if (p->options->firefox)
        ubi__out_string(out, ".head text{fill:#eceef2}\n");
    else
        ubi__out_string(out, "text{fill:#eceef2}\n");
    if (!p->options->firefox)
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
