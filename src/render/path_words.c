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

#include "base/text.h"
#include "render/edge_words.h"
#include "render/human.h"
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

static bool is_between(const ubi__path_view *path, uint32_t i) {
    return i > 0 && i < path->n_steps;
}

static bool is_engine_at(const ubi__path_view *path, uint32_t i) {
    return is_between(path, i) && ubi__kind_is_engine(path->graph, kind_at(path, i));
}

static bool is_access(ubi__edge_words words) {
    return words.how >= UBI__EDGE_PROPERTY;
}

/* Whether the node goes without arrow and label. */
static bool joins(const ubi__path_view *path, uint32_t i) {
    if (!is_between(path, i))
        return false;
    if (is_engine_at(path, i))
        return true;
    return ubi__kind_is_plain(path->graph, kind_at(path, i)) && is_access(words_at(path, i - 1)) &&
           is_access(words_at(path, i));
}

static void draw_parenthesis(pen *p, detail least, ubi_text words) {
    if (p->detail < least)
        return;
    ink(p, UBI__INK_DIM);
    draw_ascii(p, " (");
    draw_text(p, words);
    draw_ascii(p, ")");
    ink(p, UBI__INK_PLAIN);
}

/* A run of the engine's nodes gives one word, at its first. */
static void draw_engine(pen *p, uint32_t i) {
    if (!is_engine_at(p->path, i - 1))
        draw_parenthesis(p, DETAIL_ENGINE,
                         ubi__engine_word(p->path->graph, node_at(p->path, i), p->path->steps[i].edge));
}

static void draw_edge(pen *p, ubi__edge_words words) {
    if (words.how == UBI__EDGE_SILENT)
        return;
    if (words.how == UBI__EDGE_TOLD) {
        draw_parenthesis(p, DETAIL_ALL, words.text);
        return;
    }
    ink(p, UBI__INK_CYAN);
    switch (words.how) {
    case UBI__EDGE_PROPERTY:
        draw_ascii(p, ".");
        draw_text(p, words.text);
        break;
    case UBI__EDGE_QUOTED:
        draw_ascii(p, "[\"");
        draw_text(p, words.text);
        draw_ascii(p, "\"]");
        break;
    default: /* an element, or a binding whose name begins with a dot */
        draw_text(p, words.text);
    }
    ink(p, UBI__INK_PLAIN);
}

static void draw_label(pen *p, uint32_t i) {
    const ubi_kind *kind = kind_at(p->path, i);
    if (node_at(p->path, i) == ubi_graph_root(p->path->graph)) {
        draw_ascii(p, "root");
        return;
    }
    ubi_text label = ubi__kind_label(p->path->graph, kind);
    if (kind->coarse_type == UBI_COARSE_SCRIPT && kind->script_filename != UBI_NONE) {
        draw_ascii(p, "script ");
        label = ubi__file_name(label);
    }
    draw_text(p, label.len ? label : ubi__text("(empty name)"));
}

/* `first`: behind a gap, where a piece has nothing to join. */
static void draw_piece(pen *p, uint32_t i, bool first) {
    bool joined = !first && joins(p->path, i), target = i == p->path->n_steps;
    if (!joined) {
        if (i > 0)
            draw_arrow(p);
        if (target)
            ink(p, UBI__INK_BOLD);
        draw_label(p, i);
        if (target)
            ink(p, UBI__INK_PLAIN);
    }
    if (target)
        return;
    if (!is_engine_at(p->path, i))
        draw_edge(p, words_at(p->path, i));
    else if (joined)
        draw_engine(p, i);
}

static size_t piece_columns(const pen *p, uint32_t i, bool first) {
    pen measure = { NULL, p->style, p->path, p->part_columns, p->detail, 0 };
    draw_piece(&measure, i, first);
    return measure.columns;
}

/* ---- runs of pieces --------------------------------------------------------------------------------------------- */

static bool same_words(ubi__edge_words a, ubi__edge_words b) {
    return a.how == b.how && ubi__text_equal(a.text, b.text);
}

/* How many of the following pieces only repeat the access of this one, as in a linked list. */
static uint32_t repeats(const pen *p, uint32_t i) {
    uint32_t n = 0;
    if (i >= p->path->n_steps || is_engine_at(p->path, i) || !is_access(words_at(p->path, i)))
        return 0;
    while (joins(p->path, i + n + 1) && !is_engine_at(p->path, i + n + 1) &&
           same_words(words_at(p->path, i), words_at(p->path, i + n + 1)))
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
    for (i++; is_engine_at(p->path, i); i++)
        draw_piece(p, i, false);
    return i;
}

static size_t unit_columns(const pen *p, uint32_t i, uint32_t *next) {
    pen measure = { NULL, p->style, p->path, p->part_columns, p->detail, 0 };
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
    pen measure = { NULL, p->style, p->path, p->part_columns, p->detail, 0 };
    draw_gap(&measure, n_nodes);
    return measure.columns;
}

static bool fits_whole(const pen *p, size_t columns) {
    size_t used = 0;
    for (uint32_t i = 0; i <= p->path->n_steps && used <= columns;)
        used += unit_columns(p, i, &i);
    return used <= columns;
}

/* Nodes [0, *head) and [*tail, n_steps] go around a gap; both sides grow in turns. False when not even the ends fit. */
static bool choose_ends(uint32_t *head, uint32_t *tail, const pen *p, size_t columns) {
    uint32_t n = p->path->n_steps;
    size_t used = gap_columns(p, n) + piece_columns(p, 0, false) + piece_columns(p, n, true);
    bool grows = used <= columns;
    *head = 1;
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
    while (is_engine_at(p->path, *tail)) /* no good name to start with behind a gap */
        (*tail)++;
    return used <= columns;
}

static pen new_pen(ubi__out *out, const ubi__style *style, const ubi__path_view *path, size_t columns) {
    return (pen){ out, style, path, columns / 2 < PART_COLUMNS ? columns / 2 : PART_COLUMNS, DETAIL_ALL, 0 };
}

static void draw_ends(pen *p, uint32_t head, uint32_t tail) {
    for (uint32_t i = 0; i < head; i++)
        draw_piece(p, i, false);
    draw_gap(p, tail - head);
    for (uint32_t i = tail; i <= p->path->n_steps; i++)
        draw_piece(p, i, i == tail);
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
            return ubi__display_text(out, style, ubi__kind_label(path->graph, kind_at(path, path->n_steps)), columns);
        draw_ends(&p, head, tail);
        return p.columns;
    }
    for (uint32_t i = 0; i <= path->n_steps;)
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
    for (uint32_t i = 0; i <= p->path->n_steps && lines > 0;) {
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
    for (uint32_t i = 0, next; i <= path->n_steps && fits; i = next) {
        if (wraps(&used, unit_columns(&p, i, &next), columns)) {
            ubi__out_char(out, '\n');
            ubi__display_pad(out, joins(path, i) ? 0 : 1, indent); /* arrows have a space before them */
        }
        draw_unit(&p, i);
    }
    if (!fits)
        ubi__display_path(out, style, path, columns);
    ubi__out_char(out, '\n');
}
