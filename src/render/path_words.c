/* SPDX-License-Identifier: MIT
 *
 * path_words.c: a path in words, in one line or several (path_words.h): which of its pieces fit.
 *
 * Units are found from the start on and measured one after the other, never kept: whatever the length of a path, it takes no
 * memory.
 */
#include "render/path_words.h"

#include "render/edge_words.h"
#include "render/node_label.h"
#include "render/path_pieces.h"

/* Columns of a label or the name of an edge, at most; so many less with each attempt to fit, down to what still tells. */
#define PART_COLUMNS 40
#define PART_STEP 8
#define LEAST_PART_COLUMNS 16
/* So much of the room goes to the first steps, as divisors; the rest is for those near the end, which say more. Where the first
 * says as little as "root" does, the second may have more. */
#define HEAD_SHARE 3
#define SAYS_LITTLE 8
#define FIRST_TWO_SHARE 2
/* Of longer paths, less is tried. */
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

/* Whether a unit goes to a new line; keeps count of columns used on the current one. */
static bool wraps(size_t *used, size_t unit, size_t columns) {
    bool wraps = *used + unit > columns;
    *used = wraps ? unit : *used + unit;
    return wraps;
}

static bool fits(const pen *p, size_t columns, unsigned lines) {
    size_t used = 0;
    for (uint32_t i = p->start.begin; i <= p->path->n_steps && lines > 0;) {
        lines -= wraps(&used, ubi__path_unit_columns(p, i, &i), columns);
        if (used > columns)
            return false;
    }
    return lines > 0;
}

/* ---- what says least ---------------------------------------------------------------------------------------------- */

/* Begins behind a root that nothing of the program's is said of, if something of it is left to begin with. */
static void leave_root_out(pen *p) {
    const ubi__path_view *path = p->path;
    uint32_t next = p->start.begin + 1;
    if (p->start.list || p->start.name || next >= path->n_steps ||
        !ubi__node_is_root(path->graph, path->steps[p->start.begin].predecessor) ||
        ubi__edge_is_access(
            ubi__edge_words_of(path->graph, path->steps[p->start.begin].predecessor, path->steps[p->start.begin].edge)))
        return;
    while (next < path->n_steps && ubi__node_is_engine(path->graph, path->steps[next].predecessor))
        next++;
    if (next < path->n_steps)
        p->start.begin = next;
}

/* With all steps of the program: first without a root, then without words of the engine, then with shorter names, and at last
 * without variables. */
static bool fits_whole(pen *p, size_t columns, unsigned lines) {
    bool fit = fits(p, columns, lines);
    if (!fit)
        leave_root_out(p);
    for (fit = fit || fits(p, columns, lines); !fit && p->detail > UBI__DETAIL_VARIABLES;) {
        p->detail--;
        fit = fits(p, columns, lines);
    }
    bool is_long = p->path->n_steps > MOST_STEPS_TRIED;
    while (!fit && p->part_columns >= LEAST_PART_COLUMNS + PART_STEP) {
        p->part_columns = is_long ? LEAST_PART_COLUMNS : p->part_columns - PART_STEP;
        fit = fits(p, columns, lines);
    }
    if (fit)
        return true;
    p->detail = UBI__DETAIL_NONE;
    fit = fits(p, columns, lines);
    if (!fit)
        p->part_columns = longest_part(columns); /* where steps go, those that stay can be read */
    return fit;
}

/* ---- what is left out --------------------------------------------------------------------------------------------- */

static size_t all_columns(const pen *p) {
    size_t columns = 0;
    for (uint32_t i = p->start.begin; i <= p->path->n_steps;)
        columns += ubi__path_unit_columns(p, i, &i);
    return columns;
}

/* Units from `from` on that fit `room` columns, and end at `until` or before. Returns where the next begins. */
static uint32_t grow_head(const pen *p, uint32_t from, uint32_t until, size_t room, size_t *used) {
    for (uint32_t next; from < until; from = next) {
        size_t columns = ubi__path_unit_columns(p, from, &next);
        if (*used + columns > room || next > until)
            break;
        *used += columns;
    }
    return from;
}

/* The first unit with which the rest of the path, of `rest` columns from `from` on, fits `room`; 0: not even the target. */
static uint32_t find_tail(const pen *p, uint32_t from, size_t rest, size_t room, size_t *used) {
    for (uint32_t i = from, next; i <= p->path->n_steps; i = next) {
        *used = rest <= room ? rest + ubi__path_unjoined_columns(p, i) : rest;
        if (*used <= room)
            return i;
        rest -= ubi__path_unit_columns(p, i, &next);
    }
    return 0;
}

/* Where the first steps end that are always shown if the last ones fit as well. */
static uint32_t choose_head(const pen *p, size_t room, size_t *used) {
    uint32_t n = p->path->n_steps, second, third;
    *used = 0;
    uint32_t head = grow_head(p, p->start.begin, n, room / HEAD_SHARE, used);
    bool says_little = ubi__path_unit_columns(p, p->start.begin, &second) <= room / SAYS_LITTLE;
    if (head > second || second >= n || !says_little)
        return head;
    ubi__path_unit_columns(p, second, &third);
    *used = 0;
    return grow_head(p, p->start.begin, third, room / FIRST_TWO_SHARE, used);
}

/* Leaves out what does not fit `columns`, nearer to the root than to the target. False: not even the ends fit. */
static bool choose_gap(pen *p, size_t columns) {
    uint32_t n = p->path->n_steps, second;
    size_t used, tail_columns, gap = ubi__path_gap_columns(p, n);
    p->gap_begin = p->gap_end = 0;
    size_t first = ubi__path_unit_columns(p, p->start.begin, &second), all = all_columns(p);
    if (gap + first > columns)
        return false;
    size_t room = columns - gap;
    uint32_t head = choose_head(p, room, &used);
    uint32_t tail = head > p->start.begin ? find_tail(p, head, all - used, room - used, &tail_columns) : 0;
    if (tail == 0) {
        head = second;
        used = first;
        tail = find_tail(p, head, all - used, room - used, &tail_columns);
    }
    if (tail == 0)
        return false;
    p->gap_begin = grow_head(p, head, tail, room - tail_columns, &used);
    p->gap_end = tail;
    return true;
}

static bool choose_gap_with_shorter_names(pen *p, size_t columns) {
    bool is_long = p->path->n_steps > MOST_STEPS_TRIED;
    bool fit = choose_gap(p, columns);
    while (!fit && p->part_columns >= LEAST_PART_COLUMNS + PART_STEP) {
        p->part_columns = is_long ? LEAST_PART_COLUMNS : p->part_columns - PART_STEP;
        fit = choose_gap(p, columns);
    }
    return fit;
}

/* ---- one line ----------------------------------------------------------------------------------------------------- */

static size_t display_target(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    ubi_lens_name_buffer buffer;
    return ubi__display_text(out, style, ubi__node_title(path->graph, path->look, path->target, &buffer), columns);
}

size_t ubi__display_path(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    pen p = new_pen(out, style, path, columns);
    ubi__path_start start = p.start;
    bool fit = fits_whole(&p, columns, 1) || choose_gap_with_shorter_names(&p, columns);
    if (!fit) { /* a root is short */
        p.start = start;
        p.part_columns = longest_part(columns);
        fit = choose_gap_with_shorter_names(&p, columns);
    }
    if (!fit)
        return display_target(out, style, path, columns);
    for (uint32_t i = p.start.begin; i <= path->n_steps;)
        i = ubi__path_draw_unit(&p, i);
    return p.columns;
}

/* ---- several lines ------------------------------------------------------------------------------------------------ */

/* Lines end where units do: of all columns, so many sixteenths may be in use. */
#define LEAST_SIXTEENTHS 9

/* Shows more of the beginning for as long as there is room at ends of lines. */
static void fill_lines(pen *p, size_t columns, unsigned lines) {
    if (p->path->n_steps > MOST_STEPS_TRIED)
        return;
    for (uint32_t kept = p->gap_begin, next; kept < p->gap_end; kept = next) {
        p->gap_begin = p->gap_end; /* to measure the unit, not the gap */
        ubi__path_unit_columns(p, kept, &next);
        p->gap_begin = next < p->gap_end ? next : p->gap_end;
        if (next >= p->gap_end || !fits(p, columns, lines)) {
            p->gap_begin = kept;
            return;
        }
    }
}

static bool fit_lines(pen *p, size_t columns, unsigned lines) {
    if (fits_whole(p, columns, lines))
        return true;
    unsigned less = p->path->n_steps > MOST_STEPS_TRIED ? 2 : 1;
    for (unsigned sixteenths = 16; sixteenths >= LEAST_SIXTEENTHS && lines > 1; sixteenths -= less)
        if (choose_gap(p, columns * lines * sixteenths / 16) && fits(p, columns, lines)) {
            fill_lines(p, columns, lines);
            return true;
        }
    return false;
}

void ubi__display_path_wrapped(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns,
                               unsigned lines, size_t indent) {
    pen p = new_pen(out, style, path, columns);
    size_t used = 0;
    bool fit = fit_lines(&p, columns, lines);
    for (uint32_t i = p.start.begin, next; i <= path->n_steps && fit; i = next) {
        if (wraps(&used, ubi__path_unit_columns(&p, i, &next), columns)) {
            ubi__out_char(out, '\n');
            ubi__display_pad(out, ubi__path_unit_joins(&p, i) ? 0 : 1, indent); /* arrows have a space before them */
        }
        ubi__path_draw_unit(&p, i);
    }
    if (!fit)
        ubi__display_path(out, style, path, columns);
    ubi__out_char(out, '\n');
}
