/* SPDX-License-Identifier: MIT
 *
 * text_table.h: the table that every page of the command line is made of.
 *
 *       Retained       %               Own size  Name
 *        641 KiB  100.0%  ██████████        1 B  JS::ubi::RootList  140733032943400
 *       \______/  \____/  \________/  \________/  \__________________________________/
 *         size    share      bar         size        the name: what is left of the line
 *
 * Columns are data: title, width, alignment, and when they show. A page copies its columns into a table, changes what only
 * it can know (measured widths, options), and writes rows as arrays of cells, one for each column, shown or not. What a cell
 * is (a size, a share, a bar) decides how it is written. The name comes last, takes what is left of the line, and is written
 * by the page: names are frames, paths, quoted strings and more.
 *
 * Rows are streamed: a table holds no rows, so a page may write other lines between them.
 */
#ifndef UBI_RENDER_TEXT_TABLE_H
#define UBI_RENDER_TEXT_TABLE_H

#include "render/display.h"

/** Columns of a table at most. */
#define UBI__TEXT_COLUMNS 32

/** A column. All but `width` may be left out. */
typedef struct ubi__text_column {
    const char *title;     /**< ASCII; NULL: none */
    size_t width;          /**< of its cells; longer ones are cut in left-aligned columns and push others otherwise */
    size_t gap;            /**< spaces before it, besides right-alignment padding */
    bool is_left;          /**< aligned to the left, and cut with an ellipsis */
    bool is_hidden;        /**< by an option, or because it would be empty */
    unsigned from_columns; /**< shows on pages with this many columns or more */
    size_t least_name_columns; /**< shows if it leaves this many for names; lowest first, equal ones together */
    bool is_shown;             /**< set by ubi__text_table_lay_out */
} ubi__text_column;

typedef struct ubi__text_table {
    ubi__out *out;
    const ubi__style *style;
    const char *name;  /**< title of the last column; "": none; NULL: rows have no names */
    size_t columns;    /**< of the page; by default those of the style */
    size_t least_name; /**< least columns of a name: a longer line is better than a narrower name */
    ubi__ink title_ink;
    size_t n;           /**< of `at` */
    size_t first, last; /**< columns that show; n: none does */
    size_t used;        /**< columns of a row before its name */
    ubi__text_column at[UBI__TEXT_COLUMNS];
} ubi__text_table;

/** A table of these columns, laid out. Widths, titles and the rest may be changed; then it must be laid out again. */
void ubi__text_table_init(ubi__text_table *table, ubi__out *out, const ubi__style *style, const char *name,
                          const ubi__text_column *columns, size_t n);
/** Decides which columns show. */
void ubi__text_table_lay_out(ubi__text_table *table);
/**
 * For measured columns: the widest left-aligned ones shrink until a row fits the page; the last column, if
 * left-aligned, takes what is left, as later cells may be wider.
 */
void ubi__text_table_fit(ubi__text_table *table);
/** The layout adds up, and shows only columns that may be shown. */
void ubi__text_table_check(const ubi__text_table *table);

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

typedef enum ubi__cell_kind {
    UBI__CELL_EMPTY,
    UBI__CELL_SIZE,
    UBI__CELL_COUNT,
    UBI__CELL_SHARE,
    UBI__CELL_BAR,
    UBI__CELL_ID,
    UBI__CELL_TEXT,
    UBI__CELL_DRAWN
} ubi__cell_kind;

/** Writes a cell of at most `columns`. @return columns written */
typedef size_t ubi__cell_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns);

typedef struct ubi__cell {
    ubi__cell_kind kind;
    ubi__ink ink;
    char sign;             /**< '+' or '-', before a size or a count; 0: none */
    uint64_t value, whole; /**< `whole` of shares and bars */
    ubi_text text;         /**< borrowed */
    ubi__cell_draw *draw;
    const void *payload;
} ubi__cell;

static inline ubi__cell ubi__cell_none(void) {
    return (ubi__cell){ .kind = UBI__CELL_EMPTY };
}
static inline ubi__cell ubi__cell_size(uint64_t bytes) {
    return (ubi__cell){ .kind = UBI__CELL_SIZE, .value = bytes };
}
static inline ubi__cell ubi__cell_count(uint64_t count) {
    return (ubi__cell){ .kind = UBI__CELL_COUNT, .value = count };
}
static inline ubi__cell ubi__cell_share(uint64_t part, uint64_t whole) {
    return (ubi__cell){ .kind = UBI__CELL_SHARE, .value = part, .whole = whole };
}
static inline ubi__cell ubi__cell_bar(ubi__ink ink, uint64_t part, uint64_t whole) {
    return (ubi__cell){ .kind = UBI__CELL_BAR, .ink = ink, .value = part, .whole = whole };
}
/** The id of a node, dim. */
static inline ubi__cell ubi__cell_id(uint64_t id) {
    return (ubi__cell){ .kind = UBI__CELL_ID, .ink = UBI__INK_DIM, .value = id };
}
/** Made safe in left-aligned columns; in others it must be a text of ours. */
static inline ubi__cell ubi__cell_text(ubi_text text) {
    return (ubi__cell){ .kind = UBI__CELL_TEXT, .text = text };
}
static inline ubi__cell ubi__cell_words(const char *words) {
    return ubi__cell_text((ubi_text){ words, strlen(words) });
}
/** For left-aligned columns. */
static inline ubi__cell ubi__cell_drawn(ubi__cell_draw *draw, const void *payload) {
    return (ubi__cell){ .kind = UBI__CELL_DRAWN, .draw = draw, .payload = payload };
}
/** A change as size, count or bar: signed, red for more and green for less; plain for 0. */
ubi__cell ubi__cell_change(ubi__cell cell, bool is_less);

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

/** Titles, and the end of their line. */
void ubi__text_table_head(const ubi__text_table *table);
/**
 * A row without its end: the cells[table->n] and the space before the name. NULL cells: all are empty.
 * @return columns for the name.
 */
size_t ubi__text_table_row(const ubi__text_table *table, const ubi__cell *cells);
/** One cell of a row, for pages whose cells share a buffer: write all shown columns, first to last. */
void ubi__text_table_cell(const ubi__text_table *table, size_t column, const ubi__cell *cell);
/** A whole row whose name is a text, made safe and cut to fit. */
void ubi__text_table_line(const ubi__text_table *table, const ubi__cell *cells, ubi_text name);
/** The name of a row for `n` others, "... 31 more", and the end of its line. */
void ubi__text_table_rest(const ubi__text_table *table, uint64_t n);
/** Columns for a name after `used`: the rest of the line, but at least the minimum for names. */
size_t ubi__text_table_room(const ubi__text_table *table, size_t used);
/** Makes a column as wide as a cell, if it is not. */
void ubi__text_table_widen(ubi__text_table *table, size_t column, ubi__cell cell);

#endif
