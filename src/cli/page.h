/* SPDX-License-Identifier: MIT
 *
 * page.h: what the pages of commands are written with, so that all of them look alike: titles, cells of tables, sentences,
 * and what to run next.
 *
 * Everything goes to standard output in the style of the terminal. Cells end at the right edge of their columns.
 */
#ifndef UBI_CLI_PAGE_H
#define UBI_CLI_PAGE_H

#include "cli/command.h"
#include "render/text_table.h"

/* ---- text --------------------------------------------------------------------------------------------------------- */

/** Switches colour; end with UBI__INK_PLAIN. */
void ubi__write_ink(const ubi__cli *cli, ubi__ink ink);
/** Text of our own (ASCII) in a colour. */
void ubi__write_inked(const ubi__cli *cli, ubi__ink ink, const char *text);
/** A line, bold, below an empty one. */
void ubi__write_title(const ubi__cli *cli, const char *text);
/** A line of words, wrapped. */
void ubi__write_words(const ubi__cli *cli, ubi__ink ink, const char *text);
/**
 * Words from column `at` on, made safe and wrapped to lines of `columns`, of which all but the first are indented. No newline.
 * @param out  NULL: only counts.
 * @return lines; at least 1.
 */
size_t ubi__wrap_words(ubi__out *out, const ubi__style *style, ubi_text text, size_t at, size_t indent, size_t columns);

/* ---- tables ------------------------------------------------------------------------------------------------------- */

/** A table on standard output (ubi__text_table_init). */
void ubi__page_table(ubi__text_table *table, const ubi__cli *cli, const char *name, const ubi__text_column *columns,
                     size_t n);
/** Columns for a name after `used` others: what is left, or a minimum. */
size_t ubi__name_room(const ubi__cli *cli, size_t used);
/** The line below a table that `n` rows were left out, and how to see them: "  5 more; --limit 0 shows all". Nothing for 0. */
void ubi__write_more(const ubi__cli *cli, uint64_t n, const char *how);

/** The same, with a limit to name: "  5 more places; --limit 25 shows all". `singular`: "more place". */
void ubi__write_more_things(const ubi__cli *cli, const char *singular, uint64_t n_shown, uint64_t n);
/** Text of ours against the right edge of a field; one space before it at least. */
void ubi__write_right(const ubi__cli *cli, const char *text, size_t columns);
/** The name of a fact, and the space to where its value begins. */
void ubi__write_label(const ubi__cli *cli, ubi__ink ink, const char *text, size_t columns);
/** A whole fact: its name, bold, and a text, made safe and cut to the line. */
void ubi__write_fact(const ubi__cli *cli, const char *name, ubi_text text, size_t columns);

/* ---- what to run next --------------------------------------------------------------------------------------------- */

/** The file as an argument for a shell; `otherwise` in its place where that would not be obvious. */
const char *ubi__file_argument(const char *path, const char *otherwise);
/** "  ubiheap COMMAND FILE MORE  # help"; without `more` or help if that is NULL, and without help where there is no room. */
void ubi__write_command(const ubi__cli *cli, const char *command, const char *file, const char *more, const char *help);

#endif
