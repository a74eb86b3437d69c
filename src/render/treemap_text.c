/* SPDX-License-Identifier: MIT
 *
 * treemap_text.c: a tree map drawn with lines in a terminal.
 *
 *     ┌objects 328 KiB───────────────┬domNode 130 KiB┐
 *     ├Function────────┬SavedFrame───┼#document──────┤
 *     │135 KiB         │74.1 KiB     │118 KiB        │
 *     └────────────────┴─────────────┴───────────────┘
 *
 * The map is laid out in units of half a line, so that a character is about as high as it is wide, twice over. Boxes share
 * their outlines: a cell of the grid knows in which of four directions lines leave it, and that gives its character. The
 * upper line of a box carries its name; what is in the box starts one line below.
 */
#include "render/treemap_text.h"

#include <math.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "render/treemap_picture.h"

#define LINES_PER_COLUMN 0.27
#define LEAST_LINES 12
#define MOST_LINES 50
#define LEAST_NAME 4 /* columns of the shortest useful cut name */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

/* Text in a box: its name on the upper line, or its weight below. */
typedef struct note {
    uint32_t line, column, room;
    uint32_t row; /* of the map */
    bool is_amount;
} note;

UBI_VEC_DECLARE(note_list, note);

typedef struct grid {
    ubi__out *out;
    const ubi__style *style;
    const ubi_treemap *map;
    const ubi_allocator *allocator;
    uint32_t columns, lines;
    uint8_t *cells; /* cells[lines * columns] */
    note_list notes, spare;
    ubi__label label;
} grid;

static uint32_t lines_for(unsigned columns) {
    double lines = floor(columns * LINES_PER_COLUMN);
    return (uint32_t)fmax(LEAST_LINES, fmin(lines, MOST_LINES));
}

void ubi__treemap_text_options(ubi_treemap_options *options, const ubi__style *style) {
    options->width = style->columns - 1;
    options->height = 2 * (lines_for(style->columns) - 1);
    options->pad_top = 2;
    options->pad_right = options->pad_bottom = options->pad_left = 0;
    options->pixel_ratio = 1;
    options->is_exact = false;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The grid lines around a box. */
typedef struct edges {
    uint32_t left, right, top, bottom;
} edges;

static uint32_t nearest_cell(double value) {
    return value > 0 ? (uint32_t)(value + 0.5) : 0;
}

/* False when the box is too small to be seen. */
static bool find_edges(edges *out, const ubi_treemap_row *row) {
    const ubi_treemap_box *box = &row->box;
    out->left = nearest_cell(box->x);
    out->right = nearest_cell(box->x + box->width);
    out->top = nearest_cell(box->y / 2);
    out->bottom = nearest_cell((box->y + box->height) / 2);
    return row->parent != UBI_NONE && out->right >= out->left + 2 && out->bottom > out->top;
}

static void draw_edges(grid *g, const edges *e) {
    for (uint32_t x = e->left; x <= e->right; x++) {
        uint8_t along = (uint8_t)((x > e->left ? LEFT : 0) | (x < e->right ? RIGHT : 0));
        g->cells[e->top * g->columns + x] |= along;
        g->cells[e->bottom * g->columns + x] |= along;
    }
    for (uint32_t y = e->top; y <= e->bottom; y++) {
        uint8_t along = (uint8_t)((y > e->top ? UP : 0) | (y < e->bottom ? DOWN : 0));
        g->cells[y * g->columns + e->left] |= along;
        g->cells[y * g->columns + e->right] |= along;
    }
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static void add_note(grid *g, const edges *e, uint32_t row, bool amount) {
    note n = { e->top + amount, e->left + 1, e->right - e->left - 1, row, amount };
    g->notes.at[g->notes.n++] = n; /* there is room for two per row */
}

static bool note_before(const note *a, const note *b) {
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

#define BEFORE(ctx, a, b) note_before(&(a), &(b))
UBI_SORT_DEFINE(sort_notes, note, const void *, BEFORE);

static ubi_status draw_boxes(grid *g) {
    ubi_treemap_row row;
    edges e;
    uint32_t n = ubi_treemap_row_count(g->map);
    UBI_TRY(note_list_reserve(&g->notes, g->allocator, (size_t)n * 2));
    for (uint32_t i = 1; i < n; i++) {
        ubi_treemap_get(g->map, i, &row);
        if (!find_edges(&e, &row))
            continue;
        draw_edges(g, &e);
        add_note(g, &e, i, false);
        if (!row.has_children && e.bottom > e.top + 1)
            add_note(g, &e, i, true);
    }
    UBI_TRY(note_list_reserve(&g->spare, g->allocator, g->notes.n));
    sort_notes(g->notes.at, g->spare.at, g->notes.n, NULL);
    return UBI_OK;
}

static ubi__ink ink_of(ubi_treemap_color color) {
    static const ubi__ink inks[] = { UBI__INK_CYAN, UBI__INK_PLAIN, UBI__INK_GREEN, UBI__INK_YELLOW, UBI__INK_MAGENTA };
    return inks[color];
}

static size_t write_amount(grid *g, const ubi_treemap_row *row, size_t room, bool always) {
    char text[UBI__HUMAN_TEXT + 1] = " ";
    bool counts = ubi_treemap_options_of(g->map)->measure == UBI_TREEMAP_COUNT;
    if (counts)
        ubi__human_things(text + 1, row->count, "node");
    else
        ubi__human_size(text + 1, row->bytes);
    const char *from = always ? text + 1 : text;
    if (strlen(from) > room)
        return 0;
    ubi__out_string(g->out, from);
    return strlen(from);
}

/* As much of the name's start as fits; columns written. */
static size_t write_name(const grid *g, ubi_text name, size_t room) {
    size_t columns = 0, at = 0;
    if (!g->style->has_unicode || ubi__display_columns(name, g->style, room + 1) <= room)
        return ubi__display_text(g->out, g->style, name, room);
    while (at < name.len) {
        uint32_t c;
        size_t used = ubi__wtf8_decode((const uint8_t *)name.ptr + at, name.len - at, &c);
        if (columns + ubi__display_char_columns(c) > room - 1)
            break;
        columns += ubi__display_char_columns(c);
        at += used ? used : 1;
    }
    ubi__out_bytes(g->out, name.ptr, at);
    ubi__out_string(g->out, "…");
    return columns + 1;
}

/* Columns written; at most the note's room. */
static size_t write_note(grid *g, const note *n) {
    ubi_treemap_row row;
    ubi_treemap_get(g->map, n->row, &row);
    if (n->is_amount)
        return write_amount(g, &row, n->room, true);
    ubi_text name = ubi__treemap_name(&g->label, &row, 200);
    if (n->room < LEAST_NAME && ubi__display_columns(name, g->style, n->room + 1) > n->room)
        return 0;
    bool holds = row.has_children;
    ubi__display_ink(g->out, g->style, UBI__INK_PLAIN);
    ubi__display_ink(g->out, g->style, holds ? UBI__INK_BOLD : ink_of(row.color));
    size_t used = write_name(g, name, n->room);
    ubi__display_ink(g->out, g->style, UBI__INK_PLAIN);
    if (holds)
        used += write_amount(g, &row, n->room - used, false);
    return used;
}

/* ---- page -------------------------------------------------------------------------------------------------------- */

static const char *line_text(uint8_t directions, bool unicode) {
    static const char *const lines[16] = { " ", "│", "│", "│", "─", "┘", "┐", "┤",
                                           "─", "└", "┌", "├", "─", "┴", "┬", "┼" };
    static const char *const ascii[16] = { " ", "|", "|", "|", "-", "+", "+", "+",
                                           "-", "+", "+", "+", "-", "+", "+", "+" };
    return (unicode ? lines : ascii)[directions];
}

static void write_cells(grid *g, uint32_t line, uint32_t from, uint32_t until) {
    if (from >= until)
        return;
    ubi__display_ink(g->out, g->style, UBI__INK_DIM);
    for (uint32_t x = from; x < until; x++)
        ubi__out_string(g->out, line_text(g->cells[line * g->columns + x], g->style->has_unicode));
    ubi__display_ink(g->out, g->style, UBI__INK_PLAIN);
}

static void write_line(grid *g, uint32_t line, size_t *next) {
    uint32_t at = 0;
    for (; *next < g->notes.n && g->notes.at[*next].line == line; ++*next) {
        const note *n = &g->notes.at[*next];
        UBI_ASSERT(n->column + n->room < g->columns && n->line < g->lines);
        if (n->column < at)
            continue;
        write_cells(g, line, at, n->column);
        at = n->column + (uint32_t)write_note(g, n);
        UBI_ASSERT(at <= n->column + n->room);
    }
    UBI_ASSERT(*next == g->notes.n || g->notes.at[*next].line > line);
    write_cells(g, line, at, g->columns);
    ubi__out_char(g->out, '\n');
}

static ubi_status grid_draw(grid *g) {
    size_t next = 0;
    UBI_TRY(draw_boxes(g));
    for (uint32_t line = 0; line < g->lines && !g->out->has_failed; line++)
        write_line(g, line, &next);
    return UBI_OK;
}

ubi_status ubi__render_treemap_text(ubi__out *out, const ubi__style *style, const ubi_treemap *map) {
    const ubi_treemap_options *o = ubi_treemap_options_of(map);
    const ubi_allocator *a = o->allocator;
    grid *g = UBI_NEW(a, grid);
    if (!g)
        return ubi__fail_nomem();
    g->out = out;
    g->style = style;
    g->map = map;
    g->allocator = a;
    g->columns = (uint32_t)o->width + 1;
    g->lines = (uint32_t)o->height / 2 + 1;
    g->cells = ubi__calloc_array(a, g->lines, g->columns);
    ubi_status status = g->cells ? grid_draw(g) : ubi__fail_nomem();
    ubi__free_array(a, g->cells, g->lines, g->columns);
    note_list_fini(&g->notes, a);
    note_list_fini(&g->spare, a);
    UBI_DELETE(a, g);
    return status;
}
