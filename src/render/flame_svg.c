/* SPDX-License-Identifier: MIT
 *
 * flame_svg.c: a flame graph as a picture for browsers (flame_graph.h).
 *
 * Each box is a group of a tooltip, a rectangle and, where there is room, a text that is cut to fit. Which font is there is the browser's
 * secret: the text is inside an element of the box's size, which clips it, and the script cuts it again, with that font's widths.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/flame_graph.h"
#include "render/treemap_picture.h"

#define WIDTH 1200
#define MARGIN 12
#define HEAD 58 /* title, subtitle, search */
#define LINE_PX 17
#define FONT_PX 11
#define BASE_LINE_PX 12 /* of a text in its box */
#define TEXT_MARGIN 3
#define TITLE_PX 17
#define SUBTITLE_PX 12
#define RIGHT_WORDS_PX 150 /* what can be clicked, and what was found */
#define LEAST_WIDTH 0.05
#define HUES 12
#define CHANGES 21
#define TITLE_COLUMNS 160
#define NAME_COLUMNS 1000

uint32_t ubi__flame_hue(ubi_text name) {
    uint32_t hash = 2166136261u; /* FNV-1a: the same in every process */
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (uint8_t)name.ptr[i]) * 16777619u;
    return hash >> 8;
}

typedef struct painter {
    ubi__out out;
    const ubi__flame_picture *picture;
    ubi__label label;
    double pixels;  /* of one unit */
    uint32_t depth; /* of the deepest box that is drawn */
} painter;

/* ---- boxes ------------------------------------------------------------------------------------------------------------ */

static const char *amount_text(const painter *p, char out[UBI__HUMAN_TEXT], uint64_t value) {
    return p->picture->is_count ? ubi__human_things(out, value, "allocation") : ubi__human_size(out, value);
}

/* "+1.0 MiB, from 2.0 MiB to 3.0 MiB" */
static void change_write(painter *p, ubi__flame_ix ix) {
    uint64_t old = p->picture->tree->past[ix].all, new = ubi__flame_now(p->picture->tree, ix);
    char text[UBI__HUMAN_TEXT];
    ubi__out_printf(&p->out, "\n%s%s",
                    new < old   ? "-"
                    : new > old ? "+"
                                : "",
                    amount_text(p, text, new < old ? old - new : new - old));
    ubi__out_printf(&p->out, ", from %s", amount_text(p, text, old));
    ubi__out_printf(&p->out, " to %s", amount_text(p, text, new));
}

static void tooltip_write(painter *p, ubi__flame_ix ix) {
    const ubi__flame_tree *tree = p->picture->tree;
    const ubi__flame_node *node = &tree->nodes.at[ix];
    char text[UBI__HUMAN_TEXT];
    ubi__out_string(&p->out, "<title>");
    ubi__svg_text(&p->out, ubi__label_of(&p->label, ubi__flame_name(tree, ix), NAME_COLUMNS));
    if (tree->past) {
        change_write(p, ix);
        ubi__out_string(&p->out, "</title>");
        return;
    }
    ubi__out_printf(&p->out, "\n%s, ", amount_text(p, text, node->all));
    ubi__svg_text(&p->out, ubi__text(ubi__human_percent(text, node->all, tree->nodes.at[0].all)));
    if (node->self && node->first_child)
        ubi__out_printf(&p->out, "; itself %s", amount_text(p, text, node->self));
    ubi__out_string(&p->out, "</title>");
}

/* As much of a label as fits; nothing if that is `fits` == 0. */
static void cut_write(painter *p, ubi_text safe, size_t fits) {
    ubi__svg_text(&p->out, (ubi_text){ safe.ptr, fits });
    if (fits && fits < safe.len)
        ubi__out_string(&p->out, "…");
}

static void name_write(painter *p, ubi_text name, double x, double y, double width) {
    ubi_text safe = ubi__label_of(&p->label, name, NAME_COLUMNS);
    size_t fits = ubi__text_fit(safe, width - 2 * TEXT_MARGIN, FONT_PX, false);
    if (fits == 0)
        return;
    ubi__out_string(&p->out, "<svg");
    ubi__svg_number(&p->out, "x", x);
    ubi__svg_number(&p->out, "y", y);
    ubi__svg_number(&p->out, "width", width);
    ubi__out_printf(&p->out, " height=\"%d\"><text x=\"%d\" y=\"%d\">", LINE_PX - 1, TEXT_MARGIN, BASE_LINE_PX);
    cut_write(p, safe, fits);
    ubi__out_string(&p->out, "</text></svg>");
}

/* From all gone to all new, the same in the middle. */
static unsigned change_step(double change) {
    return (unsigned)((change + 1) / 2 * (CHANGES - 1) + 0.5);
}

static void box_write(painter *p, ubi__flame_ix ix, double x, double width) {
    const ubi__flame_tree *tree = p->picture->tree;
    ubi_text name = ubi__flame_name(tree, ix);
    uint32_t depth = tree->nodes.at[ix].depth;
    ubi__out_string(&p->out, "<g>");
    tooltip_write(p, ix);
    if (tree->past)
        ubi__out_printf(&p->out, "<rect class=\"d%u\"", change_step(ubi__flame_change(tree, ix)));
    else
        ubi__out_printf(&p->out, "<rect class=\"c%u\"", ubi__flame_hue(name) % HUES);
    ubi__svg_number(&p->out, "x", x);
    ubi__svg_number(&p->out, "y", (double)depth * LINE_PX);
    ubi__svg_number(&p->out, "width", width);
    ubi__out_printf(&p->out, " height=\"%d\"/>", LINE_PX - 1);
    name_write(p, name, x, (double)depth * LINE_PX, width);
    ubi__out_string(&p->out, "</g>\n");
}

/* The node that comes after one and what it called, or 0. */
static ubi__flame_ix node_behind(const ubi__flame_node *nodes, ubi__flame_ix node) {
    while (node && !nodes[node].next_sibling)
        node = nodes[node].parent;
    return nodes[node].next_sibling;
}

typedef void box_fn(painter *p, ubi__flame_ix node, double x, double width);

static void depth_note(painter *p, ubi__flame_ix node, double x, double width) {
    (void)x, (void)width;
    uint32_t depth = p->picture->tree->nodes.at[node].depth;
    p->depth = depth > p->depth ? depth : p->depth;
}

/* begins[depth]: where the next box of that depth begins. */
static void boxes_visit(painter *p, uint64_t *begins, box_fn *visit) {
    const ubi__flame_node *nodes = p->picture->tree->nodes.at;
    ubi__flame_ix node = 0;
    begins[0] = 0;
    do {
        const ubi__flame_node *n = &nodes[node];
        uint64_t begin = begins[n->depth];
        double width = (double)n->all * p->pixels;
        bool is_drawn = width >= LEAST_WIDTH;
        begins[n->depth] += n->all;
        begins[n->depth + 1] = begin;
        if (is_drawn)
            visit(p, node, (double)begin * p->pixels, width);
        node = is_drawn && n->first_child ? n->first_child : node_behind(nodes, node);
    } while (node && !p->out.has_failed);
}

/* ---- the page --------------------------------------------------------------------------------------------------------- */

static void colors_write(painter *p, bool is_dark) {
    for (unsigned i = 0; i < HUES; i++) {
        ubi__out_printf(&p->out, ".c%u{fill:", i);
        ubi__svg_hsl(&p->out, 0.02 + 0.13 * i / HUES, is_dark ? 0.55 : 0.8,
                     is_dark ? 0.3 + 0.01 * (i % 4) : 0.66 + 0.02 * (i % 4));
        ubi__out_string(&p->out, "}");
    }
    ubi__out_char(&p->out, '\n');
}

/* Red is more, blue is less, as in other differential flame graphs; what is the same is grey. */
static void change_colors_write(painter *p, bool is_dark) {
    for (int i = 0; i < CHANGES; i++) {
        double change = 2.0 * i / (CHANGES - 1) - 1, much = change < 0 ? -change : change;
        ubi__out_printf(&p->out, ".d%d{fill:", i);
        ubi__svg_hsl(&p->out, change < 0 ? 0.6 : 0.01, much * (is_dark ? 0.6 : 0.9),
                     is_dark ? 0.28 + 0.1 * much : 0.88 - 0.2 * much);
        ubi__out_string(&p->out, "}");
    }
    ubi__out_char(&p->out, '\n');
}

static void style_write(painter *p) {
    void (*const colors)(painter *, bool) = p->picture->tree->past ? change_colors_write : colors_write;
    ubi__out_string(&p->out, "<style>\n"
                             "text{font-family:Helvetica,Arial,\"Liberation Sans\",sans-serif;fill:#15171c;"
                             "pointer-events:none}\n"
                             ".b{font-weight:bold}.f{fill-opacity:.72}.page{fill:#fff}\n"
                             ".do{pointer-events:auto;cursor:pointer;text-decoration:underline}\n"
                             "#boxes rect{cursor:pointer}#boxes rect:hover{stroke:currentColor}\n"
                             ".up rect{opacity:.5}.m rect{fill:#c05cff}.out{display:none}\n");
    colors(p, false);
    ubi__out_string(&p->out, "@media (prefers-color-scheme:dark){text{fill:#eceef2}.page{fill:#14161a}"
                             ".m rect{fill:#7d2bb8}\n");
    colors(p, true);
    ubi__out_string(&p->out, "}\n</style>\n");
}

/* Beside it are the words at the right edge. */
static void heading_line_write(painter *p, const char *text, double font_px, bool is_bold) {
    ubi_text safe = ubi__label_of(&p->label, ubi__text(text), TITLE_COLUMNS);
    cut_write(p, safe, ubi__text_fit(safe, WIDTH - RIGHT_WORDS_PX, font_px, is_bold));
}

static void heading_write(painter *p) {
    ubi__out_printf(&p->out, "<text class=\"b\" x=\"%d\" y=\"%d\" font-size=\"%d\">", MARGIN, MARGIN + 14, TITLE_PX);
    heading_line_write(p, p->picture->title, TITLE_PX, true);
    ubi__out_printf(&p->out, "</text>\n<text class=\"f\" x=\"%d\" y=\"%d\" font-size=\"%d\">", MARGIN, MARGIN + 33,
                    SUBTITLE_PX);
    heading_line_write(p, p->picture->subtitle, SUBTITLE_PX, false);
    ubi__out_string(&p->out, "</text>\n");
    ubi__out_printf(&p->out,
                    "<text id=\"found\" class=\"f\" x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"end\"></text>\n",
                    MARGIN + WIDTH, MARGIN + 33);
    ubi__out_printf(&p->out,
                    "<g id=\"tools\" class=\"out\"><text id=\"search\" class=\"do\" x=\"%d\" y=\"%d\" font-size=\"12\" "
                    "text-anchor=\"end\" role=\"button\" tabindex=\"0\">Search</text>"
                    "<text id=\"whole\" class=\"do out\" x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"end\" "
                    "role=\"button\" tabindex=\"0\">Whole graph</text></g>\n",
                    MARGIN + WIDTH, MARGIN + 12, MARGIN + WIDTH - 60, MARGIN + 12);
}

/* Names that are searched for are first lines of tooltips. */
static void script_write(painter *p) {
    ubi__out_printf(&p->out,
                    "<script><![CDATA[\nconst WIDTH = %d, CHARACTER = 5.9, TEXT_MARGIN = %d, BASE_LINE = %d;\n", WIDTH,
                    TEXT_MARGIN, BASE_LINE_PX);
    ubi__out_string(
        &p->out,
        "const byId = (id) => document.getElementById(id);\n"
        "const boxes = [...byId('boxes').children].map((group) => {\n"
        "  const [title, rect, label] = group.children, number = (name) => Number(rect.getAttribute(name));\n"
        "  return { group, rect, label, name: title.textContent.split('\\n')[0], x: number('x'), y: number('y'),\n"
        "    width: number('width') };\n"
        "});\n"
        "const all = boxes[0];\n"
        "const drawing = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1).getContext('2d');\n"
        "const font = getComputedStyle(byId('boxes').querySelector('text') || byId('found'));\n"
        "if (drawing) drawing.font = font.fontSize + ' ' + font.fontFamily;\n"
        "const widthOf = (text) => drawing ? drawing.measureText(text).width : CHARACTER * text.length;\n"
        "function cut(name, room) {\n"
        "  let most = Math.max(0, Math.floor((room - 2 * TEXT_MARGIN) / 2)), least = 0;\n"
        "  if (name.length <= most && widthOf(name) <= room - 2 * TEXT_MARGIN) return name;\n"
        "  most = Math.min(most, name.length - 1);\n"
        "  while (least < most) {\n"
        "    const middle = (least + most + 1) >> 1;\n"
        "    if (widthOf(name.slice(0, middle) + '\\u2026') <= room - 2 * TEXT_MARGIN) least = middle;\n"
        "    else most = middle - 1;\n"
        "  }\n"
        "  return least < 2 ? '' : name.slice(0, least) + '\\u2026';\n"
        "}\n"
        "function labelOf(box) {\n"
        "  const create = (name) => document.createElementNS('http://www.w3.org/2000/svg', name);\n"
        "  const label = box.group.appendChild(create('svg')), text = label.appendChild(create('text'));\n"
        "  label.setAttribute('y', box.y);\n"
        "  label.setAttribute('height', box.rect.getAttribute('height'));\n"
        "  text.setAttribute('x', TEXT_MARGIN);\n"
        "  text.setAttribute('y', BASE_LINE);\n"
        "  return label;\n"
        "}\n"
        "function relabel(box, x, width) {\n"
        "  const text = cut(box.name, width);\n"
        "  if (text === '' && !box.label) return;\n"
        "  if (!box.label) box.label = labelOf(box);\n"
        "  box.label.setAttribute('x', x);\n"
        "  box.label.setAttribute('width', width);\n"
        "  box.label.firstElementChild.textContent = text;\n"
        "}\n"
        "function show(top) {\n"
        "  const scale = WIDTH / top.width, end = top.x + top.width, slack = 1e-6 * WIDTH;\n"
        "  for (const box of boxes) {\n"
        "    const above = box.y < top.y && box.x <= top.x + slack && box.x + box.width >= end - slack;\n"
        "    const inside = box.y >= top.y && box.x >= top.x - slack && box.x + box.width <= end + slack;\n"
        "    const x = above ? 0 : (box.x - top.x) * scale, width = above ? WIDTH : box.width * scale;\n"
        "    box.group.classList.toggle('out', !above && !inside);\n"
        "    box.group.classList.toggle('up', above);\n"
        "    box.rect.setAttribute('x', x);\n"
        "    box.rect.setAttribute('width', width);\n"
        "    relabel(box, x, width);\n"
        "  }\n"
        "  byId('whole').classList.toggle('out', top === all);\n"
        "}\n"
        "function mark(pattern) {\n"
        "  let sum = 0, covered = [];\n"
        "  for (const box of boxes) {\n"
        "    const found = pattern !== null && pattern.test(box.name);\n"
        "    box.group.classList.toggle('m', found);\n"
        "    if (found) covered.push(box);\n"
        "  }\n"
        "  covered.sort((a, b) => a.y - b.y);\n"
        "  const counted = [];\n"
        "  for (const box of covered) {\n"
        "    if (counted.some((other) => box.x >= other.x - 1e-6 && box.x + box.width <= other.x + other.width + "
        "1e-6)) continue;\n"
        "    counted.push(box);\n"
        "    sum += box.width;\n"
        "  }\n"
        "  byId('found').textContent = pattern === null ? '' : covered.length + ' found, '\n"
        "    + (100 * sum / all.width).toFixed(1) + '%';\n"
        "}\n"
        "function search() {\n"
        "  const text = prompt('Functions whose names match (a regular expression); empty: none');\n"
        "  if (text === null) return;\n"
        "  try { mark(text === '' ? null : new RegExp(text)); } catch (error) { alert(error.message); }\n"
        "}\n"
        "byId('boxes').addEventListener('click', (event) => {\n"
        "  const box = boxes.find((each) => each.group === event.target.closest('g'));\n"
        "  if (box) show(box);\n"
        "});\n"
        "for (const [id, act] of [['search', search], ['whole', () => show(all)]]) {\n"
        "  byId(id).addEventListener('click', act);\n"
        "  byId(id).addEventListener('keydown', (event) => { if (event.key === 'Enter') act(); });\n"
        "}\n"
        "addEventListener('keydown', (event) => {\n"
        "  if (event.key === 'Escape') show(all);\n"
        "  if (event.key === '/') { event.preventDefault(); search(); }\n"
        "});\n"
        "for (const box of boxes) relabel(box, box.x, box.width);\n"
        "byId('tools').classList.remove('out');\n"
        "]]></script>\n");
}

static void document_write(painter *p, uint64_t *begins) {
    boxes_visit(p, begins, depth_note);
    int width = WIDTH + 2 * MARGIN, height = HEAD + 2 * MARGIN + (int)(p->depth + 1) * LINE_PX;
    ubi__out_printf(&p->out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                    "font-size=\"%d\">\n<title>",
                    width, height, width, height, FONT_PX);
    ubi__svg_text(&p->out, ubi__label_of(&p->label, ubi__text(p->picture->title), TITLE_COLUMNS));
    ubi__out_string(&p->out, "</title>\n");
    style_write(p);
    ubi__out_string(&p->out, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    heading_write(p);
    ubi__out_printf(&p->out, "<g id=\"boxes\" transform=\"translate(%d %d)\">\n", MARGIN, HEAD + MARGIN);
    boxes_visit(p, begins, box_write);
    ubi__out_string(&p->out, "</g>\n");
    script_write(p);
    ubi__out_string(&p->out, "</svg>\n");
}

ubi_status ubi__render_flame_svg(ubi_write_fn write, void *payload, const ubi__flame_picture *picture,
                                 const ubi_allocator *allocator) {
    const ubi__flame_tree *tree = picture->tree;
    size_t n = (size_t)tree->depth + 2;
    uint64_t *begins = ubi__calloc_array(allocator, n, sizeof *begins), all = tree->nodes.at[0].all;
    painter *p = UBI_NEW(allocator, painter);
    ubi_status status = begins && p ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        ubi__out_init(&p->out, write, payload);
        p->picture = picture;
        p->pixels = all ? (double)WIDTH / (double)all : 0;
        document_write(p, begins);
        status = ubi__out_flush(&p->out);
    }
    UBI_DELETE(allocator, p);
    ubi__free_array(allocator, begins, n, sizeof *begins);
    return status;
}
