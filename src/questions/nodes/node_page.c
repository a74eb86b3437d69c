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
#include "questions/nodes/node_page.h"

#define GAP 2
#define SYSTEM "system" /* a dash in DevTools, but that means "none" here */

static ubi__cell number_cell(const ubi__node_column *column, int state, uint64_t number) {
    if (state == UBI_QUERY_MISSING)
        return ubi__cell_words("-");
    if (column->style == UBI__NUMBER_DISTANCE && state == UBI_QUERY_PRESENT && number >= UBI_LOOK_SYSTEM_DISTANCE)
        return ubi__cell_words(SYSTEM);
    ubi__cell cell = ubi__cell_count(number);
    if (column->style == UBI__NUMBER_NODE_ID)
        cell.kind = UBI__CELL_ID;
    cell.sign = state == UBI_QUERY_NEGATIVE ? '-' : 0;
    return cell;
}

/* "-" for none; a text may be in `buffer`. */
static ubi__cell cell_of(const ubi__node_page *p, size_t i, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    const ubi__node_column *column = p->columns[i];
    uint64_t number = 0;
    if (!column->text) {
        int state = column->number(&number, p->table, node);
        return number_cell(column, state, number);
    }
    ubi_text text = ubi__node_column_text(column, p->table, node, buffer);
    return text.ptr ? ubi__cell_text(text) : ubi__cell_words("-");
}

void ubi__node_page_begin(ubi__node_page *p, const ubi_node_ix *order, ubi_node_ix first, uint32_t n_sample) {
    ubi_look_name_buffer buffer;
    ubi__text_column columns[UBI__NODE_COLUMNS_MAX] = { { .width = 0 } };
    for (size_t i = 0; i < p->n_columns; i++)
        columns[i] = (ubi__text_column){
            .title = p->columns[i]->name, .width = 1, .gap = i ? GAP : 0, .is_left = p->columns[i]->text != NULL
        };
    ubi__text_table_init(&p->layout, p->out, p->style, NULL, columns, p->n_columns);
    for (size_t i = 0; i < p->n_columns; i++) {
        ubi__text_table_widen(&p->layout, i, ubi__cell_words(columns[i].title));
        for (uint32_t row = 0; row < n_sample; row++)
            ubi__text_table_widen(&p->layout, i, cell_of(p, i, order ? order[row] : first + row, &buffer));
    }
    ubi__text_table_fit(&p->layout);
    ubi__text_table_head(&p->layout);
}

void ubi__node_page_row(const ubi__node_page *p, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    for (size_t i = 0; i < p->n_columns; i++) {
        ubi__cell cell = cell_of(p, i, node, &buffer);
        ubi__text_table_cell(&p->layout, i, &cell);
    }
    ubi__out_char(p->out, '\n');
}
