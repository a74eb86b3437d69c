/* SPDX-License-Identifier: MIT
 *
 * path_words.c: a path in words, in one line or several (path_words.h): which of its pieces fit.
 *
 * Units are found and measured in one pass; only some at both ends are kept (path_choice.h), so memory does not depend
 * on the length of the path.
 */
#include "render/path_words.h"

#include "render/edge_words.h"
#include "render/node_label.h"
#include "render/path_choice.h"

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

static pen new_pen(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
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
