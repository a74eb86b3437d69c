/* SPDX-License-Identifier: MIT
 *
 * path_pieces.c: see path_pieces.h.
 */
#include "render/path_pieces.h"

#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "render/heap_labels.h"

/* Fewer repetitions are written out. */
#define LEAST_REPEATS 3
/* Units that repeat together, at most. */
#define LONGEST_PERIOD 3

typedef ubi__path_pen pen;

static void ink(const pen *p, ubi__ink color) {
    if (p->out)
        ubi__display_ink(p->out, p->style, color);
}

static void draw_ascii(pen *p, const char *s) {
    if (p->out)
        ubi__out_string(p->out, s);
    p->columns += strlen(s);
}

static void draw_dots(pen *p) {
    if (p->out)
        ubi__out_string(p->out, ubi__display_ellipsis(p->style));
    p->columns += p->style->has_unicode ? 1 : 3;
}

static void draw_text(pen *p, ubi_text text, size_t most_columns) {
    if (p->out)
        p->columns += ubi__display_text(p->out, p->style, text, most_columns);
    else
        p->columns += ubi__display_columns(text, p->style, most_columns);
}

static void draw_arrow(pen *p) {
    ink(p, UBI__INK_DIM);
    if (p->out)
        ubi__out_string(p->out, p->style->has_unicode ? " → " : " -> ");
    ink(p, UBI__INK_PLAIN);
    p->columns += p->style->has_unicode ? 3 : 4;
}

/* ---- nodes and edges ---------------------------------------------------------------------------------------------- */

static ubi_node_ix node_at(const ubi__path_view *path, uint32_t i) {
    return i < path->n_steps ? path->steps[i].predecessor : path->target;
}

static const ubi_kind *kind_at(const ubi__path_view *path, uint32_t i) {
    return ubi_graph_kind(path->graph, ubi_graph_node_kind(path->graph, node_at(path, i)));
}

/* Words for the edge from node i to the next. */
static ubi__edge_words words_at(const ubi__path_view *path, uint32_t i) {
    return ubi__edge_words_of(path->graph, node_at(path, i), path->steps[i].edge);
}

static bool is_between(const pen *p, uint32_t i) {
    return i > p->start.begin && i < p->path->n_steps;
}

static bool is_engine_at(const pen *p, uint32_t i) {
    return is_between(p, i) && ubi__node_is_engine(p->path->graph, node_at(p->path, i));
}

/* The word for a run of the engine's nodes, of which node i is the first. */
static ubi__edge_words engine_words_at(const pen *p, uint32_t i) {
    const ubi_path_step *steps = p->path->steps;
    uint32_t last = i;
    while (is_engine_at(p, last + 1))
        last++;
    ubi__engine_run run = { node_at(p->path, i - 1), node_at(p->path, i), steps[i].edge, steps[last - 1].edge,
                            steps[last].edge };
    return ubi__engine_words(p->path->graph, &run);
}

/* Whether node i is reached like a property of a script, directly or through one node of the engine's. */
static bool is_accessed(const pen *p, uint32_t i) {
    if (is_engine_at(p, i - 1) && !is_engine_at(p, i - 2))
        return ubi__edge_is_access(engine_words_at(p, i - 1));
    return ubi__edge_is_access(words_at(p->path, i - 1));
}

/* The same for the node after it. */
static bool step_accesses(const pen *p, uint32_t i) {
    return ubi__edge_is_access(words_at(p->path, i)) ||
           (is_engine_at(p, i + 1) && ubi__edge_is_access(engine_words_at(p, i + 1)));
}

/* Whether the node has no arrow and no label. */
static bool step_joins(const pen *p, uint32_t i) {
    if (!is_between(p, i))
        return false;
    if (is_engine_at(p, i))
        return true;
    return ubi__kind_is_plain(p->path->graph, kind_at(p->path, i)) && is_accessed(p, i) && step_accesses(p, i);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------- */

/* Only the text is cut: "(variable cache)" without its name says nothing. */
static void draw_words(pen *p, ubi__edge_words words) {
    size_t columns = p->part_columns + (words.before ? strlen(words.before) : 0);
    if (p->out)
        p->columns += ubi__display_edge_words(p->out, p->style, words, columns);
    else
        p->columns += ubi__edge_words_columns(words, p->style, columns);
}

static void draw_parenthesis(pen *p, ubi__path_detail least, ubi__edge_words words) {
    if (p->detail < least)
        return;
    ink(p, UBI__INK_DIM);
    draw_ascii(p, " (");
    draw_words(p, words);
    draw_ascii(p, ")");
    ink(p, UBI__INK_PLAIN);
}

static void draw_access(pen *p, ubi__edge_words words) {
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

/* Words of the engine show from detail `least` on; variables stay longer. */
static void draw_edge_words(pen *p, ubi__path_detail least, ubi__edge_words words) {
    if (ubi__edge_is_access(words))
        draw_access(p, words);
    else
        draw_parenthesis(p, words.how == UBI__EDGE_VARIABLE ? UBI__DETAIL_VARIABLES : least, words);
}

/* Draws the edge from node i. */
static ubi__edge_words edge_said(const pen *p, uint32_t i) {
    ubi__edge_words words = words_at(p->path, i);
    bool is_said_else = words.how == UBI__EDGE_NAMED && is_engine_at(p, i + 1); /* the words for that node say it */
    if (is_said_else || (p->start.list && i == p->start.begin))
        words.how = UBI__EDGE_SILENT;
    return words;
}

static void draw_edge(pen *p, uint32_t i) {
    ubi__edge_words words = edge_said(p, i);
    if (words.how != UBI__EDGE_SILENT)
        draw_edge_words(p, UBI__DETAIL_ALL, words);
}

/* "Node.js timers of 1,000 ms". */
static void draw_list(pen *p) {
    char count[UBI__HUMAN_TEXT];
    draw_ascii(p, p->start.list);
    if (!p->start.has_interval)
        return;
    draw_ascii(p, " of ");
    draw_ascii(p, ubi__human_count(count, p->start.interval_ms));
    draw_ascii(p, " ms");
}

/* Where `part` begins, at byte `last` or before; the text's end if it does not. */
static size_t piece_find(ubi_text text, ubi_text part, size_t last) {
    for (size_t i = 0; i <= last && i + part.len <= text.len; i++)
        if (memcmp(text.ptr + i, part.ptr, part.len) == 0)
            return i;
    return text.len;
}

static void draw_label(pen *p, uint32_t i) {
    const ubi_kind *kind = kind_at(p->path, i);
    ubi_look_name_buffer buffer;
    bool is_on_the_way = i < p->path->n_steps && ubi__kind_is_plain(p->path->graph, kind);
    const ubi_look *look = is_on_the_way ? NULL : p->path->look; /* its target says more than all its properties */
    ubi_text label = ubi__node_title(p->path->graph, look, node_at(p->path, i), &buffer);
    if (kind->coarse_type == UBI_COARSE_SCRIPT && kind->script_filename != UBI_NONE) {
        draw_ascii(p, "script ");
        label = ubi__file_name(label);
    }
    ubi_text left_out = ubi__text(ubi__producer_of(p->path->graph)->words->left_out_of_paths);
    size_t at = left_out.len ? piece_find(label, left_out, p->part_columns) : label.len, before = p->columns;
    if (at == label.len) {
        draw_text(p, label, p->part_columns);
        return;
    }
    draw_text(p, (ubi_text){ label.ptr, at }, p->part_columns);
    at += left_out.len;
    draw_text(p, (ubi_text){ label.ptr + at, label.len - at }, p->part_columns - (p->columns - before));
}

/* `first`: after a gap, where a piece has nothing to join. */
static void draw_piece(pen *p, uint32_t i, bool first) {
    bool target = i == p->path->n_steps;
    if (first || !step_joins(p, i)) {
        if (i > p->start.begin)
            draw_arrow(p);
        if (target)
            ink(p, UBI__INK_BOLD);
        if (p->start.list && i == p->start.begin)
            draw_list(p);
        else if (p->start.name && i == p->start.begin)
            draw_ascii(p, p->start.name);
        else
            draw_label(p, i);
        if (target)
            ink(p, UBI__INK_PLAIN);
    }
    if (!target)
        draw_edge(p, i);
}

/* ---- units -------------------------------------------------------------------------------------------------------- */

static uint32_t behind_engine(const pen *p, uint32_t i) {
    while (is_engine_at(p, i))
        i++;
    return i;
}

/* A piece and the word for the engine's nodes after it. Returns the node after those. */
static uint32_t draw_step(pen *p, uint32_t i, bool first) {
    draw_piece(p, i, first);
    if (is_engine_at(p, i + 1))
        draw_edge_words(p, UBI__DETAIL_ENGINE, engine_words_at(p, i + 1));
    return behind_engine(p, i + 1);
}

/* Objects whose names differ only in properties or state count as equal. */
static bool same_label(const ubi__path_view *path, uint32_t a, uint32_t b) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node_a = node_at(path, a), node_b = node_at(path, b);
    bool same_kind = ubi_graph_node_kind(g, node_a) == ubi_graph_node_kind(g, node_b);
    bool same_name = ubi_graph_node_name(g, node_a) == ubi_graph_node_name(g, node_b);
    return (same_kind || ubi__text_equal(ubi__kind_label(g, kind_at(path, a)), ubi__kind_label(g, kind_at(path, b)))) &&
           (same_name || ubi__text_equal(ubi_graph_string(g, ubi_graph_node_name(g, node_a)),
                                         ubi_graph_string(g, ubi_graph_node_name(g, node_b))));
}

/* Whether step b reads like step a, or only repeats its access. */
static bool piece_repeats(const pen *p, uint32_t a, uint32_t b, bool joined) {
    if (b >= p->path->n_steps || step_joins(p, b) != joined)
        return false;
    if (!joined && (step_joins(p, a) || !same_label(p->path, a, b)))
        return false;
    if (!ubi__edge_words_equal(words_at(p->path, a), words_at(p->path, b)))
        return false;
    bool engine = is_engine_at(p, a + 1);
    return engine == is_engine_at(p, b + 1) &&
           (!engine || ubi__edge_words_equal(engine_words_at(p, a + 1), engine_words_at(p, b + 1)));
}

/* How often `n_steps` steps repeat from node i on; `behind` gets the node after the last of them. */
static uint32_t count_repeats(const pen *p, uint32_t i, uint32_t n_steps, uint32_t *behind) {
    uint32_t a = i, b = i, n = 1;
    for (uint32_t k = 0; k < n_steps; k++) {
        if (b >= p->path->n_steps)
            return 0;
        b = behind_engine(p, b + 1);
    }
    bool joined = step_joins(p, b);
    if (joined && n_steps > 1)
        return 0;
    for (*behind = b;; *behind = b, n++) {
        for (uint32_t k = 0; k < n_steps; k++) {
            if (!piece_repeats(p, a, b, k ? step_joins(p, a) : joined))
                return n;
            a = behind_engine(p, a + 1);
            b = behind_engine(p, b + 1);
        }
    }
}

static void draw_times(pen *p, uint32_t n) {
    char count[UBI__HUMAN_TEXT];
    ink(p, UBI__INK_DIM);
    if (p->out)
        ubi__out_string(p->out, p->style->has_unicode ? " ×" : " x");
    p->columns += 2;
    draw_ascii(p, ubi__human_count(count, n));
    ink(p, UBI__INK_PLAIN);
}

/* Gaps of at least this many nodes always show the count. */
#define LONG_GAP 100

/* "…", or "… 57 more …". */
static void draw_gap(pen *p, const ubi__path_gap *gap) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n_nodes = gap->end - gap->begin;
    if (gap->begin > p->start.begin)
        draw_arrow(p);
    ink(p, UBI__INK_DIM);
    draw_dots(p);
    if (p->counts_gaps || n_nodes >= LONG_GAP) {
        draw_ascii(p, " ");
        draw_ascii(p, ubi__human_count(count, n_nodes));
        draw_ascii(p, " more ");
        draw_dots(p);
    }
    ink(p, UBI__INK_PLAIN);
}

void ubi__path_pen_check(const pen *p) {
    UBI_ASSERT(p->start.begin <= p->path->n_steps);
    UBI_ASSERT(p->n_gaps == 0 || p->gaps[p->n_gaps - 1].end <= p->path->n_steps);
    for (uint32_t k = 0; UBI_CHECKS && k < p->n_gaps; k++) {
        UBI_ASSERT(p->gaps[k].begin < p->gaps[k].end);
        UBI_ASSERT(k == 0 || p->gaps[k - 1].end < p->gaps[k].begin);
    }
}

static const ubi__path_gap *gap_that_begins(const pen *p, uint32_t i) {
    for (uint32_t k = 0; k < p->n_gaps && p->gaps[k].begin <= i; k++)
        if (p->gaps[k].begin == i)
            return &p->gaps[k];
    return NULL;
}

static bool gap_ends(const pen *p, uint32_t i) {
    for (uint32_t k = 0; k < p->n_gaps && p->gaps[k].end <= i; k++)
        if (p->gaps[k].end == i)
            return true;
    return false;
}

uint32_t ubi__path_draw_unit(pen *p, uint32_t i) {
    const ubi__path_gap *gap = gap_that_begins(p, i);
    uint32_t behind;
    if (gap) {
        draw_gap(p, gap);
        return gap->end;
    }
    bool first = gap_ends(p, i);
    uint32_t longest = step_joins(p, i) ? 1 : LONGEST_PERIOD; /* its start would not be visible */
    for (uint32_t period = 1; period <= longest && i < p->path->n_steps; period++) {
        uint32_t n = count_repeats(p, i, period, &behind);
        if (n < LEAST_REPEATS)
            continue;
        for (uint32_t k = 0; k < period; k++, first = false)
            i = draw_step(p, i, first);
        draw_times(p, n);
        return behind;
    }
    return draw_step(p, i, first);
}

static pen pieces_measure(const pen *p) {
    pen out = *p;
    out.out = NULL;
    out.columns = 0;
    return out;
}

size_t ubi__path_unit_columns(const pen *p, uint32_t i, uint32_t *next) {
    pen m = pieces_measure(p);
    *next = ubi__path_draw_unit(&m, i);
    return m.columns;
}

size_t ubi__path_unjoined_columns(const pen *p, uint32_t i) {
    pen m = pieces_measure(p);
    if (!step_joins(p, i))
        return 0;
    draw_arrow(&m);
    draw_label(&m, i);
    return m.columns;
}

bool ubi__path_unit_joins(const pen *p, uint32_t i) {
    return step_joins(p, i) && !gap_that_begins(p, i) && !gap_ends(p, i);
}

uint32_t ubi__path_next_piece(const pen *p, uint32_t i) {
    return behind_engine(p, i + 1);
}

void ubi__path_piece_words(ubi__edge_words *edge, ubi__edge_words *engine, const pen *p, uint32_t i) {
    *edge = edge_said(p, i);
    *engine = is_engine_at(p, i + 1) ? engine_words_at(p, i + 1) : (ubi__edge_words){ .how = UBI__EDGE_SILENT };
}
