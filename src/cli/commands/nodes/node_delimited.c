/* SPDX-License-Identifier: MIT
 *
 * node_delimited.c: rows for programs, written without printf; millions of them are usual.
 */
#include "cli/commands/nodes/node_delimited.h"

#include "render/delimited.h"

void ubi__node_lines_header(const ubi__node_lines *l) {
    for (size_t i = 0; i < l->n_columns; i++) {
        if (i)
            ubi__out_char(l->out, l->csv ? ',' : '\t');
        ubi__out_string(l->out, l->columns[i]->name);
    }
    ubi__out_char(l->out, '\n');
}

void ubi__node_lines_row(const ubi__node_lines *l, ubi_node_ix node) {
    for (size_t i = 0; i < l->n_columns; i++) {
        const ubi__node_column *column = l->columns[i];
        uint64_t number;
        int state = UBI_QUERY_MISSING;
        ubi_text text;
        ubi_lens_name_buffer buffer;
        if (i)
            ubi__out_char(l->out, l->csv ? ',' : '\t');
        if (column->text && (text = ubi__node_column_text(column, l->table, node, &buffer)).ptr)
            ubi__delimited_text(l->out, text, l->csv);
        else if (column->number && (state = column->number(&number, l->table, node)) == UBI_QUERY_PRESENT)
            ubi__out_u64(l->out, number);
        else
            ubi__out_char(l->out, '-');
        if (state == UBI_QUERY_NEGATIVE)
            ubi__out_u64(l->out, number);
    }
    ubi__out_char(l->out, '\n');
}
