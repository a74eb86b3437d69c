/* SPDX-License-Identifier: MIT
 *
 * path_words.c: a path in words, in one line or several (path_words.h): which of its pieces fit.
 *
 * Units are found and measured in one pass; only some at both ends are kept (path_choice.h), so memory does not depend
 * on the length of the path.
 */
#include "render/path_words.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "render/heap_labels.h"
#include "render/path_choice.h"
#include "render/text_table.h"

/* ---- on a line, or some ----------------------------------------------------------------------------------------- */

/* Most columns of a label or edge name; fewer with each attempt, as long as it stays readable. */
#define PART_COLUMNS 40
#define PART_STEP 8
#define LEAST_PART_COLUMNS 16
/* With this many names of the program shown, names are not cut to show more. */
#define NAMES_ENOUGH 3
/* For longer paths, fewer attempts. */
#define MOST_STEPS_TRIED 10000

typedef ubi__path_pen pen;

static size_t longest_part(size_t columns) {
    return columns / 2 < PART_COLUMNS ? columns / 2 : PART_COLUMNS;
}

void ubi__path_view_check(const ubi__path_view *path) {
    const ubi_graph *g = path->graph;
    UBI_ASSERT(path->target < ubi_graph_node_count(g));
    for (uint32_t i = 0; UBI_CHECKS && i < path->n_steps; i++) {
        const ubi_path_step *step = &path->steps[i];
        ubi_node_ix next = i + 1 < path->n_steps ? path->steps[i + 1].predecessor : path->target;
        UBI_ASSERT(step->edge < ubi_graph_edge_count(g));
        UBI_ASSERT(!UBI_CHECKS || ubi_graph_edge_source(g, step->edge) == step->predecessor);
        UBI_ASSERT(ubi_graph_edge_target(g, step->edge) == next);
    }
}

static pen new_pen(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    ubi__path_view_check(path);
    return (pen){ .out = out,
                  .style = style,
                  .path = path,
                  .start = ubi__path_start_of(path->graph, path->steps, path->n_steps),
                  .part_columns = longest_part(columns),
                  .detail = UBI__DETAIL_ALL };
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

/* Columns of the unit with those that join it, or of the unit alone if together they exceed a line. */
static size_t chain_columns(const pen *p, uint32_t i, size_t columns) {
    size_t unit = ubi__path_unit_columns(p, i, &i), chain = unit;
    while (i <= p->path->n_steps && chain <= columns && ubi__path_unit_joins(p, i))
        chain += ubi__path_unit_columns(p, i, &i);
    return chain <= columns ? chain : unit;
}

/* Whether the unit goes to a new line; keeps count of columns used on the current one. Lines end between steps, and within
 * "Server.queue.pending" only where that is longer than a line. */
static bool piece_wraps(size_t *used, const pen *p, uint32_t i, uint32_t *next, size_t columns) {
    size_t unit = ubi__path_unit_columns(p, i, next);
    bool wraps = *used + (ubi__path_unit_joins(p, i) ? unit : chain_columns(p, i, columns)) > columns;
    *used = wraps ? unit : *used + unit;
    return wraps;
}

static bool piece_fits(const pen *p, size_t columns, unsigned lines) {
    size_t used = 0;
    for (uint32_t i = p->start.begin; i <= p->path->n_steps && lines > 0;) {
        lines -= piece_wraps(&used, p, i, &i, columns) && i > p->start.begin;
        if (used > columns)
            return false;
    }
    return lines > 0;
}

/* ---- what is left out --------------------------------------------------------------------------------------------- */

/* Skips a root and what follows it if they say nothing of the program and something of it remains. */
static void leave_engine_start_out(pen *p, ubi__fields *fields) {
    uint32_t begin = p->start.begin, next = begin;
    while (begin < p->path->n_steps) {
        ubi__path_unit_columns(p, begin, &next);
        if (next >= p->path->n_steps || ubi__path_unit_rank(p, fields, begin, next) > UBI__RANK_ENGINE)
            break;
        begin = next;
    }
    if (begin > p->start.begin)
        p->start = (ubi__path_start){ .begin = begin };
}

/* With all steps: first without a root, then without words of the engine. */
static bool fits_whole(pen *p, ubi__fields *fields, size_t columns, unsigned lines) {
    bool fit = piece_fits(p, columns, lines);
    if (fit)
        return true;
    leave_engine_start_out(p, fields);
    for (fit = piece_fits(p, columns, lines); !fit && p->detail > UBI__DETAIL_VARIABLES;) {
        p->detail--;
        fit = piece_fits(p, columns, lines);
    }
    return fit;
}

/* Shortens names until all of the program's fit, or `enough` of them. */
static bool words_choose(pen *p, ubi__path_choice *choice, ubi__fields *fields, size_t columns, unsigned lines,
                         uint32_t enough) {
    bool is_long = p->path->n_steps > MOST_STEPS_TRIED;
    p->part_columns = longest_part(columns);
    for (;; p->part_columns = is_long ? LEAST_PART_COLUMNS : p->part_columns - PART_STEP) {
        bool fit = ubi__path_choose(choice, p, fields, piece_fits, columns, lines);
        if (fit && (choice->n_names_shown == choice->n_names || choice->n_names_shown >= enough))
            return true;
        if (p->part_columns < LEAST_PART_COLUMNS + PART_STEP)
            return fit;
    }
}

/* A single gap shows its count if there is room. */
static void count_gap(pen *p, size_t columns, unsigned lines) {
    p->counts_gaps = p->n_gaps == 1;
    p->counts_gaps = p->counts_gaps && piece_fits(p, columns, lines);
}

static size_t target_columns(const pen *p) {
    ubi_look_name_buffer buffer;
    const ubi__path_view *path = p->path;
    ubi_text title = ubi__node_title(path->graph, path->look, path->target, &buffer);
    return ubi__display_columns(title, p->style, p->part_columns + 1);
}

/* If only the target fits, it gets all the room. */
static bool only_cut_target_is_shown(const pen *p) {
    return p->n_gaps == 1 && p->gaps[0].begin == p->start.begin && p->gaps[0].end == p->path->n_steps &&
           target_columns(p) > p->part_columns;
}

/* Drops steps that say nothing of the program, then cuts its names, then drops names. */
static bool fit_path(pen *p, ubi__path_choice *choice, size_t columns, unsigned lines) {
    ubi__fields fields;
    ubi__fields_init(&fields, p->path->graph, ubi_allocator_default());
    bool fit = fits_whole(p, &fields, columns, lines);
    if (!fit) {
        bool is_long = p->path->n_steps > MOST_STEPS_TRIED;
        fit = words_choose(p, choice, &fields, columns, lines, is_long ? NAMES_ENOUGH : UINT32_MAX);
        if (!is_long && choice->n_names_shown < choice->n_names)
            fit = words_choose(p, choice, &fields, columns, lines, NAMES_ENOUGH);
        count_gap(p, columns, lines);
    }
    ubi__fields_fini(&fields);
    return fit && !only_cut_target_is_shown(p);
}

/* ---- one line ----------------------------------------------------------------------------------------------------- */

static size_t display_target(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    ubi_look_name_buffer buffer;
    return ubi__display_text(out, style, ubi__node_title(path->graph, path->look, path->target, &buffer), columns);
}

size_t ubi__display_path(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    ubi__path_choice choice;
    pen p = new_pen(out, style, path, columns);
    if (!fit_path(&p, &choice, columns, 1))
        return display_target(out, style, path, columns);
    for (uint32_t i = p.start.begin; i <= path->n_steps;)
        i = ubi__path_draw_unit(&p, i);
    return p.columns;
}

typedef struct path_text {
    char *at;
    size_t n;
} path_text;

/* Columns bound it, apart from marks that take none. */
static bool path_text_write(void *payload, const void *data, size_t n) {
    path_text *text = payload;
    if (n > UBI__PATH_LINE_BYTES - 1 - text->n)
        n = ubi__utf8_valid_prefix((ubi_text){ data, UBI__PATH_LINE_BYTES - 1 - text->n });
    memcpy(text->at + text->n, data, n);
    text->n += n;
    return true;
}

void ubi__path_line(char out[UBI__PATH_LINE_BYTES], const ubi__path_view *path, size_t columns) {
    static const ubi__style plain = { .has_unicode = true, .columns = UBI__PATH_LINE_BYTES };
    path_text text = { out, 0 };
    ubi__out o;
    ubi__out_init(&o, path_text_write, &text);
    if (path->n_steps)
        ubi__display_path(&o, &plain, path, columns);
    (void)ubi__out_flush(&o); /* writes are not refused */
    out[text.n] = '\0';
}

/* ---- several lines ------------------------------------------------------------------------------------------------ */

void ubi__display_path_wrapped(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns,
                               unsigned lines, size_t indent) {
    ubi__path_choice choice;
    pen p = new_pen(out, style, path, columns);
    size_t used = 0;
    bool fit = fit_path(&p, &choice, columns, lines);
    for (uint32_t i = p.start.begin, next; i <= path->n_steps && fit; i = next) {
        if (piece_wraps(&used, &p, i, &next, columns) && i > p.start.begin) {
            ubi__out_char(out, '\n');
            ubi__display_pad(out, ubi__path_unit_joins(&p, i) ? 0 : 1, indent); /* arrows have a space before them */
        }
        ubi__path_draw_unit(&p, i);
    }
    if (!fit)
        display_target(out, style, path, columns);
    ubi__out_char(out, '\n');
}

/* ---- step by step ----------------------------------------------------------------------------------------------- */

#define GAP 2
#define LEAST_COLUMNS 6 /* of an edge or a label, on however narrow a list_page */

enum { NUMBER, EDGE, LABEL, ID, COLUMNS };

static const ubi__text_column step_columns[COLUMNS] = {
    [NUMBER] = { NULL, .width = 2, .gap = 4 },
    [EDGE] = { NULL, .gap = GAP, .is_left = true },
    [LABEL] = { NULL, .gap = GAP, .is_left = true },
    [ID] = { NULL, .gap = GAP },
};

typedef struct list_page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__path_view *path;
    uint32_t begin, gap_begin, gap_end; /* lines [begin, gap_begin) and [gap_end, n_steps] are shown */
    ubi__text_table table;
} list_page;

typedef struct list_page_line {
    const list_page *list_page;
    uint32_t line;
} list_page_line;

static ubi_node_ix node_of_line(const list_page *p, uint32_t line) {
    return line < p->path->n_steps ? p->path->steps[line].predecessor : p->path->target;
}

static ubi_text label_of_line(const list_page *p, uint32_t line, ubi_look_name_buffer *buffer) {
    return ubi__node_title(p->path->graph, p->path->look, node_of_line(p, line), buffer);
}

/* The edge that leads to the node of a line, which is not the first. */
static ubi_edge_ix edge_of_line(const list_page *p, uint32_t line) {
    return p->path->steps[line - 1].edge;
}

static ubi__cell id_of_line(const list_page *p, uint32_t line) {
    return (ubi__cell){ .kind = UBI__CELL_ID, .value = ubi_graph_node_id(p->path->graph, node_of_line(p, line)) };
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

static size_t arrow_columns(const ubi__style *style) {
    return style->has_unicode ? 2 : 3;
}

static void column_widen(list_page *p, size_t column, size_t columns) {
    ubi__text_column *c = &p->table.at[UBI_INDEX(column, COLUMNS)];
    c->width = columns > c->width ? columns : c->width;
}

static void line_measure(list_page *p, uint32_t line) {
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
static void lines_choose(list_page *p, const ubi__path_list_options *options) {
    uint64_t n = (uint64_t)p->path->n_steps + 1;
    UBI_ASSERT(options->skip <= p->path->n_steps);
    p->begin = options->skip ? options->skip + 1 : 0;
    p->gap_begin = p->gap_end = p->path->n_steps + 1;
    if (options->limit == 0 || n - p->begin <= options->limit + 1)
        return;
    p->gap_begin = p->begin + (uint32_t)(options->limit / 2);
    p->gap_end = (uint32_t)(n - (options->limit - options->limit / 2)); /* the last line is always there */
    UBI_ASSERT(p->begin <= p->gap_begin && p->gap_begin + 1 < p->gap_end);
    UBI_ASSERT(p->gap_end <= p->path->n_steps);
}

static void columns_lay_out(list_page *p) {
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

/* Two ubi__cell_draw of a list_page_line. */
static size_t edge_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const list_page_line *l = payload;
    ubi__display_ink(out, style, UBI__INK_CYAN);
    size_t used =
        ubi__display_edge_label(out, style, l->list_page->path->graph, edge_of_line(l->list_page, l->line), columns);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used;
}

static size_t label_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    const list_page_line *l = payload;
    size_t used = 0;
    ubi_look_name_buffer buffer;
    if (l->line > 0) {
        ubi__display_ink(out, style, UBI__INK_DIM);
        ubi__out_string(out, style->has_unicode ? "→ " : "-> ");
        used = arrow_columns(style);
    }
    ubi__display_ink(out, style, l->line == l->list_page->path->n_steps ? UBI__INK_BOLD : UBI__INK_PLAIN);
    used += ubi__display_text(out, style, label_of_line(l->list_page, l->line, &buffer), columns - used);
    ubi__display_ink(out, style, UBI__INK_PLAIN);
    return used;
}

static void line_write(const list_page *p, uint32_t line) {
    const list_page_line payload = { p, line };
    const ubi__cell cells[COLUMNS] = {
        [NUMBER] = { .kind = UBI__CELL_COUNT, .ink = UBI__INK_DIM, .value = line },
        [EDGE] = line ? ubi__cell_drawn(edge_draw, &payload) : ubi__cell_none(),
        [LABEL] = ubi__cell_drawn(label_draw, &payload),
        [ID] = id_of_line(p, line),
    };
    ubi__text_table_line(&p->table, cells, (ubi_text){ NULL, 0 });
}

static void gap_write(const list_page *p) {
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
    list_page p = { .out = out, .style = style, .path = path };
    ubi__text_table_init(&p.table, out, style, NULL, step_columns, COLUMNS);
    lines_choose(&p, options);
    columns_lay_out(&p);
    for (uint32_t i = p.begin; i <= path->n_steps && !out->has_failed; i++) {
        if (i == p.gap_begin) {
            gap_write(&p);
            i = p.gap_end;
        }
        if (i <= path->n_steps)
            line_write(&p, i);
    }
}

/* ---- what a node is to the one that holds it -------------------------------------------------------------------- */

/* Columns of a name within a sentence. */
#define NAME_COLUMNS 40

uint32_t ubi__holder_of(const ubi__path_view *path, uint32_t n_to_node) {
    uint32_t i = n_to_node - 1;
    while (i > 0 && ubi__node_is_engine(path->graph, path->steps[i].predecessor))
        i--;
    return i;
}

ubi__edge_words ubi__words_to_held(const ubi__path_view *path, uint32_t n_to_node, uint32_t holder) {
    const ubi_path_step *steps = path->steps;
    uint32_t last = n_to_node - 1;
    if (holder == last)
        return ubi__edge_words_of(path->graph, steps[last].predecessor, steps[last].edge);
    ubi__engine_run run = { steps[holder].predecessor, steps[holder + 1].predecessor, steps[holder + 1].edge,
                            steps[last - 1].edge, steps[last].edge };
    return ubi__engine_words(path->graph, &run);
}

/* ---- places --------------------------------------------------------------------------------------------------------- */

void ubi__function_place(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function) {
    const ubi__producer_code *code = &ubi__producer_of(graph)->code;
    *out = 0;
    if (code->place_words)
        code->place_words(out, graph, function);
}

void ubi__display_function_place(ubi__out *out, const ubi__style *style, const ubi_graph *graph, ubi_node_ix function) {
    char place[UBI__FUNCTION_WORDS];
    ubi__function_place(place, graph, function);
    if (!*place)
        return;
    ubi__out_string(out, " (");
    ubi__display_text(out, style, ubi__text(place), sizeof place);
    ubi__out_char(out, ')');
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static ubi__edge_words words_to(const ubi__path_view *path, uint32_t i) {
    return ubi__edge_words_of(path->graph, path->steps[i - 1].predecessor, path->steps[i - 1].edge);
}

/* Whether the i-th node is the object in which an emitter has the listeners of each event. */
static bool is_of_events(const ubi__path_view *path, uint32_t i) {
    if (i == 0)
        return false;
    ubi__edge_words words = words_to(path, i);
    return words.how == UBI__EDGE_PROPERTY && ubi__text_is(words.text, "_events");
}

/* A property is not the name of its function: "SIGTERM()" would be looked for in the program. Several listeners are in an array. */
static bool write_by_property(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node = ubi__path_node(path, i);
    if (i == 0 || !ubi__text_is(ubi_look_node_name(path->look, node), "Function") ||
        ubi_graph_string(g, ubi_graph_node_name(g, node)).len)
        return false;
    uint32_t named = i > 1 && words_to(path, i).how == UBI__EDGE_INDEX ? i - 1 : i;
    bool is_listener = is_of_events(path, named - 1);
    ubi__edge_words words = words_to(path, named);
    if ((words.how != UBI__EDGE_PROPERTY && !(is_listener && words.how == UBI__EDGE_QUOTED)) ||
        (named < i && !is_listener))
        return false;
    ubi__out_string(out, is_listener ? "the listener for " : "the function in ");
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    return true;
}

static void write_name(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node = ubi__path_node(path, i);
    bool plain = ubi__kind_is_plain(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
    if (write_by_property(out, style, path, i))
        return;
    ubi_look_name_buffer *buffer = plain ? NULL : UBI_NEW(ubi_allocator_default(), ubi_look_name_buffer);
    ubi__display_text(out, style,
                      buffer ? ubi__node_title(g, path->look, node, buffer) : ubi_look_node_name(path->look, node),
                      NAME_COLUMNS);
    if (buffer)
        UBI_DELETE(ubi_allocator_default(), buffer);
}

void ubi__display_path_node(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t i) {
    write_name(out, style, path, i);
    ubi__display_function_place(out, style, path->graph, ubi__path_node(path, i));
}

/* ---- holders ------------------------------------------------------------------------------------------------------ */

bool ubi__display_held(ubi__out *out, const ubi__style *style, const ubi__path_view *path, uint32_t n_to_node,
                       const char *before) {
    const ubi_graph *g = path->graph;
    uint32_t holder = ubi__holder_of(path, n_to_node);
    ubi__edge_words words = ubi__words_to_held(path, n_to_node, holder);
    ubi_coarse_type type = ubi_graph_kind(g, ubi_graph_node_kind(g, ubi__path_node(path, holder)))->coarse_type;
    bool is_scope = type == UBI_COARSE_OTHER; /* or a root that has one */
    if (words.how != UBI__EDGE_VARIABLE && words.how != UBI__EDGE_PROPERTY && words.how != UBI__EDGE_QUOTED)
        return false;
    ubi__out_printf(out, "%s%s", before, words.how == UBI__EDGE_VARIABLE ? "" : "property ");
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    if (is_scope && words.how == UBI__EDGE_VARIABLE) {
        ubi__out_string(out, " of a scope");
        return true;
    }
    ubi__out_string(out, " of ");
    ubi__display_path_node(out, style, path, holder);
    return true;
}
