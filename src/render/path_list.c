/* SPDX-License-Identifier: MIT
 *
 * path_list.c: a path step by step (path_words.h).
 *
 *     0                            root      140733032943400
 *     1  global-intrinsics-holder  → Object    1810879254568
 *     2  String_pad                → Function  1810879579408
 *
 * The lines that are shown are measured first. Labels of nodes give way before names of edges do; ids are never cut.
 */
#include "render/path_words.h"

#include "base/assert.h"
#include "base/human.h"
#include "render/edge_label.h"
#include "render/node_label.h"
#include "render/text_table.h"

#define GAP 2
#define LEAST_COLUMNS 6 /* of an edge or a label, on however narrow a page */

enum { NUMBER, EDGE, LABEL, ID, COLUMNS };

static const ubi__text_column step_columns[COLUMNS] = {
    [NUMBER] = { NULL, .width = 2, .gap = 4 },
    [EDGE] = { NULL, .gap = GAP, .is_left = true },
    [LABEL] = { NULL, .gap = GAP, .is_left = true },
    [ID] = { NULL, .gap = GAP },
};

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__path_view *path;
    uint32_t begin, gap_begin, gap_end; /* lines [begin, gap_begin) and [gap_end, n_steps] are shown */
    ubi__text_table table;
} page;

typedef struct page_line {
    const page *page;
    uint32_t line;
} page_line;

static ubi_node_ix node_of_line(const page *p, uint32_t line) {
    return line < p->path->n_steps ? p->path->steps[line].predecessor : p->path->target;
}

static ubi_text label_of_line(const page *p, uint32_t line, ubi_look_name_buffer *buffer) {
    return ubi__node_title(p->path->graph, p->path->look, node_of_line(p, line), buffer);
}

/* The edge that leads to the node of a line, which is not the first. */
static ubi_edge_ix edge_of_line(const page *p, uint32_t line) {
    return p->path->steps[line - 1].edge;
}

static ubi__cell id_of_line(const page *p, uint32_t line) {
    return (ubi__cell){ .kind = UBI__CELL_ID, .value = ubi_graph_node_id(p->path->graph, node_of_line(p, line)) };
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

static size_t arrow_columns(const ubi__style *style) {
    return style->unicode ? 2 : 3;
}

static void column_widen(page *p, size_t column, size_t columns) {
    ubi__text_column *c = &p->table.at[UBI_INDEX(column, COLUMNS)];
    c->width = columns > c->width ? columns : c->width;
}

static void line_measure(page *p, uint32_t line) {
    ubi_look_name_buffer buffer;
    size_t most = p->style->columns + 2 * LEAST_COLUMNS; /* more than any line has */
    if (line > 0)
        column_widen(p, EDGE, ubi__edge_label_columns(p->style, p->path->graph, edge_of_line(p, line), most));
    column_widen(p, LABEL,
                 ubi__display_columns(label_of_line(p, line, &buffer), p->style, most) +
                     (line ? arrow_columns(p->style) : 0));
    ubi__text_table_widen(&p->table, ID, id_of_line(p, line));
}

/* The middle is left out when there are too many lines, but never a single one. */
static void lines_choose(page *p, const ubi__path_list_options *options) {
    uint64_t n = (uint64_t)p->path->n_steps + 1;
    p->begin = options->skip ? options->skip + 1 : 0;
    p->gap_begin = p->gap_end = p->path->n_steps + 1;
    if (options->limit == 0 || n - p->begin <= options->limit + 1)
        return;
    p->gap_begin = p->begin + (uint32_t)(options->limit / 2);
    p->gap_end = (uint32_t)(n - (options->limit - options->limit / 2)); /* the last line is always there */
}

static void columns_lay_out(page *p) {
    size_t *edge = &p->table.at[EDGE].width, *label = &p->table.at[LABEL].width;
    ubi__text_table_widen(&p->table, NUMBER, ubi__cell_count(p->path->n_steps));
    for (uint32_t i = p->begin; i <= p->path->n_steps; i++) {
        if (i == p->gap_begin)
            i = p->gap_end;
        if (i <= p->path->n_steps)
            line_measure(p, i);
    }
    ubi__text_table_lay_out(&p->table);
    size_t used = p->table.used - *edge - *label;
    size_t room = p->style->columns > used + 2 * LEAST_COLUMNS ? p->style->columns - used : 2 * LEAST_COLUMNS;
    if (*edge + *label <= room)
        return;
    if (*label <= room / 2)
        *edge = room - *label;
    else if (*edge > room / 2)
        *edge = room / 2;
    *label = room - *edge;
    ubi__text_table_lay_out(&p->table);
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

/* Two ubi__cell_draw of a page_line. */
static size_t edge_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const page_line *l = payload;
    ubi__display_ink(out, style, UBI__INK_CYAN);
    size_t used = ubi__display_edge_label(out, style, l->page->path->graph, edge_of_line(l->page, l->line), columns);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used;
}

static size_t label_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const page_line *l = payload;
    size_t used = 0;
    ubi_look_name_buffer buffer;
    if (l->line > 0) {
        ubi__display_ink(out, style, UBI__INK_DIM);
        ubi__out_string(out, style->unicode ? "→ " : "-> ");
        used = arrow_columns(style);
    }
    ubi__display_ink(out, style, l->line == l->page->path->n_steps ? UBI__INK_BOLD : UBI__INK_PLAIN);
    used += ubi__display_text(out, style, label_of_line(l->page, l->line, &buffer), columns - used);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used;
}

static void line_write(const page *p, uint32_t line) {
    const page_line payload = { p, line };
    const ubi__cell cells[COLUMNS] = {
        [NUMBER] = { .kind = UBI__CELL_COUNT, .ink = UBI__INK_DIM, .value = line },
        [EDGE] = line ? ubi__cell_drawn(edge_draw, &payload) : ubi__cell_none(),
        [LABEL] = ubi__cell_drawn(label_draw, &payload),
        [ID] = id_of_line(p, line),
    };
    ubi__text_table_line(&p->table, cells, (ubi_text){ NULL, 0 });
}

static void gap_write(const page *p) {
    char count[UBI__HUMAN_TEXT];
    ubi__display_pad(p->out, 0, p->table.at[NUMBER].gap + p->table.at[NUMBER].width + GAP);
    ubi__display_ink(p->out, p->style, UBI__INK_DIM);
    ubi__out_printf(p->out, "%s %s more %s", ubi__display_ellipsis(p->style),
                    ubi__human_count(count, p->gap_end - p->gap_begin), ubi__display_ellipsis(p->style));
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

void ubi__display_path_list(ubi__out *out, const ubi__style *style, const ubi__path_view *path,
                            const ubi__path_list_options *options) {
    page p = { .out = out, .style = style, .path = path };
    ubi__text_table_init(&p.table, out, style, NULL, step_columns, COLUMNS);
    lines_choose(&p, options);
    columns_lay_out(&p);
    for (uint32_t i = p.begin; i <= path->n_steps && !out->failed; i++) {
        if (i == p.gap_begin) {
            gap_write(&p);
            i = p.gap_end;
        }
        if (i <= path->n_steps)
            line_write(&p, i);
    }
}
