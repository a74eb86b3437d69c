/* SPDX-License-Identifier: MIT
 *
 * display.h: buffered text output, and text from files made safe and fitted to columns of a terminal or to the fields of a table.
 *
 * Snapshot strings are hostile: escape sequences, bidirectional overrides and bytes that are not text never reach the
 * output. They are shown as \n, \t, \xNN (control characters and stray bytes) or \uNNNN (invisible and reordering
 * characters, lone surrogates). A column is what a terminal gives one ASCII letter.
 *
 * Tab- and comma-separated rows are one line each whatever their texts hold. How they are escaped is in docs/reference/cli.md.
 *
 * The first refused write sticks: everything after it is dropped, and ubi__out_flush reports it. Hot paths check `has_failed` now and then
 * and stop early.
 */
#ifndef UBI_RENDER_DISPLAY_H
#define UBI_RENDER_DISPLAY_H

#include <string.h>

#include <ubiheap/core/base.h>
#include <ubiheap/views/render.h>

/* ---- output ----------------------------------------------------------------------------------------------------- */

#define UBI__OUT_BUFFER (64 * 1024)

typedef struct ubi__out {
    ubi_write_fn write;
    void *payload;
    bool has_failed;
    size_t n;
    char buffer[UBI__OUT_BUFFER];
} ubi__out;

void ubi__out_init(ubi__out *out, ubi_write_fn write, void *payload);
/** UBI_OK, or UBI_EIO when any write was refused. */
ubi_status ubi__out_flush(ubi__out *out);

void ubi__out_bytes(ubi__out *out, const void *data, size_t n);
static inline void ubi__out_char(ubi__out *out, char c) {
    if (out->n == UBI__OUT_BUFFER)
        ubi__out_bytes(out, &c, 1);
    else
        out->buffer[out->n++] = c;
}
static inline void ubi__out_string(ubi__out *out, const char *s) {
    ubi__out_bytes(out, s, strlen(s));
}
void ubi__out_repeat(ubi__out *out, const char *s, size_t times);
void ubi__out_u64(ubi__out *out, uint64_t value);
void ubi__out_printf(ubi__out *out, const char *format, ...) UBI_PRINTF(2, 3);

/** A ubi_write_fn whose payload is a ubi__out, for writers on top of one. */
bool ubi__out_write(void *out, const void *data, size_t n);

/* ---- text for a terminal ---------------------------------------------------------------------------------------- */

/** How to draw. */
typedef struct ubi__style {
    bool has_color;   /**< escape sequences for colour may be used */
    bool has_unicode; /**< the output shows more than ASCII */
    unsigned columns; /**< width to fit into */
} ubi__style;

typedef enum ubi__ink {
    UBI__INK_PLAIN,
    UBI__INK_BOLD,
    UBI__INK_DIM,
    UBI__INK_RED,
    UBI__INK_GREEN,
    UBI__INK_YELLOW,
    UBI__INK_BLUE,
    UBI__INK_MAGENTA,
    UBI__INK_CYAN
} ubi__ink;

/** Switches colour; does nothing without style->has_color. End with UBI__INK_PLAIN. */
void ubi__display_ink(ubi__out *out, const ubi__style *style, ubi__ink ink);

/** Columns of a code point: 0, 1 or 2. Control characters take 0; they are escaped before this matters. */
unsigned ubi__display_char_columns(uint32_t c);

/**
 * Characters that a reader cannot see or that change how others are shown, such as zero-width spaces, bidirectional
 * overrides and lone surrogates. Control characters are not among them.
 */
bool ubi__display_is_deceptive(uint32_t c);

/**
 * Columns of `text` once made safe, at most `most`; `most` for a text that ubi__display_text would cut to fit.
 * NULL text: 0. O(most), whatever the length of the text.
 */
size_t ubi__display_columns(ubi_text text, const ubi__style *style, size_t most);

/**
 * Writes `text` made safe. Text longer than `max_columns`, or with more than four combining marks per column of it, is
 * cut in the middle around an ellipsis, so that both ends of a URL stay. Reads only what it writes: O(max_columns),
 * whatever the length of the text.
 * @return columns written, at most max_columns.
 */
size_t ubi__display_text(ubi__out *out, const ubi__style *style, ubi_text text, size_t max_columns);
/** The same, but cut at its start: the end of a path says more than its beginning. */
size_t ubi__display_text_end(ubi__out *out, const ubi__style *style, ubi_text text, size_t max_columns);

/** Spaces from column `at` up to column `until`. */
void ubi__display_pad(ubi__out *out, size_t at, size_t until);

/** A bar of `columns` columns filled to part / total in eighths; ASCII styles use whole '#'. */
void ubi__display_bar(ubi__out *out, const ubi__style *style, uint64_t part, uint64_t total, unsigned columns);

/** "…" or "...". */
const char *ubi__display_ellipsis(const ubi__style *style);

/* ---- text for other programs ------------------------------------------------------------------------------------- */

#define UBI__LINE_CHAR_BYTES 8
/**
 * The character at *at of a text, moving *at past it, as UTF-8 that stays in its line: control characters and stray bytes as \xNN, lone
 * surrogates as \uNNNN.
 * @param out  out[UBI__LINE_CHAR_BYTES]. @return bytes, at least 1.
 */
size_t ubi__line_char(char *out, ubi_text text, size_t *at);

/* ---- delimited fields ------------------------------------------------------------------------------------------- */

/** A field. A text that would be taken for a missing value is marked. */
void ubi__delimited_text(ubi__out *out, ubi_text text, bool csv);

#endif
