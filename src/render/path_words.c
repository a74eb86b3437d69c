/* SPDX-License-Identifier: MIT
 *
 * path_words.c: a path in one line and in words (path_words.h).
 *
 * Each node of the path is a piece of text: an arrow, its label, and behind that what the edge to the next node says. A piece
 * may join the one before it, without arrow and label; whether it does is seen from the node and its two edges alone. So
 * pieces can be measured from either end, and only those near the ends of a long path are ever looked at.
 */
#include "render/path_words.h"

#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "render/edge_words.h"
#include "render/node_label.h"

/* Columns of a label or the name of an edge, at most. */
#define PART_COLUMNS 32

/** What is told beside nodes and properties; less where room is short. */
typedef enum detail {
    DETAIL_NONE,
    DETAIL_ENGINE, /* words for the engine's nodes, such as "(getter)" */
    DETAIL_ALL     /* and what edges are called */
} detail;

/** Writes, or only measures when `out` is NULL. */
typedef struct pen {
    ubi__out *out;
    const ubi__style *style;
    const ubi__path_view *path;
    uint32_t begin; /* the first node that is told */
    size_t part_columns;
    detail detail;
    size_t columns; /* so far */
} pen;

static void ink(const pen *p, ubi__ink color) {
    if (p->out)
        ubi__display_ink(p->out, p->style, color);
}

static void draw_ascii(pen *p, const char *s) {
    if (p->out)
        ubi__out_string(p->out, s);
    p->columns += strlen(s);
}

static void draw_text(pen *p, ubi_text text) {
    size_t columns = ubi__display_columns(text, p->style);
    if (p->out)
        p->columns += ubi__display_text(p->out, p->style, text, p->part_columns);
    else
        p->columns += columns < p->part_columns ? columns : p->part_columns;
}

static void draw_arrow(pen *p) {
    ink(p, UBI__INK_DIM);
    if (p->out)
        ubi__out_string(p->out, p->style->unicode ? " → " : " -> ");
    ink(p, UBI__INK_PLAIN);
    p->columns += p->style->unicode ? 3 : 4;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------- */

static ubi_node_ix node_at(const ubi__path_view *path, uint32_t i) {
    return i < path->n_steps ? path->steps[i].predecessor : path->target;
}

static const ubi_kind *kind_at(const ubi__path_view *path, uint32_t i) {
    return ubi_graph_kind(path->graph, ubi_graph_node_kind(path->graph, node_at(path, i)));
}

/* What the edge from node i to the next one says. */
static ubi__edge_words words_at(const ubi__path_view *path, uint32_t i) {
    return ubi__edge_words_of(path->graph, node_at(path, i), path->steps[i].edge);
}

static bool is_between(const pen *p, uint32_t i) {
    return i > p->begin && i < p->path->n_steps;
}

static bool is_engine_at(const pen *p, uint32_t i) {
    return is_between(p, i) && ubi__node_is_engine(p->path->graph, node_at(p->path, i));
}

/* Whether the node goes without arrow and label. */
static bool joins(const pen *p, uint32_t i) {
    if (!is_between(p, i))
        return false;
    if (is_engine_at(p, i))
        return true;
    return ubi__kind_is_plain(p->path->graph, kind_at(p->path, i)) && ubi__edge_is_access(words_at(p->path, i - 1)) &&
           ubi__edge_is_access(words_at(p->path, i));
}

static void draw_words(pen *p, ubi__edge_words words) {
    size_t columns = ubi__edge_words_columns(words, p->style);
    if (p->out)
        p->columns += ubi__display_edge_words(p->out, p->style, words, p->part_columns);
    else
        p->columns += columns < p->part_columns ? columns : p->part_columns;
}

static void draw_parenthesis(pen *p, detail least, ubi__edge_words words) {
    if (p->detail < least)
        return;
    ink(p, UBI__INK_DIM);
    draw_ascii(p, " (");
    draw_words(p, words);
    draw_ascii(p, ")");
    ink(p, UBI__INK_PLAIN);
}

/* A run of the engine's nodes gives one word, at its first. */
static void draw_engine(pen *p, uint32_t i) {
    const ubi_path_step *steps = p->path->steps;
    uint32_t last = i;
    if (is_engine_at(p, i - 1))
        return;
    while (is_engine_at(p, last + 1))
        last++;
    draw_parenthesis(
        p, DETAIL_ENGINE,
        ubi__engine_words(p->path->graph, node_at(p->path, i), steps[i].edge, steps[last - 1].edge, steps[last].edge));
}

static void draw_edge(pen *p, uint32_t i) {
    ubi__edge_words words = words_at(p->path, i);
    if (words.how == UBI__EDGE_SILENT)
        return;
    if (words.how == UBI__EDGE_TOLD && is_engine_at(p, i + 1)) /* the words for that node say it */
        return;
    if (words.how <= UBI__EDGE_VARIABLE) {
        draw_parenthesis(p, words.how == UBI__EDGE_VARIABLE ? DETAIL_ENGINE : DETAIL_ALL, words);
        return;
    }
    ink(p, UBI__INK_CYAN);
    switch (words.how) {
    case UBI__EDGE_PROPERTY:
        draw_ascii(p, ".");
        draw_words(p, words);
        break;
    case UBI__EDGE_QUOTED:
        draw_ascii(p, "[\"");
        draw_words(p, words);
        draw_ascii(p, "\"]");
        break;
    default: /* an element, or a binding whose name begins with a dot */
        draw_words(p, words);
    }
    ink(p, UBI__INK_PLAIN);
}

static void draw_label(pen *p, uint32_t i) {
    const ubi_kind *kind = kind_at(p->path, i);
    ubi_lens_name_buffer buffer;
    bool is_on_the_way = i < p->path->n_steps && ubi__kind_is_plain(p->path->graph, kind);
    const ubi_lens_view *look =
        is_on_the_way ? NULL : p->path->look; /* what it leads to says more than all its properties */
    ubi_text label = ubi__node_title(p->path->graph, look, node_at(p->path, i), &buffer);
    if (kind->coarse_type == UBI_COARSE_SCRIPT && kind->script_filename != UBI_NONE) {
        draw_ascii(p, "script ");
        label = ubi__file_name(label);
    }
    draw_text(p, label);
}

/* `first`: behind a gap, where a piece has nothing to join. */
static void draw_piece(pen *p, uint32_t i, bool first) {
    bool joined = !first && joins(p, i), target = i == p->path->n_steps;
    if (!joined) {
        if (i > p->begin)
            draw_arrow(p);
        if (target)
            ink(p, UBI__INK_BOLD);
        draw_label(p, i);
        if (target)
            ink(p, UBI__INK_PLAIN);
    }
    if (target)
        return;
    if (!is_engine_at(p, i))
        draw_edge(p, i);
    else if (joined)
        draw_engine(p, i);
}

static size_t piece_columns(const pen *p, uint32_t i, bool first) {
    pen measure = { NULL, p->style, p->path, p->begin, p->part_columns, p->detail, 0 };
    draw_piece(&measure, i, first);
    return measure.columns;
}

/* ---- runs of pieces --------------------------------------------------------------------------------------------- */

/* How many of the following pieces only repeat the access of this one, as in a linked list. */
static uint32_t repeats(const pen *p, uint32_t i) {
    uint32_t n = 0;
    if (i >= p->path->n_steps || is_engine_at(p, i) || !ubi__edge_is_access(words_at(p->path, i)))
        return 0;
    while (joins(p, i + n + 1) && !is_engine_at(p, i + n + 1) &&
           ubi__edge_words_equal(words_at(p->path, i), words_at(p->path, i + n + 1)))
        n++;
    return n;
}

static void draw_times(pen *p, uint32_t n) {
    char count[UBI__HUMAN_TEXT];
    ink(p, UBI__INK_DIM);
    if (p->out)
        ubi__out_string(p->out, p->style->unicode ? " ×" : " x");
    p->columns += 2;
    draw_ascii(p, ubi__human_count(count, n));
    ink(p, UBI__INK_PLAIN);
}

/* A piece with what must not be parted from it: how often it repeats, and the word for the engine's nodes behind it.
 * Returns the next piece. */
static uint32_t draw_unit(pen *p, uint32_t i) {
    uint32_t n = repeats(p, i);
    draw_piece(p, i, false);
    if (n >= 2) {
        draw_times(p, n + 1);
        i += n;
    }
    for (i++; is_engine_at(p, i); i++)
        draw_piece(p, i, false);
    return i;
}

static size_t unit_columns(const pen *p, uint32_t i, uint32_t *next) {
    pen measure = { NULL, p->style, p->path, p->begin, p->part_columns, p->detail, 0 };
    *next = draw_unit(&measure, i);
    return measure.columns;
}

/* ---- what fits ---------------------------------------------------------------------------------------------------- */

static void draw_gap(pen *p, uint32_t n_nodes) {
    char count[UBI__HUMAN_TEXT];
    const char *dots = ubi__display_ellipsis(p->style);
    draw_arrow(p);
    ink(p, UBI__INK_DIM);
    if (p->out)
        ubi__out_printf(p->out, "%s %s more %s", dots, ubi__human_count(count, n_nodes), dots);
    p->columns += 2 * (p->style->unicode ? 1 : 3) + 7 + strlen(ubi__human_count(count, n_nodes));
    ink(p, UBI__INK_PLAIN);
}

static size_t gap_columns(const pen *p, uint32_t n_nodes) {
    pen measure = { NULL, p->style, p->path, p->begin, p->part_columns, p->detail, 0 };
    draw_gap(&measure, n_nodes);
    return measure.columns;
}

static bool fits_whole(const pen *p, size_t columns) {
    size_t used = 0;
    for (uint32_t i = p->begin; i <= p->path->n_steps && used <= columns;)
        used += unit_columns(p, i, &i);
    return used <= columns;
}

/* Nodes [0, *head) and [*tail, n_steps] go around a gap; both sides grow in turns. False when not even the ends fit. */
static bool choose_ends(uint32_t *head, uint32_t *tail, const pen *p, size_t columns) {
    uint32_t n = p->path->n_steps;
    size_t used = gap_columns(p, n) + piece_columns(p, p->begin, false) + piece_columns(p, n, true);
    bool grows = used <= columns;
    *head = p->begin + 1;
    *tail = n;
    while (grows && *head + 1 < *tail) {
        size_t more = piece_columns(p, *head, false);
        grows = used + more <= columns;
        if (grows) {
            used += more;
            (*head)++;
        }
        if (*head + 1 >= *tail)
            break;
        more = piece_columns(p, *tail - 1, true) + piece_columns(p, *tail, false);
        size_t less = piece_columns(p, *tail, true);
        if (used + more - less > columns)
            continue;
        used += more - less;
        (*tail)--;
        grows = true;
    }
    while (is_engine_at(p, *tail)) /* no good name to start with behind a gap */
        (*tail)++;
    return used <= columns;
}

static pen new_pen(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    size_t part_columns = columns / 2 < PART_COLUMNS ? columns / 2 : PART_COLUMNS;
    return (pen){ out,          style,      path, ubi__path_begin(path->graph, path->steps, path->n_steps),
                  part_columns, DETAIL_ALL, 0 };
}

static void draw_ends(pen *p, uint32_t head, uint32_t tail) {
    for (uint32_t i = p->begin; i < head; i++)
        draw_piece(p, i, false);
    draw_gap(p, tail - head);
    for (uint32_t i = tail; i <= p->path->n_steps; i++)
        draw_piece(p, i, i == tail);
}

static size_t display_target(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    ubi_lens_name_buffer buffer;
    return ubi__display_text(out, style, ubi__node_title(path->graph, path->look, path->target, &buffer), columns);
}

/* Parentheses go first, then the middle, then all but the target's name. */
size_t ubi__display_path(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    pen p = new_pen(out, style, path, columns);
    uint32_t head, tail;
    while (!fits_whole(&p, columns)) {
        if (p.detail > DETAIL_NONE) {
            p.detail--;
            continue;
        }
        if (!choose_ends(&head, &tail, &p, columns))
            return display_target(out, style, path, columns);
        draw_ends(&p, head, tail);
        return p.columns;
    }
    for (uint32_t i = p.begin; i <= path->n_steps;)
        i = draw_unit(&p, i);
    return p.columns;
}

/* ---- several lines ------------------------------------------------------------------------------------------------ */

/* Whether a unit goes to a new line; keeps count of columns used on the current one. */
static bool wraps(size_t *used, size_t unit, size_t columns) {
    bool wraps = *used + unit > columns;
    *used = wraps ? unit : *used + unit;
    return wraps;
}

static bool fits_lines(const pen *p, size_t columns, unsigned lines) {
    size_t used = 0;
    for (uint32_t i = p->begin; i <= p->path->n_steps && lines > 0;) {
        lines -= wraps(&used, unit_columns(p, i, &i), columns);
        if (used > columns)
            return false;
    }
    return lines > 0;
}

void ubi__display_path_wrapped(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns,
                               unsigned lines, size_t indent) {
    pen p = new_pen(out, style, path, columns);
    size_t used = 0;
    bool fits = fits_lines(&p, columns, lines);
    for (uint32_t i = p.begin, next; i <= path->n_steps && fits; i = next) {
        if (wraps(&used, unit_columns(&p, i, &next), columns)) {
            ubi__out_char(out, '\n');
            ubi__display_pad(out, joins(&p, i) ? 0 : 1, indent); /* arrows have a space before them */
        }
        draw_unit(&p, i);
    }
    if (!fits)
        ubi__display_path(out, style, path, columns);
    ubi__out_char(out, '\n');
}
