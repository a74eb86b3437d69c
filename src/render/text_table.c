/* SPDX-License-Identifier: MIT
 *
 * text_table.c: see text_table.h.
 */
#include "render/text_table.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"

#define NAME_GAP 2
#define LEAST_NAME_COLUMNS 16
#define NARROWEST_TEXT 8

/* ---- layout --------------------------------------------------------------------------------------------------------- */

static size_t column_columns(const ubi__text_column *c) {
    return c->gap + c->width;
}

/* The lowest demand among the columns not yet shown; 0: none left. */
static size_t least_demand(const ubi__text_table *t, size_t above) {
    size_t least = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t demand = t->at[i].is_hidden ? 0 : t->at[i].least_name_columns;
        if (demand > above && (!least || demand < least))
            least = demand;
    }
    return least;
}

/* Shows the columns with that demand if there is room for all of them. */
static void columns_show(ubi__text_table *t, size_t demand) {
    size_t wanted = 0;
    for (size_t i = 0; i < t->n; i++)
        if (!t->at[i].is_hidden && t->at[i].least_name_columns == demand && t->columns >= t->at[i].from_columns)
            wanted += column_columns(&t->at[i]);
    if (demand && t->used + wanted + demand > t->columns)
        return;
    for (size_t i = 0; i < t->n; i++)
        if (!t->at[i].is_hidden && t->at[i].least_name_columns == demand && t->columns >= t->at[i].from_columns)
            t->at[i].is_shown = true;
    t->used += wanted;
}

void ubi__text_table_lay_out(ubi__text_table *t) {
    t->used = t->name ? NAME_GAP : 0;
    for (size_t i = 0; i < t->n; i++)
        t->at[i].is_shown = false;
    columns_show(t, 0);
    for (size_t demand = 0; (demand = least_demand(t, demand)) > 0;)
        columns_show(t, demand);
    t->first = t->last = t->n;
    for (size_t i = t->n; i > 0; i--)
        if (t->at[i - 1].is_shown) {
            t->first = i - 1;
            t->last = t->last == t->n ? i - 1 : t->last;
        }
    ubi__text_table_check(t);
}

void ubi__text_table_init(ubi__text_table *t, ubi__out *out, const ubi__style *style, const char *name,
                          const ubi__text_column *columns, size_t n) {
    UBI_ASSERT(n <= UBI__TEXT_COLUMNS);
    *t = (ubi__text_table){ .out = out,
                            .style = style,
                            .name = name,
                            .columns = style->columns,
                            .least_name = LEAST_NAME_COLUMNS,
                            .title_ink = UBI__INK_BOLD,
                            .n = n };
    memcpy(t->at, columns, n * sizeof *columns);
    ubi__text_table_lay_out(t);
}

/* The widest column aligned to the left that can still give way, or NULL. */
static ubi__text_column *widest_left(ubi__text_table *t) {
    ubi__text_column *widest = NULL;
    for (size_t i = 0; i < t->n; i++) {
        ubi__text_column *c = &t->at[i];
        if (c->is_shown && c->is_left && c->width > NARROWEST_TEXT && (!widest || c->width > widest->width))
            widest = c;
    }
    return widest;
}

void ubi__text_table_fit(ubi__text_table *t) {
    ubi__text_column *c;
    ubi__text_table_lay_out(t);
    for (; t->used > t->columns && (c = widest_left(t)); t->used--)
        c->width--;
    if (t->used < t->columns && t->last < t->n && t->at[t->last].is_left)
        t->at[t->last].width += t->columns - t->used;
    ubi__text_table_lay_out(t);
}

void ubi__text_table_check(const ubi__text_table *t) {
    size_t used = t->name ? NAME_GAP : 0;
    UBI_ASSERT(t->n <= UBI__TEXT_COLUMNS);
    for (size_t i = 0; UBI_CHECKS && i < t->n; i++) {
        const ubi__text_column *c = &t->at[i];
        UBI_ASSERT(!c->is_shown || (!c->is_hidden && c->from_columns <= t->columns));
        UBI_ASSERT(c->is_shown || c->is_hidden || c->from_columns || c->least_name_columns);
        UBI_ASSERT(!c->is_shown || (t->first <= i && i <= t->last));
        used += c->is_shown ? column_columns(c) : 0;
    }
    UBI_ASSERT(!UBI_CHECKS || t->used == used);
    UBI_ASSERT(t->first <= t->last && t->last <= t->n);
    UBI_ASSERT(t->last == t->n || (t->at[t->first].is_shown && t->at[t->last].is_shown));
}

size_t ubi__text_table_room(const ubi__text_table *t, size_t used) {
    return t->columns > used + t->least_name ? t->columns - used : t->least_name;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

ubi__cell ubi__cell_change(ubi__cell cell, bool is_less) {
    UBI_ASSERT(cell.kind == UBI__CELL_SIZE || cell.kind == UBI__CELL_COUNT || cell.kind == UBI__CELL_BAR);
    if (cell.value == 0)
        return cell;
    cell.ink = is_less ? UBI__INK_GREEN : UBI__INK_RED;
    cell.sign = is_less ? '-' : '+';
    return cell;
}

/* A number as text in `buffer`, or the cell's own text. */
static ubi_text cell_text(char buffer[UBI__HUMAN_TEXT + 1], const ubi__cell *cell) {
    char *digits = buffer + 1;
    buffer[0] = cell->sign;
    digits[0] = 0;
    switch (cell->kind) {
    case UBI__CELL_TEXT:
        return cell->text;
    case UBI__CELL_SIZE:
        ubi__human_size(digits, cell->value);
        break;
    case UBI__CELL_COUNT:
        ubi__human_count(digits, cell->value);
        break;
    case UBI__CELL_SHARE:
        ubi__human_percent(digits, cell->value, cell->whole);
        break;
    case UBI__CELL_ID:
        snprintf(digits, UBI__HUMAN_TEXT, "%" PRIu64, cell->value);
        break;
    default:
        break;
    }
    return ubi__text(cell->sign ? buffer : digits);
}

void ubi__text_table_widen(ubi__text_table *t, size_t column, ubi__cell cell) {
    char buffer[UBI__HUMAN_TEXT + 1];
    ubi__text_column *c = &t->at[UBI_INDEX(column, t->n)];
    size_t most = cell.kind == UBI__CELL_TEXT ? t->columns : SIZE_MAX; /* numbers are never cut */
    size_t columns = ubi__display_columns(cell_text(buffer, &cell), t->style, most);
    c->width = columns > c->width ? columns : c->width;
}

/* Numbers too long for their column keep a leading space. */
static void cell_write_right(const ubi__text_table *t, const ubi__text_column *c, const ubi__cell *cell,
                             bool is_first) {
    char buffer[UBI__HUMAN_TEXT + 1];
    ubi_text text = cell_text(buffer, cell);
    size_t used = cell->kind == UBI__CELL_TEXT ? ubi__display_columns(text, t->style, SIZE_MAX) : text.len;
    size_t columns = column_columns(c);
    ubi__display_pad(t->out, used, columns > used ? columns : used + !is_first);
    ubi__out_bytes(t->out, text.ptr, text.len);
}

static void cell_write_left(const ubi__text_table *t, const ubi__text_column *c, const ubi__cell *cell, bool is_last) {
    char buffer[UBI__HUMAN_TEXT + 1];
    ubi__display_pad(t->out, 0, c->gap);
    size_t used = cell->kind == UBI__CELL_DRAWN
                      ? cell->draw(t->out, t->style, cell->payload, c->width)
                      : ubi__display_text(t->out, t->style, cell_text(buffer, cell), c->width);
    ubi__display_pad(t->out, used, is_last ? used : c->width);
}

void ubi__text_table_cell(const ubi__text_table *t, size_t column, const ubi__cell *cell) {
    const ubi__text_column *c = &t->at[UBI_INDEX(column, t->n)];
    bool is_end = !t->name && column == t->last;
    UBI_ASSERT(cell->kind != UBI__CELL_DRAWN || c->is_left);
    if (!c->is_shown)
        return;
    if (cell->ink != UBI__INK_PLAIN && cell->kind != UBI__CELL_BAR)
        ubi__display_ink(t->out, t->style, cell->ink);
    if (cell->kind == UBI__CELL_EMPTY) {
        ubi__display_pad(t->out, 0, is_end ? 0 : column_columns(c));
    } else if (cell->kind == UBI__CELL_BAR) {
        ubi__display_pad(t->out, 0, c->gap);
        ubi__display_ink(t->out, t->style, cell->ink);
        ubi__display_bar(t->out, t->style, cell->value, cell->whole, (unsigned)c->width);
    } else if (c->is_left) {
        cell_write_left(t, c, cell, is_end);
    } else {
        cell_write_right(t, c, cell, column == t->first);
    }
    if (cell->ink != UBI__INK_PLAIN)
        ubi__display_ink(t->out, t->style, UBI__INK_PLAIN);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static void cells_write(const ubi__text_table *t, const ubi__cell *cells) {
    for (size_t i = 0; i < t->n; i++)
        ubi__text_table_cell(t, i, &cells[i]);
    ubi__display_pad(t->out, 0, t->name ? NAME_GAP : 0);
}

void ubi__text_table_head(const ubi__text_table *t) {
    ubi__cell titles[UBI__TEXT_COLUMNS];
    for (size_t i = 0; i < t->n; i++)
        titles[i] = t->at[i].title ? ubi__cell_words(t->at[i].title) : ubi__cell_none();
    ubi__display_ink(t->out, t->style, t->title_ink);
    cells_write(t, titles);
    ubi__out_string(t->out, t->name ? t->name : "");
    ubi__display_ink(t->out, t->style, UBI__INK_PLAIN);
    ubi__out_char(t->out, '\n');
}

size_t ubi__text_table_row(const ubi__text_table *t, const ubi__cell *cells) {
    ubi__text_table_check(t);
    if (cells)
        cells_write(t, cells);
    else
        ubi__display_pad(t->out, 0, t->used);
    return ubi__text_table_room(t, t->used);
}

void ubi__text_table_line(const ubi__text_table *t, const ubi__cell *cells, ubi_text name) {
    size_t room = ubi__text_table_row(t, cells);
    if (t->name)
        ubi__display_text(t->out, t->style, name, room);
    ubi__out_char(t->out, '\n');
}

void ubi__text_table_rest(const ubi__text_table *t, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    ubi__display_ink(t->out, t->style, UBI__INK_DIM);
    ubi__out_printf(t->out, "%s %s more", ubi__display_ellipsis(t->style), ubi__human_count(count, n));
    ubi__display_ink(t->out, t->style, UBI__INK_PLAIN);
    ubi__out_char(t->out, '\n');
}
