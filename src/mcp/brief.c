/* SPDX-License-Identifier: MIT
 *
 * brief.c: see brief.h. The documents are walked twice: what follows the rows must be known before there is room for them.
 */
#include "mcp/brief.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "mcp/brief_inside.h"

#define LEFT_OUT_BYTES 240
#define LEAST_ROOM 100

typedef struct brief {
    const ubi__brief_terms *terms;
    const ubi_allocator *allocator;
    ubi__vec_u8 *out;
    ubi__brief_count count;
    uint64_t row;       /* the next one's number */
    uint64_t all_bytes; /* of rows from the cursor on */
    size_t room_bytes;  /* that is left; while rows are counted, 0 */
    bool is_counting, is_full;
    ubi__vec_u8 columns; /* the line before the first row; empty: there is none */
    ubi__brief_find find;
    uint64_t n_longest_list;
} brief;

static size_t line_bytes(const char *line) {
    return line && *line ? ubi__brief_escaped_bytes(ubi__text(line)) + 2 : 0;
}

/* ---- rows -------------------------------------------------------------------------------------------------------------- */

static ubi_status row_show(brief *b, ubi_text row, size_t bytes) {
    UBI_ASSERT(bytes <= b->room_bytes);
    UBI_TRY(ubi__bytes_append(b->out, row.ptr, row.len, b->allocator));
    UBI_TRY(ubi__brief_append_text(b->out, "\n", b->allocator));
    b->room_bytes -= bytes;
    b->count.n_shown++;
    return UBI_OK;
}

/* As much of it as fits, and how much is missing; no character is cut in two. */
static ubi_status row_show_cut(brief *b, ubi_text row) {
    char note[64];
    size_t n = 0, fits = 0, bytes = 0;
    snprintf(note, sizeof note, "\xe2\x80\xa6%zu more bytes of this row", row.len);
    size_t most = b->room_bytes - strlen(note) - 2;
    while (n < row.len && bytes <= most) {
        bool is_inside = ((uint8_t)row.ptr[n] & 0xc0) == 0x80 || (n > 0 && row.ptr[n - 1] == '\\');
        fits = is_inside ? fits : n;
        bytes += ubi__brief_escaped_bytes((ubi_text){ row.ptr + n++, 1 });
    }
    snprintf(note, sizeof note, "\xe2\x80\xa6%zu more bytes of this row", row.len - fits);
    UBI_TRY(ubi__bytes_append(b->out, row.ptr, fits, b->allocator));
    UBI_TRY(ubi__brief_append_text(b->out, note, b->allocator));
    b->count.was_cut = true;
    b->is_full = true;
    return row_show(b, (ubi_text){ NULL, 0 }, 0);
}

/* The columns of a table are named on its page's first line, where the first page has them in a row of its own. */
static ubi_status row_count(brief *b, ubi_text row, ubi_text columns, bool is_first) {
    b->all_bytes += row.len + 1;
    if (!is_first || b->terms->cursor == 0 || !columns.ptr || columns.len > UBI__BRIEF_ROW_BYTES)
        return UBI_OK;
    return ubi__brief_columns_write(&b->columns, columns, b->allocator);
}

static ubi_status row_take(void *payload, ubi_text row, ubi_text columns) {
    brief *b = payload;
    size_t bytes = ubi__brief_escaped_bytes(row) + 2;
    uint64_t number = b->row++;
    if (number < b->terms->cursor)
        return UBI_OK;
    if (b->is_counting)
        return row_count(b, row, columns, number == b->terms->cursor);
    if (!b->is_full && bytes <= b->room_bytes)
        return row_show(b, row, bytes);
    if (!b->is_full && b->count.n_shown == 0)
        return row_show_cut(b, row);
    b->is_full = true;
    b->count.left_out_bytes += row.len + 1;
    return UBI_OK;
}

static ubi_status documents_walk(brief *b) {
    ubi__brief_walk walk = {
        .names = b->terms->names, .n_names = b->terms->n_names, .allocator = b->allocator, .sink = { row_take, b }
    };
    ubi_status status = UBI_OK;
    b->row = 0;
    for (uint32_t i = 0; status == UBI_OK && i < b->terms->n_documents; i++) {
        const char *title = b->terms->titles ? b->terms->titles[i] : NULL;
        if (title)
            status = row_take(b, ubi__text(title), (ubi_text){ NULL, 0 });
        if (status == UBI_OK)
            status = ubi__brief_walk_document(&walk, b->terms->documents[i]);
    }
    b->find = walk.find;
    b->n_longest_list = walk.n_longest_list;
    ubi__brief_walk_fini(&walk);
    return status;
}

/* ---- what follows them ------------------------------------------------------------------------------------------------- */

static bool is_limited(const brief *b) {
    return b->terms->knows_beyond ? b->terms->n_beyond > 0 : b->terms->limit && b->n_longest_list >= b->terms->limit;
}

/* What the question's own limit has left out is left out, too. */
static uint64_t beyond_count(const brief *b) {
    return b->terms->knows_beyond ? b->terms->n_beyond : 0;
}

static void left_out_write(char out[LEFT_OUT_BYTES], const brief *b, uint64_t n, uint64_t bytes, uint64_t cursor) {
    uint64_t n_beyond = beyond_count(b);
    int at = snprintf(out, LEFT_OUT_BYTES, "left out: %" PRIu64 " of %" PRIu64 " rows", n + n_beyond,
                      b->count.n_rows + n_beyond);
    if (n)
        at += snprintf(out + at, LEFT_OUT_BYTES - (size_t)at, ", %" PRIu64 " bytes; more with \"cursor\":%" PRIu64,
                       bytes, cursor);
    if (n_beyond)
        snprintf(out + at, LEFT_OUT_BYTES - (size_t)at,
                 "; %" PRIu64 " rows come after the question's own limit %" PRIu64, n_beyond, b->terms->limit);
    else if (is_limited(b))
        snprintf(out + at, LEFT_OUT_BYTES - (size_t)at, "; the question's own limit %" PRIu64 " applies",
                 b->terms->limit);
}

typedef enum next_call { NEXT_MORE, NEXT_EXPLAIN, NEXT_BEYOND, NEXT_LAST, NEXT_NONE } next_call;

/* A holder comes before the rest of the rows, an example after them. */
static next_call next_choose(const brief *b, bool is_complete) {
    const ubi__brief_terms *t = b->terms;
    bool has_find = t->explain_call && b->find.rank;
    if (has_find && b->find.rank <= 2 && t->cursor == 0)
        return NEXT_EXPLAIN;
    if (!is_complete)
        return t->more_call ? NEXT_MORE : NEXT_NONE;
    if (t->beyond_call && is_limited(b))
        return NEXT_BEYOND;
    return has_find ? NEXT_EXPLAIN : t->last_call ? NEXT_LAST : NEXT_NONE;
}

static ubi_status next_put(ubi__vec_u8 *out, const brief *b, next_call call, uint64_t cursor) {
    const ubi__brief_terms *t = b->terms;
    const char *const calls[] = { t->more_call, t->explain_call, t->beyond_call, t->last_call };
    char end[64] = "";
    if (call == NEXT_NONE)
        return UBI_OK;
    if (call == NEXT_MORE)
        snprintf(end, sizeof end, ",\"cursor\":%" PRIu64 "}", cursor);
    if (call == NEXT_EXPLAIN)
        snprintf(end, sizeof end, "%s}", b->find.id);
    UBI_TRY(ubi__brief_append_text(out, "\nnext: ", b->allocator));
    UBI_TRY(ubi__brief_append_text(out, calls[call], b->allocator));
    return ubi__brief_append_text(out, end, b->allocator);
}

/* The most that a call takes: whether rows are left out is decided later. */
static ubi_status next_reserve(size_t *bytes, const brief *b) {
    for (int is_complete = 0; is_complete <= 1; is_complete++) {
        ubi__vec_u8 text = { NULL, 0, 0 };
        ubi_status status = next_put(&text, b, next_choose(b, is_complete), b->count.n_rows);
        size_t n = ubi__brief_escaped_bytes((ubi_text){ (const char *)text.at, text.n });
        *bytes = n > *bytes ? n : *bytes;
        ubi__vec_u8_fini(&text, b->allocator);
        UBI_TRY(status);
    }
    return UBI_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static ubi_status room_find(brief *b) {
    char left_out[LEFT_OUT_BYTES];
    size_t taken = line_bytes(b->terms->headline), next_bytes = 0;
    left_out_write(left_out, b, b->count.n_rows, b->all_bytes, b->count.n_rows);
    taken += line_bytes(left_out) - 2;
    UBI_TRY(next_reserve(&next_bytes, b));
    taken += next_bytes;
    if (b->terms->budget_bytes < taken + LEAST_ROOM)
        return ubi__fail(UBI_EINVAL, "the budget is too small: this answer needs %zu bytes more",
                         taken + LEAST_ROOM - b->terms->budget_bytes);
    b->room_bytes = b->terms->budget_bytes - taken;
    size_t columns_bytes = ubi__brief_escaped_bytes((ubi_text){ (const char *)b->columns.at, b->columns.n });
    if (columns_bytes + LEAST_ROOM > b->room_bytes)
        columns_bytes = b->columns.n = 0; /* a row is worth more */
    b->room_bytes -= columns_bytes;
    b->count.has_columns = columns_bytes > 0;
    return UBI_OK;
}

static ubi_status end_write(brief *b) {
    char left_out[LEFT_OUT_BYTES];
    uint64_t after = b->terms->cursor + b->count.n_shown;
    uint64_t n = b->count.n_rows > after ? b->count.n_rows - after : 0;
    left_out_write(left_out, b, n, b->count.left_out_bytes, after);
    UBI_TRY(ubi__brief_append_text(b->out, left_out, b->allocator));
    return next_put(b->out, b, next_choose(b, n == 0), after);
}

static ubi_status brief_write(brief *b) {
    UBI_TRY(documents_walk(b));
    b->count.n_rows = b->row;
    UBI_TRY(room_find(b));
    UBI_TRY(ubi__brief_append_text(b->out, b->terms->headline, b->allocator));
    UBI_TRY(ubi__brief_append_text(b->out, "\n", b->allocator));
    UBI_TRY(ubi__bytes_append(b->out, b->columns.at, b->columns.n, b->allocator));
    b->is_counting = false;
    UBI_TRY(documents_walk(b));
    return end_write(b);
}

ubi_status ubi__brief_write(ubi__vec_u8 *out, ubi__brief_count *count, const ubi__brief_terms *terms,
                            const ubi_allocator *allocator) {
    brief b = { .terms = terms, .allocator = allocator, .out = out, .is_counting = true };
    size_t n_before = out->n;
    ubi_status status = brief_write(&b);
    ubi__vec_u8_fini(&b.columns, allocator);
    UBI_TRY(status);
    UBI_ASSERT(ubi__brief_escaped_bytes((ubi_text){ (const char *)out->at + n_before, out->n - n_before }) <=
               terms->budget_bytes);
    if (count)
        *count = b.count;
    return UBI_OK;
}
