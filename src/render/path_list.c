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

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "render/edge_label.h"
#include "render/node_label.h"

#define INDENT 4
#define GAP 2
#define LEAST_COLUMNS 6 /* of an edge or a label, on however narrow a page */

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__path_view *path;
    uint32_t begin, gap_begin, gap_end; /* lines [begin, gap_begin) and [gap_end, n_steps] are shown */
    size_t number_columns, edge_columns, label_columns, id_columns;
} page;

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

static int id_text(char out[24], const page *p, uint32_t line) {
    return snprintf(out, 24, "%" PRIu64, ubi_graph_node_id(p->path->graph, node_of_line(p, line)));
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

static size_t columns_larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t arrow_columns(const page *p) {
    return p->style->unicode ? 2 : 3;
}

static void measure_line(page *p, uint32_t line) {
    char id[24];
    ubi_look_name_buffer buffer;
    size_t most = p->style->columns + 2 * LEAST_COLUMNS; /* more than any line has */
    if (line > 0)
        p->edge_columns = columns_larger(
            p->edge_columns, ubi__edge_label_columns(p->style, p->path->graph, edge_of_line(p, line), most));
    size_t label =
        ubi__display_columns(label_of_line(p, line, &buffer), p->style, most) + (line ? arrow_columns(p) : 0);
    p->label_columns = columns_larger(p->label_columns, label);
    p->id_columns = columns_larger(p->id_columns, (size_t)id_text(id, p, line));
}

/* The middle is left out when there are too many lines, but never a single one. */
static void choose_lines(page *p, const ubi__path_list_options *options) {
    uint64_t n = (uint64_t)p->path->n_steps + 1;
    p->begin = options->skip ? options->skip + 1 : 0;
    p->gap_begin = p->gap_end = p->path->n_steps + 1;
    if (options->limit == 0 || n - p->begin <= options->limit + 1)
        return;
    p->gap_begin = p->begin + (uint32_t)(options->limit / 2);
    p->gap_end = (uint32_t)(n - (options->limit - options->limit / 2)); /* the last line is always there */
}

static void lay_out(page *p) {
    char number[UBI__HUMAN_TEXT];
    p->number_columns = columns_larger(2, strlen(ubi__human_count(number, p->path->n_steps)));
    for (uint32_t i = p->begin; i <= p->path->n_steps; i++) {
        if (i == p->gap_begin)
            i = p->gap_end;
        if (i <= p->path->n_steps)
            measure_line(p, i);
    }
    size_t used = INDENT + p->number_columns + p->id_columns + 3 * GAP;
    size_t room = p->style->columns > used + 2 * LEAST_COLUMNS ? p->style->columns - used : 2 * LEAST_COLUMNS;
    if (p->edge_columns + p->label_columns <= room)
        return;
    size_t half = room / 2;
    if (p->label_columns <= half)
        p->edge_columns = room - p->label_columns;
    else if (p->edge_columns > half)
        p->edge_columns = half;
    p->label_columns = room - p->edge_columns;
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

static size_t edge_write(const page *p, uint32_t line) {
    if (line == 0)
        return 0;
    ink(p, UBI__INK_CYAN);
    size_t columns = ubi__display_edge_label(p->out, p->style, p->path->graph, edge_of_line(p, line), p->edge_columns);
    ink(p, UBI__INK_PLAIN);
    return columns;
}

static size_t label_write(const page *p, uint32_t line) {
    size_t columns = 0;
    ubi_look_name_buffer buffer;
    if (line > 0) {
        ink(p, UBI__INK_DIM);
        ubi__out_string(p->out, p->style->unicode ? "→ " : "-> ");
        columns = arrow_columns(p);
    }
    ink(p, line == p->path->n_steps ? UBI__INK_BOLD : UBI__INK_PLAIN);
    columns += ubi__display_text(p->out, p->style, label_of_line(p, line, &buffer), p->label_columns - columns);
    ink(p, UBI__INK_PLAIN);
    return columns;
}

static void line_write(const page *p, uint32_t line) {
    char number[UBI__HUMAN_TEXT], id[24];
    ink(p, UBI__INK_DIM);
    ubi__display_right(p->out, ubi__human_count(number, line), INDENT + p->number_columns);
    ink(p, UBI__INK_PLAIN);
    ubi__out_string(p->out, "  ");
    ubi__display_pad(p->out, edge_write(p, line), p->edge_columns + GAP);
    ubi__display_pad(p->out, label_write(p, line), p->label_columns + GAP);
    id_text(id, p, line);
    ubi__display_right(p->out, id, p->id_columns);
    ubi__out_char(p->out, '\n');
}

static void gap_write(const page *p) {
    char count[UBI__HUMAN_TEXT];
    ubi__display_pad(p->out, 0, INDENT + p->number_columns + GAP);
    ink(p, UBI__INK_DIM);
    ubi__out_printf(p->out, "%s %s more %s", ubi__display_ellipsis(p->style),
                    ubi__human_count(count, p->gap_end - p->gap_begin), ubi__display_ellipsis(p->style));
    ink(p, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

void ubi__display_path_list(ubi__out *out, const ubi__style *style, const ubi__path_view *path,
                            const ubi__path_list_options *options) {
    page p = { .out = out, .style = style, .path = path };
    choose_lines(&p, options);
    lay_out(&p);
    for (uint32_t i = p.begin; i <= path->n_steps && !out->failed; i++) {
        if (i == p.gap_begin) {
            gap_write(&p);
            i = p.gap_end;
        }
        if (i <= path->n_steps)
            line_write(&p, i);
    }
}
