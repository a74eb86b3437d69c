/* SPDX-License-Identifier: MIT
 *
 * node_page.c: nodes as a table for people.
 *
 *         id  rawSize  coarseType  displayName
 *          1      160  Other       JS::ubi::RootList
 *     139811   16,448  Object      ArrayBuffer
 *
 * Rows are streamed, so the first ones decide the widths. The widest columns of texts give way until a row fits the
 * terminal, and the last one takes what is left: the names to come may be longer.
 */
#include "cli/commands/nodes/node_page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"

#define GAP 2
#define NARROWEST_TEXT 8

/* A text, or a number as text in `buffer`; "-" for none. */
static ubi_text cell(const ubi__node_page *p, const ubi__node_column *column, ubi_node_ix node,
                     ubi_lens_name_buffer *buffer) {
    uint64_t number;
    char *digits = buffer->bytes + 1;
    if (column->text) {
        ubi_text text = ubi__node_column_text(column, p->table, node, buffer);
        return text.ptr ? text : ubi__text("-");
    }
    int state = column->number(&number, p->table, node);
    if (state == UBI_QUERY_MISSING)
        return ubi__text("-");
    if (column->style == UBI__NUMBER_DISTANCE && state == UBI_QUERY_PRESENT && number >= UBI_LENS_SYSTEM_DISTANCE)
        return ubi__text("system"); /* a dash in DevTools, but that means "none" here */
    if (column->style == UBI__NUMBER_NODE_ID)
        snprintf(digits, UBI__HUMAN_TEXT, "%" PRIu64, number);
    else
        ubi__human_count(digits, number);
    buffer->bytes[0] = '-';
    return ubi__text(state == UBI_QUERY_NEGATIVE ? buffer->bytes : digits);
}

static size_t row_columns(const ubi__node_page *p) {
    size_t columns = p->n_columns ? (p->n_columns - 1) * GAP : 0;
    for (size_t i = 0; i < p->n_columns; i++)
        columns += p->widths[i];
    return columns;
}

/* The widest column of texts that can still give way, or NULL. */
static size_t *widest_text(ubi__node_page *p) {
    size_t *widest = NULL;
    for (size_t i = 0; i < p->n_columns; i++)
        if (p->columns[i]->text && p->widths[i] > NARROWEST_TEXT && (!widest || p->widths[i] > *widest))
            widest = &p->widths[i];
    return widest;
}

static void fit(ubi__node_page *p) {
    size_t columns = row_columns(p), *widest;
    for (; columns > p->style->columns && (widest = widest_text(p)); columns--)
        --*widest;
    if (columns < p->style->columns && p->columns[p->n_columns - 1]->text)
        p->widths[p->n_columns - 1] += p->style->columns - columns;
}

static void write_header(const ubi__node_page *p) {
    ubi__display_ink(p->out, p->style, UBI__INK_BOLD);
    for (size_t i = 0; i < p->n_columns; i++) {
        const char *name = p->columns[i]->name;
        ubi__display_pad(p->out, 0, i ? GAP : 0);
        if (!p->columns[i]->text) {
            ubi__display_right(p->out, name, p->widths[i]);
            continue;
        }
        size_t used = ubi__display_text(p->out, p->style, ubi__text(name), p->widths[i]);
        ubi__display_pad(p->out, used, i + 1 < p->n_columns ? p->widths[i] : 0);
    }
    ubi__display_ink(p->out, p->style, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

void ubi__node_page_begin(ubi__node_page *p, const ubi_node_ix *order, uint32_t n_sample) {
    ubi_lens_name_buffer buffer;
    for (size_t i = 0; i < p->n_columns; i++) {
        p->widths[i] = strlen(p->columns[i]->name);
        for (uint32_t row = 0; row < n_sample; row++) {
            ubi_text text = cell(p, p->columns[i], order ? order[row] : row, &buffer);
            size_t columns = ubi__display_columns(text, p->style, p->style->columns);
            p->widths[i] = columns > p->widths[i] ? columns : p->widths[i];
        }
    }
    fit(p);
    write_header(p);
}

void ubi__node_page_row(const ubi__node_page *p, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    for (size_t i = 0; i < p->n_columns; i++) {
        ubi_text text = cell(p, p->columns[i], node, &buffer);
        ubi__display_pad(p->out, 0, i ? GAP : 0);
        if (!p->columns[i]->text) {
            ubi__display_pad(p->out, text.len, p->widths[i]);
            ubi__out_bytes(p->out, text.ptr, text.len);
            continue;
        }
        size_t used = ubi__display_text(p->out, p->style, text, p->widths[i]);
        ubi__display_pad(p->out, used, i + 1 < p->n_columns ? p->widths[i] : 0);
    }
    ubi__out_char(p->out, '\n');
}
