/* SPDX-License-Identifier: MIT
 *
 * page.h: a page of text, and what pages are written with, so that all of them look alike: titles, cells of tables, sentences, rows
 * of nodes, and what to run next. Cells end at the right edge of their columns.
 */
#ifndef UBI_RENDER_PAGE_H
#define UBI_RENDER_PAGE_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/views/lens.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "render/text_table.h"

/** Where a page goes, and what it may use there. */
typedef struct ubi__page {
    ubi__out *out;
    ubi__style style;
    bool is_terminal; /**< someone reads it now, else another program or later */
    unsigned lines;   /**< of the screen; 0: unknown */
} ubi__page;

/* ---- text --------------------------------------------------------------------------------------------------------- */

/** Switches colour; end with UBI__INK_PLAIN. */
void ubi__write_ink(const ubi__page *page, ubi__ink ink);
/** Text of our own (ASCII) in a colour. */
void ubi__write_inked(const ubi__page *page, ubi__ink ink, const char *text);
/** A line, bold, below an empty one. */
void ubi__write_title(const ubi__page *page, const char *text);
/** A line of words, wrapped. */
void ubi__write_words(const ubi__page *page, ubi__ink ink, const char *text);
/**
 * Words from column `at` on, made safe and wrapped to lines of `columns`, of which all but the first are indented. No newline.
 * @param out  NULL: only counts.
 * @return lines; at least 1.
 */
size_t ubi__wrap_words(ubi__out *out, const ubi__style *style, ubi_text text, size_t at, size_t indent, size_t columns);

/* ---- tables ------------------------------------------------------------------------------------------------------- */

/** A table on the page (ubi__text_table_init). */
void ubi__page_table(ubi__text_table *table, const ubi__page *page, const char *name, const ubi__text_column *columns,
                     size_t n);
/** Columns for a name after `used` others: what is left, or a minimum. */
size_t ubi__name_room(const ubi__page *page, size_t used);
/** The line below a table that `n` rows were left out, and how to see them: "  5 more; --limit 0 shows all". Nothing for 0. */
void ubi__write_more(const ubi__page *page, uint64_t n, const char *how);

/** The same, with a limit to name: "  5 more places; --limit 25 shows all". `singular`: "more place". */
void ubi__write_more_things(const ubi__page *page, const char *singular, uint64_t n_shown, uint64_t n);
/** The name of a fact, and the space to where its value begins. */
void ubi__write_label(const ubi__page *page, ubi__ink ink, const char *text, size_t columns);
/** A whole fact: its name, bold, and a text, made safe and cut to the line. */
void ubi__write_fact(const ubi__page *page, const char *name, ubi_text text, size_t columns);

/* ---- numbers that went up or down --------------------------------------------------------------------------------- */

/** A number before and after. */
typedef struct ubi__change {
    uint64_t from, to;
} ubi__change;

/** By how much, up or down. */
static inline uint64_t ubi__change_size(ubi__change c) {
    return c.to > c.from ? c.to - c.from : c.from - c.to;
}
/** One that makes this difference. */
static inline ubi__change ubi__change_by(int64_t difference) {
    return difference > 0 ? (ubi__change){ 0, (uint64_t)difference } : (ubi__change){ -(uint64_t)difference, 0 };
}

/** Such as ubi__human_size. */
typedef char *ubi__number_format(char out[UBI__HUMAN_TEXT], uint64_t value);

/** "+1.20 KiB", "-3", "0". Returns where in `out` it starts. */
char *ubi__change_text(char out[UBI__HUMAN_TEXT + 1], ubi__number_format *format, ubi__change c);
/** "+10.1%"; tenfold and more as a factor, "x12.5"; "from 0". Returns where in `out` it starts. */
char *ubi__change_percent(char out[UBI__HUMAN_TEXT + 1], ubi__change c);

/** A cell of that kind, with its sign: red for more and green for less. */
static inline ubi__cell ubi__change_cell(ubi__cell_kind kind, ubi__change c) {
    return ubi__cell_change((ubi__cell){ .kind = kind, .value = ubi__change_size(c) }, c.to < c.from);
}
/** A bar, full for `largest`. */
static inline ubi__cell ubi__change_bar(ubi__change c, uint64_t largest) {
    return ubi__cell_change(ubi__cell_bar(UBI__INK_GREEN, ubi__change_size(c), largest), c.to < c.from);
}

/* ---- what to run next --------------------------------------------------------------------------------------------- */

/** Whether a heap's name is the address of a program, and no path of a file. */
bool ubi__is_of_program(const char *name);
/**
 * The file, or the program by its address, as an argument for ubi__write_command; `otherwise` in its place where that would not be obvious.
 */
const char *ubi__file_argument(const char *path, const char *otherwise);
/**
 * What commands with ids are to be about. Firefox moves objects, which gives them other ids: of its addresses a line is written that saves a
 * snapshot, and that file is returned. @param target  what is chosen at the address by --target; NULL: nothing is.
 */
const char *ubi__write_next_snapshot(const ubi__page *page, const char *argument, const char *target);
/** Whether that writes a line. */
bool ubi__has_next_snapshot(const char *argument);
/** A line: no stacks were recorded. @param how  they would have been, of a file: "", or what follows "Not recorded". */
void ubi__write_no_stacks(const ubi__page *page, const char *name, const char *how);
/** "  ubiheap COMMAND FILE MORE  # help"; without `more` or help if that is NULL, and without help where there is no room. */
void ubi__write_command(const ubi__page *page, const char *command, const char *file, const char *more,
                        const char *help);

/* ---- rows of nodes: how far from the root, how large, what they retain, what they are called -------------------- */

/** What rows are made from. Borrowed, all of it. */
typedef struct ubi__object_facts {
    const ubi_look *look;
    const ubi_dominators *dominators;
    const uint32_t *distances; /**< distances[n_nodes], as ubi_look_distances gives them */
} ubi__object_facts;

typedef struct ubi__object_rows {
    ubi__object_facts facts;
    ubi__text_table table;
} ubi__object_rows;

/** `name` is the title of the last column. */
void ubi__object_rows_init(ubi__object_rows *rows, const ubi__page *page, const ubi__object_facts *facts,
                           const char *name);
/** The numbers of a node. `distance` UBI_NONE: not within reach. */
void ubi__object_rows_numbers(const ubi__object_rows *rows, ubi_node_ix node, uint32_t distance);
/** What the node is called and its id, in at most `columns`; columns written. Detached nodes are red. */
size_t ubi__object_rows_name(const ubi__object_rows *rows, ubi_node_ix node, size_t columns);
/** A row of numbers and a name, and its end. */
void ubi__object_rows_line(const ubi__object_rows *rows, ubi_node_ix node);

/** "3", "-" for what only the system's roots reach, "none". Static or in `out`. */
const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode);

/** In an open object: nodeId, displayName, className, shallowSize, retainedSize, distance (null: none), detachedness. */
void ubi__object_json(ubi__json *json, const ubi__object_facts *facts, ubi_node_ix node, uint32_t distance);

#endif
